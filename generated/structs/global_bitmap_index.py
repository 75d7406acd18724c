# Generated from specs/global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""The types of global_bitmap_index: their objects are read, made, changed and written.

Bitmap global index of a Paimon table, version 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import U1, U4BE, U4LE, U8BE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Nested,
    Number,
    Object,
    One,
    Repeat,
    Switch,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .roaring_bitmap_64 import RoaringBitmap64
    from .varint import Varint


class GlobalBitmapIndex(Struct, of="global_bitmap_index"):
    """A file of a global index of the type `bitmap` or `multivalue`, since Paimon 2.0: a bitmap
    of rows for each value, and a dictionary of the values in blocks."""

    footer: Nested[GlobalBitmapFooter] = Object(
        "global_bitmap_footer", looked=True, at=lambda s: s._io.size - 48, from_end=True
    )
    null_rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", size="footer.len_null_rows", at="footer.ofs_null_rows", measured=True
    )
    non_null_rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64",
        size="footer.len_non_null_rows",
        at="footer.ofs_non_null_rows",
        measured=True,
    )
    directory: Nested[GlobalBitmapDirectoryBlock] = Object(
        "global_bitmap_directory_block",
        size=lambda s: s.footer.len_directory + 5,
        looked=True,
        at="footer.ofs_directory",
        measured=True,
    )
    _derived: ClassVar = {
        "footer.len_null_rows": Measure("length", "null_rows"),
        "footer.ofs_null_rows": Measure("position", "null_rows"),
        "footer.len_non_null_rows": Measure("length", "non_null_rows"),
        "footer.ofs_non_null_rows": Measure("position", "non_null_rows"),
        "footer.len_directory": Measure("length", "directory", lambda s, n: n - 5),
        "footer.ofs_directory": Measure("position", "directory"),
    }


class GlobalBitmapFooter(Struct, of="global_bitmap_footer"):
    """A `global_bitmap_footer`."""

    ofs_null_rows: One[int] = Number(U8BE, value=0)
    len_null_rows: One[int] = Number(U4BE)
    ofs_non_null_rows: One[int] = Number(U8BE, value="len_null_rows")
    len_non_null_rows: One[int] = Number(U4BE)
    ofs_directory: One[int] = Number(U8BE)
    len_directory: One[int] = Number(U4BE)
    num_values: One[int] = Number(U4BE)
    version: One[int] = Number(U4BE, equal=1)
    magic: One[bytes] = Bytes(contents=b"BGIX")
    len_footer = Value(48)
    len_trailer = Value(5)


class GlobalBitmapDirectoryBlock(Struct, of="global_bitmap_directory_block"):
    """A `compressed_block`, whose content is shown if it is not compressed."""

    compression: One[int] = Number(
        U1,
        enum="compressed_block.BlockCompression",
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    )
    content: One[Any] = Switch(
        "compression",
        {
            0: Object("global_bitmap_directory", size=lambda s: s._io.size - 5),
            1: Object("zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("lz_payload", size=lambda s: s._io.size - 5),
            3: Object("lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes(size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    )
    crc32: One[int] = Number(
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    )


class GlobalBitmapDirectory(Struct, of="global_bitmap_directory"):
    """A `global_bitmap_directory`."""

    num_blocks: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    blocks: Many[GlobalBitmapBlockRef] = Repeat(
        Object("global_bitmap_block_ref", looked=True), count="num_blocks.value", ascending="key"
    )
    _derived: ClassVar = {
        "num_blocks.value": Measure("count", "blocks"),
    }


class GlobalBitmapBlockRef(Struct, of="global_bitmap_block_ref"):
    """A `global_bitmap_block_ref`."""

    len_key: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    ofs_body: Nested[Varint] = Object("varint", looked=True)
    len_body: Nested[Varint] = Object("varint", looked=True, role="length")
    body: Nested[GlobalBitmapDictionaryBlock] = Object(
        "global_bitmap_dictionary_block",
        size=lambda s: s.len_body.value + 5,
        at="ofs_body.value",
        stream="_root._io",
        measured=True,
        needs_parent=True,
        first=True,
    )
    _derived: ClassVar = {
        "len_key.value": Measure("length", "key"),
        "len_body.value": Measure("length", "body", lambda s, n: n - 5),
        "ofs_body.value": Measure("position", "body"),
    }


class GlobalBitmapDictionaryBlock(Struct, of="global_bitmap_dictionary_block"):
    """A `compressed_block`, whose content is shown if it is not compressed."""

    compression: One[int] = Number(
        U1,
        enum="compressed_block.BlockCompression",
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    )
    content: One[Any] = Switch(
        "compression",
        {
            0: Object("global_bitmap_dictionary", size=lambda s: s._io.size - 5),
            1: Object("zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("lz_payload", size=lambda s: s._io.size - 5),
            3: Object("lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes(size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    )
    crc32: One[int] = Number(
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    )


class GlobalBitmapDictionary(Struct, of="global_bitmap_dictionary"):
    """A `global_bitmap_dictionary`."""

    num_values: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    values: Many[GlobalBitmapValue] = Repeat(
        Object("global_bitmap_value"), count="num_values.value", ascending="key"
    )
    _derived: ClassVar = {
        "num_values.value": Measure("count", "values"),
    }


class GlobalBitmapValue(Struct, of="global_bitmap_value"):
    """A `global_bitmap_value`."""

    len_key: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    ofs_rows: Nested[Varint] = Object("varint", looked=True)
    len_rows: Nested[Varint] = Object("varint", looked=True, role="length")
    rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64",
        size="len_rows.value",
        looked=True,
        at="ofs_rows.value",
        stream="_root._io",
        measured=True,
        needs_parent=True,
        first=True,
    )
    _derived: ClassVar = {
        "len_key.value": Measure("length", "key"),
        "len_rows.value": Measure("length", "rows"),
        "ofs_rows.value": Measure("position", "rows"),
    }


make_global_bitmap_index = GlobalBitmapIndex
make_global_bitmap_footer = GlobalBitmapFooter
make_global_bitmap_directory_block = GlobalBitmapDirectoryBlock
make_global_bitmap_directory = GlobalBitmapDirectory
make_global_bitmap_block_ref = GlobalBitmapBlockRef
make_global_bitmap_dictionary_block = GlobalBitmapDictionaryBlock
make_global_bitmap_dictionary = GlobalBitmapDictionary
make_global_bitmap_value = GlobalBitmapValue
