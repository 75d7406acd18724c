"""What is known about a file besides its bytes: by options, its table, or its data file.

The kind of a file is the one stated, or of the index manifest of its table, or of its bytes. Its
column types are those stated, or else of the table around the file, if a manifest of it names the
file, or else of the data file beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from paimon_ksy.errors import OptionError, PaimonKsyError
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import UNKNOWN, FileKind, index_kind
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.commands import table_folder
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table.model.files import IndexFile
    from paimon_ksy.table.store import Table

_MOST_SEARCHED = 1000  # maximum snapshots to search for an index file
_INDEX_FILE = re.compile(r"(?P<data>.+\.(?:parquet|orc|avro)).*\.index", re.DOTALL)


@dataclass(frozen=True)
class Described:
    """A file and its kind.

    Attributes:
        kind: The kind, which is `UNKNOWN` if nothing determines it.
        subject: The file, and what is known about it.
    """

    kind: FileKind
    subject: Subject

    @property
    def takes_schema(self) -> bool:
        """Whether a file of this kind has columns whose types it does not store."""
        return self.kind in FORMATS and "schema" in FORMATS[self.kind].takes

    def by_table(self, table: Table, *, must: bool = False) -> Described:
        """Return it with what its table knows about it.

        With `must`, the file is of the table even if no manifest names it. A file index then has
        the current column types.

        Raises:
            OptionError: No snapshot has this index file.
            PaimonKsyError: A manifest cannot be read.
        """
        name = _name(self.subject.path)
        if (entry := _index_entry(table, name)) is not None:
            kind = _listed_kind(self.kind, entry)
            return Described(kind, _of_entry(table, self.subject, entry))
        if self.kind.index_types and must:
            message = "no snapshot of the table has this file: drop --table"
            raise OptionError(message, path=name)
        if self.kind.index_types or not self.takes_schema:
            return self
        # The index has the columns and types of its data file, which may have an older schema.
        files = table.data_files.of(table.snapshot())
        of = (file for file in files if any(_name(each) == name for each in file.index_files))
        file = next(of, None)
        schema = None if file is None else table.schema_at(file.schema_id)
        return self._typed(schema or (table.schema if must else None))

    def _typed(self, schema: object) -> Described:
        columns = getattr(schema, "columns", None)
        if columns is None:
            return self
        return replace(self, subject=replace(self.subject, schema=columns))

    def found(self, data: str | None, *, compares: bool) -> Described:
        """Return it with the facts that the table around it has, or its data file.

        The types of a named data file come before those of the table, unless the file is
        `compared` with it.

        Raises:
            PaimonKsyError: The data file that gives the types cannot be opened.
        """
        stated, by_data = self.subject.schema, data is not None and not compares
        if self.kind is not UNKNOWN and not self.takes_schema:
            return self
        known = self
        folder = None if by_data and self.kind is not UNKNOWN else table_folder(self.subject.path)
        if folder is not None:
            from paimon_ksy.table.store import Table

            with suppress(PaimonKsyError):  # then, the table does not know the file
                known = self.by_table(Table.at(folder))
        if stated is not None or not known.takes_schema:
            return replace(known, subject=replace(known.subject, schema=stated))
        if by_data and data is not None:
            return replace(known, subject=replace(known.subject, schema=types_in(data)))
        if known.subject.schema is not None:
            types_from = f"the table {folder}"
            return replace(known, subject=replace(known.subject, types_from=types_from))
        return known._by_data_file(data or _beside(self.subject.path))

    def _by_data_file(self, data: str | None) -> Described:
        """Return it with the types of a data file, if there is one that can be read."""
        with suppress(PaimonKsyError):
            if data is not None:
                subject = replace(self.subject, schema=types_in(data), types_from=data)
                return replace(self, subject=subject)
        return self


def types_in(path: str) -> Schema:
    """Return the column types in the footer of a data file. Raises PaimonKsyError."""
    from paimon_ksy.data_files.open import open_data_file

    with open_data_file(open_source(path)) as file:
        return Schema.from_arrow(file.schema)


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _beside(path: str) -> str | None:
    """Return the data file beside a local index file, whose name begins with its; None if none."""
    match = _INDEX_FILE.match(path)
    return match["data"] if match is not None and Path(match["data"]).is_file() else None


def _listed_kind(kind: FileKind, entry: IndexFile) -> FileKind:
    """Return the kind of an index file, by its bytes or else by its entry in an index manifest."""
    index = entry.global_index
    has_metadata = index is not None and index.index_meta is not None
    listed = index_kind(entry.index_type, has_metadata=has_metadata)
    return kind if entry.index_type in kind.index_types else listed


def _roots(table: Table) -> Iterator[tuple[int | None, str | None]]:
    """Yield the newest snapshots, and then the tags, as arguments of `Table.snapshot`."""
    with suppress(PaimonKsyError):
        ids = table.snapshots.ids()
        yield from ((number, None) for number in reversed(ids[-_MOST_SEARCHED:]))
    with suppress(PaimonKsyError):
        yield from ((None, tag) for tag in table.snapshots.tags())


def _index_entry(table: Table, name: str) -> IndexFile | None:
    """Return the newest entry of an index file, in the index manifests of snapshots and tags.

    It is None if there is none. What cannot be read is left out.
    """
    read = set()
    for root in _roots(table):
        with suppress(PaimonKsyError):
            snapshot = table.snapshot(*root)
            if snapshot is not None and snapshot.index_manifest not in read:
                read.add(snapshot.index_manifest)
                for files in table.index_manifests.columns(snapshot):
                    listed = files.columns.column("_FILE_NAME").to_pylist()
                    if name in listed:
                        return files.file(listed.index(name))
    return None


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
