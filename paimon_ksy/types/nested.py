"""Columns of nested types, whose innermost arrays are converted."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from paimon_ksy.types.arrow import inner_fields, map_type
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.timestamps import WIDE, does_not_fit


def converted(
    column: pa.Array,
    data_type: DataType,
    convert: Callable[[pa.Array, DataType], pa.Array],
    name: str | None = None,
) -> pa.Array:
    """Return a column of this type with each innermost array converted.

    Raises UnsupportedError, which names the column, if a nested timestamp is WIDE.
    """
    inner = inner_fields(data_type)
    if not inner or pa.types.is_fixed_size_list(column.type):
        return convert(column, data_type)
    parts = _parts(column, data_type, len(inner))
    pairs = [*zip((f.type for f in inner), parts, strict=True)]
    made = [converted(part, of_part, convert, name) for of_part, part in pairs]
    if any(p.type == WIDE and f.type.is_timestamp for p, f in zip(made, inner, strict=True)):
        raise does_not_fit(name)
    fields = [
        pa.field(field.name, part.type, field.type.nullable)
        for part, field in zip(made, inner, strict=True)
    ]
    nulls = column.is_null() if column.null_count else None
    if data_type.root == "ROW":
        return pa.StructArray.from_arrays(made, fields=fields, mask=nulls)
    offsets = pa.array(column.offsets.to_numpy())  # a copy: Arrow refuses slices with masks
    arrays, nested_type = (pa.ListArray, pa.list_) if len(inner) == 1 else (pa.MapArray, map_type)
    return arrays.from_arrays(offsets, *made, type=nested_type(*fields), mask=nulls)


def _parts(column: pa.Array, data_type: DataType, count: int) -> list[pa.Array]:
    """Return the arrays of the parts of a nested column."""
    import pyarrow.compute as pc  # 28 ms, which types alone do not need

    if data_type.root == "ROW":
        return [pc.struct_field(column, [at]) for at in range(count)]
    if count == 1:
        return [column.values]
    if pa.types.is_map(column.type):
        return [column.keys, column.items]
    # Avro's maps have only strings as keys
    return [pc.struct_field(column.values, [at]) for at in (0, 1)]


def leaves(column: pa.Array, data_type: DataType) -> list[pa.Array]:
    """Return the innermost arrays of a column, in the order in which `converted` converts them."""
    arrays = []

    def keep(array: pa.Array, _: DataType) -> pa.Array:
        arrays.append(array)
        return array

    converted(column, data_type, keep)
    return arrays
