# Generated from specs/deletion_vectors.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of deletion_vectors.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE, U1, U4BE

from ..parsers.deletion_vectors import DeletionVectors
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64

DELETION_VECTORS_TYPE = Type(
    DeletionVectors,
    "deletion_vectors",
    Number("version", U1, equal=1),
    Objects("vectors", "deletion_vector"),
)


def make_deletion_vectors(
    *,
    version: int | None = None,
    vectors: Sequence[DeletionVectors.DeletionVector | bytes] | None = None,
) -> Any:
    """Return a new `deletion_vectors`; what is None is computed when it is written.

    The deleted rows of data files: one vector for each data file. The file does
    not contain the names of the data files. Instead, the table's index manifest
    lists the data file, offset, length and number of rows of each vector.

    A file may contain vectors of both kinds. The meaning of the length in the
    index manifest depends on the kind. For 32 bits, it is `len_data`. For 64
    bits, it is the length of the whole vector, `len_data` + 8.
    """
    return DELETION_VECTORS_TYPE.new(locals())


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


def make_deletion_vector(
    *,
    len_data: int | None = None,
    data: DeletionVectors.DeletionVectorData | bytes | None = None,
    crc32: int | None = None,
) -> Any:
    """Return a new `deletion_vector`; what is None is computed when it is written."""
    return DELETION_VECTOR_TYPE.new(locals())


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
    deciding=None,
)


def make_deletion_vector_data(
    *,
    kind: int | None = None,
    bitmap_32: RoaringBitmap32 | bytes | None = None,
    bitmap_64: RoaringBitmap64 | bytes | None = None,
) -> Any:
    """Return a new `deletion_vector_data`; what is None is computed when it is written."""
    return DELETION_VECTOR_DATA_TYPE.new(locals())
