"""Casts of columns from one type to another, as Paimon casts values of older schemas.

Source: `CastExecutors` and its rules (paimon-common, release 1.4.2). Timestamps with local time
zone are cast in UTC here, and in the time zone of the machine in Java.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import UnsupportedError, with_article
from paimon_ksy.table.model.text_casts import (
    to_boolean,
    to_days,
    to_decimal,
    to_double,
    to_float,
    to_integer,
    to_millis_of_day,
    to_timestamp,
)
from paimon_ksy.types.arrays import Numbers, filled, to_arrow_array, to_numpy, validity
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.literals import date_text
from paimon_ksy.types.timestamps import of_parts, parts, ticks

_Rule = Callable[[pa.Array, DataType, DataType], pa.Array]
_INTEGERS = frozenset(INTEGER_BITS)
_FLOATS = frozenset(("FLOAT", "DOUBLE"))
_STRINGS = frozenset(("CHAR", "VARCHAR"))
_BINARIES = frozenset(("BINARY", "VARBINARY"))
_TIMESTAMPS = frozenset(("TIMESTAMP", "TIMESTAMP_LTZ"))
_DECIMAL = frozenset(("DECIMAL",))
_BOOLEAN = frozenset(("BOOLEAN",))
_DATE = frozenset(("DATE",))
_TIME = frozenset(("TIME",))
_SECONDS = frozenset(("INT", "BIGINT"))
_NESTED = frozenset(("ARRAY", "MAP", "ROW"))
_REMEDY = "leave the column out; or have Java compact the table fully, which casts the values"
_DAY_MILLIS = 86_400_000
_MILLI = 10**6  # nanoseconds


def cast(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Return a column of an older type as Paimon reads it in the type of a newer schema.

    Dictionaries stay dictionaries if the type is unchanged.

    Raises:
        UnsupportedError: Paimon has no cast between the types; or it is between a text and an
            array, a map or a row.
        ArrowException, ValueError, ArithmeticError: A value cannot be cast.
    """
    if source.with_nullable(True) == target.with_nullable(True):
        return column
    if target.root == source.root and target.root in ("ROW", "ARRAY", "MAP"):
        return _cast_nested(column, source, target)
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    rule = _rule(source, target)
    if rule is None:
        raise UnsupportedError(f"{with_article(source)} cannot be read as {target}", remedy=_REMEDY)
    return rule(column, source, target)


def _cast_nested(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    if len(column) == 0:
        return pa.array([], to_arrow(target))
    nulls = column.is_null() if column.null_count else None
    if target.root == "ROW":
        places = {field.id: (at, field.type) for at, field in enumerate(source.fields)}
        children = []
        for field in target.fields:
            if field.id in places:
                at, kind = places[field.id]
                # `field` cuts it to a slice's rows; `flatten` would add the row's nulls.
                children.append(cast(pc.struct_field(column, [at]), kind, field.type))
            else:
                children.append(pa.nulls(len(column), to_arrow(field.type)))
        fields = list(to_arrow(target))
        return pa.StructArray.from_arrays(children, fields=fields, mask=nulls)
    if target.root == "ARRAY":
        items = cast(column.values, source.fields[0].type, target.fields[0].type)
        offsets = _offsets(column)
        return pa.ListArray.from_arrays(offsets, items, type=to_arrow(target), mask=nulls)
    keys, items = column.keys, column.items
    items = cast(items, source.fields[1].type, target.fields[1].type)
    keys = cast(keys, source.fields[0].type, target.fields[0].type)
    return pa.MapArray.from_arrays(_offsets(column), keys, items, type=to_arrow(target), mask=nulls)


def _offsets(column: pa.Array) -> pa.Array:
    """Return the offsets as a copy, since Arrow refuses a mask if the offsets are a slice."""
    return pa.array(column.offsets.to_numpy())


def _plain_cast(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Cast as Arrow does, which wraps and rounds as Java does."""
    return column.cast(to_arrow(target), safe=False)


def _float_to_integer(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Cast as Java does: towards zero, to the nearest INT or BIGINT, NaN to 0; then wrap."""
    values = to_numpy(column).astype(np.float64)
    values = np.trunc(np.where(np.isnan(values), 0.0, values))
    bits = 64 if target.root == "BIGINT" else 32
    limit = 2.0 ** (bits - 1)
    least, greatest = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    inside = (values >= -limit) & (values < limit)
    whole = np.where(inside, values, 0.0).astype(np.int64)
    whole = np.where(values >= limit, greatest, np.where(values < -limit, least, whole))
    numbers = to_arrow_array(whole, nulls=~validity(column))
    return numbers.cast(to_arrow(target), safe=False)


def _to_decimal(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Round half up; values with too many digits become null (`Decimal.fromBigDecimal`)."""
    precision, scale = target.precision or 10, target.scale or 0
    unit = Decimal((0, (1,), -scale))
    context = Context(prec=500, traps=[])  # what is not a number becomes NaN
    is_text = source.root in _STRINGS

    def parse(value: Any) -> Decimal:
        return to_decimal(value) if is_text else context.create_decimal(str(value))

    def convert(value: Any) -> Decimal | None:
        number = value if isinstance(value, Decimal) else parse(value)
        if not number.is_finite():
            raise ValueError(f"{value!r} is not a decimal number")
        if number and number.adjusted() > 100:
            return None
        rounded = number.quantize(unit, ROUND_HALF_UP, context)
        return rounded if not rounded or rounded.adjusted() < precision - scale else None

    if source.root in INTEGER_BITS or source.root == "BOOLEAN":
        digits = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 19}.get(source.root, 1)
        column = column.cast(pa.int64())
        if precision - scale >= digits:
            return column.cast(pa.decimal256(19 + scale, scale)).cast(to_arrow(target))
    elif source.root == "DECIMAL":
        own_precision, own_scale = source.precision or 10, source.scale or 0
        if scale >= own_scale and precision - scale >= own_precision - own_scale:
            return column.cast(to_arrow(target))
    elif source.root == "FLOAT":
        column = column.cast(pa.float64())
    return _mapped(column, convert, to_arrow(target))


def _from_decimal(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    if target.root in _FLOATS:
        return _mapped(column, float, pa.float64()).cast(to_arrow(target), safe=False)

    def convert(value: Decimal) -> int:
        return (int(value) + 2**63) % 2**64 - 2**63

    return _mapped(column, convert, pa.int64()).cast(to_arrow(target), safe=False)


def _fit_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Truncate to the length, and pad a CHAR to it (`BinaryStringUtils.toCharacterString`)."""
    length = target.length or 1
    if source.root not in _STRINGS or length < (source.length or 1):
        column = pc.utf8_slice_codeunits(column, 0, length)
    return pc.utf8_rpad(column, length) if target.root == "CHAR" else column


def _fit_bytes(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Truncate to the length, and pad a BINARY with zeros (`BinaryStringUtils.toBinaryString`)."""
    length = target.length or 1
    column = pc.binary_slice(column.cast(pa.binary()), 0, length)
    if target.root == "BINARY":
        return _mapped(column, lambda value: value.ljust(length, b"\0"), pa.binary())
    return column


def _bytes_to_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Return bytes as text of any length, as Java does; Arrow refuses those that are not UTF-8."""
    return column.cast(pa.string())


def _from_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    arrow_type = to_arrow(target)
    if target.root in INTEGER_BITS:
        bits = INTEGER_BITS[target.root]
        return _mapped(column, partial(to_integer, bits=bits), arrow_type)
    if target.root in ("DATE", "TIME"):
        parse = to_days if target.root == "DATE" else to_millis_of_day
        return _mapped(column, parse, pa.int32()).view(arrow_type)
    parsers = {"BOOLEAN": to_boolean, "FLOAT": to_float, "DOUBLE": to_double}
    return _mapped(column, parsers[target.root], arrow_type)


def _text_to_timestamp(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    encoded = column.dictionary_encode()
    zoned, precision = target.root == "TIMESTAMP_LTZ", target.precision or 0
    made = [to_timestamp(text, precision, zoned=zoned) for text in encoded.dictionary.to_pylist()]
    indices = to_numpy(filled(encoded.indices, 0))
    seconds, nanos = np.array(made or [(0, 0)], np.int64)[indices].T
    return of_parts(seconds, nanos, to_arrow(target), ~validity(column))


def _to_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    if source.root == "FLOAT":
        texts = _mapped(column, lambda value: _java_float(str(np.float32(value))), pa.string())
    elif source.root == "DOUBLE":
        texts = _mapped(column, lambda value: _java_float(repr(value)), pa.string())
    elif source.root == "DECIMAL":
        texts = _mapped(column, lambda value: f"{value:f}", pa.string())
    elif source.root == "DATE":
        texts = _mapped(column.view(pa.int32()), date_text, pa.string())
    else:
        texts = column.cast(pa.string())
    return _fit_text(texts, source, target)


def _java_float(text: str) -> str:
    """Return a float as Java's `toString` does, from the shortest digits that Python prints."""
    special = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text)
    if special is not None:
        return special
    sign, digits, exponent = Decimal(text).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0")
    prefix = "-" if sign else ""
    if not shown:
        return prefix + "0.0"
    assert isinstance(exponent, int)
    power = exponent + len(digits) - 1  # of the first digit
    if -3 <= power < 7:
        plain = f"{Decimal((0, tuple(map(int, shown)), power - len(shown) + 1)):f}"
        return prefix + (plain if "." in plain else plain + ".0")
    return f"{prefix}{shown[0]}.{shown[1:] or '0'}E{power}"


def _timestamp_to_timestamp(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Truncate to the precision, as `DateTimeUtils.truncate` does.

    For milliseconds and finer it rounds towards earlier times; for fewer digits, towards 1970.
    """
    seconds, nanos = parts(column)
    precision = target.precision or 0
    if precision < min(source.precision or 0, 3):
        step = 10 ** (3 - precision)
        seconds, millis = np.divmod(_towards_1970(_millis(column), step) * step, 1000)
        nanos = millis * _MILLI
    elif precision < (source.precision or 0):
        # As in Java, a fraction of a second stays if its nanoseconds, without leading zeros, have
        # no more digits than the precision: 5 ns in a TIMESTAMP(9) stay in any precision.
        step = 10 ** (9 - precision)
        nanos = np.where(nanos < 10**precision, nanos, nanos // step * step)
    return of_parts(seconds, nanos, to_arrow(target), ~validity(column))


def _millis(column: pa.Array) -> Numbers:
    """Return timestamps in milliseconds, rounded down."""
    seconds, nanos = parts(column)
    return seconds * 1000 + nanos // _MILLI


def _towards_1970(values: Numbers, by: int) -> Numbers:
    return (values - np.fmod(values, by)) // by


def _timestamp_to_date(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Round times without zone towards 1970, as Java's division does, and others down."""
    is_plain = source.root == "TIMESTAMP"
    millis = _millis(column)
    days = _towards_1970(millis, _DAY_MILLIS) if is_plain else millis // _DAY_MILLIS
    return to_arrow_array(days, nulls=~validity(column)).cast(pa.int32()).view(pa.date32())


def _timestamp_to_integer(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Return the seconds, rounded towards 1970; an INT wraps around."""
    seconds = to_arrow_array(_towards_1970(_millis(column), 1000), nulls=~validity(column))
    return seconds.cast(to_arrow(target), safe=False)


def _integer_to_timestamp(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Read seconds; their milliseconds wrap around in 64 bits."""
    millis = to_numpy(filled(column, 0)).astype(np.int64) * 1000
    return _of_millis(millis, column, target)


def _time_to_timestamp(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    return _of_millis(to_numpy(filled(column.view(pa.int32()), 0)).astype(np.int64), column, target)


def _of_millis(millis: Numbers, column: pa.Array, target: DataType) -> pa.Array:
    seconds, rest = np.divmod(millis, 1000)
    return of_parts(seconds, rest * _MILLI, to_arrow(target), ~validity(column))


def _timestamp_to_time(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Return the time of day. Without a zone, Java makes negative times before 1970."""
    millis = _millis(column)
    if source.root == "TIMESTAMP" and (np.fmod(millis, _DAY_MILLIS) < 0).any():
        raise ValueError("Java casts timestamps before 1970 to negative times of day")
    rest = to_arrow_array(millis % _DAY_MILLIS, nulls=~validity(column))
    return rest.cast(pa.int32()).view(to_arrow(target))


def _date_to_timestamp(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    seconds = to_numpy(filled(column.view(pa.int32()), 0)).astype(np.int64) * 86_400
    return of_parts(seconds, 0 * seconds, to_arrow(target), ~validity(column))


def _timestamp_to_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Write a timestamp with at least as many fractional digits as its precision.

    Source: `DateTimeUtils.formatTimestamp`.
    """
    numbers, nanos = ticks(column)
    precision = source.precision or 0

    def convert(number: int) -> str:
        seconds, rest = divmod(int(number) * nanos, 10**9)
        days, clock = divmod(seconds, 86_400)
        fraction = f"{rest:09d}"
        fraction = fraction[:precision] + fraction[precision:].rstrip("0")
        point = "." if fraction else ""
        clock_text = f"{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
        return f"{date_text(days)} {clock_text}{point}{fraction}"

    return _fit_text(_mapped(numbers, convert, pa.string()), source, target)


def _time_to_text(column: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Write a time with fractional digits up to its precision, without trailing zeros.

    Source: `DateTimeUtils.formatTimestampMillis`.
    """
    precision = source.precision or 0

    def convert(millis: int) -> str:
        seconds, rest = divmod(millis, 1000)
        clock_text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        digits = (f"{rest:03d}".rstrip("0") or "0")[:precision]
        return f"{clock_text}.{digits}" if digits else clock_text

    return _fit_text(_mapped(column.view(pa.int32()), convert, pa.string()), source, target)


_NULL_KEEPING = _INTEGERS | _FLOATS | _STRINGS | _BINARIES | _TIMESTAMPS | _BOOLEAN | _DATE
"""Target types for which a cast never returns null for a value; DECIMAL overflows to null."""

_RULES: tuple[tuple[frozenset[str], frozenset[str], _Rule], ...] = (
    (_INTEGERS, _INTEGERS | _FLOATS, _plain_cast),
    (_FLOATS, _INTEGERS, _float_to_integer),
    (_FLOATS, _FLOATS, _plain_cast),
    (_INTEGERS | _FLOATS | _DECIMAL | _BOOLEAN | _STRINGS, _DECIMAL, _to_decimal),
    (_DECIMAL, _INTEGERS | _FLOATS, _from_decimal),
    (_BOOLEAN, _INTEGERS | _FLOATS, _plain_cast),
    (_INTEGERS, _BOOLEAN, lambda column, *_: pc.not_equal(column, pa.scalar(0, column.type))),
    (_STRINGS, _STRINGS, _fit_text),
    (_STRINGS, _INTEGERS | _FLOATS | _BOOLEAN | _DATE | _TIME, _from_text),
    (_STRINGS, _TIMESTAMPS, _text_to_timestamp),
    (_BINARIES | _STRINGS, _BINARIES, _fit_bytes),
    (_BINARIES, _STRINGS, _bytes_to_text),
    (_INTEGERS | _FLOATS | _DECIMAL | _BOOLEAN | _DATE, _STRINGS, _to_text),
    (_TIMESTAMPS, _TIMESTAMPS, _timestamp_to_timestamp),
    (_TIMESTAMPS, _DATE, _timestamp_to_date),
    (_TIMESTAMPS, _TIME, _timestamp_to_time),
    (_TIMESTAMPS, _SECONDS, _timestamp_to_integer),
    (_SECONDS, _TIMESTAMPS, _integer_to_timestamp),
    (_DATE, _TIMESTAMPS, _date_to_timestamp),
    (_TIME, _TIMESTAMPS, _time_to_timestamp),
    (_TIMESTAMPS, _STRINGS, _timestamp_to_text),
    (_TIME, _STRINGS, _time_to_text),
)
"""All casts of `CastExecutors`, except for `REFUSED`; a test compares them."""

REFUSED = ((_NESTED, _STRINGS), (_STRINGS, _NESTED))
"""The types before and after the casts of Java that are refused here."""


def is_cast(source: DataType, target: DataType) -> bool:
    """Return whether there is a rule to cast values that are not nested to another type."""
    return _rule(source, target) is not None


def _rule(source: DataType, target: DataType) -> _Rule | None:
    rules = (
        rule for before, after, rule in _RULES if source.root in before and target.root in after
    )
    return next(rules, None)


def _mapped(column: pa.Array, convert: Callable[[Any], Any], arrow_type: pa.DataType) -> pa.Array:
    """Convert each distinct value once."""
    encoded = column.dictionary_encode()
    values = [None if v is None else convert(v) for v in encoded.dictionary.to_pylist()]
    return pa.array(values, arrow_type).take(encoded.indices)


def never_gives_null(source: DataType, target: DataType) -> bool:
    """Return whether a cast makes only nulls null; DECIMAL overflows to null."""
    if target.root in _NULL_KEEPING or source.root == target.root != "DECIMAL":
        return True
    return keeps_values(source, target)


def keeps_values(source: DataType, target: DataType) -> bool:
    """Return whether each value is unchanged by a cast, by SQL's comparison."""
    roots = source.root, target.root
    if source.root in INTEGER_BITS:
        bits = INTEGER_BITS[source.root]
        if target.root in INTEGER_BITS:
            return bits <= INTEGER_BITS[target.root]
        if target.root == "DECIMAL":
            digits = {8: 3, 16: 5, 32: 10, 64: 19}[bits]
            return (target.precision or 10) - (target.scale or 0) >= digits
        return bits <= {"FLOAT": 16, "DOUBLE": 32}.get(target.root, 0)
    if roots == ("DECIMAL", "DECIMAL"):
        old_scale, new_scale = source.scale or 0, target.scale or 0
        whole = (target.precision or 10) - new_scale >= (source.precision or 10) - old_scale
        return new_scale >= old_scale and whole
    if roots in (("VARCHAR", "VARCHAR"), ("VARBINARY", "VARBINARY"), ("CHAR", "CHAR")):
        return (target.length or 1) >= (source.length or 1)
    if source.is_timestamp and source.root == target.root:
        return (target.precision or 0) >= (source.precision or 0)
    return roots in (("FLOAT", "DOUBLE"), ("DATE", "TIMESTAMP"))
