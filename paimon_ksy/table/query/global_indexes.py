"""Select rows by global indexes and by their row ids, before any data file is opened.

An index answers for rows that it covers, if no later update can have changed them. All others are
scanned. So a query returns the same rows with and without indexes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paimon_ksy.errors import counted
from paimon_ksy.evaluation.evaluate import ALL, LeafOrRange, evaluate
from paimon_ksy.evaluation.key_ranges import is_of_values, key_ranges
from paimon_ksy.evaluation.selection import Selection, bitmap, narrow
from paimon_ksy.io.source import Source
from paimon_ksy.predicates.tree import ArraysOverlap, Computed, IsNotNull, IsNull, Predicate, Unsure
from paimon_ksy.table.manifests.global_indexes import GlobalIndexFiles
from paimon_ksy.table.model.columns import tested_names
from paimon_ksy.table.model.evolve import same_column
from paimon_ksy.table.model.files import ROW_ID, IndexFile, Snapshot, TableSchema
from paimon_ksy.table.query.row_files import RowFiles
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.arrays import Numbers
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type

if TYPE_CHECKING:
    from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader

_BIGINT = parse_type("BIGINT")

MOST_BYTES = 256 << 20
"""Maximum size of an index to search for a range, as in Java; larger ones look up values only."""


class _Answer(NamedTuple):
    """The row ids that an index selects for a condition, ascending; None for all that it covers."""

    ids: Numbers | None
    exact: bool


@dataclass(eq=False)
class _Range:
    """The files of an index that cover the same rows.

    `built` is the snapshot that it was built from; None if it is unknown.
    """

    start: int
    stop: int
    files: tuple[GlobalIndexFile, ...]
    built: int | None
    num_bytes: int
    answers: dict[LeafOrRange, _Answer | None] = field(default_factory=dict)


@dataclass(eq=False)
class _Index:
    """A global index, and for how many rows a query uses it or does not, and why."""

    kind: str
    fields: tuple[Field, ...]
    ranges: list[_Range]
    used: int = 0
    unused: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @cached_property
    def reached(self) -> list[int]:
        """The greatest end of each range and those before it, which start earlier."""
        return [*accumulate((each.stop for each in self.ranges), max)]


_STALE = "the column may have been updated after it was built"
_UNKNOWN = "it cannot answer the condition"
_OUTSIDE = "it does not cover them"


class GlobalIndexes(ExitStack):
    """The global indexes of a snapshot, as one query uses them. Close it after the last use."""

    def __init__(self, table: Table, snapshot: Snapshot | None, schema: TableSchema) -> None:
        """Read nothing yet."""
        super().__init__()
        self._table, self._snapshot, self._schema = table, snapshot, schema
        self._sources: list[Source] = []
        self._readers: dict[int, GlobalIndexReader | None] = {}
        self._is_on = is_on(table.options, "global-index.enabled", default=True)
        self._notes: list[str] = []

    @property
    def bytes_read(self) -> int:
        """The bytes read from indexes so far."""
        return sum(source.bytes_read for source in self._sources)

    @property
    def notes(self) -> list[str]:
        """For each index, for which rows it was used, and why not for the others."""
        notes = list(self._notes)
        for index in self._indexes:
            name = f"the index {index.kind} on {', '.join(each.name for each in index.fields)}"
            uses = [f"is used for {counted(index.used, 'row')}"] if index.used else []
            for reason, rows in index.unused.items():
                uses.append(f"is not used for {counted(rows, 'row')}: {reason}")
            notes += [f"{name} {use}" for use in uses or ["is not used: no condition tests it"]]
        return notes

    def tested(self, predicate: Predicate | None) -> tuple[str, ...]:
        """Return what a predicate tests of the row ids, and of the columns that have an index."""
        names = () if predicate is None else tested_names(predicate)
        return tuple(name for name in names if name == ROW_ID or name in self._by_column)

    def select(self, data: RowFiles, predicate: Predicate | None) -> Selection | None:
        """Return the rows of files that may match, including deleted ones; None if unknown.

        The predicate is bound to the schema of the query.
        """
        first = data.parts[0].file.first_row_id
        if predicate is None or first is None or not (tested := self.tested(predicate)):
            return None
        usable = {
            name: [each for index in indexes for each in self._usable(index, data, first)]
            for name in tested
            if (indexes := self._by_column.get(name))
        }

        def is_free(leaf: LeafOrRange) -> bool:
            column = leaf.column
            return not isinstance(column, str) or column == ROW_ID or not usable.get(column)

        selection = evaluate(predicate, partial(self._ask, usable, first, data.num_rows), is_free)
        if selection.kind == "all" and not selection.exact:
            return None
        return replace(selection, num_rows=data.num_rows)

    @cached_property
    def _indexes(self) -> list[_Index]:
        """The indexes on columns of the schema."""
        if ROW_ID not in self._schema.ids or self._schema.primary_keys:
            return []  # those of primary keys contain positions in files instead of row ids
        listed = self._table.index_manifests.global_indexes(self._snapshot)
        if listed and not self._is_on:
            self._notes.append("option global-index.enabled = false turns global indexes off")
            return []
        names = {number: name for name, number in self._schema.ids.items()}
        indexes = []
        for each in listed:
            if {*each.field_ids} <= names.keys():
                fields = tuple(self._schema.columns.column(names[n]) for n in each.field_ids)
                indexes.append(_Index(each.index_type, fields, self._ranges(each, fields)))
        return indexes

    def _ranges(self, index: GlobalIndexFiles, fields: tuple[Field, ...]) -> list[_Range]:
        from paimon_ksy.global_index.source_metadata import source_of

        groups: dict[tuple[int, int, bytes | None], list[IndexFile]] = defaultdict(list)
        for (start, stop), file in zip(index.bounds, index.files, strict=True):
            assert file.global_index is not None
            groups[start, stop, file.global_index.source_meta].append(file)
        ranges = []
        for (start, stop, source), files in groups.items():
            some = tuple(self._file(file, fields) for file in files)
            size = sum(file.file_size for file in files)
            ranges.append(_Range(start, stop, some, source_of(source).snapshot_id, size))
        return sorted(ranges, key=lambda each: each.start)

    def _file(self, file: IndexFile, fields: tuple[Field, ...]) -> GlobalIndexFile:
        from paimon_ksy.global_index.index_type import GlobalIndexFile

        index = file.global_index
        assert index is not None
        path = self._table.paths.index_file(file)
        return GlobalIndexFile(
            partial(self._open, path),
            *(path, file.index_type, fields, index.row_range_start, index.row_range_end),
            *(file.row_count, index.index_meta, index.source_meta),
        )

    def _open(self, path: str) -> Source:
        source = self.enter_context(self._table.storage.open(path))
        self._sources.append(source)
        return source

    @cached_property
    def _by_column(self) -> dict[str, list[_Index]]:
        """The indexes by their first column."""
        by_column = defaultdict(list)
        for index in self._indexes:
            by_column[index.fields[0].name].append(index)
        return dict(by_column)

    def _usable(self, index: _Index, data: RowFiles, first: int) -> Iterator[tuple[_Index, _Range]]:
        """Yield the ranges of an index that certainly have the values of rows, and count rows."""
        left, stop = data.num_rows, first + data.num_rows
        updates = [self._updated(column.name, data) for column in index.fields]
        newest, is_new = max(last for last, _ in updates), all(new for _, new in updates)
        low = bisect_right(index.reached, first)
        high = bisect_left(index.ranges, stop, low, key=attrgetter("start"))
        for each in index.ranges[low:high]:
            count = min(each.stop, stop) - max(each.start, first)
            if count <= 0:
                continue
            left -= count
            if not (is_new if each.built is None else each.built >= newest):
                index.unused[_STALE] += count
            elif self._reader(each) is None:
                index.unused[_UNKNOWN] += count
            else:
                index.used += count
                yield index, each
        if left > 0:
            index.unused[_OUTSIDE] += left

    def _updated(self, column: str, data: RowFiles) -> tuple[float, bool]:
        """Return the last snapshot that changed a column of files, and whether it is the only one.

        It is infinite if no file certainly has the column.
        """
        part = data.source(self._schema, column)
        if part is None or same_column(self._schema, part.schema, column) is None:
            return inf, False
        first, last = part.file.min_sequence_number, part.file.max_sequence_number
        return last, first == last and len(data.sources(self._schema, column)) == 1

    def _reader(self, index: _Range) -> GlobalIndexReader | None:
        from paimon_ksy.global_index.registry import open_global_index

        if id(index) not in self._readers:
            deleted = 0
            if is_on(self._table.options, "deletion-vectors.enabled"):
                deleted = self._table.index_manifests.vectors(self._snapshot).num_deleted
            self._readers[id(index)] = open_global_index(index.files, deleted=deleted)
        return self._readers[id(index)]

    def _ask(
        self,
        usable: dict[str, list[tuple[_Index, _Range]]],
        first: int,
        num_rows: int,
        leaf: LeafOrRange,
    ) -> Selection:
        """Return the rows, from the row id `first`, for which a leaf may be true."""
        if isinstance(leaf, Unsure) or isinstance(leaf.column, Computed):
            return ALL
        if leaf.column == ROW_ID:
            return _with_ids(leaf, first, num_rows)
        selection = ALL
        by_index = defaultdict(list)
        for index, each in usable.get(leaf.column, ()):
            by_index[id(index)].append(each)
        for ranges in by_index.values():
            selection = narrow(selection, self._of_ranges(ranges, leaf, first, num_rows))
        return selection

    def _of_ranges(
        self, ranges: Sequence[_Range], leaf: LeafOrRange, first: int, num_rows: int
    ) -> Selection:
        """Return the rows for which a leaf may be true, by ranges of one index in their order."""
        at, stop, exact = first, first + num_rows, True
        parts = []
        for each in ranges:
            if each.start > at:  # rows that no range covers
                parts.append(np.arange(at, each.start))
                exact = False
            low, high = max(each.start, at), min(each.stop, stop)
            if low >= high:
                continue
            answer = self._answer(each, leaf)
            if answer is None or answer.ids is None:
                parts.append(np.arange(low, high))
            else:
                parts.append(answer.ids[slice(*np.searchsorted(answer.ids, [low, high]))])
            exact = exact and answer is not None and answer.exact
            at = high
        if at < stop:
            parts.append(np.arange(at, stop))
            exact = False
        rows = bitmap(num_rows, np.concatenate(parts) - first)
        return Selection.of(rows, num_rows, exact)

    def _answer(self, index: _Range, leaf: LeafOrRange) -> _Answer | None:
        if leaf in index.answers:
            return index.answers[leaf]
        reader, ids = self._reader(index), None
        is_look_up = isinstance(leaf, ArraysOverlap) or is_of_values(leaf)
        if reader is None or (index.num_bytes > MOST_BYTES and not is_look_up):
            answer = None
        elif (answer := reader.answer(leaf)) is not None and answer.kind != "all":
            rows: Any = () if answer.matching is None else answer.matching.to_array()
            ids = np.asarray(rows).astype(np.int64) + index.start
        index.answers[leaf] = None if answer is None else _Answer(ids, answer.exact)
        return index.answers[leaf]


def _with_ids(leaf: LeafOrRange, first: int, num_rows: int) -> Selection:
    """Return the rows, from the row id `first`, whose row ids match a leaf."""
    if isinstance(leaf, IsNull | IsNotNull):
        return Selection("skip" if isinstance(leaf, IsNull) else "all", True, None, num_rows)
    ranges = key_ranges(leaf, _BIGINT)
    if ranges is None:
        return Selection("all", False, None, num_rows)
    rows, every = bitmap(num_rows), bitmap(num_rows)
    every.add_range(0, num_rows)
    for low, stop in ranges.pairs:
        start, end = max(low - first, 0), min(num_rows if stop is None else stop - first, num_rows)
        if start < end:
            rows.add_range(start, end)
    return ranges.select(rows, every, num_rows)
