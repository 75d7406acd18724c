# Generated from sorted_index_meta.ksy by `ksykit generate`. Do not edit.
"""Objects of sorted_index_meta: Metadata of a sorted global index."""

from __future__ import annotations

from typing import ClassVar

from ksykit.runtime.json_values import S4LE, U1
from ksykit.runtime.rows import Bits, Bytes, MaybeNested, Number, Object, One
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class SortedIndexMeta(Struct, of="sorted_index_meta"):
    """The field `_INDEX_META` of a BTree, bitmap or multivalue index in the index manifest: the
    least and greatest key of one index file.

    Attributes:
        len_first_key: Length of the first key in bytes.
        first_key: The least key, a `sorted_key` or `composite_key`.
        len_last_key: Length of the last key in bytes.
        last_key: The greatest key.
        has_nulls: 1 if a row of the index is null.
        null_keys: Which keys do not exist, since Paimon 2.0.
    """

    len_first_key: One[int] = Number(S4LE, least=0, small=True)
    first_key: One[bytes] = Bytes(size="len_first_key", measured=True)
    len_last_key: One[int] = Number(S4LE, least=0, small=True)
    last_key: One[bytes] = Bytes(size="len_last_key", measured=True)
    has_nulls: One[int] = Number(U1, any_of=(0, 1))
    null_keys: MaybeNested[NullKeys] = Object(
        "null_keys", when=lambda s: not s._io.eof, to_end=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_first_key": Measure("length", "first_key"),
        "len_last_key": Measure("length", "last_key"),
    }


class NullKeys(Struct, of="null_keys"):
    """A `null_keys`.

    Attributes:
        format_version: The only version there is.
        reserved: The other bits of `nullKeyFlags` in Java.
        is_last_null: Whether the last key does not exist.
        is_first_null: Whether the first key does not exist.
    """

    format_version: One[int] = Number(U1, equal=1)
    reserved: One[int] = Bits(6, ">", equal=0)
    is_last_null: One[bool] = Bits(1, ">")
    is_first_null: One[bool] = Bits(1, ">")


make_sorted_index_meta = SortedIndexMeta
make_null_keys = NullKeys
