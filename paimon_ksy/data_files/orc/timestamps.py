"""Restore timestamps of ORC files that overflow 64 bits of nanoseconds.

Arrow reads timestamps of ORC as nanoseconds, and those before 1677 or after 2262 silently overflow:
9999-12-31 becomes a day in 1816. Values with a precision up to 6 are whole microseconds, and 2^64
nanoseconds are not, so the last three digits show how often a value wrapped around.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_ROUND = 1 << 64
_ROUND_MICROS, _ROUND_REST = divmod(_ROUND, 1000)
_ROUNDS = range(-4, 15)  # the overflows of the years 1 to 9999
_UNKNOWN = 127


def _rounds_by_rest() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    found = np.full(1000, _UNKNOWN, np.int64)
    for rounds in _ROUNDS:
        found[-_ROUND * rounds % 1000] = rounds
    return found


_ROUNDS_BY_REST = _rounds_by_rest()


def fitting_type(read: pa.DataType, wanted: pa.DataType) -> pa.DataType:
    """Return the type that was read, with microseconds instead of unwanted nanoseconds.

    `read` and `wanted` have the same form; the fields of structs are in the same order.
    """
    if pa.types.is_timestamp(read) and pa.types.is_timestamp(wanted):
        in_nanos = read.unit == "ns" != wanted.unit
        return pa.timestamp("us", read.tz) if in_nanos else read
    if pa.types.is_map(read) and pa.types.is_map(wanted):
        parts = (read.key_field, wanted.key_type), (read.item_field, wanted.item_type)
        return pa.map_(*(own.with_type(fitting_type(own.type, of)) for own, of in parts))
    if pa.types.is_list(read) and pa.types.is_list(wanted):
        own = read.value_field
        return pa.list_(own.with_type(fitting_type(own.type, wanted.value_type)))
    if pa.types.is_struct(read) and pa.types.is_struct(wanted):
        pairs = zip(read, wanted, strict=False)
        return pa.struct([own.with_type(fitting_type(own.type, of.type)) for own, of in pairs])
    return read


def fit(column: pa.Array, fitting: pa.DataType) -> pa.Array:
    """Return the column in the type from `fitting_type`, with the values that were written."""
    if column.type == fitting:
        return column
    if pa.types.is_timestamp(fitting):
        return _microseconds(column).view(fitting)
    nulls = column.is_null() if column.null_count else None
    if pa.types.is_struct(fitting):
        parts = [fit(pc.struct_field(column, [at]), of.type) for at, of in enumerate(fitting)]
        return pa.StructArray.from_arrays(parts, fields=list(fitting), mask=nulls)
    offsets = pa.array(column.offsets.to_numpy())  # a copy, since Arrow refuses slices with masks
    if pa.types.is_map(fitting):
        keys, items = fit(column.keys, fitting.key_type), fit(column.items, fitting.item_type)
        return pa.MapArray.from_arrays(offsets, keys, items, type=fitting, mask=nulls)
    items = fit(column.values, fitting.value_type)
    return pa.ListArray.from_arrays(offsets, items, type=fitting, mask=nulls)


def _microseconds(column: pa.Array) -> pa.Array:
    """Return microseconds as integers; a value with its own nanoseconds did not overflow."""
    nulls = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    nanos = pc.fill_null(column.view(pa.int64()), 0).to_numpy(zero_copy_only=False)
    micros = nanos // 1000
    rest = nanos - micros * 1000
    if rest.any():
        rounds = _ROUNDS_BY_REST[rest]
        if (rounds != _UNKNOWN).all():
            micros += rounds * _ROUND_MICROS + (rest + rounds * _ROUND_REST) // 1000
    return pa.array(micros, pa.int64(), mask=nulls)
