"""Draws objects of the specs for Hypothesis, field by field, as their types describe them.

An object is drawn in the order in which a reader reads it: what is drawn so far decides which
fields follow, and how many. What a writer computes (constants, counts, lengths, offsets, checksums)
is left unset. If other fields depend on such a number, a small one is drawn for it, and they follow
it, so that the writer computes the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hypothesis import assume, reject
from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError
from ksykit.runtime.fields import Field
from ksykit.runtime.kinds import Bytes, Number, Object, Repeat, Switch
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.solving import Node
from ksykit.runtime.streams import Unresolved
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import WRONG, Type, type_of

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
MOST_BYTES = 1 << 20
"""Bytes of fields and numbers of an object, at most, that are drawn."""


Draw = Callable[[st.SearchStrategy[Any]], Any]
Using = Mapping[str, st.SearchStrategy[Any]]
Bounds = Mapping[str, tuple[int, int]]


class _Unread:
    """The stream of what is drawn: no position in it is known yet."""

    is_read = True
    reading = None

    def __getattr__(self, name: str) -> Any:
        raise Unresolved(None, f"_io.{name}", "is not known yet")


def draw_object(
    draw: Draw, type_: Type, params: Mapping[str, Any], using: Using, room: int = ROOM
) -> Any:
    """Draw a Kaitai object of a type; parameters that are not given are drawn, too."""
    return _Drawer(draw, using, room).root(type_, params)


class _Drawer:
    """Draws one object with all that is in it."""

    def __init__(self, draw: Draw, using: Using, room: int) -> None:
        self.draw, self.using, self.room = draw, using, room
        self.left = MOST_BYTES

    def _take(self, size: int) -> None:
        """Count bytes that are drawn; give up an object with too many."""
        self.left -= size
        assume(self.left >= 0)

    def root(self, type_: Type, params: Mapping[str, Any]) -> Any:
        node = type_.node(_Unread())
        node.__dict__.update(params)
        for name, values in type_.domains.items():
            if name not in params:
                if not values:
                    raise FormatError(f"{type_.name}: pass {name}, which is not drawn")
                node.__dict__[name] = self._one_of(values, partial(self._fits, node, name))
        given = {name: node.__dict__[name] for name in type_.params}
        return self._object(node, given, frozenset(), {})

    def _object(
        self, node: Node, given: dict[str, Any], small: frozenset[str], bounds: Bounds
    ) -> Any:
        """Draw the fields of an object, whose parameters the node has."""
        type_ = node._type
        self.room -= 1
        if any(isinstance(one, Repeat) and one.is_computed for one in type_.seq):
            most = SMALL if small else 2 ** self.draw(st.integers(1, 64)) - 1
            examples = () if node._name is None else node._name.examples
            numbers = st.sampled_from(examples) if examples else st.integers(0, most)
            drawn = {name: self.draw(numbers) for name in type_.given}
            obj = type_.cls(**given | drawn)
            try:
                data = to_bytes(obj)
            except FormatError:  # it is too large
                return reject()
            parsed = type_.read(data, 0, given)
            node.__dict__.update((one.name, getattr(parsed, one.name)) for one in type_.seq)
            return obj
        for one in type_.seq:
            if self._is_there(node, one):
                self._field(node, one, given, small, bounds)
        for one in type_.placed:
            if self._is_placed(node, one):
                given[one.name] = self._placed(node, one, small)
        for name, one in type_.fields.items():
            if self._is_computed(node, one):
                given.pop(name, None)
        for path, measure in type_.measures:
            if given.get(measure.first) is not None:
                _unset(type_, given, path)
        return type_.cls(**given)

    def _placed(self, node: Node, one: Field, small: frozenset[str]) -> Any:
        """Draw an instance; a format of its own that places others is written at once.

        Else a writer would put the next instance where parts of this one have to go.
        """
        if not (isinstance(one, Object) and one.target.placed and _is_format(one.target)):
            return self._value(node, one, small)
        params = {name: argument(node, 0) for name, argument in one.passed}
        return to_bytes(self.root(one.target, params))

    # -- What there is

    @property
    def is_full(self) -> bool:
        """Whether the rest gets the least of everything, so that nothing nests without end."""
        return self.room <= 0

    def _chance(self) -> bool:
        return not self.is_full and bool(self.draw(_BOOLEANS))

    def _is_there(self, node: Node, one: Field) -> bool:
        if not one.to_end:
            return one.when is None or bool(one.when(node))
        if one.size is None:
            return self._chance()
        return (_known(one.size, node) or 0) > 0

    def _is_placed(self, node: Node, one: Field) -> bool:
        if one.is_overlay or (one.needs_parent and not self._is_inside(node)):
            return False
        return one.when is None or bool(one.when(node))

    @staticmethod
    def _is_inside(node: Node) -> bool:
        """Return whether an object is in one of the outermost type, which has all of a file."""
        while node._parent is not None:
            node = node._parent
        return _is_format(node._type)

    @staticmethod
    def _is_computed(node: Node, one: Field) -> bool:
        """Return whether a writer computes a field; an outermost object has none around it."""
        if one.unset is None or node._parent is not None:
            return one.unset is not None
        try:
            one.unset(node)
        except AttributeError:
            return False
        except WRONG:  # it asks for what is not drawn yet
            pass
        return True

    # -- Numbers

    def _number(
        self, node: Node, one: Number, is_small: bool, bounds: Bounds
    ) -> int | float | None:
        """Draw a number; None for the offset of an instance that always exists."""
        place = _place(node._type, one)
        if place is None or (place.needs_parent and not self._is_inside(node)):
            return self._plain(node, one, is_small, bounds)
        if place.when is None:
            return None
        if (there := _known(place.when, node)) is not None:
            return None if there else self._plain(node, one, is_small, bounds)
        if self._chance():
            node.__dict__[one.name] = 0  # any offset for which the instance exists
            if place.when(node):
                return 0
        return self._plain(node, one, is_small, {one.name: (-(2**63), -1)}, place.when)

    def _plain(
        self, node: Node, one: Number, is_small: bool, bounds: Bounds,
        absent: Callable[[Node], Any] | None = None,
    ) -> int | float:  # fmt: skip
        """Draw a number that is valid, and for which an instance is `absent`."""
        kind = one.kind

        def fit(value: int | float) -> bool:
            return self._fits(node, one.name, value) and not (absent and absent(node))

        if kind.is_float:
            real = float(self.draw(self._floats(node, one)))
            assume(fit(real))
            return real

        if one.any_of:
            return int(self._one_of([option(node) for option in one.any_of], fit))
        if (
            one.likely
            and self.draw(st.integers(0, 3))
            and fit(likely := int(self.draw(st.sampled_from(one.likely))))
        ):
            return likely
        if is_small and absent is None and (value := self._measuring(node, one, fit)) is not None:
            return value
        least, most = kind.limits
        least = max(least, _known(one.least, node) or least, bounds.get(one.name, (least,))[0])
        top = _known(one.most, node)
        most = min(most, most if top is None else top, bounds.get(one.name, (0, most))[1])
        if (bottom := _known(one.least, node)) is not None:
            least = max(least, bottom)
        if kind.size == 1 and (one.valid is not None or one.small):
            least, most = kind.limits  # what is valid may depend on the number itself
            return int(self._one_of(range(least, most + 1), fit))
        if is_small:
            least = max(least, min(0, most))
            most = min(most, least + SMALL)
        assume(least <= most)
        if self.is_full:
            value = least if least >= 0 or most < 0 else 0
        elif one.examples:
            often = self.draw(st.integers(0, 9)) < 9
            value = self.draw(st.integers(least, most) if often else st.sampled_from(one.examples))
        else:
            value = self.draw(st.integers(least, most))
        assume(fit(value))
        return bool(value) if one.kind.name == "b1" else int(value)

    def _measuring(self, node: Node, one: Number, fit: Callable[[int], bool]) -> int | None:
        """Draw how much a number counts or measures; None if no number fits that."""
        measured = node._measure(one.name)
        if measured is None or measured[0].function == "position" or self.is_full:
            return None
        measure, owner = measured
        path = measure.path.split(".")
        field = owner._type.fields[path[0]]
        for name in path[1:]:
            field = field.target.fields[name]
        most = LARGE if field.element.max_size is None else field.element.max_size
        several = _FEW if _is_of_more(field) else st.integers(0, most)
        many = self.draw(several)
        value = _known(lambda owner: measure.undone(owner, many), owner)
        least, most = one.kind.limits
        return int(value) if value is not None and least <= value <= most and fit(value) else None

    def _one_of(self, values: Sequence[Any], fit: Callable[[Any], bool]) -> Any:
        """Draw one of some values that fits: the next one that does."""
        start = 0 if self.is_full else self.draw(st.integers(0, len(values) - 1))
        for i in range(len(values)):
            if fit(value := values[(start + i) % len(values)]):
                return value
        return reject()  # nothing is valid after what was drawn before

    def _fits(self, node: Node, name: str, value: Any) -> bool:
        """Return whether a number is valid, and no size is negative or large with it."""
        type_ = node._type
        one = type_.fields.get(name)
        if one is None or not one.is_repeated:
            node.__dict__[name] = value
        valid = None if one is None else one.element.valid
        if valid is not None and _known(lambda s: valid(s, value), node) is False:
            return False
        for other in type_.fields.values():
            size = other.count or (other.size if isinstance(other, Bytes) else None)
            if size is None or (other.when is not None and _known(other.when, node) is False):
                continue
            length = _known(size, node)
            most = SMALL + 1 if _is_of_more(other) else LONGEST
            if length is not None and not 0 <= length <= most:
                return False
        return True

    # -- Fields

    def _field(
        self, node: Node, one: Field, given: dict[str, Any], small: frozenset[str], bounds: Bounds
    ) -> None:
        """Draw a field of `seq`; what depends on it sees it in the node."""
        if one.equal is not None and not one.is_repeated:
            if (value := _known(one.equal, node)) is not None:
                node.__dict__[one.name] = value
        elif isinstance(one, Number):
            if self._is_computed(node, one) and not (one.decides or _place(node._type, one)):
                return
            number = self._number(node, one, one.small or one.name in small, bounds)
            node.__dict__.pop(one.name, None)
            if number is not None:
                node.__dict__[one.name] = given[one.name] = number
        elif one.unset is None:
            value = self._value(node, one, small)
            if value is not None:
                given[one.name] = value

    def _value(self, node: Node, one: Field, small: frozenset[str]) -> Any:
        """Draw bytes, numbers, an object or objects."""
        if isinstance(one, Switch):
            case = _known(one.case, node)
            return None if case is None else self._value(node, case, small)
        if isinstance(one, Repeat):
            return self._elements(node, one, small)
        if isinstance(one, Number):
            value: Any = self._plain(node, one, False, {})
        elif isinstance(one, Bytes):
            value = self._bytes(node, one)
            assume(one.valid is None or one.valid(node, value))
        else:
            assert isinstance(one, Object)
            if not one.takes_bytes():
                one.keep(node, one.target.node(node._io, node, one, self._index(node, one)))
                return one.target.cls() if one.is_element else None
            child = self._child(node, one, small, {})
            return child if one.size is None else self._filling(node, one, child)
        one.keep(node, value)
        return value

    def _bytes(self, node: Node, one: Bytes) -> Any:
        if one.contents is not None:
            return one.contents
        if one.any_of or one.equal is not None:
            options = one.any_of or (one.equal,)
            return self._one_of([option(node) for option in options if option], lambda value: True)
        coding = one.coding
        size = None if one.size is None else _known(one.size, node)
        if size is None or (coding is not None and not coding.process):
            most = LARGE if one.max_size is None else one.max_size
            most = most if size is None else min(most, size)
            least = int(one.to_end or "integer" in (one.encoding or ""))
            size = least if self.is_full else self.draw(st.integers(min(least, most), most))
        self._take(size)
        limits = [_known(limit, node) for limit in (one.least, one.most) if limit is not None]
        if [isinstance(limit, bytes) and len(limit) for limit in limits] == [size, size]:
            number = self.draw(st.integers(*(int.from_bytes(limit) for limit in limits)))
            return number.to_bytes(size)
        few = min(size, LARGE)
        drawn = self.draw(st.binary(min_size=few, max_size=few)) if few > 0 else b""
        is_text = one.charset is not None or one.encoding in ("utf-8", "modified-utf-8")
        if is_text and (one.charset or not self._chance()):
            drawn = bytes(byte & 63 | 64 for byte in drawn)  # letters; else it may be malformed
        drawn = bytes((drawn * (size // few + 1))[:size]) if few > 0 else b""
        return drawn if coding is None and one.charset is None else self._text(one, drawn)

    def _text(self, one: Bytes, drawn: bytes) -> Any:
        """Return text, or bytes without terminator and padding in them, of about these bytes."""
        coding = one.coding
        if coding is not None and not coding.process:
            stops = bytes(one for one in (coding.terminator, coding.pad) if one is not None)
            drawn = drawn.translate(None, stops)
            if coding.include:
                drawn = drawn[: -coding.unit] + coding.ending
        if one.charset is None:
            return drawn
        try:
            text = drawn.decode(one.charset)
        except ValueError:
            return reject()
        assume(text.encode(one.charset) == drawn)
        return text

    def _elements(self, node: Node, one: Repeat, small: frozenset[str]) -> list[Any]:
        """Draw a repeat, up to an element that ends it or so many."""
        if one.kind is not None:
            return self._numbers(node, one)
        until = one.until
        many = None if until is not None else self._count(node, one, SMALL)
        elements: list[Any] = []
        seen: list[Any] = []
        node.__dict__[one.name] = seen
        case = _known(one.element.case, node)
        if case is None or not (case.takes_bytes() or one.count or until):
            return seen
        if one.after is not None:
            return self._stepping(node, one, many or 0, small)
        while (
            not seen or not until(node, seen[-1])
            if until is not None
            else len(elements) < (many or 0)
        ):
            if len(elements) > SMALL and many is None:
                self.room = 0
            if len(elements) > SMALL + MANY and many is None:
                return reject()  # no element ends it
            node._loop = len(elements)
            elements.append(self._value(node, one.element, small))
        if one.ascending is not None:
            by_key = {order_of(getattr(child, one.ascending)): child for child in elements}
            elements = [by_key[key] for key in sorted(by_key)]
            if len(elements) < (many or 0):  # a number that counts them would be another
                # Elements can be left out if a writer counts them.
                firsts = [measure.first for _, measure in node._type.measures]
                assume(one.count is None or node._parent is not None or one.name in firsts)
        return elements

    def _numbers(self, node: Node, repeat: Repeat) -> list[Any]:
        one = repeat.element
        assert isinstance(one, Number)
        count = self._count(node, repeat, LARGE // 2)
        self._take(count * one.kind.size)
        few = min(count, MANY)
        if one.any_of:
            numbers: Any = st.sampled_from([option(node) for option in one.any_of])
        elif one.equal is not None:
            numbers = st.just(one.equal(node))
        else:
            least, most = _known(one.least, node), _known(one.most, node)
            if one.kind.is_float:
                numbers = self._floats(node, one)
            else:
                low, high = one.kind.limits
                low = low if least is None else max(low, least)
                numbers = st.integers(low, high if most is None else min(high, most))
        is_unique = repeat.ascending is not None
        several = st.lists(numbers, min_size=few, max_size=few, unique=is_unique)
        drawn = self.draw(several) if few else []
        if is_unique:
            drawn = sorted(drawn)
        elif few:
            drawn = (drawn * (count // few + 1))[:count]
        node.__dict__[repeat.name] = drawn
        return drawn

    def _floats(self, node: Node, one: Number) -> st.SearchStrategy[float]:
        width = 8 * one.kind.size
        return st.floats(_known(one.least, node), _known(one.most, node), width=width)  # type: ignore[arg-type]

    def _count(self, node: Node, one: Field, most: int) -> int:
        count = None if one.count is None else _known(one.count, node)
        if count is None:
            return 0 if self.is_full else int(self.draw(st.integers(0, most)))
        return max(int(count), 0)

    # -- Objects

    def _child(self, node: Node, one: Object, small: frozenset[str], bounds: Bounds) -> Any:
        """Draw an object in another one."""
        type_, within = one.target, f"{one.name}."
        child = type_.node(node._io, node, one, self._index(node, one))
        one.keep(node, child)
        inner = [path.removeprefix(within) for path in small if path.startswith(within)]
        if type_.name in self.using:
            return self.draw(self.using[type_.name])
        return self._object(child, {}, frozenset((*one.inner, *inner)), bounds)

    @staticmethod
    def _index(node: Node, one: Field) -> int:
        return int(node._loop) if one.is_element else 0

    def _filling(self, node: Node, one: Object, child: Any) -> Any:
        """Make an object fill its window, if it reads all of that, and no writer computes it."""
        is_measured = any(
            measure.function == "length" and measure.path == one.name
            for _, measure in node._type.measures
        )
        size = None if is_measured else _known(one.size, node)
        if size is None or not isinstance(child, Struct):
            return child
        try:
            rest = int(size) - len(to_bytes(child))
        except FormatError:  # it needs objects around it
            return child
        if rest < 0:
            return reject()
        if rest:
            _extend(child, rest)
        return child

    def _stepping(self, node: Node, one: Repeat, count: int, small: frozenset[str]) -> list[Any]:
        """Draw elements of which each begins after the one before it."""
        element = one.element
        assert one.after is not None and one.ascending is not None
        assert isinstance(element, Object)
        key = one.target.fields[one.ascending]
        assert isinstance(key, Number)
        least, most = key.kind.limits
        least = max(least, _known(key.least, node) or least)
        top = _known(key.most, node)
        most = most if top is None else min(most, top)
        elements: list[Any] = []
        for i in range(count):
            room, last = self.room, most - 2 * (count - 1 - i)  # keys for those after it
            node._loop, seen = i, node.__dict__[one.name]
            elements.append(self._child(node, element, small, {key.name: (least, last)}))
            after = int(one.after(seen[-1]))
            if after > last + 2:  # no room is left: the least there is, instead
                self.room = 0
                seen.pop()
                elements[-1] = self._child(node, element, small, {key.name: (least, last)})
                after, self.room = int(one.after(seen[-1])), room - 1
            least = after
        return elements


_BOOLEANS = st.booleans()
_FEW = st.sampled_from((1, 2, SMALL) * 6 + (0,))  # seldom none


def _is_format(type_: Type) -> bool:
    """Return whether a type is the outermost one of its spec."""
    return bool(type_.name == type_.spec)


def _is_of_more(one: Field) -> bool:
    """Return whether a field is a repeat of more than numbers."""
    return isinstance(one, Repeat) and one.kind is None


def _place(type_: Type, one: Field) -> Field | None:
    """Return the instance that is at the offset that a number is; None if it is none."""
    measure = type_.computed.get(one.name)
    is_offset = measure is not None and measure.function == "position"
    return type_.fields[measure.path] if measure is not None and is_offset else None


def _unset(type_: Type, given: dict[str, Any], path: str) -> None:
    """Leave a number unset, which may be in an object, or what an object stands for."""
    first, _, rest = path.partition(".")
    inner = type_.fields[first].target if rest else None
    if inner is None or rest in inner.given:
        given.pop(first, None)
    elif isinstance(given.get(first), Struct):
        _unset(inner, vars(given[first]), rest)


def _extend(obj: Any, rest: int) -> None:
    """Give so many bytes more to what an object reads up to the end of its window."""
    type_ = type_of(obj)
    last = type_.seq[-1] if type_.seq else None
    value = None if last is None else getattr(obj, last.name)
    if isinstance(last, Object) and isinstance(value, Struct) and last.size is None:
        _extend(value, rest)
    elif last is None or last.size is not None or last.count is not None:
        return
    elif value is None:
        assume(not last.to_end)
    elif isinstance(last, Bytes):
        if last.contents is None:
            setattr(obj, last.name, value + (" " if last.charset else b"\0") * rest)
    elif isinstance(last, Repeat) and last.kind is not None:
        assume(rest % last.kind.size == 0)
        setattr(obj, last.name, [*value, *[0] * (rest // last.kind.size)])
    elif isinstance(last, Repeat):
        assume(last.until is not None)


def _known(expression: Callable[[Any], Any] | None, node: Node) -> Any:
    """Return what an expression is; None if that is not known yet."""
    if expression is None:
        return None
    try:
        return expression(node)
    except WRONG:  # it asks for what is not drawn yet
        return None


def order_of(value: Any) -> Any:
    """Return what sorts values as the formats do, that of objects by their only value."""
    if hasattr(value, "__dict__"):
        set_ones = [one for name, one in vars(value).items() if name[0] != "_" and one is not None]
        return order_of(set_ones[-1])
    if isinstance(value, float):  # like Float.compare: -0.0 before 0.0, NaN last
        is_nan = math.isnan(value)
        return is_nan, 0.0 if is_nan else value, 0.0 if is_nan else math.copysign(1, value)
    return value
