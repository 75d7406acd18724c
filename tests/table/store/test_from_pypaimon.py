"""What pypaimon has of a table, as values of the model, and back."""

import math
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.from_pypaimon import pypaimon_row, snapshot_of
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import golden_table


@pytest.mark.parametrize(
    ("column", "stored", "value"),
    [
        ("STRING", "a", "a"),
        ("INT", -1, -1),
        ("DATE", 19_000, date(2022, 1, 8)),
        ("CHAR(4)", "a   ", "a   "),
        ("DOUBLE", math.nan, math.nan),
        ("DOUBLE", -0.0, -0.0),
        ("STRING", None, None),
    ],
)
def test_rows_have_the_values_as_they_are_stored(column: str, stored: Any, value: Any) -> None:
    """Without padding, or with another zero, they would be those of another partition."""
    from pypaimon.schema.data_types import DataField, DataTypeParser

    columns = Schema.parse(f"p {column}")
    fields = [DataField(0, "p", DataTypeParser.parse_data_type(column))]
    row = pypaimon_row(write_row([stored], [columns["p"]]), fields)
    assert repr(row.values) == repr([value])


def test_snapshots(tmp_path: Path) -> None:
    table = Table.at(golden_table("append_dv32", tmp_path))
    latest = table.snapshot()
    assert latest is not None
    manager = table.pypaimon.snapshot_manager()
    assert snapshot_of(manager.get_snapshot_by_id(latest.id)) == latest
