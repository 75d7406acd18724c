"""Arrow arrays that are made without pandas are those that pyarrow makes."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.types.arrays import (
    filled,
    no_rows,
    taken,
    to_arrow_array,
    to_arrow_scalar,
    to_list,
    to_numpy,
    validity,
    whole,
)

STRUCT = pa.struct([("a", pa.int32()), ("b", pa.large_list(pa.large_string()))])
VALUES: list[tuple[pa.DataType, list[Any]]] = [
    *((getattr(pa, f"int{bits}")(), [1, None, -(2 ** (bits - 1))]) for bits in (8, 16, 32, 64)),
    (pa.float32(), [0.1, None, float("-inf")]),
    (pa.float64(), [0.1, -0.0]),
    (pa.bool_(), [True, None, False] * 5),
    *((kind, ["", None, "é😀"]) for kind in (pa.string(), pa.large_string())),
    *((kind, [b"", None, b"\xff\0"]) for kind in (pa.binary(), pa.large_binary())),
    (pa.decimal128(38, 2), [Decimal("1E+5"), None, Decimal("-0.01"), 7]),
    (pa.large_list(pa.large_string()), [["a"], None, [], [None, "b"]]),
    (STRUCT, [{"a": 1, "b": ["x"]}, None, {"a": None, "b": None}]),
    (pa.date32(), [date(2026, 1, 2), None]),
]


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=str)
def test_python_values(kind: pa.DataType, values: list[Any]) -> None:
    for some in (values, values[:1], []):
        array = to_arrow_array(some, kind)
        array.validate(full=True)
        assert array.equals(pa.array(some, kind))
    assert to_arrow_scalar(values[0], kind).equals(pa.array(values, kind)[0])


@pytest.mark.parametrize(
    "kind", [*(kind for kind, _ in VALUES), pa.large_list(pa.int64())], ids=str
)
def test_values_of_arrays(kind: pa.DataType) -> None:
    some = dict(VALUES).get(kind, [[1, 2], [], [3], None, [None, 4], [5]])
    for array in (pa.array(some, kind), pa.array([v for v in some if v is not None], kind)):
        for start in range(len(array) + 1):
            for part in (array[start:], array[:start], array[start : start + 2]):
                assert to_list(part) == part.to_pylist()
    assert to_list(pa.nulls(3, kind)) == [None] * 3


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u4", "u8", "f4", "f8", "?"])
def test_arrays_of_numpy(dtype: str) -> None:
    values = np.arange(20).astype(dtype)[::3]
    nulls = np.arange(7) % 2 == 0
    assert to_arrow_array(values).equals(pa.array(values))
    array = to_arrow_array(values, nulls=nulls)
    assert array.equals(pa.array(values, mask=nulls))
    assert validity(array).tolist() == (~nulls).tolist()
    assert to_numpy(filled(array, 0))[~nulls].tolist() == values[~nulls].tolist()
    part = to_arrow_array(values).slice(2, 3)
    assert to_numpy(part).tolist() == values[2:5].tolist()
    assert np.shares_memory(to_numpy(pa.chunked_array([part])), to_numpy(part)) == (dtype != "?")
    assert to_numpy(pa.chunked_array([part, part])).tolist() == [*values[2:5].tolist()] * 2


def test_empty_columns_and_selections() -> None:
    schema = pa.schema([("a", pa.int64()), ("b", STRUCT)])
    assert no_rows(schema).schema == schema and len(no_rows(schema)) == 0
    assert whole(pa.chunked_array([], pa.int64())).equals(pa.array([], pa.int64()))
    rows = pa.array([5, 6, 7])
    assert taken(rows, np.arange(3)) is rows
    assert taken(rows, np.array([0, 2])).to_pylist() == [5, 7]
