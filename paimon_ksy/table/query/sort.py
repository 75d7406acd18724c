"""Find the first rows in an order (`ORDER BY column, .. LIMIT k`) of Arrow data in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PredicateError
from paimon_ksy.evaluation.top_n import Order, TopN
from paimon_ksy.types.arrays import filled, to_numpy, whole
from paimon_ksy.types.data_type import TICK_NANOS, DataType, from_utf8
from paimon_ksy.types.schema import Schema

_NO_ORDER = ("ARRAY", "MAP", "MULTISET", "ROW", "VARIANT", "VECTOR", "BLOB")


def check_order(column: str, data_type: DataType) -> None:
    """Check that values of this type have an order.

    Raises:
        PredicateError: The type has no order.
    """
    if data_type.root in _NO_ORDER or data_type.text is not None:
        raise PredicateError(f"column {column!r} is {data_type}, which has no order")


def in_order(rows: pa.Table, orders: Sequence[Order], kinds: Schema) -> pa.Array:
    """Return the positions of all rows, sorted by these orders; the sort is stable.

    As in Spark, NaN is above all numbers, and -0.0 equals 0.0. As in predicates, CHARs compare as
    if each ended in infinitely many spaces. The first order is the most important one.
    """
    if len(orders) == 1:
        [order] = orders
        return pc.array_sort_indices(
            _sortable(rows[order.column], kinds[order.column]),
            order=_direction(order.descending),
            null_placement="at_start" if order.has_nulls_first else "at_end",
        )
    keys: list[tuple[pa.Array, bool]] = []
    for order in orders:
        values = _sortable(rows[order.column], kinds[order.column])
        # Arrow has one null placement for all columns.
        keys += (
            (values.is_null().cast(pa.int8()), order.has_nulls_first),
            (values, order.descending),
        )
    names = [str(number) for number in range(len(keys))]
    return pc.sort_indices(
        pa.table([values for values, _ in keys], names),
        sort_keys=[(name, _direction(down)) for name, (_, down) in zip(names, keys, strict=True)],
    )


def _direction(descending: bool) -> str:
    return "descending" if descending else "ascending"


@dataclass
class Best:
    """The first rows, in an order, of all added rows, which have the Arrow schema `schema`.

    `kinds` contains the types of the columns that order.
    """

    top: TopN
    schema: pa.Schema
    kinds: Schema
    _batches: list[pa.RecordBatch] = field(default_factory=list)
    _waiting: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows that may be among the first."""
        self._batches.append(batch)
        self._waiting += batch.num_rows
        if self._waiting > max(4 * self.top.k, 1 << 16):
            self.rows()

    def rows(self) -> pa.Table:
        """Return the first rows of all added rows, in order."""
        rows = pa.Table.from_batches(self._batches, self.schema)
        if self._waiting or not self._batches:
            order = in_order(rows, self.top.orders, self.kinds)  # of equal rows, the first win
            rows = rows.take(order[: self.top.k]).combine_chunks()
            self._batches, self._waiting = rows.to_batches(), 0
        return rows

    @property
    def last(self) -> pa.Scalar | None:
        """The value of the first order column in the last of `k` rows; None while there are fewer.

        Rows beyond this value are not needed.
        """
        rows = self.rows()
        if rows.num_rows < self.top.k:
            return None
        return rows[self.top.column][self.top.k - 1]


def _sortable(column: Any, data_type: DataType) -> pa.Array:
    column = whole(column)
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if data_type.root == "CHAR":
        return _padded(column)
    if pa.types.is_floating(kind):
        # pyarrow places NaN with nulls, so sort integers in the same order.
        numbers = to_numpy(filled(column.cast(pa.float64()), 0.0))
        bits = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.int64)
        ordered = np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
        return pa.array(ordered, mask=to_numpy(column.is_null()))
    return sortable(column)


def sortable(column: pa.Array) -> pa.Array:
    """Return a column in a type that Arrow sorts."""
    if pa.types.is_boolean(column.type):
        return column.cast(pa.int8())
    is_decimal = pa.types.is_decimal(column.type)
    if pa.types.is_fixed_size_binary(column.type) and not is_decimal:
        return column.cast(pa.binary())
    return column


def _padded(column: pa.Array) -> pa.Array:
    """Return strings that sort like CHARs that end in infinitely many spaces."""
    trimmed = pc.ascii_rtrim(column, characters=" ")
    # The padding matters only for characters that sort below a space.
    if not pc.any(pc.match_substring_regex(trimmed.cast(pa.binary()), "[\\x00-\\x1f]")).as_py():
        return trimmed
    return pc.ascii_rpad(trimmed, pc.max(pc.binary_length(trimmed)).as_py())


def plain_value(value: pa.Scalar) -> Any:
    """Return the internal value (see `types.data_type`) of an Arrow scalar; None for null."""
    if not value.is_valid:
        return None
    kind = value.type
    if pa.types.is_timestamp(kind):
        ticks: int = value.value
        return ticks * TICK_NANOS[kind.unit]
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return value.value
    if pa.types.is_string(kind):
        return from_utf8(value.as_buffer().to_pybytes())
    return value.as_py()
