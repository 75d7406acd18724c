"""Convert pyarrow.compute expressions to predicates, with SQL's rules or with Arrow's.

Arrow has no API to inspect an expression, but its pickled form can be parsed. It is a record batch
of one row with the literals and options, and the schema's metadata contain the calls in order
(`SerializeExpression` in Arrow's expression.cc). Each literal keeps its exact type, which the
expression's text would lose.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from pyarrow.compute import Expression

from paimon_ksy.errors import PredicateError, first_line, with_article
from paimon_ksy.predicates.tree import (
    Always,
    Column,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Not,
    Or,
    Predicate,
    Unsure,
)
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.literals import plain
from paimon_ksy.types.schema import Schema

_OPERATORS = {
    "equal": "=",
    "not_equal": "<>",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SUPPORTED = (
    "comparisons of a field with a scalar, isin, is_null, is_valid, is_nan, starts_with, "
    "ends_with, match_substring and match_like, combined with &, | and ~, and if_else of a test "
    "for null"
)


def predicate_from_arrow(expression: pc.Expression) -> Predicate:
    """Convert an expression such as `pc.field("status") == "PENDING"`.

    The meaning of nulls is kept: Arrow's `isin` is false for null, while SQL's IN is unknown. NaN
    is compared like in SQL.

    Raises:
        PredicateError: A part of the expression has no counterpart.
    """
    if not isinstance(expression, Expression):
        raise PredicateError(
            f"{with_article(type(expression))} is not a predicate: write SQL, or use col(..) or a "
            "pyarrow.compute expression"
        )
    return _condition(_converted(expression, _convert))


def filter_from_arrow(expression: pc.Expression, schema: Schema) -> Predicate:
    """Convert a filter to a predicate that is true and false for the same rows as in Arrow.

    A part becomes `Unsure` if SQL's rules may differ, or if it has no counterpart. Columns are
    those of the schema by their exact names, without keys of maps.
    """

    def convert(call: _Call) -> Predicate:
        try:
            return _convert(call) if call.function in _JUNCTIONS else _by_arrow(call, schema)
        except (PredicateError, ValueError, OverflowError):
            return Unsure("")

    try:
        return _condition(_converted(expression, convert))
    except PredicateError:
        return Unsure("")


def names_in_arrow(expression: pc.Expression) -> frozenset[str] | None:
    """Return a superset of the columns that an expression reads; None if they are unknown."""
    try:
        calls, _ = _serialized(expression)
    except PredicateError:
        return None
    return frozenset(text for kind, text in calls if kind == "field_ref")


def _converted(expression: pc.Expression, convert: Callable[[_Call], Predicate]) -> _Node:
    """Convert an expression; `convert` makes the predicates of its calls."""
    calls, values = _serialized(expression)
    stack = [_Call("")]
    left = iter(calls)
    for kind, text in left:
        if kind == "call":
            stack.append(_Call(text))
        elif kind == "end":
            call = stack.pop()
            stack[-1].arguments.append(convert(call))
        elif kind == "field_ref":
            stack[-1].arguments.append(Column(text))
        elif kind == "literal":
            stack[-1].arguments.append(_Scalar(values.column(int(text))[0]))
        elif kind == "options":
            stack[-1].options = dict(values.column(int(text))[0].items())
        else:
            for _ in range(int(text)):  # the names on the way to the field
                next(left)
            stack[-1].arguments.append(_Nested())
    (root,) = stack.pop().arguments
    return root


@dataclass(frozen=True)
class _Scalar:
    scalar: pa.Scalar

    @property
    def value(self) -> Any:
        return plain(self.scalar)


@dataclass(frozen=True)
class _Nested:
    """A field of a ROW, or an element."""


_Node: TypeAlias = Column | _Scalar | _Nested | Predicate


@dataclass
class _Call:
    function: str
    arguments: list[_Node] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)


_LINE = re.compile(r"(call|end|field_ref|nested_field_ref|literal|options): '(.*)'")


def _serialized(expression: pc.Expression) -> tuple[list[tuple[str, str]], pa.RecordBatch]:
    try:
        _, (buffer,) = expression.__reduce__()
    except pa.ArrowException as error:  # Arrow does not pickle fields by number
        remedy = f"name each field ({first_line(error)})"
        raise _unsupported("such an expression", remedy) from None
    batch = pa.ipc.open_file(buffer).get_batch(0)
    # As a dict, the metadata would lose its order and repeated keys; its text has them.
    text: str = batch.schema.to_string(
        truncate_metadata=False, show_field_metadata=False, show_schema_metadata=True
    )
    _, _, metadata = text.partition("-- schema metadata --\n")
    calls = []
    for line in metadata.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            raise _unsupported("a field name with a line break", "make the predicate with col(..)")
        calls.append((match[1], match[2]))
    return calls, batch


def _condition(node: _Node) -> Predicate:
    if isinstance(node, _Nested):
        raise _nested()
    if isinstance(node, Column):
        return node == True  # noqa: E712
    if isinstance(node, _Scalar):
        if node.value is None or isinstance(node.value, bool):
            return Always(node.value)
        raise _unsupported(f"the scalar {node.value!r} as a condition", "compare it with a field")
    return node


def _convert(call: _Call) -> Predicate:
    name, arguments = call.function, call.arguments
    if name in ("and_kleene", "or_kleene"):
        left, right = map(_condition, arguments)
        return left & right if name == "and_kleene" else left | right
    if name == "invert":
        return Not(_condition(arguments[0]))
    if name == "if_else":
        return _if_else(*arguments)
    if any(isinstance(argument, _Nested) for argument in arguments):
        raise _nested()
    if name in _OPERATORS:
        return _comparison(_OPERATORS[name], arguments)
    remedy = "only fields by themselves can be compared"
    column = arguments[0] if arguments else None
    if not isinstance(column, Column):
        raise _unsupported(f"the function {name} of an expression", remedy)
    if name not in _TESTS or (name in _OF_TEXT and call.options["ignore_case"].as_py()):
        raise _unsupported(f"the function {name}", remedy)
    return _TESTS[name](column, call.options)


def _is_null(column: Column, options: dict[str, Any]) -> Predicate:
    nan_is_null = options["nan_is_null"].as_py() if options else False
    return column.is_null() | (column == float("nan")) if nan_is_null else column.is_null()


def _of_text(test: Callable[[Column, str], Predicate]) -> Callable[[Column, Any], Predicate]:
    return lambda column, options: test(column, options["pattern"].as_py())


def _if_else(test: _Node, then: _Node, otherwise: _Node) -> Predicate:
    if not isinstance(test, IsNull | IsNotNull):  # an unknown test selects no branch
        raise _unsupported("if_else of anything but a test for null", "rewrite the expression")
    return (test & _condition(then)) | (Not(test) & _condition(otherwise))


def _comparison(op: str, arguments: list[_Node]) -> Predicate:
    match arguments:
        case [Column(name=name), _Scalar(value=value)]:
            return Comparison(op, name, value)
        case [_Scalar(value=value), Column(name=name)]:
            return Comparison(_MIRRORED.get(op, op), name, value)
    raise _unsupported(f"{op} of anything but a field and a scalar", "rewrite the expression")


def _is_in(column: Column, options: dict[str, Any]) -> Predicate:
    """Convert `is_in`: SetLookupOptions define what a null row and a null among the values mean."""
    value_set = options["value_set"]
    scalars = value_set.values if value_set.is_valid else []
    values = [plain(scalar) for scalar in scalars]
    known = tuple(value for value in values if value is not None)
    behavior = options["null_matching_behavior"].as_py()
    if behavior == 3:  # INCONCLUSIVE: as SQL
        return In(column.name, tuple(values))
    if behavior == 2:  # EMIT_NULL: unknown for a null row, nulls among the values do not count
        return In(column.name, known) if known else column.is_null() & Always(None)
    in_list = column.is_not_null() & In(column.name, known)
    matches_null = behavior == 0 and len(known) < len(values)
    return in_list | column.is_null() if matches_null else in_list


_OF_TEXT: dict[str, Callable[[Column, Any], Predicate]] = {
    "starts_with": _of_text(Column.startswith),
    "ends_with": _of_text(Column.endswith),
    "match_substring": _of_text(Column.contains),
    "match_like": _of_text(Column.like),
}
_TESTS: dict[str, Callable[[Column, Any], Predicate]] = {
    "is_valid": lambda column, _: column.is_not_null(),
    "is_null": _is_null,
    "is_nan": lambda column, _: column == float("nan"),
    "is_in": _is_in,
    **_OF_TEXT,
}
"""The functions of a column that are tests, with their options."""


# Arrow's rules ------------------------------------------------------------------------------------

_JUNCTIONS = frozenset({"and_kleene", "or_kleene", "invert", "if_else"})
_TEXT_TESTS = frozenset({"starts_with", "ends_with", "match_substring"})


def _by_arrow(call: _Call, schema: Schema) -> Predicate:
    """Return the predicate with Arrow's results for a call. Raises PredicateError if none is."""
    predicate, name = _convert(call), call.function
    column = next(node.name for node in call.arguments if isinstance(node, Column))
    if column not in schema.names:
        raise _unsupported(f"the name {column!r}", "it is not a column")
    kind = schema[column]
    if not _is_sure(call, predicate, kind):
        raise _unsupported(f"{name} of {kind} with such literals", "Arrow's rules may differ")
    is_compared = name in _OPERATORS and kind.root in _FLOATS
    if is_compared and isinstance(predicate, Comparison) and predicate.value is not None:
        return _beside_nan(predicate)
    return predicate


def _is_sure(call: _Call, predicate: Predicate, kind: DataType) -> bool:
    """Return whether Arrow and SQL have the same results."""
    name = call.function
    if name in ("is_null", "is_valid", "is_nan"):
        tests_nan = name == "is_nan" or isinstance(predicate, Or)
        return kind.root in _FLOATS or not tests_nan
    if name in _TEXT_TESTS:
        return kind.root == "VARCHAR"
    if name == "is_in":
        listed = call.options["value_set"]
        values = [plain(scalar) for scalar in listed.values or ()]
        if kind.root in _FLOATS and 0.0 in values:  # Here, Arrow distinguishes -0.0 from 0.0.
            return False
        return _is_compared_alike(kind, listed.type.value_type, values)
    literal = next((node for node in call.arguments if isinstance(node, _Scalar)), None)
    if literal is None or not isinstance(predicate, Comparison):
        return False
    return _is_compared_alike(kind, literal.scalar.type, [literal.value])


_FLOATS = ("FLOAT", "DOUBLE")
_EXACT_IN_FLOAT = 1 << 24


def _is_compared_alike(kind: DataType, literal: pa.DataType, values: Sequence[Any]) -> bool:
    """Return whether Arrow compares a column with literals of this type by their exact values."""
    root = kind.root
    if root in _FLOATS and at.is_integer(literal):
        return all(v is None or abs(v) <= _EXACT_IN_FLOAT for v in values)
    if kind.is_timestamp:
        zoned = getattr(literal, "tz", None) is not None
        return bool(at.is_timestamp(literal) and zoned == (root == "TIMESTAMP_LTZ"))
    if root == "DECIMAL":  # in Arrow 19, 1.01 < 1.005, because it ignores different scales
        return bool(at.is_decimal(literal) and literal.scale == kind.scale)
    return any(test(literal) for test in _COMPARED_WITH.get(root, ()))


_COMPARED_WITH: dict[str, Sequence[Callable[[pa.DataType], bool]]] = {
    **dict.fromkeys(INTEGER_BITS, (at.is_integer,)),
    # Arrow would widen a FLOAT column, and compare other values than the nearest FLOAT.
    "FLOAT": (at.is_float32,),
    "DOUBLE": (at.is_float32, at.is_float64),
    "BOOLEAN": (at.is_boolean,),
    "VARCHAR": (at.is_string, at.is_large_string),
    "BINARY": (at.is_binary, at.is_large_binary),
    "VARBINARY": (at.is_binary, at.is_large_binary),
    "DATE": (at.is_date32,),
    "TIME": (at.is_time,),
}
"""The types of literals that Arrow compares with columns by their exact values."""


def _beside_nan(comparison: Comparison) -> Predicate:
    """Return a comparison with the rules of IEEE 754: with NaN, only `<>` is true."""
    is_nan = Comparison("=", comparison.column, math.nan)
    if math.isnan(comparison.value):
        return is_nan | Not(is_nan) if comparison.op == "<>" else is_nan & Not(is_nan)
    return comparison & Not(is_nan) if comparison.op in (">", ">=") else comparison


def _nested() -> PredicateError:
    return _unsupported("a nested field", "put an m[key] column into one field name")


def _unsupported(what: str, remedy: str) -> PredicateError:
    return PredicateError(
        f"{what} in a pyarrow expression is not supported: {remedy}; supported are {_SUPPORTED}"
    )
