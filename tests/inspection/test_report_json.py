"""The JSON of `inspect`: values, what is null, and what it says of each kind of file."""

import datetime as dt
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.cli.options import Form
from paimon_ksy.cli.output import print_answer
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import UNKNOWN
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex, golden_indexes
from tests.support.commands import Cli
from tests.support.examples import write
from tests.support.golden_json import schema_from_spec
from tests.support.strategies import BITMAP_TYPES, arrow_column, columns


@pytest.mark.parametrize("case", golden_indexes(), ids=lambda case: case.name)
def test_inspect_agrees_with_java_and_with_the_rows(
    case: GoldenIndex, cli: Cli, tmp_path: Path
) -> None:
    path = write(tmp_path, case.data)
    schema = schema_from_spec(case.spec)
    code, out, err = cli("inspect", path, "--schema", schema, "--all", "--format", "json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["kind"] == "index"
    assert found["bytes"] == case.dump["fileBytes"]
    assert found["head_bytes"] == case.dump["headLength"]
    # Java's own dump lists columns and index types in no particular order.
    listed = {
        (column["column"], index["index_type"]): (index["empty"], index["bytes"])
        for column in found["columns"]
        for index in column["indexes"]
    }
    assert listed == {
        (column["name"], index["type"]): (index["empty"], index["length"])
        for column in case.dump["columns"]
        for index in column["indexes"]
    }
    assert {c["column"] for c in found["columns"]} == {c["name"] for c in case.dump["columns"]}
    for column in found["columns"]:
        for index in column["indexes"]:
            if index["index_type"] == "bitmap" and not index["empty"]:
                assert len(index["values"]) == index["distinct"] == index["values_seen"]
                told = index["nulls"] + sum(value["rows"] for value in index["values"])
                assert told == index["rows"] == len(case.rows)


def document_of(data: bytes, schema: Schema | None = None) -> dict[str, Any]:
    """The JSON of a file, once printed and read: JSON has no NaN and no infinity."""
    with open_source(data) as source:
        document = inspect_file(Subject(source, schema), top=None).to_json()
    read: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    assert read == document
    return read


def index_of(kind: str, sql: str, column: pa.Array, *, typed: bool = True) -> dict[str, Any]:
    """The JSON of an index of one column."""
    schema = Schema.parse(f"c {sql}")
    table = pa.table({"c": column})
    data = build_file_index(table, schema, {f"file-index.{kind}.columns": "c"})
    [found] = document_of(data, schema if typed else None)["columns"]
    assert (found["column"], found["type"]) == ("c", str(schema["c"]) if typed else None)
    [index] = found["indexes"]
    assert index["index_type"] == kind
    assert "error" not in index
    named: dict[str, Any] = index
    return named


VALUES: list[tuple[str, Any, Any]] = [
    ("BOOLEAN", True, True),
    ("INT", -5, -5),
    ("BIGINT", 2**62 + 1, 2**62 + 1),
    ("DOUBLE", 0.5, 0.5),
    ("DOUBLE", math.nan, "NaN"),
    ("FLOAT", -math.inf, "-Infinity"),
    ("FLOAT", 0.1, 0.1),
    ("FLOAT", 3e-05, 3e-05),
    ("FLOAT", 1e10, 1e10),
    ("DOUBLE", 0.1, 0.1),
    ("STRING", "it's\n", "it's\n"),
    ("STRING", "5", "5"),
    ("DATE", dt.date(2024, 2, 29), "2024-02-29"),
    ("TIME(3)", dt.time(12, 30, 0, 500_000), "12:30:00.5"),
    ("TIMESTAMP(3)", dt.datetime(2024, 1, 1, 12), "2024-01-01 12:00:00"),
]


@pytest.mark.parametrize(("sql", "value", "due"), VALUES)
def test_values(sql: str, value: Any, due: Any) -> None:
    column = pa.array([value, None, value], to_arrow(parse_type(sql)))
    index = index_of("bitmap", sql, column)
    [found] = index["values"]
    assert found == {"value": due, "rows": 2}
    assert type(found["value"]) is type(due)
    assert (index["rows"], index["distinct"], index["nulls"]) == (3, 1, 1)
    index = index_of("range-bitmap", sql, column)
    assert (index["min"], index["max"], index["nulls"]) == (due, due, 1)
    assert [chunk["first"] for chunk in index["dictionary"]["chunks"]] == [due]


@pytest.mark.parametrize("data_type", BITMAP_TYPES, ids=str)
@examples(15)
@given(data=st.data())
def test_each_value_is_listed_once(data_type: DataType, data: st.DataObject) -> None:
    column = data.draw(columns(data_type, min_size=1))
    index = index_of("bitmap", str(data_type), arrow_column(data_type, column))
    assert index["rows"] == len(column)
    assert sum(found["rows"] for found in index["values"]) == len(column) - index["nulls"]
    texts = {json.dumps(found["value"]) for found in index["values"]}
    assert len(texts) == index["distinct"]


def test_what_needs_a_schema_is_null_without() -> None:
    column = pa.array([1, None, 3], pa.int32())
    index = index_of("bitmap", "INT", column, typed=False)
    assert (index["distinct"], index["has_nulls"], index["values"]) == (2, True, None)
    index = index_of("range-bitmap", "INT", column, typed=False)
    keys = ("has_nulls", "nulls", "min", "max", "dictionary", "slices")
    assert [index[key] for key in keys] == [None] * 6
    index = index_of("bsi", "DATE", column.cast(pa.date32()), typed=False)
    assert (index["max"], index["nulls"]) == (3, 1)


def test_decimals_are_texts_so_that_no_digit_is_lost() -> None:
    numbers = [Decimal("-1.50"), Decimal("12345678901234567.80")]
    index = index_of("bsi", "DECIMAL(19, 2)", pa.array(numbers, pa.decimal128(19, 2)))
    assert (index["min"], index["max"]) == ("-1.50", "12345678901234567.80")
    assert (index["negative"]["max"], index["positive"]["rows"]) == (150, 1)


def test_a_broken_index_has_its_error_and_the_others_their_reports() -> None:
    schema = Schema.parse("c STRING")
    options = {"file-index.bitmap.columns": "c", "file-index.bloom-filter.columns": "c"}
    data = bytearray(build_file_index(pa.table({"c": ["x"]}), schema, options))
    indexes = document_of(bytes(data), schema)["columns"][0]["indexes"]
    place = {index["index_type"]: index["byte"] for index in indexes}
    data[place["bitmap"]] = 99  # the version
    found = {i["index_type"]: i for i in document_of(bytes(data), schema)["columns"][0]["indexes"]}
    assert "version" in found["bitmap"]["error"]
    assert "values" not in found["bitmap"]
    assert found["bloom-filter"] == next(i for i in indexes if i["index_type"] == "bloom-filter")


def test_a_roaring_bitmap() -> None:
    bitmap = BitMap([1, 5, 70_000])
    bitmap.add_range(1 << 20, (1 << 20) + 6000)
    bitmap.run_optimize()
    document = document_of(bitmap.serialize())
    assert (document["kind"], document["cardinality"]) == ("roaring-bitmap", 6003)
    assert document["containers"] == {"array": 2, "bitset": 0, "run": 1}
    assert "columns" not in document


def test_paths_have_no_passwords(capsys: pytest.CaptureFixture[str]) -> None:
    report = FileReport("https://user:hunter2@host/x.index", 3, UNKNOWN)
    print_answer(report, Form.JSON, ())
    document = json.loads(capsys.readouterr().out)
    assert document.keys() == {"schema_version", "file", "kind", "bytes"}
    assert "hunter2" not in document["file"]
    assert document["file"].endswith("host/x.index")
