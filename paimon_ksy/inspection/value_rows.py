"""Read the stored rows of a value in a bitmap index; 0.0 and -0.0 are two values here."""

from __future__ import annotations

from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.report import ValueCount
from paimon_ksy.io.source import Source
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, longest, read_bitmap


def value_rows(source: Source, value: ValueCount, num_rows: int) -> BitMap:
    """Return the rows of a value of a bitmap index.

    Args:
        source: The file.
        value: The value, which `inspect_file` reported.
        num_rows: The rows of the data file.

    Raises:
        CorruptFileError: The bitmap of the value is malformed.
    """
    if value.place is None:
        return BitMap([] if value.row is None else [value.row])
    size = min(longest(num_rows), source.size - value.place)
    try:
        return read_bitmap(source.read(value.place, size), num_rows, prefix=True)
    except BadBitmapError as error:
        at = value.place + error.offset
        raise CorruptFileError(str(error), path=source.name, offset=at) from error
