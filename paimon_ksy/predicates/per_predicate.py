"""Caches of results by predicate."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from paimon_ksy.predicates.tree import Predicate

T = TypeVar("T")


class PerPredicate(Generic[T]):
    """A cache by the identity of predicates; comparing trees may cost more than a result."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Hashable], tuple[Predicate, T]] = {}

    def get(self, predicate: Predicate, detail: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a predicate and `detail`, which `make` computes the first time."""
        key = id(predicate), detail
        if key not in self._known:
            self._known[key] = predicate, make()  # keeps it alive, so that its id stays unique
        return self._known[key][1]
