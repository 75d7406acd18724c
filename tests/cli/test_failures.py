"""How a command ends: one table of exit codes, and errors as JSON with --json."""

import json
from pathlib import Path

import pytest

from paimon_ksy import errors
from paimon_ksy.cli.app import run
from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    ExitCode,
    InexactError,
    PaimonKsyError,
    UncertainError,
)
from paimon_ksy.table_index.deletion_vector import DeletionVector
from tests import ROOT

INDEX = ROOT / "examples/worked/orders.parquet.index"
TABLE = ROOT / "examples/warehouse/default.db/orders"
FIELDS = {"code", "message", "file", "column", "byte", "remedy"}


def failed(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object]]:
    """The exit code, and the one error on stderr, of a command with --format json."""
    capsys.readouterr()
    code = run([*map(str, arguments), "--format", "json"])
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    document = json.loads(line)
    assert document.keys() == {"schema_version", "error"}
    assert document["error"].keys() == FIELDS
    return code, document["error"]


def test_one_table_of_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4, 5, 6, 130, 141, 143]
    for command in ([], ["table"], ["dv"], ["bucket-index"]):
        assert run([*command, "--help"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert all(f"{code.value} {code.meaning}" in shown for code in ExitCode)


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (PaimonKsyError("x"), 1),
        (CorruptFileError("x"), 1),
        (errors.SchemaError("x"), 2),
        (errors.PredicateError("x"), 2),
        (errors.OptionError("x"), 2),
        (errors.UnsupportedError("x"), 2),
        (ConflictError("x"), 4),
        (UncertainError("x"), 5),
        (InexactError("x"), 6),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
    ],
)
def test_an_error_has_its_exit_code(
    raised: BaseException,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("paimon_ksy.cli.inspect.open_input", fail)
    assert run(["inspect", "x"]) == code
    assert run(["inspect", "x", "--format", "json"]) == code
    text, *document = capsys.readouterr().err.splitlines() or [""]
    if isinstance(raised, PaimonKsyError):
        assert text.startswith("paimon-ksy: x")
        assert json.loads(document[0])["error"]["code"] == raised.code


def test_errors_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, none = tmp_path / "cut of x.index", str(tmp_path / "none")
    path.write_bytes(INDEX.read_bytes()[:25])
    where = ("-s", "status STRING", "-w")
    tables = ("inspect", "count", "query", "explain", "rewrite-index", "advise", "audit")
    cases: list[tuple[tuple[object, ...], int, str, str | None]] = [
        (("inspect", path), 1, "corrupt", str(path)),
        (("eval", path, *where, "status = 'x'"), 1, "corrupt", str(path)),
        (("inspect", none), 1, "missing", none),
        (("dv", "show", none), 1, "missing", none),
        (("build", none, "-i", "bitmap:s", "-o", tmp_path / "out"), 1, "missing", none),
        (("assemble", none, "-o", tmp_path / "out"), 1, "missing", none),
        (("inspect",), 2, "usage", None),
        (("inspect", "x", "--nope"), 2, "usage", None),
        (("nope",), 2, "usage", None),
        (("eval", INDEX, *where, "nope = 1"), 2, "predicate", None),
        (("eval", INDEX, "-s", "status NOPE", "-w", "x = 1"), 2, "schema", None),
        *((("table", name, none), 1, "missing", none) for name in (*tables, "clean-orphans")),
        (("table", "delete", none, "-w", "true"), 1, "missing", none),
    ]
    for command, code, kind, file in cases:
        ended, error = failed(capsys, *command)
        assert (ended, error["code"]) == (code, kind), command
        assert file is None or error["file"] == file
        assert file is None or file not in str(error["message"])
        assert kind != "usage" or "--help" in str(error["remedy"])
        assert kind != "corrupt" or (error["byte"] == 25 and error["remedy"])


def test_several_errors_are_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.dv"
    good = DeletionVector.of([1]).to_bytes()
    wrong = good[:-1] + bytes([good[-1] ^ 1])
    path.write_bytes(b"\x01" + wrong + wrong)
    assert run(["dv", "show", str(path), "--format", "json"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [json.loads(line)["error"]["byte"] for line in lines] == [1, 1 + len(good)]


def test_a_bug_is_reported_as_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("paimon_ksy.cli.inspect.open_input", fail)
    code, error = failed(capsys, "inspect", "x")
    assert (code, error["code"]) == (1, "bug")
    assert "--debug" in str(error["remedy"])
    assert run(["inspect", "x"]) == 1
    err = capsys.readouterr().err
    assert "RuntimeError: two lines" in err and "--debug" in err and err.count("\n") == 1
