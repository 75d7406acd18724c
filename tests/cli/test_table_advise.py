"""`table advise`: what it prints."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from paimon_ksy.cli.table_advise import _summary
from paimon_ksy.table.advise.advise import advise
from tests.support.advice import FILES, LOCAL, ROWS, orders_table
from tests.support.commands import run_command


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders in 3 files."""
    return orders_table(tmp_path_factory.mktemp("advise"))


def test_advice_comes_first(orders: str) -> None:
    done = run_command("table", "advise", orders, "--select", "status, id, region")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith("status: add bitmap: saves ")
    assert any(line.startswith("id: no index: minimum and maximum exclude ") for line in lines)
    *text, command = lines
    assert len(lines) <= 20 and max(map(len, text)) <= 80
    assert f"measured 3 of 3 files, {FILES * ROWS:,} of {FILES * ROWS:,} rows" in done.output
    assert command.startswith(f"paimon-ksy table rewrite-index {orders} --set file-index.bitmap")


def test_details(orders: str) -> None:
    done = run_command("table", "advise", orders, "--select", "status, id", "--details")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert "  columns (2)" in lines
    assert any(re.match(r" *bitmap +[\d,]+ +\d+\.\d\d% ", line) for line in lines)
    asked = lines.index(next(line for line in lines if "status = 'PENDING': " in line))
    assert "advised: files 66.67%" in "".join(lines[asked : asked + 12])


def test_secrets_are_hidden(orders: str) -> None:
    given = ["--catalog", "s3.secret-key=abc", "--catalog", "s3.endpoint=http://me:word@store"]
    done = run_command("table", "advise", orders, "--select", "status", *given)
    assert "abc" not in done.output
    assert "word" not in done.output
    assert "--catalog s3.endpoint=http://store" in done.output
    assert "s3.secret-key" not in done.output


def test_many_columns_and_notes(orders: str) -> None:
    """At most 20 lines, with the most important columns; `--details` lists each."""
    advice = advise(orders, columns=["status"], engine=LOCAL)
    [column] = advice.columns
    many = [replace(column, column=f"c{n}", why=f"{n} {column.why}") for n in range(50)]
    many += [replace(column, column=f"d{n}", verdict="none", why="no") for n in range(50)]
    notes = tuple("a note of some length " * 4 for _ in range(4))
    advice = replace(advice, columns=tuple(many[::-1]), notes=notes)
    lines = ["".join(text for text, _ in line) for line in _summary(advice, 20)]
    assert len(lines) <= 20
    assert lines[0].startswith("c49: add bitmap: ")
    assert [line for line in lines if "more columns: pass --details to list all" in line]
    whole = "\n".join("".join(text for text, _ in line) for line in _summary(advice, None))
    assert all(f"{column.column}: " in whole for column in many[:50])
    assert all(f"{column.column}" in whole for column in many[50:])


def test_wrong_predicates(orders: str, tmp_path: Path) -> None:
    file = tmp_path / "asked.sql"
    file.write_text("status = 'x'\nstate = 1\n")
    done = run_command("table", "advise", orders, "--predicates", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file}, line 2: no column 'state'" in done.stderr
    done = run_command("table", "advise", orders, "--predicates", "-", stdin="id =")
    assert (done.exit_code, "standard input, line 1: " in done.stderr) == (2, True)
