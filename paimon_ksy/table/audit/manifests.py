"""Audit manifests: a worker reads their entries, and checks the files that they name.

A task is a slice of a manifest, or several small manifests, with everything that needs their
files. So a manifest is read once, however many snapshots and tags have it, and again only for
files that another manifest decides. Results are findings, sums, and digests of 8 or 16 bytes per
file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.io.file_kind import index_kind
from paimon_ksy.messages.findings import WARNING, Finding
from paimon_ksy.table.audit.data_files import check_file
from paimon_ksy.table.audit.job import AuditJob
from paimon_ksy.table.audit.references import (
    REMEDY_DATA,
    BrokenReference,
    FileReference,
    Size,
    check_reference,
    size_of,
)
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.manifests.entries import ADD, ManifestEntries, schema
from paimon_ksy.table.manifests.live import Hashes, among, keys_of, places_of
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys
from paimon_ksy.table.model.digests import Digests, digests
from paimon_ksy.table.model.files import (
    DataFile,
    ManifestFile,
    Snapshot,
)
from paimon_ksy.table.query.partition_filter import PartitionFilter
from paimon_ksy.table.store import REMEDY, Table
from paimon_ksy.table.store.options import is_on

OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"

LIVE, DELETED, ALL, NONE = "live", "deleted", "all", "none"
"""The files needed: those of ADD entries without a later DELETE, of DELETE entries, or of all."""

LATEST = 0
"""The number of the view of the latest snapshot."""

_KEPT_BYTES = 32 << 20
"""Bytes of manifest entries to keep, since a worker checks one slice after another."""

_STATISTICS = {"_MIN_VALUES", "_MAX_VALUES", "_NULL_COUNTS", "_VALUE_STATS_COLS"}
"""Columns of entries that take the most memory, and that no check needs."""

Positions = npt.NDArray[np.int64]
"""Numbers of entries in a slice."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Use:
    """A snapshot, tag or changelog that needs a manifest, and files that it names.

    Attributes:
        of: Its kind, and after a space its name or number.
        snapshot: The snapshot that needs the files; None if it is not a snapshot.
        files: The files that it needs: LIVE, DELETED, ALL or NONE.
        view: The number of the view in which they are live.
    """

    of: str
    snapshot: int | None
    files: str
    view: int | None = None


@dataclass(frozen=True)
class Slice:
    """Some entries of a manifest, in its order.

    Attributes:
        manifest: The manifest.
        uses: The users of its files.
        start: The number of the first entry.
        stop: The number of the first entry after the slice; None for all that follow.
        only: The entries that turned out to be live in the view of the only use.
        is_checked: Whether to check files other than the manifest.
    """

    manifest: ManifestFile
    uses: tuple[Use, ...]
    start: int = 0
    stop: int | None = None
    only: Positions | None = field(default=None, compare=False)
    is_checked: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether the slice contains all entries of the manifest."""
        return not self.start and self.stop is None

    @property
    def num_entries(self) -> int:
        """The number of entries, according to the manifest list."""
        if self.only is not None:
            return len(self.only)
        count = self.manifest.num_added_files + self.manifest.num_deleted_files
        return (count if self.stop is None else self.stop) - self.start


Slices = tuple[Slice, ...]
"""A slice, or several whole manifests that are read together."""


@dataclass(frozen=True)
class IndexManifest:
    """An index manifest, whose files are checked.

    Attributes:
        snapshot: A snapshot that has the manifest.
        uses: The users of its files.
    """

    snapshot: Snapshot
    uses: tuple[Use, ...]


@dataclass
class LiveEntries:
    """The entries of a slice that add a live file.

    Attributes:
        mask: The entries that certainly add one, as bits.
        unsure: Other entries that add a file, whose identity a DELETE may have.
        identities: The identities of the unsure entries.
    """

    mask: npt.NDArray[np.uint8]
    unsure: Positions
    identities: Hashes


@dataclass
class Found:
    """The results of checking a manifest, or a slice of it.

    Attributes:
        error: Why it could not be read; if set, nothing else is known.
        is_lost: Whether the worker process crashed; if true, nothing else is known.
        findings: Problems other than those of data files and their indexes.
        checked: The number of files checked, without those of the latest snapshot.
        num_entries: The number of entries in the slice.
        added, deleted: The numbers of entries that add and delete files.
        added_rows, deleted_rows: The rows of these files.
        is_partial: Whether any of these files has only some of the columns.
        places: A digest of the place of each entry's file.
        live: The live files, by the number of a view.
        broken: Files that differ from the metadata that names them.
        problems: Names of files without a valid path, with the reason.
        unknown: By the id of an unknown schema, digests of the names of its files, and one name.
        latest: The results for the latest snapshot.
    """

    error: PaimonKsyError | None = None
    is_lost: bool = False
    findings: list[Finding] = field(default_factory=list)
    checked: int = 0
    num_entries: int = 0
    added: int = 0
    deleted: int = 0
    added_rows: int = 0
    deleted_rows: int = 0
    is_partial: bool = False
    places: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    live: dict[int, LiveEntries] = field(default_factory=dict)
    broken: list[BrokenReference] = field(default_factory=list)
    problems: list[tuple[str, PaimonKsyError]] = field(default_factory=list)
    unknown: dict[int, tuple[Digests, str]] = field(default_factory=dict)
    latest: FoundLive = field(default_factory=lambda: FoundLive())


@dataclass
class FoundLive:
    """The results for files of the latest snapshot in a slice.

    Attributes:
        rows: The rows of live files.
        is_partial: Whether any of these files has only some of the columns.
        checked: The number of data files checked.
        files: The files with problems, and these problems.
        indexes: Digests of the paths of index files.
        vectors: `file_keys` of the data files, if the snapshot has deletion vectors.
        buckets: The dynamic buckets that have files, by partition.
        keyed: Files whose keys are compared with the indexes of dynamic buckets, or with each
            other.
    """

    rows: int = 0
    is_partial: bool = False
    checked: int = 0
    files: list[tuple[DataFile, list[Finding | BrokenReference]]] = field(default_factory=list)
    indexes: Digests = field(default_factory=lambda: digests([]))
    vectors: Digests = field(default_factory=lambda: digests([]))
    buckets: dict[tuple[Any, ...], set[int]] = field(default_factory=dict)
    keyed: list[DataFile] = field(default_factory=list)


@dataclass(frozen=True)
class ReadJob:
    """The parameters that workers need to read manifests.

    Attributes:
        run: The name of this audit, since cached reads of other audits may be outdated.
        table: The table.
        job: The parameters for checking files.
        partitions: Selects partitions.
        latest: The snapshot whose data files are checked, if any.
        has_vectors: Whether it has deletion vectors.
        deleted: By the number of a view, the first 64 bits of the identities of its DELETE entries,
            ascending.
    """

    run: str
    table: Table
    job: AuditJob
    partitions: PartitionFilter | None
    latest: Snapshot | None
    has_vectors: bool
    deleted: Mapping[int, Hashes]

    @property
    def reader(self) -> ManifestChecks:
        """The checks of this process, which read manifests."""
        with _lock:
            if self.run not in _readers:
                _readers.clear()
                _readers[self.run] = ManifestChecks(self)
            return _readers[self.run]

    def forget(self) -> None:
        """Free the memory that this process keeps for the audit."""
        with _lock:
            _readers.pop(self.run, None)


_lock = Lock()
_readers: dict[str, ManifestChecks] = {}


class _Entries(NamedTuple):
    """Entries of slices without statistics, with the numbers of partitions, and `Keys`.

    `of` contains the number of each entry's slice.
    """

    entries: pa.RecordBatch
    of: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    places: Hashes
    identities: Hashes

    def part(self, start: int, stop: int | None) -> _Entries:
        """Return the existing entries from `start` up to `stop`."""
        some = slice(start, stop)
        return _Entries(
            self.entries[some],
            self.of[some],
            self.numbers[some],
            self.places[some],
            self.identities[some],
        )

    def of_slice(self, task: Slice) -> _Entries:
        """Return the entries of a slice of this manifest."""
        return self.part(task.start, task.stop)


def _bounds(of: npt.NDArray[np.int64], count: int) -> list[int]:
    """Return the positions at which the entries of `count` slices begin, and the end."""
    found: list[int] = np.searchsorted(of, np.arange(count + 1)).tolist()
    return found


class _Share(NamedTuple):
    """The entries of a slice among all that are read together.

    Attributes:
        task: The slice.
        found: The results of the slice.
        start: The position of its first entry among them.
        masks: The entries that each use needs.
    """

    task: Slice
    found: Found
    start: int
    masks: list[Mask]


class ManifestChecks:
    """Checker of the files that manifests name. Thread-safe."""

    def __init__(self, reading: ReadJob) -> None:
        self._reading, self._job, self._table = reading, reading.job, reading.table
        self._data_files = reading.table.data_files
        self._kept = BoundedCache(_KEPT_BYTES)
        self._selects = reading.partitions
        self._is_dynamic = reading.table.bucket_mode == "HASH_DYNAMIC"
        has_keys = bool(reading.table.schema.primary_keys)
        has_vectors = has_keys and is_on(reading.table.options, "deletion-vectors.enabled")
        self._is_keyed = self._is_dynamic or has_vectors

    @property
    def partitions(self) -> Partitions:
        """The partitions, as numbered in this process."""
        return self._data_files.partitions

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterator[ManifestEntries]:
        """Yield the entries of manifests, in order.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        return self._table.manifests.stored(manifests)

    def check(self, tasks: Slices) -> list[Found]:
        """Return the results of each slice."""
        try:
            read = self._read(tasks)
        except PaimonKsyError as error:
            if len(tasks) == 1:
                return [Found(error=error)]
            return [found for task in tasks for found in self.check((task,))]
        bounds = pairwise(_bounds(read.of, len(tasks)))
        shares = [
            self._share(task, read.part(start, stop), start)
            for task, (start, stop) in zip(tasks, bounds, strict=True)
        ]
        self._check_files(read, shares)
        return [share.found for share in shares]

    def _share(self, task: Slice, read: _Entries, start: int) -> _Share:
        """Return the sums of a slice, and the files that are needed."""
        entries = read.entries
        adds, rows = _adds(entries), entries.column("_ROW_COUNT").to_numpy()
        written = entries.column("_WRITE_COLS").is_valid().to_numpy(zero_copy_only=False)
        found = Found(
            num_entries=len(entries),
            added=int(adds.sum()),
            deleted=int((~adds).sum()),
            added_rows=int(rows[adds].sum()),
            deleted_rows=int(rows[~adds].sum()),
            is_partial=bool(written.any()),
            places=read.places,
        )
        masks: list[Mask] = []
        for use in task.uses:
            if use.view is None:
                masks.append(
                    ~adds if use.files == DELETED else np.full(len(adds), use.files == ALL)
                )
                continue
            if task.only is not None:
                mask = np.zeros(len(adds), np.bool_)
                mask[task.only] = True
            else:
                unsure = adds & among(read.identities[:, 0], self._reading.deleted[use.view])
                mask = adds & ~unsure
                at = np.flatnonzero(unsure)
                found.live[use.view] = LiveEntries(np.packbits(mask), at, read.identities[at])
            masks.append(mask)
            if use.view == LATEST:
                found.latest.rows = int(rows[mask].sum())
                found.latest.is_partial = bool(written[mask].any())
        return _Share(task, found, start, masks)

    def singles(self, task: Slice) -> Iterator[Slice]:
        """Yield slices of one entry each that together equal a slice.

        Raises:
            PaimonKsyError: The manifest cannot be read.
        """
        count = len(self._read((task,)).entries)
        positions = range(count) if task.only is None else task.only.tolist()
        only = None if task.only is None else np.zeros(1, np.int64)
        for start in (task.start + position for position in positions):
            yield replace(task, start=start, stop=start + 1, only=only)

    def check_index_files(self, task: IndexManifest) -> Found:
        """Return the results of an index manifest."""
        found = Found()
        try:
            self._check_each(task, found)
        except PaimonKsyError as error:
            return Found(error=error)
        return found

    def _check_each(self, task: IndexManifest, found: Found) -> None:
        """Check the files of an index manifest, and add to `found`.

        Raises:
            PaimonKsyError: The index manifest cannot be read.
        """
        size = cache(self._size_of)
        for file in self._table.index_manifests.of(task.snapshot):
            try:
                path = self._table.paths.index_file(file)
            except PaimonKsyError as error:
                found.problems.append((file.file_name, error))
                continue
            remedy = index_kind(file.index_type).remedy or REMEDY
            for use in task.uses:
                named = FileReference(
                    path, file.file_size, "index-file", use.of, remedy, use.snapshot
                )
                found.checked += 1
                found.broken += check_reference(named, size)

    # Entries --

    def _read(self, tasks: Slices) -> _Entries:
        """Return the entries of slices.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        first = tasks[0]
        if first.is_whole:
            return self._read_all([task.manifest for task in tasks])
        found: _Entries = self._kept.get(
            first.manifest.file_name,
            lambda: self._read_all([first.manifest]),
            lambda found: found.entries.nbytes,
        )
        return found.of_slice(first)

    def _read_all(self, manifests: Sequence[ManifestFile]) -> _Entries:
        kept = [name for name in schema().names if name not in _STATISTICS]
        fields = pa.schema([schema().field(name) for name in kept])
        read = [(found.entries.select(kept), found.of) for found in self(manifests)]
        batches, numbered = zip(*read, strict=True) if read else ((), ())
        entries = pa.concat_batches(batches or [pa.RecordBatch.from_pylist([], fields)])
        of = np.concatenate([np.empty(0, np.int64), *numbered])
        numbers = self.partitions.numbers(entries.column("_PARTITION"))
        hashes = self.partitions.hashes(numbers)
        if any(map(len, self._reading.deleted.values())):
            keys = keys_of(entries, hashes)
            return _Entries(entries, of, numbers, keys.places, keys.identities)
        none = np.zeros((len(entries), 2), np.uint64)  # unused: no manifest has a DELETE
        return _Entries(entries, of, numbers, places_of(entries, hashes), none)

    # Files --

    def _check_files(self, read: _Entries, shares: Sequence[_Share]) -> None:
        """Check the needed files, and add to the results of each slice."""
        entries, of, numbers = read.entries, read.of, read.numbers
        size = cache(self._size_of)
        wanted, of_latest = (
            np.concatenate([_any(share, latest_only=only) for share in shares])
            for only in (False, True)
        )
        known = np.isin(entries.column("_SCHEMA_ID").to_numpy(), [*self._job.schemas])
        if (unknown := wanted & ~known).any():
            self._add_unknown(entries, of, unknown, shares)
        at_vector = self._vectors_at(read, np.flatnonzero(of_latest), shares)
        at = np.flatnonzero(wanted & known)
        indexes: list[list[str]] = [[] for _ in shares]
        made = self._data_files.each(entries.take(at), numbers[at])
        for position, number, file in zip(at.tolist(), of[at].tolist(), made, strict=True):
            task, found, start, masks = shares[number]
            if isinstance(file, PaimonKsyError):
                name = entries.column("_FILE_NAME")[position].as_py()
                found.problems.append((name, file))
                continue
            for use, mask in zip(task.uses, masks, strict=True):
                if not mask[position - start]:
                    continue
                if use.view != LATEST:
                    if task.is_checked:
                        for named in _references(file, use):
                            found.checked += 1
                            found.broken += check_reference(named, size)
                    continue
                if self._selects is not None and not self._selects(file.partition, file.bucket):
                    continue
                indexes[number] += file.index_files
                if (vector := at_vector.get(position, -1)) >= 0:
                    file = self._with_vector(file, vector)
                self._check_live(task, file, found.latest)
        for share, each in zip(shares, indexes, strict=True):
            share.found.latest.indexes = digests(each)

    def _vectors_at(
        self, read: _Entries, at: Positions, shares: Sequence[_Share]
    ) -> dict[int, int]:
        """Return the vector's number by entry, -1 for none, and add the digests of the files."""
        if not (self._reading.has_vectors and len(at)):
            return {}
        keys = file_keys(read.entries.take(at), self.partitions.hashes(read.numbers[at]))
        bounds = pairwise(_bounds(read.of[at], len(shares)))
        for share, (start, stop) in zip(shares, bounds, strict=True):
            share.found.latest.vectors = keys[start:stop]
        return dict(zip(at.tolist(), self._vectors.find(keys).tolist(), strict=True))

    def _check_live(self, task: Slice, file: DataFile, found: FoundLive) -> None:
        found.checked += 1
        if self._is_dynamic:
            found.buckets.setdefault(file.partition, set()).add(file.bucket)
        if self._is_keyed and self._job.deep:
            found.keyed.append(replace(file, embedded_index=None))
        if not task.is_checked:
            found.files.append((file, []))
        elif wrong := list(check_file(self._job, file)):
            found.files.append((file, wrong))

    def _add_unknown(
        self,
        entries: pa.RecordBatch,
        of: npt.NDArray[np.int64],
        unknown: Mask,
        shares: Sequence[_Share],
    ) -> None:
        """Add the files whose schema is unknown."""
        at = np.flatnonzero(unknown)
        some = entries.select(["_SCHEMA_ID", "_FILE_NAME"]).take(at)
        names: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        columns = (column.to_pylist() for column in some.columns)
        for share, schema_id, name in zip(of[at].tolist(), *columns, strict=True):
            names[share, schema_id].append(name)
        for (share, schema_id), each in names.items():
            shares[share].found.unknown[schema_id] = digests(each), min(each)

    def _with_vector(self, file: DataFile, number: int) -> DataFile:
        """Return the file with a deletion vector, unless that is outside the table."""
        try:
            return replace(file, deletion_vector=self._vectors.place(number))
        except PaimonKsyError:  # the driver reports it
            return file

    @cached_property
    def _vectors(self) -> VectorPlaces:
        """The deletion vectors of the latest snapshot; empty if it has expired meanwhile."""
        files = self._table.index_manifests.columns(self._reading.latest)
        path_of = self._table.paths.index_file
        try:
            return VectorPlaces(files, path_of)
        except MissingFileError:
            return VectorPlaces((), path_of)

    @property
    def _size_of(self) -> Callable[[str], Size]:
        return partial(size_of, self._job.storage)


def _any(share: _Share, *, latest_only: bool) -> Mask:
    """Return the entries of a slice that any use needs, or only the latest snapshot."""
    masks = [
        mask
        for use, mask in zip(share.task.uses, share.masks, strict=True)
        if use.view == LATEST or not latest_only
    ]
    none = np.zeros(share.found.num_entries, np.bool_)
    found: Mask = np.logical_or.reduce([none, *masks])
    return found


def _adds(entries: pa.RecordBatch) -> Mask:
    found: Mask = entries.column("_KIND").to_numpy() == ADD
    return found


def _references(file: DataFile, use: Use) -> Iterator[FileReference]:
    """Yield the files that an entry of an older snapshot, or of a tag, names."""
    yield FileReference(file.path, file.size, "data-file", use.of, REMEDY_DATA, use.snapshot)
    for name in file.extra_files:
        path = f"{file.path.rpartition('/')[0]}/{name}"
        if name.endswith(".index"):
            yield FileReference(path, None, "index", use.of, OLD_INDEX, use.snapshot, WARNING)
        else:
            yield FileReference(path, None, "data-file", use.of, REMEDY_DATA, use.snapshot)
