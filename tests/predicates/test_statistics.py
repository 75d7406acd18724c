"""Statistics that exclude files, and never a row that matches."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.statistics import Bounds, ManyBounds, may_match
from paimon_ksy.predicates.tree import Comparison, Predicate, col
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.file_bounds import TYPES, bounds
from tests.support.strategies import columns, leaves, predicates


def stored(known: list[Bounds], kind: DataType) -> ManyBounds:
    """The bounds of a column in each file, as manifests have them."""
    low, high = (
        ManyRows(
            pa.array([write_row((value,), (kind,)) for value in values], pa.large_binary()), 1
        ).field(0, kind)
        for values in ([one.min for one in known], [one.max for one in known])
    )
    assert low is not None and high is not None
    counts = ManyBounds.of(known, kind)
    both = low.known & high.known
    return ManyBounds(low.values, high.values, both, counts.null_counts, counts.num_rows)


def may(predicate: Predicate, schema: Schema, known: dict[str, list[Bounds]]) -> list[bool]:
    """Whether each file may match; rows of manifests and internal values say the same."""
    bound, count = bind(predicate, schema), len(next(iter(known.values())))
    answers = []
    for form in (ManyBounds.of, stored):

        def of_column(name: str, kind: DataType, form: Any = form) -> ManyBounds | None:
            return form(known[name], kind) if name in known else None

        answers.append([bool(each) for each in may_match(bound, of_column, count)])
    assert answers[0] == answers[1]
    return answers[0]


@examples(200)
@given(st.data(), st.booleans(), st.booleans())
def test_statistics_never_lose_a_row(data: st.DataObject, cut: bool, without_nan: bool) -> None:
    kinds = data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
    schema = Schema.parse(", ".join(f"c{at} {kind}" for at, kind in enumerate(kinds)))
    count = data.draw(st.integers(1, 3))
    size = data.draw(st.integers(0, 4))
    files = [
        {f.name: data.draw(columns(f.type, min_size=size, max_size=size)) for f in schema}
        for _ in range(count)
    ]
    unknown = data.draw(st.sets(st.sampled_from(("min", "max", "null_count"))))
    known = {
        f.name: [
            bounds(f.type, file[f.name], cut=cut, without_nan=without_nan)._replace(
                **dict.fromkeys(unknown)
            )
            for file in files
        ]
        for f in schema
    }
    some = {f.name: [value for file in files for value in file[f.name]] for f in schema}
    predicate = data.draw(predicates(schema, some))
    for kept, file in zip(may(predicate, schema, known), files, strict=True):
        assert kept or not matching_rows(predicate, file, schema, num_rows=size)


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(40)
@given(st.data(), st.booleans())
def test_statistics_of_one_column(kind: DataType, data: st.DataObject, cut: bool) -> None:
    column = data.draw(columns(kind, max_size=4))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column) | leaves("c", kind))
    [kept] = may(predicate, schema, {"c": [bounds(kind, column, cut=cut, without_nan=cut)]})
    assert kept or not matching_rows(predicate, {"c": column}, schema)


SECOND = 10**9
SCHEMA = Schema.parse(
    "a INT, s STRING, f DOUBLE, c CHAR(3), d DECIMAL(5, 2), t TIMESTAMP(9), e DECIMAL(38, 2)"
)
FILE = {
    "a": Bounds(10, 20, 0, 100),
    "s": Bounds("bar", "foo", 5, 100),
    "f": Bounds(1.0, 2.0, 0, 100),
    "c": Bounds("a", "b", None, 100),
    "d": Bounds(None, None, 100, 100),
    "t": Bounds(2 * SECOND, 2 * SECOND + 5, 0, 9),
    "e": Bounds(Decimal(10**30), Decimal(2 * 10**30), 0, 9),
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
        col("s").is_in([f"x{number}" for number in range(99)] + ["a"]),
        col("f") < 1.0,
        col("c") == "c",
        col("c") < "Z",
        col("d").is_not_null(),
        col("d") < 1,
        col("d") != 1,
        col("t") == "1970-01-01 00:00:01.999999",
        col("t") > "1970-01-01 00:00:02.000001",
        col("e") < 10**30,
        col("e").is_in([1, 3 * 10**30]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_files_that_statistics_leave_out(predicate: Predicate) -> None:
    assert may(predicate, SCHEMA, {name: [one] for name, one in FILE.items()}) == [False]


NAN = math.nan


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize(
    ("value", "predicate"),
    [
        (NAN, col("f") == NAN),
        (NAN, col("f") > 2.0),
        (NAN, col("f") > math.inf),
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
        assert matching_rows(predicate, {"f": [least, greatest, value]}, schema)
        assert may(predicate, schema, {"f": [Bounds(least, greatest, 0, 3)]}) == [True]


def test_one_value_in_all_rows() -> None:
    one = {"s": [Bounds("x", "x", 3, 9)]}
    for predicate in (col("s") != "x", ~col("s").like("_"), col("s").is_not_in(["x", "y"])):
        assert may(predicate, SCHEMA, one) == [False]
    assert may(col("s") != "y", SCHEMA, one) == [True]
    assert may(col("a") == 1, SCHEMA, one) == [True]


ENDS = (-(2**63), 1 - 2**63, -5, 5, 2**63 - 2, 2**63 - 1)


@pytest.mark.parametrize("value", [sign * n for sign in (-1, 1) for n in (2**63, 10**19, 10**30)])
@pytest.mark.parametrize("op", ["=", "<>", "<", "<=", ">", ">="])
def test_values_beyond_64_bits(op: str, value: int) -> None:
    pairs = [(low, high) for low in ENDS for high in ENDS if low <= high]
    low, high = np.array(pairs, np.int64).T
    known = np.ones(len(pairs), np.bool_)
    arrays = ManyBounds(low, high, known, np.zeros(len(pairs), np.int64), known.astype(np.int64))
    bound = bind(Comparison(op, "c", value), Schema.parse("c DECIMAL(10, 0)"))
    found = may_match(bound, lambda name, kind: arrays, len(pairs))
    wanted = {
        "=": [least <= value <= most for least, most in pairs],
        "<>": [{least, most} != {value} for least, most in pairs],
        "<": [least < value for least, _ in pairs],
        "<=": [least <= value for least, _ in pairs],
        ">": [most > value for _, most in pairs],
        ">=": [most >= value for _, most in pairs],
    }
    assert found.tolist() == wanted[op]


TEXTS = [Bounds(low, low + "z", 0, 9) for low in ("a", "b", "longer than a word", "zz")]


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        (col("c") == "b", [1]),
        (col("c") >= "bz", [1, 2, 3]),
        (col("c").startswith("long"), [2]),
        (col("c").like("zz%y"), [3]),
        (col("c").like("%y"), [0, 1, 2, 3]),
        (col("c").is_in(["b", "zz"]), [1, 3]),
        (col("c").is_in([f"b{number}" for number in range(99)]), [1]),
        (col("c").is_null(), []),
        (col("c").is_not_null() & (col("c") < "b"), [0]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_texts_of_several_files(predicate: Predicate, kept: list[int]) -> None:
    found = may(predicate, Schema.parse("c STRING"), {"c": TEXTS})
    assert [number for number, keep in enumerate(found) if keep] == kept


def test_no_files() -> None:
    for text in ("STRING", "INT", "CHAR(3)", "DOUBLE", "DECIMAL(30, 2)"):
        schema = Schema.parse(f"c {text}")
        value: Any = "1" if "CHAR" in text or text == "STRING" else 1
        assert may(col("c") == value, schema, {"c": []}) == []
