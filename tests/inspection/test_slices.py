"""What `inspect` tells of BSIs and range bitmaps, against the rows that they were built from."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.file_index.bsi.inspect import BsiReport
from paimon_ksy.file_index.range_bitmap.inspect import RangeBitmapReport
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.types.literals import to_sql, to_text
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex, golden_index, golden_indexes
from tests.support.golden_json import columns_from_spec, schema_from_spec

FLOATS = ("FLOAT", "DOUBLE")


def reports(
    data: bytes, schema: Schema | None, top: int | None = None
) -> Iterator[tuple[str, Any]]:
    """Column and report of each index of slices in the file."""
    with open_source(data) as source:
        found = inspect_file(Subject(source, schema), top=top).content
    assert found is not None
    for column in found.columns:
        for index in column.indexes:
            assert index.error is None
            if isinstance(index.body, BsiReport | RangeBitmapReport):
                yield column.name, index.body


@pytest.mark.parametrize("case", golden_indexes("bsi"), ids=lambda case: case.name)
def test_bsi_agrees_with_the_rows(case: GoldenIndex) -> None:
    schema, columns = schema_from_spec(case.spec), columns_from_spec(case.spec)
    for name, report in reports(case.data, schema):
        if not isinstance(report, BsiReport) or name not in schema:
            continue
        values = [value for value in columns[name] if value is not None]
        assert (report.rows, report.nulls) == (len(case.rows), len(case.rows) - len(values))
        kind = schema[name]
        if kind.is_timestamp:  # nothing finer than microseconds is stored
            values = [value // 1000 * 1000 for value in values]
        negative = [value for value in values if value < 0]
        positive = [value for value in values if value >= 0]
        for part, expected in ((report.positive, positive), (report.negative, negative)):
            assert (0 if part is None else part.rows) == len(expected)
            if part is not None:
                assert len(part.slices) == (part.max - part.min).bit_length()
                told = sum((s.rows or 0) << bit for bit, s in enumerate(part.slices))
                assert told == sum(abs(unit_of(value, kind)) for value in expected)
        least = report.least and report.least.text
        greatest = report.greatest and report.greatest.text
        assert least == (to_text(min(negative), kind) if negative else None)
        assert greatest == (to_text(max(positive), kind) if positive else None)
    untyped = [r for _, r in reports(case.data, None) if isinstance(r, BsiReport)]
    typed = [r for _, r in reports(case.data, schema) if isinstance(r, BsiReport)]
    assert [(r.positive, r.negative) for r in untyped] == [(r.positive, r.negative) for r in typed]


def unit_of(value: Any, kind: Any) -> int:
    """The whole number that a BSI has of an internal value."""
    if kind.root == "DECIMAL":
        return int(value.scaleb(kind.scale))
    if kind.is_timestamp:
        return int(value) // (10**6 if kind.precision <= 3 else 10**3)
    return int(value)


@pytest.mark.parametrize("case", golden_indexes("range-bitmap"), ids=lambda case: case.name)
def test_range_bitmap_agrees_with_the_rows(case: GoldenIndex) -> None:
    schema, columns = schema_from_spec(case.spec), columns_from_spec(case.spec)
    plain = {n: r for n, r in reports(case.data, None) if isinstance(r, RangeBitmapReport)}
    for name, report in reports(case.data, schema):
        if not isinstance(report, RangeBitmapReport) or name not in schema:
            continue
        values = [value for value in columns[name] if value is not None]
        assert (report.rows, report.nulls) == (len(case.rows), len(case.rows) - len(values))
        short = plain[name]
        assert (short.version, short.rows, short.distinct) == (1, report.rows, report.distinct)
        assert (short.nulls, short.slices) == (None, None)
        assert report.slices is not None
        if not values:
            assert report.distinct == 0
            assert (report.least, report.greatest, report.dictionary) == (None, None, None)
            continue
        assert report.least is not None and report.greatest is not None
        if schema[name].root not in FLOATS:
            ordered = sorted(
                set(values),
                key=lambda v: v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v,
            )
            say = to_sql if schema[name].is_string else partial(to_text, data_type=schema[name])
            ends = say(ordered[0]), say(ordered[-1])
            assert (report.least.text, report.greatest.text) == ends
            assert report.distinct == len(ordered)
            if not schema[name].is_string:
                assert report.greatest.text == to_text(ordered[-1], schema[name])
            codes = {value: code for code, value in enumerate(ordered)}
            bits = sum((found.rows or 0) << bit for bit, found in enumerate(report.slices))
            assert bits == sum(codes[value] for value in values)
        dictionary = report.dictionary
        assert dictionary is not None
        assert sum(chunk.values for chunk in dictionary.chunks) == report.distinct
        assert dictionary.num_chunks == len(dictionary.chunks)
        sizes = sum(chunk.size for chunk in dictionary.chunks)
        assert dictionary.head_size + sizes == dictionary.size
        assert dictionary.chunks[0].first == report.least


@pytest.mark.parametrize("name", ["bsi_one_null", "range_one_value_null", "range_ts3"])
def test_damage_is_told_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = golden_index(name)
    [column] = case.spec["columns"]
    schema = schema_from_spec(case.spec)
    start = case.dump["columns"][0]["indexes"][0]["start"]
    path = tmp_path / "x.index"
    wrong = 0
    for at in range(start + 1, len(case.data), max(1, len(case.data) // 60)):
        for data in (
            case.data[:at],
            case.data[:at] + bytes([case.data[at] ^ 0x81]) + case.data[at + 1 :],
        ):
            with open_source(data) as source:
                report = inspect_file(Subject(source, schema)).content
            assert report is not None
            assert len(data) == len(case.data) or report.errors, f"nothing is missing from {at} on"
            for error in report.errors:
                wrong += 1
                path.write_bytes(data)
                assert error.column == column["name"]
                assert error.offset is not None
                assert "\n" not in str(error)
    assert wrong > 60
    code = run(["inspect", str(path), "--schema", f"a {column['type']}", "--format", "json"])
    printed = capsys.readouterr()
    [index] = json.loads(printed.out)["columns"][0]["indexes"]
    assert code == 1
    assert json.loads(printed.err)["error"]["message"] in index["error"]
    assert run(["inspect", str(path), "--schema", f"a {column['type']}"]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"paimon-ksy: {index['error']}\n"
    assert printed.err.startswith(f"paimon-ksy: {path}: column 'a', byte ")


def test_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.index"
    path.write_bytes(golden_index("range_string_chunk200").data)
    assert run(["inspect", str(path), "--schema", "a STRING", "--max-items", "2"]) == 0
    out = capsys.readouterr().out
    assert "\n      dictionary: byte 88, bytes 6,226, head bytes 785\n" in out
    assert "\n        'k13k13k13'      18    268\n        ... 19 more; --all shows all\n" in out
    assert "\n      slices (9)\n        bit  byte   bytes  rows\n" in out
    assert run(["inspect", str(path)]) == 0
    assert "rows 600, distinct 378\n  to show values" in capsys.readouterr().out
    path.write_bytes(golden_index("bsi_negative").data)
    assert run(["inspect", str(path), "--schema", "a STRING"]) == 0
    assert "column a: a bsi index has no STRING" in capsys.readouterr().out
