# Generated from specs/sorted_index_meta.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of sorted_index_meta.

Metadata of a sorted global index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bits, Bytes, Measure, Number, Object, Type
from ksykit.runtime.json_values import S4LE, U1

from ..parsers.sorted_index_meta import SortedIndexMeta

SORTED_INDEX_META_TYPE = Type(
    SortedIndexMeta,
    "sorted_index_meta",
    Number("len_first_key", S4LE, least=0, small=True),
    Bytes("first_key", size="len_first_key", measured=True),
    Number("len_last_key", S4LE, least=0, small=True),
    Bytes("last_key", size="len_last_key", measured=True),
    Number("has_nulls", U1, any_of=(0, 1)),
    Object("null_keys", "null_keys", when=lambda s: not s._io.eof, to_end=True),
    computed={
        "len_first_key": Measure("length", "first_key"),
        "len_last_key": Measure("length", "last_key"),
    },
)

make_sorted_index_meta = SORTED_INDEX_META_TYPE.make


NULL_KEYS_TYPE = Type(
    SortedIndexMeta.NullKeys,
    "null_keys",
    Number("format_version", U1, equal=1),
    Bits("reserved", 6, ">", equal=0),
    Bits("is_last_null", 1, ">"),
    Bits("is_first_null", 1, ">"),
)

make_null_keys = NULL_KEYS_TYPE.make
