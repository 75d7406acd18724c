"""Statistics of many files at once keep each file that `may_match` keeps."""

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.predicates.statistics_of_many import ManyBounds, may_match_each
from paimon_ksy.predicates.tree import Comparison, Predicate, col
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.file_bounds import TYPES, bounds
from tests.support.strategies import columns, examples, leaves, predicates


def many(kind: DataType, known: list[Bounds]) -> ManyBounds | None:
    """The bounds of a column in each file, as manifests have them."""
    low, high = (
        ManyRows(
            pa.array([write_row((value,), (kind,)) for value in values], pa.large_binary()), 1
        ).field(0, kind)
        for values in ([each.min for each in known], [each.max for each in known])
    )
    if low is None or high is None:
        return None
    counts = [-1 if each.null_count is None else each.null_count for each in known]
    rows = [each.num_rows for each in known]
    return ManyBounds(
        low.values,
        high.values,
        low.known & high.known,
        np.array(counts, np.int64),
        np.array(rows, np.int64),
    )


def both(
    predicate: Predicate, schema: Schema, known: dict[str, list[Bounds]], count: int
) -> tuple[list[bool], list[bool]]:
    """Which files may match: by arrays, and one by one."""
    bound = bind(predicate, schema)
    found = may_match_each(
        bound, lambda name, kind: many(kind, known[name]) if name in known else None, count
    )
    wanted = [
        may_match(bound, lambda name, n=number: known[name][n])  # type: ignore[misc]
        for number in range(count)
    ]
    return found.tolist(), wanted


@examples(300)
@given(st.data(), st.booleans(), st.booleans())
def test_no_file_is_lost(data: st.DataObject, cut: bool, without_nan: bool) -> None:
    kinds = data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
    schema = Schema.parse(", ".join(f"c{at} {kind}" for at, kind in enumerate(kinds)))
    count = data.draw(st.integers(0, 3))
    known: dict[str, list[Bounds]] = {}
    some: dict[str, list[Any]] = {}
    for field in schema:
        files = [data.draw(columns(field.type, max_size=4)) for _ in range(count)]
        some[field.name] = [value for file in files for value in file]
        unknown = [data.draw(st.booleans()) for _ in files]
        known[field.name] = [
            bounds(field.type, file, cut=cut, without_nan=without_nan)._replace(
                **({"null_count": None} if is_unknown else {})
            )
            for file, is_unknown in zip(files, unknown, strict=True)
        ]
    found, wanted = both(data.draw(predicates(schema, some)), schema, known, count)
    assert all(kept for kept, may in zip(found, wanted, strict=True) if may)


EXACT = (
    "BOOLEAN",
    "INT",
    "BIGINT",
    "DATE",
    "TIME(3)",
    "DOUBLE",
    "FLOAT",
    "DECIMAL(10, 2)",
    "BYTES",
)


@pytest.mark.parametrize("text", EXACT)
@examples(100)
@given(st.data())
def test_numbers_and_bytes_are_decided_as_one_by_one(text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    schema = Schema.parse(f"c {text}")
    files = [data.draw(columns(kind, max_size=3)) for _ in range(3)]
    known = {"c": [bounds(kind, file, cut=False, without_nan=False) for file in files]}
    literals = [value for file in files for value in file]
    predicate = data.draw(leaves("c", kind, literals) | leaves("c", kind))
    found, wanted = both(predicate, schema, known, 3)
    assert found == wanted


ENDS = (-(2**63), 1 - 2**63, -5, 5, 2**63 - 2, 2**63 - 1)


@pytest.mark.parametrize("value", [sign * n for sign in (-1, 1) for n in (2**63, 10**19, 10**30)])
@pytest.mark.parametrize("op", ["=", "<>", "<", "<=", ">", ">="])
def test_values_beyond_64_bits(op: str, value: int) -> None:
    """Sums that Java stores may be at the ends; only their files may be kept needlessly."""
    schema = Schema.parse("c DECIMAL(10, 0)")
    pairs = [(low, high) for low in ENDS for high in ENDS if low <= high]
    low, high = np.array(pairs, np.int64).T
    known = np.ones(len(pairs), np.bool_)
    arrays = ManyBounds(low, high, known, np.zeros(len(pairs), np.int64), known.astype(np.int64))
    bound = bind(Comparison(op, "c", value), schema)
    found = may_match_each(bound, lambda name, kind: arrays, len(pairs))
    for kept, pair in zip(found.tolist(), pairs, strict=True):
        one = Bounds(Decimal(pair[0]), Decimal(pair[1]), 0, 1)
        may = may_match(bound, lambda name, one=one: one)  # type: ignore[misc]
        assert kept or not may
        assert kept == may or {*pair} & {ENDS[0], ENDS[-1]}


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
def test_texts(predicate: Predicate, kept: list[int]) -> None:
    found, _ = both(predicate, Schema.parse("c STRING"), {"c": TEXTS}, len(TEXTS))
    assert [number for number, keep in enumerate(found) if keep] == kept


def test_timestamps_are_told_apart_by_the_millisecond() -> None:
    second = 10**9
    known = [Bounds(n * second, n * second + 5, 0, 9) for n in range(4)]
    schema = Schema.parse("c TIMESTAMP(9)")
    predicate = col("c") == "1970-01-01 00:00:02.000000003"
    assert both(predicate, schema, {"c": known}, 4)[0] == [False, False, True, False]
    assert both(col("c") > "1970-01-01 00:00:02", schema, {"c": known}, 4)[0] == [
        *(False, False, True, True)
    ]
