"""Compare a global index with the data: each row with the keys under which the index lists it.

Each row is a sum of hashes of its keys, on both sides. So the rows of an index need no order, and a
row that is missing or listed twice differs, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import counted
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.table.model.files import ROW_ID
from paimon_ksy.types.arrays import Hashes, Numbers, elements, to_arrow_array


class IndexedData:
    """The values of indexed columns, by row id."""

    def __init__(self, data: pa.Table) -> None:
        """Hash the values of the columns, which the row ids follow."""
        if (np.diff(data[ROW_ID].to_numpy()) <= 0).any():
            data = data.sort_by(ROW_ID)
        self.ids: Numbers = data[ROW_ID].to_numpy()
        self.columns = data.drop_columns(ROW_ID)
        self.types = [_element(column.type) for column in self.columns.columns]

    @cached_property
    def hashes(self) -> Hashes:
        """The sum of the hashes of the keys of each row."""
        first = self.columns.column(0)
        if first.type == self.types[0]:
            return _hashes([column.combine_chunks() for column in self.columns.columns])
        sums = np.zeros(len(first), np.uint64)
        keys, rows = elements(first.combine_chunks())
        pairs = pa.table({"row": to_arrow_array(rows), "key": keys})
        distinct = pairs.filter(pc.field("key").is_valid()).group_by(["row", "key"]).aggregate([])
        hashes = _hashes([distinct["key"].combine_chunks()])
        np.add.at(sums, distinct["row"].to_numpy(), hashes)
        return sums


class Comparison:
    """The comparison of the rows of a range with their keys in an index."""

    def __init__(self, data: IndexedData, first: int, last: int) -> None:
        """Start without keys of rows from `first` to `last`; the data may have other rows, too."""
        self._data, self._first = data, first
        low, high = np.searchsorted(data.ids, [first, last + 1]).tolist()
        self._range = slice(low, high)
        self._ids = data.ids[self._range]
        self._sums = np.zeros(len(self._ids), np.uint64)
        self._is_dense = len(self._ids) == last - first + 1
        self._is_known = True

    def add(self, some: Postings) -> None:
        """Add keys of the index, and their rows. Without keys, nothing can be compared."""
        if not some.keys:
            self._is_known = False
        if not self._is_known:
            return
        keys = [key.cast(kind) for key, kind in zip(some.keys, self._data.types, strict=True)]
        hashes = _hashes(keys)
        if len(hashes) < len(some.rows):
            hashes = np.repeat(hashes, some.counts)
        at = some.rows
        if not self._is_dense:  # deleted rows
            at = np.searchsorted(self._ids, at + self._first)
            is_live = at < len(self._ids)
            is_live[is_live] = self._ids[at[is_live]] == some.rows[is_live] + self._first
            at, hashes = at[is_live], hashes[is_live]
        np.add.at(self._sums, at, hashes)

    @property
    def difference(self) -> str | None:
        """A message about rows whose keys are not the values of the data; None if equal."""
        wrong = np.flatnonzero(self._data.hashes[self._range] != self._sums)
        if not (self._is_known and len(wrong)):
            return None
        at = int(wrong[0])
        values = self._data.columns.slice(self._range.start + at, 1).to_pylist()[0].values()
        return (
            f"{len(wrong):,} of {counted(len(self._ids), 'row')} differ from the data; the first "
            f"is row id {self._ids[at]}, with the value {', '.join(map(repr, values))} in the data"
        )


def _element(kind: pa.DataType) -> pa.DataType:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return kind.value_type if is_list else kind


def _hashes(keys: Sequence[Any]) -> Hashes:
    """Return a hash of each key, which has a value in each of these arrays."""
    import polars as pl  # takes 80 ms, and few tables have global indexes

    frame = pl.DataFrame({str(number): key for number, key in enumerate(keys)})
    return frame.hash_rows(1, 2, 3, 4).to_numpy()
