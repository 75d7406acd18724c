"""Compact Thrift: what Arrow writes, and what nobody should."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import layout, to_bytes

from kit_support.agreement import REFUSED, check_json, check_views
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.compact_thrift import CompactThrift as CompactThriftStruct
from paimon_ksy.generated.structs.compact_thrift import (
    make_compact_thrift,
    make_thrift_field,
    make_thrift_field_head,
)
from paimon_ksy.generated.structs.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.structs.varint import Varint as ParsedVarint
from paimon_ksy.generated.views.compact_thrift import CompactThrift, ThriftKind
from paimon_ksy.generated.views.varint import Varint

KIND = ThriftKind
VALUES = {
    KIND.bool_true: "",
    KIND.bool_false: "",
    KIND.i8: "ff",
    KIND.i16: "03",
    KIND.i32: "feffffff0f",
    KIND.i64: "ffffffffffffffffff01",
    KIND.double: "000000000000f03f",
    KIND.binary: "03616263",
    KIND.list: "35020406",
    KIND.set: "f8" + "10" + "00" * 16,
    KIND.map: "02" + "81" + "016101" + "016200",
    KIND.struct: "150200",
    KIND.uuid: "00112233445566778899aabbccddeeff",
}
"""A value of each kind, as the protocol's document encodes it."""

ALL_KINDS = bytes.fromhex(
    "".join(f"{16 + kind:02x}{value}" for kind, value in VALUES.items()) + "051e0800"
)
"""One field after another; the last one, 15, has its number after its kind, and the value 4."""


def parse(data: bytes) -> Any:
    return CompactThriftStruct.from_bytes(data, depth=0)


def footer() -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.table({"text": ["a", None], "list": [[1.5], []], "map": [{"k": 1}, {}]})
    pq.write_table(table.cast(table.schema), sink, write_page_index=True)
    metadata = pa.BufferOutputStream()
    pq.read_metadata(pa.BufferReader(sink.getvalue())).write_metadata_file(metadata)
    parsed = ParquetMetadata.from_bytes(metadata.getvalue().to_pybytes())
    return bytes(to_bytes(parsed.footer))


def test_a_value_of_each_kind() -> None:
    view = CompactThrift(b"??" + ALL_KINDS + b"!", 5, 2, 0)
    assert view.end == 7 + len(ALL_KINDS)
    assert [field.number for field in view.fields] == [*range(1, 14), 15, 15]
    assert [field.is_stop for field in view.fields] == [False] * 14 + [True]
    assert {*VALUES} == {*KIND}
    of = {KIND(field.head.kind): field.value for field in view.fields[:13]}
    integers = of[KIND.i16], of[KIND.i32], of[KIND.i64]
    assert [value.integer.zigzag for value in integers] == [-2, 2**31 - 1, -(2**63)]
    assert of[KIND.i8].int_8 == -1 and of[KIND.double].real == 1.0
    assert of[KIND.binary].body == b"abc" and of[KIND.uuid].uuid.hex()[:4] == "0011"
    assert [one.integer.zigzag for one in of[KIND.list].collection.elements] == [1, 2, 3]
    assert [one.body for one in of[KIND.set].collection.elements] == [b""] * 16
    pairs = of[KIND.map].mapping.pairs
    assert [(pair.key.body, pair.value.truth) for pair in pairs] == [(b"a", 1), (b"b", 0)]
    assert of[KIND.struct].nested.fields[0].value.integer.zigzag == 1
    assert view.fields[13].value.integer.zigzag == 4


@pytest.mark.parametrize("data", [ALL_KINDS, footer()], ids=["each kind", "Arrow's footer"])
def test_views_objects_and_json_agree(data: bytes) -> None:
    type_, params = type_named("compact_thrift"), {"depth": 0}
    assert check_views(type_, data, params) and check_json(type_, data, params)
    assert to_bytes(parse(data)) == data


def test_a_map_of_the_least_kinds() -> None:
    [pair] = (
        CompactThrift(bytes.fromhex("1b" + "01" + "11" + "0102" + "00"), 0, 0, 0)
        .fields[0]
        .value.mapping.pairs
    )
    assert (pair.key.truth, pair.value.truth) == (1, 2)
    with pytest.raises(FormatError, match="kinds"):
        CompactThrift(bytes.fromhex("1b" + "01" + "10" + "0102" + "00"), 0, 0, 0)


def test_false_in_a_list_is_0_or_2() -> None:
    view = CompactThrift(bytes.fromhex("19" + "31" + "01" + "00" + "02" + "00"), 0, 0, 0)
    assert [one.truth for one in view.fields[0].value.collection.elements] == [1, 0, 2]


@pytest.mark.parametrize(
    ("text", "value"), [("00", 0), ("df8903", 50399), ("ff" * 9 + "01", 2**64 - 1)]
)
def test_integers(text: str, value: int) -> None:
    data = bytes.fromhex(text)
    assert Varint(data, 0, 0).value == ParsedVarint.from_bytes(data).value == value
    zigzag = value >> 1 if value % 2 == 0 else ~(value >> 1)
    assert Varint(data, 0, 0).zigzag == ParsedVarint.from_bytes(data).zigzag == zigzag


def test_heads_of_fields_are_computed() -> None:
    """A field that is left out changes the head of the next one, and the end stays."""
    fields = [
        make_thrift_field(
            head=make_thrift_field_head(number=field.number, kind=field.head.kind),
            value=field.value,
        )
        for field in parse(ALL_KINDS).fields
        if field.number in (2, 4, 13)
    ]
    stop = make_thrift_field(head=make_thrift_field_head(number=13, kind=0))
    data = to_bytes(make_compact_thrift(depth=0, fields=[*fields, stop]))
    assert data.hex() == "22" + "24" + "03" + "9d" + VALUES[KIND.uuid] + "00"
    with pytest.raises(FormatError, match="does not end the repeat"):
        to_bytes(make_compact_thrift(depth=0, fields=fields))
    with pytest.raises(FormatError, match="is not the last"):
        to_bytes(make_compact_thrift(depth=0, fields=[stop, *fields]))
    with pytest.raises(FormatError, match="no element that ends it"):
        to_bytes(make_compact_thrift(depth=0, fields=[]))
    far = make_thrift_field_head(number=16, kind=int(KIND.bool_true))
    with pytest.raises(FormatError, match="head"):
        to_bytes(make_compact_thrift(depth=0, fields=[make_thrift_field(head=far), stop]))


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("1c" * 40, 32),  # structs in structs
        ("19" + "19" * 40, 32),  # lists of lists
        ("1b" + "01bb" * 40, 64),  # maps of maps as keys
        ("19fc" + "ff" * 9 + "01", 12),  # a list of 2^64 - 1 structs
        ("1b" + "ff" * 9 + "01" + "33", 12),  # a map of as many pairs
        ("1b" + "ff" * 9 + "01" + "00", 11),  # as many of no kind, and so without bytes
        ("18" + "ff" * 9 + "01", 11),  # text of as many bytes
        ("16" + "ff" * 9 + "02", 10),  # an integer of more than 64 bits
        ("1e", 0),  # a kind that does not exist
        ("10", 0),  # an end that is no end
    ],
)
def test_hostile_bytes_are_refused_at_their_place(text: str, offset: int) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(FormatError) as refused:
        CompactThrift(data, 0, 0, 0)
    assert refused.value.offset == offset
    with pytest.raises(REFUSED):
        parse(data)


def test_the_names_of_deeply_nested_fields_take_time_by_their_depth() -> None:
    """Not by a power of it: 30 structs, each in the one before."""
    depth = 30
    leaves = layout(parse(b"\x1c" * depth + b"\x00" * (depth + 1)))
    assert len(leaves) == 2 * depth + 1
    assert leaves[depth - 1].path.count("fields[0]") == depth
