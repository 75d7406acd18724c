"""Report on the kind and content of a file.

The work is bounded for any input: in an index with very many values, only the first ones are read,
unless the caller wants all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.index_type import IndexPlace, listed_indexes
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views.file_index import FileIndex, FileIndexColumn
from paimon_ksy.inspection.parsed_file import read_head, read_roaring, text
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import (
    BUCKET_INDEX,
    EMPTY,
    FILE_INDEX,
    ROARING,
    UNKNOWN,
    VECTORS,
    FileKind,
    kind_of,
)
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from pyroaring import BitMap

    from paimon_ksy.file_index.bitmap.inspect import BitmapReport
    from paimon_ksy.file_index.bloom_filter.inspect import BloomFilterReport
    from paimon_ksy.file_index.bsi.inspect import BsiReport
    from paimon_ksy.file_index.range_bitmap.inspect import RangeBitmapReport
    from paimon_ksy.table_index.bucket_index import BucketIndex
    from paimon_ksy.table_index.deletion_vector_file import StoredVector


MAX_TEXT = 40
"""The longest text of a field to show beside its bytes, in bytes."""


@dataclass(frozen=True)
class IndexReport(Answer):
    """An index of a column: its place in the file, and the report on its body.

    `body` is the result of `IndexType.inspect`; None if the index is empty, malformed or of an
    unknown type.
    """

    TITLE = ("index_type",)
    KEYS = ("index_type=type", "empty", "byte=offset", "bytes=size", "**body", "error?")
    type: str
    empty: bool
    offset: int | None
    size: int
    body: BitmapReport | BloomFilterReport | BsiReport | RangeBitmapReport | None = None
    error: CorruptFileError | None = None


@dataclass(frozen=True)
class ColumnReport(Answer):
    """A column of a file index; `type` comes from the schema, and is None if that lacks it."""

    KEYS = ("column=name", "type", "indexes")
    TITLE = ("column", "type")
    name: str
    type: DataType | None
    indexes: tuple[IndexReport, ...]


@dataclass(frozen=True)
class FileIndexReport(Answer):
    """The head of a file index, and the columns and indexes in it. Sizes are in bytes."""

    KEYS = ("version", "head_bytes=head_size", "redundant_bytes=redundant_size", "columns")
    version: int
    head_size: int
    redundant_size: int
    columns: tuple[ColumnReport, ...]

    @property
    def errors(self) -> list[CorruptFileError]:
        """The errors of single indexes."""
        return [i.error for column in self.columns for i in column.indexes if i.error is not None]


@dataclass(frozen=True)
class RoaringReport(Answer):
    """A Roaring bitmap: the number of integers, and of containers of each kind."""

    cardinality: int
    containers: dict[str, int]


@dataclass(frozen=True)
class FieldBytes(Answer):
    """A field of a file, with its bytes.

    Attributes:
        start: Its first byte in the file.
        end: The byte after its last.
        path: Its path; None of bytes that belong to no field.
        value: Its value, if it can be read.
        data: Its bytes; of a difference, those from the first line on that differs.
        skipped: The number of its bytes before `data`.
    """

    KEYS = ("field=path", "byte=start", "bytes=size", "value=plain", "hex_byte=at", "hex=data")
    start: int
    end: int
    path: str | None
    value: Any = None
    data: bytes = b""
    skipped: int = 0

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return self.end - self.start

    @property
    def at(self) -> int:
        """The byte in the file from which `data` is."""
        return self.start + self.skipped

    @property
    def plain(self) -> Any:
        """Its value for JSON: a number or a text; None of bytes, which are in `data`."""
        if isinstance(self.value, bytes):
            return None
        return self.value if isinstance(self.value, int | None) else str(self.value)

    @property
    def text(self) -> str:
        """Its value for people; empty if it is long, or no text."""
        if not isinstance(self.value, bytes):
            return "" if self.value is None else str(self.value)
        text = self.value[:MAX_TEXT].decode("utf-8", "replace")
        is_text = text.isprintable() and "\ufffd" not in text
        return repr(text) if is_text and len(self.value) <= MAX_TEXT else ""

    @property
    def label(self) -> str:
        """Its path, and its value if it is short."""
        if self.path is None:
            return "no field"
        return f"{self.path} = {self.text}" if self.text else self.path


@dataclass(frozen=True)
class FileReport(Answer):
    """The kind and the content of a file.

    `hex` lists fields with their bytes. `vectors` are those before the one of the `error`; if fewer
    are listed, `num_vectors` counts all.
    """

    KEYS = (
        *("file=path", "kind=kind.id", "bytes=size", "note?", "**file_index"),
        *("vectors?", "error?", "**bucket_index", "**roaring", "hex?"),
    )
    DETAILS = ("file", "hex")
    path: str
    size: int
    kind: FileKind
    file_index: FileIndexReport | None = None
    roaring: RoaringReport | None = None
    vectors: tuple[StoredVector, ...] | None = None
    num_vectors: int | None = None
    error: CorruptFileError | None = None
    bucket_index: BucketIndex | None = None
    first_bytes: bytes = b""
    hex: Iterator[FieldBytes] | None = None

    @property
    def note(self) -> str | None:
        """What the kind of the file is for, if others read it."""
        return self.kind.note if self.kind.readers else None


def inspect_file(
    source: Source,
    schema: Schema | None = None,
    *,
    top: int | None = 10,
    kind: FileKind | None = None,
) -> FileReport:
    """Report on a file.

    Args:
        source: The file.
        schema: The types of the columns. With it, the report lists values of indexes.
        top: The number of most frequent values of each index to list; None means all.
        kind: The kind of the file, if it does not follow from the bytes.

    Returns:
        The report, which contains the errors of single indexes and vectors.

    Raises:
        CorruptFileError: The head of a file index is malformed, or the first deletion vector.
    """
    if source.size == 0 and kind is not BUCKET_INDEX:  # which may have no hash codes
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    kind = kind or kind_of(source)
    first_bytes = source.read(0, min(16, source.size))
    report = FileReport(source.name, source.size, kind, first_bytes=first_bytes)
    if kind is FILE_INDEX:
        return replace(report, file_index=_file_index(source, read_head(source), schema, top))
    if kind is VECTORS:
        from paimon_ksy.table_index.deletion_vector_file import read_vectors  # imports numpy

        vectors: list[StoredVector] = []
        try:
            vectors.extend(read_vectors(source, verify=False))
        except CorruptFileError as error:
            if not vectors:
                raise
            return replace(report, vectors=tuple(vectors), error=error)
        return replace(report, vectors=tuple(vectors))
    if kind is BUCKET_INDEX:
        from paimon_ksy.table_index.bucket_index import read_bucket_index  # imports numpy

        return replace(report, bucket_index=read_bucket_index(source))
    if kind is UNKNOWN and (rows := read_roaring(source)) is not None:
        return replace(report, kind=ROARING, roaring=_roaring(rows))
    return report


def _file_index(
    source: Source, file: FileIndex, schema: Schema | None, top: int | None
) -> FileIndexReport:
    head = file.head
    columns = tuple(_column(source, column, schema, top) for column in head.columns)
    return FileIndexReport(
        version=file.version,
        head_size=file.len_head,
        redundant_size=len(head.redundant or b""),
        columns=columns,
    )


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


def _roaring(rows: BitMap) -> RoaringReport:
    from paimon_ksy.roaring.containers import containers

    counts = containers([rows])
    return RoaringReport(len(rows), {kind: counts[kind] for kind in ("array", "bitset", "run")})
