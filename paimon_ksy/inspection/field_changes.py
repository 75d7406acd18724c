"""Find the fields that differ between two files, with their places and bytes in both.

Fields are matched by their paths. If lists have different lengths, their elements are matched by
names, such as the key of an entry. So an additional entry is one addition, and does not change all
entries after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from paimon_ksy.inspection.byte_map import HexField
from paimon_ksy.io.source import Source

ROW = 16
"""Bytes of a line of a hex dump: of a long field, these lines are compared."""
MAX_BYTES = 4 * ROW
"""Bytes of a field that a change has."""

_NAMES = ("key", "name", "index_type")
"""Fields that name the element of a list that they are in."""
_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")

Change = Literal["changed", "added", "removed"]


@dataclass(frozen=True)
class FieldSide:
    """A field in one of two files.

    Attributes:
        start: Its first byte in the file.
        end: The byte after its last.
        path: Its path; None of bytes that belong to no field.
        value: Its value, if it can be read.
        at: The byte from which `data` is: where the line starts in which both files first differ.
        data: Up to `MAX_BYTES` bytes of the field.
    """

    start: int
    end: int
    path: str | None
    value: Any
    at: int
    data: bytes


@dataclass(frozen=True)
class FieldChange:
    """A field that differs between the files; `old` or `new` is None if it is missing there."""

    old: FieldSide | None
    new: FieldSide | None

    @property
    def change(self) -> Change:
        """Whether the field was added, dropped or changed."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"


@dataclass(frozen=True)
class Stretch:
    """A stretch of a file, and its fields, without gaps between them."""

    source: Source
    start: int
    end: int
    fields: Sequence[HexField]


def field_changes(old: Stretch, new: Stretch) -> Iterator[FieldChange]:
    """Yield the fields that differ between two stretches, in the order of their places."""
    before, after = _with_fields_of(old, new), _with_fields_of(new, old)
    pairs = sorted(_pairs(_tree(before), _tree(after)), key=_place)
    read_old, read_new = _reader(old), _reader(new)
    for one, other in pairs:
        change = _compared(one, other, read_old, read_new)
        if change is not None:
            yield change


_Pair = tuple[HexField | None, HexField | None]
_Read = Callable[[int, int], bytes]


def _place(pair: _Pair) -> int:
    old, new = pair
    if new is not None:
        return new.start
    return 0 if old is None else old.start


def _reader(of: Stretch) -> _Read:
    """Return a function that reads bytes of a stretch; short stretches are read only once."""
    if of.end - of.start > 1 << 20:
        return lambda start, end: of.source.read(start, end - start)
    data = of.source.read(of.start, of.end - of.start)
    return lambda start, end: data[start - of.start : end - of.start]


# Matching ---------------------------------------------------------------------------------------


def _with_fields_of(mine: Stretch, other: Stretch) -> list[HexField]:
    """Return the fields of a stretch, with those of the other where bytes belong to no field.

    A malformed byte hides the fields after it, and so does the end of a truncated file. Up to
    there, both stretches are alike, so the other one has the hidden fields at the same places.
    """
    found: list[HexField] = []
    shift = mine.start - other.start
    starts = [lent.start + shift for lent in other.fields]
    for each in mine.fields:
        if each.path is not None:
            found.append(each)
            continue
        at = each.start
        if mine.end - mine.start == other.end - other.start or each.end == mine.end:
            for lent in other.fields[bisect_left(starts, at) :]:
                start, end = lent.start + shift, lent.end + shift
                if end > each.end:
                    break
                if lent.path is not None:
                    found += _lines(at, start)
                    found.append(HexField(start, end, lent.path))
                    at = end
        found += _lines(at, each.end)
    return found


def _lines(start: int, end: int) -> Iterator[HexField]:
    """Yield bytes outside all fields, as lines of a hex dump."""
    for at in range(start, end, ROW):
        yield HexField(at, min(at + ROW, end), None)


@dataclass
class _Node:
    """A field, or what has fields: by name, or by number."""

    leaf: HexField | None = None
    children: dict[str, _Node] = field(default_factory=dict)
    places: dict[int, _Node] = field(default_factory=dict)

    def leaves(self) -> Iterator[HexField]:
        """Yield all fields."""
        if self.leaf is not None:
            yield self.leaf
        for child in (*self.children.values(), *self.places.values()):
            yield from child.leaves()


def _tree(fields: Sequence[HexField]) -> _Node:
    root = _Node()
    nameless = _Node()
    for number, each in enumerate(fields):
        if each.path is None:
            nameless.places[number] = _Node(each)
            continue
        node = root
        # The part before the first dot may contain the name of a column.
        name, colon, path = each.path.rpartition(": ")
        if colon:
            node = node.children.setdefault(name, _Node())
        for step in _STEP.findall(path):
            if step[0] == "[":
                node = node.places.setdefault(int(step[1:-1]), _Node())
            else:
                node = node.children.setdefault(step, _Node())
        node.leaf = each
    root.children[""] = nameless
    return root


def _pairs(old: _Node | None, new: _Node | None) -> Iterator[_Pair]:
    if old is None or new is None:
        for leaf in () if old is None else old.leaves():
            yield leaf, None
        for leaf in () if new is None else new.leaves():
            yield None, leaf
        return
    if old.leaf is not None or new.leaf is not None:
        yield old.leaf, new.leaf
    for name in {**old.children, **new.children}:
        yield from _pairs(old.children.get(name), new.children.get(name))
    for mine, other in _elements(list(old.places.values()), list(new.places.values())):
        yield from _pairs(mine, other)


def _elements(
    old: Sequence[_Node], new: Sequence[_Node]
) -> Iterator[tuple[_Node | None, _Node | None]]:
    """Yield pairs of matching elements of two lists."""
    if len(old) != len(new):
        names = [_name(each) for each in old], [_name(each) for each in new]
        same = len(set(names[0]) & set(names[1]))
        if 2 * same >= min(map(len, names)):
            yield from _by_name(old, new, *names)
            return
    for number in range(max(len(old), len(new))):
        mine = old[number] if number < len(old) else None
        other = new[number] if number < len(new) else None
        yield mine, other


def _by_name(
    old: Sequence[_Node], new: Sequence[_Node], old_names: Sequence[Any], new_names: Sequence[Any]
) -> Iterator[tuple[_Node | None, _Node | None]]:
    there: dict[Any, deque[_Node]] = defaultdict(deque)
    for name, node in zip(new_names, new, strict=True):
        there[name].append(node)
    for name, node in zip(old_names, old, strict=True):
        yield node, there[name].popleft() if there[name] else None
    for left in there.values():
        for node in left:
            yield None, node


def _name(of: _Node) -> Any:
    """Return the name of an element: its value, or the values of its fields that are names."""
    if of.leaf is not None:
        return repr(of.leaf.value)
    named = [of.children[name] for name in _NAMES if name in of.children]
    return tuple(repr(leaf.value) for node in named for leaf in node.leaves()) or id(of)


# Comparing --------------------------------------------------------------------------------------


def _compared(
    old: HexField | None, new: HexField | None, read_old: _Read, read_new: _Read
) -> FieldChange | None:
    """Return the change of a field; None if its bytes are equal."""
    if old is None or new is None:
        return FieldChange(
            None if old is None else _side(old, old.start, read_old),
            None if new is None else _side(new, new.start, read_new),
        )
    at = _first_difference(old, new, read_old, read_new)
    if at is None:
        return None
    at -= at % ROW
    return FieldChange(_side(old, old.start + at, read_old), _side(new, new.start + at, read_new))


def _side(of: HexField, at: int, read: _Read) -> FieldSide:
    at = min(at, max(of.start, of.end - 1))
    data = read(at, min(at + MAX_BYTES, of.end))
    return FieldSide(of.start, of.end, of.path, of.value, at, data)


_AT_ONCE = 1 << 20  # bytes of a field to compare at once


def _first_difference(old: HexField, new: HexField, read_old: _Read, read_new: _Read) -> int | None:
    """Return the first byte, counted from the start of the field, that is not the same."""
    sizes = old.end - old.start, new.end - new.start
    for at in range(0, min(sizes), _AT_ONCE):
        size = min(_AT_ONCE, min(sizes) - at)
        one = read_old(old.start + at, old.start + at + size)
        other = read_new(new.start + at, new.start + at + size)
        if one != other:
            return at + next(i for i in range(size) if one[i] != other[i])
    return min(sizes) if sizes[0] != sizes[1] else None
