"""Compare a global index with the data: each row with the keys under which the index lists it.

Each row is a sum of hashes of its keys, on both sides. So the rows of an index need no order, and a
row that is missing or listed twice differs, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import counted
from paimon_ksy.global_index.index_type import GlobalIndexReader
from paimon_ksy.table.model.files import ROW_ID

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_NULL = np.uint64(0x9E3779B97F4A7C15)
"""What stands for null: any constant that no sum of few hashes is likely to be."""


@dataclass(frozen=True)
class Differences:
    """The rows whose keys in an index are not the values of the data.

    Attributes:
        count: The number of rows that differ.
        compared: The number of all rows.
        row: The id, or the position, of the first one.
        value: Its value in the data.
        keys: The keys of which the index lists it; None is null.
    """

    count: int
    compared: int
    row: int
    value: Any
    keys: tuple[Any, ...]

    @property
    def message(self) -> str:
        """What differs."""
        listed = " and ".join(map(repr, self.keys)) or "nothing"
        return (
            f"{self.count:,} of {counted(self.compared, 'row')} differ from the data; the first is "
            f"row id {self.row}, with {listed} instead of {self.value!r}"
        )


def differences(reader: GlobalIndexReader, data: pa.Table, start: int) -> Differences | None:
    """Return the rows of which an index has other keys than the data has values; None if equal.

    Args:
        reader: All files of the index with the same row range.
        data: The indexed columns of live rows in that range, then their row ids.
        start: The first row id of the range.
    """
    data = data.sort_by(ROW_ID) if not _ascends(data) else data
    ids = data[ROW_ID].to_numpy()
    columns = data.drop_columns(ROW_ID)
    expected, stored = _expected(columns), np.zeros(len(ids), np.uint64)
    places = _Places(ids - start)
    if (nulls := reader.null_rows()) is not None:
        at = places.of(np.fromiter(nulls, np.int64, len(nulls)))
        np.add.at(stored, at[at >= 0], _NULL)
    types = [_element(column.type) for column in columns.columns]
    for some in reader.postings():
        at = places.of(some.rows)
        keys = [key.cast(kind) for key, kind in zip(some.keys, types, strict=True)]
        hashes = np.repeat(_hashes(keys), some.counts)
        if (is_live := at >= 0).all():
            np.add.at(stored, at, hashes)
        else:
            np.add.at(stored, at[is_live], hashes[is_live])
    wrong = np.flatnonzero(expected != stored)
    if not len(wrong):
        return None
    row = int(ids[wrong[0]])
    values = columns.slice(int(wrong[0]), 1).to_pylist()[0].values()
    value = next(iter(values)) if len(columns.columns) == 1 else tuple(values)
    keys_of_row = tuple(_keys_of(reader, row - start, types))
    return Differences(len(wrong), len(ids), row, value, keys_of_row)


class _Places:
    """The positions of rows among ascending ones."""

    def __init__(self, rows: Numbers) -> None:
        self._rows = rows
        self._first = int(rows[0]) if len(rows) else 0
        self._is_dense = len(rows) > 0 and int(rows[-1]) - self._first + 1 == len(rows)

    def of(self, rows: Numbers) -> Numbers:
        """Return the position of each row; -1 if it is not one of them."""
        if self._is_dense:
            at = rows - self._first
            return np.where((at >= 0) & (at < len(self._rows)), at, -1)
        if not len(self._rows):
            return np.full(len(rows), -1)
        at = np.searchsorted(self._rows, rows).clip(max=len(self._rows) - 1)
        return np.where(self._rows[at] == rows, at, -1)


def _ascends(data: pa.Table) -> bool:
    return bool((np.diff(data[ROW_ID].to_numpy()) > 0).all())


def _expected(columns: pa.Table) -> Hashes:
    """Return the sum of the hashes of the keys of each row."""
    first = columns.column(0)
    if not pa.types.is_list(first.type) and not pa.types.is_large_list(first.type):
        hashes = _hashes([column.combine_chunks() for column in columns.columns])
        if len(columns.columns) == 1 and first.null_count:
            hashes[first.combine_chunks().is_null().to_numpy(zero_copy_only=False)] = _NULL
        return hashes
    sums = np.zeros(len(first), np.uint64)
    lists = first.combine_chunks()
    pairs = pa.table({"row": pc.list_parent_indices(lists), "key": lists.flatten()})
    distinct = pairs.filter(pc.field("key").is_valid()).group_by(["row", "key"]).aggregate([])
    hashes = _hashes([distinct["key"].combine_chunks()])
    np.add.at(sums, distinct["row"].to_numpy(), hashes)
    return sums


def _element(kind: pa.DataType) -> pa.DataType:
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return kind.value_type if is_list else kind


def _hashes(keys: Sequence[Any]) -> Hashes:
    """Return a hash of each key, which has a value in each of these arrays."""
    columns = {str(number): key for number, key in enumerate(keys)}
    frame = pl.from_arrow(pa.table(columns))
    assert isinstance(frame, pl.DataFrame)
    return frame.hash_rows(1, 2, 3, 4).to_numpy().copy()


def _keys_of(reader: GlobalIndexReader, row: int, types: Sequence[pa.DataType]) -> Iterator[Any]:
    """Yield the keys of which an index lists a row."""
    if (nulls := reader.null_rows()) is not None and row in nulls:
        yield None
    for some in reader.postings():
        ends = np.cumsum(some.counts)
        for at in np.searchsorted(ends, np.flatnonzero(some.rows == row), "right").tolist():
            keys = [key[at].cast(kind).as_py() for key, kind in zip(some.keys, types, strict=True)]
            yield keys[0] if len(keys) == 1 else tuple(keys)
