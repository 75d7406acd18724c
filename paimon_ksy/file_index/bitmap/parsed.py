"""The parsed objects of a bitmap index of either version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex


def codec_of(index: BitmapIndex) -> Any:
    """Return the codec of its version."""
    from paimon_ksy.generated.codecs import bitmap_index_v1, bitmap_index_v2

    return bitmap_index_v1 if index.version == 1 else bitmap_index_v2


def dictionary(index: BitmapIndex) -> Any:
    """Return the dictionary of an index of version 1, the directory of one of version 2."""
    if index.version == 1:
        return codec_of(index).dictionary(index.v1)
    return codec_of(index).directory(index.v2)


def entries_of(index: BitmapIndex) -> Iterator[Any]:
    """Yield the entries of an index, in arrays, in the order in which they stand."""
    found = dictionary(index)
    if index.version == 1:
        yield found.entries
        return
    for ref in found.blocks:
        yield codec_of(index).block(ref).entries
