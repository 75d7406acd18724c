# Generated from global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Objects of global_bitmap_index: Bitmap global index of a Paimon table, version 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import U1, U4BE, U4LE, U8BE
from ksykit.runtime.rows import Bytes, Many, Nested, Number, Object, One, Repeat, Switch, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .roaring_bitmap_64 import RoaringBitmap64
    from .varint import Varint


class GlobalBitmapIndex(Struct, of="global_bitmap_index"):
    """A file of a global index of the type `bitmap` or `multivalue`, since Paimon 2.0: a bitmap
    of rows for each value, and a dictionary of the values in blocks.

    Attributes:
        footer: The last 48 bytes.
        null_rows: The rows that are null.
        non_null_rows: All other rows.
        directory: Where the blocks of the dictionary are.
    """

    footer: Nested[GlobalBitmapFooter] = Object(
        "global_bitmap_footer", looked=True, at=lambda s: s._io.size - 48, from_end=True,
    )  # fmt: skip
    null_rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", size="footer.len_null_rows", at="footer.ofs_null_rows",
        measured=True,
    )  # fmt: skip
    non_null_rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", size="footer.len_non_null_rows", at="footer.ofs_non_null_rows",
        measured=True,
    )  # fmt: skip
    directory: Nested[GlobalBitmapDirectoryBlock] = Object(
        "global_bitmap_directory_block", size=lambda s: s.footer.len_directory + 5,
        looked=True, at="footer.ofs_directory", measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "footer.len_null_rows": Measure("length", "null_rows"),
        "footer.ofs_null_rows": Measure("position", "null_rows"),
        "footer.len_non_null_rows": Measure("length", "non_null_rows"),
        "footer.ofs_non_null_rows": Measure("position", "non_null_rows"),
        "footer.len_directory": Measure("length", "directory", lambda s, n: n - 5),
        "footer.ofs_directory": Measure("position", "directory"),
    }


class GlobalBitmapFooter(Struct, of="global_bitmap_footer"):
    """A `global_bitmap_footer`.

    Attributes:
        ofs_null_rows: Where the bitmap of null rows starts.
        len_null_rows: Length of this bitmap in bytes.
        ofs_non_null_rows: Where the bitmap of all other rows starts.
        len_non_null_rows: Length of this bitmap in bytes.
        ofs_directory: Where the block of the directory starts.
        len_directory: Length of this block without its trailer.
        num_values: The number of distinct values.
        magic: Bitmap global index.
        len_footer: Length of the footer.
        len_trailer: Length of the trailer of a block.
    """

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
    """A `compressed_block`, whose content is shown if it is not compressed.

    Attributes:
        compression: How the block is compressed.
        content: The directory.
        crc32: zlib's CRC-32 of the bytes before.
    """

    compression: One[int] = Number(
        U1, enum="compressed_block.BlockCompression", at=lambda s: s._io.size - 5,
        from_end=True, measured=True, likely=(0, 1, 2, 3),
    )  # fmt: skip
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
        U4LE, value=lambda s: s._crc32("content", "compression"), at=lambda s: s._io.size - 4,
        from_end=True, role="checksum",
    )  # fmt: skip


class GlobalBitmapDirectory(Struct, of="global_bitmap_directory"):
    """A `global_bitmap_directory`.

    Attributes:
        blocks: The blocks of the dictionary, in the order of their values.
    """

    num_blocks: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    blocks: Many[GlobalBitmapBlockRef] = Repeat(
        Object("global_bitmap_block_ref", looked=True), count="num_blocks.value",
        ascending="key",
    )  # fmt: skip
    _derived: ClassVar = {"num_blocks.value": Measure("count", "blocks")}


class GlobalBitmapBlockRef(Struct, of="global_bitmap_block_ref"):
    """A `global_bitmap_block_ref`.

    Attributes:
        key: The first value of the block, a `sorted_key`.
        ofs_body: Where the block starts.
        len_body: Length of the block without its trailer.
        body: The block itself.
    """

    len_key: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    ofs_body: Nested[Varint] = Object("varint", looked=True)
    len_body: Nested[Varint] = Object("varint", looked=True, role="length")
    body: Nested[GlobalBitmapDictionaryBlock] = Object(
        "global_bitmap_dictionary_block", size=lambda s: s.len_body.value + 5,
        at="ofs_body.value", stream="_root._io", measured=True, needs_parent=True, first=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_key.value": Measure("length", "key"),
        "len_body.value": Measure("length", "body", lambda s, n: n - 5),
        "ofs_body.value": Measure("position", "body"),
    }


class GlobalBitmapDictionaryBlock(Struct, of="global_bitmap_dictionary_block"):
    """A `compressed_block`, whose content is shown if it is not compressed.

    Attributes:
        compression: How the block is compressed.
        content: A part of the dictionary.
        crc32: zlib's CRC-32 of the bytes before.
    """

    compression: One[int] = Number(
        U1, enum="compressed_block.BlockCompression", at=lambda s: s._io.size - 5,
        from_end=True, measured=True, likely=(0, 1, 2, 3),
    )  # fmt: skip
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
        U4LE, value=lambda s: s._crc32("content", "compression"), at=lambda s: s._io.size - 4,
        from_end=True, role="checksum",
    )  # fmt: skip


class GlobalBitmapDictionary(Struct, of="global_bitmap_dictionary"):
    """A `global_bitmap_dictionary`.

    Attributes:
        values: An entry for each value of the block.
    """

    num_values: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    values: Many[GlobalBitmapValue] = Repeat(
        Object("global_bitmap_value"), count="num_values.value", ascending="key",
    )  # fmt: skip
    _derived: ClassVar = {"num_values.value": Measure("count", "values")}


class GlobalBitmapValue(Struct, of="global_bitmap_value"):
    """A `global_bitmap_value`.

    Attributes:
        key: A distinct value, a `sorted_key`.
        ofs_rows: Where the bitmap starts.
        len_rows: Length of the bitmap in bytes.
        rows: The rows that contain the value.
    """

    len_key: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    ofs_rows: Nested[Varint] = Object("varint", looked=True)
    len_rows: Nested[Varint] = Object("varint", looked=True, role="length")
    rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", size="len_rows.value", looked=True, at="ofs_rows.value",
        stream="_root._io", measured=True, needs_parent=True, first=True,
    )  # fmt: skip
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
