"""Whole Paimon tables: what is in them, their file indexes built and used.

Catalogs, snapshots, manifests and commits are pypaimon's; only `store` knows pypaimon.
"""
