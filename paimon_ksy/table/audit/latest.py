"""Check the latest snapshot: live data files, their vectors, and buckets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from paimon_ksy.errors import counted
from paimon_ksy.io.file_kind import CHECKED, index_kind
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.table.audit.buckets import BucketIndexFile, PartitionBuckets, UnmergedFiles
from paimon_ksy.table.audit.data_files import REMEDY_INDEX
from paimon_ksy.table.audit.findings import FindingCollector
from paimon_ksy.table.audit.manifests import FoundLive
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.repairs import Repairs
from paimon_ksy.table.manifests.index_files import IndexFiles
from paimon_ksy.table.manifests.vectors import VectorPlaces, of_keys
from paimon_ksy.table.model.digests import Digests, DigestSet, digests
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    HASH,
    DataFile,
    FileInBucket,
    IndexFile,
    Snapshot,
    VectorPlace,
)
from paimon_ksy.table.query.partition_filter import PartitionFilter
from paimon_ksy.table.query.splits import Reading, overlapping
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on

_Partition = tuple[Any, ...]


class LatestSnapshot:
    """The latest snapshot of a table: sums and digests of its live data files, and its vectors.

    Attributes:
        has_vectors: Whether it has deletion vectors.
    """

    def __init__(
        self,
        table: Table,
        snapshot: Snapshot,
        history: History,
        findings: FindingCollector,
        repairs: Repairs,
        *,
        partitions: PartitionFilter | None,
    ) -> None:
        """Read the index manifest.

        Args:
            table: The table.
            snapshot: The snapshot.
            history: The metadata, with its schemas read.
            findings: Receives contradictions.
            repairs: Receives data files whose indexes have to be rebuilt.
            partitions: Selects the data files to check.
        """
        self._table, self._snapshot, self._history = table, snapshot, history
        self._findings, self._repairs = findings, repairs
        self._partitions = partitions
        self._index_manifest = f"{table.location}/manifest/{snapshot.index_manifest}"
        self._buckets: defaultdict[_Partition, list[BucketIndexFile]] = defaultdict(list)
        vectors = VectorPlaces(self._index_files(), table.paths.index_file)
        if not history.has_read(snapshot.index_manifest):
            vectors = VectorPlaces((), table.paths.index_file)
        if len(vectors.doubles):
            self._add_doubles(vectors.doubles)
        self.has_vectors = len(vectors) > 0
        if self.has_vectors and not is_on(table.options, "deletion-vectors.enabled"):
            self._findings.add_problem(
                "deletion-vector",
                self._index_manifest,
                f"it has {len(vectors)} deletion vectors, but the table's option "
                "deletion-vectors.enabled is off: Java ignores them, and may return the rows that "
                "they delete; paimon-ksy does not",
                "to have Java apply them, turn the option on",
                WARNING,
            )
        self._vector_keys = vectors.keys
        self._has_file = np.zeros(len(vectors), np.bool_)
        self._records = 0
        self._has_partial_rows = False
        self._indexes: list[Digests] = [digests([])]
        self._keyed_files: defaultdict[_Partition, list[DataFile]] = defaultdict(list)
        self._with_files: defaultdict[_Partition, set[int]] = defaultdict(set)

    def add(self, found: FoundLive) -> None:
        """Add the results of a slice of a manifest."""
        self._records += found.rows
        self._has_partial_rows = self._has_partial_rows or found.is_partial
        self._indexes.append(found.indexes)
        for partition, buckets in found.buckets.items():
            self._with_files[partition] |= buckets
        for file in found.keyed:
            self._keyed_files[file.partition].append(file)
        if len(found.vectors):
            at = np.searchsorted(self._vector_keys, found.vectors)
            at = at.clip(max=len(self._vector_keys) - 1)
            self._has_file[at[self._vector_keys[at] == found.vectors]] = True

    def check(self, *, is_whole: bool) -> None:
        """Check the totals of all live files, once all are added.

        Args:
            is_whole: Whether all manifests could be read.
        """
        self._add_vectors_without_file()
        if is_whole and not self._has_partial_rows:
            self._check_record_count()

    def check_sharing(self) -> None:
        """Check that no data file shares its index with another one, once all are added."""
        found, counts = np.unique(np.concatenate(self._indexes), return_counts=True)
        shared = DigestSet(found[counts > 1])
        owners: dict[str, str] = {}
        for file in self._table.files(self._snapshot, self._partitions) if shared else ():
            for path in file.index_files:
                if not shared.contains(digests([path]))[0]:
                    continue
                if path in owners:
                    message = f"both {owners[path]} and {file.name} have it as their index"
                    sharing = Finding(ERROR, "index", path, None, None, message, REMEDY_INDEX)
                    self._repairs.add(file, self._findings.add(sharing))
                owners[path] = file.name

    def buckets(self) -> Iterator[PartitionBuckets]:
        """Yield the dynamic buckets to check, by partition."""
        if self._table.bucket_mode != "HASH_DYNAMIC":
            return
        for partition in {*self._buckets, *self._with_files}:
            if self._is_selected(partition):
                yield PartitionBuckets(
                    tuple(self._buckets.get(partition, ())),
                    tuple(self._keyed_files.get(partition, ())),
                    frozenset(self._with_files.get(partition, ())),
                    self._index_manifest,
                )

    def unmerged(self) -> Iterator[UnmergedFiles]:
        """Yield the data files in which a key may be live twice, bucket by bucket."""
        schema, found = self._table.schema, defaultdict[Any, list[DataFile]](list)
        for files in self._keyed_files.values():
            for section in Reading.of(schema).sections(files):
                if section.merge is None:
                    [file] = section.files
                    found[file.partition_row, file.bucket].append(file)
        for of_bucket in found.values():
            for files in overlapping(of_bucket):
                if len(files) > 1:
                    yield UnmergedFiles(tuple(files), schema)

    def _is_selected(self, partition: _Partition) -> bool:
        return self._partitions is None or self._partitions(partition, 0)

    def _index_files(self) -> Iterator[IndexFiles]:
        """Check and yield the index files, and keep the indexes of dynamic buckets."""
        is_dynamic = self._table.bucket_mode == "HASH_DYNAMIC"
        for files in self._history.index_files(self._snapshot, self._snapshot.id):
            for file in files:
                self._check_index_file(file)
                is_bucket = is_dynamic and file.index_type == HASH
                if not is_bucket and file.index_type != DELETION_VECTORS:
                    continue
                path = self._history.index_path(file)
                if is_bucket and path is not None:
                    found = BucketIndexFile(file.bucket, path, file.file_size, file.row_count)
                    self._buckets[file.partition].append(found)
            yield files

    def _vectors_of(self, wanted: Digests) -> Iterator[tuple[FileInBucket, VectorPlace]]:
        """Yield the vectors of the data files with these keys."""
        files = self._history.index_files(self._snapshot, self._snapshot.id)
        manifests, wrong = self._table.index_manifests, self._history.add_unnamed
        return manifests.some_vectors(files, of_keys(wanted), wrong)

    def _add_vectors_without_file(self) -> None:
        if self._table.schema.primary_keys or self._has_file.all():
            return  # Java's full compactions leave the vectors of files that they replace
        found = dict(self._vectors_of(self._vector_keys[~self._has_file]))
        for (partition, _, name), place in found.items():
            if self._is_selected(partition):
                message = (
                    f"the vector at byte {place.offset} belongs to {name}, which is not a live file"
                )
                remedy = "it deletes no rows; the next compaction of its bucket drops it"
                self._add_vector_finding(place, message, remedy)

    def _check_record_count(self) -> None:
        snapshot = self._snapshot
        is_wrong = has_record_counts(snapshot) and self._records != snapshot.total_record_count
        if is_wrong and not self._history.was_made_before_0_8:
            self._findings.add_problem(
                "record-count",
                f"{self._history.folder}/snapshot/snapshot-{snapshot.id}",
                f"it counts {counted(snapshot.total_record_count, 'record')}, but its data "
                f"files contain {self._records}",
            )

    def _add_doubles(self, doubles: Digests) -> None:
        """Add findings about data files that have several vectors."""
        places: dict[FileInBucket, VectorPlace] = {}
        for key, place in self._vectors_of(doubles):
            if key in places:
                other = places[key]
                first = f"the first is at byte {other.offset} of {other.path}"
                message = f"it is a second vector of {key[2]}; {first}"
                remedy = f"the deleted rows of {key[2]} are unknown; roll back to a sound snapshot"
                self._add_vector_finding(place, message, remedy)
            places[key] = place

    def _check_index_file(self, file: IndexFile) -> None:
        # If a compaction leaves no vector, Java writes a file with only the version.
        has_vectors = file.row_count or file.file_size > 1
        if file.index_type == DELETION_VECTORS and not file.vectors and has_vectors:
            message = f"it lists no vectors of {file.file_name}"
            self._findings.add_problem("manifest", self._index_manifest, message)
        if (kind := index_kind(file.index_type)) in CHECKED:
            return
        if file.global_index is None:
            message = f"{file.file_name} has the unknown index type {file.index_type!r:.60}"
            self._findings.add_problem("manifest", self._index_manifest, message)
        else:
            text = f"its files of the type {file.index_type!r:.60} are not checked"
            self._findings.add_problem("index-type", self._index_manifest, text, kind.advice, NOTE)

    def _add_vector_finding(self, place: VectorPlace, message: str, remedy: str) -> None:
        at = place.path, None, place.offset
        self._findings.add(Finding(ERROR, "deletion-vector", *at, message, remedy))
