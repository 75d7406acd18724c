"""The predicate that selects partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paimon_ksy.errors import PredicateError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.model.files import TableSchema

PartitionFilter = Callable[[tuple[Any, ...], int], bool]
"""A function that returns whether a partition, and a bucket in it, is selected."""


@dataclass(frozen=True)
class MatchingPartitions:
    """A `PartitionFilter` that can be pickled: a predicate on partition columns."""

    predicate: Predicate
    keys: tuple[str, ...]

    def __call__(self, partition: tuple[Any, ...], bucket: int) -> bool:
        """Return whether the predicate is true for a partition."""
        return holds(self.predicate, dict(zip(self.keys, partition, strict=True))) is True


def partition_filter(
    schema: TableSchema, where: Predicate | str | None, time_zone: str
) -> MatchingPartitions | None:
    """Return a function that tests whether a partition matches; None if all do.

    Args:
        schema: The table's schema.
        where: A predicate on partition columns alone, or None.
        time_zone: The zone of literals that have none.

    Raises:
        PredicateError: The predicate does not fit, or tests other columns.
    """
    if where is None:
        return None
    try:
        bound = bound_predicate(where, schema.columns, time_zone)
        return MatchingPartitions(bind(bound, schema.partition_schema), schema.partition_keys)
    except PredicateError as error:
        message = "the predicate selects partitions, but the table is not partitioned"
        if keys := ", ".join(schema.partition_keys):
            message = f"the predicate can test only partition columns ({keys}): {error}"
        raise PredicateError(message) from None
