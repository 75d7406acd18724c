"""The predicate that selects partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.model.files import TableSchema

PartitionFilter = Callable[[tuple[Any, ...], int], bool]
"""A function that returns whether a partition, and a bucket in it, is selected."""


def partition_filter(schema: TableSchema, where: Predicate | str | None) -> PartitionFilter | None:
    """Return a function that tests whether a partition matches; None if all do.

    Args:
        schema: The table's schema.
        where: A predicate on partition columns alone, or None.

    Raises:
        PredicateError: The predicate does not fit, or tests other columns.
    """
    if where is None:
        return None
    keys = ", ".join(schema.partition_keys)
    try:
        if isinstance(where, str):
            from paimon_ksy.predicates.sql import parse_predicate

            where = parse_predicate(where, schema.columns)
        bind(where, schema.columns)
        bound = bind(where, schema.partition_schema)
    except PredicateError as error:
        if not keys:
            raise PredicateError(
                "the predicate selects partitions, but the table is not partitioned"
            ) from None
        raise PredicateError(
            f"the predicate can test only partition columns ({keys}): {error}"
        ) from None
    return lambda partition, _: (
        holds(bound, dict(zip(schema.partition_keys, partition, strict=True))) is True
    )
