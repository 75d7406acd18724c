# Generated from specs/bsi_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bsi_index.

Bit-slice index (bsi) of a Paimon file index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, S8BE, U1

from ..parsers.bsi_index import BsiIndex

BSI_INDEX_TYPE = Type(
    BsiIndex,
    "bsi_index",
    Object("head", "bsi_head", looked=True),
    Object("positive", "bsi_part"),
    Object("negative", "bsi_part"),
)

make_bsi_index = BSI_INDEX_TYPE.make


BSI_HEAD_TYPE = Type(
    BsiIndex.BsiHead,
    "bsi_head",
    Number("version", U1, equal=1),
    Number("num_rows", S4BE, least=0),
)

make_bsi_head = BSI_HEAD_TYPE.make


BSI_PART_TYPE = Type(
    BsiIndex.BsiPart,
    "bsi_part",
    Object("head", "bsi_part_head", looked=True),
    Object("rows", "roaring_bitmap_32", looked=True, when=lambda s: s.head.has_rows == 1),
    Object("slices", "bsi_slices", when=lambda s: s.head.has_rows == 1),
)

make_bsi_part = BSI_PART_TYPE.make


BSI_PART_HEAD_TYPE = Type(
    BsiIndex.BsiPartHead,
    "bsi_part_head",
    Number("has_rows", U1, any_of=(0, 1)),
    Number("version", U1, equal=1, when=lambda s: s.has_rows == 1),
    Number("min", S8BE, least=0, when=lambda s: s.has_rows == 1),
    Number("max", S8BE, least="min", when=lambda s: s.has_rows == 1),
    Object("rows_start", "position", args={"at": "_io.pos"}),
)

make_bsi_part_head = BSI_PART_HEAD_TYPE.make


BSI_SLICES_TYPE = Type(
    BsiIndex.BsiSlices,
    "bsi_slices",
    Number("num_bitmaps", S4BE, least=0, most=63, small=True),
    Object("bitmaps_start", "position", args={"at": "_io.pos"}, looked=True),
    Repeat(Object("bitmaps", "roaring_bitmap_32"), count="num_bitmaps"),
    computed={
        "num_bitmaps": Measure("count", "bitmaps"),
    },
)

make_bsi_slices = BSI_SLICES_TYPE.make
