"""The content of an index row by row, the form in which checks compare indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_columns import stored_codes, stored_numbers
from paimon_ksy.columns.stored_values import Keys, sortable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.roaring.bits import marked_rows
from paimon_ksy.types.data_type import DataType

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

    @classmethod
    def of_column(cls, column: pa.ChunkedArray, data_type: DataType) -> Content:
        """Return the content that an index of the column should have."""
        if data_type.is_string:
            codes, values = stored_codes(column, data_type)  # null has the code after the last one
            nulls = codes == len(values)
            return cls(values.to_pylist(), np.where(nulls, -1, codes), nulls)
        numbers, rows = stored_numbers(column, data_type)
        if rows is None:
            return cls(None, sortable(numbers), np.zeros(len(numbers), np.bool_))
        nulls = np.ones(len(column), np.bool_)
        places = np.zeros(len(column), sortable(numbers).dtype)
        nulls[rows], places[rows] = False, sortable(numbers)
        return cls(None, places, nulls)

    def differs(self, other: Content) -> Rows:
        """Return the rows that differ from the content of a column."""
        if isinstance(other.keys, list):
            place_of = {key: place for place, key in enumerate(other.keys)}
            keys = () if self.keys is None else self.keys
            mine = np.array([*(place_of.get(key, -2) for key in keys), -1], np.int64)
            apart = mine[self.places] != other.places
        else:
            apart = self._numbers() != other.places
        rows: Rows = np.flatnonzero((self.nulls != other.nulls) | (apart & ~self.nulls))
        return rows

    def _numbers(self) -> Rows:
        if self.keys is None:
            return self.places
        numbers: Rows = np.append(np.asarray(self.keys, np.int64), 0)[self.places]
        return numbers

    def value(self, row: int) -> bytes | int | None:
        """Return the key of a row; None is null."""
        if self.nulls[row]:
            return None
        place = int(self.places[row])
        key = place if self.keys is None else self.keys[place]
        return key if isinstance(key, bytes) else int(key)


def numbers_of_slices(
    slices: Iterable[BitMap], rows: BitMap, num_rows: int, starts: Sequence[int]
) -> NDArray[Any]:
    """Return the number of each row from the slices of its bits; 0 for a row without a number.

    The slice of the lowest bit comes first. `starts` has the byte at which each starts.

    Raises CorruptFileError if a slice has a bit set for a row without a number.
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
