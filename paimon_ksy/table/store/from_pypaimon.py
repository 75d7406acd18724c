"""What pypaimon has of a table, as values of the model (see `types.literals` for those of rows)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from paimon_ksy.table.model.files import Snapshot, TableSchema
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import position_of


def snapshot_of(snapshot: Any) -> Snapshot:
    """Return pypaimon's Snapshot as a plain value."""
    return Snapshot(**{field.name: getattr(snapshot, field.name) for field in fields(Snapshot)})


def pypaimon_row(row: bytes, fields: Sequence[Any]) -> Any:
    """Return pypaimon's row of a partition, as commits and the names of folders take it.

    Args:
        row: A row of `write_row`.
        fields: pypaimon's fields of the partition columns.
    """
    deserializer = pypaimon_module("table.row.generic_row").GenericRowDeserializer
    return deserializer.from_bytes(row, list(fields))


def partition_of(split: Any, schema: TableSchema) -> tuple[Any, ...]:
    """Return the partition of a split, with internal values.

    NaN is always the same object, which is equal to itself as part of a key.
    """
    columns = zip(split.partition.values, schema.partition_schema, strict=True)
    return tuple(_value(value, column.type) for value, column in columns)


def _value(value: Any, data_type: DataType) -> Any:
    found = None if value is None else position_of(value, data_type, "partition").value
    return math.nan if found != found else found
