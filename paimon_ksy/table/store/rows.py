"""pypaimon's rows and statistics as internal values (see `literal`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from paimon_ksy.rows.binary_row import read_row
from paimon_ksy.table.model.files import Statistics, TableSchema
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import place


def values_of(values: Iterable[Any], types: Iterable[DataType]) -> tuple[Any, ...]:
    """pypaimon's Python values as internal ones."""
    return tuple(
        None if value is None else _value(value, data_type)
        for value, data_type in zip(values, types, strict=False)
    )


def statistics_of(stats: Any, schema: TableSchema) -> Statistics:
    """Decoded, since what pypaimon hands out holds on to the bytes of the whole manifest."""
    fields = getattr(stats.min_values, "fields", None) or []
    names = [f.name for f in fields][: len(stats.min_values)]
    known = {column.name: column.type for column in schema.columns}
    types = [known.get(name) for name in names]
    counts = stats.null_counts or []
    return Statistics(
        tuple(names),
        _bounds(stats.min_values, types),
        _bounds(stats.max_values, types),
        tuple(counts[at] if at < len(counts) else None for at in range(len(names))),
    )


def _bounds(row: Any, types: Sequence[DataType | None]) -> tuple[Any, ...]:
    """The values of a BinaryRow.

    pypaimon makes datetimes, which cut off nanoseconds (so that the greatest value would not be it)
    and end with the year 9999; for other types it is faster.
    """
    known = [kind for kind in types if kind is not None]
    if _have_nanoseconds(known):
        return read_row(row.data, known)
    try:
        return tuple(_bound(row, at, kind) for at, kind in enumerate(types))
    except OverflowError:
        return read_row(row.data, known)


def key_of(row: Any, bounds: Any, types: Sequence[DataType]) -> tuple[Any, ...]:
    """The first or last key of a file; with nanoseconds the bounds of its columns, which lie no
    further in."""
    if _have_nanoseconds(types):
        return _bounds(bounds, types) if len(bounds) == len(types) else ()
    return values_of(row.values, types)


def _bound(row: Any, at: int, data_type: DataType | None) -> Any:
    try:
        value = row.get_field(at)
    except (ValueError, TypeError):  # a type that no row can hold
        return None
    return None if value is None or data_type is None else _value(value, data_type)


def _value(value: Any, data_type: DataType) -> Any:
    return place(value, data_type, "partition").value


def _have_nanoseconds(types: Iterable[DataType]) -> bool:
    return any(kind.is_timestamp and (kind.precision or 0) > 6 for kind in types)
