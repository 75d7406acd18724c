"""Summaries of columns over all files of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from paimon_ksy.table.advise.profile import SKETCH, ColumnProfile
from paimon_ksy.types.data_type import DataType

_MEASURES = ("FLOAT", "DOUBLE", "DECIMAL")
_TEXT_BYTES, _TEXT_DISTINCT = 40, 0.5


@dataclass(frozen=True)
class ColumnSummary:
    """A column of the sample.

    Attributes:
        name: The column, or a key `m[key]` of it.
        type: The type of the column.
        files: The number of files that have the column.
        rows: The number of rows in these files.
        nulls: The number of rows without a value.
        distinct: The number of distinct values, an estimate unless `is_exact`.
        distinct_in_file: The largest number of distinct values in a file.
        is_exact: Whether `values` contains all distinct values.
        in_files: The average share of files that contain a value.
        in_groups: The average share of row groups that contain it, in files that do.
        in_pages: The average share of pages that contain it, in files that do.
        in_bounds: The average share of files whose minimum and maximum enclose a value.
        value_bytes: The average bytes of a value.
        least: The smallest value; None without values.
        greatest: The largest value; None without values.
        values: The rows, hash code and value of some distinct values, in order of hash codes.
        quantiles: Values at even distances among the sorted rows, and the rows of each.
        threshold: The hash code up to which all values of the sample are known.
    """

    name: str
    type: DataType
    files: int
    rows: int
    nulls: int
    distinct: int
    distinct_in_file: int
    is_exact: bool
    in_files: float
    in_groups: float
    in_pages: float
    in_bounds: float
    value_bytes: float
    least: Any
    greatest: Any
    values: tuple[tuple[int, int, Any], ...]
    quantiles: tuple[tuple[Any, float], ...]
    threshold: int

    @classmethod
    def of(cls, name: str, data_type: DataType, profiles: Sequence[ColumnProfile]) -> ColumnSummary:
        """Return the summary of a column.

        Args:
            name: The name of the column.
            data_type: The type of the column.
            profiles: The profiles of the column, one for each file that has it.
        """
        # A profile contains the values with the smallest hash codes. So if the profile of one file
        # contains a value up to this threshold, the profiles of all files with the value do.
        cut = [int(p.hashes[-1]) for p in profiles if p.distinct > SKETCH]
        threshold = min(cut, default=2**64 - 1)
        found: dict[int, tuple[int, int, Any]] = {}
        for p in profiles:
            for code, count, value in zip(
                p.hashes.tolist(), p.counts.tolist(), p.values, strict=True
            ):
                if code <= threshold:
                    rows, files, _ = found.get(code, (0, 0, None))
                    found[code] = rows + count, files + 1, value
        some = [(rows, code, value) for code, (rows, _, value) in sorted(found.items())]
        in_file = max((p.distinct for p in profiles), default=0)
        distinct = len(some)
        if cut:
            together = sum(p.distinct for p in profiles)
            distinct = max(in_file, min(together, round(len(some) / (threshold / 2**64))))
        spread = [files for _, files, _ in found.values()]
        quantiles = sorted(
            (value, (p.rows - p.nulls) / len(p.quantiles))
            for p in profiles
            for value in p.quantiles
            if not is_nan(value)
        )
        bounds = [(p.least, p.greatest) for p in profiles if p.distinct and not is_nan(p.greatest)]
        return cls(
            name=name,
            type=data_type,
            files=len(profiles),
            rows=sum(p.rows for p in profiles),
            nulls=sum(p.nulls for p in profiles),
            distinct=distinct,
            distinct_in_file=in_file,
            is_exact=not cut or len(profiles) == 1,
            in_files=sum(spread) / len(spread) / len(profiles) if spread else 0.0,
            in_groups=_share(profiles, "in_groups", "groups"),
            in_pages=_share(profiles, "in_pages", "pages"),
            in_bounds=_share_in_bounds([value for _, _, value in some], bounds, len(profiles)),
            value_bytes=sum(p.value_bytes for p in profiles)
            / max(1, sum(p.rows - p.nulls for p in profiles)),
            least=min((low for low, _ in bounds), default=None),
            greatest=max((high for _, high in bounds), default=None),
            values=tuple(some),
            quantiles=tuple(quantiles),
            threshold=threshold,
        )

    @property
    def is_text(self) -> bool:
        """Whether the values are long and distinct, so that predicates seldom test whole values."""
        return self.value_bytes >= _TEXT_BYTES and (
            self.distinct >= _TEXT_DISTINCT * (self.rows - self.nulls)
        )

    @property
    def is_measure(self) -> bool:
        """Whether the values are amounts, which predicates compare with ranges."""
        return self.type.root in _MEASURES


def _share(profiles: Sequence[ColumnProfile], seen: str, of: str) -> float:
    """Return the share of a file's parts that contain a value, averaged over the values.

    Args:
        profiles: The profiles of the column.
        seen: The attribute that counts the parts with a value, summed over values.
        of: The attribute that counts all parts.
    """
    values = sum(p.distinct for p in profiles)
    parts = 0.0
    for p in profiles:
        parts += getattr(p, seen) / max(getattr(p, of), 1)
    return parts / values if values else 0.0


def _share_in_bounds(values: Sequence[Any], bounds: Sequence[tuple[Any, Any]], files: int) -> float:
    """Return the average share of files whose bounds enclose a value."""
    known = [value for value in values if value is not None and not is_nan(value)]
    if not known or not bounds:
        return 0.0
    inside = [low <= value <= high for value in known for low, high in bounds].count(True)
    return inside / len(known) / files


def is_nan(value: Any) -> bool:
    """Return whether a value is a NaN."""
    return isinstance(value, float) and math.isnan(value)
