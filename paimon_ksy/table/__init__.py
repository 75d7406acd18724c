"""Whole Paimon tables: inspect and query them, and build, audit and repair their indexes.

pypaimon provides catalogs and commits; only `store` depends on it.
"""
