"""Tasks of a query: what is read of the data files, file by file."""

from typing import Any

from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL


def test_a_limit_stops_early(many: Table) -> None:
    asked: list[Any] = []
    some = query(many, limit=10, engine=LOCAL, progress=lambda task: asked.append(task))
    assert some.num_rows == 10
    assert len(asked) <= 1
