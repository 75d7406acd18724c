"""The order in which a Java `HashMap` keeps its entries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from paimon_ksy.java.hash_codes import Hashes, Indices, hash_string

Key = TypeVar("Key")
Value = TypeVar("Value")

# java.util.HashMap: DEFAULT_INITIAL_CAPACITY, TREEIFY_THRESHOLD, UNTREEIFY_THRESHOLD,
# MIN_TREEIFY_CAPACITY. A table grows when it holds more than 3/4 of its size.
_INITIAL_TABLE = 16
_TREEIFY = 8
_UNTREEIFY = 6
_MIN_TREE_TABLE = 64


# -- order of iteration ----------------------------------------------------------------------------


def map_order(
    hashes: Hashes,
    *,
    called_again: bool,
    rank: Callable[[Indices], Indices],
    among: Indices | None = None,
) -> Indices:
    """Return the indexes of n distinct keys in the iteration order of a `java.util.HashMap`.

    The rule (OpenJDK 8 to 21): bins ascend. A new key goes to the head of its bin, and growth keeps
    the order in a bin, so the newest key of a bin comes first. A bin that reaches 8 keys becomes a
    red-black tree with an order of its own; such bins are simulated one by one.

    Args:
        hashes: The n hash codes, in the order in which `computeIfAbsent` puts the keys into an
            empty map.
        called_again: Whether `computeIfAbsent` was called after the last key was put, because the
            map checks only at the start of a call whether it has to grow.
        rank: A function that returns numbers with the order of `compareTo` for the keys at these
            indexes. Only bins that become trees need it.
        among: The indexes whose order is wanted; all by default.
    """
    count = len(hashes)
    if count == 0:
        return np.empty(0, np.int64)
    spread = hashes >> np.uint32(16)
    spread ^= hashes
    del hashes
    growth = _growth(spread, called_again)

    # Sorted by bin, then by place: the newest comes first, unless the bin was a tree.
    place_of = np.arange(count - 1, -1, -1, dtype=np.uint32)
    key_of = place_of
    crowded = _crowded(spread, growth)
    if len(crowded):
        key_of = place_of.copy()
        for keys_of_bin in _simulated(spread, crowded, rank(crowded), growth):
            places = count - 1 - np.sort(keys_of_bin)[::-1]
            place_of[keys_of_bin] = places
            key_of[places] = keys_of_bin
    bits = np.uint64(count.bit_length())
    order = (spread if among is None else spread[among]).astype(np.uint64)
    del spread
    order &= np.uint64(growth[-1][0] - 1)
    order <<= bits
    order |= place_of if among is None else place_of[among]
    del place_of
    order.sort()
    order &= (np.uint64(1) << bits) - np.uint64(1)
    positions = order.view(np.int64)
    positions[:] = key_of[positions]
    return positions


_Growth = list[tuple[int, int]]
"""The sizes of a map's table, and the number of keys in the map when it got this size."""


def _growth(spread: Hashes, called_again: bool) -> _Growth:
    """Return how the table grows; one of less than 64 bins also grows when a bin gets 8 keys."""
    count = len(spread)
    first = [int(value) for value in spread[:_MIN_TREE_TABLE]]
    growth = [(_INITIAL_TABLE, 0)]
    table = _INITIAL_TABLE
    for key, value in enumerate(first):
        if key > table * 3 // 4:
            table *= 2
            growth.append((table, key))
        if table < _MIN_TREE_TABLE:
            same = sum((other ^ value) & (table - 1) == 0 for other in first[: key + 1])
            if same >= _TREEIFY:
                table *= 2
                growth.append((table, key + 1))
    while count > table * 3 // 4 + 1 or (called_again and count > table * 3 // 4):
        growth.append((2 * table, table * 3 // 4 + 1))
        table *= 2
    return growth


def _crowded(spread: Hashes, growth: _Growth) -> Indices:
    """Return the indexes of keys that were ever in a bin of 8 or more that could be a tree."""
    crowded = np.zeros(len(spread), np.bool_)
    ends = [keys for _, keys in growth[1:]] + [len(spread)]
    for (table, _), end in zip(growth, ends, strict=True):
        if table < _MIN_TREE_TABLE:
            continue
        mask = np.uint32(table - 1)
        bins = spread[:end] & mask
        bins.sort()
        heavy = bins[_TREEIFY - 1 :][bins[_TREEIFY - 1 :] == bins[: 1 - _TREEIFY]]
        if len(heavy):
            is_heavy = np.zeros(table, np.bool_)
            is_heavy[heavy] = True
            crowded |= is_heavy[spread & mask]
    return np.flatnonzero(crowded)


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
        for i, (known, _) in enumerate(bin_):
            if known == key:
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
        for known, value in bin_:
            if known == key:
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


# -- bins that are trees ---------------------------------------------------------------------------


@dataclass(eq=False)
class _Node:
    """A key in a bin; in a tree, those with a lower `place` are to the left."""

    key: int
    hash: int
    place: int
    is_red: bool = True
    children: "list[_Node | None]" = field(default_factory=lambda: [None, None])


@dataclass(eq=False)
class _Bin:
    """A bin of a `HashMap`: its keys in the order of iteration, and its tree if it is one."""

    nodes: list[_Node] = field(default_factory=list)
    root: _Node | None = None

    def put(self, node: _Node, *, may_be_tree: bool) -> None:
        """Put a new key: `HashMap.computeIfAbsent`."""
        if self.root is not None:
            parent = self._insert(node)
            self.nodes.insert(self.nodes.index(parent) + 1, node)
            self._move_root_to_front()
            return
        self.nodes.insert(0, node)
        if may_be_tree and len(self.nodes) >= _TREEIFY:
            self.treeify()

    def treeify(self) -> None:
        """Make the bin a tree: `TreeNode.treeify`."""
        self.root = None
        for node in self.nodes:
            node.is_red, node.children = True, [None, None]
            self._insert(node)
        self._move_root_to_front()

    def _insert(self, new: _Node) -> _Node:
        """Insert a leaf into the tree, and return its parent."""
        parent = new

        def inserted(node: _Node | None) -> _Node:
            nonlocal parent
            if node is None:
                return new
            side = new.place > node.place
            if node.children[side] is None:
                parent = node
            node.children[side] = inserted(node.children[side])
            return _balanced(node, side)

        self.root = inserted(self.root)
        self.root.is_red = False
        return parent

    def _move_root_to_front(self) -> None:
        assert self.root is not None
        self.nodes.remove(self.root)
        self.nodes.insert(0, self.root)


def _balanced(node: _Node, side: bool) -> _Node:
    """Return the root of a subtree with no red child of a red node: `balanceInsertion`."""
    child, sibling = node.children[side], node.children[not side]
    assert child is not None
    inner, outer = child.children[not side], child.children[side]
    is_inner_red = inner is not None and inner.is_red
    if not child.is_red or not (is_inner_red or (outer is not None and outer.is_red)):
        return node
    if sibling is not None and sibling.is_red:
        child.is_red = sibling.is_red = False
        node.is_red = True
        return node
    if is_inner_red:
        node.children[side] = child = _rotated(child, side)
    child.is_red, node.is_red = False, True
    return _rotated(node, not side)


def _rotated(node: _Node, side: bool) -> _Node:
    """Move a node down to this side, and return the child that takes its place."""
    child = node.children[not side]
    assert child is not None
    node.children[not side], child.children[side] = child.children[side], node
    return child


def _simulated(
    spread: Hashes, keys: Indices, ranks: Indices, growth: _Growth
) -> Iterator[list[int]]:
    """Put keys into a map whose table grows like this, and yield the order of each bin's keys.

    `ranks` order the keys as `compareTo` does.
    """
    # A tree is ordered by hash code, a signed int, then by compareTo.
    places = np.empty(len(keys), np.int64)
    places[np.lexsort((ranks, spread[keys].view(np.int32)))] = np.arange(len(keys))
    hashes = spread[keys].tolist()
    nodes = [_Node(*item) for item in zip(keys.tolist(), hashes, places.tolist(), strict=True)]
    bins: dict[int, _Bin] = {}
    first = 0
    ends = [key for _, key in growth[1:]] + [len(spread)]
    for (table, _), end in zip(growth, ends, strict=True):
        bins = _split(bins, table // 2)
        last = int(np.searchsorted(keys, end))
        for node in nodes[first:last]:
            bin_ = bins.setdefault(node.hash & (table - 1), _Bin())
            bin_.put(node, may_be_tree=table >= _MIN_TREE_TABLE)
        first = last
    for bin_ in bins.values():
        yield [node.key for node in bin_.nodes]


def _split(bins: dict[int, _Bin], bit: int) -> dict[int, _Bin]:
    """Split each bin by a bit of the hash codes: `HashMap.resize`."""
    result = {}
    for index, bin_ in bins.items():
        parts = {
            to: [node for node in bin_.nodes if bool(node.hash & bit) == is_upper]
            for to, is_upper in ((index, False), (index + bit, True))
        }
        for to, part in parts.items():
            if len(part) == len(bin_.nodes) and len(part) > _UNTREEIFY:
                result[to] = bin_
            elif part:
                result[to] = _Bin(part)
                if bin_.root is not None and len(part) > _UNTREEIFY:
                    result[to].treeify()
    return result
