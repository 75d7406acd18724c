# Generated from blob_file.ksy by `ksykit generate`. Do not edit.
"""Objects of blob_file: Blob file of a Paimon table."""

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
    lengths.

    Attributes:
        footer: The last bytes of the file.
        index: The length of each entry.
    """

    footer: Nested[BlobFooter] = Object(
        "blob_footer", looked=True, at=lambda s: s._io.size - 5, from_end=True,
    )  # fmt: skip
    index: Nested[BlobIndex] = Object(
        "blob_index", size="footer.len_index",
        at=lambda s: s._io.size - 5 - s.footer.len_index, from_end=True, measured=True,
    )  # fmt: skip
    _derived: ClassVar = {"footer.len_index": Measure("length", "index")}


class BlobFooter(Struct, of="blob_footer"):
    """A `blob_footer`.

    Attributes:
        len_index: Size of the index in bytes.
        len_footer: Size of the footer in bytes.
    """

    len_index: One[int] = Number(S4LE, least=0)
    version: One[int] = Number(U1, equal=1)
    len_footer = Value(5)


class BlobIndex(Struct, of="blob_index"):
    """A `blob_index`.

    Attributes:
        rows: A length for each row of the file.
    """

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
    """The value in a row, by the length of its entry.

    Attributes:
        len_before: The length in the row before, or 0 in the first row.
        ofs_entry: The end of the last entry before this row.
        difference: The length minus that in the row before, with the sign in the lowest bit.
        entry: The value, unless it is null or a placeholder.
        len_entry: The length of the entry in bytes, or a negative number (`blob_entry`).
        ofs_next: The end of the entry in the file.
    """

    len_before: One[int] = Param(range(16))
    ofs_entry: One[int] = Param((0,))
    difference: Nested[Varint] = Object(
        "varint", looked=True, examples=(0, 1, 3, 32, 34, 90),
        inner=("groups.group", "groups.half_before", "groups.scale"),
    )  # fmt: skip
    entry: MaybeNested[BlobEntry] = Object(
        "blob_entry", args={"len_data": lambda s, i: s.len_entry - 16}, at="ofs_entry",
        stream="_root._io", when=lambda s: s.len_entry >= 16, needs_parent=True, first=True,
    )  # fmt: skip
    len_entry = Value(lambda s: s.len_before + s.difference.zigzag)
    ofs_next = Value(lambda s: s.ofs_entry if s.len_entry < 0 else s.ofs_entry + s.len_entry)


class BlobEntry(Struct, of="blob_entry"):
    """A `blob_entry`.

    Attributes:
        len_data: Size of the value in bytes.
        magic: The number 1481511375.
        data: The value; of an array or a map, a `blob_collection`.
        len_entry: The length of the entry in bytes, as in the index.
        crc32: zlib's CRC-32 of everything before it.
        null_length: The length in the index of a null.
        placeholder_length: The length in the index of a placeholder.
    """

    len_data: One[int] = Param(range(16))
    magic: One[bytes] = Bytes(contents=b"\xcf\x11NX", measured=True)
    data: One[bytes] = Bytes(size="len_data", measured=True)
    len_entry: One[int] = Number(
        S8LE, value=lambda s: s._length("data") + 16, measured=True, role="length",
    )  # fmt: skip
    crc32: One[int] = Number(
        U4LE, value=lambda s: s._crc32("magic", "data", "len_entry"), role="checksum",
    )  # fmt: skip
    null_length = Value(-1)
    placeholder_length = Value(-2)


class BlobCollection(Struct, of="blob_collection"):
    """A value of an array or a map, whose elements are BLOBs.

    Attributes:
        kind: The magic number.
        num_values: Number of elements of the array, or of entries of the map.
        content: The elements, and their lengths.
    """

    kind: One[int] = Number(
        U4LE, any_of=(1094861634, 1296188226), enum="blob_file.CollectionKind",
    )  # fmt: skip
    version: One[int] = Number(U1, equal=1)
    num_values: One[int] = Number(S4LE, least=0)
    content: One[bytes] = Bytes()


make_blob_file = BlobFile
make_blob_footer = BlobFooter
make_blob_index = BlobIndex
make_blob_row = BlobRow
make_blob_entry = BlobEntry
make_blob_collection = BlobCollection
