"""Check the latest snapshot: live data files, their vectors, and buckets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow.compute as pc

from paimon_ksy.errors import Call, PaimonKsyError, Remedy, counted
from paimon_ksy.io.file_kind import BUCKET_INDEX, VECTORS
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.table.audit.buckets import PartitionBuckets, UnmergedFiles
from paimon_ksy.table.audit.data_files import REMEDY_INDEX
from paimon_ksy.table.audit.findings import FindingCollector, Repairs
from paimon_ksy.table.audit.global_index_files import GlobalIndexTask, RangeFiles
from paimon_ksy.table.audit.global_indexes import GlobalIndexes
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.references import Referrer
from paimon_ksy.table.index.global_indexes import kind_of_index, type_of_index
from paimon_ksy.table.manifests.global_indexes import global_indexes
from paimon_ksy.table.manifests.index_files import IndexFiles
from paimon_ksy.table.manifests.scan import NumberedEntries
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys, of_keys
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
from paimon_ksy.table.query.hidden import hidden, waiting
from paimon_ksy.table.query.prune import PartitionFilter
from paimon_ksy.table.query.splits import Reading, overlapping
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.arrays import to_numpy

_Partition = tuple[Any, ...]

_TO_SEE = "to see the rows, have Java compact the table, or change the option"
_RANGES_IN_TASK = 16
_ROWS_IN_TASK = 500_000  # that are compared; others follow in another task


class LatestSnapshot:
    """The latest snapshot of a table: sums and hashes of its live data files, and its vectors."""

    def __init__(
        self,
        table: Table,
        snapshot: Snapshot,
        history: History,
        findings: FindingCollector,
        repairs: Repairs,
        partitions: PartitionFilter | None,
    ) -> None:
        """Read the index manifest; `history` has read the schemas.

        `findings` receives contradictions, and `repairs` the data files whose indexes have to be
        rebuilt.
        """
        self._table, self._snapshot, self._history = table, snapshot, history
        self._findings, self._repairs = findings, repairs
        self._partitions = partitions
        self._is_dynamic = table.bucket_mode == "HASH_DYNAMIC"
        self._index_manifest = f"{table.location}/manifest/{snapshot.index_manifest}"
        self._buckets: defaultdict[_Partition, list[tuple[str, IndexFile]]] = defaultdict(list)
        self._of_global: list[IndexFile] = []
        vectors = VectorPlaces(self._index_files(), table.paths.index_file)
        self.global_indexes = GlobalIndexes(
            table, snapshot, self._index_manifest, global_indexes(self._of_global)
        )
        if not history.has_read(snapshot.index_manifest):
            vectors = VectorPlaces((), table.paths.index_file)
        if len(vectors.doubles):
            self._add_doubles(vectors.doubles)
        if len(vectors) and not is_on(table.options, "deletion-vectors.enabled"):
            self._findings.add_problem(
                "deletion-vector",
                self._index_manifest,
                f"it has {len(vectors)} deletion vectors, but the table's option "
                "deletion-vectors.enabled is off: Java ignores them, and may return the rows that "
                "they delete; paimon-ksy does not",
                "to have Java apply them, turn the option on",
                WARNING,
            )
        self._vectors = vectors
        self._has_file = np.zeros(len(vectors), np.bool_)
        self._records, self._waiting = 0, Size()
        self._reading = Reading.of(table.schema)
        self._has_partial_rows = False
        self._indexes: list[Digests] = [digests([])]
        self._keyed_files: defaultdict[_Partition, list[DataFile]] = defaultdict(list)
        self._with_files: defaultdict[_Partition, set[int]] = defaultdict(set)

    def add(self, live: NumberedEntries) -> dict[int, VectorPlace]:
        """Add live data files, and return their deletion vectors, by the number of the entry."""
        written = live.entries.column("_WRITE_COLS")
        self._records += int(to_numpy(live.entries.column("_ROW_COUNT")).sum())
        self._waiting += waiting(self._reading, live.entries)
        self._has_partial_rows |= written.null_count < len(written)
        extra = live.entries.column("_EXTRA_FILES").flatten()
        indexes = extra.filter(pc.ends_with(extra, ".index"))
        self._indexes.append(digests(indexes.to_pylist()))
        self.global_indexes.add(live.entries)
        partitions = self._table.manifests.partitions
        if self._is_dynamic:
            buckets = live.entries.column("_BUCKET").to_pylist()
            for number, bucket in {*zip(live.numbers.tolist(), buckets, strict=True)}:
                self._with_files[partitions.values[number]].add(bucket)
        places: dict[int, VectorPlace] = {}
        if len(self._vectors):
            keys = file_keys(live.entries, partitions.hashes(live.numbers))
            numbers = self._vectors.find(keys)
            self._has_file[numbers[numbers >= 0]] = True
            for at in np.flatnonzero(numbers >= 0).tolist():
                with suppress(PaimonKsyError):  # a path outside the table, which is reported
                    places[at] = self._vectors.place(int(numbers[at]))
        return places

    def add_keyed(self, files: Iterable[DataFile]) -> None:
        """Add files whose keys are compared with bucket indexes, or with each other."""
        for file in files:
            self._keyed_files[file.partition].append(file)

    def check(self, *, is_whole: bool) -> None:
        """Check all live files together, once all are added.

        `is_whole` is whether all manifests could be read.
        """
        self._add_vectors_without_file()
        if is_whole and not self._has_partial_rows:
            self._check_record_count()
        with suppress(PaimonKsyError):  # other findings report what cannot be read
            self._check_sharing()
        with suppress(PaimonKsyError):  # likewise
            for text in hidden(self._table, self._waiting):
                path = f"{self._history.folder}/schema/schema-{self._table.schema.id}"
                self._findings.add_problem("hidden", path, text, _TO_SEE, NOTE)
        with suppress(PaimonKsyError):  # likewise
            for finding, file in self.global_indexes.findings() if is_whole else ():
                finding = self._findings.add(finding)
                if file is not None:
                    self._repairs.dropped[file.file_name].add(finding)

    def _check_sharing(self) -> None:
        """Check that no data file shares its index with another one."""
        distinct, counts = np.unique(np.concatenate(self._indexes), return_counts=True)
        shared = DigestSet(distinct[counts > 1])
        owners: dict[str, str] = {}
        for file in self._table.data_files.of(self._snapshot, self._partitions) if shared else ():
            for path in file.index_files:
                if not shared.contains(digests([path.rpartition("/")[2]]))[0]:
                    continue
                if path in owners:
                    message = f"both {owners[path]} and {file.name} have it as their index"
                    sharing = Finding(ERROR, "index", path, None, None, message, REMEDY_INDEX)
                    self._repairs.add(file, self._findings.add(sharing))
                owners[path] = file.name

    def buckets(self) -> Iterator[PartitionBuckets]:
        """Yield the dynamic buckets to check, by partition."""
        if not self._is_dynamic:
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
        by_bucket: defaultdict[Any, list[DataFile]] = defaultdict(list)
        for files in self._keyed_files.values():
            for section in self._reading.sections(files):
                if section.merge is None:
                    [file] = section.files
                    by_bucket[file.partition_row, file.bucket].append(file)
        for of_bucket in by_bucket.values():
            for files in overlapping(of_bucket):
                if len(files) > 1:
                    yield UnmergedFiles(tuple(files))

    def global_index_files(self, *, deep: bool) -> Iterator[GlobalIndexTask]:
        """Yield tasks with the files of global indexes.

        Those of a deep audit have consecutive ranges of one index, whose columns are read together.
        """
        referrer = Referrer(f"snapshot {self._snapshot.id}", self._snapshot.id)
        groups: list[list[RangeFiles]] = []
        for some in self.global_indexes.ranges(self._is_selected):
            is_full = not groups or len(groups[-1]) == _RANGES_IN_TASK
            if is_full or (deep and not some.may_follow(groups[-1], _ROWS_IN_TASK)):
                groups.append([])
            groups[-1].append(some)
        for group in groups:
            yield GlobalIndexTask(tuple(group), self._index_manifest, referrer)

    def _is_selected(self, partition: _Partition) -> bool:
        return self._partitions is None or self._partitions(partition, 0)

    def _index_files(self) -> Iterator[IndexFiles]:
        """Check and yield the index files, and keep the indexes of dynamic buckets."""
        for files in self._history.index_files(self._snapshot, self._snapshot.id):
            for file in files:
                self._check_index_file(file)
                if file.global_index is not None:
                    self._of_global.append(file)
                is_bucket = self._is_dynamic and file.index_type == HASH
                if not is_bucket and file.index_type != DELETION_VECTORS:
                    continue
                try:
                    path = self._table.paths.index_file(file)
                except PaimonKsyError as error:
                    self._history.add_unnamed(file.file_name, error)
                    continue
                if is_bucket:
                    self._buckets[file.partition].append((path, file))
            yield files

    def _vectors_of(self, wanted: Digests) -> Iterator[tuple[FileInBucket, VectorPlace]]:
        """Yield the vectors of the data files with these keys."""
        files = self._history.index_files(self._snapshot, self._snapshot.id)
        manifests, wrong = self._table.index_manifests, self._history.add_unnamed
        return manifests.some_vectors(files, of_keys(wanted), wrong)

    def _add_vectors_without_file(self) -> None:
        if self._table.schema.primary_keys or self._has_file.all():
            return  # Java's full compactions leave the vectors of files that they replace
        places = dict(self._vectors_of(self._vectors.keys[~self._has_file]))
        for (partition, _, name), place in places.items():
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
            if (other := places.setdefault(key, place)) != place:
                first = f"the first is at byte {other.offset} of {other.path}"
                message = f"it is a second vector of {key[2]}; {first}"
                remedy = f"the deleted rows of {key[2]} are unknown; roll back to a sound snapshot"
                self._add_vector_finding(place, message, remedy)

    def _check_index_file(self, file: IndexFile) -> None:
        # If a compaction leaves no vector, Java writes a file with only the version.
        has_vectors = file.row_count or file.file_size > 1
        if file.index_type == DELETION_VECTORS and not file.vectors and has_vectors:
            message = f"it lists no vectors of {file.file_name}"
            self._findings.add_problem("manifest", self._index_manifest, message)
        kind = kind_of_index(file)
        if kind in (VECTORS, BUCKET_INDEX) or type_of_index(file) is not None:
            return
        if file.global_index is None:
            message = f"{file.file_name} has the unknown index type {file.index_type!r:.60}"
            self._findings.add_problem("manifest", self._index_manifest, message)
        else:
            missing, advice = "checked", kind.advice
            if not kind.readers:  # it has checksums
                missing = "compared with the data"
                advice = Remedy("to check their bytes, run ", Call("table audit", "--deep"))
            text = f"its files of the type {file.index_type!r:.60} are not {missing}"
            self._findings.add_problem("index-type", self._index_manifest, text, advice, NOTE)

    def _add_vector_finding(self, place: VectorPlace, message: str, remedy: str) -> None:
        at = place.path, None, place.offset
        self._findings.add(Finding(ERROR, "deletion-vector", *at, message, remedy))
