# Generated from specs/blob_file.ksy by `ksykit generate`. Do not edit.
"""The types of blob_file: their objects are read, made, changed and written.

Blob file of a Paimon table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4LE, S8LE, U1, U4LE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class BlobFile(Struct, of="blob_file"):
    """The values of one BLOB column: an entry for each value, and an index of the entries'
    lengths."""

    footer: Nested[BlobFooter] = Object(
        "blob_footer", looked=True, at=lambda s: s._io.size - 5, from_end=True
    )
    index: Nested[BlobIndex] = Object(
        "blob_index",
        size="footer.len_index",
        at=lambda s: s._io.size - 5 - s.footer.len_index,
        from_end=True,
        measured=True,
    )
    _derived: ClassVar = {
        "footer.len_index": Measure("length", "index"),
    }


class BlobFooter(Struct, of="blob_footer"):
    """A `blob_footer`."""

    len_index: One[int] = Number(S4LE, least=0)
    version: One[int] = Number(U1, equal=1)
    len_footer = Value(5)


class BlobIndex(Struct, of="blob_index"):
    """A `blob_index`."""

    rows: Many[BlobRow] = Repeat(
        Object(
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
    )


class BlobRow(Struct, of="blob_row"):
    """The value in a row, by the length of its entry."""

    len_before: One[int] = Param(range(16))
    ofs_entry: One[int] = Param((0,))
    difference: Nested[Varint] = Object(
        "varint",
        looked=True,
        examples=(0, 1, 3, 32, 34, 90),
        inner=("groups.group", "groups.half_before", "groups.scale"),
    )
    entry: MaybeNested[BlobEntry] = Object(
        "blob_entry",
        args={"len_data": lambda s, i: s.len_entry - 16},
        at="ofs_entry",
        stream="_root._io",
        when=lambda s: s.len_entry >= 16,
        needs_parent=True,
        first=True,
    )
    len_entry = Value(lambda s: s.len_before + s.difference.zigzag)
    ofs_next = Value(lambda s: s.ofs_entry if s.len_entry < 0 else s.ofs_entry + s.len_entry)


class BlobEntry(Struct, of="blob_entry"):
    """A `blob_entry`."""

    len_data: One[int] = Param(range(16))
    magic: One[bytes] = Bytes(contents=b"\xcf\x11NX", measured=True)
    data: One[bytes] = Bytes(size="len_data", measured=True)
    len_entry: One[int] = Number(
        S8LE, value=lambda s: s._length("data") + 16, measured=True, role="length"
    )
    crc32: One[int] = Number(
        U4LE, value=lambda s: s._crc32("magic", "data", "len_entry"), role="checksum"
    )
    null_length = Value(-1)
    placeholder_length = Value(-2)


class BlobCollection(Struct, of="blob_collection"):
    """A value of an array or a map, whose elements are BLOBs."""

    kind: One[int] = Number(U4LE, any_of=(1094861634, 1296188226), enum="blob_file.CollectionKind")
    version: One[int] = Number(U1, equal=1)
    num_values: One[int] = Number(S4LE, least=0)
    content: One[bytes] = Bytes()


make_blob_file = BlobFile
make_blob_footer = BlobFooter
make_blob_index = BlobIndex
make_blob_row = BlobRow
make_blob_entry = BlobEntry
make_blob_collection = BlobCollection
