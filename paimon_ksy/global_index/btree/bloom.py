"""The Bloom filter of a BTree index: bits that the hash codes of all keys set.

Source: `BloomFilter` (paimon-common, release 1.4.2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from ksykit.runtime.arrays import BytesColumn
from numpy.typing import NDArray

from paimon_ksy.java.hash_codes import hash_binary_strings

_PROBABILITY = 0.05  # of a key that is not there, in the filters that Java writes


def _bits_of(keys: BytesColumn, num_bits: int, num_keys: int) -> Iterator[NDArray[np.int64]]:
    """Yield for each hash function the bit of each key, in a filter made for `num_keys`."""
    codes = hash_binary_strings(np.frombuffer(keys.data, np.uint8), keys.offsets)
    others = codes >> np.uint32(16)
    hashes = math.floor(num_bits / num_keys * math.log(2) + 0.5)
    # A damaged count of keys could ask for very many hash functions.
    for number in range(1, max(1, min(hashes, num_bits)) + 1):
        combined = (codes + np.uint32(number) * others).view(np.int32)
        yield np.where(combined < 0, ~combined, combined).astype(np.int64) % num_bits


def bloom_filter(keys: BytesColumn) -> bytes:
    """Return the filter of keys, of which there is at least one."""
    size = -len(keys) * math.log(_PROBABILITY) / math.log(2) ** 2
    bits = np.zeros(8 * math.ceil(math.trunc(size) / 8), np.uint8)
    for places in _bits_of(keys, len(bits), len(keys)):
        bits[places] = 1
    return np.packbits(bits, bitorder="little").tobytes()


def has_all(data: bytes, num_keys: int, keys: BytesColumn) -> bool:
    """Return whether a filter that was made for `num_keys` contains all of some keys."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
    return all(bits[places].all() for places in _bits_of(keys, len(bits), max(num_keys, 1)))
