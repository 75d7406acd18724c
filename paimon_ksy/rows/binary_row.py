"""Rows as Paimon stores them in memory: partitions, keys and statistics, and the hash of a key.

Manifests contain rows as bytes: see `read_row` and `write_row`. Java hashes a key
(`BinaryRow.hashCode`) as the bytes of its columns' row in memory. So these rows are built here, all
at once: a matrix of bytes has the fixed-size parts, and one buffer all longer values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError, counted
from paimon_ksy.generated.views.binary_row import (
    BINARY_ROW_FIELD,
    BINARY_ROW_NULL_WORDS,
    SHORT_STRING,
    BinaryRow,
    SerializedRow,
    ShortStrings,
    UnscaledValue,
    places_binary_row,
    places_serialized_row,
)
from paimon_ksy.java.hash_codes import hash_binary_strings
from paimon_ksy.types.arrays import bytes_of
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType, from_unscaled, from_utf8, unscaled_value
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import from_numbers, parts

Words = NDArray[np.uint64]

COMPACT_DECIMAL = 18
"""The most digits of a DECIMAL whose unscaled value is stored in the word."""
COMPACT_TIMESTAMP = 3
"""The highest precision of a TIMESTAMP whose milliseconds are stored in the word."""

_WORD = BinaryRow.len_field
_LONG_DECIMAL = BinaryRow.len_unscaled_value


@dataclass(frozen=True)
class _Values:
    """Values too long for the words: for each row its bytes in `data`, and their length."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    room: NDArray[np.int64]


@dataclass(frozen=True)
class _Column:
    """One word for each row. If `placed`, the value's offset goes into the upper half.

    The null bit is set for the rows in `nulls`, which is None if no row is null.
    """

    words: Words
    values: _Values | None = None
    placed: NDArray[np.bool_] | None = None
    nulls: NDArray[np.bool_] | None = None


def key_hashes(keys: pa.Table, schema: Schema) -> NDArray[np.int32]:
    """Return Paimon's hash codes of keys: one int32 for each row.

    Source: `BinaryRow.hashCode`.

    Args:
        keys: The columns of the primary key, found by their names.
        schema: These columns in the order of the key, without the partition columns.

    Raises:
        SchemaError: The table lacks a column, or a column contains a null.
        UnsupportedError: Keys cannot have the type of a column.
    """
    columns = [_column(keys, field.name, field.type) for field in schema]
    data, offsets = _rows(columns, keys.num_rows)
    return hash_binary_strings(data, offsets).view(np.int32)


def _column(keys: pa.Table, name: str, data_type: DataType) -> _Column:
    make = _MAKERS.get(data_type.root)
    if make is None:
        raise UnsupportedError(f"column {name!r}: {data_type} cannot be in a key")
    if name not in keys.schema.names:
        raise SchemaError(f"the keys have no column {name!r}; they have {keys.schema.names}")
    try:
        array = from_numbers(keys.column(name).combine_chunks(), to_arrow(data_type))
    except pa.ArrowException as error:
        raise SchemaError(f"column {name!r} is not a valid {data_type}: {error}") from error
    if array.null_count:
        raise SchemaError(f"column {name!r} of the key contains a null: keys cannot be null")
    return make(array, data_type)


def _numbers(array: Any, dtype: str) -> NDArray[Any]:
    kind = {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}[np.dtype(dtype).itemsize]
    if array.type != kind and not pa.types.is_floating(array.type):
        array = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array.view(kind)
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False).astype(dtype, copy=False)
    return numbers


def _plain(dtype: str, unsigned: str) -> Callable[[Any, DataType], _Column]:
    """Return a function that makes words: a number in the first bytes, followed by zeros."""

    def make(array: Any, data_type: DataType) -> _Column:
        return _Column(_numbers(array, dtype).view(unsigned).astype(np.uint64))

    return make


def _decimal(array: Any, data_type: DataType) -> _Column:
    unscaled = [unscaled_value(value.as_py(), data_type.scale or 0)[0] for value in array]
    if (data_type.precision or 10) <= COMPACT_DECIMAL:
        return _Column(np.array(unscaled, np.int64).view(np.uint64))
    from paimon_ksy.generated.structs.binary_row import UnscaledValue as Unscaled  # takes 5 ms

    texts = [Unscaled.pack(value=number) for number in unscaled]
    lengths = np.array([len(text) for text in texts], np.int64)
    data, starts = np.frombuffer(b"".join(texts), np.uint8), np.cumsum(lengths) - lengths
    values = _Values(data, starts, lengths, np.full(len(texts), _LONG_DECIMAL, np.int64))
    return _Column(lengths.astype(np.uint64), values, np.ones(len(texts), np.bool_))


def _timestamp(array: Any, data_type: DataType) -> _Column:
    seconds, nanos = parts(array)
    words = (seconds * 1000 + nanos // 10**6).view(np.uint64)
    if (data_type.precision or 0) <= COMPACT_TIMESTAMP:
        return _Column(words)
    count = len(words)
    sizes = np.full(count, _WORD, np.int64)
    values = _Values(_bytes_of(words).ravel(), np.arange(count) * _WORD, sizes, sizes)
    return _Column((nanos % 10**6).astype(np.uint64), values, np.ones(count, np.bool_))


def _text(array: Any, data_type: DataType) -> _Column:
    raw, ends = bytes_of(array.cast(pa.large_binary()))
    starts, lengths = ends[:-1], np.diff(ends)
    size = SHORT_STRING.fields[0].size
    short = lengths <= size
    words = lengths.astype(np.uint64)
    if short.any():
        from paimon_ksy.generated.structs.binary_row import mark_of_len_value

        marks = mark_of_len_value(lengths[short])
        inside = np.zeros((size, len(marks)), np.uint8)
        for byte in range(size):
            longer = lengths[short] > byte
            inside[byte, longer] = raw[starts[short][longer] + byte]
        words[short] = words_of(SHORT_STRING.pack(value=inside.T, mark=marks).data)
    room = np.where(short, 0, -(-lengths // _WORD) * _WORD)
    values = _Values(raw, starts, np.where(short, 0, lengths), room)
    return _Column(words, values, ~short)


def _bytes_of(words: Words) -> NDArray[np.uint8]:
    """Return a row of bytes for each word."""
    return words.astype(BINARY_ROW_NULL_WORDS.dtype).view(np.uint8).reshape(-1, _WORD)


def words_of(fields: Any) -> Words:
    """Return the words in consecutive bytes, or in an array of bytes."""
    data = bytes(fields)
    words: Words = BINARY_ROW_NULL_WORDS.read(data, 0, 0, len(data) // _WORD, arrays=True)[1]
    return words


def _rows(columns: list[_Column], count: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all rows one after another, and the offset of each, followed by the end."""
    row = places_binary_row(len(columns))
    places: list[NDArray[np.int64]] = []  # of each column's values, within their row
    sizes = np.full(count, row.values, np.int64)
    for column in columns:
        places.append(sizes.copy())
        if column.values is not None:
            sizes += column.values.room
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    out = np.zeros(int(offsets[-1]), np.uint8)
    for number, (column, place) in enumerate(zip(columns, places, strict=True)):
        words = column.words
        if column.placed is not None:
            behind = np.flatnonzero(column.placed)
            fields = BINARY_ROW_FIELD.pack(lower=words[behind], upper=place[behind])
            words = words.copy()
            words[behind] = words_of(fields.data)
        at = offsets[:-1] + row.fields + number * _WORD
        out[at[:, None] + np.arange(_WORD)] = _bytes_of(words)
        if column.values is not None:
            _copy(column.values, out, offsets[:-1] + place)
    if any(column.nulls is not None for column in columns):
        of_nulls = np.arange(row.null_words, row.fields)
        bits = np.zeros((count, 8 * len(of_nulls)), np.bool_)  # the kind of row stays 0, an insert
        for number, column in enumerate(columns, BinaryRow.num_kind_bits):
            if column.nulls is not None:
                bits[:, number] = column.nulls
        out[offsets[:-1, None] + of_nulls] = np.packbits(bits, axis=1, bitorder="little")
    return out, offsets


def _copy(values: _Values, out: NDArray[np.uint8], to: NDArray[np.int64]) -> None:
    """Copy each row's bytes to their place."""
    lengths = values.lengths
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    source = np.repeat(values.starts, lengths) + within
    out[np.repeat(to, lengths) + within] = values.data[source]


# Rows in manifests --------------------------------------------------------------------------------


def write_row(values: Sequence[Any], types: Sequence[DataType]) -> bytes:
    """Return a row as stored in manifests: the bytes that Java's `serializeBinaryRow` writes.

    Source: `SerializationUtils`.

    Args:
        values: Values in the form of `types.data_type`; None is null.
        types: The type of each.

    Raises:
        SchemaError: A value does not fit its type.
        UnsupportedError: A value of a nested type.
    """
    from ksykit.runtime.objects import to_bytes

    from paimon_ksy.generated.structs.binary_row import make_serialized_row

    if len(values) != len(types):
        raise SchemaError(f"{counted(len(values), 'value')} for {counted(len(types), 'field')}")
    data, _ = _rows([_cell(value, kind) for value, kind in zip(values, types, strict=True)], 1)
    made = make_serialized_row(num_fields=len(types), row=data.tobytes())
    return to_bytes(made)


def read_row(data: bytes, types: Sequence[DataType | None]) -> tuple[Any, ...]:
    """Return the values of a row in a manifest, in the form of `types.data_type`; None is null.

    Args:
        data: A row in the form that `write_row` returns.
        types: The type of each field; None for a field to skip, whose value is None.

    Raises:
        CorruptFileError: The bytes are not a row of these types.
        UnsupportedError: A value of a nested type is not null.
    """
    try:
        stored = SerializedRow(data, 0, 0)
        if stored.num_fields != len(types):
            message = f"it has {stored.num_fields} fields, but {len(types)} types are given"
            raise ValueError(message)
        row, inside = stored.row, memoryview(data)[places_serialized_row().row :]
        return tuple(
            None if kind is None else _value(row, number, inside, kind)
            for number, kind in enumerate(types)
        )
    except (ValueError, EOFError) as error:
        raise CorruptFileError(f"not a row of these types: {error}") from error


def _cell(value: Any, data_type: DataType) -> _Column:
    """Return a value as a column of one row."""
    root = data_type.root
    if value is None:
        return _null(data_type)
    if root not in _MAKERS:
        raise UnsupportedError(f"a value of type {data_type} cannot be written to a row")
    try:
        if not isinstance(value, _PYTHON.get(root, int)):
            raise TypeError(value)
        return _MAKERS[root](arrow_values([value], to_arrow(data_type)), data_type)
    except (TypeError, ValueError, OverflowError):  # also those of Arrow
        raise SchemaError(f"{value!r} is not a valid {data_type}") from None


def _null(data_type: DataType) -> _Column:
    """Return a null, with the space after the words that Java reserves for it."""
    precision, nothing = data_type.precision or 0, np.zeros(1, np.int64)
    room = 0
    if data_type.root == "DECIMAL" and precision > COMPACT_DECIMAL:
        room = _LONG_DECIMAL
    elif data_type.is_timestamp and precision > COMPACT_TIMESTAMP:
        room = _WORD
    values = _Values(np.empty(0, np.uint8), nothing, nothing, nothing + room) if room else None
    is_null = np.ones(1, np.bool_)
    return _Column(np.zeros(1, np.uint64), values, is_null if room else None, is_null)


def _value(row: Any, number: int, inside: memoryview, data_type: DataType) -> Any:
    """Return the value of a field; None is null."""
    null_word, bit = divmod(number + row.num_kind_bits, 8 * BINARY_ROW_NULL_WORDS.size)
    if int(row.null_words[null_word]) >> bit & 1:
        return None
    root = data_type.root
    at = places_binary_row(row.num_fields).fields + number * _WORD
    word = inside[at : at + _WORD]
    if root in PLAIN_NUMBERS:
        dtype, unsigned = PLAIN_NUMBERS[root]
        value = words_of(word).astype(unsigned).view(dtype)[0].item()
        return bool(value) if root == "BOOLEAN" else value
    if root in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
        if row.fields_is_short(number):
            strings = ShortStrings(word, 0, 0)
            text = strings.fields_value[0][: strings.fields_len_value(0)]
        else:
            text = bytes(_behind(row, number, inside, row.fields_len_value(number)))
        return text if "BINARY" in root else from_utf8(text)
    if root == "DECIMAL":
        if (data_type.precision or 10) <= COMPACT_DECIMAL:
            unscaled = words_of(word).view(np.int64)[0].item()
        else:
            data = _behind(row, number, inside, row.fields_len_value(number))
            unscaled = UnscaledValue(data, 0, 0).value
        return from_unscaled(unscaled, data_type.scale or 0)
    if data_type.is_timestamp:
        if (data_type.precision or 0) <= COMPACT_TIMESTAMP:
            return words_of(word).view(np.int64)[0].item() * 1_000_000
        millis = words_of(_behind(row, number, inside, _WORD)).view(np.int64)[0].item()
        return millis * 1_000_000 + int(row.fields_lower[number])
    raise UnsupportedError(f"a value of type {data_type} cannot be read from a row")


def _behind(row: Any, number: int, inside: memoryview, length: int) -> memoryview:
    """Return the bytes of a value that is too long for the word."""
    start = row.fields_ofs_value(number)
    if start + length > len(inside):
        raise ValueError(f"a value ends at byte {start + length} of the row's {len(inside)}")
    return inside[start : start + length]


PLAIN_NUMBERS = {
    "BOOLEAN": ("i1", "u1"),
    "TINYINT": ("i1", "u1"),
    "SMALLINT": ("i2", "u2"),
    "INT": ("i4", "u4"),
    "BIGINT": ("i8", "u8"),
    "FLOAT": ("f4", "u4"),
    "DOUBLE": ("f8", "u8"),
    "DATE": ("i4", "u4"),
    "TIME": ("i4", "u4"),
}
"""The layout of a number in the first bytes of its word, by type."""

_MAKERS: Mapping[str, Callable[[Any, DataType], _Column]] = {
    **{root: _plain(*dtypes) for root, dtypes in PLAIN_NUMBERS.items()},
    "DECIMAL": _decimal,
    "TIMESTAMP": _timestamp,
    "TIMESTAMP_LTZ": _timestamp,
    "CHAR": _text,
    "VARCHAR": _text,
    "BINARY": _text,
    "VARBINARY": _text,
}

_PYTHON: Mapping[str, Any] = {
    **{"CHAR": str, "VARCHAR": str, "BINARY": bytes, "VARBINARY": bytes},
    **{"DECIMAL": Decimal, "FLOAT": int | float, "DOUBLE": int | float},
}
"""The classes of values; others are int, or its subclass bool."""

CAN_BE_STORED = frozenset(_MAKERS)
"""The types whose values a row can store."""
