"""Rows as JSON."""

from __future__ import annotations

import json

import pyarrow as pa

from paimon_ksy.table.json_rows import json_lines


def test_binary_is_hexadecimal_also_that_of_a_blob() -> None:
    data = pa.RecordBatch.from_pydict(
        {
            "a": pa.array([b"\x01\xff", None], pa.binary()),
            "b": pa.array([b"", b"\x7f"], pa.large_binary()),
            "c": pa.array([[b"\x02"], None], pa.list_(pa.large_binary())),
        }
    )
    rows = [json.loads(line) for line in json_lines(data)]
    assert rows == [{"a": "01ff", "b": "", "c": ["02"]}, {"a": None, "b": "7f", "c": None}]
