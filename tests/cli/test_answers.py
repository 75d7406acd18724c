"""The JSON of each command is what its schema says: no key is missing, and none is unlisted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from paimon_ksy.cli.app import app, run
from paimon_ksy.table_index.bucket_index import write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.deletions import make as make_deletable
from tests.support.deletions import rows as deletable_rows
from tests.support.examples import ORDERS, TYPES, WORKED, WORKED_DATA
from tests.support.tables import make, rows
from tools.docs.json_schema import answers, is_stream, json_schema

WITHOUT = {"dump"}
"""Commands that print no such answer: a dump is a file."""


def strict(schema: Any) -> Any:
    """Return the schema so that it takes no other keys, which later versions may add."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: strict(value) for key, value in schema.items()}
    if isinstance(found.get("properties"), dict) and "type" in found:
        found["additionalProperties"] = False
    return found


def check(name: str, *documents: Any) -> None:
    """Compare documents with the schema of an answer."""
    validator = jsonschema.Draft202012Validator(strict(json_schema(name)))
    for document in documents:
        validator.validate(document)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of each kind, which is the current one."""
    monkeypatch.chdir(tmp_path)
    write_vectors("a.dv", {"a": DeletionVector.of([1, 3, 4, 5])})
    write_vectors("b.dv", {"b": DeletionVector.of([4, 8589934592], 64)})
    for line in (
        [
            *("build", str(WORKED_DATA), "-o", "all.index", "-i", "bsi:user_id"),
            *("-i", "range-bitmap:user_id", "-i", "bloom-filter:status", "-i", "bitmap:status"),
        ],
        ["build", str(WORKED_DATA), "-o", "other.index", "-i", "bitmap:user_id"],
    ):
        assert run(line) == 0
    Path("broken.index").write_bytes(WORKED.read_bytes()[:200])
    write_bucket_index("index-1", [1, 2, 2])
    write_bucket_index("index-2", [2, 7])
    Path("page.avro").write_bytes(b"Obj\1")
    return tmp_path


WHERE = "status = 'PENDING'"
CALLS: dict[str, list[list[str]]] = {
    "inspect": [
        ["all.index", "-s", "status STRING, user_id BIGINT", "--hex"],
        ["all.index"],
        *([name] for name in ("broken.index", "a.dv", "b.dv", "page.avro")),
        [str(ORDERS), "-s", TYPES, "--max-items", "2"],
    ],
    "eval": [
        ["all.index", "-s", "status STRING", "-w", WHERE, "--count"],
        ["all.index", "-s", "status STRING", "-w", WHERE],
        ["all.index", "-s", "user_id BIGINT", "--order-by", "user_id", "--limit", "2"],
        ["all.index", "-s", "status STRING", "-w", "status IS NOT NULL OR status IS NULL"],
    ],
    "verify": [["all.index", "--data", str(WORKED_DATA)], ["broken.index"], ["a.dv"]],
    "diff": [
        ["all.index", "other.index", "-s", "status STRING, user_id BIGINT"],
        ["all.index", "all.index"],
        ["a.dv", "b.dv"],
        ["index-1", "index-2", "--kind", "bucket-index"],
        ["broken.index", str(WORKED)],
    ],
    "build": [[str(WORKED_DATA), "-i", "bitmap:status", "-o", "new.index"]],
    "webide": [["all.index", "-s", "status STRING"]],
    "report": [["a.dv", "-o", "a.html"]],
    "dv show": [["a.dv", "b.dv"]],
    "dv apply": [["a.dv", str(WORKED_DATA)], ["a.dv", str(WORKED_DATA), "-o", "live.orc"]],
    "bucket-index show": [["index-1", "index-2"]],
    "bucket-index lookup": [["index-1", "-s", "id INT", "-k", "id = 5"]],
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_about_files(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in CALLS[name]:
        capsys.readouterr()
        run([*name.split(), *words, "--format", "json"])
        out, err = capsys.readouterr()
        check(name, json.loads(out))
        for line in err.splitlines():
            document = json.loads(line)
            check("note" if "note" in document else "error", document)


def test_what_assemble_prints(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dump", "a.dv", "-o", "a.json"]) == 0
    assert run(["assemble", "a.json", "-o", "again.dv", "-f", "json"]) == 0
    check("assemble", json.loads(capsys.readouterr().out))


def calls(path: str) -> Iterator[tuple[str, list[str], int]]:
    """Yield commands on a table that change it step by step, and their exit codes."""
    index = ["--set", "file-index.bitmap.columns=status"]
    yield "table inspect", ["table", "inspect", path], 0
    yield "table rewrite-index", ["table", "rewrite-index", path, *index, "--dry-run"], 0
    yield "table rewrite-index", ["table", "rewrite-index", path, *index], 0
    yield "table explain", ["table", "explain", path, "-w", "status = 'PAID' AND id > 3"], 0
    yield "table count", ["table", "count", path, "-w", "status = 'PAID'"], 0
    yield "table advise", ["table", "advise", path], 0
    yield "diff snapshots", ["diff", path, "--snapshots", "1", "2"], 1
    yield "table inspect", ["table", "inspect", path], 0
    yield "table clean-orphans", ["table", "clean-orphans", path, "--older-than", "0s"], 0
    yield "report", ["report", path, "-o", "t.html"], 0
    yield "table audit", ["table", "audit", path], 0
    yield "table audit", ["table", "audit", path, "--repair"], 3


def test_answers_about_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = make(
        tmp_path / "t", [rows(0, 8), rows(8, 8)], {"file-index.in-manifest-threshold": "1B"}
    )
    stray = Path(path, "bucket-0", "data-x.parquet.index")
    for name, words, code in calls(path):
        capsys.readouterr()
        if "--repair" in words:
            next(p for p in Path(path).rglob("*.index") if p != stray).write_bytes(b"garbage")
        assert run([*words, "-f", "json"]) == code, name
        out = capsys.readouterr().out
        streams = is_stream(name)
        documents = [json.loads(x) for x in (out.splitlines() if streams else [out])]
        check(name, *documents)
        assert not streams or documents[0]["schema_version"] == 3
        if name == "table explain":
            stray.write_bytes(b"")


def test_answers_of_deletes_and_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_deletable(tmp_path, [deletable_rows(0, 10)])
    for yes in ([], ["--yes"]):
        assert run(["table", "delete", path, "-w", "id < 3", "-f", "json", *yes]) == 0
        check("table delete", json.loads(capsys.readouterr().out))
    assert run(["table", "inspect", path, "-f", "json"]) == 0
    check("table inspect", json.loads(capsys.readouterr().out))
    assert run(["diff", path, "--snapshots", "1", "2", "-f", "json"]) == 1
    check("diff snapshots", json.loads(capsys.readouterr().out))
    assert run(["table", "query", path, "--stats", "-f", "json"]) == 0
    out, err = capsys.readouterr()
    check("table query", *map(json.loads, out.splitlines()))
    check("table query stats", json.loads(err))


def test_each_command_has_a_schema() -> None:
    names = set()
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        names |= {f"{name} {other}" for other in inner} if inner else {name}
    others = {"diff snapshots", "table query stats", "error", "note"}
    assert set(answers()) == (names - WITHOUT) | others


def test_a_schema_refuses_other_documents(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("a.dv", "copy.dv")
    capsys.readouterr()
    assert run(["dv", "show", "copy.dv", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    check("dv show", document)
    document["files"][0]["vectors"][0]["rows"] = "4"
    with pytest.raises(jsonschema.ValidationError, match="is not of type 'integer'"):
        check("dv show", document)
    del document["files"][0]["vectors"]
    with pytest.raises(jsonschema.ValidationError, match="is a required property"):
        check("dv show", document)
