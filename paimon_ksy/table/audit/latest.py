"""The latest snapshot, as an audit checks it: live data files, their vectors, and buckets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.buckets import BucketIndexFile, PartitionBuckets
from paimon_ksy.table.audit.data_files import REMEDY_INDEX
from paimon_ksy.table.audit.findings import FindingCollector
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.repairs import Repairs
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    HASH,
    DataFile,
    IndexFile,
    VectorPlace,
)
from paimon_ksy.table.query.partition_filter import PartitionFilter
from paimon_ksy.table.store import Table

_Partition = tuple[Any, ...]

FileInBucket = tuple[_Partition, int, str]
"""A partition, a bucket of it, and the name of a data file in it."""


class LatestSnapshot:
    """The latest snapshot of a table; `tasks` walks its live data files."""

    def __init__(
        self,
        table: Table,
        snapshot: Any,
        history: History,
        findings: FindingCollector,
        repairs: Repairs,
        *,
        partitions: PartitionFilter | None,
        deep: bool,
    ) -> None:
        """Read the manifest lists and the index manifest.

        Args:
            table: The table.
            snapshot: The snapshot.
            history: The metadata, with its schemas read.
            findings: Receives what contradicts itself.
            repairs: Receives data files whose indexes have to be built again.
            partitions: Selects the data files to check.
            deep: Check the keys in dynamic buckets.
        """
        self._table, self._snapshot, self._history = table, snapshot, history
        self._findings, self._repairs = findings, repairs
        self._partitions, self._deep = partitions, deep
        self._index_manifest = f"{table.location}/manifest/{snapshot.index_manifest}"
        self._index_files = history.index_files(snapshot, snapshot.id)
        self._vectors = self._vector_places()
        self._manifests = [
            manifest
            for role in ("base", "delta")
            for manifest in history.manifest_list(
                getattr(snapshot, f"{role}_manifest_list"), snapshot.id
            )
        ]

    @property
    def is_whole(self) -> bool:
        """Whether all manifests that were read so far could be read."""
        return self._history.are_readable(self._manifests)

    def tasks(self) -> Iterator[DataFile | PartitionBuckets]:
        """Yield the live data files, and at the end the dynamic buckets, to be checked."""
        records = 0
        has_partial_rows = False
        index_owners: dict[str, str] = {}
        keyed_files: defaultdict[_Partition, list[DataFile]] = defaultdict(list)
        is_dynamic = self._table.bucket_mode == "HASH_DYNAMIC"
        with_files: defaultdict[_Partition, set[int]] = defaultdict(set)
        for entry in self._history.live_entries(self._manifests):
            records += entry.file.row_count
            has_partial_rows = has_partial_rows or entry.file.write_cols is not None
            file = self._history.data_file(entry)
            if file is None:
                key = self._table.data_files.partition_of(entry), entry.bucket, entry.file.file_name
                self._vectors.pop(key, None)
                continue
            place = self._vectors.pop((file.partition, file.bucket, file.name), None)
            if not self._is_selected(file.partition, file.bucket):
                continue
            for path in file.index_files:
                if path in index_owners:
                    self._add_shared_index(file, path, index_owners[path])
                index_owners[path] = file.name
            file = file.without_statistics()
            if is_dynamic:
                with_files[file.partition].add(file.bucket)
                if self._deep:
                    keyed_files[file.partition].append(replace(file, embedded_index=None))
            yield replace(file, deletion_vector=place)
        self._add_vectors_without_file()
        if self.is_whole and not has_partial_rows:
            self._check_record_count(records)
        if is_dynamic:
            yield from self._buckets(keyed_files, with_files)

    def _is_selected(self, partition: _Partition, bucket: int) -> bool:
        return self._partitions is None or self._partitions(partition, bucket)

    def _add_shared_index(self, file: DataFile, path: str, owner: str) -> None:
        message = f"both {owner} and {file.name} have it as their index"
        shared = Finding(ERROR, "index", path, None, None, message, REMEDY_INDEX)
        self._repairs.add(file, self._findings.add(shared))

    def _add_vectors_without_file(self) -> None:
        if self._table.schema.primary_keys:
            return  # Java's full compactions leave those of files that they replace
        for (partition, _, name), place in self._vectors.items():
            if self._is_selected(partition, 0):
                message = (
                    f"the vector at byte {place.offset} belongs to {name}, which is not a live file"
                )
                remedy = "it deletes no row; the next compaction of its bucket drops it"
                self._add_vector_finding(place, message, remedy)

    def _check_record_count(self, records: int) -> None:
        snapshot = self._snapshot
        if self._history.was_made_before_0_8:
            return
        if has_record_counts(snapshot) and records != snapshot.total_record_count:
            self._findings.add_problem(
                "record-count",
                f"{self._history.folder}/snapshot/snapshot-{snapshot.id}",
                f"it counts {snapshot.total_record_count} records, but its data files contain "
                f"{records}",
            )

    def _buckets(
        self,
        files: Mapping[_Partition, list[DataFile]],
        with_files: Mapping[_Partition, set[int]],
    ) -> Iterator[PartitionBuckets]:
        """Yield the dynamic buckets of each partition."""
        indexes: defaultdict[_Partition, list[BucketIndexFile]] = defaultdict(list)
        for file in self._index_files:
            if file.index_type == HASH and (path := self._history.index_path(file)) is not None:
                indexes[file.partition].append(
                    BucketIndexFile(file.bucket, path, file.file_size, file.row_count)
                )
        for partition in {*indexes, *with_files}:
            if self._is_selected(partition, 0):
                yield PartitionBuckets(
                    tuple(indexes.get(partition, ())),
                    tuple(files.get(partition, ())),
                    frozenset(with_files.get(partition, ())),
                    self._index_manifest,
                )

    def _vector_places(self) -> dict[FileInBucket, VectorPlace]:
        """Return where the vectors of data files are; the later one if a file has two."""
        for file in self._index_files:
            self._check_index_file(file)
        places: dict[FileInBucket, VectorPlace] = {}
        for key, place in vector_places(self._history, self._index_files):
            if key in places:
                other = places[key]
                message = (
                    f"it is a second vector of {key[2]}; the first is at byte {other.offset} "
                    f"of {other.path}"
                )
                remedy = f"the deleted rows of {key[2]} are unknown; roll back to a sound snapshot"
                self._add_vector_finding(place, message, remedy)
            places[key] = place
        return places

    def _check_index_file(self, file: IndexFile) -> None:
        # Java writes a file of its version alone where a compaction leaves no vector.
        has_vectors = file.row_count or file.file_size > 1
        if file.index_type == DELETION_VECTORS and not file.vectors and has_vectors:
            message = f"it lists no vectors of {file.file_name}"
            self._findings.add_problem("manifest", self._index_manifest, message)
        if file.index_type not in (DELETION_VECTORS, HASH) and file.global_index is None:
            message = f"{file.file_name} has the unknown index type {file.index_type!r}"
            self._findings.add_problem("manifest", self._index_manifest, message)

    def _add_vector_finding(self, place: VectorPlace, message: str, remedy: str) -> None:
        self._findings.add(
            Finding(ERROR, "deletion-vector", place.path, None, place.offset, message, remedy)
        )


def vector_places(
    history: History, files: Iterable[IndexFile]
) -> Iterator[tuple[FileInBucket, VectorPlace]]:
    """Yield the deletion vectors that are in index files."""
    for file in files:
        if file.index_type == DELETION_VECTORS and (path := history.index_path(file)) is not None:
            for name, range in file.vectors.items():
                yield (file.partition, file.bucket, name), VectorPlace(path, *range)
