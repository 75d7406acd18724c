"""Commit new files of deletion vectors, and remove whole data files."""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import ConflictError
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.manifests.entries import ADD, DELETE
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import DELETION_VECTORS, FileInBucket, Snapshot, digest_of
from paimon_ksy.table.model.row_ranges import RowRanges
from paimon_ksy.table.store.commits import Attempts, Changes, commit, same_files
from paimon_ksy.table.store.file_entries import changed, digests, entries_of, keys, of_live
from paimon_ksy.table.store.manifest_writer import ManifestWriter, Record
from paimon_ksy.table.store.table import Table
from paimon_ksy.table_index.deletion_vector_file import VectorFile
from paimon_ksy.types.arrays import Numbers, filled, to_numpy


@dataclass(frozen=True)
class NewVectors:
    """A new file of deletion vectors of data files in one bucket.

    It is `external` if its path is outside the folder in which tables store such files.
    """

    partition: tuple[Any, ...]
    bucket: int
    file: VectorFile
    path: str
    external: bool


RowFile = tuple[str, int, int]
"""The name of a data file, the id of its first row, and the number of its rows."""


@dataclass(frozen=True, eq=False)
class FilesOfRows:
    """Row ids, and the names of the data files with values of these rows, as large_string."""

    ids: RowRanges
    names: pa.Array

    @classmethod
    def of(cls, files: Sequence[RowFile]) -> FilesOfRows:
        """Return the row ids of these files."""
        first, count = np.array([file[1:] for file in files], np.int64).reshape(-1, 2).T
        names = pa.array([name for name, _, _ in files], pa.large_string())
        return cls(RowRanges.of(first, first + count), names)

    def others(self, entries: pa.RecordBatch) -> Numbers:
        """Return which entries are of other files with values of these rows."""
        first = to_numpy(filled(entries.column("_FIRST_ROW_ID"), -1))
        stops = first + to_numpy(entries.column("_ROW_COUNT"))
        meets = (first >= 0) & (self.ids.count_in(first, stops) > 0)
        is_here = to_numpy(pc.is_in(entries.column("_FILE_NAME"), self.names))
        return np.flatnonzero(meets & ~is_here)


@dataclass(frozen=True)
class Deletion:
    """What a commit of deletion vectors changes.

    Attributes:
        added: The new files of deletion vectors.
        replaced: The paths of the files that they replace.
        dropped: `DataFile.key` of each data file to remove.
        partitions: The partitions of which all planned data files are removed, and so their global
            indexes, as in Java.
        rows: The row ids of the data files that are removed or get vectors, if rows have ids.
    """

    added: Sequence[NewVectors]
    replaced: Container[str]
    dropped: Set[tuple[Any, ...]]
    partitions: Set[tuple[Any, ...]]
    rows: FilesOfRows

    @property
    def names(self) -> set[FileInBucket]:
        """The partition, bucket and name of each data file that gets a vector or is removed."""
        return {
            (new.partition, new.bucket, str(meta.data_file))
            for new in self.added
            for meta in new.file.vectors
        } | {(partition, bucket, name) for partition, bucket, _, name, _ in self.dropped}


def commit_vectors(
    table: Table,
    planned: Snapshot,
    deletion: Deletion,
    engine: Engine | None = None,
    attempts: Attempts | None = None,
) -> int:
    """Replace files of deletion vectors in one snapshot, and return its id.

    The snapshot's kind is OVERWRITE, as for Java's delete. As there, the record counts are those of
    the data files.

    Args:
        table: The table with which all was planned.
        planned: The snapshot for which all was planned.
        deletion: The changes.
        engine: The engine that reads manifests if there are many; None for threads.
        attempts: Receives the outcome.

    Raises:
        ConflictError: A data file or a replaced file was removed, or a data file has another vector
            now, or another file has values of its rows. Or a bucket's only file of vectors has
            changed. Nothing is committed.
        UncertainError: It is unknown whether the snapshot was made.
    """
    names, dropped, partitions = deletion.names, deletion.dropped, deletion.partitions
    # Java stores one file of vectors for each bucket, whatever its name.
    one_each = table.bucket_mode != "BUCKET_UNAWARE"
    buckets = {(new.partition, new.bucket) for new in deletion.added} if one_each else set()
    old = {
        file.file_name
        for file in table.index_manifests.with_vectors(planned)
        if table.paths.index_file(file) in deletion.replaced
    }
    every = table.index_manifests.of(planned) if partitions else ()
    unused = {
        file.file_name for file in every if file.global_index and file.partition in partitions
    }
    index_files = [_record(table, new) for new in deletion.added]

    def plan(latest: Snapshot | None, writer: ManifestWriter) -> Changes:
        """Return the changes. Raises ConflictError."""
        problem = _same_vectors(table, latest, old, names, buckets)
        if problem is not None:
            raise ConflictError(f"conflict: {problem}", path=table.location)
        if not dropped and latest is not None and same_files(planned, latest):
            return Changes(index_files=index_files, gone=old | unused)
        look = _Named.of(names, dropped, deletion.rows)
        missing = set(look.places)
        parts: list[pa.RecordBatch] = []
        for manifest, files in of_live(table, table.manifests.of(latest), look, engine):
            if any(place is None for place, _ in files):
                raise ConflictError(
                    "conflict: columns of the same rows were updated meanwhile",
                    path=table.location,
                )
            missing.difference_update(place for place, _ in files)
            digests = (digest for _, digest in files if digest is not None)
            parts += (changed(e.records, DELETE) for e in entries_of(table, manifest, digests))
        if missing:
            file = min(each[2] for each in names if _place(*each) in missing)
            raise ConflictError(
                f"conflict: data file {file} was replaced meanwhile", path=table.location
            )
        manifests = [writer.manifest(parts)] if parts else []
        removed = [entry for part in parts for entry in part.to_pylist()]
        return Changes(manifests, removed, index_files, old | unused)

    return commit(table, "OVERWRITE", plan, attempts)


def _place(partition: tuple[Any, ...], bucket: int, name: str) -> bytes:
    """Return a digest of a file in a bucket, since equality of NaN would depend on the process."""
    return digest_of((partition, bucket, name), ())


@dataclass(frozen=True, eq=False)
class _Named:
    """A function that returns live files, with the digests of those to remove (see `Visitor`).

    Attributes:
        names: The names of the files, as large_string.
        places: `_place` of each file.
        dropped: Digests of `DataFile.key` of the files to remove.
        rows: The row ids of all these files. Other files with values of these rows are returned,
            too, with None as their place.
    """

    names: pa.Array
    places: frozenset[bytes]
    dropped: frozenset[bytes]
    rows: FilesOfRows | None = None

    @classmethod
    def of(
        cls,
        files: Set[FileInBucket],
        dropped: Set[tuple[Any, ...]] = frozenset(),
        rows: FilesOfRows | None = None,
    ) -> _Named:
        names = pa.array([name for _, _, name in files], pa.large_string())
        places = frozenset(_place(*file) for file in files)
        return cls(names, places, frozenset(digest_of(key, ()) for key in dropped), rows)

    def __call__(
        self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
    ) -> list[tuple[int, tuple[bytes | None, bytes | None]]]:
        at = np.flatnonzero(pc.is_in(entries.column("_FILE_NAME"), self.names))
        some = entries.take(at), numbers[at], partitions
        others = () if self.rows is None else self.rows.others(entries).tolist()
        named: list[tuple[int, tuple[bytes | None, bytes | None]]] = [
            (number, (None, None)) for number in others
        ]
        for number, key, digest in zip(at.tolist(), keys(*some), digests(*some), strict=True):
            partition, bucket, _, name, _ = key
            if (place := _place(partition, bucket, name)) in self.places:
                is_dropped = bool(self.dropped) and digest_of(key, ()) in self.dropped
                named.append((number, (place, digest if is_dropped else None)))
        return named


def live_among(
    table: Table,
    snapshot: Snapshot | None,
    names: Set[FileInBucket],
    engine: Engine | None = None,
) -> set[FileInBucket]:
    """Return which of some data files are live in a snapshot."""
    look = _Named.of(names)
    live = {
        place
        for _, files in of_live(table, table.manifests.of(snapshot), look, engine)
        for place, _ in files
    }
    return {file for file in names if _place(*file) in live}


def _same_vectors(
    table: Table, snapshot: Snapshot | None, replaced: Set[str], names: Set[Any], buckets: Set[Any]
) -> str | None:
    """Return why new vectors cannot replace these files of vectors; None if they can."""
    missing = set(replaced)
    for file in table.index_manifests.with_vectors(snapshot):
        bucket = file.partition, file.bucket
        if file.file_name in replaced:
            missing.discard(file.file_name)
        elif bucket in buckets or any((*bucket, name) in names for name in file.vectors):
            return f"{file.file_name} now deletes rows of the same data files"
    return f"{min(missing)} was replaced meanwhile" if missing else None


def _record(table: Table, new: NewVectors) -> Record:
    """Return the record of a new file of deletion vectors, with ranges in the order of the file.

    Java reads them one after another.
    """
    return {
        "_VERSION": 1,
        "_KIND": ADD,
        "_PARTITION": table.data_files.partition_row(new.partition),
        "_BUCKET": new.bucket,
        "_INDEX_TYPE": DELETION_VECTORS,
        "_FILE_NAME": new.file.name,
        "_FILE_SIZE": new.file.size,
        "_ROW_COUNT": len(new.file.vectors),
        "_DELETIONS_VECTORS_RANGES": [
            {"f0": v.data_file, "f1": v.offset, "f2": v.length, "_CARDINALITY": v.cardinality}
            for v in new.file.vectors
        ],
        "_EXTERNAL_PATH": new.path if new.external else None,
    }
