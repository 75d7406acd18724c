# Generated from specs/bitmap_index_v2.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of bitmap_index_v2 at once, from bytes that are there.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import Any

from ..arrays import Buffer
from ..errors import MANY, Unusual

_S4BE = Struct(">i")
_S4BE_S4BE = Struct(">ii")
_S4BE_S4BE_S4BE = Struct(">iii")
_S4BE_S4BE_U1 = Struct(">iiB")


def _many_bitmap_block_ref_v2(d: Buffer, p: int, count: int, column_type: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    if column_type == 8:
        c_key: list[Any] = []
        c_ofs_block: list[Any] = []
        n = 0
        if count:
            (n,) = _S4BE.unpack_from(d, p)
        for left in range(count - 1, -1, -1):
            q = p + 4
            end = p = q + n
            if n < 0:
                raise Unusual
            if left:
                v_ofs_block, n = _S4BE_S4BE.unpack_from(d, p)
            else:
                (v_ofs_block,) = _S4BE.unpack_from(d, p)
            p += 4
            if v_ofs_block < 0:
                raise Unusual
            c_key.append(d[q:end])
            c_ofs_block.append(v_ofs_block)
        return p, c_key, c_ofs_block
    if column_type == 1:
        v = unpack_from(">" + "Bi" * count, d, p)
        if any(
            x
            not in (
                0,
                1,
            )
            for x in v[0::2]
        ):
            raise Unusual
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 5 * count, v[0::2], v[1::2]
    if column_type == 2:
        v = unpack_from(">" + "bi" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 5 * count, v[0::2], v[1::2]
    if column_type == 3:
        v = unpack_from(">" + "hi" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 6 * count, v[0::2], v[1::2]
    if column_type in (4, 9, 10):
        v = unpack_from(">" + "ii" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 8 * count, v[0::2], v[1::2]
    if column_type in (5, 11, 12):
        v = unpack_from(">" + "qi" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 12 * count, v[0::2], v[1::2]
    if column_type == 6:
        v = unpack_from(">" + "fi" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 8 * count, v[0::2], v[1::2]
    if column_type == 7:
        v = unpack_from(">" + "di" * count, d, p)
        if any(x < 0 for x in v[1::2]):
            raise Unusual
        return p + 12 * count, v[0::2], v[1::2]
    raise Unusual


def _many_bitmap_entry_v2(d: Buffer, p: int, count: int, column_type: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    if column_type == 8:
        c_key: list[Any] = []
        c_ofs_bitmap: list[Any] = []
        c_len_bitmap: list[Any] = []
        n = 0
        if count:
            (n,) = _S4BE.unpack_from(d, p)
        for left in range(count - 1, -1, -1):
            q = p + 4
            end = p = q + n
            if n < 0:
                raise Unusual
            if left:
                v_ofs_bitmap, v_len_bitmap, n = _S4BE_S4BE_S4BE.unpack_from(d, p)
            else:
                v_ofs_bitmap, v_len_bitmap = _S4BE_S4BE.unpack_from(d, p)
            p += 8
            c_key.append(d[q:end])
            c_ofs_bitmap.append(v_ofs_bitmap)
            c_len_bitmap.append(v_len_bitmap)
        return p, c_key, c_ofs_bitmap, c_len_bitmap
    if column_type == 1:
        v = unpack_from(">" + "Bii" * count, d, p)
        if any(
            x
            not in (
                0,
                1,
            )
            for x in v[0::3]
        ):
            raise Unusual
        return p + 9 * count, v[0::3], v[1::3], v[2::3]
    if column_type == 2:
        v = unpack_from(">" + "bii" * count, d, p)
        return p + 9 * count, v[0::3], v[1::3], v[2::3]
    if column_type == 3:
        v = unpack_from(">" + "hii" * count, d, p)
        return p + 10 * count, v[0::3], v[1::3], v[2::3]
    if column_type in (4, 9, 10):
        v = unpack_from(">" + "iii" * count, d, p)
        return p + 12 * count, v[0::3], v[1::3], v[2::3]
    if column_type in (5, 11, 12):
        v = unpack_from(">" + "qii" * count, d, p)
        return p + 16 * count, v[0::3], v[1::3], v[2::3]
    if column_type == 6:
        v = unpack_from(">" + "fii" * count, d, p)
        return p + 12 * count, v[0::3], v[1::3], v[2::3]
    if column_type == 7:
        v = unpack_from(">" + "dii" * count, d, p)
        return p + 16 * count, v[0::3], v[1::3], v[2::3]
    raise Unusual


class BitmapIndexV2:
    """A `bitmap_index_v2` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "column_type",
        "directory_start",
        "end",
        "has_null",
        "len_null",
        "num_blocks",
        "num_rows",
        "num_values",
        "ofs_null",
    )

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        self.num_rows, self.num_values, self.has_null = _S4BE_S4BE_U1.unpack_from(d, p)
        p += 9
        if (
            self.num_rows < 0
            or self.num_values < 0
            or self.has_null
            not in (
                0,
                1,
            )
        ):
            raise Unusual
        self.ofs_null: Any = None
        self.len_null: Any = None
        if self.has_null == 1:
            self.ofs_null, self.len_null = _S4BE_S4BE.unpack_from(d, p)
            p += 8
        (self.num_blocks,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.num_blocks < 0:
            raise Unusual
        self.directory_start = start + p
        self.end = start + p

    @property
    def is_null_single(self) -> Any:
        return self.has_null == 1 and self.ofs_null < 0

    @property
    def null_row(self) -> Any:
        """The only row that is null."""
        return -1 - self.ofs_null

    def place_directory(self) -> tuple[Any, Any]:
        """Where the `directory` is: (position, size or None)."""
        return self.directory_start, None


class BitmapDirectoryV2:
    """A `bitmap_directory_v2` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "blocks_key",
        "blocks_ofs_block",
        "blocks_start",
        "column_type",
        "end",
        "len_blocks",
        "num_blocks",
    )

    def __init__(self, d: Buffer, start: int, p: int, num_blocks: int, column_type: int) -> None:
        self.num_blocks = num_blocks
        self.column_type = column_type
        p, self.blocks_key, self.blocks_ofs_block = _many_bitmap_block_ref_v2(
            d, p, self.num_blocks, self.column_type
        )
        (self.len_blocks,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.len_blocks < 0:
            raise Unusual
        self.blocks_start = start + p
        self.end = start + p

    @property
    def bitmaps_start(self) -> Any:
        """Offsets of bitmaps count from here."""
        return self.blocks_start + self.len_blocks

    def place_blocks_block(self, i: int) -> tuple[Any, Any]:
        """Where the `block` of record i is: (position, size or None)."""
        return self.blocks_start + self.blocks_ofs_block[i], None


class BitmapBlockV2:
    """A `bitmap_block_v2` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "bitmaps_start",
        "column_type",
        "end",
        "entries_key",
        "entries_len_bitmap",
        "entries_ofs_bitmap",
        "num_entries",
    )

    def __init__(self, d: Buffer, start: int, p: int, bitmaps_start: int, column_type: int) -> None:
        self.bitmaps_start = bitmaps_start
        self.column_type = column_type
        (self.num_entries,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.num_entries < 0:
            raise Unusual
        p, self.entries_key, self.entries_ofs_bitmap, self.entries_len_bitmap = (
            _many_bitmap_entry_v2(d, p, self.num_entries, self.column_type)
        )
        self.end = start + p

    def entries_is_single(self, i: int) -> Any:
        """`is_single` of record i."""
        return self.entries_ofs_bitmap[i] < 0

    def entries_row(self, i: int) -> Any:
        """The only row that contains the value."""
        return -1 - self.entries_ofs_bitmap[i]

    def place_entries_bitmap(self, i: int) -> tuple[Any, Any]:
        """Where the `bitmap` of record i is: (position, size or None)."""
        return self.bitmaps_start + self.entries_ofs_bitmap[i], self.entries_len_bitmap[i]
