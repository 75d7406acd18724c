"""Blob files: what is in them, and that no changed byte goes unnoticed."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from itertools import pairwise
from typing import Any
from unittest import mock

import pytest
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.varints import to_zigzag
from pypaimon.schema.data_types import ArrayType, AtomicType, DataField, MapType
from pypaimon.write.blob_format_writer import BlobFormatWriter

from kit_support.bounds import bounded
from paimon_ksy.generated.structs.blob_file import (
    make_blob_entry,
    make_blob_file,
    make_blob_footer,
    make_blob_index,
    make_blob_row,
)
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify
from paimon_ksy.io.file_format import SMALL, Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table_files.blob_file import MOST_LISTED, check
from tests.support.damage import each_flipped

BLOB = AtomicType("BLOB")
PLAIN = [b"a", None, b"", b"hello" * 100, b"b", None]


def blob_file(values: Iterable[Any], kind: Any = BLOB) -> bytes:
    """The file that pypaimon writes of values."""
    out = BytesIO()
    writer = BlobFormatWriter(out)
    for value in values:
        writer.write_value(value, [DataField(0, "x", kind)])
    with mock.patch.object(out, "close"):
        writer.close()
    return out.getvalue()


def findings(data: bytes, num_rows: int | None = None) -> list[Finding]:
    with open_source(data) as source:
        return list(check(Subject(source, num_rows=num_rows)))


def report(data: bytes, top: int | None = None) -> dict[str, Any]:
    with open_source(data) as source:
        return inspect_file(Subject(source), top=top).to_json()


def test_files_of_pypaimon_are_read_and_written_again() -> None:
    data = blob_file(PLAIN)
    shown = report(data)
    assert shown["kind"] == "blob"
    assert (shown["rows"], shown["nulls"], shown["placeholders"]) == (6, 2, 0)
    assert (shown["value_bytes"], shown["smallest_bytes"], shown["largest_bytes"]) == (502, 0, 500)
    sizes = [None if value is None else len(value) for value in PLAIN]
    assert [each.get("bytes") for each in shown["values"]] == sizes
    starts = [None if value is None else value[:16].hex() for value in PLAIN]
    assert [each.get("starts") for each in shown["values"]] == starts
    assert len(report(data, 2)["values"]) == 2
    assert not verify(data) and not findings(data, 6)
    with open_source(data) as source:
        assert assemble(dump_file(source)) == data


def test_arrays_maps_and_placeholders_are_named() -> None:
    from pypaimon.table.row.blob import Blob

    arrays = blob_file([[b"a", None], None, Blob.ARRAY_PLACE_HOLDER], ArrayType(True, BLOB))
    values = report(arrays)["values"]
    assert [each["is"] for each in values] == ["array", "null", "placeholder"]
    assert values[0]["elements"] == 2
    maps = blob_file([{1: b"x", 2: b"y", 3: None}], MapType(True, AtomicType("INT"), BLOB))
    [value] = report(maps)["values"]
    assert (value["is"], value["elements"]) == ("map", 3)
    assert not findings(arrays, 3) and not findings(maps, 1)


def test_every_changed_byte_is_an_error() -> None:
    data = blob_file(PLAIN)
    unnoticed = [at for at, bad in each_flipped(data) if not findings(bad, len(PLAIN))]
    assert not unnoticed


def test_a_damaged_value_is_named_with_its_row_and_byte() -> None:
    data = bytearray(blob_file([b"a" * 100, None, b"b" * 100, b"c" * 100]))
    data[130] ^= 1
    [finding] = findings(bytes(data))
    assert (finding.severity, finding.check, finding.byte) == ("error", "blob", 116)
    assert finding.message.startswith("row 2: the value is damaged: its checksum is 0x")
    assert "backup" in finding.remedy


def test_many_damaged_values_are_counted() -> None:
    data = bytearray(blob_file([b"12345678"] * 50))
    data[4 : 50 * 24 : 24] = b"x" * 50
    found = findings(bytes(data))
    assert len(found) == MOST_LISTED + 1
    assert found[-1].message == "40 more values are damaged"


def test_another_number_of_rows_is_an_error() -> None:
    [finding] = findings(blob_file(PLAIN), 7)
    assert finding.message == "it has 6 rows, but 7 according to the manifest"


def test_values_larger_than_a_part_are_checked() -> None:
    data = bytearray(blob_file([b"x" * (9 << 20), b"y"]))
    assert not findings(bytes(data))
    data[8 << 20] ^= 1
    [finding] = findings(bytes(data))
    assert finding.message.startswith("row 0: the value is damaged")


def test_a_file_of_nulls_has_no_magic_number_but_is_known() -> None:
    assert report(blob_file([None] * 3))["rows"] == 3
    assert report(blob_file([]))["rows"] == 0


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([-3], "row 0 has an entry of -3 bytes"),
        ([-1, 15], "row 1 has an entry of 15 bytes"),
        ([1 << 62] * 4, "row 0 has an entry of 4611686018427387904 bytes"),
        ([17, 17], "the entry of row 1 ends after byte 17"),
        ([-1], "its entries take 0 bytes, but 17 are before the index"),
    ],
)
def test_wrong_lengths_are_refused(lengths: list[int], message: str) -> None:
    differences = to_zigzag([after - before for before, after in pairwise([0, *lengths])])
    rows = [make_blob_row(difference=make_varint(value=int(each))) for each in differences]
    index = to_bytes(make_blob_index(rows=rows))
    footer = to_bytes(make_blob_footer(len_index=len(index)))
    data = to_bytes(make_blob_entry(len_data=1, data=b"v")) + index + footer
    [finding] = findings(data)
    assert finding.message == message


def test_an_index_of_many_megabytes_takes_little_memory() -> None:
    size = 4 << 20
    data = b"\1" + bytes(size - 1) + size.to_bytes(4, "little") + b"\1"
    with bounded():
        assert not findings(data, size)
        assert not findings(b"\xcf\x11NX" + data[4:])[1:]


def test_files_are_made_of_their_values() -> None:
    rows = [
        make_blob_row(difference=make_varint(value=1)),
        make_blob_row(difference=make_varint(value=38), entry=make_blob_entry(data=b"ab")),
    ]
    data = to_bytes(make_blob_file(footer=make_blob_footer(), index=make_blob_index(rows=rows)))
    assert data == blob_file([None, b"ab"])


@pytest.mark.parametrize("sizes", [(5, 0), (5, SMALL, 7), (SMALL + 1,), (1,) * (SMALL // 16)])
def test_each_byte_of_an_entry_has_a_field_in_files_of_any_size(sizes: tuple[int, ...]) -> None:
    data = blob_file(b"v" * size for size in sizes)
    start = 0
    with open_source(data) as source:
        for row, size in enumerate(sizes[:3]):
            fields = hex_fields(source, None, start, size + 16)
            names = ["magic", *(["data"] if size else []), "len_entry", "crc32"]
            assert [each.path for each in fields] == [f"index.rows[{row}].entry.{n}" for n in names]
            assert b"".join(each.data for each in fields) == data[start : start + size + 16]
            assert fields[-2].value == size + 16
            start += size + 16
        fields = hex_fields(source, None, start, len(data) - start)
        assert [each.path for each in fields][-2:] == ["footer.len_index", "footer.version"]
        assert None not in [each.path for each in fields]
