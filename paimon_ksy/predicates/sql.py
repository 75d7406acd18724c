"""Parse predicates in Spark SQL.

Tests of a column against literals are predicates that indexes answer: comparisons, IS [NOT] NULL,
IS [NOT] TRUE / FALSE, [NOT] IN, BETWEEN, LIKE, startswith, endswith, contains, isnan, and a BOOLEAN
column by itself. Other tests are of values that rows compute (`expressions`), and so are tests that
Spark makes in another type than the column's. Both are combined by AND, OR and NOT. A column is a
name, in backticks if needed, or a key of a MAP, m['key']. The parser is sqlglot, except for tests
such as `column = 'literal'`, alone or combined with AND. FORMS lists what is used of its tree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.late import Late

from paimon_ksy.errors import PredicateError, SchemaError, close_match
from paimon_ksy.messages.log import LOG
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
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import (
    TIMESTAMP,
    TypedLiteral,
    parse_timestamp,
    zone_named,
)
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
    predicate = _parse_plain(sql, schema, time_zone)
    if predicate is None:
        predicate = _parse_with_lists_apart(sql, schema, time_zone)
    if predicate is None:
        if schema is not None:
            _note_texts(sql, schema)
        try:
            predicate = Converter(schema, time_zone).convert(parse(sql))
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


_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|`[^`]*`|"([^"\\]*)\"""", re.DOTALL)


def _note_texts(sql: str, schema: Schema) -> None:
    """Log each text in double quotes that is a column's name: other dialects mean the column."""
    texts = {match[1] for match in _QUOTED.finditer(sql) if match[1] is not None}
    for name in sorted(texts & set(schema.names)):
        LOG.warning('"%s" is a text here; a column is written `%s`', name, name)


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
        parts = operands(parse(sql), exp.And)
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


def _parse_plain(sql: str, schema: Schema | None, time_zone: str | None = None) -> Predicate | None:
    """Return the predicate of plain comparisons with columns of the schema; None for other SQL.

    Importing sqlglot for them takes 75 of the 290 ms of `paimon-ksy eval`.
    """
    if schema is None or not _PLAIN_ONES.fullmatch(sql):
        return None
    converter, comparisons = Converter(schema, time_zone), list[Predicate]()
    for name, op, number, text in re.findall(_PLAIN, sql):
        try:
            column = schema.column(name, ignore_case=True)
        except SchemaError:
            return None
        if name.lower() in ("null", "true", "false"):
            return None
        value = text[1:-1] if text else Decimal(number) if "." in number else int(number)
        leaf = converter.leaf(op.replace("!=", "<>"), Column(column.name), value)
        if leaf is None:
            return None
        comparisons.append(leaf)
    return And(tuple(comparisons)) if len(comparisons) > 1 else comparisons[0]


def _parse_with_lists_apart(
    sql: str, schema: Schema | None, time_zone: str | None = None
) -> Predicate | None:
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
        predicate = Converter(schema, time_zone, lists).convert(parse(short))
    except (PredicateError, RecursionError, ArithmeticError):
        return None
    return None if lists else predicate


@lru_cache(maxsize=1)
def _dialect() -> Any:
    """Return Spark's dialect of sqlglot, which leaves functions as they are written.

    sqlglot maps functions of all dialects to classes and drops what they were called. Here they are
    calls by name, for which `functions.FUNCTIONS` has rules.
    """
    from sqlglot import TokenType
    from sqlglot.dialects.spark import Spark

    def only(parsers: dict[Any, Any], *names: str) -> dict[Any, Any]:
        return {key: made for key, made in parsers.items() if getattr(key, "name", key) in names}

    base = Spark.Parser

    class Parser(base):  # type: ignore[misc,valid-type]
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS = only(base.FUNCTION_PARSERS, *_SPECIAL_CALLS)
        NO_PAREN_FUNCTIONS = only(base.NO_PAREN_FUNCTIONS, "CURRENT_DATE", "CURRENT_TIMESTAMP")
        NO_PAREN_FUNCTION_PARSERS = only(base.NO_PAREN_FUNCTION_PARSERS, "ANY", "CASE")

        COMPARED: ClassVar[dict[Any, Any]] = {**base.EQUALITY, **base.COMPARISON}

        def _parse_equality(self, parse_is: bool = True) -> Node:
            """Parse comparisons from the left, and one IS, IN, LIKE or BETWEEN of their value."""
            this = self._parse_bitwise()
            while self._match_set(self.COMPARED):
                made = self.COMPARED[self._prev.token_type]
                this = self.expression(made(this=this, expression=self._parse_bitwise()))
            is_negated = parse_is and self._match(TokenType.NOT)
            if parse_is and self._match_set(self.RANGE_PARSERS):
                this = self.RANGE_PARSERS[self._prev.token_type](self, this)
                return self._negate_range(this) if is_negated else this
            if is_negated:
                self._retreat(self._index - 1)
            return this

    return type("SparkConditions", (Spark,), {"Parser": Parser})()


_SPECIAL_CALLS = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION")
"""Calls with words between their arguments."""


def parse(sql: str) -> Node:
    """Return sqlglot's tree of a condition or value. Raises PredicateError."""
    dialect = _dialect()
    try:
        tokens = _as_spark_reads(dialect.tokenize(sql), sql)
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
        raise PredicateError(_ONE if sql.strip() else "cannot parse SQL: the condition is empty")
    return parsed[0].transform(_as_cast)


_ONE = "cannot parse SQL: one condition is needed, without ;"
_CASTING = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal"),
    *("date", "timestamp", "binary", "string"),
)
"""The functions that are casts: `double('NaN')`."""


def _as_cast(node: Node) -> Node:
    if not isinstance(node, exp.Anonymous) or len(node.expressions) != 1:
        return node
    name = str(node.this).lower()
    return exp.cast(node.expressions[0], name, dialect="spark") if name in _CASTING else node


def _as_spark_reads(tokens: list[Any], sql: str) -> list[Any]:
    """Return tokens with the texts that Spark reads, and without words that sqlglot would drop.

    `'it''s'` is one text with a quote in it, which sqlglot takes for two, and `'a' 'b'` is 'ab'.

    Raises:
        PredicateError: A word has no rule here.
    """
    joined: list[Any] = []
    for place, token in enumerate(tokens):
        kind, last = token.token_type.name, joined[-1] if joined else None
        before = "" if last is None else last.text.upper()
        is_sign = kind == "PLUS" and (last is None or last.token_type.name in _BEFORE_A_SIGN)
        if is_sign and [each.token_type.name for each in tokens[place + 1 : place + 2]] != [
            "NUMBER"
        ]:
            raise PredicateError(f"a plus sign before a value is not supported ({sql:.80})")
        if token.text.upper() == "UNKNOWN" and before in ("IS", "NOT"):
            raise PredicateError(f"IS UNKNOWN is not supported ({sql:.80}): write IS NULL")
        words = [each.text.upper() for each in joined[-3:]]
        if kind in _AFTER_A_VALUE and (_IS_TEST & {tuple(words[-2:]), tuple(words)}):
            raise PredicateError(
                f"{token.text} after IS {before} without parentheses is not supported ({sql:.80})"
            )
        gap = sql[0 if last is None else last.end + 1 : token.start]
        if kind == "SEMICOLON":
            raise PredicateError(_ONE)
        is_open = last is not None and last.token_type.name == "COMMA"
        if "/*+" in gap or (kind == "R_PAREN" and is_open):
            what = "a hint" if "/*+" in gap else "a comma at the end of a list"
            raise PredicateError(f"{what} is not supported ({sql:.80}): leave it out")
        if kind != "STRING":
            joined.append(token)
            continue
        text, start = _unescaped(sql[token.start + 1 : token.end]), token.start
        if last is not None and last.token_type == token.token_type:
            adjacent = token.start == last.end + 1 and sql[last.end] == sql[token.start]
            text = last.text + (sql[token.start] if adjacent else "") + text
            start = joined.pop().start
        places = {"line": token.line, "col": token.col, "start": start, "end": token.end}
        joined.append(type(token)(token.token_type, text, **places))
    return joined


_IS_TEST = {
    ("IS", *words) for truth in ("NULL", "TRUE", "FALSE") for words in ((truth,), ("NOT", truth))
}
_AFTER_A_VALUE = (
    *("EQ", "NEQ", "LT", "LTE", "GT", "GTE", "NULLSAFE_EQ", "IS", "IN", "LIKE", "ILIKE", "RLIKE"),
    *("BETWEEN", "NOT"),
)
_BEFORE_A_SIGN = (
    *("L_PAREN", "L_BRACKET", "COMMA", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "NULLSAFE_EQ"),
    *("PLUS", "DASH", "STAR", "SLASH", "MOD", "DIV", "DPIPE", "AND", "OR", "NOT", "IN", "BETWEEN"),
    *("LIKE", "WHEN", "THEN", "ELSE", "CASE", "IS", "TILDE", "AMP", "PIPE", "CARET"),
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_ESCAPED |= {"%": "\\%", "_": "\\_"}


def _unescaped(raw: str) -> str:
    """Return the text of a literal, by the escapes of Spark's `unescapeSQLString`."""

    def one(match: re.Match[str]) -> str:
        short, long, octal, plain = match.groups()
        if plain is not None:
            return _ESCAPED.get(plain, plain)
        code = int(octal, 8) if octal else int(short or long, 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise PredicateError(f"the escape {match[0]} is not supported: write the character")
        return chr(code)

    return _ESCAPE.sub(one, raw) if "\\" in raw else raw


_BINARY = ("this", "expression")
FORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("And", "Or", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "Is", "Dot"), _BINARY),
    **dict.fromkeys(("NullSafeEQ", "NullSafeNEQ", "Add", "Sub", "Mul", "IntDiv", "Mod"), _BINARY),
    **dict.fromkeys(("Escape", "Extract"), _BINARY),
    **dict.fromkeys(("Like", "ILike", "RegexpLike"), (*_BINARY, "negate")),
    **dict.fromkeys(("Cast", "TryCast"), ("this", "to")),
    **dict.fromkeys(("Not", "Neg", "Paren"), ("this",)),
    "Div": (*_BINARY, "typed", "safe"),
    "DPipe": (*_BINARY, "safe"),
    "Column": ("this", "table", "db", "catalog"),
    "In": ("this", "expressions"),
    "Between": ("this", "low", "high"),
    "Case": ("this", "ifs", "default"),
    "Bracket": ("this", "expressions"),
    "Anonymous": ("this", "expressions"),
    "Trim": (*_BINARY, "position"),
    "Substring": ("this", "start", "length"),
    "StrPosition": ("this", "substr"),
}
"""The classes of sqlglot's tree that conditions may have, with their arguments that have a rule."""


def checked_form(node: Node) -> None:
    """Raise PredicateError if a node, or an argument of it, has no rule."""
    name = type(node).__name__
    known = FORMS.get(name)
    if known is None or any(value for key, value in node.args.items() if key not in known):
        unsupported(node)
    if name in _COMPARING and any(isinstance(part, exp.Not) for part in node.args.values()):
        unsupported(node, "a comparison of NOT without parentheses")
    own = _ADDING.get(name)
    if own and any(_ADDING.get(type(part).__name__, own) != own for part in _parts(node)):
        unsupported(node, "|| beside + or - without parentheses")


_COMPARING = (
    *("EQ", "NEQ", "LT", "LTE", "GT", "GTE", "NullSafeEQ", "NullSafeNEQ", "Is", "In", "Between"),
    *("Like", "ILike", "RegexpLike"),
)
"""Tests of which the operands are values."""
_ADDING = {"Add": "+", "Sub": "+", "DPipe": "||"}


def _parts(node: Node) -> list[Node]:
    """Return the operands of an operator that adds; Spark evaluates these from the left."""
    return [node.this, node.expression] if type(node).__name__ in _ADDING else []


def patterns_of(node: Node) -> tuple[Any, list[Node]]:
    """Return how the patterns of a LIKE are combined (exp.Any or exp.All), and the patterns."""
    pattern = node.expression
    if not isinstance(pattern, exp.Any | exp.All):
        return exp.All, [pattern]
    inner = pattern.this
    listed = inner.expressions if isinstance(inner, exp.Tuple) else [inner.unnest()]
    if not isinstance(inner, exp.Tuple | exp.Paren) or not listed:
        unsupported(node, "LIKE with such a list of patterns")
    return type(pattern), listed


class RowsOnly(Exception):
    """Spark compares in another type than the column's, so only rows decide."""


class Converter:
    """Converts sqlglot's tree to a predicate. Each method raises PredicateError as it does."""

    def __init__(
        self,
        schema: Schema | None,
        time_zone: str | None = None,
        lists: dict[str, list[Any]] | None = None,
    ) -> None:
        self.schema, self.time_zone = schema, time_zone
        # By the literal that stands for them; those not yet put back.
        self.lists = {} if lists is None else lists
        self.now = datetime.now(UTC)

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
        """Return a literal so that comparing the column with it is what Spark does.

        Raises:
            RowsOnly: Spark casts the column to a type in which values change.
        """
        if self.schema is None or value is None:
            return value
        kind = self.schema[column.name]
        if isinstance(value, Computed) and not (kind.is_timestamp or kind.root in ("DATE", "TIME")):
            from paimon_ksy.predicates.expressions import bound, constant

            value = constant(bound(value, Schema(()), self.time_zone or "UTC"), kind)
        if kind.is_timestamp:
            return self.cut(value, kind, node)
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            return value
        return _exact_number(value, kind)

    def cut(self, value: Any, kind: DataType, node: Node) -> Any:
        """Return a timestamp as Spark reads it: to the microsecond, and in the session's zone."""
        parsed = parse_timestamp(value) if isinstance(value, str) else value
        if not isinstance(parsed, TypedLiteral) or not parsed.type.is_timestamp:
            return value
        of_session = isinstance(node, exp.Cast) and node.to.this.name != "TIMESTAMPNTZ"
        nanos = parsed.value
        if kind.root == "TIMESTAMP" and parsed.type == TIMESTAMP and of_session and self.time_zone:
            nanos = _shown(nanos, self.time_zone)
        nanos -= nanos % 1000 if (kind.precision or 0) <= 6 else 0
        return TypedLiteral(nanos, parsed.type) if nanos != parsed.value else value

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
            listed = self.lists.pop(node.expressions[0].name)
            if named is None:
                raise PredicateError("a long list needs a column")
            members = _alike([(value, None) for value in listed])
            return In(named.name, tuple(self.exact(named, value) for value, _ in members))
        if named is None or not node.expressions:
            raise RowsOnly
        try:
            listed = [(self.value(item), item) for item in node.expressions]
            values = [self.exact(named, one, item) for one, item in _alike(listed)]
        except NotALiteral:
            for item in node.expressions:
                self.check_quoted(item, node)
            raise RowsOnly from None
        if None in values and self.is_char(named):
            raise RowsOnly
        return In(named.name, tuple(values))

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
        is_text = named and (self.schema is None or self.schema[named.name].is_string)
        if named is None or not is_text or type(node) is not exp.Like:
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
        is_text = self.schema is None or self.schema[named.name].is_string
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
        kind = None if self.schema is None else self.schema[column.name]
        if kind is not None and kind.root == "ARRAY":
            values = [_exact_element(value, kind.fields[0].type) for value in values]
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
            (key,) = node.expressions
            text = None
            if isinstance(key, exp.Column) and len(key.parts) == 1 and key.this.args.get("quoted"):
                text = key.name
            elif isinstance(key, exp.Literal) and key.is_string:
                text = key.this
            if text is not None and isinstance(node.this, exp.Column) and len(node.this.parts) == 1:
                return self.keyed(node.this.name, text)
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            return self.checked(str(node.name))
        if isinstance(node, exp.Anonymous) and str(node.this).lower() == "element_at":
            return self.named(
                exp.Bracket(this=node.expressions[0], expressions=node.expressions[1:])
            )
        return None

    def keyed(self, name: str, key: str) -> Column | None:
        """Return the values at a key of a MAP; None if the column is none, such as an ARRAY."""
        if (
            self.schema is not None
            and self.schema.column(self.checked(name).name).type.root != "MAP"
        ):
            return None
        return self.checked(f"{name}[{key}]")

    def computed(self, node: Node) -> Column:
        """Return an expression as a column. Raises PredicateError if it is not supported."""
        known = {name.casefold() for name in self.schema.names} if self.schema is not None else None
        for column in node.find_all(exp.Column):
            self.check_quoted(column, node)
            names = column.parts
            if len(names) > 1 and known is not None and names[0].name.casefold() not in known:
                unsupported(column, "a name with a dot outside of backticks")
        node = node.transform(self.at_this_instant)
        name = Computed(node.sql("spark"))
        name.is_condition = isinstance(node, exp.Predicate | exp.Connector)
        names = (self.checked(column.parts[0].name).name for column in node.find_all(exp.Column))
        name.node, name.columns = node, tuple(dict.fromkeys(names))
        return Column(name)

    def at_this_instant(self, node: Node) -> Node:
        """Return now() and the like as the time at which the condition is parsed."""
        name = str(node.this).lower() if isinstance(node, exp.Anonymous) else node.key
        if node.args.get("expressions") or name not in _NOW:
            return node
        instant = parse(f"TIMESTAMP_LTZ '{self.now:%Y-%m-%d %H:%M:%S.%f}Z'")
        is_date = name.endswith("date") or name == "curdate"
        return exp.Anonymous(this="to_date", expressions=[instant]) if is_date else instant

    def is_char(self, column: Column) -> bool:
        """Return whether a column is a CHAR, whose padding counts for some tests."""
        return self.schema is not None and self.schema[column.name].root == "CHAR"

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


def _inverted(predicate: Predicate) -> Predicate:
    return predicate.child if isinstance(predicate, Not) else Not(predicate)


_EXACT_DOUBLES = 2**53


def _exact_number(value: int | float | Decimal, kind: DataType) -> Any:
    """Return a number as a literal for a column. Raises RowsOnly if Spark casts the column."""
    if kind.root == "FLOAT" and math.isfinite(value):
        with suppress(OverflowError):
            return Decimal(float(value))  # Spark compares as DOUBLE, so a Decimal is not rounded
    if isinstance(value, float):
        if kind.root == "DECIMAL" and (kind.precision or 10) <= 15 and math.isfinite(value):
            short = Decimal(repr(value))
            if len(short.as_tuple().digits) <= 15:  # then distinct DECIMALs are distinct DOUBLEs
                return short
        if kind.root == "DECIMAL" or (kind.root == "BIGINT" and abs(value) >= _EXACT_DOUBLES):
            raise RowsOnly
        return value
    digits = _DIGITS.get(kind.root) or (kind.precision or 10, kind.scale or 0)
    if kind.root in (*_DIGITS, "DECIMAL") and isinstance(value, Decimal | int):
        number = Decimal(value)
        _, shown, exponent = number.as_tuple()
        assert isinstance(exponent, int)
        whole = max(digits[0] - digits[1], len(shown) + exponent)
        if isinstance(value, Decimal) and whole + max(digits[1], -exponent) > 38:
            raise RowsOnly
    return value


def _alike(listed: list[tuple[Any, Node]]) -> list[tuple[Any, Node]]:
    """Return the members of IN as Spark compares them: with a DOUBLE among them, as DOUBLEs."""
    if not any(isinstance(value, float) for value, _ in listed):
        return listed
    numbers = int | Decimal
    return [
        (float(v) if isinstance(v, numbers) and not isinstance(v, bool) else v, item)
        for v, item in listed
    ]


def _exact_element(value: Any, kind: DataType) -> Any:
    """Return a literal for elements of an ARRAY, which Spark compares in their own type."""
    if isinstance(value, Computed):
        raise PredicateError(f"an element that is not a literal is not supported ({value:.80})")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    try:
        return _exact_number(value, kind)
    except RowsOnly:
        raise PredicateError(
            f"comparing {value} with elements of {kind} is not supported"
        ) from None


_DIGITS = {"TINYINT": (3, 0), "SMALLINT": (5, 0), "INT": (10, 0), "BIGINT": (20, 0)}


def _shown(nanos: int, time_zone: str) -> int:
    """Return what clocks show at a local time: another if they skip it, as in Java."""
    try:
        local = datetime(1970, 1, 1) + timedelta(microseconds=nanos // 1000)
        instant = local.replace(tzinfo=zone_named(time_zone)).astimezone(UTC)
        moved = instant.astimezone(zone_named(time_zone)).replace(tzinfo=None) - local
    except OverflowError:
        return nanos
    return nanos + moved // timedelta(microseconds=1) * 1000


def operands(node: Node, kind: Any) -> list[Node]:
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
