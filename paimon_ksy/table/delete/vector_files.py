"""The files of deletion vectors that a delete writes, and those that it replaces.

In a table without buckets, files of vectors roll at a target size. A file with a vector that
changes is replaced, and its other vectors are copied. In a bucket there is one file of all vectors.
This is what Java's `BaseAppendDeleteFileMaintainer` and its two kinds do.

Workers write all files. A name is `index-UUID-N`, as Java's. The first half of the UUID is that of
the delete, so that its files can be found, and the second half is random: a task that runs twice
writes files of two names, of which one is returned.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import open_source
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, IndexFile, Snapshot, VectorPlace
from paimon_ksy.table.store import NewVectors, RunOver, Table, live_among, new_vectors_path
from paimon_ksy.table_index.deletion_vector import VectorBytes
from paimon_ksy.table_index.deletion_vector_file import (
    VectorFile,
    join_vectors,
    read_stored,
    read_version,
)

Bucket = tuple[tuple[Any, ...], int]
"""A partition and a bucket of it."""

Places = dict[str, dict[str, VectorPlace]]
"""By path of a file of vectors, where vectors are in it, by name of data file."""

_MOST_SOURCES = 1000
"""Files that one worker joins: it reads one after the other."""


def bucket_of(file: DataFile) -> Bucket:
    """Return the partition and bucket of a data file."""
    return file.partition, file.bucket


# What workers do ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorFolder:
    """Where a delete writes the files of vectors of a bucket.

    Attributes:
        storage: The storage of the table.
        path: The folder.
        run: The first half of the UUIDs of the delete.
    """

    storage: Storage
    path: str
    run: str

    def delete_all_but(self, kept: Set[str]) -> None:
        """Delete the files of the delete except for these paths, also those of lost tasks.

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        prefix = f"index-{self.run}-"
        for name in self.storage.names(self.path):
            if name.startswith(prefix) and (path := f"{self.path}/{name}") not in kept:
                self.storage.delete(path)


class VectorWriter:
    """Writes the vectors of data files of one bucket, a new file at each target size."""

    def __init__(self, folder: VectorFolder, target: int | None) -> None:
        """Begin without any file.

        Args:
            folder: Where to write.
            target: Bytes of a file, about; None for one file.
        """
        self._folder, self._target = folder, target
        self._id = f"{folder.run}{str(uuid.uuid4())[len(folder.run) :]}"
        self._pending: dict[str, VectorBytes] = {}
        self._size = 0
        self._files: list[VectorFile] = []

    def add(self, data_file: str, vector: VectorBytes) -> None:
        """Add the vector of a data file; write a file if it has its target size now."""
        self._pending[data_file] = vector
        self._size += len(vector.data)
        if self._target is not None and self._size >= self._target:
            self._write()

    def finish(self) -> tuple[VectorFile, ...]:
        """Write what is left, and return all files."""
        if self._pending:
            self._write()
        return tuple(self._files)

    def _write(self) -> None:
        name = f"index-{self._id}-{len(self._files)}"
        file, data = join_vectors(name, self._pending)
        self._folder.storage.write(f"{self._folder.path}/{name}", data)
        self._files.append(file)
        self._pending, self._size = {}, 0


@dataclass(frozen=True)
class Join:
    """Vectors of a bucket, in files, of which one new file is to be made."""

    bucket: Bucket
    folder: VectorFolder
    sources: Places


@dataclass(frozen=True)
class Joined:
    """A file that was made of others, and the bytes read for it."""

    file: VectorFile
    bytes_read: int


def join_files(join: Join) -> Joined:
    """Write one file of vectors that stand in other files.

    Raises:
        CorruptFileError: One of the others is malformed.
    """
    writer, bytes_read = VectorWriter(join.folder, None), 0
    for path, vectors in join.sources.items():
        data = join.folder.storage.read(path)  # most of it is needed
        bytes_read += len(data)
        try:
            source = open_source(data)
            read_version(source)
            for name, place in vectors.items():
                found = read_stored(source, place.offset, place.length, place.cardinality)
                writer.add(name, found.vector.stored())
        except CorruptFileError as error:
            error.path = path
            raise
    [file] = writer.finish()
    return Joined(file, bytes_read)


# What the driver keeps ----------------------------------------------------------------------------


class Change(NamedTuple):
    """How many rows a data file loses, and the digest of its state before."""

    rows: int
    digest: bytes


@dataclass
class Changes:
    """What a delete changes on one snapshot, as found so far.

    Attributes:
        rows: The number of rows that are deleted.
        changed: The data files that get a vector, by bucket and name; empty in a dry run.
        files_changed: Their number.
        dropped: `DataFile.key` of data files of which all rows are deleted.
        dropped_vectors: The names of those of these that have a vector, by bucket.
        parts: New files of vectors, by bucket.
        carried: New vectors in files of an attempt before, by bucket.
        replaced: The paths of files of vectors that are replaced.
    """

    rows: int = 0
    files_changed: int = 0
    changed: defaultdict[Bucket, dict[str, Change]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    dropped: set[tuple[Any, ...]] = field(default_factory=set)
    dropped_vectors: defaultdict[Bucket, set[str]] = field(default_factory=lambda: defaultdict(set))
    parts: defaultdict[Bucket, list[NewVectors]] = field(default_factory=lambda: defaultdict(list))
    carried: defaultdict[Bucket, Places] = field(default_factory=lambda: defaultdict(dict))
    replaced: set[str] = field(default_factory=set)

    def drop(self, file: DataFile, rows: int) -> None:
        """Note a data file that is dropped with all its live rows."""
        self.rows += rows
        self.dropped.add(file.key)
        if file.deletion_vector is not None:
            self.dropped_vectors[bucket_of(file)].add(file.name)

    def carry(self, file: DataFile, change: Change, place: VectorPlace) -> None:
        """Note a new vector that an attempt before has written already."""
        self.change(file, change)
        self.carried[bucket_of(file)].setdefault(place.path, {})[file.name] = place

    def change(self, file: DataFile, change: Change) -> None:
        """Note a data file that gets a vector."""
        self.note(change.rows)
        self.changed[bucket_of(file)][file.name] = change

    def note(self, rows: int) -> None:
        """Count the rows that a data file loses."""
        self.files_changed += rows > 0
        self.rows += rows

    def replace(
        self, table: Table, snapshot: Snapshot | None, over: RunOver, *, one_file: bool
    ) -> dict[Bucket, Places]:
        """Note the files of vectors that are replaced, and return the vectors that stay, by bucket.

        Those of removed data files are left out.

        Args:
            table: The table.
            snapshot: The snapshot that the delete is planned on.
            over: Returns what runs over manifests, to find the data files of these.
            one_file: Whether each bucket has one file of all vectors.
        """
        if not self.changed and not self.dropped_vectors:
            return {}
        manifests = table.index_manifests
        old: defaultdict[Bucket, list[IndexFile]] = defaultdict(list)
        for file in manifests.with_vectors(snapshot):
            bucket = file.partition, file.bucket
            if bucket in self.changed or bucket in self.dropped_vectors:
                old[bucket].append(file)
        kept: dict[Bucket, Places] = {}
        for bucket, files in old.items():
            changed = self.changed.get(bucket, {})
            gone = changed.keys() | self.dropped_vectors.get(bucket, set())
            touched = [file for file in files if not gone.isdisjoint(file.vectors)]
            if one_file and (changed or touched):
                touched = files  # one file takes the place of all
            kept[bucket] = {}
            for path, vectors in map(manifests.places_in, touched):
                self.replaced.add(path)
                kept[bucket][path] = {n: place for n, place in vectors.items() if n not in gone}
        names = {
            (*bucket, name)
            for bucket, files in kept.items()
            for vectors in files.values()
            for name in vectors
        }
        live = live_among(table, snapshot, names, over) if names else set()
        return {
            bucket: {
                path: found
                for path, vectors in files.items()
                if (found := {n: place for n, place in vectors.items() if (*bucket, n) in live})
            }
            for bucket, files in kept.items()
        }


class NewFiles:
    """The files of vectors that one delete writes, in all its attempts."""

    def __init__(self, table: Table, target: int | None) -> None:
        """Begin without any file: see `VectorWriter`."""
        self._table, self._target = table, target
        self._run = str(uuid.uuid4())[: len("01234567-0123-0123")]
        self._folders: dict[Bucket, VectorFolder] = {}
        self._external: dict[Bucket, bool] = {}
        self._used: set[Bucket] = set()

    def folder(self, bucket: Bucket) -> VectorFolder:
        """Return where files of a bucket go, after which some may be there."""
        if bucket not in self._folders:
            path, external = new_vectors_path(self._table, *bucket, "index")
            self._external[bucket] = external
            self._folders[bucket] = VectorFolder(
                self._table.storage, path.rpartition("/")[0], self._run
            )
        return self._folders[bucket]

    def new(self, bucket: Bucket, file: VectorFile) -> NewVectors:
        """Return a file that a worker has written, as a commit needs it."""
        path = f"{self.folder(bucket).path}/{file.name}"
        self._used.add(bucket)
        return NewVectors(*bucket, file, path, self._external[bucket])

    def joins(
        self, changes: Changes, kept: Mapping[Bucket, Places]
    ) -> tuple[list[NewVectors], list[Join]]:
        """Return the new files that stay as they are, and how others are made of the rest.

        Args:
            changes: What changes.
            kept: The vectors of files that are replaced which stay.
        """
        stay: list[NewVectors] = []
        joins: list[Join] = []
        for bucket in dict.fromkeys((*changes.parts, *changes.carried, *kept)):
            parts, sources = changes.parts.get(bucket, []), Places()
            if self._target is not None:
                stay += [part for part in parts if part.file.size >= self._target]
                parts = [part for part in parts if part.file.size < self._target]
            others = {**changes.carried.get(bucket, {}), **kept.get(bucket, {})}
            if len(parts) == 1 and not others:
                stay += parts
                continue
            sources.update((part.path, places_in(part)) for part in parts)
            sources.update(others)
            joins += [
                Join(bucket, self.folder(bucket), some) for some in _packed(sources, self._target)
            ]
        return stay, joins

    def folders(self, *, failed: bool) -> list[VectorFolder]:
        """Return where files may be, each folder once.

        Args:
            failed: Whether a task may have written files without a result. Otherwise, those of a
                bucket whose tasks returned no file have written none.
        """
        buckets = self._folders if failed else self._used
        return list({(at := self._folders[bucket]).path: at for bucket in buckets}.values())


def places_in(new: NewVectors) -> dict[str, VectorPlace]:
    """Return where the vectors of a file are, by name of data file."""
    return {
        str(meta.data_file): VectorPlace(new.path, meta.offset, meta.length, meta.cardinality)
        for meta in new.file.vectors
    }


def _packed(sources: Places, target: int | None) -> Iterator[Places]:
    """Yield the vectors of each file to make: a new one when one has its target size."""
    pack, size = Places(), 0
    for path, vectors in sources.items():
        for name, place in sorted(vectors.items(), key=lambda item: item[1].offset):
            pack.setdefault(path, {})[name] = place
            size += place.length
            if target is not None and size >= target:
                yield pack
                pack, size = Places(), 0
        if target is not None and len(pack) >= _MOST_SOURCES:
            yield pack
            pack, size = Places(), 0
    if pack:
        yield pack
