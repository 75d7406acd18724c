"""Build the body of a bloom filter, byte for byte like Java.

Source: `BloomFilterFileIndex.Writer` and `BloomFilter64` (paimon-common, release 1.4.2).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from ksykit.runtime.objects import to_bytes

from paimon_ksy.columns.stored_columns import stored_numbers, stored_texts
from paimon_ksy.errors import OptionError
from paimon_ksy.file_index.bloom_filter.reader import hash_stored, places_of
from paimon_ksy.file_index.bloom_filter.xxhash64 import Hashes, hash_texts
from paimon_ksy.generated.structs.bloom_filter_index import make_bloom_filter_index
from paimon_ksy.java import MAX_INT
from paimon_ksy.types.data_type import DataType

_ITEMS, _FPP = "items", "fpp"
_ROWS, _DISTINCT = "auto", "distinct"
_MAX_HASHES = 1079  # with Java's smallest false positive rate
_STEP = 1 << 15  # values at a time: what is made of them takes some MB
_MAX_FLAGS = 1 << 26
"""Bits for which there may be a byte each. To set them bit by bit takes 65 ms, not 50, in `build
bloom-filter, 1,000,000 short strings` of `make bench`, where Java takes 62."""


@dataclass(frozen=True)
class BloomFilterBuilder:
    """Builds bloom filters of columns of one type with one set of options.

    `items` is the number of values that the filter is made for: "auto" for the rows of the column,
    "distinct" for its distinct values.
    """

    data_type: DataType
    items: int | str
    fpp: float

    @classmethod
    def of(cls, data_type: DataType, options: Mapping[str, str]) -> BloomFilterBuilder:
        """Return a builder for columns of a type. Raises OptionError."""
        fpp = _fpp(options.get(_FPP, "0.1"))
        text = options.get(_ITEMS, "1000000").strip()
        if text in (_ROWS, _DISTINCT):
            return cls(data_type, text, fpp)
        if not re.fullmatch(r"\+?[0-9]{1,10}", text) or int(text) > MAX_INT:
            raise OptionError(
                f"option {_ITEMS!r}: {text!r} is not a number of values: set up to {MAX_INT}, "
                f"{_ROWS!r} for the rows of the file, or {_DISTINCT!r} for its distinct values"
            )
        filter_size(int(text), fpp)
        return cls(data_type, int(text), fpp)

    def build(self, column: pa.Array | pa.ChunkedArray) -> list[bytes]:
        """Build the index of a column. Raises SchemaError."""
        hashes = self.hashes(column)
        if isinstance(self.items, int):
            items = self.items
        elif self.items == _ROWS:
            items = max(len(column), 1)
        else:
            together = np.unique(np.concatenate([np.empty(0, np.uint64), *hashes]))
            hashes, items = iter((together,)), max(len(together), 1)
        num_hashes, num_bits = filter_size(items, self.fpp)
        bits = _bits(hashes, num_hashes, num_bits)
        return [to_bytes(make_bloom_filter_index(num_hashes=num_hashes)), bits]

    def hashes(self, column: pa.Array | pa.ChunkedArray) -> Iterator[Hashes]:
        """Yield the hashes of the column's values, in parts. A value's hash may come many times."""
        if self.data_type.is_string or self.data_type.is_binary:
            return (hash_texts(*part) for part in stored_texts(column, self.data_type))
        numbers, _ = stored_numbers(column, self.data_type)
        parts = range(0, len(numbers), _STEP)
        return (hash_stored(numbers[at : at + _STEP]) for at in parts)


def filter_size(items: int, fpp: float) -> tuple[int, int]:
    """Return the numbers of hash functions and bits of Java's `BloomFilter64(items, fpp)`.

    Raises:
        OptionError: Java cannot create such a filter.
    """
    size = int(-items * math.log(fpp) / (math.log(2) * math.log(2)))
    size += 8 - size % 8
    if size > MAX_INT:
        raise OptionError(
            f"options {_ITEMS!r} and {_FPP!r}: a filter of {items} values and false positives of "
            f"{fpp:g} takes {size} bits, and Java allows {MAX_INT}: set {_ITEMS!r} lower, or "
            f"{_FPP!r} higher"
        )
    # Without items, Java's number of hash functions overflows to 1.
    return max(1, math.floor(size / items * math.log(2) + 0.5)) if items else 1, size


def options_of(num_hashes: int, num_bits: int) -> dict[str, str]:
    """Return the options that create a filter of this shape; empty if none do."""
    if not (0 < num_hashes <= _MAX_HASHES and 0 < num_bits <= MAX_INT):
        return {}
    items = max(1, round(num_bits * math.log(2) / num_hashes))
    # Within the eight sizes that are rounded up to this one.
    fpp = math.exp(-(num_bits - 4) * math.log(2) ** 2 / items)
    if not fpp or filter_size(items, fpp) != (num_hashes, num_bits):
        return {}
    return {_ITEMS: str(items), _FPP: repr(fpp)}


def _fpp(text: str) -> float:
    try:
        fpp = float(text)
    except ValueError:
        fpp = math.nan
    if not 0 < fpp <= 1:
        raise OptionError(
            f"option {_FPP!r}: {text!r} is not a false-positive rate: set one above 0 and up to "
            "1, such as 0.1"
        )
    return fpp


def _bits(hashes: Iterable[Hashes], num_hashes: int, num_bits: int) -> bytes:
    steps = (part[at : at + _STEP] for part in hashes for at in range(0, len(part), _STEP))
    if num_bits <= _MAX_FLAGS:
        flags = np.zeros(num_bits, np.bool_)
        for some in steps:
            for places in places_of(some, num_hashes, num_bits):
                np.put(flags, places, True)  # takes two thirds of the time of an assignment
        return np.packbits(flags, bitorder="little").tobytes()
    bits = np.zeros(num_bits // 8, np.uint8)
    for some in steps:
        for places in places_of(some, num_hashes, num_bits):
            np.bitwise_or.at(bits, places >> 3, np.uint8(1) << (places & 7).astype(np.uint8))
    return bits.tobytes()
