"""`paimon-ksy report`."""

import json
import re
from pathlib import Path

import pytest

from paimon_ksy.cli import report
from paimon_ksy.errors import amount
from tests.support.commands import Cli
from tests.support.examples import TYPES, WORKED, WORKED_DATA, WORKED_SCHEMA
from tests.support.tables import STATUS, make, rows


def test_writes_a_page(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("report", WORKED, "-s", TYPES)
    assert (code, err) == (0, "")
    page = tmp_path / "orders.parquet.index.html"
    size = len(page.read_text(encoding="utf-8"))
    assert out == f"{page.name}: written ({amount(size)}); no problems in {WORKED}\n"
    assert "&#39;PENDING&#39;" in page.read_text(encoding="utf-8")

    code, _, err = cli("report", WORKED)
    assert code == 2 and "--overwrite" in err
    code, out, _ = cli(
        "report",
        WORKED,
        "--schema-file",
        WORKED_SCHEMA,
        "--data",
        WORKED_DATA,
        "--overwrite",
        "--format",
        "json",
    )
    assert code == 0 and json.loads(out) == {
        "schema_version": 3,
        "output": page.name,
        "findings": [],
    }
    assert "agrees with its data file" in page.read_text(encoding="utf-8")


def test_tables(cli: Cli, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40)], STATUS)
    output = tmp_path / "t.html"
    code, out, err = cli("report", path, "-w", "status = 'PAID'", "-o", output)
    assert (code, err) == (0, "")
    assert re.fullmatch(rf"{output}: written \(.+ kB\); 1 warning in {path}\n", out)
    text = output.read_text(encoding="utf-8")
    assert "What a query reads" in text and "10 of 40" not in text

    named = (
        "report",
        "default.t",
        "--catalog",
        f"warehouse={tmp_path}",
        "-o",
        output,
        "--overwrite",
    )
    code, out, _ = cli(*named, "--snapshot", 1, "--format", "json")
    assert code == 0 and json.loads(out)["output"] == str(output)


def test_a_table_of_many_files_is_not_audited(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 40)], STATUS)
    monkeypatch.setattr(report, "MOST_AUDITED", 0)
    code, out, _ = cli("report", path, "-o", tmp_path / "t.html")
    assert code == 0 and "too many files to audit" in out
