"""Descriptors of BLOBs, as pypaimon writes them."""

from paimon_ksy.table.store.errors import pypaimon_module


def blob_descriptor(path: str, offset: int, length: int) -> bytes:
    """Return the descriptor of a value, which names its place in a file."""
    descriptor = pypaimon_module("table.row.blob").BlobDescriptor
    serialized: bytes = descriptor(path, offset, length).serialize()
    return serialized
