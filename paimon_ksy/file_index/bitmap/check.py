"""Check that a bitmap index is sound: read all of it, row by row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from paimon_ksy.columns.stored_values import Keys
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.content import Content, marked_rows


def check(reader: BitmapReader, place: int, end: int) -> Content:
    """Read the whole index from byte `place` to `end`, and return its content row by row.

    Raises:
        CorruptFileError: The index is contradictory: bitmaps are malformed, or a row does not have
            exactly one value or null.
    """
    keys, parts = reader.postings(end)
    if len(keys) != reader.num_values:
        raise CorruptFileError(
            f"its head counts {reader.num_values} values, but {len(keys)} are stored", offset=place
        )
    if reader.version == 1 and (again := _stored_again(keys)) is not None:
        raise CorruptFileError(f"it stores the value {again!r} twice", offset=place)
    numbers = np.zeros(reader.num_rows, np.uint32)  # the place plus 1, so that 0 means none
    count = 0
    for places, rows, start in parts:
        if len(rows) and int(rows.max()) >= reader.num_rows:
            message = f"row {rows.max()} is out of range in a file of {reader.num_rows} rows"
            raise CorruptFileError(message, offset=start)
        numbers[rows] = places + 1
        count += len(rows)
    nulls = numbers == 0
    if count != len(nulls) - np.count_nonzero(nulls):
        raise _second_value(reader, end)
    due = marked_rows(reader.nulls, reader.num_rows)
    if not np.array_equal(nulls, due):
        row = int(np.flatnonzero(nulls != due)[0])
        what = "has neither a value nor null" if nulls[row] else "has a value and is null"
        raise CorruptFileError(f"row {row} {what}", offset=place)
    numbers -= 1
    return Content(keys, numbers.view(np.int32), nulls)


def _stored_again(keys: Keys) -> Any:
    """Return a key that occurs more than once; None if all differ."""
    if isinstance(keys, list):
        return next((key for key, times in Counter(keys).items() if times > 1), None)
    ordered = np.sort(keys)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[same[0]]) if len(same) else None


def _second_value(reader: BitmapReader, end: int) -> CorruptFileError:
    _, parts = reader.postings(end)
    seen = np.zeros(reader.num_rows, np.bool_)
    for _, rows, start in parts:
        there, times = np.unique(rows, return_counts=True)
        again = there[(times > 1) | seen[there]]
        seen[there] = True
        if len(again):
            return CorruptFileError(f"row {again[0]} has a second value", offset=start)
    raise AssertionError("each row has one value at most")
