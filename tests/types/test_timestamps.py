"""Timestamps of whole columns, in any year, compared with Python's integers."""

from __future__ import annotations

import operator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.columns.stored_columns import stored_numbers
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.tree import Comparison, In
from paimon_ksy.table.model.casts import cast
from paimon_ksy.table.model.columns import cast_to
from paimon_ksy.types.data_type import TICK_NANOS
from paimon_ksy.types.literals import TIMESTAMP, TypedLiteral
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import (
    WIDE,
    alike,
    from_numbers,
    in_type,
    of_parts,
    parts,
    ticks,
)

NANOS = pa.timestamp("ns")
ENDS = [-(2**63), 2**63 - 1]
EDGES = [*ENDS, ENDS[0] - 1, ENDS[1] + 1, -1, 0, 999, 1000, 253_402_300_799_999_999_999]
EDGES += [-62_135_596_800 * 10**9, 2**63 * 1000 - 1, -(2**63) * 1000]
TIMES = st.lists(
    st.none()
    | st.sampled_from(EDGES)
    | st.integers(*ENDS)
    | st.integers(-(2**63) * 1000, 2**63 * 1000 - 1),
    max_size=6,
)
"""Nanoseconds of any microseconds that an index can store."""


def column_of(times: list[int | None]) -> pa.Array:
    """Return a column with a value before it, which a slice leaves out."""
    found = [0 if time is None else time for time in [None, *times]]
    seconds, nanos = (
        np.array([part(t, 10**9) for t in found], np.int64)
        for part in (operator.floordiv, operator.mod)
    )
    nulls = np.array([time is None for time in [None, *times]])
    return of_parts(seconds, nanos, NANOS, nulls).slice(1)


@examples(60)
@given(TIMES, st.sampled_from(["s", "ms", "us", "ns"]))
def test_times_are_exact_in_each_unit(times: list[int | None], unit: str) -> None:
    column = column_of(times)
    fits = all(time is None or ENDS[0] <= time <= ENDS[1] for time in times)
    assert column.type == (NANOS if fits else WIDE)
    found, nanos = ticks(column)
    assert (nanos, found.to_pylist()) == (1, times)
    seconds, rest = parts(column)
    assert [*map(int, seconds * 1)] == [(time or 0) // 10**9 for time in times]
    assert rest.tolist() == [(time or 0) % 10**9 for time in times]
    tick = TICK_NANOS[unit]
    whole = in_type(column, pa.timestamp(unit, "UTC"))
    assert ticks(whole)[0].to_pylist() == [None if t is None else t // tick for t in times]
    again = in_type(whole, NANOS)
    assert ticks(again)[0].to_pylist() == [None if t is None else t // tick * tick for t in times]
    assert from_numbers(found.cast(WIDE), NANOS).equals(column)


def test_coarser_times_of_more_than_64_bits_are_errors() -> None:
    with pytest.raises(OverflowError):
        in_type(pa.array([2**63 * 1000], WIDE), pa.timestamp("us"))


@examples(60)
@given(TIMES, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), st.data())
def test_predicates_and_indexes_are_exact(
    times: list[int | None], op: str, data: st.DataObject
) -> None:
    schema = Schema.parse("t TIMESTAMP(9)")
    there = [time for time in times if time is not None]
    value = data.draw(st.sampled_from([*there, *EDGES])) + data.draw(st.integers(-1, 1))
    column = column_of(times)
    rows = pa.record_batch([column], ["t"])
    test = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le}
    test |= {">": operator.gt, ">=": operator.ge}
    literal = TypedLiteral(value, TIMESTAMP)
    found = mask(bind(Comparison(op, "t", literal), schema), rows)
    assert found.to_pylist() == [time is not None and test[op](time, value) for time in times]
    listed = bind(In("t", (literal, TypedLiteral(0, TIMESTAMP)), False), schema)
    assert mask(listed, rows).to_pylist() == [time in (0, value) for time in times]
    stored, places = stored_numbers(column, schema["t"])
    assert stored.tolist() == [time // 1000 for time in there]
    assert places is None or places.tolist() == [at for at, t in enumerate(times) if t is not None]


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ("TIMESTAMP(6)", [253_402_300_799_999_999, -62_135_596_800_000_000, None]),
        ("TIMESTAMP(3)", [253_402_300_799_999, -62_135_596_800_000, None]),
        ("TIMESTAMP(0)", [253_402_300_799, -62_135_596_800, None]),
        ("DATE", [2_932_896, -719_162, None]),
        ("STRING", ["9999-12-31 23:59:59.999999999", "0001-01-01 00:00:00.000000000", None]),
    ],
)
def test_casts_to_other_types_and_back(after: str, wanted: list[int | str | None]) -> None:
    before, target = parse_type("TIMESTAMP(9)"), parse_type(after)
    times = [253_402_300_799_999_999_999, -62_135_596_800 * 10**9, None]
    found = cast(column_of(times), before, target)
    as_numbers = (
        found if after == "STRING" else found.cast(pa.int32()) if after == "DATE" else found
    )
    assert (
        as_numbers if after in ("STRING", "DATE") else as_numbers.cast(pa.int64())
    ).to_pylist() == wanted
    if after != "STRING":
        assert cast(found, target, before).type == WIDE


def test_batches_are_alike() -> None:
    narrow, wide = (
        [column_of([1, None]), pa.array([1, 2])],
        [column_of([2**63, 5]), pa.array([3, 4])],
    )
    batches = [pa.RecordBatch.from_arrays(some, ["t", "n"]) for some in (narrow, wide)]
    assert alike(batches[:1]) == batches[:1]
    assert pa.Table.from_batches(alike(batches))["t"].to_pylist() == [1, None, 2**63, 5]
    schema = pa.schema([("t", NANOS)])
    assert cast_to(batches[1].slice(1), schema, "x.orc")["t"].cast(pa.int64()).to_pylist() == [5]
    with pytest.raises(UnsupportedError, match=r"^x\.orc: column 't': contains timestamps"):
        cast_to(batches[1], schema, "x.orc")
