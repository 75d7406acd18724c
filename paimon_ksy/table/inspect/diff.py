"""Compare two snapshots of a table: their schemas, data files, indexes and deletion vectors.

Index files that both snapshots have are not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.changes import Change
from paimon_ksy.messages.changes import changes as changes_of
from paimon_ksy.messages.sections import Report
from paimon_ksy.table.inspect.content import snapshot_report
from paimon_ksy.table.inspect.files import FileReporter, schema_changes
from paimon_ksy.table.inspect.report import (
    DataFileReport,
    GlobalIndexReport,
    IndexFileReport,
    SnapshotReport,
)
from paimon_ksy.table.manifests.global_indexes import live_row_ids
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    DataFile,
    IndexFile,
    Snapshot,
    VectorPlace,
    shared_rows,
)
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vector

T = TypeVar("T")


@dataclass(frozen=True)
class Sums(Answer):
    """The numbers of data files, rows, bytes, and files with an index; each row counts once."""

    files: int = 0
    rows: int = 0
    bytes: int = 0
    indexes: int = 0


@dataclass(frozen=True)
class Deleted(Answer):
    """The rows of a data file that its deletion vector deletes."""

    rows: int
    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SnapshotDiff(Report):
    """The difference between two snapshots.

    Attributes:
        table: The folder of the table.
        old: The old snapshot.
        new: The new snapshot.
        equal: Whether both have the same schema, data files, indexes and vectors.
        schema_changes: The changes of the schema, one line each.
        added: Sums over the data files that only the new snapshot has.
        dropped: Sums over the data files that only the old snapshot has.
        changed: The number of data files in both, with a different index or level.
        deleted_rows: The increase from old to new in rows that vectors delete.
        changes: What differs in the first files, vectors and indexes of each sort.
        left_out: The number of others that differ.
        errors: The errors of files that could not be read.
    """

    table: str = field(metadata=keyed(text=False, title=True))
    old: SnapshotReport
    new: SnapshotReport
    equal: bool = field(default=True, metadata=keyed(text=False))
    schema_changes: tuple[str, ...] = ()
    added: Sums = field(default_factory=Sums)
    dropped: Sums = field(default_factory=Sums)
    changed: int = 0
    deleted_rows: int = 0
    changes: tuple[Change, ...] = field(default=(), metadata=keyed(text=False))
    left_out: int = field(default=0, metadata=keyed(text=False))
    errors: tuple[str, ...] = field(default=(), metadata=keyed(text=False))


def diff_snapshots(table: Table, old_id: int, new_id: int, *, most: int = 1000) -> SnapshotDiff:
    """Compare two snapshots of a table.

    Args:
        table: The table.
        old_id: The old snapshot.
        new_id: The new snapshot, which may also be an older one.
        most: The maximum number of files, vectors and indexes of each sort to list.

    Raises:
        PaimonKsyError: A snapshot does not exist, or one of its manifests cannot be read.
    """
    snapshots = [table.snapshot(number) for number in (old_id, new_id)]
    return _Comparison(table, [each for each in snapshots if each is not None], most).diff()


class _Comparison:
    """A comparison of two snapshots."""

    def __init__(self, table: Table, snapshots: Sequence[Snapshot], most: int) -> None:
        self.table, self.snapshots, self.most = table, snapshots, most
        self.reporter = FileReporter(table)
        self.errors: list[str] = []
        self.left_out = 0

    def diff(self) -> SnapshotDiff:
        """Return the difference."""
        schema = self._schemas()
        files = self._data_files()
        added, dropped = (files[side].keys() - files[1 - side].keys() for side in (1, 0))
        index_files = self._index_files()
        others = [dict(self._others(side)) for side in index_files]
        vectors = [dict(self._vectors(side)) for side in index_files]
        of_global = [self._global(snapshot) for snapshot in self.snapshots]
        found = [
            *self._apart("files", files, self._data_file),
            *self._apart("vectors", vectors, _deleted),
            *self._apart("index_files", others, self._index_file),
            *self._apart("global_indexes", of_global, lambda report: report),
        ]
        return SnapshotDiff(
            self.table.location,
            snapshot_report(self.table, self.snapshots[0]),
            snapshot_report(self.table, self.snapshots[1]),
            equal=not (schema or found or self.errors),
            schema_changes=schema,
            added=_sums([files[1][key] for key in added]),
            dropped=_sums([files[0][key] for key in dropped]),
            changed=len(files[0].keys() & files[1].keys()),
            deleted_rows=_rows(vectors[1]) - _rows(vectors[0]),
            changes=tuple(found),
            left_out=self.left_out,
            errors=tuple(dict.fromkeys(self.errors)),
        )

    def _apart(
        self, name: str, sides: Sequence[Mapping[Any, T]], report: Callable[[T], Answer]
    ) -> Iterator[Change]:
        """Yield what differs in the first items of each side that the other lacks, or has not so.

        The end of a key is the name of its item.
        """
        keys = [key for key in {**sides[0], **sides[1]} if sides[0].get(key) != sides[1].get(key)]
        self.left_out += max(0, len(keys) - self.most)
        for key in keys[: self.most]:
            old, new = (None if (x := side.get(key)) is None else report(x) for side in sides)
            yield from changes_of(old, new, f"{name}[{key[-1]}]")

    def _schemas(self) -> tuple[str, ...]:
        ids = [snapshot.schema_id for snapshot in self.snapshots]
        if ids[0] == ids[1]:
            return ()
        schemas = self._tried(lambda: [self.table.schema_at(number) for number in ids])
        head = f"schema {ids[0]} to {ids[1]}"
        return () if schemas is None else (head, *schema_changes(*schemas))

    def _tried(self, read: Callable[[], T]) -> T | None:
        """Return the result of a function; None if it fails, which is an error."""
        result, error = self.reporter.tried(read)
        self.errors += [] if error is None else [error]
        return result

    # Data files -----------------------------------------------------------------------------------

    def _data_files(self) -> list[dict[Hashable, DataFile]]:
        """Return the data files that only one snapshot has, or has with another index or level."""
        old, new = (self.table.data_files.of(snapshot) for snapshot in self.snapshots)
        sides: list[dict[Hashable, DataFile]] = [{_place(file): file for file in old}, {}]
        for file in new:
            place = _place(file)
            before = sides[0].get(place)
            if before is not None and (before.level, before.state) == (file.level, file.state):
                del sides[0][place]
            else:
                sides[1][place] = file
        return sides

    def _data_file(self, file: DataFile) -> DataFileReport:
        index = self._tried(lambda: self.reporter.index(file))
        self.errors += [index.error] if index is not None and index.error else []
        return replace(self.reporter.listed(file), index=index)

    # Index files ----------------------------------------------------------------------------------

    def _index_files(self) -> list[list[IndexFile]]:
        """Return the index files that only one snapshot has."""
        of = [list(self.table.index_manifests.of(snapshot)) for snapshot in self.snapshots]
        named = [{file.file_name for file in files} for files in of]
        return [
            [file for file in files if file.file_name not in others]
            for files, others in zip(of, reversed(named), strict=True)
        ]

    def _others(self, files: Iterable[IndexFile]) -> Iterator[tuple[Hashable, IndexFile]]:
        """Yield the index files other than vector files, by bucket and number in the bucket."""
        counts: dict[Hashable, int] = defaultdict(int)
        for file in files:
            if file.index_type != DELETION_VECTORS:
                bucket = file.partition_row, file.bucket, file.index_type
                yield (*bucket, counts[bucket], f"{file.index_type} {file.bucket}"), file
                counts[bucket] += 1

    def _index_file(self, file: IndexFile) -> IndexFileReport:
        report = self.reporter.index_file(file)
        self.errors += [report.error] if report.error else []
        return replace(report, error=None)

    def _vectors(self, files: Iterable[IndexFile]) -> Iterator[tuple[Hashable, DeletionVector]]:
        """Yield the readable deletion vectors in index files, by their data files."""
        for file in files:
            if file.index_type != DELETION_VECTORS:
                continue
            found = self._tried(partial(self.table.index_manifests.places_in, file))
            for name, place in () if found is None else found[1].items():
                if (vector := self._tried(partial(self._vector, place))) is not None:
                    yield (file.partition_row, file.bucket, name), vector

    def _vector(self, place: VectorPlace) -> DeletionVector:
        with self.table.storage.open(place.path) as source:
            return read_vector(source, place.offset, place.length, place.cardinality)

    def _global(self, snapshot: Snapshot) -> dict[Hashable, GlobalIndexReport]:
        """Return the global indexes of a snapshot, with the rows that they cover."""
        manifests = self.table.manifests
        listed = self._tried(partial(self.table.index_manifests.global_indexes, snapshot))
        if not listed:
            return {}
        live = live_row_ids(manifests.of(snapshot), manifests, manifests.contradiction)
        reports = [self.reporter.global_index(index, live) for index in listed]
        return {(r.type, r.columns, f"{r.type} {', '.join(r.columns)}"): r for r in reports}


def _place(file: DataFile) -> tuple[Any, ...]:
    return file.partition, file.bucket, file.external_path, file.name


def _deleted(vector: DeletionVector) -> Deleted:
    return Deleted(vector.cardinality, tuple(vector.ranges()))


def _rows(vectors: Mapping[Any, DeletionVector]) -> int:
    return sum(vector.cardinality for vector in vectors.values())


def _sums(files: Sequence[DataFile]) -> Sums:
    first_ids = np.array([-1 if f.first_row_id is None else f.first_row_id for f in files], int)
    rows = np.array([file.num_rows for file in files], int)
    return Sums(
        len(files),
        int((rows - shared_rows(first_ids, rows)).sum()),
        sum(file.size for file in files),
        sum(bool(file.index_files) or file.embedded_index is not None for file in files),
    )
