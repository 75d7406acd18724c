# Generated from specs/bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bitmap_index.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bitmap_index import BitmapIndex
from ..parsers.bitmap_index_v1 import BitmapIndexV1
from ..parsers.bitmap_index_v2 import BitmapIndexV2
from ..runtime import U1, Item, Scope, Type, new


def make_bitmap_index(
    *,
    column_type: int | None = None,
    version: int | None = None,
    v1: BitmapIndexV1 | bytes | None = None,
    v2: BitmapIndexV2 | bytes | None = None,
) -> Any:
    """A new `bitmap_index`; what is None is computed when it is written.

    The body of an index of type `bitmap`. Each distinct value of a column has the
    set of its rows.
    """
    return new(
        BitmapIndex,
        {
            "column_type": column_type,
        },
        {
            "version": version,
            "v1": v1,
            "v2": v2,
        },
        {},
        {},
    )


def write_bitmap_index(s: Scope) -> None:
    """Writes the fields of a `bitmap_index`."""
    s.number("version", U1)
    if s.when("v1", lambda: s.version == 1):
        s.object("v1", "bitmap_index_v1", {"column_type": lambda i: s.column_type})
    if s.when("v2", lambda: s.version == 2):
        s.object("v2", "bitmap_index_v2", {"column_type": lambda i: s.column_type})


TYPES = {
    "bitmap_index": Type(
        name="bitmap_index",
        spec="bitmap_index",
        cls=BitmapIndex,
        params=("column_type",),
        items=(
            Item("version", "number", number=U1),
            Item("v1", "object", type="bitmap_index_v1"),
            Item("v2", "object", type="bitmap_index_v2"),
        ),
        write=write_bitmap_index,
        values={},
        unset={},
    ),
}
