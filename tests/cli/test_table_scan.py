"""`table query`, `count` and `explain`: what they print."""

import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.table.query.read import QueryStats, query
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.commands import Cli
from tests.support.golden_tables import ordered, rows_of
from tests.support.query_tables import LOCAL, SCHEMA, found_rows
from tests.support.tables import make
from tools.tables import make_table


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_query_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a row: times in ISO, decimals as strings, binary as hex."""
    where = "id = 1009 OR status = 'only 4' AND amount > 0 AND m['k'] = 2 AND score IS NULL"
    assert run(["table", "query", path, "--where", where, "--format", "json"]) == 0
    rows = lines(capsys.readouterr().out)
    assert rows
    table = query(Table.at(path), where, engine=LOCAL)
    for row, wanted in zip(rows, table.to_pylist(), strict=True):
        assert list(row) == list(SCHEMA.names)
        assert row["id"] == wanted["id"]
        assert row["status"] == wanted["status"]
        assert row["flag"] == wanted["flag"]
        for name, text in (("amount", str), ("day", str), ("at", dt.datetime.isoformat)):
            assert row[name] == (None if wanted[name] is None else text(wanted[name]))
        assert row["code"] == (None if wanted["code"] is None else wanted["code"].hex())
        assert row["m"] == (None if wanted["m"] is None else dict(wanted["m"]))


def test_query_tells_what_it_took(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr: what is on stdout stays one object a row."""
    arguments = ["table", "query", path, "--where", "status = 'DONE'"]
    assert run([*arguments, "--format", "json"]) == 0
    rows, nothing = capsys.readouterr()
    assert nothing == ""
    assert run([*arguments, "--format", "json", "--stats"]) == 0
    out, err = capsys.readouterr()
    assert out == rows
    told = json.loads(err)
    stats = QueryStats()
    query(path, "status = 'DONE'", stats=stats)
    assert told.pop("seconds") > 0 and told.pop("schema_version") == 3
    assert told == {key: value for key, value in stats.to_json().items() if key != "seconds"}
    assert told["rows"] == len(lines(rows)) > 0
    assert run([*arguments, "--stats"]) == 0
    err = capsys.readouterr().err
    assert f"{told['files_read']} of {told['files_total']} data files read" in err
    assert f", {told['rows']} rows, {told['bytes_read']:,} bytes, 0." in err


def test_query_to_a_file(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "found.parquet"
    arguments = ["table", "query", path, "-w", "status = 'DONE'", "-o", str(output)]
    assert run(arguments) == 0
    found = pq.read_table(output)
    assert ordered(rows_of(found)) == found_rows(Table.at(path), "status = 'DONE'")
    assert run(arguments) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert run([*arguments, "--overwrite"]) == 0


def test_the_format_of_a_file(path: str, tmp_path: Path, cli: Cli) -> None:
    """The format, then the extension, decides; a file has what standard output gets."""
    words = ("table", "query", path, "-w", "status = 'DONE'", "--select", "id, status")
    for form, ending in (("csv", "csv"), ("json", "jsonl"), ("markdown", "MD"), ("table", "txt")):
        printed = cli(*words, "-f", form)[1]
        asked = () if ending != "txt" else ("-f", form)
        output = tmp_path / f"found.{ending}"
        assert cli(*words, "-o", str(output), *asked)[0] == 0
        assert output.read_text() == printed and printed
        assert cli(*words, "-o", "-", "-f", form)[1] == printed
    for alias in ("jsonl", "ndjson"):
        assert cli(*words, "-f", alias) == cli(*words, "-f", "json")
    code, _, err = cli("table", "query", path, "-f", "jsonl", "-w", "nope = 1")
    assert (code, json.loads(err)["error"]["code"]) == (2, "predicate")
    wanted = ordered(rows_of(query(path, "status = 'DONE'", ["id", "status"])))
    for ending in ("pq", "arrow"):
        output = tmp_path / f"found.{ending}"
        assert cli(*words, "-o", str(output))[0] == 0
        rows = pq.read_table(output) if ending == "pq" else pa.ipc.open_file(output).read_all()
        assert ordered(rows_of(rows)) == wanted


COUNTS = {
    "text -q": "2000\n",
    "text": "2000\nfrom the index: 0 of 1 data file opened, 0 bytes read\n",
}


def test_counts_are_plain_numbers(tmp_path: Path, cli: Cli) -> None:
    """The same digits of all commands that count, so that scripts can read them."""
    rows = pa.table({"id": pa.array(range(2001), pa.int64())})
    table = make(tmp_path, [rows.slice(1)])
    pq.write_table(rows, tmp_path / "x.parquet")
    index, vector = tmp_path / "x.index", tmp_path / "x.dv"
    built = ("build", tmp_path / "x.parquet", "-i", "bitmap:id", "-o", index)
    assert cli(*map(str, built))[0] == 0
    write_vectors(vector, {"": DeletionVector.of([7])})
    for words, forms in {
        ("table", "count", table): ("text -q", "text", "json"),
        ("eval", str(index), "-s", "id BIGINT", "--count", "--dv", f"{vector}:1"): (
            "text -q",
            "json",
        ),
        ("dv", "apply", f"{vector}:1", str(tmp_path / "x.parquet")): ("text -q", "json"),
    }.items():
        for form in forms:
            code, out, err = cli(*words, "-f", *form.split())
            assert (code, err) == (0, "")
            if form != "json":
                assert out == COUNTS[form]
            else:
                assert 2000 in json.loads(out).values()


def test_explain_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table", "explain", path, "-w", "region = 'EU' AND status = 'DONE' AND id > 0"]
    assert run([*arguments, "--format", "json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["step"] for step in steps] == ["partitions", "statistics", "index", "rows"]
    for name in ("files", "row_groups", "rows", "bytes"):
        for step in steps:
            assert {f"{name}_kept", f"{name}_skipped"} <= set(step)
    assert steps[0]["files_skipped"] > 0
    assert [cause["index"] for cause in steps[2]["by"]] == [
        "bitmap, bloom-filter",
        "bloom-filter, bsi",
    ]
    assert run([*arguments, "--engine", "flink"]) == 2
    assert "no engine 'flink'" in capsys.readouterr().err
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "status = 'DONE' (index bitmap, bloom-filter)" in out


def rows_in_order(folder: Path) -> tuple[str, list[str]]:
    """A table of six files with two rows each, and the paths of the data files in their order."""
    path = make_table(folder, "t", [pa.table({"n": [2 * at, 2 * at + 1]}) for at in range(6)])
    return path, [file.path for file in Table.at(path).data_files.of(Table.at(path).snapshot())]


FIRST = {
    "json": '{"n": 0}\n{"n": 1}\n',
    "csv": "n\n0\n1\n",
    "markdown": "| n |\n| ---: |\n| 0 |\n| 1 |\n",
}


@pytest.mark.parametrize("form", FIRST)
def test_rows_are_printed_before_the_last_file_is_read(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, files = rows_in_order(tmp_path)
    Path(files[-1]).unlink()
    assert run(["table", "query", path, "--format", form]) == 1
    out, err = capsys.readouterr()
    assert out.replace(" ", "").startswith(FIRST[form].replace(" ", ""))
    assert "9" in out and "10" not in out
    assert Path(files[-1]).name in err


@pytest.mark.parametrize("form", ["table", *FIRST])
def test_an_error_before_the_first_row_has_no_head(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, files = rows_in_order(tmp_path)
    Path(files[0]).unlink()
    assert run(["table", "query", path, "--format", form]) == 1
    assert capsys.readouterr().out == ""
    assert run(["table", "query", path, "--limit", "0", "--format", form]) == 0
    assert ("n" in capsys.readouterr().out.split()) == (form != "json")


@pytest.mark.parametrize("form", FIRST)
def test_a_row_does_not_wait_for_the_last_one(
    form: str, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What has come is there when a reader that takes long asks for the next batch."""
    seen = []

    def slowly(*_: object) -> Iterator[pa.RecordBatch]:
        for value in range(3):
            seen.append(capsys.readouterr().out)
            yield pa.record_batch({"status": [f"row {value}"]})

    monkeypatch.setattr("paimon_ksy.table.query.read.batches", slowly)
    assert run(["table", "query", path, "--select", "status", "--format", form]) == 0
    assert [re.findall(r"row \d", text) for text in seen] == [[], ["row 0"], ["row 1"]]
