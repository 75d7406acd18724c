"""Who runs the tasks of a query, and what it took."""

from typing import Any

import pytest

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import QueryStats, batches, count, query
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL, many_size


def test_files_without_rows_are_done_as_well(many: Table) -> None:
    """Without an engine, indexes of local files are asked one by one."""
    asked: list[Any] = []
    found = query(many, "status = 'PENDING'", progress=asked.append)
    assert found["id"].to_pylist() == [*range(65_000, 65_400)]
    assert sorted(task.files[0].name for task in asked) == sorted(
        file.name for file in many.data_files.of(many.snapshot())
    )


@pytest.mark.parametrize("engine", [None, LOCAL, local_engine(1)])
def test_what_a_query_took(many: Table, engine: Any) -> None:
    """Files whose rows were read, rows, and bytes of them and of indexes; asked in any way."""

    def taken(where: str | None = None, **more: Any) -> QueryStats:
        stats = QueryStats()
        found = query(many, where, engine=engine, stats=stats, **more)
        assert (stats.rows, stats.files_total) == (found.num_rows, 5)
        assert 0 < stats.seconds < 60
        return stats

    absent = taken("status = 'LOST'")
    assert absent.files_read == 0
    assert absent.bytes_read == count(many, "status = 'LOST'", engine=LOCAL).bytes_read > 0
    some = taken("status = 'PENDING'")
    [file] = plan_query(many, Query("id BETWEEN 65000 AND 65399")).tasks[0].files
    assert some.effort.files == {file.path}
    assert absent.bytes_read < some.bytes_read < absent.bytes_read + 3 * file.size
    everything = taken()
    assert everything.files_read == 5
    assert everything.bytes_read >= 0.9 * many_size(many)
    top = taken(order_by="id DESC", limit=3)
    assert 0 < top.files_read <= 2
    assert taken(limit=0).bytes_read == 0
    assert 1 <= taken(limit=10).files_read <= 2


def test_what_a_query_took_that_nobody_reads_on(many: Table) -> None:
    for engine in (None, LOCAL):
        stats = QueryStats()
        found = batches(plan_query(many, Query()), engine, None, stats)
        first = next(found)
        found.close()
        assert stats.rows == first.num_rows
        assert 0 < stats.files_read <= 5
        assert 0 < stats.bytes_read <= 2 * many_size(many)
