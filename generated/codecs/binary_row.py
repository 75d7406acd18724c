# Generated from specs/binary_row.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of binary_row as arrays.

Row of Paimon in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, invalid, wide
from ..integers import decode_integer, encode_integer
from ..parsers.binary_row import BinaryRow

_S4BE = struct.Struct(">i")
BINARY_ROW_NULL_WORDS = np.dtype("<u8")
WHOLE_FIELDS_WORDS = np.dtype("<u8")


class BinaryRowFieldArray(RecordArray):
    """Records of type `binary_row_field` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("lower", "<u4"), ("upper", "<u4")]),
    }

    @classmethod
    def from_columns(cls, *, lower: Any, upper: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "lower": lower,
                "upper": upper,
            },
        )
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, None, count)
        return self

    @classmethod
    def read(cls, buffer: bytes | memoryview, pos: int, count: int) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BinaryRow.BinaryRowField, self, self._parent)
        record._root = self._root
        record.lower = values[0]
        record.upper = values[1]
        return record

    @property
    def lower(self) -> Any:
        return self._column("lower")

    @property
    def upper(self) -> Any:
        return self._column("upper")

    @property
    def is_short(self) -> Any:
        """True for a string in the word itself, such as a `short_string`."""
        return wide(self.upper) >= 2147483648

    @property
    def ofs_value(self) -> Any:
        return wide(self.upper)

    @property
    def len_value(self) -> Any:
        return wide(self.lower)


class ShortStringArray(RecordArray):
    """Records of type `short_string` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [("value", "(7,)u1"), ("mark", "u1")],
            checks=(
                ("mark", lambda a: a < 128),
                ("mark", lambda a: a > 135),
            ),
        ),
    }

    @classmethod
    def from_columns(cls, *, value: Any, mark: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "value": value,
                "mark": mark,
            },
        )
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, None, count)
        return self

    @classmethod
    def read(cls, buffer: bytes | memoryview, pos: int, count: int) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BinaryRow.ShortString, self, self._parent)
        record._root = self._root
        record.value = bytes(values[0])
        record.mark = values[1]
        return record

    @property
    def value(self) -> Any:
        return self._column("value")

    @property
    def mark(self) -> Any:
        return self._column("mark")

    @property
    def len_value(self) -> Any:
        return wide(self.mark) & 127


def parse_binary_row(x: Any, r: Reader) -> None:
    """Reads a `binary_row` into `x`, repeats as arrays. Raises FormatError."""
    x.null_words = r.numbers(BINARY_ROW_NULL_WORDS, x.num_null_words)
    x.fields = BinaryRowFieldArray.of_reader(r, x.num_fields)
    x.fields.place_in(x)
    if not r.eof:
        x.values = r.rest()


def read_binary_row(buffer: bytes | memoryview, pos: int, num_fields: Any) -> tuple[Any, int]:
    """(a `binary_row` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BinaryRow, None, None, num_fields=num_fields)
    r = Reader(buffer, pos)
    parse_binary_row(x, r)
    return x, r.pos


def parse_serialized_row(x: Any, r: Reader) -> None:
    """Reads a `serialized_row` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.num_fields,) = _S4BE.unpack_from(r.buffer, at)
    if x.num_fields < 0:
        raise invalid("num_fields", x.num_fields, r)
    x.row = fresh(BinaryRow, x, x, num_fields=x.num_fields)
    parse_binary_row(x.row, r)


def read_serialized_row(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `serialized_row` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BinaryRow.SerializedRow, None, None)
    r = Reader(buffer, pos)
    parse_serialized_row(x, r)
    return x, r.pos


def parse_whole_fields(x: Any, r: Reader) -> None:
    """Reads a `whole_fields` into `x`, repeats as arrays. Raises FormatError."""
    x.words = r.numbers(WHOLE_FIELDS_WORDS, r.remaining_count(8))


def read_whole_fields(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `whole_fields` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BinaryRow.WholeFields, None, None)
    r = Reader(buffer, pos)
    parse_whole_fields(x, r)
    return x, r.pos


def parse_short_strings(x: Any, r: Reader) -> None:
    """Reads a `short_strings` into `x`, repeats as arrays. Raises FormatError."""
    x.fields = ShortStringArray.of_reader(r, r.remaining_count(8))
    x.fields.place_in(x)


def read_short_strings(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `short_strings` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BinaryRow.ShortStrings, None, None)
    r = Reader(buffer, pos)
    parse_short_strings(x, r)
    return x, r.pos


def mark_of_len_value(len_value: Any) -> Any:
    """The `mark` that stands for a `len_value`; an integer or an array of them."""
    return wide(len_value) | 128


def encode_unscaled_value(number: Any) -> Any:
    """The bytes of one `unscaled_value`, at least one."""
    return encode_integer(number, "integer-be")


def decode_unscaled_value(data: Any) -> Any:
    """The integer of one `unscaled_value`. Raises FormatError if it has no bytes."""
    return decode_integer(data, "integer-be")
