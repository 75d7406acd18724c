"""Merge rows of one key as Paimon's Java library does, where pypaimon merges them differently.

The rules are those of `org.apache.paimon.mergetree.compact` in Paimon 1.4.2. If that library itself
computes a wrong value, for example by an integer overflow, the value is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np

from paimon_ksy.errors import UnsupportedError, first_line
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED, pypaimon_module

_Fold = Callable[[Any, Any], Any]
"""A function of two values: the aggregate so far, and the next value. Neither is null, except for
the functions in `_TAKES_NULL`."""

_TAKES_NULL = ("collect",)


def use_java_rules(read: Any) -> None:
    """Have pypaimon's `MergeFileSplitRead` merge rows as the Java library does.

    Raises:
        UnsupportedError: A function does not support the type of its column.
    """
    if read.table.options.merge_engine().value == "aggregation":
        read._build_merge_function = lambda: _Reduced(_aggregation(read))
    else:
        build = read._build_merge_function
        ignores = bool(read.table.options.ignore_delete())
        read._build_merge_function = lambda: _Reduced(build(), ignores)


class _Reduced:
    """Java's `ReducerMergeFunctionWrapper`: leaves the only row of a key unchanged.

    With `ignores_deletes`, it skips deletions, as `DeduplicateMergeFunction` does.
    """

    def __init__(self, function: Any, ignores_deletes: bool = False) -> None:
        self._function = function
        self._ignores = ignores_deletes
        self._first: Any = None
        self._is_merged = False

    def reset(self) -> None:
        self._function.reset()
        self._first, self._is_merged = None, False

    def add(self, row: Any) -> None:
        if self._first is None:
            self._first = row
            return
        if not self._is_merged:
            self._merge(self._first)
            self._is_merged = True
        self._merge(row)

    def _merge(self, row: Any) -> None:
        if not self._ignores or row.is_add():
            self._function.add(row)

    def get_result(self) -> Any:
        return self._function.get_result() if self._is_merged else self._first


class _Aggregator:
    """An aggregator of a column, whose errors name the column and the function."""

    def __init__(self, column: str, function: str, own: Any, fold: _Fold | None) -> None:
        self._column, self._function = column, function
        self._own = own
        self._fold = fold

    def reset(self) -> None:
        self._own.reset()

    def agg(self, accumulator: Any, value: Any) -> Any:
        try:
            if self._fold is None:
                return self._own.agg(accumulator, value)
            if (accumulator is None or value is None) and self._function not in _TAKES_NULL:
                return value if accumulator is None else accumulator
            return self._fold(accumulator, value)
        except Exception as error:  # each of pypaimon's functions raises its own
            raise _refused(self._column, self._function, first_line(error)) from error


def _refused(column: str, function: str, reason: str) -> UnsupportedError:
    raised = UnsupportedError(f"column {column!r}, aggregated by {function}: {reason}")
    raised.remedy = REMEDY_UNSUPPORTED
    return raised


def _aggregation(read: Any) -> Any:
    """Return pypaimon's merge function for the engine `aggregation`, with Java's aggregators."""
    library = pypaimon_module("read.reader.aggregation_merge_function")
    create = pypaimon_module("read.reader.aggregate").create_field_aggregator
    options = read.table.options
    keys, ordering = set(read.table.primary_keys), options.sequence_field()
    aggregators = []
    for field in read.value_fields:
        function = library.resolve_agg_func_name(
            field.name, keys, options.options.to_map(), ordering
        )
        try:
            own = create(field.type, field.name, function, options)
        except ValueError as error:
            raise _refused(field.name, function, first_line(error)) from error
        if function in ("max", "min") and not _base(field.type):
            raise _refused(field.name, function, f"{field.type} cannot be ordered")
        fold = _fold_of(function, own, field.type)
        aggregators.append(_Aggregator(field.name, function, own, fold))
    return library.AggregateMergeFunction(
        len(read.trimmed_primary_key), read.value_arity, aggregators
    )


def _base(kind: Any) -> str:
    """Return the name of an atomic type without its precision; empty for nested types."""
    return str(getattr(kind, "type", "")).partition("(")[0].partition(" ")[0].upper()


def _fold_of(function: str, own: Any, kind: Any) -> _Fold | None:
    """Return how Java aggregates such a column; None if pypaimon's own `agg` does the same."""
    if function in ("max", "min"):
        return _extreme(function == "max", _base(kind))
    if function in ("sum", "product"):
        return _arithmetic(function, _base(kind), kind.type)
    if function == "listagg":
        return _listagg(own.delimiter, own.distinct)
    if function == "collect":
        return _collect_distinct if own.distinct else None
    if function == "nested_update":
        return _nested_update(own)
    if function == "nested_partial_update":
        return lambda so_far, rows: _partial_rows(own, (*so_far, *rows))
    if function == "merge_map":
        return _merge_map
    if function == "merge_map_with_keytime":
        return lambda so_far, value: _entries(own.agg(so_far, value))
    return _union if function == "rbm32" else None


def _extreme(is_max: bool, base: str) -> _Fold:
    """Return `FieldMaxAgg` or `FieldMinAgg`, which compare floats by `Double.compare`."""
    rank: Callable[[Any], Any] = _float_rank if base in ("FLOAT", "DOUBLE") else lambda value: value

    def fold(so_far: Any, value: Any) -> Any:
        is_less = rank(so_far) < rank(value)
        return value if is_less == is_max else so_far

    return fold


def _float_rank(value: float) -> tuple[bool, float, float]:
    """Return a key that sorts as `Double.compare`: -0.0 before 0.0, and NaN last."""
    return (True, 0.0, 0.0) if math.isnan(value) else (False, value, math.copysign(1.0, value))


_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64}

_EXACT = Context(prec=100, rounding=ROUND_HALF_UP)
"""More digits than a product of two decimals with 38 digits can have."""


def _arithmetic(function: str, base: str, kind: str) -> _Fold:
    """Return `FieldSumAgg` or `FieldProductAgg`; an overflow raises OverflowError.

    Java 1.4.2 wraps integers around. Decimals beyond their precision it keeps, or replaces by null.
    """
    is_sum = function == "sum"
    if base in ("FLOAT", "DOUBLE"):
        single = base == "FLOAT"

        def add(so_far: float, value: float) -> float:
            found = so_far + value if is_sum else so_far * value
            if not single:
                return found
            with np.errstate(over="ignore"):
                return float(np.float32(found))

        return add
    if base in _BITS:
        most = 1 << (_BITS[base] - 1)

        def add_whole(so_far: int, value: int) -> int:
            found = so_far + value if is_sum else so_far * value
            if not -most <= found < most:
                raise OverflowError(f"{found} does not fit {base}")
            return found

        return add_whole
    precision, scale = _digits(kind)

    def add_decimal(so_far: Decimal, value: Decimal) -> Decimal:
        found = _EXACT.add(so_far, value) if is_sum else _EXACT.multiply(so_far, value)
        found = found.quantize(Decimal(1).scaleb(-scale), context=_EXACT)
        if found and found.adjusted() >= precision - scale:
            raise OverflowError(f"{found} does not fit DECIMAL({precision}, {scale})")
        return found

    return add_decimal


def _digits(kind: str) -> tuple[int, int]:
    """Return the precision and scale of a DECIMAL type."""
    inner = kind.partition("(")[2].partition(")")[0]
    parts = [int(part) for part in inner.split(",")] if inner else [10]
    return parts[0], parts[1] if len(parts) > 1 else 0


def _listagg(delimiter: str, distinct: bool) -> _Fold:
    """Return `FieldListaggAgg` of 1.4.2, which skips empty strings, but not blank ones."""
    separator = delimiter or " "

    def fold(so_far: str, value: str) -> str:
        if not value or not so_far:
            return value or so_far
        if not distinct:
            return so_far + delimiter + value
        there = set(so_far.split(separator))
        parts = [so_far]
        for part in value.split(separator):
            if part and part not in there:
                there.add(part)
                parts.append(part)
        return delimiter.join(parts)

    return fold


def _collect_distinct(
    so_far: Sequence[Any] | None, values: Sequence[Any] | None
) -> list[Any] | None:
    """Merge as `FieldCollectAgg` does, which removes duplicates even if one side is null.

    Values are in the order of first occurrence; in Java, in that of their hash codes.
    """
    if so_far is None and values is None:
        return None
    found: dict[Any, Any] = {}
    for value in (*(so_far or ()), *(values or ())):
        found.setdefault(identity(value), value)
    return list(found.values())


def _nested_update(own: Any) -> _Fold | None:
    """Return `FieldNestedUpdateAgg` of 1.4.2; None if options of later versions are set."""
    if own.has_sequence_field or own.nested_key_null_strategy.value != "merge":
        return None

    def fold(so_far: Sequence[Any], rows: Sequence[Any]) -> Sequence[Any]:
        left = own.count_limit - len(so_far)
        if left <= 0:
            return so_far
        found = [row for row in so_far if row is not None]
        found += [row for row in rows if row is not None][:left]
        if own.key_projection is None:
            return found
        return list({identity(own.key_projection.apply(row)): row for row in found}.values())

    return fold


def _partial_rows(own: Any, rows: Sequence[Any]) -> list[Any]:
    """Merge as `FieldNestedPartialUpdateAgg`: the last value of each field that is not null."""
    found: dict[Any, dict[str, Any]] = {}
    for row in rows:
        if row is None:
            continue
        key = own.key_projection.apply(row)
        if own._apply_nested_key_null_strategy(key):
            merged = found.setdefault(identity(key), dict.fromkeys(row))
            merged.update((name, value) for name, value in row.items() if value is not None)
    return list(found.values())


def _merge_map(so_far: Any, value: Any) -> list[dict[str, Any]]:
    """Merge as `FieldMergeMapAgg`."""
    entries = (*so_far, *value)
    return list({identity(entry["key"]): entry for entry in entries}.values())


def _entries(found: dict[Any, Any]) -> list[dict[str, Any]]:
    """Return a map as its entries, since Arrow does not accept a dict."""
    return [{"key": key, "value": value} for key, value in found.items()]


def _union(so_far: bytes, value: bytes) -> bytes:
    """Merge as `FieldRoaringBitmap32Agg` does, which optimises its result."""
    from pyroaring import BitMap

    found = BitMap.deserialize(so_far) | BitMap.deserialize(value)
    found.run_optimize()
    return bytes(found.serialize())


def identity(value: Any) -> Any:
    """Return a dict key that is the same for values that Java's `equals` considers equal.

    NaN equals NaN, but -0.0 does not equal 0.0.
    """
    if isinstance(value, float):
        return float, _float_rank(value)
    if isinstance(value, dict):
        return dict, tuple((name, identity(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return list, tuple(map(identity, value))
    return type(value), value
