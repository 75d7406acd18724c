"""Timestamps of whole Arrow columns, in any year.

Arrow's `timestamp[ns]` covers the years 1677 to 2262. A column of nanoseconds with a value outside
of them has the type WIDE: nanoseconds since 1970 as decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.types.arrays import filled, to_arrow_array, to_numpy
from paimon_ksy.types.data_type import TICK_NANOS

WIDE = pa.decimal128(30)

Whole: TypeAlias = NDArray[np.int64]

_SECOND = TICK_NANOS["s"]
_FACTOR = pa.decimal128(10)
_IN_SECONDS = pa.decimal128(30, 9)


def parts(column: pa.Array) -> tuple[Whole, Whole]:
    """Return the seconds since 1970, rounded down, and the nanoseconds after each; 0 for null."""
    numbers, tick = ticks(column)
    if numbers.type == WIDE:
        import pyarrow.compute as pc  # 28 ms, which types alone do not need

        numbers = pc.fill_null(numbers, 0)
        whole = numbers.buffers(), -1, numbers.offset
        in_seconds = pa.Array.from_buffers(_IN_SECONDS, len(numbers), *whole)
        seconds = pc.floor(in_seconds).cast(pa.int64())
        per_second = pa.scalar(_SECOND, _FACTOR)
        rest = pc.subtract(numbers, pc.multiply(seconds.cast(pa.decimal128(19)), per_second))
        return seconds.to_numpy(), rest.cast(pa.int64()).to_numpy()
    values = to_numpy(filled(numbers, 0))
    seconds = values // (_SECOND // tick)
    return seconds, (values - seconds * (_SECOND // tick)) * tick


def of_parts(
    seconds: Whole, nanos: Whole, arrow_type: pa.DataType, nulls: NDArray[np.bool_] | None = None
) -> pa.Array:
    """Return timestamps of an Arrow type, rounded down; nanoseconds may be WIDE.

    The nanoseconds after each second are less than a second; both are 0 for null.

    Raises OverflowError if a timestamp of a coarser type takes more than 64 bits.
    """
    tick = TICK_NANOS[arrow_type.unit]
    per_second, rest = _SECOND // tick, nanos // tick
    most = 2**63 // per_second - 1
    if ((seconds >= -most) & (seconds <= most)).all():
        return to_arrow_array(seconds * per_second + rest, nulls=nulls).view(arrow_type)
    import pyarrow.compute as pc

    factor = pa.scalar(per_second, _FACTOR)
    whole, more = (pa.array(some, mask=nulls).cast(pa.decimal128(19)) for some in (seconds, rest))
    exact = pc.add(pc.multiply(whole, factor), more).cast(WIDE)
    try:
        return exact.cast(pa.int64()).view(arrow_type)
    except pa.ArrowInvalid:
        if tick == 1:
            return exact
        raise OverflowError(f"a timestamp is out of the range of {arrow_type}") from None


def in_type(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return timestamps in another Arrow type, as `of_parts` does.

    The time is the same with and without zone, which ORC and Avro files do not always store.
    """
    if pa.types.is_timestamp(column.type) and column.type.unit == arrow_type.unit:
        return column.view(arrow_type)
    nulls = to_numpy(column.is_null()) if column.null_count else None
    return of_parts(*parts(column), arrow_type, nulls)


def ticks(column: pa.Array) -> tuple[pa.Array, int]:
    """Return timestamps as whole numbers, which Arrow can compare, and the nanoseconds of one."""
    if column.type == WIDE:
        return column, 1
    return column.view(pa.int64()), TICK_NANOS[column.type.unit]


def from_numbers(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Cast a column, in which timestamps may be numbers; nanoseconds may be WIDE."""
    if column.type == WIDE and pa.types.is_timestamp(arrow_type):
        return in_type(column, arrow_type)
    return column.cast(arrow_type)


def alike(batches: Sequence[pa.RecordBatch]) -> Sequence[pa.RecordBatch]:
    """Return batches of the same columns; timestamps that are WIDE in one are WIDE in all."""
    wide = {
        name
        for batch in batches
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
        if column.type == WIDE
    }
    if not wide:
        return batches

    def widened(name: str, column: pa.Array) -> pa.Array:
        return ticks(column)[0].cast(WIDE) if name in wide else column

    return [
        pa.RecordBatch.from_arrays(
            [*map(widened, batch.schema.names, batch.columns)], batch.schema.names
        )
        for batch in batches
    ]


def does_not_fit(column: str | None, path: str | None = None) -> UnsupportedError:
    """Return the error about timestamps that Arrow's nanoseconds do not cover."""
    return UnsupportedError(
        "contains timestamps before 1677-09-21 or after 2262-04-11, which Arrow cannot represent "
        "in nanoseconds",
        column=column,
        path=path,
        remedy="leave the column out, or change its type to TIMESTAMP(6)",
    )
