"""Compare two snapshots of a table: data files, indexes, deletion vectors and bucket indexes.

Manifests and index files that both snapshots have cancel out, so only others are read. Each entry
adds or deletes a file, and the sums of entries by identity are the difference. That takes about 60
bytes per entry, and no objects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.inspection.meaning_changes import Rows, vector_change
from paimon_ksy.messages.answers import Answer
from paimon_ksy.table.inspect.content import snapshot_report
from paimon_ksy.table.inspect.files import FileReporter
from paimon_ksy.table.inspect.live_files import have_index_files
from paimon_ksy.table.inspect.report import (
    DataFileReport,
    IndexFileReport,
    IndexPart,
    SnapshotReport,
    VectorReport,
)
from paimon_ksy.table.inspect.schema_changes import schema_changes
from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.manifests.live import Hashes, keys_of
from paimon_ksy.table.manifests.scan import Group, grouped, in_order
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    IndexFile,
    ManifestFile,
    Snapshot,
    VectorPlace,
)
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector_file import StoredVector, read_stored

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_BYTES = 64 << 20
"""Maximum bytes of vectors to compare although their lengths and cardinalities are equal, because a
commit rewrites all vectors of a bucket."""

Numbers = NDArray[np.int64]
Presence = Literal["added", "dropped", "changed"]


@dataclass(frozen=True)
class Sums(Answer):
    """The numbers of data files, rows, bytes, and files with an index."""

    files: int = 0
    rows: int = 0
    bytes: int = 0
    indexes: int = 0


class _Change(Answer):
    """A part of the table that one snapshot lacks, or that differs between both."""

    old: Any
    new: Any

    @property
    def change(self) -> Presence:
        """The kind of change."""
        if self.old is None:
            return "added"
        return "dropped" if self.new is None else "changed"


@dataclass(frozen=True)
class FileChange(_Change):
    """A data file in only one of the snapshots, or with different indexes in both.

    Attributes:
        old: The file in the old snapshot; None if it is missing.
        new: The file in the new snapshot; None if it is missing.
        indexes_added: Indexes of columns that only the new file has.
        indexes_dropped: Indexes of columns that only the old file has.
    """

    KEYS = ("change", "old", "new", "indexes_added", "indexes_dropped")
    old: DataFileReport | None
    new: DataFileReport | None
    indexes_added: tuple[IndexPart, ...]
    indexes_dropped: tuple[IndexPart, ...]


@dataclass(frozen=True)
class VectorChange(_Change):
    """A data file's deletion vector that differs between the snapshots.

    Attributes:
        data_file: The name of the data file.
        bucket: The bucket of the data file.
        old: The vector in the old snapshot, with its vector file as `data_file`; None without one.
        new: The vector in the new snapshot, likewise.
        deleted: Rows that only the new vector deletes; None if a vector cannot be read.
        restored: Rows that only the old vector deletes; None if a vector cannot be read.
    """

    KEYS = ("change", "data_file", "bucket", "old", "new", "deleted", "restored")
    data_file: str
    bucket: int
    old: VectorReport | None
    new: VectorReport | None
    deleted: Rows | None
    restored: Rows | None


@dataclass(frozen=True)
class IndexFileChange(_Change):
    """An index file of a bucket, such as a bucket index, that differs between the snapshots."""

    KEYS = ("change", "old", "new")
    old: IndexFileReport | None
    new: IndexFileReport | None


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
        vectors: The first deletion vectors that changed.
        num_vectors: The number of deletion vectors that changed.
        deleted_rows: The increase from old to new in rows that vectors delete, by their
            cardinalities; None if an old manifest lacks these.
        unread_vectors: The number of vectors assumed equal by length and cardinality alone.
        index_files: The first changed index files other than vector files.
        num_index_files: The number of such changed index files.
        errors: The errors of files that could not be read.
    """

    KEYS = (
        *("table=location", "old", "new", "equal", "schema_changes", "added", "dropped"),
        *("num_changed", "files", "vectors", "num_vectors", "deleted_rows", "unread_vectors"),
        *("index_files", "num_index_files", "errors"),
    )
    location: str
    old: SnapshotReport
    new: SnapshotReport
    schema_changes: tuple[str, ...] = ()
    added: Sums = field(default_factory=Sums)
    dropped: Sums = field(default_factory=Sums)
    num_changed: int = 0
    files: tuple[FileChange, ...] = ()
    vectors: tuple[VectorChange, ...] = ()
    num_vectors: int = 0
    deleted_rows: int | None = 0
    unread_vectors: int = 0
    index_files: tuple[IndexFileChange, ...] = ()
    num_index_files: int = 0
    errors: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether both have the same data files, indexes, vectors and schema."""
        return not (
            self.schema_changes
            or self.added.files
            or self.dropped.files
            or self.num_changed
            or self.num_vectors
            or self.num_index_files
        )


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


class _Entry(NamedTuple):
    """A change to list: an entry of a manifest, by numbers."""

    manifest: int
    at: int


@dataclass(frozen=True)
class _Found:
    """The facts kept about manifest entries: an array element for each.

    `of` contains the number of each entry's manifest.
    """

    of: Numbers
    identities: Hashes
    places: Hashes
    signs: Numbers
    rows: Numbers
    sizes: Numbers
    have_index: Numbers


@dataclass(frozen=True)
class _Reads:
    """Reader of manifests."""

    table: Table

    def __call__(self, manifests: Group) -> _Found:
        parts = [self._part(*each) for each in self.table.manifests.columns(manifests)]
        if not parts:
            none = np.empty(0, np.int64)
            empty = np.empty((0, 2), np.uint64), np.empty(0, np.uint64)
            return _Found(none, *empty, none, none, none, none)
        return _Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _part(self, entries: pa.RecordBatch, of: Numbers) -> tuple[Any, ...]:
        partitions = self.table.data_files.partitions
        numbers = partitions.numbers(entries.column("_PARTITION"))
        identities, places = keys_of(entries, partitions.hashes(numbers))
        embedded = entries.column("_EMBEDDED_FILE_INDEX").is_valid()
        embedded = embedded.to_numpy(zero_copy_only=False)
        return (
            of,
            identities,
            places,
            np.where(entries.column("_KIND").to_numpy() == ADD, 1, -1),
            entries.column("_ROW_COUNT").to_numpy(),
            entries.column("_FILE_SIZE").to_numpy(),
            (embedded | have_index_files(entries)).astype(np.int64),
        )


class _Comparison:
    """A comparison of two snapshots."""

    def __init__(self, table: Table, old_id: int, new_id: int, most: int) -> None:
        self.table, self.most = table, most
        found = [table.snapshot(number) for number in (old_id, new_id)]
        self.snapshots: list[Snapshot] = [each for each in found if each is not None]
        self.reporter = FileReporter(table)
        self.errors: list[str] = []

    def diff(self) -> SnapshotDiff:
        """Return the difference."""
        old, new = self.snapshots
        made = SnapshotDiff(self.table.location, snapshot_report(old, ()), snapshot_report(new, ()))
        if old.schema_id != new.schema_id:
            made = replace(made, schema_changes=tuple(self._schema_changes()))
        made = replace(made, **self._files(), **self._index_files())
        return replace(made, errors=tuple(dict.fromkeys(self.errors)))

    def _schema_changes(self) -> Iterator[str]:
        old, new = self.snapshots
        try:
            before, after = map(self.table.schema_at, (old.schema_id, new.schema_id))
        except PaimonKsyError as error:
            self.errors.append(self.reporter.message(error))
            return
        yield f"schema {old.schema_id} to {new.schema_id}"
        yield from schema_changes(before, after)

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
        found: list[_Found] = []
        numbers: list[Numbers] = []
        first = 0
        for group, each in in_order(_Reads(self.table), grouped(manifests)):
            found.append(each)
            numbers.append(each.of + first)
            first += len(group)
        of_manifest = np.concatenate(numbers)
        signs = np.concatenate([each.signs for each in found])
        signs[of_manifest < num_old] *= -1
        identities = np.concatenate([each.identities for each in found])
        at, net = _net(identities, signs)
        places = np.concatenate([each.places for each in found])[at]
        added, dropped, changed = _classified(places, net)
        rows, sizes, have = (
            np.concatenate([getattr(each, name) for each in found])[at]
            for name in ("rows", "sizes", "have_index")
        )

        def sums(which: Numbers) -> Sums:
            columns = rows[which], sizes[which], have[which]
            return Sums(len(which), *(int(column.sum()) for column in columns))

        starts = np.cumsum([0, *np.bincount(of_manifest, minlength=len(manifests))])

        def entry(number: int) -> _Entry:
            manifest = int(of_manifest[at[number]])
            return _Entry(manifest, int(at[number] - starts[manifest]))

        pairs: list[tuple[int | None, int | None]] = [
            *((None, each) for each in added[: self.most].tolist()),
            *((each, None) for each in dropped[: self.most].tolist()),
            *map(tuple, changed[: self.most].tolist()),
        ]
        wanted = {each: entry(each) for pair in pairs for each in pair if each is not None}
        reports = self._reports(manifests, wanted)
        return {
            "added": sums(added),
            "dropped": sums(dropped),
            "num_changed": len(changed),
            "files": tuple(
                _file_change(
                    None if old is None else reports.get(old),
                    None if new is None else reports.get(new),
                )
                for old, new in pairs
                if all(each is None or each in reports for each in (old, new))
            ),
        }

    def _reports(
        self, manifests: Sequence[ManifestFile], wanted: dict[int, _Entry]
    ) -> dict[int, DataFileReport]:
        """Return the reports on data files, by number; files with errors are left out."""
        by_manifest: dict[int, list[int]] = defaultdict(list)
        for number, entry in wanted.items():
            by_manifest[entry.manifest].append(number)
        reports: dict[int, DataFileReport] = {}
        for manifest, numbers in by_manifest.items():
            first = 0
            for entries, _ in self.table.manifests.columns([manifests[manifest]]):
                end = first + len(entries)
                for number in [n for n in numbers if first <= wanted[n].at < end]:
                    try:
                        at = wanted[number].at - first
                        [made] = self.table.data_files.made(entries[at : at + 1])
                        report = self.reporter.listed(made)
                        report = replace(report, index=self.reporter.index(made))
                    except PaimonKsyError as error:
                        self.errors.append(self.reporter.message(error))
                        continue
                    if report.index is not None and report.index.error is not None:
                        self.errors.append(report.index.error)
                    reports[number] = report
                first = end
        return reports

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
        others = self._other_files(apart)
        return {
            **self._vectors(apart),
            "index_files": tuple(others[: self.most]),
            "num_index_files": len(others),
        }

    def _other_files(self, apart: Sequence[Sequence[IndexFile]]) -> list[IndexFileChange]:
        """Return the changes of index files of other types, grouped by bucket."""
        sides = [
            {
                (file.index_type, file.partition_row, file.bucket, number): self._report(file)
                for number, file in _numbered(files)
            }
            for files in apart
        ]
        keys = {**sides[0], **sides[1]}
        return [IndexFileChange(sides[0].get(key), sides[1].get(key)) for key in keys]

    def _report(self, file: IndexFile) -> IndexFileReport:
        try:
            path = self.table.paths.index_file(file)
        except PaimonKsyError as error:
            path = file.external_path or file.file_name
            self.errors.append(self.reporter.message(error))
        partition = self.reporter.partition(file.partition)
        return IndexFileReport(
            type=file.index_type,
            name=file.file_name,
            path=path,
            partition=partition,
            bucket=file.bucket,
            bytes=file.file_size,
            rows=file.row_count,
        )

    def _vectors(self, apart: Sequence[Sequence[IndexFile]]) -> dict[str, Any]:
        """Return the differences in deletion vectors, as attributes of `SnapshotDiff`."""
        sides = [dict(self._places(files)) for files in apart]
        keys = {**sides[0], **sides[1]}
        left, unread, count = _MOST_BYTES, 0, 0
        deleted: int | None = 0
        changes: list[VectorChange] = []
        for key in keys:
            old, new = sides[0].get(key), sides[1].get(key)
            if old is not None and new is not None and _size(old) == _size(new):
                left -= old.length
                if left < 0:
                    unread += 1
                    continue
                if self._bytes(old) == self._bytes(new):
                    continue
            count += 1
            numbers = [0 if each is None else each.cardinality for each in (old, new)]
            if numbers[0] is None or numbers[1] is None or deleted is None:
                deleted = None
            else:
                deleted += numbers[1] - numbers[0]
            if len(changes) < self.most:
                changes.append(self._change(key, old, new))
        return {
            "vectors": tuple(changes),
            "num_vectors": count,
            "deleted_rows": deleted,
            "unread_vectors": unread,
        }

    def _places(
        self, files: Iterable[IndexFile]
    ) -> Iterator[tuple[tuple[bytes, int, str], VectorPlace]]:
        for file in files:
            if file.index_type != DELETION_VECTORS:
                continue
            try:
                path = self.table.paths.index_file(file)
            except PaimonKsyError as error:
                self.errors.append(self.reporter.message(error))
                continue
            for name, found in file.vectors.items():
                yield (file.partition_row, file.bucket, name), VectorPlace(path, *found)

    def _bytes(self, place: VectorPlace) -> bytes | None:
        """Return the bytes of a vector; None if they cannot be read."""
        try:
            with self.table.storage.open(place.path) as source:
                stored = read_stored(source, place.offset, place.length, verify=False)
                return source.read(stored.offset, stored.end - stored.offset)
        except PaimonKsyError as error:
            self.errors.append(self.reporter.message(error))
            return None

    def _change(
        self, key: tuple[bytes, int, str], old: VectorPlace | None, new: VectorPlace | None
    ) -> VectorChange:
        _, bucket, name = key
        reports = [
            None
            if place is None
            else VectorReport(
                place.path.rpartition("/")[2], place.offset, place.length, place.cardinality
            )
            for place in (old, new)
        ]
        made = VectorChange(name, bucket, reports[0], reports[1], None, None)
        try:
            found = vector_change(self._stored(old), self._stored(new), (0, 0), self.most)
        except PaimonKsyError as error:
            self.errors.append(self.reporter.message(error))
            return made
        return replace(made, deleted=found.deleted, restored=found.restored)

    def _stored(self, place: VectorPlace | None) -> StoredVector | None:
        if place is None:
            return None
        with self.table.storage.open(place.path) as source:
            return read_stored(source, place.offset, place.length, place.cardinality)


def _key_of(file: IndexFile) -> tuple[Any, ...]:
    return file.index_type, file.partition_row, file.bucket, file.file_name, file.external_path


def _numbered(files: Iterable[IndexFile]) -> Iterator[tuple[int, IndexFile]]:
    """Yield the index files other than vector files, with their number in the bucket."""
    counts: dict[tuple[Any, ...], int] = defaultdict(int)
    for file in files:
        if file.index_type != DELETION_VECTORS:
            bucket = file.index_type, file.partition_row, file.bucket
            yield counts[bucket], file
            counts[bucket] += 1


def _size(place: VectorPlace) -> tuple[int, int | None]:
    return place.length, place.cardinality


def _net(identities: Hashes, signs: Numbers) -> tuple[Numbers, Numbers]:
    """Return one entry of each file that differs, and the sum of its signs.

    The sum is positive if only the new snapshot has the file, and negative if only the old one.
    """
    order = np.lexsort((identities[:, 1], identities[:, 0]))
    ordered = identities[order]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    starts = starts[: len(ordered)]
    sums = np.add.reduceat(signs[order], starts) if len(starts) else np.empty(0, np.int64)
    first = order[starts]
    apart = np.flatnonzero(sums)
    by_place = np.argsort(first[apart])
    return first[apart][by_place], sums[apart][by_place]


def _classified(places: Hashes, net: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the entries of added files, of dropped files, and pairs (old, new) of changed files.

    A file that was dropped and added in the same place has changed.
    """
    added, dropped = np.flatnonzero(net > 0), np.flatnonzero(net < 0)
    _, of_added, of_dropped = np.intersect1d(places[added], places[dropped], return_indices=True)
    pairs = np.stack([dropped[of_dropped], added[of_added]], axis=1)
    return (
        np.delete(added, of_added),
        np.delete(dropped, of_dropped),
        pairs[np.argsort(pairs[:, 1])],
    )


def _file_change(old: DataFileReport | None, new: DataFileReport | None) -> FileChange:
    before, after = _parts(old), _parts(new)
    return FileChange(
        old,
        new,
        tuple(part for key, part in after.items() if key not in before),
        tuple(part for key, part in before.items() if key not in after),
    )


def _parts(file: DataFileReport | None) -> dict[tuple[str, str], IndexPart]:
    if file is None or file.index is None:
        return {}
    return {(part.column, part.index_type): part for part in file.index.parts}
