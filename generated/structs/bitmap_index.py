# Generated from bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Objects of bitmap_index: Bitmap index of a Paimon file index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ksykit.runtime.json_values import U1
from ksykit.runtime.rows import MaybeNested, Number, Object, One, Param
from ksykit.runtime.structs import Struct

if TYPE_CHECKING:
    from .bitmap_index_v1 import BitmapIndexV1
    from .bitmap_index_v2 import BitmapIndexV2


class BitmapIndex(Struct, of="bitmap_index"):
    """The body of an index of type `bitmap`.

    Attributes:
        column_type: The column's type, a value of the enum `typed_value::stored_type`.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    version: One[int] = Number(U1, any_of=(1, 2))
    v1: MaybeNested[BitmapIndexV1] = Object(
        "bitmap_index_v1", args={"column_type": "column_type"}, when=lambda s: s.version == 1,
    )  # fmt: skip
    v2: MaybeNested[BitmapIndexV2] = Object(
        "bitmap_index_v2", args={"column_type": "column_type"}, when=lambda s: s.version == 2,
    )  # fmt: skip


make_bitmap_index = BitmapIndex
