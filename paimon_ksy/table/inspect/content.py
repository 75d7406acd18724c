"""Report the content of a snapshot: its manifests, data files, indexes and deletion vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, with_remedy
from paimon_ksy.io.file_kind import index_kind
from paimon_ksy.table.audit.metadata import ended_with_main
from paimon_ksy.table.inspect.files import FileReporter, statistics_report
from paimon_ksy.table.inspect.live_files import Entries, LiveFiles, Numbers
from paimon_ksy.table.inspect.report import (
    ContentReport,
    EntryReport,
    IndexFileReport,
    IndexManifestReport,
    ManifestListReport,
    ManifestReport,
    NamedSnapshot,
    PartitionReport,
    SnapshotReport,
    VectorReport,
)
from paimon_ksy.table.manifests.entries import DELETE, ManifestEntries
from paimon_ksy.table.manifests.index_files import UNKNOWN
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import scan
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, IndexFile, ManifestFile
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.store import REMEDY, Table

if TYPE_CHECKING:
    import pyarrow as pa


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
        for role, name in (
            ("base", snapshot.base_manifest_list),
            ("delta", snapshot.delta_manifest_list),
            ("changelog", snapshot.changelog_manifest_list),
        ):
            if not name or (role == "changelog" and ended_with_main(self.table, snapshot)):
                continue
            report, manifests = self._manifest_list(role, name)
            lists.append(report)
            if role != "changelog":
                readable += manifests
        index_manifest, vectors = self._index_manifest(snapshot)
        complete = all(report.error is None for report in lists if report.role != "changelog")
        shares_rows = Reading.of(self.table.schema).data_evolution
        live = LiveFiles(self.limit, self._partition, shares_rows=shares_rows)
        broken, errors = self._add_live(live, readable, vectors, complete=complete)
        live.count_rows_once()
        return ContentReport(
            snapshot=snapshot_report(snapshot, tags),
            lists=tuple(lists),
            index_manifest=index_manifest,
            totals=live.totals,
            num_partitions=live.num_partitions,
            partitions=tuple(live.partitions.values()),
            complete=complete and not broken,
            errors=tuple(dict.fromkeys((*broken, *errors))),
        )

    def _add_live(
        self,
        live: LiveFiles,
        manifests: Sequence[ManifestFile],
        vectors: VectorPlaces | None,
        *,
        complete: bool,
    ) -> tuple[list[str], list[str]]:
        """Count the live files, and list the first ones.

        Args:
            live: Receives the live files.
            manifests: The manifests of the base and the delta.
            vectors: The deletion vectors of the snapshot; None if they cannot be read.
            complete: Whether these are all manifests of the snapshot.

        Returns:
            Errors of broken manifests, and other errors.
        """
        errors: list[str] = []
        contradictions: list[str] = []

        def wrong(manifest: str, message: str) -> None:
            path = f"{self.table.location}/manifest/{manifest}"
            contradictions.append(f"{path}: {message}; {self._files.on(REMEDY)}")

        read = _Readable(self.table)
        for *_, files in scan(manifests, read, _entries, wrong):
            numbers = self._vectors_of(files, vectors)
            has = numbers >= 0
            deleted = np.where(has, UNKNOWN, 0)
            if vectors is not None:
                deleted[has] = vectors.cardinalities(numbers[has])
            live.add(files, has, deleted)
            listed = live.next_listed(files)
            wanted = np.array(sorted({*listed, *live.of_new_schemas(files)}), np.int64)
            for at, made in zip(wanted.tolist(), self._made(files.batch.take(wanted)), strict=True):
                bucket = live.bucket_of(files, at)
                try:
                    if isinstance(made, PaimonKsyError):
                        raise made
                    if at in listed and bucket is not None:
                        if vectors is not None and has[at]:
                            made = replace(made, deletion_vector=vectors.place(int(numbers[at])))
                        bucket.listed.append(self._files.live(made))
                except PaimonKsyError as error:
                    errors.append(f"{files.name(at)}: {self._files.message(error)}")
                    if bucket is not None:
                        bucket.errors.append(errors[-1])
        if complete and not read.broken:  # else a corrupt one may contain what another one lacks
            errors += contradictions
        broken = [
            read.broken[each.file_name] for each in manifests if each.file_name in read.broken
        ]
        return list(map(self._files.message, broken)), errors

    def _vectors_of(self, files: Entries, vectors: VectorPlaces | None) -> Numbers:
        """Return the number of each file's deletion vector, -1 for none."""
        if not vectors:
            return np.full(len(files), -1)
        return vectors.find(file_keys(files.batch, self._partitions.hashes(files.partitions)))

    def _made(self, entries: pa.RecordBatch) -> Iterator[DataFile | PaimonKsyError]:
        """Yield the data file of each entry, or its error."""
        make = self.table.data_files.made
        try:
            yield from list(make(entries))
        except PaimonKsyError:
            for at in range(len(entries)):
                try:
                    yield from list(make(entries[at : at + 1]))
                except PaimonKsyError as error:
                    yield error

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
        for at, made in enumerate(self._made(entries)):
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
        try:
            path = self.table.paths.index_file(file)
            remedy = index_kind(file.index_type).remedy or REMEDY
            error = self._files.wrong_size(path, file.file_size, remedy)
        except PaimonKsyError as outside:
            path, error = file.external_path or file.file_name, with_remedy(outside)
        listed = islice(file.vectors.items(), self.limit)
        return IndexFileReport(
            type=file.index_type,
            name=file.file_name,
            path=path,
            partition=self._files.partition(file.partition),
            bucket=file.bucket,
            bytes=file.file_size,
            rows=len(file.vectors) or file.row_count,
            vectors=tuple(VectorReport(name, *range) for name, range in listed),
            error=error,
        )

    def _partition(self, number: int) -> PartitionReport:
        return PartitionReport(self._files.partition(self._partitions.values[number]))


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
    """Yield the entries of manifests whose partitions can be read.

    Raises:
        PaimonKsyError: A manifest cannot be read.
    """
    try:
        for stored in table.manifests.stored(manifests):
            table.data_files.partitions.numbers(stored.entries.column("_PARTITION"))
            yield stored
    except CorruptFileError as error:
        error.path = error.path or table.metadata.manifest(manifests[0].file_name)
        raise


def _entries(entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> Entries:
    """Return the entries of live files, with their partition numbers: see `Visitor`."""
    return Entries(entries, numbers)


def snapshot_report(snapshot: Any, tags: Sequence[NamedSnapshot]) -> SnapshotReport:
    """Return a report on a snapshot, with the names of its tags."""
    watermark = snapshot.watermark
    if watermark is not None and watermark <= -(1 << 63):  # Java's Long.MIN_VALUE: no watermark
        watermark = None
    counted = has_record_counts(snapshot)
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
