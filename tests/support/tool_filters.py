"""Filters of other tools: random expressions of pyarrow, Polars and DuckDB on some data."""

import datetime as dt
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from hypothesis import strategies as st

_ROWS = st.integers(0, 10_000)
_SHAPES = st.sampled_from(["leaf", "leaf", "and", "or", "not"])
_COMPARISONS = ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"]
_NAN = float("nan")

_NUMBERS = [
    *map(pa.scalar, (0, 1, -1, 2**53 + 1, 10**18, 0.0, -0.0, 1.5, 0.1, _NAN, float("inf"))),
    *(pa.scalar(value, pa.float32()) for value in (_NAN, 0.1, -0.0)),
    pa.scalar(1, pa.int8()),
    pa.scalar(Decimal("1.005")),
]
_TIMES = [
    pa.scalar(dt.datetime(2024, 1, 1, 12, 0, 0, 123_456)),
    pa.scalar(1_704_110_400, pa.timestamp("s")),
    pa.scalar(1_704_110_400_123_456_789, pa.timestamp("ns")),
    pa.scalar(dt.datetime(2024, 1, 1, 12), pa.timestamp("us", "UTC")),
    pa.scalar(1_704_110_400, pa.timestamp("s", "Asia/Tokyo")),
    pa.scalar(dt.date(2024, 1, 1)),
]
_TEXTS = [pa.scalar(text) for text in ("a", "a ", "", "b%")] + [pa.scalar("a", pa.large_string())]


def _others(kind: pa.DataType) -> list[pa.Scalar]:
    """Literals that may be compared with a column, also of other types than its own."""
    if at.is_integer(kind) or at.is_floating(kind) or at.is_decimal(kind):
        return _NUMBERS
    if at.is_temporal(kind):
        return _TIMES
    return _TEXTS if at.is_string(kind) else [pa.scalar(None, kind)]


@st.composite
def arrow_filters(draw: st.DrawFn, data: pa.Table, room: int = 6) -> pc.Expression:
    """Expressions of pyarrow, of which some raise an error of Arrow."""
    shape = draw(_SHAPES) if room > 1 else "leaf"
    if shape == "not":
        return ~draw(arrow_filters(data, room - 1))
    if shape != "leaf":
        left = draw(arrow_filters(data, room // 2))
        right = draw(arrow_filters(data, room - room // 2))
        return left & right if shape == "and" else left | right
    name = data.schema.names[draw(_ROWS) % data.num_columns]
    kind, target = data.schema.field(name).type, pc.field(name)

    def literal() -> pa.Scalar:
        own = draw(st.booleans()) and data.num_rows
        return data[name][draw(_ROWS) % data.num_rows] if own else draw(_sampled(_others(kind)))

    test = draw(st.sampled_from(["compare", "compare", "mirrored", "in", "sql in", "null", "odd"]))
    if test == "compare":
        return getattr(target, draw(st.sampled_from(_COMPARISONS)))(literal())
    if test == "mirrored":
        return getattr(pc.scalar(literal()), draw(st.sampled_from(_COMPARISONS)))(target)
    if test in ("in", "sql in"):
        values = [literal() for _ in range(draw(st.integers(0, 3)))]
        listed = target.isin(pa.array([v for v in values if v.type == kind] or [None], kind))
        return listed if test == "in" else sql_in(target, listed)
    if test == "null":
        nan = at.is_floating(kind) and draw(st.booleans())
        return draw(st.sampled_from([target.is_valid(), target.is_null(nan_is_null=nan)]))
    if at.is_string(kind):
        of_text = [pc.starts_with, pc.ends_with, pc.match_substring, pc.match_like]
        return draw(st.sampled_from(of_text))(target, draw(st.sampled_from(["", "a", "a%", " "])))
    if at.is_boolean(kind):
        return target
    if at.is_floating(kind):
        return pc.is_nan(target)
    return draw(st.sampled_from([target.cast(pa.string()) == pc.scalar("1"), target == target]))


def _sampled(values: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


def sql_in(target: pc.Expression, listed: pc.Expression) -> pc.Expression:
    """How DuckDB writes IN: unknown for null."""
    return pc.if_else(target.is_valid(), listed, pc.scalar(pa.scalar(None, pa.bool_())))


@st.composite
def polars_filters(draw: st.DrawFn, frame: pl.DataFrame, room: int = 6) -> pl.Expr:
    """Expressions of Polars."""
    shape = draw(_SHAPES) if room > 1 else "leaf"
    if shape == "not":
        return ~draw(polars_filters(frame, room - 1))
    if shape != "leaf":
        left = draw(polars_filters(frame, room // 2))
        right = draw(polars_filters(frame, room - room // 2))
        return left & right if shape == "and" else left | right
    name = frame.columns[draw(_ROWS) % frame.width]
    kind, target = frame.schema[name], pl.col(name)

    def literal() -> pl.Expr:
        if kind.is_numeric() and draw(_ROWS) % 4 == 0:
            return pl.lit(draw(st.sampled_from([0, 1, 1.5, 0.1, _NAN, -0.0, Decimal("1.005")])))
        value = frame[name][draw(_ROWS) % frame.height] if frame.height else None
        return pl.lit(value, kind if draw(st.booleans()) else None)

    test = draw(st.sampled_from(["compare", "compare", "mirrored", "in", "null", "range", "odd"]))
    if test == "compare":
        found = getattr(target, draw(st.sampled_from(_COMPARISONS)))(literal())
    elif test == "mirrored":
        found = getattr(literal(), draw(st.sampled_from(_COMPARISONS)))(target)
    elif test == "in":
        values = frame[name].head(draw(st.integers(0, 3)))
        found = target.is_in(values.implode(), nulls_equal=draw(st.booleans()))
    elif test == "null":
        found = draw(st.sampled_from([target.is_null(), target.is_not_null()]))
    elif test == "range":
        closed = draw(st.sampled_from(["both", "left", "right", "none"]))
        found = target.is_between(literal(), literal(), closed=closed)  # type: ignore[arg-type]
    elif kind == pl.String:
        part = draw(st.sampled_from(["", "a", " "]))
        of_text = [target.str.starts_with(part), target.str.ends_with(part)]
        found = draw(st.sampled_from([*of_text, target.str.contains(part, literal=True)]))
    elif kind == pl.Boolean:
        found = target
    elif kind.is_float():
        found = draw(st.sampled_from([target.is_nan(), target.is_not_nan(), target + 1 > 1]))
    else:
        found = target.eq_missing(literal())
    return found  # type: ignore[no-any-return]
