"""The examples of Paimon's file-index document, in its order and with its numbers.

Two tables that are made, filled and queried (sections 4.2, 5.2 and 6.1 there), and the case in
which an index pays (section 6.2): 1,000,000 orders of which 1,000 are pending.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paimon_ksy as pk
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.source import open_source
from tests import ROOT
from tests.support.selections import selected_rows
from tests.support.worked_examples import (
    EVENTS,
    EVENTS_OPTIONS,
    EVENTS_SCHEMA,
    ORDERS,
    ORDERS_OPTIONS,
    ORDERS_SCHEMA,
    table_of,
)

EXAMPLES = ROOT / "examples"

# 4.2 and 5.2: user events -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def events() -> Iterator[pk.FileIndex]:
    data = pk.build_file_index(table_of(EVENTS_SCHEMA, EVENTS), EVENTS_SCHEMA, EVENTS_OPTIONS)
    assert len(data) < 10 * 1024  # so Paimon would keep it in the manifest
    with pk.FileIndex.open(data, EVENTS_SCHEMA) as index:
        yield index


@pytest.mark.parametrize(
    ("section", "where", "rows"),
    [
        ("5.2.1 equality", "event_type = 'login'", [0, 2, 5]),
        ("5.2.1 the index", "event_type = 'click'", [1, 4]),
        ("5.2.1 the index", "event_type = 'purchase'", [3]),
        ("5.2.2 IN", "event_type IN ('login', 'purchase')", [0, 2, 3, 5]),
        ("5.2.3 NOT IN", "event_type NOT IN ('login')", [1, 3, 4]),
        ("5.2.4 null", "region IS NULL", "skip"),
        ("5.2.4 not null", "region IS NOT NULL", "all"),
        ("5.2.5 AND", "event_type = 'login' AND region = 'US'", [0, 2]),
        ("5.2.5 OR", "event_type = 'login' OR region = 'US'", [0, 2, 4, 5]),
    ],
)
def test_events(events: pk.FileIndex, section: str, where: str, rows: list[int] | str) -> None:
    selection = events.evaluate(where)
    assert selection.exact, section
    assert (selection.kind if selection.rows is None else list(selection.rows)) == rows


def test_events_with_a_null() -> None:
    """NOT IN as section 5.2.3 has it, a flip of IN's rows, would return the null row."""
    rows = [*EVENTS, (7, None, None, None)]
    data = pk.build_file_index(table_of(EVENTS_SCHEMA, rows), EVENTS_SCHEMA, EVENTS_OPTIONS)
    with pk.FileIndex.open(data, EVENTS_SCHEMA) as index:
        assert selected_rows(index.evaluate("region IS NULL")) == [6]
        assert selected_rows(index.evaluate("region IS NOT NULL")) == [0, 1, 2, 3, 4, 5]
        assert selected_rows(index.evaluate("event_type NOT IN ('login')")) == [1, 3, 4]


# 6.1: ten orders from the table to the rows that a query returns ----------------------------------


def orders_index() -> bytes:
    return pk.build_file_index(table_of(ORDERS_SCHEMA, ORDERS), ORDERS_SCHEMA, ORDERS_OPTIONS)


def test_orders_the_index_is_made() -> None:
    """The library's index of the same rows has the same bytes, which hold what is said there."""
    assert orders_index() == (EXAMPLES / "worked/orders.parquet.index").read_bytes()
    expected = {
        "status": {"PENDING": [0, 2, 5, 8], "COMPLETED": [1, 4, 6, 9], "CANCELLED": [3, 7]},
        "region": {"US": [0, 3, 5, 9], "EU": [1, 4, 7], "ASIA": [2, 6, 8]},
    }
    with pk.FileIndex.open(orders_index(), ORDERS_SCHEMA) as index:
        assert set(index.columns) == set(expected)
        for column, values in expected.items():
            for value, rows in values.items():
                assert selected_rows(index.evaluate(pk.col(column) == value)) == rows


def test_orders_the_structure_of_the_index() -> None:
    with open_source(orders_index()) as source:
        report = inspect_file(source, ORDERS_SCHEMA).file_index
    assert report is not None
    assert {column.name for column in report.columns} == {"status", "region"}
    for column in report.columns:
        bitmap = column.indexes[0].body
        assert bitmap is not None
        assert (bitmap.version, bitmap.rows, bitmap.distinct) == (2, 10, 3)
        assert bitmap.has_nulls is False
        assert bitmap.blocks == 1


def test_orders_the_query_returns_four() -> None:
    """SELECT order_id, user_id, region, amount FROM orders WHERE status = 'PENDING'"""
    table = pq.read_table(EXAMPLES / "worked/orders.parquet")
    with pk.FileIndex.open(EXAMPLES / "worked/orders.parquet.index", ORDERS_SCHEMA) as index:
        selection = index.evaluate("status = 'PENDING'")
    assert selection.exact  # so the predicate need not be tested again
    assert selected_rows(selection) == [0, 2, 5, 8]
    found = table.take(selected_rows(selection)).select(["order_id", "user_id", "region", "amount"])
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        (1001, 1, "US", Decimal("100.00")),
        (1003, 3, "ASIA", Decimal("150.00")),
        (1006, 6, "US", Decimal("120.00")),
        (1009, 9, "ASIA", Decimal("180.00")),
    ]


# 6.2: 1,000,000 orders, 1,000 of them pending -----------------------------------------------------


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_thousand_of_a_million_orders(tmp_path: Path, version: str) -> None:
    """The document reckons with 50 kB of index; reading all of the data would be 100 MB."""
    random = np.random.default_rng(2024)
    status = np.array(["COMPLETED", "SHIPPED", "CANCELLED"])[random.integers(0, 3, 1_000_000)]
    pending = np.sort(random.choice(1_000_000, 1_000, replace=False))
    status[pending] = "PENDING"
    schema = pk.Schema.parse("status STRING")
    path = tmp_path / "orders.index"
    options = {"file-index.bitmap.columns": "status", "file-index.bitmap.status.version": version}
    path.write_bytes(pk.build_file_index(pa.table({"status": status}), schema, options))

    with pk.FileIndex.open(path, schema) as index:
        selection = index.evaluate("status = 'PENDING'")
        assert selection.kind == "rows"
        assert selection.exact
        assert selection.count == 1_000
        assert np.array_equal(np.array(selection.rows), pending)
        assert index.bytes_read < 50_000
        assert path.stat().st_size > 300_000  # of which this is a small part
