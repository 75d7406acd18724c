"""Find the fields that differ between two files, with their places and bytes in both.

Fields are matched by their paths. If lists have different lengths, their elements are matched by
names, such as the key of an entry. So an additional entry is one addition, and does not change all
entries after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

from paimon_ksy.inspection.byte_map import HexField
from paimon_ksy.messages.answers import Answer

ROW = 16
"""Bytes of a line of a hex dump: of a long field, these lines are compared."""
MAX_BYTES = 4 * ROW
"""Bytes of a field that a change has."""

_NAMES = ("key", "name", "index_type")
"""Fields that name the element of a list that they are in."""
_STEP = re.compile(r"[^.\[\]]+|\[\d+\]")

Change = Literal["changed", "added", "removed"]


@dataclass(frozen=True)
class FieldSide(Answer):
    """A field in one of two files.

    Attributes:
        start: Its first byte in the file.
        end: The byte after its last.
        path: Its path; None of bytes that belong to no field.
        value: Its value, if it can be read.
        at: The byte from which `data` is: where the line starts in which both files first differ.
        data: Up to `MAX_BYTES` bytes of the field.
    """

    KEYS = ("field=path", "byte=start", "bytes=size", "value=plain", "hex_byte=at", "hex=data")
    start: int
    end: int
    path: str | None
    value: Any
    at: int
    data: bytes

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return self.end - self.start

    @property
    def plain(self) -> Any:
        """Its value for JSON: a number or a text; None of bytes, which are in `data`."""
        if isinstance(self.value, bytes):
            return None
        return self.value if isinstance(self.value, int | None) else str(self.value)


@dataclass(frozen=True)
class FieldChange(Answer):
    """A field that differs between the files; `old` or `new` is None if it is missing there."""

    KEYS = ("change", "old", "new")
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
    """The bytes of a file from `start` on, and their fields, without gaps between them."""

    data: bytes
    start: int
    fields: Sequence[HexField]

    def of(self, field: HexField) -> bytes:
        """Return the bytes of a field."""
        return self.data[field.start - self.start : field.end - self.start]

    def side(self, field: HexField | None, at: int = 0) -> FieldSide | None:
        """Return a field, with its bytes from the line on that contains byte `at` of it."""
        if field is None:
            return None
        at = min(at, max(field.end - field.start - 1, 0))
        at -= at % ROW
        data = self.of(field)[at : at + MAX_BYTES]
        return FieldSide(field.start, field.end, field.path, field.value, field.start + at, data)


def field_changes(old: Stretch, new: Stretch) -> Iterator[FieldChange]:
    """Yield the fields that differ between two stretches, in the order of their places."""
    before, after = _with_fields_of(old, new), _with_fields_of(new, old)
    for one, other in sorted(_pairs(_tree(before), _tree(after)), key=_place):
        at = 0
        if one is not None and other is not None:
            mine, theirs = old.of(one), new.of(other)
            if mine == theirs:
                continue
            pairs = enumerate(zip(mine, theirs, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
        yield FieldChange(old.side(one, at), new.side(other, at))


_Pair = tuple[HexField | None, HexField | None]


def _place(pair: _Pair) -> int:
    old, new = pair
    if new is not None:
        return new.start
    return 0 if old is None else old.start


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
        if len(mine.data) == len(other.data) or each.end == mine.start + len(mine.data):
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


_Node = dict[Any, Any]
"""What has fields: nodes by name or by number in a list, and the field itself by None."""


def _tree(fields: Sequence[HexField]) -> _Node:
    root: _Node = {}
    for number, each in enumerate(fields):
        node = root
        for step in _steps(each.path, number):
            node = node.setdefault(step, {})
        node[None] = each
    return root


def _steps(path: str | None, number: int) -> list[str | int]:
    """Return the steps of a path; those of bytes outside all fields are numbered."""
    if path is None:
        return ["", number]
    # The part before the first dot may contain the name of a column.
    name, colon, rest = path.rpartition(": ")
    steps = (int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(rest))
    return [*([name] if colon else []), *steps]


def _leaves(node: _Node) -> Iterator[HexField]:
    for key, child in node.items():
        if key is None:
            yield child
        else:
            yield from _leaves(child)


def _pairs(old: _Node, new: _Node) -> Iterator[_Pair]:
    if not old or not new:
        yield from ((leaf, None) for leaf in _leaves(old))
        yield from ((None, leaf) for leaf in _leaves(new))
        return
    if None in old or None in new:
        yield old.get(None), new.get(None)
    for name in {**old, **new}:
        if isinstance(name, str):
            yield from _pairs(old.get(name, {}), new.get(name, {}))
    lists = ([node[key] for key in node if isinstance(key, int)] for node in (old, new))
    for one, other in _elements(*lists):
        yield from _pairs(one, other)


def _elements(old: Sequence[_Node], new: Sequence[_Node]) -> Iterator[tuple[_Node, _Node]]:
    """Yield pairs of matching elements of two lists; {} for a missing one."""
    names = [_name(each) for each in old], [_name(each) for each in new]
    same = len(set(names[0]) & set(names[1]))
    if len(old) == len(new) or 2 * same < min(len(old), len(new)):
        yield from zip_longest(old, new, fillvalue={})
        return
    there: dict[Any, deque[_Node]] = defaultdict(deque)
    for name, node in zip(names[1], new, strict=True):
        there[name].append(node)
    for name, node in zip(names[0], old, strict=True):
        yield node, there[name].popleft() if there[name] else {}
    yield from (({}, node) for left in there.values() for node in left)


def _name(of: _Node) -> Any:
    """Return the name of an element: its value, or the values of its fields that are names."""
    if None in of:
        return repr(of[None].value)
    named = [leaf for name in _NAMES for leaf in _leaves(of.get(name, {}))]
    return tuple(repr(leaf.value) for leaf in named) or id(of)
