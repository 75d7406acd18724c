# Generated from specs/bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bitmap_index.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Number, Object, Type
from ksykit.runtime.json_values import U1

from ..parsers.bitmap_index import BitmapIndex

BITMAP_INDEX_TYPE = Type(
    BitmapIndex,
    "bitmap_index",
    Number("version", U1, any_of=(1, 2)),
    Object(
        "v1", "bitmap_index_v1", args={"column_type": "column_type"}, when=lambda s: s.version == 1
    ),
    Object(
        "v2", "bitmap_index_v2", args={"column_type": "column_type"}, when=lambda s: s.version == 2
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
)

make_bitmap_index = BITMAP_INDEX_TYPE.make
