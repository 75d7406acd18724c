"""Literals of Spark SQL: convert sqlglot's nodes to values, including casts."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from datetime import time
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, NoReturn

from sqlglot import exp

from paimon_ksy.errors import PredicateError
from paimon_ksy.messages.install import SITE
from paimon_ksy.predicates.exact_literals import FLOAT_TEXT, NUMBER_TEXT, WHOLE_TEXT
from paimon_ksy.types.literals import (
    DATE,
    NANOS_PER_DAY,
    TIMESTAMP_LTZ,
    TypedLiteral,
    date_text,
    parse_date,
    parse_time,
    parse_timestamp,
)

Node = Any
"""A sqlglot expression; its class's name is not the same in all versions."""

SUPPORTED = (
    "a predicate compares columns, literals and values (=, <>, <, <=, >, >=, <=>, IN, BETWEEN, "
    f"LIKE, IS NULL), combined with AND, OR, NOT; {SITE}/reference/sql.md lists them"
)


class NotALiteral(Exception):
    """The node is not a literal."""


def literal_of(node: Node) -> Any:
    """Return the value of a literal, in a form for `tree.Column`.

    Raises:
        NotALiteral: The node is something else.
        PredicateError: The literal is unsupported, or its cast fails.
    """
    if (rule := _LITERALS.get(type(node))) is None:
        raise NotALiteral
    return rule(node)


def _negated(node: Node) -> Any:
    value = literal_of(node.this)
    if value is None:
        raise NotALiteral  # it has a type
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        unsupported(node, "the sign of what is not a number,")
    # The minus operator of Decimal rounds to 28 digits.
    return value.copy_negate() if isinstance(value, Decimal) else -value


def _bytes(node: Node) -> bytes:
    digits = str(node.this)
    return bytes.fromhex(digits if len(digits) % 2 == 0 else "0" + digits)


def _number(text: str) -> int | float | Decimal:
    if not NUMBER_TEXT.fullmatch(text):  # sqlglot takes 1e for one
        raise PredicateError(f"{text:.60} is not a number: correct the literal")
    if text.isdigit():
        # Python refuses to parse longer ints. No column stores one, so a Decimal is good enough.
        return int(text) if len(text) < 1000 else Decimal(text)
    if "e" in text.lower() and abs(number := float(text)) != float("inf"):
        return number
    return Decimal(text)


def _cast(node: Node, value: Any) -> Any:
    """Convert CAST of a literal; DATE '2024-01-31' and 1.5D are casts too."""
    target = node.to.this.name
    convert = _CASTS.get(target)
    named = node.to.sql("spark")
    if convert is None:
        unsupported(node, f"CAST AS {named}")
    if value is None:
        return None
    try:
        cast = convert(value, [int(p.name) for p in node.to.expressions])
    except (ValueError, TypeError, ArithmeticError):
        cast = None
    if cast is None and isinstance(value, TypedLiteral):
        raise NotALiteral  # it depends on the session's time zone
    if cast is None:
        shown = node.this.sql("spark")
        raise PredicateError(f"{shown:.60} is not a {named}: correct the literal")
    return cast


def _to_number(value: Any, text: re.Pattern[str] = NUMBER_TEXT) -> Decimal:
    if isinstance(value, bool):
        return Decimal(int(value))
    return Decimal(_number_text(value, text) if isinstance(value, str) else value)


def _number_text(value: str, text: re.Pattern[str]) -> str:
    """Strip a number's text. Raises ValueError for 1_0, which Python accepts, but not Spark."""
    value = value.strip()
    if not text.fullmatch(value):
        raise ValueError(value)
    return value


def _to_integer(bits: int) -> Callable[[Any, list[int]], int | None]:
    def convert(value: Any, _: list[int]) -> int | None:
        number = _to_number(value, WHOLE_TEXT)
        if number and number.adjusted() > 20:
            return None
        integer = int(number)  # towards zero, like Spark
        return integer if -(1 << (bits - 1)) <= integer < 1 << (bits - 1) else None

    return convert


def _to_double(value: Any, _: list[int]) -> float:
    return float(_number_text(value, FLOAT_TEXT) if isinstance(value, str) else value)


_MOST_DIGITS = 38  # of a DECIMAL, as in Spark


def _to_decimal(value: Any, parameters: list[int]) -> Decimal | None:
    precision, scale = (*parameters, 10, 0)[:2] if len(parameters) != 1 else (parameters[0], 0)
    number = Decimal(repr(value)) if isinstance(value, float) else _to_number(value)
    if not number.is_finite() or precision > _MOST_DIGITS:
        return None
    return number.quantize(Decimal((0, (1,), -scale)), ROUND_HALF_UP, Context(prec=precision))


def _to_date(value: Any, _: list[int]) -> TypedLiteral | None:
    if isinstance(value, TypedLiteral) and value.type != TIMESTAMP_LTZ:
        days = value.value // (1 if value.type == DATE else NANOS_PER_DAY)
        return TypedLiteral(days, DATE)
    days = parse_date(value) if isinstance(value, str) else None
    return None if days is None else TypedLiteral(days, DATE)


def _to_time(value: Any, _: list[int]) -> time | None:
    nanos = parse_time(value) if isinstance(value, str) else None
    if nanos is None or nanos % 1000:
        return None
    seconds, fraction = divmod(nanos, 10**9)
    return time(seconds // 3600, seconds // 60 % 60, seconds % 60, fraction // 1000)


def _to_timestamp(value: Any, _: list[int]) -> TypedLiteral | None:
    if isinstance(value, TypedLiteral):
        return value
    return parse_timestamp(value) if isinstance(value, str) else None


def _to_timestamp_ntz(value: Any, _: list[int]) -> TypedLiteral | None:
    timestamp = _to_timestamp(value, _)
    # Spark drops the zone of a text, and uses the session's for a TIMESTAMP_LTZ.
    return None if timestamp is None or timestamp.type == TIMESTAMP_LTZ else timestamp


def _to_boolean(value: Any, _: list[int]) -> bool | None:
    if isinstance(value, bool | int | float | Decimal):
        return bool(value)
    words = {"true": True, "t": True, "yes": True, "y": True, "1": True}
    words |= {"false": False, "f": False, "no": False, "n": False, "0": False}
    return words.get(str(value).strip().lower())


def _to_text(value: Any, _: list[int]) -> str | None:
    if isinstance(value, TypedLiteral) and value.type == DATE:
        return date_text(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | Decimal) else None


def _to_binary(value: Any, _: list[int]) -> bytes:
    return value if isinstance(value, bytes) else bytes(value, "utf-8")


_CASTS: dict[str, Callable[[Any, list[int]], Any]] = {
    "TINYINT": _to_integer(8),
    "SMALLINT": _to_integer(16),
    "INT": _to_integer(32),
    "BIGINT": _to_integer(64),
    "FLOAT": lambda value, _: ctypes.c_float(_to_double(value, _)).value,
    "DOUBLE": _to_double,
    "DECIMAL": _to_decimal,
    "DATE": _to_date,
    "TIME": _to_time,
    "TIMESTAMP": _to_timestamp,
    "TIMESTAMPTZ": _to_timestamp,
    "TIMESTAMPLTZ": _to_timestamp,
    "TIMESTAMPNTZ": _to_timestamp_ntz,
    "BOOLEAN": _to_boolean,
    "TEXT": _to_text,
    "VARCHAR": _to_text,
    "CHAR": _to_text,
    "BINARY": _to_binary,
    "VARBINARY": _to_binary,
}


def unsupported(node: Node, what: str | None = None) -> NoReturn:
    """Raise PredicateError for an unsupported node; `what` describes it, or else its class."""
    text = node.sql("spark")
    if what is None:
        if isinstance(node, exp.Query | exp.Subquery) or node.find(exp.Query):
            what = "a subquery"
        elif isinstance(node, exp.Column):
            what = "a column where a literal is needed"
        elif isinstance(node, exp.Func):
            name = _FUNCTION.match(text)  # Spark's name of the function
            known = name[1] if name else node.sql_name()
            what = f"the function {node.name if isinstance(node, exp.Anonymous) else known}"
        elif isinstance(node, exp.Binary | exp.Unary) and not isinstance(node, exp.Predicate):
            what = "computing a value"
        else:
            what = node.key.upper()
    raise PredicateError(f"{what} is not supported ({text:.80}): {SUPPORTED}")


_FUNCTION = re.compile(r"(\w+)\(")


_LITERALS: dict[type, Callable[[Node], Any]] = {
    exp.Literal: lambda node: node.this if node.is_string else _number(node.this),
    exp.Paren: lambda node: literal_of(node.this),
    exp.Neg: _negated,
    exp.Null: lambda _: None,
    exp.Boolean: lambda node: bool(node.this),
    exp.HexString: _bytes,
    exp.RawString: lambda node: str(node.this),
    **dict.fromkeys((exp.Cast, exp.TryCast), lambda node: _cast(node, literal_of(node.this))),
}
"""The values of sqlglot's classes of literals."""
