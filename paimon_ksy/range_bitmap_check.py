"""Whether a range bitmap has just what a column of numbers has, told a part of the rows at a time.

What is made of a part stays in the processor's caches: made of all rows at once it takes twice the
time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.bit_slices import numbers_between
from paimon_ksy.question import sortable
from paimon_ksy.range_bitmap import RangeBitmapReader
from paimon_ksy.roaring import words_of_bits
from paimon_ksy.types import DataType

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 17
_NARROW = np.dtype(np.uint32)


def is_right(reader: RangeBitmapReader, column: pa.ChunkedArray, data_type: DataType) -> bool:
    """Whether the index is sound and has the values of the column.

    False too where that takes a closer look, as if it holds strings, or no value. Raises what the
    reader does on malformed bytes.
    """
    from paimon_ksy.postings import stored_numbers

    if reader.num_rows != len(column) or not reader.num_values:
        return False
    keys = reader.dictionary.all_keys()
    if isinstance(keys, list) or [keys[0], keys[-1]] != list(reader.bounds):
        return False
    least, narrow = int(keys[0]), _narrow(keys)
    slices = list(reader.slice_words())
    held = None
    if len(reader.rows) < reader.num_rows:
        held = np.zeros(reader.num_rows, np.bool_)
        held[np.asarray(reader.rows.to_array())] = True
        others = ~words_of_bits(held)
        if any((words & others).any() for words in slices):
            return False
    row = 0
    for chunk in column.chunks:
        for at in range(0, len(chunk), _ROWS):
            part = chunk.slice(at, _ROWS)
            stop = row + len(part)
            start = row & ~7
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
            due = sortable(numbers)
            if narrow is not keys:
                due = np.subtract(due, least, dtype=keys.dtype)
            if not np.array_equal(narrow.take(codes), due):
                return False
            row = stop
    return True


def _narrow(keys: NDArray[Any]) -> NDArray[Any]:
    """Ascending keys less the first one, in 32 bits if they fit: they are looked up at random."""
    least, greatest = int(keys[0]), int(keys[-1])
    if keys.itemsize <= _NARROW.itemsize or greatest - least > np.iinfo(_NARROW).max:
        return keys
    return (keys - least).astype(_NARROW)
