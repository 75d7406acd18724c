"""Parse predicates in Spark SQL.

Tests of a column against literals are predicates that indexes answer: comparisons, IS [NOT] NULL,
IS [NOT] TRUE / FALSE, [NOT] IN, BETWEEN, LIKE, startswith, endswith, contains, isnan, and a BOOLEAN
column by itself. Other tests are of values that rows compute (`expressions`). Both are combined by
AND, OR and NOT. A column is a name, in backticks if needed, or a key of a MAP, m['key']. The parser
is sqlglot, except for tests such as `column = 'literal'`, alone or combined with AND.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PredicateError, SchemaError, close_match
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.sql_literals import (
    SUPPORTED,
    Node,
    NotALiteral,
    literal_of,
    unsupported,
)
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Column,
    Comparison,
    Computed,
    In,
    IsNotNull,
    IsNull,
    Like,
    Not,
    Or,
    Predicate,
    parts_of,
)
from paimon_ksy.runtime.late import Late
from paimon_ksy.types.schema import Schema, checked_schema

if TYPE_CHECKING:
    from sqlglot import errors, exp
else:
    errors, exp = Late("sqlglot.errors"), Late("sqlglot.expressions")


def parse_predicate(
    sql: str, schema: Schema | None = None, *, time_zone: str | None = None
) -> Predicate:
    """Parse a SQL condition to a predicate.

    The predicate can be combined with others; it is only bound if a time zone is given.

    Args:
        sql: A condition such as `status IN ('A', 'B') AND user_id IS NOT NULL`.
        schema: If given, columns and literals are checked, and names get the schema's case.
        time_zone: The session's time zone, for literals without a zone that are compared with
            TIMESTAMP WITH LOCAL TIME ZONE. It has an effect only with a schema.

    Raises:
        PredicateError: The text is not a predicate, or does not fit the schema.
    """
    if schema is not None:
        schema = checked_schema(schema)
    predicate = _parse_plain(sql, schema)
    if predicate is None:
        predicate = _parse_with_lists_apart(sql, schema)
    if predicate is None:
        try:
            predicate = Converter(schema).convert(parse(sql))
        except RecursionError:  # sqlglot nests some twenty calls for each parenthesis
            raise PredicateError(
                "SQL nested too deeply: fewer parentheses, NOT and minus signs are needed"
            ) from None
        except ArithmeticError:  # of Decimal, here or in sqlglot
            raise PredicateError(
                "a number has too large an exponent: correct the literal"
            ) from None
    if schema is not None:
        bound = bind(predicate, schema, time_zone=time_zone or "UTC")
        return predicate if time_zone is None else bound
    return predicate


def parse_conditions(
    sql: str, schema: Schema, column_of: Callable[[Node], Node] = lambda node: node
) -> Iterator[tuple[str, Predicate | None]]:
    """Yield each condition of the top-level AND, with its predicate; None if it is unsupported.

    Args:
        sql: The condition, in Spark's SQL.
        schema: The columns.
        column_of: Returns the column that stands for a node, such as that of a cast; other nodes
            unchanged.
    """
    try:
        parts = _operands(parse(sql), exp.And)
    except (PredicateError, RecursionError, ArithmeticError):
        yield sql, None
        return
    for part in parts:
        predicate = None
        with suppress(PredicateError, RecursionError, ArithmeticError):
            predicate = Converter(schema).convert(part.transform(column_of))
        yield part.sql("spark"), predicate


_LONG = 100  # characters of a list from which on it is read apart
_NUMBER = "-?[0-9]{1,18}"
_TEXT = "'[^']*(?:''[^']*)*'"
_GAP = "[ \\t\\r\\n]*"
_LIST = "|".join(f"{item}(?:{_GAP},{_GAP}{item})*" for item in (_NUMBER, _TEXT))
_QUOTED_OR_LIST = re.compile(
    rf"""{_TEXT}|"[^"]*"|`[^`]*`|\b[iI][nN]{_GAP}\({_GAP}({_LIST}){_GAP}\)"""
)
_ITEM = re.compile(f"{_NUMBER}|{_TEXT}")
_LITERAL = rf"({_NUMBER}(?:\.[0-9]{{1,18}})?)|('[^'\\]*')"
_PLAIN = rf"([a-zA-Z_]\w*){_GAP}(=|<>|!=|<=?|>=?){_GAP}(?:{_LITERAL})"
_PLAIN_ONES = re.compile(rf"{_GAP}{_PLAIN}(?:[ \t\r\n]+[aA][nN][dD][ \t\r\n]+{_PLAIN})*{_GAP}")
_OTHER_QUOTES = ("\\", "--", "/*", "{#")  # escapes and comments: not for these patterns


def _parse_plain(sql: str, schema: Schema | None) -> Predicate | None:
    """Return the predicate of plain comparisons with columns of the schema; None for other SQL.

    Importing sqlglot for them takes 75 of the 290 ms of `paimon-ksy eval`.
    """
    if schema is None or not _PLAIN_ONES.fullmatch(sql):
        return None
    comparisons = []
    for name, op, number, text in re.findall(_PLAIN, sql):
        try:
            column = schema.column(name, ignore_case=True)
        except SchemaError:
            return None
        if name.lower() in ("null", "true", "false"):
            return None
        value = text[1:-1] if text else Decimal(number) if "." in number else int(number)
        comparisons.append(Comparison(op.replace("!=", "<>"), column.name, value))
    return And(tuple(comparisons)) if len(comparisons) > 1 else comparisons[0]


def _parse_with_lists_apart(sql: str, schema: Schema | None) -> Predicate | None:
    """Return the predicate of SQL with long IN lists of plain literals.

    sqlglot makes several objects of each literal, and a predicate of another query's result has
    thousands (`IN of .. user_ids` of `make bench-tables`): 1,000 take it 110 ms, and 0.4 ms here.
    So each list is one literal for sqlglot, and put back into the tree.

    Returns:
        None if there is no such list, or if anything is not as expected: then sqlglot has to read
        it all, or to find what is wrong.
    """
    if len(sql) < _LONG or any(mark in sql for mark in _OTHER_QUOTES):
        return None
    name = "list"
    while name in sql:
        name += "_"
    lists: dict[str, list[Any]] = {}

    def apart(match: re.Match[str]) -> str:
        whole, listed = match.group(0), match.group(1)
        if listed is None or len(listed) < _LONG:
            return whole
        key = f"{name}{len(lists)}"
        if listed[0] == "'":
            lists[key] = [text[1:-1].replace("''", "'") for text in _ITEM.findall(listed)]
        else:
            lists[key] = list(map(int, listed.split(",")))
        return f"IN ('{key}')"

    short = _QUOTED_OR_LIST.sub(apart, sql)
    if not lists:
        return None
    try:
        predicate = Converter(schema, lists).convert(parse(short))
    except (PredicateError, RecursionError, ArithmeticError):
        return None
    return None if lists else predicate


def parse(sql: str) -> Node:
    """Return sqlglot's tree of a condition or value. Raises PredicateError."""
    from sqlglot.dialects.dialect import Dialect

    dialect = Dialect.get_or_raise("spark")
    try:
        tokens = _join_quotes(dialect.tokenize(sql), sql)
        parsed = dialect.parser().parse_into(exp.Condition, tokens, sql)
    except errors.ParseError as error:
        at = error.errors[0] if error.errors else {}
        near = at.get("highlight") or ""
        what = str(at.get("description") or error).splitlines()[0].rstrip(".")
        if what.startswith("Required keyword"):  # it goes on with the names of Python classes
            what = "something is missing"
        raise PredicateError(f"cannot parse SQL: {what} near {near!r}: {SUPPORTED}") from None
    except errors.TokenError:
        raise PredicateError(
            f"cannot parse SQL: a quote or comment is not closed in {sql[:60]!r}"
        ) from None
    if len(parsed) != 1 or parsed[0] is None:
        what = "one condition is needed, without ;" if sql.strip() else "the condition is empty"
        raise PredicateError(f"cannot parse SQL: {what}")
    return parsed[0]


def _join_quotes(tokens: list[Any], sql: str) -> list[Any]:
    """Join `'it''s'` to one string with a quote in it, which sqlglot takes for two strings."""
    joined: list[Any] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.token_type == token.token_type
            and token.token_type.name == "STRING"
            and token.start == last.end + 1
            and sql[last.end] == sql[token.start]
        ):
            joined[-1] = type(token)(
                token.token_type,
                last.text + sql[token.start] + token.text,
                line=token.line,
                col=token.col,
                start=last.start,
                end=token.end,
            )
        else:
            joined.append(token)
    return joined


class Converter:
    """Converts sqlglot's tree to a predicate. Each method raises PredicateError as it does."""

    def __init__(self, schema: Schema | None, lists: dict[str, list[Any]] | None = None) -> None:
        self.schema = schema
        # By the literal that stands for them; those not yet put back.
        self.lists = {} if lists is None else lists

    def convert(self, root: Node) -> Predicate:
        """Return the predicate of a condition."""
        # With an explicit stack, because `a = 1 OR a = 2 OR ..` is as deep as it is long.
        results: list[Predicate] = []
        todo: list[Node | tuple[type[And] | type[Or], int] | None] = [root]
        while todo:
            node = todo.pop()
            if node is None:
                negated = results.pop()
                results.append(negated.child if isinstance(negated, Not) else Not(negated))
            elif isinstance(node, tuple):
                kind, count = node
                children = [part for child in results[-count:] for part in parts_of(kind, child)]
                del results[-count:]
                results.append(kind(tuple(children)))
            elif isinstance(node, exp.Paren):
                todo.append(node.this)
            elif isinstance(node, exp.And | exp.Or):
                operands = _operands(node, type(node))
                todo.append((And if isinstance(node, exp.And) else Or, len(operands)))
                todo.extend(reversed(operands))
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
        if isinstance(node, exp.Column | exp.Bracket | exp.Dot):
            return self.column(node) == True  # noqa: E712
        operators = {
            exp.EQ: "=",
            exp.NEQ: "<>",
            exp.LT: "<",
            exp.LTE: "<=",
            exp.GT: ">",
            exp.GTE: ">=",
            exp.NullSafeEQ: "<=>",
        }
        if isinstance(node, exp.NullSafeNEQ):
            return Not(self.pair(node, exp.NullSafeEQ, node.expression, "<=>"))
        if type(node) in operators:
            return self.comparison(node, operators[type(node)])
        predicate = self.test(node)
        return Not(predicate) if node.args.get("negate") else predicate

    def comparison(self, node: Node, op: str) -> Predicate:
        """Return a comparison by an operator of `tree.Comparison`, or `<=>`."""
        left, right = node.this, node.expression
        try:
            value = self.value(right)
        except NotALiteral:
            try:
                value = self.value(left)
            except NotALiteral:
                for side in (right, left):
                    self.check_quoted(side, node)
                return self.computed(node) == True  # noqa: E712
            left = right
            op = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
        else:
            if not any(left.find_all(exp.Column)) or (op == "<=>" and isinstance(value, Computed)):
                return self.computed(node) == True  # noqa: E712
        if op == "<=>":
            return self.column(left).equals_null_safe(value)
        return Comparison(op, self.column(left).name, value)

    def test(self, node: Node) -> Predicate:
        """Convert IS, IN, BETWEEN, LIKE, equivalent functions, and BOOLEAN expressions."""
        if isinstance(node, exp.Is):
            column = self.column(node.this)
            if isinstance(node.expression, exp.Null):
                return IsNull(column.name)
            if isinstance(node.expression, exp.Boolean):
                return column.equals_null_safe(bool(node.expression.this))
        elif isinstance(node, exp.In) and not (set(node.args) - {"this", "expressions", "negate"}):
            if len(node.expressions) == 1 and node.expressions[0].name in self.lists:
                listed = self.lists.pop(node.expressions[0].name)
                return In(self.column(node.this).name, tuple(listed))
            try:
                values = tuple(map(self.value, node.expressions))
            except NotALiteral:
                for item in node.expressions:
                    self.check_quoted(item, node)
                return Or(tuple(self.pair(node, exp.EQ, item, "=") for item in node.expressions))
            return In(self.column(node.this).name, values)
        elif isinstance(node, exp.Between) and not node.args.get("symmetric"):
            low, high = node.args["low"], node.args["high"]
            for each in (low, high):
                self.check_quoted(each, node)
            return And((self.pair(node, exp.GTE, low, ">="), self.pair(node, exp.LTE, high, "<=")))
        elif isinstance(node, exp.Escape) and type(node.this) in (exp.Like, exp.ILike):
            predicate = self.like(node.this, node.this.expression, self.operand(node.expression))
            return Not(predicate) if node.this.args.get("negate") else predicate
        elif type(node) in (exp.Like, exp.ILike):
            return self.like(node, node.expression)
        elif isinstance(node, exp.StartsWith | exp.EndsWith | exp.Contains):
            column = self.column(node.this)
            make: Callable[[Any], Predicate] = getattr(column, type(node).__name__.lower())
            return make(self.operand(node.expression))
        elif isinstance(node, exp.IsNan):
            # NaN equals NaN; and isnan(NULL) is false, not unknown.
            return self.column(node.this).equals_null_safe(math.nan)
        elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
            kind = {"isnull": IsNull, "isnotnull": IsNotNull}.get(str(node.this).lower())
            if kind is not None:
                return kind(self.column(node.expressions[0]).name)
        return self.computed(node) == True  # noqa: E712

    def pair(self, node: Node, kind: Any, other: Node, op: str) -> Predicate:
        """Return the comparison of the node's value, with another."""
        return self.comparison(kind(this=node.this.copy(), expression=other.copy()), op)

    def like(self, node: Node, pattern: Node, escape: str = "\\") -> Predicate:
        """Return LIKE or ILIKE of one pattern, of ANY or of ALL."""
        if isinstance(pattern, exp.Any | exp.All):
            every = [self.like(node, each, escape) for each in pattern.this.unnest().expressions]
            return (Or if isinstance(pattern, exp.Any) else And)(tuple(every))
        text = self.operand(pattern)
        if type(node) is exp.Like:
            return Like(self.column(node.this).name, text, escape=escape)
        column = self.computed(exp.Lower(this=node.this.copy()))
        return Like(column.name, text.lower() if isinstance(text, str) else text, escape=escape)

    def column(self, node: Node) -> Column:
        """Return the column, key of a MAP, or computed value that the node names."""
        node = node.unnest()
        if isinstance(node, exp.Bracket) and len(node.expressions) == 1:
            (key,) = node.expressions
            text = None
            if isinstance(key, exp.Column) and len(key.parts) == 1 and key.this.args.get("quoted"):
                text = key.name
            elif isinstance(key, exp.Literal) and key.is_string:
                text = key.this
            if text is not None and isinstance(node.this, exp.Column) and len(node.this.parts) == 1:
                return self.checked(f"{node.this.name}[{text}]")
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            return self.checked(str(node.name))
        return self.computed(node)

    def computed(self, node: Node) -> Column:
        """Return an expression as a column. Raises PredicateError if it is not supported."""
        from paimon_ksy.predicates.expressions import prepared

        known = {name.casefold() for name in self.schema.names} if self.schema is not None else None
        for column in node.find_all(exp.Column):
            self.check_quoted(column, node)
            names = column.parts
            if len(names) > 1 and known is not None and names[0].name.casefold() not in known:
                unsupported(column, "a name with a dot outside of backticks")
        node = prepared(node)
        text = node.sql("spark")
        name = Computed(f"({text})" if isinstance(node, exp.Predicate | exp.Connector) else text)
        names = (self.checked(column.parts[0].name).name for column in node.find_all(exp.Column))
        name.node, name.columns = node, tuple(dict.fromkeys(names))
        return Column(name)

    def checked(self, name: str) -> Column:
        """Return the column with the schema's exact name, if there is a schema."""
        if self.schema is None:
            return Column(name)
        try:
            return Column(self.schema.column(name, ignore_case=True).name)
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


def _operands(node: Node, kind: Any) -> list[Node]:
    """Return the operands of a chain of ANDs or ORs, in order."""
    operands: list[Node] = []
    todo: list[Node] = [node]
    while todo:
        part = todo.pop().unnest()
        if isinstance(part, kind):
            todo += [part.expression, part.this]
        else:
            operands.append(part)
    return operands
