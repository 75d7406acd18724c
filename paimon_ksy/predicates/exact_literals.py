"""Literals so that comparing a column with them is what Spark does, which may cast the column."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.tree import Computed
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import TIMESTAMP, TypedLiteral, parse_timestamp, zone_named
from paimon_ksy.types.schema import Schema


class RowsOnly(Exception):
    """Spark compares in another type than the column's, so only rows decide."""


def exact_literal(
    value: Any, kind: DataType | None, time_zone: str | None, *, of_session: bool = False
) -> Any:
    """Return a literal for a column of a type; unchanged if the type is unknown.

    `of_session` is whether a timestamp without a zone is in the session's time zone.

    Raises:
        RowsOnly: Spark casts the column to a type in which values change.
    """
    if kind is None or value is None:
        return value
    if isinstance(value, Computed) and not (kind.is_timestamp or kind.root in ("DATE", "TIME")):
        value = value.bound(Schema(()), time_zone or "UTC").constant(kind)
    if isinstance(value, str) and (kind.root in _DIGITS or kind.root in _FRACTIONS):
        value = _number_of(value, kind)
    if kind.is_timestamp:
        return _cut(value, kind, time_zone if of_session else None)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    return _exact_number(value, kind)


def _number_of(text: str, kind: DataType) -> int | float | str:
    """Return a text as the number to which Spark casts it, a BIGINT or DOUBLE, if it is one."""
    shown = text.strip()
    if kind.root in _FRACTIONS:
        return float(shown) if FLOAT_TEXT.fullmatch(shown) else text
    if not WHOLE_TEXT.fullmatch(shown) or len(shown) > _MOST_DIGITS:
        return text
    return number if -(2**63) <= (number := int(shown)) < 2**63 else text


def _cut(value: Any, kind: DataType, time_zone: str | None) -> Any:
    """Return a timestamp as Spark reads it: to the microsecond, and in the session's zone."""
    parsed = parse_timestamp(value) if isinstance(value, str) else value
    if not isinstance(parsed, TypedLiteral) or not parsed.type.is_timestamp:
        return value
    nanos = parsed.value
    if kind.root == "TIMESTAMP" and parsed.type == TIMESTAMP and time_zone:
        nanos = _shown(nanos, time_zone)
    nanos -= nanos % 1000 if (kind.precision or 0) <= 6 else 0
    return TypedLiteral(nanos, parsed.type) if nanos != parsed.value else value


_EXACT_DOUBLES = 2**53


def _exact_number(value: int | float | Decimal, kind: DataType) -> Any:
    """Return a number as a literal for a column. Raises RowsOnly if Spark casts the column."""
    if kind.root == "FLOAT" and math.isfinite(value):
        with suppress(OverflowError):
            return Decimal(float(value))  # Spark compares as DOUBLE, so a Decimal is not rounded
    if isinstance(value, float):
        return _exact_float(value, kind)
    if isinstance(value, Decimal) and kind.root in (*_DIGITS, "DECIMAL"):
        precision, scale = _DIGITS.get(kind.root) or (kind.precision or 10, kind.scale or 0)
        _, shown, exponent = value.as_tuple()
        assert isinstance(exponent, int)
        whole, after = len(shown) + exponent, max(0, -exponent)
        # Spark has no literal of more digits, so these are compared as they are.
        if whole + after <= 38 < max(precision - scale, whole) + max(scale, after):
            raise RowsOnly
    return value


def _exact_float(value: float, kind: DataType) -> Any:
    if kind.root == "DECIMAL" and (kind.precision or 10) <= 15 and math.isfinite(value):
        short = Decimal(repr(value))
        if len(short.as_tuple().digits) <= 15:  # then distinct DECIMALs are distinct DOUBLEs
            return short
    if kind.root == "DECIMAL" or (kind.root == "BIGINT" and abs(value) >= _EXACT_DOUBLES):
        raise RowsOnly
    return value


def exact_element(value: Any, kind: DataType) -> Any:
    """Return a literal for elements of an ARRAY, which Spark compares in their own type."""
    if isinstance(value, Computed):
        raise PredicateError(f"an element that is not a literal is not supported ({value.sql:.80})")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    try:
        return _exact_number(value, kind)
    except RowsOnly:
        raise PredicateError(
            f"comparing {value} with elements of {kind} is not supported"
        ) from None


WHOLE_TEXT = re.compile(r"[+-]?[0-9]+")
NUMBER_TEXT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FLOAT_TEXT = re.compile(rf"{NUMBER_TEXT.pattern}|nan|[+-]?inf(inity)?", re.IGNORECASE)
_MOST_DIGITS = 38
_FRACTIONS = "FLOAT", "DOUBLE", "DECIMAL"
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
