"""Hypothesis strategies: columns of each type that bitmap takes, literals, predicates on them.

To make and check a strategy takes longer than to draw from it. So those of a type are made once,
and what depends on drawn values picks from these by place.
"""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import accumulate
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from paimon_ksy.predicates.tree import Always, Column, Comparison, In, Not, Predicate
from paimon_ksy.testing.columns import NOON
from paimon_ksy.testing.columns import arrow_column as arrow_column
from paimon_ksy.testing.columns import columns as columns
from paimon_ksy.testing.columns import values as values
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.literals import DATE, TIMESTAMP, TIMESTAMP_LTZ, TypedLiteral
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema

BITMAP_TYPES = tuple(
    map(
        parse_type,
        (
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INT",
            "BIGINT",
            "FLOAT",
            "DOUBLE",
            "CHAR(5)",
            "VARCHAR(20)",
            "STRING",
            "DATE",
            "TIME(0)",
            "TIME(3)",
            "TIMESTAMP(0)",
            "TIMESTAMP(3)",
            "TIMESTAMP(6)",
            "TIMESTAMP(9)",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "TIMESTAMP(9) WITH LOCAL TIME ZONE",
        ),
    )
)
"""Each type that the bitmap index takes, as golden data have them."""

OTHER_TYPES = tuple(map(parse_type, ("DECIMAL(10, 2)", "DECIMAL(38, 0)", "BINARY(4)", "BYTES")))
"""Comparable types that the bitmap index refuses."""


def trees(leaves: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[Any]:
    """Predicates of up to so many of these leaves, by AND, OR and NOT."""
    return st.recursive(
        leaves,
        lambda parts: (
            st.tuples(parts, parts).map(lambda two: two[0] & two[1])
            | st.tuples(parts, parts).map(lambda two: two[0] | two[1])
            | parts.map(lambda part: ~part)
        ),
        max_leaves=most,
    )


def literal_of(value: Any, kind: DataType) -> Any:
    """The literal for an internal value, as a user may write it."""
    if value is None:
        return None
    if kind.root == "DATE":
        return TypedLiteral(value, DATE)
    if kind.is_timestamp:
        return TypedLiteral(value, TIMESTAMP_LTZ if kind.root == "TIMESTAMP_LTZ" else TIMESTAMP)
    if kind.root == "TIME":
        midnight = dt.datetime(1970, 1, 1)
        return (midnight + dt.timedelta(milliseconds=value)).time()
    return value


@cache
def literals(kind: DataType) -> st.SearchStrategy[Any]:
    """Literals that may be compared with a column of the type, also ones that it cannot hold."""
    own = values(kind).map(lambda value: literal_of(value, kind))
    root = kind.root
    if root in INTEGER_BITS or root in ("DECIMAL", "FLOAT", "DOUBLE"):
        numbers = [1.5, -0.5, 10**30, -(10**30), Decimal("1.005"), Decimal("1E+50"), 1e300, 0.1]
        edge: list[Any] = [*numbers, -1e300, math.nan, math.inf, -math.inf, 2**53 + 1]
        return (
            own
            | st.sampled_from(edge)
            | st.integers(-10, 10)
            | st.floats()
            | st.decimals(allow_nan=False, allow_infinity=False).filter(
                lambda number: abs(number.adjusted()) < 400
            )
        )
    if root == "CHAR":
        return own | st.sampled_from(["a", "a   ", "a          ", "abcdefgh", b"ab", "ab "])
    if root == "TIME":
        return own | st.sampled_from(["12:30:00", dt.time(12, 30, 0, 1), dt.time(0, 0, 0, 999)])
    if root == "DATE" or kind.is_timestamp:
        edge = [
            dt.date(2024, 1, 1),
            dt.datetime(2024, 1, 1, 12),
            dt.datetime(2024, 1, 1, 12, 0, 0, 123_456),
            TypedLiteral(19_723, DATE),
            TypedLiteral(NOON + 123_456_789, TIMESTAMP),
            "2024-01-01",
            # Of years that SQL can name and no file can hold.
            TypedLiteral(3 * 10**9, DATE),
            TypedLiteral(-(10**23), TIMESTAMP),
        ]
        if kind.is_timestamp:
            edge += ["2024-01-01T12:00:00.123456", "1969-12-31 23:59:59.999999999"]
        if root == "TIMESTAMP_LTZ":
            zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
            edge.append(dt.datetime(2024, 1, 1, 17, 30, tzinfo=zone))
        return own | st.sampled_from(edge)
    return own


_OPERATIONS = st.sampled_from(["is null", "compare", "in", "between", "<=>"])
_TEXT_OPERATIONS = st.sampled_from(
    ["is null", "compare", "in", "between", "<=>", "startswith", "endswith", "contains", "like"]
)
_COMPARISONS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
_COUNTS = st.integers(0, 4)
_PARTS = st.sampled_from(["", "a", "b", " ", "ab", "中", "😀", "%", "_"])
_PATTERNS = st.lists(
    st.sampled_from(["%", "_", "a", "b", " ", "\\%", "\\\\", "中", "😀"]), max_size=4
).map("".join)
_ORIGINS = st.sampled_from(["column", "any", "null"])
_ROWS = st.integers(0, 10_000)


@st.composite
def leaves(draw: st.DrawFn, name: str, kind: DataType, column: Sequence[Any] = ()) -> Predicate:
    """Tests of one column; literals come from `column` too, so that some rows match."""
    target = Column(name)

    def literal() -> Any:
        origin = draw(_ORIGINS)
        if origin == "null":
            return None
        if origin == "column" and column:
            return literal_of(column[draw(_ROWS) % len(column)], kind)
        return draw(literals(kind))

    operation = draw(_TEXT_OPERATIONS if kind.is_string else _OPERATIONS)
    if operation == "is null":
        return target.is_null() if draw(st.booleans()) else target.is_not_null()
    if operation == "compare":
        return Comparison(draw(_COMPARISONS), name, literal())
    if operation == "in":
        several = tuple(literal() for _ in range(draw(_COUNTS)))
        return In(name, several, draw(st.booleans()))
    if operation == "between":
        return target.between(literal(), literal())
    if operation == "<=>":
        return target.equals_null_safe(literal())
    if operation == "like":
        return target.like(draw(_PATTERNS))
    test: Predicate = getattr(target, operation)(draw(_PARTS))
    return test


_SHAPES = st.sampled_from(["leaf", "and", "or", "not"])
_CONSTANTS = st.sampled_from([True, False, None])


@st.composite
def predicates(
    draw: st.DrawFn,
    schema: Schema,
    data: Mapping[str, Sequence[Any]],
    max_leaves: int = 8,
) -> Predicate:
    """Trees of tests of any of the schema's columns."""
    fields = list(schema)

    def tree(room: int) -> Predicate:
        shape = draw(_SHAPES) if room > 1 else "leaf"
        if shape == "not":
            return Not(tree(room - 1))
        if shape != "leaf":
            left = tree(room // 2)
            right = tree(room - room // 2)
            return left & right if shape == "and" else left | right
        at = draw(_ROWS) % (len(fields) + 1)
        if at == len(fields):
            return Always(draw(_CONSTANTS))
        field = fields[at]
        return draw(leaves(field.name, field.type, data.get(field.name, ())))

    return tree(max_leaves)


def lists_of(kind: DataType, values: list[Any]) -> pa.Array:
    """Lists of internal values as Arrow has them; null ones are not empty underneath."""
    counts = [2 if each is None else len(each) for each in values]
    flat = [one for each in values for one in ([None, None] if each is None else each)]
    offsets = pa.array([0, *accumulate(counts)], pa.int32())
    nulls = pa.array([each is None for each in values], pa.bool_())
    return pa.ListArray.from_arrays(offsets, arrow_column(kind, flat), mask=nulls)


@dataclass(frozen=True)
class Table:
    """A schema, and columns of internal values, all of one length."""

    schema: Schema
    columns: dict[str, list[Any]]
    num_rows: int

    def to_arrow(self) -> pa.Table:
        """The same as an Arrow table."""
        arrays = [arrow_column(f.type, self.columns[f.name]) for f in self.schema]
        return pa.table(arrays, schema=self.schema.to_arrow())


@st.composite
def tables(
    draw: st.DrawFn, types: Sequence[DataType] = BITMAP_TYPES, max_columns: int = 3
) -> Table:
    """Tables of one to three columns `c0`, `c1`, .. of these types, with up to 30 rows."""
    kinds = draw(st.lists(st.sampled_from(types), min_size=1, max_size=max_columns))
    num_rows = draw(st.integers(0, 30))
    schema = Schema(tuple(Field(f"c{i}", kind) for i, kind in enumerate(kinds)))
    data = {
        field.name: draw(columns(field.type, min_size=num_rows, max_size=num_rows))
        for field in schema
    }
    return Table(schema, data, num_rows)


@st.composite
def tables_and_predicates(
    draw: st.DrawFn, types: Sequence[DataType] = BITMAP_TYPES
) -> tuple[Table, Predicate]:
    """A table and a predicate on it."""
    table = draw(tables(types))
    return table, draw(predicates(table.schema, table.columns))
