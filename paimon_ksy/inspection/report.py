"""The report on a file's content, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.table_index.bucket_index import BucketIndex
    from paimon_ksy.table_index.deletion_vector_file import StoredVector


@dataclass(frozen=True)
class IndexReport:
    """An index of a column: its place in the file, and the report on its body.

    `body` is the result of `IndexType.inspect`; None if the index is empty, malformed or of an
    unknown type.
    """

    type: str
    empty: bool
    offset: int | None
    size: int
    body: Any = None
    error: CorruptFileError | None = None


@dataclass(frozen=True)
class ColumnReport:
    """A column of a file index; `type` comes from the schema, and is None if that lacks it."""

    name: str
    type: DataType | None
    indexes: tuple[IndexReport, ...]


@dataclass(frozen=True)
class FileIndexReport:
    """The head of a file index, and the columns and indexes in it. Sizes are in bytes."""

    version: int
    head_size: int
    redundant_size: int
    columns: tuple[ColumnReport, ...]

    @property
    def errors(self) -> list[CorruptFileError]:
        """The errors of single indexes."""
        return [i.error for column in self.columns for i in column.indexes if i.error is not None]


@dataclass(frozen=True)
class RoaringReport:
    """A Roaring bitmap: the number of integers, and of containers of each kind."""

    cardinality: int
    arrays: int
    bitsets: int
    runs: int


@dataclass(frozen=True)
class FileReport:
    """The kind and the content of a file."""

    path: str
    size: int
    kind: FileKind
    file_index: FileIndexReport | None = None
    roaring: RoaringReport | None = None
    vectors: tuple[StoredVector, ...] | None = None
    bucket_index: BucketIndex | None = None
    first_bytes: bytes = b""
