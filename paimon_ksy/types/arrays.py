"""Arrow arrays of Python and NumPy values, and back, without pandas.

pyarrow imports pandas for the first array that it converts itself. That takes 180 ms, half of the
time of `paimon-ksy table count`.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

Scalar = TypeVar("Scalar", bound=np.generic)
T = TypeVar("T", pa.RecordBatch, pa.Array)

_NUMBERS = {
    pa.from_numpy_dtype(kind): np.dtype(kind)
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
}
_SIZES = {pa.string(): 4, pa.binary(): 4, pa.large_string(): 8, pa.large_binary(): 8}
"""The bytes of each offset of an Arrow array of texts or bytes."""


def to_arrow_array(
    values: Sequence[Any] | NDArray[Any],
    kind: Any = None,
    nulls: NDArray[np.bool_] | None = None,
) -> pa.Array:
    """Return Python values, or integers, floats or flags of NumPy, as an Arrow array.

    `nulls` marks the values of an array of NumPy that are null.
    """
    if isinstance(values, np.ndarray):
        kind = kind or pa.from_numpy_dtype(values.dtype)
    else:
        nulls = np.fromiter((value is None for value in values), np.bool_, len(values))
    count = len(values)
    valid = _bits(~nulls) if nulls is not None and nulls.any() else None
    if kind in _NUMBERS:
        if valid is not None and not isinstance(values, np.ndarray):
            values = [0 if value is None else value for value in values]
        numbers = np.ascontiguousarray(values, _NUMBERS[kind])
        return pa.Array.from_buffers(kind, count, [valid, pa.py_buffer(numbers)])
    if kind == pa.bool_():
        return pa.Array.from_buffers(kind, count, [valid, _bits(np.array(values, np.bool_))])
    if kind in _SIZES:
        return _of_texts(values, kind, valid)
    if pa.types.is_decimal(kind):
        texts = [None if value is None else f"{Decimal(value):f}" for value in values]
        return to_arrow_array(texts, pa.string()).cast(kind)
    if pa.types.is_large_list(kind):
        return _of_lists(values, kind, valid)
    return _of_structs(values, kind, nulls) if pa.types.is_struct(kind) else pa.array(values, kind)


def _of_texts(values: Any, kind: pa.DataType, valid: pa.Buffer | None) -> pa.Array:
    stored = [value.encode() if isinstance(value, str) else value or b"" for value in values]
    ends = np.cumsum([0, *map(len, stored)], dtype=f"i{_SIZES[kind]}")
    parts = [valid, pa.py_buffer(ends), pa.py_buffer(b"".join(stored))]
    return pa.Array.from_buffers(kind, len(stored), parts)


def _of_lists(values: Any, kind: pa.DataType, valid: pa.Buffer | None) -> pa.Array:
    items = to_arrow_array([item for value in values for item in value or ()], kind.value_type)
    ends = np.cumsum([0, *(len(value or ()) for value in values)], dtype=np.int64)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(ends)], children=[items])


def _of_structs(values: Any, kind: pa.DataType, nulls: NDArray[np.bool_] | None) -> pa.Array:
    parts = [to_arrow_array([v and v[field.name] for v in values], field.type) for field in kind]
    nothing = None if nulls is None else to_arrow_array(nulls)
    return pa.StructArray.from_arrays(parts, fields=list(kind), mask=nothing)


def to_arrow_scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Return a Python value as an Arrow scalar."""
    return to_arrow_array([value], kind)[0]


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows."""
    return pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in schema.types], schema=schema)


def whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array, without a copy if it is one."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)  # combine_chunks() copies
    return column.combine_chunks() if column.num_chunks else pa.nulls(0, column.type)


def filled(array: pa.Array, value: Any) -> pa.Array:
    """Return an Arrow array with a value instead of each null."""
    return array.fill_null(to_arrow_scalar(value, array.type)) if array.null_count else array


def taken(entries: T, at: NDArray[np.int64]) -> T:
    """Return what is at ascending positions, without a copy if that is all."""
    return entries if len(at) == len(entries) else entries.take(to_arrow_array(at))


def to_numpy(array: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return an Arrow array as one of NumPy, which shares the memory of numbers without nulls."""
    array = whole(array)
    if not array.null_count and array.type in _NUMBERS:
        numbers = np.frombuffer(array.buffers()[1] or b"", _NUMBERS[array.type])
        return numbers[array.offset : array.offset + len(array)]
    if not array.null_count and array.type == pa.bool_():
        return _flags(array.buffers()[1], array)
    values: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return values


def to_list(array: pa.Array) -> list[Any]:
    """Return `to_pylist` of an array, many times faster for nulls, numbers and lists of them."""
    if array.null_count == len(array):
        return [None] * len(array)
    if pa.types.is_large_list(array.type) and not array.null_count:
        ends, items = ends_of(array), to_list(array.flatten())
        return [items[start:end] for start, end in pairwise((ends - ends[0]).tolist())]
    is_plain = array.type in _NUMBERS and not array.null_count
    values: list[Any] = to_numpy(array).tolist() if is_plain else array.to_pylist()
    return values


def elements(lists: pa.Array) -> tuple[pa.Array, Numbers]:
    """Return the elements of lists, and the number of the list of each.

    Arrow's `list_parent_indices` also counts what is underneath null lists.
    """
    counts = to_numpy(filled(lists.value_lengths(), 0))
    return lists.flatten(), np.repeat(np.arange(len(lists)), counts)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return `np.unique` of values, for which NumPy imports `numpy.ma` in 8 ms."""
    ordered: NDArray[Scalar] = np.sort(values)
    is_first: NDArray[np.bool_] = np.append(True, ordered[1:] != ordered[:-1])
    return ordered[is_first[: len(ordered)]]


def ends_of(array: pa.Array) -> NDArray[np.int64]:
    """Return where each list, text or bytes of a large type starts, and where the last one ends."""
    ends = np.frombuffer(array.buffers()[1], np.int64)
    return ends[array.offset : array.offset + len(array) + 1]


def bytes_of(texts: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of an array of large_binary, and the n + 1 offsets of its n strings."""
    return np.frombuffer(texts.buffers()[2] or b"", np.uint8), ends_of(texts)


def validity(array: pa.Array) -> NDArray[np.bool_]:
    """Return which values of an Arrow array are not null."""
    return to_numpy(array.is_valid())


def _flags(bits: pa.Buffer | None, array: pa.Array) -> NDArray[np.bool_]:
    flags = np.unpackbits(np.frombuffer(bits or b"", np.uint8), bitorder="little")
    return flags[array.offset : array.offset + len(array)].view(np.bool_)


def _bits(flags: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
