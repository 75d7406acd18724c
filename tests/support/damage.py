"""Damaged bytes, and readers that may refuse them."""

from collections.abc import Iterator

import pyarrow as pa

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.io.source import open_source


def flipped(data: bytes, bit: int) -> bytes:
    """Return the bytes with one bit flipped."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def each_flipped(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each byte's place, and the bytes with one bit of it flipped."""
    for at in range(len(data)):
        yield at, flipped(data, 8 * at + at % 8)


def read_all(data: bytes) -> None:
    """Read all of a data file that may be refused."""
    try:
        with open_data_file(open_source(data)) as file:
            for _ in file.batches(file.schema.names):
                pass
    except (CorruptFileError, UnsupportedError, OSError, ValueError, pa.ArrowException):
        pass
