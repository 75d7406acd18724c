"""What is in a file, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.table_index.bucket_index import BucketIndex
    from paimon_ksy.table_index.deletion_vector_file import StoredVector


@dataclass(frozen=True)
class IndexReport:
    """An index of a column: its place in the file, and the report on its body.

    `body` is what `IndexType.inspect` returns; None if the index is empty, broken or of an unknown
    type.
    """

    type: str
    empty: bool
    offset: int | None
    size: int
    body: Any = None
    error: CorruptFileError | None = None


@dataclass(frozen=True)
class ColumnReport:
    """A column of a file index; `type` is that of the schema, None if it has no such column."""

    name: str
    type: DataType | None
    indexes: tuple[IndexReport, ...]


@dataclass(frozen=True)
class FileIndexReport:
    """The head of a file index and what it lists. Sizes are in bytes."""

    version: int
    head_size: int
    redundant_size: int
    columns: tuple[ColumnReport, ...]

    @property
    def errors(self) -> list[CorruptFileError]:
        """What is wrong with single indexes."""
        return [i.error for column in self.columns for i in column.indexes if i.error is not None]


@dataclass(frozen=True)
class RoaringReport:
    """A Roaring bitmap: how many integers, how many containers of each kind."""

    cardinality: int
    arrays: int
    bitsets: int
    runs: int


@dataclass(frozen=True)
class FileReport:
    """What a file is.

    `kind` is `file index`, `deletion vectors`, `roaring bitmap`, `bucket index` (by its
    name alone), `Parquet`, `ORC`, `Avro` or `unknown`.
    """

    path: str
    size: int
    kind: str
    file_index: FileIndexReport | None = None
    roaring: RoaringReport | None = None
    vectors: tuple[StoredVector, ...] | None = None
    bucket_index: BucketIndex | None = None
    first_bytes: bytes = b""
