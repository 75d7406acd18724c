"""Compute xxHash64 with seed 0 for many texts: those of equal length at once, as arrays.

A call of the `xxhash` package costs more than the hash of a short text: with it alone, `build
bloom-filter, 1,000,000 strings` of `make bench` takes 385 ms, not 65. It gets the lengths that few
texts have, for which steps of arrays cost more: about as much as 16 calls for each byte of the
length. The rule is
https://github.com/Cyan4973/xxHash, "XXH64 algorithm description".
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import xxhash
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]
_Bytes = NDArray[np.uint8]

_PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
_P1, _P2, _P3, _P4, _P5 = map(np.uint64, _PRIMES)
_WORD = np.dtype(np.uint64).newbyteorder("<")

_TEXTS = 1 << 15  # hashed at a time: what is made of them beside their bytes takes some MB


def hash_texts(data: _Bytes, offsets: Indices) -> Hashes:
    """Return the hashes of the n texts `data[offsets[i]:offsets[i + 1]]`."""
    hashes = np.empty(len(offsets) - 1, np.uint64)
    for first in range(0, len(hashes), _TEXTS):
        some = offsets[first : first + _TEXTS + 1]
        part = data[some[0] : some[-1]]
        hashes[first : first + _TEXTS] = _hash_some(part, some - some[0])
    return hashes


def _hash_some(data: _Bytes, offsets: Indices) -> Hashes:
    words = np.zeros(len(data) // 8 + 2, _WORD)  # what follows a text may be read too
    words.view(np.uint8)[: len(data)] = data
    starts, lengths = offsets[:-1], offsets[1:] - offsets[:-1]
    if (lengths == lengths[0]).all():
        return _hash_equal(words, data, starts, int(lengths[0]))
    # Of few bits numpy sorts by counting.
    order = np.argsort(lengths.astype(np.min_scalar_type(lengths.max())), kind="stable")
    starts, lengths = starts.take(order), lengths.take(order)
    ends = np.flatnonzero(np.diff(lengths, prepend=-1, append=-1)).tolist()
    ordered = np.empty(len(lengths), np.uint64)
    for begin, end in pairwise(ends):
        length = int(lengths[begin])
        ordered[begin:end] = _hash_equal(words, data, starts[begin:end], length)
    hashes = np.empty_like(ordered)
    hashes[order] = ordered
    return hashes


def _hash_equal(words: Hashes, data: _Bytes, starts: Indices, length: int) -> Hashes:
    """Return the hashes of texts of one length."""
    if len(starts) < 16 * length:
        view = data.data
        hashes = [xxhash.xxh64_intdigest(view[s : s + length]) for s in starts.tolist()]
        return np.array(hashes, np.uint64)
    return _mix(words, starts, length)


def _mix(words: Hashes, starts: Indices, length: int) -> Hashes:
    reader = _Reader(words, starts)
    if length >= 32:
        lanes = [np.full(len(starts), seed, np.uint64) for seed in _SEEDS]
        for _ in range(length // 32):
            for lane in lanes:
                _round(lane, reader.next())
        hashes = np.zeros(len(starts), np.uint64)
        for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True):
            hashes += _rotated(lane.copy(), bits)
        for lane in lanes:
            empty = np.zeros_like(lane)
            _round(empty, lane)
            hashes ^= empty
            hashes *= _P1
            hashes += _P4
    else:
        hashes = np.full(len(starts), _P5, np.uint64)
    hashes += np.uint64(length)
    for _ in range(length % 32 // 8):
        word = np.zeros_like(hashes)
        _round(word, reader.next())
        hashes ^= word
        _rotated(hashes, 27)
        hashes *= _P1
        hashes += _P4
    left = length % 8
    if left:
        rest = reader.next()
        if left >= 4:
            word = rest & np.uint64(0xFFFFFFFF)
            word *= _P1
            hashes ^= word
            _rotated(hashes, 23)
            hashes *= _P2
            hashes += _P3
            rest >>= np.uint64(32)
        for _ in range(left % 4):
            word = rest & np.uint64(0xFF)
            word *= _P5
            hashes ^= word
            _rotated(hashes, 11)
            hashes *= _P1
            rest >>= np.uint64(8)
    hashes ^= hashes >> np.uint64(33)
    hashes *= _P2
    hashes ^= hashes >> np.uint64(29)
    hashes *= _P3
    hashes ^= hashes >> np.uint64(32)
    return hashes


_SEEDS = tuple(
    np.uint64(seed % 2**64) for seed in (_PRIMES[0] + _PRIMES[1], _PRIMES[1], 0, -_PRIMES[0])
)


def _round(lane: Hashes, word: Hashes) -> None:
    """Mix the word into the lane; both are changed."""
    word *= _P2
    lane += word
    _rotated(lane, 31)
    lane *= _P1


def _rotated(values: Hashes, bits: int) -> Hashes:
    """Return the values, changed: rotated left."""
    high = values >> np.uint64(64 - bits)
    values <<= np.uint64(bits)
    values |= high
    return values


class _Reader:
    """The words of texts one after another, from wherever each text starts.

    Taking words at their own places and shifting is many times faster than taking them at any byte.
    """

    def __init__(self, words: Hashes, starts: Indices) -> None:
        self._words = words
        self._at = starts >> 3
        self._shift = (starts & 7).astype(np.uint64) << np.uint64(3)
        self._back = np.uint64(63) - self._shift  # and one more: a shift by 64 is not defined
        self._low = words.take(self._at, mode="clip")

    def next(self) -> Hashes:
        """Return the next word of each text."""
        self._at += 1
        low, self._low = self._low, self._words.take(self._at, mode="clip")
        low >>= self._shift
        high = self._low << np.uint64(1)
        high <<= self._back
        high |= low
        return high
