# Generated from specs/binary_row.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of binary_row, and what is packed at once.

Row of Paimon in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..arrays import Layout, RecordArray, fresh, wide
from ..integers import decode_integer, encode_integer
from ..parsers.binary_row import BinaryRow

BINARY_ROW_NULL_WORDS = np.dtype("<u8")
WHOLE_FIELDS_WORDS = np.dtype("<u8")


class BinaryRowFieldArray(RecordArray):
    """Records of type `binary_row_field` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("lower", "<u4"), ("upper", "<u4")]),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BinaryRow.BinaryRowField, self, self._parent)
        record._root = self._root
        record.lower = values[0]
        record.upper = values[1]
        return record

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

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BinaryRow.ShortString, self, self._parent)
        record._root = self._root
        record.value = bytes(values[0])
        record.mark = values[1]
        return record

    @property
    def len_value(self) -> Any:
        return wide(self.mark) & 127


def mark_of_len_value(len_value: Any) -> Any:
    """The `mark` that stands for a `len_value`; an integer or an array of them."""
    return wide(len_value) | 128


def encode_unscaled_value(number: Any) -> Any:
    """The bytes of one `unscaled_value`, at least one."""
    return encode_integer(number, "integer-be")


def decode_unscaled_value(data: Any) -> Any:
    """The integer of one `unscaled_value`. Raises FormatError if it has no bytes."""
    return decode_integer(data, "integer-be")
