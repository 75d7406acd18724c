# Generated from old_global_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Objects of old_global_bitmap_index: Bitmap global index of a Paimon table, of Paimon 1.4."""

from __future__ import annotations

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import Bytes, Number, One
from ksykit.runtime.structs import Struct


class OldGlobalBitmapIndex(Struct, of="old_global_bitmap_index"):
    """A file of a global index of the type `bitmap` that Paimon 1.4 wrote.

    Attributes:
        num_rows: Number of rows in the row range, including null rows.
        num_values: Number of distinct values, without null.
        has_null: 1 if the column has null rows.
        rest: All other fields of `bitmap_index`.
    """

    version: One[int] = Number(U1, any_of=(1, 2))
    num_rows: One[int] = Number(S4BE, least=0)
    num_values: One[int] = Number(S4BE, least=0)
    has_null: One[int] = Number(U1, any_of=(0, 1))
    rest: One[bytes] = Bytes()


make_old_global_bitmap_index = OldGlobalBitmapIndex
