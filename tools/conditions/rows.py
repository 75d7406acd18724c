"""Random rows of columns of all types, with the values at which engines differ."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa

from paimon_ksy.types.schema import Schema

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")

SCHEMA = Schema.parse(
    "id INT, t TINYINT, h SMALLINT, i INT, j INT, l BIGINT, k BIGINT, f FLOAT, d DOUBLE, e DOUBLE, "
    "m DECIMAL(4, 2), p DECIMAL(10, 2), n DECIMAL(18, 0), q DECIMAL(38, 10), b BOOLEAN, a BOOLEAN, "
    "s STRING, u STRING, c CHAR(4), v VARCHAR(6), y BYTES, dt DATE, du DATE, ts TIMESTAMP(6), "
    "tm TIMESTAMP(3), z TIMESTAMP_LTZ(6), x TIMESTAMP_LTZ(6), mp MAP<STRING, INT>, "
    "r ROW<a INT, b STRING>, li ARRAY<INT>, ls ARRAY<STRING>, of_int STRING, of_number STRING, "
    "of_bool STRING, of_date STRING, of_time STRING"
)
"""Columns of each type. The texts `of_*` are those that a cast to another type accepts."""

WORDS = (
    *("", "a", "A", "ab", "abc", "abc2", "a%b", "a_b", "A\\b", "it's", "xyz", " x ", "x\ny", "12"),
    *("Ä", "ä", "ß", "straße", "STRASSE", "😀", "a😀b", "e\u0301", "İ", "ǅ", "-", "true", "NaN"),
    *("2024-02-29", "1.5", "\u00a0x", "a\tb", "zz", "\u2028", "ﬁ"),
)
MOMENTS = (
    *("2024-03-31 02:30:00", "2024-10-27 02:30:00", "2024-10-27 02:00:00", "2024-03-10 02:30:00"),
    *("2024-11-03 01:30:00", "2024-02-29 23:59:59.999999", "1970-01-01 00:00:00", "2024-12-31 0:0"),
    *("1969-12-31 23:59:59.500000", "2000-02-29 12:00:00.000001", "2024-01-01 00:00:15.5"),
    *("2024-01-01 00:00:15", "2023-01-01 00:00:00", "2024-03-31 03:00:00", "2050-07-01 12:00:00"),
    *("2024-03-31 01:59:59.9", "2037-10-25 02:30:00", "2038-03-28 02:30:00"),
)
EXTREME_MOMENTS = (
    *("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1582-10-04 12:00:00", "1893-03-31 1:2"),
    *("1582-10-15 00:00:00", "1900-01-01 00:00:00", "1883-11-18 12:03:58", "2262-04-12 00:00:00"),
    *("1945-08-31 23:30:00", "2400-07-01 12:00:00"),
)
NAN, INF = math.nan, math.inf
TAME: dict[str, tuple[Any, ...]] = {
    "t": (0, 1, -1, 2, 7, 12),
    "j": (1, 2, 3, -1, 7),
    "k": (1, 2, -3, 10**10),
    "f": (0.0, 1.5, -2.25, 0.1, 3.0),
    "d": (0.0, -0.0, 1.5, -2.5, 2.675, 0.1, 7.0),
    "m": tuple(map(Decimal, ("0.00", "1.25", "9.99", "-1.50", "2.50", "0.05"))),
    "b": (True, False),
    "s": WORDS,
    "y": (b"", b"a", b"\x00\xff", b"abc", "ä".encode()),
    "mp": ([], [("k", 1)], [("k", None)], [("x", 5), ("k", 2)], [("", 0)]),
    "r": ({"a": 1, "b": "x"}, {"a": None, "b": "xy"}, {"a": 7, "b": None}),
    "li": ([], [1], [1, 2, 3], [None, 7], [5, 5]),
    "ls": ([], ["a"], ["a", "b"], [None, "ä"], ["", "a"]),
    "of_int": ("12", "7", "-3", "007", "0", " 12 ", "+5", "99"),
    "of_number": ("12", "1.5", "-0.25", " 3 ", "1e2", "0", "99.995", "-7"),
    "of_bool": ("true", "F", "yes", "0", " t ", "No"),
    "of_date": ("2024-02-29", "1969-12-31", "2024-03-31", "2000-01-01"),
    "of_time": ("2024-02-29 12:34:56", "2024-03-31 02:30:00.5", "1969-12-31 23:59:59.000001"),
}
WILD: dict[str, tuple[Any, ...]] = {
    "t": (-128, 127),
    "h": (-(2**15), 2**15 - 1, 128),
    "i": (-(2**31), 2**31 - 1, 2**24 + 1),
    "j": (-(2**31), 2**31 - 1, 0),
    "l": (-(2**63), 2**63 - 1, 2**53 + 1, -(2**53) - 1, 2**62),
    "f": (NAN, INF, -INF, -0.0, 3.4028235e38, 1e-45, 16777216.0),
    "d": (NAN, INF, -INF, -0.0, 1.7976931348623157e308, 5e-324, 2.0**53, 2.0**63, 1e17, 0.1 + 0.2),
    "m": tuple(map(Decimal, ("99.99", "-99.99", "99.50", "-0.01"))),
    "p": tuple(map(Decimal, ("99999999.99", "-99999999.99", "0.01", "99999999.50"))),
    "n": tuple(map(Decimal, (10**18 - 1, 1 - 10**18, 2**53 + 1))),
    "q": tuple(map(Decimal, ("9" * 28 + "." + "9" * 10, "-" + "9" * 28 + "." + "9" * 10, "1e-10"))),
    "of_int": ("abc", "", "1.5", "2147483648", "\uff19", "1_0", "0x1", " -1\t"),
    "of_number": ("NaN", "Infinity", "abc", "", "1e400", "1d", ".5", "5.", "1e-400"),
    "of_bool": ("x", "", "2", "TRUE"),
    "of_date": ("2024", "2024-2-3", "2024-02-30", "", "2024-01-01T", "10000-01-01", "0001-01-01"),
    "of_time": ("2024-02-29", "x", "2024-02-29T10:00:00Z", "2024-03-31 02:30", "12:00:00"),
}
_SAME = {"h": "t", "i": "t", "l": "t", "e": "d", "p": "m", "n": "t", "q": "m", "a": "b", "u": "s"}
_SAME |= {"c": "s", "v": "s"}
_WILD_AS = {"k": "l", "e": "d", "u": "s"}


def draw_rows(random: Random, count: int, wildness: float) -> pa.Table:
    """Draw rows, with a part of extreme values in each column, and a part of nulls."""
    columns = {
        field.name: [
            None if random.random() < 0.12 else draw(random, field.name, wildness)
            for _ in range(count)
        ]
        for field in SCHEMA
        if field.name != "id"
    }
    return pa.table({**columns, "id": range(count)}, schema=SCHEMA.to_arrow())


def draw(random: Random, name: str, wildness: float) -> Any:
    """Draw a value of a column, as Arrow takes it."""
    kind = SCHEMA.column(name).type
    is_wild = random.random() < wildness
    if kind.root == "DATE" or kind.is_timestamp:
        return _moment(random, kind, is_wild)
    values = WILD.get(_WILD_AS.get(name, name)) if is_wild else None
    value = random.choice(values or TAME[_SAME.get(name, name)])
    if kind.root == "DECIMAL":
        return Decimal(value).quantize(Decimal((0, (1,), -(kind.scale or 0))), context=_EXACT)
    if kind.root in ("CHAR", "VARCHAR"):
        value = value[: kind.length]
        return value.ljust(kind.length) if kind.root == "CHAR" and random.random() < 0.5 else value
    return value


_EXACT = Context(prec=60)


def _moment(random: Random, kind: Any, is_wild: bool) -> Any:
    text = random.choice(EXTREME_MOMENTS if is_wild else MOMENTS)
    day, _, clock = text.partition(" ")
    hour, minute, second = (*map(float, clock.split(":")), 0.0)[:3]
    moment = datetime.combine(date.fromisoformat(day), datetime.min.time()).replace(
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=round(second % 1 * 10**6),
    )
    if kind.root == "DATE":
        return moment.date()
    if kind.precision == 3:
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if kind.root == "TIMESTAMP":
        return moment
    zone = ZoneInfo(random.choice(ZONES))
    if moment.year in (1, 9999):  # at other clocks, the year may be one that Python lacks
        return moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=zone, fold=random.randrange(2)).astimezone(UTC)
