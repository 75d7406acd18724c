"""The vector files that a delete writes, and those that it replaces.

In a table without buckets, vector files roll at a target size. A file with a changed vector is
replaced, and its other vectors are copied. With buckets, each bucket has one file with all its
vectors. Java's `BaseAppendDeleteFileMaintainer` and its two subclasses do the same.

Workers write all files. Their names are `index-UUID-N`, as in Java. The first half of the UUID is
that of the delete, so that its files can be found. The second half is random: a task that runs
twice writes files with two names, and only one is returned.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from paimon_ksy.errors import naming
from paimon_ksy.io.source import open_source
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, IndexFile, Snapshot, VectorPlace
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.commits import sweep
from paimon_ksy.table.store.vector_commit import NewVectors, RowFile, live_among
from paimon_ksy.table_index.deletion_vector_file import (
    VectorFile,
    join_vectors,
    read_stored,
    read_version,
)
from paimon_ksy.table_index.vector_bytes import VectorBytes

Bucket = tuple[tuple[Any, ...], int]
"""A partition, and a bucket in it."""

Places = dict[str, dict[str, VectorPlace]]
"""The places of vectors, by the path of their vector file, then by the name of the data file."""

_MOST_SOURCES = 1000
"""Maximum files that one worker joins, since it reads one after the other."""


def bucket_of(file: DataFile) -> Bucket:
    """Return the partition and bucket of a data file."""
    return file.partition, file.bucket


# Workers ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorFolder:
    """The folder in which a delete writes the vector files of a bucket.

    `run` is the first half of the UUIDs of the delete.
    """

    storage: Storage
    path: str
    run: str


class VectorWriter:
    """Writer of the vectors of one bucket, which begins a new file at each target size."""

    def __init__(self, folder: VectorFolder, target: int | None) -> None:
        """Initialise without files.

        `target` is the approximate size of a file in bytes; None for one file.
        """
        self._folder, self._target = folder, target
        self._id = f"{folder.run}{str(uuid.uuid4())[len(folder.run) :]}"
        self._pending: dict[str, VectorBytes] = {}
        self._size = 0
        self._files: list[VectorFile] = []

    def add(self, data_file: str, vector: VectorBytes) -> None:
        """Add the vector of a data file; write the file once it has its target size."""
        self._pending[data_file] = vector
        self._size += len(vector.data)
        if self._target is not None and self._size >= self._target:
            self._write()

    def finish(self) -> tuple[VectorFile, ...]:
        """Write the remaining vectors, and return all files."""
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
    """Vectors of a bucket, in several files, to join to one new file."""

    bucket: Bucket
    folder: VectorFolder
    sources: Places


def join_files(join: Join) -> tuple[VectorFile, int]:
    """Write one file with vectors of other files, and return it and the bytes read.

    Raises:
        CorruptFileError: One of the other files is malformed.
    """
    writer, bytes_read = VectorWriter(join.folder, None), 0
    for path, vectors in join.sources.items():
        data = join.folder.storage.read(path)  # whole, since most of it is needed
        bytes_read += len(data)
        with naming(path):
            source = open_source(data)
            read_version(source)
            for name, place in vectors.items():
                stored = read_stored(source, place.offset, place.length, place.cardinality)
                writer.add(name, stored.vector.stored())
    [file] = writer.finish()
    return file, bytes_read


# Driver -------------------------------------------------------------------------------------------


class Change(NamedTuple):
    """The number of rows that a data file loses, and the digest of its previous state."""

    rows: int
    digest: bytes


@dataclass
class Changes:
    """The changes of a delete to one snapshot, as found so far.

    Attributes:
        rows: The number of deleted rows.
        changed: The data files that get a vector, by bucket and name; empty in a dry run.
        files_changed: The number of data files that get a vector.
        dropped: `DataFile.key` of data files whose rows are all deleted.
        kept: The partitions of all other data files that were planned.
        dropped_vectors: The names of dropped data files that have a vector, by bucket.
        parts: New vector files, by bucket.
        carried: New vectors in files of an earlier attempt, by bucket.
        replaced: The paths of vector files that are replaced.
        row_files: The data files, with row ids, of the rows that get a vector or are dropped.
    """

    rows: int = 0
    files_changed: int = 0
    changed: defaultdict[Bucket, dict[str, Change]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    dropped: set[tuple[Any, ...]] = field(default_factory=set)
    kept: set[tuple[Any, ...]] = field(default_factory=set)
    dropped_vectors: defaultdict[Bucket, set[str]] = field(default_factory=lambda: defaultdict(set))
    parts: defaultdict[Bucket, list[NewVectors]] = field(default_factory=lambda: defaultdict(list))
    carried: defaultdict[Bucket, Places] = field(default_factory=lambda: defaultdict(dict))
    replaced: set[str] = field(default_factory=set)
    row_files: list[RowFile] = field(default_factory=list)

    def drop(self, files: Sequence[DataFile], rows: int) -> None:
        """Note data files that are dropped with all their live rows.

        `files` are as in `FileTask.files`, also in other methods; `rows` counts live rows.
        """
        self.rows += rows
        self._note_files(files)
        self.dropped.update(file.key for file in files)
        if files[0].deletion_vector is not None:
            self.dropped_vectors[bucket_of(files[0])].add(files[0].name)

    def carry(self, files: Sequence[DataFile], change: Change, place: VectorPlace) -> None:
        """Note a new vector that an earlier attempt has already written."""
        self.change(files, change)
        name, bucket = files[0].name, bucket_of(files[0])
        self.carried[bucket].setdefault(place.path, {})[name] = place

    def change(self, files: Sequence[DataFile], change: Change) -> None:
        """Note data files whose rows get a vector: that of the first file."""
        self.note(change.rows)
        self._note_files(files)
        self.changed[bucket_of(files[0])][files[0].name] = change

    def _note_files(self, files: Sequence[DataFile]) -> None:
        for file in files:
            if (first := file.first_row_id) is not None:
                self.row_files.append((file.name, first, file.num_rows))

    def note(self, rows: int) -> None:
        """Count the rows that a data file loses."""
        self.files_changed += rows > 0
        self.rows += rows

    def replace(
        self, table: Table, snapshot: Snapshot | None, engine: Engine, *, one_file: bool
    ) -> dict[Bucket, Places]:
        """Note the vector files that are replaced, and return the vectors that stay, by bucket.

        Vectors of removed data files are left out. With `one_file`, each bucket has one file with
        all its vectors.
        """
        if not self.changed and not self.dropped_vectors:
            return {}
        kept: dict[Bucket, Places] = {}
        for bucket, files in self._old_files(table, snapshot).items():
            changed = self.changed.get(bucket, {})
            gone = changed.keys() | self.dropped_vectors.get(bucket, set())
            touched = [file for file in files if not gone.isdisjoint(file.vectors)]
            if one_file and (changed or touched):
                touched = files  # one new file replaces all of them
            kept[bucket] = {}
            for path, vectors in map(table.index_manifests.places_in, touched):
                self.replaced.add(path)
                kept[bucket][path] = {n: place for n, place in vectors.items() if n not in gone}
        names = {key for bucket, files in kept.items() for key in _keys(bucket, files)}
        live = live_among(table, snapshot, names, engine) if names else set()
        return {bucket: _live(bucket, files, live) for bucket, files in kept.items()}

    def _old_files(
        self, table: Table, snapshot: Snapshot | None
    ) -> Mapping[Bucket, list[IndexFile]]:
        """Return the vector files of the buckets that change."""
        old: defaultdict[Bucket, list[IndexFile]] = defaultdict(list)
        for file in table.index_manifests.with_vectors(snapshot):
            bucket = file.partition, file.bucket
            if bucket in self.changed or bucket in self.dropped_vectors:
                old[bucket].append(file)
        return old


def _keys(bucket: Bucket, files: Places) -> Iterator[tuple[Any, ...]]:
    """Yield what identifies the data files of vectors."""
    return ((*bucket, name) for vectors in files.values() for name in vectors)


def _live(bucket: Bucket, files: Places, live: Container[tuple[Any, ...]]) -> Places:
    """Return the vectors of live data files, by vector file."""
    some = {
        path: {name: place for name, place in vectors.items() if (*bucket, name) in live}
        for path, vectors in files.items()
    }
    return Places({path: vectors for path, vectors in some.items() if vectors})


class NewFiles:
    """The vector files that one delete writes, in all its attempts."""

    def __init__(self, table: Table, target: int | None) -> None:
        """Initialise without files: see `VectorWriter`."""
        self._table, self._target = table, target
        self._run = str(uuid.uuid4())[: len("01234567-0123-0123")]
        self._folders: dict[Bucket, VectorFolder] = {}
        self._external: dict[Bucket, bool] = {}
        self._used: set[Bucket] = set()

    def folder(self, bucket: Bucket) -> VectorFolder:
        """Return the folder for a bucket's files, and note that it may contain some from now on."""
        if bucket not in self._folders:
            partition, number = bucket
            row = self._table.data_files.partition_row(partition)
            path, self._external[bucket] = self._table.paths.new_index_file(row, number, "index")
            self._table.storage.roots.check_change(path)
            folder = path.rpartition("/")[0]
            self._folders[bucket] = VectorFolder(self._table.storage, folder, self._run)
        return self._folders[bucket]

    def new(self, bucket: Bucket, file: VectorFile) -> NewVectors:
        """Return a file that a worker has written, in the form that a commit needs."""
        path = f"{self.folder(bucket).path}/{file.name}"
        self._used.add(bucket)
        return NewVectors(*bucket, file, path, self._external[bucket])

    def joins(
        self, changes: Changes, kept: Mapping[Bucket, Places]
    ) -> tuple[list[NewVectors], list[Join]]:
        """Return the new files that stay unchanged, and the joins that make the others.

        `kept` are the vectors that stay, of files that are replaced.
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

    def sweep(self, kept: Iterable[NewVectors] = (), *, failed: bool = False) -> None:
        """Delete the files of all attempts and of lost tasks, except for these.

        Args:
            kept: The files that stay.
            failed: Whether a task may have written files without returning them. Otherwise, a
                bucket whose tasks returned no file contains none.
        """
        used = self._folders if failed else self._used
        folders = {self._folders[bucket].path for bucket in used}
        names = {new.file.name for new in kept}
        prefix = f"index-{self._run}-"
        sweep(self._table.storage, folders, lambda name: name.startswith(prefix), names)


def places_in(new: NewVectors) -> dict[str, VectorPlace]:
    """Return the places of the vectors in a file, by name of data file."""
    return {
        str(meta.data_file): VectorPlace(new.path, meta.offset, meta.length, meta.cardinality)
        for meta in new.file.vectors
    }


def _packed(sources: Places, target: int | None) -> Iterator[Places]:
    """Yield the vectors of each file to write; a new file begins at the target size."""
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
