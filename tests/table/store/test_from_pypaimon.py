"""What pypaimon has of a table, as values of the model, and back."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.from_pypaimon import partition_of, pypaimon_row
from paimon_ksy.types.schema import Schema


@pytest.mark.parametrize(
    ("column", "stored", "internal"),
    [
        ("STRING", "a", "a"),
        ("INT", -1, -1),
        ("DATE", 19_000, 19_000),
        ("TIMESTAMP(6)", 1_704_067_200_123_456_000, 1_704_067_200_123_456_000),
        ("CHAR(4)", "a   ", "a"),
        ("DOUBLE", math.nan, math.nan),
        ("DOUBLE", -0.0, 0.0),
        ("STRING", None, None),
    ],
)
def test_partitions(column: str, stored: Any, internal: Any) -> None:
    from pypaimon.schema.data_types import DataField, DataTypeParser

    columns = Schema.parse(f"p {column}, other INT")
    schema = TableSchema(0, columns, {"p": 0, "other": 1}, ("p",), (), {})
    fields = [DataField(0, "p", DataTypeParser.parse_data_type(column))]
    row = pypaimon_row(write_row([stored], [columns["p"]]), fields)
    [found] = partition_of(SimpleNamespace(partition=row), schema)
    assert found is internal or found == internal
    assert math.copysign(1, found) == 1 if internal == 0.0 else True
