# Generated from specs/sorted_key.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of sorted_key.

Key of a sorted global index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Type
from ksykit.runtime.json_values import F4LE, F8LE, S1, S2LE, S4LE, S8LE, U1

from ..parsers.sorted_key import SortedKey

SORTED_KEY_TYPE = Type(
    SortedKey,
    "sorted_key",
    Object(
        "fixed",
        "fixed_key",
        args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9,
    ),
    Object("nanos", "varint", when=lambda s: s.named_type == 11),
    Bytes("unscaled", encoding="integer-be", when=lambda s: s.named_type == 9),
    Bytes("text", encoding="utf-8", when=lambda s: s.named_type == 8),
    params={"key_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)},
    values={
        "named_type": "key_type",
    },
)

make_sorted_key = SORTED_KEY_TYPE.make


FIXED_KEY_TYPE = Type(
    SortedKey.FixedKey,
    "fixed_key",
    Number("bool8", U1, any_of=(0, 1), when=lambda s: s.named_type == 1),
    Number("int8", S1, when=lambda s: s.named_type == 2),
    Number("int16", S2LE, when=lambda s: s.named_type == 3),
    Number("int32", S4LE, when=lambda s: s.named_type == 4),
    Number(
        "int64", S8LE, when=lambda s: s.named_type == 5 or s.named_type == 10 or s.named_type == 11
    ),
    Number("float32", F4LE, when=lambda s: s.named_type == 6),
    Number("float64", F8LE, when=lambda s: s.named_type == 7),
    params={"key_type": (1, 2, 3, 4, 5, 6, 7, 10, 11)},
    values={
        "named_type": "key_type",
    },
)

make_fixed_key = FIXED_KEY_TYPE.make


COMPOSITE_KEY_TYPE = Type(
    SortedKey.CompositeKey,
    "composite_key",
    Number("row_kind", U1, equal=0),
    Bytes("null_bits", size=lambda s: (s.num_columns + 7) // 8),
    Bytes("components"),
    params={"num_columns": range(16)},
)

make_composite_key = COMPOSITE_KEY_TYPE.make


KEY_COMPONENT_TYPE = Type(
    SortedKey.KeyComponent,
    "key_component",
    Object(
        "fixed",
        "fixed_key",
        args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9 and s.named_type != 12,
    ),
    Object("nanos", "varint", when=lambda s: s.named_type == 11),
    Object(
        "len_data",
        "varint",
        looked=True,
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes(
        "data",
        size="len_data.value",
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        measured=True,
    ),
    params={"key_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_data.value": Measure("length", "data"),
    },
    values={
        "named_type": "key_type",
    },
)

make_key_component = KEY_COMPONENT_TYPE.make
