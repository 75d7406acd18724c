# Generated from range_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Views of range_bitmap_index: Range bitmap of a Paimon file index."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, layout_for

from .typed_value import TYPED_VALUE

_RANGE_BITMAP_INDEX_LEN_HEAD = Numbers(
    ">i", Field("len_head", "range_bitmap_index/seq/0", ">i", least=13)
)
_RANGE_BITMAP_INDEX_VERSION = Numbers(
    ">Bii",
    Field("version", "range_bitmap_index/seq/2", ">B", equal=1),
    Field("num_rows", "range_bitmap_index/seq/3", ">i", least=0),
    Field("num_values", "range_bitmap_index/seq/4", ">i", least=0),
)
_RANGE_BITMAP_INDEX_LEN_DICTIONARY = Numbers(
    ">i", Field("len_dictionary", "range_bitmap_index/seq/7", ">i", least=17)
)
_RANGE_BITMAP_INDEX_HEAD_LEN_HEAD = Numbers(
    ">i", Field("len_head", "range_bitmap_index/seq/0", ">i", least=13)
)
_RANGE_BITMAP_INDEX_HEAD_VERSION = Numbers(
    ">Bii",
    Field("version", "range_bitmap_index/seq/2", ">B", equal=1),
    Field("num_rows", "range_bitmap_index/seq/3", ">i", least=0),
    Field("num_values", "range_bitmap_index/seq/4", ">i", least=0),
)


class RangeBitmapIndex:
    """The body of an index of type `range-bitmap`."""

    __slots__ = (
        "column_type", "end", "head_end", "head_start", "len_dictionary", "len_head", "max",
        "min", "num_rows", "num_values", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 4:
            raise _RANGE_BITMAP_INDEX_LEN_HEAD.broken(d, start, p, self)
        (self.len_head,) = _RANGE_BITMAP_INDEX_LEN_HEAD.unpack_from(d, p)
        if self.len_head < 13:
            raise _RANGE_BITMAP_INDEX_LEN_HEAD.broken(d, start, p, self)
        p += 4
        self.head_start = start + p
        if not 0 <= p <= len(d) - 9:
            raise _RANGE_BITMAP_INDEX_VERSION.broken(d, start, p, self)
        (
            self.version, self.num_rows, self.num_values,
        ) = _RANGE_BITMAP_INDEX_VERSION.unpack_from(d, p)  # fmt: skip
        if self.version != 1 or self.num_rows < 0 or self.num_values < 0:
            raise _RANGE_BITMAP_INDEX_VERSION.broken(d, start, p, self)
        p += 9
        self.min: Any = None
        if self.num_values > 0:
            self.min, p = layout_for(TYPED_VALUE, self.column_type).one(d, start, p)
        self.max: Any = None
        if self.num_values > 0:
            self.max, p = layout_for(TYPED_VALUE, self.column_type).one(d, start, p)
        self.len_dictionary: Any = None
        if self.column_type != 0:
            if not 0 <= p <= len(d) - 4:
                raise _RANGE_BITMAP_INDEX_LEN_DICTIONARY.broken(d, start, p, self)
            (self.len_dictionary,) = _RANGE_BITMAP_INDEX_LEN_DICTIONARY.unpack_from(d, p)
            if self.len_dictionary < 17:
                raise _RANGE_BITMAP_INDEX_LEN_DICTIONARY.broken(d, start, p, self)
            p += 4
        self.head_end = start + p
        self.end = start + p

    def place_dictionary(self) -> Any:
        """Return where the `dictionary` is: (position, size or None)."""
        return self.head_start + self.len_head, None

    def place_slices(self) -> Any:
        """Return where the `slices` is: (position, size or None)."""
        return self.head_start + self.len_head + self.len_dictionary, None


class RangeBitmapIndexHead:
    """The body of an index of type `range-bitmap`."""

    __slots__ = (
        "column_type", "end", "head_start", "len_head", "num_rows", "num_values", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 4:
            raise _RANGE_BITMAP_INDEX_HEAD_LEN_HEAD.broken(d, start, p, self)
        (self.len_head,) = _RANGE_BITMAP_INDEX_HEAD_LEN_HEAD.unpack_from(d, p)
        if self.len_head < 13:
            raise _RANGE_BITMAP_INDEX_HEAD_LEN_HEAD.broken(d, start, p, self)
        p += 4
        self.head_start = start + p
        if not 0 <= p <= len(d) - 9:
            raise _RANGE_BITMAP_INDEX_HEAD_VERSION.broken(d, start, p, self)
        (
            self.version, self.num_rows, self.num_values,
        ) = _RANGE_BITMAP_INDEX_HEAD_VERSION.unpack_from(d, p)  # fmt: skip
        if self.version != 1 or self.num_rows < 0 or self.num_values < 0:
            raise _RANGE_BITMAP_INDEX_HEAD_VERSION.broken(d, start, p, self)
        p += 9
        self.end = start + p
