"""Report the content of a snapshot: its manifests, data files, indexes and deletion vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from paimon_ksy.data_files.open import RESTORE
from paimon_ksy.errors import PaimonKsyError, with_remedy
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.messages.commands import pasteable
from paimon_ksy.table.audit.metadata import ended_with_main
from paimon_ksy.table.inspect.report import (
    BucketReport,
    ColumnStatistics,
    ContentReport,
    DataFileReport,
    EntryReport,
    IndexFileReport,
    IndexManifestReport,
    IndexPart,
    IndexReport,
    ManifestListReport,
    ManifestReport,
    NamedSnapshot,
    PartitionReport,
    SnapshotReport,
    Totals,
    Value,
    VectorReport,
)
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, IndexFile, TableSchema
from paimon_ksy.table.store import REMEDY, Table
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import to_sql, to_text

_KEPT = 4  # manifests in memory


class ContentReader:
    """Reads the content of a snapshot for a report, whose lists stop after `limit` items."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table = table
        self.storage = table.storage
        self.limit = limit
        self._kept: dict[str, list[Any]] = {}

    def report(self, snapshot: Any, tags: Sequence[NamedSnapshot]) -> ContentReport:
        """Return a report on what the manifests of a snapshot list."""
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
        partitions: dict[tuple[Any, ...], PartitionReport] = {}
        internal: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        schemas: set[int] = set()
        buckets: dict[tuple[Any, ...], BucketReport] = {}
        totals = Totals()
        listed = 0
        broken: list[str] = []
        errors: list[str] = []

        def entries(manifest: Any) -> Iterable[Any]:
            try:
                return self._entries(manifest)
            except PaimonKsyError as error:
                broken.append(self._message(error))
                return ()

        def wrong(manifest: str, message: str) -> None:
            if complete and not broken:  # else what one lacks may be in another that is damaged
                path = f"{self.table.location}/manifest/{manifest}"
                errors.append(f"{path}: {message}; {self._on(REMEDY)}")

        for entry in self.table.manifests.live_entries(readable, entries, wrong=wrong):
            # No more is made of an entry than is shown: there may be very many.
            meta, raw = entry.file, tuple(entry.partition.values)
            partition = partitions.get(raw)
            if partition is None:
                internal[raw] = self.table.data_files.partition_of(entry)
                partition = partitions[raw] = PartitionReport(self._partition(internal[raw]))
            vector = vectors.get((internal[raw], entry.bucket, meta.file_name))
            bucket = buckets.get((raw, entry.bucket))
            if bucket is None:
                bucket = BucketReport(entry.bucket, entry.total_buckets)
                buckets[raw, entry.bucket] = bucket
                partition.count += 1
                if partition.count <= self.limit:
                    partition.buckets.append(bucket)
            for counted in (totals, partition.totals, bucket.totals):
                counted.add(meta, vector)
            if listed >= self.limit and meta.schema_id in schemas:
                continue
            schemas.add(meta.schema_id)
            try:
                file = replace(self.table.data_files.of_entry(entry), deletion_vector=vector)
                if listed < self.limit:
                    listed += 1
                    bucket.listed.append(self._live_file(file))
            except PaimonKsyError as error:
                bucket.errors.append(f"{meta.file_name}: {self._message(error)}")
                errors.append(bucket.errors[-1])  # the bucket may not be listed
        return ContentReport(
            snapshot=snapshot_report(snapshot, tags),
            lists=tuple(lists),
            index_manifest=index_manifest,
            totals=totals,
            count=len(partitions),
            partitions=tuple(list(partitions.values())[: self.limit]),
            complete=complete and not broken,
            errors=tuple(dict.fromkeys((*broken, *errors))),
        )

    def _manifest_list(self, role: str, name: str) -> tuple[ManifestListReport, list[Any]]:
        try:
            manifests = self.table.manifests.of_list(name)
        except PaimonKsyError as error:
            return ManifestListReport(role, name, error=self._message(error)), []
        reports = tuple(self._manifest(manifest) for manifest in manifests[: self.limit])
        return ManifestListReport(role, name, len(manifests), reports), manifests

    def _entries(self, manifest: Any) -> list[Any]:
        """Return the entries of a manifest, of which a few are kept: each is read three times."""
        if manifest.file_name not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[manifest.file_name] = self.table.manifests.entries(manifest)
        return self._kept[manifest.file_name]

    def _manifest(self, manifest: Any) -> ManifestReport:
        bounds = manifest.partition_bounds(self.table.schema.partition_schema)
        report = ManifestReport(
            name=manifest.file_name,
            bytes=manifest.file_size,
            added=manifest.num_added_files,
            deleted=manifest.num_deleted_files,
            schema_id=manifest.schema_id,
            partitions=_statistics(bounds, self.table.schema),
        )
        try:
            entries = self._entries(manifest)
        except PaimonKsyError as error:
            return replace(report, error=self._message(error))
        return replace(report, entries=tuple(map(self._entry, entries[: self.limit])))

    def _entry(self, entry: Any) -> EntryReport:
        kind = "DELETE" if entry.kind else "ADD"
        try:
            return EntryReport(
                kind, entry.total_buckets, self._file(self.table.data_files.of_entry(entry))
            )
        except PaimonKsyError as error:
            return EntryReport(kind, entry.total_buckets, None, f"{entry.file.file_name}: {error}")

    def _file(self, file: DataFile) -> DataFileReport:
        schema = self.table.schema_at(file.schema_id)
        keys = self.table.key_types
        low, high = file.key_range
        sources = {0: "append", 1: "compact"}
        return DataFileReport(
            name=file.name,
            path=file.path,
            partition=self._partition(file.partition),
            bucket=file.bucket,
            level=file.level,
            rows=file.num_rows,
            bytes=file.size,
            schema_id=file.schema_id,
            min_sequence_number=file.min_sequence_number,
            max_sequence_number=file.max_sequence_number,
            deleted_rows=file.delete_row_count,
            creation_millis=file.creation_millis,
            source=None if file.source is None else sources.get(file.source, str(file.source)),
            first_row_id=file.first_row_id,
            min_key=tuple(map(_value, low, keys)),
            max_key=tuple(map(_value, high, keys)),
            statistics=_statistics(file.statistics, schema),
            extra_files=file.extra_files,
            embedded_index_bytes=None if file.embedded_index is None else len(file.embedded_index),
        )

    def _live_file(self, file: DataFile) -> DataFileReport:
        """Report a live file: whether it exists, and what its index contains."""
        report = replace(self._file(file), index=self._index(file))
        if (place := file.deletion_vector) is not None:
            name = place.path.rpartition("/")[2]
            found = VectorReport(name, place.offset, place.length, place.cardinality)
            report = replace(report, deletion_vector=found)
        return replace(report, error=self._wrong_size(file.path, file.size, RESTORE))

    def _wrong_size(self, path: str, expected: int, remedy: str) -> str | None:
        try:
            size = self.storage.size(path)
        except PaimonKsyError as error:
            return f"{error}; {self._on(remedy)}"
        if size == expected:
            return None
        return (
            f"{path}: has {size:,} bytes, but should have {expected:,} according to the "
            f"manifest; {self._on(remedy)}"
        )

    def _index(self, file: DataFile) -> IndexReport | None:
        try:
            found = file.index
        except PaimonKsyError as error:
            return IndexReport(", ".join(file.extra_files), error=self._message(error))
        if found is None:
            return None
        place = "embedded" if isinstance(found, bytes) else found.rpartition("/")[2]
        size = len(found) if isinstance(found, bytes) else None
        try:
            source = found if isinstance(found, bytes) else self.storage.open(found)
            with FileIndex.open(source) as index:
                parts = tuple(
                    IndexPart(column, kind, 0 if entry.is_empty else entry.len_body)
                    for column, entries in index.indexes.items()
                    for kind, entry in entries.items()
                )
                return IndexReport(place, index.source.size, parts)
        except PaimonKsyError as error:
            text = self._message(error)
            name = f"{file.path}: its embedded index: " if isinstance(found, bytes) else ""
            return IndexReport(place, size, error=f"{name}{text}")

    def _index_manifest(
        self, snapshot: Any
    ) -> tuple[IndexManifestReport | None, dict[tuple[Any, ...], Any]]:
        name = snapshot.index_manifest
        if not name:
            return None, {}
        try:
            found = self.table.index_manifests.of(snapshot)
        except PaimonKsyError as error:
            return IndexManifestReport(name, error=self._message(error)), {}
        files = tuple(map(self._index_file, found[: self.limit]))
        report = IndexManifestReport(name, len(found), files)
        try:
            return report, self.table.index_manifests.deletion_vectors(snapshot)
        except PaimonKsyError as error:
            return replace(report, error=self._message(error)), {}

    def _index_file(self, file: IndexFile) -> IndexFileReport:
        try:
            path = self.table.paths.index_file(file)
            error = self._wrong_size(path, file.file_size, REMEDY)
        except PaimonKsyError as outside:
            path, error = file.external_path or file.file_name, with_remedy(outside)
        listed = islice(file.vectors.items(), self.limit)
        return IndexFileReport(
            type=file.index_type,
            name=file.file_name,
            path=path,
            partition=self._partition(file.partition),
            bucket=file.bucket,
            bytes=file.file_size,
            rows=len(file.vectors) or file.row_count,
            vectors=tuple(VectorReport(name, *range) for name, range in listed),
            error=error,
        )

    def _partition(self, values: Sequence[Any]) -> dict[str, Value]:
        columns = self.table.schema.partition_schema
        return {
            column.name: _value(value, column.type)
            for column, value in zip(columns, values, strict=True)
        }

    def _message(self, error: PaimonKsyError) -> str:
        """Return what is wrong, with commands that name the table."""
        return self._on(with_remedy(error))

    def _on(self, text: str) -> str:
        return pasteable(text, table=self.table.words)


def snapshot_report(snapshot: Any, tags: Sequence[NamedSnapshot]) -> SnapshotReport:
    """Return a report on a snapshot, with the names of its tags."""
    watermark = snapshot.watermark
    if watermark is not None and watermark <= -(1 << 63):  # Java's Long.MIN_VALUE: none yet
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


def _statistics(found: Any, schema: TableSchema) -> tuple[ColumnStatistics, ...]:
    return tuple(
        ColumnStatistics(
            name,
            None if low is None else _value(low, schema.columns[name]),
            None if high is None else _value(high, schema.columns[name]),
            nulls,
        )
        for name, low, high, nulls in zip(
            found.columns, found.min_values, found.max_values, found.null_counts, strict=True
        )
    )


def _value(value: Any, data_type: DataType) -> Value:
    if value is None:
        return Value(None, "NULL")
    if data_type.root == "FLOAT" and math.isfinite(value):
        import numpy as np

        return Value(float(str(np.float32(value))), str(np.float32(value)))
    text = to_sql(value, data_type)
    if isinstance(value, bool | int) and text in ("TRUE", "FALSE", str(value)):
        return Value(value, text)
    if isinstance(value, str) or (isinstance(value, float) and math.isfinite(value)):
        return Value(value, text)
    return Value(to_text(value, data_type), text)
