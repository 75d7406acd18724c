# Generated from roaring_bitmap_64.ksy by `ksykit generate`. Do not edit.
"""Views of roaring_bitmap_64: Roaring bitmap of 64-bit integers, portable format."""

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout

_ROARING_BITMAP_64_HEAD_NUM_BITMAPS = Numbers(
    "<q", Field("num_bitmaps", "roaring_bitmap_64/seq/0", "<q", least=0, most=2147483647)
)
_KEYED_BITMAP_HEAD_KEY = Numbers(
    "<i", Field("key", "roaring_bitmap_64/types/keyed_bitmap/seq/0", "<i", least=0, most=2147483646)
)
KEYED_BITMAP_START = RecordLayout(
    Field("key", "roaring_bitmap_64/types/keyed_bitmap_start/seq/0", "<i"),
    Field("bitmap_start", "roaring_bitmap_64/types/keyed_bitmap_start/seq/1", ">8s"),
)


class RoaringBitmap64Head:
    """A compressed set of integers up to 9,223,372,030,412,324,864."""

    __slots__ = ("end", "num_bitmaps")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _ROARING_BITMAP_64_HEAD_NUM_BITMAPS.broken(d, start, p, self)
        (self.num_bitmaps,) = _ROARING_BITMAP_64_HEAD_NUM_BITMAPS.unpack_from(d, p)
        if self.num_bitmaps < 0 or self.num_bitmaps > 2147483647:
            raise _ROARING_BITMAP_64_HEAD_NUM_BITMAPS.broken(d, start, p, self)
        p += 8
        self.end = start + p


class KeyedBitmapHead:
    """A `keyed_bitmap_head`."""

    __slots__ = ("end", "key")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _KEYED_BITMAP_HEAD_KEY.broken(d, start, p, self)
        (self.key,) = _KEYED_BITMAP_HEAD_KEY.unpack_from(d, p)
        if self.key < 0 or self.key > 2147483646:
            raise _KEYED_BITMAP_HEAD_KEY.broken(d, start, p, self)
        p += 4
        self.end = start + p


class KeyedBitmapStarts:
    """Starts of several keyed bitmaps; all but the last one are empty."""

    __slots__ = ("end", "num_starts", "starts_bitmap_start", "starts_key")

    def __init__(
        self, d: Buffer, start: int, p: int, num_starts: int, arrays: bool = False
    ) -> None:
        self.num_starts = num_starts
        (
            p, self.starts_key, self.starts_bitmap_start,
        ) = KEYED_BITMAP_START.read(d, start, p, self.num_starts, arrays)  # fmt: skip
        self.end = start + p
