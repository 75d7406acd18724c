"""Roaring bitmaps of 64-bit integers, as Java's OptimizedRoaringBitmap64 and Iceberg store them.

A set is a dict from the upper 32 bits (the key) to the Roaring bitmap of the lower 32 bits. The
dict omits keys without integers, but Java serializes all keys up to the largest one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from ksykit.runtime.errors import FormatError
from numpy.typing import NDArray
from pyroaring import BitMap, BitMap64

from paimon_ksy.errors import counted
from paimon_ksy.generated.structs.roaring_bitmap_64 import KeyedBitmap, RoaringBitmap64
from paimon_ksy.generated.views.roaring_bitmap_64 import (
    KEYED_BITMAP_START,
    KeyedBitmapHead,
    KeyedBitmapStarts,
    RoaringBitmap64Head,
)
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first
from paimon_ksy.roaring.small_bitmaps import read_small_bitmaps

MAX_KEY = 2**31 - 2
_LOOK_AHEAD = 1 << 16  # empty bitmaps that are handled at once
_NOT_ASCENDING = "keys are not ascending from 0 to 2,147,483,646"
_EMPTY = np.frombuffer(BitMap().serialize(), np.uint8)
_SIZE_EMPTY = KEYED_BITMAP_START.size
_SIZE_HEAD = len(RoaringBitmap64.pack_field("num_bitmaps", 0))
_SIZE_KEY = len(KeyedBitmap.pack_field("key", 0))


def read_bitmaps(data: bytes | memoryview) -> dict[int, BitMap]:
    """Return the bitmaps by their keys: the upper 32 bits.

    Time and memory are bounded by the size of `data`, not by the counts in it.

    Raises:
        BadBitmapError: A bitmap is malformed.
    """
    view, pos = memoryview(data), _SIZE_HEAD
    remaining = _num_bitmaps(view)
    bitmaps: dict[int, BitMap] = {}
    last, ahead = -1, 0
    while remaining:
        room = (len(data) - pos) // _SIZE_EMPTY
        if remaining > room:
            raise BadBitmapError(
                f"the header counts {remaining} bitmaps, but there is room for only {room}", pos
            )
        if ahead:  # the previous bitmap is empty, so more may follow
            count, last = _empty_ones(view, pos, min(remaining, ahead), last)
            pos, remaining = pos + count * _SIZE_EMPTY, remaining - count
            ahead = min(ahead * 8, _LOOK_AHEAD) if count == ahead else 0
            continue
        begin = pos + _SIZE_KEY
        key = _key(view, pos)
        if key <= last:
            raise BadBitmapError(_NOT_ASCENDING, pos)
        try:
            bitmap, size = read_first(view[begin:])
        except BadBitmapError as error:
            raise BadBitmapError(f"bitmap of key {key}: {error}", begin + error.offset) from error
        if bitmap:
            bitmaps[key] = bitmap
        pos, remaining, last, ahead = begin + size, remaining - 1, key, 0 if bitmap else 8
    if pos != len(data):
        raise BadBitmapError(f"{counted(len(data) - pos, 'byte', 'follow')} the bitmap", pos)
    return bitmaps


def _num_bitmaps(view: memoryview) -> int:
    try:
        return int(RoaringBitmap64Head(view, 0, 0).num_bitmaps)
    except FormatError as error:
        raise BadBitmapError(f"not a 64-bit Roaring bitmap: {error.message}") from error


def _key(view: memoryview, pos: int) -> int:
    try:
        return int(KeyedBitmapHead(view, 0, pos).key)
    except FormatError:
        raise BadBitmapError(_NOT_ASCENDING, pos) from None


def _empty_ones(view: memoryview, pos: int, most: int, last: int) -> tuple[int, int]:
    """Count the empty bitmaps from `pos` on, up to `most`; also return the last key."""
    starts = KeyedBitmapStarts(view, 0, pos, most, arrays=True)
    empty = (starts.starts_bitmap_start == _EMPTY).all(axis=1)
    count = most if empty.all() else int(empty.argmin())
    keys = starts.starts_key[:count]
    before = np.concatenate(([last], keys[:-1]))[:count]
    if (keys <= before).any() or (count and int(keys.max()) > MAX_KEY):
        raise BadBitmapError(_NOT_ASCENDING, pos)
    return count, int(keys[-1]) if count else last


def size_of(parts: Mapping[int, bytes]) -> int:
    """Return the number of bytes that `write_bitmaps` returns."""
    heads = _SIZE_HEAD + len(parts) * _SIZE_KEY
    gaps = max(parts) + 1 - len(parts) if parts else 0
    return heads + sum(map(len, parts.values())) + gaps * _SIZE_EMPTY


def write_bitmaps(parts: Mapping[int, bytes]) -> list[bytes]:
    """Serialize a set by the bitmap of each key, in pieces; gaps are filled like in Java."""
    pieces = [b""]
    next_key = 0
    for key in sorted(parts):
        if next_key < key:
            pieces.append(_empty(next_key, key))
        pieces += (KeyedBitmap.pack_field("key", key), parts[key])
        next_key = key + 1
    pieces[0] = RoaringBitmap64.pack_field("num_bitmaps", next_key)
    return pieces


def _empty(start: int, stop: int) -> bytes:
    """Serialize empty bitmaps for the keys from `start` up to `stop`."""
    pieces = []
    for first in range(start, stop, _LOOK_AHEAD):
        keys = np.arange(first, min(stop, first + _LOOK_AHEAD))
        pieces.append(
            KEYED_BITMAP_START.pack(
                key=keys, bitmap_start=np.broadcast_to(_EMPTY, (len(keys), len(_EMPTY)))
            ).data
        )
    return b"".join(pieces)


def joined(bitmaps: Mapping[int, BitMap]) -> BitMap64:
    """Return a set as one bitmap."""
    parts = {key: bitmap.serialize() for key, bitmap in bitmaps.items()}
    return BitMap64.deserialize(b"".join(write_bitmaps(parts)))


_ONE = RoaringBitmap64.pack_field("num_bitmaps", 1) + KeyedBitmap.pack_field("key", 0)
"""What precedes the bitmap of a set whose integers are all below 2^32."""


def small_bitmaps_64(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield the small and sound ones among many sets, like `read_small_bitmaps`."""
    places = np.flatnonzero((sizes > len(_ONE)) & (starts >= 0) & (starts + sizes <= len(data)))
    if len(places):
        heads = data[starts[places][:, None] + np.arange(len(_ONE))]
        places = places[(heads == np.frombuffer(_ONE, np.uint8)).all(axis=1)]
    begins, lengths = starts[places] + len(_ONE), sizes[places] - len(_ONE)
    for some, counts, rows in read_small_bitmaps(data, begins, lengths):
        yield places[some], counts, rows
