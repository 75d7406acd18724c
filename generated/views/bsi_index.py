# Generated from bsi_index.ksy by `ksykit generate`. Do not edit.
"""Views of bsi_index: Bit-slice index (bsi) of a Paimon file index."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers

_BSI_HEAD_VERSION = Numbers(
    ">Bi",
    Field("version", "bsi_index/types/bsi_head/seq/0", ">B", equal=1),
    Field("num_rows", "bsi_index/types/bsi_head/seq/1", ">i", least=0),
)
_BSI_PART_HEAD_HAS_ROWS = Numbers(
    ">B", Field("has_rows", "bsi_index/types/bsi_part_head/seq/0", ">B", any_of=[0, 1])
)
_BSI_PART_HEAD_VERSION = Numbers(
    ">Bqq",
    Field("version", "bsi_index/types/bsi_part_head/seq/1", ">B", equal=1),
    Field("min", "bsi_index/types/bsi_part_head/seq/2", ">q", least=0),
    Field("max", "bsi_index/types/bsi_part_head/seq/3", ">q", least=lambda x: x.min),
)
_BSI_SLICES_HEAD_NUM_BITMAPS = Numbers(
    ">i", Field("num_bitmaps", "bsi_index/types/bsi_slices/seq/0", ">i", least=0, most=63)
)


class BsiHead:
    """A `bsi_head`."""

    __slots__ = ("end", "num_rows", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 5:
            raise _BSI_HEAD_VERSION.broken(d, start, p, self)
        (self.version, self.num_rows) = _BSI_HEAD_VERSION.unpack_from(d, p)
        if self.version != 1 or self.num_rows < 0:
            raise _BSI_HEAD_VERSION.broken(d, start, p, self)
        p += 5
        self.end = start + p


class BsiPartHead:
    """A `bsi_part_head`."""

    __slots__ = ("end", "has_rows", "max", "min", "rows_start", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _BSI_PART_HEAD_HAS_ROWS.broken(d, start, p, self)
        (self.has_rows,) = _BSI_PART_HEAD_HAS_ROWS.unpack_from(d, p)
        if self.has_rows not in (0, 1):
            raise _BSI_PART_HEAD_HAS_ROWS.broken(d, start, p, self)
        p += 1
        self.version: Any = None
        self.min: Any = None
        self.max: Any = None
        if self.has_rows == 1:
            if not 0 <= p <= len(d) - 17:
                raise _BSI_PART_HEAD_VERSION.broken(d, start, p, self)
            (self.version, self.min, self.max) = _BSI_PART_HEAD_VERSION.unpack_from(d, p)
            if self.version != 1 or self.min < 0 or self.max < self.min:
                raise _BSI_PART_HEAD_VERSION.broken(d, start, p, self)
            p += 17
        self.rows_start = start + p
        self.end = start + p


class BsiSlicesHead:
    """A `bsi_slices_head`."""

    __slots__ = ("bitmaps_start", "end", "num_bitmaps")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _BSI_SLICES_HEAD_NUM_BITMAPS.broken(d, start, p, self)
        (self.num_bitmaps,) = _BSI_SLICES_HEAD_NUM_BITMAPS.unpack_from(d, p)
        if self.num_bitmaps < 0 or self.num_bitmaps > 63:
            raise _BSI_SLICES_HEAD_NUM_BITMAPS.broken(d, start, p, self)
        p += 4
        self.bitmaps_start = start + p
        self.end = start + p
