"""Evaluate SQL expressions by Arrow's kernels, with Spark's types, nulls and errors (ANSI mode).

Arrow is the engine because the rows are in it already, and it opens no files: there is no copy and
no further dependency. Its checked kernels raise errors where Spark does, for an overflow or a
division by zero, where DuckDB returns null and Polars wraps. OPERATORS lists what is supported
beside `functions.FUNCTIONS` and `casts.CASTS`. Each part of an expression is evaluated once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import reduce
from itertools import compress
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from sqlglot import exp

from paimon_ksy.errors import PaimonKsyError, PredicateError, first_line, none_of
from paimon_ksy.predicates.casts import (
    NAIVE,
    NUMBERS,
    ZONED,
    Value,
    alike,
    bounded,
    cast,
    checked_years,
    common,
    decimal_type,
    fit,
    instants,
    kind_of,
    local,
    shown,
    wide,
    zone_of,
)
from paimon_ksy.predicates.functions import (
    EXTRACTED,
    FUNCTIONS,
    call,
    check_negated,
    later,
    matches,
    moved_by_days,
    remainder,
    trimmed,
)
from paimon_ksy.predicates.row_filter import match_mask
from paimon_ksy.predicates.sql_literals import Node, NotALiteral, literal_of, unsupported
from paimon_ksy.predicates.sql_syntax import checked_form, operands, patterns_of
from paimon_ksy.predicates.tree import Computed, Like
from paimon_ksy.types.arrow import arrow_values, from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import DATE, TIMESTAMP, TIMESTAMP_LTZ, TypedLiteral, plain
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import WIDE, in_type

_STRING = parse_type("STRING")


class Expression(Computed):
    """A value that Arrow's kernels compute."""

    def bound(self, schema: Schema, time_zone: str | None) -> Expression:
        """Return the value with its type, and with the columns of the schema."""
        fields = tuple(schema.column(name, ignore_case=True) for name in self.columns)
        if self.type is not None and fields == self.fields:
            return self
        zoned = any(field.type.root == "TIMESTAMP_LTZ" for field in fields)
        if time_zone is None and (zoned or "TIMESTAMP_LTZ" in self.sql):
            what = f"{self.sql:.80}"
            raise PredicateError(f"{what} needs a time zone, as in --time-zone Europe/Berlin")
        untyped = replace(self, fields=fields, time_zone=time_zone or "UTC")
        nulls = [pa.nulls(1, kind) for kind in (*Schema(fields).to_arrow().types, pa.null())]
        row = pa.RecordBatch.from_arrays(nulls, [*(field.name for field in fields), ""])
        return replace(untyped, type=from_arrow(untyped.evaluate(row).type))

    def constant(self, kind: DataType) -> object:
        """Return the bound value, which needs no columns, as a literal for a type of columns."""
        value = self.evaluate(pa.RecordBatch.from_arrays([pa.nulls(1)], ["_"]))[0]
        if kind.root in ("DATE", "TIMESTAMP"):
            value = local(value, zone_of(self.time_zone))
        return plain(value)

    def evaluate(self, data: pa.RecordBatch) -> pa.Array:
        """Return the bound value for each row."""
        try:
            value = Rows(data, Schema(self.fields), self.time_zone).array(self.node)
            return value.cast(pa.bool_()) if at.is_null(value.type) else value
        except (pa.ArrowException, ArithmeticError, RecursionError, PaimonKsyError) as error:
            if "not supported (" in str(error):
                raise
            remedy = None
            if not isinstance(error, PaimonKsyError):
                remedy = "leave such rows out by CASE WHEN, or by a condition before AND"
            message = f"cannot evaluate {self.sql:.80}: {first_line(error)}"
            raise PredicateError(message, remedy=remedy) from None


class Rows:
    """Computes the values of expressions for the rows of a batch."""

    def __init__(self, data: pa.RecordBatch, schema: Schema, time_zone: str) -> None:
        self.data, self.schema, self.time_zone = data, schema, time_zone

    def __call__(self, node: Node) -> Value:
        """Return the value of an expression: an array, or a scalar for all rows."""
        node = node.unnest()
        with suppress(NotALiteral):
            try:
                return _literal(node)
            except PredicateError:  # an error only if there is a row
                if not isinstance(node, exp.Cast):
                    raise
        rule = OPERATORS.get(type(node))
        if rule is None:
            unsupported(node)
        checked_form(node)
        return rule(self, node)

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.data.num_rows)

    @property
    def zone(self) -> str:
        """The session's time zone, as Arrow names it."""
        return zone_of(self.time_zone)

    def array(self, node: Node) -> pa.Array:
        """Return the value for each row as an array."""
        return self.spread(self(node))

    def constant(self, node: Node, what: str, null: bool = False) -> pa.Scalar:
        """Return the value of an expression without columns, which needs no row; not a null."""
        row = pa.RecordBatch.from_arrays([pa.nulls(1)], [""])
        if node.find(exp.Column) is None:
            [value] = Rows(row, Schema(()), self.time_zone).array(node)
            if null or value.is_valid:
                return value
        return unsupported(node, f"{what} that is not a literal")

    def spread(self, value: Value) -> pa.Array:
        """Return an array with the value of each row."""
        return value if isinstance(value, pa.Array) else pa.repeat(value, self.count)

    def filtered(self, chosen: pa.Array) -> Rows:
        """Return the rows that an array of booleans without nulls chooses."""
        if pc.all(chosen, min_count=0).as_py():
            return self
        return Rows(self.data.filter(chosen), self.schema, self.time_zone)

    def within(self, chosen: pa.Array, node: Node) -> Value:
        """Return the value of an expression on chosen rows, and null on all others."""
        if pc.all(chosen, min_count=0).as_py():
            return self(node)
        value = self.filtered(chosen)(node)
        if isinstance(value, pa.Scalar):
            return value
        places = pc.subtract(pc.cumulative_sum(chosen.cast(pa.int64())), pa.scalar(1, pa.int64()))
        return value.take(pc.if_else(chosen, places, pa.scalar(None, pa.int64())))

    def strict(self, nodes: Sequence[Node]) -> list[Value]:
        """Return operands of which a null decides the result: each where those before have none.

        So does Spark's `BinaryExpression`, and NULL itself comes before all others.
        """
        known, values = pa.repeat(True, self.count), {}
        for place in sorted(range(len(nodes)), key=lambda place: not _is_null(nodes[place])):
            values[place] = value = self.within(known, nodes[place])
            known = pc.and_(known, self.spread(pc.is_valid(value)))
        return [values[place] for place in range(len(nodes))]

    def truth(self, node: Node) -> pa.Array:
        """Return the three-valued result of a condition."""
        value = self.array(node)
        if at.is_null(value.type):
            return value.cast(pa.bool_())
        if not at.is_boolean(value.type):
            unsupported(node, f"{shown(value.type)} as a condition")
        return value

    # Branches -------------------------------------------------------------------------------------

    def branches(self, tests: Iterable[tuple[Node, Node]], rest: Node | None) -> Value:
        """Evaluate the node of the first true test, each on its rows alone, as Spark does."""
        left, found = pa.repeat(True, self.count), []
        for test, node in tests:
            hits = pc.fill_null(self.filtered(left).truth(test), False)
            taken = pc.replace_with_mask(left, left, hits)
            found.append((taken, self.filtered(taken).array(node)))
            left = pc.and_not(left, taken)
        found.append((left, self.filtered(left).array(rest or exp.Null())))
        return self.gathered(found)

    def gathered(self, found: Sequence[tuple[pa.Array, pa.Array]]) -> pa.Array:
        """Return one column of the values of disjoint rows; null on all others."""
        values = alike([value for _, value in found], self.zone)
        if at.is_null(values[0].type):  # Arrow's replace_with_mask aborts the process
            return pa.nulls(self.count)
        result = pa.nulls(self.count, values[0].type)
        for (rows, _), value in zip(found, values, strict=True):
            result = pc.replace_with_mask(result, rows, value)
        return result

    def case(self, node: Node) -> Value:
        """Evaluate CASE; the value after it is evaluated once for all rows."""
        ifs, rest = node.args["ifs"], node.args.get("default")
        if node.this is None:
            if any(isinstance(part.this.unnest(), exp.Null) for part in ifs):
                unsupported(node, "CASE WHEN NULL")
            return self.branches([(part.this, part.args["true"]) for part in ifs], rest)
        left, found = pa.repeat(True, self.count), []
        subject = self.array(node.this)
        for part in ifs:
            rows = self.filtered(left)
            pair = rows.padded([node.this, part.this], [subject.filter(left), rows(part.this)])
            hits = rows.equal(*pair)
            taken = pc.replace_with_mask(left, left, pc.fill_null(rows.spread(hits), False))
            found.append((taken, self.filtered(taken).array(part.args["true"])))
            left = pc.and_not(left, taken)
        found.append((left, self.filtered(left).array(rest or exp.Null())))
        return self.gathered(found)

    # Columns and parts of them --------------------------------------------------------------------

    def column(self, node: Node) -> Value:
        """Return a column, or a field of a ROW."""
        if isinstance(node, exp.Dot):
            return _field(self(node.this), node.expression.name)
        first, *rest = (part.name for part in node.parts)
        field = self.schema.column(first, ignore_case=True)
        array = self.data.column(field.name)
        array = array.dictionary_decode() if at.is_dictionary(array.type) else array
        if field.type.root == "CHAR":
            array = pc.utf8_rpad(pc.ascii_rtrim(array, characters=" "), field.type.length or 1)
        if array.type == WIDE and field.type.is_timestamp:
            array = in_type(array, NAIVE if field.type.root == "TIMESTAMP" else ZONED)
        return reduce(_field, rest, _in_micros(array))

    def bracket(self, node: Node) -> Value:
        """Return the value at a key of a MAP, or at a place of an ARRAY."""
        (key,) = node.expressions
        return self.element(node.this, key)

    def element(self, node: Node, at_key: Node, first: int = 0) -> Value:
        """Return the value at a literal key, or at a place that is counted from `first`."""
        value, key = self(node), self.constant(at_key, "a key")
        if at.is_map(value.type) and kind_of(value.type.key_type) == kind_of(key.type):
            return _in_micros(pc.map_lookup(value, key.cast(value.type.key_type), "last"))
        place = key.as_py() - first if at.is_integer(key.type) else -1
        if not at.is_list(value.type) or place < 0:
            raise PredicateError(f"access of {shown(value.type)} by this key is not supported")
        return _in_micros(pc.list_element(value, place))

    def width(self, node: Node) -> int | None:
        """Return the length of a CHAR column; None for other values."""
        node = node.unnest()
        if not isinstance(node, exp.Column) or len(node.parts) > 1:
            return None
        kind = self.schema.column(node.name, ignore_case=True).type
        return kind.length or 1 if kind.root == "CHAR" else None

    # Conditions -----------------------------------------------------------------------------------

    def both(self, node: Node) -> Value:
        """Evaluate AND or OR: each operand on the rows that those before it do not decide."""
        is_and = isinstance(node, exp.And)
        first, *others = operands(node, type(node))
        result = self.truth(first)
        for other in others:
            open_rows = pc.fill_null(result if is_and else pc.invert(result), True)
            right = self.filtered(open_rows).truth(other)
            kernel = pc.and_kleene if is_and else pc.or_kleene
            result = pc.replace_with_mask(
                result, open_rows, kernel(result.filter(open_rows), right)
            )
        return result

    def negation(self, node: Node) -> Value:
        """Evaluate NOT."""
        return pc.invert(self.truth(node.this))

    def known(self, node: Node) -> Value:
        """Evaluate IS NULL, IS TRUE and IS FALSE, which are never null."""
        if isinstance(node.expression, exp.Null):
            return pc.is_null(self.array(node.this))
        if not isinstance(node.expression, exp.Boolean):
            unsupported(node)
        truth = self.truth(node.this)
        return pc.fill_null(truth if node.expression.this else pc.invert(truth), False)

    def compared(self, node: Node) -> Value:
        """Compare two values; NaN equals NaN and is above all numbers."""
        nodes, op = [node.this, node.expression], type(node)
        is_strict = op not in (exp.NullSafeEQ, exp.NullSafeNEQ)
        values = self.strict(nodes) if is_strict else list(map(self, nodes))
        return self.ordered(op, *self.padded(nodes, values))

    def padded(self, nodes: Sequence[Node], values: list[Value]) -> list[Value]:
        """Return values; texts are padded to the longest CHAR column beside CHARs and literals."""
        widths = [self.width(node) for node in nodes]
        texts = [isinstance(v, pa.Scalar) and at.is_string(v.type) for v in values]
        if not any(widths) or not all(w or t for w, t in zip(widths, texts, strict=True)):
            return values
        literals = [value.as_py() or "" for value in compress(values, texts)]
        most = max(*filter(None, widths), *map(len, literals), 0)
        return [pc.utf8_rpad(value, most) for value in values]

    def equal(self, left: Value, right: Value) -> Value:
        """Return whether two values are equal, null where one is null."""
        return self.ordered(exp.EQ, left, right)

    def ordered(self, op: type, left: Value, right: Value) -> Value:
        """Compare values by the class of an operator."""
        left, right = alike([left, right], self.zone)
        if kind_of(left.type) in ("array", "map", "row"):
            raise PredicateError(f"comparing {shown(left.type)} is not supported")
        if at.is_null(left.type):
            left, right = (value.cast(pa.bool_()) for value in (left, right))
        if op in (exp.GT, exp.LTE):
            left, right = right, left
        is_order = op in (exp.LT, exp.GT, exp.LTE, exp.GTE)
        result = (pc.less if is_order else pc.equal)(left, right)
        if at.is_floating(left.type):
            of_left = pc.invert(pc.is_nan(left)) if is_order else pc.is_nan(left)
            result = pc.or_kleene(result, pc.and_kleene(of_left, pc.is_nan(right)))
        if op in (exp.NullSafeEQ, exp.NullSafeNEQ):
            none = pc.and_(pc.is_null(left), pc.is_null(right))
            result = pc.or_(pc.fill_null(result, False), none)
        is_not = op in (exp.NEQ, exp.LTE, exp.GTE, exp.NullSafeNEQ)
        return pc.invert(result) if is_not else result

    def between(self, node: Node) -> Value:
        """Evaluate BETWEEN; the value is evaluated once."""
        value = self(node.this)
        low = self.within(self.spread(pc.is_valid(value)), node.args["low"])
        above = self.ordered(exp.GTE, value, low)
        rest = self.spread(pc.and_(pc.is_valid(value), pc.fill_null(above, True)))
        high = self.within(rest, node.args["high"])
        return pc.and_kleene(above, self.ordered(exp.LTE, value, high))

    def listed(self, node: Node) -> Value:
        """Evaluate IN: true if a value is equal, else null if one of both is null."""
        if not node.expressions:
            unsupported(node)
        has_null = any(isinstance(item.unnest(), exp.Null) for item in node.expressions)
        nodes, value = [node.this, *node.expressions], self(node.this)
        known = self.spread(pc.is_valid(value))
        values = [value, *(self.within(known, item) for item in node.expressions)]
        is_char = self.width(node.this) is not None and not has_null
        if is_char and any(self.width(item) is not None for item in node.expressions):
            unsupported(node, "IN with a CHAR in the list")
        value, *others = alike(self.padded(nodes, values) if is_char else values, self.zone)
        return reduce(pc.or_kleene, (self.equal(value, other) for other in others))

    def like(self, node: Node) -> Value:
        """Evaluate LIKE, ILIKE, and both with ANY or ALL."""
        mark = "\\"
        if type(node) is exp.Escape:
            node, mark = node.this, self(node.expression).as_py()
        combined, patterns = patterns_of(node)
        text = cast(self(node.this), pa.string(), self.zone)
        text = self.spread(self.lower(text) if isinstance(node, exp.ILike) else text)
        found = []
        for each in patterns:
            pattern = cast(self.constant(each, "a pattern", null=True), pa.string(), self.zone)
            pattern = self.lower(pattern) if isinstance(node, exp.ILike) else pattern
            leaf = Like("", pattern.as_py(), False, _STRING, mark)
            none = pa.nulls(self.count, pa.bool_())
            match = match_mask(leaf, text) if pattern.is_valid else none
            found.append(pc.invert(match) if node.args.get("negate") else match)
        return reduce(pc.or_kleene if combined is exp.Any else pc.and_kleene, found)

    def lower(self, text: Value) -> Value:
        """Return a text in lower case."""
        return FUNCTIONS["lower"].rule(self, text)

    def regex(self, node: Node) -> Value:
        """Evaluate RLIKE."""
        pattern = self.constant(node.expression, "a pattern")
        found = matches(self, cast(self(node.this), pa.string(), self.zone), pattern.as_py())
        return pc.invert(found) if node.args.get("negate") else found

    # Values ---------------------------------------------------------------------------------------

    def called(self, node: Node) -> Value:
        """Evaluate a function of FUNCTIONS."""
        if str(node.this).lower() not in FUNCTIONS:
            unsupported(node)
        return call(self, str(node.this), node.expressions)

    def arithmetic(self, node: Node) -> Value:
        """Evaluate an operator of numbers, or of a date and days or an interval."""
        op = type(node)
        if isinstance(node.expression, exp.Interval) or isinstance(node.this, exp.Interval):
            return self.moved(node)
        is_division = op in (exp.Div, exp.IntDiv, exp.Mod)  # Spark evaluates the divisor first
        nodes = [node.expression, node.this] if is_division else [node.this, node.expression]
        left, right = self.strict(nodes)[:: -1 if is_division else 1]
        kinds = {kind_of(left.type), kind_of(right.type)}
        if at.is_date(left.type) and kind_of(right.type) == "int" and op in (exp.Add, exp.Sub):
            return moved_by_days(self, left, right, 1 if op is exp.Add else -1)
        if kinds == {"date", "null"}:
            return self.spread(pa.scalar(None, pa.date32()))
        if "text" in kinds and kinds & NUMBERS:
            left, right = alike([left, right], self.zone)
        if op is exp.Mod:
            return remainder(self, left, right)
        return self.computed(node, left, right)

    def computed(self, node: Node, left: Value, right: Value) -> Value:
        """Compute an operator of two numbers, one of which may be null."""
        op, kinds = type(node), {kind_of(left.type), kind_of(right.type)}
        if not kinds <= NUMBERS | {"null"} or kinds == {"null"}:
            unsupported(node, f"computing with {shown(left.type)} and {shown(right.type)}")
        if "floating" not in kinds and "decimal" in kinds:
            return _of_decimals(op, *map(_minimal, (left, right)))
        if op is exp.IntDiv and "floating" in kinds:
            unsupported(node, "a whole division of floating numbers")
        kind = {exp.Div: pa.float64(), exp.IntDiv: pa.int64()}.get(op)
        kind = kind or common(left.type, right.type)
        values = [cast(value, kind, self.zone) for value in (left, right)]
        return _KERNELS[op](*(values if self.count else map(self.spread, values)))

    def moved(self, node: Node) -> Value:
        """Add an interval to a date or timestamp, or subtract it."""
        of, interval = node.this, node.expression
        if isinstance(of, exp.Interval) and isinstance(node, exp.Add):
            of, interval = interval, of
        months, days, seconds = _duration(interval, -1 if isinstance(node, exp.Sub) else 1)
        value = self(of)
        if at.is_null(value.type):
            return pa.scalar(None, NAIVE)
        if kind_of(value.type) not in ("date", "timestamp", "ltz"):
            unsupported(of, f"adding an interval to {shown(value.type)}")
        if seconds:
            value = instants(value, self.zone) if at.is_date(value.type) else value
            return pc.add_checked(value, pa.scalar(timedelta(seconds=seconds), pa.duration("us")))
        if at.is_date(value.type):
            return later(value, months, days)
        clock = local(value, self.zone)
        day = pc.floor_temporal(checked_years(clock), unit="day")
        then = pc.add_checked(later(day, months, days).cast(NAIVE), pc.subtract(clock, day))
        return then if value.type == NAIVE else instants(then, self.zone)

    def negated(self, node: Node) -> Value:
        """Evaluate a minus sign."""
        value = self(node.this)
        if at.is_null(value.type):
            return value.cast(pa.float64())
        if kind_of(value.type) not in ("int", "bigint", "decimal", "floating"):
            unsupported(node, f"the negative of {shown(value.type)}")
        check_negated(value)
        return pc.negate_checked(value) if at.is_integer(value.type) else pc.negate(value)

    def joined(self, node: Node) -> Value:
        """Evaluate ||."""
        return call(self, "concat", operands(node, exp.DPipe))

    def casted(self, node: Node) -> Value:
        """Return a cast that keeps values; what does not fit is an error, as in ANSI mode."""
        target = node.to.this.name
        digits = [int(part.name) for part in node.to.expressions]
        kind = _TARGETS.get(target)
        if target == "DECIMAL" and len(digits) <= 2:
            kind, digits = pa.decimal128(*(digits or [10])), []
        if kind is None or digits:
            unsupported(node, f"CAST AS {node.to.sql('spark')}")
        value = self(node.this)
        return cast(value if self.count else self.spread(value), kind, self.zone)

    def extracted(self, node: Node) -> Value:
        """Evaluate EXTRACT(field FROM time)."""
        rule = EXTRACTED.get(node.this.name.lower())
        value = self(node.expression)
        if rule is None or kind_of(value.type) not in ("date", "timestamp", "ltz", "null"):
            unsupported(node, f"EXTRACT of {node.this.name} from {shown(value.type)}")
        return rule(self, value)

    def trimmed(self, node: Node) -> Value:
        """Evaluate TRIM(BOTH characters FROM text)."""
        side = {"LEADING": "l", "TRAILING": "r"}.get(str(node.args.get("position") or ""), "")
        characters = self.constant(node.expression or exp.Literal.string(" "), "a text to trim")
        if not at.is_string(characters.type):
            unsupported(node, f"TRIM of {shown(characters.type)}")
        return trimmed(
            side, self, cast(self(node.this), pa.string(), self.zone), characters.as_py()
        )

    def part(self, node: Node) -> Value:
        """Evaluate SUBSTRING(text FROM start FOR length)."""
        nodes = [node.this, node.args["start"], node.args.get("length")]
        return call(self, "substring", [part for part in nodes if part is not None])

    def located(self, node: Node) -> Value:
        """Evaluate POSITION(part IN text)."""
        return call(self, "instr", [node.this, node.args["substr"]])


def _literal(node: Node) -> Value:
    """Return a literal with the type that Spark gives it. Raises NotALiteral."""
    value = literal_of(node)
    if value is None and isinstance(node, exp.Cast):
        raise NotALiteral  # it has a type
    if isinstance(value, TypedLiteral):
        kind = {DATE: pa.date32(), TIMESTAMP: NAIVE, TIMESTAMP_LTZ: ZONED}[value.type]
        return arrow_values([value.value], kind)[0]
    if type(value) is int and not -(2**63) <= value < 2**63:
        value = Decimal(value)
    is_int = type(value) is int and -(2**31) <= value < 2**31
    scalar = pa.scalar(value, pa.int32() if is_int else None)
    if not isinstance(node, exp.Cast):
        return scalar
    kind = _TARGETS.get(node.to.this.name)
    if kind is None:
        kind = to_arrow(parse_type(node.to.sql("spark")))
    return scalar.cast(kind)


def _is_null(node: Node) -> bool:
    node = node.unnest()
    return isinstance(node, exp.Null) or (isinstance(node, exp.Cast) and _is_null(node.this))


def _field(parent: Value, name: str) -> Value:
    names = [field.name for field in parent.type] if at.is_struct(parent.type) else []
    same = [place for place, other in enumerate(names) if other.casefold() == name.casefold()]
    if len(same) != 1:
        raise PredicateError(f"no field {name!r}{none_of(name, 'it has', names)}")
    return _in_micros(pc.struct_field(parent, same))


def _in_micros(array: pa.Array) -> pa.Array:
    if not at.is_timestamp(array.type):
        return array
    kind = ZONED if array.type.tz else NAIVE
    return in_type(array, kind) if kind != array.type else array


def _minimal(value: Value) -> Value:
    """Return numbers as DECIMAL; a literal has no more digits than it needs."""
    if isinstance(value, pa.Scalar) and at.is_integer(value.type) and value.is_valid:
        return pa.scalar(Decimal(value.as_py()))
    return value.cast(pa.decimal128(1) if at.is_null(value.type) else decimal_type(value.type))


def _of_decimals(op: Any, left: Value, right: Value) -> Value:
    """Compute with DECIMALs; the digits of results are those of Spark's `DecimalType`."""
    (p, s), (q, t) = ((value.type.precision, value.type.scale) for value in (left, right))
    scale = {exp.Mul: s + t, exp.Div: max(6, s + q + 1)}.get(op, max(s, t))
    digits = {exp.Mul: p + q + 1, exp.Div: p - s + t + scale}.get(op, max(p - s, q - t) + scale + 1)
    more = bounded(digits, scale)[1] + 1 if op is exp.Div else 0  # Arrow cuts the digits after it
    if (p + q + more + 1 if op in (exp.Mul, exp.Div, exp.IntDiv) else digits) > 76:
        raise PredicateError(
            f"computing with {shown(left.type)} and {shown(right.type)} is not supported: "
            "their digits are too many"
        )
    left = left.cast(pa.decimal256(p + more, s + more))
    result = _DECIMAL_KERNELS[op](left, right.cast(pa.decimal256(q, t)))
    if op is exp.IntDiv:
        return cast(result, pa.int64(), "UTC")
    return fit(wide(result), *bounded(digits, scale))


def _duration(interval: Node, sign: int) -> Iterator[int]:
    """Yield the months, days and seconds of an interval. Raises PredicateError."""
    unit = str(interval.args.get("unit") or "").upper().rstrip("S")
    text = interval.this.name if interval.this is not None else ""
    if unit not in _UNITS or not re.fullmatch(r"[+-]?\d{1,6}", text):
        unsupported(interval, "an interval of other than a number and a unit")
    return (int(text) * sign * count for count in _UNITS[unit])


_KERNELS: dict[type, Callable[..., Value]] = {
    exp.Add: pc.add_checked,
    exp.Sub: pc.subtract_checked,
    exp.Mul: pc.multiply_checked,
    exp.Div: pc.divide_checked,
    exp.IntDiv: pc.divide_checked,
}
_DECIMAL_KERNELS = {**_KERNELS, exp.Div: pc.divide, exp.IntDiv: pc.divide}
_UNITS = {"YEAR": (12, 0, 0), "MONTH": (1, 0, 0), "WEEK": (0, 7, 0)}
_UNITS |= {"DAY": (0, 1, 0), "HOUR": (0, 0, 3600), "MINUTE": (0, 0, 60), "SECOND": (0, 0, 1)}

_NAMED = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "BOOLEAN", "DATE")
_TARGETS: dict[str, pa.DataType] = {
    **{name: to_arrow(parse_type(name)) for name in _NAMED},
    "TEXT": pa.string(),
    "BINARY": pa.binary(),
    "TIMESTAMP": ZONED,
    "TIMESTAMPTZ": ZONED,
    "TIMESTAMPLTZ": ZONED,
    "TIMESTAMPNTZ": NAIVE,
}
"""The types of CAST beside DECIMAL, by sqlglot's names."""

OPERATORS: dict[type, Callable[[Rows, Node], Value]] = {
    **dict.fromkeys((exp.Column, exp.Dot), Rows.column),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod), Rows.arithmetic),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), Rows.compared),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), Rows.compared),
    **dict.fromkeys((exp.And, exp.Or), Rows.both),
    **dict.fromkeys((exp.Like, exp.ILike, exp.Escape), Rows.like),
    **dict.fromkeys((exp.Cast, exp.TryCast), Rows.casted),
    exp.Not: Rows.negation,
    exp.Is: Rows.known,
    exp.Between: Rows.between,
    exp.In: Rows.listed,
    exp.RegexpLike: Rows.regex,
    exp.Case: Rows.case,
    exp.Neg: Rows.negated,
    exp.DPipe: Rows.joined,
    exp.Bracket: Rows.bracket,
    exp.Anonymous: Rows.called,
    exp.Extract: Rows.extracted,
    exp.Trim: Rows.trimmed,
    exp.Substring: Rows.part,
    exp.StrPosition: Rows.located,
}
"""The forms of sqlglot's tree that rows compute; `sql_syntax.FORMS` lists the arguments of each."""
