# Generated from specs/deletion_vectors.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of deletion_vectors.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1, U4BE

from ..parsers.deletion_vectors import DeletionVectors

DELETION_VECTORS_TYPE = Type(
    DeletionVectors,
    "deletion_vectors",
    Number("version", U1, equal=1),
    Repeat(Object("vectors", "deletion_vector")),
)

make_deletion_vectors = DELETION_VECTORS_TYPE.make


DELETION_VECTOR_TYPE = Type(
    DeletionVectors.DeletionVector,
    "deletion_vector",
    Number("len_data", S4BE, least=12),
    Object("data", "deletion_vector_data", size="len_data", measured=True),
    Number("crc32", U4BE, value=lambda s: s._crc32("data"), role="checksum"),
    computed={
        "len_data": Measure("length", "data"),
    },
)

make_deletion_vector = DELETION_VECTOR_TYPE.make


DELETION_VECTOR_DATA_TYPE = Type(
    DeletionVectors.DeletionVectorData,
    "deletion_vector_data",
    Number(
        "kind",
        U4BE,
        any_of=(1581511376, 3520280932),
        value=lambda s: 1581511376 if s._is_set("bitmap_32") else 3520280932,
        decides=True,
    ),
    Object("bitmap_32", "roaring_bitmap_32", when=lambda s: s.kind == 1581511376),
    Object("bitmap_64", "roaring_bitmap_64", when=lambda s: s.kind == 3520280932),
)

make_deletion_vector_data = DELETION_VECTOR_DATA_TYPE.make
