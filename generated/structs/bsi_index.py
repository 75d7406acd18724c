# Generated from bsi_index.ksy by `ksykit generate`. Do not edit.
"""Objects of bsi_index: Bit-slice index (bsi) of a Paimon file index."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, S8BE, U1
from ksykit.runtime.rows import Many, Maybe, MaybeNested, Nested, Number, Object, One, Repeat
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .position import Position
    from .roaring_bitmap_32 import RoaringBitmap32


class BsiIndex(Struct, of="bsi_index"):
    """The body of an index of type `bsi`.

    Attributes:
        head: The version, and the number of rows.
        positive: Numbers from zero up.
        negative: Absolute values of the negative numbers.
    """

    head: Nested[BsiHead] = Object("bsi_head", looked=True)
    positive: Nested[BsiPart] = Object("bsi_part")
    negative: Nested[BsiPart] = Object("bsi_part")


class BsiHead(Struct, of="bsi_head"):
    """A `bsi_head`.

    Attributes:
        num_rows: Number of rows in the data file, including null rows.
    """

    version: One[int] = Number(U1, equal=1)
    num_rows: One[int] = Number(S4BE, least=0)


class BsiPart(Struct, of="bsi_part"):
    """The numbers of one sign.

    Attributes:
        head: Whether the part has rows, and the range of its numbers.
        rows: Rows whose number has this sign.
        slices: The bits of the numbers.
    """

    head: Nested[BsiPartHead] = Object("bsi_part_head", looked=True)
    rows: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", looked=True, when=lambda s: s.head.has_rows == 1,
    )  # fmt: skip
    slices: MaybeNested[BsiSlices] = Object("bsi_slices", when=lambda s: s.head.has_rows == 1)


class BsiPartHead(Struct, of="bsi_part_head"):
    """A `bsi_part_head`.

    Attributes:
        has_rows: 1 if any number has this sign.
        min: The slices store each number minus `min`.
        max: The greatest number of this sign.
    """

    has_rows: One[int] = Number(U1, any_of=(0, 1))
    version: Maybe[int] = Number(U1, equal=1, when=lambda s: s.has_rows == 1)
    min: Maybe[int] = Number(S8BE, least=0, when=lambda s: s.has_rows == 1)
    max: Maybe[int] = Number(S8BE, least="min", when=lambda s: s.has_rows == 1)
    rows_start: Nested[Position] = Object("position", args={"at": "_io.pos"})


class BsiSlices(Struct, of="bsi_slices"):
    """A `bsi_slices`.

    Attributes:
        num_bitmaps: The number of bits in `max - min`.
        bitmaps: The slices of bit 0, bit 1, and so on.
    """

    num_bitmaps: One[int] = Number(S4BE, least=0, most=63, small=True)
    bitmaps_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    bitmaps: Many[RoaringBitmap32] = Repeat(Object("roaring_bitmap_32"), count="num_bitmaps")
    _derived: ClassVar = {"num_bitmaps": Measure("count", "bitmaps")}


make_bsi_index = BsiIndex
make_bsi_head = BsiHead
make_bsi_part = BsiPart
make_bsi_part_head = BsiPartHead
make_bsi_slices = BsiSlices
