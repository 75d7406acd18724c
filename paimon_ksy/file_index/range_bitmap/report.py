"""The report on a range bitmap."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.file_index.report import Shown, SliceReport


@dataclass(frozen=True)
class ChunkReport:
    """A chunk of a dictionary: its first value, its value count, and the bytes of later values."""

    first: Shown
    values: int
    size: int


@dataclass(frozen=True)
class DictionaryReport:
    """The dictionary of a range bitmap; `head_size` is the number of bytes before the chunks' keys.

    `chunks` are the first ones of `num_chunks`.
    """

    offset: int
    size: int
    head_size: int
    num_chunks: int
    chunks: tuple[ChunkReport, ...]


@dataclass(frozen=True)
class RangeBitmapReport:
    """A range bitmap. The fields after `distinct` need the column's type.

    Without values, it has no dictionary, and neither a least nor a greatest value.
    """

    version: int
    rows: int
    distinct: int
    nulls: int | None = None
    least: Shown | None = None
    greatest: Shown | None = None
    dictionary: DictionaryReport | None = None
    slices: tuple[SliceReport, ...] | None = None

    @property
    def has_values(self) -> bool:
        """Whether its values could be read as values of the column's type."""
        return self.slices is not None
