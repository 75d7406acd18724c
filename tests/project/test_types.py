"""What type checkers know of results, although pyarrow has no types: `make lint` runs mypy."""

from typing import Any, assert_type

import paimon_ksy as pk
from tests import ROOT

ORDERS = str(ROOT / "examples/warehouse/default.db/orders")


def test_results_have_types() -> None:
    rows = pk.query(ORDERS, limit=2)
    assert assert_type(rows.num_rows, int) == 2
    assert len(assert_type(rows.to_pylist(), list[dict[str, Any]])) == 2
    table = pk.Table.at(ORDERS)
    assert assert_type(table.files().num_rows, int) == 4
    batch = next(table.to_batches(limit=1))
    assert assert_type(batch.column_names, list[str]) == list(table.schema.columns.names)
    assert assert_type(pk.count(table).count, int) == 20_000
