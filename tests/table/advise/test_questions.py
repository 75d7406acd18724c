"""Predicates that the caller gives, and how many of them are tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.table.advise import questions as questions_module
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.questions import parse_predicates
from paimon_ksy.table.store import Table
from tests.support.advice import LOCAL
from tests.support.commands import run_command


def test_very_many_predicates(orders: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are tried, those among them that are asked often."""
    monkeypatch.setattr(questions_module, "_PREDICATES", 5)
    given = [f"user_id = {at}" for at in range(50)] + ["status = 'PENDING'"] * 50
    advice = advise(orders, predicates=given, sample=4, engine=LOCAL)
    asked = {found.sql: found.weight for found in advice.predicates}
    assert asked == {"user_id = 10": 1, "user_id = 30": 1, "status = 'PENDING'": 3}
    assert advice.notes[0].startswith("measured 3 of 51 different predicates")


def test_predicates_of_a_file(orders: str, tmp_path: Path) -> None:
    schema = Table.at(orders).schema
    text = "# one\n\n-- two\nstatus = 'x';\n  user_id IN (1, 2)  \nstatus = 'x'\n"
    found = [repr(predicate) for predicate in parse_predicates(text, schema, "f", "UTC")]
    assert found == ["status = 'x'", "user_id IN (1, 2)", "status = 'x'"]
    for bad, told in {
        "status = 'x'\nstate = 'x'": r"^f, line 2: no column 'state'",
        "id = 'x'": r"^f, line 1: ",
        "\n\nid =": r"^f, line 3: ",
        "# nothing": r"^f: contains no predicate",
    }.items():
        with pytest.raises(PredicateError, match=told):
            parse_predicates(bad, schema, "f", "UTC")
    file = tmp_path / "asked.sql"
    file.write_text("status = 'x'\nstate = 1\n")
    done = run_command("table", "advise", orders, "--predicates", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file}, line 2: no column 'state'" in done.stderr
    done = run_command("table", "advise", orders, "--predicates", "-", stdin="id =")
    assert (done.exit_code, "standard input, line 1: " in done.stderr) == (2, True)
    done = run_command("table", "advise", orders, "--predicates", str(tmp_path / "no"))
    assert done.exit_code == 2 and "no such file" in done.stderr
    with pytest.raises(PredicateError, match="tests no column"):
        advise(orders, predicates=["1 = 1"], engine=LOCAL)
    with pytest.raises(PredicateError, match="no predicate"):
        advise(orders, predicates=[], engine=LOCAL)
