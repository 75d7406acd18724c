"""The report on a bitmap index."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.file_index.report import ValueCount


@dataclass(frozen=True)
class BitmapReport:
    """A bitmap index. Fields that need the column's type are None without a schema.

    `values` are the most frequent ones first. They were found among `values_seen` distinct values,
    which is less than `distinct` in an index with very many.
    """

    version: int
    rows: int
    distinct: int
    has_nulls: bool
    nulls: int | None
    blocks: int | None
    values: tuple[ValueCount, ...] | None = None
    values_seen: int = 0

    @property
    def has_values(self) -> bool:
        """Whether its values could be read as those of the column's type."""
        return bool(self.values)
