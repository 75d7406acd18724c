"""Report on the content of a file index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError, SchemaError, none_of
from paimon_ksy.file_index.index_type import IndexPlace, listed_indexes, text
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views.file_index import FileIndex, FileIndexColumn
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.types.data_type import DataType, quote
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.file_index.bitmap.inspect import BitmapReport
    from paimon_ksy.file_index.bloom_filter.inspect import BloomFilterReport
    from paimon_ksy.file_index.bsi.inspect import BsiReport
    from paimon_ksy.file_index.range_bitmap.inspect import RangeBitmapReport

_CLOSE = 0.8  # how similar a misspelt name is: renamed columns in schema files are less so


@dataclass(frozen=True)
class IndexReport(Answer):
    """An index of a column: its place in the file, and the report on its body.

    `body` is the result of `IndexType.inspect`; None if the index is empty, malformed or of an
    unknown type.
    """

    type: str = field(metadata=keyed("index_type", title=True))
    empty: bool
    offset: int | None = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    body: BitmapReport | BloomFilterReport | BsiReport | RangeBitmapReport | None = field(
        default=None, metadata=keyed(beside=True)
    )
    error: CorruptFileError | None = field(default=None, metadata=keyed(optional=True))


@dataclass(frozen=True)
class ColumnReport(Answer):
    """A column of a file index; `type` comes from the schema, and is None if that lacks it."""

    name: str = field(metadata=keyed("column", title=True))
    type: DataType | None = field(metadata=keyed(title=True))
    indexes: tuple[IndexReport, ...]


@dataclass(frozen=True)
class FileIndexReport(FileContent):
    """The head of a file index, and the columns and indexes in it. Sizes are in bytes."""

    HAS_STRIPS = True
    version: int
    head_size: int = field(metadata=keyed("head_bytes"))
    redundant_size: int = field(metadata=keyed("redundant_bytes"))
    columns: tuple[ColumnReport, ...]

    @property
    def errors(self) -> list[CorruptFileError]:
        """The errors of single indexes."""
        return [i.error for column in self.columns for i in column.indexes if i.error is not None]

    def notes(self, schema: Schema | None) -> Iterator[str]:
        """Yield hints how to see more values, and why some are not shown."""
        names = [column.name for column in self.columns if any(map(_needs_type, column.indexes))]
        if schema is None and names:
            listed = ", ".join(f"{n if n.isidentifier() else quote(n)} TYPE" for n in names[:2])
            more = ", .." if len(names) > 2 else ""
            yield f"to show values, pass the types: --schema '{listed}{more}'"
        if schema is not None and (names := [c.name for c in self.columns if c.type is None]):
            yield f"not in the schema: {', '.join(names)}"
        for column in self.columns:
            for index in column.indexes:
                yield from (f"column {column.name}: {note}" for note in _notes(column, index))

    def drawn(self, subject: Subject, most: int | None = None) -> FileIndexReport:
        """Return it with the rows of the listed values of bitmap indexes."""
        columns = tuple(
            replace(column, indexes=tuple(_drawn(subject.source, each) for each in column.indexes))
            for column in self.columns
        )
        return replace(self, columns=columns)


def _needs_type(index: IndexReport) -> bool:
    return index.body is not None and INDEX_TYPES[index.type].is_typed


def _drawn(source: Source, index: IndexReport) -> IndexReport:
    body: Any = index.body
    return replace(index, body=body.drawn(source)) if hasattr(body, "drawn") else index


def read_head(source: Source) -> FileIndex:
    """Return the head of a file index. Raises CorruptFileError."""
    with CorruptErrors(source):
        return read_view(source, FileIndex, 0)


def inspect(subject: Subject, top: int | None) -> FileIndexReport:
    """Return what a file index contains, with the `top` values of each index.

    Raises:
        CorruptFileError: The head is malformed. Errors of single indexes are in the report.
    """
    file = read_head(subject.source)
    head = file.head
    return FileIndexReport(
        version=file.version,
        head_size=file.len_head,
        redundant_size=len(head.redundant or b""),
        columns=tuple(
            _column(subject.source, column, subject.schema, top) for column in head.columns
        ),
    )


def _notes(column: ColumnReport, index: IndexReport) -> Iterator[str]:
    """Yield hints about an index of a column."""
    kind = INDEX_TYPES.get(index.type)
    if column.type is not None and kind is not None and not kind.takes(column.type):
        yield f"a {kind.name} index has no {column.type}"
    seen = getattr(index.body, "values_seen", 0)
    if 0 < seen < getattr(index.body, "distinct", 0):
        yield f"the most frequent of the first {seen:,} values; --all reads all"


def check_schema(subject: Subject) -> None:
    """Raise SchemaError if a column is misspelt, or no column of the file is in the schema."""
    if subject.of_table:
        return
    schema, indexed = subject.schema, list[str]()
    with suppress(CorruptFileError):  # which other checks report
        indexed = [text(column.name) for column in read_head(subject.source).head.columns]
    missing = [name for name in indexed if schema is not None and name not in schema]
    for of_schema in schema or ():
        is_unindexed = len(missing) < len(indexed) and not get_close_matches(
            of_schema.name.casefold(), [name.casefold() for name in missing], cutoff=_CLOSE
        )
        if missing and of_schema.name not in indexed and not is_unindexed:
            message = f"the file has no such column{none_of(of_schema.name, 'it has', indexed)}"
            raise SchemaError(message, path=subject.path, column=of_schema.name)


def _column(
    source: Source, column: FileIndexColumn, schema: Schema | None, top: int | None
) -> ColumnReport:
    name = text(column.name)
    data_type = schema[name] if schema is not None and name in schema else None
    indexes = tuple(
        _index(source, text(index_type), place, name, data_type, top)
        for index_type, place in listed_indexes(column)
    )
    return ColumnReport(name, data_type, indexes)


def _index(
    source: Source,
    index_type: str,
    place: IndexPlace,
    column: str,
    data_type: DataType | None,
    top: int | None,
) -> IndexReport:
    report = IndexReport(
        type=index_type,
        empty=place.is_empty,
        offset=None if place.is_empty else place.ofs_body,
        size=place.len_body,
    )
    if place.is_empty:
        return report
    kind = INDEX_TYPES.get(index_type)
    if kind is None:
        return report
    try:
        with CorruptErrors(source, column):
            at = place.ofs_body, place.len_body
            return replace(report, body=kind.inspect(source, *at, column, data_type, top))
    except CorruptFileError as error:
        return replace(report, error=error)
