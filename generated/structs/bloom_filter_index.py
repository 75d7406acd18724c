# Generated from bloom_filter_index.ksy by `ksykit generate`. Do not edit.
"""Objects of bloom_filter_index: Bloom filter of a Paimon file index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ksykit.runtime.json_values import S4BE
from ksykit.runtime.rows import Bytes, Nested, Number, Object, One, Param, Value
from ksykit.runtime.structs import Struct

if TYPE_CHECKING:
    from .position import Position


class BloomFilterIndex(Struct, of="bloom_filter_index"):
    """The body of an index of type `bloom-filter`.

    Attributes:
        len_body: Length of the index in bytes, from the head of the file index.
        num_hashes: Number of bits set for each value, up to 1079 with Java's smallest `fpp`.
        bits: Bit i is the bit of value `1 << (i % 8)` in byte `i / 8`.
    """

    len_body: One[int] = Param(range(16))
    num_hashes: One[int] = Number(S4BE, least=1, most=1079)
    bits_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    bits: One[bytes] = Bytes(size="len_bits", at="bits_start.at")
    len_bits = Value(lambda s: s.len_body - 4)
    num_bits = Value(lambda s: s.len_bits * 8)


make_bloom_filter_index = BloomFilterIndex
