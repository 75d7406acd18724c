"""Predicates that the caller gives, and typical ones."""

from __future__ import annotations

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.table.advise import questions as questions_module
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.questions import given_questions, parse_predicates
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.store import Table
from tests.support.advice import LOCAL


def test_typical_questions(typical: Advice) -> None:
    asked: dict[str, list[str | None]] = {}
    for predicate in typical.predicates:
        asked.setdefault(predicate.columns[0], []).append(predicate.what)
    values = ["a common value", "a rare value", "several values"]
    assert asked == {
        "id": ["a value", "several values", "a range of about 1 %"],
        "status": values,
        "amount": ["a range of about 1 %"],
        "user_id": [*values, "a range of about 1 %"],
        "region": values,
        "closed": ["a value", "several values", "a range of about 1 %", "nulls"],
    }
    rows = {p.sql: p.rows for p in typical.predicates if p.what == "a range of about 1 %"}
    assert all(0.001 < share < 0.03 for share in rows.values()), rows
    [rare] = [
        p for p in typical.predicates if p.what == "a rare value" and p.columns == ("status",)
    ]
    assert rare.sql == "status = 'PENDING'"


def test_very_many_predicates(orders: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the most frequent ones are tried."""
    monkeypatch.setattr(questions_module, "_PREDICATES", 5)
    given = [f"user_id = {at}" for at in range(50)] + ["status = 'PENDING'"] * 50
    questions, notes = given_questions(given, Table.at(orders).schema, "UTC")
    asked = {question.sql: question.weight for question in questions}
    assert asked == {"status = 'PENDING'": 50, **{f"user_id = {at}": 1 for at in range(4)}}
    assert notes == ["measured 5 of 51 different predicates"]


def test_predicates_of_a_file(orders: str) -> None:
    schema = Table.at(orders).schema
    text = "# one\n\n-- two\nstatus = 'x';\n  user_id IN (1, 2)  \nstatus = 'x'\n"
    predicates = [repr(predicate) for predicate in parse_predicates(text, schema, "f", "UTC")]
    assert predicates == ["status = 'x'", "user_id IN (1, 2)", "status = 'x'"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("status = 'x'\nstate = 'x'", r"^f, line 2: no column 'state'"),
        ("id = 'x'", r"^f, line 1: "),
        ("\n\nid =", r"^f, line 3: "),
        ("# nothing", r"^f: contains no predicate"),
    ],
)
def test_wrong_files(text: str, says: str, orders: str) -> None:
    with pytest.raises(PredicateError, match=says):
        parse_predicates(text, Table.at(orders).schema, "f", "UTC")


@pytest.mark.parametrize(
    ("predicates", "says"), [(["1 = 1"], "tests no column"), ([], "no predicate")]
)
def test_predicates_without_columns(predicates: list[str], says: str, orders: str) -> None:
    with pytest.raises(PredicateError, match=says):
        advise(orders, predicates=predicates, engine=LOCAL)
