"""The report on a range bitmap."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.file_index.report import SliceReport
from paimon_ksy.messages.answers import Answer, Value


@dataclass(frozen=True)
class ChunkReport(Answer):
    """A chunk of a dictionary: its first value, its value count, and the bytes of later values."""

    KEYS = ("first", "values", "bytes=size")
    first: Value
    values: int
    size: int


@dataclass(frozen=True)
class DictionaryReport(Answer):
    """The dictionary of a range bitmap; `head_size` is the number of bytes before the chunks' keys.

    `chunks` are the first ones of `num_chunks`.
    """

    KEYS = ("byte=offset", "bytes=size", "head_bytes=head_size", "num_chunks", "chunks")
    offset: int
    size: int
    head_size: int
    num_chunks: int
    chunks: tuple[ChunkReport, ...]


@dataclass(frozen=True)
class RangeBitmapReport(Answer):
    """A range bitmap. The fields after `distinct` need the column's type.

    Without values, it has no dictionary, and neither a least nor a greatest value.
    """

    KEYS = (
        *("version", "rows", "distinct", "nulls", "has_nulls", "min=least", "max=greatest"),
        *("dictionary", "slices"),
    )
    version: int
    rows: int
    distinct: int
    nulls: int | None = None
    least: Value | None = None
    greatest: Value | None = None
    dictionary: DictionaryReport | None = None
    slices: tuple[SliceReport, ...] | None = None

    @property
    def has_nulls(self) -> bool | None:
        """Whether a row is null; None if that is unknown."""
        return None if self.nulls is None else self.nulls > 0

    @property
    def has_values(self) -> bool:
        """Whether its values could be read as values of the column's type."""
        return self.slices is not None
