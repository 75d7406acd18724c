"""What a file is and what is in it, without printing anything.

The work is bounded whatever a file says of itself: of an index with very many values only the
first are looked at, unless all are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kaitaistruct import KaitaiStructError, ValidationFailedError

from paimon_ksy import java_utf8
from paimon_ksy.data_file import data_format
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.bloom_filter_index import BloomFilterIndex
from paimon_ksy.generated.parsers.bsi_index import BsiIndex
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.literal import resolution, to_sql, to_text
from paimon_ksy.schema import Schema
from paimon_ksy.source import Source
from paimon_ksy.types import DataType, column_type

if TYPE_CHECKING:
    from paimon_ksy.deletion_vector import StoredVector

MAX_ENTRIES = 200_000
"""Distinct values of an index that are looked at."""
MAX_BITMAPS = 10_000
"""Bitmaps of an index whose rows are counted."""
MAX_BITMAP_BYTES = 32 << 20
"""Bytes of bitmaps that are read for it."""


# What malformed bytes raise in parsers and codecs.
MALFORMED = (KaitaiStructError, EOFError, ValueError, IndexError, OverflowError)

_SMALLEST = 16  # bytes; what is smaller is no broken index but something else
_MAGIC = "/seq/0"  # the first field of the spec


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


EMPTY = "if it was an index, build it again; if it was another file, restore it from a backup"
"""What to do about a file without bytes."""


def inspect_file(
    source: Source, schema: Schema | None = None, *, top: int | None = 10
) -> FileReport:
    """Report on a file. With a schema, list the `top` most frequent values of each index, or all.

    Raises CorruptFileError if the head of a file index is broken, or a deletion vector; what is
    wrong with a single index stands in its report.
    """
    first_bytes = source.read(0, min(16, source.size))
    report = FileReport(source.name, source.size, "unknown", first_bytes=first_bytes)
    if source.size == 0:
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    if (head := read_head(source)) is not None:
        return replace(report, kind="file index", file_index=_file_index(source, head, schema, top))
    if (kind := data_format(first_bytes)) is not None:
        return replace(report, kind=kind)
    if (vectors := _read_vectors(source)) is not None:
        return replace(report, kind="deletion vectors", vectors=vectors)
    if (bitmap := _read_roaring(source)) is not None:
        return replace(report, kind="roaring bitmap", roaring=_roaring(bitmap))
    return report


def read_head(source: Source) -> FileIndex | None:
    """The head of a file index; None if the file does not start as one.

    Raises CorruptFileError if it does and then is broken.
    """
    source.stream.seek(0)
    with corrupt(source):
        try:
            return FileIndex(source.stream)
        except ValidationFailedError as error:
            if error.src_path == _MAGIC:
                return None
            raise
        except EOFError:
            if source.size < _SMALLEST:
                return None
            raise


@contextmanager
def corrupt(source: Source, column: str | None = None) -> Iterator[None]:
    """Turns what malformed bytes raise into CorruptFileError with path, column and byte."""
    try:
        yield
    except (CorruptFileError, *MALFORMED):
        from paimon_ksy.file_index import CorruptErrors  # late: it takes numpy, and 0.2 s

        with CorruptErrors(source, column):
            raise


def _file_index(
    source: Source, file: FileIndex, schema: Schema | None, top: int | None
) -> FileIndexReport:
    head = file.head
    columns = tuple(_column(source, column, schema, top) for column in head.columns)
    return FileIndexReport(
        version=file.version,
        head_size=file.len_head,
        redundant_size=len(getattr(head, "redundant", b"")),
        columns=columns,
    )


def _column(source: Source, column: Any, schema: Schema | None, top: int | None) -> ColumnReport:
    name = text(column.name.value)
    data_type = schema[name] if schema is not None and name in schema else None
    indexes = tuple(_index(source, entry, name, data_type, top) for entry in column.indexes)
    return ColumnReport(name, data_type, indexes)


def _index(
    source: Source, entry: Any, column: str, data_type: DataType | None, top: int | None
) -> IndexReport:
    report = IndexReport(
        type=text(entry.index_type.value),
        empty=entry.is_empty,
        offset=None if entry.is_empty else entry.ofs_body,
        size=entry.len_body,
    )
    if entry.is_empty:
        return report
    pos = entry.ofs_body
    try:
        with corrupt(source, column):
            match report.type:
                case "bitmap":
                    return replace(report, bitmap=_bitmap(source, pos, data_type, top))
                case "bloom-filter":
                    return replace(report, bloom_filter=_bloom_filter(source, entry, column))
                case "bsi":
                    from paimon_ksy.inspect_slices import inspect_bsi  # late: it takes numpy

                    return replace(report, bsi=inspect_bsi(source, pos, column, data_type, top))
                case "range-bitmap":
                    from paimon_ksy.inspect_slices import inspect_range_bitmap

                    found = inspect_range_bitmap(source, pos, column, data_type, top)
                    return replace(report, range_bitmap=found)
                case _:
                    return report
    except CorruptFileError as error:
        return replace(report, error=error)


def _bloom_filter(source: Source, entry: Any, column: str) -> BloomFilterReport:
    import numpy as np

    from paimon_ksy.bloom_filter import read_head as read_filter
    from paimon_ksy.generated.codecs.bloom_filter_index import extent_bits

    index = read_filter(source, entry.ofs_body, entry.len_body, column)
    start, size = extent_bits(index)
    bits_set = 0
    for at in range(start, start + size, 1 << 20):
        part = np.frombuffer(source.read(at, min(1 << 20, start + size - at)), np.uint8)
        bits_set += int(np.bitwise_count(part).sum(dtype=np.int64))
    return BloomFilterReport(index.num_hashes, index.num_bits, bits_set)


def _bitmap(source: Source, pos: int, data_type: DataType | None, top: int | None) -> BitmapReport:
    stored = None if data_type is None else column_type(data_type)
    source.stream.seek(pos)
    index = BitmapIndex(stored or 0, source.stream)
    meta = index.v1 if index.version == 1 else index.v2
    single = bool(meta.is_null_single)
    report = BitmapReport(
        version=index.version,
        rows=meta.num_rows,
        distinct=meta.num_values,
        has_nulls=bool(meta.has_null),
        nulls=0 if not meta.has_null else 1 if single else None,
        blocks=None if index.version == 1 else meta.num_blocks,
    )
    if data_type is None or stored is None:
        return report
    counting = _Counting(source, meta.num_rows)
    if report.nulls is None:
        dictionary(index)  # tells where bitmaps start
        report = replace(report, nulls=counting.rows_of(*codec_of(index).extent_null_bitmap(meta)))
    if top == 0:
        return report
    keys: list[Any] = []
    counts: list[int] = []
    limit = None if top is None else MAX_ENTRIES
    for entries in entries_of(index):
        keys += list(entries.key)
        counts += counting.rows_of_entries(entries, codec_of(index), unlimited=top is None)
        if len(counts) < len(keys) or (limit is not None and len(keys) >= limit):
            break
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:top]
    values = tuple(ValueCount(**vars(shown(keys[i], data_type)), rows=counts[i]) for i in order)
    return replace(report, values=values, values_seen=len(counts))


def codec_of(index: BitmapIndex) -> Any:
    from paimon_ksy.generated.codecs import bitmap_index_v1, bitmap_index_v2

    return bitmap_index_v1 if index.version == 1 else bitmap_index_v2


def dictionary(index: BitmapIndex) -> Any:
    """The dictionary of an index of version 1, the directory of one of version 2."""
    if index.version == 1:
        return codec_of(index).dictionary(index.v1)
    return codec_of(index).directory(index.v2)


def entries_of(index: BitmapIndex) -> Iterator[Any]:
    """The entries of an index, in arrays, in the order in which they stand."""
    found = dictionary(index)
    if index.version == 1:
        yield found.entries
        return
    for ref in found.blocks:
        yield codec_of(index).block(ref).entries


class _Counting:
    """Counts rows of bitmaps by their headers."""

    def __init__(self, source: Source, num_rows: int) -> None:
        self._source = source
        self._first_read = 64 + num_rows // 65536 * 16  # a header, unless its bitmap is odd
        self._left = MAX_BITMAPS
        self._bytes_left = MAX_BITMAP_BYTES

    def rows_of_entries(self, entries: Any, codec: Any, *, unlimited: bool) -> list[int]:
        """Rows of each entry, of fewer of them if the limit is reached."""
        if entries.is_single.all():
            return [1] * len(entries)
        single = entries.is_single.tolist()
        positions, sizes = codec.extent_bitmap(entries)
        counts = []
        for i, is_single in enumerate(single):
            if is_single:
                counts.append(1)
                continue
            if (self._left == 0 or self._bytes_left < 0) and not unlimited:
                break
            self._left -= 1
            counts.append(self.rows_of(int(positions[i]), None if sizes is None else int(sizes[i])))
        return counts

    def rows_of(self, pos: int, size: int | None) -> int:
        """Rows of the bitmap at `pos`, `size` bytes if that is known."""
        from paimon_ksy.generated.codecs.roaring_bitmap_32 import read_roaring_header

        left = self._source.size - pos
        size = left if size is None else size
        if size > left:  # say so, before memory is taken
            self._source.read(pos, size)
        data = self._source.read(pos, min(size, self._first_read))
        self._bytes_left -= len(data)
        try:
            header, _ = read_roaring_header(data, 0, 0)
        except ValueError:
            if len(data) == size:
                raise
            data = self._source.read(pos, min(size, 1 << 20))
            self._bytes_left -= len(data)
            header, _ = read_roaring_header(data, 0, 0)
        return int(header.descriptors.cardinality.sum())


def shown(stored: Any, data_type: DataType) -> Shown:
    """A key of an index as it is shown."""
    value = internal_value(stored, data_type)
    if data_type.is_string:
        return Shown(value, to_sql(value))
    if data_type.root == "FLOAT" and math.isfinite(value):
        # As short as float32 allows: 0.1, not 0.10000000149011612.
        return Shown(value, str(stored))
    return Shown(value, to_text(value, data_type))


def internal_value(stored: Any, data_type: DataType) -> Any:
    """A key of an index as an internal value of `paimon_ksy.types`."""
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


def text(name: bytes) -> str:
    """A name in the head of a file index; bytes that are not modified UTF-8 are escaped."""
    try:
        return java_utf8.decode(name)
    except UnicodeDecodeError:
        return name.decode("utf-8", "backslashreplace")


def _starts_with_vector(source: Source) -> bool:
    """Whether the file is one of deletion vectors, by its version and the kind of the first."""
    try:
        from paimon_ksy.deletion_vector import read_version

        start = read_version(source)
        if start < source.size:
            DeletionVectors.DeletionVectorStart(source.stream)
    except (CorruptFileError, ValidationFailedError):
        return False
    except EOFError:
        return source.size >= _SMALLEST
    return True


def _read_vectors(source: Source) -> tuple[StoredVector, ...] | None:
    """The vectors of a file of them, None if it is none. Raises CorruptFileError."""
    if not _starts_with_vector(source):
        return None
    from paimon_ksy.deletion_vector import read_vectors  # numpy: not for every file

    return tuple(read_vectors(source, verify=False))


def _read_roaring(source: Source) -> RoaringBitmap32 | None:
    """The file as a Roaring bitmap, if it is one and nothing else."""
    source.stream.seek(0)
    try:
        bitmap = RoaringBitmap32(source.stream)
    except MALFORMED:
        return None
    return bitmap if bitmap.end.at == source.size else None


def _roaring(bitmap: RoaringBitmap32) -> RoaringReport:
    runs = sum(container.is_run for container in bitmap.containers)
    bitsets = sum(hasattr(container, "words") for container in bitmap.containers)
    return RoaringReport(
        cardinality=sum(descriptor.cardinality for descriptor in bitmap.header.descriptors),
        arrays=len(bitmap.containers) - runs - bitsets,
        bitsets=bitsets,
        runs=runs,
    )


@dataclass(frozen=True)
class FilePart:
    """A parsed object of a file: the head, or an index of `column`; `size` as the head has it."""

    start: int
    size: int
    parsed: Any
    column: str | None = None


def _parsed(index_type: str, data_type: DataType, size: int, stream: Any) -> Any:
    """The index of `size` bytes where the stream stands; None if nothing is known of it."""
    if index_type == "bloom-filter":
        return BloomFilterIndex(size, stream)
    if index_type == "bsi":
        return BsiIndex(stream)
    if index_type == "range-bitmap":
        from paimon_ksy.range_bitmap import stored_type

        stored = stored_type(data_type)
        return None if stored is None else RangeBitmapIndex(stored, stream)
    stored = column_type(data_type)
    return None if stored is None or index_type != "bitmap" else BitmapIndex(stored, stream)


def is_of_vectors(source: Source) -> bool:
    """Whether it is a file of deletion vectors. Raises CorruptFileError."""
    return read_head(source) is None and _starts_with_vector(source)


def file_parts(source: Source, schema: Schema | None) -> list[FilePart]:
    """The parsed objects of a file, the head first, and with a schema the indexes too.

    Indexes that cannot be read are left out. Empty if the format is not known.
    """
    file = read_head(source)
    if file is None and _starts_with_vector(source):
        source.stream.seek(0)
        with corrupt(source):
            return [FilePart(0, source.size, DeletionVectors(source.stream))]
    if file is None:
        bitmap = _read_roaring(source)
        return [] if bitmap is None else [FilePart(0, source.size, bitmap)]
    indexes: dict[int, FilePart] = {}
    for column in file.head.columns:
        name = text(column.name.value)
        data_type = schema[name] if schema is not None and name in schema else None
        for entry in column.indexes:
            if data_type is None or entry.is_empty:
                continue
            start = entry.ofs_body
            try:
                source.stream.seek(start)
                parsed = _parsed(
                    text(entry.index_type.value), data_type, entry.len_body, source.stream
                )
            except MALFORMED:
                continue
            if parsed is None:
                continue
            indexes.setdefault(start, FilePart(start, entry.len_body, parsed, name))
    return [
        FilePart(0, file.len_head, file),
        *sorted(indexes.values(), key=lambda part: part.start),
    ]
