"""The builders of global indexes whose keys are coarser than the values, by type.

No file names its builder. So each key of such a type may be the value, or what a builder cuts it
to. `BUILDERS` lists what each builder does with each type; tests build an index of every type with
each builder that can run there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from paimon_ksy.evaluation.key_ranges import KeyRanges
from paimon_ksy.types.data_type import DataType, Field

_MICRO = 10**3  # nanoseconds


@dataclass(frozen=True)
class Builder:
    """A builder of global indexes.

    Attributes:
        name: The name, with the version that was tried.
        timestamp_unit: Nanoseconds in the unit to which it cuts the keys of TIMESTAMPs, with or
            without local time zone, towards earlier times. Keys of all other types are the values.
        source: Where that follows from.
    """

    name: str
    timestamp_unit: int
    source: str


BUILDERS = (
    Builder("Paimon's Java library 1.4", 1, "`KeySerializer.TimestampSerializer`"),
    Builder("pypaimon-rust 0.4", 1, "`btree/key_serde.rs`"),
    Builder("pypaimon 2.1", _MICRO, "`key_serializer._timestamp_to_millis_nanos`"),
    Builder("Spark", _MICRO, "`SortedIndexTopoBuilder` sorts rows of Spark, in microseconds"),
)
"""All known builders."""


def cut_unit(data_type: DataType) -> int:
    """Return the coarsest unit to which a builder cuts the keys of a type; 1 if none does."""
    return max(each.timestamp_unit for each in BUILDERS) if data_type.is_cut else 1


def may_be_cut(fields: Sequence[Field]) -> bool:
    """Return whether a builder cuts the keys of one of these columns."""
    return any(cut_unit(field.type) > 1 for field in fields)


def cutting() -> str:
    """Return the names of the builders that cut keys."""
    return " and ".join(each.name for each in BUILDERS if each.timestamp_unit > 1)


def some_uncut(fields: Sequence[Field], keys: Sequence[Any]) -> bool:
    """Return whether one of these keys, of one column or composite, is certainly not cut."""
    units = [cut_unit(field.type) for field in fields]
    for key in keys:
        parts = [part[-1] for part in key] if isinstance(key, tuple) else [key]
        if any(unit > 1 and part % unit for unit, part in zip(units, parts, strict=True)):
            return True
    return False


def widened(ranges: KeyRanges, data_type: DataType) -> KeyRanges:
    """Return ranges that also have the cut keys of values in `ranges`.

    They are exact if cutting moves no value into them: if their bounds are multiples of the unit.
    """
    unit = cut_unit(data_type)
    if unit == 1:
        return ranges
    if ranges.are_single:
        keys = {key for low in ranges.lows for key in (low, low // unit * unit)}
        return replace(KeyRanges.of_keys(keys, exact=False), negated=ranges.negated)
    is_whole = all(_is_multiple(end, unit) for pair in ranges.pairs for end in pair)
    lows = [low if low == -inf else low // unit * unit for low in ranges.lows]
    return replace(ranges, lows=lows, exact=ranges.exact and is_whole)


def _is_multiple(bound: Any, unit: int) -> bool:
    return bound in (-inf, inf) or bound % unit == 0
