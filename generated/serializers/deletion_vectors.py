# Generated from specs/deletion_vectors.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of deletion_vectors.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from typing import Any

from ..parsers.deletion_vectors import DeletionVectors
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64
from ..runtime import S4BE, U1, U4BE, Item, RecordArray, Scope, Type, new


def make_deletion_vectors(
    *,
    version: int | None = None,
    vectors: list[DeletionVectors.DeletionVector] | RecordArray | None = None,
) -> Any:
    """A new `deletion_vectors`; what is None is computed when it is written.

    The deleted rows of data files: one vector for each data file, one after
    another. The file does not name the data file of a vector. The table's index
    manifest lists offset, length and number of rows of each data file's vector.

    A file may contain vectors of both kinds. The length in the index manifest
    differs by kind. For 32 bits it is `len_data`. For 64 bits it is the length of
    the whole vector, `len_data` + 8.
    """
    return new(
        DeletionVectors,
        {},
        {
            "version": version,
            "vectors": vectors,
        },
        {},
        {},
    )


def write_deletion_vectors(s: Scope) -> None:
    """Writes the fields of a `deletion_vectors`."""
    s.number("version", U1)
    s.objects("vectors", "deletion_vector", {}, None)


def make_deletion_vectors_head(
    *,
    version: int | None = None,
) -> Any:
    """A new `deletion_vectors_head`; what is None is computed when it is written.

    The first field alone, for readers that know the position of a vector.
    """
    return new(
        DeletionVectors.DeletionVectorsHead,
        {},
        {
            "version": version,
        },
        {},
        {},
    )


def write_deletion_vectors_head(s: Scope) -> None:
    """Writes the fields of a `deletion_vectors_head`."""
    s.number("version", U1)


def make_deletion_vector(
    *,
    len_data: int | None = None,
    data: DeletionVectors.DeletionVectorData | bytes | None = None,
    crc32: int | None = None,
) -> Any:
    """A new `deletion_vector`; what is None is computed when it is written."""
    return new(
        DeletionVectors.DeletionVector,
        {},
        {
            "len_data": len_data,
            "data": data,
            "crc32": crc32,
        },
        {},
        {},
    )


def write_deletion_vector(s: Scope) -> None:
    """Writes the fields of a `deletion_vector`."""
    s.number("len_data", S4BE)
    s.object("data", "deletion_vector_data", {}, lambda: s.len_data)
    s.number("crc32", U4BE)


def make_deletion_vector_data(
    *,
    kind: int | None = None,
    bitmap_32: RoaringBitmap32 | bytes | None = None,
    bitmap_64: RoaringBitmap64 | bytes | None = None,
) -> Any:
    """A new `deletion_vector_data`; what is None is computed when it is written."""
    return new(
        DeletionVectors.DeletionVectorData,
        {},
        {
            "kind": kind,
            "bitmap_32": bitmap_32,
            "bitmap_64": bitmap_64,
        },
        {},
        {},
    )


def write_deletion_vector_data(s: Scope) -> None:
    """Writes the fields of a `deletion_vector_data`."""
    s.number("kind", U4BE)
    if s.when("bitmap_32", lambda: s.kind == 1581511376):
        s.object("bitmap_32", "roaring_bitmap_32", {})
    if s.when("bitmap_64", lambda: s.kind == 3520280932):
        s.object("bitmap_64", "roaring_bitmap_64", {})


def make_deletion_vector_start(
    *,
    len_data: int | None = None,
    kind: int | None = None,
) -> Any:
    """A new `deletion_vector_start`; what is None is computed when it is written.

    The fields of a `deletion_vector` before its bitmap. Like
    `deletion_vector_end`, it is another view for code that handles Roaring
    bitmaps in a library, and checks or computes the CRC.
    """
    return new(
        DeletionVectors.DeletionVectorStart,
        {},
        {
            "len_data": len_data,
            "kind": kind,
        },
        {},
        {},
    )


def write_deletion_vector_start(s: Scope) -> None:
    """Writes the fields of a `deletion_vector_start`."""
    s.number("len_data", S4BE)
    s.number("kind", U4BE)


def make_deletion_vector_end(
    *,
    crc32: int | None = None,
) -> Any:
    """A new `deletion_vector_end`; what is None is computed when it is written.

    The field of a `deletion_vector` after its bitmap.
    """
    return new(
        DeletionVectors.DeletionVectorEnd,
        {},
        {
            "crc32": crc32,
        },
        {},
        {},
    )


def write_deletion_vector_end(s: Scope) -> None:
    """Writes the fields of a `deletion_vector_end`."""
    s.number("crc32", U4BE)


TYPES = {
    "deletion_vectors": Type(
        name="deletion_vectors",
        spec="deletion_vectors",
        cls=DeletionVectors,
        params=(),
        items=(
            Item("version", "number", number=U1),
            Item("vectors", "objects", type="deletion_vector"),
        ),
        write=write_deletion_vectors,
        values={},
        unset={
            "version": lambda s: 1,
        },
    ),
    "deletion_vectors_head": Type(
        name="deletion_vectors_head",
        spec="deletion_vectors",
        cls=DeletionVectors.DeletionVectorsHead,
        params=(),
        items=(Item("version", "number", number=U1),),
        write=write_deletion_vectors_head,
        values={},
        unset={
            "version": lambda s: 1,
        },
    ),
    "deletion_vector": Type(
        name="deletion_vector",
        spec="deletion_vectors",
        cls=DeletionVectors.DeletionVector,
        params=(),
        items=(
            Item("len_data", "number", number=S4BE),
            Item("data", "object", type="deletion_vector_data"),
            Item("crc32", "number", number=U4BE),
        ),
        write=write_deletion_vector,
        values={},
        unset={
            "len_data": lambda s: s._length("data"),
            "crc32": lambda s: s._crc32("data"),
        },
    ),
    "deletion_vector_data": Type(
        name="deletion_vector_data",
        spec="deletion_vectors",
        cls=DeletionVectors.DeletionVectorData,
        params=(),
        items=(
            Item("kind", "number", number=U4BE),
            Item("bitmap_32", "object", type="roaring_bitmap_32"),
            Item("bitmap_64", "object", type="roaring_bitmap_64"),
        ),
        write=write_deletion_vector_data,
        values={},
        unset={
            "kind": lambda s: 1581511376 if s._is_set("bitmap_32") else 3520280932,
        },
    ),
    "deletion_vector_start": Type(
        name="deletion_vector_start",
        spec="deletion_vectors",
        cls=DeletionVectors.DeletionVectorStart,
        params=(),
        items=(
            Item("len_data", "number", number=S4BE),
            Item("kind", "number", number=U4BE),
        ),
        write=write_deletion_vector_start,
        values={},
        unset={},
    ),
    "deletion_vector_end": Type(
        name="deletion_vector_end",
        spec="deletion_vectors",
        cls=DeletionVectors.DeletionVectorEnd,
        params=(),
        items=(Item("crc32", "number", number=U4BE),),
        write=write_deletion_vector_end,
        values={},
        unset={},
    ),
}
