"""Manifests and manifest lists as Arrow columns, from every version and format of Paimon.

Nothing here uses pypaimon. Input is bytes, output is Arrow columns.
"""
