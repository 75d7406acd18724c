"""Records that are encoded column by column, as fastavro reads and writes them."""

from __future__ import annotations

import io
from typing import Any

import fastavro
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.manifests.avro_columns import encoded

_LONGS = st.integers(-(2**63), 2**63 - 1)
SCHEMA = {
    "type": "record",
    "name": "Outer",
    "fields": [
        {"name": "number", "type": "long"},
        {"name": "text", "type": "string"},
        {"name": "some", "type": ["null", "bytes"]},
        {"name": "texts", "type": {"type": "array", "items": "string"}},
        {
            "name": "counts",
            "type": ["null", {"type": "array", "items": ["null", "long"]}],
        },
        {
            "name": "inner",
            "type": {
                "type": "record",
                "name": "Inner",
                "fields": [{"name": "at", "type": ["null", "int"]}],
            },
        },
        {"name": "later", "type": ["null", "long"], "default": None},
    ],
}
KINDS = pa.struct(
    {
        "number": pa.int64(),
        "text": pa.large_string(),
        "some": pa.large_binary(),
        "texts": pa.large_list(pa.large_string()),
        "counts": pa.large_list(pa.int64()),
        "inner": pa.struct({"at": pa.int32()}),
    }
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "number": _LONGS,
            "text": st.text(max_size=200),
            "some": st.none() | st.binary(max_size=9),
            "texts": st.lists(st.text(max_size=3), max_size=70),
            "counts": st.none() | st.lists(st.none() | _LONGS, max_size=3),
            "inner": st.fixed_dictionaries({"at": st.none() | st.integers(-(2**31), 2**31 - 1)}),
        }
    ),
    max_size=5,
)


def written(record: dict[str, Any]) -> bytes:
    data = io.BytesIO()
    fastavro.schemaless_writer(data, SCHEMA, record)
    return data.getvalue()


@given(RECORDS, st.integers(0, 3))
def test_records_are_those_of_fastavro(records: list[dict[str, Any]], start: int) -> None:
    values = pa.array(records, KINDS)[start:]
    wanted = [written(record) for record in records[start:]]
    assert encoded(SCHEMA, values, len(values)).to_pylist() == wanted


def test_what_a_record_must_have_is_null() -> None:
    values = pa.array([None, 3], pa.int64())
    assert encoded("long", values, 2).to_pylist() == [None, b"\6"]
    assert encoded("long", None, 2).to_pylist() == [None, None]
    lists = pa.array([["a", None]], pa.large_list(pa.large_string()))
    assert encoded({"type": "array", "items": "string"}, lists, 1).null_count == 1
