"""Convert sqlglot's tree of a condition to a predicate.

Tests of a column against literals are predicates that indexes answer. Other tests are of values
that rows compute (`expressions`), and so are tests that Spark makes in another type than the
column's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlglot import exp

from paimon_ksy.errors import PredicateError, SchemaError, close_match
from paimon_ksy.predicates.exact_literals import RowsOnly, exact_element, exact_literal
from paimon_ksy.predicates.sql_literals import Node, NotALiteral, literal_of, unsupported
from paimon_ksy.predicates.sql_syntax import checked_form, operands, parse, patterns_of
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Column,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Like,
    Not,
    Or,
    Predicate,
    parts_of,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema


class Converter:
    """Converts sqlglot's tree to a predicate. Each method raises PredicateError as it does."""

    def __init__(self, schema: Schema | None, time_zone: str | None = None) -> None:
        self.schema, self.time_zone = schema, time_zone
        # By the literal that stands for them; those not yet put back.
        self.lists: dict[str, list[Any]] = {}
        self.now = datetime.now(UTC)
        self.is_of_now = False

    def convert(self, root: Node) -> Predicate:
        """Return the predicate of a condition."""
        # With an explicit stack, because `a = 1 OR a = 2 OR ..` is as deep as it is long.
        results: list[Predicate] = []
        todo: list[Node | tuple[type[And] | type[Or], int] | None] = [root]
        while todo:
            node = todo.pop()
            if node is None:
                results.append(_inverted(results.pop()))
            elif isinstance(node, tuple):
                kind, count = node
                children = [part for child in results[-count:] for part in parts_of(kind, child)]
                del results[-count:]
                results.append(kind(tuple(children)))
            elif isinstance(node, exp.Paren):
                todo.append(node.this)
            elif isinstance(node, exp.And | exp.Or):
                parts = operands(node, type(node))
                todo.append((And if isinstance(node, exp.And) else Or, len(parts)))
                todo.extend(reversed(parts))
            elif isinstance(node, exp.Not):
                todo += [None, node.this]
            else:
                results.append(self.condition(node))
        return results.pop()

    def condition(self, node: Node) -> Predicate:
        """Return a condition without AND, OR and NOT."""
        if isinstance(node, exp.Boolean):
            return Always(bool(node.this))
        if isinstance(node, exp.Null):
            return Always(None)
        checked_form(node)
        with suppress(RowsOnly):
            if (rule := _TESTS.get(type(node).__name__)) is not None:
                return rule(self, node)
        return self.computed(node) == True  # noqa: E712

    def comparison(self, node: Node) -> Predicate:
        """Return a comparison of a column with a literal."""
        op = _OPERATORS[type(node).__name__]
        for column, literal, symbol in (
            (node.this, node.expression, op),
            (node.expression, node.this, _MIRRORED.get(op, op)),
        ):
            with suppress(NotALiteral):
                value, named = self.value(literal), self.named(column)
                leaf = None if named is None else self.leaf(symbol, named, value, literal)
                if leaf is not None:
                    return leaf
        for side in (node.expression, node.this):
            self.check_quoted(side, node)
        raise RowsOnly

    def leaf(self, op: str, column: Column, value: Any, node: Node = None) -> Predicate | None:
        """Return the comparison of a column with a value; None if only rows decide it."""
        try:
            value = self.exact(column, value, node)
        except RowsOnly:
            return None
        if op in ("<=>", "IS DISTINCT FROM"):
            same = column.equals_null_safe(value)
            return same if op == "<=>" else Not(same)
        return Comparison(op, column.name, value)

    def exact(self, column: Column, value: Any, node: Node = None) -> Any:
        """Return a literal for a column, as `exact_literal` does. Raises RowsOnly."""
        of_session = isinstance(node, exp.Cast) and node.to.this.name != "TIMESTAMPNTZ"
        return exact_literal(value, self.kind(column), self.time_zone, of_session=of_session)

    def is_test(self, node: Node) -> Predicate:
        """Return IS NULL, IS TRUE or IS FALSE."""
        if isinstance(node.expression, exp.Null):
            return IsNull(self.column(node.this).name)
        named = self.named(node.this)
        if named is None or not isinstance(node.expression, exp.Boolean):
            raise RowsOnly
        return named.equals_null_safe(bool(node.expression.this))

    def in_list(self, node: Node) -> Predicate:
        """Return IN of a column and literals."""
        named = self.named(node.this)
        if len(node.expressions) == 1 and node.expressions[0].name in self.lists:
            return self.long_list(named, self.lists.pop(node.expressions[0].name))
        if named is None or not node.expressions:
            raise RowsOnly
        try:
            listed = [(self.value(item), item) for item in node.expressions]
            values = [self.exact(named, value, item) for value, item in _alike(listed)]
        except NotALiteral:
            for item in node.expressions:
                self.check_quoted(item, node)
            raise RowsOnly from None
        if None in values and self.is_char(named):
            raise RowsOnly
        return In(named.name, tuple(values))

    def long_list(self, column: Column | None, listed: list[Any]) -> Predicate:
        """Return IN of a column and literals that were read apart."""
        if column is None:
            raise PredicateError("a long list needs a column")
        members = _alike([(value, None) for value in listed])
        return In(column.name, tuple(self.exact(column, value) for value, _ in members))

    def between(self, node: Node) -> Predicate:
        """Return BETWEEN of a column and literals."""
        named, bounds = self.named(node.this), (node.args["low"], node.args["high"])
        for each in bounds:
            self.check_quoted(each, node)
        if named is None or self.is_char(named):
            raise RowsOnly
        try:
            low, high = (self.exact(named, self.value(each), each) for each in bounds)
        except NotALiteral:
            raise RowsOnly from None
        return And((Comparison(">=", named.name, low), Comparison("<=", named.name, high)))

    def escaped(self, node: Node) -> Predicate:
        """Return LIKE with ESCAPE."""
        inner = node.this
        if type(inner) not in (exp.Like, exp.ILike) or isinstance(
            inner.expression, exp.Any | exp.All
        ):
            unsupported(node)
        checked_form(inner)
        return self.like(inner, self.operand(node.expression))

    def like(self, node: Node, escape: str = "\\") -> Predicate:
        """Return LIKE of one pattern, of ANY or of ALL. NOT negates each pattern."""
        combined, patterns = patterns_of(node)
        named = self.named(node.this)
        texts = [self.operand(pattern) for pattern in patterns]
        if named is None or not self.may_be_text(named) or type(node) is not exp.Like:
            raise RowsOnly
        tests: list[Predicate] = [Like(named.name, text, escape=escape) for text in texts]
        if node.args.get("negate"):
            tests = [Not(test) for test in tests]
        if len(tests) == 1:
            return tests[0]
        return (Or if combined is exp.Any else And)(tuple(tests))

    def call(self, node: Node) -> Predicate:
        """Return a function that is a test of a column."""
        name, arguments = str(node.this).lower(), node.expressions
        named = self.named(arguments[0]) if arguments else None
        if named is None:
            raise RowsOnly
        if len(arguments) == 1 and name in ("isnull", "isnotnull"):
            return (IsNull if name == "isnull" else IsNotNull)(named.name)
        if len(arguments) == 1 and name == "isnan":
            # NaN equals NaN; and isnan(NULL) is false, not unknown.
            return named.equals_null_safe(math.nan)
        is_text = self.may_be_text(named)
        if len(arguments) == 2 and is_text and name in ("startswith", "endswith", "contains"):
            make: Callable[[Any], Predicate] = getattr(named, name)
            return make(self.operand(arguments[1]))
        if len(arguments) == 2 and name in ("array_contains", "arrays_overlap"):
            return self.elements(node, named, arguments[1])
        raise RowsOnly

    def elements(self, node: Node, column: Column, listed: Node) -> Predicate:
        """Return a test of the elements of an ARRAY column."""
        items = [listed]
        if str(node.this).lower() == "arrays_overlap":
            listed = listed.unnest()
            is_list = isinstance(listed, exp.Anonymous) and str(listed.this).lower() == "array"
            items = listed.expressions if is_list else []
        values = [self.operand(item) for item in items]
        if not values or (items == [listed] and values == [None]):
            unsupported(node)
        kind = self.kind(column)
        if kind is not None and kind.root == "ARRAY":
            values = [exact_element(value, kind.fields[0].type) for value in values]
        if items == [listed]:
            return column.array_contains(values[0])
        return column.arrays_overlap(values)

    def flag(self, node: Node) -> Predicate:
        """Return a BOOLEAN column by itself."""
        return self.column(node) == True  # noqa: E712

    def column(self, node: Node) -> Column:
        """Return the column, key of a MAP, or computed value that the node names."""
        return self.named(node) or self.computed(node.unnest())

    def named(self, node: Node) -> Column | None:
        """Return the column, or key of a MAP, that a node names; None for other values."""
        node = node.unnest()
        if isinstance(node, exp.Bracket) and len(node.expressions) == 1:
            key = _key(node.expressions[0])
            if key is not None and isinstance(node.this, exp.Column) and len(node.this.parts) == 1:
                return self.keyed(node.this.name, key)
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            return self.checked(str(node.name))
        if isinstance(node, exp.Anonymous) and str(node.this).lower() == "element_at":
            column, *keys = node.expressions
            return self.named(exp.Bracket(this=column, expressions=keys))
        return None

    def keyed(self, name: str, key: str) -> Column | None:
        """Return the values at a key of a MAP; None if the column is none, such as an ARRAY."""
        kind = self.kind(self.checked(name))
        return None if kind and kind.root != "MAP" else self.checked(f"{name}[{key}]")

    def computed(self, node: Node) -> Column:
        """Return an expression as a column. Raises PredicateError if it is not supported."""
        known = {name.casefold() for name in self.schema.names} if self.schema is not None else None
        for column in node.find_all(exp.Column):
            self.check_quoted(column, node)
            names = column.parts
            if len(names) > 1 and known is not None and names[0].name.casefold() not in known:
                unsupported(column, "a name with a dot outside of backticks")
        node = node.transform(self.at_this_instant)
        from paimon_ksy.predicates.expressions import Expression  # imports pyarrow

        names = (self.exact_name(column.parts[0].name) for column in node.find_all(exp.Column))
        columns = tuple(dict.fromkeys(names))
        is_condition = isinstance(node, exp.Predicate | exp.Connector)
        return Column(Expression(node.sql("spark"), node, columns, is_condition))

    def at_this_instant(self, node: Node) -> Node:
        """Return now() and the like as the time at which the condition is parsed."""
        name = str(node.this).lower() if isinstance(node, exp.Anonymous) else node.key
        if node.args.get("expressions") or name not in _NOW:
            return node
        self.is_of_now = True
        instant = parse(f"TIMESTAMP_LTZ '{self.now:%Y-%m-%d %H:%M:%S.%f}Z'")
        is_date = name.endswith("date") or name == "curdate"
        return exp.Anonymous(this="to_date", expressions=[instant]) if is_date else instant

    def is_char(self, column: Column) -> bool:
        """Return whether a column is a CHAR, whose padding counts for some tests."""
        kind = self.kind(column)
        return kind is not None and kind.root == "CHAR"

    def may_be_text(self, column: Column) -> bool:
        """Return whether the schema does not exclude that a column contains texts."""
        kind = self.kind(column)
        return kind is None or kind.is_string

    def kind(self, column: Column) -> DataType | None:
        """Return the type of a column; None without a schema."""
        if self.schema is None or not isinstance(column.name, str):
            return None
        return self.schema[column.name]

    def checked(self, name: str) -> Column:
        """Return the column with the schema's exact name, if there is a schema."""
        return Column(self.exact_name(name))

    def exact_name(self, name: str) -> str:
        """Return the name of a column in the schema, if there is a schema."""
        if self.schema is None:
            return name
        try:
            return self.schema.column(name, ignore_case=True).name
        except SchemaError as error:
            raise PredicateError(str(error)) from None

    def value(self, node: Node) -> Any:
        """Return a literal, or the expression of a constant. Raises NotALiteral for others."""
        try:
            return literal_of(node)
        except NotALiteral:
            if any(node.find_all(exp.Column, exp.Query)):
                raise
            return self.computed(node.unnest()).name

    def operand(self, node: Node) -> Any:
        """Return the value of a node that must be a constant."""
        try:
            return self.value(node)
        except NotALiteral:
            self.check_quoted(node, node.parent or node)
            unsupported(node)

    def check_quoted(self, node: Node, condition: Node) -> None:
        """Raise PredicateError if the node should be a literal, but lacks its quotes."""
        if not self.is_unknown(node.unnest()):
            return
        name = node.unnest().name
        if self.schema is not None and close_match(name, self.schema.names):
            self.checked(name)  # a misspelt column
        for column in list(condition.find_all(exp.Column)):
            if self.is_unknown(column):
                column.replace(exp.Literal.string(column.name))
        raise PredicateError(
            f"no column {name!r}: a text needs single quotes",
            remedy=f"write {condition.sql('spark'):.200}",
        )

    def is_unknown(self, node: Node) -> bool:
        """Return whether the node is a plain name that no column of the schema has."""
        if self.schema is None or not isinstance(node, exp.Column) or len(node.parts) > 1:
            return False
        known = {name.casefold() for name in self.schema.names}
        return not node.this.args.get("quoted") and node.name.casefold() not in known


_OPERATORS = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
_OPERATORS |= {"NullSafeEQ": "<=>", "NullSafeNEQ": "IS DISTINCT FROM"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOW = ("now", "current_timestamp", "currenttimestamp", "current_date", "currentdate", "curdate")
_TESTS: dict[str, Callable[[Converter, Node], Predicate]] = {
    **dict.fromkeys(_OPERATORS, Converter.comparison),
    **dict.fromkeys(("Like", "ILike"), Converter.like),
    **dict.fromkeys(("Column", "Bracket", "Dot"), Converter.flag),
    "Escape": Converter.escaped,
    "Is": Converter.is_test,
    "In": Converter.in_list,
    "Between": Converter.between,
    "Anonymous": Converter.call,
}
"""The tests that may be of a column and literals, by sqlglot's class."""


def _key(node: Node) -> str | None:
    """Return the key of a MAP that a node in brackets names; None for others."""
    if isinstance(node, exp.Column) and len(node.parts) == 1 and node.this.args.get("quoted"):
        return str(node.name)
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else None


def _inverted(predicate: Predicate) -> Predicate:
    return predicate.child if isinstance(predicate, Not) else Not(predicate)


def _alike(listed: list[tuple[Any, Node]]) -> list[tuple[Any, Node]]:
    """Return the members of IN as Spark compares them: with a DOUBLE among them, as DOUBLEs."""
    if not any(isinstance(value, float) for value, _ in listed):
        return listed
    numbers = int | Decimal
    return [
        (float(v) if isinstance(v, numbers) and not isinstance(v, bool) else v, item)
        for v, item in listed
    ]
