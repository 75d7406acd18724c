"""The command `paimon-ksy`: what it prints, its JSON, its exit codes and its errors."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

import paimon_ksy
from paimon_ksy.cli.app import app, run
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import assemble
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.codecs.bitmap_index_v2 import BitmapEntryV2Array
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.serializers.bitmap_index import make_bitmap_index
from paimon_ksy.generated.serializers.bitmap_index_v2 import (
    make_bitmap_block_ref_v2,
    make_bitmap_block_v2,
    make_bitmap_directory_v2,
    make_bitmap_index_v2,
)
from paimon_ksy.generated.serializers.typed_value import make_typed_value
from paimon_ksy.inspection import byte_map as hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import GoldenIndex, bad_files, golden_index, golden_indexes
from tests.support.golden_json import schema_from_spec
from tests.support.golden_tables import golden_table
from tests.support.selections import selected_rows

WORKED = ROOT / "examples/worked/orders.parquet.index"
WORKED_DATA = ROOT / "examples/worked/orders.parquet"
WORKED_SCHEMA = ROOT / "examples/worked/orders.schema.json"
ORDERS = ROOT / "examples/orders/orders.parquet.index"
TYPES = "status STRING, region STRING"

Result = tuple[int, str, str]
Cli = Callable[..., Result]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process: its exit code, stdout and stderr."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command as a process of its own."""
    command = [sys.executable, "-m", "paimon_ksy", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, **options
    )


def write(folder: Path, case_data: bytes, name: str = "x.index") -> Path:
    path = folder / name
    path.write_bytes(case_data)
    return path


# inspect ----------------------------------------------------------------------------------------


def test_inspect_prints_a_tree(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code, out, err = cli("inspect", "examples/worked/orders.parquet.index", "-s", "region STRING")
    assert (code, err) == (0, "")
    assert out == (
        "examples/worked/orders.parquet.index: Paimon file index, version 1, 394 bytes\n"
        "  head: 80 bytes, 2 columns\n"
        "  region STRING\n"
        "    bitmap version 2, 146 bytes at byte 80\n"
        "      10 rows, 3 distinct values, 0 nulls, 1 block\n"
        "      'US'    4 rows\n"
        "      'ASIA'  3 rows\n"
        "      'EU'    3 rows\n"
        "  status (not in the schema)\n"
        "    bitmap version 2, 168 bytes at byte 226\n"
        "      10 rows, 3 distinct values, 0 nulls, 1 block\n"
    )


@pytest.mark.parametrize("case", golden_indexes(), ids=lambda case: case.name)
def test_inspect_agrees_with_java_and_with_the_rows(
    case: GoldenIndex, cli: Cli, tmp_path: Path
) -> None:
    path = write(tmp_path, case.data)
    schema = schema_from_spec(case.spec)
    code, out, err = cli("inspect", path, "--schema", schema, "--all", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["kind"] == "file index"
    assert found["bytes"] == case.dump["fileBytes"]
    assert found["head_bytes"] == case.dump["headLength"]
    # Java's own dump lists columns and index types in no particular order.
    listed = {
        (column["name"], index["type"]): (index["empty"], index["bytes"])
        for column in found["columns"]
        for index in column["indexes"]
    }
    assert listed == {
        (column["name"], index["type"]): (index["empty"], index["length"])
        for column in case.dump["columns"]
        for index in column["indexes"]
    }
    assert {c["name"] for c in found["columns"]} == {c["name"] for c in case.dump["columns"]}
    for column in found["columns"]:
        for index in column["indexes"]:
            if index["type"] == "bitmap" and not index["empty"]:
                assert len(index["values"]) == index["distinct"] == index["values_seen"]
                told = index["nulls"] + sum(value["rows"] for value in index["values"])
                assert told == index["rows"] == len(case.rows)


def test_inspect_shows_values_as_people_write_them(cli: Cli, tmp_path: Path) -> None:
    case = golden_index("types_bitmap_v2")
    path = write(tmp_path, case.data)
    code, out, _ = cli("inspect", path, "--schema", schema_from_spec(case.spec))
    assert code == 0
    for shown in ("2024-02-29", "12:30:00.5", "2024-01-01 12:00:00.123456Z", "NaN", "-0.0", "TRUE"):
        assert f"      {shown} " in out
    assert "'\\0nul'" in out or "'\\x00nul'" in out
    assert "\0" not in out


def test_inspect_lists_the_most_frequent_values(cli: Cli) -> None:
    schema = "status STRING"
    _, out, _ = cli("inspect", ORDERS, "-s", schema, "--top", "2", "--json")
    [index] = next(c for c in json.loads(out)["columns"] if c["name"] == "status")["indexes"]
    assert len(index["values"]) == 2
    assert index["values"][0]["rows"] >= index["values"][1]["rows"]
    _, out, _ = cli("inspect", ORDERS, "-s", schema, "--top", "2")
    assert "... 3 values more; --all shows all" in out


def test_inspect_without_a_schema_tells_how_to_see_more(cli: Cli) -> None:
    code, out, _ = cli("inspect", WORKED)
    assert code == 0
    assert "--schema 'region TYPE, status TYPE'" in out


def test_inspect_labels_each_byte(cli: Cli) -> None:
    code, out, err = cli("inspect", WORKED, "-s", TYPES, "--hex", "--json")
    assert (code, err) == (0, "")
    fields = json.loads(out)["hex"]
    data = WORKED.read_bytes()
    assert b"".join(bytes.fromhex(field["hex"]) for field in fields) == data
    assert [field["start"] for field in fields[1:]] == [field["end"] for field in fields[:-1]]
    assert all(field["field"] for field in fields)
    assert fields[0]["field"] == "magic"
    assert "status: v2.num_rows" in {field["field"] for field in fields}


def test_hex_of_a_range(cli: Cli) -> None:
    _, out, _ = cli("inspect", WORKED, "--hex", "--from", "0x8", "--length", "4")
    assert out.splitlines()[-2:] == [
        "00000008  00 00 00 01                                      ....              version = 1",
        "... 382 bytes more; --from 12 --length 4 continues",
    ]
    _, out, _ = cli("inspect", WORKED, "--hex", "--from", "390", "--json")
    assert [field["end"] for field in json.loads(out)["hex"]][-1] == 394
    code, out, _ = cli("inspect", WORKED, "--hex", "--from", "5000", "--json")
    assert code == 0
    assert json.loads(out)["hex"] == []
    _, out, _ = cli("inspect", WORKED, "--hex", "--from", "5000")
    assert out.splitlines()[-1] == "... no byte from 5000 on: the file has 394 bytes"


def test_hex_of_bytes_that_no_field_covers(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "trailing_garbage"]
    path = write(tmp_path, case.data)
    _, out, _ = cli("inspect", path, "-s", "a INT", "--hex")
    assert out.splitlines()[-1].endswith("no field")


@pytest.mark.parametrize(
    "case",
    [case for case in golden_indexes() if len(case.data) < 10_000],
    ids=lambda case: case.name,
)
def test_large_indexes_are_labelled_as_small_ones(
    case: GoldenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that is parsed only where the range is has the same labels as one parsed whole."""
    schema = schema_from_spec(case.spec)
    with open_source(case.data) as source:
        whole = hex_fields.hex_fields(source, schema, 0, len(case.data))
        monkeypatch.setattr(hex_fields, "SMALL", 0)
        # By their text, since NaN is not equal to itself.
        assert repr(hex_fields.hex_fields(source, schema, 0, len(case.data))) == repr(whole)
        for start in range(0, len(case.data), max(1, len(case.data) // 20)):
            part = hex_fields.hex_fields(source, schema, start, 30)
            end = min(start + 30, len(case.data))
            cut = [
                replace(field, start=max(field.start, start), end=min(field.end, end))
                for field in whole
                if field.start < end and field.end > start
            ]
            assert repr(part) == repr(cut)


def test_inspect_tells_other_files(cli: Cli, tmp_path: Path) -> None:
    from pyroaring import BitMap

    bitmap = BitMap([1, 5, 70_000])
    path = write(tmp_path, bitmap.serialize(), "rows.bin")
    code, out, _ = cli("inspect", path)
    assert code == 0
    assert "Roaring bitmap" in out
    assert "3 integers; 2 array containers" in out
    code, out, _ = cli("inspect", WORKED_DATA)
    assert code == 0
    assert "Parquet" in out
    code, out, _ = cli("inspect", WORKED_SCHEMA)
    assert code == 1
    assert "unknown kind" in out


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
@pytest.mark.parametrize("options", [[], ["-s", "a INT"], ["-s", "a STRING", "--hex"]], ids=str)
def test_inspect_of_broken_files(case: Any, options: list[str], cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, case.data)
    code, _, err = cli("inspect", path, *options)
    another_type = "correct the type: --schema" in err  # the indexes are of INTs
    assert code == (2 if another_type else 1 if err else 0)
    if err:
        assert err.startswith(f"paimon-ksy: {path}: ")
        assert err.count("\n") == 1
        assert "bug" not in err
    as_json, out, _ = cli("inspect", path, *options, "--json")
    assert as_json == code
    if out:
        json.loads(out)


# eval -------------------------------------------------------------------------------------------


def test_eval_prints_the_answer(cli: Cli) -> None:
    code, out, err = cli("eval", WORKED, "-s", TYPES, "-w", "status = 'PENDING'")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("rows: ") and lines[0].endswith(" of 10 match")
    assert lines[1].startswith("read ")
    assert lines[2].replace(" ", "").isdecimal()


def test_eval_json(cli: Cli) -> None:
    query = ("eval", ORDERS, "-s", TYPES, "--json")
    code, out, _ = cli(*query, "-w", "status = 'PENDING'")
    assert code == 0
    found = json.loads(out)
    assert list(found)[:4] == ["result", "exact", "cardinality", "rows"]
    assert found["result"] == "rows"
    assert found["exact"] is True
    assert found["cardinality"] == len(found["rows"])
    assert found["num_rows"] == 20_000
    assert 0 < found["bytes_read"] < found["file_size"] == ORDERS.stat().st_size
    with FileIndex.open(ORDERS, Schema.parse(TYPES)) as index:
        assert found["rows"] == selected_rows(index.evaluate("status = 'PENDING'"))
    _, out, _ = cli(*query, "-w", "status = 'PENDING'", "--limit", "3")
    limited = json.loads(out)
    assert limited["rows"] == found["rows"][:3]
    assert limited["cardinality"] == found["cardinality"]
    _, out, _ = cli(*query, "-w", "status = 'no such'")
    assert json.loads(out)["result"] == "skip"
    assert json.loads(out)["cardinality"] == 0
    assert json.loads(out)["rows"] == []
    _, out, _ = cli(*query, "-w", "status IS NOT NULL")
    assert json.loads(out) | {"bytes_read": 0, "milliseconds": 0} == {
        "result": "all",
        "exact": True,
        "limited": False,
        "cardinality": 20_000,
        "rows": None,
        "num_rows": 20_000,
        "bytes_read": 0,
        "file_size": ORDERS.stat().st_size,
        "milliseconds": 0,
    }


def test_eval_of_all_rows_without_their_number(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, golden_index("c_zero_columns").data)
    code, out, _ = cli("eval", path, "-s", "a INT", "-w", "a = 1", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["result"] == "all"
    assert found["exact"] is False
    assert found["cardinality"] is None
    _, out, _ = cli("eval", path, "-s", "a INT", "-w", "a = 1")
    assert out.startswith("all: all rows may match; test the predicate on them\n")


def test_eval_of_a_column_without_index_knows_the_number(cli: Cli) -> None:
    _, out, _ = cli("eval", WORKED, "-s", TYPES + ", x INT", "-w", "x = 1", "--json")
    assert json.loads(out)["cardinality"] == 10


def test_eval_limits_the_list(cli: Cli) -> None:
    query = ("eval", ORDERS, "-s", TYPES, "-w", "status = 'PENDING'")
    _, out, _ = cli(*query)
    assert len(out.splitlines()) == 3
    listed = list(map(int, out.splitlines()[2].split()))
    assert listed == json.loads(cli(*query, "--json")[1])["rows"]
    assert f" {len(listed)} rows of" in out
    *_, some, left = on_terminal(*query).splitlines()
    assert len(some.split()) == 20
    assert f"... {len(listed) - 20} more; --limit {len(listed)} lists all" in left
    _, out, _ = cli(*query, "--limit", "0")
    assert len(out.splitlines()) == 2


def test_eval_warns_of_an_index_that_it_leaves_out(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "unknown_index_type"]
    path = write(tmp_path, case.data)
    code, _, err = cli("eval", path, "-s", "a INT", "-w", "a = 1")
    assert code == 0
    assert err.startswith("paimon-ksy: warning: column 'a'")
    assert err.count("\n") == 1


# build ------------------------------------------------------------------------------------------


def test_build_gives_the_bytes_of_java(cli: Cli, tmp_path: Path) -> None:
    for name in ("worked", "orders"):
        folder = ROOT / "examples" / name
        output = tmp_path / f"{name}.index"
        schema = folder / "orders.schema.json"
        code, out, err = cli(
            "build", folder / "orders.parquet", "--schema-file", schema, "-o", output
        )
        assert (code, err) == (0, "")
        assert out.startswith(f"{output}: ")
        assert output.read_bytes() == (folder / "orders.parquet.index").read_bytes()


def table() -> pa.Table:
    return pa.table(
        {
            "b": pa.array([True, None, False], pa.bool_()),
            "i": pa.array([1, 2, None], pa.int32()),
            "l": pa.array([2**40, 1, 1], pa.int64()),
            "f": pa.array([1.5, None, -0.0], pa.float32()),
            "s": pa.array(["x", "", None], pa.string()),
            "d": pa.array([0, 19_782, None], pa.date32()),
            "t": pa.array([0, 45_000_500, None], pa.time32("ms")),
            "ts": pa.array([-1, 0, None], pa.timestamp("ms")),
            "us": pa.array([-1, 0, None], pa.timestamp("us")),
            "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        }
    )


PAIMON_TYPES = (
    "b BOOLEAN, i INT, l BIGINT, f FLOAT, s STRING, d DATE, t TIME(3), ts TIMESTAMP(3), "
    "us TIMESTAMP(6), m MAP<STRING, INT>"
)


def write_parquet(path: Path) -> None:
    pq.write_table(table(), path)


def write_orc(path: Path) -> None:
    # ORC has no time of day: Paimon stores it as an integer.
    columns = table()
    at = columns.schema.get_field_index("t")
    pyarrow.orc.write_table(columns.set_column(at, "t", columns["t"].cast(pa.int32())), path)


def write_avro(path: Path) -> None:
    import fastavro

    def logical(kind: str, name: str) -> dict[str, str]:
        return {"type": kind, "logicalType": name}

    types: dict[str, Any] = {
        "b": "boolean",
        "i": "int",
        "l": "long",
        "f": "float",
        "s": "string",
        "d": logical("int", "date"),
        "t": logical("int", "time-millis"),
        "ts": logical("long", "timestamp-millis"),
        "us": logical("long", "timestamp-micros"),
        "m": {"type": "map", "values": ["null", "int"]},
    }
    fields = [{"name": n, "type": ["null", t], "default": None} for n, t in types.items()]
    schema = {"type": "record", "name": "org.apache.paimon.record", "fields": fields}
    numbers = table()
    for name, kind in (("d", "int32"), ("t", "int32"), ("ts", "int64"), ("us", "int64")):
        at = numbers.schema.get_field_index(name)
        numbers = numbers.set_column(at, name, numbers[name].cast(kind))
    # fastavro takes integers for dates and times as they are.
    records = [
        {**row, "m": None if row["m"] is None else dict(row["m"])} for row in numbers.to_pylist()
    ]
    with path.open("wb") as file:
        fastavro.writer(file, schema, records)


@pytest.mark.parametrize("write_data", [write_parquet, write_orc, write_avro])
@pytest.mark.parametrize("version", [1, 2])
def test_build_from_each_format(
    write_data: Callable[[Path], None], version: int, cli: Cli, tmp_path: Path
) -> None:
    data, output = tmp_path / "data", tmp_path / "out.index"
    write_data(data)
    names = [*"bilfsdt", "ts", "us", "m[k]"]
    arguments = [a for name in names for a in ("-i", f"bitmap:{name}(version={version})")]
    code, out, err = cli("build", data, *arguments, "-s", PAIMON_TYPES, "-o", output, "--json")
    assert (code, err) == (0, "")
    expected = paimon_ksy.build_file_index(
        table(),
        Schema.parse(PAIMON_TYPES),
        {
            "file-index.bitmap.columns": ",".join(names),
            **{f"file-index.bitmap.{name}.version": str(version) for name in names},
        },
    )
    assert output.read_bytes() == expected
    found = json.loads(out)
    assert found["rows"] == 3
    assert found["bytes"] == len(expected)
    assert {index["column"]: index["distinct"] for index in found["indexes"]} == {
        **dict.fromkeys(["b", "i", "l", "f", "s", "d", "t", "ts", "us"], 2),
        "m[k]": 1,
    }


def test_build_tells_what_each_type_of_index_holds(cli: Cli, tmp_path: Path) -> None:
    data, output = tmp_path / "data.parquet", tmp_path / "x.index"
    pq.write_table(
        pa.table(
            {
                "a": [5, None, 7, 5],
                "m": pa.array([[("k", 1)], [], None, []], pa.map_(pa.string(), pa.int64())),
            }
        ),
        data,
    )
    kinds = ["bitmap", "bsi", "range-bitmap", "bloom-filter"]
    names = [f"{kind}:{name}" for kind in kinds for name in ("a", "m[k]")]
    arguments = [word for name in names for word in ("-i", name)]
    code, out, _ = cli("build", data, *arguments, "-o", output, "--json")
    assert code == 0
    found = {
        (index["column"], index["type"]): (index["version"], index["distinct"], index["nulls"])
        for index in json.loads(out)["indexes"]
    }
    assert found == {
        ("a", "bitmap"): (2, 2, 1),
        ("a", "bsi"): (1, None, 1),
        ("a", "range-bitmap"): (1, 2, 1),
        ("a", "bloom-filter"): (None, None, 1),
        ("m[k]", "bitmap"): (2, 1, 3),
        ("m[k]", "bsi"): (1, None, 3),
        ("m[k]", "range-bitmap"): (1, 1, 3),
        ("m[k]", "bloom-filter"): (None, None, None),
    }
    code, out, _ = cli("build", data, *arguments, "-o", output, "--force")
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "m[k] range-bitmap version 1 1 value 3 nulls 131 bytes" in lines
    assert any(line.startswith("a bloom-filter 1 null ") for line in lines)


def test_build_takes_types_from_the_data_file(cli: Cli, tmp_path: Path) -> None:
    write_avro(tmp_path / "data.avro")
    write_parquet(tmp_path / "data.parquet")
    made = []
    for name in ("data.avro", "data.parquet"):
        output = tmp_path / f"{name}.index"
        options = ("--option", "file-index.bitmap.columns=l,ts,t,d,m[k]")
        code, _, err = cli("build", tmp_path / name, *options, "-o", output)
        assert (code, err) == (0, "")
        made.append(output.read_bytes())
    assert made[0] == made[1]


def test_build_overwrites_only_when_told(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "out.index"
    output.write_bytes(b"precious")
    arguments = ("build", WORKED_DATA, "-i", "bitmap:status", "-o", output)
    code, _, err = cli(*arguments)
    assert (code, err) == (
        2,
        f"paimon-ksy: {output}: exists; choose another name, or overwrite it with --force\n",
    )
    assert output.read_bytes() == b"precious"
    assert cli(*arguments, "--force")[0] == 0
    assert output.read_bytes() != b"precious"
    assert [path.name for path in tmp_path.iterdir()] == ["out.index"]


def test_build_leaves_no_half_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.index"
    arguments = ("build", WORKED_DATA, "-i", "bitmap:status", "-o", output)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        code, _, err = cli(*arguments)
    assert code == 1
    assert err == f"paimon-ksy: {output}: cannot be written: no space left on device\n"
    assert list(tmp_path.iterdir()) == []
    code, _, err = cli(*arguments[:-1], tmp_path / "no" / "folder.index")
    assert code == 1
    assert "cannot be written: no such file or directory" in err
    assert cli(*arguments[:-1], "/dev/null")[0] == 0
    assert Path("/dev/null").is_char_device()


def test_build_reads_only_the_columns_it_needs(tmp_path: Path) -> None:
    from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns

    path = tmp_path / "data.parquet"
    big = pa.array([os.urandom(1000) for _ in range(2000)])
    pq.write_table(pa.table({"small": pa.array(range(2000)), "big": big}), path)
    told: list[int] = []
    with open_data_file(str(path)) as file:
        assert file.num_rows == 2000
        found = read_columns(file, str(path), columns_of(file, str(path), ["small"]), told.append)
    assert found.column_names == ["small"]
    assert sum(told) == 2000


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-i", "bitmap:nope"], 2, "has no column 'nope'"),
        (["-i", "bitmap:amount"], 2, "cannot be built on type DECIMAL(10, 2)"),
        (["-i", "frob:status"], 2, "'frob'"),
        (["-i", "status"], 2, "is not an index"),
        (["-i", "bitmap:status(version=3)"], 2, "'version'"),
        (["-i", "bitmap:status", "-i", "bitmap:status"], 2, "twice"),
        (["-i", "bitmap:status", "-s", "status INT"], 2, "cannot be INT"),
        (["-i", "bitmap:status", "-s", "region STRING"], 2, "no column 'status'"),
        (["-i", "bitmap:status", "--option", "a=b"], 2, "exclude each other"),
        (["--option", "frob"], 2, "KEY=VALUE"),
        (["--option", "a=b"], 2, "file-index.bitmap.columns"),
        ([], 2, "--index"),
    ],
    ids=str,
)
def test_build_with_wrong_arguments(
    arguments: list[str], code: int, message: str, cli: Cli, tmp_path: Path
) -> None:
    result = cli("build", WORKED_DATA, *arguments, "-o", tmp_path / "x")
    assert result[0] == code
    assert message in result[2]
    assert result[2].count("\n") == 1
    assert not (tmp_path / "x").exists()


BROKEN_DATA = {
    "empty": b"",
    "text": b"hello, world",
    "parquet": WORKED_DATA.read_bytes()[:-100],
    "orc": b"ORC" + bytes(100),
    "avro": b"Obj\x01" + bytes(100),
}


@pytest.mark.parametrize("name", BROKEN_DATA)
def test_build_of_broken_data_files(name: str, cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, BROKEN_DATA[name], name)
    code, _, err = cli("build", path, "-i", "bitmap:status", "-o", tmp_path / "x")
    assert code == 1
    assert err.startswith(f"paimon-ksy: {path}: ")
    assert err.count("\n") == 1
    assert "bug" not in err


def test_avro_without_fastavro_says_how_to_get_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_avro(tmp_path / "data.avro")
    monkeypatch.setitem(sys.modules, "fastavro", None)
    code, _, err = cli("build", tmp_path / "data.avro", "-i", "bitmap:i", "-o", tmp_path / "x")
    assert code == 1
    assert "pip install 'paimon-ksy[avro]'" in err


# dump and assemble ------------------------------------------------------------------------------


def test_dump_and_assemble(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("dump", WORKED, "-s", TYPES, "--json")
    assert (code, err) == (0, "")
    document = write(tmp_path, out.encode(), "dump.json")
    output = tmp_path / "copy.index"
    code, out, err = cli("assemble", document, "-o", output)
    assert (code, out, err) == (0, f"{output}: 394 bytes\n", "")
    assert output.read_bytes() == WORKED.read_bytes()
    code, _, err = cli("assemble", document, "-o", output)
    assert code == 2
    assert "--force" in err
    assert cli("assemble", document, "-o", output, "--force")[0] == 0


def test_dump_to_a_file(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "dump.json"
    assert cli("dump", WORKED, "-o", output) == (0, "", "")
    assert json.loads(output.read_text()) == json.loads(cli("dump", WORKED)[1])
    assert cli("dump", WORKED, "-o", output)[0] == 2


def test_assemble_from_standard_input(tmp_path: Path) -> None:
    dumped = process("dump", WORKED)
    done = process("assemble", "-", "-o", tmp_path / "x", "--json", input=dumped.stdout)
    assert json.loads(done.stdout) == {"output": str(tmp_path / "x"), "bytes": 394}
    assert (tmp_path / "x").read_bytes() == WORKED.read_bytes()
    # A pipe is written to, as it cannot be replaced by a file.
    piped = process("dump", WORKED, "-o", "/dev/stdout")
    assert (piped.returncode, piped.stdout) == (0, dumped.stdout)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"parts": [{"at": 0}]}', "[" * 100_000])
def test_assemble_of_other_files(text: str, cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, text.encode(), "x.json")
    code, _, err = cli("assemble", path, "-o", tmp_path / "x")
    assert code == 1
    assert err.startswith(f"paimon-ksy: {path}: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()


# Usage and errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["frob"], 2, "No such command 'frob'"),
        (["table"], 2, "Missing command; see 'paimon-ksy table --help'"),
        (["inspect"], 2, "Missing argument"),
        (["inspect", "x", "--frob"], 2, "No such option"),
        (["inspect", "/no/such"], 1, "/no/such: no such file"),
        (["inspect", "/"], 1, "is a directory"),
        (["inspect", WORKED, "-s", "a FROB"], 2, "unknown type 'FROB'"),
        (["inspect", WORKED, "-s", TYPES, "--schema-file", WORKED_SCHEMA], 2, "exclude each other"),
        (["inspect", WORKED, "--schema-file", "/no/such"], 2, "/no/such: no such file"),
        (["inspect", WORKED, "--schema-file", WORKED], 2, "not JSON"),
        (["inspect", WORKED, "--hex", "--from", "x"], 2, "not a number of bytes"),
        (["inspect", WORKED, "--from", "4"], 2, "--hex"),
        (["eval", WORKED, "-w", "a = 1"], 2, "--schema"),
        (["eval", WORKED, "-s", TYPES], 2, "--where"),
        (["eval", WORKED, "-s", TYPES, "-w", "frob = 1"], 2, "no column 'frob'"),
        (["eval", WORKED, "-s", TYPES, "-w", "status = "], 2, "cannot parse SQL"),
        (["eval", WORKED, "-s", TYPES, "-w", "status = 1"], 2, "cannot compare column 'status'"),
        (
            ["eval", WORKED_DATA, "-s", TYPES, "-w", "status = 'x'"],
            1,
            "a Parquet file, not the index",
        ),
        (["dump", WORKED_DATA], 1, "not a file index, a vector file or"),
        (["dump", "/no/such"], 1, "/no/such: no such file"),
        (["assemble", "/no/such", "-o", "x"], 1, "/no/such: no such file"),
        (["assemble", "-"], 2, "Missing option"),
    ],
    ids=str,
)
def test_errors_are_one_line(arguments: list[object], code: int, message: str, cli: Cli) -> None:
    result = cli(*arguments)
    assert result[0] == code
    assert result[1] == ""
    assert result[2].startswith("paimon-ksy: ")
    assert message in result[2]
    assert result[2].count("\n") == 1


def test_corrupt_index_names_column_and_byte(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "bitmap_version_3"]
    path = write(tmp_path, case.data)
    for command in (["inspect", path], ["eval", path, "-s", "a INT", "-w", "a = 1"]):
        code, _, err = cli(*command)
        assert code == 1
        assert err.startswith(f"paimon-ksy: {path}: column 'a', byte 4")


def test_debug_shows_the_traceback(cli: Cli) -> None:
    for arguments in (["--debug", "inspect", "/no/such"], ["inspect", "/no/such", "--debug"]):
        code, _, err = cli(*arguments)
        assert code == 1
        assert "Traceback" in err
    assert "Traceback" not in cli("inspect", "/no/such")[2]


def test_an_unexpected_error_is_called_a_bug(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise LookupError("two\nlines")

    monkeypatch.setattr("paimon_ksy.cli.inspect.run", fail)
    code, _, err = cli("inspect", WORKED)
    assert code == 1
    assert err.count("\n") == 1
    assert "LookupError: two lines" in err
    assert "--debug" in err


def test_a_package_that_is_missing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    monkeypatch.delitem(sys.modules, "paimon_ksy.predicates.sql", raising=False)
    code, _, err = cli("eval", ORDERS, "-s", "status STRING", "-w", "status = 'NEW'")
    assert code == 1
    assert err.startswith("paimon-ksy: the Python package 'sqlglot' is missing; pip install")


def test_a_package_of_the_command_that_is_missing(tmp_path: Path) -> None:
    """As after `pip install --no-deps`."""
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(name='typer')")
    command = [sys.executable, "-m", "paimon_ksy", "inspect", str(ORDERS)]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    found = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 1
    wanted = "paimon-ksy: the Python package 'typer' is missing; pip install paimon-ksy"
    assert found.stderr.startswith(wanted) and found.stderr.count("\n") == 1


def test_names_cannot_write_to_the_terminal(cli: Cli, tmp_path: Path) -> None:
    data = golden_index("c_one_column").data
    name = golden_index("c_one_column").columns[0]["name"].encode()
    evil = b"\x1b"
    assert len(name) == len(evil)
    path = write(tmp_path, data.replace(b"\x00\x01" + name, b"\x00\x01" + evil))
    code, out, err = cli("inspect", path, "--hex")
    assert code == 0
    assert "\x1b" not in out + err
    assert "\\x1b" in out


# Help, terminals, pipes -------------------------------------------------------------------------


def test_help_lists_commands_and_exit_codes(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    for word in ("inspect", "eval", "build", "dump", "assemble", "Exit codes: 0"):
        assert word in out
    assert cli() == (2, out, "")
    for command in ("inspect", "eval", "build", "dump", "assemble"):
        code, out, _ = cli(command, "--help")
        assert code == 0
        assert "--json" in out
        assert max(map(len, out.splitlines())) <= 80
        assert out.isascii()


def commands() -> list[list[str]]:
    """The words of each command."""
    group: Any = typer.main.get_command(app)
    found: list[list[str]] = []
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        found += [[name, other] for other in inner] if inner else [[name]]
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_help_of_each_command(command: list[str], cli: Cli) -> None:
    """It is plain English and ends with examples, of which the first changes nothing."""
    code, out, _ = cli(*command, "--help")
    assert code == 0
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 80
    assert "--json" in out or command == ["demo"]
    text, _, examples = out.partition("Examples:\n")
    calls = [line.strip() for line in examples.splitlines() if line.strip()]
    assert 2 <= len(calls) <= 3
    start = " ".join(["paimon-ksy", *command])
    assert all(start in call for call in calls)
    assert "--repair" not in calls[0] and "--no-dry-run" not in calls[0]
    if "--dry-run  " in text and "--repair" not in text:
        assert "--dry-run" in calls[0]
    assert not re.search(r"\b(told|tells?|says?|said)\b|, as '", text)


def test_help_on_a_narrow_terminal_has_no_frames() -> None:
    """They would cut the names of options."""
    for width, framed in ((60, False), (100, True)):
        options = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width)}
        out = process("table", "query", "--help", env={**os.environ, **options}).stdout
        out = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert ("╭" in out) == framed
        assert "--order-by" in out and "--snapshot" in out and "…" not in out
        assert max(map(len, out.splitlines())) <= width


@pytest.mark.parametrize("group", [[], ["dv"], ["bucket-index"], ["table"]])
def test_lists_of_commands_have_whole_sentences(group: list[str], cli: Cli) -> None:
    _, out, _ = cli(*group, "--help")
    listed = out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert listed
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


def test_typer_runs_it_too() -> None:
    result = CliRunner().invoke(app, ["inspect", str(WORKED)])
    assert result.exit_code == 0
    assert "Paimon file index" in result.output


def test_version() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout) == (0, f"paimon-ksy {paimon_ksy.__version__}\n")
    script = shutil.which("paimon-ksy", path=str(Path(sys.executable).parent))
    if script is not None:  # installed
        assert subprocess.run([script, "--version"], capture_output=True).returncode == 0


def test_pipes_get_plain_text() -> None:
    done = process("inspect", WORKED, "-s", TYPES, "--hex")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.isascii()


def on_terminal(*arguments: object, **environment: str) -> str:
    """What the command writes to a terminal."""
    main, end = pty.openpty()
    command = [sys.executable, "-m", "paimon_ksy", *map(str, arguments)]
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen(command, stdout=end, stderr=end, stdin=end, env=env):
        os.close(end)
        written = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            written += piece
    os.close(main)
    return written.decode()


def test_terminals_get_colours_and_lines() -> None:
    shown = on_terminal("inspect", WORKED, "-s", TYPES)
    assert "\x1b[" in shown
    assert "├── " in shown
    plain = on_terminal("inspect", WORKED, "-s", TYPES, NO_COLOR="1")
    assert "\x1b[" not in plain
    assert "├── " in plain
    assert "╭" in on_terminal("--help")


def test_terminals_get_a_progress_bar(tmp_path: Path) -> None:
    output = tmp_path / "x.index"
    shown = on_terminal("build", WORKED_DATA, "-i", "bitmap:status", "-o", output)
    assert "indexing values" in shown
    assert output.exists()


def test_tables_get_progress_bars(tmp_path: Path) -> None:
    """On stderr while they work, also if what they print goes somewhere else."""
    path = golden_table("append_dv32", tmp_path)
    engine = ["--engine", "local"]
    assert "auditing" in on_terminal("table", "audit", path, *engine)
    assert "indexing" in on_terminal("table", "rewrite-index", path, "--force", *engine)
    assert "reading" in on_terminal("table", "clean-orphans", path, "--older-than", "0s")
    assert "auditing" not in process("table", "audit", path, *engine).stderr


def test_pipe_closed_early_is_quiet() -> None:
    command = [sys.executable, "-m", "paimon_ksy", "inspect", str(ORDERS), "--hex"]
    command += ["--length", "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None and done.stderr is not None
        done.stdout.read(10)
        done.stdout.close()
        errors = done.stderr.read()
    assert errors == b""
    assert done.returncode == 141


WORKING = f"""
import sys, time
import paimon_ksy.cli.inspect
from paimon_ksy.cli import main

def work(*_, **__):
    print("working", flush=True)
    while True:
        time.sleep(0.01)

paimon_ksy.cli.inspect.run = work
sys.argv = ["paimon-ksy", "inspect", {str(WORKED)!r}]
main()
"""


def test_ctrl_c_is_told_in_one_line() -> None:
    command = [sys.executable, "-c", WORKING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None and done.stderr is not None
        assert done.stdout.readline() == b"working\n"
        done.send_signal(signal.SIGINT)
        errors = done.stderr.read()
    assert done.returncode == 130
    assert errors == b"paimon-ksy: interrupted\n"


def test_stdout_closed() -> None:
    done = subprocess.run(
        f"{sys.executable} -m paimon_ksy inspect {WORKED} >&-",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr


def test_output_in_ascii(tmp_path: Path) -> None:
    path = write(tmp_path, golden_index("c_names_mutf8").data)
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process("inspect", path, env=env)
    assert done.returncode == 0
    assert "\\xe9t\\xe9" in done.stdout


# Start-up ---------------------------------------------------------------------------------------

HEAVY = ("pyarrow", "sqlglot", "pandas", "rich.console", "fastavro", "hypothesis")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["inspect", str(WORKED)]])
def test_start_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from paimon_ksy.cli.app import run; "
        f"run({arguments!r}); print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# Damaged files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["t_bitmap_v1_varchar_20", "t_bitmap_v2_varchar_20"])
def test_flipped_bits_are_told_or_refused(name: str) -> None:
    data, schema = golden_index(name).data, Schema.parse("c STRING")
    for bit in range(0, len(data) * 8, 5):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with open_source(bytes(damaged)) as source:
            with suppress(CorruptFileError):
                inspect_file(source, schema)
            fields = hex_fields.hex_fields(source, schema, 0, len(data))
            assert sum(field.end - field.start for field in fields) == len(data)


def test_a_bitmap_that_thousands_of_values_claim_is_not_read_for_each() -> None:
    from pyroaring import BitMap

    num_rows, count = 2**31 - 1, 20_000
    bitmap = BitMap(range(0, 2**31, 1 << 16)).serialize()
    entries = BitmapEntryV2Array.from_columns(
        4,
        key=np.arange(count, dtype=np.int32),
        ofs_bitmap=np.zeros(count, np.int32),
        len_bitmap=np.full(count, len(bitmap), np.int32),
    )
    block = make_bitmap_block_v2(entries=entries)
    key = make_typed_value(int32=0)
    directory = make_bitmap_directory_v2(blocks=[make_bitmap_block_ref_v2(key=key, block=block)])
    meta = make_bitmap_index_v2(
        num_rows=num_rows, num_values=count, has_null=0, directory=directory
    )
    body = to_bytes(make_bitmap_index(column_type=4, version=2, v2=meta), tail=bitmap)
    data = assemble([("a", [("bitmap", [body])])])
    started = time.process_time()
    with open_source(data) as source:
        for top in (10, None):
            inspect_file(source, Schema.parse("a INT"), top=top)
        for start in (0, len(data) // 2, len(data) - 4096):
            hex_fields.hex_fields(source, Schema.parse("a INT"), start, 4096)
    assert time.process_time() - started < 2
