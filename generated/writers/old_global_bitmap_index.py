# Generated from specs/old_global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of old_global_bitmap_index.

Bitmap global index of a Paimon table, of Paimon 1.4.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.old_global_bitmap_index import OldGlobalBitmapIndex

OLD_GLOBAL_BITMAP_INDEX_TYPE = Type(
    OldGlobalBitmapIndex,
    "old_global_bitmap_index",
    Number("version", U1, any_of=(1, 2)),
    Number("num_rows", S4BE, least=0),
    Number("num_values", S4BE, least=0),
    Number("has_null", U1, any_of=(0, 1)),
    Bytes("rest"),
)

make_old_global_bitmap_index = OLD_GLOBAL_BITMAP_INDEX_TYPE.make
