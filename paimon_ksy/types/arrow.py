"""Map column types to Arrow and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import UnsupportedError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

from paimon_ksy.types.data_type import DataType, Field, to_utf8
from paimon_ksy.types.parse import nested, parse_type

# Arrow ------------------------------------------------------------------------------------------


LEAVE_OUT = "leave the column out, or install a newer version of paimon-ksy"
"""The remedy for a column of an unknown type."""


def to_arrow(data_type: DataType) -> pa.DataType:
    """Return the Arrow type in which Paimon reads and writes a column of this type.

    Zoned timestamps are in UTC (Java uses the machine's zone). BLOB is large_binary, as in
    pypaimon. A MULTISET is a map from each element to its number of occurrences, as Java's
    writers of Parquet, ORC and Avro store it. Raises UnsupportedError.
    """
    import pyarrow as pa

    root = data_type.root
    if root in _ARROW_FACTORY:
        factory: Callable[[], pa.DataType] = getattr(pa, _ARROW_FACTORY[root])
        return factory()
    if root == "DECIMAL":
        return pa.decimal128(data_type.precision or 10, data_type.scale or 0)
    if root == "TIME":
        return pa.time32("ms")
    if data_type.is_timestamp:
        unit = _timestamp_unit(data_type.precision or 0)
        return pa.timestamp(unit, tz="UTC" if root == "TIMESTAMP_LTZ" else None)
    return _nested_to_arrow(data_type)


def _nested_to_arrow(data_type: DataType) -> pa.DataType:
    import pyarrow as pa

    root = data_type.root
    if root == "VARIANT":
        return pa.struct([pa.field(n, pa.binary(), nullable=False) for n in ("value", "metadata")])
    fields = [pa.field(f.name, to_arrow(f.type), f.type.nullable) for f in inner_fields(data_type)]
    if root == "ROW":
        return pa.struct(fields)
    if root == "ARRAY":
        return pa.list_(fields[0])
    if root == "VECTOR":
        return pa.list_(fields[0], data_type.length or 1)
    if root in ("MAP", "MULTISET"):
        return map_type(*fields)
    raise UnsupportedError(f"the type {data_type} is unknown to this version", remedy=LEAVE_OUT)


_ARROW_FACTORY = {
    "BOOLEAN": "bool_",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INT": "int32",
    "BIGINT": "int64",
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "CHAR": "string",
    "VARCHAR": "string",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "BLOB": "large_binary",
    "GEOMETRY": "binary",
    "GEOGRAPHY": "binary",
    "DATE": "date32",
}


def _timestamp_unit(precision: int) -> str:
    if precision == 0:
        return "s"
    return "ms" if precision <= 3 else "us" if precision <= 6 else "ns"


def inner_fields(data_type: DataType) -> tuple[Field, ...]:
    """Return the parts of a nested type, which for a MULTISET include the counts."""
    if data_type.root != "MULTISET":
        return data_type.fields
    return (*data_type.fields, Field("count", DataType("INT", nullable=False)))


def map_type(key: pa.Field, item: pa.Field) -> pa.DataType:
    """Return the type of a map with these fields; keys are never null."""
    import pyarrow as pa

    return pa.map_(key.with_nullable(False), item)


def arrow_values(values: Sequence[Any] | NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Return internal values as an Arrow array of a type that indexes support.

    Nanoseconds may be WIDE.
    """
    import pyarrow as pa

    from paimon_ksy.types.arrays import to_arrow_array
    from paimon_ksy.types.timestamps import WIDE, in_type

    if pa.types.is_timestamp(kind):
        return in_type(to_arrow_array(values, WIDE), kind)
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return to_arrow_array(values, pa.int32()).view(kind)
    if pa.types.is_string(kind):
        texts = [None if value is None else to_utf8(value) for value in values]
        return to_arrow_array(texts, pa.binary()).view(kind)
    return to_arrow_array(values, kind)


def from_arrow(arrow_type: pa.DataType, nullable: bool = True) -> DataType:
    """Return the Paimon type of an Arrow column, with pypaimon's mapping.

    It also supports other layouts of the same values (large, view, dictionary-encoded,
    run-end-encoded), and TIME keeps the precision of its unit.

    Raises:
        UnsupportedError: Paimon has no such type.
    """
    return _from_arrow(arrow_type).with_nullable(nullable)


_UNIT_PRECISION = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_FROM_ARROW = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "halffloat": "FLOAT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "large_string": "STRING",
    "string_view": "STRING",
    "binary": "BYTES",
    "binary_view": "BYTES",
    "large_binary": "BLOB",
    "date32[day]": "DATE",
    "date64[ms]": "DATE",
}


def _from_arrow(arrow_type: pa.DataType) -> DataType:
    import pyarrow as pa
    import pyarrow.types as at

    if isinstance(arrow_type, pa.BaseExtensionType):
        return _from_arrow(arrow_type.storage_type)
    if at.is_dictionary(arrow_type) or at.is_run_end_encoded(arrow_type):
        return _from_arrow(arrow_type.value_type)
    if text := _FROM_ARROW.get(str(arrow_type)):
        return parse_type(text)
    if at.is_fixed_size_binary(arrow_type):
        return DataType("BINARY", length=arrow_type.byte_width)
    if at.is_decimal(arrow_type) and arrow_type.precision <= 38 and arrow_type.scale >= 0:
        return DataType("DECIMAL", precision=arrow_type.precision, scale=arrow_type.scale)
    if at.is_time(arrow_type) or at.is_timestamp(arrow_type):
        zoned = "TIMESTAMP" if getattr(arrow_type, "tz", None) is None else "TIMESTAMP_LTZ"
        root = "TIME" if at.is_time(arrow_type) else zoned
        return DataType(root, precision=_UNIT_PRECISION[arrow_type.unit])
    return _nested_from_arrow(arrow_type)


def _nested_from_arrow(arrow_type: pa.DataType) -> DataType:
    import pyarrow.types as at

    if at.is_list(arrow_type) or at.is_large_list(arrow_type):
        return nested("ARRAY", _field_type(arrow_type.value_field))
    if at.is_fixed_size_list(arrow_type):
        element = _field_type(arrow_type.value_field)
        return nested("VECTOR", element, length=arrow_type.list_size)
    if at.is_map(arrow_type):
        key, value = _field_type(arrow_type.key_field), _field_type(arrow_type.item_field)
        return nested("MAP", key, value)
    if at.is_struct(arrow_type):
        return DataType("ROW", fields=tuple(Field(f.name, _field_type(f)) for f in arrow_type))
    remedy = "cast the column to a signed integer" if at.is_integer(arrow_type) else "cast it"
    raise UnsupportedError(f"Paimon has no type for Arrow's {arrow_type}: {remedy}")


def _field_type(field: pa.Field) -> DataType:
    return from_arrow(field.type, field.nullable)
