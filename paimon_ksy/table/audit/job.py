"""The facts about a table that the workers of an audit need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.table.index.options import options_of_written
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class FileSchema:
    """A schema that data files were written with.

    Attributes:
        schema: The schema.
        options: The indexes that the table's options ask for, in terms of this schema.
        bucket_key: The columns that determine buckets; None if they are unknown.
        latest_names: The columns' names in the latest schema, without dropped columns.
    """

    schema: TableSchema
    options: FileIndexOptions
    bucket_key: Schema | None
    latest_names: Mapping[str, str]

    @property
    def columns(self) -> Schema:
        """The columns of the schema."""
        return self.schema.columns


@dataclass(frozen=True)
class AuditJob:
    """The parameters of an audit that workers need.

    Attributes:
        storage: The storage of the table.
        schemas: The schemas of data files, by id.
        snapshot: The snapshot whose data files are checked.
        deep: Compare indexes with the data, and buckets with the keys.
        has_fixed_buckets: Whether Java's default function assigns the buckets.
        table: The table's name in commands.
        listed: The columns that the table's options list, by index type.
    """

    storage: Storage
    schemas: Mapping[int, FileSchema]
    snapshot: int | None
    deep: bool
    has_fixed_buckets: bool
    table: str = "TABLE"
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def options_of(self, file: DataFile) -> FileIndexOptions:
        """Return the indexes that a data file should have, according to the table's options."""
        return options_of_written(self.schemas[file.schema_id].options, file.write_columns)
