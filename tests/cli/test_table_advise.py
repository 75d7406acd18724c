"""`table advise`: what it prints."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from paimon_ksy.table.advise.report import ColumnAdvice
from tests.support.advice import orders_table
from tests.support.commands import run_command


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders in 8 files."""
    return orders_table(tmp_path_factory.mktemp("advise"))


def test_what_is_printed(orders: str, tmp_path: Path) -> None:
    done = run_command("table", "advise", orders, "--engine", "local", "--select", "status, id")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith(f"{orders}: 8 files, 160,000 rows, ")
    assert lines[1].startswith("sample: 8 files, 160,000 rows, ")
    assert "  status: bitmap: saves" in done.output
    assert "  id: no index: minimum and maximum exclude" in done.output
    assert lines[-1].startswith(f"paimon-ksy table rewrite-index {orders} --set file-index.bitmap")
    assert "ALTER TABLE `default`.`orders` SET TBLPROPERTIES (" in lines
    # A secret is not printed, though it was given.
    given = ["--catalog", "s3.secret-key=abc", "--catalog", "s3.endpoint=http://me:word@store"]
    done = run_command("table", "advise", orders, "--engine", "local", "--select", "status", *given)
    assert "abc" not in done.output
    assert "word" not in done.output
    assert "--catalog s3.endpoint=http://store" in done.output
    assert "s3.secret-key" not in done.output


def test_rows(orders: str) -> None:
    select = ("--select", "status")
    told = run_command("table", "advise", orders, *select, "--format", "csv").output
    [row] = csv.DictReader(io.StringIO(told))
    wanted = run_command("table", "advise", orders, *select, "--format", "json").output
    [column] = json.loads(wanted)["columns"]
    del column["indexes"]
    assert list(row) == list(column)
    assert json.loads(row.pop("advised")) == column.pop("advised")
    assert row["column"] == "status"
    assert {key: row[key] for key in ("verdict", "type", "why")} == {
        key: column[key] for key in ("verdict", "type", "why")
    }
    assert int(row["distinct"]) == column["distinct"]


def test_json(orders: str) -> None:
    done = run_command(
        "table", "advise", orders, "--engine", "local", "--select", "status", "--format", "json"
    )
    told = json.loads(done.output)
    assert set(told) == {
        *(
            "schema_version",
            "table",
            "snapshot",
            "files",
            "rows",
            "bytes",
            "sample",
            "sample_rows",
            "sample_bytes",
        ),
        *("in_part", "is_typical", "columns", "predicates", "options", "index_bytes", "sql"),
        *("command", "notes", "seconds"),
    }
    [found] = told["columns"]
    assert set(found) == set(ColumnAdvice.__dataclass_fields__)
    assert set(found["indexes"][0]) == {
        *(
            "index_type",
            "options",
            "files",
            "bytes",
            "table_bytes",
            "seconds",
            "table_seconds",
            "size",
        ),
        *("saved", "exists", "refused"),
    }
    skipped = {"files", "row_groups", "bytes", "page_bytes", "rows"}
    for asked in told["predicates"]:
        for shares in (asked["now"], asked["bounds"], asked["advised"], *asked["indexes"].values()):
            assert set(shares) == skipped
            assert all(0 <= share <= 1 for share in shares.values())
