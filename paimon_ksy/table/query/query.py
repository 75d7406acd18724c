"""Queries: the caller's arguments, alone or bound to a schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypedDict

import pyarrow as pa

from paimon_ksy.errors import PredicateError, SchemaError
from paimon_ksy.evaluation.top_n import Order, TopN, checked_limit, parse_order
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.tree import And, Predicate
from paimon_ksy.table.model.columns import arrow_schema, columns_of
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.sort import check_order
from paimon_ksy.table.store.options import is_on


class VersionArguments(TypedDict, total=False):
    """Keyword arguments that choose the state of a table to read: see `Query`."""

    snapshot_id: int | None
    tag: str | None
    as_of: str | datetime | None
    between: tuple[int, int] | None


class QueryArguments(VersionArguments, total=False):
    """Keyword arguments of a query: see `Query`."""

    order_by: str | TopN | None
    limit: int | None


@dataclass(frozen=True)
class Query:
    """The arguments of a query.

    Attributes:
        where: SQL text, a predicate tree or a pyarrow.compute expression; None for all rows.
        columns: The columns to return, in which `*` stands for all; None for all.
        order_by: An order such as `amount DESC NULLS LAST`, or a TopN, which has a limit.
        limit: The maximum number of rows to return.
        snapshot_id: The snapshot to read, in the schema that it had.
        tag: The tag to read, in the schema that it had.
        as_of: A text or datetime: the newest snapshot that is not after it is read.
        between: Read the rows that snapshots after the first of these, up to the second,
            appended; those of INSERT OVERWRITE are left out.
    """

    where: Any = None
    columns: Sequence[str] | None = None
    order_by: str | TopN | None = None
    limit: int | None = None
    snapshot_id: int | None = None
    tag: str | None = None
    as_of: str | datetime | None = None
    between: tuple[int, int] | None = None

    def bind(self, schema: TableSchema, time_zone: str) -> BoundQuery:
        """Check the query against a schema; literals without a time zone are in `time_zone`.

        Raises:
            PredicateError: The predicate or the order does not fit the schema.
            SchemaError: A column does not exist.
        """
        every, schema = schema.columns.names, selectable(schema)
        columns = every if self.columns is None else _names(schema, self.columns, every)
        where = self.where
        predicate = None if where is None else bound_predicate(where, schema.columns, time_zone)
        limit = self.limit and checked_limit(self.limit)
        orders = () if self.order_by is None else _orders(self.order_by, schema)
        limits = [k for k in (limit, getattr(self.order_by, "k", None)) if k is not None]
        if orders and limits:
            top = TopN.by(orders, min(limits))
            return BoundQuery(schema, columns, predicate, limit, top)
        return BoundQuery(schema, columns, predicate, limit, None, orders)


@dataclass(frozen=True)
class BoundQuery:
    """A query bound to a schema; `orders` sort all rows if there is no limit."""

    schema: TableSchema
    columns: tuple[str, ...]
    predicate: Predicate | None = None
    limit: int | None = None
    top: TopN | None = None
    orders: tuple[Order, ...] = ()

    @cached_property
    def read_columns(self) -> tuple[str, ...]:
        """The columns to return, and those that sort all rows."""
        return tuple(dict.fromkeys((*self.columns, *(order.column for order in self.orders))))

    @property
    def conditions(self) -> list[Predicate]:
        """The conditions of the top-level AND, without those that partitions decide."""
        keys = set(self.schema.partition_keys)
        conditions = () if self.predicate is None else required(self.predicate)
        return [each for each in conditions if not set(self.columns_of(each)) <= keys]

    def columns_of(self, condition: Predicate) -> tuple[str, ...]:
        """Return the columns that a condition tests."""
        return columns_of(condition, self.schema.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the columns to return."""
        return arrow_schema(self.schema.columns, self.columns)

    @property
    def read_schema(self) -> pa.Schema:
        """The Arrow schema of `read_columns`."""
        return arrow_schema(self.schema.columns, self.read_columns)


def required(predicate: Predicate) -> tuple[Predicate, ...]:
    """Return the conditions that have to be true where the predicate is."""
    return predicate.children if isinstance(predicate, And) else (predicate,)


def selectable(schema: TableSchema) -> TableSchema:
    """Return a schema with all columns that a query can name: also those of row tracking."""
    return schema.with_row_ids if is_on(schema.options, "row-tracking.enabled") else schema


def _names(schema: TableSchema, columns: Sequence[str], every: tuple[str, ...]) -> tuple[str, ...]:
    """Return the exact names of the columns; `*` stands for `every`. Raises SchemaError."""
    if isinstance(columns, str):
        raise SchemaError(f"columns must be a list of names such as [{columns!r}]")
    names: list[str] = []
    for name in columns:
        if not isinstance(name, str):
            raise SchemaError(f"columns must be a list of names, but contains {name!r:.80}")
        if name == "*" not in every:
            names += every
        else:
            names.append(schema.columns.column(name, ignore_case=True).name)
    for name in names:
        if name not in schema.columns.names:
            raise SchemaError(f"{name!r} is a key of a MAP: return the whole column")
    if len(set(names)) < len(names):
        raise SchemaError(f"a column is named twice: {', '.join(names)}")
    return tuple(names)


def _orders(order_by: str | TopN, schema: TableSchema) -> tuple[Order, ...]:
    """Return the order of the query with exact column names. Raises PredicateError."""
    orders = []
    for order in parse_order(order_by) if isinstance(order_by, str) else order_by.orders:
        try:
            field = schema.columns.column(order.column, ignore_case=True)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        if field.name not in schema.columns.names:
            raise PredicateError(f"{field.name!r} is a key of a MAP: order by a column")
        check_order(field.name, field.type)
        orders.append(replace(order, column=field.name))
    return tuple(orders)
