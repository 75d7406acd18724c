"""Convert Paimon's types to Spark's, and Arrow batches to those that Spark accepts.

The types are those of Paimon's own connector, except for TIME, which it does not read:

- CHAR and VARCHAR are STRING; BINARY, VARBINARY and BLOB are BINARY;
- TIME is TIME, from Spark 4.1 on;
- TIMESTAMP is TIMESTAMP_NTZ, and WITH LOCAL TIME ZONE is TIMESTAMP. Both have microseconds: finer
  values are rounded down to the earlier microsecond;
- VECTOR is ARRAY, ROW is STRUCT, MULTISET is a MAP from each element to its count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as spark

from paimon_ksy.errors import SchemaError, UnsupportedError, with_article
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Field, Schema

_PLAIN: dict[str, type[spark.DataType]] = {
    "BOOLEAN": spark.BooleanType,
    "TINYINT": spark.ByteType,
    "SMALLINT": spark.ShortType,
    "INT": spark.IntegerType,
    "BIGINT": spark.LongType,
    "FLOAT": spark.FloatType,
    "DOUBLE": spark.DoubleType,
    "CHAR": spark.StringType,
    "VARCHAR": spark.StringType,
    "BINARY": spark.BinaryType,
    "VARBINARY": spark.BinaryType,
    "BLOB": spark.BinaryType,
    "GEOMETRY": spark.BinaryType,
    "GEOGRAPHY": spark.BinaryType,
    "DATE": spark.DateType,
    "TIMESTAMP": spark.TimestampNTZType,
    "TIMESTAMP_LTZ": spark.TimestampType,
    "VARIANT": spark.VariantType,
}


def spark_type(data_type: DataType) -> spark.DataType:
    """Return the Spark type of a type; all parts of nested types are nullable.

    Raises:
        UnsupportedError: Spark has no such type.
    """
    root = data_type.root
    if root in _PLAIN:
        return _PLAIN[root]()
    if root == "DECIMAL":
        return spark.DecimalType(data_type.precision or 10, data_type.scale or 0)
    if root == "TIME":
        if not hasattr(spark, "TimeType"):
            raise UnsupportedError(
                f"Spark has {data_type} from 4.1 on: leave it out with the option columns"
            )
        return spark.TimeType(data_type.precision or 0)
    parts = [spark_type(field.type) for field in data_type.fields]
    if root in ("ARRAY", "VECTOR"):
        return spark.ArrayType(parts[0])
    if root == "MAP":
        return spark.MapType(parts[0], parts[1])
    if root == "MULTISET":
        return spark.MapType(parts[0], spark.IntegerType())
    if root == "ROW":
        named = zip(data_type.fields, parts, strict=True)
        return spark.StructType([spark.StructField(field.name, kind) for field, kind in named])
    raise UnsupportedError(f"Spark cannot receive {with_article(data_type)}: leave the column out")


def spark_schema(columns: Sequence[Field]) -> spark.StructType:
    """Return the Spark schema of columns."""
    return spark.StructType([spark.StructField(c.name, spark_type(c.type)) for c in columns])


def columns_asked(asked: spark.StructType, schema: Schema) -> list[str]:
    """Return the table's names of the columns that Spark requests.

    Raises:
        SchemaError: The table has no such column, or the column has a different type.
    """
    names = []
    for field in asked.fields:
        column = schema.column(field.name, ignore_case=True)
        kind = spark_type(column.type)
        if kind.simpleString() != field.dataType.simpleString():
            raise SchemaError(
                f"column {column.name!r} is {column.type}: ask for {kind.simpleString()}, not "
                f"{field.dataType.simpleString()}"
            )
        names.append(column.name)
    return names


def arrow_schema(asked: spark.StructType) -> pa.Schema:
    """Return the Arrow schema in which Spark accepts these columns; timestamps are in UTC."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        schema: pa.Schema = to_arrow_schema(asked, timezone="UTC")
    except TypeError:  # before Spark 4.2, where UTC is the default
        schema = to_arrow_schema(asked)
    return schema


def spark_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch in Spark's Arrow schema, column by column."""
    columns = [
        _converted(column, field.type) for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _converted(array: pa.Array, target: pa.DataType) -> pa.Array:
    """Return an array as another type; values that Arrow's own cast rounds are rounded down."""
    kind: Any = array.type
    if kind == target:
        return array
    if pa.types.is_timestamp(kind):
        if kind.unit == "ns":
            array = pc.floor_temporal(array, unit="microsecond")
        return array.cast(target, safe=False)
    if pa.types.is_struct(kind):
        parts = [_converted(array.field(i), field.type) for i, field in enumerate(target)]
        # field() returns the parts of the slice; flatten() would put nulls into required parts.
        return pa.StructArray.from_arrays(parts, fields=list(target), mask=array.is_null())
    if pa.types.is_map(kind):
        flat = array.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])))
        parts = pa.list_(pa.struct([target.key_field, target.item_field]))
        converted = _converted(flat, parts)
        return pa.MapArray.from_arrays(
            _offsets(converted),
            converted.values.field(0),
            converted.values.field(1),
            type=target,
        )
    if pa.types.is_fixed_size_list(kind):
        array = array.cast(pa.list_(kind.value_field))
    if pa.types.is_list(array.type):
        values = _converted(array.values, target.value_type)
        return pa.ListArray.from_arrays(_offsets(array), values, type=target)
    return array.cast(target)


def _offsets(array: pa.ListArray) -> pa.Array:
    """Return the offsets of a list, null where the list is null."""
    offsets = array.offsets
    if array.null_count == 0:
        return offsets
    valid = pa.concat_arrays([array.is_valid(), pa.array([True])])
    return pc.if_else(valid, offsets, pa.scalar(None, offsets.type))
