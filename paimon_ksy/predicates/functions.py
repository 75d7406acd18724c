"""The functions of Spark SQL that conditions accept: their arguments, and Arrow's kernels for them.

FUNCTIONS is the whole list, from which docs/reference/sql.md is generated. A function that it lacks
is refused by name, and so is an argument of another kind, or one too many.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from sqlglot import exp

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.casts import (
    NAIVE,
    ZONED,
    Value,
    alike,
    cast,
    checked_years,
    distinctly,
    fit,
    instants,
    kind_of,
    local,
    shown,
    wide,
)
from paimon_ksy.predicates.java_regex import re2_of_java

Rows: TypeAlias = Any
"""The rows of a batch, `expressions.Rows`, which calls these functions."""


_NUMBER = ("int", "bigint", "decimal", "floating")
_TEXT = ("text", "int", "bigint", "boolean", "date")
"""What Spark casts to a text where a function needs one, and is printed alike here."""
_DATE = ("date", "timestamp", "ltz")


_OF_NULLS = {"int": pa.int32(), "floating": pa.float64(), "text": pa.string()}
_OF_NULLS |= {"date": pa.date32(), "array": pa.list_(pa.int32()), "boolean": pa.bool_()}
"""The types of NULL as an argument, by the first kind that a parameter accepts."""


@dataclass(frozen=True)
class Parameter:
    """An argument of a function.

    Attributes:
        name: Its name in the documentation.
        kinds: The kinds of types, of `casts.KINDS`, that it accepts beside NULL; "any" for all.
        into: The type to which it is cast; None leaves it as it is.
        literal: Whether it must be a constant; the rule gets its Python value.
        words: The texts that such a constant may be; empty for any.
        default: The constant if it is missing; it is required if this is None.
        many: Whether there may be more arguments of this kind.
    """

    name: str
    kinds: tuple[str, ...]
    into: pa.DataType | None = None
    literal: bool = False
    words: tuple[str, ...] = ()
    default: Any = None
    many: bool = False


@dataclass(frozen=True)
class Function:
    """A function of Spark SQL.

    Attributes:
        group: The group of functions in the documentation.
        parameters: The arguments in order.
        rule: Computes the result from the rows and the arguments' values. If `lazy`, it gets nodes,
            because Spark evaluates some arguments on a part of the rows.
        source: The class of Spark that defines it, in org.apache.spark.sql.catalyst.expressions.
        lazy: Whether the rule evaluates the arguments.
    """

    group: str
    parameters: tuple[Parameter, ...]
    rule: Callable[..., Value]
    source: str
    lazy: bool = False

    def bounds(self) -> tuple[int, int | None]:
        """Return the least and the largest number of arguments; None if there is no limit."""
        least = sum(parameter.default is None for parameter in self.parameters)
        many = any(parameter.many for parameter in self.parameters)
        return least, None if many else len(self.parameters)


def call(rows: Rows, name: str, nodes: list[Any]) -> Value:
    """Return the value of a function. Raises PredicateError, which names it."""
    function = FUNCTIONS[name.lower()]
    least, most = function.bounds()
    if len(nodes) < least or (most is not None and len(nodes) > most):
        raise PredicateError(f"{name} with {len(nodes)} arguments is not supported")
    if function.lazy:
        return function.rule(rows, *nodes)
    parameters = list(function.parameters)
    parameters += parameters[-1:] * (len(nodes) - len(parameters))
    known, values = pa.repeat(True, rows.count), []
    for parameter, node in zip(parameters, nodes, strict=False):
        if parameter.literal:
            value = rows.constant(node, f"{name} with a {parameter.name}")
        else:
            value = rows.within(known, node)
        if most is not None:  # of many values, such as those of greatest, each counts
            known = pc.and_(known, rows.spread(pc.is_valid(value)))
        values.append(_argument(rows, name, parameter, value))
    values += [parameter.default for parameter in parameters[len(nodes) :]]
    return function.rule(rows, *values)


def _argument(rows: Rows, name: str, parameter: Parameter, value: Value) -> Any:
    kind = kind_of(value.type)
    if kind not in (*parameter.kinds, "null") and "any" not in parameter.kinds:
        raise PredicateError(f"{name} of {shown(value.type)} is not supported")
    into = parameter.into
    if kind == "null" and into is None and "any" not in parameter.kinds:
        into = _OF_NULLS.get(parameter.kinds[0])
    if into is not None:
        value = cast(value, into, rows.zone)
    if not parameter.literal:
        return value if rows.count else rows.spread(value)
    constant = value.as_py()
    if parameter.words and constant.lower() not in parameter.words:
        raise PredicateError(f"{name} by {constant!r} is not supported")
    return constant


# Texts --------------------------------------------------------------------------------------------


def _cased(of_text: Callable[[str], str], kernel: Any, rows: Rows, text: Value) -> Value:
    """Change the case of texts; outside of ASCII, one letter may become several, as in Java."""
    ascii_only = pc.all(pc.string_is_ascii(text)) if isinstance(text, pa.Array) else None
    if ascii_only is not None and ascii_only.as_py() is not False:
        return kernel(text)
    values = text.to_pylist() if isinstance(text, pa.Array) else [text.as_py()]
    changed = pa.array([None if value is None else of_text(value) for value in values], pa.string())
    return changed if isinstance(text, pa.Array) else changed[0]


def _substring(rows: Rows, text: Value, first: int, length: int) -> Value:
    start = first - 1 if first > 0 else first
    stop = start + max(length, 0)
    return pc.utf8_slice_codeunits(text, start, None if start < 0 <= stop else stop)


def _right(rows: Rows, text: Value, length: int) -> Value:
    return pc.utf8_slice_codeunits(text, -length) if length > 0 else _substring(rows, text, 1, 0)


def _replaced(rows: Rows, text: Value, old: str, new: str) -> Value:
    return pc.replace_substring(text, old, new) if old else text


def _position(rows: Rows, text: Value, part: str) -> Value:
    one, none = pa.scalar(1, pa.int32()), pa.scalar(None, pa.int32())
    if not part:
        return pc.if_else(pc.is_valid(text), one, none)
    before = pc.list_element(pc.split_pattern(text, part, max_splits=1), 0)
    place = pc.add(pc.utf8_length(before), one)
    return pc.if_else(pc.match_substring(text, part), place, pa.scalar(0, pa.int32()))


def _joined(rows: Rows, *texts: Value) -> Value:
    return pc.binary_join_element_wise(*texts, "", null_handling="emit_null")


def trimmed(side: str, rows: Rows, text: Value, characters: str = " ") -> Value:
    """Remove characters at the left (`l`), the right (`r`) or both ends of a text."""
    kernel: Any = getattr(pc, f"utf8_{side}trim")
    return kernel(text, characters) if characters else text


def matches(rows: Rows, text: Value, pattern: str) -> Value:
    """Return whether a text has a part that matches a pattern of Java."""
    if not (rows.count and (isinstance(text, pa.Array) or text.is_valid)):
        return pc.is_valid(text) if isinstance(text, pa.Array) else pa.scalar(None, pa.bool_())
    return pc.match_substring_regex(text, re2_of_java(pattern))


# Numbers ------------------------------------------------------------------------------------------


def _round(rows: Rows, value: Value, places: int) -> Value:
    if at.is_null(value.type):
        return value
    if places < 0:
        raise PredicateError(f"round of {shown(value.type)} to {places} digits is not supported")
    if at.is_integer(value.type):
        return value
    if at.is_floating(value.type):
        return distinctly(rows.spread(value), partial(_rounded, places), value.type)
    scale = min(value.type.scale, places)
    return fit(wide(value), min(38, value.type.precision - value.type.scale + 1 + scale), scale)


def _rounded(places: int, number: float) -> float:
    """Round a DOUBLE half up, as Scala's BigDecimal does, which has the digits that are shown."""
    if not abs(number) < 2**53:  # it is whole, or NaN
        return number
    unit = Decimal((0, (1,), -places))
    return (
        float(Decimal(repr(number)).quantize(unit, ROUND_HALF_UP, Context(prec=60 + places))) + 0.0
    )


def _whole(kernel: Any, rows: Rows, value: Value) -> Value:
    """Round to a whole number: a DECIMAL without digits after the point, or a BIGINT."""
    if not at.is_decimal(value.type):
        if not at.is_floating(value.type):
            return value.cast(pa.int64())
        whole = rows.spread(kernel(value.cast(pa.float64())))
        limits = [pa.scalar(limit, pa.float64()) for limit in (-(2.0**63), 2.0**63)]
        fits = pc.and_(pc.greater_equal(whole, limits[0]), pc.less(whole, limits[1]))
        if not pc.all(pc.or_(fits, pc.is_nan(whole)), min_count=0).as_py():
            raise PredicateError("overflow")
        return pc.if_else(fits, whole, pa.scalar(0.0)).cast(pa.int64())  # NaN is 0, as in Java
    if value.type.scale == 0:
        return value
    return fit(kernel(wide(value)), value.type.precision - value.type.scale + 1, 0)


def _abs(rows: Rows, value: Value) -> Value:
    check_negated(value)
    return value.cast(pa.float64()) if at.is_null(value.type) else pc.abs_checked(value)


def check_negated(value: Value) -> None:
    """Refuse DECIMALs of more than 34 digits, which Spark rounds when it negates them."""
    if at.is_decimal(value.type) and value.type.precision > 34:
        limit = pa.scalar(Decimal(10) ** (34 - value.type.scale))
        if pc.any(pc.greater_equal(pc.abs(value), limit)).as_py():
            raise PredicateError(
                "the negative of a DECIMAL of more than 34 digits is not supported"
            )


def _extreme(op: type, rows: Rows, *values: Value) -> Value:
    """Return the greatest or least value that is not null; of equal ones, the first."""
    texts = {at.is_string(value.type) for value in values if not at.is_null(value.type)}
    if len(texts) > 1:
        raise PredicateError("greatest or least of texts and other values is not supported")
    first, *others = map(rows.spread, alike(values, rows.zone))
    for other in others:
        is_more = pc.fill_null(rows.ordered(op, other, first), False)
        first = pc.if_else(pc.or_(is_more, pc.is_null(first)), other, first)
    return first


def remainder(rows: Rows, left: Value, right: Value) -> Value:
    """Return what is left of a division of integers or DOUBLEs, with the sign of the first."""
    left, right = alike([left, right], rows.zone)
    if at.is_integer(left.type):
        whole = pc.divide_checked(left, right)
        return pc.subtract_checked(left, pc.multiply_checked(whole, right))
    if at.is_decimal(left.type):
        return _decimal_remainder(rows.spread(left), rows.spread(right))
    if not at.is_floating(left.type):
        raise PredicateError(f"the remainder of {shown(left.type)} is not supported")
    pc.divide_checked(left, right)  # raises an error for a zero
    arrays = [rows.spread(value) for value in (left, right)]
    known = pc.and_(*map(pc.is_valid, arrays))
    numbers = [array.fill_null(1).to_numpy(zero_copy_only=False) for array in arrays]
    with np.errstate(invalid="ignore"):
        found = pa.array(np.fmod(*numbers), left.type)
    return pc.if_else(known, found, pa.scalar(None, left.type))


def _mod(rows: Rows, left: Any, right: Any) -> Value:
    """Return the remainder as `%` does, for which Spark evaluates the divisor first."""
    return rows.arithmetic(exp.Mod(this=left, expression=right))


def _decimal_remainder(left: pa.Array, right: pa.Array) -> pa.Array:
    exact = Context(prec=80)
    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    found = [None if None in pair else exact.remainder(*pair) for pair in pairs]
    return pa.array(found, left.type)


# Dates and times ----------------------------------------------------------------------------------


def _clock(rows: Rows, value: Value) -> Value:
    return checked_years(local(value, rows.zone).cast(NAIVE))


def _clock_field(kernel: Any, rows: Rows, value: Value) -> Value:
    return kernel(_clock(rows, value)).cast(pa.int32())


def _second_with_fraction(rows: Rows, value: Value) -> Value:
    clock = _clock(rows, value)
    micros = pc.subtract(clock, pc.floor_temporal(clock, unit="minute")).cast(pa.int64())
    million = pa.scalar(Decimal(10**6), pa.decimal256(7))
    return fit(wide(pc.divide(micros.cast(pa.decimal256(30, 6)), million)), 8, 6)


def moved_by_days(rows: Rows, day: Value, count: Value, sign: int = 1) -> Value:
    """Return dates later, or earlier, by days; what overflows wraps, as in Spark."""
    kernel = pc.add if sign > 0 else pc.subtract
    return kernel(day.cast(pa.int32()), count.cast(pa.int32())).cast(pa.date32())


def later(value: Value, months: int, days: int) -> Value:
    """Return dates later by months, at most at the end of a month, and by days."""
    if isinstance(value, pa.Scalar):
        return later(pa.array([value], value.type), months, days)[0]
    day = value.cast(pa.date32()).to_numpy(zero_copy_only=False).astype("M8[D]")
    month = day.astype("M8[M]")
    last = (month + months + 1).astype("M8[D]") - 1
    moved = np.minimum((month + months).astype("M8[D]") + (day - month.astype("M8[D]")), last)
    return pa.array(moved + days, pa.date32())


def _last_day(rows: Rows, day: Value) -> Value:
    first = pc.floor_temporal(checked_years(day), unit="month").cast(pa.date32())
    return later(later(first, 1, 0), 0, -1)


def _date_diff(rows: Rows, last: Value, first: Value) -> Value:
    return pc.subtract(last.cast(pa.int32()), first.cast(pa.int32()))


_UNITS = {unit: unit for unit in ("year", "quarter", "month", "week", "day", "hour", "minute")}
_UNITS |= {"second": "second", "yyyy": "year", "yy": "year", "mon": "month", "mm": "month"}
_UNITS |= {"dd": "day"}
_FINER = ("millisecond", "microsecond")
_UNITS_OF_DATES = ("year", "yyyy", "yy", "quarter", "month", "mon", "mm", "week")


def _truncated(clock: Value, unit: str) -> Value:
    return pc.floor_temporal(clock, unit=_UNITS[unit.lower()], week_starts_monday=True)


def _trunc(rows: Rows, day: Value, unit: str) -> Value:
    if unit.lower() not in _UNITS_OF_DATES:  # null, as in Spark
        return rows.spread(pa.scalar(None, pa.date32()))
    return _truncated(checked_years(day), unit).cast(pa.date32())


def _date_trunc(rows: Rows, unit: str, value: Value) -> Value:
    if unit.lower() not in (*_UNITS, *_FINER):
        return rows.spread(pa.scalar(None, value.type if value.type == NAIVE else ZONED))
    if unit.lower() in _FINER:
        raise PredicateError(f"date_trunc by {unit!r} is not supported")
    clock = _truncated(_clock(rows, value), unit)
    return clock if value.type == NAIVE else instants(clock, rows.zone)


_PRINTED = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M"}
_PRINTED |= {"ss": "%S", "MMM": "%b", "MMMM": "%B", "EEEE": "%A", "DDD": "%j", "a": "%p"}
_PRINTED |= dict.fromkeys(("E", "EE", "EEE"), "%a")
_SHORT = {"y": pc.year, "M": pc.month, "d": pc.day, "H": pc.hour, "m": pc.minute, "s": pc.second}
_SHORT |= {"D": pc.day_of_year}
_PART = re.compile(r"(?P<part>([A-Za-z])\2*)|'(?P<quoted>[^']+)'|(?P<plain>[-/:., _0-9]+)")


def _date_format(rows: Rows, value: Value, pattern: str) -> Value:
    clock, place, pieces = rows.spread(_clock(rows, value)), 0, [pa.scalar("")]
    second = pc.floor_temporal(clock, unit="second").cast(pa.timestamp("s"))
    while place < len(pattern):
        match = _PART.match(pattern, place)
        piece = None if match is None else _printed(clock, second, match)
        if match is None or piece is None:
            known = " ".join([*_PRINTED, *_SHORT, "S to SSSSSS"])
            raise PredicateError(
                f"date_format by {pattern!r} is not supported: its parts are {known}"
            )
        pieces.append(piece)
        place = match.end()
    text = pc.binary_join_element_wise(*pieces, "", null_handling="emit_null")
    return pc.if_else(pc.is_valid(clock), text, pa.scalar(None, pa.string()))


def _printed(clock: pa.Array, second: pa.Array, match: re.Match[str]) -> Value | None:
    """Return a part of a pattern for each time; None if it is not supported."""
    part = match["part"]
    if part is None:
        return pa.scalar(match["quoted"] or match["plain"])
    if part in _PRINTED:
        return pc.strftime(second, format=_PRINTED[part])
    if part in _SHORT:
        return _SHORT[part](clock).cast(pa.string())
    if not re.fullmatch("S{1,6}", part):
        return None
    micros = pc.subtract(clock, second.cast(NAIVE)).cast(pa.int64()).cast(pa.string())
    return pc.utf8_slice_codeunits(pc.utf8_lpad(micros, 6, "0"), 0, len(part))


# Nulls and cases ----------------------------------------------------------------------------------


def _if(rows: Rows, test: Any, then: Any, otherwise: Any) -> Value:
    return rows.branches([(test, then)], otherwise)


def _coalesce(rows: Rows, *nodes: Any) -> Value:
    """Evaluate each argument on the rows where those before it are null, as Spark does."""
    rest = pa.repeat(True, rows.count)
    found = []
    for node in nodes:
        value = rows.filtered(rest).array(node)
        known = pc.replace_with_mask(pa.repeat(False, rows.count), rest, pc.is_valid(value))
        found.append((known, value.drop_null()))
        rest = pc.and_not(rest, known)
    return rows.gathered(found)


def _nullif(rows: Rows, value: Value, other: Value) -> Value:
    same = pc.fill_null(rows.equal(value, other), False)
    return pc.if_else(same, pa.scalar(None, value.type), value)


def _nvl2(rows: Rows, value: Any, then: Any, otherwise: Any) -> Value:
    known = rows.spread(pc.is_valid(rows(value)))
    rest = pc.invert(known)
    return rows.gathered(
        [(known, rows.filtered(known).array(then)), (rest, rows.filtered(rest).array(otherwise))]
    )


def _is_null(rows: Rows, value: Value) -> Value:
    return pc.is_null(value)


def _is_not_null(rows: Rows, value: Value) -> Value:
    return pc.is_valid(value)


def _is_nan(rows: Rows, value: Value) -> Value:
    return pc.fill_null(pc.is_nan(value.cast(pa.float64())), False)


# Nested values ------------------------------------------------------------------------------------


def _element_at(rows: Rows, value: Any, key: Any) -> Value:
    return rows.element(value, key, first=1)


# The table ----------------------------------------------------------------------------------------


def _text(name: str = "text", many: bool = False) -> Parameter:
    return Parameter(name, _TEXT, pa.string(), many=many)


def _literal(name: str, *words: str, default: Any = None) -> Parameter:
    return Parameter(name, ("text",), literal=True, words=words, default=default)


def _count(name: str, default: Any = None) -> Parameter:
    return Parameter(name, ("int",), literal=True, default=default)


_DAY = Parameter("date", ("date", "timestamp", "ltz", "text"), pa.date32())
_TIME = Parameter("time", _DATE)
_VALUE = Parameter("number", _NUMBER)
_ANY = Parameter("value", ("any",))
_MORE = Parameter("value", ("any",), many=True)
_DAYS = Parameter("days", ("int",))


def _of_date(name: str, kernel: Any) -> Function:
    return Function("Dates and times", (_DAY,), partial(_clock_field, kernel), name)


def _of_time(name: str, kernel: Any) -> Function:
    return Function("Dates and times", (_TIME,), partial(_clock_field, kernel), name)


def _of_text(rule: Any, source: str, *more: Parameter) -> Function:
    return Function("Texts", (_text(), *more), rule, source)


def _of_number(rule: Any, source: str, *parameters: Parameter) -> Function:
    return Function("Numbers", parameters or (_VALUE,), rule, source)


def _of_nulls(rule: Any, source: str, *parameters: Parameter, lazy: bool = True) -> Function:
    return Function("Nulls and cases", parameters, rule, source, lazy)


def _of_days(rule: Any, source: str, *parameters: Parameter) -> Function:
    return Function("Dates and times", parameters, rule, source)


_LENGTH = _of_text(lambda rows, text: pc.utf8_length(text), "Length")
_UPPER = _of_text(partial(_cased, str.upper, pc.ascii_upper), "Upper")
_LOWER = _of_text(partial(_cased, str.lower, pc.ascii_lower), "Lower")
_SUBSTRING = _of_text(_substring, "Substring", _count("start"), _count("length", 2**31 - 1))
_MATCHES = _of_text(matches, "RLike", _literal("pattern"))
_CEIL = _of_number(partial(_whole, pc.ceil), "Ceil")
_LOCATE = Function(
    "Texts",
    (_literal("part"), _text()),
    lambda rows, part, text: _position(rows, text, part),
    "StringLocate",
)
_DAY_OF_MONTH = _of_date("DayOfMonth", pc.day)
_DATE_ADD = _of_days(moved_by_days, "DateAdd", _DAY, _DAYS)
_DATE_DIFF = _of_days(_date_diff, "DateDiff", _DAY, Parameter("date", _DAY.kinds, pa.date32()))
_COALESCE = _of_nulls(_coalesce, "Coalesce", _MORE)
_NVL = _of_nulls(_coalesce, "Nvl", _ANY, _ANY)
_MOD = Function("Numbers", (_VALUE, _VALUE), _mod, "Remainder", lazy=True)

FUNCTIONS: dict[str, Function] = {
    "upper": _UPPER,
    "ucase": _UPPER,
    "lower": _LOWER,
    "lcase": _LOWER,
    "length": _LENGTH,
    "len": _LENGTH,
    "char_length": _LENGTH,
    "character_length": _LENGTH,
    "trim": _of_text(partial(trimmed, ""), "StringTrim"),
    "ltrim": _of_text(partial(trimmed, "l"), "StringTrimLeft"),
    "rtrim": _of_text(partial(trimmed, "r"), "StringTrimRight"),
    "substring": _SUBSTRING,
    "substr": _SUBSTRING,
    "left": _of_text(
        lambda rows, text, length: _substring(rows, text, 1, length), "Left", _count("length")
    ),
    "right": _of_text(_right, "Right", _count("length")),
    "concat": Function("Texts", (_text(many=True),), _joined, "Concat"),
    "replace": _of_text(_replaced, "StringReplace", _literal("old"), _literal("new", default="")),
    "reverse": _of_text(lambda rows, text: pc.utf8_reverse(text), "Reverse"),
    "instr": _of_text(_position, "StringInstr", _literal("part")),
    "locate": _LOCATE,
    "position": _LOCATE,
    "rlike": _MATCHES,
    "regexp": _MATCHES,
    "regexp_like": _MATCHES,
    "startswith": _of_text(
        lambda rows, text, part: pc.starts_with(text, part), "StartsWith", _literal("part")
    ),
    "endswith": _of_text(
        lambda rows, text, part: pc.ends_with(text, part), "EndsWith", _literal("part")
    ),
    "contains": _of_text(
        lambda rows, text, part: pc.match_substring(text, part), "Contains", _literal("part")
    ),
    "abs": _of_number(_abs, "Abs"),
    "ceil": _CEIL,
    "ceiling": _CEIL,
    "floor": _of_number(partial(_whole, pc.floor), "Floor"),
    "round": _of_number(_round, "Round", _VALUE, _count("places", 0)),
    "sqrt": _of_number(
        lambda rows, value: pc.sqrt(value), "Sqrt", Parameter("number", _NUMBER, pa.float64())
    ),
    "mod": _MOD,
    "isnan": _of_number(_is_nan, "IsNaN", Parameter("number", ("floating",))),
    "greatest": _of_number(partial(_extreme, exp.GT), "Greatest", _ANY, _MORE),
    "least": _of_number(partial(_extreme, exp.LT), "Least", _ANY, _MORE),
    "if": _of_nulls(_if, "If", Parameter("condition", ("boolean",)), _ANY, _ANY),
    "coalesce": _COALESCE,
    "nvl": _NVL,
    "ifnull": _NVL,
    "nullif": _of_nulls(_nullif, "NullIf", _ANY, _ANY, lazy=False),
    "nvl2": _of_nulls(_nvl2, "Nvl2", _ANY, _ANY, _ANY),
    "isnull": _of_nulls(_is_null, "IsNull", _ANY, lazy=False),
    "isnotnull": _of_nulls(_is_not_null, "IsNotNull", _ANY, lazy=False),
    "year": _of_date("Year", pc.year),
    "quarter": _of_date("Quarter", pc.quarter),
    "month": _of_date("Month", pc.month),
    "weekofyear": _of_date("WeekOfYear", pc.iso_week),
    "day": _DAY_OF_MONTH,
    "dayofmonth": _DAY_OF_MONTH,
    "dayofweek": _of_date(
        "DayOfWeek", partial(pc.day_of_week, count_from_zero=False, week_start=7)
    ),
    "weekday": _of_date("WeekDay", pc.day_of_week),
    "dayofyear": _of_date("DayOfYear", pc.day_of_year),
    "hour": _of_time("Hour", pc.hour),
    "minute": _of_time("Minute", pc.minute),
    "second": _of_time("Second", pc.second),
    "to_date": _of_days(lambda rows, day: day, "ParseToDate", _DAY),
    "date_add": _DATE_ADD,
    "dateadd": _DATE_ADD,
    "date_sub": _of_days(partial(moved_by_days, sign=-1), "DateSub", _DAY, _DAYS),
    "add_months": _of_days(
        lambda rows, day, months: later(day, months, 0), "AddMonths", _DAY, _count("months")
    ),
    "last_day": _of_days(_last_day, "LastDay", _DAY),
    "datediff": _DATE_DIFF,
    "date_diff": _DATE_DIFF,
    "trunc": _of_days(_trunc, "TruncDate", _DAY, _literal("unit")),
    "date_trunc": _of_days(_date_trunc, "TruncTimestamp", _literal("unit"), _TIME),
    "date_format": _of_days(_date_format, "DateFormatClass", _TIME, _literal("pattern")),
    "size": Function(
        "Nested values",
        (Parameter("array", ("array",)),),
        lambda rows, value: pc.list_value_length(value),
        "Size",
    ),
    "element_at": Function(
        "Nested values",
        (Parameter("array or map", ("map", "array")), Parameter("key", ("text", "int"))),
        _element_at,
        "ElementAt",
        lazy=True,
    ),
}
"""By Spark's name in lower case. `now()`, `current_date` and `current_timestamp` are constants."""

EXTRACTED: dict[str, Callable[..., Value]] = {
    **{name: FUNCTIONS[name].rule for name in ("year", "quarter", "month", "day", "dayofweek")},
    **{name: FUNCTIONS[name].rule for name in ("hour", "minute")},
    "week": FUNCTIONS["weekofyear"].rule,
    "dow": FUNCTIONS["dayofweek"].rule,
    "doy": FUNCTIONS["dayofyear"].rule,
    "second": _second_with_fraction,
}
"""The fields of EXTRACT; a second has a fraction there, as in Spark's `SecondWithFraction`."""
