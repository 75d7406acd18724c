"""Report on data files: their manifest entries, their indexes, and whether they exist."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from paimon_ksy.data_files.open import RESTORE
from paimon_ksy.errors import PaimonKsyError, Remedy, counted, with_remedy
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.messages.answers import Value
from paimon_ksy.messages.masking import masked_option
from paimon_ksy.table.index.global_indexes import fields_of, version_of
from paimon_ksy.table.inspect.report import (
    ColumnStatistics,
    DataFileIndex,
    DataFileReport,
    GlobalIndexFileReport,
    GlobalIndexReport,
    IndexFileReport,
    IndexPart,
    SchemaColumn,
    SchemaReport,
    VectorReport,
)
from paimon_ksy.table.manifests.global_indexes import OF_PRIMARY_KEYS, GlobalIndexFiles
from paimon_ksy.table.model.files import DataFile, IndexFile, Statistics, TableSchema
from paimon_ksy.table.model.row_ranges import RowRanges
from paimon_ksy.table.store import Table
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import to_sql, to_text

T = TypeVar("T")


class FileReporter:
    """Reporter on the files of a table."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def listed(self, file: DataFile) -> DataFileReport:
        """Return a report on a file from its manifest entry."""
        schema = self.table.schema_at(file.schema_id)
        keys = self.table.key_types
        low, high = file.key_range
        return DataFileReport(
            name=file.name,
            path=file.path,
            partition=self.partition(file.partition),
            bucket=file.bucket,
            level=file.level,
            rows=file.num_rows,
            bytes=file.size,
            schema_id=file.schema_id,
            min_sequence_number=file.min_sequence_number,
            max_sequence_number=file.max_sequence_number,
            deleted_rows=file.delete_row_count,
            creation_millis=file.creation_millis,
            source=source_name(file.source),
            first_row_id=file.first_row_id,
            min_key=tuple(map(_value, low, keys)),
            max_key=tuple(map(_value, high, keys)),
            statistics=statistics_report(file.statistics, schema),
            extra_files=file.extra_files,
            embedded_index_bytes=None if file.embedded_index is None else len(file.embedded_index),
        )

    def live(self, file: DataFile) -> DataFileReport:
        """Return a report on a live file: whether it exists, and the content of its index."""
        report = replace(self.listed(file), index=self.index(file))
        if (place := file.deletion_vector) is not None:
            report = replace(report, deletion_vector=VectorReport.at(place))
        return replace(report, error=self.wrong_size(file.path, file.size, RESTORE))

    def index_file(self, file: IndexFile) -> IndexFileReport:
        """Return a report on an index file from its manifest entry."""
        path, error = self.tried(lambda: self.table.paths.index_file(file))
        of_global = None
        if (index := file.global_index) is not None:
            columns = self.table.schema.named(index.field_ids)
            bounds = index.row_range_start, index.row_range_end
            of_global = GlobalIndexFileReport(columns, *bounds, *self._version(file))
        return IndexFileReport(
            type=file.index_type,
            name=file.file_name,
            path=path or file.external_path or file.file_name,
            partition=self.partition(file.partition),
            bucket=file.bucket,
            bytes=file.file_size,
            rows=len(file.vectors) or file.row_count,
            global_index=of_global,
            error=error,
        )

    def _version(self, file: IndexFile) -> tuple[int | None, str | None]:
        """Return the version of a global index and what misreads it; None if it is unreadable."""
        index = file.global_index
        fields = fields_of(self.table.schema, index.field_ids if index else ())

        def read() -> tuple[int | None, str | None]:
            with self.table.storage.open(self.table.paths.index_file(file)) as source:
                return version_of(file, source, fields)

        version, _ = self.tried(read)  # an audit reports the error
        return version or (None, None)

    def global_index(self, index: GlobalIndexFiles, live: RowRanges) -> GlobalIndexReport:
        """Return a report on a global index; `live` are the row ids of the live data files."""
        rows = len(index.rows.common(live))
        has_ids = not self.table.schema.primary_keys
        version, misread = self._version(index.files[0])
        return GlobalIndexReport(
            type=index.index_type,
            columns=self.table.schema.named(index.field_ids),
            files=len(index.files),
            first_row_id=int(index.starts.min()),
            last_row_id=int(index.ends.max()) - 1,
            rows=rows if has_ids else None,
            coverage=rows * 10_000 // len(live) / 10_000 if has_ids and len(live) else None,
            version=version,
            misread=misread,
            unused=None if has_ids else OF_PRIMARY_KEYS,
        )

    def wrong_size(self, path: str, expected: int, remedy: str) -> str | None:
        """Return an error message if a file is missing or has a different size; else None."""
        try:
            size = self.table.storage.status(path).size
        except PaimonKsyError as error:
            return f"{error}; {self.on(remedy)}"
        if size == expected:
            return None
        return (
            f"{path}: has {counted(size, 'byte')}, but should have {expected:,} according to the "
            f"manifest; {self.on(remedy)}"
        )

    def index(self, file: DataFile) -> DataFileIndex | None:
        """Return a report on the index of a file; None if it has none."""
        try:
            stored = file.index
        except PaimonKsyError as error:
            return DataFileIndex(", ".join(file.extra_files), error=self.message(error))
        if stored is None:
            return None
        place = "embedded" if isinstance(stored, bytes) else stored.rpartition("/")[2]
        size = len(stored) if isinstance(stored, bytes) else None
        try:
            source = stored if isinstance(stored, bytes) else self.table.storage.open(stored)
            with FileIndex.open(source) as index:
                parts = tuple(
                    IndexPart(column, kind, 0 if entry.is_empty else entry.len_body)
                    for column, entries in index.places.items()
                    for kind, entry in entries.items()
                )
                return DataFileIndex(place, index.source.size, parts)
        except PaimonKsyError as error:
            text = self.message(error)
            name = f"{file.path}: its embedded index: " if isinstance(stored, bytes) else ""
            return DataFileIndex(place, size, error=f"{name}{text}")

    def partition(self, values: Sequence[Any]) -> dict[str, Value]:
        """Return the values of a partition by column."""
        columns = self.table.schema.partition_schema
        return {
            column.name: _value(value, column.type)
            for column, value in zip(columns, values, strict=True)
        }

    def tried(self, read: Callable[[], T]) -> tuple[T | None, str | None]:
        """Return the result of a function, and its error; one of them is None."""
        try:
            return read(), None
        except PaimonKsyError as error:
            return None, self.message(error)

    def message(self, error: PaimonKsyError) -> str:
        """Return an error's message, with commands that name the table."""
        return with_remedy(error, self.table.words)

    def on(self, remedy: str) -> str:
        """Return a remedy with commands that name the table."""
        return remedy.on(self.table.words) if isinstance(remedy, Remedy) else remedy


def source_name(source: int | None) -> str | None:
    """Return a name for `DataFile.source`."""
    return None if source is None else {0: "append", 1: "compact"}.get(source, str(source))


def statistics_report(statistics: Statistics, schema: TableSchema) -> tuple[ColumnStatistics, ...]:
    """Return the statistics of the columns of a schema."""
    reports = []
    for name in statistics.columns:
        least, greatest, nulls = statistics.of(name) or (None, None, None)
        low, high = (
            None if value is None else _value(value, schema.columns[name])
            for value in (least, greatest)
        )
        reports.append(ColumnStatistics(name, low, high, nulls))
    return tuple(reports)


def _value(value: Any, data_type: DataType) -> Value:
    if value is None:
        return Value(None, "NULL")
    if data_type.root == "FLOAT" and math.isfinite(value):
        import numpy as np

        return Value(float(str(np.float32(value))), str(np.float32(value)))
    text = to_sql(value, data_type)
    is_plain = isinstance(value, bool | int) and text in ("TRUE", "FALSE", str(value))
    if is_plain or isinstance(value, str) or (isinstance(value, float) and math.isfinite(value)):
        return Value(value, text)
    return Value(to_text(value, data_type), text)


def schema_report(schema: TableSchema, before: TableSchema | None = None) -> SchemaReport:
    """Return a version of a schema in plain values, with the changes since another version."""
    return SchemaReport(
        id=schema.id,
        time_millis=schema.time_millis,
        columns=tuple(
            SchemaColumn(schema.ids[field.name], field.name, str(field.type), field.description)
            for field in schema.columns
        ),
        partition_keys=schema.partition_keys,
        primary_keys=schema.primary_keys,
        options={key: masked_option(key, value) for key, value in schema.options.items()},
        changes=() if before is None else tuple(schema_changes(before, schema)),
    )


def schema_changes(before: TableSchema, after: TableSchema) -> Iterator[str]:
    """Yield a line for each change between two versions of a schema; columns match by their ids."""
    old = {before.ids[column.name]: column for column in before.columns}
    new = {after.ids[column.name]: column for column in after.columns}
    for number, column in new.items():
        if (was := old.get(number)) is None:
            yield f"column {column.name} {column.type} added"
            continue
        if was.name != column.name:
            yield f"column {was.name} renamed to {column.name}"
        if was.type != column.type:
            yield f"column {column.name} from {was.type} to {column.type}"
    for number, column in old.items():
        if number not in new:
            yield f"column {column.name} {column.type} dropped"
    if before.primary_keys != after.primary_keys:
        keys = ", ".join(after.primary_keys) or "none"
        yield f"primary key {', '.join(before.primary_keys) or 'none'} to {keys}"
    yield from _option_changes(before, after)


def _option_changes(before: TableSchema, after: TableSchema) -> Iterator[str]:
    for key in sorted(before.options.keys() | after.options.keys()):
        low, high = (masked_option(key, of.options.get(key, "")) for of in (before, after))
        if key not in before.options:
            yield f"option {key} set to {high}"
        elif key not in after.options:
            yield f"option {key} removed, was {low}"
        elif before.options[key] != after.options[key]:
            yield f"option {key} from {low} to {high}"
