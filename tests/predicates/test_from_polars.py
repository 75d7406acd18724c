"""What is recognised of Polars expressions selects the rows that Polars does."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.io.plugins import register_io_source

from kit_support.examples import examples
from paimon_ksy.predicates.from_polars import predicate_from_polars
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.superset import superset
from paimon_ksy.types.schema import Schema
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES, Table, tables
from tests.support.tool_filters import polars_filters

SCHEMA = Schema.parse(
    "b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, c CHAR(3), x BYTES, day DATE, "
    "t TIME(3), at TIMESTAMP(3), zoned TIMESTAMP(6) WITH LOCAL TIME ZONE, m DECIMAL(10, 2)"
)


def seen(expression: pl.Expr, schema: Schema) -> tuple[str, bool]:
    """What is recognised of an expression as Polars' optimizer hands it to a source."""
    empty = pl.from_arrow(schema.to_arrow().empty_table())
    assert isinstance(empty, pl.DataFrame)
    found: list[tuple[str, bool]] = []

    def source(columns: Any, predicate: pl.Expr | None, *_: Any) -> Iterator[pl.DataFrame]:
        assert predicate is not None
        tree = predicate_from_polars(predicate, schema, empty.schema)
        bound, exact = superset(tree, schema)
        found.append((repr(bound), exact))
        yield empty

    register_io_source(source, schema=empty.schema).filter(expression).collect()
    return found[0]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (pl.col("b"), "b = TRUE"),
        (~pl.col("b"), "b <> TRUE"),
        (pl.col("i") == 5, "i = 5"),
        (pl.lit(5) < pl.col("i"), "i > 5"),
        (pl.col("l") != 5, "l <> 5"),
        (pl.col("f") > 1.5, "f > 1.5D"),
        (pl.col("d") <= 0.1, "d <= 0.1D"),
        (pl.col("d").is_nan(), "d = CAST('NaN' AS DOUBLE)"),
        (pl.col("s") >= "x", "s >= 'x'"),
        (pl.col("s").is_in(["x", "y", None]), "s IN ('x', 'y')"),
        (~pl.col("s").is_in(["x", "y", None]), "s NOT IN ('x', 'y')"),
        (pl.col("s").str.starts_with("x"), "startswith(s, 'x')"),
        (pl.col("s").str.contains("x", literal=True), "contains(s, 'x')"),
        (pl.col("x") == b"a", "x = X'61'"),
        (pl.col("day") < dt.date(2024, 1, 1), "day < DATE '2024-01-01'"),
        (pl.col("t") == dt.time(1), "t = TIME '01:00:00'"),
        (pl.col("i").is_between(1, 5, closed="left"), "i >= 1 AND i < 5"),
        (pl.col("m") > Decimal("1.25"), "m > 1.25"),
        (pl.col("m") > 1, "m > 1.00"),
        ((pl.col("i") == 5) | pl.col("s").is_null(), "i = 5 OR s IS NULL"),
        (pl.col("c").is_not_null(), "c IS NOT NULL"),
    ],
)
def test_known(expression: pl.Expr, text: str) -> None:
    assert seen(expression, SCHEMA) == (text, True)


@pytest.mark.parametrize(
    "expression",
    [
        pl.col("i") > 1.5,  # a cast of the column
        pl.col("i") + 1 > 2,
        pl.col("c") == "a",  # its trailing spaces count in Polars
        pl.col("d").is_in([0.0, 1.0]),
        pl.col("s").str.contains("x"),  # a regular expression
        pl.col("i") == pl.col("l"),
        pl.col("i").eq_missing(5),
        pl.col("i").is_in([5, None], nulls_equal=True),
    ],
)
def test_unknown(expression: pl.Expr) -> None:
    assert seen(expression, SCHEMA) == ("TRUE", False)
    assert seen(expression & (pl.col("l") == 7), SCHEMA) == ("l = 7", False)


def test_deep_expressions_end() -> None:
    expression = pl.col("i") == 0
    for number in range(1, 400):
        expression = expression | (pl.col("i") == number)
    assert seen(expression & (pl.col("l") == 7), SCHEMA)[1] is False


TYPES = [kind for kind in (*BITMAP_TYPES, *OTHER_TYPES) if str(kind) != "DECIMAL(38, 0)"]


@examples(200)
@given(table=tables(TYPES), data=st.data())
def test_selects_what_polars_does(table: Table, data: st.DataObject) -> None:
    arrow = table.to_arrow()
    try:
        arrow.validate(full=True)  # Polars has no strings that are not UTF-8
        frame = pl.from_arrow(arrow)
    except (pa.ArrowInvalid, UnicodeDecodeError, pl.exceptions.PolarsError):
        assume(False)
    assert isinstance(frame, pl.DataFrame)
    expression = data.draw(polars_filters(frame))

    def source(columns: Any, predicate: pl.Expr | None, *_: Any) -> Iterator[pl.DataFrame]:
        selected = frame
        if predicate is not None:
            tree = predicate_from_polars(predicate, table.schema, frame.schema)
            bound, exact = superset(tree, table.schema)
            selected = frame.filter(pl.Series(mask(bound, arrow).to_pylist(), dtype=pl.Boolean))
            wanted = frame.filter(predicate)
            assert not exact or selected.height == wanted.height
            selected = selected.filter(predicate)
        yield selected if columns is None else selected.select(columns)

    try:
        wanted = frame.lazy().filter(expression).collect()
    except pl.exceptions.PolarsError:
        assume(False)
    found = register_io_source(source, schema=frame.schema).filter(expression).collect()
    assert found.equals(wanted)
