"""Convert rows of Arrow data to JSON, one object per row, with Paimon's column names."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.types.data_type import TICK_NANOS
from paimon_ksy.types.literals import date_text, time_text

_DAY = 86_400 * 10**9
_AT_ONCE = 1000  # rows to convert


def json_rows(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a batch, each as a tuple of JSON values."""
    for at in range(0, batch.num_rows, _AT_ONCE):
        part = batch.slice(at, _AT_ONCE)
        columns = [json_values(column) for column in part.columns]
        yield from zip(*columns, strict=True) if columns else [()] * part.num_rows


def json_values(column: pa.Array) -> list[Any]:
    """Return the values of a column as JSON values.

    Times and timestamps are ISO 8601 strings, those with a time zone in UTC with a Z. Decimals are
    strings, binary is hexadecimal. NaN and the infinities, which JSON lacks, are strings. A MAP is
    an object, with its keys as strings.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return json_values(column.dictionary_decode())
    if pa.types.is_nested(kind):
        return _nested(column)
    convert = _converter(kind)
    if convert is None:
        plain: list[Any] = column.to_pylist()
        return plain
    if pa.types.is_string(kind):
        column = column.cast(pa.binary())
    elif pa.types.is_temporal(kind):
        column = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    return [None if value is None else convert(value) for value in column.to_pylist()]


def _converter(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """Return a converter of Python values, or of the ticks of times; None if none is needed."""
    if pa.types.is_decimal(kind):
        return lambda value: f"{value:f}"
    if pa.types.is_string(kind):
        return lambda value: value.decode("utf-8", "replace")
    binary = pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary
    if any(of(kind) for of in binary):
        return lambda value: value.hex()
    if pa.types.is_date(kind):
        return date_text
    if pa.types.is_time(kind):
        nanos = TICK_NANOS[kind.unit]
        return lambda ticks: time_text(ticks * nanos)
    if pa.types.is_timestamp(kind):
        nanos, zone = TICK_NANOS[kind.unit], "Z" if kind.tz else ""
        return lambda ticks: _moment(ticks * nanos) + zone
    if pa.types.is_float32(kind):
        return lambda value: _number(float(str(np.float32(value))))
    return _number if pa.types.is_floating(kind) else None


def _moment(nanos: int) -> str:
    days, rest = divmod(nanos, _DAY)
    return f"{date_text(days)}T{time_text(rest)}"


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _nested(column: pa.Array) -> list[Any]:
    kind, valid = column.type, column.is_valid().to_pylist()
    if pa.types.is_struct(kind):
        fields = [json_values(part) for part in column.flatten()]
        names = [kind.field(at).name for at in range(kind.num_fields)]
        rows = zip(*fields, strict=True) if fields else [()] * len(column)
        values: list[Any] = [dict(zip(names, row, strict=True)) for row in rows]
    else:
        if pa.types.is_fixed_size_list(kind):
            column = column.cast(pa.list_(kind.value_field))
        values = _maps(column) if pa.types.is_map(kind) else _slices(column, column.values)
    return [value if is_valid else None for value, is_valid in zip(values, valid, strict=True)]


def _maps(column: pa.MapArray) -> list[dict[str, Any]]:
    sides = zip(_slices(column, column.keys), _slices(column, column.items), strict=True)
    return [
        {
            key if isinstance(key, str) else json.dumps(key): value
            for key, value in zip(keys, values, strict=True)
        }
        for keys, values in sides
    ]


def _slices(column: pa.Array, items: pa.Array) -> list[list[Any]]:
    """Return the items of each list of a column."""
    first, last = column.offsets[0].as_py(), column.offsets[-1].as_py()
    offsets = pc.subtract(column.offsets, first).to_pylist()
    values = json_values(items[first:last])
    return [values[start:stop] for start, stop in pairwise(offsets)]
