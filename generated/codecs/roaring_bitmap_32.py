# Generated from specs/roaring_bitmap_32.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of roaring_bitmap_32, and what is packed at once.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..arrays import Layout, RecordArray, choose, fresh, packed_array, wide
from ..errors import FormatError
from ..parsers.roaring_bitmap_32 import RoaringBitmap32

_U4LE_U4LE = struct.Struct("<II")
ROARING_HEADER_OFS_CONTAINERS = np.dtype("<u4")
ROARING_CONTAINER_VALUES = np.dtype("<u2")
ROARING_CONTAINER_WORDS = np.dtype("<u8")
ROARING_PLAIN_HEADER_OFS_CONTAINERS = np.dtype("<u4")
ROARING_PLAIN_HEADER_DESCRIPTORS = np.dtype([("key", "<u2"), ("cardinality_minus_1", "<u2")])


class RoaringDescriptorArray(RecordArray):
    """Records of type `roaring_descriptor` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("key", "<u2"), ("cardinality_minus_1", "<u2")]),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(RoaringBitmap32.RoaringDescriptor, self, self._parent)
        record._root = self._root
        record.key = values[0]
        record.cardinality_minus_1 = values[1]
        return record

    @property
    def cardinality(self) -> Any:
        return wide(self.cardinality_minus_1) + 1


class RoaringRunCountArray(RecordArray):
    """Records of type `roaring_run_count` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("num_runs", "<u2")]),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(RoaringBitmap32.RoaringRunCount, self, self._parent)
        record._root = self._root
        record.num_runs = values[0]
        return record


class RoaringRunArray(RecordArray):
    """Records of type `roaring_run` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("first", "<u2"), ("len_minus_1", "<u2")]),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(RoaringBitmap32.RoaringRun, self, self._parent)
        record._root = self._root
        record.first = values[0]
        record.len_minus_1 = values[1]
        return record

    @property
    def last(self) -> Any:
        return wide(self.first) + wide(self.len_minus_1)


def sizeof_roaring_container(is_run: Any, cardinality: Any, num_runs: Any) -> Any:
    """Bytes of a `roaring_container`; integers or arrays of them."""
    return (
        choose(wide(is_run), 2, 0)
        + choose(wide(is_run), wide(num_runs) * 4, 0)
        + choose(
            np.logical_and(np.logical_not(wide(is_run)), wide(cardinality) <= 4096),
            wide(cardinality) * 2,
            0,
        )
        + choose(
            np.logical_and(np.logical_not(wide(is_run)), wide(cardinality) > 4096), 1024 * 8, 0
        )
    )


def sizeof_roaring_plain_start(num_containers: Any) -> Any:
    """Bytes of a `roaring_plain_start`; integers or arrays of them."""
    return 4 + 4 + wide(num_containers) * 4 + 4 * wide(num_containers)


def sizeof_roaring_plain_header(num_containers: Any) -> Any:
    """Bytes of a `roaring_plain_header`; integers or arrays of them."""
    return 4 + 4 + wide(num_containers) * 4 + wide(num_containers) * 4


def sizeof_roaring_run_counts(num_counts: Any) -> Any:
    """Bytes of a `roaring_run_counts`; integers or arrays of them."""
    return wide(num_counts) * 2


def pack_roaring_plain_header(*, descriptors: Any, ofs_containers: Any) -> bytes:
    """A `roaring_plain_header` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U4LE_U4LE.pack(12346, len(descriptors))
    except struct.error as error:
        raise FormatError(f"roaring_plain_header: {error}", None) from None
    return (
        packed
        + packed_array(descriptors, ROARING_PLAIN_HEADER_DESCRIPTORS, "descriptors")
        + packed_array(ofs_containers, ROARING_PLAIN_HEADER_OFS_CONTAINERS, "ofs_containers")
    )
