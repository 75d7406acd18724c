"""Report the content of a snapshot: its manifests, data files, indexes and deletion vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import PaimonKsyError, naming
from paimon_ksy.io.file_kind import index_kind
from paimon_ksy.table.inspect.files import FileReporter, statistics_report
from paimon_ksy.table.inspect.report import (
    BucketReport,
    ContentReport,
    EntryReport,
    IndexFileReport,
    IndexManifestReport,
    ManifestListReport,
    ManifestReport,
    NamedSnapshot,
    PartitionReport,
    SnapshotReport,
    Totals,
    VectorReport,
)
from paimon_ksy.table.manifests.entries import DELETE, ManifestEntries
from paimon_ksy.table.manifests.global_indexes import row_ids, union
from paimon_ksy.table.manifests.scan import scan
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import IndexFile, ManifestFile, shared_rows
from paimon_ksy.table.query.hidden import hidden, waiting
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import REMEDY, Table
from paimon_ksy.types.arrays import (
    Numbers,
    distinct,
    filled,
    taken,
    to_arrow_array,
    to_numpy,
    validity,
    whole,
)

_SUMMED = tuple(each.name for each in fields(Totals))
_NO_FILES: pa.Table = pa.table(
    {
        name: pa.nulls(0, pa.int64())
        for name in ("partition", "bucket", "total_buckets", "first_row_id", *_SUMMED)
    }
)


class ContentReader:
    """Reader of a snapshot's content for a report, whose lists stop after `limit` items."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table = table
        self.limit = limit
        self._files = FileReporter(table)
        self._partitions = table.data_files.partitions

    def report(self, snapshot: Any, tags: Sequence[NamedSnapshot]) -> ContentReport:
        """Return a report on the content of a snapshot's manifests."""
        lists = []
        readable = []
        for role, name in snapshot.manifest_lists.items():
            if not name or (role == "changelog" and self.table.lost_changelog(snapshot)):
                continue
            report, manifests = self._manifest_list(role, name)
            lists.append(report)
            if role != "changelog":
                readable += manifests
        index_manifest, vectors = self._index_manifest(snapshot)
        complete = all(report.error is None for report in lists if report.role != "changelog")
        live = self._live(readable, vectors)
        if index_manifest is not None and index_manifest.error is None:
            ids = union(live.row_ids)
            indexes = self.table.index_manifests.global_indexes(snapshot)
            reports = tuple(self._files.global_index(index, ids) for index in indexes)
            index_manifest = replace(index_manifest, global_indexes=reports)
        if complete and not live.broken:  # else a corrupt one may contain what another one lacks
            live.errors += live.contradictions
        partitions = _summed(live.files, "partition")
        [totals] = map(_totals, _summed(live.files).to_pylist())
        return ContentReport(
            snapshot=snapshot_report(self.table, snapshot, tags),
            lists=tuple(lists),
            index_manifest=index_manifest,
            totals=totals,
            num_partitions=len(partitions),
            partitions=tuple(self._partitions_of(live, partitions[: self.limit])),
            complete=complete and not live.broken,
            errors=tuple(dict.fromkeys((*live.broken, *live.errors))),
            hidden=tuple(self._files.tried(lambda: [*hidden(self.table, live.waiting)])[0] or ()),
        )

    def _live(self, manifests: Sequence[ManifestFile], vectors: VectorPlaces | None) -> _Live:
        """Return the live files: what to sum up of each, and reports on the first ones.

        `vectors` is None if they cannot be read.
        """
        live = _Live()
        reading = Reading.of(self.table.schema)
        schemas: list[int] = []  # of which a file was read, so each error is listed
        parts = [_NO_FILES]
        room = self.limit

        def wrong(manifest: str, message: str) -> None:
            path = f"{self.table.location}/manifest/{manifest}"
            live.contradictions.append(f"{path}: {message}; {self._files.on(REMEDY)}")

        read = _Readable(self.table)
        pairs = scan(manifests, read, lambda entries, numbers, _: (entries, numbers), wrong)
        for *_, (entries, partitions) in pairs:
            numbers = np.full(len(entries), -1)
            if vectors:
                keys = file_keys(entries, self._partitions.hashes(partitions))
                numbers = vectors.find(keys)
            live.row_ids.append(row_ids(entries))
            live.waiting += waiting(reading, entries)
            files = _counts(entries, partitions, vectors, numbers)
            parts.append(files if reading.data_evolution else _summed(files, "partition", "bucket"))
            listed = range(min(room, len(entries)))
            room -= len(listed)
            ids, of_schema = np.unique(to_numpy(entries.column("_SCHEMA_ID")), return_index=True)
            places = distinct(np.append(listed, of_schema[~np.isin(ids, schemas)]).astype(np.int64))
            schemas += ids.tolist()
            each = self.table.data_files.each(taken(entries, places))
            for at, made in zip(places.tolist(), each, strict=True):
                of_bucket = live.buckets[int(partitions[at]), entries.column("_BUCKET")[at].as_py()]
                try:
                    if isinstance(made, PaimonKsyError):
                        raise made
                    if at in listed:
                        if vectors is not None and numbers[at] >= 0:
                            made = replace(made, deletion_vector=vectors.place(int(numbers[at])))
                        of_bucket.listed.append(self._files.live(made))
                except PaimonKsyError as error:
                    name = entries.column("_FILE_NAME")[at]
                    of_bucket.errors.append(f"{name}: {self._files.message(error)}")
                    live.errors.append(of_bucket.errors[-1])
        live.broken = [
            self._files.message(read.broken[each.file_name])
            for each in manifests
            if each.file_name in read.broken
        ]
        live.files = pa.concat_tables(parts, promote_options="default")
        if reading.data_evolution:
            rows = to_numpy(live.files["rows"])
            shared = shared_rows(to_numpy(live.files["first_row_id"]), rows)
            at = live.files.schema.get_field_index("rows")
            live.files = live.files.set_column(at, "rows", to_arrow_array(rows - shared))
        return live

    def _partitions_of(self, live: _Live, partitions: pa.Table) -> Iterator[PartitionReport]:
        """Yield the reports on partitions, of which each sum is one row."""
        of_partition = defaultdict[int, list[dict[str, Any]]](list)
        here = pc.is_in(live.files["partition"], partitions["partition"])
        for sums in _summed(live.files.filter(here), "partition", "bucket").to_pylist():
            of_partition[sums["partition"]].append(sums)
        for partition in partitions.to_pylist():
            number = partition["partition"]
            buckets = [
                replace(
                    live.buckets[number, sums["bucket"]],
                    bucket=sums["bucket"],
                    total_buckets=sums["total_buckets"],
                    totals=_totals(sums),
                )
                for sums in of_partition[number][: self.limit]
            ]
            values = self._files.partition(self._partitions.values[number])
            yield PartitionReport(
                values, len(of_partition[number]), _totals(partition), tuple(buckets)
            )

    def _manifest_list(self, role: str, name: str) -> tuple[ManifestListReport, list[ManifestFile]]:
        try:
            manifests = self.table.manifests.of_list(name)
        except PaimonKsyError as error:
            return ManifestListReport(role, name, error=self._files.message(error)), []
        reports = tuple(self._manifest(manifest) for manifest in manifests[: self.limit])
        return ManifestListReport(role, name, len(manifests), reports), manifests

    def _manifest(self, manifest: ManifestFile) -> ManifestReport:
        bounds = manifest.partition_bounds(self.table.schema.partition_schema)
        report = ManifestReport(
            name=manifest.file_name,
            bytes=manifest.file_size,
            added=manifest.num_added_files,
            deleted=manifest.num_deleted_files,
            schema_id=manifest.schema_id,
            partitions=statistics_report(bounds, self.table.schema),
        )
        reports: list[EntryReport] = []
        try:
            for entries, _ in _stored(self.table, [manifest]):
                reports += self._entry_reports(entries[: self.limit - len(reports)])
        except PaimonKsyError as error:
            return replace(report, error=self._files.message(error))
        return replace(report, entries=tuple(reports))

    def _entry_reports(self, entries: pa.RecordBatch) -> Iterator[EntryReport]:
        kinds, totals = (entries.column(n).to_pylist() for n in ("_KIND", "_TOTAL_BUCKETS"))
        for at, made in enumerate(self.table.data_files.each(entries)):
            file, wrong = None, None
            try:
                if isinstance(made, PaimonKsyError):
                    raise made
                file = self._files.listed(made)
            except PaimonKsyError as error:
                wrong = f"{entries.column('_FILE_NAME')[at]}: {error}"
            yield EntryReport("DELETE" if kinds[at] == DELETE else "ADD", totals[at], file, wrong)

    def _index_manifest(
        self, snapshot: Any
    ) -> tuple[IndexManifestReport | None, VectorPlaces | None]:
        name, manifests = snapshot.index_manifest, self.table.index_manifests
        if not name:
            return None, None
        try:
            count = sum(map(len, manifests.columns(snapshot)))
            first = islice(manifests.of(snapshot), self.limit)
            files = tuple(map(self._index_file, first))
        except PaimonKsyError as error:
            return IndexManifestReport(name, error=self._files.message(error)), None
        report = IndexManifestReport(name, count, files)
        try:
            return report, manifests.vectors(snapshot)
        except PaimonKsyError as error:
            return replace(report, error=self._files.message(error)), None

    def _index_file(self, file: IndexFile) -> IndexFileReport:
        report = self._files.index_file(file)
        listed = islice(file.vectors.items(), self.limit)
        report = replace(report, vectors=tuple(VectorReport(name, *at) for name, at in listed))
        if report.error is not None:
            return report
        remedy = index_kind(file.index_type).remedy or REMEDY
        return replace(report, error=self._files.wrong_size(report.path, file.file_size, remedy))


@dataclass
class _Live:
    """The live files of a snapshot.

    Attributes:
        files: The columns of `_counts`, of each file or summed up by bucket.
        buckets: By partition number and bucket, the files to list, and their errors.
        broken: The errors of manifests.
        errors: The errors of files.
        contradictions: What manifests contradict.
        row_ids: The row ids of files, as arrays of starts and ends.
        waiting: The files that wait for a compaction.
    """

    files: pa.Table = field(default_factory=lambda: _NO_FILES)
    buckets: defaultdict[tuple[int, int], BucketReport] = field(
        default_factory=lambda: defaultdict(BucketReport)
    )
    broken: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    row_ids: list[tuple[Numbers, Numbers]] = field(default_factory=list)
    waiting: Size = field(default_factory=Size)


def _counts(
    entries: pa.RecordBatch, partitions: Numbers, vectors: VectorPlaces | None, numbers: Numbers
) -> pa.Table:
    """Return what to sum up of each file; deleted rows are null if they are unknown.

    `numbers` has the number of each file's vector, -1 for none.
    """
    deleted = to_arrow_array(np.zeros(len(entries), np.int64))
    if vectors is not None:
        deleted = vectors.deleted_rows(numbers)
    embedded = validity(entries.column("_EMBEDDED_FILE_INDEX"))
    columns = {
        "partition": partitions,
        "bucket": to_numpy(entries.column("_BUCKET")),
        "total_buckets": to_numpy(entries.column("_TOTAL_BUCKETS")),
        "first_row_id": to_numpy(filled(entries.column("_FIRST_ROW_ID"), -1)),
        "files": np.ones(len(entries)),
        "rows": to_numpy(entries.column("_ROW_COUNT")),
        "bytes": to_numpy(entries.column("_FILE_SIZE")),
        "embedded_indexes": embedded,
        "index_files": have_indexes(entries) & ~embedded,
        "deletion_vectors": numbers >= 0,
    }
    arrays = {name: to_arrow_array(each.astype(np.int64)) for name, each in columns.items()}
    return pa.table({**arrays, "deleted_rows": deleted})


def _summed(files: pa.Table, *keys: str) -> pa.Table:
    """Return the sums over files with the same keys, in the order of the first files.

    A sum with null is null.
    """
    # Not by Arrow's group_by, which imports pandas.
    by = [to_numpy(files[key]) for key in keys] or [np.zeros(len(files), np.int64)]
    order = np.lexsort(by[::-1])
    changes = [np.diff(each[order], prepend=-1) != 0 for each in by]
    starts = np.flatnonzero(np.any(changes, axis=0)) if keys else np.zeros(1, np.int64)
    first = order[starts] if keys else starts
    in_order = np.argsort(first)

    def sums(values: Numbers) -> Numbers:
        return np.add.reduceat(values[order], starts)[in_order] if len(order) else starts

    summed = {
        key: to_arrow_array(to_numpy(files[key])[first[in_order]] if len(order) else starts)
        for key in ("total_buckets", *keys)
    }
    for name in _SUMMED:
        column = whole(files[name])
        summed[name] = to_arrow_array(sums(to_numpy(filled(column, 0))))
        if column.null_count:
            is_known = to_arrow_array(sums((~validity(column)).astype(np.int64)) == 0)
            nothing = pa.nulls(len(is_known), pa.int64())
            summed[name] = pc.if_else(is_known, summed[name], nothing)
    return pa.table(summed)


def _totals(sums: Mapping[str, Any]) -> Totals:
    return Totals(**{name: sums[name] for name in _SUMMED})


def have_indexes(files: pa.RecordBatch) -> NDArray[np.bool_]:
    """Return which entries have a file index, embedded or in a file of its own."""
    indexed = validity(files.column("_EMBEDDED_FILE_INDEX")).copy()
    names = files.column("_EXTRA_FILES")
    is_index = pc.ends_with(names.flatten(), ".index")
    indexed[to_numpy(pc.list_parent_indices(names).filter(is_index))] = True
    return indexed


class _Readable:
    """Reader of manifest files; broken manifests have no entries.

    Attributes:
        partitions: The partitions of entries.
        broken: The errors of manifests, by name.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self.partitions = table.data_files.partitions
        self.broken: dict[str, PaimonKsyError] = {}

    def __call__(self, manifests: Sequence[ManifestFile]) -> list[ManifestEntries]:
        """Return the entries of manifests."""
        try:
            return list(_stored(self._table, manifests))
        except PaimonKsyError as error:
            if len(manifests) == 1:
                self.broken[manifests[0].file_name] = error
                return []
        return [
            ManifestEntries(entries, of + number)
            for number, manifest in enumerate(manifests)
            for entries, of in self([manifest])
        ]


def _stored(table: Table, manifests: Sequence[ManifestFile]) -> Iterator[ManifestEntries]:
    """Yield the entries of manifests whose partitions can be read."""
    with naming(table.manifests.path(manifests[0].file_name)):
        for stored in table.manifests.stored(manifests):
            table.data_files.partitions.numbers(stored.entries.column("_PARTITION"))
            yield stored


def snapshot_report(
    table: Table, snapshot: Any, tags: Sequence[NamedSnapshot] = ()
) -> SnapshotReport:
    """Return a report on a snapshot, with the names of its tags."""
    watermark = snapshot.watermark
    if watermark is not None and watermark <= -(1 << 63):  # Java's Long.MIN_VALUE: no watermark
        watermark = None
    counted = has_record_counts(snapshot) and not Reading.of(table.schema).data_evolution
    return SnapshotReport(
        id=snapshot.id,
        version=snapshot.version,
        kind=snapshot.commit_kind,
        schema_id=snapshot.schema_id,
        time_millis=snapshot.time_millis,
        commit_user=snapshot.commit_user,
        commit_identifier=snapshot.commit_identifier,
        total_rows=snapshot.total_record_count if counted else None,
        added_rows=snapshot.delta_record_count if counted else None,
        changelog_rows=snapshot.changelog_record_count,
        watermark=watermark,
        statistics=snapshot.statistics,
        tags=tuple(tag.name for tag in tags if tag.snapshot == snapshot.id),
    )
