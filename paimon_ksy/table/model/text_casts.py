"""Parse texts as Paimon's casts do; each function raises ValueError for other texts.

Source: `BinaryStringUtils` and `DateTimeUtils` (paimon-common, release 1.4.2). Some texts that Java
accepts are refused, too: hexadecimal floats, times outside a day, and timestamps with missing or
repeated fields, such as `2024--01`.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

import numpy as np

_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")
_SPACES = "".join(map(chr, range(33)))
"""The characters that `String.trim` removes."""

_INTEGER = re.compile(r"(?![+-]?\Z)([+-]?)(\d*)(?:\.\d*)?", re.ASCII)
_NUMERIC = re.compile(r"-?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,10})?")  # any digits
_REAL = re.compile(
    r"([+-]?)(?:(NaN|Infinity)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)", re.ASCII
)
_TIMESTAMP = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?)?", re.ASCII
)
_DAY_MILLIS, _HOUR_MILLIS, _MINUTE_MILLIS = 86_400_000, 3_600_000, 60_000
_EPOCH_DAY = 719_163
"""The number of 1970-01-01, from 1 for the first day of the year 1."""


def to_boolean(text: str) -> bool:
    """Parse a BOOLEAN."""
    lower = text.lower()
    if lower not in (*_TRUE, *_FALSE):
        raise _wrong(text, "a BOOLEAN")
    return lower in _TRUE


def to_integer(text: str, bits: int) -> int:
    """Parse an integer of this width; digits after a point are dropped."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise _wrong(text, "an integer")
    digits = match[2].lstrip("0") or "0"
    number = int(digits) * (-1 if match[1] == "-" else 1) if len(digits) < bits else 1 << bits
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise _wrong(text, f"an integer of {bits} bits")
    return number


def to_double(text: str) -> float:
    """Parse a DOUBLE (`Double.parseDouble`)."""
    match = _REAL.fullmatch(text.strip(_SPACES))
    if match is None:
        raise _wrong(text, "a decimal number")
    return float(match[1] + (match[2] or match[3]))


def to_float(text: str) -> float:
    """Parse a FLOAT (`Float.parseFloat`), rounded once from the decimal digits."""
    double = to_double(text)
    with np.errstate(over="ignore"):
        nearest = np.float32(double)
        if not math.isfinite(double) or float(nearest) == double:
            return float(nearest)
        away = math.inf if double > float(nearest) else -math.inf
        other = np.nextafter(nearest, np.float32(away))
    below, above = sorted((_as_number(nearest), _as_number(other)))
    if double - below != above - double:
        return float(nearest)
    digits = _REAL.fullmatch(text.strip(_SPACES))
    assert digits is not None
    exact, middle = Decimal(digits[1] + digits[3]), Decimal(double)
    if exact == middle:
        return float(nearest)
    return float(np.float32(above if exact > middle else below))


def _as_number(value: Any) -> float:
    """Return a FLOAT; for infinity, the number that would follow the greatest FLOAT."""
    return float(value) if np.isfinite(value) else math.copysign(2.0**128, value)


def to_decimal(text: str) -> Decimal:
    """Parse a number without a limit to its digits (`BigDecimal`)."""
    if _DECIMAL.fullmatch(text) is None:
        raise _wrong(text, "a decimal number")
    return Context(prec=len(text) + 1, Emax=MAX_EMAX, Emin=MIN_EMIN).create_decimal(text)


def to_days(text: str) -> int:
    """Parse a DATE, or the number of its days since 1970."""
    if _NUMERIC.fullmatch(text):
        return to_integer(text, 32)
    date = text[: text.find(" ")] if text.find(" ") > 0 else text
    numbers = [_number(part, text, "a DATE") for part in date.split("-", 2)]
    year, month, day = (*numbers, 1, 1)[:3]
    return _days(year, month, day, text)


def _days(year: int, month: int, day: int, text: str) -> int:
    if year > 9999 or not 1 <= month <= 12 or not 1 <= day <= _length(year, month):
        raise _wrong(text, "a date")
    before = year - (month < 3)
    days = 365 * before + before // 4 - before // 100 + before // 400
    return days + (153 * ((month + 9) % 12) + 2) // 5 + day - 307 + 1 - _EPOCH_DAY


def _length(year: int, month: int) -> int:
    return monthrange(year or 400, month)[1]


def to_millis_of_day(text: str) -> int:
    """Parse a TIME with an optional offset, or the number of its milliseconds."""
    if _NUMERIC.fullmatch(text):
        return _of_day(to_integer(text, 32), text)
    sign = "-" if "-" in text else "+"
    clock, _, offset = text.partition(sign)
    parts = clock.split(":", 2)
    if ":" in offset and len(parts) < 3:
        raise _wrong(text, "a TIME")
    seconds, _, fraction = (*parts, "0", "0")[2].partition(".")
    hour, minute = (_number(each, text, "a TIME") for each in (*parts, "0")[:2])
    second = _number(seconds, text, "a TIME")
    hours, colon, minutes = offset.partition(":")
    shift = 0
    if sign in text:
        shift = _number(hours, text, "a TIME") * _HOUR_MILLIS
        shift += _number(minutes, text, "a TIME") * _MINUTE_MILLIS if colon else 0
    millis = hour * _HOUR_MILLIS + minute * _MINUTE_MILLIS + second * 1000 + _fraction(fraction)
    return _of_day(millis + (-shift if sign == "-" else shift), text)


def _fraction(text: str) -> int:
    """Return the milliseconds of a fraction, rounded half up."""
    digits = text.strip(_SPACES)
    kept = "".join(each if each in "0123456789" else "0" for each in digits[:3])
    return int(kept.ljust(3, "0")) + (digits[3:4] >= "5")


def _of_day(millis: int, text: str) -> int:
    if not 0 <= millis < _DAY_MILLIS:
        raise _wrong(text, "a time of day")
    return millis


def to_timestamp(text: str, precision: int, *, zoned: bool) -> tuple[int, int]:
    """Parse a timestamp, in UTC if it is zoned, into seconds since 1970 and nanoseconds.

    An unzoned one may be the number of its seconds, milliseconds, microseconds or nanoseconds.
    """
    if _NUMERIC.fullmatch(text) and not zoned:
        if precision not in (0, 3, 6, 9):
            raise ValueError(f"{text:.80} cannot be cast to TIMESTAMP({precision})")
        number = to_integer(text, 64)
        if precision == 0:  # whose milliseconds wrap around
            number, precision = (number * 1000 + (1 << 63)) % (1 << 64) - (1 << 63), 3
        seconds, rest = divmod(number, 10**precision)
        return seconds, rest * 10 ** (9 - precision)
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise _wrong(text, "a timestamp")
    year, month, day, hour, minute, second = (int(each or 0) for each in match.groups()[:6])
    is_midnight = hour == 24 and not minute and not second and not int(match[7] or 0)
    if not year or month > 12 or month < 1 or day > 31 or minute > 59 or second > 59:
        raise _wrong(text, "a timestamp")
    if hour > 23 and not is_midnight:
        raise _wrong(text, "a timestamp")
    days = _days(year, month, min(day, _length(year, month)), text)
    nanos = int((match[7] or "").ljust(9, "0")) if precision else 0
    step = 10 ** (9 - precision)
    return days * 86_400 + hour * 3600 + minute * 60 + second, nanos // step * step


def _number(part: str, text: str, what: str) -> int:
    digits = part.strip(_SPACES)
    if not (digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) <= 10):
        raise _wrong(text, what)
    return int(digits)


def _wrong(text: str, what: str) -> ValueError:
    return ValueError(f"{text[:80]!r} is not {what}")
