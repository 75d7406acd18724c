"""The files of deletion vectors that a delete replaces, and those that it writes.

In a table without buckets, files of vectors roll at a target size. A file with a vector that
changes is replaced, and its other vectors are copied. In a bucket there is one file of all vectors.
This is what Java's `BaseAppendDeleteFileMaintainer` and its two kinds do.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.query.plan import Plan
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import NewVectors, Table, new_vectors_path
from paimon_ksy.table_index.deletion_vector import VectorBytes
from paimon_ksy.table_index.deletion_vector_file import join_vectors, read_stored, read_version

Bucket = tuple[tuple[Any, ...], int]
"""A partition and a bucket of it."""

FileInBucket = tuple[tuple[Any, ...], int, str | None]
"""A partition, a bucket of it, and the name of a data file in it."""


def bucket_of(file: DataFile) -> Bucket:
    """Return the partition and bucket of a data file."""
    return file.partition, file.bucket


class BucketChanges:
    """What a delete changes on one snapshot, as planned and as found so far.

    Attributes:
        snapshot: The snapshot that the delete is planned on.
        files: The number of data files that the table has.
        rows: The number of rows that are deleted.
        changed: By bucket, the names of data files that get a vector.
        dropped: Data files of which all rows are deleted, by their keys.
        replaced: The paths of files of vectors that are replaced.
        tasks: By bucket, the data files to search for matching rows.
    """

    def __init__(self, table: Table, planned: Plan, *, one_file: bool, drops: bool) -> None:
        """Plan the changes.

        Args:
            table: The table.
            planned: The data files that may have matching rows.
            one_file: Whether each bucket has one file of all vectors.
            drops: Whether data files may be dropped.

        Raises:
            UnsupportedError: Two partitions are equal in SQL.
        """
        self._table, self._one_file = table, one_file
        self.snapshot = planned.snapshot
        self.rows = 0
        self.changed: defaultdict[Bucket, set[str]] = defaultdict(set)
        self.dropped: dict[tuple[Any, ...], DataFile] = {}
        self.replaced: set[str] = set()
        self.tasks: defaultdict[Bucket, list[FileTask]] = defaultdict(list)
        self._dropped_names: defaultdict[Bucket, set[str]] = defaultdict(set)
        folders: dict[Bucket, str] = {}
        for task in planned:
            assert isinstance(task, FileTask)
            file = task.file
            bucket = bucket_of(file)
            folder = file.path.rpartition("/")[0]
            if file.external_path is None and folders.setdefault(bucket, folder) != folder:
                raise UnsupportedError(
                    f"equals the partition {folders[bucket]} in SQL, but not in Paimon "
                    "(-0.0 and 0.0, or CHAR with other trailing spaces): its rows cannot be "
                    "deleted",
                    path=folder,
                )
            rows = task.known_count if drops and task.predicate is None else None
            if rows is None:
                self.tasks[bucket].append(task)
            else:
                self.rows += rows
                self.dropped[file.key] = file
                self._dropped_names[bucket].add(file.name)
        self.files = planned.files_total

    def without_tasks(self) -> Iterable[Bucket]:
        """Return the buckets of which data files are dropped, and no other is searched."""
        return [bucket for bucket in self._dropped_names if bucket not in self.tasks]

    def replaced_files(self, bucket: Bucket) -> Iterator[tuple[str, dict[str, VectorPlace]]]:
        """Yield the files of vectors of a bucket that are replaced.

        Yields:
            The path of each, and the vectors in it of live data files that stay as they are.
        """
        gone = self.changed.get(bucket, set()) | self._dropped_names.get(bucket, set())
        files = self._vector_files.get(bucket, {})
        touched = [path for path, vectors in files.items() if vectors.keys() & gone]
        if self._one_file and (self.changed.get(bucket) or touched):
            touched = list(files)  # one file takes the place of all
        for path in touched:
            self.replaced.add(path)
            yield (
                path,
                {
                    name: place
                    for name, place in files[path].items()
                    if name not in gone and (*bucket, name) in self._live
                },
            )

    @cached_property
    def _vector_files(self) -> dict[Bucket, dict[str, Mapping[str, VectorPlace]]]:
        """By bucket: the paths of its files of vectors, each with where its vectors are."""
        found: defaultdict[Bucket, dict[str, Mapping[str, VectorPlace]]] = defaultdict(dict)
        for bucket, path, vectors in self._table.index_manifests.vector_files(self.snapshot):
            found[bucket][path] = vectors
        return found

    @cached_property
    def _live(self) -> set[FileInBucket]:
        """The live data files that have a vector."""
        files = self._table.data_files.of(self.snapshot)
        return {(*bucket_of(file), file.name) for file in files if file.deletion_vector is not None}


class NewVectorFiles:
    """The files of vectors that one attempt of a delete writes.

    Attributes:
        made: The files that are written.
    """

    def __init__(self, table: Table, target: int | None) -> None:
        """Begin without any file.

        Args:
            table: The table.
            target: Bytes of a file, about; None if each bucket has one file.
        """
        self._table, self._target = table, target
        self._id = uuid.uuid4()
        self._pending: defaultdict[Bucket, dict[str, VectorBytes]] = defaultdict(dict)
        self._sizes: Counter[Bucket] = Counter()
        self._paths: list[str] = []
        self.made: list[NewVectors] = []

    def add(self, bucket: Bucket, data_file: str, vector: VectorBytes) -> None:
        """Add the vector of a data file; write a file if it has its target size now."""
        self._pending[bucket][data_file] = vector
        self._sizes[bucket] += len(vector.data)
        if self._target is not None and self._sizes[bucket] >= self._target:
            self.write(bucket)

    def copy(self, bucket: Bucket, path: str, vectors: Mapping[str, VectorPlace]) -> int:
        """Add vectors that stand in another file, and return the bytes read.

        Raises:
            CorruptFileError: The other file is malformed.
        """
        if not vectors:
            return 0
        with self._table.storage.open(path) as source:
            try:
                read_version(source)
                for name, place in sorted(vectors.items(), key=lambda item: item[1].offset):
                    found = read_stored(source, place.offset, place.length, place.cardinality)
                    self.add(bucket, name, found.vector.stored())
            except CorruptFileError as error:
                error.path = error.path or path
                raise
            return source.bytes_read

    def write(self, bucket: Bucket) -> None:
        """Write the vectors of a bucket that no file has yet, if there are any."""
        vectors = self._pending.pop(bucket, None)
        self._sizes.pop(bucket, None)
        if not vectors:
            return
        name = f"index-{self._id}-{len(self._paths)}"
        path, external = new_vectors_path(self._table, *bucket, name)
        file, data = join_vectors(name, vectors)
        self._paths.append(path)  # first, so that it is deleted whatever happens
        self._table.storage.write(path, data)
        self.made.append(NewVectors(*bucket, file, path, external))

    def places(self) -> dict[FileInBucket, VectorPlace]:
        """Return where the vectors of data files are."""
        return {
            (new.partition, new.bucket, meta.data_file): VectorPlace(
                new.path, meta.offset, meta.length, meta.cardinality
            )
            for new in self.made
            for meta in new.file.vectors
        }

    def delete(self) -> None:
        """Delete all files."""
        for path in self._paths:
            self._table.storage.delete(path)
