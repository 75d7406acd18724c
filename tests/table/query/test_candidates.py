"""The first rows of an order: files that cannot have any are left out, and no row is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.predicates.tree import col
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query import candidates
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL
from tools.tables import make_table

WITH_STATISTICS = {"metadata.stats-mode": "full"}

FILES: list[list[str | None]] = [
    ["b", "c"],
    [None, "b"],
    ["a", "a"],
    [None, None],
    ["c"],
    ["b", "b", None],
    ["a", "c"],
]


@pytest.fixture(autouse=True)
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are looked at one after another, as if there were very many."""
    monkeypatch.setattr(candidates, "growing", lambda tasks, first: [[task] for task in tasks])


@pytest.fixture(params=["STRING", "CHAR(3)"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Table:
    at = 0
    parts = []
    for values in FILES:
        if request.param == "CHAR(3)":
            values = [value and f"{value}  " for value in values]
        ids = [(at + n) * 7 % 17 for n in range(len(values))]
        parts.append(pa.table({"s": pa.array(values, pa.string()), "id": ids}))
        at += len(values)
    path = make_table(tmp_path, "t", parts, WITH_STATISTICS)
    return retyped(path, request.param)


def retyped(path: str, kind: str) -> Table:
    """The table with another type of its first column: pypaimon writes no CHAR."""
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["fields"][0]["type"] = kind
    schema.write_text(json.dumps(document))
    return Table.at(path)


@pytest.mark.parametrize("then", ["", "id", "id DESC"])
@pytest.mark.parametrize("nulls_last", [False, True])
@pytest.mark.parametrize("descending", [False, True])
def test_each_limit(descending: bool, nulls_last: bool, then: str, table: Table) -> None:
    rows = query(table, engine=LOCAL).to_pylist()

    def key(row: dict[str, Any]) -> tuple[bool, int, int]:
        letter = 0 if row["s"] is None else ord(row["s"][0])
        second = {"": 0, "id": row["id"], "id DESC": -row["id"]}[then]
        return (row["s"] is None) == nulls_last, -letter if descending else letter, second

    wanted = [key(row) for row in sorted(rows, key=key)]
    order = f"s {'DESC' if descending else 'ASC'} NULLS {'LAST' if nulls_last else 'FIRST'}"
    order += f", {then}" if then else ""
    for limit in range(1, len(rows) + 1):
        found = query(table, order_by=order, limit=limit, engine=LOCAL).to_pylist()
        assert [key(row) for row in found] == wanted[:limit], limit


@pytest.mark.parametrize("table", ["STRING"], indirect=True)
@pytest.mark.parametrize(
    ("order", "limit", "asked"),
    [
        ("s", 2, 2),  # two files with nulls; of the one without bounds there is no need
        ("s", 3, 4),  # it has the third null, but is asked after the first one with 'a'
        ("s NULLS LAST", 1, 1),
        ("s NULLS LAST", 3, 2),  # the files with 'a'
        ("s DESC", 1, 1),
        ("s DESC, id", 1, 3),  # all files with 'c': they tie
        ("s, id", 1, 3),
    ],
)
def test_files_that_cannot_have_a_first_row_are_not_asked(
    order: str, limit: int, asked: int, table: Table
) -> None:
    told: list[Any] = []
    query(table, order_by=order, limit=limit, engine=LOCAL, progress=told.append)
    assert len(told) == asked


PADDED = [
    "a",
    "a ",
    "a\n",
    "",
    "a\t\t",
    "  ",
    "a!",
    "\x01",
    "a b",
    "ab",
    "a \n",
    "b",
    "a\x1fz",
    None,
]


def by_padding(text: str) -> bytes:
    """What orders CHARs: as if there were spaces without end after each."""
    return text.encode().ljust(10)


@pytest.fixture(scope="module", params=["parquet", "orc"])
def padded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Table:
    parts = []
    for first in range(4):
        values = PADDED[first::4] + PADDED[:1]
        ids = range(first * 100, first * 100 + len(values))
        parts.append(pa.table({"s": pa.array(values, pa.string()), "id": list(ids)}))
    options = {**WITH_STATISTICS, "file.format": request.param}
    path = make_table(tmp_path_factory.mktemp("padded"), "t", parts, options)
    table = retyped(path, "CHAR(3)")
    rewrite_index(path, set={"file-index.range-bitmap.columns": "s"}, engine=LOCAL)
    return table


@pytest.mark.parametrize("then", ["", ", id DESC"])
@pytest.mark.parametrize("direction", ["", " DESC"])
def test_chars_are_in_the_order_in_which_they_are_compared(
    direction: str, then: str, padded: Table
) -> None:
    """A row comes before another one if WHERE says that it is less."""
    order = f"s{direction} NULLS LAST{then}"
    rows = [row for row in query(padded, engine=LOCAL).to_pylist() if row["s"] is not None]
    rows.sort(key=lambda row: -row["id"] if then else 0)
    rows.sort(key=lambda row: by_padding(row["s"]), reverse=bool(direction))
    wanted = [by_padding(row["s"]) for row in rows]
    ids = [row["id"] for row in rows]
    for limit in (None, *range(1, len(rows) + 1)):
        found = query(padded, order_by=order, limit=limit, engine=LOCAL).to_pylist()
        found = [row for row in found if row["s"] is not None]
        assert [by_padding(row["s"]) for row in found] == wanted[:limit], limit
        if then:
            assert [row["id"] for row in found] == ids[:limit]
    for at, row in enumerate(rows):
        before = count(padded, col("s") > row["s"] if direction else col("s") < row["s"])
        assert before.count == wanted.index(by_padding(row["s"])) <= at


def test_an_order_opens_few_files(many: Table) -> None:
    """Statistics say where the greatest are; the others are not even asked."""
    asked: list[Any] = []
    top = query(
        many, order_by="id DESC", limit=3, engine=LOCAL, progress=lambda task: asked.append(task)
    )
    assert top["id"].to_pylist() == [99_999, 99_998, 99_997]
    assert len(asked) == 1
    everything = query(many, columns=["amount"], engine=LOCAL)["amount"].to_pylist()
    best = query(many, columns=["amount"], order_by="amount DESC", limit=5, engine=LOCAL)
    assert best["amount"].to_pylist() == sorted(everything)[:-6:-1]


def test_an_order_by_many_columns(many: Table) -> None:
    """Of files whose values of the first column tie with the last one none is left out."""
    rows = query(many, columns=["status", "id"], engine=LOCAL).to_pylist()
    wanted = sorted(rows, key=lambda row: (row["status"], -row["id"]))[:20_010]
    for limit in (3, 20_010):
        found = query(many, None, ["id"], order_by="status, id DESC", limit=limit, engine=LOCAL)
        assert found["id"].to_pylist() == [row["id"] for row in wanted[:limit]]
