# Generated from specs/bsi_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bsi_index.

Bit-slice index (bsi) of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bsi_index import BsiIndex
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..runtime import S4BE, S8BE, U1, Item, RecordArray, Scope, Type, new


def make_bsi_index(
    *,
    head: BsiIndex.BsiHead | bytes | None = None,
    positive: BsiIndex.BsiPart | bytes | None = None,
    negative: BsiIndex.BsiPart | bytes | None = None,
) -> Any:
    """A new `bsi_index`; what is None is computed when it is written.

    The body of an index of type `bsi`: the numbers of a column, bit by bit. Each
    bit has a slice, the set of rows whose number has the bit set. So a comparison
    is a few operations on sets for each bit.

    Numbers are integers, days of a DATE, milliseconds of a TIME, and unscaled
    values of a DECIMAL. A TIMESTAMP is in milliseconds up to precision 3, and in
    microseconds above it, so that precisions 7 to 9 are cut.

    Numbers below zero have an index of their own, with absolute values. A row in
    neither of the two is null.

    The format does not store the length of a part, so each part is found after
    the one before it.
    """
    return new(
        BsiIndex,
        {},
        {
            "head": head,
            "positive": positive,
            "negative": negative,
        },
        {},
        {},
    )


def write_bsi_index(s: Scope) -> None:
    """Writes the fields of a `bsi_index`."""
    s.object("head", "bsi_head", {})
    s.object("positive", "bsi_part", {})
    s.object("negative", "bsi_part", {})


def make_bsi_head(
    *,
    version: int | None = None,
    num_rows: int | None = None,
) -> Any:
    """A new `bsi_head`; what is None is computed when it is written."""
    return new(
        BsiIndex.BsiHead,
        {},
        {
            "version": version,
            "num_rows": num_rows,
        },
        {},
        {},
    )


def write_bsi_head(s: Scope) -> None:
    """Writes the fields of a `bsi_head`."""
    s.number("version", U1)
    s.number("num_rows", S4BE)


def make_bsi_part(
    *,
    head: BsiIndex.BsiPartHead | bytes | None = None,
    rows: RoaringBitmap32 | bytes | None = None,
    slices: BsiIndex.BsiSlices | bytes | None = None,
) -> Any:
    """A new `bsi_part`; what is None is computed when it is written.

    The numbers of one sign.
    """
    return new(
        BsiIndex.BsiPart,
        {},
        {
            "head": head,
            "rows": rows,
            "slices": slices,
        },
        {},
        {},
    )


def write_bsi_part(s: Scope) -> None:
    """Writes the fields of a `bsi_part`."""
    s.object("head", "bsi_part_head", {})
    if s.when("rows", lambda: s.head.has_rows == 1):
        s.object("rows", "roaring_bitmap_32", {})
    if s.when("slices", lambda: s.head.has_rows == 1):
        s.object("slices", "bsi_slices", {"with_bitmaps": lambda i: True})


def make_bsi_part_head(
    *,
    has_rows: int | None = None,
    version: int | None = None,
    min: int | None = None,
    max: int | None = None,
    rows_start: Position | bytes | None = None,
) -> Any:
    """A new `bsi_part_head`; what is None is computed when it is written."""
    return new(
        BsiIndex.BsiPartHead,
        {},
        {
            "has_rows": has_rows,
            "version": version,
            "min": min,
            "max": max,
            "rows_start": rows_start,
        },
        {},
        {},
    )


def write_bsi_part_head(s: Scope) -> None:
    """Writes the fields of a `bsi_part_head`."""
    s.number("has_rows", U1)
    if s.when("version", lambda: s.has_rows == 1):
        s.number("version", U1)
    if s.when("min", lambda: s.has_rows == 1):
        s.number("min", S8BE)
    if s.when("max", lambda: s.has_rows == 1):
        s.number("max", S8BE)
    s.object("rows_start", "position", {"at": s._io.pos})


def make_bsi_slices(
    *,
    with_bitmaps: bool | None = None,
    num_bitmaps: int | None = None,
    bitmaps_start: Position | bytes | None = None,
    bitmaps: list[RoaringBitmap32] | RecordArray | None = None,
) -> Any:
    """A new `bsi_slices`; what is None is computed when it is written."""
    return new(
        BsiIndex.BsiSlices,
        {
            "with_bitmaps": with_bitmaps,
        },
        {
            "num_bitmaps": num_bitmaps,
            "bitmaps_start": bitmaps_start,
            "bitmaps": bitmaps,
        },
        {},
        {},
    )


def write_bsi_slices(s: Scope) -> None:
    """Writes the fields of a `bsi_slices`."""
    s.number("num_bitmaps", S4BE)
    s.object("bitmaps_start", "position", {"at": s._io.pos})
    if s.when("bitmaps", lambda: s.with_bitmaps):
        s.objects("bitmaps", "roaring_bitmap_32", {}, lambda: s.num_bitmaps)


TYPES = {
    "bsi_index": Type(
        name="bsi_index",
        spec="bsi_index",
        cls=BsiIndex,
        params=(),
        items=(
            Item("head", "object", type="bsi_head"),
            Item("positive", "object", type="bsi_part"),
            Item("negative", "object", type="bsi_part"),
        ),
        write=write_bsi_index,
        values={},
        unset={},
    ),
    "bsi_head": Type(
        name="bsi_head",
        spec="bsi_index",
        cls=BsiIndex.BsiHead,
        params=(),
        items=(
            Item("version", "number", number=U1),
            Item("num_rows", "number", number=S4BE),
        ),
        write=write_bsi_head,
        values={},
        unset={
            "version": lambda s: 1,
        },
    ),
    "bsi_part": Type(
        name="bsi_part",
        spec="bsi_index",
        cls=BsiIndex.BsiPart,
        params=(),
        items=(
            Item("head", "object", type="bsi_part_head"),
            Item("rows", "object", type="roaring_bitmap_32"),
            Item("slices", "object", type="bsi_slices"),
        ),
        write=write_bsi_part,
        values={},
        unset={},
    ),
    "bsi_part_head": Type(
        name="bsi_part_head",
        spec="bsi_index",
        cls=BsiIndex.BsiPartHead,
        params=(),
        items=(
            Item("has_rows", "number", number=U1),
            Item("version", "number", number=U1),
            Item("min", "number", number=S8BE),
            Item("max", "number", number=S8BE),
            Item("rows_start", "object", type="position"),
        ),
        write=write_bsi_part_head,
        values={},
        unset={
            "version": lambda s: 1,
        },
    ),
    "bsi_slices": Type(
        name="bsi_slices",
        spec="bsi_index",
        cls=BsiIndex.BsiSlices,
        params=("with_bitmaps",),
        items=(
            Item("num_bitmaps", "number", number=S4BE),
            Item("bitmaps_start", "object", type="position"),
            Item("bitmaps", "objects", type="roaring_bitmap_32"),
        ),
        write=write_bsi_slices,
        values={},
        unset={
            "num_bitmaps": lambda s: s._count("bitmaps"),
        },
    ),
}
