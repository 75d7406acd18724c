"""Flat readers see what Kaitai's parsers see, or give up."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import pyarrow as pa
import pytest
from kaitaistruct import KaitaiStruct, ValidationFailedError
from pyroaring import BitMap, BitMap64

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.generated.errors import MANY, UNUSUAL
from paimon_ksy.generated.flat import (
    bitmap_index,
    bitmap_index_v1,
    bitmap_index_v2,
    deletion_vectors,
    range_bitmap_index,
    roaring_bitmap_64,
)
from paimon_ksy.generated.flat.bit_slice_index import BitSliceIndex
from paimon_ksy.generated.flat.chunked_dictionary import ChunkedDictionary, DictionaryChunks
from paimon_ksy.generated.flat.file_index import FileIndex as FlatFileIndex
from paimon_ksy.generated.flat.roaring_bitmap_32 import RoaringPlainHeader
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.generated.parsers.roaring_bitmap_64 import RoaringBitmap64
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.schema import Schema
from tests.support.file_indexes import FILES

REPEATS = "indexes", "entries", "blocks", "descriptors", "slices", "fixed_chunks", "text_chunks"


def plain(value: Any) -> Any:
    """What a Kaitai object without fields of its own stands for: a place, a text, a number."""
    for name in ("at", "value", "text", "int32", "int64", "float32"):
        if isinstance(value, KaitaiStruct) and hasattr(value, name):
            return getattr(value, name)
    return value


def check(flat: Any, parsed: Any) -> int:
    """That all fields are the same; how many there are."""
    seen = 0
    for name in flat.__slots__:
        if name == "end":
            continue
        found = getattr(flat, name)
        repeat = next((r for r in REPEATS if name.startswith(f"{r}_")), "")
        column = name.removeprefix(f"{repeat}_")
        if hasattr(parsed, name):
            wanted = getattr(parsed, name)
        elif isinstance(getattr(parsed, repeat, None), list):
            wanted = [plain(getattr(record, column)) for record in getattr(parsed, repeat)]
            found = list(found)
        else:
            assert found is None, name
            continue
        if hasattr(found, "__slots__"):
            seen += check(found, wanted)
        elif name == "columns":
            assert len(found) == len(wanted)
            seen += sum(map(check, found, wanted))
        else:
            wanted = plain(wanted.value if isinstance(wanted, IntEnum) else wanted)
            assert (list(found) if isinstance(wanted, list) else found) == wanted, name
            seen += 1
    return seen


def index_at(data: bytes, kind: int, flat: bool) -> Any:
    """The bitmap index of the first column, and its dictionary, or its directory and blocks."""
    if not flat:
        parsed = FileIndex.from_bytes(data)
        stream = parsed._io
        stream.seek(parsed.head.columns[0].indexes[0].ofs_body)
        told = BitmapIndex(kind, stream)
        if told.version == 1:
            return told, told.v1.dictionary
        listed = told.v2.directory
        return told, listed, *(ref.block for ref in listed.blocks)
    column = FlatFileIndex(data, 0, 0).head.columns[0]
    pos, _ = column.place_indexes_body(0)
    index = bitmap_index.BitmapIndex(data, 0, pos, kind)
    if index.v1 is not None:
        pos, _ = index.v1.place_dictionary()
        return index, bitmap_index_v1.BitmapDictionaryV1(data, 0, pos, index.v1.num_values, kind)
    pos, _ = index.v2.place_directory()
    directory = bitmap_index_v2.BitmapDirectoryV2(data, 0, pos, index.v2.num_blocks, kind)
    places = [directory.place_blocks_block(i)[0] for i in range(directory.num_blocks)]
    return (
        index,
        directory,
        *(bitmap_index_v2.BitmapBlockV2(data, 0, p, directory.bitmaps_start, kind) for p in places),
    )


@pytest.mark.parametrize("name", FILES)
def test_what_the_parsers_see(name: str) -> None:
    data, schema = FILES[name]
    kind = column_type(schema["c"])
    assert kind is not None
    assert check(FlatFileIndex(data, 0, 0), FileIndex.from_bytes(data)) >= 10
    for flat, parsed in zip(index_at(data, kind, True), index_at(data, kind, False), strict=True):
        assert check(flat, parsed)
    pos, _ = FlatFileIndex(data, 0, 0).head.columns[0].place_indexes_body(0)
    window = bitmap_index.BitmapIndex(data[pos - 3 :], pos - 3, 3, kind)
    assert window.end == bitmap_index.BitmapIndex(data, 0, pos, kind).end


@pytest.mark.parametrize("name", FILES)
def test_each_bit_flipped_and_each_cut(name: str) -> None:
    """Where a flat reader reads, the parsers do, and the same: it accepts nothing else."""
    data, schema = FILES[name]
    kind = column_type(schema["c"])
    assert kind is not None
    end = index_at(data, kind, True)[-1].end
    gave_up = 0
    for bit in range(8 * end):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        cut = data[: bit // 8]
        for damaged in (bytes(flipped), cut):
            try:
                found = FlatFileIndex(damaged, 0, 0)
            except UNUSUAL:
                gave_up += 1
                continue
            check(found, FileIndex.from_bytes(damaged))
            if not found.head.columns:
                continue
            try:
                flat = index_at(damaged, kind, True)
            except UNUSUAL:
                gave_up += 1
                continue
            for one, other in zip(flat, index_at(damaged, kind, False), strict=True):
                check(one, other)
    assert gave_up > end


@pytest.mark.parametrize(("kind", "values"), [("INT", [5, 7]), ("STRING", "ab"), ("FLOAT", [0.5])])
def test_parts_of_a_range_bitmap(kind: str, values: Any) -> None:
    schema = Schema.parse(f"c {kind}")
    options = {"file-index.range-bitmap.columns": "c"}
    data = build_file_index(pa.table({"c": [*values, None]}, schema.to_arrow()), schema, options)
    number = column_type(schema["c"])
    assert number is not None
    pos, _ = FlatFileIndex(data, 0, 0).head.columns[0].place_indexes_body(0)
    stream = FileIndex.from_bytes(data)._io
    stream.seek(pos)
    parsed = RangeBitmapIndex(number, stream)
    flat = range_bitmap_index.RangeBitmapIndex(data, 0, pos, number)
    assert check(flat, parsed) == len(flat.__slots__) - 1
    for part, made, more in (
        ("dictionary", ChunkedDictionary, (number,)),
        ("slices", BitSliceIndex, ()),
    ):
        place, _ = getattr(flat, f"place_{part}")()
        found = made(data, 0, place, *more)
        assert check(found, getattr(parsed, part)) == len(found.__slots__) - 1
        for cut in range(place, found.end):
            with pytest.raises(UNUSUAL):
                made(data[:cut], 0, place, *more)
    dictionary = ChunkedDictionary(data, 0, flat.place_dictionary()[0], number)
    place, count = dictionary.offsets_start, dictionary.num_chunks
    assert check(DictionaryChunks(data, 0, place, count, number), parsed.dictionary.heads) >= 10


def test_a_header_of_a_bitmap() -> None:
    bitmap = BitMap(range(0, 300_000, 3))
    header = RoaringPlainHeader(bitmap.serialize(), 0, 0)
    parsed = RoaringBitmap32.RoaringPlainHeader.from_bytes(bitmap.serialize())
    assert check(header, parsed) == 5
    assert header.descriptors_cardinality(1) == parsed.descriptors[1].cardinality


@pytest.mark.parametrize(
    ("flat", "parsers", "data"),
    [
        (
            deletion_vectors.DeletionVectorStart,
            DeletionVectors.DeletionVectorStart,
            DeletionVector.of([5], bits).to_bytes()[:8],
        )
        for bits in (32, 64)
    ]
    + [
        (
            deletion_vectors.DeletionVectorEnd,
            DeletionVectors.DeletionVectorEnd,
            DeletionVector.of([5]).to_bytes()[-4:],
        ),
        (
            roaring_bitmap_64.RoaringBitmap64Head,
            RoaringBitmap64.RoaringBitmap64Head,
            BitMap64([1 << 40]).serialize()[:8],
        ),
        (
            roaring_bitmap_64.KeyedBitmapHead,
            RoaringBitmap64.KeyedBitmapHead,
            BitMap64([1 << 40]).serialize()[8:12],
        ),
    ],
)
def test_parts_of_vectors(flat: Any, parsers: Any, data: bytes) -> None:
    """Each bit flipped and each cut."""
    assert check(flat(data, 0, 0), parsers.from_bytes(data)) == len(flat.__slots__) - 1
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            parsed = parsers.from_bytes(bytes(flipped))
        except ValidationFailedError:
            with pytest.raises(UNUSUAL):
                flat(bytes(flipped), 0, 0)
        else:
            assert check(flat(bytes(flipped), 0, 0), parsed)
    for cut in range(len(data)):
        with pytest.raises(UNUSUAL):
            flat(data[:cut], 0, 0)


def test_many_are_left_to_the_codecs() -> None:
    few, more = (BitMap(range(0, n << 16, 1 << 16)).serialize() for n in (MANY, MANY + 1))
    assert RoaringPlainHeader(few, 0, 0).num_containers == MANY
    with pytest.raises(UNUSUAL):
        RoaringPlainHeader(more, 0, 0)
