"""Views see what Kaitai's parsers see, and refuse what these refuse, with the same words."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from kaitaistruct import (
    BytesIO,
    KaitaiStream,
    KaitaiStruct,
    KaitaiStructError,
    ValidationFailedError,
)
from pyroaring import BitMap, BitMap64

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.generated.errors import EndError, FormatError
from paimon_ksy.generated.parsers.binary_row import BinaryRow
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.chunked_dictionary import (
    ChunkedDictionary as ChunkedDictionaryObject,
)
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.generated.parsers.roaring_bitmap_64 import RoaringBitmap64
from paimon_ksy.generated.records import MANY, Field, RecordLayout
from paimon_ksy.generated.runtime import layout, to_bytes
from paimon_ksy.generated.views import (
    binary_row,
    bitmap_index,
    bitmap_index_v1,
    bitmap_index_v2,
    chunked_dictionary,
    deletion_vectors,
    range_bitmap_index,
    roaring_bitmap_32,
    roaring_bitmap_64,
)
from paimon_ksy.generated.views.bit_slice_index import BitSliceIndex
from paimon_ksy.generated.views.chunked_dictionary import ChunkedDictionary, DictionaryChunks
from paimon_ksy.generated.views.file_index import FileIndex as FileIndexView
from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.parse import parse_type
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
    column = FileIndexView(data, 0, 0).head.columns[0]
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
    assert check(FileIndexView(data, 0, 0), FileIndex.from_bytes(data)) >= 10
    for flat, parsed in zip(index_at(data, kind, True), index_at(data, kind, False), strict=True):
        assert check(flat, parsed)
    pos, _ = FileIndexView(data, 0, 0).head.columns[0].place_indexes_body(0)
    window = bitmap_index.BitmapIndex(data[pos - 3 :], pos - 3, 3, kind)
    assert window.end == bitmap_index.BitmapIndex(data, 0, pos, kind).end


REFUSED = KaitaiStructError, EOFError, ValueError


def check_refused(error: FormatError, parse: Any) -> None:
    """That a parser refuses it too, and, if a number is not valid, says the same of the same."""
    with pytest.raises(REFUSED) as refused:
        parse()
    found = refused.value
    if isinstance(found, ValidationFailedError):
        repeats_end = isinstance(error, EndError)  # a repeat is not begun if it cannot end
        assert repeats_end or (error.field.endswith(found.src_path) and error.value == found.actual)
    else:
        assert isinstance(error, EndError) is isinstance(found, EOFError)


@pytest.mark.parametrize("name", FILES)
def test_each_bit_flipped_and_each_cut(name: str) -> None:
    """Where a view reads, the parsers do, and the same; where it refuses, they do."""
    data, schema = FILES[name]
    kind = column_type(schema["c"])
    assert kind is not None
    end = index_at(data, kind, True)[-1].end
    refused = 0
    for bit in range(8 * end):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        cut = data[: bit // 8]
        for damaged in (bytes(flipped), cut):
            try:
                found = FileIndexView(damaged, 0, 0)
            except FormatError as error:
                check_refused(error, lambda damaged=damaged: FileIndex.from_bytes(damaged))
                refused += 1
                continue
            check(found, FileIndex.from_bytes(damaged))
            if not found.head.columns or not found.head.columns[0].num_indexes:
                continue
            try:
                views = index_at(damaged, kind, True)
            except FormatError as error:
                check_refused(error, lambda damaged=damaged: index_at(damaged, kind, False))
                refused += 1
                continue
            for one, other in zip(views, index_at(damaged, kind, False), strict=True):
                check(one, other)
    assert refused > end


@pytest.mark.parametrize(("kind", "values"), [("INT", [5, 7]), ("STRING", "ab"), ("FLOAT", [0.5])])
def test_parts_of_a_range_bitmap(kind: str, values: Any) -> None:
    schema = Schema.parse(f"c {kind}")
    options = {"file-index.range-bitmap.columns": "c"}
    data = build_file_index(pa.table({"c": [*values, None]}, schema.to_arrow()), schema, options)
    number = column_type(schema["c"])
    assert number is not None
    pos, _ = FileIndexView(data, 0, 0).head.columns[0].place_indexes_body(0)
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
            with pytest.raises(FormatError):
                made(data[:cut], 0, place, *more)
    dictionary = ChunkedDictionary(data, 0, flat.place_dictionary()[0], number)
    place, count = dictionary.offsets_start, dictionary.num_chunks
    assert check(DictionaryChunks(data, 0, place, count, number), parsed.dictionary.heads) >= 10


def test_a_header_of_a_bitmap() -> None:
    bitmap = BitMap(range(0, 300_000, 3))
    header = RoaringHeader(bitmap.serialize(), 0, 0)
    parsed = RoaringBitmap32.RoaringHeader.from_bytes(bitmap.serialize())
    assert check(header, parsed) == 6
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
            with pytest.raises(FormatError):
                flat(bytes(flipped), 0, 0)
        else:
            assert check(flat(bytes(flipped), 0, 0), parsed)
    for cut in range(len(data)):
        with pytest.raises(FormatError):
            flat(data[:cut], 0, 0)


@pytest.mark.parametrize("count", [3, MANY, MANY + 1])
@pytest.mark.parametrize("arrays", [False, True])
def test_many_are_arrays(count: int, arrays: bool) -> None:
    bitmap = BitMap(range(0, count << 16, 1 << 16)).serialize()
    header = RoaringHeader(bitmap, 0, 0, arrays=arrays)
    parsed = RoaringBitmap32.RoaringHeader.from_bytes(bitmap)
    assert check(header, parsed) == 6
    is_array = arrays or count > MANY
    assert isinstance(header.ofs_containers, np.ndarray) is is_array
    assert isinstance(header.descriptors_key, np.ndarray) is is_array
    for cut in (0, 7, 8, header.end - 1):
        with pytest.raises(EndError):
            RoaringHeader(bitmap[:cut], 0, 0, arrays=arrays)


@pytest.mark.parametrize("code", [order + letter for order in "<>" for letter in "bBhHiIqQ"])
@pytest.mark.parametrize("more", [(), (Field("after", "x", ">H"),)])
def test_a_length_beyond_the_end_is_refused(code: str, more: tuple[Field, ...]) -> None:
    """Whatever its width: one of 64 bits is more than any place in memory."""
    layout = RecordLayout(Field("size", "x", code), Field("text", "x"), *more)
    for data in (b"\xff" * 9, b"\x7f" * 9):
        for count in (1, 3):
            with pytest.raises(FormatError):
                layout.read(data, 0, 0, count)
        if not more:
            with pytest.raises(FormatError):
                layout.one(data, 0, 0)


def starts(parsed: Any) -> dict[str, int]:
    """Where each field starts that has bytes."""
    return {leaf.path.partition("[")[0]: leaf.start for leaf in reversed(layout(parsed))}


@pytest.mark.parametrize("rows", [[], [5], [1, 70_000], [*range(0, 20_000, 2), 90_000]])
def test_places_of_all_fields(rows: list[int]) -> None:
    data = BitMap(rows).serialize()
    parsed = RoaringBitmap32.RoaringPlainHeader.from_bytes(data)
    places = roaring_bitmap_32.places_roaring_plain_header(parsed.num_containers)
    assert starts(parsed).items() <= places._asdict().items()
    assert places.end == len(to_bytes(parsed))


def test_places_of_many() -> None:
    many = roaring_bitmap_32.places_roaring_plain_header(np.arange(3))
    each = [roaring_bitmap_32.places_roaring_plain_header(number) for number in range(3)]
    for name in ("ofs_containers", "end"):
        assert getattr(many, name).tolist() == [getattr(one, name) for one in each]


@pytest.mark.parametrize("num_fields", [1, 56, 57, 130])
def test_places_up_to_a_field_of_unknown_size(num_fields: int) -> None:
    row = BinaryRow(num_fields, KaitaiStream(BytesIO(bytes(range(256)) * 5)))
    assert binary_row.places_binary_row(num_fields)._asdict() == starts(row)


def test_places_of_fields_with_a_condition() -> None:
    data = bytes(5 * (4 + 4))
    for kind in ChunkedDictionaryObject.KeyType.string.value, column_type(parse_type("INT")):
        keys = ChunkedDictionaryObject.DictionaryKeys(5, kind, KaitaiStream(BytesIO(data)))
        places = chunked_dictionary.places_dictionary_keys(5, kind)
        assert starts(keys).items() <= places._asdict().items()


def test_constants_are_attributes_of_the_class() -> None:
    row = BinaryRow(1, KaitaiStream(BytesIO(bytes(16))))
    assert binary_row.BinaryRow.len_field == row.len_field == 8
    assert binary_row.BinaryRow(bytes(16), 0, 0, 1).num_kind_bits == row.num_kind_bits
