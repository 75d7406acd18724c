"""What follows from what: values of an object that is written, as far as they are unset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import checksums
from .errors import FormatError
from .json_objects import set_fields, value_from_json
from .streams import Ahead, Canvas, Stage, Target, Unresolved, known
from .types import WRONG, Measure, Type

if TYPE_CHECKING:
    from .fields import Field

    KaitaiStruct = object  # which has no types: a checker would accept all names of ours
else:
    from kaitaistruct import KaitaiStruct


class Node(KaitaiStruct):
    """The values of an object that is written: those that it has, and those that follow."""

    __slots__ = ("_given", "_index", "_io", "_loop", "_name", "_parent")

    _type: Type
    _obj: Any = None
    _extents: Any = None
    _io: Any
    _given: Any
    _parent: Any
    _name: Field | None
    _loop: Any
    _index: int

    # -- Where it is

    @property
    def _root(self) -> Node:
        """The outermost object of the same spec."""
        parent = self._parent
        return self if parent is None or parent._type.spec != self._type.spec else parent._root

    @property
    def _is_new(self) -> bool:
        """Whether the object was not read from a file."""
        return self._obj is None or self._obj._io is None

    def _path_of(self, name: str) -> str:
        path = self._path  # once: asking for it twice at each level takes 2^depth calls
        return f"{path}.{name}" if path else name

    @property
    def _path(self) -> str:
        if self._parent is None or self._name is None:
            return ""
        path: str = self._parent._path_of(self._name.name)
        return f"{path}[{self._index}]" if self._name.is_element else path

    def _forget(self) -> None:
        """Forget all values, so that no cycle of parents and children keeps an object alive."""
        is_read, todo = self._given is None, [self]
        for node in todo:  # which grows
            for name in node._type.params:
                node.__dict__.pop(name, None)  # it may be an object elsewhere
            values = [*node.__dict__.values()]
            node.__dict__.clear()
            for value in values:
                many = value if type(value) is list else (value,)
                inner = (child for child in many if isinstance(child, Node))
                # Not an object of the caller, which is written.
                todo.extend(child for child in inner if (child._given is None) == is_read)

    # -- Values

    def _unwritten(self, field: Field) -> Any:
        """Return an object that is not written yet, if it is at a position, or in such a one.

        Of records that are given as columns, return the objects.
        """
        columns, key = self._given.get(field.name), f"_rows_{field.name}"
        if hasattr(columns, "offsets") and not field.element.target.params:
            if key not in self.__dict__:
                self.__dict__[key] = [field.element.target.read(one) for one in columns]
            return self.__dict__[key]
        is_ahead = field.at is not None or isinstance(self._io, Ahead)
        later = self._io.canvas.written.get(id(self._given)) if is_ahead else None
        if later is not None and field.name in later.__dict__:
            return later.__dict__[field.name]
        case = field.case(self) if is_ahead else None
        value = self._raw(field.name) if case is not None and case.type is not None else None
        if isinstance(value, list) and isinstance(self._io, Ahead):
            children = self.__dict__[field.name] = list[Node]()
            for i, one in enumerate(value):  # whose arguments may be those before it
                children.append(self._ahead(field.element, one, i))
            return children
        if value is None or isinstance(value, bytes | list) or case is None:
            raise Unresolved(self, field.name, "is not written yet")
        return self._ahead(case, value)

    def _ahead(self, field: Field, value: Any, index: int = 0) -> Node:
        """Return an object in this one that is not written yet."""
        child = field.target.node(Ahead(self._io.canvas), self, field, index)
        set_fields(child, value)
        return child

    def _raw(self, name: str) -> Any:
        """Return a field's or instance's value as it is in the object; None if it is unset."""
        value = self._given.get(name)
        if value is not None:
            is_json = self._obj is None and (type(value) is not dict or len(value) == 1)
            return value_from_json(self._type, name, value) if is_json else value
        if self._obj is None or (value := self._given.get("_m_" + name)) is not None:
            return value
        field = self._type.fields.get(name)
        if field is None or field.at is None or name in self._given or self._obj._io is None:
            return None
        unreadable = self._io.canvas.unreadable
        if (id(self._obj), name) not in unreadable:
            try:
                return getattr(self._obj, name)
            except WRONG as error:
                message = f"{self._path_of(name)} cannot be read: {error}"
                offset = getattr(error, "offset", None)
                unreadable[id(self._obj), name] = FormatError(message, offset)
        return None

    def _is_set(self, name: str) -> bool:
        return self._raw(name) is not None

    def _value(self, name: str) -> Any:
        """Return the value of a field, computed if it is unset, or of an instance that is set."""
        value = self._raw(name)
        if value is not None:
            return value
        if name in self.__dict__:
            return self.__dict__[name]
        asked, one = self._io.canvas.asked, (id(self), name)
        if one in asked:
            paths = [node._path_of(key) for (_, key), node in asked.items()]
            cycle = [*paths[list(asked).index(one) + 1 :], self._path_of(name)]
            why = f"follows from {', which follows from '.join(cycle)}"
            raise Unresolved(self, name, why if len(cycle) > 1 else "is not set")
        asked[one] = self
        try:
            value = self.__dict__[name] = self._solved(name)
        finally:
            del asked[one]
        return value

    def _solved(self, name: str) -> Any:
        """Return a field's value by its inverse, its rule, or what it measures."""
        field = self._type.fields.get(name)
        if field is None:  # a value instance
            raise Unresolved(self, name, "is not set")
        for instance, rule in field.inverse.items():
            if self._is_set(instance):
                return rule(self)
        if field.unset is not None:
            return field.unset(self)
        measured = self._measure(name)
        if measured is None:
            raise Unresolved(self, min(field.inverse, default=name), "is not set")
        measure, owner = measured
        if owner is not self:
            place = owner._type.fields[measure.first]
            is_optional = place.at is not None and place.when is not None
            if is_optional and not owner._is_set(place.name):
                return 0  # what a directory says of an instance that is not there
        return measure(owner)

    def _measure(self, name: str) -> tuple[Measure, Node] | None:
        """Return what a number measures, and the object whose type knows it."""
        node, path = self, name
        while (measure := node._type.computed.get(path)) is None:
            field, parent = node._name, node._parent
            if field is None or parent is None or field.is_element:
                return None
            node, path = parent, f"{field.name}.{path}"
        return measure.of(node), node

    # -- The functions of `-kit-value`

    def _extent(self, name: str, start: int, end: int) -> None:
        self.__dict__.setdefault("_extents", {})[name] = start, end

    def _position(self, name: str) -> int:
        """Where a field or instance starts, in its stream."""
        extent = self._extent_of(name)
        if extent is None:
            raise Unresolved(self, name, "has no position")
        return int(extent[0])

    def _extent_of(self, name: str) -> Sequence[Any] | None:
        """Return where a field starts and ends, if it is written: here, or ahead of its object."""
        own: tuple[int, int] | None = (self._extents or {}).get(name)
        return own or self._io.canvas.ahead.get((id(self._given), name))

    def _length(self, path: str) -> int:
        """Bytes of a field; of `a.b` with a repeat a, the sum over its b."""
        name, _, rest = path.partition(".")
        if rest:
            children = self.__dict__.get(name)
            if children is None and (id(self._given), name) in self._io.canvas.ahead:
                children = self._io.canvas.ahead[id(self._given), name][2]
            if children is None:
                if name in self._type.fields and self._raw(name) in (None, []):
                    return 0
                raise Unresolved(self, name, "is not written yet")
            many = children if isinstance(children, list) else [children]
            return sum(child._length(rest) for child in many)
        value, field = self._raw(name), self._type.fields[name]
        if isinstance(value, bytes) and field.coding is None:
            return len(value)
        if (extent := self._extent_of(name)) is None:
            if field.at is not None and value is None:
                return 0
            raise Unresolved(self, name, "has no length yet")
        return int(extent[1] - extent[0])

    def _crc32(self, *names: str | int) -> int:
        """CRC-32, that of zlib, of the bytes of fields, and of numbers that are bytes."""
        return checksums.crc32(self._bytes_of(names))

    def _crc32c(self, *names: str | int) -> int:
        """CRC-32C, that of Castagnoli's polynomial, of such bytes."""
        return checksums.crc32c(self._bytes_of(names))

    def _bytes_of(self, names: Sequence[str | int]) -> list[bytes]:
        """Return the bytes of fields, which are written after all others."""
        pieces, canvas = [], self._io.canvas
        for name in names:
            if isinstance(name, int):
                pieces.append(bytes([name]))
                continue
            if canvas.stage < Stage.FILLED or name not in (self._extents or ()):
                raise Unresolved(self, name, "is not written yet")
            start, end = self._extents[name]
            pieces.append(canvas.read(self._io.base + start, self._io.base + end))
        return pieces

    def _count(self, path: str) -> int:
        """Elements of a repeat, or of a repeat in a nested object."""
        first, _, rest = path.partition(".")
        value, field = self._raw(first), self._type.fields[first]
        if rest and value is not None and not isinstance(value, bytes):
            child = field.target.node(Ahead(self._io.canvas))  # its arguments may be this count
            set_fields(child, value)
            return child._count(rest)
        if value is None:
            raise Unresolved(self, path, "is not set")
        if isinstance(value, bytes):
            raise Unresolved(self, path, "is given as bytes")
        return len(value)

    def _write_first(self, target: Target) -> None:
        """Write the instances of an object, and of those in it, that are before it."""
        for field in self._type.fields.values():
            for child in field.placing(self):
                child._write_first(target)
            if field.at is None:
                continue
            key = id(self._given), field.name
            if field.first and self._is_set(field.name) and key not in self._io.canvas.ahead:
                place = target if field.stream is None else field.stream(self)
                if not isinstance(place, Target):
                    continue  # a stream of an object that is not written yet
                position = known(field.position, self, place)
                start = place.high if isinstance(position, Unresolved) else position
                place.move(start)
                pending, place.pending = place.pending, []
                field.write_to(self, place, self._raw(field.name))
                inner = self.__dict__.get(field.name)
                self._io.canvas.ahead[key] = start, place.pos, inner
                place.settle()
                place.pending = pending

    def _write_apart(self, name: str) -> None:
        """Write a field that follows, to know how long it is: a size of its own depends on that."""
        value, field = self._raw(name), self._type.fields[name]
        is_known = self._extents is not None and name in self._extents
        if value is None or is_known or (isinstance(value, bytes) and field.coding is None):
            return
        io = self._io
        canvas = Canvas()
        canvas.ahead = io.canvas.ahead
        self._io = Target(canvas, 0)
        try:
            field.write_to(self, self._io, value)
        finally:
            self._io = io
