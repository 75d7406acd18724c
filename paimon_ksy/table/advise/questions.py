"""What is typically asked of a column, made up from a sample of its values."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.predicates.tree import And, Comparison, In, IsNull, Predicate
from paimon_ksy.table.advise.profile import SKETCH, Profile, hash_codes
from paimon_ksy.table.advise.sample import value_at
from paimon_ksy.types.arrow import TICK_NANOS, to_arrow
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.literals import resolution

ONE, COMMON, RARE, ABSENT = "a value", "a common value", "a rare value", "an absent value"
SEVERAL, RANGE, NULL = "several values", "a range of about 1 %", "nulls"

_MEASURES = ("FLOAT", "DOUBLE", "DECIMAL")
_TEXT_BYTES, _TEXT_DISTINCT = 40, 0.5
_LISTED = 5
_RANGE_VALUES = 100
_TRIED = 4000


@dataclass(frozen=True)
class Summary:
    """What a column is like in the files of a sample, all together.

    `values` are (rows, hash code, value) of some of its distinct values, by hash code; of all of
    them if `is_exact`. `distinct` is their number, else an estimate; `distinct_in_file` the most
    that a file has. `in_files` is the share of the files that a value is in, on average,
    `in_groups` and `in_pages` the same of row groups and pages of a file that has it; `held` the
    share of files between whose smallest and largest value a value is.
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
    held: float
    value_bytes: float
    least: Any
    greatest: Any
    values: tuple[tuple[int, int, Any], ...]
    quantiles: tuple[tuple[Any, float], ...]
    threshold: int

    @classmethod
    def of(cls, name: str, data_type: DataType, profiles: Sequence[Profile]) -> Summary:
        """Of the files that have the column."""
        # A value that is told of one file is told of all that have it, if its hash code is below
        # the largest one of each file that does not tell all.
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
            if not _is_nan(value)
        )
        bounds = [(p.least, p.greatest) for p in profiles if p.distinct and not _is_nan(p.greatest)]
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
            held=_held([value for _, _, value in some], bounds, len(profiles)),
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
        """Whether the values are long and different, so that nobody asks for a whole one."""
        return self.value_bytes >= _TEXT_BYTES and (
            self.distinct >= _TEXT_DISTINCT * (self.rows - self.nulls)
        )

    @property
    def is_measure(self) -> bool:
        """Whether the values are amounts, of which ranges are asked."""
        return self.type.root in _MEASURES


def _share(profiles: Sequence[Profile], seen: str, of: str) -> float:
    """The average share of the parts of a file in which a value is, that the file has."""
    values = sum(p.distinct for p in profiles)
    parts = 0.0
    for p in profiles:
        parts += getattr(p, seen) / max(getattr(p, of), 1)
    return parts / values if values else 0.0


def _held(values: Sequence[Any], bounds: Sequence[tuple[Any, Any]], files: int) -> float:
    told = [value for value in values if value is not None and not _is_nan(value)]
    if not told or not bounds:
        return 0.0
    inside = [low <= value <= high for value in told for low, high in bounds].count(True)
    return inside / len(told) / files


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


# Predicates -------------------------------------------------------------------------------------


def typical(column: Summary) -> Iterator[tuple[str, Predicate]]:
    """What is asked, and the predicate; the same ones for the same sample.

    Of measures no single values, of long texts that are all different none but nulls.
    """
    name, data_type = column.name, column.type

    def equal(value: Any) -> Predicate:
        return Comparison("=", name, value, data_type)

    by_rows = sorted(
        (rows, code, value)
        for rows, code, value in column.values
        if value is not None and not _is_nan(value)
    )
    if by_rows and not column.is_text and not column.is_measure:
        rare, common = by_rows[0], by_rows[-1]
        yield COMMON if rare[0] < common[0] else ONE, equal(common[2])
        if rare[0] < common[0]:
            yield RARE, equal(rare[2])
        absent = _absent(column)
        if absent is not None:
            yield ABSENT, equal(absent)
        told = [value for _, _, value in column.values if value is not None]
        count = min(_LISTED, column.distinct // 2)
        if count > 1:
            yield SEVERAL, In(name, tuple(told[:count]), False, data_type)
    if column.distinct >= _RANGE_VALUES and column.quantiles:
        low, high = (_quantile(column, share) for share in (0.5, 0.51))
        lower = Comparison(">=", name, low, data_type)
        yield RANGE, And((lower, Comparison("<=", name, high, data_type)))
    if column.nulls:
        yield NULL, IsNull(name, data_type)


def _quantile(column: Summary, share: float) -> Any:
    ends = np.cumsum([weight for _, weight in column.quantiles])
    at = bisect_left(ends, share * ends[-1])
    return column.quantiles[min(at, len(column.quantiles) - 1)][0]


def _absent(column: Summary) -> Any:
    """A value within those of the column that no row of the sample has; None if none is found."""
    data_type = column.type
    if data_type.root == "BOOLEAN" or column.least is None:
        return None
    if data_type.is_string or data_type.is_binary:
        return _absent_text(column)
    known = {code for _, code, _ in column.values}
    tried = _between(column)
    if not len(tried):
        return None
    hashes = hash_codes(tried, data_type).tolist()
    for at in sorted(range(len(tried)), key=lambda at: abs(2 * at - len(tried))):
        # Of such hash codes all that are there are known.
        if hashes[at] <= column.threshold and hashes[at] not in known:
            return value_at(tried, at)
    # Numbers without a gap: one that follows.
    after = column.greatest + (resolution(data_type) if data_type.is_timestamp else 1)
    bits = INTEGER_BITS.get(data_type.root, 64)
    return after if after < 2 ** (bits - 1) and data_type.root != "TIME" else None


def _absent_text(column: Summary) -> Any:
    told = sorted(value for _, _, value in column.values if value is not None)
    more = "~" if column.type.is_string else b"~"
    for value in told[len(told) // 2 :: -1]:
        made = value.rstrip() + more if column.type.is_string else value + more
        if made < column.greatest and made not in told:
            return made
    return None


def _between(column: Summary) -> pa.Array:
    """Values at even distances between the smallest and the largest."""
    low, high = column.least, column.greatest
    unit = resolution(column.type) if column.type.is_timestamp else 1
    if isinstance(low, Decimal | float) or high - low <= unit:
        return pa.array([], to_arrow(column.type))
    count = min(_TRIED, (high - low) // unit)
    steps = [(low + (high - low) * (2 * at + 1) // (2 * count)) // unit for at in range(count)]
    kind = to_arrow(column.type)
    if pa.types.is_timestamp(kind):
        ticks = TICK_NANOS[kind.unit]
        return pa.array([step * unit // ticks for step in steps], pa.int64()).view(kind)
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return pa.array(steps, pa.int32()).view(kind)
    return pa.array(steps, kind)
