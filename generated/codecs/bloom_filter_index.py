# Generated from specs/bloom_filter_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bloom_filter_index as arrays.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from typing import Any


def extent_bits(x: Any) -> tuple[Any, Any]:
    """Where the `bits` of a `bloom_filter_index` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `bits` is not looked at.
    """
    return x.bits_start.at, x.len_bits
