"""The syntax of conditions: sqlglot's tree, read as Spark reads it.

FORMS lists what is used of the tree.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, ClassVar

from sqlglot import errors, exp

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.sql_literals import SUPPORTED, Node, unsupported


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
        last = joined[-1] if joined else None
        _check_words(token, joined[-3:], tokens[place + 1 : place + 2], sql)
        _check_marks(token, last, sql)
        if token.token_type.name != "STRING":
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


def _check_words(token: Any, before: list[Any], after: list[Any], sql: str) -> None:
    """Raise PredicateError for a sign or a word of a test after these three tokens."""
    words = [each.text.upper() for each in before]
    if token.token_type.name == "PLUS":
        is_sign = not before or before[-1].token_type.name in _BEFORE_A_SIGN
        if is_sign and [each.token_type.name for each in after] != ["NUMBER"]:
            raise PredicateError(f"a plus sign before a value is not supported ({sql:.80})")
    if token.text.upper() == "UNKNOWN" and words[-1:] in (["IS"], ["NOT"]):
        raise PredicateError(f"IS UNKNOWN is not supported ({sql:.80}): write IS NULL")
    if token.token_type.name in _AFTER_A_VALUE and _IS_TEST & {tuple(words[-2:]), tuple(words)}:
        what = f"{token.text} after IS {words[-1]}"
        raise PredicateError(f"{what} without parentheses is not supported ({sql:.80})")


def _check_marks(token: Any, last: Any, sql: str) -> None:
    """Raise PredicateError for a semicolon, a hint, or a comma at the end of a list."""
    if token.token_type.name == "SEMICOLON":
        raise PredicateError(_ONE)
    has_hint = "/*+" in sql[0 if last is None else last.end + 1 : token.start]
    is_open = last is not None and last.token_type.name == "COMMA"
    if has_hint or (token.token_type.name == "R_PAREN" and is_open):
        what = "a hint" if has_hint else "a comma at the end of a list"
        raise PredicateError(f"{what} is not supported ({sql:.80}): leave it out")


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

    def character(match: re.Match[str]) -> str:
        short, long, octal, plain = match.groups()
        if plain is not None:
            return _ESCAPED.get(plain, plain)
        code = int(octal, 8) if octal else int(short or long, 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise PredicateError(f"the escape {match[0]} is not supported: write the character")
        return chr(code)

    return _ESCAPE.sub(character, raw) if "\\" in raw else raw


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
