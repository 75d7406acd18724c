"""Which live data files have a column, and when they got its values, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.model.row_ranges import RowRanges
from paimon_ksy.types.arrays import Numbers, distinct, filled, to_numpy

NEEDED = (
    *("_FIRST_ROW_ID", "_ROW_COUNT", "_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER"),
    *("_SCHEMA_ID", "_WRITE_COLS", "_WRITE_COLS_SEQUENCES"),
)
"""The columns of entries of manifests that `column_files` needs."""


@dataclass(frozen=True, eq=False)
class ColumnFiles:
    """The data files that have values of a column, or of one of several.

    Attributes:
        starts: The first row id of each file.
        ends: The row id after the last one of each file.
        since: The least sequence number of the column's values in each file. That of a row-tracking
            table is the id of a snapshot.
        until: The greatest one.
    """

    starts: Numbers
    ends: Numbers
    since: Numbers
    until: Numbers

    def some(self, mask: NDArray[np.bool_]) -> RowRanges:
        """Return the row ids of some files."""
        return RowRanges.of(self.starts[mask], self.ends[mask])

    def updated(self) -> RowRanges:
        """Return the row ids that were, or may have been, updated after they were written.

        They are in several files, or in one that compaction made of several.
        """
        order = np.argsort(self.starts, kind="stable")
        starts, ends = self.starts[order], self.ends[order]
        reached = np.append(np.iinfo(np.int64).min, np.maximum.accumulate(ends))[: len(order)]
        again = RowRanges.of(starts, np.minimum(ends, reached))
        mixed = self.some(self.since < self.until)
        return RowRanges.of(
            np.append(again.starts, mixed.starts), np.append(again.ends, mixed.ends)
        )


def with_row_ids(entries: pa.RecordBatch, *_: Any) -> pa.RecordBatch:
    """Return the columns `NEEDED` of the entries whose rows have ids."""
    some = entries.select(NEEDED)
    return some.filter(some.column("_FIRST_ROW_ID").is_valid())


def column_files(
    files: pa.Table, ids: Sequence[int], schema: Callable[[int], TableSchema]
) -> ColumnFiles:
    """Return the data files that have values of some columns.

    `files` has the columns `NEEDED` of files whose rows have ids.
    """
    columns = {name: files[name].combine_chunks() for name in NEEDED}
    starts, counts = to_numpy(columns["_FIRST_ROW_ID"]), to_numpy(columns["_ROW_COUNT"])
    least = to_numpy(columns["_MIN_SEQUENCE_NUMBER"])
    greatest = to_numpy(columns["_MAX_SEQUENCE_NUMBER"])
    since, until = (np.full(len(starts), -1) for _ in range(2))
    written = columns["_WRITE_COLS"]
    listed = _places(written)
    sequences = _places(columns["_WRITE_COLS_SEQUENCES"])
    schema_ids = to_numpy(columns["_SCHEMA_ID"])
    every = to_numpy(written.is_null())
    for schema_id in distinct(schema_ids).tolist():
        own = schema(schema_id)
        names = {number: name for name, number in own.ids.items()}
        for name in (names[number] for number in ids if number in names):
            is_own = schema_ids == schema_id
            position = np.where(every & is_own, own.columns.names.index(name), -1)
            of, at = listed.find(name)
            position[of[is_own[of]]] = at[is_own[of]]
            has = position >= 0
            exact = sequences.values_at(has, position)
            since[has] = np.maximum(since[has], np.where(exact >= 0, exact, least[has]))
            until[has] = np.maximum(until[has], np.where(exact >= 0, exact, greatest[has]))
    has = until >= 0
    return ColumnFiles(starts[has], (starts + counts)[has], since[has], until[has])


@dataclass(frozen=True, eq=False)
class _Places:
    """A column of lists as one array, with the place of each list in it."""

    values: Any
    firsts: Numbers
    counts: Numbers

    def find(self, value: str) -> tuple[Numbers, Numbers]:
        """Return the lists that contain a value, and its position in each."""
        at = np.flatnonzero(to_numpy(pc.equal(self.values, value)))
        ends = self.firsts + self.counts
        of = np.searchsorted(ends, at, side="right")
        return of, at - self.firsts[of]

    def values_at(self, mask: NDArray[np.bool_], positions: Numbers) -> Numbers:
        """Return the value of some lists at a position; -1 if a list is shorter."""
        firsts, counts, positions = self.firsts[mask], self.counts[mask], positions[mask]
        read = np.full(len(firsts), -1)
        is_there = positions < counts
        values = to_numpy(self.values)
        read[is_there] = values[(firsts + positions)[is_there]]
        return read


def _places(lists: pa.Array) -> _Places:
    counts = to_numpy(filled(pc.list_value_length(lists), 0))
    return _Places(lists.flatten(), np.cumsum(counts) - counts, counts)
