"""What is told of a file, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import resolution, to_sql, to_text

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector import StoredVector

MAX_ENTRIES = 200_000
"""Distinct values of an index that are looked at."""
MAX_BITMAPS = 10_000
"""Bitmaps of an index whose rows are counted."""
MAX_BITMAP_BYTES = 32 << 20
"""Bytes of bitmaps that are read for it."""


@dataclass(frozen=True)
class Shown:
    """A value of a column, as an internal value and as text."""

    value: Any
    text: str


@dataclass(frozen=True)
class ValueCount(Shown):
    """A distinct value, and in how many rows it stands."""

    rows: int


@dataclass(frozen=True)
class BitmapReport:
    """A bitmap index. What only the column's type can tell is None without a schema.

    `values` are the most frequent ones first; `values_seen` distinct values were looked at to
    find them, which is less than `distinct` in an index with very many.
    """

    version: int
    rows: int
    distinct: int
    has_nulls: bool
    nulls: int | None
    blocks: int | None
    values: tuple[ValueCount, ...] | None = None
    values_seen: int = 0


@dataclass(frozen=True)
class BloomFilterReport:
    """A bloom filter: its hash functions, its bits, and how many of these are set."""

    hashes: int
    bits: int
    bits_set: int

    @property
    def false_positives(self) -> float:
        """How many of the values that are in no row it lets through: from 0 to 1."""
        return float((self.bits_set / self.bits) ** self.hashes)


@dataclass(frozen=True)
class SliceReport:
    """The bitmap of a bit: its place in the file, its bytes, and how many rows have the bit set.

    `rows` is None if the slices are too large to be read for it.
    """

    offset: int
    size: int
    rows: int | None


@dataclass(frozen=True)
class BsiPartReport:
    """The numbers of one sign in a BSI, without their sign; `min` and `max` as they are stored."""

    rows: int
    min: int
    max: int
    slices: tuple[SliceReport, ...]


@dataclass(frozen=True)
class BsiReport:
    """A BSI. The least value is stored only if it is below zero, the greatest if it is not.

    They are plain numbers if not `typed`: without the column's type, or with one that a BSI does
    not hold. A part is None if it has no rows.
    """

    version: int
    rows: int
    nulls: int
    typed: bool
    least: Shown | None
    greatest: Shown | None
    positive: BsiPartReport | None
    negative: BsiPartReport | None


@dataclass(frozen=True)
class ChunkReport:
    """A chunk of a dictionary: its first value, how many values, bytes of those after the first."""

    first: Shown
    values: int
    size: int


@dataclass(frozen=True)
class DictionaryReport:
    """The dictionary of a range bitmap; `head_size` are its bytes before those of the chunks.

    `chunks` are the first ones of `num_chunks`.
    """

    offset: int
    size: int
    head_size: int
    num_chunks: int
    chunks: tuple[ChunkReport, ...]


@dataclass(frozen=True)
class RangeBitmapReport:
    """A range bitmap. All after `distinct` can be told only with the column's type.

    Without values it has no dictionary, and neither least nor greatest value.
    """

    version: int
    rows: int
    distinct: int
    nulls: int | None = None
    least: Shown | None = None
    greatest: Shown | None = None
    dictionary: DictionaryReport | None = None
    slices: tuple[SliceReport, ...] | None = None


@dataclass(frozen=True)
class IndexReport:
    """An index of a column: its place in the file, and what is in it as far as it can be told."""

    type: str
    empty: bool
    offset: int | None
    size: int
    bitmap: BitmapReport | None = None
    bloom_filter: BloomFilterReport | None = None
    bsi: BsiReport | None = None
    range_bitmap: RangeBitmapReport | None = None
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
    """What a file is: `file index`, `deletion vectors`, `roaring bitmap`, `Parquet`, `ORC`, `Avro`
    or `unknown`."""

    path: str
    size: int
    kind: str
    file_index: FileIndexReport | None = None
    roaring: RoaringReport | None = None
    vectors: tuple[StoredVector, ...] | None = None
    first_bytes: bytes = b""


def shown(stored: Any, data_type: DataType) -> Shown:
    """A key of an index as it is shown."""
    value = _internal_value(stored, data_type)
    if data_type.is_string:
        return Shown(value, to_sql(value))
    if data_type.root == "FLOAT" and math.isfinite(value):
        # As short as float32 allows: 0.1, not 0.10000000149011612.
        return Shown(value, str(stored))
    return Shown(value, to_text(value, data_type))


def _internal_value(stored: Any, data_type: DataType) -> Any:
    """A key of an index as an internal value of `paimon_ksy.types.data_type`."""
    if data_type.is_string:
        return bytes(stored).decode("utf-8", "surrogateescape")
    if data_type.root == "BOOLEAN":
        return bool(stored)
    if data_type.root in ("FLOAT", "DOUBLE"):
        return float(stored)
    if data_type.is_timestamp:
        return int(stored) * max(resolution(data_type), 1000)
    if data_type.root == "DECIMAL":
        return Decimal(int(stored)).scaleb(-(data_type.scale or 0))
    return int(stored)
