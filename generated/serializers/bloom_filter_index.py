# Generated from specs/bloom_filter_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bloom_filter_index.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bloom_filter_index import BloomFilterIndex
from ..parsers.position import Position
from ..runtime import S4BE, Item, Scope, Type, new


def make_bloom_filter_index(
    *,
    len_body: int | None = None,
    num_hashes: int | None = None,
    bits_start: Position | bytes | None = None,
    bits: bytes | None = None,
) -> Any:
    """A new `bloom_filter_index`; what is None is computed when it is written.

    The body of an index of type `bloom-filter`. Each value of a column sets some
    bits. A value whose bits are not all set is in no row. Nulls set no bits.

    A value has a hash of 64 bits. Text and bytes use xxHash64 with seed 0.
    Numbers use Thomas Wang's integer hash, with shifts that keep the sign.

    h1 and h2 are the lower and upper half of the hash: two signed 32-bit integers.
    For i from 1 to `num_hashes`, compute `h1 + i * h2`, cut to 32 bits, and flip
    all bits if it is negative. The bit to set is this number modulo the number of
    bits.

    Numbers are integers, days of a DATE, milliseconds of a TIME, and the bits of
    a FLOAT or DOUBLE as a signed integer with one NaN. A TIMESTAMP is in
    milliseconds up to precision 3, and in microseconds above it, so that
    precisions 7 to 9 are cut.
    """
    return new(
        BloomFilterIndex,
        {
            "len_body": len_body,
        },
        {
            "num_hashes": num_hashes,
            "bits_start": bits_start,
        },
        {
            "bits": bits,
        },
        {},
    )


def write_bloom_filter_index(s: Scope) -> None:
    """Writes the fields of a `bloom_filter_index`."""
    s.number("num_hashes", S4BE)
    s.object("bits_start", "position", {"at": s._io.pos})
    s.place("bits", lambda: s.bits_start.at, size=lambda: s.len_bits)


TYPES = {
    "bloom_filter_index": Type(
        name="bloom_filter_index",
        spec="bloom_filter_index",
        cls=BloomFilterIndex,
        params=("len_body",),
        items=(
            Item("num_hashes", "number", number=S4BE),
            Item("bits_start", "object", type="position"),
            Item("bits", "bytes", positioned=True),
        ),
        write=write_bloom_filter_index,
        values={
            "len_bits": lambda s: s.len_body - 4,
            "num_bits": lambda s: s.len_bits * 8,
        },
        unset={},
    ),
}
