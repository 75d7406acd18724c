"""Distinct values and their rows, against a dict filled row by row."""

import datetime as dt
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.columns.postings import Postings, postings, serialize_rows
from paimon_ksy.types.parse import parse_type

NAN = math.nan


def by_key(found: Postings) -> dict[Any, list[int]]:
    """Java's key, here `repr` of it so that -0.0 and NaN are keys of their own, to rows."""
    rows = [found.rows[s:e].tolist() for s, e in pairwise(found.starts)]
    return dict(zip(map(repr, keys(found)), rows, strict=True))


def keys(found: Postings) -> list[Any]:
    listed: list[Any] = (
        found.keys.to_pylist() if isinstance(found.keys, pa.Array) else found.keys.tolist()
    )
    return listed


def by_rows(values: list[Any]) -> dict[Any, list[int]]:
    rows: dict[Any, list[int]] = {}
    for row, value in enumerate(values):
        if value is not None:
            rows.setdefault(repr(value), []).append(row)
    return rows


def few(elements: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Columns with many repetitions and nulls."""
    return st.lists(elements, min_size=1, max_size=6).flatmap(
        lambda pool: st.lists(st.sampled_from([*pool, None]), max_size=40)
    )


FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, NAN, math.inf, -math.inf, 2.0**-149])
CASES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "BOOLEAN": (pa.bool_(), st.booleans()),
    "TINYINT": (pa.int8(), st.integers(-128, 127)),
    "SMALLINT": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "INT": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "BIGINT": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)),
    "FLOAT": (pa.float32(), FLOATS),
    "DOUBLE": (pa.float64(), FLOATS | st.floats()),
    "CHAR(3)": (pa.string(), st.text(max_size=3)),
    "STRING": (pa.large_string(), st.text()),
    "VARCHAR(9)": (pa.binary(), st.binary(max_size=9)),
    "DATE": (pa.date32(), st.dates()),
}


@pytest.mark.parametrize("sql", CASES)
@given(data=st.data())
def test_against_a_dict(sql: str, data: st.DataObject) -> None:
    arrow_type, elements = CASES[sql]
    values = data.draw(few(elements))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=3)))
    bounds = [0, *cuts, len(values)]
    chunks = [values[a:b] for a, b in pairwise(bounds)]
    whole = pa.array(values, arrow_type)
    sliced = pa.concat_arrays([pa.nulls(1, arrow_type), whole]).slice(1)
    chunked = pa.chunked_array([pa.array(chunk, arrow_type) for chunk in chunks], arrow_type)
    stored = [
        value.encode() if isinstance(value, str)
        else int(value) if isinstance(value, bool)
        else (value - dt.date(1970, 1, 1)).days if isinstance(value, dt.date)
        else value
        for value in values
    ]  # fmt: skip
    for column in (whole, chunked, chunked.dictionary_encode(), sliced):
        found = postings(column, parse_type(sql))
        assert by_key(found) == by_rows(stored)
        assert found.num_rows == len(values)
        assert found.null_rows.tolist() == [i for i, v in enumerate(values) if v is None]
        ordered = np.array(keys(found), object)[found.ascending_order()].tolist()
        assert list(map(repr, ordered)) == list(map(repr, sorted(ordered, key=java_order)))
        assert sorted(found.hash_order().tolist()) == list(range(len(found)))


def java_order(value: Any) -> Any:
    if isinstance(value, float):
        return math.isnan(value), value if value == value else 0.0, math.copysign(1, value)
    return value


def test_wide_integers_that_repeat() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(-(2**63), 2**63 - 1, 50)[rng.integers(0, 50, 2000)]
    found = postings(pa.array(values, mask=values % 7 == 0), parse_type("BIGINT"))
    assert by_key(found) == by_rows([None if v % 7 == 0 else v for v in values.tolist()])


def test_no_rows_and_only_nulls() -> None:
    for sql in ("STRING", "BIGINT", "DOUBLE", "TIMESTAMP(9)", "BOOLEAN"):
        assert len(postings(pa.array([], pa.null()), parse_type(sql))) == 0
        found = postings(pa.nulls(3), parse_type(sql))
        assert (len(found), found.null_rows.tolist()) == (0, [0, 1, 2])


def bitmaps(found: Postings, order: list[int]) -> list[bytes]:
    data, lengths = found.bitmaps(np.array(order, np.int64))
    ends = np.cumsum(lengths).tolist()
    assert len(data) == (ends[-1] if ends else 0)
    return [bytes(data[end - size : end]) for end, size in zip(ends, lengths.tolist(), strict=True)]


def test_bitmaps() -> None:
    found = postings(pa.array([1, 2, 1, 1, 2, None, 1]), parse_type("BIGINT"))
    first, second = bitmaps(found, [1, 0])
    assert list(BitMap.deserialize(first)) == [1, 4]
    assert list(BitMap.deserialize(second)) == [0, 2, 3, 6]
    assert serialize_rows(np.array([1, 4], np.uint32)) == first


def test_runs_are_made_where_they_are_smaller() -> None:
    found = postings(pa.array([0] * 5000 + [1] * 2), parse_type("INT"))
    runs, array_ = bitmaps(found, [0, 1])
    assert (len(runs), len(array_)) == (15, 20)


def test_bitmaps_of_all_kinds_stand_one_after_another() -> None:
    """Small ones of several shapes, made many at once, between large ones and those with runs."""
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.integers(0, 300, 2000), np.full(500, 300), [301, 301]])
    found = postings(pa.array(values), parse_type("INT"))
    order = rng.permutation(len(found)).tolist()
    for at, data in zip(order, bitmaps(found, order), strict=True):
        assert data == serialize_rows(found.rows[found.starts[at] : found.starts[at + 1]])
    assert bitmaps(found, []) == []


def test_hash_order_is_that_of_java() -> None:
    # Hash codes are 0, 16, 32: one bin of a table of 16, the newest first; two bins of one of 32.
    found = postings(pa.array([0, 16, 32]), parse_type("INT"))
    assert keys(found) == [0, 16, 32]
    assert found.hash_order().tolist() == [2, 1, 0]
    assert found.hash_order(np.array([0, 2])).tolist() == [2, 0]
    twelve = [0, 16, 32, *range(1, 11)]
    assert found.num_rows == 3
    last_is_new = postings(pa.array(twelve), parse_type("INT"))
    assert last_is_new.keys[last_is_new.hash_order()[:3]].tolist() == [32, 16, 0]
    looked_up_again = postings(pa.array([*twelve, 5]), parse_type("INT"))
    assert looked_up_again.keys[looked_up_again.hash_order()[:2]].tolist() == [32, 0]
