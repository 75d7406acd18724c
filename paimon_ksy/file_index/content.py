"""The content of an index row by row, the form in which checks compare indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, sortable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.roaring.bits import marked_rows
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

Rows = NDArray[np.int32] | NDArray[np.int64]
"""Row numbers, or a number for each row."""


@dataclass(frozen=True)
class Content:
    """The content of an index: its keys as stored, and for each row, the position of its key.

    The position -1 means null. A BSI has no list of keys, only numbers: then `keys` is None,
    `places` contains the numbers, and `nulls` the rows without one.
    """

    keys: Keys | None
    places: Rows
    nulls: NDArray[np.bool_]

    def differs(self, other: Content) -> Rows:
        """Return the rows that differ."""
        if self.keys is None or other.keys is None:
            apart = self.places != other.places
        else:
            known = {key: place for place, key in enumerate(other.keys)}
            mine = np.array([*(known.get(key, -2) for key in self.keys), -1], np.int64)
            apart = mine[self.places] != other.places
        found: Rows = np.flatnonzero((self.nulls != other.nulls) | (apart & ~self.nulls))
        return found

    def has(self, column: pa.ChunkedArray, data_type: DataType) -> bool:
        """Return whether the keys are the values of a column; also False if uncertain."""
        from paimon_ksy.columns.stored_columns import stored_codes, stored_numbers

        if len(column) != len(self.places):
            return False
        if self.keys is not None and not len(self.keys):
            return bool(self.nulls.all()) and column.null_count == len(column)
        if isinstance(self.keys, list):
            codes, values = stored_codes(column, data_type)
            place_of = {key: place for place, key in enumerate(self.keys)}
            # Null has the code after the last one, and the position before the first one.
            due = [*(place_of.get(value, -2) for value in values.to_pylist()), -1]
            return bool(np.array_equal(np.array(due, self.places.dtype)[codes], self.places))
        numbers, rows = stored_numbers(column, data_type)
        places = self.places
        if rows is None:
            if self.nulls.any():
                return False
        else:
            if len(rows) != len(places) - np.count_nonzero(self.nulls) or self.nulls[rows].any():
                return False
            places = places[rows]
        there = places if self.keys is None else self.keys[places]
        return bool(np.array_equal(sortable(numbers), there))


def numbers_of_slices(
    slices: Iterable[BitMap], rows: BitMap, num_rows: int, starts: Sequence[int]
) -> NDArray[Any]:
    """Return the number of each row from the slices of its bits; 0 for a row without a number.

    Args:
        slices: The rows that have each bit; the lowest bit comes first.
        rows: The rows that have a number.
        num_rows: The rows of the file.
        starts: The byte at which each slice starts.

    Raises:
        CorruptFileError: A slice has a bit set for a row without a number.
    """
    kind = np.dtype(np.uint32 if len(starts) <= 32 else np.uint64)
    numbers, plane = np.zeros(num_rows, kind), np.zeros(num_rows, np.uint8)
    for bit, (ones, start) in enumerate(zip(slices, starts, strict=True)):
        if others := ones - rows:
            message = f"a bit is set for row {others.min()}, which does not exist"
            raise CorruptFileError(message, offset=start)
        plane |= marked_rows(ones, num_rows).view(np.uint8) * np.uint8(1 << bit % 8)
        if bit % 8 == 7 or bit == len(starts) - 1:
            numbers |= plane.astype(kind) << kind.type(bit // 8 * 8)
            plane[:] = 0
    return numbers
