"""Compare two snapshots of a table: data files, indexes, deletion vectors and bucket indexes.

Manifests and index files that both snapshots have cancel out, so only others are read. Each entry
adds or deletes a file, and the sums of entries by identity are the difference. That takes about 100
bytes per entry, and no objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa

from paimon_ksy.messages.answers import Answer, to_json
from paimon_ksy.messages.changes import Fact, Rows, fact_changes
from paimon_ksy.table.inspect.content import have_indexes, snapshot_report
from paimon_ksy.table.inspect.files import FileReporter, schema_changes
from paimon_ksy.table.inspect.report import (
    DataFileReport,
    GlobalIndexReport,
    IndexFileReport,
    IndexPart,
    SnapshotReport,
    VectorReport,
)
from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.manifests.global_indexes import live_row_ids
from paimon_ksy.table.manifests.live import keys_of
from paimon_ksy.table.manifests.scan import Group, grouped, in_order
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    IndexFile,
    ManifestFile,
    Snapshot,
    VectorPlace,
    shared_rows,
)
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector_file import StoredVector, read_stored
from paimon_ksy.table_index.vector_file import rows_apart
from paimon_ksy.types.arrays import Numbers

_MOST_BYTES = 64 << 20
"""Maximum bytes of vectors to compare although their lengths and cardinalities are equal, because a
commit rewrites all vectors of a bucket."""

T = TypeVar("T")
Presence = Literal["added", "dropped", "changed"]


@dataclass(frozen=True)
class Sums(Answer):
    """The numbers of data files, rows, bytes, and files with an index; each row counts once."""

    files: int = 0
    rows: int = 0
    bytes: int = 0
    indexes: int = 0


@dataclass(frozen=True)
class _Change(Answer):
    """A part of a snapshot that the other one does not have, or not so; None where it is missing.

    Only reports on files have `facts`.
    """

    old: Any
    new: Any

    @property
    def change(self) -> Presence:
        """Whether both snapshots have it."""
        if self.old is None:
            return "added"
        return "dropped" if self.new is None else "changed"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What is different in the old snapshot, if both have the file."""
        if self.change != "changed":
            return ()
        return tuple(fact_changes(to_json(self.old), to_json(self.new)))


@dataclass(frozen=True)
class FileChange(_Change):
    """A data file in only one of the snapshots, or with different indexes in both."""

    KEYS = ("change", "**file", "facts", "indexes_added", "indexes_dropped")
    TITLE = ("change", "name")
    DETAILS = ("index",)
    old: DataFileReport | None
    new: DataFileReport | None

    @property
    def file(self) -> DataFileReport:
        """The file in the new snapshot, or in the old one if it was dropped."""
        return next(each for each in (self.new, self.old) if each is not None)

    @property
    def indexes_added(self) -> tuple[IndexPart, ...]:
        """Indexes of columns that only the new snapshot has."""
        return _parts_but(self.new, self.old)

    @property
    def indexes_dropped(self) -> tuple[IndexPart, ...]:
        """Indexes of columns that only the old snapshot has."""
        return _parts_but(self.old, self.new)


def _parts_but(file: DataFileReport | None, other: DataFileReport | None) -> tuple[IndexPart, ...]:
    """Return the indexes of columns that only the first of two files has."""
    parts, others = (
        () if each is None or each.index is None else each.index.parts for each in (file, other)
    )
    there = {(part.column, part.index_type) for part in others}
    return tuple(part for part in parts if (part.column, part.index_type) not in there)


@dataclass(frozen=True)
class FileVectorChange(_Change):
    """A data file's deletion vector that differs between the snapshots.

    Attributes:
        old: The vector in the old snapshot, with its vector file as `data_file`; None without one.
        new: The vector in the new snapshot, likewise.
        data_file: The name of the data file.
        bucket: The bucket of the data file.
        deleted: Rows that only the new vector deletes; None if a vector cannot be read.
        restored: Rows that only the old vector deletes; None if a vector cannot be read.
    """

    KEYS = ("change", "data_file", "bucket", "old", "new", "deleted", "restored")
    TITLE = ("change", "data_file")
    old: VectorReport | None
    new: VectorReport | None
    data_file: str
    bucket: int
    deleted: Rows | None = None
    restored: Rows | None = None


@dataclass(frozen=True)
class IndexFileChange(_Change):
    """An index file of a bucket, such as a bucket index, that differs between the snapshots."""

    KEYS = ("change", "**file", "facts")
    TITLE = ("change", "type", "name")
    old: IndexFileReport | None
    new: IndexFileReport | None

    @property
    def file(self) -> IndexFileReport:
        """The file in the new snapshot, or in the old one if it was dropped."""
        return next(each for each in (self.new, self.old) if each is not None)


@dataclass(frozen=True)
class GlobalIndexChange(_Change):
    """A global index whose files or covered rows differ between the snapshots.

    New data files that no index covers change its coverage, although its files are the same.
    """

    KEYS = ("change", "**index", "facts")
    TITLE = ("change", "type", "of")
    old: GlobalIndexReport | None
    new: GlobalIndexReport | None

    @property
    def index(self) -> GlobalIndexReport:
        """The index in the new snapshot, or in the old one if it was dropped."""
        return next(each for each in (self.new, self.old) if each is not None)


@dataclass(frozen=True)
class SnapshotDiff(Answer):
    """The difference between two snapshots. Only the first changes of each sort are listed.

    Attributes:
        location: The folder of the table.
        old: The old snapshot.
        new: The new snapshot.
        schema_changes: The changes of the schema, one line each.
        added: Sums over the data files that only the new snapshot has.
        dropped: Sums over the data files that only the old snapshot has.
        num_changed: The number of data files in both, with a different index or level.
        files: The first data files of each of these sorts.
        num_files: The number of all of them.
        vectors: The first deletion vectors that changed.
        num_vectors: The number of deletion vectors that changed.
        deleted_rows: The increase from old to new in rows that vectors delete, by their
            cardinalities; None if an old manifest lacks these.
        unread_vectors: The number of vectors assumed equal by length and cardinality alone.
        index_files: The first changed index files other than vector files.
        num_index_files: The number of such changed index files.
        global_indexes: The global indexes that changed, or whose coverage did.
        errors: The errors of files that could not be read.
    """

    KEYS = (
        *("table=location", "old", "new", "equal", "schema_changes", "added", "dropped"),
        *("num_changed", "files", "num_files", "vectors", "num_vectors", "deleted_rows"),
        *("unread_vectors", "index_files", "num_index_files", "global_indexes", "errors"),
    )
    DETAILS = ("table", "equal", "errors")
    location: str
    old: SnapshotReport
    new: SnapshotReport
    schema_changes: tuple[str, ...] = ()
    added: Sums = field(default_factory=Sums)
    dropped: Sums = field(default_factory=Sums)
    num_changed: int = 0
    files: tuple[FileChange, ...] = ()
    vectors: tuple[FileVectorChange, ...] = ()
    num_vectors: int = 0
    deleted_rows: int | None = 0
    unread_vectors: int = 0
    index_files: tuple[IndexFileChange, ...] = ()
    num_index_files: int = 0
    global_indexes: tuple[GlobalIndexChange, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def num_files(self) -> int:
        """The number of data files that differ."""
        return self.added.files + self.dropped.files + self.num_changed

    @property
    def equal(self) -> bool:
        """Whether both have the same data files, indexes, vectors and schema."""
        counts = self.num_files, self.num_vectors, self.num_index_files
        return not (self.schema_changes or any(counts))


def diff_snapshots(table: Table, old_id: int, new_id: int, *, most: int = 1000) -> SnapshotDiff:
    """Compare two snapshots of a table.

    Args:
        table: The table.
        old_id: The old snapshot.
        new_id: The new snapshot, which may also be an older one.
        most: The maximum number of changes of each sort to list.

    Raises:
        PaimonKsyError: A snapshot does not exist, or one of its manifests cannot be read.
    """
    return _Comparison(table, old_id, new_id, most).diff()


class _Comparison:
    """A comparison of two snapshots."""

    def __init__(self, table: Table, old_id: int, new_id: int, most: int) -> None:
        self.table, self.most = table, most
        both = [table.snapshot(number) for number in (old_id, new_id)]
        self.snapshots: list[Snapshot] = [each for each in both if each is not None]
        self.reporter = FileReporter(table)
        self.errors: list[str] = []

    def diff(self) -> SnapshotDiff:
        """Return the difference."""
        old, new = self.snapshots
        parts = {**self._schemas(), **self._files(), **self._index_files()}
        changes = self._global_indexes()
        reports = snapshot_report(self.table, old), snapshot_report(self.table, new)
        errors = tuple(dict.fromkeys(self.errors))
        return SnapshotDiff(
            self.table.location, *reports, **parts, global_indexes=changes, errors=errors
        )

    def _schemas(self) -> dict[str, Any]:
        old, new = self.snapshots
        if old.schema_id == new.schema_id:
            return {}
        ids = old.schema_id, new.schema_id
        schemas = self._tried(lambda: [self.table.schema_at(number) for number in ids])
        if schemas is None:
            return {}
        head = f"schema {old.schema_id} to {new.schema_id}"
        return {"schema_changes": (head, *schema_changes(*schemas))}

    # Data files -----------------------------------------------------------------------------------

    def _files(self) -> dict[str, Any]:
        """Return the differences in data files, as attributes of `SnapshotDiff`."""
        sides = [
            {each.file_name: each for each in self.table.manifests.of(snapshot)}
            for snapshot in self.snapshots
        ]
        manifests = [each for name, each in sides[0].items() if name not in sides[1]]
        num_old = len(manifests)
        manifests += [each for name, each in sides[1].items() if name not in sides[0]]
        if not manifests:
            return {}
        entries = self._entries(manifests, num_old)
        sums = entries.group_by(["first", "second"], use_threads=False).aggregate(
            [("sign", "sum"), ("number", "min")]
        )
        apart = sums.filter(sums["sign_sum"].to_numpy() != 0).sort_by("number_min")
        numbers, net = (apart[name].to_numpy() for name in ("number_min", "sign_sum"))
        places = entries["place"].to_numpy()[numbers]
        added, dropped = np.flatnonzero(net > 0), np.flatnonzero(net < 0)
        # A file that was dropped and added in the same place has changed.
        _, of_added, of_dropped = np.intersect1d(
            places[added], places[dropped], return_indices=True
        )
        changed = np.stack([dropped[of_dropped], added[of_added]], axis=1)
        changed = numbers[changed[np.argsort(changed[:, 1])]]
        added, dropped = (
            numbers[np.delete(each, both)]
            for each, both in ((added, of_added), (dropped, of_dropped))
        )
        pairs: list[tuple[int | None, int | None]] = [
            *((None, number) for number in added[: self.most].tolist()),
            *((number, None) for number in dropped[: self.most].tolist()),
            *map(tuple, changed[: self.most].tolist()),
        ]
        listed = {number for pair in pairs for number in pair if number is not None}
        reports: dict[Any, DataFileReport] = self._reports(manifests, entries, listed)
        files = (
            FileChange(reports.get(old), reports.get(new))
            for old, new in pairs
            if {old, new} - {None} <= reports.keys()
        )
        return {
            "added": _sums(entries, added),
            "dropped": _sums(entries, dropped),
            "num_changed": len(changed),
            "files": tuple(files),
        }

    def _entries(self, manifests: Sequence[ManifestFile], num_old: int) -> pa.Table:
        """Return what the entries of manifests add and delete; the old ones come first."""
        parts, first = [], 0
        for group, columns in in_order(self._read, grouped(manifests)):
            for each in columns:
                of = each["manifest"] + first
                sign = np.where(of < num_old, -each["sign"], each["sign"])
                parts.append({**each, "manifest": of, "sign": sign})
            first += len(group)
        table = pa.concat_tables([pa.table(part) for part in parts])
        return table.append_column("number", pa.array(np.arange(len(table))))

    def _read(self, manifests: Group) -> list[dict[str, Any]]:
        partitions, parts = self.table.data_files.partitions, []
        for entries, of in self.table.manifests(manifests):
            hashes = partitions.hashes(partitions.numbers(entries.column("_PARTITION")))
            identities, places = keys_of(entries, hashes)
            parts.append(
                {
                    "first": identities[:, 0],
                    "second": identities[:, 1],
                    "place": places,
                    "sign": np.where(entries.column("_KIND").to_numpy() == ADD, 1, -1),
                    "rows": entries.column("_ROW_COUNT"),
                    "first_row_id": entries.column("_FIRST_ROW_ID").fill_null(-1),
                    "bytes": entries.column("_FILE_SIZE"),
                    "indexes": have_indexes(entries).astype(np.int64),
                    "manifest": of,
                }
            )
        return parts

    def _reports(
        self, manifests: Sequence[ManifestFile], entries: pa.Table, listed: set[int]
    ) -> dict[Any, DataFileReport]:
        """Return the reports on the data files of some entries; those with errors are left out."""
        counts = np.bincount(entries["manifest"].to_numpy(), minlength=len(manifests))
        starts = np.cumsum([0, *counts])
        reports: dict[Any, DataFileReport] = {}
        for manifest, first, stop in zip(manifests, starts, starts[1:], strict=False):
            if listed.isdisjoint(range(first, stop)):
                continue
            for batch, _ in self.table.manifests([manifest]):
                for number in sorted(listed.intersection(range(first, first + len(batch)))):
                    report = self._tried(partial(self._data_file, batch[number - first :][:1]))
                    if report is not None:
                        reports[number] = report
                first += len(batch)
        return reports

    def _data_file(self, entry: pa.RecordBatch) -> DataFileReport:
        [made] = self.table.data_files.made(entry)
        index = self.reporter.index(made)
        self.errors += [index.error] if index is not None and index.error else []
        return replace(self.reporter.listed(made), index=index)

    # Index files ----------------------------------------------------------------------------------

    def _index_files(self) -> dict[str, Any]:
        """Return the differences in index files, as attributes of `SnapshotDiff`."""
        if self.snapshots[0].index_manifest == self.snapshots[1].index_manifest:
            return {}
        each = self.table.index_manifests.of
        there = [set(map(_key_of, each(snapshot))) for snapshot in self.snapshots]
        apart = [
            [file for file in each(snapshot) if _key_of(file) not in others]
            for snapshot, others in zip(self.snapshots, reversed(there), strict=True)
        ]
        sides = [dict(self._other_files(files)) for files in apart]
        keys = {**sides[0], **sides[1]}
        others = [IndexFileChange(*(side.get(key) for side in sides)) for key in keys]
        return {
            **self._vectors(apart),
            "index_files": tuple(others[: self.most]),
            "num_index_files": len(others),
        }

    def _other_files(
        self, files: Iterable[IndexFile]
    ) -> Iterator[tuple[tuple[Any, ...], IndexFileReport]]:
        """Yield the index files other than vector files, by bucket and number in the bucket."""
        counts: dict[tuple[Any, ...], int] = defaultdict(int)
        for file in files:
            if file.index_type != DELETION_VECTORS:
                bucket = file.index_type, file.partition_row, file.bucket
                report = self.reporter.index_file(file)
                self.errors += [report.error] if report.error else []
                yield (*bucket, counts[bucket]), replace(report, error=None)
                counts[bucket] += 1

    def _global_indexes(self) -> tuple[GlobalIndexChange, ...]:
        sides = [
            {
                (each.type, each.columns): each
                for each in self._tried(partial(self._indexes, at)) or ()
            }
            for at in self.snapshots
        ]
        changes = (
            GlobalIndexChange(*(side.get(key) for side in sides))
            for key in {**sides[0], **sides[1]}
        )
        return tuple(each for each in changes if each.old != each.new)

    def _indexes(self, snapshot: Snapshot) -> list[GlobalIndexReport]:
        """Return the global indexes of a snapshot. Raises PaimonKsyError."""
        manifests = self.table.manifests
        if not (listed := self.table.index_manifests.global_indexes(snapshot)):
            return []
        live = live_row_ids(manifests.of(snapshot), manifests, manifests.contradiction)
        return [self.reporter.global_index(index, live) for index in listed]

    # Deletion vectors -----------------------------------------------------------------------------

    def _vectors(self, apart: Sequence[Sequence[IndexFile]]) -> dict[str, Any]:
        """Return the differences in deletion vectors, as attributes of `SnapshotDiff`."""
        sides = [dict(self._places(files)) for files in apart]
        left, unread, count = _MOST_BYTES, 0, 0
        deleted: int | None = 0
        changes: list[FileVectorChange] = []
        for key in {**sides[0], **sides[1]}:
            old, new = (side.get(key) for side in sides)
            if old is not None and new is not None and _size(old) == _size(new):
                left -= old.length
                if left < 0:
                    unread += 1
                    continue
                one, other = (self._tried(partial(self._bytes, each)) for each in (old, new))
                if one == other:  # or neither can be read
                    continue
            count += 1
            numbers = [0 if each is None else each.cardinality for each in (old, new)]
            if numbers[0] is None or numbers[1] is None or deleted is None:
                deleted = None
            else:
                deleted += numbers[1] - numbers[0]
            if len(changes) < self.most:
                changes.append(self._vector(key, old, new))
        return {
            "vectors": tuple(changes),
            "num_vectors": count,
            "deleted_rows": deleted,
            "unread_vectors": unread,
        }

    def _places(
        self, files: Iterable[IndexFile]
    ) -> Iterator[tuple[tuple[bytes, int, str], VectorPlace]]:
        """Yield the places of vectors by partition, bucket and data file."""
        for file in files:
            if file.index_type != DELETION_VECTORS:
                continue
            path = self._tried(partial(self.table.paths.index_file, file))
            if path is None:
                continue
            for name, place in file.vectors.items():
                yield (file.partition_row, file.bucket, name), VectorPlace(path, *place)

    def _tried(self, read: Callable[[], T]) -> T | None:
        """Return the result of a function; None if it fails, which is an error."""
        result, error = self.reporter.tried(read)
        self.errors += [] if error is None else [error]
        return result

    def _bytes(self, place: VectorPlace) -> bytes:
        with self.table.storage.open(place.path) as source:
            stored = read_stored(source, place.offset, place.length, verify=False)
            return source.read(stored.offset, stored.end - stored.offset)

    def _vector(
        self, key: tuple[bytes, int, str], old: VectorPlace | None, new: VectorPlace | None
    ) -> FileVectorChange:
        sides = [None if place is None else VectorReport.at(place) for place in (old, new)]
        rows = self._tried(lambda: rows_apart(self._stored(old), self._stored(new), most=self.most))
        deleted, restored = rows or (None, None)
        return FileVectorChange(sides[0], sides[1], key[2], key[1], deleted, restored)

    def _stored(self, place: VectorPlace | None) -> StoredVector | None:
        if place is None:
            return None
        with self.table.storage.open(place.path) as source:
            return read_stored(source, place.offset, place.length, place.cardinality)


def _key_of(file: IndexFile) -> tuple[Any, ...]:
    return file.index_type, file.partition_row, file.bucket, file.file_name, file.external_path


def _size(place: VectorPlace) -> tuple[int, int | None]:
    return place.length, place.cardinality


def _sums(entries: pa.Table, numbers: Numbers) -> Sums:
    names = "first_row_id", "rows", "bytes", "indexes"
    first_ids, rows, *sizes = (entries[name].to_numpy()[numbers] for name in names)
    counts = (rows - shared_rows(first_ids, rows), *sizes)
    return Sums(len(numbers), *(int(column.sum()) for column in counts))
