"""Casts of Arrow columns as Spark casts them in ANSI mode: explicit ones, and to a common type.

Each rule keeps the value, rounds as Spark does, or raises an error. Casts without a rule are
refused by name. Arrow's own roundings of DECIMAL lose an overflow unless it is in the last row,
so decimals are computed with 76 digits, and `fit` checks the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at

from paimon_ksy.errors import PredicateError
from paimon_ksy.types.arrow import from_arrow
from paimon_ksy.types.literals import TypedLiteral, parse_date, parse_timestamp, zone_named

Value = Any
"""An Arrow array, or a scalar that stands for each row."""

NAIVE, ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}
"""The digits of integers by their bits, as Spark's `DecimalType.forType` counts them."""
_MOST = 38

KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "null": at.is_null,
    "boolean": at.is_boolean,
    "int": lambda kind: at.is_integer(kind) and kind.bit_width <= 32,
    "bigint": lambda kind: at.is_integer(kind) and kind.bit_width == 64,
    "decimal": at.is_decimal,
    "floating": at.is_floating,
    "text": at.is_string,
    "binary": at.is_binary,
    "date": at.is_date,
    "timestamp": lambda kind: at.is_timestamp(kind) and kind.tz is None,
    "ltz": lambda kind: at.is_timestamp(kind) and kind.tz is not None,
    "array": at.is_list,
    "map": at.is_map,
    "row": at.is_struct,
}
"""The kinds of types that rules tell apart: `ltz` is TIMESTAMP WITH LOCAL TIME ZONE."""


NUMBERS = {"int", "bigint", "decimal", "floating"}


def kind_of(kind: pa.DataType) -> str:
    """Return the name in KINDS of an Arrow type. Raises PredicateError."""
    if not (name := _kind(kind)):
        raise PredicateError(f"computing with {from_arrow(kind)} is not supported")
    return name


def _kind(kind: pa.DataType) -> str:
    return next((name for name, has in KINDS.items() if has(kind)), "")


def shown(kind: pa.DataType) -> str:
    """Return the SQL name of a type."""
    return "NULL" if at.is_null(kind) else str(from_arrow(kind))


# Decimals -----------------------------------------------------------------------------------------


def decimal_type(kind: pa.DataType) -> pa.DataType:
    """Return the DECIMAL that has all values of an integer type; of a DECIMAL, itself."""
    return pa.decimal128(_DIGITS[kind.bit_width]) if at.is_integer(kind) else kind


def wide(value: Value) -> Value:
    """Return a DECIMAL or integer with 76 digits, so that no step overflows."""
    if at.is_integer(value.type):
        value = value.cast(decimal_type(value.type))
    return value.cast(pa.decimal256(76, value.type.scale))


def fit(value: Value, precision: int, scale: int) -> Value:
    """Round a wide DECIMAL half up to a type. Raises PredicateError for an overflow."""
    if isinstance(value, pa.Scalar):
        return fit(pa.array([value], value.type), precision, scale)[0]
    if value.type.scale > scale:
        value = pc.round(value, scale, "half_towards_infinity")
    elif value.type.scale < scale:
        value = value.cast(pa.decimal256(76, scale))
    limit = pa.scalar(Decimal(10) ** (precision - scale), value.type)
    if pc.any(pc.greater_equal(pc.abs(value), limit)).as_py():
        raise PredicateError(f"a value has more digits than DECIMAL({precision}, {scale})")
    return value.cast(pa.decimal256(76, scale)).cast(pa.decimal128(precision, scale))


def bounded(precision: int, scale: int) -> tuple[int, int]:
    """Return the digits of a result, as Spark's `DecimalType.adjustPrecisionScale` cuts them."""
    if precision <= _MOST:
        return precision, scale
    return _MOST, max(_MOST - (precision - scale), min(scale, 6))


# Times --------------------------------------------------------------------------------------------


def zone_of(time_zone: str) -> str:
    """Return a time zone as Arrow names it: it knows offsets of whole hours."""
    fixed = zone_named(time_zone).utcoffset(None)
    if fixed is None:
        return time_zone
    hours, rest = divmod(fixed, timedelta(hours=1))
    if rest:
        raise PredicateError(f"the time zone {time_zone} is not supported here: name it")
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


_KNOWN_DAYS = 11_000_000


def checked_years(value: Value) -> Value:
    """Return dates or times. Raises PredicateError for years that Arrow takes for others.

    Its kernels count years in 16 bits.
    """
    is_date = at.is_date(value.type)
    _check_between(value, _KNOWN_DAYS * (1 if is_date else 86_400 * 10**6))
    return value


def _check_between(value: Value, limit: int, first: int | None = None) -> None:
    number = value.cast(pa.int32() if at.is_date(value.type) else pa.int64())
    ends = pc.min_max(number if isinstance(number, pa.Array) else pa.array([number]))
    least, most = (ends[name].as_py() for name in ("min", "max"))
    if most is not None and (most > limit or least < (-limit if first is None else first)):
        raise PredicateError("a date so far from 1970 is not supported here")


def local(value: Value, zone: str) -> Value:
    """Return what the clocks of a zone show at instants; other values are unchanged."""
    if not at.is_timestamp(value.type) or value.type.tz is None:
        return value
    near = pc.local_timestamp(value.cast(pa.timestamp("us", zone)))

    def shown(moment: datetime, named: tzinfo) -> datetime:
        return moment.replace(tzinfo=UTC).astimezone(named).replace(tzinfo=None)

    return _far(value.cast(NAIVE), near, zone, shown)


def instants(value: Value, zone: str) -> Value:
    """Return the instants at which clocks show times; one that they skip is moved on, as in Java.

    Java takes the offset before a gap, so that 02:30 of a clock that goes from 2 to 3 is 03:30.
    """
    if isinstance(value, pa.Scalar):
        return instants(pa.array([value], value.type), zone)[0]
    value = value.cast(NAIVE)
    if zone == "UTC":
        return value.cast(ZONED)
    known = pc.assume_timezone(value, zone, ambiguous="earliest", nonexistent="latest")
    found = known.cast(ZONED)
    skipped = pc.not_equal(pc.local_timestamp(known), value)
    if pc.any(skipped).as_py():
        before = pc.subtract(found, pa.scalar(timedelta(microseconds=1), pa.duration("us")))
        offset = pc.subtract(local(before, zone), before.cast(NAIVE))
        found = pc.if_else(skipped, pc.subtract(value, offset).cast(ZONED), found)

    def instant(moment: datetime, named: tzinfo) -> datetime:
        return moment.replace(tzinfo=named).astimezone(UTC).replace(tzinfo=None)

    return _far(value, found.cast(NAIVE), zone, instant).cast(ZONED)


_LAST_OF_ARROW = datetime(2037, 1, 1)
"""From then on, Arrow knows no summer time."""
_CYCLE = pa.scalar(timedelta(days=146_097), pa.duration("us"))
"""After these 400 years, a zone's last rules give the same times on the same days."""


def _far(
    value: Value, near: Value, zone: str, moved: Callable[[datetime, tzinfo], datetime]
) -> Value:
    """Return times that Arrow converted, but far ones as Python does, whose rules do not end."""
    if isinstance(value, pa.Scalar):
        return _far(pa.array([value], NAIVE), pa.array([near], NAIVE), zone, moved)[0]
    first = pa.scalar(_LAST_OF_ARROW, NAIVE)
    far = pc.fill_null(pc.greater_equal(value, first), False)
    if zone == "UTC" or zone.startswith("Etc/GMT") or not pc.any(far).as_py():
        return near
    named, times = zone_named(zone), value.filter(far)
    cycles = pc.divide(pc.subtract(times, first).cast(pa.int64()), _CYCLE.cast(pa.int64()))
    past = pc.multiply(cycles, _CYCLE.cast(pa.int64())).cast(_CYCLE.type)
    found = distinctly(pc.subtract(times, past), lambda time: moved(time, named), NAIVE)
    return pc.replace_with_mask(near, far, pc.add(found, past))


# Common types -------------------------------------------------------------------------------------


def common(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Return the type to which Spark casts values of both, by `AnsiTypeCoercion`.

    Raises:
        PredicateError: There is none, or it has too few digits for both.
    """
    pair, kinds = (left, right), {_kind(left), _kind(right)}
    if left == right or "null" in kinds:
        return left if at.is_null(right) else right
    if kinds <= {"int", "bigint"}:
        return max(pair, key=lambda kind: kind.bit_width)
    if kinds <= NUMBERS:
        return pa.float64() if "floating" in kinds else _common_decimal(left, right)
    if kinds <= {"date", "timestamp", "ltz"}:
        return ZONED if ZONED in pair else NAIVE
    if "text" in kinds:
        other = right if at.is_string(left) else left
        if at.is_temporal(other) or at.is_boolean(other):
            return other
        if _kind(other) in NUMBERS:
            return pa.int64() if at.is_integer(other) else pa.float64()
    raise PredicateError(f"{shown(left)} and {shown(right)} have no common type: add a CAST")


def _common_decimal(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    (p, s), (q, t) = ((kind.precision, kind.scale) for kind in map(decimal_type, (left, right)))
    whole, scale = max(p - s, q - t), max(s, t)
    if whole + scale > _MOST:
        raise PredicateError(
            f"{shown(left)} and {shown(right)} together need more than {_MOST} digits, which "
            "is not supported: add a CAST"
        )
    return pa.decimal128(whole + scale, scale)


def alike(values: Sequence[Value], zone: str) -> list[Value]:
    """Cast values to the type that is common to all."""
    kind = reduce(common, (value.type for value in values))
    return [cast(value, kind, zone) for value in values]


# Casts --------------------------------------------------------------------------------------------


def cast(value: Value, kind: pa.DataType, zone: str) -> Value:
    """Cast a value by its rule in CASTS. Raises PredicateError."""
    if value.type == kind:
        return value
    rule = CASTS.get((kind_of(value.type), kind_of(kind)))
    if rule is None:
        raise PredicateError(f"CAST of {shown(value.type)} AS {shown(kind)} is not supported")
    return rule(value, kind, zone)


def _plainly(value: Value, kind: pa.DataType, zone: str) -> Value:
    return value.cast(kind)


def _printed_date(value: Value, kind: pa.DataType, zone: str) -> Value:
    _check_between(value, 2_932_896, -719_162)  # the years 1 to 9999, which have no sign
    return value.cast(kind)


def _to_floating(value: Value, kind: pa.DataType, zone: str) -> Value:
    if at.is_decimal(value.type):  # Arrow's own cast is off by a bit for long numbers
        value = value.cast(pa.string()).cast(pa.float64())
    return value.cast(kind, safe=False)


def _to_decimal(value: Value, kind: pa.DataType, zone: str) -> Value:
    return fit(wide(value), kind.precision, kind.scale)


def _whole(value: Value, kind: pa.DataType, zone: str) -> Value:
    if at.is_decimal(value.type):
        whole = pc.trunc(wide(value)).cast(pa.decimal256(76, 0))
        return whole.cast(pa.int64()).cast(kind)
    return pc.trunc(value).cast(kind)


def _from_boolean(value: Value, kind: pa.DataType, zone: str) -> Value:
    whole = value.cast(pa.int8())
    return cast(whole, kind, zone) if at.is_decimal(kind) else whole.cast(kind)


def _to_boolean(value: Value, kind: pa.DataType, zone: str) -> Value:
    zero = Decimal(0) if at.is_decimal(value.type) else 0
    return pc.not_equal(value, pa.scalar(zero, value.type))


def distinctly(
    values: Value, convert: Callable[[Any], Any], kind: pa.DataType, name: str = ""
) -> Value:
    """Return what each distinct value converts to. Raises PredicateError where that is None."""
    if isinstance(values, pa.Scalar):
        return distinctly(pa.array([values], values.type), convert, kind, name)[0]
    distinct = pc.unique(values).drop_null()
    found = []
    for value in distinct.to_pylist():
        found.append(convert(value))
        if found[-1] is None:
            raise PredicateError(f"{value[:60]!r} cannot be cast to {name or shown(kind)}")
    return pa.array(found, kind).take(pc.index_in(values, value_set=distinct))


_SPACES = "".join(map(chr, (*range(33), 127)))
"""What Spark's `UTF8String.trimAll` removes; Java's `trim` leaves the last."""


def _of_text(convert: Callable[[str], Any]) -> Callable[[Value, pa.DataType, str], Value]:
    return lambda value, kind, zone: distinctly(value, convert, kind)


_WHOLE_TEXT = re.compile(r"[+-]?[0-9]+")


def _parsed_whole(value: Value, kind: pa.DataType, zone: str) -> Value:
    limit = 2 ** (kind.bit_width - 1)

    def convert(text: str) -> int | None:
        text = text.strip(_SPACES)
        digits = text.lstrip("+-").lstrip("0") if _WHOLE_TEXT.fullmatch(text) else None
        if digits is None or len(digits) > 19:
            return None
        number = int(digits or "0") * (-1 if text[0] == "-" else 1)
        return number if -limit <= number < limit else None

    return distinctly(value, convert, kind)


_NUMBER_TEXT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_FLOAT_WORD = re.compile(r"[+-]?(?:inf|infinity)|nan", re.IGNORECASE)


def _float(text: str) -> float | None:
    text = text.strip(_SPACES[:-1])
    number = text[:-1] if text[-1:] in tuple("dDfF") else text
    if _NUMBER_TEXT.fullmatch(number):
        return float(number)
    return float(text) if _FLOAT_WORD.fullmatch(text) else None


def _parsed_float(value: Value, kind: pa.DataType, zone: str) -> Value:
    found = distinctly(value, _float, pa.float64(), shown(kind))
    return found.cast(kind, safe=False)


def _parsed_decimal(value: Value, kind: pa.DataType, zone: str) -> Value:
    def convert(text: str) -> Decimal | None:
        text = text.strip(_SPACES[:-1])
        number = Decimal(text) if _NUMBER_TEXT.fullmatch(text) and len(text) < 1000 else None
        if number is None or (number and number.adjusted() >= _MOST):
            return None
        exact = Context(prec=2000, Emin=-(10**9), Emax=10**9)
        cut = number.quantize(Decimal((0, (1,), -kind.scale)), ROUND_HALF_UP, exact)
        return cut if not cut or cut.adjusted() < kind.precision - kind.scale else None

    return distinctly(value, convert, kind)


_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
_TRUTH = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False)}

_DATE_TEXT = re.compile(
    r"([+-]?[0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T](.*))?)?)?", re.DOTALL
)
_CLOCK_TEXT = re.compile(r"[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2}(?:[.][0-9]{0,9})?)?")


def _split(text: str) -> tuple[str, str | None] | None:
    """Return a date as yyyy-mm-dd, and what is after it; None if a text is not a date."""
    match = _DATE_TEXT.fullmatch(text.strip(_SPACES))
    return match and ("-".join((match[1], match[2] or "1", match[3] or "1")), match[4])


def _date(text: str) -> int | None:
    """Parse a date in the forms of Spark's `stringToDate`."""
    parts = _split(text)
    return parse_date(parts[0]) if parts else None


def _time(text: str, with_zone: bool) -> TypedLiteral | None:
    """Parse a timestamp in the forms of Spark's `parseTimestampString`."""
    day, rest = _split(text) or ("", None)
    clock = _CLOCK_TEXT.match("00:00" if rest is None else rest)
    whole = parse_timestamp(f"{day} {rest or '00:00'}") if clock else None
    return whole if with_zone or not (whole and clock) else parse_timestamp(f"{day} {clock[0]}")


def _parsed_time(value: Value, kind: pa.DataType, zone: str) -> Value:
    def convert(text: str) -> int | None:
        found = _time(text, with_zone=False)
        return None if found is None else int(found.value) // 1000

    def instant(text: str) -> int | None:
        found = _time(text, with_zone=True)
        is_zoned = found is not None and found.type.root == "TIMESTAMP_LTZ"
        return found.value // 1000 if found and is_zoned else _NONE

    clock = distinctly(value, convert, pa.int64(), shown(kind)).cast(NAIVE)
    if kind == NAIVE:
        return clock
    zoned = distinctly(value, instant, pa.int64())
    has_zone = pc.not_equal(zoned, pa.scalar(_NONE, pa.int64()))
    return pc.if_else(has_zone, zoned.cast(ZONED), instants(clock, zone))


_NONE = -(2**63)
"""Stands for a text that has no zone; its microseconds are not those of a time."""


def _to_time(value: Value, kind: pa.DataType, zone: str) -> Value:
    """Cast among dates and timestamps, which a session's clocks show."""
    if kind == ZONED:
        return instants(value, zone)
    clock = local(value, zone)
    if at.is_date(kind):
        return clock if at.is_date(clock.type) else pc.floor_temporal(clock, unit="day").cast(kind)
    return clock.cast(kind)


_INTEGERS, _NUMBERS = ("int", "bigint"), ("int", "bigint", "decimal", "floating")
_Rule = Callable[[Value, pa.DataType, str], Value]
CASTS: dict[tuple[str, str], _Rule] = {
    **{("null", kind): _plainly for kind in KINDS},
    **{(kind, kind): _plainly for kind in ("boolean", "text", "binary", "int", "bigint")},
    **dict.fromkeys((("int", "bigint"), ("bigint", "int"), ("text", "binary")), _plainly),
    **{(kind, "text"): _plainly for kind in (*_INTEGERS, "boolean")},
    ("date", "text"): _printed_date,
    **{(kind, "floating"): _to_floating for kind in _NUMBERS},
    **{(kind, "decimal"): _to_decimal for kind in (*_INTEGERS, "decimal")},
    **{(kind, whole): _whole for kind in ("decimal", "floating") for whole in _INTEGERS},
    **{("boolean", kind): _from_boolean for kind in _NUMBERS},
    **{(kind, "boolean"): _to_boolean for kind in _NUMBERS},
    **{("text", kind): _parsed_whole for kind in _INTEGERS},
    ("text", "floating"): _parsed_float,
    ("text", "decimal"): _parsed_decimal,
    ("text", "boolean"): _of_text(lambda text: _TRUTH.get(text.strip(_SPACES).lower())),
    ("text", "date"): _of_text(_date),
    ("text", "timestamp"): _parsed_time,
    ("text", "ltz"): _parsed_time,
    **{
        (kind, target): _to_time
        for kind in ("date", "timestamp", "ltz")
        for target in ("date", "timestamp", "ltz")
        if (kind, target) != ("ltz", "ltz")
    },
}
"""The casts that are supported, by the kinds of both types; see Spark's `Cast.canAnsiCast`."""
