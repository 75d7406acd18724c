"""Draws objects of the specs for Hypothesis, field by field, as their types describe them.

An object is drawn in the order in which a reader reads it: what is drawn so far decides which
fields follow, and how many. What a writer computes (constants, counts, lengths, offsets, checksums)
is left unset. If other fields depend on such a number, a small one is drawn for it, and they follow
it, so that the writer computes the same.
"""

from __future__ import annotations

import importlib
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st

from .errors import FormatError
from .fields import WRONG, Bytes, Field, Node, Number, Numbers, Object, Objects, Type
from .objects import to_bytes
from .streams import Unresolved

SMALL = 3
"""Elements of a repeat, at most; and the greatest drawn number that a size depends on."""
LARGE = 16
"""Bytes of a string, at most; and values of a parameter that a size depends on."""
LONGEST = 1024
"""Bytes that fields with a part of the length each may ask for, and numbers of a repeat."""
MANY = 64
"""Elements above which a repeat of numbers is a few that come again and again."""
ROOM = 40
"""Objects after which an object gets the least of everything."""

UNKNOWN = (Unresolved, FormatError, *WRONG)
"""Raised by an expression over what is not drawn yet."""


@dataclass(frozen=True)
class Rule:
    """What is known of a field besides its kind.

    Attributes:
        least, most, equal, any_of: Compute the values that are valid.
        examples: Values to draw now and then.
        small: A size depends on the number.
        inner: Numbers of the object that a size depends on, as paths in it.
        max_size: Bytes at most.
        ascending: The field by which the elements of a repeat ascend; "" for numbers.
        after: Computes the least value of that field in the next element.
        role: What the number is for: count, length, offset, checksum, constant, or none.
        computed: A writer computes the field in any case.
        decides: What else there is depends on the field, although a writer computes it.
        source: The field from which a writer computes the number, if that is set.
        places: The instance that is at the offset.
        overlay: The instance shows bytes that other fields have.
        needs_parent: The instance exists in an object of the outermost type only.
        to_end: The field exists unless the stream ends before it.
    """

    least: Callable[[Any], int] | None = None
    most: Callable[[Any], int] | None = None
    equal: Callable[[Any], int] | None = None
    any_of: Callable[[Any], tuple[int, ...]] | None = None
    examples: tuple[int, ...] = ()
    small: bool = False
    inner: tuple[str, ...] = ()
    max_size: int = LARGE
    ascending: str | None = None
    after: Callable[[Any], int] | None = None
    role: str = ""
    computed: bool = False
    decides: bool = False
    source: str = ""
    places: str = ""
    overlay: bool = False
    needs_parent: bool = False
    to_end: bool = False


PLAIN = Rule()


@dataclass(frozen=True)
class Drawing:
    """How a type is drawn: the values of its parameters, and rules for its fields."""

    type: Type
    params: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _DRAWINGS[self.type] = self

    def rule(self, name: str) -> Rule:
        """Return what is known of a field."""
        return self.rules.get(name, PLAIN)


_DRAWINGS: dict[Type, Drawing] = {}


def drawing_of(type_: Type) -> Drawing:
    """Return how a type is drawn."""
    if type_ not in _DRAWINGS:
        importlib.import_module(f"{type_.package}.strategies.{type_.spec}")
    return _DRAWINGS[type_]


Draw = Callable[[st.SearchStrategy[Any]], Any]
Using = Mapping[str, st.SearchStrategy[Any]]
Bounds = Mapping[str, tuple[int, int]]


class _Unread:
    """The stream of what is drawn: no position in it is known yet."""

    is_read = True

    def __getattr__(self, name: str) -> Any:
        raise Unresolved(None, f"_io.{name}", "is not known yet")


def draw_object(
    draw: Draw, type_: Type, params: Mapping[str, Any], using: Using, room: int = ROOM
) -> Any:
    """Draw a Kaitai object of a type; parameters that are not given are drawn, too."""
    return _Drawer(draw, using, room).root(drawing_of(type_), params)


class _Drawer:
    """Draws one object with all that is in it."""

    def __init__(self, draw: Draw, using: Using, room: int) -> None:
        self.draw, self.using, self.room = draw, using, room

    def root(self, drawing: Drawing, params: Mapping[str, Any]) -> Any:
        type_ = drawing.type
        node = type_.node(_Unread())
        node.__dict__.update(params)
        for name, values in drawing.params.items():
            if name not in params:
                node.__dict__[name] = self._one_of(values, partial(self._fits, node, name))
        given = {name: node.__dict__[name] for name in drawing.params}
        return self._object(drawing, node, given, frozenset(), {})

    def _object(
        self, drawing: Drawing, node: Node, given: dict[str, Any], small: frozenset[str],
        bounds: Bounds,
    ) -> Any:  # fmt: skip
        """Draw the fields of an object, whose parameters the node has."""
        type_ = drawing.type
        self.room -= 1
        for one in type_.seq:
            if self._is_there(drawing.rule(one.name), node, one):
                self._field(drawing, node, one, given, small, bounds)
        for one in type_.placed:
            rule = drawing.rule(one.name)
            if self._is_placed(rule, node, one):
                given[one.name] = self._placed(rule, node, one, small)
        for name, rule in drawing.rules.items():
            if rule.computed or (rule.source and given.get(rule.source) is not None):
                given.pop(name, None)
        return type_.new(dict.fromkeys((*type_.params, *type_.fields)) | given)

    def _placed(self, rule: Rule, node: Node, one: Field, small: frozenset[str]) -> Any:
        """Draw an instance; a format of its own that places others is written at once.

        Else a writer would put the next instance where parts of this one have to go.
        """
        if not (isinstance(one, Object) and one.target.placed and _is_format(one.target)):
            return self._value(rule, node, one, small)
        params = {name: argument(node, 0) for name, argument in one.args.items()}
        return to_bytes(self.root(drawing_of(one.target), params))

    # -- What there is

    @property
    def is_full(self) -> bool:
        """Whether the rest gets the least of everything, so that nothing nests without end."""
        return self.room <= 0

    def _chance(self) -> bool:
        return not self.is_full and bool(self.draw(_BOOLEANS))

    def _is_there(self, rule: Rule, node: Node, one: Field) -> bool:
        if not rule.to_end:
            return one.when is None or bool(one.when(node))
        if one.size is None:
            return self._chance()
        return (_known(one.size, node) or 0) > 0

    def _is_placed(self, rule: Rule, node: Node, one: Field) -> bool:
        if rule.overlay or (rule.needs_parent and not self._is_inside(node)):
            return False
        return one.when is None or bool(one.when(node))

    @staticmethod
    def _is_inside(node: Node) -> bool:
        """Return whether an object is in one of the outermost type, which has all of a file."""
        while node._parent is not None:
            node = node._parent
        return _is_format(node._type)

    # -- Numbers

    def _number(
        self, drawing: Drawing, node: Node, one: Number, is_small: bool, bounds: Bounds
    ) -> int | float | None:
        """Draw a number; None for the offset of an instance that always exists."""
        rule = drawing.rule(one.name)
        place = node._type.fields.get(rule.places)
        needs_parent = place is not None and drawing.rule(place.name).needs_parent
        if place is None or (needs_parent and not self._is_inside(node)):
            return self._plain(rule, node, one, is_small, bounds)
        if place.when is None:
            return None
        if (there := _known(place.when, node)) is not None:
            return None if there else self._plain(rule, node, one, is_small, bounds)
        if self._chance():
            node.__dict__[one.name] = 0  # any offset for which the instance exists
            if place.when(node):
                return 0
        return self._plain(rule, node, one, is_small, {one.name: (-(2**63), -1)}, place.when)

    def _plain(
        self, rule: Rule, node: Node, one: Number, is_small: bool, bounds: Bounds,
        absent: Callable[[Node], Any] | None = None,
    ) -> int | float:  # fmt: skip
        """Draw a number that is valid, and for which an instance is `absent`."""
        kind = one.kind
        if kind.is_float:
            return float(self.draw(st.floats(width=8 * kind.size)))  # type: ignore[arg-type]

        def fit(value: int) -> bool:
            return self._fits(node, one.name, value) and not (absent and absent(node))

        if rule.any_of is not None:
            return int(self._one_of(rule.any_of(node), fit))
        least, most = limits_of(kind.name)
        least = max(least, _known(rule.least, node) or least, bounds.get(one.name, (least,))[0])
        top = _known(rule.most, node)
        most = min(most, most if top is None else top, bounds.get(one.name, (0, most))[1])
        if rule.least is not None and (bottom := _known(rule.least, node)) is not None:
            least = max(least, bottom)
        if kind.size == 1 and (one.valid is not None or rule.small):
            least, most = limits_of(kind.name)  # what is valid may depend on the number itself
            return int(self._one_of(range(least, most + 1), fit))
        if is_small:
            least = max(least, min(0, most))
            most = min(most, least + SMALL)
        assume(least <= most)
        if self.is_full:
            value = least if least >= 0 or most < 0 else 0
        elif rule.examples:
            often = self.draw(st.integers(0, 9)) < 9
            value = self.draw(st.integers(least, most) if often else st.sampled_from(rule.examples))
        else:
            is_count = is_small and (least, most) == (0, SMALL)
            value = self.draw(_COUNTS if is_count else st.integers(least, most))
        assume(fit(value))
        return int(value)

    def _one_of(self, values: Sequence[Any], fit: Callable[[Any], bool]) -> Any:
        """Draw one of some values that fits: the next one that does."""
        start = 0 if self.is_full else self.draw(st.integers(0, len(values) - 1))
        for i in range(len(values)):
            if fit(value := values[(start + i) % len(values)]):
                return value
        return reject()  # nothing is valid after what was drawn before

    def _fits(self, node: Node, name: str, value: Any) -> bool:
        """Return whether a number is valid, and no size is negative or large with it."""
        node.__dict__[name] = value
        type_ = node._type
        one = type_.fields.get(name)
        if one is not None and one.valid is not None:
            valid = one.valid
            if _known(lambda s: valid(s, value), node) is False:
                return False
        for other in type_.fields.values():
            size = other.count or (other.size if isinstance(other, Bytes) else None)
            if size is None or (other.when is not None and _known(other.when, node) is False):
                continue
            found = _known(size, node)
            most = SMALL + 1 if isinstance(other, Objects) else LONGEST
            if found is not None and not 0 <= found <= most:
                return False
        return True

    # -- Fields

    def _field(
        self, drawing: Drawing, node: Node, one: Field, given: dict[str, Any],
        small: frozenset[str], bounds: Bounds,
    ) -> None:  # fmt: skip
        """Draw a field of `seq`; what depends on it sees it in the node."""
        rule = drawing.rule(one.name)
        if rule.equal is not None:
            if (value := _known(rule.equal, node)) is not None:
                node.__dict__[one.name] = value
        elif isinstance(one, Number):
            if rule.computed and not (rule.decides or rule.places):
                return
            is_small = rule.small or one.name in small
            found = self._number(drawing, node, one, is_small, bounds)
            node.__dict__.pop(one.name, None)
            if found is not None:
                node.__dict__[one.name] = given[one.name] = found
        elif not rule.computed:
            value = self._value(rule, node, one, small)
            if value is not None:
                given[one.name] = value

    def _value(self, rule: Rule, node: Node, one: Field, small: frozenset[str]) -> Any:
        """Draw bytes, numbers, an object or objects."""
        if isinstance(one, Bytes):
            value: Any = self._bytes(rule, node, one)
        elif isinstance(one, Numbers):
            value = self._numbers(rule, node, one)
        else:
            assert isinstance(one, Object | Objects)
            if isinstance(one, Object) and not one.target.fields:
                one.mark(node, node._io, one.target)
                node.__dict__[one.name] = one.target.node(node._io, node, one)
                return None
            within = f"{one.name}."
            inner = frozenset(rule.inner) | {
                path.removeprefix(within) for path in small if path.startswith(within)
            }
            if isinstance(one, Object):
                return self._child(node, one, 0, inner, {})
            return self._children(rule, node, one, inner)
        node.__dict__[one.name] = value
        return value

    def _bytes(self, rule: Rule, node: Node, one: Bytes) -> bytes:
        size = None if one.size is None else _known(one.size, node)
        if size is None:
            least = int(rule.to_end or "integer" in (one.encoding or ""))
            size = least if self.is_full else self.draw(st.integers(least, rule.max_size))
        few = min(size, LARGE)
        found = self.draw(st.binary(min_size=few, max_size=few)) if few > 0 else b""
        if one.encoding in ("utf-8", "modified-utf-8") and not self._chance():
            found = bytes(byte & 63 | 64 for byte in found)  # letters; else it may be malformed
        return bytes((found * (size // few + 1))[:size]) if few > 0 else b""

    def _numbers(self, rule: Rule, node: Node, one: Numbers) -> list[Any]:
        count = self._count(node, one, LARGE // 2)
        few = min(count, MANY)
        if one.kind.is_float:
            numbers: Any = st.floats(width=8 * one.kind.size)  # type: ignore[arg-type]
        else:
            least, most = limits_of(one.kind.name)
            least = max(least, _known(rule.least, node) or least)
            top = _known(rule.most, node)
            numbers = st.integers(least, most if top is None else min(most, top))
        is_unique = rule.ascending is not None
        several = st.lists(numbers, min_size=few, max_size=few, unique=is_unique)
        found = self.draw(several) if few else []
        if is_unique:
            return sorted(found)
        return (found * (count // few + 1))[:count] if few else []

    def _count(self, node: Node, one: Field, most: int) -> int:
        count = None if one.count is None else _known(one.count, node)
        if count is None:
            return 0 if self.is_full else int(self.draw(st.integers(0, most)))
        return max(int(count), 0)

    # -- Objects

    def _child(
        self, node: Node, one: Object | Objects, index: int, small: frozenset[str], bounds: Bounds
    ) -> Any:
        """Draw an object in another one; it takes the place that a repeat has for it."""
        type_ = one.target
        child = type_.node(node._io, node, one, index)
        if isinstance(one, Object):
            node.__dict__[one.name] = child
        else:
            node.__dict__[one.name] = [*node.__dict__.get(one.name, ())[:index], child]
        if type_.name in self.using:
            return self.draw(self.using[type_.name])
        return self._object(drawing_of(type_), child, {}, small, bounds)

    def _children(self, rule: Rule, node: Node, one: Objects, small: frozenset[str]) -> list[Any]:
        node.__dict__[one.name] = []
        found: list[Any] = []
        if one.until is not None:
            while not found or not one.until(node, node.__dict__[one.name][-1]):
                if len(found) > SMALL:
                    self.room = 0
                if len(found) > SMALL + MANY:
                    raise FormatError(f"{one.name}: no element ends the repeat")
                found.append(self._child(node, one, len(found), small, {}))
            return found
        count = self._count(node, one, SMALL)
        if rule.after is not None:
            assert rule.ascending is not None
            return self._stepping(rule, node, one, count, small)
        found = [self._child(node, one, i, small, {}) for i in range(count)]
        if rule.ascending is not None:
            by_key = {order_of(getattr(child, rule.ascending)): child for child in found}
            found = [by_key[key] for key in sorted(by_key)]
            if len(found) < count:  # a number that counts them would be another
                assume(node._type.fields[one.name].count is None or not self._is_fixed(node, one))
        return found

    def _stepping(
        self, rule: Rule, node: Node, one: Objects, count: int, small: frozenset[str]
    ) -> list[Any]:
        """Draw elements of which each begins after the one before it."""
        assert rule.after is not None and rule.ascending is not None
        key = one.target.fields[rule.ascending]
        assert isinstance(key, Number)
        keys = drawing_of(one.target).rule(rule.ascending)
        least, most = limits_of(key.kind.name)
        least = max(least, _known(keys.least, node) or least)
        top = _known(keys.most, node)
        most = most if top is None else min(most, top)
        found: list[Any] = []
        for i in range(count):
            room, last = self.room, most - 2 * (count - 1 - i)  # keys for those after it
            found.append(self._child(node, one, i, small, {key.name: (least, last)}))
            after = int(rule.after(node.__dict__[one.name][-1]))
            if after > last + 2:  # no room is left: the least there is, instead
                self.room = 0
                found[-1] = self._child(node, one, i, small, {key.name: (least, last)})
                after, self.room = int(rule.after(node.__dict__[one.name][-1])), room - 1
            least = after
        return found

    def _is_fixed(self, node: Node, one: Objects) -> bool:
        """Return whether elements cannot be left out, because no writer counts them."""
        return node._parent is None and not any(
            rule.source == one.name for rule in drawing_of(node._type).rules.values()
        )


_BOOLEANS = st.booleans()
_COUNTS = st.sampled_from((1, 2, SMALL) * 3 + (0,) + (1, 2, SMALL) * 3)  # seldom none


def _is_format(type_: Type) -> bool:
    """Return whether a type is the outermost one of its spec."""
    return bool(type_.name == type_.spec)


def _known(expression: Callable[[Any], Any] | None, node: Node) -> Any:
    """Return what an expression is; None if that is not known yet."""
    if expression is None:
        return None
    try:
        return expression(node)
    except UNKNOWN:
        return None


def limits_of(kind: str) -> tuple[int, int]:
    """Return the least and the greatest number of a kind, such as u1 or s4."""
    bits = 8 * int(kind[1])
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def order_of(value: Any) -> Any:
    """Return what sorts values as the formats do, that of objects by their only value."""
    if hasattr(value, "__dict__"):
        set_ones = [one for name, one in vars(value).items() if name[0] != "_" and one is not None]
        return order_of(set_ones[-1])
    if isinstance(value, float):  # like Float.compare: -0.0 before 0.0, NaN last
        (bits,) = struct.unpack(">q", struct.pack(">d", value))
        return math.inf if math.isnan(value) else bits if bits >= 0 else -(bits & (1 << 63) - 1) - 1
    return value
