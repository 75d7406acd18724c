# Generated from specs/roaring_bitmap_64.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_64.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from typing import Any

from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64
from ..runtime import S4LE, S8LE, U2LE, U4LE, Item, RecordArray, Scope, Type, new


def make_roaring_bitmap_64(
    *,
    num_bitmaps: int | None = None,
    bitmaps: list[RoaringBitmap64.KeyedBitmap] | RecordArray | None = None,
) -> Any:
    """A new `roaring_bitmap_64`; what is None is computed when it is written.

    A compressed set of integers up to 9,223,372,030,412,324,864. Iceberg and
    Paimon store deleted positions in it. The integers are grouped by their upper
    32 bits, the key. Each group is a Roaring bitmap of its lower 32 bits.

    Java writes all keys from 0 to the largest. Those without integers have an
    empty bitmap. Readers accept any ascending keys.
    """
    return new(
        RoaringBitmap64,
        {},
        {
            "num_bitmaps": num_bitmaps,
            "bitmaps": bitmaps,
        },
        {},
        {},
    )


def write_roaring_bitmap_64(s: Scope) -> None:
    """Writes the fields of a `roaring_bitmap_64`."""
    s.number("num_bitmaps", S8LE)
    s.objects("bitmaps", "keyed_bitmap", {}, lambda: s.num_bitmaps)


def make_roaring_bitmap_64_head(
    *,
    num_bitmaps: int | None = None,
) -> Any:
    """A new `roaring_bitmap_64_head`; what is None is computed when it is written.

    The first field alone, for readers that leave the rest to a library.
    """
    return new(
        RoaringBitmap64.RoaringBitmap64Head,
        {},
        {
            "num_bitmaps": num_bitmaps,
        },
        {},
        {},
    )


def write_roaring_bitmap_64_head(s: Scope) -> None:
    """Writes the fields of a `roaring_bitmap_64_head`."""
    s.number("num_bitmaps", S8LE)


def make_keyed_bitmap(
    *,
    key: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """A new `keyed_bitmap`; what is None is computed when it is written."""
    return new(
        RoaringBitmap64.KeyedBitmap,
        {},
        {
            "key": key,
            "bitmap": bitmap,
        },
        {},
        {},
    )


def write_keyed_bitmap(s: Scope) -> None:
    """Writes the fields of a `keyed_bitmap`."""
    s.number("key", S4LE)
    s.object("bitmap", "roaring_bitmap_32", {})


def make_keyed_bitmap_head(
    *,
    key: int | None = None,
) -> Any:
    """A new `keyed_bitmap_head`; what is None is computed when it is written.

    The first field of a `keyed_bitmap` alone.
    """
    return new(
        RoaringBitmap64.KeyedBitmapHead,
        {},
        {
            "key": key,
        },
        {},
        {},
    )


def write_keyed_bitmap_head(s: Scope) -> None:
    """Writes the fields of a `keyed_bitmap_head`."""
    s.number("key", S4LE)


def make_keyed_bitmap_starts(
    *,
    num_starts: int | None = None,
    starts: list[RoaringBitmap64.KeyedBitmapStart] | RecordArray | None = None,
) -> Any:
    """A new `keyed_bitmap_starts`; what is None is computed when it is written.

    The first fields of several keyed bitmaps. All but the last bitmap are
    empty. Code that skips many empty keys at once reads this instead of
    `bitmaps`.
    """
    return new(
        RoaringBitmap64.KeyedBitmapStarts,
        {
            "num_starts": num_starts,
        },
        {
            "starts": starts,
        },
        {},
        {},
    )


def write_keyed_bitmap_starts(s: Scope) -> None:
    """Writes the fields of a `keyed_bitmap_starts`."""
    s.objects("starts", "keyed_bitmap_start", {}, lambda: s.num_starts)


def make_keyed_bitmap_start(
    *,
    key: int | None = None,
    cookie: int | None = None,
    num_containers_minus_1: int | None = None,
    num_containers: int | None = None,
) -> Any:
    """A new `keyed_bitmap_start`; what is None is computed when it is written.

    The first fields of a `keyed_bitmap`. An empty bitmap has no others.
    """
    return new(
        RoaringBitmap64.KeyedBitmapStart,
        {},
        {
            "key": key,
            "cookie": cookie,
            "num_containers_minus_1": num_containers_minus_1,
            "num_containers": num_containers,
        },
        {},
        {},
    )


def write_keyed_bitmap_start(s: Scope) -> None:
    """Writes the fields of a `keyed_bitmap_start`."""
    s.number("key", S4LE)
    s.number("cookie", U2LE)
    s.number("num_containers_minus_1", U2LE)
    s.number("num_containers", U4LE)


TYPES = {
    "roaring_bitmap_64": Type(
        name="roaring_bitmap_64",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64,
        params=(),
        items=(
            Item("num_bitmaps", "number", number=S8LE),
            Item("bitmaps", "objects", type="keyed_bitmap", runs="key"),
        ),
        write=write_roaring_bitmap_64,
        values={},
        unset={
            "num_bitmaps": lambda s: s._count("bitmaps"),
        },
    ),
    "roaring_bitmap_64_head": Type(
        name="roaring_bitmap_64_head",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64.RoaringBitmap64Head,
        params=(),
        items=(Item("num_bitmaps", "number", number=S8LE),),
        write=write_roaring_bitmap_64_head,
        values={},
        unset={},
    ),
    "keyed_bitmap": Type(
        name="keyed_bitmap",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64.KeyedBitmap,
        params=(),
        items=(
            Item("key", "number", number=S4LE),
            Item("bitmap", "object", type="roaring_bitmap_32"),
        ),
        write=write_keyed_bitmap,
        values={},
        unset={},
    ),
    "keyed_bitmap_head": Type(
        name="keyed_bitmap_head",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64.KeyedBitmapHead,
        params=(),
        items=(Item("key", "number", number=S4LE),),
        write=write_keyed_bitmap_head,
        values={},
        unset={},
    ),
    "keyed_bitmap_starts": Type(
        name="keyed_bitmap_starts",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64.KeyedBitmapStarts,
        params=("num_starts",),
        items=(Item("starts", "objects", type="keyed_bitmap_start"),),
        write=write_keyed_bitmap_starts,
        values={},
        unset={},
    ),
    "keyed_bitmap_start": Type(
        name="keyed_bitmap_start",
        spec="roaring_bitmap_64",
        cls=RoaringBitmap64.KeyedBitmapStart,
        params=(),
        items=(
            Item("key", "number", number=S4LE),
            Item("cookie", "number", number=U2LE),
            Item("num_containers_minus_1", "number", number=U2LE),
            Item("num_containers", "number", number=U4LE),
        ),
        write=write_keyed_bitmap_start,
        values={
            "is_empty": lambda s: (
                s.cookie == 12346 and s.num_containers_minus_1 == 0 and s.num_containers == 0
            ),
        },
        unset={},
    ),
}
