"""Paimon's hash of a key: `BinaryRow.hashCode`, for whole columns.

A key is hashed as the row of its columns lies in memory, so these rows are made here: all of them
at once, one matrix of bytes for the parts of fixed size and one stretch for each longer value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.generated.codecs.binary_row import BINARY_ROW_NULL_WORDS, BinaryRowFieldArray
from paimon_ksy.generated.parsers.binary_row import BinaryRow
from paimon_ksy.java_hash import hash_binary_strings
from paimon_ksy.schema import Schema
from paimon_ksy.types import DataType, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

Words = NDArray[np.uint64]

_WORD = 8  # values are padded to so many bytes
_IN_WORD = 7  # bytes of a string that stands in the word itself
_SHORT = np.uint64(0x80)
_COMPACT_DECIMAL = 18
_LONG_DECIMAL = 16
_COMPACT_TIMESTAMP = 3


@dataclass(frozen=True)
class _Values:
    """What does not fit into the words: for each row its bytes in `data`, and how many it takes."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    room: NDArray[np.int64]


@dataclass(frozen=True)
class _Column:
    """A word for each row. Where `placed`, the offset of the value comes into the upper half."""

    words: Words
    values: _Values | None = None
    placed: NDArray[np.bool_] | None = None


def key_hashes(keys: pa.Table, schema: Schema) -> NDArray[np.int32]:
    """The hash codes of keys, one a row, as Paimon computes them.

    `schema` has the columns of the key in its order: those of the primary key without the columns
    of the partition. Raises SchemaError if the table lacks one or it has a null, UnsupportedError
    for a type that no key can have.
    """
    columns = [_column(keys, field.name, field.type) for field in schema]
    data, offsets = _rows(columns, keys.num_rows)
    return hash_binary_strings(data, offsets).view(np.int32)


def _column(keys: pa.Table, name: str, data_type: DataType) -> _Column:
    import pyarrow as pa

    make = _MAKERS.get(data_type.root)
    if make is None:
        raise UnsupportedError(f"column {name!r}: {data_type} cannot be in a key")
    if name not in keys.schema.names:
        raise SchemaError(f"the keys have no column {name!r}; they have {keys.schema.names}")
    try:
        array = keys.column(name).cast(to_arrow(data_type)).combine_chunks()
    except pa.ArrowException as error:
        raise SchemaError(f"column {name!r} is no {data_type}: {error}") from error
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks or [pa.array([], array.type)])
    if array.null_count:
        raise SchemaError(f"column {name!r} of the key has a null; a key has none")
    return make(array, data_type)


def _numbers(array: Any, dtype: str) -> NDArray[Any]:
    import pyarrow as pa

    kind = {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[np.dtype(dtype).itemsize]
    if array.type != kind and not pa.types.is_floating(array.type):
        array = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array.view(kind)
    found: NDArray[Any] = array.to_numpy(zero_copy_only=False).astype(dtype, copy=False)
    return found


def _plain(dtype: str, unsigned: str) -> Callable[[Any, DataType], _Column]:
    """A number stands in the first bytes of its word, and the others are zero."""

    def make(array: Any, data_type: DataType) -> _Column:
        return _Column(_numbers(array, dtype).view(unsigned).astype(np.uint64))

    return make


def _decimal(array: Any, data_type: DataType) -> _Column:
    scale, precision = data_type.scale or 0, data_type.precision or 10
    unscaled = [int(value.as_py().scaleb(scale)) for value in array]
    if precision <= _COMPACT_DECIMAL:
        return _Column(np.array(unscaled, np.int64).view(np.uint64))
    # BigInteger.toByteArray: as few bytes as hold the sign.
    texts = [
        n.to_bytes((n if n >= 0 else ~n).bit_length() // 8 + 1, "big", signed=True)
        for n in unscaled
    ]
    values = _of_texts(texts, np.full(len(texts), _LONG_DECIMAL, np.int64))
    return _Column(values.lengths.astype(np.uint64), values, np.ones(len(texts), np.bool_))


def _timestamp(array: Any, data_type: DataType) -> _Column:
    per_milli = {"s": 0, "ms": 1, "us": 1000, "ns": 1_000_000}[array.type.unit]
    stored = _numbers(array, "i8")
    millis = stored // per_milli if per_milli else stored * 1000
    if (data_type.precision or 0) <= _COMPACT_TIMESTAMP:
        return _Column(millis.view(np.uint64))
    nanos = (stored - millis * per_milli) * (1_000_000 // per_milli)
    count = len(millis)
    data = BinaryRowFieldArray.from_columns(**_halves(millis.view(np.uint64))).to_bytes()
    sizes = np.full(count, _WORD, np.int64)
    values = _Values(np.frombuffer(data, np.uint8), np.arange(count) * _WORD, sizes, sizes)
    return _Column(nanos.astype(np.uint64), values, np.ones(count, np.bool_))


def _text(array: Any, data_type: DataType) -> _Column:
    import pyarrow as pa

    array = array.cast(pa.large_binary())
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    raw = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    starts, lengths = ends[:-1], np.diff(ends)
    short = lengths <= _IN_WORD
    words = np.where(short, _SHORT | lengths.astype(np.uint64), np.uint64(0)) << np.uint64(56)
    for byte in range(_IN_WORD):
        rows = np.flatnonzero(short & (lengths > byte))
        words[rows] |= raw[starts[rows] + byte].astype(np.uint64) << np.uint64(8 * byte)
    words[~short] = lengths[~short].astype(np.uint64)
    room = np.where(short, 0, -(-lengths // _WORD) * _WORD)
    values = _Values(raw, starts, np.where(short, 0, lengths), room)
    return _Column(words, values, ~short)


def _of_texts(texts: list[bytes], room: NDArray[np.int64]) -> _Values:
    lengths = np.array([len(text) for text in texts], np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    return _Values(data, np.cumsum(lengths) - lengths, lengths, room)


def _halves(words: Words) -> dict[str, NDArray[np.uint32]]:
    return {
        "lower": words.astype(np.uint32),
        "upper": (words >> np.uint64(32)).astype(np.uint32),
    }


def _rows(columns: list[_Column], count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All rows one after another, and where each starts; the last offset is the end."""
    row = BinaryRow.__new__(BinaryRow)
    row.num_fields = len(columns)
    head = row.num_null_words * BINARY_ROW_NULL_WORDS.itemsize  # an insert; no field is null
    fixed = head + len(columns) * _WORD
    places: list[NDArray[np.int64]] = []  # of each column's values, in their row
    sizes = np.full(count, fixed, np.int64)
    for column in columns:
        places.append(sizes.copy())
        if column.values is not None:
            sizes += column.values.room
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    out = np.zeros(int(offsets[-1]), np.uint8)
    for number, (column, place) in enumerate(zip(columns, places, strict=True)):
        words = column.words
        if column.placed is not None:
            upper = place.astype(np.uint64) << np.uint64(32)
            words = np.where(column.placed, words | upper, words)
        data = BinaryRowFieldArray.from_columns(**_halves(words)).to_bytes()
        at = offsets[:-1] + head + number * _WORD
        out[at[:, None] + np.arange(_WORD)] = np.frombuffer(data, np.uint8).reshape(-1, _WORD)
        if column.values is not None:
            _copy(column.values, out, offsets[:-1] + place)
    return out, offsets


def _copy(values: _Values, out: NDArray[np.uint8], to: NDArray[np.int64]) -> None:
    """Each row's bytes to their place."""
    lengths = values.lengths
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    source = np.repeat(values.starts, lengths) + within
    out[np.repeat(to, lengths) + within] = values.data[source]


_MAKERS: Mapping[str, Callable[[Any, DataType], _Column]] = {
    "BOOLEAN": _plain("i1", "u1"),
    "TINYINT": _plain("i1", "u1"),
    "SMALLINT": _plain("i2", "u2"),
    "INT": _plain("i4", "u4"),
    "BIGINT": _plain("i8", "u8"),
    "FLOAT": _plain("f4", "u4"),
    "DOUBLE": _plain("f8", "u8"),
    "DATE": _plain("i4", "u4"),
    "TIME": _plain("i4", "u4"),
    "DECIMAL": _decimal,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "CHAR": _text,
    "VARCHAR": _text,
    "BINARY": _text,
    "VARBINARY": _text,
}
