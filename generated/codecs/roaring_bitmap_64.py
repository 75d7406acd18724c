# Generated from specs/roaring_bitmap_64.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of roaring_bitmap_64, and what is packed at once.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..arrays import Layout, RecordArray, fresh, wide
from ..errors import FormatError
from ..parsers.roaring_bitmap_64 import RoaringBitmap64

_S4LE = struct.Struct("<i")
_S8LE = struct.Struct("<q")


class KeyedBitmapStartArray(RecordArray):
    """Records of type `keyed_bitmap_start` as columns.

    The first fields of a `keyed_bitmap`. An empty bitmap has no others.
    """

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [
                ("key", "<i4"),
                ("cookie", "<u2"),
                ("num_containers_minus_1", "<u2"),
                ("num_containers", "<u4"),
            ]
        ),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(RoaringBitmap64.KeyedBitmapStart, self, self._parent)
        record._root = self._root
        record.key = values[0]
        record.cookie = values[1]
        record.num_containers_minus_1 = values[2]
        record.num_containers = values[3]
        return record

    @property
    def is_empty(self) -> Any:
        return np.logical_and(
            np.logical_and(wide(self.cookie) == 12346, wide(self.num_containers_minus_1) == 0),
            wide(self.num_containers) == 0,
        )


def sizeof_keyed_bitmap_starts(num_starts: Any) -> Any:
    """Bytes of a `keyed_bitmap_starts`; integers or arrays of them."""
    return wide(num_starts) * 12


def pack_roaring_bitmap_64_head(*, num_bitmaps: int) -> bytes:
    """A `roaring_bitmap_64_head` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _S8LE.pack(num_bitmaps)
    except struct.error as error:
        raise FormatError(f"roaring_bitmap_64_head: {error}", None) from None
    return packed


def pack_keyed_bitmap_head(*, key: int) -> bytes:
    """A `keyed_bitmap_head` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _S4LE.pack(key)
    except struct.error as error:
        raise FormatError(f"keyed_bitmap_head: {error}", None) from None
    return packed
