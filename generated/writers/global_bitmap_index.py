# Generated from specs/global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of global_bitmap_index.

Bitmap global index of a Paimon table, version 1.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Switch, Type
from ksykit.runtime.json_values import U1, U4BE, U4LE, U8BE

from ..parsers.global_bitmap_index import GlobalBitmapIndex

GLOBAL_BITMAP_INDEX_TYPE = Type(
    GlobalBitmapIndex,
    "global_bitmap_index",
    Object(
        "footer", "global_bitmap_footer", looked=True, at=lambda s: s._io.size - 48, from_end=True
    ),
    Object(
        "null_rows",
        "roaring_bitmap_64",
        size="footer.len_null_rows",
        at="footer.ofs_null_rows",
        measured=True,
    ),
    Object(
        "non_null_rows",
        "roaring_bitmap_64",
        size="footer.len_non_null_rows",
        at="footer.ofs_non_null_rows",
        measured=True,
    ),
    Object(
        "directory",
        "global_bitmap_directory_block",
        size=lambda s: s.footer.len_directory + 5,
        looked=True,
        at="footer.ofs_directory",
        measured=True,
    ),
    computed={
        "footer.len_null_rows": Measure("length", "null_rows"),
        "footer.ofs_null_rows": Measure("position", "null_rows"),
        "footer.len_non_null_rows": Measure("length", "non_null_rows"),
        "footer.ofs_non_null_rows": Measure("position", "non_null_rows"),
        "footer.len_directory": Measure("length", "directory", lambda s, n: n - 5),
        "footer.ofs_directory": Measure("position", "directory"),
    },
)

make_global_bitmap_index = GLOBAL_BITMAP_INDEX_TYPE.make


GLOBAL_BITMAP_FOOTER_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapFooter,
    "global_bitmap_footer",
    Number("ofs_null_rows", U8BE, value=0),
    Number("len_null_rows", U4BE),
    Number("ofs_non_null_rows", U8BE, value="len_null_rows"),
    Number("len_non_null_rows", U4BE),
    Number("ofs_directory", U8BE),
    Number("len_directory", U4BE),
    Number("num_values", U4BE),
    Number("version", U4BE, equal=1),
    Bytes("magic", contents=b"BGIX"),
    values={
        "len_footer": 48,
        "len_trailer": 5,
    },
)

make_global_bitmap_footer = GLOBAL_BITMAP_FOOTER_TYPE.make


GLOBAL_BITMAP_DIRECTORY_BLOCK_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapDirectoryBlock,
    "global_bitmap_directory_block",
    Number(
        "compression",
        U1,
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    ),
    Switch(
        "content",
        "compression",
        {
            0: Object("content", "global_bitmap_directory", size=lambda s: s._io.size - 5),
            1: Object("content", "zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            3: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes("content", size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    ),
    Number(
        "crc32",
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    ),
)

make_global_bitmap_directory_block = GLOBAL_BITMAP_DIRECTORY_BLOCK_TYPE.make


GLOBAL_BITMAP_DIRECTORY_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapDirectory,
    "global_bitmap_directory",
    Object(
        "num_blocks",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(
        Object("blocks", "global_bitmap_block_ref", looked=True),
        count="num_blocks.value",
        ascending="key",
    ),
    computed={
        "num_blocks.value": Measure("count", "blocks"),
    },
)

make_global_bitmap_directory = GLOBAL_BITMAP_DIRECTORY_TYPE.make


GLOBAL_BITMAP_BLOCK_REF_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapBlockRef,
    "global_bitmap_block_ref",
    Object(
        "len_key",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("key", size="len_key.value", measured=True),
    Object("ofs_body", "varint", looked=True),
    Object("len_body", "varint", looked=True, role="length"),
    Object(
        "body",
        "global_bitmap_dictionary_block",
        size=lambda s: s.len_body.value + 5,
        at="ofs_body.value",
        stream="_root._io",
        measured=True,
        needs_parent=True,
        first=True,
    ),
    computed={
        "len_key.value": Measure("length", "key"),
        "len_body.value": Measure("length", "body", lambda s, n: n - 5),
        "ofs_body.value": Measure("position", "body"),
    },
)

make_global_bitmap_block_ref = GLOBAL_BITMAP_BLOCK_REF_TYPE.make


GLOBAL_BITMAP_DICTIONARY_BLOCK_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapDictionaryBlock,
    "global_bitmap_dictionary_block",
    Number(
        "compression",
        U1,
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    ),
    Switch(
        "content",
        "compression",
        {
            0: Object("content", "global_bitmap_dictionary", size=lambda s: s._io.size - 5),
            1: Object("content", "zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            3: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes("content", size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    ),
    Number(
        "crc32",
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    ),
)

make_global_bitmap_dictionary_block = GLOBAL_BITMAP_DICTIONARY_BLOCK_TYPE.make


GLOBAL_BITMAP_DICTIONARY_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapDictionary,
    "global_bitmap_dictionary",
    Object(
        "num_values",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(Object("values", "global_bitmap_value"), count="num_values.value", ascending="key"),
    computed={
        "num_values.value": Measure("count", "values"),
    },
)

make_global_bitmap_dictionary = GLOBAL_BITMAP_DICTIONARY_TYPE.make


GLOBAL_BITMAP_VALUE_TYPE = Type(
    GlobalBitmapIndex.GlobalBitmapValue,
    "global_bitmap_value",
    Object(
        "len_key",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("key", size="len_key.value", measured=True),
    Object("ofs_rows", "varint", looked=True),
    Object("len_rows", "varint", looked=True, role="length"),
    Object(
        "rows",
        "roaring_bitmap_64",
        size="len_rows.value",
        looked=True,
        at="ofs_rows.value",
        stream="_root._io",
        measured=True,
        needs_parent=True,
        first=True,
    ),
    computed={
        "len_key.value": Measure("length", "key"),
        "len_rows.value": Measure("length", "rows"),
        "ofs_rows.value": Measure("position", "rows"),
    },
)

make_global_bitmap_value = GLOBAL_BITMAP_VALUE_TYPE.make
