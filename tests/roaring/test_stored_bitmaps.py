"""Bitmaps in a file: in any order, each fetched once, and those that are broken name their byte."""

import pytest
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import open_source
from paimon_ksy.roaring.stored_bitmaps import StoredBitmaps

BITMAPS = [BitMap(range(start, 3000, start + 2)) for start in range(5)]


def stored() -> tuple[bytes, list[tuple[int, int]]]:
    """Return bitmaps one after another, and where each is."""
    data, extents = b"before", []
    for rows in BITMAPS:
        piece = rows.serialize()
        extents.append((len(data), len(data) + len(piece)))
        data += piece
    return data, extents


def test_bitmaps_in_any_order() -> None:
    data, extents = stored()
    with open_source(data) as source:
        bitmaps = StoredBitmaps(source, "c", 3000)
        assert list(bitmaps.read(extents)) == BITMAPS
        assert list(bitmaps.read(extents[::-1], checked=True)) == BITMAPS[::-1]
        assert list(bitmaps.read([])) == []


def test_a_broken_bitmap_names_its_byte_and_column() -> None:
    data, extents = stored()
    start, end = extents[2]
    broken = data[:start] + b"\xff" + data[start + 1 :]
    with open_source(broken) as source:
        bitmaps = StoredBitmaps(source, "c", 3000)
        for found in (bitmaps.read(extents), bitmaps.read(extents, checked=True)):
            assert [next(found), next(found)] == BITMAPS[:2]
            with pytest.raises(CorruptFileError) as raised:
                next(found)
            assert raised.value.column == "c"
            assert raised.value.offset is not None and start <= raised.value.offset < end


def test_bitmaps_from_afar_are_fetched_once() -> None:
    import fsspec

    data, extents = stored()
    fsspec.filesystem("memory").pipe("/bitmaps", data)
    with open_source("memory://bitmaps") as source:
        bitmaps = StoredBitmaps(source, "c", 3000)
        assert list(bitmaps.read(extents[:4])) == BITMAPS[:4]
        before = source.bytes_read
        assert list(bitmaps.read(extents[2::-1])) == BITMAPS[2::-1]
        assert source.bytes_read == before
        assert list(bitmaps.read(extents)) == BITMAPS
