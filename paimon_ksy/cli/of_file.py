"""The options that describe a file: its kind, its columns, and its table."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from paimon_ksy.cli.common import open_named, read_schema
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import Columns, Data, Kind, OfTable, SchemaFile
from paimon_ksy.cli.table_source import NO_CATALOG, CatalogSource, open_table
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.inspection.registry import FORMATS, checked_kind, kind_in
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import UNKNOWN, FileKind, index_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import table_folder
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table.model.files import IndexFile
    from paimon_ksy.table.store import Table

_MOST_SEARCHED = 1000  # maximum snapshots to search for an index file


@dataclass(frozen=True)
class ColumnTypes:
    """Options that determine the types of a file's columns."""

    schema: Columns = None
    schema_file: SchemaFile = None
    table: OfTable = None
    data: Data = None
    catalog: CatalogSource = NO_CATALOG

    def described(
        self, source: Source, name: str | None = None, compares: bool = False
    ) -> tuple[FileKind, Subject]:
        """Return the kind of a file, and what else is known about it.

        Its kind is the one named, or of the index manifest of its table, or of its bytes. Its
        column types are those of the options, or else of the table around the file, if a manifest
        of it names the file, or else of the data file beside it. If it `compares` --data with the
        file, the types of the table come first, and an error in the data file is reported later.

        Raises:
            UsageError: The options contradict each other.
            SchemaError: The schema is not that of the file.
            PaimonKsyError: The table or the data file of an option cannot be opened.
        """
        if self.table is not None and (self.schema is not None or self.schema_file is not None):
            raise UsageError("--table already provides the schema: drop --schema and --schema-file")
        if self.catalog and self.table is None:
            raise UsageError("--catalog needs --table: add it")
        schema = read_schema(self.schema, self.schema_file)
        subject = Subject(source, schema, of_table=self.schema_file is not None)
        kind = kind_in(source) if name is None else checked_kind(name)
        if self.table is not None:
            table = open_table(self.table, self.catalog)
            return _facts_of_table(table, kind, subject, must=True)
        if schema is None or kind is UNKNOWN:
            kind, subject = self._found(kind, subject, compares)
        if schema is not None and kind is not UNKNOWN:
            self._check_schema(kind, subject)
        return kind, subject

    def _found(self, kind: FileKind, subject: Subject, compares: bool) -> tuple[FileKind, Subject]:
        """Return the kind and the facts that the table around a file has, or its data file."""
        path, stated = subject.path, subject.schema
        if kind is not UNKNOWN and not _takes_schema(kind):
            return kind, subject
        of_data = self.data is not None and not compares
        folder = None if of_data and kind is not UNKNOWN else table_folder(path)
        if folder is not None:
            from paimon_ksy.table.store import Table

            with suppress(PaimonKsyError):  # then, the table does not know the file
                kind, subject = _facts_of_table(Table.at(folder), kind, subject)
        if stated is not None or not _takes_schema(kind):
            return kind, replace(subject, schema=stated)
        if subject.schema is not None and not of_data:
            subject = replace(subject, types_from=f"the table {folder}")
        elif self.data is not None and of_data:
            subject = replace(subject, schema=_types_in(self.data))
        elif (data := self.data or _beside(path)) is not None:
            with suppress(PaimonKsyError):  # then, the types are unknown
                subject = replace(subject, schema=_types_in(data), types_from=data)
        return kind, subject

    def _check_schema(self, kind: FileKind, subject: Subject) -> None:
        file_format = FORMATS.get(kind)
        if file_format is None or not _takes_schema(kind, "key"):
            option = "--schema" if self.schema_file is None else "--schema-file"
            raise UsageError(f"{kind.title} needs no schema: drop {option}", path=subject.path)
        if file_format.check_schema is not None:
            file_format.check_schema(subject)


@dataclass(frozen=True)
class OfFile(ColumnTypes):
    """Options that describe a file of any kind."""

    kind: Kind = None

    def subject(self, source: Source, *, compares: bool = False) -> tuple[FileKind, Subject]:
        """Return the kind of a file, and what else is known about it (see `described`)."""
        return self.described(source, self.kind, compares)


def _listed_kind(kind: FileKind, entry: IndexFile) -> FileKind:
    """Return the kind of an index file, by its bytes or else by its entry in an index manifest."""
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


def _takes_schema(kind: FileKind, *others: str) -> bool:
    return kind in FORMATS and not {"schema", *others}.isdisjoint(FORMATS[kind].takes)


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


_INDEX_FILE = re.compile(r"(?P<data>.+\.(?:parquet|orc|avro)).*\.index", re.DOTALL)


def _beside(path: str) -> str | None:
    """Return the data file beside a local index file, whose name begins with its; None if none."""
    match = _INDEX_FILE.match(path)
    return match["data"] if match is not None and Path(match["data"]).is_file() else None


def _types_in(path: str) -> Schema:
    """Return the column types in the footer of a data file. Raises PaimonKsyError."""
    from paimon_ksy.data_files.open import open_data_file

    with open_data_file(open_named(path)) as file:
        return Schema.from_arrow(file.schema)


def _facts_of_table(
    table: Table, kind: FileKind, subject: Subject, *, must: bool = False
) -> tuple[FileKind, Subject]:
    """Return a file's kind, by default that of its bytes, and what its table knows about it.

    With `must`, the file is of the table even if no manifest names it. A file index then has the
    current column types.

    Raises:
        UsageError: No snapshot has this index file.
        PaimonKsyError: A manifest cannot be read.
    """
    name = _name(subject.path)
    if (entry := _index_entry(table, name)) is not None:
        return _listed_kind(kind, entry), _of_entry(table, subject, entry)
    if kind.index_types and must:
        raise UsageError("no snapshot of the table has this file: drop --table", path=name)
    if kind.index_types or not _takes_schema(kind):
        return kind, subject
    # The index has the columns and types of its data file, which may have an older schema.
    schema = table.schema if must else None
    for file in table.data_files.of(table.snapshot()):
        if any(_name(each) == name for each in file.index_files):
            schema = table.schema_at(file.schema_id)
            break
    return kind, subject if schema is None else replace(subject, schema=schema.columns)


def _of_entry(table: Table, subject: Subject, entry: IndexFile) -> Subject:
    """Return the subject with the facts of an entry of an index manifest."""
    from paimon_ksy.table_index.deletion_vector_file import VectorMeta

    subject = replace(subject, index_type=entry.index_type)
    if entry.vectors:
        vectors = [
            VectorMeta(place.offset, place.length, place.cardinality or 0, data_file)
            for data_file, place in entry.vectors.items()
        ]
        return replace(subject, vectors=vectors)
    index = entry.global_index
    if index is None:
        return subject
    ids = [index.index_field_id, *(index.extra_field_ids or ())]
    named = {field.id: field for field in table.schema.columns}
    return replace(
        subject,
        schema=Schema(tuple(named[each] for each in ids if each in named)),
        cardinality=entry.row_count,
        row_range=(index.row_range_start, index.row_range_end),
        metadata=index.index_meta,
        source_metadata=index.source_meta,
    )
