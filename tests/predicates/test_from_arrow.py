import datetime as dt
import sys
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow.dataset import dataset

from kit_support.examples import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.from_arrow import (
    filter_from_arrow,
    names_in_arrow,
    predicate_from_arrow,
)
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.superset import superset
from paimon_ksy.predicates.tree import Comparison, In
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES, Table, arrow_column, tables, trees
from tests.support.tool_filters import arrow_filters, sql_in

a, s, f = pc.field("a"), pc.field("s"), pc.field("f")
EXPRESSIONS = {
    "a = 1": a == 1,
    "a > 3": pc.scalar(3) < a,
    "a = 1 AND s <> 'x' OR NOT (a <= 2)": (a == 1) & (s != "x") | ~(a <= 2),
    "a = NULL": a == pa.scalar(None, pa.int32()),
    "a IS NULL": a.is_null(),
    "a IS NOT NULL": a.is_valid(),
    "f IS NULL OR f = CAST('NaN' AS DOUBLE)": f.is_null(nan_is_null=True),
    "f = CAST('NaN' AS DOUBLE)": f.is_nan(),
    "a IS NOT NULL AND a IN (1, 2)": a.isin([1, 2]),
    "a IS NOT NULL AND a IN (1) OR a IS NULL": a.isin([1, None]),
    "b = TRUE": pc.field("b"),
    "NOT (b = TRUE)": ~pc.field("b"),
    "TRUE": pc.scalar(True),
    "NULL": pc.scalar(pa.scalar(None, pa.bool_())),
    "startswith(s, 'x')": pc.starts_with(s, "x"),
    "endswith(s, 'x')": pc.ends_with(s, "x"),
    "contains(s, 'x')": pc.match_substring(s, "x"),
    "s LIKE 'a_%'": pc.match_like(s, "a_%"),
    "d < DATE '2024-01-31'": pc.field("d") < dt.date(2024, 1, 31),
    "d = 1.50": pc.field("d") == Decimal("1.50"),
    "t > TIMESTAMP_LTZ '1970-01-01 00:00:00.000000001Z'": (
        pc.field("t") > pa.scalar(1, pa.timestamp("ns", "Asia/Tokyo"))
    ),
    "t = TIMESTAMP_NTZ '1970-01-01 00:00:01'": pc.field("t") == pa.scalar(1, pa.timestamp("s")),
    "x = X'00FF'": pc.field("x") == b"\x00\xff",
    "`a b'c, 中\"` = '\\'\"(and)'": pc.field("a b'c, 中\"") == "'\"(and)",
    "`m[k]` = 1": pc.field("m[k]") == 1,
}


@pytest.mark.parametrize(("sql", "expression"), EXPRESSIONS.items())
def test_expressions(sql: str, expression: pc.Expression) -> None:
    assert repr(predicate_from_arrow(expression)) == sql


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        (a == pc.field("b"), "= of anything but a field and a scalar"),
        (a + 1 == 2, "the function add_checked"),
        (a.cast(pa.int64()) == 5, "the function cast"),
        (pc.field("m", "k") == 1, "a nested field"),
        (pc.field(0) == 1, "name each field"),
        (pc.field("x\ny") == 1, "a field name with a line break"),
        (pc.starts_with(s, "x", ignore_case=True), "the function starts_with"),
        (pc.utf8_upper(s) == "X", "the function utf8_upper"),
        (pc.scalar(1), "the scalar 1 as a condition"),
        (pc.is_null(a == 1), "the function is_null of an expression"),
        (pc.and_(a == 1, a == 2), "the function and_ of an expression"),
    ],
)
def test_what_has_no_counterpart(expression: pc.Expression, says: str) -> None:
    with pytest.raises(PredicateError) as error:
        predicate_from_arrow(expression)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_many_values_and_deep_chains() -> None:
    leaf = predicate_from_arrow(a.isin(list(range(10_000))))
    assert any(isinstance(c, In) and len(c.values) == 10_000 for c in leaf.children)  # type: ignore[attr-defined]
    chain = a == 0
    for n in range(1, 500):
        chain = chain | (a == n)
    assert len(predicate_from_arrow(chain).children) == 500  # type: ignore[attr-defined]
    assert sys.getrecursionlimit() <= 1000


# NaN is left out: for Arrow it is equal to nothing, for SQL it is equal to itself.
WITHOUT_NAN = [kind for kind in BITMAP_TYPES if kind.root not in ("FLOAT", "DOUBLE", "CHAR")]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Table, pc.Expression]:
    """A table of one column and an expression on it that Arrow can compute."""
    table = draw(tables(WITHOUT_NAN, max_columns=1))
    kind, column = table.schema["c0"], table.columns["c0"]
    field = pc.field("c0")
    arrow = arrow_column(kind, column)

    def scalar() -> st.SearchStrategy[Any]:
        return st.sampled_from(list(arrow) or [pa.scalar(None, arrow.type)])

    compare = st.sampled_from(["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"])
    leaf = st.one_of(
        st.builds(lambda op, value: getattr(field, op)(value), compare, scalar()),
        st.builds(
            lambda values: field.isin(pa.array(values, arrow.type)),
            st.lists(scalar(), max_size=3),
        ),
        st.sampled_from([field.is_null(), field.is_valid()]),
    )
    return table, draw(trees(leaf, 5))


@examples(100)
@given(cases())
def test_the_rows_are_those_that_arrow_selects(case: tuple[Table, pc.Expression]) -> None:
    table, expression = case
    positions = pa.array(range(table.num_rows), pa.int64())
    selected = table.to_arrow().append_column("row", positions).filter(expression)["row"]
    predicate = predicate_from_arrow(expression)
    for tree in (predicate, bind(predicate, table.schema)):
        rows = matching_rows(tree, table.columns, table.schema, num_rows=table.num_rows)
        assert rows == selected.to_pylist()


def test_a_scalar_keeps_its_nanoseconds() -> None:
    predicate = predicate_from_arrow(pc.field("t") == pa.scalar(123, pa.timestamp("ns")))
    assert isinstance(predicate, Comparison)
    assert predicate.value.value == 123
    assert predicate.value.type == parse_type("TIMESTAMP(9)")


SCHEMA = Schema.parse(
    "a INT, b BOOLEAN, f FLOAT, d DOUBLE, s STRING, c CHAR(3), x BYTES, day DATE, t TIME(3), "
    "at TIMESTAMP(3), zoned TIMESTAMP(6) WITH LOCAL TIME ZONE, m DECIMAL(10, 2), r ROW<y INT>"
)
NAN = "CAST('NaN' AS DOUBLE)"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (a == 1, "a = 1"),
        (sql_in(a, a.isin([1, 4])), "a IS NOT NULL AND a IN (1, 4)"),
        (~sql_in(a, a.isin([1, 4])), "(a IS NULL OR a NOT IN (1, 4)) AND a IS NOT NULL"),
        (pc.field("b"), "b = TRUE"),
        (f <= pa.scalar(1.5, pa.float32()), "f <= 1.5D"),
        (pc.field("d") > 1.5, f"d > 1.5D AND d <> {NAN}"),
        (~(pc.field("d") > 1.5), f"d <= 1.5D OR d = {NAN}"),
        (pc.field("d") == 3, "d = 3.0D"),
        (s >= "x", "s >= 'x'"),
        (pc.starts_with(s, "x"), "startswith(s, 'x')"),
        (pc.field("x") == b"a", "x = X'61'"),
        (pc.field("day") < dt.date(2024, 1, 1), "day < DATE '2024-01-01'"),
        (pc.field("t") == dt.time(1), "t = TIME '01:00:00'"),
        (
            pc.field("at") > dt.datetime(2024, 1, 1),
            "at > TIMESTAMP_NTZ '2024-01-01 00:00:00'",
        ),
        (pc.field("m") == Decimal("1.50"), "m = 1.50"),
        (pc.field("c").is_null(), "c IS NULL"),
        (pc.field("r").is_valid(), "r IS NOT NULL"),
    ],
)
def test_filters(expression: pc.Expression, text: str) -> None:
    """What tools filter by is recognised, by Arrow's rules."""
    found, exact = superset(filter_from_arrow(expression, SCHEMA), SCHEMA)
    assert (repr(found), exact) == (text, True)


@pytest.mark.parametrize(
    "expression",
    [
        a > 1.5,  # Arrow rounds large integers
        f == 0.1,  # Arrow widens the column
        pc.field("c") == "a",  # trailing spaces count in Arrow
        pc.starts_with(pc.field("c"), "a "),
        pc.field("d").isin([0.0, 1.0]),
        pc.match_like(s, "a%"),
        pc.field("m") == Decimal("1.5"),  # Arrow compares other scales wrongly
        a + 1 > 2,
        a == pc.field("d"),
        pc.field("r", "y") == 1,
        pc.if_else(a > 1, a > 2, a > 0),
        pc.field("A") == 1,
        pc.field("m[k]") == 1,
        pc.field(0) == 1,
        pc.field("at") == pa.scalar(dt.datetime(2024, 1, 1), pa.timestamp("us", "UTC")),
    ],
)
def test_filters_that_are_not_known(expression: pc.Expression) -> None:
    found, exact = superset(filter_from_arrow(expression, SCHEMA), SCHEMA)
    assert (repr(found), exact) == ("TRUE", False)
    found, exact = superset(filter_from_arrow(~expression & (s == "x"), SCHEMA), SCHEMA)
    assert repr(found) == ("TRUE" if "FieldPath" in str(expression) else "s = 'x'")
    assert not exact


@examples(200)
@given(table=tables((*BITMAP_TYPES, *OTHER_TYPES)), data=st.data())
def test_filters_select_what_arrow_does(table: Table, data: st.DataObject) -> None:
    arrow = table.to_arrow()
    expression = data.draw(arrow_filters(arrow))
    numbered = arrow.append_column("row", pa.array(range(table.num_rows), pa.int64()))
    try:
        wanted = dataset(numbered).to_table(filter=expression)["row"].to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        assume(False)  # Arrow, which is to judge, cannot evaluate it itself
    found, exact = superset(filter_from_arrow(expression, table.schema), table.schema)
    rows = numbered.filter(mask(found, arrow))["row"].to_pylist()
    assert set(wanted) <= set(rows)
    assert not exact or wanted == rows


def test_names() -> None:
    expression = (a == 1) & pc.is_in(s, value_set=pa.array(["d"])) & (pc.field("r", "y") > 1)
    assert names_in_arrow(expression) == frozenset({"a", "s", "r", "y"})
    assert names_in_arrow(pc.scalar(1)) == frozenset()
    assert names_in_arrow(pc.field(0) == 1) is None
