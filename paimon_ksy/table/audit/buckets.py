"""Check buckets: their indexes of hash codes, and whether keys are in the right bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.shifted import is_shifted, may_be_stored_as_others
from paimon_ksy.errors import PaimonKsyError, SchemaError, UnsupportedError, counted
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import live_rows
from paimon_ksy.io.file_kind import RESCALE
from paimon_ksy.messages.findings import ERROR, Finding, corrupt
from paimon_ksy.rows.binary_row import key_hashes
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.references import REMEDY_DATA, FileReference, Referrer, named
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.model.files import DataFile, IndexFile
from paimon_ksy.table.query.buckets import bucket_key, default_buckets
from paimon_ksy.table_index.bucket_index import HARMLESS, BucketIndex, problems, read_bucket_index
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.arrays import to_numpy
from paimon_ksy.types.timestamps import alike, parts


@dataclass(frozen=True)
class PartitionBuckets:
    """The dynamic buckets of a partition.

    `indexes` have paths. Keys of `files` are checked, which are none unless the audit is deep.
    """

    indexes: tuple[tuple[str, IndexFile], ...]
    files: tuple[DataFile, ...]
    with_files: frozenset[int]
    manifest: str

    def check(self, job: AuditJob) -> TaskResult:
        """Check that each key is in one bucket, whose index contains its hash code."""
        return TaskResult(num_others=len(self.indexes), findings=[*self._findings(job)])

    def _findings(self, job: AuditJob) -> Iterator[Finding]:
        read: dict[int, tuple[str, BucketIndex]] = {}
        for path, file in self.indexes:
            named_by = Referrer("the index manifest", None)
            reference = FileReference(path, file.file_size, "bucket-index", named_by, RESCALE)
            if broken := reference.finding(job.storage):
                yield named(broken, named_by)
                continue
            error = partial(Finding, ERROR, "bucket-index", path, None)
            with job.storage.open(path) as source:
                index = read_bucket_index(source)
            for severity, byte, message in problems(index, file.row_count):
                remedy = RESCALE if severity == ERROR else HARMLESS
                yield Finding(severity, "bucket-index", path, None, byte, message, remedy)
            if file.bucket in read:
                message = f"it is a second index of bucket {file.bucket}"
                yield error(None, message, RESCALE)
            yield from self._shared(error, file.bucket, index, read)
            read[file.bucket] = path, index
        if self.indexes:
            known = {file.bucket for _, file in self.indexes}
            for bucket in sorted(self.with_files - known):
                message = f"bucket {bucket} has data files, but no bucket index"
                yield Finding(ERROR, "bucket-index", self.manifest, None, None, message, RESCALE)
        for data_file in self.files:
            yield from _check_keys(job, data_file, read)

    def _shared(
        self,
        error: Callable[..., Finding],
        bucket: int,
        index: BucketIndex,
        others: Mapping[int, tuple[str, BucketIndex]],
    ) -> Iterator[Finding]:
        """Yield the other buckets that have hash codes of an index."""
        for number, (_, other) in others.items():
            both = np.flatnonzero(other.contains(index.hashes))
            if len(both) and number != bucket:
                at = int(both[0])
                message = (
                    f"bucket {number} also contains {len(both)} of its hash codes; the first "
                    f"is {index.hashes[at]}"
                )
                yield error(at * index.hashes.itemsize, message, RESCALE)


@dataclass(frozen=True)
class UnmergedFiles:
    """Data files of a bucket that readers do not merge, although their key ranges overlap."""

    files: tuple[DataFile, ...]

    def check(self, job: AuditJob) -> TaskResult:
        """Check that no key is live twice, since readers would return both of its rows."""
        return TaskResult(findings=[*self._findings(job)])

    def _findings(self, job: AuditJob) -> Iterator[Finding]:
        schema, batches = job.table.schema, list[pa.RecordBatch]()
        keys = [name for name in schema.primary_keys if name not in schema.partition_keys]
        for number, file in enumerate(self.files):
            try:
                vector = None
                if (place := file.deletion_vector) is not None:
                    with job.storage.open(place.path) as source:
                        size = place.length, place.cardinality
                        vector = read_vector(source, place.offset, *size)
                live = live_rows(Selection("all", True, None, file.num_rows), vector)
                own = job.schemas[file.schema_id].schema
                read = read_table(ReadRequest(job.storage, file, own, schema, keys, live.matching))
            except PaimonKsyError:  # the checks of the file report it
                return
            batches += read.append_column("", pa.repeat(number, len(read))).to_batches()
        sums = [("", "count"), ("", "min"), ("", "max")]
        if not batches:
            return
        groups = pa.Table.from_batches(alike(batches)).group_by(keys).aggregate(sums)
        twice = groups.filter(pc.field("_count") > 1)
        if len(twice):
            *key, _, first, last = twice.slice(0, 1).to_pylist()[0].values()
            shown = ", ".join(f"{name} = {value}" for name, value in zip(keys, key, strict=True))
            message = (
                f"readers return {len(twice):,} of its keys twice; the first is {shown}, which is "
                f"also in {self.files[last].name}"
            )
            remedy = "have Java compact the bucket fully, which keeps the latest row of each key"
            yield Finding(ERROR, "key", self.files[first].path, None, None, message, remedy)


_Indexes = Mapping[int, tuple[str, BucketIndex]]
"""The readable indexes of dynamic buckets, with their paths, by bucket."""


def _check_keys(job: AuditJob, file: DataFile, read: _Indexes) -> Iterator[Finding]:
    """Check that the index of a data file's bucket contains the hash codes of all its keys."""
    if file.bucket not in read:
        return
    path, index = read[file.bucket]
    try:
        hashes, is_sure = _key_hashes(job, file)
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
        return
    lost = np.flatnonzero(~index.contains(hashes) & is_sure)
    if not len(lost):
        return
    row = int(lost[0])
    others = [
        bucket for bucket, (_, other) in read.items() if other.contains(hashes[row : row + 1])[0]
    ]
    where = f", which bucket {others[0]} contains" if others else ""
    message = (
        f"it lacks the hash codes of {counted(len(lost), 'key')} of {file.name} in bucket "
        f"{file.bucket}; the first is {hashes[row]} in row {row}{where}"
    )
    yield Finding(ERROR, "bucket", path, None, None, message, RESCALE)


def check_fixed_bucket(job: AuditJob, file: DataFile) -> Iterator[Finding]:
    """Check that all rows of a data file belong to its bucket."""
    if file.total_buckets < 1 or file.bucket < 0:
        return
    try:
        hashes, is_sure = _key_hashes(job, file)
    except (UnsupportedError, SchemaError):  # columns written elsewhere
        return
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
        return
    buckets = default_buckets(hashes, file.total_buckets)
    wrong = np.flatnonzero((buckets != file.bucket) & is_sure)
    if len(wrong):
        row = int(wrong[0])
        message = (
            f"bucket {file.bucket} contains {counted(len(wrong), 'row')} of other buckets; the "
            f"first is row {row}, which belongs to bucket {buckets[row]} of {file.total_buckets}"
        )
        remedy = "write the rows of this file again"
        yield Finding(ERROR, "bucket", file.path, None, None, message, remedy)


def _key_hashes(job: AuditJob, file: DataFile) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the hash codes of the keys, and whether each one is certainly that of the written key.

    It may differ for timestamps in ORC, which readers shift by the time zone.
    """
    schema = job.schemas[file.schema_id].schema
    key = bucket_key(schema, job.table.options)
    if key is None:
        return np.empty(0, np.int32), np.empty(0, np.bool_)
    request = ReadRequest(job.storage, file, schema, schema, key.names)
    decoded = read_table(request).combine_chunks()
    # The hash codes of keys with nulls are not checked.
    is_sure = np.logical_and.reduce([to_numpy(decoded[name].is_valid()) for name in key.names])
    hashes = np.zeros(decoded.num_rows, np.int32)
    hashes[is_sure] = key_hashes(decoded.drop_null(), key)
    for column in key:
        if is_shifted(column.type, file.format):
            seconds, _ = parts(decoded[column.name].combine_chunks())
            is_sure &= ~may_be_stored_as_others(seconds, column.type)
    return hashes, is_sure
