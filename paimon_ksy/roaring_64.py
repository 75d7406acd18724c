"""Roaring bitmaps of 64-bit integers as Java's OptimizedRoaringBitmap64 and Iceberg keep them.

A set is a dict from the upper 32 bits (the key) to the Roaring bitmap of the lower ones; keys
without integers are left out of the dict. In bytes, Java has all keys up to the largest.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
from kaitaistruct import KaitaiStream, KaitaiStructError
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.generated import runtime
from paimon_ksy.generated.codecs.roaring_bitmap_64 import (
    KeyedBitmapStartArray,
    sizeof_keyed_bitmap_starts,
)
from paimon_ksy.generated.parsers.roaring_bitmap_64 import RoaringBitmap64
from paimon_ksy.generated.serializers.roaring_bitmap_64 import (
    make_keyed_bitmap,
    make_roaring_bitmap_64,
)
from paimon_ksy.roaring import BadBitmapError, read_first

MAX_KEY = 2**31 - 2
_LOOK_AHEAD = 1 << 16  # keys without integers that are stepped over at once
_SIZE_EMPTY = sizeof_keyed_bitmap_starts(1)


def read_bitmaps(data: bytes) -> dict[int, BitMap]:
    """The bitmaps by their keys. Raises BadBitmapError.

    Time and memory are bounded by the bytes there are, whatever the counts in them say.
    """
    stream = KaitaiStream(BytesIO(data))
    try:
        left = RoaringBitmap64.RoaringBitmap64Head(stream).num_bitmaps
    except (KaitaiStructError, EOFError) as error:
        raise BadBitmapError(f"not a 64-bit Roaring bitmap: {error}") from error
    view, pos = memoryview(data), stream.pos()
    found: dict[int, BitMap] = {}
    last, wanted = -1, 1
    while left:
        room = (len(data) - pos) // _SIZE_EMPTY
        if left > room:
            raise BadBitmapError(
                f"{left} bitmaps are said to follow, there is room for {room}", pos
            )
        starts, _ = KeyedBitmapStartArray.read(view, pos, min(left, wanted))
        empty = starts.is_empty
        count = len(empty) if empty.all() else int(empty.argmin())
        _check_keys(starts.key[: count + 1], last, pos)
        if count:  # likely there are more
            last, pos, left = int(starts.key[count - 1]), pos + count * _SIZE_EMPTY, left - count
            wanted = min(wanted * 8, _LOOK_AHEAD)
        if count == len(starts):
            continue
        stream.seek(pos)
        last = RoaringBitmap64.KeyedBitmapHead(stream).key
        begin = stream.pos()
        try:
            found[last], size = read_first(view[begin:])
        except BadBitmapError as error:
            raise BadBitmapError(f"bitmap of key {last}: {error}", begin + error.offset) from error
        pos, left, wanted = begin + size, left - 1, 1
    if pos != len(data):
        raise BadBitmapError(f"{len(data) - pos} bytes follow the bitmap", pos)
    return found


def _check_keys(keys: NDArray[np.int32], last: int, pos: int) -> None:
    """Ascending from after `last`, and none above the largest that Java takes."""
    before = np.concatenate(([last], keys[:-1]))
    if (keys <= before).any() or int(keys.max()) > MAX_KEY:
        raise BadBitmapError("keys are not ascending from 0 to 2,147,483,646", pos)


def size_of(parts: Mapping[int, bytes]) -> int:
    """Bytes that `write_bitmaps` returns."""
    gaps = max(parts, default=-1) + 1 - len(parts)
    frame = sum(map(len, parts.values())) + len(parts) * len(_keyed(0, b""))
    return len(_all(0, b"")) + frame + gaps * int(_SIZE_EMPTY)


def write_bitmaps(parts: Mapping[int, bytes]) -> bytes:
    """The bytes of a set from those of its bitmaps by keys; gaps are filled as Java does."""
    pieces: list[bytes] = []
    for before, key in pairwise([-1, *sorted(parts)]):
        pieces += [_empty(before + 1, key), _keyed(key, parts[key])]
    return _all(max(parts, default=-1) + 1, b"".join(pieces))


def _all(num_bitmaps: int, bitmaps: Any) -> bytes:
    made = make_roaring_bitmap_64(num_bitmaps=num_bitmaps, bitmaps=bitmaps)
    return bytes(runtime.to_bytes(made))


def _keyed(key: int, bitmap: bytes) -> bytes:
    return bytes(runtime.to_bytes(make_keyed_bitmap(key=key, bitmap=bitmap)))


def _empty(start: int, stop: int) -> bytes:
    """Keys without integers, from `start` up to `stop`."""
    one, _ = KeyedBitmapStartArray.read(_keyed(0, BitMap().serialize()), 0, 1)
    pieces = []
    for first in range(start, stop, _LOOK_AHEAD):
        count = min(stop - first, _LOOK_AHEAD)
        made = KeyedBitmapStartArray.from_columns(
            key=np.arange(first, first + count, dtype=np.int32),
            cookie=one.cookie.repeat(count),
            num_containers_minus_1=one.num_containers_minus_1.repeat(count),
            num_containers=one.num_containers.repeat(count),
        )
        pieces.append(made.to_bytes())
    return b"".join(pieces)
