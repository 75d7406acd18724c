# Generated from specs/blob_file.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of blob_file.

Blob file of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4LE, S8LE, U1, U4LE

from ..parsers.blob_file import BlobFile

BLOB_FILE_TYPE = Type(
    BlobFile,
    "blob_file",
    Object("footer", "blob_footer", looked=True, at=lambda s: s._io.size - 5, from_end=True),
    Object(
        "index",
        "blob_index",
        size="footer.len_index",
        at=lambda s: s._io.size - 5 - s.footer.len_index,
        from_end=True,
        measured=True,
    ),
    computed={
        "footer.len_index": Measure("length", "index"),
    },
)

make_blob_file = BLOB_FILE_TYPE.make


BLOB_FOOTER_TYPE = Type(
    BlobFile.BlobFooter,
    "blob_footer",
    Number("len_index", S4LE, least=0),
    Number("version", U1, equal=1),
    values={
        "len_footer": 5,
    },
)

make_blob_footer = BLOB_FOOTER_TYPE.make


BLOB_INDEX_TYPE = Type(
    BlobFile.BlobIndex,
    "blob_index",
    Repeat(
        Object(
            "rows",
            "blob_row",
            args={
                "len_before": lambda s, i: 0 if i == 0 else s.rows[i - 1].len_entry,
                "ofs_entry": lambda s, i: 0 if i == 0 else s.rows[i - 1].ofs_next,
            },
            looked=True,
            inner=(
                "difference.groups.group",
                "difference.groups.half_before",
                "difference.groups.scale",
                "len_before",
            ),
        )
    ),
)

make_blob_index = BLOB_INDEX_TYPE.make


BLOB_ROW_TYPE = Type(
    BlobFile.BlobRow,
    "blob_row",
    Object(
        "difference",
        "varint",
        looked=True,
        examples=(0, 1, 3, 32, 34, 90),
        inner=("groups.group", "groups.half_before", "groups.scale"),
    ),
    Object(
        "entry",
        "blob_entry",
        args={"len_data": lambda s, i: s.len_entry - 16},
        at="ofs_entry",
        stream="_root._io",
        when=lambda s: s.len_entry >= 16,
        needs_parent=True,
        first=True,
    ),
    params={"len_before": range(16), "ofs_entry": (0,)},
    values={
        "len_entry": lambda s: s.len_before + s.difference.zigzag,
        "ofs_next": lambda s: s.ofs_entry if s.len_entry < 0 else s.ofs_entry + s.len_entry,
    },
)

make_blob_row = BLOB_ROW_TYPE.make


BLOB_ENTRY_TYPE = Type(
    BlobFile.BlobEntry,
    "blob_entry",
    Bytes("magic", contents=b"\xcf\x11NX", measured=True),
    Bytes("data", size="len_data", measured=True),
    Number("len_entry", S8LE, value=lambda s: s._length("data") + 16, measured=True, role="length"),
    Number("crc32", U4LE, value=lambda s: s._crc32("magic", "data", "len_entry"), role="checksum"),
    params={"len_data": range(16)},
    values={
        "null_length": -1,
        "placeholder_length": -2,
    },
)

make_blob_entry = BLOB_ENTRY_TYPE.make


BLOB_COLLECTION_TYPE = Type(
    BlobFile.BlobCollection,
    "blob_collection",
    Number("kind", U4LE, any_of=(1094861634, 1296188226)),
    Number("version", U1, equal=1),
    Number("num_values", S4LE, least=0),
    Bytes("content"),
)

make_blob_collection = BLOB_COLLECTION_TYPE.make
