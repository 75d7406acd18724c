# Generated from specs/roaring_bitmap_32.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of roaring_bitmap_32 as arrays.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import (
    BytesColumn,
    Layout,
    Reader,
    RecordArray,
    choose,
    fresh,
    invalid,
    packed_array,
    wide,
)
from ..errors import FormatError
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from .position import parse_position

_U2LE = struct.Struct("<H")
_U2LE_U2LE = struct.Struct("<HH")
_U4LE = struct.Struct("<I")
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

    @classmethod
    def from_columns(cls, *, key: Any, cardinality_minus_1: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "key": key,
                "cardinality_minus_1": cardinality_minus_1,
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
        record = fresh(RoaringBitmap32.RoaringDescriptor, self, self._parent)
        record._root = self._root
        record.key = values[0]
        record.cardinality_minus_1 = values[1]
        return record

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def cardinality_minus_1(self) -> Any:
        return self._column("cardinality_minus_1")

    @property
    def cardinality(self) -> Any:
        return wide(self.cardinality_minus_1) + 1


class RoaringRunCountArray(RecordArray):
    """Records of type `roaring_run_count` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("num_runs", "<u2")]),
    }

    @classmethod
    def from_columns(cls, *, num_runs: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "num_runs": num_runs,
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
        record = fresh(RoaringBitmap32.RoaringRunCount, self, self._parent)
        record._root = self._root
        record.num_runs = values[0]
        return record

    @property
    def num_runs(self) -> Any:
        return self._column("num_runs")


class RoaringRunArray(RecordArray):
    """Records of type `roaring_run` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout([("first", "<u2"), ("len_minus_1", "<u2")]),
    }

    @classmethod
    def from_columns(cls, *, first: Any, len_minus_1: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "first": first,
                "len_minus_1": len_minus_1,
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
        record = fresh(RoaringBitmap32.RoaringRun, self, self._parent)
        record._root = self._root
        record.first = values[0]
        record.len_minus_1 = values[1]
        return record

    @property
    def first(self) -> Any:
        return self._column("first")

    @property
    def len_minus_1(self) -> Any:
        return self._column("len_minus_1")

    @property
    def last(self) -> Any:
        return wide(self.first) + wide(self.len_minus_1)


def parse_roaring_bitmap_32(x: Any, r: Reader) -> None:
    """Reads a `roaring_bitmap_32` into `x`, repeats as arrays. Raises FormatError."""
    x.start = fresh(Position, x, None, at=r.pos)
    parse_position(x.start, r)
    x.header = fresh(RoaringBitmap32.RoaringHeader, x, x)
    parse_roaring_header(x.header, r)
    x.containers = []
    for i in range(x.header.num_containers):
        item = fresh(
            RoaringBitmap32.RoaringContainer,
            x,
            x,
            is_run=x.header.has_runs and x.header.run_flags[i // 8] >> i % 8 & 1 == 1,
            cardinality=x.header.descriptors[i].cardinality,
        )
        parse_roaring_container(item, r)
        x.containers.append(item)
    x.end = fresh(Position, x, None, at=r.pos)
    parse_position(x.end, r)


def read_roaring_bitmap_32(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `roaring_bitmap_32` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32, None, None)
    r = Reader(buffer, pos)
    parse_roaring_bitmap_32(x, r)
    return x, r.pos


def parse_roaring_header(x: Any, r: Reader) -> None:
    """Reads a `roaring_header` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    x.cookie, x.num_containers_minus_1 = _U2LE_U2LE.unpack_from(r.buffer, at)
    if x.cookie not in (
        12346,
        12347,
    ):
        raise invalid("cookie", x.cookie, r)
    if x.num_containers_minus_1 > (65535 if x.has_runs else 0):
        raise invalid("num_containers_minus_1", x.num_containers_minus_1, r)
    if not x.has_runs:
        at = r.take(4)
        (x.num_containers_without_runs,) = _U4LE.unpack_from(r.buffer, at)
        if x.num_containers_without_runs > 65536:
            raise invalid("num_containers_without_runs", x.num_containers_without_runs, r)
    if x.has_runs:
        x.run_flags = r.raw((x.num_containers + 7) // 8)
    x.descriptors = RoaringDescriptorArray.of_reader(r, x.num_containers)
    x.descriptors.place_in(x)
    if x.has_offsets:
        x.ofs_containers = r.numbers(ROARING_HEADER_OFS_CONTAINERS, x.num_containers)


def read_roaring_header(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `roaring_header` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32.RoaringHeader, None, None)
    r = Reader(buffer, pos)
    parse_roaring_header(x, r)
    return x, r.pos


def parse_roaring_container(x: Any, r: Reader) -> None:
    """Reads a `roaring_container` into `x`, repeats as arrays. Raises FormatError."""
    if x.is_run:
        at = r.take(2)
        (x.num_runs,) = _U2LE.unpack_from(r.buffer, at)
    if x.is_run:
        x.runs = RoaringRunArray.of_reader(r, x.num_runs)
        x.runs.place_in(x)
    if not x.is_run and x.cardinality <= 4096:
        x.values = r.numbers(ROARING_CONTAINER_VALUES, x.cardinality)
    if not x.is_run and x.cardinality > 4096:
        x.words = r.numbers(ROARING_CONTAINER_WORDS, 1024)


def read_roaring_container(
    buffer: bytes | memoryview, pos: int, is_run: Any, cardinality: Any
) -> tuple[Any, int]:
    """(a `roaring_container` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32.RoaringContainer, None, None, is_run=is_run, cardinality=cardinality)
    r = Reader(buffer, pos)
    parse_roaring_container(x, r)
    return x, r.pos


def parse_roaring_plain_start(x: Any, r: Reader) -> None:
    """Reads a `roaring_plain_start` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(8)
    x.cookie, x.num_containers = _U4LE_U4LE.unpack_from(r.buffer, at)
    if x.cookie != 12346:
        raise invalid("cookie", x.cookie, r)
    if x.num_containers > 65536:
        raise invalid("num_containers", x.num_containers, r)
    x.descriptors = RoaringDescriptorArray.of_reader(r, x.num_containers)
    x.descriptors.place_in(x)
    x.offsets = r.raw(4 * x.num_containers)


def read_roaring_plain_start(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `roaring_plain_start` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32.RoaringPlainStart, None, None)
    r = Reader(buffer, pos)
    parse_roaring_plain_start(x, r)
    return x, r.pos


def parse_roaring_plain_header(x: Any, r: Reader) -> None:
    """Reads a `roaring_plain_header` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(8)
    x.cookie, x.num_containers = _U4LE_U4LE.unpack_from(r.buffer, at)
    if x.cookie != 12346:
        raise invalid("cookie", x.cookie, r)
    if x.num_containers > 65536:
        raise invalid("num_containers", x.num_containers, r)
    x.descriptors = RoaringDescriptorArray.of_reader(r, x.num_containers)
    x.descriptors.place_in(x)
    x.ofs_containers = r.numbers(ROARING_PLAIN_HEADER_OFS_CONTAINERS, x.num_containers)


def read_roaring_plain_header(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `roaring_plain_header` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32.RoaringPlainHeader, None, None)
    r = Reader(buffer, pos)
    parse_roaring_plain_header(x, r)
    return x, r.pos


def parse_roaring_run_counts(x: Any, r: Reader) -> None:
    """Reads a `roaring_run_counts` into `x`, repeats as arrays. Raises FormatError."""
    x.counts = RoaringRunCountArray.of_reader(r, x.num_counts)
    x.counts.place_in(x)


def read_roaring_run_counts(
    buffer: bytes | memoryview, pos: int, num_counts: Any
) -> tuple[Any, int]:
    """(a `roaring_run_counts` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap32.RoaringRunCounts, None, None, num_counts=num_counts)
    r = Reader(buffer, pos)
    parse_roaring_run_counts(x, r)
    return x, r.pos


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
