# Generated from specs/sorted_key.ksy by `ksykit generate`. Do not edit.
"""The types of sorted_key: their objects are read, made, changed and written.

Key of a sorted global index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import F4LE, F8LE, S1, S2LE, S4LE, S8LE, U1
from ksykit.runtime.rows import (
    Bytes,
    Maybe,
    MaybeNested,
    Number,
    Object,
    One,
    Param,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class SortedKey(Struct, of="sorted_key"):
    """A value of a column in a BTree or bitmap global index."""

    key_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    fixed: MaybeNested[FixedKey] = Object(
        "fixed_key",
        args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9,
    )
    nanos: MaybeNested[Varint] = Object("varint", when=lambda s: s.named_type == 11)
    unscaled: Maybe[bytes] = Bytes(encoding="integer-be", when=lambda s: s.named_type == 9)
    text: Maybe[bytes] = Bytes(encoding="utf-8", when=lambda s: s.named_type == 8)
    named_type = Value("key_type")


class FixedKey(Struct, of="fixed_key"):
    """A `fixed_key`."""

    key_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 10, 11))
    bool8: Maybe[int] = Number(U1, any_of=(0, 1), when=lambda s: s.named_type == 1)
    int8: Maybe[int] = Number(S1, when=lambda s: s.named_type == 2)
    int16: Maybe[int] = Number(S2LE, when=lambda s: s.named_type == 3)
    int32: Maybe[int] = Number(S4LE, when=lambda s: s.named_type == 4)
    int64: Maybe[int] = Number(
        S8LE, when=lambda s: s.named_type == 5 or s.named_type == 10 or s.named_type == 11
    )
    float32: Maybe[float] = Number(F4LE, when=lambda s: s.named_type == 6)
    float64: Maybe[float] = Number(F8LE, when=lambda s: s.named_type == 7)
    named_type = Value("key_type")


class CompositeKey(Struct, of="composite_key"):
    """The key of an index over several columns: a row of their values."""

    num_columns: One[int] = Param(range(16))
    row_kind: One[int] = Number(U1, equal=0)
    null_bits: One[bytes] = Bytes(size=lambda s: (s.num_columns + 7) // 8)
    components: One[bytes] = Bytes()


class KeyComponent(Struct, of="key_component"):
    """A value in a composite key."""

    key_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    fixed: MaybeNested[FixedKey] = Object(
        "fixed_key",
        args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9 and s.named_type != 12,
    )
    nanos: MaybeNested[Varint] = Object("varint", when=lambda s: s.named_type == 11)
    len_data: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    data: Maybe[bytes] = Bytes(
        size="len_data.value",
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        measured=True,
    )
    named_type = Value("key_type")
    _derived: ClassVar = {
        "len_data.value": Measure("length", "data"),
    }


make_sorted_key = SortedKey
make_fixed_key = FixedKey
make_composite_key = CompositeKey
make_key_component = KeyComponent
