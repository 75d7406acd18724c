"""Encode records in Avro column by column, as the types of manifests need it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.types.arrays import (
    Numbers,
    ends_of,
    filled,
    to_arrow_array,
    to_arrow_scalar,
    to_numpy,
    validity,
)

_BYTES = pa.large_binary()
_SEVEN = np.arange(10, dtype=np.uint64) * np.uint64(7)


def encoded(kind: Any, values: pa.Array | None, count: int) -> pa.Array:
    """Return the encoding of each value as bytes; null for a null where `kind` allows none.

    Args:
        kind: The type in Avro's schema.
        values: The values; None if the records lack the field.
        count: The number of values.
    """
    if isinstance(kind, list):  # null, or another type
        values = pa.nulls(count) if values is None else values
        if values.null_count == count:
            return pa.repeat(to_arrow_scalar(b"\0", _BYTES), count)
        return filled(_joined(b"\2", encoded(kind[1], values, count)), b"\0")
    if values is None:
        return pa.nulls(count, _BYTES)
    name = kind["type"] if isinstance(kind, dict) else kind
    if name == "record":
        parts = dict(zip(values.type.names, values.flatten(), strict=True))
        return _joined(*(encoded(f["type"], parts.get(f["name"]), count) for f in kind["fields"]))
    if name == "array":
        lists = values.cast(pa.large_list(values.type.value_type))
        ends = ends_of(lists)
        items = encoded(kind["items"], lists.values, len(lists.values))
        counts = _varints(np.diff(ends))
        data, item_ends = items.buffers()[2], ends_of(items)
        each = _bytes(np.diff(item_ends[ends]), data, int(item_ends[ends[0]]))
        # The number of items is also what ends an empty array.
        end = _bytes(np.diff(ends).clip(max=1), pa.py_buffer(bytes(count)))
        if items.null_count:
            return pa.nulls(count, _BYTES)
        return _null_like(values, _joined(counts, each, end))
    if name in ("bytes", "string"):
        data = values.cast(_BYTES)
        return _joined(_varints(np.diff(ends_of(data))), data)
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("ms", values.type.tz), safe=False).view(pa.int64())
    return _null_like(values, _varints(to_numpy(filled(values.cast(pa.int64()), 0))))


def _joined(*parts: pa.Array | bytes) -> pa.Array:
    """Return the parts of each value, one after the other; null if one is null."""
    parts = tuple(to_arrow_scalar(p, _BYTES) if isinstance(p, bytes) else p for p in parts)
    return pc.binary_join_element_wise(*parts, to_arrow_scalar(b"", _BYTES))


def _null_like(values: pa.Array, others: pa.Array) -> pa.Array:
    """Return others, but null where values are null."""
    if not values.null_count:
        return others
    return pc.if_else(to_arrow_array(validity(values)), others, to_arrow_scalar(None, _BYTES))


def _varints(numbers: Numbers) -> pa.Array:
    """Return numbers in Avro's variable length."""
    numbers = numbers.astype(np.int64)
    zigzag = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    width = max(1, -(-int(zigzag.max(initial=np.uint64(0))).bit_length() // 7))
    groups = zigzag[:, None] >> _SEVEN[:width]
    used = groups > 0
    used[:, 0] = True
    data = (groups & np.uint64(0x7F)).astype(np.uint8)
    data[:, :-1] |= used[:, 1:].astype(np.uint8) << 7
    return _bytes(used.sum(axis=1), pa.py_buffer(data[used]))


def _bytes(sizes: Numbers, data: pa.Buffer | None, start: int = 0) -> pa.Array:
    """Return parts of these sizes of some bytes."""
    ends = np.full(len(sizes) + 1, start, np.int64)
    ends[1:] += np.cumsum(sizes)
    return pa.Array.from_buffers(_BYTES, len(sizes), [None, pa.py_buffer(ends), data])
