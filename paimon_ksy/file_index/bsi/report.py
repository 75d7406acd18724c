"""The report on a bit-slice index."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.file_index.report import SliceReport
from paimon_ksy.messages.answers import Answer, Value


@dataclass(frozen=True)
class BsiPartReport(Answer):
    """The absolute values of one sign in a BSI; `min` and `max` are the stored ones."""

    rows: int
    min: int
    max: int
    slices: tuple[SliceReport, ...]


@dataclass(frozen=True)
class BsiReport(Answer):
    """A BSI. The least value is stored only if it is negative, the greatest only if it is not.

    If not `typed`, they are plain numbers: the column's type is unknown, or a BSI does not support
    it. A part is None if it has no rows.
    """

    KEYS = (
        *("version", "rows", "nulls", "has_nulls", "min=least", "max=greatest"),
        *("positive", "negative"),
    )
    version: int
    rows: int
    nulls: int
    typed: bool
    least: Value | None
    greatest: Value | None
    positive: BsiPartReport | None
    negative: BsiPartReport | None

    @property
    def has_nulls(self) -> bool:
        """Whether a row is null."""
        return self.nulls > 0
