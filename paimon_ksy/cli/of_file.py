"""The options that describe a file: its kind, its columns, and its table."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.cli.common import read_schema, suggesting
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import Columns, Data, Kind, OfTable, SchemaFile
from paimon_ksy.cli.table_source import NO_CATALOG, CatalogSource, open_table
from paimon_ksy.errors import OptionError
from paimon_ksy.inspection.registry import FORMATS, checked_kind, kind_in
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import UNKNOWN, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.table.inspect.described import Described


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

        If it `compares` --data with the file, the types of the table come first, and an error in
        the data file is reported later.

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
        kind = kind_in(source) if name is None else checked_kind(name)
        file = Described(kind, Subject(source, schema, of_table=self.schema_file is not None))
        if self.table is not None:
            try:
                file = file.by_table(open_table(self.table, self.catalog), must=True)
            except OptionError as error:
                raise UsageError(error.message, path=error.path) from None
        else:
            if schema is None or kind is UNKNOWN:
                with suggesting():
                    file = file.found(self.data, compares=compares)
            if schema is not None and file.kind is not UNKNOWN:
                self._check_schema(file.kind, file.subject)
        return file.kind, file.subject

    def _check_schema(self, kind: FileKind, subject: Subject) -> None:
        file_format = FORMATS.get(kind)
        if file_format is None or {"schema", "key"}.isdisjoint(file_format.takes):
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
