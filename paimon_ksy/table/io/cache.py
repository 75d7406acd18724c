"""A cache of what was made of files that never change, up to a bound of memory.

Manifests, and lists of them, have names that are never used again, so that Java's catalogs keep
them too (`cache.manifest.small-file-memory`). Snapshots do not: their numbers come back after a
rollback.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class BoundedCache:
    """A cache of the values that were used last, of no more than `bound` bytes."""

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self.size = 0
        self._known: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the value of a key.

        Two threads may make the same one. What `make` raises is not remembered.

        Args:
            key: What is equal for equal values.
            make: Makes the value if it is not known.
            size: Returns how many bytes a value takes.
        """
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                known: T = found[0]
                return known
        made = make()
        taken = size(made)
        with self._lock:
            if key not in self._known and taken <= self.bound:
                self._known[key] = made, taken
                self.size += taken
            while self.size > self.bound:
                self.size -= self._known.popitem(last=False)[1][1]
        return made

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._known.clear()
            self.size = 0
