"""Rows as JSON."""

from __future__ import annotations

import json
from datetime import time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.cli import json_rows as json_rows_module
from paimon_ksy.cli.json_rows import json_texts

INNER = pa.struct([("a", pa.decimal128(4, 2)), ("b", pa.list_(pa.date32()))])


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (pa.decimal128(20, 2), [Decimal("1E+3"), None], ["1000.00", None]),
        (pa.float32(), [0.1, float("nan"), float("-inf")], [0.1, "NaN", "-Infinity"]),
        (pa.float64(), [0.1, float("inf"), None], [0.1, "Infinity", None]),
        (pa.time32("ms"), [time(1, 2, 3, 400_000), None], ["01:02:03.4", None]),
        (pa.time64("us"), [time(1, 2, 3, 4)], ["01:02:03.000004"]),
        (pa.timestamp("ms"), [-1], ["1969-12-31T23:59:59.999"]),
        (pa.timestamp("ns", "UTC"), [1], ["1970-01-01T00:00:00.000000001Z"]),
        (pa.dictionary(pa.int32(), pa.string()), ["x", None, "x"], ["x", None, "x"]),
        (
            INNER,
            [{"a": Decimal("1.50"), "b": [0, None]}, None, {"a": None, "b": None}],
            [{"a": "1.50", "b": ["1970-01-01", None]}, None, {"a": None, "b": None}],
        ),
        (pa.struct([]), [{}, None], [{}, None]),
        (pa.list_(pa.float32(), 2), [[1.5, None], None], [[1.5, None], None]),
        (
            pa.map_(pa.int32(), pa.binary()),
            [[(1, b"\xff")], None, []],
            [{"1": "ff"}, None, {}],
        ),
    ],
    ids=str,
)
def test_values(kind: pa.DataType, values: list[Any], expected: list[Any]) -> None:
    column = pa.array(values, kind)
    assert json_values(column) == expected
    assert json_values(column.slice(1)) == expected[1:]


def json_values(column: pa.Array) -> list[Any]:
    """The values of a column, by way of JSON."""
    return [None if text is None else json.loads(text) for text in json_texts(column).to_pylist()]


def test_only_the_items_of_a_slice_are_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def sized(part: pa.Array, **how: bool) -> pa.Array:
        sizes.append(len(part))
        return json_texts(part, **how)

    monkeypatch.setattr(json_rows_module, "json_texts", sized)
    for kind, row in ((pa.list_(pa.int32()), [1, 2]), (pa.map_(pa.int32(), pa.int32()), [(1, 2)])):
        json_texts(pa.array([row] * 100, kind).slice(50, 3))
    assert max(sizes) == 6


def test_binary_is_hexadecimal_also_that_of_a_blob() -> None:
    blobs = pa.array([b"", b"\x7f"], pa.large_binary())
    assert json_values(blobs) == ["", "7f"]
    assert json_values(pa.array([[b"\x02"], None], pa.list_(pa.large_binary()))) == [["02"], None]
