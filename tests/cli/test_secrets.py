"""Secrets come from files and the environment, and are printed nowhere."""

import json
import shutil
from pathlib import Path

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.predicates.tree import col
from tests import ROOT

WAREHOUSE = ROOT / "examples/warehouse"
PASSWORD = "hunter2-p@ssword"


def everything(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.parametrize("more", [[], ["--format", "json"], ["--debug"]])
def test_no_command_prints_a_password(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    url = f"memory://user:{PASSWORD}@host/none"
    for command in (
        ("inspect", url),
        ("eval", url, "-s", "s INT", "-w", "s = 1"),
        ("dump", url),
        ("dv", "show", url),
        ("verify", url),
        ("build", url, "-i", "bitmap:s", "-o", "x"),
        ("bucket-index", "show", url),
    ):
        code, printed = everything(capsys, *command, *more)
        if "--format" in more and command[0] == "dump":  # which prints JSON alone
            continue
        assert code == 1
        assert "user:***@host" in printed
        assert "hunter2" not in printed


def test_no_table_command_prints_a_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ([], ["--format", "json"], ["--debug"]):
        given = [
            "--catalog",
            f"uri=http://u:{PASSWORD}@127.0.0.1:9",
            "--catalog",
            f"token={PASSWORD}",
        ]
        code, printed = everything(capsys, "table", "count", "d.t", *given, *more)
        assert code == 1
        assert "hunter2" not in printed


def table_with_secrets(tmp_path: Path) -> Path:
    table = tmp_path / "t"
    shutil.copytree(WAREHOUSE / "default.db/orders", table)
    for number, path in enumerate(sorted((table / "schema").iterdir())):
        document = json.loads(path.read_bytes())
        document["options"] |= {
            "jdbc.password": f"hunter2-{number}",
            "fs.endpoint": f"https://u:hunter2@host-{number}",
        }
        path.write_text(json.dumps(document))
    return table


def test_options_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_with_secrets(tmp_path)
    for more in ([], ["--format", "json"]):
        code, printed = everything(capsys, "table", "inspect", table, *more)
        assert code == 0
        assert "jdbc.password" in printed and "https://u:***@host-" in printed
        assert "hunter2" not in printed


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_that_have_to_be_quoted(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a page, in SQL, in reprs and in errors, whatever quotes them."""
    secret = "hunter2'\"\\&<\u00e9 %"
    catalog = ["--catalog", f"warehouse={WAREHOUSE}", "--catalog", f"token={secret}"]
    where = ["-w", repr(col("status").is_in(["CANCELLED", secret]))]
    explain = ["table", "explain", "default.orders", *where, *catalog, "-f", form]
    code, printed = everything(capsys, *explain)
    assert (code, "***" in printed) == (0, True)
    assert "hunter2" not in printed
    code, printed = everything(capsys, "table", "count", f"default.{secret}", *catalog, "-f", form)
    assert (code, "hunter2" in printed) == (1, False)
    page = tmp_path / "page.html"
    assert everything(capsys, "report", "default.orders", *where, *catalog, "-o", page)[0] == 0
    assert "***" in page.read_text("utf-8") and "hunter2" not in page.read_text("utf-8")


def test_rows_are_not_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = ["--catalog", f"warehouse={WAREHOUSE}", "--catalog", "token=PENDING"]
    query = ("table", "query", "default.orders", "--select", "status", "-w", "status = 'PENDING'")
    code, printed = everything(capsys, *query, "-n", "1", *catalog)
    assert (code, "PENDING" in printed) == (0, True)


def test_a_traceback_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = everything(capsys, "inspect", "a\x1b[2Jb\r", "--debug")
    assert code == 1
    assert "Traceback" in printed
    assert "\x1b" not in printed and "\r" not in printed
    assert "\\x1b[2J" in printed
