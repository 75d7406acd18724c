# Generated from bitmap_index_v2.ksy by `ksykit generate`. Do not edit.
"""Views of bitmap_index_v2: Bitmap index of a Paimon file index, version 2."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, layout_for

_BITMAP_INDEX_V2_NUM_ROWS = Numbers(
    ">iiB",
    Field("num_rows", "bitmap_index_v2/seq/0", ">i", least=0),
    Field("num_values", "bitmap_index_v2/seq/1", ">i", least=0),
    Field("has_null", "bitmap_index_v2/seq/2", ">B", any_of=[0, 1]),
)
_BITMAP_INDEX_V2_OFS_NULL = Numbers(
    ">ii",
    Field("ofs_null", "bitmap_index_v2/seq/3", ">i"),
    Field("len_null", "bitmap_index_v2/seq/4", ">i"),
)
_BITMAP_INDEX_V2_NUM_BLOCKS = Numbers(
    ">i", Field("num_blocks", "bitmap_index_v2/seq/5", ">i", least=0)
)
BITMAP_BLOCK_REF_V2 = {
    1: RecordLayout(
        Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1]),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
    2: RecordLayout(
        Field("int8", "typed_value/seq/1", ">b", column="key"),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
    3: RecordLayout(
        Field("int16", "typed_value/seq/2", ">h", column="key"),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
    **dict.fromkeys(
        (4, 9, 10),
        RecordLayout(
            Field("int32", "typed_value/seq/3", ">i", column="key"),
            Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
        ),
    ),
    **dict.fromkeys(
        (5, 11, 12),
        RecordLayout(
            Field("int64", "typed_value/seq/4", ">q", column="key"),
            Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
        ),
    ),
    6: RecordLayout(
        Field("float32", "typed_value/seq/5", ">f", column="key"),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
    7: RecordLayout(
        Field("float64", "typed_value/seq/6", ">d", column="key"),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
    8: RecordLayout(
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
        Field("ofs_block", "bitmap_index_v2/types/bitmap_block_ref_v2/seq/1", ">i", least=0),
    ),
}
_BITMAP_DIRECTORY_V2_LEN_BLOCKS = Numbers(
    ">i", Field("len_blocks", "bitmap_index_v2/types/bitmap_directory_v2/seq/1", ">i", least=0)
)
_BITMAP_BLOCK_V2_NUM_ENTRIES = Numbers(
    ">i", Field("num_entries", "bitmap_index_v2/types/bitmap_block_v2/seq/0", ">i", least=1)
)
BITMAP_ENTRY_V2 = {
    1: RecordLayout(
        Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1]),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
    2: RecordLayout(
        Field("int8", "typed_value/seq/1", ">b", column="key"),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
    3: RecordLayout(
        Field("int16", "typed_value/seq/2", ">h", column="key"),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
    **dict.fromkeys(
        (4, 9, 10),
        RecordLayout(
            Field("int32", "typed_value/seq/3", ">i", column="key"),
            Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
            Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
        ),
    ),
    **dict.fromkeys(
        (5, 11, 12),
        RecordLayout(
            Field("int64", "typed_value/seq/4", ">q", column="key"),
            Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
            Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
        ),
    ),
    6: RecordLayout(
        Field("float32", "typed_value/seq/5", ">f", column="key"),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
    7: RecordLayout(
        Field("float64", "typed_value/seq/6", ">d", column="key"),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
    8: RecordLayout(
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
        Field("ofs_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/1", ">i"),
        Field("len_bitmap", "bitmap_index_v2/types/bitmap_entry_v2/seq/2", ">i"),
    ),
}


class BitmapIndexV2:
    """A bitmap index of version 2, without the version byte."""

    __slots__ = (
        "column_type", "directory_start", "end", "has_null", "len_null", "num_blocks",
        "num_rows", "num_values", "ofs_null",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 9:
            raise _BITMAP_INDEX_V2_NUM_ROWS.broken(d, start, p, self)
        (
            self.num_rows, self.num_values, self.has_null,
        ) = _BITMAP_INDEX_V2_NUM_ROWS.unpack_from(d, p)  # fmt: skip
        if self.num_rows < 0 or self.num_values < 0 or self.has_null not in (0, 1):
            raise _BITMAP_INDEX_V2_NUM_ROWS.broken(d, start, p, self)
        p += 9
        self.ofs_null: Any = None
        self.len_null: Any = None
        if self.has_null == 1:
            if not 0 <= p <= len(d) - 8:
                raise _BITMAP_INDEX_V2_OFS_NULL.broken(d, start, p, self)
            (self.ofs_null, self.len_null) = _BITMAP_INDEX_V2_OFS_NULL.unpack_from(d, p)
            p += 8
        if not 0 <= p <= len(d) - 4:
            raise _BITMAP_INDEX_V2_NUM_BLOCKS.broken(d, start, p, self)
        (self.num_blocks,) = _BITMAP_INDEX_V2_NUM_BLOCKS.unpack_from(d, p)
        if self.num_blocks < 0:
            raise _BITMAP_INDEX_V2_NUM_BLOCKS.broken(d, start, p, self)
        p += 4
        self.directory_start = start + p
        self.end = start + p

    @property
    def is_null_single(self) -> Any:
        return self.has_null == 1 and self.ofs_null < 0

    @property
    def null_row(self) -> Any:
        """The only null row."""
        return -1 - self.ofs_null

    def place_directory(self) -> Any:
        """Return where the `directory` is: (position, size or None)."""
        return self.directory_start, None

    def place_null_bitmap(self, directory: Any) -> Any:
        """Return where the `null_bitmap` is: (position, size or None)."""
        return directory.bitmaps_start + self.ofs_null, self.len_null


class BitmapDirectoryV2:
    """A `bitmap_directory_v2`."""

    __slots__ = (
        "blocks_key", "blocks_ofs_block", "blocks_start", "column_type", "end", "len_blocks",
        "num_blocks",
    )  # fmt: skip

    def __init__(
        self, d: Buffer, start: int, p: int, num_blocks: int, column_type: int, arrays: bool = False
    ) -> None:
        self.num_blocks = num_blocks
        self.column_type = column_type
        (p, self.blocks_key, self.blocks_ofs_block) = layout_for(
            BITMAP_BLOCK_REF_V2, self.column_type
        ).read(d, start, p, self.num_blocks, arrays)
        if not 0 <= p <= len(d) - 4:
            raise _BITMAP_DIRECTORY_V2_LEN_BLOCKS.broken(d, start, p, self)
        (self.len_blocks,) = _BITMAP_DIRECTORY_V2_LEN_BLOCKS.unpack_from(d, p)
        if self.len_blocks < 0:
            raise _BITMAP_DIRECTORY_V2_LEN_BLOCKS.broken(d, start, p, self)
        p += 4
        self.blocks_start = start + p
        self.end = start + p

    @property
    def bitmaps_start(self) -> Any:
        """Offsets of bitmaps count from here."""
        return self.blocks_start + self.len_blocks

    def place_blocks_body(self, i: Any) -> Any:
        """Return where the `body` of record i is: (position, size or None)."""
        return self.blocks_start + self.blocks_ofs_block[i], None


class BitmapBlockV2:
    """A part of the dictionary."""

    __slots__ = (
        "bitmaps_start", "column_type", "end", "entries_key", "entries_len_bitmap",
        "entries_ofs_bitmap", "num_entries",
    )  # fmt: skip

    def __init__(
        self,
        d: Buffer,
        start: int,
        p: int,
        bitmaps_start: int,
        column_type: int,
        arrays: bool = False,
    ) -> None:
        self.bitmaps_start = bitmaps_start
        self.column_type = column_type
        if not 0 <= p <= len(d) - 4:
            raise _BITMAP_BLOCK_V2_NUM_ENTRIES.broken(d, start, p, self)
        (self.num_entries,) = _BITMAP_BLOCK_V2_NUM_ENTRIES.unpack_from(d, p)
        if self.num_entries < 1:
            raise _BITMAP_BLOCK_V2_NUM_ENTRIES.broken(d, start, p, self)
        p += 4
        (p, self.entries_key, self.entries_ofs_bitmap, self.entries_len_bitmap) = layout_for(
            BITMAP_ENTRY_V2, self.column_type
        ).read(d, start, p, self.num_entries, arrays)
        self.end = start + p

    def entries_is_single(self, i: Any) -> Any:
        """Return `is_single` of record i."""
        return self.entries_ofs_bitmap[i] < 0

    def entries_row(self, i: Any) -> Any:
        """The only row that contains the value."""
        return -1 - self.entries_ofs_bitmap[i]

    def place_entries_bitmap(self, i: Any) -> Any:
        """Return where the `bitmap` of record i is: (position, size or None)."""
        return self.bitmaps_start + self.entries_ofs_bitmap[i], self.entries_len_bitmap[i]
