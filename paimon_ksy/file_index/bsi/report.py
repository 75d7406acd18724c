"""The report on a bit-slice index."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.file_index.report import Shown, SliceReport


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
