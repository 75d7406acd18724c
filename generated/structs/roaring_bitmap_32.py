# Generated from roaring_bitmap_32.ksy by `ksykit generate`. Do not edit.
"""Objects of roaring_bitmap_32: Roaring bitmap of 32-bit integers, portable format."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import U2LE, U4LE, U8LE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    MaybeMany,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .position import Position


class RoaringBitmap32(Struct, of="roaring_bitmap_32"):
    """A compressed set of unsigned 32-bit integers, in the format that all Roaring libraries
    support.

    Attributes:
        header: The keys of the containers, and how many integers each has.
        containers: The integers of each key.
    """

    bitmap_start: Nested[Position] = Object("position", args={"at": "_io.pos"})
    header: Nested[RoaringHeader] = Object(
        "roaring_header",
        looked=True,
        inner=(
            "cookie",
            "descriptors.cardinality_minus_1",
            "num_containers_minus_1",
            "num_containers_without_runs",
        ),
        role="length",
    )
    containers: Many[RoaringContainer] = Repeat(
        Object(
            "roaring_container",
            args={
                "is_run": lambda s, i: (
                    s.header.has_runs and s.header.run_flags[i // 8] >> i % 8 & 1 == 1
                ),
                "cardinality": lambda s, i: s.header.descriptors[i].cardinality,
            },
        ),
        count="header.num_containers",
    )
    bitmap_end: Nested[Position] = Object("position", args={"at": "_io.pos"})


class RoaringHeader(Struct, of="roaring_header"):
    """A `roaring_header`.

    Attributes:
        cookie: 12347 if any container has runs, otherwise 12346.
        num_containers_minus_1: With runs, the number of containers minus one; otherwise 0.
        num_containers_without_runs: The number of containers.
        run_flags: A bit for each container, least significant first; 1 if it has runs.
        descriptors: The key and the size of each container.
        ofs_containers: Start of each container, counted from the start of the bitmap.
        num_containers: The number of containers, wherever it is stored.
    """

    cookie: One[int] = Number(
        U2LE, any_of=(12346, 12347),
        value=lambda s: 12347 if s._is_set("run_flags") else 12346, small=True, decides=True,
    )  # fmt: skip
    num_containers_minus_1: One[int] = Number(
        U2LE, most=lambda s: 65535 if s.has_runs else 0,
        value=lambda s: s._count("descriptors") - 1 if s.has_runs else 0, small=True,
        role="count", decides=True,
    )  # fmt: skip
    num_containers_without_runs: Maybe[int] = Number(
        U4LE, most=65536, value=lambda s: s._count("descriptors"),
        when=lambda s: not s.has_runs, small=True, role="count", decides=True,
    )  # fmt: skip
    run_flags: Maybe[bytes] = Bytes(size=lambda s: (s.num_containers + 7) // 8, when="has_runs")
    descriptors: Many[RoaringDescriptor] = Repeat(
        Object("roaring_descriptor", looked=True), count="num_containers", ascending="key",
        after=lambda s: s.key + 1,
    )  # fmt: skip
    ofs_containers: MaybeMany[int] = Repeat(
        Number(U4LE), when="has_offsets", count="num_containers",
    )  # fmt: skip
    has_runs = Value(lambda s: s.cookie == 12347)
    num_containers = Value(
        lambda s: s.num_containers_minus_1 + 1 if s.has_runs else s.num_containers_without_runs
    )
    has_offsets = Value(lambda s: not s.has_runs or s.num_containers >= 4)


class RoaringDescriptor(Struct, of="roaring_descriptor"):
    """A `roaring_descriptor`.

    Attributes:
        key: Upper 16 bits of the container's integers, in ascending order.
        cardinality_minus_1: The number of integers in the container minus one.
        cardinality: The number of integers in the container.
    """

    key: One[int] = Number(U2LE)
    cardinality_minus_1: One[int] = Number(U2LE, examples=(4096,))
    cardinality = Value(lambda s: s.cardinality_minus_1 + 1)


class RoaringContainer(Struct, of="roaring_container"):
    """A `roaring_container`.

    Attributes:
        runs: The runs ascend, and no two of them are adjacent.
        values: Lower 16 bits of the integers, ascending.
        words: A bit for each of 65,536 integers.
        max_values: The most integers that are stored as `values`.
        len_words: Size of `words` in bytes.
    """

    is_run: One[bool] = Param((False, True))
    cardinality: One[int] = Param(range(16))
    num_runs: Maybe[int] = Number(U2LE, when="is_run", small=True)
    runs: MaybeMany[RoaringRun] = Repeat(
        Object("roaring_run"), when="is_run", count="num_runs", ascending="first",
        after=lambda s: s.last + 2,
    )  # fmt: skip
    values: MaybeMany[int] = Repeat(
        Number(U2LE), when=lambda s: not s.is_run and s.cardinality <= s.max_values,
        count="cardinality", ascending="",
    )  # fmt: skip
    words: MaybeMany[int] = Repeat(
        Number(U8LE), when=lambda s: not s.is_run and s.cardinality > s.max_values,
        count=lambda s: s.len_words // 8,
    )  # fmt: skip
    max_values = Value(4096)
    len_words = Value(8192)
    _derived: ClassVar = {"num_runs": Measure("count", "runs")}


class RoaringRun(Struct, of="roaring_run"):
    """A `roaring_run`.

    Attributes:
        first: Lower 16 bits of the first integer.
        len_minus_1: The number of integers in the run minus one.
        last: Lower 16 bits of the last integer.
    """

    first: One[int] = Number(U2LE)
    len_minus_1: One[int] = Number(U2LE)
    last = Value(lambda s: s.first + s.len_minus_1)


make_roaring_bitmap_32 = RoaringBitmap32
make_roaring_header = RoaringHeader
make_roaring_descriptor = RoaringDescriptor
make_roaring_container = RoaringContainer
make_roaring_run = RoaringRun
