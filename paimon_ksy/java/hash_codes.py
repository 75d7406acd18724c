"""Java's hash codes and the order in which a `java.util.HashMap` iterates, for whole columns.

Paimon writes the bitmaps of a bitmap index, and the columns and index types of a file index, in the
iteration order of a `HashMap`. To write the same bytes, we need the same order.

Here, a hash code is a uint32 with the bits of Java's int.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint32]
Indices = NDArray[np.int64]


# -- hash codes ------------------------------------------------------------------------------------


def hash_numbers(values: NDArray[Any]) -> Hashes:
    """Return `hashCode` of each Boolean, Byte, Short, Integer, Long, Float or Double.

    NaNs have to be canonical (`Float.floatToIntBits`).
    """
    if values.dtype == np.bool_:
        return np.where(values, np.uint32(1231), np.uint32(1237))
    if values.dtype == np.float32:
        return values.view(np.uint32)
    if values.dtype.itemsize < 8:
        return values.astype(np.int32, copy=False).view(np.uint32)
    bits = values.view(np.uint64)
    mixed = bits >> np.uint64(32)
    mixed ^= bits
    return mixed.astype(np.uint32)


def hash_string(text: str) -> int:
    """Return `String.hashCode`, over UTF-16 code units; the bits of the int, unsigned."""
    value = 0
    for char in text:
        code = ord(char)
        if code > 0xFFFF:
            value = value * 31 + 0xD800 + ((code - 0x10000) >> 10)
            code = 0xDC00 + ((code - 0x10000) & 0x3FF)
        value = (value * 31 + code) & 0xFFFFFFFF
    return value


_SEED = 42
_C1, _C2, _C3 = 0xCC9E2D51, 0x1B873593, 0xE6546B64
_FEW = 16
"""Strings that are hashed one by one when no more are left: a bound of time. Of 1,000 strings of
which one has 100 kB, it would take 290 ms, not 8, to take a numpy step for each word."""


def hash_binary_strings(data: NDArray[np.uint8], offsets: Indices) -> Hashes:
    """Return `BinaryString.hashCode` of the n strings `data[offsets[i]:offsets[i + 1]]`.

    The rule is Paimon's `MurmurHashUtils.hashBytes`: Murmur3 over 4-byte words in the machine's
    byte order, then over the remaining bytes one by one, each as a signed int.
    """
    lengths = offsets[1:] - offsets[:-1]
    by_length = np.argsort(-lengths, kind="stable")
    starts = offsets[:-1][by_length]
    lengths = lengths[by_length]
    num_words = lengths >> 2
    hashes = np.full(len(lengths), _SEED, np.uint32)

    # The longest come first, so that the strings with another word are always a prefix.
    ascending = -num_words
    step = 0
    words = _words_at_every_byte(data)
    while active := int(np.searchsorted(ascending, -step, side="left")):
        if active < _FEW:
            for i in range(active):
                start = int(starts[i])
                rest = words[start + 4 * step : start + 4 * int(num_words[i]) : 4]
                hashes[i] = _mix_all(int(hashes[i]), rest.tolist())
            break
        hashes[:active] = _mix(hashes[:active], words[starts[:active] + 4 * step])
        step += 1

    signed = data.view(np.int8)
    for byte in range(3):
        rows = np.flatnonzero((lengths & 3) > byte)
        values = signed[starts[rows] + 4 * num_words[rows] + byte]
        hashes[rows] = _mix(hashes[rows], values.astype(np.int32).view(np.uint32))

    hashes ^= lengths.astype(np.uint32)
    hashes ^= hashes >> np.uint32(16)
    hashes *= np.uint32(0x85EBCA6B)
    hashes ^= hashes >> np.uint32(13)
    hashes *= np.uint32(0xC2B2AE35)
    hashes ^= hashes >> np.uint32(16)
    result = np.empty_like(hashes)
    result[by_length] = hashes
    return result


def _words_at_every_byte(data: NDArray[np.uint8]) -> Hashes:
    """Return a view whose item i is the native 4-byte word that starts at byte i."""
    if len(data) < 4:
        return np.empty(0, np.uint32)
    return np.ndarray((len(data) - 3,), np.uint32, data.data, strides=(1,))


def _mix(hashes: Hashes, words: Hashes) -> Hashes:
    words = words * np.uint32(_C1)
    words = (words << np.uint32(15)) | (words >> np.uint32(17))
    words *= np.uint32(_C2)
    words ^= hashes
    words = (words << np.uint32(13)) | (words >> np.uint32(19))
    words *= np.uint32(5)
    words += np.uint32(_C3)
    return words


def _mix_all(value: int, words: Iterable[int]) -> int:
    """Apply `_mix` to one string: all of its words, in Python integers."""
    mask = 0xFFFFFFFF
    for word in words:
        word = word * _C1 & mask
        word = (word << 15 | word >> 17) * _C2 & mask
        value ^= word
        value = (value << 13 & mask | value >> 19) * 5 + _C3 & mask
    return value
