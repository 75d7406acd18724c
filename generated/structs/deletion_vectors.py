# Generated from deletion_vectors.ksy by `ksykit generate`. Do not edit.
"""Objects of deletion_vectors: Deletion vectors of Paimon data files."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1, U4BE
from ksykit.runtime.rows import Many, MaybeNested, Nested, Number, Object, One, Repeat
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .roaring_bitmap_32 import RoaringBitmap32
    from .roaring_bitmap_64 import RoaringBitmap64


class DeletionVectors(Struct, of="deletion_vectors"):
    """The deleted rows of data files: one vector for each data file.

    Attributes:
        vectors: A vector for each data file.
    """

    version: One[int] = Number(U1, equal=1)
    vectors: Many[DeletionVector] = Repeat(Object("deletion_vector"))


class DeletionVector(Struct, of="deletion_vector"):
    """A `deletion_vector`.

    Attributes:
        data: The kind of the vector, and the deleted rows.
        crc32: zlib's CRC-32 of `data`.
    """

    len_data: One[int] = Number(S4BE, least=12)
    data: Nested[DeletionVectorData] = Object(
        "deletion_vector_data", size="len_data", measured=True,
    )  # fmt: skip
    crc32: One[int] = Number(U4BE, value=lambda s: s._crc32("data"), role="checksum")
    _derived: ClassVar = {"len_data": Measure("length", "data")}


class DeletionVectorData(Struct, of="deletion_vector_data"):
    """A `deletion_vector_data`.

    Attributes:
        kind: The magic number, which states the width of positions.
        bitmap_32: Positions of the deleted rows, counted from 0.
        bitmap_64: Positions of the deleted rows, counted from 0.
    """

    kind: One[int] = Number(
        U4BE, any_of=(1581511376, 3520280932),
        value=lambda s: 1581511376 if s._is_set("bitmap_32") else 3520280932,
        enum="deletion_vectors.VectorKind", decides=True,
    )  # fmt: skip
    bitmap_32: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", when=lambda s: s.kind == 1581511376,
    )  # fmt: skip
    bitmap_64: MaybeNested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", when=lambda s: s.kind == 3520280932,
    )  # fmt: skip


make_deletion_vectors = DeletionVectors
make_deletion_vector = DeletionVector
make_deletion_vector_data = DeletionVectorData
