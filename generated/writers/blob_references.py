# Generated from specs/blob_references.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of blob_references.

References to blob files of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1, U4BE

from ..parsers.blob_references import BlobReferences

BLOB_REFERENCES_TYPE = Type(
    BlobReferences,
    "blob_references",
    Bytes("magic", contents=b"PBLR"),
    Object("content", "blob_reference_list", measured=True),
    Number("crc32", U4BE, value=lambda s: s._crc32("content"), role="checksum"),
)

make_blob_references = BLOB_REFERENCES_TYPE.make


BLOB_REFERENCE_LIST_TYPE = Type(
    BlobReferences.BlobReferenceList,
    "blob_reference_list",
    Number("version", U1, equal=1),
    Number("num_references", S4BE, least=0, small=True),
    Repeat(Object("references", "blob_reference"), count="num_references"),
    computed={
        "num_references": Measure("count", "references"),
    },
)

make_blob_reference_list = BLOB_REFERENCE_LIST_TYPE.make


BLOB_REFERENCE_TYPE = Type(
    BlobReferences.BlobReference,
    "blob_reference",
    Object("root", "java_utf8"),
    Object("name", "java_utf8"),
)

make_blob_reference = BLOB_REFERENCE_TYPE.make
