"""Evaluate SQL expressions by Arrow's kernels, with Spark's types, nulls and errors (ANSI mode).

Arrow is the engine because the rows are in it already, and it opens no files: there is no copy and
no further dependency. Its checked kernels raise errors where Spark does, for an overflow or a
division by zero, where DuckDB returns null and Polars wraps. `_RULES` lists what is supported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from sqlglot import exp

from paimon_ksy.errors import PaimonKsyError, PredicateError, first_line, none_of
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import Converter, parse
from paimon_ksy.predicates.sql_literals import Node, NotALiteral, literal_of, unsupported
from paimon_ksy.predicates.tree import Comparison, Computed
from paimon_ksy.types.arrow import arrow_values, from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import (
    DATE,
    TIMESTAMP,
    TIMESTAMP_LTZ,
    TypedLiteral,
    plain,
    zone_named,
)
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import WIDE, in_type

Value = Any
"""An Arrow array, or a scalar that stands for each row."""

_NAIVE, _ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")


def prepared(node: Node) -> Node:
    """Return an expression in terms of those that rows compute, and of this instant.

    Raises:
        PredicateError: A part is not supported. The error names it.
    """
    instant = f"TIMESTAMP_LTZ '{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}Z'"

    def simpler(part: Node) -> Node:
        template = _TEMPLATES.get(_name_of(part))
        if template is None or (isinstance(part, exp.If) and isinstance(part.parent, exp.Case)):
            return part
        args = {key: _bare(value) for key, value in part.args.items() if key != "expressions"}
        with suppress(KeyError, IndexError):
            return parse(template.format(*part.expressions, **args, now=instant))
        unsupported(part)

    node = node.copy()
    while (simple := node.transform(simpler)) != node:
        node = simple
    for part in node.walk():
        is_known = type(part) in _PARTS_OF_OTHERS or _name_of(part) in _RULES
        if not is_known or part.args.get(_REFUSED.get(_name_of(part))):
            unsupported(part)
    return node


def _bare(node: Node) -> str:
    """Return the SQL of an argument, in parentheses unless it is a literal or a word."""
    if not hasattr(node, "sql"):
        return "NULL"
    is_bare = isinstance(node, exp.Literal | exp.Neg | exp.Var | exp.Column)
    return node.sql("spark") if is_bare else f"({node.sql('spark')})"


def _name_of(node: Node) -> str:
    return str(node.this if isinstance(node, exp.Anonymous) else node.key).lower()


def bound(computed: Computed, schema: Schema, time_zone: str | None) -> Computed:
    """Return the value with its type, and with the columns of the schema.

    Raises:
        PredicateError: Spark's types do not allow the operation, or a time zone is missing.
        SchemaError: A column does not exist.
    """
    fields = tuple(schema.column(name, ignore_case=True) for name in computed.columns)
    if computed.type is not None and fields == computed.fields:
        return computed
    zoned = any(field.type.root == "TIMESTAMP_LTZ" for field in fields)
    if time_zone is None and (zoned or "TIMESTAMP_LTZ" in computed):
        raise PredicateError(f"{computed:.80} needs a time zone, as in --time-zone Europe/Berlin")
    made = Computed(computed)
    vars(made).update(vars(computed), fields=fields, time_zone=time_zone or "UTC")
    nulls = [pa.nulls(1, kind) for kind in (*Schema(fields).to_arrow().types, pa.null())]
    row = pa.RecordBatch.from_arrays(nulls, [*(field.name for field in fields), ""])
    made.type = from_arrow(evaluate(made, row).type)
    return made


def constant(computed: Computed, kind: DataType) -> object:
    """Return a bound expression without columns as a literal for a column of this type."""
    rows = _Rows(pa.RecordBatch.from_arrays([pa.nulls(1)], ["_"]), Schema(()), computed.time_zone)
    value = evaluate(computed, rows.data)[0]
    return plain(rows.local(value) if kind.root in ("DATE", "TIMESTAMP") else value)


def evaluate(computed: Computed, data: pa.RecordBatch) -> pa.Array:
    """Return the value of a bound expression for each row.

    Raises:
        PredicateError: Spark would raise an error, such as for a division by zero.
    """
    try:
        return _Rows(data, Schema(computed.fields), computed.time_zone).array(computed.node)
    except (pa.ArrowException, ArithmeticError, RecursionError, PaimonKsyError) as error:
        if "not supported (" in str(error):
            raise
        remedy = None
        if not isinstance(error, PaimonKsyError):
            remedy = "leave such rows out by CASE WHEN, or by a condition before AND"
        message = f"cannot evaluate {computed:.80}: {first_line(error)}"
        raise PredicateError(message, remedy=remedy) from None


class _Rows:
    """Computes the values of expressions for the rows of a batch."""

    def __init__(self, data: pa.RecordBatch, schema: Schema, time_zone: str) -> None:
        self.data, self.schema, self.time_zone = data, schema, time_zone

    def __call__(self, node: Node) -> Value:
        node = node.unnest()
        try:
            return self.literal(node)
        except NotALiteral:
            if (rule := _RULES.get(_name_of(node))) is None:
                unsupported(node)
            return rule(self, node)

    def array(self, node: Node) -> pa.Array:
        value = self(node)
        return value if isinstance(value, pa.Array) else pa.repeat(value, self.data.num_rows)

    def literal(self, node: Node) -> Value:
        value = literal_of(node)
        if isinstance(value, TypedLiteral):
            kind = {DATE: pa.date32(), TIMESTAMP: _NAIVE, TIMESTAMP_LTZ: _ZONED}[value.type]
            return arrow_values([value.value], kind)[0]
        is_int = type(value) is int and -(2**31) <= value < 2**31
        scalar = pa.scalar(value, pa.int32() if is_int else None)
        typed = isinstance(node, exp.Cast) and value is not None
        return scalar.cast(to_arrow(parse_type(node.to.sql("spark")))) if typed else scalar

    # Types ----------------------------------------------------------------------------------------

    def alike(self, values: Sequence[Value]) -> list[Value]:
        """Cast values to the narrowest type that has all of them, as Spark does."""
        kind = reduce(_common, (value.type for value in values))
        return [self.cast(value, kind) for value in values]

    def cast(self, value: Value, kind: pa.DataType) -> Value:
        if kind == _ZONED and value.type != kind and not at.is_null(value.type):
            naive = value.cast(_NAIVE)
            return pc.assume_timezone(naive, self.zone, ambiguous="earliest").cast(kind)
        value = self.local(value) if at.is_temporal(kind) and kind != _ZONED else value
        if at.is_decimal(kind) and at.is_integer(value.type):
            value = value.cast(_as_decimal(value.type))
        return value.cast(kind)

    def local(self, value: Value) -> Value:
        """Return what the session's clocks show at instants; other values are unchanged."""
        is_zoned = value.type == _ZONED
        return pc.local_timestamp(value.cast(pa.timestamp("us", self.zone))) if is_zoned else value

    @property
    def zone(self) -> str:
        """The session's time zone, as Arrow names it: it knows offsets of whole hours."""
        fixed = zone_named(self.time_zone).utcoffset(None)
        if fixed is None:
            return self.time_zone
        hours, rest = divmod(fixed, timedelta(hours=1))
        if rest:
            raise PredicateError(f"the time zone {self.time_zone} is not supported here: name it")
        return f"Etc/GMT{-hours:+d}" if hours else "UTC"

    def date(self, node: Node) -> Value:
        value = self.temporal(node)
        day = value if at.is_date(value.type) else pc.floor_temporal(self.local(value), unit="day")
        return day.cast(pa.date32())

    def temporal(self, node: Node) -> Value:
        value = self(node)
        value = value.cast(pa.date32()) if at.is_string(value.type) else value
        return value if at.is_temporal(value.type) else _refuse(node, "this as a date")

    def text(self, node: Node) -> Value:
        value = self(node)
        kinds = at.is_string, at.is_null, at.is_integer, at.is_date, at.is_boolean
        if not any(kind(value.type) for kind in kinds):
            _refuse(node, f"{from_arrow(value.type)} as text")
        return value.cast(pa.string())

    def constant(self, node: Node | None, default: Any = None) -> Any:
        value = pa.scalar(default) if node is None else self(node)
        if isinstance(value, pa.Scalar) and value.is_valid:
            return value.as_py()
        return _refuse(node, "a value other than a literal here")

    # Columns and conditions -----------------------------------------------------------------------

    def column(self, node: Node) -> Value:
        if isinstance(node, exp.Dot):
            return _field(self(node.this), node.expression.name)
        first, *rest = (part.name for part in node.parts)
        field = self.schema.column(first, ignore_case=True)
        array = self.data.column(field.name)
        array = array.dictionary_decode() if at.is_dictionary(array.type) else array
        if field.type.root == "CHAR":
            array = pc.utf8_rpad(pc.ascii_rtrim(array, characters=" "), field.type.length or 1)
        if array.type == WIDE and field.type.is_timestamp:
            array = in_type(array, _NAIVE if field.type.root == "TIMESTAMP" else _ZONED)
        return reduce(_field, rest, _in_micros(array))

    def bracket(self, node: Node) -> Value:
        value, key = self(node.this), self.constant(node.expressions[0])
        if at.is_map(value.type) and isinstance(key, str):
            return _in_micros(pc.map_lookup(value, pa.scalar(key, value.type.key_type), "last"))
        if not at.is_list(value.type) or not isinstance(key, int):
            _refuse(node, "access by this key")
        return _in_micros(pc.list_element(value, key - (node.args.get("offset") or 0)))

    def condition(self, node: Node) -> Value:
        """Return the three-valued result of a condition; tests of columns are predicates."""
        tree = Converter(self.schema).convert(node)
        column = tree.column if isinstance(tree, Comparison) else None
        if isinstance(column, Computed) and column.node == node:
            return self.compared(node)
        true, false = (
            mask(bind(each, self.schema, time_zone=self.time_zone), self.data)
            for each in (tree, ~tree)
        )
        return pc.if_else(pc.or_(true, false), true, pa.scalar(None, pa.bool_()))

    def compared(self, node: Node) -> Value:
        """Compare two values; NaN equals NaN and is above all numbers."""
        op = type(node)
        left, right = self.alike([self(node.this), self(node.expression)])
        if op in (exp.GT, exp.LTE):
            left, right = right, left
        is_order = op in (exp.LT, exp.GT, exp.LTE, exp.GTE)
        result = (pc.less if is_order else pc.equal)(left, right)
        if at.is_floating(left.type):
            of_left = pc.invert(pc.is_nan(left)) if is_order else pc.is_nan(left)
            result = pc.or_kleene(result, pc.and_kleene(of_left, pc.is_nan(right)))
        if op is exp.NullSafeEQ:
            both = pc.and_(pc.is_null(left), pc.is_null(right))
            result = pc.or_(pc.fill_null(result, False), both)
        return pc.invert(result) if op in (exp.NEQ, exp.LTE, exp.GTE) else result

    def case(self, node: Node) -> Value:
        """Evaluate each branch on its rows alone, as Spark does: others may be errors."""
        rest = pa.repeat(True, self.data.num_rows)
        branches = []
        for branch in node.args["ifs"]:
            test = exp.EQ(this=node.this, expression=branch.this) if node.this else branch.this
            hits = pc.fill_null(self.some(rest).array(test), False)
            taken = pc.replace_with_mask(rest, rest, hits)
            branches.append((taken, self.some(taken).array(branch.args["true"])))
            rest = pc.and_not(rest, taken)
        branches.append((rest, self.some(rest).array(node.args.get("default") or exp.Null())))
        values = self.alike([value for _, value in branches])
        result = pa.nulls(self.data.num_rows, values[0].type)
        for (rows, _), value in zip(branches, values, strict=True):
            result = pc.replace_with_mask(result, rows, value)
        return result

    def some(self, rows: pa.Array) -> _Rows:
        return _Rows(self.data.filter(rows), self.schema, self.time_zone)

    def coalesce(self, node: Node) -> Value:
        values = [node.this, *node.expressions]
        tests = (exp.Not(this=exp.Is(this=each.copy(), expression=exp.Null())) for each in values)
        ifs = [exp.If(this=test, true=each) for test, each in zip(tests, values, strict=True)]
        return self.case(exp.Case(ifs=ifs))

    # Functions ------------------------------------------------------------------------------------

    def arithmetic(self, node: Node) -> Value:
        op = type(node)
        if isinstance(node.expression, exp.Interval) or isinstance(node.this, exp.Interval):
            return self.moved(node)
        left, right = self(node.this), self(node.expression)
        if at.is_date(left.type) and at.is_integer(right.type) and op in (exp.Add, exp.Sub):
            return _KERNELS[op](left.cast(pa.int32()), right.cast(pa.int32())).cast(left.type)
        kind = _common(left.type, right.type)
        if not (at.is_integer(kind) or at.is_floating(kind) or at.is_decimal(kind)):
            _refuse(node, f"computing with {from_arrow(left.type)} and {from_arrow(right.type)}")
        if at.is_decimal(kind) and op not in (exp.IntDiv, exp.Mod):
            return _of_decimals(op, *map(_minimal, (left, right)))
        if op in (exp.Div, exp.IntDiv):
            kind = pa.float64() if op is exp.Div else pa.int64()
        left, right = self.cast(left, kind), self.cast(right, kind)
        if op is not exp.Mod:
            return _KERNELS[op](left, right)
        if not at.is_integer(kind):
            _refuse(node, f"the remainder of {from_arrow(kind)}")
        whole = pc.divide_checked(left, right)
        return pc.subtract_checked(left, pc.multiply_checked(whole, right))

    def moved(self, node: Node) -> Value:
        """Add an interval to a date or timestamp, or subtract it."""
        of, interval = node.this, node.expression
        if isinstance(of, exp.Interval) and isinstance(node, exp.Add):
            of, interval = interval, of
        unit = str(interval.args.get("unit") or "").upper().rstrip("S")
        text = interval.this.name if interval.this is not None else ""
        if unit not in _UNITS or not re.fullmatch(r"[+-]?\d{1,9}", text):
            _refuse(interval, "an interval of other than a number and a unit")
        months, days, seconds = (
            int(text) * (-1) ** isinstance(node, exp.Sub) * n for n in _UNITS[unit]
        )
        value = self.temporal(of)
        if seconds:
            value = value if value.type == _ZONED else self.cast(value, _NAIVE)
            return pc.add_checked(value, pa.scalar(timedelta(seconds=seconds), pa.duration("us")))
        clock = self.local(value).cast(_NAIVE)
        day = pc.floor_temporal(clock, unit="day")
        start = pa.array(day if isinstance(day, pa.Array) else [day], _NAIVE)
        then = pa.array(_days_later(start.to_numpy(zero_copy_only=False), months, days), _NAIVE)
        then = then if isinstance(day, pa.Array) else then[0]
        return self.cast(pc.add_checked(then, pc.subtract(clock, day)), value.type)

    def rounded(self, node: Node) -> Value:
        value, places = self(node.this), self.constant(node.args.get("decimals"), 0)
        if at.is_integer(value.type) or (at.is_floating(value.type) and places):
            _refuse(node, f"rounding {from_arrow(value.type)} to {places} digits")
        return pc.round(value, places, "half_towards_infinity")

    def truncated(self, node: Node) -> Value:
        is_date = isinstance(node, exp.DateTrunc)
        unit = {"mm": "month", "mon": "month", "yy": "year", "dd": "day"}
        name = node.args["unit"].name.lower()
        value = self.date(node.this) if is_date else self.temporal(node.this)
        if unit.get(name, name) not in _TRUNCATED[: 4 if is_date else None]:
            _refuse(node, f"the unit {name}")
        clock = pc.floor_temporal(
            self.local(value), unit=unit.get(name, name), week_starts_monday=True
        )
        return clock if is_date else self.cast(clock, _ZONED if value.type == _ZONED else _NAIVE)

    def formatted(self, node: Node) -> Value:
        pattern = node.args["format"].name.replace("strict", "")
        if re.search(r"[A-Za-z]", re.sub("%[YmdHMS]", "", pattern)):
            _refuse(node, "a pattern of other parts than yyyy MM dd HH mm ss")
        clock = pc.floor_temporal(self.local(self.temporal(node.this.this)), unit="second")
        return pc.strftime(clock.cast(pa.timestamp("s")), format=pattern)

    def substring(self, node: Node) -> Value:
        first = self.constant(node.args["start"])
        start = first - 1 if first > 0 else first
        stop = start + max(self.constant(node.args.get("length"), 1 << 30), 0)
        text = self.text(node.this)
        return pc.utf8_slice_codeunits(text, start, None if start < 0 <= stop else stop)

    def casted(self, node: Node) -> Value:
        """Return a cast that keeps values; what does not fit is an error, as in ANSI mode."""
        target, value = node.to.sql("spark"), self(node.this)
        kind = _ZONED if target == "TIMESTAMP" else _in_micros_type(to_arrow(parse_type(target)))
        source = value.type
        if at.is_string(kind) and "(" not in target:
            return self.text(node.this)
        if at.is_date(kind):
            return self.date(node.this)
        if at.is_timestamp(kind) and (at.is_temporal(source) or at.is_string(source)):
            return self.cast(value.cast(_NAIVE) if at.is_string(source) else value, kind)
        if at.is_integer(kind) and (at.is_floating(source) or at.is_decimal(source)):
            return pc.trunc(value).cast(kind)
        if at.is_string(source) and (at.is_integer(kind) or at.is_floating(kind)):
            return pc.utf8_trim_whitespace(value).cast(kind)
        if at.is_decimal(kind) and at.is_integer(source):
            return self.cast(value, pa.decimal128(38, kind.scale)).cast(kind)
        if at.is_decimal(kind) and at.is_decimal(source):
            return pc.round(value, kind.scale, "half_towards_infinity").cast(kind)
        if not (at.is_integer(source) and at.is_integer(kind)) and _common(source, kind) != kind:
            _refuse(node, f"CAST of {from_arrow(source)} AS {target}")
        return self.cast(value, kind)


def _refuse(node: Node, what: str) -> Any:
    unsupported(node, what)


def _field(parent: Value, name: str) -> Value:
    names = [field.name for field in parent.type] if at.is_struct(parent.type) else []
    same = [place for place, other in enumerate(names) if other.casefold() == name.casefold()]
    if len(same) != 1:
        raise PredicateError(f"no field {name!r}{none_of(name, 'it has', names)}")
    return _in_micros(pc.struct_field(parent, same))


def _in_micros(array: pa.Array) -> pa.Array:
    kind = _in_micros_type(array.type)
    return in_type(array, kind) if kind != array.type else array


def _in_micros_type(kind: pa.DataType) -> pa.DataType:
    return (_ZONED if kind.tz else _NAIVE) if at.is_timestamp(kind) else kind


def _common(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Return the narrowest type that has the values of both."""
    pair = left, right
    if left == right or at.is_null(left) or at.is_null(right):
        return left if at.is_null(right) else right
    if all(at.is_integer(kind) for kind in pair):
        return max(pair, key=lambda kind: kind.bit_width)
    if all(at.is_integer(kind) or at.is_floating(kind) or at.is_decimal(kind) for kind in pair):
        if any(map(at.is_floating, pair)):
            return pa.float64()
        (p, s), (q, t) = ((kind.precision, kind.scale) for kind in map(_as_decimal, pair))
        scale = max(s, t)
        return pa.decimal128(min(38, max(p - s, q - t) + scale), scale)
    if all(at.is_date(kind) or at.is_timestamp(kind) for kind in pair):
        return _ZONED if _ZONED in pair else _NAIVE
    raise PredicateError(
        f"{from_arrow(left)} and {from_arrow(right)} have no common type: add a CAST"
    )


def _as_decimal(kind: pa.DataType) -> pa.DataType:
    digits = {8: 3, 16: 5, 32: 10, 64: 20}
    return pa.decimal128(digits[kind.bit_width]) if at.is_integer(kind) else kind


def _minimal(value: Value) -> Value:
    """Return numbers as DECIMAL; a literal has no more digits than it needs."""
    if isinstance(value, pa.Scalar) and at.is_integer(value.type) and value.is_valid:
        return pa.scalar(Decimal(value.as_py()))
    return value.cast(_as_decimal(value.type))


def _of_decimals(op: Any, left: Value, right: Value) -> Value:
    """Compute with DECIMALs; Arrow has the types of Spark, which rounds divisions."""
    if op is not exp.Div:
        return _KERNELS[op](left, right)
    (p, s), (q, t) = ((value.type.precision, value.type.scale) for value in (left, right))
    whole, scale = p - s + t, max(6, s + q + 1)
    if whole + scale > 38:  # as in Spark's `DecimalPrecision`
        scale = max(38 - whole, 6)
    more = scale + 1  # Arrow cuts the digits after these
    exact = pc.divide(left.cast(pa.decimal256(p + more, s + more)), right.cast(pa.decimal256(q, t)))
    kept = pc.round(exact, scale, "half_towards_infinity")
    return kept.cast(pa.decimal128(min(38, whole + scale), scale))


def _days_later(start: Any, months: int, days: int) -> Any:
    """Return dates later by months, at most at the end of a month, and by days."""
    day = start.astype("M8[D]")
    month = day.astype("M8[M]")
    last = (month + months + 1).astype("M8[D]") - 1
    moved = np.minimum((month + months).astype("M8[D]") + (day - month.astype("M8[D]")), last)
    return (moved + days).astype("M8[us]")


def _cased(of_text: Callable[[str], str], kernel: Callable[..., Value], text: Value) -> Value:
    """Change the case of texts; outside of ASCII, one letter may become several, as in Java."""
    ascii_only = pc.all(pc.string_is_ascii(text)) if isinstance(text, pa.Array) else None
    if ascii_only is not None and ascii_only.as_py() is not False:
        return kernel(text)
    values = text.to_pylist() if isinstance(text, pa.Array) else [text.as_py()]
    changed = pa.array([None if value is None else of_text(value) for value in values], pa.string())
    return changed if isinstance(text, pa.Array) else changed[0]


_UNLIKE_JAVA = {r"\Q", r"\E", r"\v", r"\C", r"\b", r"\B"}
"""Escapes that RE2 reads in another way: as letters, as one character, or for ASCII alone."""
_PART_OF_PATTERN = re.compile(
    r"\\.|\(\?(?P<flags>[a-zA-Z-]+)[:)]|\[\^?\]?(?:\\.|[^\]\\])*\]|[.$]", re.DOTALL
)
_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"


def _java_regex(pattern: str) -> str:
    """Return a pattern of Java in RE2's syntax: lines end by more than a line feed in Java."""
    of_java = {".": f"[^{_ENDS}]", "$": rf"(?:\r\n|[{_ENDS}])?\z"}
    of_java |= {r"\s": r"[\s\x0B]", r"\S": r"[^\s\x0B]"}

    def part(match: re.Match[str]) -> str:
        if match[0] in _UNLIKE_JAVA or (match["flags"] or "i") != "i":
            raise PredicateError(f"{match[0]} in a pattern is not supported")
        if match["flags"] and not pattern.isascii():
            raise PredicateError(f"{match[0]} in a pattern of other letters is not supported")
        if match[0][0] == "[" and re.search(r"&&|(?<!^)\[|\\[sSv]", match[0]):
            raise PredicateError(f"the class {match[0]} of a pattern is not supported")
        return of_java.get(match[0], match[0])

    return _PART_OF_PATTERN.sub(part, pattern)


def _joined(rows: _Rows, node: Node) -> Value:
    parts = node.expressions or [node.this, node.expression]
    return pc.binary_join_element_wise(*map(rows.text, parts), "", null_handling="emit_null")


def _replaced(rows: _Rows, node: Node) -> Value:
    old, new = rows.constant(node.expression), rows.constant(node.args.get("replacement"), "")
    text = rows.text(node.this)
    return pc.replace_substring(text, old, new) if old else text


def _position(rows: _Rows, node: Node) -> Value:
    text, part = rows.text(node.this), rows.constant(node.args["substr"])
    if not part:
        return pc.if_else(pc.is_valid(text), pa.scalar(1, pa.int32()), pa.scalar(None, pa.int32()))
    before = pc.list_element(pc.split_pattern(text, part, max_splits=1), 0)
    place = pc.add(pc.utf8_length(before), pa.scalar(1, pa.int32()))
    return pc.if_else(pc.match_substring(text, part), place, pa.scalar(0, pa.int32()))


def _trimmed(rows: _Rows, node: Node) -> Value:
    side = {"LEADING": "l", "TRAILING": "r"}.get(str(node.args.get("position")), "")
    kernel: Any = getattr(pc, f"utf8_{side}trim")
    return kernel(rows.text(node.this), rows.constant(node.args.get("expression"), " "))


def _datediff(rows: _Rows, node: Node) -> Value:
    last, first = (rows.date(side).cast(pa.int32()) for side in (node.this, node.expression))
    return pc.subtract_checked(last, first)


def _extreme(kernel: Callable[..., Value], rows: _Rows, node: Node) -> Value:
    values = rows.alike([rows(each) for each in (node.this, *node.expressions)])
    return _refuse(node, "DOUBLE here") if at.is_floating(values[0].type) else kernel(*values)


def _whole(kernel: Callable[..., Value], value: Value) -> Value:
    whole = value if at.is_integer(value.type) else kernel(value)
    return whole.cast(pa.int64()) if at.is_floating(value.type) else whole


def _of(read: Callable[[_Rows, Node], Value], *kernels: Callable[..., Value]) -> Any:
    """Return the rule of a function of one value, which `read` returns."""
    return lambda rows, node: reduce(
        lambda value, kernel: kernel(value),
        kernels,
        read(rows, node.this if node.key != "anonymous" else node.expressions[0]),
    )


_TEMPLATES = {
    "currenttimestamp": "{now}",
    "now": "{now}",
    "currentdate": "TO_DATE({now})",
    "if": "CASE WHEN {this} THEN {true} ELSE {false} END",
    "nullif": "CASE WHEN {this} = {expression} THEN NULL ELSE {this} END",
    "nvl2": "CASE WHEN {this} IS NULL THEN {false} ELSE {true} END",
    "right": "SUBSTRING({this}, -({expression}), {expression})",
    "left": "SUBSTRING({this}, 1, {expression})",
    "tsordsadd": "TO_DATE({this}) + {expression}",
    "addmonths": "TO_DATE({this}) + INTERVAL {expression} MONTHS",
    "lastday": "TRUNC(ADD_MONTHS({this}, 1), 'MM') - 1",
    "extract": "{this}({expression})",
}
"""Functions in terms of others, by the names of their arguments in sqlglot."""

_REFUSED = {"trycast": "safe", "tsordstodate": "format", "datediff": "unit", "floor": "decimals"}
_REFUSED |= {"ceil": "decimals", "strposition": "position", "regexplike": "flag"}
"""Arguments that are not supported, by function."""

_KERNELS: dict[type, Callable[..., Value]] = {
    exp.Add: pc.add_checked,
    exp.Sub: pc.subtract_checked,
    exp.Mul: pc.multiply_checked,
    exp.Div: pc.divide_checked,
    exp.IntDiv: pc.divide_checked,
}
_UNITS = {"YEAR": (12, 0, 0), "QUARTER": (3, 0, 0), "MONTH": (1, 0, 0), "WEEK": (0, 7, 0)}
_UNITS |= {"DAY": (0, 1, 0), "HOUR": (0, 0, 3600), "MINUTE": (0, 0, 60), "SECOND": (0, 0, 1)}
_TRUNCATED = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


def _clock(rows: _Rows, node: Node) -> Value:
    return rows.local(rows.temporal(node)).cast(_NAIVE)


_RULES: dict[str, Callable[[_Rows, Node], Value]] = {
    **dict.fromkeys(("column", "dot"), _Rows.column),
    **dict.fromkeys(("add", "sub", "mul", "div", "intdiv", "mod"), _Rows.arithmetic),
    **dict.fromkeys(
        (
            *("eq", "neq", "lt", "lte", "gt", "gte", "nullsafeeq", "nullsafeneq", "and", "or"),
            *("not", "is", "in", "between", "like", "ilike", "escape", "startswith", "endswith"),
            *("contains", "isnan", "isnull", "isnotnull"),
        ),
        _Rows.condition,
    ),
    **{
        name: _of(_clock, kernel, lambda part: part.cast(pa.int32()))
        for name, kernel in {
            "year": pc.year,
            "quarter": pc.quarter,
            "month": pc.month,
            "weekofyear": pc.iso_week,
            "day": pc.day,
            "dayofmonth": pc.day,
            "dayofweek": partial(pc.day_of_week, count_from_zero=False, week_start=7),
            "weekday": pc.day_of_week,
            "dayofyear": pc.day_of_year,
            "hour": pc.hour,
            "minute": pc.minute,
            "second": pc.second,
        }.items()
    },
    "bracket": _Rows.bracket,
    "case": _Rows.case,
    "coalesce": _Rows.coalesce,
    "cast": _Rows.casted,
    "trycast": _Rows.casted,
    "neg": _of(_Rows.__call__, pc.negate_checked),
    "abs": _of(_Rows.__call__, pc.abs_checked),
    "floor": _of(_Rows.__call__, partial(_whole, pc.floor)),
    "ceil": _of(_Rows.__call__, partial(_whole, pc.ceil)),
    "sqrt": _of(_Rows.__call__, lambda value: pc.sqrt(value.cast(pa.float64()))),
    "greatest": partial(_extreme, pc.max_element_wise),
    "least": partial(_extreme, pc.min_element_wise),
    "round": _Rows.rounded,
    "upper": _of(_Rows.text, partial(_cased, str.upper, pc.ascii_upper)),
    "lower": _of(_Rows.text, partial(_cased, str.lower, pc.ascii_lower)),
    "length": _of(_Rows.text, pc.utf8_length),
    "reverse": _of(_Rows.text, pc.utf8_reverse),
    "arraysize": _of(_Rows.__call__, pc.list_value_length),
    "trim": _trimmed,
    "substring": _Rows.substring,
    "concat": _joined,
    "dpipe": _joined,
    "replace": _replaced,
    "strposition": _position,
    "regexplike": lambda rows, node: pc.match_substring_regex(
        rows.text(node.this), _java_regex(rows.constant(node.expression))
    ),
    "tsordstodate": _of(_Rows.date),
    "datediff": _datediff,
    "datetrunc": _Rows.truncated,
    "timestamptrunc": _Rows.truncated,
    "timetostr": _Rows.formatted,
}
_PARTS_OF_OTHERS = (
    *(exp.Identifier, exp.DataType, exp.DataTypeParam, exp.Var, exp.Paren, exp.Tuple, exp.If),
    *(exp.Literal, exp.Null, exp.Boolean, exp.HexString, exp.RawString, exp.Interval),
    *(exp.TimeStrToTime, exp.Any, exp.All),
)
