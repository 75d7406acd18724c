"""Many binary rows at once: a column of rows from manifests, read field by field.

Statistics are rows with a field for each column of a table. Here, one field of all rows becomes an
array, without reading the other fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.errors import FormatError
from numpy.typing import NDArray

from paimon_ksy.generated.views.binary_row import (
    BINARY_ROW_FIELD,
    BINARY_ROW_NULL_WORDS,
    BinaryRow,
    ShortStrings,
    UnscaledValue,
    places_binary_row,
    places_serialized_row,
)
from paimon_ksy.rows.binary_row import (
    COMPACT_DECIMAL,
    COMPACT_TIMESTAMP,
    PLAIN_NUMBERS,
    words_of,
    write_row,
)
from paimon_ksy.types.arrays import bytes_of, to_numpy
from paimon_ksy.types.data_type import DataType

_WORD = BinaryRow.len_field
_HEAD = places_serialized_row().row
_BOOLEAN = DataType("BOOLEAN")

_MOST_MILLIS = 9 * 10**15
"""Milliseconds whose microseconds fit in 64 bits: up to the year 287,000."""


@dataclass(frozen=True)
class FieldValues:
    """A field of many rows.

    Attributes:
        known: For each row, whether the field can be read and is not null.
        values: An array that is valid only where `known` is true. FLOAT and DOUBLE are float64,
            texts and bytes are an Arrow array of large_binary, other types are int64. A DECIMAL is
            its unscaled value, as an object if it may have more than 18 digits, and a TIMESTAMP its
            microsecond.
    """

    known: NDArray[np.bool_]
    values: Any


class ManyRows:
    """Rows with the same number of fields.

    Attributes:
        readable: Marks the rows that have this number of fields, and their bytes. No field of the
            other rows is known.
    """

    def __init__(self, rows: pa.Array, num_fields: int) -> None:
        """Wrap rows in the form that `write_row` returns, each of so many fields."""
        self._data, ends = bytes_of(rows)
        self._starts = ends[:-1] + _HEAD  # of the rows after their number of fields
        self._ends = ends[1:]
        self._places = places_binary_row(num_fields)
        self._num_fields = num_fields
        readable = self._ends - self._starts >= self._places.values
        if rows.null_count:
            readable &= to_numpy(rows.is_valid())
        heads = self._gather(ends[:-1], _HEAD, readable)
        self.readable = readable & (heads == _head(num_fields)).all(axis=1)

    def field(self, number: int, data_type: DataType) -> FieldValues | None:
        """Return a field of all rows; None for nested types, whose values have no order."""
        root = data_type.root
        known = self.readable & ~self._nulls(number)
        words = self._gather(self._starts + self._places.fields + number * _WORD, _WORD, known)
        if root in PLAIN_NUMBERS:
            dtype, unsigned = PLAIN_NUMBERS[root]
            numbers = words_of(words).astype(unsigned).view(dtype)
            if root == "BOOLEAN":
                numbers = numbers != 0
            return FieldValues(known, numbers.astype(np.float64 if dtype[0] == "f" else np.int64))
        if data_type.is_string or data_type.is_binary:
            return self._texts(number, words, known)
        if root == "DECIMAL" and (data_type.precision or 10) <= COMPACT_DECIMAL:
            return FieldValues(known, words_of(words).view(np.int64))
        if root == "DECIMAL":
            texts = self._texts(number, words, known)
            stored = texts.values.to_pylist()
            known = texts.known & np.array([*map(len, stored)], np.bool_)  # a number has bytes
            values = [UnscaledValue(each, 0, 0).value if each else 0 for each in stored]
            return FieldValues(known, np.array([*values, None], object)[:-1])
        if data_type.is_timestamp:
            millis, nanos = words_of(words).view(np.int64), np.zeros(len(words), np.int64)
            if (data_type.precision or 0) > COMPACT_TIMESTAMP:
                data = words.tobytes()
                _, nanos, upper = BINARY_ROW_FIELD.read(data, 0, 0, len(words), arrays=True)
                starts = self._starts + upper
                known = known & (starts + _WORD <= self._ends)
                millis = words_of(self._gather(starts, _WORD, known)).view(np.int64)
            known = known & (millis > -_MOST_MILLIS) & (millis < _MOST_MILLIS)
            return FieldValues(known, np.where(known, millis, 0) * 1000 + nanos // 1000)
        return None

    def _nulls(self, number: int) -> NDArray[np.bool_]:
        word, bit = divmod(number + BinaryRow.num_kind_bits, 8 * BINARY_ROW_NULL_WORDS.size)
        places = self._starts + self._places.null_words + word * BINARY_ROW_NULL_WORDS.size
        data = self._gather(places, BINARY_ROW_NULL_WORDS.size, self.readable)
        is_null: NDArray[np.bool_] = words_of(data) >> np.uint64(bit) & np.uint64(1) != 0
        return is_null

    def _texts(
        self, number: int, words: NDArray[np.uint8], known: NDArray[np.bool_]
    ) -> FieldValues:
        data = words.tobytes()
        _, lower, upper = BINARY_ROW_FIELD.read(data, 0, 0, len(words), arrays=True)
        row: Any = _Fields(upper)
        short: NDArray[np.bool_] = BinaryRow.fields_is_short(row, slice(None))
        inside = np.zeros(len(words), np.int64)
        try:
            strings = ShortStrings(words[short].tobytes(), 0, 0, arrays=True)
            inside[short] = strings.fields_len_value(slice(None))
        except FormatError:  # a length that exceeds every row
            known = known & ~short
        in_word = self._starts + self._places.fields + number * _WORD
        lengths = np.where(short, inside, lower)
        starts = np.where(short, in_word, self._starts + upper)
        fits = short | (starts + lengths <= self._ends)
        known = known & fits
        lengths = np.where(known, lengths, 0)
        ends = np.concatenate(([0], np.cumsum(lengths)))
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
        texts = self._data[np.repeat(starts, lengths) + within]
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(texts)]
        return FieldValues(known, pa.Array.from_buffers(pa.large_binary(), len(words), buffers))

    def _gather(
        self, places: NDArray[np.int64], size: int, readable: NDArray[np.bool_]
    ) -> NDArray[np.uint8]:
        """Return `size` bytes at each place, and zeros at the places that are not wanted."""
        items = np.zeros(len(places), f"V{size}")
        # The windows that begin at each byte: copying one item is faster than copying its bytes.
        count = max(len(self._data) - size + 1, 0)
        windows = np.ndarray((count,), f"V{size}", self._data, strides=(1,))
        if readable.all():
            items[:] = windows[places]
        else:
            items[readable] = windows[places[readable]]
        return items.view(np.uint8).reshape(-1, size)


@dataclass(frozen=True)
class _Fields:
    """The fields that a generated view of a row expects."""

    fields_upper: NDArray[np.int64]


@lru_cache(maxsize=64)
def _head(num_fields: int) -> NDArray[np.uint8]:
    """Return the bytes before a row with this many fields."""
    nulls = write_row((None,) * num_fields, (_BOOLEAN,) * num_fields)
    return np.frombuffer(nulls[:_HEAD], np.uint8)
