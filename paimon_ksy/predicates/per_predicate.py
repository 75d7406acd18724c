"""Caches of results by predicate."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from paimon_ksy.predicates.tree import Predicate

T = TypeVar("T")


class Same:
    """A key that only the same object equals; comparing trees may cost more than a result."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class PerPredicate(Generic[T]):
    """A cache by predicate, which finds the result of the same tree alone."""

    def __init__(self) -> None:
        self._known: dict[tuple[Same, Hashable], T] = {}

    def get(self, predicate: Predicate, detail: Hashable, make: Callable[[], T]) -> T:
        """Return the result for a predicate and `detail`, which `make` computes the first time."""
        key = Same(predicate), detail
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]
