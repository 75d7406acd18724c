"""Statistics of many data files as arrays, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.shifted import widened
from paimon_ksy.predicates.statistics import ManyBounds
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.table.model.files import ROW_ID, SEQUENCE_NUMBER
from paimon_ksy.types.arrays import Numbers, distinct, filled, to_arrow_array, to_numpy
from paimon_ksy.types.data_type import DataType

_ORC = r"(?i)(^|\.)orc(\.(gz|bz2|deflate|snappy|lz4|zst))?$"
"""The suffixes of ORC data files (`format_of`), and a few more."""


STATISTICS_COLUMNS = (
    *("_FILE_NAME", "_ROW_COUNT", "_SCHEMA_ID", "_VALUE_STATS_COLS", "_WRITE_COLS"),
    *("_MIN_VALUES", "_MAX_VALUES", "_NULL_COUNTS", "_MIN_KEY", "_MAX_KEY"),
    *("_FIRST_ROW_ID", "_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER"),
)
"""The columns of entries that this module reads."""


def is_orc(entries: pa.RecordBatch) -> NDArray[np.bool_]:
    """Return which entries describe ORC files."""
    matches: NDArray[np.bool_] = to_numpy(
        pc.match_substring_regex(entries.column("_FILE_NAME"), _ORC)
    )
    return matches


@dataclass(frozen=True)
class Alike:
    """Entries whose statistics cover the same columns.

    `at` has the positions of the entries in their batch. `listed` columns have statistics; None for
    all columns of the schema.
    """

    at: Numbers
    schema_id: int
    listed: tuple[str, ...] | None

    def columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns that have statistics, given the columns of the schema."""
        return names if self.listed is None else self.listed


def alike(entries: pa.RecordBatch) -> Iterator[Alike]:
    """Yield the entries of a batch, grouped by the columns that have statistics.

    `_VALUE_STATS_COLS` lists these columns. If it is null, they are the columns that the file was
    written with: those of `_WRITE_COLS`, or all columns of its schema.
    """
    ids = to_numpy(entries.column("_SCHEMA_ID"))
    dense, written = (entries.column(name) for name in ("_VALUE_STATS_COLS", "_WRITE_COLS"))
    if dense.null_count == written.null_count == len(entries):
        for schema_id in distinct(ids).tolist():
            yield Alike(np.flatnonzero(ids == schema_id), schema_id, None)
        return
    groups: dict[Any, list[int]] = {}
    listed = zip(ids.tolist(), dense.to_pylist(), written.to_pylist(), strict=True)
    for number, (schema_id, first, second) in enumerate(listed):
        names = first if first is not None else second
        key = schema_id, None if names is None else tuple(names)
        groups.setdefault(key, []).append(number)
    for (schema_id, format_), numbers in groups.items():
        yield Alike(np.array(numbers, np.int64), schema_id, format_)


class FileBounds:
    """The statistics of entries that are alike, in the form that `may_match` accepts."""

    def __init__(
        self,
        entries: pa.RecordBatch,
        columns: tuple[str, ...],
        key: str | None = None,
        num_keys: int = 0,
    ) -> None:
        """Wrap entries.

        `columns` have statistics, and key ranges bound the first of `num_keys` columns, `key`.
        """
        self._entries = entries
        self._at = {name: number for number, name in enumerate(columns)}
        self._num_columns = len(columns)
        self._key, self._num_keys = key, num_keys

    def __call__(self, column: str, data_type: DataType) -> ManyBounds | None:
        """Return the bounds of a column of this type; None if none are known."""
        num_rows = to_numpy(self._entries.column("_ROW_COUNT"))
        number = self._at.get(column)
        if number is not None:
            low, high = (rows.field(number, data_type) for rows in self._rows)
            counts = null_counts(self._entries.column("_NULL_COUNTS"), number)
        elif column == ROW_ID:
            first = self._entries.column("_FIRST_ROW_ID")
            known = to_numpy(first.is_valid())
            least = to_numpy(filled(first, 0))
            counts = np.where(known, 0, -1)
            return ManyBounds(least, least + num_rows - 1, known, counts, num_rows)
        elif column == SEQUENCE_NUMBER:
            least, greatest = (
                to_numpy(self._entries.column(f"_{end}_SEQUENCE_NUMBER")) for end in ("MIN", "MAX")
            )
            known, counts = np.ones(len(num_rows), np.bool_), np.zeros(len(num_rows), np.int64)
            return ManyBounds(least, greatest, known, counts, num_rows)
        elif column == self._key:
            low, high = (
                ManyRows(self._entries.column(name), self._num_keys).field(0, data_type)
                for name in ("_MIN_KEY", "_MAX_KEY")
            )
            counts = np.full(len(num_rows), -1)
            if low is not None:
                counts[low.known] = 0  # nulls are the least
        else:
            return None
        if low is None or high is None:
            return ManyBounds(None, None, np.zeros(len(num_rows), np.bool_), counts, num_rows)
        least, greatest, known = low.values, high.values, low.known & high.known
        if data_type.is_timestamp and self._is_orc.any():
            wider = zip(widened(least, greatest), (least, greatest), strict=True)
            least, greatest = (np.where(self._is_orc, *each) for each in wider)
        return ManyBounds(least, greatest, known, counts, num_rows)

    @cached_property
    def _rows(self) -> list[ManyRows]:
        names = "_MIN_VALUES", "_MAX_VALUES"
        return [ManyRows(self._entries.column(name), self._num_columns) for name in names]

    @cached_property
    def _is_orc(self) -> NDArray[np.bool_]:
        return is_orc(self._entries)


def null_counts(lists: pa.Array, number: int) -> Numbers:
    """Return the element at a position of each list, -1 if the list lacks it."""
    offsets = to_numpy(lists.offsets)
    inside = np.diff(offsets) > number
    if lists.null_count:
        inside &= to_numpy(lists.is_valid())
    counts = np.full(len(lists), -1, np.int64)
    values = lists.values.take(to_arrow_array(offsets[:-1][inside] + number))
    counts[inside] = to_numpy(filled(values, -1))
    return counts
