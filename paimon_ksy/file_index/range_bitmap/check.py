"""Whether a range bitmap has just what a column of numbers has, told a part of the rows at a time.

What is made of a part stays in the processor's caches: made of all rows at once it takes twice the
time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from paimon_ksy.evaluation.key_ranges import sortable
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.file_index.share import Share, alone
from paimon_ksy.roaring.bit_slices import numbers_between
from paimon_ksy.roaring.bitmap_32 import words_of_bits
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 18


def is_right(
    reader: RangeBitmapReader,
    column: pa.ChunkedArray,
    data_type: DataType,
    share: Share = alone,
) -> bool:
    """Whether the index is sound and has the values of the column.

    False too where that takes a closer look, as if it holds strings, or no value. Raises what the
    reader does on malformed bytes.
    """
    from paimon_ksy.columns.postings import stored_numbers

    if reader.num_rows != len(column) or not reader.num_values:
        return False
    keys = reader.dictionary.all_keys()
    if isinstance(keys, list) or [keys[0], keys[-1]] != list(reader.bounds):
        return False
    slices = list(reader.slice_words())
    held = None
    if len(reader.rows) < reader.num_rows:
        held = np.zeros(reader.num_rows, np.bool_)
        held[np.asarray(reader.rows.to_array())] = True
        others = ~words_of_bits(held)
        if any((words & others).any() for words in slices):
            return False

    def has(part: pa.Array, row: int) -> bool:
        """Whether the index has these values from that row on."""
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

    parts = []
    row = 0
    for chunk in column.chunks:
        parts += [
            partial(has, chunk.slice(at, _ROWS), row + at) for at in range(0, len(chunk), _ROWS)
        ]
        row += len(chunk)
    return all(share(parts))
