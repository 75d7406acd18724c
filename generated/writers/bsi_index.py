# Generated from specs/bsi_index.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bsi_index.

Bit-slice index (bsi) of a Paimon file index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE, S8BE, U1

from ..parsers.bsi_index import BsiIndex
from ..parsers.roaring_bitmap_32 import RoaringBitmap32

BSI_INDEX_TYPE = Type(
    BsiIndex,
    "bsi_index",
    Object("head", "bsi_head", looked=True),
    Object("positive", "bsi_part"),
    Object("negative", "bsi_part"),
)


def make_bsi_index(
    *,
    head: BsiIndex.BsiHead | bytes | None = None,
    positive: BsiIndex.BsiPart | bytes | None = None,
    negative: BsiIndex.BsiPart | bytes | None = None,
) -> Any:
    """Return a new `bsi_index`; what is None is computed when it is written.

    The body of an index of type `bsi`. It stores the numbers of a column bit by
    bit. Each bit has a slice: the set of rows whose number has that bit set. A
    comparison therefore takes a few set operations for each bit.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    unscaled value of a DECIMAL. A TIMESTAMP is in milliseconds up to precision
    3, and in microseconds above it, so that precisions 7 to 9 are cut.

    A separate part contains the absolute values of negative numbers. A row in
    neither part is null.

    The length of a part is not stored: it ends where its content does.
    """
    return BSI_INDEX_TYPE.new(locals())


BSI_HEAD_TYPE = Type(
    BsiIndex.BsiHead,
    "bsi_head",
    Number("version", U1, equal=1),
    Number("num_rows", S4BE, least=0),
)


def make_bsi_head(
    *,
    version: int | None = None,
    num_rows: int | None = None,
) -> Any:
    """Return a new `bsi_head`; what is None is computed when it is written."""
    return BSI_HEAD_TYPE.new(locals())


BSI_PART_TYPE = Type(
    BsiIndex.BsiPart,
    "bsi_part",
    Object("head", "bsi_part_head", looked=True),
    Object("rows", "roaring_bitmap_32", when=lambda s: s.head.has_rows == 1),
    Object("slices", "bsi_slices", when=lambda s: s.head.has_rows == 1),
    deciding=None,
)


def make_bsi_part(
    *,
    head: BsiIndex.BsiPartHead | bytes | None = None,
    rows: RoaringBitmap32 | bytes | None = None,
    slices: BsiIndex.BsiSlices | bytes | None = None,
) -> Any:
    """Return a new `bsi_part`; what is None is computed when it is written.

    The numbers of one sign.
    """
    return BSI_PART_TYPE.new(locals())


BSI_PART_HEAD_TYPE = Type(
    BsiIndex.BsiPartHead,
    "bsi_part_head",
    Number("has_rows", U1, any_of=(0, 1)),
    Number("version", U1, equal=1, when=lambda s: s.has_rows == 1),
    Number("min", S8BE, least=0, when=lambda s: s.has_rows == 1),
    Number("max", S8BE, least="min", when=lambda s: s.has_rows == 1),
    Object("rows_start", "position", args={"at": "_io.pos"}),
    deciding=None,
)


def make_bsi_part_head(
    *,
    has_rows: int | None = None,
    version: int | None = None,
    min: int | None = None,
    max: int | None = None,
) -> Any:
    """Return a new `bsi_part_head`; what is None is computed when it is written."""
    return BSI_PART_HEAD_TYPE.new(locals())


BSI_SLICES_TYPE = Type(
    BsiIndex.BsiSlices,
    "bsi_slices",
    Number("num_bitmaps", S4BE, least=0, most=63, small=True),
    Object("bitmaps_start", "position", args={"at": "_io.pos"}, looked=True),
    Objects("bitmaps", "roaring_bitmap_32", count="num_bitmaps"),
    computed={
        "num_bitmaps": Measure("count", "bitmaps"),
    },
)


def make_bsi_slices(
    *,
    num_bitmaps: int | None = None,
    bitmaps: Sequence[RoaringBitmap32 | bytes] | None = None,
) -> Any:
    """Return a new `bsi_slices`; what is None is computed when it is written."""
    return BSI_SLICES_TYPE.new(locals())
