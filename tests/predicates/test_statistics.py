"""Statistics that exclude files, and never a row that matches."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.file_bounds import TYPES, bounds
from tests.support.strategies import (
    columns,
    examples,
    leaves,
    tables_and_predicates,
)


@examples(300)
@given(st.data(), st.booleans(), st.booleans(), st.sets(st.sampled_from(Bounds._fields)))
def test_statistics_never_lose_a_row(
    data: st.DataObject, cut: bool, without_nan: bool, unknown: set[str]
) -> None:
    table, predicate = data.draw(tables_and_predicates(TYPES))
    known = {
        f.name: bounds(f.type, table.columns[f.name], cut=cut, without_nan=without_nan)._replace(
            **dict.fromkeys(unknown)
        )
        for f in table.schema
    }
    found = may_match(bind(predicate, table.schema), known.get)
    assert found or not matching_rows(
        predicate, table.columns, table.schema, num_rows=table.num_rows
    )


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(50)
@given(st.data(), st.booleans())
def test_statistics_of_one_column(kind: DataType, data: st.DataObject, cut: bool) -> None:
    column = data.draw(columns(kind, max_size=4))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column) | leaves("c", kind))
    known = bounds(kind, column, cut=cut, without_nan=cut)
    found = may_match(bind(predicate, schema), lambda name: known)
    assert found or not matching_rows(predicate, {"c": column}, schema)


SCHEMA = Schema.parse("a INT, s STRING, f DOUBLE, c CHAR(3), d DECIMAL(5, 2)")

FILE = {
    "a": (10, 20, 0, 100),
    "s": ("bar", "foo", 5, 100),
    "f": (1.0, 2.0, 0, 100),
    "c": ("a", "b", None, 100),
    "d": (None, None, 100, 100),
}


@pytest.mark.parametrize(
    "predicate",
    [
        col("a") == 9,
        col("a") > 20,
        col("a") < 10,
        (col("a") == 15) & (col("a") >= 21),
        (col("a") == 9) | (col("a") == 21),
        col("a").is_in([1, 2, 30]),
        col("a").is_null(),
        col("s").startswith("g"),
        col("s").like("az_%x"),
        col("s") >= "fop",
        col("f") < 1.0,
        col("c") == "c",
        col("c") < "Z",
        col("d").is_not_null(),
        col("d") < 1,
        col("d") != 1,
    ],
    ids=repr,
)
def test_files_that_statistics_leave_out(predicate: Predicate) -> None:
    assert not may_match(bind(predicate, SCHEMA), FILE.get)


NAN = math.nan


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize(
    ("value", "predicate"),
    [
        (NAN, col("f") == NAN),
        (NAN, col("f") > 2.0),
        (NAN, col("f") > 1e30),
        (NAN, col("f") >= NAN),
        (NAN, col("f") <= NAN),
        (NAN, col("f").is_in([7.0, NAN])),
        (NAN, col("f").between(3.0, NAN)),
        (NAN, col("f") != 1.5),
        (-0.0, col("f") == 0.0),
        (-0.0, col("f") >= 0.0),
        (0.0, col("f") <= -0.0),
    ],
    ids=repr,
)
def test_values_that_bounds_leave_out(kind: str, value: float, predicate: Predicate) -> None:
    """Writers of Parquet leave NaN out of the bounds, and make of a zero what they like."""
    schema = Schema.parse(f"f {kind}")
    for least, greatest in ((1.0, 2.0), (1.5, 1.5), (-0.0, -0.0), (0.0, 0.0), (0.0, math.inf)):
        if value == 0.0 and least != 0.0:
            continue
        rows = {"f": [least, greatest, value]}
        assert matching_rows(predicate, rows, schema)
        assert may_match(bind(predicate, schema), {"f": Bounds(least, greatest, 0, 3)}.get)


def test_one_value_in_all_rows() -> None:
    def one(name: str) -> Bounds | None:
        return Bounds("x", "x", 3, 9) if name == "s" else None

    for predicate in (col("s") != "x", ~col("s").like("_"), col("s").is_not_in(["x", "y"])):
        assert not may_match(bind(predicate, SCHEMA), one)
    assert may_match(bind(col("s") != "y", SCHEMA), one)
    assert may_match(bind(col("a") == 1, SCHEMA), one)
