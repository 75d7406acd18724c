# Generated from bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Views of bitmap_index: Bitmap index of a Paimon file index."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers

from .bitmap_index_v1 import BitmapIndexV1
from .bitmap_index_v2 import BitmapIndexV2

_BITMAP_INDEX_VERSION = Numbers(">B", Field("version", "bitmap_index/seq/0", ">B", any_of=[1, 2]))


class BitmapIndex:
    """The body of an index of type `bitmap`."""

    __slots__ = ("column_type", "end", "v1", "v2", "version")

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 1:
            raise _BITMAP_INDEX_VERSION.broken(d, start, p, self)
        (self.version,) = _BITMAP_INDEX_VERSION.unpack_from(d, p)
        if self.version not in (1, 2):
            raise _BITMAP_INDEX_VERSION.broken(d, start, p, self)
        p += 1
        self.v1: Any = None
        if self.version == 1:
            self.v1 = BitmapIndexV1(d, start, p, self.column_type)
            p = self.v1.end - start
        self.v2: Any = None
        if self.version == 2:
            self.v2 = BitmapIndexV2(d, start, p, self.column_type)
            p = self.v2.end - start
        self.end = start + p
