"""Strip the spaces with which ORC pads CHARs, as Java does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from paimon_ksy.types.data_type import DataType


def unpadded(column: pa.Array, kind: DataType) -> pa.Array:
    """Return a column of an ORC file without the spaces at the end of its CHARs."""
    if kind.root == "CHAR":
        return pc.ascii_rtrim(column, characters=" ")  # by bytes, which may not be UTF-8
    if not _has_chars(kind):
        return column
    nulls = column.is_null() if column.null_count else None
    if pa.types.is_struct(column.type):
        own = zip(kind.fields, column.type, strict=False)
        parts = [unpadded(pc.struct_field(column, [at]), f.type) for at, (f, _) in enumerate(own)]
        return pa.StructArray.from_arrays(parts, fields=list(column.type), mask=nulls)
    offsets = pa.array(column.offsets.to_numpy())  # a copy, since Arrow refuses slices with masks
    if pa.types.is_map(column.type):
        pairs = zip((column.keys, column.items), kind.fields, strict=False)
        keys, *items = (unpadded(part, field.type) for part, field in pairs)
        values = items[0] if items else column.items
        return pa.MapArray.from_arrays(offsets, keys, values, type=column.type, mask=nulls)
    items = unpadded(column.values, kind.fields[0].type)
    return pa.ListArray.from_arrays(offsets, items, type=column.type, mask=nulls)


def _has_chars(kind: DataType) -> bool:
    return kind.root == "CHAR" or any(_has_chars(field.type) for field in kind.fields)
