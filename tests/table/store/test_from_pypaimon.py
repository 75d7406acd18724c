"""What pypaimon has of a table, exactly, also where pypaimon's own values are not exact."""

from typing import Any

import pytest

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.from_pypaimon import key_of, statistics_of
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema

NANOS = 1_704_067_200_123_456_789
YEAR_10000 = 253_402_300_800


def bounds(types: list[str], smallest: list[Any], largest: list[Any]) -> Any:
    """Statistics as pypaimon has them after it read a manifest."""
    from pypaimon.manifest.schema.simple_stats import SimpleStats
    from pypaimon.schema.data_types import DataField, DataTypeParser
    from pypaimon.table.row.binary_row import BinaryRow

    parsed = [parse_type(text) for text in types]
    fields = [
        DataField(at, f"c{at}", DataTypeParser.parse_data_type(text))
        for at, text in enumerate(types)
    ]
    rows = [BinaryRow(write_row(values, parsed), fields) for values in (smallest, largest)]
    return SimpleStats(rows[0], rows[1], [0] * len(types))


@pytest.mark.parametrize(
    ("types", "smallest", "largest"),
    [
        (["TIMESTAMP(9)", "STRING"], [NANOS, "a"], [NANOS + 1, None]),
        (["TIMESTAMP(9) WITH LOCAL TIME ZONE"], [-1], [1]),
        (["TIMESTAMP(6)", "INT"], [-1000, 1], [YEAR_10000 * 10**9, 2]),
        (["DATE"], [-1], [3_000_000]),
        (["TIMESTAMP(3)", "DOUBLE"], [None, None], [10**6, 0.5]),
    ],
)
def test_bounds_are_exact(types: list[str], smallest: list[Any], largest: list[Any]) -> None:
    columns = Schema.parse(", ".join(f"c{at} {text}" for at, text in enumerate(types)))
    schema = TableSchema(0, columns, {c.name: n for n, c in enumerate(columns)}, (), (), {})
    found = statistics_of(bounds(types, smallest, largest), schema)
    assert found.columns == columns.names
    assert found.min_values == tuple(smallest)
    assert found.max_values == tuple(largest)


def test_keys_are_exact() -> None:
    stats = bounds(["TIMESTAMP(9)", "INT"], [NANOS, 1], [NANOS + 5, 3])
    types = [parse_type("TIMESTAMP(9)"), parse_type("INT")]
    assert key_of(None, stats.min_values, types) == (NANOS, 1)
    assert key_of(None, stats.max_values, types) == (NANOS + 5, 3)
