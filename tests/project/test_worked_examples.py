"""The examples of Paimon's file-index document, in its order and with its numbers.

A table that is made and queried (sections 4.2 and 5.2 there), and the case in which an index pays
(section 6.2): 1,000,000 orders of which 1,000 are pending.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paimon_ksy as pk
from tests.support.selections import selected_rows
from tests.support.worked_examples import (
    EVENTS,
    EVENTS_OPTIONS,
    EVENTS_SCHEMA,
    table_of,
)

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
