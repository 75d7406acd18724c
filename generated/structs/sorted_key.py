# Generated from sorted_key.ksy by `ksykit generate`. Do not edit.
"""Objects of sorted_key: Key of a sorted global index."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import F4LE, F8LE, S1, S2LE, S4LE, S8LE, U1
from ksykit.runtime.rows import Bytes, Maybe, MaybeNested, Number, Object, One, Param, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class SortedKey(Struct, of="sorted_key"):
    """A value of a column in a BTree or bitmap global index.

    Attributes:
        key_type: The type of the key, a value of the enum `key_type`.
        fixed: A key of a fixed size, or the part of a key that has one.
        nanos: Nanoseconds in the millisecond.
        unscaled: The unscaled value of a DECIMAL with more than 18 digits, big-endian in two's
            complement, in as few bytes as possible.
        text: A CHAR, VARCHAR or STRING in UTF-8.
    """

    key_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    fixed: MaybeNested[FixedKey] = Object(
        "fixed_key", args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9,
    )  # fmt: skip
    nanos: MaybeNested[Varint] = Object("varint", when=lambda s: s.named_type == 11)
    unscaled: Maybe[bytes] = Bytes(encoding="integer-be", when=lambda s: s.named_type == 9)
    text: Maybe[bytes] = Bytes(encoding="utf-8", when=lambda s: s.named_type == 8)
    named_type = Value("key_type")


class FixedKey(Struct, of="fixed_key"):
    """A `fixed_key`.

    Attributes:
        bool8: A BOOLEAN.
        int8: A TINYINT.
        int16: A SMALLINT.
        int32: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
        int64: A BIGINT, the unscaled value of a DECIMAL, or the milliseconds since
            1970-01-01T00:00:00 of a TIMESTAMP with or without local time zone.
        float32: A FLOAT.
        float64: A DOUBLE.
    """

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
    """The key of an index over several columns: a row of their values.

    Attributes:
        row_kind: The kind of the row, which is always that of an insertion.
        null_bits: A bit for each column, the lowest one first; 1 means null.
        components: The values that are not null, each a `key_component` of its column's type.
    """

    num_columns: One[int] = Param(range(16))
    row_kind: One[int] = Number(U1, equal=0)
    null_bits: One[bytes] = Bytes(size=lambda s: (s.num_columns + 7) // 8)
    components: One[bytes] = Bytes()


class KeyComponent(Struct, of="key_component"):
    """A value in a composite key.

    Attributes:
        fixed: A value of a fixed size, or the part of a value that has one.
        nanos: Nanoseconds in the millisecond.
        len_data: Length of the value in bytes.
        data: A text, the unscaled value of a DECIMAL, or bytes.
    """

    key_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    fixed: MaybeNested[FixedKey] = Object(
        "fixed_key",
        args={"key_type": "key_type"},
        when=lambda s: s.named_type != 8 and s.named_type != 9 and s.named_type != 12,
    )
    nanos: MaybeNested[Varint] = Object("varint", when=lambda s: s.named_type == 11)
    len_data: MaybeNested[Varint] = Object(
        "varint", looked=True,
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    data: Maybe[bytes] = Bytes(
        size="len_data.value",
        when=lambda s: s.named_type == 8 or s.named_type == 9 or s.named_type == 12,
        measured=True,
    )  # fmt: skip
    named_type = Value("key_type")
    _derived: ClassVar = {"len_data.value": Measure("length", "data")}


make_sorted_key = SortedKey
make_fixed_key = FixedKey
make_composite_key = CompositeKey
make_key_component = KeyComponent
