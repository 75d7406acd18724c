"""Arrow columns as internal values."""

from typing import Any

import pyarrow as pa

from paimon_ksy.types.data_type import DataType


def internal(column: pa.Array, kind: DataType) -> list[Any]:
    """Return the values of a column of this type: dates as days, timestamps as nanoseconds."""
    if kind.is_timestamp:
        nanos = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[column.type.unit]
        ticks = column.view(pa.int64()).to_pylist()
        return [None if tick is None else tick * nanos for tick in ticks]
    if kind.root == "DATE":
        return list(column.view(pa.int32()).to_pylist())
    return list(column.to_pylist())
