"""Check that a range bitmap is sound, and that it equals a column of numbers.

`check` reads a whole index row by row. `is_right` compares it with a column. Rebuilding the index
instead would double the time of `audit --deep` in `make bench-tables`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.columns.stored_values import sortable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content, marked_rows, numbers_of_slices
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.io.source import Source
from paimon_ksy.roaring.bit_slices import numbers_between
from paimon_ksy.roaring.bitmap_32 import Words, words_of_bits
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 18  # rows to compare at a time; each one takes about 24 bytes


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
    held = marked_rows(reader.rows, reader.num_rows)
    starts = [start for start, _ in reader.slice_extents]
    codes = numbers_of_slices(reader.slice_words(), held, starts)
    most = int(codes.max()) if len(codes) else 0
    if most >= reader.num_values:
        message = f"a row with value {most} of a dictionary of {reader.num_values}"
        raise CorruptFileError(message, offset=place)
    nulls = ~held
    places = codes.view(np.int32)
    if nulls.any():
        places = np.where(nulls, np.int32(-1), places)
    return Content(keys, places, nulls)


def is_right(
    reader: RangeBitmapReader,
    source: Source,
    place: int,
    end: int,
    column: pa.ChunkedArray,
    data_type: DataType,
) -> bool:
    """Return whether the index is sound and contains the values of the column.

    Also False if only a slower check can decide, for example for strings or an index without
    values. Raises the errors of the reader on malformed bytes.
    """
    if reader.num_rows != len(column) or not reader.num_values:
        return False
    keys = reader.dictionary.all_keys()
    if isinstance(keys, list) or [keys[0], keys[-1]] != list(reader.bounds):
        return False
    slices = list(reader.slice_words())
    held = None
    if len(reader.rows) < reader.num_rows:
        held = marked_rows(reader.rows, reader.num_rows)
        others = ~words_of_bits(held)
        if any((words & others).any() for words in slices):
            return False
    row = 0
    for chunk in column.chunks:
        for at in range(0, len(chunk), _ROWS):
            part = chunk.slice(at, _ROWS)
            if not _has(slices, held, keys, part, row + at, data_type):
                return False
        row += len(chunk)
    return True


def _has(
    slices: list[Words],
    held: NDArray[np.bool_] | None,
    keys: NDArray[Any],
    part: pa.Array,
    row: int,
    data_type: DataType,
) -> bool:
    """Return whether the index has the values of a part of a column, which starts at `row`.

    `held` marks the rows of the file with a value; None if all rows have one.
    """
    from paimon_ksy.columns.stored_columns import stored_numbers

    stop, start = row + len(part), row & ~7
    codes = numbers_between(slices, start, stop)[row - start :]
    numbers, rows = stored_numbers(part, data_type)
    if held is not None:
        there = np.flatnonzero(held[row:stop])
        if not np.array_equal(there, np.arange(len(part)) if rows is None else rows):
            return False
        codes = codes.take(there)
    elif rows is not None:
        return False
    if len(codes) and int(codes.max()) >= len(keys):
        return False
    return np.array_equal(keys.take(codes), sortable(numbers))
