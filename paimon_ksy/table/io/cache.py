"""A cache of objects parsed from files that never change, with a memory limit.

Manifests and manifest lists have names that are never reused, so Java's catalogs cache them, too
(`cache.manifest.small-file-memory`). Snapshots are not cached, since a rollback makes their
numbers available again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Any, ClassVar, TypeVar
from weakref import WeakSet

T = TypeVar("T")


def clear_caches() -> None:
    """Make the next query read its metadata again, as the first one of a process does."""
    for cache in BoundedCache.made:
        cache.clear()


class BoundedCache:
    """A cache of the most recently used values, of at most `bound` bytes."""

    made: ClassVar[WeakSet[BoundedCache]] = WeakSet()

    def __init__(self, bound: int) -> None:
        self.made.add(self)
        self.bound = bound
        self.size = 0
        self._known: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return the value of a key.

        Two threads may make the same value. Errors that `make` raises are not cached.

        Args:
            key: A key that is equal for equal values.
            make: Makes the value if it is not cached.
            size: Returns the size of a value in bytes.
        """
        return self.get_all([key], lambda _: [make()], size)[0]

    def get_all(
        self,
        keys: Sequence[Hashable],
        make: Callable[[list[int]], Iterable[T]],
        size: Callable[[T], int],
    ) -> list[T]:
        """Return the values of several keys (see `get`).

        Args:
            keys: Keys that are equal for equal values.
            make: Makes the values that are not cached, given their positions in `keys`.
            size: Returns the size of a value in bytes.
        """
        with self._lock:
            cached = [number for number, key in enumerate(keys) if key in self._known]
            values = {number: self._known[keys[number]][0] for number in cached}
            for number in cached:
                self._known.move_to_end(keys[number])
        missing = [number for number in range(len(keys)) if number not in values]
        if missing:
            values.update(zip(missing, make(missing), strict=True))
            taken = {number: size(values[number]) for number in missing}
            with self._lock:
                for number in missing:
                    if keys[number] not in self._known and taken[number] <= self.bound:
                        self._known[keys[number]] = values[number], taken[number]
                        self.size += taken[number]
                while self.size > self.bound:
                    self.size -= self._known.popitem(last=False)[1][1]
        return [values[number] for number in range(len(keys))]

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._known.clear()
            self.size = 0
