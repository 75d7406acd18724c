"""Paimon's types in Spark, and Arrow batches as Spark takes them."""

import pyarrow as pa
import pytest

pytestmark = pytest.mark.java


@pytest.mark.parametrize("size", [1, 3, 4])
def test_parts_of_arrow_data_are_converted_whole(size: int) -> None:
    """Finer timestamps are cut off downwards, also within lists, maps and structs and slices."""
    from paimon_ksy.spark.types import _converted

    nanos, micros = pa.timestamp("ns"), pa.timestamp("us")
    lists = pa.array([[1, -1001, None], None, [], [-1]], pa.list_(pa.int64()))
    array = lists.cast(pa.list_(nanos)).slice(4 - size)
    found = _converted(array, pa.list_(pa.field("element", micros)))
    found.validate(full=True)
    wanted = [[0, -2, None], None, [], [-1]][4 - size :]
    assert found.cast(pa.list_(pa.int64())).to_pylist() == wanted
    maps = pa.array(
        [[("a", -1)], None, [], [("b", 2001), ("c", None)]], pa.map_(pa.string(), pa.int64())
    )
    array = maps.cast(pa.map_(pa.string(), nanos)).slice(4 - size)
    found = _converted(array, pa.map_(pa.string(), micros))
    found.validate(full=True)
    values = [[("a", -1)], None, [], [("b", 2), ("c", None)]][4 - size :]
    assert found.cast(pa.map_(pa.string(), pa.int64())).to_pylist() == values
    structs = pa.StructArray.from_arrays(
        [lists.cast(pa.list_(nanos))], names=["x"], mask=pa.array([False, False, True, False])
    ).slice(4 - size)
    found = _converted(structs, pa.struct([("x", pa.list_(micros))]))
    found.validate(full=True)
    assert found.is_null().to_pylist() == [False, False, True, False][4 - size :]
