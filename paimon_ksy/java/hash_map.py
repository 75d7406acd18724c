"""The order in which a Java `HashMap` keeps its entries."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import numpy as np

from paimon_ksy.java.hash_codes import Hashes, Indices, hash_string

Key = TypeVar("Key")
Value = TypeVar("Value")

# java.util.HashMap: DEFAULT_INITIAL_CAPACITY, TREEIFY_THRESHOLD, MIN_TREEIFY_CAPACITY. A table
# grows when it holds more than 3/4 of its size.
_INITIAL_TABLE = 16
_TREEIFY = 8
_MIN_TREE_TABLE = 64


def map_order(hashes: Hashes, *, called_again: bool, among: Indices | None = None) -> Indices:
    """Return the indexes of n distinct keys in the iteration order of a `java.util.HashMap`.

    The rule (OpenJDK 8 to 21): bins ascend. A new key goes to the head of its bin, and growth keeps
    the order in a bin, so the newest key of a bin comes first. In Java, a bin that reaches 8 keys
    becomes a red-black tree with an order of its own, which no reader of an index depends on.

    Args:
        hashes: The n hash codes, in the order in which `computeIfAbsent` puts the keys into an
            empty map.
        called_again: Whether `computeIfAbsent` was called after the last key was put, because the
            map checks only at the start of a call whether it has to grow.
        among: The indexes whose order is wanted; all by default.
    """
    count = len(hashes)
    if count == 0:
        return np.empty(0, np.int64)
    spread = hashes >> np.uint32(16)
    spread ^= hashes
    del hashes
    table = _table_of(spread, called_again)

    # Sorted by bin, then the newest first.
    bits = np.uint64(count.bit_length())
    order = (spread if among is None else spread[among]).astype(np.uint64)
    del spread
    order &= np.uint64(table - 1)
    order <<= bits
    newest_first = np.arange(count - 1, -1, -1, dtype=np.uint32)
    order |= newest_first if among is None else newest_first[among]
    del newest_first
    order.sort()
    order &= (np.uint64(1) << bits) - np.uint64(1)
    positions = order.view(np.int64)
    return np.subtract(count - 1, positions, out=positions)


def _table_of(spread: Hashes, called_again: bool) -> int:
    """Return the final size; a table of less than 64 bins also grows when a bin gets 8 keys."""
    count = len(spread)
    first = [int(value) for value in spread[:_MIN_TREE_TABLE]]
    table = _INITIAL_TABLE
    for key, value in enumerate(first):
        if key > table * 3 // 4:
            table *= 2
        if table < _MIN_TREE_TABLE:
            same = sum((other ^ value) & (table - 1) == 0 for other in first[: key + 1])
            if same >= _TREEIFY:
                table *= 2
    while count > table * 3 // 4 + 1 or (called_again and count > table * 3 // 4):
        table *= 2
    return table


class JavaMap(Generic[Key, Value]):
    """A `HashMap` of a few keys, strings unless `hash_of` is given: iterates as Java's does.

    Bins that become trees (8 keys in one of at least 64 bins) are not taken into account.
    """

    def __init__(self, hash_of: Callable[[Key], int] | None = None) -> None:
        self._hash_of = hash_of or (lambda key: hash_string(str(key)))
        self._bins: list[list[tuple[Key, Value]]] = [[] for _ in range(_INITIAL_TABLE)]
        self._size = 0

    def __iter__(self) -> Iterator[tuple[Key, Value]]:
        """Yield (key, value), in Java's order."""
        return (item for bin_ in self._bins for item in bin_)

    def __len__(self) -> int:
        return self._size

    def put(self, key: Key, value: Value) -> None:
        """Put a key as `Map.put`: a new key goes to the end of its bin, and then the map grows."""
        bin_ = self._bin(key)
        for i, (other, _) in enumerate(bin_):
            if other == key:
                bin_[i] = (key, value)
                return
        bin_.append((key, value))
        self._size += 1
        if len(bin_) > _TREEIFY and len(self._bins) < _MIN_TREE_TABLE:
            self._grow()
        if self._is_full():
            self._grow()

    def compute_if_absent(self, key: Key, make: Callable[[], Value]) -> Value:
        """Put a key as `Map.computeIfAbsent`: the map grows, then a new key heads its bin."""
        if self._is_full():
            self._grow()
        bin_ = self._bin(key)
        for other, value in bin_:
            if other == key:
                return value
        value = make()
        bin_.insert(0, (key, value))
        self._size += 1
        if len(bin_) >= _TREEIFY and len(self._bins) < _MIN_TREE_TABLE:
            self._grow()
        return value

    def _bin(self, key: Key) -> list[tuple[Key, Value]]:
        hash_ = self._hash_of(key)
        return self._bins[(hash_ ^ hash_ >> 16) & (len(self._bins) - 1)]

    def _is_full(self) -> bool:
        return self._size > len(self._bins) * 3 // 4

    def _grow(self) -> None:
        old = [item for bin_ in self._bins for item in bin_]
        self._bins = [[] for _ in range(2 * len(self._bins))]
        for item in old:
            self._bin(item[0]).append(item)
