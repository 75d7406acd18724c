"""What is generated from the specs: files come back byte for byte, objects as they were."""

import io
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import EndError, FormatError
from ksykit.runtime.objects import (
    from_json,
    gaps,
    layout,
    to_bytes,
    to_json,
)

from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.bitmap_index import make_bitmap_index
from paimon_ksy.generated.structs.bitmap_index_v1 import (
    make_bitmap_dictionary_v1,
    make_bitmap_entry_v1,
    make_bitmap_index_v1,
)
from paimon_ksy.generated.structs.file_index import (
    FileIndex,
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.generated.structs.typed_value import make_typed_value
from paimon_ksy.generated.views.bitmap_index import BitmapIndex as BitmapIndexView
from paimon_ksy.generated.views.bitmap_index_v1 import BITMAP_ENTRY_V1, BitmapDictionaryV1
from paimon_ksy.generated.views.bitmap_index_v2 import (
    BITMAP_BLOCK_REF_V2,
    BITMAP_ENTRY_V2,
)
from paimon_ksy.generated.views.chunked_dictionary import FIXED_CHUNK
from paimon_ksy.generated.views.file_index import FILE_INDEX_ENTRY, FileIndexColumn
from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader
from paimon_ksy.io.source import open_source, read_view

# --- Objects that were not read ---

NAMES = st.text(st.characters(codec="utf-8"), max_size=10)


def mutf8(text: str) -> bytes:
    units = text.encode("utf-16-be", "surrogatepass")
    halves = struct.unpack(f">{len(units) // 2}H", units)
    return b"".join(
        b"\xc0\x80" if u == 0 else chr(u).encode("utf-8", "surrogatepass") for u in halves
    )


@given(
    st.lists(
        st.tuples(
            NAMES, st.lists(st.tuples(NAMES, st.none() | st.binary(max_size=30)), max_size=3)
        ),
        max_size=4,
    ),
    st.none() | st.binary(max_size=5),
)
def test_container_is_written_from_values_alone(
    columns: list[tuple[str, list[tuple[str, bytes | None]]]], redundant: bytes | None
) -> None:
    index = make_file_index(
        head=make_file_index_head(
            columns=[
                make_file_index_column(
                    name=make_java_utf8(value=mutf8(name)),
                    indexes=[
                        make_file_index_entry(
                            index_type=make_java_utf8(value=mutf8(kind)), body=body
                        )
                        for kind, body in indexes
                    ],
                )
                for name, indexes in columns
            ],
            redundant=redundant,
        )
    )
    data = to_bytes(index)
    parsed = FileIndex.from_bytes(data)
    assert parsed.head.num_columns == len(columns)
    position = parsed.len_head
    for column, (name, indexes) in zip(parsed.head.columns, columns, strict=True):
        assert column.name.value == mutf8(name)
        for entry, (_, body) in zip(column.indexes, indexes, strict=True):
            assert entry.is_empty == (body is None)
            if body is not None:
                assert (entry.ofs_body, entry.len_body, entry.body) == (position, len(body), body)
                position += len(body)
            else:
                assert (entry.ofs_body, entry.len_body) == (-1, 0)
    assert position == len(data)
    assert getattr(parsed.head, "len_redundant", None) == (
        None if redundant is None else len(redundant)
    )
    document = json.loads(json.dumps(to_json(parsed)))
    assert to_bytes(from_json(type_named("file_index"), document)) == data
    assert [c["name"]["value"] for c in document["head"].get("columns", ())] == [
        name for name, _ in columns
    ]


@given(
    st.lists(st.tuples(st.binary(max_size=9), st.integers(-5, 5)), max_size=70), st.integers(0, 5)
)
def test_string_records_are_written_and_read_in_columns(
    records: list[tuple[bytes, int]], before: int
) -> None:
    layout = BITMAP_ENTRY_V1[8]
    keys, offsets = [k for k, _ in records], [o for _, o in records]
    made = layout.pack(key=keys, ofs_bitmap=offsets)
    data = bytes(before) + made.data + b"rest"
    expected = [
        to_bytes(make_bitmap_entry_v1(column_type=8, key=make_typed_value(text=k), ofs_bitmap=o))
        for k, o in records
    ]
    assert list(made) == expected and made.data == b"".join(expected)
    some = BytesColumn.of([b"x", *keys])[1:]  # whose data has more than these strings
    assert layout.pack(key=some, ofs_bitmap=offsets) == made
    end, found, numbers = layout.read(data, 0, before, len(records), arrays=True)
    assert end == len(data) - 4
    assert (list(found), numbers.tolist()) == (keys, offsets)
    assert layout.sizes([found]).tolist() == made.lengths.tolist() == list(map(len, expected))


def test_strings_longer_than_the_first_read_come_through_a_stream() -> None:
    keys = [bytes([65 + i % 26]) * (i * 37 % 5000) for i in range(300)]
    made = BITMAP_ENTRY_V1[8].pack(key=keys, ofs_bitmap=np.arange(300))
    index = make_bitmap_index(
        column_type=8,
        version=1,
        v1=make_bitmap_index_v1(
            num_rows=300, has_null=0, dictionary=make_bitmap_dictionary_v1(entries=made)
        ),
    )
    data = to_bytes(index)
    with open_source(io.BytesIO(data)) as source:  # which fetches 16 kB at first
        head = read_view(source, BitmapIndexView, 0, 8).v1
        kind, at = BitmapDictionaryV1, head.dictionary_start
        dictionary = read_view(source, kind, at, head.num_values, 8)
    assert dictionary.entries_key == keys
    assert dictionary.bitmaps_start == len(data)
    for cut in (40_000, len(data) - 1):
        with open_source(io.BytesIO(data[:cut])) as source, pytest.raises(EndError) as error:
            read_view(source, kind, at, head.num_values, 8)
        assert error.value.offset == cut


# --- What is refused ---


def test_a_count_beyond_the_file_is_refused_at_once() -> None:
    for kind in range(1, 13):
        with pytest.raises(EndError):
            BITMAP_ENTRY_V2[kind].read(bytes(100), 0, 0, 2**31 - 1)
    with pytest.raises(EndError) as error:
        BITMAP_ENTRY_V1[8].read(b"\0\0\0\3abc\0\0", 0, 0, 1)
    assert error.value.offset is not None


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(FormatError, match="len_text cannot be -1"):
        BITMAP_ENTRY_V1[8].read(b"\xff" * 8, 0, 0, 1)


def test_invalid_values_are_refused_like_the_parser_does() -> None:
    with pytest.raises(FormatError, match="ofs_block cannot be -2") as error:
        BITMAP_BLOCK_REF_V2[4].read(struct.pack(">iiii", 1, 0, 2, -2), 0, 0, 2)
    assert error.value.offset == 12
    with pytest.raises(FormatError, match="bool8 cannot be 7"):
        BITMAP_ENTRY_V2[1].read(b"\7" + bytes(8), 0, 0, 1)
    with pytest.raises(FormatError, match="cookie cannot be 1"):
        RoaringHeader(b"\1" + bytes(20), 0, 0)


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(FormatError, match="does not fit"):
        BITMAP_ENTRY_V1[2].pack(key=[300], ofs_bitmap=[0])
    with pytest.raises(FormatError, match="does not fit"):
        BITMAP_ENTRY_V1[6].pack(key=[1e300], ofs_bitmap=[0])
    with pytest.raises(FormatError, match="num_rows"):
        to_bytes(make_bitmap_index_v1(num_rows=2**31, num_values=0, has_null=0))
    with pytest.raises(FormatError, match="others 2"):
        BITMAP_ENTRY_V1[4].pack(key=[1, 2], ofs_bitmap=[0])


def test_columns_are_those_of_the_record() -> None:
    for columns in ({"key": [1]}, {"key": [1], "ofs_bitmap": [0], "row": [2]}):
        with pytest.raises(TypeError, match=r"column (ofs_bitmap|row)"):
            BITMAP_ENTRY_V1[4].pack(**columns)
    numbers = {"code": 3, "ofs_keys": 0, "num_keys": 0, "len_keys": 0, "len_key": 4}
    made = FIXED_CHUNK[4].pack(key=[7, 8], **numbers)  # the version is constant
    assert list(made) == [struct.pack(">B6i", 1, key, *numbers.values()) for key in (7, 8)]


def test_what_cannot_be_computed_is_named() -> None:
    with pytest.raises(FormatError, match="num_rows cannot be computed"):
        to_bytes(make_bitmap_index_v1(has_null=0, dictionary=make_bitmap_dictionary_v1(entries=[])))
    with pytest.raises(FormatError, match=r"head\.columns is not set; set it"):
        to_bytes(make_file_index(head=make_file_index_head()))
    entry = make_bitmap_entry_v1(column_type=4, key=make_typed_value(int32=1))
    with pytest.raises(FormatError, match="ofs_bitmap cannot be computed"):
        to_bytes(entry)


def test_contradictions_are_refused() -> None:
    with pytest.raises(FormatError, match="has 0 elements, its count is 3"):
        to_bytes(make_file_index_head(num_columns=3, columns=[]))
    with pytest.raises(FormatError, match="takes 2 bytes, its size is 5"):
        to_bytes(make_java_utf8(len_value=5, value=b"ab"))
    with pytest.raises(FormatError, match="condition does not hold"):
        to_bytes(make_typed_value(column_type=4, int32=1, int64=2))
    one = make_file_index_entry(
        index_type=make_java_utf8(value=b"a"), ofs_body=2, len_body=3, body=b"xyz"
    )
    column = make_file_index_column(name=make_java_utf8(value=b"c"), indexes=[one])
    with pytest.raises(FormatError, match="two fields want different bytes"):
        to_bytes(make_file_index(head=make_file_index_head(columns=[column])))


def test_holes_need_gaps() -> None:
    one = make_file_index_entry(
        index_type=make_java_utf8(value=b"a"), ofs_body=100, len_body=3, body=b"xyz"
    )
    column = make_file_index_column(name=make_java_utf8(value=b"c"), indexes=[one])
    index = make_file_index(head=make_file_index_head(columns=[column]))
    with pytest.raises(FormatError, match="pass them as gaps") as error:
        to_bytes(index)
    hole = error.value.offset
    assert hole is not None
    data = to_bytes(index, [(hole, b"-" * (100 - hole)), (103, b"tail")])
    assert data.endswith(b"---xyztail")
    parsed = FileIndex.from_bytes(data)
    assert gaps(parsed, data) == [(hole, b"-" * (100 - hole)), (103, b"tail")]


def test_overlapping_fields_that_agree_are_written() -> None:
    indexes = [
        make_file_index_entry(
            index_type=make_java_utf8(value=b"a"), ofs_body=at, len_body=4, body=body
        )
        for at, body in ((60, b"abcd"), (62, b"cdef"))
    ]
    column = make_file_index_column(name=make_java_utf8(value=b"c"), indexes=indexes)
    index = make_file_index(head=make_file_index_head(columns=[column], redundant=bytes(6)))
    with pytest.raises(FormatError) as error:
        to_bytes(index)
    hole = error.value.offset
    assert hole is not None
    assert to_bytes(index, [(hole, bytes(60 - hole))])[60:] == b"abcdef"


def test_records_of_the_container_are_columns_too() -> None:
    made = FILE_INDEX_ENTRY.pack(index_type=[b"bitmap", b"bsi"], ofs_body=[40, -1], len_body=[7, 0])
    column = make_file_index_column(name=make_java_utf8(value=b"c"), indexes=made)
    data = to_bytes(column)
    view = FileIndexColumn(data, 0, 0, arrays=True)
    assert view.indexes_index_type == [b"bitmap", b"bsi"]
    assert view.indexes_is_empty(slice(None)).tolist() == [False, True]
    assert [x.tolist() for x in view.place_indexes_body(slice(None))] == [[40, -1], [7, 0]]
    leaves = [leaf for leaf in layout(column) if leaf.path.startswith("indexes[")]
    assert [leaf.value for leaf in leaves] == [6, b"bitmap", 40, 7, 3, b"bsi", -1, 0]
    assert to_bytes(from_json(type_named("file_index_column"), to_json(column))) == data


@pytest.mark.parametrize("bits", ["7fc00000", "ffc00000", "7fc00001", "7f800000", "80000000"])
def test_floats_keep_their_bits_in_json(bits: str) -> None:
    data = bytes.fromhex(bits) + bytes.fromhex("ffffffff")
    _, keys, _ = BITMAP_ENTRY_V1[6].read(data, 0, 0, 1, arrays=True)
    assert BITMAP_ENTRY_V1[6].pack(key=keys, ofs_bitmap=-1).data == data
    key = make_typed_value(float32=keys[0].item())
    value = make_bitmap_entry_v1(column_type=6, key=key, ofs_bitmap=-1)
    document = json.loads(json.dumps(to_json(value)))
    assert to_bytes(from_json(type_named("bitmap_entry_v1"), document)) == data


def test_a_repeat_cannot_be_packed_as_one_value() -> None:
    with pytest.raises(FormatError, match=r"bucket_index\.hashes is not a number or bytes"):
        type_named("bucket_index").pack(hashes=[1])
