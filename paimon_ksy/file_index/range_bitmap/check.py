"""Check that a range bitmap is sound: read all of it, row by row."""

from __future__ import annotations

import numpy as np

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content, numbers_of_slices
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.roaring.bits import marked_rows


def check(reader: RangeBitmapReader, place: int, end: int) -> Content:
    """Read the whole index at byte `place`, and return its content row by row.

    Raises:
        CorruptFileError: The index contradicts itself.
    """
    if not reader.num_values:
        nulls = np.ones(reader.num_rows, np.bool_)
        return Content([], np.full(reader.num_rows, -1, np.int32), nulls)
    keys = reader.dictionary.all_keys()
    if [keys[0], keys[-1]] != list(reader.bounds):
        raise CorruptFileError("its bounds are not those of the dictionary", offset=place)
    starts = [start for start, _ in reader.slice_extents]
    codes = numbers_of_slices(reader.slice_rows(), reader.rows, reader.num_rows, starts)
    most = int(codes.max()) if len(codes) else 0
    if most >= reader.num_values:
        message = f"a row with value {most} of a dictionary of {reader.num_values}"
        raise CorruptFileError(message, offset=place)
    nulls = ~marked_rows(reader.rows, reader.num_rows)
    places = codes.astype(np.int32)
    places[nulls] = -1
    return Content(keys, places, nulls)
