"""Report on the content of a range bitmap."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader, stored_type
from paimon_ksy.file_index.report import MAX_ENTRIES, SliceReport, shown, slice_reports
from paimon_ksy.generated.views.range_bitmap_index import RangeBitmapIndexHead
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import Answer, Value, in_answer, keyed
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True)
class ChunkReport(Answer):
    """A chunk of a dictionary: its first value, its value count, and the bytes of later values."""

    first: Value
    values: int
    size: int = field(metadata=keyed("bytes"))


@dataclass(frozen=True)
class DictionaryReport(Answer):
    """The dictionary of a range bitmap; `head_size` is the number of bytes before the chunks' keys.

    `chunks` are the first ones of `num_chunks`.
    """

    offset: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    head_size: int = field(metadata=keyed("head_bytes"))
    num_chunks: int = field(metadata=keyed(text=False))
    chunks: tuple[ChunkReport, ...] = field(metadata=keyed(total="num_chunks"))


@dataclass(frozen=True)
class RangeBitmapReport(Answer):
    """A range bitmap. The fields after `distinct` need the column's type.

    Without values, it has no dictionary, and neither a least nor a greatest value.
    """

    version: int
    rows: int
    distinct: int
    nulls: int | None = None
    least: Value | None = field(default=None, metadata=keyed("min"))
    greatest: Value | None = field(default=None, metadata=keyed("max"))
    dictionary: DictionaryReport | None = None
    slices: tuple[SliceReport, ...] | None = None

    @property
    @in_answer()
    def has_nulls(self) -> bool | None:
        """Whether a row is null; None if that is unknown."""
        return None if self.nulls is None else self.nulls > 0


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> RangeBitmapReport:
    """Report on the range bitmap whose body starts at byte `pos`, with its first `top` chunks.

    This reads and checks slices and keys, unless they are too many and `top` is not None. Raises
    CorruptFileError and FormatError.
    """
    if data_type is None or stored_type(data_type) is None:
        index: Any = read_view(source, RangeBitmapIndexHead, pos, 0)
        return RangeBitmapReport(index.version, index.num_rows, index.num_values)
    reader = RangeBitmapReader(source, pos, column, data_type)
    index = reader.head
    slices = slice_reports(reader.slice_extents, reader.slice_rows, top)
    if not reader.num_values:
        return RangeBitmapReport(
            index.version, index.num_rows, distinct=0, nulls=index.num_rows, slices=slices
        )
    least, greatest = reader.values
    return RangeBitmapReport(
        version=index.version,
        rows=index.num_rows,
        distinct=index.num_values,
        nulls=index.num_rows - len(reader.rows),
        least=shown(least, data_type),
        greatest=shown(greatest, data_type),
        dictionary=_dictionary(reader, data_type, top),
        slices=slices,
    )


def _dictionary(
    reader: RangeBitmapReader, data_type: DataType, top: int | None
) -> DictionaryReport:
    start, end = reader.head.place_dictionary()[0], reader.head.place_slices()[0]
    dictionary = reader.dictionary
    chunks = list(islice(dictionary.chunks(), top))
    dictionary.check(reader.num_values if top is None else MAX_ENTRIES)
    return DictionaryReport(
        offset=start,
        size=end - start,
        head_size=dictionary.head_size,
        num_chunks=dictionary.num_chunks,
        chunks=tuple(
            ChunkReport(shown(key, data_type), num_keys + 1, size) for key, num_keys, size in chunks
        ),
    )
