"""Results that are remembered for a predicate."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from paimon_ksy.predicates.tree import Predicate

T = TypeVar("T")


class PerPredicate(Generic[T]):
    """Results for predicates, by their identity: comparing trees may cost more than a result."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Hashable], tuple[Predicate, T]] = {}

    def get(self, predicate: Predicate, detail: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a predicate and what else it depends on, made the first time."""
        key = id(predicate), detail
        if key not in self._known:
            self._known[key] = predicate, make()  # holds it, so that no other gets its id
        return self._known[key][1]
