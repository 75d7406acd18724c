"""The order in which a Java `HashMap` keeps its entries."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

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
    history = _grow(spread, called_again)

    # Sorted by bin, then by place: the newest comes first, unless the bin was a tree.
    place_of = np.arange(count - 1, -1, -1, dtype=np.uint32)
    key_of = place_of
    crowded = _crowded(spread, history)
    if len(crowded):
        key_of = place_of.copy()
        for keys_of_bin in _play(spread, crowded, rank(crowded), history):
            places = count - 1 - np.sort(keys_of_bin)[::-1]
            place_of[keys_of_bin] = places
            key_of[places] = keys_of_bin
    bits = np.uint64(count.bit_length())
    order = (spread if among is None else spread[among]).astype(np.uint64)
    del spread
    order &= np.uint64(history.table - 1)
    order <<= bits
    order |= place_of if among is None else place_of[among]
    del place_of
    order.sort()
    order &= (np.uint64(1) << bits) - np.uint64(1)
    positions = order.view(np.int64)
    positions[:] = key_of[positions]
    return positions


@dataclass(frozen=True)
class _History:
    """How the table of a map grew: its final size, and when it had the size 64.

    `keys_at_64`: keys in the map when its table became one of 64 bins, the least of which bins may
    become trees; None if it never did.
    """

    table: int
    keys_at_64: int | None

    def levels(self, count: int) -> Iterable[tuple[int, int]]:
        """Yield from size 64 on: the table's size, and its keys when it grew or was finished."""
        table = _MIN_TREE_TABLE
        while table <= self.table:
            yield table, count if table == self.table else table * 3 // 4 + 1
            table *= 2


def _grow(spread: Hashes, called_again: bool) -> _History:
    """Put the first keys one by one: a bin of 8 makes a table of less than 64 bins grow early."""
    count = len(spread)
    table = _INITIAL_TABLE
    first = [int(value) for value in spread[:_MIN_TREE_TABLE]]
    keys_at_64 = None
    for key, value in enumerate(first):
        if key > table * 3 // 4:
            table *= 2
        if table < _MIN_TREE_TABLE:
            same = sum((other ^ value) & (table - 1) == 0 for other in first[: key + 1])
            if same >= _TREEIFY:
                table *= 2
                key += 1
        if table == _MIN_TREE_TABLE:
            keys_at_64 = key
            break
    while count > table * 3 // 4 + 1 or (called_again and count > table * 3 // 4):
        table *= 2
    if table == _MIN_TREE_TABLE and keys_at_64 is None:
        keys_at_64 = count
    return _History(table, keys_at_64)


def _crowded(spread: Hashes, history: _History) -> Indices:
    """Return the positions of keys that were ever in a bin of 8 or more that could be a tree."""
    found = np.zeros(len(spread), np.bool_)
    most = _TREEIFY  # keys in a bin
    for table, count in reversed(list(history.levels(len(spread)))):
        most *= 2  # those of two bins of the next table, which had them all and more
        if most < _TREEIFY:
            continue
        mask = np.uint32(table - 1)
        bins = spread[:count] & mask
        bins.sort()
        heavy = bins[_TREEIFY - 1 :][_runs(bins, _TREEIFY)]
        most = next((n for n in (1, 2, 3) if not _runs(bins, n + 1).any()), _TREEIFY)
        del bins
        if len(heavy):
            is_heavy = np.zeros(table, np.bool_)
            is_heavy[heavy] = True
            found |= is_heavy[spread & mask]
    return np.flatnonzero(found)


def _runs(ascending: Hashes, length: int) -> NDArray[np.bool_]:
    """Return for each from the one at `length - 1` on whether a run of `length` ends there."""
    before = ascending[: max(len(ascending) - length + 1, 0)]
    return np.equal(ascending[length - 1 :], before)


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


def _play(spread: Hashes, keys: Indices, ranks: Indices, history: _History) -> Iterable[list[int]]:
    """Put keys into a map whose table grows by `history`, and return each bin's keys in order.

    `ranks` order the keys as `compareTo` does.
    """
    # A tree is ordered by hash code, a signed int, then by compareTo.
    ascending = np.empty(len(keys), np.int64)
    ascending[np.lexsort((ranks, spread[keys].view(np.int32)))] = np.arange(len(keys))
    assert history.keys_at_64 is not None
    table = _MIN_TREE_TABLE
    bins: dict[int, _Bin] = {}
    for key, place in zip(keys.tolist(), ascending.tolist(), strict=True):
        while key > table * 3 // 4:
            bins = _split(bins, table)
            table *= 2
        node = _Node(key, int(spread[key]), place)
        index = node.hash & (table - 1)
        bin_ = bins.setdefault(index, _Bin())
        if key < history.keys_at_64:
            bin_.nodes.insert(0, node)
        else:
            bin_.put(node)
    while table < history.table:
        bins = _split(bins, table)
        table *= 2
    for bin_ in bins.values():
        yield [node.key for node in bin_.in_order()]


def _split(bins: "dict[int, _Bin]", bit: int) -> "dict[int, _Bin]":
    """Split each bin into two: `HashMap.resize`."""
    result = {}
    for index, bin_ in bins.items():
        parts: tuple[list[_Node], list[_Node]] = ([], [])
        for node in bin_.in_order():
            parts[bool(node.hash & bit)].append(node)
        for part, to in zip(parts, (index, index + bit), strict=True):
            if not part:
                continue
            if bin_.root is None or len(part) <= _UNTREEIFY:
                result[to] = _Bin(part)
            elif len(parts[0]) and len(parts[1]):
                result[to] = _Bin(part)
                result[to].treeify()
            else:
                result[to] = bin_
    return result


class _Node:
    """A key in a bin: `HashMap.TreeNode`. The names of the links are those of the original."""

    __slots__ = ("hash", "key", "left", "next", "parent", "place", "prev", "red", "right")

    def __init__(self, key: int, hash_: int, place: int) -> None:
        self.key = key
        self.hash = hash_
        self.place = place
        self.red = False
        self.parent: _Node | None = None
        self.left: _Node | None = None
        self.right: _Node | None = None
        self.prev: _Node | None = None
        self.next: _Node | None = None


class _Bin:
    """A bin of a `HashMap`: a list of nodes, or a red-black tree whose nodes are also linked."""

    __slots__ = ("first", "nodes", "root")

    def __init__(self, nodes: list[_Node] | None = None) -> None:
        self.nodes = [] if nodes is None else nodes
        self.root: _Node | None = None
        self.first: _Node | None = None

    def in_order(self) -> list[_Node]:
        if self.root is None:
            return self.nodes
        result = []
        node = self.first
        while node is not None:
            result.append(node)
            node = node.next
        return result

    def put(self, new: _Node) -> None:
        """Put a key that is missing into a table of at least 64 bins: `computeIfAbsent`."""
        if self.root is None:
            self.nodes.insert(0, new)
            if len(self.nodes) >= _TREEIFY:
                self.treeify()
            return
        parent = self._hang(new)
        new.next = parent.next
        new.prev = parent
        if parent.next is not None:
            parent.next.prev = new
        parent.next = new
        self.root = _balance(self.root, new)
        self._root_to_front()

    def treeify(self) -> None:
        """Make the bin a tree, whose nodes stay linked in their order: `TreeNode.treeify`."""
        before = None
        for node in self.nodes:
            node.parent = node.left = node.right = node.next = None
            node.prev = before
            node.red = False
            if before is not None:
                before.next = node
            before = node
        self.first = self.nodes[0]
        self.root = self.first
        for node in self.nodes[1:]:
            self._hang(node)
            self.root = _balance(self.root, node)
        self.nodes = []
        self._root_to_front()

    def _hang(self, new: _Node) -> _Node:
        """Hang `new` into the tree as a leaf, and return its parent."""
        node = self.root
        while True:
            assert node is not None
            child = node.left if new.place < node.place else node.right
            if child is None:
                break
            node = child
        new.parent = node
        if new.place < node.place:
            node.left = new
        else:
            node.right = new
        return node

    def _root_to_front(self) -> None:
        """Move the root to the front: `TreeNode.moveRootToFront`."""
        root, first = self.root, self.first
        assert root is not None
        if root is first:
            return
        if root.next is not None:
            root.next.prev = root.prev
        if root.prev is not None:
            root.prev.next = root.next
        if first is not None:
            first.prev = root
        root.next, root.prev = first, None
        self.first = root


def _balance(root: _Node, x: _Node) -> _Node:
    """Make the tree red-black again, and return the new root: `TreeNode.balanceInsertion`."""
    x.red = True
    while True:
        parent = x.parent
        if parent is None:
            x.red = False
            return x
        grandparent = parent.parent
        if not parent.red or grandparent is None:
            return root
        parent_is_left = parent is grandparent.left
        uncle = grandparent.right if parent_is_left else grandparent.left
        if uncle is not None and uncle.red:
            uncle.red = parent.red = False
            grandparent.red = True
            x = grandparent
            continue
        if x is (parent.right if parent_is_left else parent.left):
            x, parent = parent, x
            root = _rotate(root, x, left=parent_is_left)
        parent.red = False
        grandparent.red = True
        root = _rotate(root, grandparent, left=not parent_is_left)


def _rotate(root: _Node, p: _Node, *, left: bool) -> _Node:
    """Rotate around p, and return the new root: `TreeNode.rotateLeft` or `rotateRight`."""
    child = p.right if left else p.left
    assert child is not None
    inner = child.left if left else child.right
    if left:
        p.right, child.left = inner, p
    else:
        p.left, child.right = inner, p
    if inner is not None:
        inner.parent = p
    above = p.parent
    child.parent = above
    p.parent = child
    if above is None:
        child.red = False
        return child
    if above.left is p:
        above.left = child
    else:
        above.right = child
    return root
