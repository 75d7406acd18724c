"""A cache of objects parsed from files that never change, with a memory limit.

Manifests and manifest lists have names that are never reused, so Java's catalogs cache them, too
(`cache.manifest.small-file-memory`). Snapshots are not cached, since a rollback makes their
numbers available again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, ClassVar, TypeVar
from weakref import WeakSet

T = TypeVar("T")


def clear_caches() -> None:
    """Make the next query read its metadata again, as the first one of a process does."""
    for cache in BoundedCache.caches:
        cache.clear()


class BoundedCache:
    """A cache of the most recently used values, of at most `bound` bytes."""

    caches: ClassVar[WeakSet[BoundedCache]] = WeakSet()

    def __init__(self, bound: int) -> None:
        self.caches.add(self)
        self.bound = bound
        self.size = 0
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the value of a key.

        Two threads may make the same value. Errors that `make` raises are not cached. `make` makes
        a value that is not cached, and `size` returns the bytes of one.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                cached: T = self._values[key][0]
                return cached
        value = make()
        taken = size(value)
        with self._lock:
            if key not in self._values and taken <= self.bound:
                self._values[key] = value, taken
                self.size += taken
            while self.size > self.bound:
                self.size -= self._values.popitem(last=False)[1][1]
        return value

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()
            self.size = 0
