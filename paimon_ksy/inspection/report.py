"""The report on a file's content, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.messages.answers import Answer
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.table_index.bucket_index import BucketIndex
    from paimon_ksy.table_index.deletion_vector_file import StoredVector


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
    body: Any = None
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
    def different_counts(self) -> int:
        """The number of indexes that count other rows than most do."""
        bodies = [index.body for column in self.columns for index in column.indexes]
        rows = (getattr(body, "rows", None) for body in bodies)
        counts = Counter(each for each in rows if each is not None)
        return counts.total() - max(counts.values(), default=0)

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
class HexBytes(Answer):
    """A field of a file, with its bytes; `field` is None for bytes outside all fields."""

    byte: int
    bytes: int
    field: str | None
    hex: str


@dataclass(frozen=True)
class FileReport(Answer):
    """The kind and the content of a file.

    `contradictions` counts the errors of a file index that `verify` finds beyond those of its
    parts. `hex` lists fields with their bytes. `vectors` are those before the one of the `error`;
    if fewer are listed, `num_vectors` counts all.
    """

    KEYS = (
        *("file=path", "kind=kind.id", "bytes=size", "note?", "**file_index", "contradictions?"),
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
    contradictions: int | None = None
    hex: Iterator[HexBytes] | None = None

    @property
    def note(self) -> str | None:
        """What the kind of the file is for, if others read it."""
        return self.kind.note if self.kind.readers else None
