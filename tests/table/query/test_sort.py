"""The first rows in an order, against all rows sorted in Python."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.evaluation.top_n import Order, TopN
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.table.query import read as scan_module
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import QueryStats, batches, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import ordered, rows_of
from tests.support.query_tables import LOCAL, SCHEMA, TABLES, Made, brute


def sort_key(value: Any) -> Any:
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value


def sort_keys(row: Any, places: Sequence[int]) -> list[Any]:
    return [None if row[at] is None else sort_key(row[at]) for at in places]


def in_order(rows: Sequence[Any], order: Order) -> list[Any]:
    """The rows in this order; those that tie stay in the order they have."""
    at = SCHEMA.names.index(order.column)
    nulls = [row for row in rows if row[at] is None]
    others = [row for row in rows if row[at] is not None]
    others.sort(key=lambda row: sort_key(row[at]), reverse=order.descending)
    return nulls + others if order.has_nulls_first else others + nulls


def as_text(order: Order) -> str:
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[order.nulls_first]
    return f"{order.column}{' DESC' if order.descending else ''}{nulls}"


@pytest.mark.parametrize("name", TABLES)
@examples(30)
@given(data=st.data())
def test_any_order(made: Mapping[str, Made], name: str, data: st.DataObject) -> None:
    """The values that order are those of the first rows, and the rows are rows of the table."""
    table, rows = made[name]
    nulls_first = st.sampled_from([None, True, False])
    column = st.sampled_from([name for name in SCHEMA.names if name != "m"])
    orders = data.draw(
        st.lists(st.builds(Order, column, st.booleans(), nulls_first), min_size=1, max_size=3)
    )
    top = TopN.by(orders, data.draw(st.integers(0, 250)))
    where = data.draw(st.sampled_from([None, "status = 'PENDING'", "NOT flag", "code = X'6162'"]))
    if where is not None:
        rows = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
    wanted = list(rows)
    for order in reversed(orders):
        wanted = in_order(wanted, order)
    found = rows_of(query(table, where, order_by=top, limit=top.k, engine=LOCAL))
    places = [SCHEMA.names.index(order.column) for order in orders]
    assert [sort_keys(row, places) for row in found] == [
        sort_keys(row, places) for row in wanted[: top.k]
    ]
    assert not set(ordered(found)) - set(ordered(rows))
    text = ", ".join(as_text(order) for order in orders)
    found = rows_of(query(table, where, order_by=text, engine=LOCAL))
    assert [sort_keys(row, places) for row in found] == [sort_keys(row, places) for row in wanted]
    assert ordered(found) == ordered(wanted)
    names = query(table, where, ["status"], order_by=top, limit=top.k, engine=LOCAL)
    assert names.schema.names == ["status"]
    assert names.num_rows == min(len(wanted), top.k)


def test_an_order_of_all_rows(many: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = query(many, columns=["status", "id"], engine=LOCAL).to_pylist()
    wanted = [row["id"] for row in sorted(rows, key=lambda row: (row["status"], -row["id"]))]
    for engine in (None, LOCAL):
        stats = QueryStats()
        found = query(many, None, ["id"], order_by="status, id DESC", engine=engine, stats=stats)
        assert found.schema.names == ["id"]
        assert found["id"].to_pylist() == wanted
        assert stats.rows == len(wanted)
    assert query(many, "id < 0", order_by="status", engine=LOCAL).num_rows == 0
    assert (
        sum(batch.num_rows for batch in batches(plan_query(many, Query(order_by="id")), LOCAL))
        == 100_000
    )
    monkeypatch.setattr(scan_module, "MOST_SORTED", 1 << 16)
    with pytest.raises(PaimonKsyError, match="more than 65,536 bytes: add a limit"):
        query(many, order_by="id", engine=LOCAL)


def test_an_order_that_has_a_limit_itself(many: Table) -> None:
    """The smaller limit holds."""
    for limit, count_of_rows in ((None, 3), (2, 2), (5, 3), (0, 0)):
        found = query(many, columns=["id"], order_by=TopN("id", 3, True), limit=limit, engine=LOCAL)
        assert found.num_rows == count_of_rows
