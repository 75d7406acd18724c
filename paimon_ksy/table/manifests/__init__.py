"""Manifests and manifest lists as columns, of whatever version of Paimon and in its formats.

Nothing here knows pypaimon. Bytes come in, Arrow columns go out.
"""
