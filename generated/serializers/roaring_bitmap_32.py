# Generated from specs/roaring_bitmap_32.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_32.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..runtime import U2LE, U4LE, U8LE, Item, RecordArray, Scope, Type, new


def make_roaring_bitmap_32(
    *,
    start: Position | bytes | None = None,
    header: RoaringBitmap32.RoaringHeader | bytes | None = None,
    containers: list[RoaringBitmap32.RoaringContainer] | RecordArray | None = None,
    end: Position | bytes | None = None,
) -> Any:
    """A new `roaring_bitmap_32`; what is None is computed when it is written.

    A compressed set of unsigned 32-bit integers, in the format that all Roaring
    libraries exchange. The integers are grouped by their upper 16 bits, the key.
    Each group is a container of its lower 16 bits: a sorted array, a bitset, or
    runs.

    It is little-endian, also inside Paimon's big-endian formats. Paimon uses runs
    where they are smaller, so both kinds of header occur.
    """
    return new(
        RoaringBitmap32,
        {},
        {
            "start": start,
            "header": header,
            "containers": containers,
            "end": end,
        },
        {},
        {},
    )


def write_roaring_bitmap_32(s: Scope) -> None:
    """Writes the fields of a `roaring_bitmap_32`."""
    s.object("start", "position", {"at": s._io.pos})
    s.object("header", "roaring_header", {})
    s.objects(
        "containers",
        "roaring_container",
        {
            "is_run": lambda i: s.header.has_runs and s.header.run_flags[i // 8] >> i % 8 & 1 == 1,
            "cardinality": lambda i: s.header.descriptors[i].cardinality,
        },
        lambda: s.header.num_containers,
    )
    s.object("end", "position", {"at": s._io.pos})


def make_roaring_header(
    *,
    cookie: int | None = None,
    num_containers_minus_1: int | None = None,
    num_containers_without_runs: int | None = None,
    run_flags: bytes | None = None,
    descriptors: list[RoaringBitmap32.RoaringDescriptor] | RecordArray | None = None,
    ofs_containers: Sequence[int] | Any | None = None,
) -> Any:
    """A new `roaring_header`; what is None is computed when it is written."""
    return new(
        RoaringBitmap32.RoaringHeader,
        {},
        {
            "cookie": cookie,
            "num_containers_minus_1": num_containers_minus_1,
            "num_containers_without_runs": num_containers_without_runs,
            "run_flags": run_flags,
            "descriptors": descriptors,
            "ofs_containers": ofs_containers,
        },
        {},
        {},
    )


def write_roaring_header(s: Scope) -> None:
    """Writes the fields of a `roaring_header`."""
    s.number("cookie", U2LE)
    s.number("num_containers_minus_1", U2LE)
    if s.when("num_containers_without_runs", lambda: not s.has_runs):
        s.number("num_containers_without_runs", U4LE)
    if s.when("run_flags", lambda: s.has_runs):
        s.bytes("run_flags", lambda: (s.num_containers + 7) // 8)
    s.objects("descriptors", "roaring_descriptor", {}, lambda: s.num_containers)
    if s.when("ofs_containers", lambda: s.has_offsets):
        s.numbers("ofs_containers", U4LE, lambda: s.num_containers)


def make_roaring_descriptor(
    *,
    key: int | None = None,
    cardinality_minus_1: int | None = None,
) -> Any:
    """A new `roaring_descriptor`; what is None is computed when it is written."""
    return new(
        RoaringBitmap32.RoaringDescriptor,
        {},
        {
            "key": key,
            "cardinality_minus_1": cardinality_minus_1,
        },
        {},
        {},
    )


def write_roaring_descriptor(s: Scope) -> None:
    """Writes the fields of a `roaring_descriptor`."""
    s.number("key", U2LE)
    s.number("cardinality_minus_1", U2LE)


def make_roaring_container(
    *,
    is_run: bool | None = None,
    cardinality: int | None = None,
    num_runs: int | None = None,
    runs: list[RoaringBitmap32.RoaringRun] | RecordArray | None = None,
    values: Sequence[int] | Any | None = None,
    words: Sequence[int] | Any | None = None,
) -> Any:
    """A new `roaring_container`; what is None is computed when it is written."""
    return new(
        RoaringBitmap32.RoaringContainer,
        {
            "is_run": is_run,
            "cardinality": cardinality,
        },
        {
            "num_runs": num_runs,
            "runs": runs,
            "values": values,
            "words": words,
        },
        {},
        {},
    )


def write_roaring_container(s: Scope) -> None:
    """Writes the fields of a `roaring_container`."""
    if s.when("num_runs", lambda: s.is_run):
        s.number("num_runs", U2LE)
    if s.when("runs", lambda: s.is_run):
        s.objects("runs", "roaring_run", {}, lambda: s.num_runs)
    if s.when("values", lambda: not s.is_run and s.cardinality <= 4096):
        s.numbers("values", U2LE, lambda: s.cardinality)
    if s.when("words", lambda: not s.is_run and s.cardinality > 4096):
        s.numbers("words", U8LE, lambda: 1024)


def make_roaring_plain_start(
    *,
    cookie: int | None = None,
    num_containers: int | None = None,
    descriptors: list[RoaringBitmap32.RoaringDescriptor] | RecordArray | None = None,
    offsets: bytes | None = None,
) -> Any:
    """A new `roaring_plain_start`; what is None is computed when it is written.

    The `roaring_plain_header` for readers that do not use its offsets, or
    only compare their bytes. In a header with 16 offsets, converting them to
    numbers would take a sixth of the time to read and check it.
    """
    return new(
        RoaringBitmap32.RoaringPlainStart,
        {},
        {
            "cookie": cookie,
            "num_containers": num_containers,
            "descriptors": descriptors,
            "offsets": offsets,
        },
        {},
        {},
    )


def write_roaring_plain_start(s: Scope) -> None:
    """Writes the fields of a `roaring_plain_start`."""
    s.number("cookie", U4LE)
    s.number("num_containers", U4LE)
    s.objects("descriptors", "roaring_descriptor", {}, lambda: s.num_containers)
    s.bytes("offsets", lambda: 4 * s.num_containers)


def make_roaring_plain_header(
    *,
    cookie: int | None = None,
    num_containers: int | None = None,
    descriptors: list[RoaringBitmap32.RoaringDescriptor] | RecordArray | None = None,
    ofs_containers: Sequence[int] | Any | None = None,
) -> Any:
    """A new `roaring_plain_header`; what is None is computed when it is written.

    The header of a bitmap without runs. It is another view of
    `roaring_header`, for code that reads or writes many of them.
    """
    return new(
        RoaringBitmap32.RoaringPlainHeader,
        {},
        {
            "cookie": cookie,
            "num_containers": num_containers,
            "descriptors": descriptors,
            "ofs_containers": ofs_containers,
        },
        {},
        {},
    )


def write_roaring_plain_header(s: Scope) -> None:
    """Writes the fields of a `roaring_plain_header`."""
    s.number("cookie", U4LE)
    s.number("num_containers", U4LE)
    s.objects("descriptors", "roaring_descriptor", {}, lambda: s.num_containers)
    s.numbers("ofs_containers", U4LE, lambda: s.num_containers)


def make_roaring_run_counts(
    *,
    num_counts: int | None = None,
    counts: list[RoaringBitmap32.RoaringRunCount] | RecordArray | None = None,
) -> Any:
    """A new `roaring_run_counts`; what is None is computed when it is written.

    The first fields of containers with runs, one after another. It is another
    view, for readers that know their positions from the header.
    """
    return new(
        RoaringBitmap32.RoaringRunCounts,
        {
            "num_counts": num_counts,
        },
        {
            "counts": counts,
        },
        {},
        {},
    )


def write_roaring_run_counts(s: Scope) -> None:
    """Writes the fields of a `roaring_run_counts`."""
    s.objects("counts", "roaring_run_count", {}, lambda: s.num_counts)


def make_roaring_run_count(
    *,
    num_runs: int | None = None,
) -> Any:
    """A new `roaring_run_count`; what is None is computed when it is written."""
    return new(
        RoaringBitmap32.RoaringRunCount,
        {},
        {
            "num_runs": num_runs,
        },
        {},
        {},
    )


def write_roaring_run_count(s: Scope) -> None:
    """Writes the fields of a `roaring_run_count`."""
    s.number("num_runs", U2LE)


def make_roaring_run(
    *,
    first: int | None = None,
    len_minus_1: int | None = None,
) -> Any:
    """A new `roaring_run`; what is None is computed when it is written."""
    return new(
        RoaringBitmap32.RoaringRun,
        {},
        {
            "first": first,
            "len_minus_1": len_minus_1,
        },
        {},
        {},
    )


def write_roaring_run(s: Scope) -> None:
    """Writes the fields of a `roaring_run`."""
    s.number("first", U2LE)
    s.number("len_minus_1", U2LE)


TYPES = {
    "roaring_bitmap_32": Type(
        name="roaring_bitmap_32",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32,
        params=(),
        items=(
            Item("start", "object", type="position"),
            Item("header", "object", type="roaring_header"),
            Item("containers", "objects", type="roaring_container"),
            Item("end", "object", type="position"),
        ),
        write=write_roaring_bitmap_32,
        values={},
        unset={},
    ),
    "roaring_header": Type(
        name="roaring_header",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringHeader,
        params=(),
        items=(
            Item("cookie", "number", number=U2LE),
            Item("num_containers_minus_1", "number", number=U2LE),
            Item("num_containers_without_runs", "number", number=U4LE),
            Item("run_flags", "bytes"),
            Item("descriptors", "objects", type="roaring_descriptor"),
            Item("ofs_containers", "numbers", number=U4LE),
        ),
        write=write_roaring_header,
        values={
            "has_runs": lambda s: s.cookie == 12347,
            "num_containers": lambda s: (
                s.num_containers_minus_1 + 1 if s.has_runs else s.num_containers_without_runs
            ),
            "has_offsets": lambda s: not s.has_runs or s.num_containers >= 4,
        },
        unset={
            "cookie": lambda s: 12347 if s._is_set("run_flags") else 12346,
            "num_containers_minus_1": lambda s: s._count("descriptors") - 1 if s.has_runs else 0,
            "num_containers_without_runs": lambda s: s._count("descriptors"),
        },
    ),
    "roaring_descriptor": Type(
        name="roaring_descriptor",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringDescriptor,
        params=(),
        items=(
            Item("key", "number", number=U2LE),
            Item("cardinality_minus_1", "number", number=U2LE),
        ),
        write=write_roaring_descriptor,
        values={
            "cardinality": lambda s: s.cardinality_minus_1 + 1,
        },
        unset={},
    ),
    "roaring_container": Type(
        name="roaring_container",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringContainer,
        params=(
            "is_run",
            "cardinality",
        ),
        items=(
            Item("num_runs", "number", number=U2LE),
            Item("runs", "objects", type="roaring_run"),
            Item("values", "numbers", number=U2LE),
            Item("words", "numbers", number=U8LE),
        ),
        write=write_roaring_container,
        values={},
        unset={
            "num_runs": lambda s: s._count("runs"),
        },
    ),
    "roaring_plain_start": Type(
        name="roaring_plain_start",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringPlainStart,
        params=(),
        items=(
            Item("cookie", "number", number=U4LE),
            Item("num_containers", "number", number=U4LE),
            Item("descriptors", "objects", type="roaring_descriptor"),
            Item("offsets", "bytes"),
        ),
        write=write_roaring_plain_start,
        values={},
        unset={
            "cookie": lambda s: 12346,
            "num_containers": lambda s: s._count("descriptors"),
        },
    ),
    "roaring_plain_header": Type(
        name="roaring_plain_header",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringPlainHeader,
        params=(),
        items=(
            Item("cookie", "number", number=U4LE),
            Item("num_containers", "number", number=U4LE),
            Item("descriptors", "objects", type="roaring_descriptor"),
            Item("ofs_containers", "numbers", number=U4LE),
        ),
        write=write_roaring_plain_header,
        values={},
        unset={
            "cookie": lambda s: 12346,
            "num_containers": lambda s: s._count("descriptors"),
        },
    ),
    "roaring_run_counts": Type(
        name="roaring_run_counts",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringRunCounts,
        params=("num_counts",),
        items=(Item("counts", "objects", type="roaring_run_count"),),
        write=write_roaring_run_counts,
        values={},
        unset={},
    ),
    "roaring_run_count": Type(
        name="roaring_run_count",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringRunCount,
        params=(),
        items=(Item("num_runs", "number", number=U2LE),),
        write=write_roaring_run_count,
        values={},
        unset={},
    ),
    "roaring_run": Type(
        name="roaring_run",
        spec="roaring_bitmap_32",
        cls=RoaringBitmap32.RoaringRun,
        params=(),
        items=(
            Item("first", "number", number=U2LE),
            Item("len_minus_1", "number", number=U2LE),
        ),
        write=write_roaring_run,
        values={
            "last": lambda s: s.first + s.len_minus_1,
        },
        unset={},
    ),
}
