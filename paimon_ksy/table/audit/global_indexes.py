"""Check the global indexes of the latest snapshot: whether they have all rows, and are current.

What they cover, and whether their columns were updated later, follows from manifests alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import Call, Remedy, counted
from paimon_ksy.global_index.source_metadata import (
    LiveFile,
    SourceMetadata,
    source_of,
    source_problems,
)
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.table.audit.global_index_files import (
    COVERAGE,
    DEAD,
    OVERLAP,
    STALE,
    RangeFiles,
    drop_call,
)
from paimon_ksy.table.index.global_indexes import build_command, fields_of
from paimon_ksy.table.manifests.column_files import NEEDED, ColumnFiles, column_files, with_row_ids
from paimon_ksy.table.manifests.global_indexes import GlobalIndexFiles
from paimon_ksy.table.model.files import IndexFile, Snapshot
from paimon_ksy.table.model.row_ranges import RowRanges
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.arrays import no_rows, to_numpy

TO_DROP = Remedy("to drop it, run ", Call("table audit", "--repair"))
TO_COMPARE = Remedy("to compare the index with the data, run ", Call("table audit", "--deep"))

_OF_SOURCES = ("_FILE_NAME", "_LEVEL", "_ROW_COUNT")
"""The columns of data files that are compared with the sources of an index."""

_NO_ROWS = no_rows(pa.schema([pa.field(name, pa.int64()) for name in NEEDED]))


class GlobalIndexes:
    """The global indexes of a snapshot, and its data files."""

    def __init__(
        self, table: Table, snapshot: Snapshot, manifest: str, indexes: Sequence[GlobalIndexFiles]
    ) -> None:
        """Start without data files; `manifest` is the path of the index manifest."""
        self.indexes = indexes
        self._table, self._snapshot, self._manifest = table, snapshot, manifest
        self._parts: list[pa.RecordBatch] = []
        self._updated: set[str] = set()  # names of files
        self._listed = cache(self._names_at)

    def add(self, entries: pa.RecordBatch) -> None:
        """Add the entries of live data files."""
        if self.indexes:
            keyed = bool(self._table.schema.primary_keys)
            self._parts.append(entries.select(_OF_SOURCES) if keyed else with_row_ids(entries))

    def findings(self) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings, each with the file that a repair drops, if any.

        Raises:
            PaimonKsyError: Metadata that another finding reports cannot be read.
        """
        if self._table.schema.primary_keys:
            yield from self._of_sources()
            return
        if not self.indexes:
            return
        files = pa.Table.from_batches(self._parts or [_NO_ROWS])
        first, counts = to_numpy(files["_FIRST_ROW_ID"]), to_numpy(files["_ROW_COUNT"])
        live = RowRanges.of(first, first + counts)
        for index in self.indexes:
            of_index = _Index(index, self._table)
            yield from of_index.dead(live)
            yield from of_index.coverage(live, self._manifest)
            yield from of_index.overlap()
            if of_index.has_columns:
                of_column = column_files(files, index.field_ids, self._table.schema_at)
                yield from self._stale(of_index, of_column)

    def _of_sources(self) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings about indexes of a primary-key table whose data files were replaced."""
        live: dict[str, LiveFile] = {}
        for part in self._parts:
            columns = (part.column(name).to_pylist() for name in _OF_SOURCES)
            live |= {name: LiveFile(*rest) for name, *rest in zip(*columns, strict=True)}
        for index in self.indexes:
            of_index = _Index(index, self._table)
            for file, (start, end) in zip(index.files, index.bounds, strict=True):
                for message in source_problems(_source(file), start, end - 1, live):
                    message += ": readers ignore the index, and read the data"
                    yield of_index.finding(WARNING, DEAD, file, message, TO_DROP), file

    def _stale(
        self, index: _Index, column: ColumnFiles
    ) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings about the files that were built before the column was updated."""
        starts, ends = index.files.starts, index.files.ends
        is_updated = column.updated().count_in(starts, ends) > 0
        built, is_exact = np.zeros(len(starts), np.int64), np.ones(len(starts), np.bool_)
        for at in np.flatnonzero(is_updated).tolist():
            self._updated.add(index.files.files[at].file_name)
            built[at], is_exact[at] = self._built(index.files.files[at])
        later, mixed = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
        for number in np.unique(built[is_updated]).tolist():
            some = is_updated & (built == number)
            bounds = starts[some], ends[some]
            later[some] = column.some(column.since > number).count_in(*bounds)
            mixed[some] = column.some(column.until > number).count_in(*bounds)
        for at in np.flatnonzero(is_updated).tolist():
            file = index.files.files[at]
            if later[at]:
                message = (
                    f"it was built from snapshot {built[at]} or before, and later snapshots have "
                    f"new values of the column, for up to {counted(int(later[at]), 'row')}: "
                    "readers that use it miss them"
                )
                yield index.finding(ERROR, STALE, file, message, index.rebuild), file
            elif mixed[at] or not is_exact[at]:
                message = (
                    "the column was updated in its range, and no metadata shows whether that was "
                    "before or after the index was built"
                )
                yield index.finding(NOTE, STALE, file, message, TO_COMPARE), None

    def ranges(self, is_selected: Callable[[tuple[Any, ...]], bool]) -> Iterator[RangeFiles]:
        """Yield files of selected partitions that cover the same rows, once `findings` has run."""
        is_sparse = is_on(self._table.options, "deletion-vectors.enabled")
        for index in self.indexes:
            of_range = defaultdict[Any, list[IndexFile]](list)
            for at, file in sorted(zip(index.bounds, index.files, strict=True), key=itemgetter(0)):
                if is_selected(file.partition):
                    of_range[at].append(file)
            of_index = _Index(index, self._table)
            fields = fields_of(self._table.schema, index.field_ids)
            for files in of_range.values():
                is_updated = any(file.file_name in self._updated for file in files)
                yield RangeFiles(fields, tuple(files), is_updated, is_sparse, of_index.rebuild)

    def _built(self, file: IndexFile) -> tuple[int, bool]:
        """Return a snapshot after which no update is in an index file, and whether it is exact.

        It is the one that was scanned, or else the oldest one whose index manifest lists the file.
        Older ones may have expired.
        """
        if (built := _source(file).snapshot_id) is not None:
            return built, True
        ids = [number for number in self._table.snapshots.ids() if number <= self._snapshot.id]
        low, high = 0, len(ids) - 1
        while low < high:
            middle = (low + high) // 2
            if file.file_name in self._listed(ids[middle]):
                high = middle
            else:
                low = middle + 1
        return ids[low], low > 0 or ids[low] == 1

    def _names_at(self, number: int) -> frozenset[str]:
        """Return the names of the files of global indexes in a snapshot."""
        snapshot = self._table.snapshots.of_id(number)
        every = self._table.index_manifests.global_indexes(snapshot)
        return frozenset(file.file_name for index in every for file in index.files)


def _source(file: IndexFile) -> SourceMetadata:
    """Return what a file was built from."""
    return source_of(None if file.global_index is None else file.global_index.source_meta)


class _Index:
    """A global index, and the findings about it."""

    def __init__(self, files: GlobalIndexFiles, table: Table) -> None:
        self.files = files
        self._table = table
        self._names = table.schema.named(files.field_ids)
        self._columns = ", ".join(self._names)
        self.has_columns = {*files.field_ids} <= {*table.schema.ids.values()}

    def finding(
        self, severity: str, check: str, file: IndexFile | str, message: str, remedy: str
    ) -> Finding:
        """Return a finding about a file, or about the one at a path."""
        path = file if isinstance(file, str) else self._table.paths.index_file(file)
        return Finding(severity, check, path, self._columns, None, message, remedy)

    @property
    def _build(self) -> str:
        return build_command(self._table, self.files)

    @property
    def rebuild(self) -> Remedy:
        """The remedy for an index that has to be built again."""
        return Remedy(TO_DROP, f"; to build it again, {self._build}")

    def coverage(
        self, live: RowRanges, manifest: str
    ) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield a finding if the index lacks live rows."""
        left = len(live.minus(self.files.rows))
        if left and self.has_columns:
            kind, every = self.files.index_type, len(live)
            message = (
                f"the {kind} index covers {every - left:,} of {counted(every, 'row')}: a search in "
                f"the mode `fast`, the default since July 2026, misses the other {left:,}"
            )
            remedy = f"to build it for them, {self._build}"
            yield self.finding(WARNING, COVERAGE, manifest, message, remedy), None

    def overlap(self) -> Iterator[tuple[Finding, None]]:
        """Yield findings about files that have some row ids of other files, and further ones.

        Readers unite the row ids that each file lists. Java's TopN opens as many files as it
        returns rows, because each one has another row.
        """
        for file in self.files.overlapping if self.has_columns else ():
            index = file.global_index
            assert index is not None
            message = (
                f"its row ids {index.row_range_start} to {index.row_range_end} overlap those of "
                "another file: readers return each row once, but ORDER BY with LIMIT may miss rows "
                "in Java 2.0"
            )
            drop = "to drop all files of the index, run ", drop_call(self._names, file)
            remedy = Remedy(*drop, f"; to build it again, {self._build}")
            yield self.finding(WARNING, OVERLAP, file, message, remedy), None

    def dead(self, live: RowRanges) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings about files that no query can use."""
        counts = live.count_in(self.files.starts, self.files.ends).tolist()
        for file, rows in zip(self.files.files, counts, strict=True):
            message = "its row range has no live rows"
            if not self.has_columns:
                message = f"the table no longer has its columns: {self._columns}"
            if not self.has_columns or not rows:
                yield self.finding(WARNING, DEAD, file, message, TO_DROP), file
