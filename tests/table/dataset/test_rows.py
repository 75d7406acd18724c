"""The rows that a tool asks for, of one state of a table."""

from collections.abc import Mapping

from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.table.dataset.rows import Rows
from paimon_ksy.table.query.read import QueryStats
from tests.support.query_tables import LOCAL, SCHEMA, Made


def test_rows_are_narrowed(made: Mapping[str, Made]) -> None:
    table, rows = made["embedded"]
    stats = QueryStats()
    found = Rows.of(table, "status = 'PENDING'", ["id", "region"], engine=LOCAL, stats=stats)
    assert found.schema.names == ("id", "region")
    assert found.arrow_schema.names == ["id", "region"]
    pending = [row for row in rows if row[2] == "PENDING"]
    assert found.count(None) == len(pending)
    narrowed = parse_predicate("region = 'EU'", SCHEMA)
    wanted = [row[0] for row in pending if row[1] == "EU"]
    assert found.count(narrowed) == len(wanted)
    assert stats.rows == 0  # counting returns none
    read = [n for batch in found.batches(narrowed, ["id"]) for n in batch["id"].to_pylist()]
    assert sorted(read, key=str) == sorted(wanted, key=str)
    assert stats.rows == len(wanted)
    assert sum(batch.num_rows for batch in found.batches(None, ["id"], 3)) == 3
