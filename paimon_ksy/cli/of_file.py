"""The options that describe a file: its kind, its columns, and its table."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paimon_ksy.cli.common import read_schema
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import Columns, Kind, OfTable, SchemaFile
from paimon_ksy.cli.table_source import NO_CATALOG, CatalogSource, open_table
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.file_kind import (
    FILE_INDEX,
    UNKNOWN,
    VECTORS,
    FileKind,
    checked_kind,
    index_kind,
    kind_of,
)
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import table_folder
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table.model.files import IndexFile
    from paimon_ksy.table.store import Table
    from paimon_ksy.table_index.deletion_vector_file import VectorMeta

_MOST_SEARCHED = 1000  # maximum snapshots to search for an index file


class FileFacts(NamedTuple):
    """What is known about a file: its kind, the types of its columns, the places of vectors."""

    kind: FileKind
    columns: Schema | None = None
    vectors: list[VectorMeta] | None = None


@dataclass(frozen=True)
class OfFile:
    """Options that describe a file."""

    kind: Kind = None
    schema: Columns = None
    schema_file: SchemaFile = None
    table: OfTable = None
    catalog: CatalogSource = NO_CATALOG

    def facts(self, source: Source) -> FileFacts:
        """Return what is known about a file.

        Its kind is that of --kind, or of the index manifest of its table, or of its bytes. Without
        --table, only if its bytes do not determine it, the table around the file is opened.

        Raises:
            UsageError: The options contradict each other.
            PaimonKsyError: The table cannot be opened.
        """
        if self.table is not None and (self.schema is not None or self.schema_file is not None):
            raise UsageError("--table already provides the schema: drop --schema and --schema-file")
        if self.catalog and self.table is None:
            raise UsageError("--catalog needs --table: add it")
        columns = read_schema(self.schema, self.schema_file)
        table = None
        if self.table is not None:
            table = open_table(self.table, self.catalog)
        name = source.name.replace("\\", "/").rpartition("/")[2]
        kind = _kind(source, table, name) if self.kind is None else checked_kind(self.kind)
        if table is None:
            return FileFacts(kind, columns)
        return _facts_of_table(table, kind, name)


def _kind(source: Source, table: Table | None, name: str) -> FileKind:
    kind = kind_of(source)
    if kind is UNKNOWN and table is None and (folder := table_folder(source.name)) is not None:
        from paimon_ksy.table.store import Table

        with suppress(PaimonKsyError):  # then, the kind is unknown
            table = Table.at(folder)
    if table is None:
        return kind
    if (entry := _index_entry(table, name)) is None:
        return kind
    index = entry.global_index
    has_metadata = index is not None and index.index_meta is not None
    listed = index_kind(entry.index_type, has_metadata=has_metadata)
    return kind if entry.index_type in kind.index_types else listed


def _index_entry(table: Table, name: str) -> IndexFile | None:
    """Return the newest entry of an index file, in the index manifests of snapshots and tags.

    It is None if there is none. What cannot be read is left out.
    """
    roots = list[tuple[int | None, str | None]]()
    with suppress(PaimonKsyError):
        ids = table.snapshots.ids()
        roots += [(number, None) for number in reversed(ids[-_MOST_SEARCHED:])]
    with suppress(PaimonKsyError):
        roots += [(None, tag) for tag in table.snapshots.tags()]
    read = set()
    for root in roots:
        with suppress(PaimonKsyError):
            snapshot = table.snapshot(*root)
            if snapshot is not None and snapshot.index_manifest not in read:
                read.add(snapshot.index_manifest)
                for files in table.index_manifests.columns(snapshot):
                    listed = files.columns.column("_FILE_NAME").to_pylist()
                    if name in listed:
                        return files.file(listed.index(name))
    return None


def _facts_of_table(table: Table, kind: FileKind, name: str) -> FileFacts:
    """Return a table's facts about a file.

    Raises:
        UsageError: The latest snapshot has no vector in this file.
        PaimonKsyError: A manifest cannot be read.
    """
    snapshot = table.snapshot()
    if kind is VECTORS:
        from paimon_ksy.table_index.deletion_vector_file import VectorMeta

        vectors = [
            VectorMeta(place.offset, place.length, place.cardinality or 0, data_file)
            for file in table.index_manifests.with_vectors(snapshot)
            if file.file_name == name
            for data_file, place in file.vectors.items()
        ]
        if not vectors:
            message = "the latest snapshot has no vector in this file: drop --table"
            raise UsageError(message, path=name)
        return FileFacts(kind, None, vectors)
    if kind is not FILE_INDEX:
        return FileFacts(kind)
    # The index has the columns and types of its data file, which may have an older schema.
    for file in table.files(snapshot):
        if any(each.rpartition("/")[2] == name for each in file.index_files):
            return FileFacts(kind, table.schema_at(file.schema_id).columns)
    return FileFacts(kind, table.schema.columns)
