"""The first rows in an order: `ORDER BY column, .. LIMIT k`, of Arrow data that come in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PredicateError
from paimon_ksy.evaluation.top_n import Order, TopN
from paimon_ksy.types.arrow import TICK_NANOS
from paimon_ksy.types.data_type import DataType, from_utf8
from paimon_ksy.types.schema import Schema

_NO_ORDER = ("ARRAY", "MAP", "MULTISET", "ROW", "VARIANT", "VECTOR", "BLOB")


def check_order(column: str, data_type: DataType) -> None:
    """Check that values of this type have an order.

    Raises:
        PredicateError: They have none.
    """
    if data_type.root in _NO_ORDER:
        raise PredicateError(f"column {column!r} is {data_type}, which has no order")


def first_of(rows: pa.Table, top: TopN, kinds: Schema) -> pa.Array:
    """Return the positions of the first `k` rows in the order, those that come first in front.

    Among rows that tie for the last place, the first ones win.
    """
    return in_order(rows, top.orders, kinds)[: top.k]


def in_order(rows: pa.Table, orders: Sequence[Order], kinds: Schema) -> pa.Array:
    """Return the positions of all rows in these orders; rows that tie stay in their order.

    As in Spark: NaN is above all numbers, -0.0 equals 0.0. As predicates compare them, CHARs are in
    order as if there were spaces without end after each.

    Args:
        rows: The rows.
        orders: The orders, the most important first.
        kinds: The types of the columns.
    """
    if len(orders) == 1:
        [one] = orders
        return pc.array_sort_indices(
            _sortable(rows[one.column], kinds[one.column]),
            order=_direction(one.descending),
            null_placement="at_start" if one.has_nulls_first else "at_end",
        )
    keys: list[tuple[pa.Array, bool]] = []
    for order in orders:
        values = _sortable(rows[order.column], kinds[order.column])
        # Arrow has one place for the nulls of all columns.
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


class Best:
    """The first rows of an order among all that are added, of the Arrow schema `schema`.

    `kinds` has the types of the columns that order.
    """

    def __init__(self, top: TopN, schema: pa.Schema, kinds: Schema) -> None:
        self._top = top
        self._schema = schema
        self._kinds = kinds
        self._found: list[pa.RecordBatch] = []
        self._waiting = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add rows which may be among the first."""
        self._found.append(batch)
        self._waiting += batch.num_rows
        if self._waiting > max(4 * self._top.k, 1 << 16):
            self._settle()

    def rows(self) -> pa.Table:
        """Return the first rows of those that were added, in their order."""
        return self._settle()

    @property
    def last(self) -> pa.Scalar | None:
        """The value in the column that orders first of the last row, if there are k.

        No row after it is needed.
        """
        rows = self._settle()
        if rows.num_rows < self._top.k:
            return None
        return rows[self._top.column][self._top.k - 1]

    def _settle(self) -> pa.Table:
        rows = pa.Table.from_batches(self._found, self._schema)
        if self._waiting or not self._found:
            rows = rows.take(first_of(rows, self._top, self._kinds)).combine_chunks()
            self._found, self._waiting = rows.to_batches(), 0
        return rows


def _sortable(column: Any, data_type: DataType) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if data_type.root == "CHAR":
        return _padded(column)
    if pa.types.is_boolean(kind):
        return column.cast(pa.int8())
    if pa.types.is_fixed_size_binary(kind) and not pa.types.is_decimal(kind):
        return column.cast(pa.binary())
    if pa.types.is_floating(kind):
        # pyarrow puts NaN where nulls are, so as integers in the same order.
        numbers = pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
        bits = np.where(np.isnan(numbers), np.nan, numbers + 0.0).view(np.int64)
        ordered = np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
        return pa.array(ordered, mask=column.is_null().to_numpy(zero_copy_only=False))
    return column


def _padded(column: pa.Array) -> pa.Array:
    """Return the CHARs that are in order as if there were spaces without end after each."""
    trimmed = pc.ascii_rtrim(column, characters=" ")
    # Only what sorts below a space has to be compared with one.
    if not pc.any(pc.match_substring_regex(trimmed.cast(pa.binary()), "[\\x00-\\x1f]")).as_py():
        return trimmed
    return pc.ascii_rpad(trimmed, pc.max(pc.binary_length(trimmed)).as_py())


def plain_value(value: pa.Scalar) -> Any:
    """Return the internal value (see `types.data_type`) of an Arrow scalar, None of a null."""
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
