"""Predicates from pyarrow.compute expressions.

Arrow has no way to look into an expression. Its pickled form has: a record batch of one row with
the literals and options, and in the schema's metadata the calls in order (`SerializeExpression` in
Arrow's expression.cc). Each literal keeps its exact type, which the expression's text would lose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PredicateError, first_line
from paimon_ksy.predicates.tree import Always, Column, Comparison, In, Not, Predicate
from paimon_ksy.types.literals import plain

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc

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
    "ends_with, match_substring and match_like, combined with &, | and ~"
)


def predicate_from_arrow(expression: pc.Expression) -> Predicate:
    """Return the predicate of an expression such as `pc.field("status") == "PENDING"`.

    Its meaning for nulls is kept: Arrow's `isin` is false for them, not unknown as SQL's IN. NaN is
    compared as in SQL.

    Raises:
        PredicateError: A part of the expression has no counterpart.
    """
    from pyarrow.compute import Expression

    if not isinstance(expression, Expression):
        raise PredicateError(
            f"a {type(expression).__name__} is not a predicate: write SQL, or use col(..) or a "
            "pyarrow.compute expression"
        )
    calls, values = _serialized(expression)
    stack = [_Call("")]
    for kind, text in calls:
        if kind == "call":
            stack.append(_Call(text))
        elif kind == "end":
            call = stack.pop()
            stack[-1].arguments.append(_convert(call))
        elif kind == "field_ref":
            stack[-1].arguments.append(Column(text))
        elif kind == "literal":
            stack[-1].arguments.append(_Scalar(plain(values.column(int(text))[0])))
        elif kind == "options":
            stack[-1].options = dict(values.column(int(text))[0].items())
        else:
            raise _unsupported("a nested field", "put an m[key] column into one field name")
    (root,) = stack.pop().arguments
    return _condition(root)


@dataclass(frozen=True)
class _Scalar:
    value: Any


@dataclass
class _Call:
    function: str
    arguments: list[Column | _Scalar | Predicate] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)


_LINE = re.compile(r"(call|end|field_ref|nested_field_ref|literal|options): '(.*)'")


def _serialized(expression: pc.Expression) -> tuple[list[tuple[str, str]], pa.RecordBatch]:
    import pyarrow as pa

    try:
        _, (buffer,) = expression.__reduce__()
    except (pa.ArrowException, NotImplementedError) as error:
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


def _condition(node: Column | _Scalar | Predicate) -> Predicate:
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
    if name in _OPERATORS:
        return _comparison(_OPERATORS[name], arguments)
    remedy = "only fields by themselves can be compared"
    if not isinstance(arguments[0], Column):
        raise _unsupported(f"the function {name} of an expression", remedy)
    column = arguments[0]
    if name == "is_valid":
        return column.is_not_null()
    if name == "is_null":
        nan_is_null = call.options["nan_is_null"].as_py() if call.options else False
        null = column.is_null()
        return null | (column == float("nan")) if nan_is_null else null
    if name == "is_nan":
        return column == float("nan")
    if name == "is_in":
        return _is_in(column, call.options)
    tests = {
        "starts_with": column.startswith,
        "ends_with": column.endswith,
        "match_substring": column.contains,
        "match_like": column.like,
    }
    if name in tests and not call.options["ignore_case"].as_py():
        return tests[name](call.options["pattern"].as_py())
    raise _unsupported(f"the function {name}", remedy)


def _comparison(op: str, arguments: list[Column | _Scalar | Predicate]) -> Predicate:
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
    found = column.is_not_null() & In(column.name, known)
    matches_null = behavior == 0 and len(known) < len(values)
    return found | column.is_null() if matches_null else found


def _unsupported(what: str, remedy: str) -> PredicateError:
    return PredicateError(
        f"{what} in a pyarrow expression is not supported: {remedy}; supported are {_SUPPORTED}"
    )
