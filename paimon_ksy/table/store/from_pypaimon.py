"""What pypaimon has of a table, as values of the model (see `types.literals` for those of rows)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from paimon_ksy.rows.binary_row import read_row
from paimon_ksy.table.model.files import Snapshot, Statistics, TableSchema
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import position_of


def snapshot_of(snapshot: Any) -> Snapshot:
    """Return pypaimon's Snapshot, Tag or Changelog as a plain value."""
    return Snapshot(**{field.name: getattr(snapshot, field.name) for field in fields(Snapshot)})


def pypaimon_row(row: bytes, fields: Sequence[Any]) -> Any:
    """Return pypaimon's row of a partition, as commits and the names of folders take it.

    Args:
        row: A row of `write_row`.
        fields: pypaimon's fields of the partition columns.
    """
    deserializer = pypaimon_module("table.row.generic_row").GenericRowDeserializer
    return deserializer.from_bytes(row, list(fields))


def partition_of(entry: Any, schema: TableSchema) -> tuple[Any, ...]:
    """Return the partition of an entry of a manifest or of the index manifest.

    NaN is always the same object, which is equal to itself as part of a key.
    """
    values = values_of(entry.partition.values, [field.type for field in schema.partition_schema])
    return tuple(math.nan if value != value else value for value in values)


def values_of(values: Iterable[Any], types: Iterable[DataType]) -> tuple[Any, ...]:
    """Return pypaimon's Python values as internal ones."""
    return tuple(
        None if value is None else _value(value, data_type)
        for value, data_type in zip(values, types, strict=False)
    )


def statistics_of(stats: Any, schema: TableSchema) -> Statistics:
    """Return the statistics of a data file, decoded.

    pypaimon's hold on to the bytes of the whole manifest.
    """
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
    """Return the values of a BinaryRow.

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
    """Return the first or last key of a file.

    With nanoseconds they are the bounds of its columns, which lie no further in.
    """
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
    return position_of(value, data_type, "partition").value


def _have_nanoseconds(types: Iterable[DataType]) -> bool:
    return any(kind.is_timestamp and (kind.precision or 0) > 6 for kind in types)
