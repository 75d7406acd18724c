# Generated from specs/bloom_filter_index.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bloom_filter_index.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Number,
    Object,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE

from ..parsers.bloom_filter_index import BloomFilterIndex

BLOOM_FILTER_INDEX_TYPE = Type(
    BloomFilterIndex,
    "bloom_filter_index",
    Number("num_hashes", S4BE, least=1, most=1079),
    Object("bits_start", "position", args={"at": "_io.pos"}, looked=True),
    Bytes("bits", size="len_bits", at="bits_start.at"),
    params={"len_body": range(16)},
    values={
        "len_bits": lambda s: s.len_body - 4,
        "num_bits": lambda s: s.len_bits * 8,
    },
)


def make_bloom_filter_index(
    *,
    len_body: int | None = None,
    num_hashes: int | None = None,
    bits: bytes | None = None,
) -> Any:
    """Return a new `bloom_filter_index`; what is None is computed when it is written.

    The body of an index of type `bloom-filter`. Each value of a column sets some
    bits. If not all bits of a value are set, no row contains the value. Nulls
    set no bits.

    A value has a hash of 64 bits. Text and bytes use xxHash64 with seed 0.
    Numbers use Thomas Wang's integer hash, with shifts that keep the sign.

    h1 and h2 are the lower and upper half of the hash, each a signed 32-bit
    integer. For i from 1 to `num_hashes`, compute `h1 + i * h2` in 32 bits, and
    flip all bits if the result is negative. The bit to set is this number modulo
    the number of bits.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    bits of a FLOAT or DOUBLE as a signed integer. All NaNs have the same bits. A
    TIMESTAMP is in milliseconds up to precision 3, and in microseconds above it,
    so that precisions 7 to 9 are cut.
    """
    return BLOOM_FILTER_INDEX_TYPE.new(locals())
