# Generated from blob_references.ksy by `ksykit generate`. Do not edit.
"""Objects of blob_references: References to blob files of a Paimon table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1, U4BE
from ksykit.runtime.rows import Bytes, Many, Nested, Number, Object, One, Repeat
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .java_utf8 import JavaUtf8


class BlobReferences(Struct, of="blob_references"):
    """The blob files (`*.managed.blob`) that a data file of a primary-key table uses, in
    `DATAFILE.blobref` beside it.

    Attributes:
        magic: The letters PBLR.
        content: The references, whose checksum follows.
        crc32: zlib's CRC-32 of `content`.
    """

    magic: One[bytes] = Bytes(contents=b"PBLR")
    content: Nested[BlobReferenceList] = Object("blob_reference_list", measured=True)
    crc32: One[int] = Number(U4BE, value=lambda s: s._crc32("content"), role="checksum")


class BlobReferenceList(Struct, of="blob_reference_list"):
    """A `blob_reference_list`.

    Attributes:
        num_references: Number of blob files.
        references: The blob files, in ascending order.
    """

    version: One[int] = Number(U1, equal=1)
    num_references: One[int] = Number(S4BE, least=0, small=True)
    references: Many[BlobReference] = Repeat(Object("blob_reference"), count="num_references")
    _derived: ClassVar = {"num_references": Measure("count", "references")}


class BlobReference(Struct, of="blob_reference"):
    """A `blob_reference`.

    Attributes:
        root: The folder of the blob file.
        name: Its name in this folder.
    """

    root: Nested[JavaUtf8] = Object("java_utf8")
    name: Nested[JavaUtf8] = Object("java_utf8")


make_blob_references = BlobReferences
make_blob_reference_list = BlobReferenceList
make_blob_reference = BlobReference
