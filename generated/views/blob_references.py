# Generated from blob_references.ksy by `ksykit generate`. Do not edit.
"""Views of blob_references: References to blob files of a Paimon table."""

from typing import Any

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, cut, wrong

from .java_utf8 import JAVA_UTF8

_BLOB_REFERENCE_LIST_VERSION = Numbers(
    ">Bi",
    Field("version", "blob_references/types/blob_reference_list/seq/0", ">B", equal=1),
    Field("num_references", "blob_references/types/blob_reference_list/seq/1", ">i", least=0),
)
_BLOB_REFERENCES_CRC32 = Numbers(">I", Field("crc32", "blob_references/seq/2", ">I"))


class BlobReference:
    """A `blob_reference`."""

    __slots__ = ("end", "name", "root")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.root, p = JAVA_UTF8.one(d, start, p)
        self.name, p = JAVA_UTF8.one(d, start, p)
        self.end = start + p


class BlobReferenceList:
    """A `blob_reference_list`."""

    __slots__ = ("end", "num_references", "references", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 5:
            raise _BLOB_REFERENCE_LIST_VERSION.broken(d, start, p, self)
        (self.version, self.num_references) = _BLOB_REFERENCE_LIST_VERSION.unpack_from(d, p)
        if self.version != 1 or self.num_references < 0:
            raise _BLOB_REFERENCE_LIST_VERSION.broken(d, start, p, self)
        p += 5
        self.references: list[Any] = []
        first = p
        for _ in range(self.num_references):
            item = BlobReference(d, start, p)
            p = item.end - start
            self.references.append(item)
            if len(self.references) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        self.end = start + p


class BlobReferences:
    """The blob files (`*.managed.blob`) that a data file of a primary-key table uses, in
    `DATAFILE.blobref` beside it."""

    __slots__ = ("content", "crc32", "end", "magic")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"PBLR":
            raise wrong(
                "the field magic is not b'PBLR'", start + p, "blob_references/seq/0", self.magic
            )
        p = q
        self.content = BlobReferenceList(d, start, p)
        p = self.content.end - start
        if not 0 <= p <= len(d) - 4:
            raise _BLOB_REFERENCES_CRC32.broken(d, start, p, self)
        (self.crc32,) = _BLOB_REFERENCES_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p
