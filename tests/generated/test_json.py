"""Files as JSON: it holds what the parsers read, and gives the bytes again."""

import json
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from ksykit.runtime import objects as runtime
from ksykit.runtime.errors import FormatError
from ksykit.runtime.types import type_of
from pyroaring import BitMap

from kit_support.agreement import check_struct, parse
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.generated.structs import type_named
from paimon_ksy.inspection.json import assemble, dump_file, file_parts
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.source import open_source
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex, bad_files, golden_index, golden_indexes
from tests.support.golden_json import schema_from_spec

CASES = {
    case.name: case
    for case in golden_indexes("bitmap", "bsi", "range-bitmap", "bloom-filter")
    if len(case.data) < 60_000
}
SMALL = [case for case in CASES.values() if len(case.data) < 1500][::4]


def parts_of(data: bytes, schema: Schema | None) -> list[tuple[int, Any]]:
    """The objects of a file; malformed ones are left out."""
    parts = []
    with open_source(data) as source:
        for part in file_parts(source, schema):
            with suppress(*MALFORMED):
                parts.append((part.start, part.parsed(source)))
    return parts


def test_a_bitmap_of_several_containers_comes_back() -> None:
    rows = BitMap(range(0, 200_000, 3)) | BitMap(range(70_000, 90_000)) | BitMap([1_000_000])
    rows.run_optimize()
    data = rows.serialize()
    doc = runtime.parts_to_json(parts_of(data, None), data)
    assert runtime.parts_from_json(doc, type_named) == data


@pytest.mark.parametrize("positions", [[1, 2**33, 2**36], [5], [7 << 32 | 9, 8 << 32 | 9, 2**40]])
def test_runs_are_listed_once(positions: list[int]) -> None:
    data = b"\1" + DeletionVector.of(positions, 64).to_bytes()
    found = runtime.parts_to_json(parts_of(data, None), data)
    assert found["parts"] == as_parsed(parts_of(data, None))
    bitmaps = found["parts"][0]["vectors"][0]["data"]["bitmap_64"]["bitmaps"]
    assert len(bitmaps) <= 2 * len(positions) + 1
    assert sum(bitmap.get("$repeat", 1) for bitmap in bitmaps) == max(positions) // 2**32 + 1
    assert runtime.parts_from_json(found, type_named) == data


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"$repeat": 0}, "needs a count"),
        ({"$repeat": True}, "needs a count"),
        ({"$repeat": 3, "key": None}, '"key"'),
        ({"$repeat": 10**12}, "more than"),
        ({"$repeat": 9, "key": 2**31 - 3}, "does not fit"),
    ],
)
def test_runs_that_cannot_be_are_refused(edit: dict[str, Any], message: str) -> None:
    data = b"\1" + DeletionVector.of([2**40], 64).to_bytes()
    doc = runtime.parts_to_json(parts_of(data, None), data)
    bitmap = doc["parts"][0]["vectors"][0]["data"]["bitmap_64"]
    bitmap["num_bitmaps"] = None
    bitmap["bitmaps"][0] |= edit
    with pytest.raises(FormatError, match=message):
        runtime.parts_from_json(doc, type_named)


def as_parsed(parts: list[tuple[int, Any]]) -> list[dict[str, Any]]:
    """The JSON of the objects, each by itself."""
    docs = [{"at": at} | runtime.to_json(obj) for at, obj in parts]
    for column in docs[0].get("head", {}).get("columns", ()):
        for entry in column["indexes"]:
            if entry["ofs_body"] in {at for at, _ in parts[1:]}:
                del entry["body"]  # another part describes these bytes
    return docs


def check_as_parsed(data: bytes, schema: Schema | None) -> None:
    parts = parts_of(data, schema)
    for at, obj in parts:
        type_ = type_of(obj)
        params = {name: getattr(obj, name) for name in type_.params}
        check_struct(obj, parse(type_, data, params, at))
    if parts:
        found = runtime.parts_to_json(parts, data)
        assert json.dumps(found["parts"]) == json.dumps(as_parsed(parts))
        assert runtime.parts_from_json(found, type_named) == data


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_the_json_is_that_of_the_parsers(case: GoldenIndex) -> None:
    for schema in (None, schema_from_spec(case.spec)):
        check_as_parsed(case.data, schema)


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
def test_the_json_of_odd_files_is_that_of_the_parsers(case: Any) -> None:
    for schema in (None, Schema.parse("a INT"), Schema.parse("a STRING")):
        with suppress(CorruptFileError):
            check_as_parsed(case.data, schema)


def test_what_is_unset_in_one_part_is_computed() -> None:
    case = golden_index("types_bitmap_v2")
    doc = runtime.parts_to_json(parts_of(case.data, schema_from_spec(case.spec)), case.data)
    del doc["parts"][1]["v2"]["directory"]["blocks"][0]["body"]["num_entries"]
    assert runtime.parts_from_json(doc, type_named) == case.data


@cache
def large() -> bytes:
    """An index of more than half a megabyte with 20,000 values."""
    import pyarrow as pa

    table = pa.table({"a": [i * 7919 % 20_000 for i in range(60_000)]})
    schema = Schema.from_arrow(table.schema)
    return build_file_index(table, schema, {"file-index.bitmap.columns": "a"})


def test_a_large_index() -> None:
    data = large()
    assert len(data) > 500_000
    with open_source(data) as source:
        doc = dump_file(source, Schema.parse("a BIGINT"))
    assert assemble(doc) == data
