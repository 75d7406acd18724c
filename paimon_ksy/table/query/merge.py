"""Merge the versions of keys in several data files, as Java's merge engines do, or refuse it.

Sources: `DeduplicateMergeFunction`, `FirstRowMergeFunction`, `PartialUpdateMergeFunction`,
`AggregateMergeFunction` and the aggregators in `mergetree.compact.aggregate` (paimon-core).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.model.files import SEQUENCE_NUMBER, TableSchema
from paimon_ksy.table.query.sort import sortable
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.arrays import Numbers, filled, to_arrow_array, to_numpy, whole
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.schema import Field

VALUE_KIND = "_VALUE_KIND"
_ADDING = (0, 2)
"""The numbers in `_VALUE_KIND` of rows that are added: INSERT and UPDATE_AFTER."""

_IGNORE_DELETE = ("ignore-delete", *(f"{e}.ignore-delete" for e in ("first-row", "deduplicate")))
_DROPPING_DELETES = ("deduplicate", "first-row")
"""The engines that with `ignore-delete` see no deletions."""

_UNSUPPORTED = {
    "partial-update": (
        *(*_IGNORE_DELETE, "partial-update.ignore-delete", "partial-update.remove-record-on-*"),
        *("fields.default-aggregate-function", "fields.*.aggregate-function"),
        "fields.*.sequence-group",
    ),
    "aggregation": (
        *("aggregation.remove-record-on-delete", "fields.*.ignore-retract"),
        "fields.*.sequence-group",
    ),
    "first-row": ("sequence.field",),
}
"""By merge engine, the options with which we cannot merge rows."""


@dataclass(frozen=True)
class Versions:
    """Rows sorted by key and version.

    Attributes:
        order: The positions of the rows.
        starts: For each key, where its first version is in `order`.
        stops: Where the versions after its last one begin.
    """

    order: Numbers
    starts: Numbers
    stops: Numbers

    @classmethod
    def of(cls, keys: Sequence[Numbers], sequence: Sequence[Numbers]) -> Versions:
        """Sort rows by their keys, and those of a key by their sequence."""
        order = np.lexsort((*reversed(sequence), *reversed(keys)))
        is_first = np.ones(len(order), np.bool_)
        if len(order):
            is_first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        starts = np.flatnonzero(is_first)
        return cls(order, starts, np.append(starts[1:], len(order))[: len(starts)])


@dataclass(frozen=True)
class MergeRules:
    """How versions of a key become one row.

    Attributes:
        engine: The merge engine.
        keys: The columns that identify a row in a bucket.
        sequence: The columns that order versions, before their sequence numbers.
        is_descending: Whether the greatest values of `sequence` are the oldest ones.
        functions: By column to return, the aggregate function.
        ignores_deletes: Whether deletions have no effect.
    """

    engine: str
    keys: tuple[str, ...]
    sequence: tuple[str, ...]
    is_descending: bool
    functions: Mapping[str, str]
    ignores_deletes: bool

    @classmethod
    def of(cls, schema: TableSchema, columns: Sequence[str]) -> MergeRules:
        """Return the rules for columns of a table.

        Raises:
            UnsupportedError: An option asks for other rules; the error names it.
        """
        options = schema.options
        engine = options.get("merge-engine", "deduplicate").strip().lower()
        for name, value in options.items():
            is_set = value.strip().lower() not in ("", "false")
            if is_set and any(fnmatchcase(name, each) for each in _UNSUPPORTED.get(engine, ())):
                raise _unsupported(f"merge-engine = {engine} is not supported with option {name}")
        fields = options.get("sequence.field", "").split(",")
        sequence = tuple(name.strip() for name in fields if name.strip())
        functions = dict.fromkeys(columns, _OF_ENGINE.get(engine, "last_value"))
        if engine == "aggregation":
            for name in set(columns) - {*schema.primary_keys, *sequence}:
                functions[name] = _checked_function(schema.columns.column(name), options)
        return cls(
            engine,
            tuple(name for name in schema.primary_keys if name not in schema.partition_keys),
            sequence,
            options.get("sequence.field.sort-order", "").strip().lower() == "descending",
            functions,
            engine in _DROPPING_DELETES and any(is_on(options, name) for name in _IGNORE_DELETE),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read."""
        own = (*self.keys, *self.sequence, SEQUENCE_NUMBER, VALUE_KIND)
        return tuple(dict.fromkeys((*own, *self.functions)))

    def merged(self, rows: pa.Table, fields: Sequence[Field]) -> pa.Table:
        """Return one row for each key, with the columns of `functions`.

        Args:
            rows: The versions of all keys, with `columns`.
            fields: The columns to return, as the schema has them.

        Raises:
            UnsupportedError: The rows cannot be merged as in Java.
        """
        adds = pc.is_in(whole(rows[VALUE_KIND]), to_arrow_array(_ADDING, pa.int8()))
        if self.ignores_deletes:
            rows, adds = rows.filter(adds), adds.filter(adds)
        elif self.engine != "deduplicate" and not pc.all(adds).as_py():
            raise _unsupported(f"merge-engine = {self.engine} is not supported with deletions")
        sequence = [_ranks(rows, name) for name in self.sequence]
        if self.is_descending:  # nulls stay the first
            sequence = [np.where(ranks, ranks.max(initial=0) + 1 - ranks, 0) for ranks in sequence]
        keys = [_ranks(rows, name) for name in self.keys]
        versions = Versions.of(keys, [*sequence, to_numpy(whole(rows[SEQUENCE_NUMBER]))])
        arrays = [self._merged(rows, versions, field) for field in fields]
        names = [field.name for field in fields]
        if self.engine != "deduplicate":
            return pa.table(arrays, names)
        return pa.table(arrays, names).filter(adds.take(versions.order[versions.stops - 1]))

    def _merged(self, rows: pa.Table, versions: Versions, field: Field) -> pa.Array:
        values = whole(rows[field.name])
        if self.engine == "partial-update" and not field.type.nullable and values.null_count:
            raise _unsupported(f"column {field.name!r} is NOT NULL, but has no value in some rows")
        function = self.functions[field.name]
        if function in ("max", "min"):
            _check_order(values, field.name)
        try:
            return _FUNCTIONS[function](values, versions, field.type)
        except ArithmeticError as error:
            raise _unsupported(f"{error}: the {function} of column {field.name!r}") from None


_OF_ENGINE = {"first-row": "first_value", "partial-update": "last_non_null_value"}
_DEFAULT_FUNCTION = "fields.default-aggregate-function"


def _checked_function(field: Field, options: Mapping[str, str]) -> str:
    """Return the aggregate function of a column.

    Raises:
        UnsupportedError: We do not aggregate the column as Java does; it names the option.
    """
    root, name = field.type.root, field.name
    option = f"fields.{name}.aggregate-function"
    if option not in options and _DEFAULT_FUNCTION in options:
        option = _DEFAULT_FUNCTION
    function = options.get(option, "last_non_null_value")
    distinct = options.get(f"fields.{name}.distinct", "false").strip().lower()
    is_supported = {
        "sum": root in _SUMS,  # not FLOAT, which Java rounds after each row
        "product": root in _PRODUCTS,
        "max": root not in _UNORDERED,
        "min": root not in _UNORDERED,
        "collect": root == "ARRAY" and distinct == "false",
        "bool_or": root == "BOOLEAN",
        "bool_and": root == "BOOLEAN",
    }
    if function in _FUNCTIONS and is_supported.get(function, True):
        return function
    raise _unsupported(
        f"column {name!r} has option {option} = {function}, which is not supported for {field.type}"
    )


_UNORDERED = ("ROW", "ARRAY", "MAP", "MULTISET", "VECTOR", "VARIANT", "BLOB")


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError(f"its rows cannot be merged: {what}", remedy=REMEDY_UNSUPPORTED)


# Order --------------------------------------------------------------------------------------------


def _ranks(rows: pa.Table, name: str) -> Numbers:
    """Return numbers from 1 that order the values of a column; 0 for null."""
    column = whole(rows[name])
    _check_order(column, name)
    return _ranked(column)[0]


def _ranked(column: pa.Array) -> tuple[Numbers, pa.Array]:
    """Return the rank of each value, 0 for null, and the distinct values in their order."""
    encoded = column.dictionary_encode()
    distinct = encoded.dictionary
    order = to_numpy(pc.array_sort_indices(sortable(distinct))).astype(np.int64)
    ranks = np.empty(len(order) + 1, np.int64)
    ranks[order], ranks[-1] = np.arange(1, len(order) + 1), 0
    return ranks[to_numpy(filled(encoded.indices, len(order)))], distinct.take(order)


def _check_order(column: pa.Array, name: str) -> None:
    """Raise UnsupportedError if versions of Paimon order values of a column differently."""
    if pa.types.is_floating(column.type):
        is_odd = pc.or_(pc.is_nan(column), pc.equal(pc.divide(1.0, column), -math.inf))
        if pc.any(is_odd).as_py():
            raise _unsupported(
                f"column {name!r}, which orders rows to merge, contains NaN or -0.0; "
                "versions of Paimon order these differently"
            )


# Aggregate functions ------------------------------------------------------------------------------

Function: TypeAlias = Callable[[pa.Array, Versions, DataType], pa.Array]
"""Returns the merged value of each key, of the values in all rows."""


def _first(values: pa.Array, versions: Versions, kind: DataType) -> pa.Array:
    return values.take(versions.order[versions.starts])


def _last(values: pa.Array, versions: Versions, kind: DataType) -> pa.Array:
    return values.take(versions.order[versions.stops - 1])


def _present(
    values: pa.Array, versions: Versions, kind: DataType, *, choose: np.ufunc, missing: int
) -> pa.Array:
    """Return the first or last value that is not null."""
    if not len(versions.starts):
        return values
    valid = to_numpy(values.is_valid())[versions.order]
    at = choose.reduceat(np.where(valid, np.arange(len(valid)), missing), versions.starts)
    found = at != missing
    return values.take(pa.array(versions.order[np.where(found, at, 0)], mask=~found))


def _extreme(
    values: pa.Array, versions: Versions, kind: DataType, *, choose: np.ufunc, missing: int
) -> pa.Array:
    """Return the greatest or the least value, null if all are."""
    if not len(versions.starts):
        return values
    ranks, distinct = _ranked(values)
    chosen = choose.reduceat(np.where(ranks > 0, ranks, missing)[versions.order], versions.starts)
    found = chosen != missing
    return distinct.take(pa.array(np.where(found, chosen - 1, 0), mask=~found))


def _collected(values: pa.Array, versions: Versions, kind: DataType) -> pa.Array:
    """Return the elements of all arrays, null if all are."""
    ordered = values.take(versions.order)
    bounds = to_numpy(ordered.offsets)[[*versions.starts, len(ordered)]]
    valid = to_numpy(ordered.is_valid()).astype(np.int64)
    some = np.add.reduceat(valid, versions.starts) > 0 if len(valid) else np.zeros(0, np.bool_)
    offsets = pa.array(bounds, pa.int32())
    return pa.ListArray.from_arrays(offsets, ordered.values, values.type, mask=pa.array(~some))


def _folded(
    values: pa.Array,
    versions: Versions,
    kind: DataType,
    *,
    operators: Mapping[str, Callable[[Any, Any, DataType], Any]],
) -> pa.Array:
    """Return sums or products, with the overflows of Java; null if all values are."""
    operate = operators[kind.root]
    ordered = values.take(versions.order).to_pylist()
    results: list[Any] = []
    for start, stop in zip(versions.starts.tolist(), versions.stops.tolist(), strict=True):
        result = None
        for value in ordered[start:stop]:
            if value is not None:
                result = value if result is None else operate(result, value, kind)
        results.append(result)
    if kind.root != "DECIMAL":
        return pa.array(results, values.type)
    # A sum may have more digits than its type (see `_decimal_sum`).
    wide = pa.array(results, pa.decimal128(38, kind.scale or 0))
    return pa.Array.from_buffers(values.type, len(wide), wide.buffers(), offset=wide.offset)


def _integer(value: int, kind: DataType) -> int:
    """Return a result. Raises ArithmeticError where Java would wrap it around."""
    limit = 1 << (INTEGER_BITS[kind.root] - 1)
    if not -limit <= value < limit:
        raise ArithmeticError(f"{kind.root} overflow")
    return value


_EXACT = Context(prec=80, rounding=ROUND_HALF_UP)
_MOST_DIGITS_OF_LONG = 18


def _decimal(value: Decimal, kind: DataType) -> Decimal | None:
    """Return a result with the scale of a type; None if it has too many digits, as in Java."""
    rounded = value.quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=_EXACT)
    is_small = abs(rounded.scaleb(kind.scale or 0, _EXACT)) < 10 ** (kind.precision or 10)
    return rounded if is_small else None


def _decimal_sum(left: Decimal, right: Decimal, kind: DataType) -> Decimal | None:
    """Return a sum; Java adds small DECIMALs as `long`, without a check (`DecimalUtils.add`)."""
    total = _EXACT.add(left, right)
    if (kind.precision or 10) > _MOST_DIGITS_OF_LONG:
        return _decimal(total, kind)
    if abs(total.scaleb(kind.scale or 0, _EXACT)) >= 1 << 63:
        raise ArithmeticError("DECIMAL overflow")
    return total


_SUMS: dict[str, Callable[[Any, Any, DataType], Any]] = {
    **dict.fromkeys(INTEGER_BITS, lambda left, right, kind: _integer(left + right, kind)),
    "DOUBLE": lambda left, right, kind: left + right,
    "DECIMAL": _decimal_sum,
}
_PRODUCTS: dict[str, Callable[[Any, Any, DataType], Any]] = {
    **dict.fromkeys(INTEGER_BITS, lambda left, right, kind: _integer(left * right, kind)),
    "DOUBLE": lambda left, right, kind: left * right,
    "DECIMAL": lambda left, right, kind: _decimal(_EXACT.multiply(left, right), kind),
}

_FUNCTIONS: dict[str, Function] = {
    "first_value": _first,
    "last_value": _last,
    "first_non_null_value": partial(_present, choose=np.minimum, missing=np.iinfo(np.int64).max),
    "last_non_null_value": partial(_present, choose=np.maximum, missing=-1),
    "max": partial(_extreme, choose=np.maximum, missing=0),
    "bool_or": partial(_extreme, choose=np.maximum, missing=0),
    "min": partial(_extreme, choose=np.minimum, missing=np.iinfo(np.int64).max),
    "bool_and": partial(_extreme, choose=np.minimum, missing=np.iinfo(np.int64).max),
    "collect": _collected,
    "sum": partial(_folded, operators=_SUMS),
    "product": partial(_folded, operators=_PRODUCTS),
}
"""The aggregate functions that give the results of Java."""
