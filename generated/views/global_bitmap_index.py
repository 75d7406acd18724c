# Generated from global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Views of global_bitmap_index: Bitmap global index of a Paimon table, version 1."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, cut, wrong
from ksykit.runtime.varints import VarintLayout

from .varint import Varint

_GLOBAL_BITMAP_FOOTER_OFS_NULL_ROWS = Numbers(
    ">QIQIQIII",
    Field("ofs_null_rows", "global_bitmap_index/types/global_bitmap_footer/seq/0", ">Q"),
    Field("len_null_rows", "global_bitmap_index/types/global_bitmap_footer/seq/1", ">I"),
    Field("ofs_non_null_rows", "global_bitmap_index/types/global_bitmap_footer/seq/2", ">Q"),
    Field("len_non_null_rows", "global_bitmap_index/types/global_bitmap_footer/seq/3", ">I"),
    Field("ofs_directory", "global_bitmap_index/types/global_bitmap_footer/seq/4", ">Q"),
    Field("len_directory", "global_bitmap_index/types/global_bitmap_footer/seq/5", ">I"),
    Field("num_values", "global_bitmap_index/types/global_bitmap_footer/seq/6", ">I"),
    Field("version", "global_bitmap_index/types/global_bitmap_footer/seq/7", ">I", equal=1),
)
GLOBAL_BITMAP_BLOCK_REF = VarintLayout(("key", True), ("ofs_body", False), ("len_body", False))
GLOBAL_BITMAP_VALUE = VarintLayout(("key", True), ("ofs_rows", False), ("len_rows", False))


class GlobalBitmapFooter:
    """A `global_bitmap_footer`."""

    __slots__ = (
        "end", "len_directory", "len_non_null_rows", "len_null_rows", "magic", "num_values",
        "ofs_directory", "ofs_non_null_rows", "ofs_null_rows", "version",
    )  # fmt: skip
    len_footer = 48
    """Length of the footer."""
    len_trailer = 5
    """Length of the trailer of a block."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 44:
            raise _GLOBAL_BITMAP_FOOTER_OFS_NULL_ROWS.broken(d, start, p, self)
        (
            self.ofs_null_rows, self.len_null_rows, self.ofs_non_null_rows,
            self.len_non_null_rows, self.ofs_directory, self.len_directory, self.num_values,
            self.version,
        ) = _GLOBAL_BITMAP_FOOTER_OFS_NULL_ROWS.unpack_from(d, p)  # fmt: skip
        if self.version != 1:
            raise _GLOBAL_BITMAP_FOOTER_OFS_NULL_ROWS.broken(d, start, p, self)
        p += 44
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"BGIX":
            raise wrong(
                "the field magic is not b'BGIX'",
                start + p,
                "global_bitmap_index/types/global_bitmap_footer/seq/8",
                self.magic,
            )
        p = q
        self.end = start + p


class GlobalBitmapDirectory:
    """A `global_bitmap_directory`."""

    __slots__ = ("blocks_key", "blocks_len_body", "blocks_ofs_body", "end", "num_blocks")

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        self.num_blocks = Varint(d, start, p)
        p = self.num_blocks.end - start
        (p, self.blocks_key, self.blocks_ofs_body, self.blocks_len_body) = (
            GLOBAL_BITMAP_BLOCK_REF.read(d, start, p, self.num_blocks.value, arrays)
        )
        self.end = start + p

    def place_blocks_body(self, i: Any) -> Any:
        """Return where the `body` of record i is: (position, size or None)."""
        return self.blocks_ofs_body[i], self.blocks_len_body[i] + 5


class GlobalBitmapDictionary:
    """A `global_bitmap_dictionary`."""

    __slots__ = ("end", "num_values", "values_key", "values_len_rows", "values_ofs_rows")

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        self.num_values = Varint(d, start, p)
        p = self.num_values.end - start
        (
            p, self.values_key, self.values_ofs_rows, self.values_len_rows,
        ) = GLOBAL_BITMAP_VALUE.read(d, start, p, self.num_values.value, arrays)  # fmt: skip
        self.end = start + p

    def place_values_rows(self, i: Any) -> Any:
        """Return where the `rows` of record i is: (position, size or None)."""
        return self.values_ofs_rows[i], self.values_len_rows[i]
