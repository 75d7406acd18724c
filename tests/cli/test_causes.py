"""Messages name the most likely cause first, and commands that can be pasted."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.display import display
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import col
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests import ROOT

INDEX = ROOT / "examples/worked/orders.parquet.index"
DATA = ROOT / "examples/worked/orders.parquet"
TABLE = ROOT / "examples/warehouse/default.db/orders"


def failed(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    printed = capsys.readouterr().err
    assert printed
    return code, printed


def pasted(message: str) -> list[str]:
    """The words of the command in a message, as a shell reads them."""
    name, *words = shlex.split(message.split("`")[1])
    assert name == "paimon-ksy"
    return words


TYPES = {
    "STRING": pa.array(["NEW", "PAID", "NEW", None, "LOST"]),
    "INT": pa.array([1, 70_000, 1, None, -3], pa.int32()),
    "BIGINT": pa.array([1, 1 << 40, 1, None, -3], pa.int64()),
    "SMALLINT": pa.array([1, 700, 1, None, -3], pa.int16()),
    "DOUBLE": pa.array([1.5, 1e300, 1.5, None, -3.25]),
    "FLOAT": pa.array([1.5, 1e30, 1.5, None, -3.25], pa.float32()),
}


@pytest.mark.parametrize("kind", ["bitmap", "range-bitmap"])
@pytest.mark.parametrize("stored", TYPES)
@pytest.mark.parametrize("given", TYPES)
def test_another_schema_is_not_damage(
    kind: str, stored: str, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a b.index"
    table, columns = pa.table({"c": TYPES[stored]}), Schema.parse(f"c {stored}")
    path.write_bytes(build_file_index(table, columns, {f"file-index.{kind}.columns": "c"}))
    code = run(["inspect", str(path), "-s", f"c {given}"])
    printed = capsys.readouterr().err
    if given == stored:
        assert (code, printed) == (0, "")
    elif code:  # some files can be read with another type, too
        assert code == 2
        assert "damaged" not in printed and "corrupt" not in printed
        assert f"column 'c': its type in the schema is {given}" in printed
        fitting = re.findall("--schema '(c [A-Z]+)'", printed)
        assert f"c {stored}" in fitting
        assert all(run(["inspect", str(path), "-s", schema]) == 0 for schema in fitting)


def test_damage_is_not_another_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.index"
    table = pa.table({"c": TYPES["STRING"]})
    options = {"file-index.bitmap.columns": "c"}
    sound = build_file_index(table, Schema.parse("c STRING"), options)
    path.write_bytes(sound[:-3])
    code, message = failed(capsys, "inspect", path, "-s", "c STRING")
    assert (code, "its type in the schema" in message) == (1, False)
    where = ("-w", "c = 'NEW'")
    assert failed(capsys, "eval", path, "-s", "c STRING", *where)[0] in (0, 1)


def test_a_field_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"c": TYPES["STRING"]})
    options = {"file-index.bitmap.columns": "c", "file-index.bitmap.c.version": "1"}
    data = bytearray(build_file_index(table, Schema.parse("c STRING"), options))
    path = tmp_path / "x.index"
    path.write_bytes(data)
    run(["inspect", str(path), "--hex", "--format", "json", "-s", "c STRING"])
    fields = json.loads(capsys.readouterr().out)["hex"]
    [at] = [field["byte"] for field in fields if field["field"] == "c: v1.has_null"]
    data[at] = 255
    path.write_bytes(data)
    code, message = failed(capsys, "inspect", path, "-s", "c STRING")
    assert code == 1
    assert f"column 'c', byte {at}: the field has_null cannot be 255" in message


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("status = PENDING", "status = 'PENDING'"),
        ("PENDING = status", "'PENDING' = status"),
        ("status <> Pending AND n = 1", "status <> 'Pending'"),
        ("status IN (NEW, 'PAID', Lost)", "status IN ('NEW', 'PAID', 'Lost')"),
        ("status BETWEEN A AND B", "status BETWEEN 'A' AND 'B'"),
        ("status LIKE abc", "status LIKE 'abc'"),
    ],
)
def test_texts_without_quotes(written: str, meant: str) -> None:
    schema = Schema.parse("status STRING, n INT")
    with pytest.raises(Exception, match="single quotes") as raised:
        parse_predicate(written, schema)
    remedy = getattr(raised.value, "remedy", "")
    assert remedy == f"write {meant}"
    parse_predicate(meant, schema)
    with pytest.raises(Exception, match="no column"):
        parse_predicate("status = `PENDING`", schema)
    assert parse_predicate("status = 'n'", schema) == (col("status") == "n")


@pytest.mark.parametrize("written", ["upper(statsu) = 'A'", "status = statsu", "statsu IN ('A')"])
def test_a_misspelt_column_has_a_suggestion(written: str) -> None:
    with pytest.raises(Exception, match=r"no column 'statsu' \(did you mean 'status'\?\)"):
        parse_predicate(written, Schema.parse("status STRING, n INT"))


def test_the_folder_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "it's a table"
    place.symlink_to(TABLE)
    for command in (
        ("inspect", place),
        ("dump", place),
        ("dv", "show", place),
        ("bucket-index", "show", place),
    ):
        code, message = failed(capsys, *command)
        assert (code, message.count("\n")) == (1, 1)
        assert pasted(message) == ["table", "inspect", str(place)]
        assert run(pasted(message)) == 0


def test_a_file_or_a_part_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert pasted(failed(capsys, "table", "count", DATA)[1]) == ["inspect", display(str(DATA))]
    for part in ("schema", "bucket-0"):
        message = failed(capsys, "table", "inspect", TABLE / part)[1]
        assert pasted(message) == ["table", "inspect", display(str(TABLE))]


def test_another_kind_of_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = tmp_path / "v"
    write_vectors(vectors, {"f": DeletionVector.of([1])})
    where = ("-s", "s INT", "-w", "s = 1")
    for command, kind in (
        (("dv", "show", DATA), "a Parquet file, not a vector file"),
        (("dv", "show", INDEX), "a file index, not a vector file"),
        (("eval", DATA, *where), "a Parquet file, not a file index"),
        (("eval", vectors, *where), "a vector file, not a file index"),
        (("build", INDEX, "-i", "bitmap:s", "-o", tmp_path / "x"), "not a data file"),
    ):
        message = failed(capsys, *command)[1]
        assert f"this is {kind}" in message or kind in message
        assert run(pasted(message)) == 0


EACH = """
import json, os, sys
from paimon_ksy.cli.app import run

for words in json.loads(sys.argv[1]):
    os.write(1, b"%d\\n" % run(words))
"""
"""Run commands one after another, and print their exit codes."""


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_only_regular_files_are_read(kind: str, tmp_path: Path) -> None:
    """By a process, which would wait for ever."""
    path = tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    commands = (
        ("inspect", path),
        ("eval", path, "-s", "s INT", "-w", "s = 1"),
        ("dump", path),
        ("dv", "show", path),
        ("dv", "apply", path, DATA),
        ("build", path, "-i", "bitmap:s", "-o", tmp_path / "out"),
        ("bucket-index", "show", path),
    )
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "socket":
            bound.bind(str(path))
        words = json.dumps([[*map(str, command)] for command in commands])
        done = subprocess.run(
            [sys.executable, "-c", EACH, words],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            cwd=ROOT,
        )
    assert done.stdout.split() == ["1"] * len(commands)
    name = {"pipe": "named pipe"}.get(kind, kind)
    errors = done.stderr.splitlines()
    assert len(errors) == len(commands)
    for error in errors:
        assert f"{path}: cannot be opened: it is a {name}" in error
