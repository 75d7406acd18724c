# Generated from blob_file.ksy by `ksykit generate`. Do not edit.
"""Views of blob_file: Blob file of a Paimon table."""

from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.records import Buffer, Field, Numbers, cut, wrong

CollectionKind = IntEnum("CollectionKind", {"array": 1094861634, "map": 1296188226})
_BLOB_FOOTER_LEN_INDEX = Numbers(
    "<iB",
    Field("len_index", "blob_file/types/blob_footer/seq/0", "<i", least=0),
    Field("version", "blob_file/types/blob_footer/seq/1", "<B", equal=1),
)
_BLOB_ENTRY_LEN_ENTRY = Numbers(
    "<qI",
    Field("len_entry", "blob_file/types/blob_entry/seq/2", "<q"),
    Field("crc32", "blob_file/types/blob_entry/seq/3", "<I"),
)
_BLOB_ENTRY_TAIL_LEN_ENTRY = Numbers(
    "<qI",
    Field("len_entry", "blob_file/types/blob_entry/seq/2", "<q"),
    Field("crc32", "blob_file/types/blob_entry/seq/3", "<I"),
)
_BLOB_COLLECTION_HEAD_KIND = Numbers(
    "<IBi",
    Field("kind", "blob_file/types/blob_collection/seq/0", "<I", any_of=[1094861634, 1296188226]),
    Field("version", "blob_file/types/blob_collection/seq/1", "<B", equal=1),
    Field("num_values", "blob_file/types/blob_collection/seq/2", "<i", least=0),
)


class BlobFooter:
    """A `blob_footer`."""

    __slots__ = ("end", "len_index", "version")
    len_footer = 5
    """Size of the footer in bytes."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 5:
            raise _BLOB_FOOTER_LEN_INDEX.broken(d, start, p, self)
        (self.len_index, self.version) = _BLOB_FOOTER_LEN_INDEX.unpack_from(d, p)
        if self.len_index < 0 or self.version != 1:
            raise _BLOB_FOOTER_LEN_INDEX.broken(d, start, p, self)
        p += 5
        self.end = start + p


class BlobEntry:
    """A `blob_entry`."""

    __slots__ = ("crc32", "data", "end", "len_data", "len_entry", "magic")
    null_length = -1
    """The length in the index of a null."""
    placeholder_length = -2
    """The length in the index of a placeholder."""

    def __init__(self, d: Buffer, start: int, p: int, len_data: int) -> None:
        self.len_data = len_data
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"\xcf\x11NX":
            raise wrong(
                "the field magic is not b'\\xcf\\x11NX'",
                start + p,
                "blob_file/types/blob_entry/seq/0",
                self.magic,
            )
        p = q
        q = p + self.len_data
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.data = d[p:q]
        p = q
        if not 0 <= p <= len(d) - 12:
            raise _BLOB_ENTRY_LEN_ENTRY.broken(d, start, p, self)
        (self.len_entry, self.crc32) = _BLOB_ENTRY_LEN_ENTRY.unpack_from(d, p)
        p += 12
        self.end = start + p


class BlobEntryHead:
    """A `blob_entry_head`."""

    __slots__ = ("end", "len_data", "magic")
    null_length = -1
    """The length in the index of a null."""
    placeholder_length = -2
    """The length in the index of a placeholder."""

    def __init__(self, d: Buffer, start: int, p: int, len_data: int) -> None:
        self.len_data = len_data
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"\xcf\x11NX":
            raise wrong(
                "the field magic is not b'\\xcf\\x11NX'",
                start + p,
                "blob_file/types/blob_entry/seq/0",
                self.magic,
            )
        p = q
        self.end = start + p


class BlobEntryTail:
    """A `blob_entry_tail`."""

    __slots__ = ("crc32", "end", "len_data", "len_entry")
    null_length = -1
    """The length in the index of a null."""
    placeholder_length = -2
    """The length in the index of a placeholder."""

    def __init__(self, d: Buffer, start: int, p: int, len_data: int) -> None:
        self.len_data = len_data
        if not 0 <= p <= len(d) - 12:
            raise _BLOB_ENTRY_TAIL_LEN_ENTRY.broken(d, start, p, self)
        (self.len_entry, self.crc32) = _BLOB_ENTRY_TAIL_LEN_ENTRY.unpack_from(d, p)
        p += 12
        self.end = start + p


class BlobEntryPlaces(NamedTuple):
    """Where the fields of a `blob_entry` start, and where it ends."""

    magic: Any
    data: Any
    len_entry: Any
    crc32: Any
    end: Any


def places_blob_entry(len_data: Any) -> BlobEntryPlaces:
    """Return where the fields of a `blob_entry` start, for ints or arrays of int64."""
    return BlobEntryPlaces(*accumulate([4, len_data, 8, 4], initial=0))


class BlobCollectionHead:
    """A value of an array or a map, whose elements are BLOBs."""

    __slots__ = ("end", "kind", "num_values", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 9:
            raise _BLOB_COLLECTION_HEAD_KIND.broken(d, start, p, self)
        (self.kind, self.version, self.num_values) = _BLOB_COLLECTION_HEAD_KIND.unpack_from(d, p)
        if self.kind not in (1094861634, 1296188226) or self.version != 1 or self.num_values < 0:
            raise _BLOB_COLLECTION_HEAD_KIND.broken(d, start, p, self)
        p += 9
        self.end = start + p
