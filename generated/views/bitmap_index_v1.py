# Generated from bitmap_index_v1.ksy by `ksykit generate`. Do not edit.
"""Views of bitmap_index_v1: Bitmap index of a Paimon file index, version 1."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, layout_for

_BITMAP_INDEX_V1_NUM_ROWS = Numbers(
    ">iiB",
    Field("num_rows", "bitmap_index_v1/seq/0", ">i", least=0),
    Field("num_values", "bitmap_index_v1/seq/1", ">i", least=0),
    Field("has_null", "bitmap_index_v1/seq/2", ">B", any_of=[0, 1]),
)
_BITMAP_INDEX_V1_OFS_NULL = Numbers(">i", Field("ofs_null", "bitmap_index_v1/seq/3", ">i"))
BITMAP_ENTRY_V1 = {
    1: RecordLayout(
        Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1]),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
    2: RecordLayout(
        Field("int8", "typed_value/seq/1", ">b", column="key"),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
    3: RecordLayout(
        Field("int16", "typed_value/seq/2", ">h", column="key"),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
    **dict.fromkeys(
        (4, 9, 10),
        RecordLayout(
            Field("int32", "typed_value/seq/3", ">i", column="key"),
            Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
        ),
    ),
    **dict.fromkeys(
        (5, 11, 12),
        RecordLayout(
            Field("int64", "typed_value/seq/4", ">q", column="key"),
            Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
        ),
    ),
    6: RecordLayout(
        Field("float32", "typed_value/seq/5", ">f", column="key"),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
    7: RecordLayout(
        Field("float64", "typed_value/seq/6", ">d", column="key"),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
    8: RecordLayout(
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
        Field("ofs_bitmap", "bitmap_index_v1/types/bitmap_entry_v1/seq/1", ">i"),
    ),
}


class BitmapIndexV1:
    """A bitmap index of version 1, without the version byte."""

    __slots__ = (
        "column_type", "dictionary_start", "end", "has_null", "num_rows", "num_values",
        "ofs_null",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 9:
            raise _BITMAP_INDEX_V1_NUM_ROWS.broken(d, start, p, self)
        (
            self.num_rows, self.num_values, self.has_null,
        ) = _BITMAP_INDEX_V1_NUM_ROWS.unpack_from(d, p)  # fmt: skip
        if self.num_rows < 0 or self.num_values < 0 or self.has_null not in (0, 1):
            raise _BITMAP_INDEX_V1_NUM_ROWS.broken(d, start, p, self)
        p += 9
        self.ofs_null: Any = None
        if self.has_null == 1:
            if not 0 <= p <= len(d) - 4:
                raise _BITMAP_INDEX_V1_OFS_NULL.broken(d, start, p, self)
            (self.ofs_null,) = _BITMAP_INDEX_V1_OFS_NULL.unpack_from(d, p)
            p += 4
        self.dictionary_start = start + p
        self.end = start + p

    @property
    def is_null_single(self) -> Any:
        return self.has_null == 1 and self.ofs_null < 0

    @property
    def null_row(self) -> Any:
        """The only null row."""
        return -1 - self.ofs_null

    def place_dictionary(self) -> Any:
        """Return where the `dictionary` is: (position, size or None)."""
        return self.dictionary_start, None

    def place_null_bitmap(self, dictionary: Any) -> Any:
        """Return where the `null_bitmap` is: (position, size or None)."""
        return dictionary.bitmaps_start + self.ofs_null, None


class BitmapDictionaryV1:
    """A `bitmap_dictionary_v1`."""

    __slots__ = (
        "bitmaps_start", "column_type", "end", "entries_key", "entries_ofs_bitmap",
        "num_values",
    )  # fmt: skip

    def __init__(
        self, d: Buffer, start: int, p: int, num_values: int, column_type: int, arrays: bool = False
    ) -> None:
        self.num_values = num_values
        self.column_type = column_type
        (p, self.entries_key, self.entries_ofs_bitmap) = layout_for(
            BITMAP_ENTRY_V1, self.column_type
        ).read(d, start, p, self.num_values, arrays)
        self.bitmaps_start = start + p
        self.end = start + p

    def entries_is_single(self, i: Any) -> Any:
        """Return `is_single` of record i."""
        return self.entries_ofs_bitmap[i] < 0

    def entries_row(self, i: Any) -> Any:
        """The only row that contains the value."""
        return -1 - self.entries_ofs_bitmap[i]

    def place_entries_bitmap(self, i: Any) -> Any:
        """Return where the `bitmap` of record i is: (position, size or None)."""
        return self.bitmaps_start + self.entries_ofs_bitmap[i], None
