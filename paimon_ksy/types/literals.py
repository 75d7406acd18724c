"""Find the position of a Python or SQL literal among the values of a column.

The rules are those of Spark SQL, on the internal values of `paimon_ksy.types.data_type`:

- a number is compared by its value: `int_column = 1.5` is never true, `int_column > 1.5` is `> 1`,
  `tinyint_column < 1000` is true for each row that is not null;
- against FLOAT and DOUBLE a literal is first rounded to that type, as Paimon does. So `f = 0.1`
  finds the rows with the FLOAT nearest to 0.1; Spark would widen the column instead. A literal too
  large for the type stays larger than each finite value and smaller than Infinity;
- NaN equals NaN and is above all numbers, -0.0 equals 0.0;
- a date or timestamp that no file can store is below or above all values;
- CHAR: trailing spaces are padding and do not count;
- a date, time or timestamp may be a string; a timestamp finer than the column stores
  (milliseconds up to precision 3, microseconds up to 6) is equal to no row;
- TIMESTAMP WITH LOCAL TIME ZONE: a literal without zone is in the session's time zone (UTC by
  default); TIMESTAMP does not accept a literal with a zone;
- a string is not a number and a number is not a boolean: that is an error, not a conversion.
"""

from __future__ import annotations

import ctypes
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any, Literal

from paimon_ksy.errors import PredicateError
from paimon_ksy.types.data_type import INTEGER_BITS, DataType, from_utf8, to_utf8
from paimon_ksy.types.parse import parse_type

NANOS_PER_SECOND = 10**9
NANOS_PER_DAY = 86_400 * NANOS_PER_SECOND
_UNIT_NANOS = {
    "D": NANOS_PER_DAY,
    "h": 3600 * NANOS_PER_SECOND,
    "m": 60 * NANOS_PER_SECOND,
    "s": NANOS_PER_SECOND,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}

DATE = parse_type("DATE")
TIMESTAMP = parse_type("TIMESTAMP(9)")
TIMESTAMP_LTZ = parse_type("TIMESTAMP_LTZ(9)")


@dataclass(frozen=True)
class TypedLiteral:
    """A date or timestamp literal: an internal value of `type` (DATE, TIMESTAMP, TIMESTAMP_LTZ).

    Unlike Python's date and datetime, it can represent nanoseconds, and years after 9999.
    """

    value: Any
    type: DataType

    def __repr__(self) -> str:
        return to_sql(self.value, self.type)


@dataclass(frozen=True)
class Position:
    """The position of a literal among the values of a type.

    It is `at` a value, `after` a value and before the next one, `above` or `below` all values.
    """

    kind: Literal["at", "after", "above", "below"]
    value: Any = None


_ABOVE = Position("above")
_BELOW = Position("below")


class _MismatchError(Exception):
    """The literal does not fit the type. The message shows what to write instead."""


def position_of(
    value: object, data_type: DataType, column: str, time_zone: str | None = "UTC"
) -> Position:
    """Return the position of the literal `value` (not None) among the values of a column.

    `time_zone` is that of literals that need one, but have none; if it is None, they are an error.

    Raises:
        PredicateError: The literal does not fit the type. The message shows what to write.
    """
    rule = _RULES.get(data_type.root)
    try:
        if rule is None:
            raise _MismatchError("such a column supports only IS NULL and IS NOT NULL")
        return rule(value, data_type, time_zone)
    except _MismatchError as error:
        shown = to_sql(value).encode("utf-8", "backslashreplace").decode().replace("\n", " ")
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        raise PredicateError(
            f"cannot compare column {column!r} of type {data_type} with {shown}: {error}"
        ) from None


def plain(value: object) -> object:
    """Return the Python value of a NumPy, pandas or Arrow scalar; return other values unchanged."""
    kind = type(value)
    if kind in (int, str, float, bool, type(None)):
        return value
    module = kind.__module__.partition(".")[0]
    if kind.__name__ == "NaTType":
        return None
    if module == "numpy":
        return _plain_numpy(value)
    if module == "pyarrow" and hasattr(value, "as_py"):
        return _plain_arrow(value)
    if module == "pandas" and isinstance(value, datetime):
        nanos, zoned = _datetime_nanos(value)
        return TypedLiteral(nanos, TIMESTAMP_LTZ if zoned else TIMESTAMP)
    return value


def _plain_numpy(value: Any) -> object:
    if value.dtype.kind != "M":
        return value.item() if value.ndim == 0 else value
    import numpy as np

    if np.isnat(value):
        return None
    unit, count = np.datetime_data(value.dtype)
    if unit in ("Y", "M", "W", "D"):
        return TypedLiteral(int(value.astype("datetime64[D]").astype("int64")), DATE)
    if unit not in _UNIT_NANOS:
        raise PredicateError(f"cannot read the literal {value!r}: cast it to datetime64[ns]")
    return TypedLiteral(int(value.astype("int64")) * count * _UNIT_NANOS[unit], TIMESTAMP)


def _plain_arrow(value: Any) -> object:
    name = str(value.type)
    if name.startswith("timestamp") and value.is_valid:
        nanos = value.value * _UNIT_NANOS[value.type.unit]
        return TypedLiteral(nanos, TIMESTAMP if value.type.tz is None else TIMESTAMP_LTZ)
    return value.as_py()


# One rule for each type -------------------------------------------------------------------------


def _boolean(value: object, data_type: DataType, time_zone: str | None) -> Position:
    if not isinstance(value, bool):
        raise _MismatchError("write TRUE or FALSE")
    return Position("at", value)


def _number(value: object) -> int | float | Decimal:
    if isinstance(value, str):
        raise _MismatchError("write a number, without quotes")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _MismatchError("write a number")
    if isinstance(value, Decimal) and not value.is_finite():
        return math.nan if value.is_nan() else float(value)
    return value


def _unbounded(value: int | float | Decimal) -> Position | None:
    """Return the position of NaN or an infinity, for types without such values."""
    if isinstance(value, float) and not math.isfinite(value):
        return _BELOW if value == -math.inf else _ABOVE
    return None


def _integer(value: object, data_type: DataType, time_zone: str | None) -> Position:
    number = _number(value)
    if (outside := _unbounded(number)) is not None:
        return outside
    if isinstance(number, int):
        floor = number
    elif isinstance(number, float):
        floor = math.floor(number)
    elif (
        number and number.adjusted() > 20
    ):  # far out of range; as an int, 1E+999999999 would not fit into memory
        return _ABOVE if number > 0 else _BELOW
    else:
        floor = int(number.to_integral_value(ROUND_FLOOR))
    return _at(floor, INTEGER_BITS[data_type.root], "at" if floor == number else "after")


def _at(number: int, bits: int, kind: Literal["at", "after"] = "at") -> Position:
    """Return the position of a number among the signed integers of this many bits."""
    limit = 1 << (bits - 1)
    if number >= limit:
        return _ABOVE
    return _BELOW if number < -limit else Position(kind, number)


_MOST_DIGITS = 38
"""The maximum digits of a DECIMAL. Sums that Java aggregates may exceed their own precision."""


def _decimal(value: object, data_type: DataType, time_zone: str | None) -> Position:
    number = _number(value)
    if (outside := _unbounded(number)) is not None:
        return outside
    # A float stands for its printed form: 0.1, not 0.1000000000000000055.
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    scale = data_type.scale or 0
    if exact and exact.adjusted() >= _MOST_DIGITS - scale:
        return _ABOVE if exact > 0 else _BELOW
    unit = Decimal((0, (1,), -scale))
    floor = exact.quantize(unit, ROUND_FLOOR, Context(prec=_MOST_DIGITS + 2))
    if floor.adjusted() >= _MOST_DIGITS - scale and floor:
        return _BELOW
    return Position("at" if floor == exact else "after", floor)


_FLOAT_MAX = float.fromhex("0x1.fffffep+127")


def _float_below(number: float) -> float:
    """Return the greatest FLOAT below another."""
    import numpy as np

    return float(np.nextafter(np.float32(number), np.float32(-np.inf)))


def _floating(value: object, data_type: DataType, time_zone: str | None) -> Position:
    if isinstance(value, str) and value.lower() in ("nan", "infinity", "-infinity"):
        value = float(value)  # SQL has no other short form for these values
    number = _number(value)
    try:
        rounded = float(number)
    except OverflowError:
        rounded = math.inf if number > 0 else -math.inf
    largest = sys.float_info.max
    if data_type.root == "FLOAT":
        largest, exact, rounded = _FLOAT_MAX, rounded, ctypes.c_float(rounded).value
        if isinstance(number, Decimal) and math.isfinite(rounded) and rounded != exact:
            return Position("after", rounded if rounded < exact else _float_below(rounded))
    if math.isinf(rounded) and not (isinstance(number, float) and math.isinf(number)):
        return Position("after", largest if rounded > 0 else -math.inf)
    return Position("at", math.nan if math.isnan(rounded) else rounded + 0.0)  # -0.0 + 0.0 is 0.0


def _string(value: object, data_type: DataType, time_zone: str | None) -> Position:
    text = _text(value)
    return Position("at", text.rstrip(" ") if data_type.root == "CHAR" else text)


def _text(value: object) -> str:
    """Return the string of a literal for a string column; bytes that are not UTF-8 are kept."""
    if isinstance(value, bytes | bytearray | memoryview):
        return from_utf8(bytes(value))
    if not isinstance(value, str):
        raise _MismatchError("write a string, in quotes")
    try:
        to_utf8(value)
    except UnicodeEncodeError as error:
        raise _MismatchError(
            f"character {error.start} is half of a surrogate pair: write the whole character"
        ) from None
    return value


def _binary(value: object, data_type: DataType, time_zone: str | None) -> Position:
    if isinstance(value, bytes | bytearray | memoryview):
        return Position("at", bytes(value))
    raise _MismatchError("write bytes such as X'1F' in SQL")


_DATE_BITS, _TIMESTAMP_BITS = 32, 64
"""Bits of the days of a DATE, and of the milliseconds or microseconds of a TIMESTAMP in a file."""


def _date(value: object, data_type: DataType, time_zone: str | None) -> Position:
    if isinstance(value, str):
        days = parse_date(value)
        if days is None:
            raise _MismatchError("write a date such as DATE '2024-01-31'")
        return _at(days, _DATE_BITS)
    if isinstance(value, TypedLiteral) and value.type.root == "DATE":
        return _at(value.value, _DATE_BITS)
    if isinstance(value, date) and not isinstance(value, datetime):
        return Position("at", value.toordinal() - _EPOCH)
    if isinstance(value, datetime) or (isinstance(value, TypedLiteral) and value.type.is_timestamp):
        days, rest = divmod(_local_nanos(value), NANOS_PER_DAY)
        return _at(days, _DATE_BITS, "after" if rest else "at")
    raise _MismatchError("write a date such as DATE '2024-01-31'")


def _time(value: object, data_type: DataType, time_zone: str | None) -> Position:
    if isinstance(value, time):
        if value.tzinfo is not None:
            raise _MismatchError("TIME has no time zone: remove it")
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        nanos: int | None = seconds * NANOS_PER_SECOND + value.microsecond * 1000
    else:
        nanos = parse_time(value) if isinstance(value, str) else None
    if nanos is None:
        raise _MismatchError("write a time of day such as '12:30:00'")
    millis, rest = divmod(nanos, 10**6)
    return Position("after" if rest else "at", millis)


def _timestamp_ltz(value: object, data_type: DataType, time_zone: str | None) -> Position:
    nanos, zoned = _nanos(value)
    if not zoned:
        if time_zone is None:
            raise _MismatchError(
                "the literal has no time zone: write TIMESTAMP '2024-01-31 12:30:00+02:00', or "
                "pass one by --time-zone, Table.with_time_zone or the data source's time-zone"
            )
        nanos = _to_utc(nanos, zone_named(time_zone))
    return _at_resolution(nanos, data_type)


def resolution(data_type: DataType) -> int:
    """Return the nanoseconds between two values that a TIMESTAMP column can store.

    Paimon keeps milliseconds for all precisions up to 3, microseconds up to 6: a TIMESTAMP(1) is
    not truncated to tenths of a second.
    """
    precision = data_type.precision or 0
    return 10**6 if precision <= 3 else 10**3 if precision <= 6 else 1


def _at_resolution(nanos: int, data_type: DataType) -> Position:
    outside = _at(nanos // data_type.stored_nanos, _TIMESTAMP_BITS)
    if outside.kind != "at":
        return outside
    rest = nanos % resolution(data_type)
    return Position("after" if rest else "at", nanos - rest)


_Rule = Callable[[object, DataType, str | None], Position]
_RULES: dict[str, _Rule] = {
    "BOOLEAN": _boolean,
    **dict.fromkeys(INTEGER_BITS, _integer),
    "DECIMAL": _decimal,
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "CHAR": _string,
    "VARCHAR": _string,
    "BINARY": _binary,
    "VARBINARY": _binary,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": lambda value, kind, _: _at_resolution(_local_nanos(value), kind),
    "TIMESTAMP_LTZ": _timestamp_ltz,
}


# Dates and times --------------------------------------------------------------------------------

_EPOCH = date(1970, 1, 1).toordinal()
_CYCLE_START = date(2000, 1, 1).toordinal()
_CYCLE_DAYS = 146_097
"""Days in 400 years, after which the calendar repeats, so Python's date works for any year."""

_DATE_TEXT = re.compile(r"([+-]?\d{4,7})-(\d{1,2})-(\d{1,2})", re.ASCII)
_TIME_TEXT = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,18}))?)?", re.ASCII)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?", re.ASCII)


def parse_date(text: str) -> int | None:
    """Parse a text such as `2024-01-31` to days since 1970-01-01, None if it is not a date."""
    match = _DATE_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    cycle, year = divmod(int(match[1]), 400)
    try:
        day = date(2000 + year, int(match[2]), int(match[3]))
    except ValueError:
        return None
    return day.toordinal() - _EPOCH + (cycle - 5) * _CYCLE_DAYS


def parse_time(text: str) -> int | None:
    """Parse a text such as `12:30:00.5` to nanoseconds since midnight, None if it is not a time.

    Digits after the ninth are dropped.
    """
    match = _TIME_TEXT.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    nanos = int((match[4] or "").ljust(9, "0")[:9])
    return ((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + nanos


def parse_timestamp(text: str) -> TypedLiteral | None:
    """Parse a text such as `2024-01-31 12:30:00.5`, with or without a zone after it.

    Returns:
        A TIMESTAMP_LTZ if the text has a zone (`Z`, `+02:00`, `Europe/Berlin`), else a TIMESTAMP;
        None if the text is neither a timestamp nor a date.
    """
    text = text.strip()
    separator = re.search(r"[T ]", text)
    if separator is None:
        days = parse_date(text)
        return None if days is None else TypedLiteral(days * NANOS_PER_DAY, TIMESTAMP)
    days = parse_date(text[: separator.start()])
    clock = _TIME_TEXT.match(rest := text[separator.end() :].lstrip())
    if days is None or clock is None:
        return None
    since_midnight = parse_time(clock[0])
    if since_midnight is None:
        return None
    nanos = days * NANOS_PER_DAY + since_midnight
    zone_text = rest[clock.end() :].strip()
    if not zone_text:
        return TypedLiteral(nanos, TIMESTAMP)
    try:
        return TypedLiteral(_to_utc(nanos, zone_named(zone_text)), TIMESTAMP_LTZ)
    except PredicateError:
        return None


def zone_named(name: str) -> tzinfo:
    """Return the time zone with this name or offset. Raises PredicateError if it is unknown."""
    if name in ("Z", "UTC", "GMT"):
        return UTC
    if match := _OFFSET.fullmatch(name):
        minutes = int(match[2]) * 60 + int(match[3] or 0)
        if minutes <= 18 * 60:
            return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise PredicateError(
            f"unknown time zone {name!r}: write an offset such as +02:00 or a name such as UTC"
        ) from None


def _to_utc(nanos: int, zone: tzinfo) -> int:
    """Return the instant at which the clocks of `zone` show `nanos` since 1970-01-01T00:00."""
    days, rest = divmod(nanos, NANOS_PER_DAY)
    try:
        local = datetime.fromordinal(days + _EPOCH) + timedelta(seconds=rest // NANOS_PER_SECOND)
    except (ValueError, OverflowError):
        local = datetime(1, 1, 2) if days < 0 else datetime(9999, 12, 30)
    offset = local.replace(tzinfo=zone).utcoffset() or timedelta(0)
    return nanos - (offset // timedelta(microseconds=1)) * 1000


def _datetime_nanos(value: datetime) -> tuple[int, bool]:
    """Return nanoseconds since 1970-01-01T00:00 (in UTC if zoned), and whether it has a zone."""
    offset = value.utcoffset()
    local = value.replace(tzinfo=None)
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    nanos = (local.toordinal() - _EPOCH) * NANOS_PER_DAY + seconds * NANOS_PER_SECOND
    nanos += value.microsecond * 1000 + int(getattr(value, "nanosecond", 0))
    if offset is None:
        return nanos, False
    return nanos - (offset // timedelta(microseconds=1)) * 1000, True


def _nanos(value: object) -> tuple[int, bool]:
    """Return the literal in nanoseconds, and whether it has a time zone."""
    if isinstance(value, str):
        value = parse_timestamp(value)
    if isinstance(value, TypedLiteral):
        if value.type.root == "DATE":
            return value.value * NANOS_PER_DAY, False
        return value.value, value.type.root == "TIMESTAMP_LTZ"
    if isinstance(value, datetime):
        return _datetime_nanos(value)
    if isinstance(value, date):
        return (value.toordinal() - _EPOCH) * NANOS_PER_DAY, False
    raise _MismatchError("write a timestamp such as TIMESTAMP '2024-01-31 12:30:00'")


def _local_nanos(value: object) -> int:
    nanos, zoned = _nanos(value)
    if zoned:
        raise _MismatchError("the column has no time zone: remove the literal's")
    return nanos


# Printing ---------------------------------------------------------------------------------------


def date_text(days: int) -> str:
    """Return `2024-01-31` for days since 1970-01-01."""
    cycle, rest = divmod(days + _EPOCH - _CYCLE_START, _CYCLE_DAYS)
    day = date.fromordinal(_CYCLE_START + rest)
    year = day.year + 400 * cycle
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{day.month:02d}-{day.day:02d}"


def time_text(nanos: int) -> str:
    """Return `12:30:00.5` for nanoseconds since midnight."""
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:09d}".rstrip("0") if fraction else text


def to_text(value: Any, data_type: DataType) -> str:
    """Format an internal value for people, without quotes."""
    if value is None:
        return "NULL"
    if (text := _TEXTS.get(data_type.root)) is not None:
        return text(value)
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value)


def _timestamp_text(nanos: int) -> str:
    days, rest = divmod(nanos, NANOS_PER_DAY)
    return f"{date_text(days)} {time_text(rest)}"


_TEXTS: dict[str, Callable[[Any], str]] = {
    "BOOLEAN": lambda value: "TRUE" if value else "FALSE",
    "DATE": date_text,
    "TIME": lambda millis: time_text(millis * 10**6),
    "TIMESTAMP": _timestamp_text,
    "TIMESTAMP_LTZ": lambda nanos: f"{_timestamp_text(nanos)}Z",
}
"""The texts of values of types whose internal form is another one."""


_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\0": "\\0"})
_KEYWORD = {"DATE": "DATE ", "TIME": "TIME ", "TIMESTAMP": "TIMESTAMP_NTZ "}


def to_sql(value: object, data_type: DataType | None = None) -> str:
    """Format a literal in Spark SQL; with a type, `value` is an internal value of this type."""
    if isinstance(value, TypedLiteral):
        return to_sql(value.value, value.type)
    if value is None:
        return "NULL"
    if data_type is not None and (data_type.is_timestamp or data_type.root in ("DATE", "TIME")):
        keyword = _KEYWORD.get(data_type.root, "TIMESTAMP_LTZ ")
        return f"{keyword}'{to_text(value, data_type)}'"
    for kind, sql in _SQL:
        if isinstance(value, kind):
            return sql(value)
    return repr(value)


def _float_sql(value: float) -> str:
    if math.isfinite(value):
        return f"{value!r}D"
    return f"CAST('{to_text(value, parse_type('DOUBLE'))}' AS DOUBLE)"


def _decimal_sql(value: Decimal) -> str:
    if not value.is_finite():
        return repr(value)
    return f"{value:f}" if abs(value.adjusted()) < 1000 else str(value)


def _datetime_sql(value: datetime) -> str:
    nanos, zoned = _datetime_nanos(value)
    return to_sql(nanos, TIMESTAMP_LTZ if zoned else TIMESTAMP)


def _integer_sql(value: int) -> str:
    if value.bit_length() > 3000:  # Python refuses to print longer ints
        return "-1e999" if value < 0 else "1e999"
    return repr(value)


_SQL: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (bool, lambda value: "TRUE" if value else "FALSE"),
    (str, lambda value: "'" + value.translate(_ESCAPES) + "'"),
    (bytes | bytearray | memoryview, lambda value: f"X'{bytes(value).hex().upper()}'"),
    (float, _float_sql),
    (Decimal, _decimal_sql),
    (datetime, _datetime_sql),
    (date, lambda value: f"DATE '{value.isoformat()}'"),
    (time, lambda value: f"TIME '{value.isoformat()}'"),
    (int, _integer_sql),
)
"""The SQL of literals by their type: the first that fits."""
