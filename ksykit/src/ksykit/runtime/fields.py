"""The types of a spec, field by field: how a field is read, written and shown as JSON.

The generated modules of `writers` describe each type by a `Type` of fields. An expression of the
spec is a number, a path of names (`header.num_rows`), or a function of a `Node`, whose attributes
are the fields, parameters and instances of an object.
"""

from __future__ import annotations

import importlib
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter
from typing import Any

from kaitaistruct import KaitaiStruct, KaitaiStructError

from . import checksums
from . import json_values as values
from .codings import Coding
from .errors import FormatError
from .integers import encode_integer
from .json_values import BitKind, Kind
from .streams import Ahead, Canvas, Leaf, Reading, Source, Target, Unresolved, UnresolvedBytes

Function = Callable[["Node"], Any]
Expression = int | str | Function
Argument = int | str | Callable[["Node", Any], Any]

INTEGER = frozenset((int,))
MOST_EMPTY = 1 << 16
"""Elements of a repeat, at most, if they have no bytes."""
_ROLES = {"count": "count", "length": "length", "position": "offset"}

# What a spec's expressions raise on values that contradict each other.
WRONG = (ValueError, TypeError, AttributeError, IndexError, KeyError, ArithmeticError)


def _function(expression: Expression) -> Function:
    """Return an expression as a function of a node."""
    if isinstance(expression, str):
        return attrgetter(expression)
    return expression if callable(expression) else lambda s: expression


def _rule(name: str, function: Function, may_be_given: bool) -> Function:
    """Return a value instance as a function of a node: what is given, or what follows."""
    if not may_be_given:
        return function

    def rule(node: Node) -> Any:
        is_new = node._obj is not None and node._obj._io is None
        value = node._given.get("_m_" + name) if is_new else None
        return function(node) if value is None else value

    return rule


def _optional(expression: Expression | None) -> Function | None:
    return None if expression is None else _function(expression)


def _argument(expression: Argument) -> Callable[[Node, Any], Any]:
    """Return an argument of a type as a function of a node and an index."""
    if callable(expression):
        return expression
    function = _function(expression)
    return lambda s, i: function(s)


class Measure:
    """How a number follows from another field.

    Args:
        function: The number is its count, length or position.
        path: The field.
        undo: The number, if an expression of it is the count, length or position.
        others: How it follows from other fields, if that one is not set.
    """

    def __init__(
        self,
        function: str,
        path: str,
        undo: Callable[[Any, int], int] | None = None,
        others: tuple[Measure, ...] = (),
    ) -> None:
        self.function, self.path, self.undo = function, path, undo
        self.method, self.all = f"_{function}", (self, *others)
        self.first = path.partition(".")[0]

    def __call__(self, node: Node) -> int:
        number: int = getattr(node, self.method)(self.path)
        return self.undone(node, number)

    def of(self, node: Node) -> Measure:
        """Return this, or that of the first field that is set."""
        if len(self.all) == 1:
            return self
        return next((one for one in self.all if node._is_set(one.first)), self)

    def undone(self, node: Node, measured: int) -> int:
        """Return the number for what is measured. Raises Unresolved if that is not known yet."""
        if self.undo is None:
            return measured
        try:
            return self.undo(node, measured)
        except ArithmeticError as error:
            raise Unresolved(node, self.path, f"does not give a number: {error}") from None


class _Constants(dict[str, bytes]):
    """The bytes of a type's fields that have one value; FormatError for others."""

    def __init__(self, type_: Type) -> None:
        self.type = type_

    def __missing__(self, name: str) -> bytes:
        field = self.type.fields[name]
        value = None if field.unset is None else field.unset(Node(self.type, None))
        packed = self[name] = field.packed(value, self.type.paths[name])
        return packed


class Type:
    """A type of the specs.

    Args:
        cls: the parser's class.
        name: the name in the spec.
        fields: those of `seq`, and after them the instances at a position (`at`).
        params: the parameters, each with values to draw.
        computed: numbers that follow from other fields, by their paths below the type.
        values: the value instances.
        given: those from which the fields follow, if they are set.
    """

    def __init__(
        self,
        cls: Any,
        name: str,
        *fields: Field,
        params: Mapping[str, Sequence[Any]] | None = None,
        computed: Mapping[str, Measure] | None = None,
        values: Mapping[str, Expression] | None = None,
        given: tuple[str, ...] = (),
    ) -> None:
        self.cls, self.name, self.domains, self.values = cls, name, params or {}, values or {}
        self.params = tuple(self.domains)
        self.computed = computed or {}
        parsers, _, self.spec = cls.__module__.rpartition(".")
        self.package = parsers.rpartition(".")[0]
        self.fields = {field.name: field for field in fields}
        self.names = frozenset(self.fields)
        self.paths = {name_of: f"{name}.{name_of}" for name_of in self.fields}
        self.seq = tuple(field for field in fields if field.at is None)
        self.placed = tuple(field for field in fields if field.at is not None)
        self.looked = tuple(field.name for field in self.seq if field.looked)
        self.measures = [(path, one) for path, each in self.computed.items() for one in each.all]
        for _, measure in self.measures:
            if measure.function == "position":
                self.fields[measure.path].offset = measure
        self.given = given
        for field in self.placed:
            field.is_overlay &= bool(self.seq)
        rules = {
            name: property(_rule(name, _function(value), name in given))
            for name, value in self.values.items()
        }
        self.node: type[Node] = type("Node", (Node,), {"__slots__": (), "_type": self, **rules})
        for field in fields:
            field.of_package(self.package)
        _BY_NAME[self.package, name] = _BY_CLASS[cls] = self

    @cached_property
    def steps(self) -> tuple[Field, ...]:
        """The fields of `seq` that have bytes, or that expressions use."""
        return tuple(f for f in self.seq if f.looked or f.measured or f.takes_bytes())

    @cached_property
    def places_first(self) -> bool:
        """Whether an object of the type places others that are before it."""
        if self in _OPEN:
            return False
        _OPEN.append(self)
        try:
            inner = [case for field in self.fields.values() for case in field.cases.values()]
            return any(field.first for field in self.placed) or any(
                case.target.places_first for case in inner if case.type is not None
            )
        finally:
            _OPEN.pop()

    def role_of(self, path: str) -> str:
        """Return what a number below the type is for: count, length, offset, checksum, constant."""
        measure, one = self.computed.get(path), self.fields.get(path)
        if one is not None and one.role:
            return one.role
        return _ROLES[measure.function] if measure is not None else ""

    def make(self, **given: Any) -> Any:
        """Return a new object; what is left out or None is computed when it is written."""
        if unknown := given.keys() - {*self.params, *self.fields, *self.given}:
            raise TypeError(f"{self.name} has no field {min(unknown)}")
        return self.new(given)

    def new(self, given: Mapping[str, Any]) -> Any:
        """Return a Kaitai object that was not read, with these fields, parameters and instances."""
        given = dict.fromkeys((*self.params, *self.fields)) | dict(given)
        obj = self.cls.__new__(self.cls)
        obj._io = obj._parent = None
        obj._root = obj
        for name, value in given.items():
            if name in self.params or (name in self.fields and self.fields[name].at is None):
                obj.__dict__[name] = value
            elif name in self.fields or value is not None:
                obj.__dict__["_m_" + name] = value
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, KaitaiStruct):
                    child._parent = obj
        return obj

    def pack(self, **given: Any) -> bytes:
        """Return the bytes of an object of single numbers and bytes: faster than `to_bytes`.

        "write a vector: 32 bits, runs" needs it. Constants may be left out. Raises FormatError.
        """
        data = b""
        for field in self.seq:
            name = field.name
            data += (
                self.pack_field(name, given.pop(name)) if name in given else self.constants[name]
            )
        if given:
            raise FormatError(f"{self.name} has no field {min(given)}")
        return data

    def pack_field(self, name: str, value: Any) -> bytes:
        """Return the bytes of one field, a number or bytes. Raises FormatError."""
        return self.fields[name].packed(value, self.paths[name])

    @cached_property
    def constants(self) -> _Constants:
        """The bytes of fields that have one value, by their names."""
        return _Constants(self)

    # -- Reading

    def read(self, node: Node, doc: dict[str, Any]) -> None:
        """Read the fields of `seq` into a node and its JSON, and plan those at a position."""
        io: Source = node._io
        if self.placed:
            node.__dict__["_doc"] = doc
        for step in self.steps:
            if step.when is None or step.when(node):
                step.read(node, io, doc)
        if self.placed:
            todo = io.reading.todo
            todo += [(node, doc, field) for field in reversed(self.placed)]

    # -- Writing

    def write(self, node: Node) -> None:
        """Write the fields of `seq`, and plan those at a position."""
        given = node._given
        for field in self.steps:
            if field.when is not None:
                try:
                    there = field.has_value(node) if field.to_end else field.when(node)
                except Unresolved:
                    there = given.get(field.name) is not None
                    node._io.canvas.check(field.problem_of_condition, node, there)
                if not there:
                    if given.get(field.name) is not None:
                        raise FormatError(field.not_there(node))
                    continue
            field.write(node)
        for field in self.placed:
            field.place(node)


_OPEN: list[Type] = []
"""Types whose `places_first` is being found."""
_BY_NAME: dict[tuple[str, str], Type] = {}
_BY_CLASS: dict[type, Type] = {}


@cache
def type_named(package: str, name: str) -> Type:
    """Return a type of a generated package. Raises FormatError if it has none of that name."""
    module = importlib.import_module(f"{package}.writers").MODULE_OF.get(name)
    if module is None:
        raise FormatError(f"no type {name!r}: types have the names that the specs give them")
    importlib.import_module(f"{package}.writers.{module}")
    return _BY_NAME[package, name]


def type_of(obj: Any) -> Type:
    """Return the type of a Kaitai object that parsers of a generated package made."""
    cls = type(obj)
    if cls not in _BY_CLASS:
        parsers, _, spec = cls.__module__.rpartition(".")
        package = parsers.rpartition(".")[0]
        if parsers != f"{package}.parsers":
            raise FormatError(f"{cls.__qualname__} is not a type of the specs")
        importlib.import_module(f"{package}.writers.{spec}")
    if cls not in _BY_CLASS:
        raise FormatError(f"{cls.__qualname__} is not a type of the specs")
    return _BY_CLASS[cls]


class Node:
    """An object while it is read or written; attributes of its fields are computed if unset."""

    __slots__ = ("__dict__", "_given", "_index", "_io", "_name", "_parent")

    _type: Type
    _obj: Any = None
    _extents: dict[str, tuple[int, int]] | None = None
    _busy: set[str] | None = None

    def __init__(
        self, io: Any, parent: Node | None = None, field: Field | None = None, index: int = 0
    ) -> None:
        self._io, self._parent, self._name, self._index = io, parent, field, index
        self._given: Any = None
        if field is not None and field.passed:
            known = self.__dict__
            for name, argument in field.passed:
                try:
                    known[name] = argument(parent, index)  # type: ignore[arg-type]
                except Unresolved:
                    continue  # computed when it is used

    @property
    def _root(self) -> Node:
        """The outermost object of the same spec."""
        parent = self._parent
        return self if parent is None or parent._type.spec != self._type.spec else parent._root

    @property
    def _is_new(self) -> bool:
        """Whether the object was not read from a file."""
        return self._obj is None or self._obj._io is None

    # -- Values

    def _unwritten(self, field: Field) -> Any:
        """Return an object that is not written yet, if it is at a position, or in such a one."""
        is_ahead = field.at is not None or isinstance(self._io, Ahead)
        later = self._io.canvas.written.get(id(self._given)) if is_ahead else None
        if later is not None and field.name in later.__dict__:
            return later.__dict__[field.name]
        case = field.case(self) if is_ahead else None
        value = self._raw(field.name) if case is not None and case.type is not None else None
        if isinstance(value, list) and isinstance(self._io, Ahead):
            children = self.__dict__[field.name] = []
            for i, one in enumerate(value):
                children.append(field.target.node(self._io, self, field.element, i))
                set_fields(children[-1], one)
            return children
        if value is None or isinstance(value, bytes | list) or case is None:
            raise Unresolved(self, field.name, "is not written yet")
        child = case.target.node(Ahead(self._io.canvas), self, case)
        set_fields(child, value)
        return child

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_" and name not in self._type.fields:
            raise AttributeError(name)
        type_ = self._type
        if name in type_.params:
            if self._name is None or self._parent is None:
                raise Unresolved(self, name, "is not set")
            value = self._name.args[name](self._parent, self._index)
        elif name in type_.fields:
            field = type_.fields[name]
            if self._io.is_read:
                if field.at is not None and "_doc" in self.__dict__ and name not in self._doc:
                    field.read_placed(self, self._doc)
                    if not _is_unreadable(self._doc.get(name)):
                        return self.__dict__.get(name)
                raise Unresolved(self, name, "is not read")
            if field.type is not None or isinstance(field, Switch):
                return self._unwritten(field)
            value = self._value(name)
        else:
            raise AttributeError(name)
        self.__dict__[name] = value
        return value

    def _raw(self, name: str) -> Any:
        """Return a field's or instance's value as it is in the object; None if it is unset."""
        value = self._given.get(name)
        if self._obj is None:
            if type(value) is dict and len(value) != 1:
                return value
            return None if value is None else value_from_json(self._type, name, value)
        if value is not None:
            return value
        value = self._given.get("_m_" + name)
        field = self._type.fields.get(name)
        known = value is not None or "_m_" + name in self._given or self._obj._io is None
        if known or field is None or field.at is None:
            return value
        unreadable = self._io.canvas.unreadable
        if (id(self._obj), name) not in unreadable:
            try:
                if (
                    field.count is not None
                    and field.count(self) > 8 * self._obj._io.size() + MOST_EMPTY
                ):
                    raise FormatError("repeats nothing without end")
                return _instance(self._obj, name)
            except (EOFError, *WRONG, KaitaiStructError, Unresolved) as error:
                message = f"{self._path_of(name)} cannot be read: {error}"
                offset = getattr(error, "offset", None)
                unreadable[id(self._obj), name] = FormatError(message, offset)
        return None

    def _is_set(self, name: str) -> bool:
        return self._raw(name) is not None

    def _asked(self, name: str) -> Any:
        """Return a value instance that was given to `make_TYPE`."""
        value = self._raw(name)
        if value is None:
            raise Unresolved(self, name, "is not set")
        return value

    def _value(self, name: str) -> Any:
        """Return a field's value, computed if it is unset."""
        value = self._raw(name)
        if value is not None:
            return value
        if name in self.__dict__:
            return self.__dict__[name]
        if self._busy is None:
            self._busy = set()
        if name in self._busy:
            raise Unresolved(self, name, "is not set")
        self._busy.add(name)
        try:
            field = self._type.fields[name]
            rule = None if field.inverse else field.unset
            value = self.__dict__[name] = self._computed(name) if rule is None else rule(self)
        finally:
            self._busy.discard(name)
        return value

    def _computed(self, name: str) -> Any:
        """Return a field's value by its inverse, its rule, or what it measures."""
        field = self._type.fields[name]
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

    def _needed(self, name: str) -> Any:
        value = self._given.get(name)
        if value is not None and (self._obj or (type(value) is dict and len(value) != 1)):
            return value  # of an object, or an object in JSON
        try:
            return self._value(name)
        except Unresolved as error:
            raise FormatError(f"{error}; set it") from None

    def _forget(self) -> None:
        """Forget all values, so that no cycle of parents and children keeps an object alive."""
        for name in self._type.looked:
            value = self.__dict__.get(name)
            for child in value if type(value) is list else (value,):
                if isinstance(child, Node):
                    child._forget()
        self.__dict__.clear()

    # -- The functions of `-kit-value`

    def _extent(self, name: str, start: int, end: int) -> None:
        if self._extents is None:
            self._extents = {}
        self._extents[name] = (start, end)

    def _position(self, name: str) -> int:
        """Where a field or instance starts, in its stream."""
        extent = self._extent_of(name)
        if extent is None:
            raise Unresolved(self, name, "has no position")
        return extent[0]

    def _extent_of(self, name: str) -> tuple[int, int] | None:
        """Where a field starts and ends, if it is written: here, or ahead of its object."""
        if self._extents is not None and name in self._extents:
            return self._extents[name]
        ahead = self._io.canvas.ahead
        return ahead[id(self._given), name][:2] if (id(self._given), name) in ahead else None

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
        return extent[1] - extent[0]

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
            if not canvas.is_filled or self._extents is None or name not in self._extents:
                raise UnresolvedBytes(self, name, "is not written yet")
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
        for field in self._type.seq:
            case = field.case(self)
            if case is None or case.type is None or not case.target.places_first:
                continue
            value = self._raw(field.name)
            for i, one in enumerate(value if isinstance(value, list) else [value]):
                if one is None or isinstance(one, bytes):
                    continue
                child = case.target.node(self._io, self, case.element, i)
                set_fields(child, one)
                child._write_first(target)
        for field in self._type.placed:
            field.write_first(self, target)
            key = id(self._given), field.name
            if field.first and self._is_set(field.name) and key not in self._io.canvas.ahead:
                place = target if field.stream is None else field.stream(self)
                if not isinstance(place, Target):
                    continue  # a stream of an object that is not written yet
                try:
                    start = place.pos = field.position(self, place)
                except Unresolved:
                    start = place.pos = place.high
                pending, place.pending = place.pending, []
                field.write_to(self, place, self._raw(field.name))
                inner = self.__dict__.get(field.name)
                self._io.canvas.ahead[key] = start, place.pos, inner
                place.settle()
                place.pending = pending

    def _write_apart(self, path: str, error: Unresolved) -> None:
        """Write a field that follows, to know how long it is: a size of its own depends on that."""
        field = self._type.fields[path.partition(".")[0]]
        value = self._raw(field.name)
        if value is None or error.node is not self or "length" not in error.why:
            raise FormatError(f"{error}; set it") from None
        io = self._io
        canvas = Canvas()
        canvas.ahead = io.canvas.ahead
        self._io = Target(canvas, 0)
        try:
            field.write_to(self, self._io, value)
        except Unresolved as other:
            raise FormatError(str(other)) from None
        finally:
            self._io = io

    # -- Names

    def _path_of(self, name: str) -> str:
        path = self._path  # once: asking for it twice at each level takes 2^depth calls
        return f"{path}.{name}" if path else name

    @property
    def _path(self) -> str:
        if self._parent is None or self._name is None:
            return ""
        path: str = self._parent._path_of(self._name.name)
        return f"{path}[{self._index}]" if self._name.is_element else path


# --- Fields ---


class Field(ABC):
    """A field of `seq`, or an instance at a position.

    Args:
        name: the name in the spec.
        when: whether it exists (`if`).
        to_end: `when` asks for the end of the stream: it is written if it has a value.
        equal, least, most, any_of: what is valid.
        value: computes it if it is unset.
        inverse: computes it from value instances that are set, by their names.
        looked: expressions look into it.
        measured: expressions use its position, its length or its CRC.
        at: its position in the stream. None: it follows the field before.
        from_end: its position is counted from the end of the stream.
        stream: the stream that it is in (`io`), if it is another than that of its object.
        size, count: its bytes, its elements.
        args: what is passed to the parameters of its type.
        coding: how its bytes are delimited and encoded.
        first: it is written before its object, whose size depends on its offset.
        examples: numbers to draw now and then.
        likely: numbers to draw mostly, by which types are chosen.
        small: a size depends on the number.
        inner: numbers of the object that a size depends on, as paths in it.
        max_size: bytes to draw at most.
        ascending: the field by which the elements of a repeat ascend; "" for numbers.
        after: the least value of that field in the next element.
        role: the purpose of the number, if that is not known from `equal` or a measure.
        decides: what else there is depends on the field, although a writer computes it.
        needs_parent: the instance exists in an object of the outermost type only.
    """

    type: str | None = None
    package: str  # the generated package that has the type
    is_repeated = False
    is_element = False  # of a `Repeat`
    offset: Measure | None = None
    """The number that its position follows from: if that is unset, it goes to the end."""

    def __init__(
        self,
        name: str,
        *,
        when: Expression | None = None,
        to_end: bool = False,
        equal: Expression | None = None,
        least: Expression | None = None,
        most: Expression | None = None,
        any_of: tuple[Expression, ...] = (),
        value: Expression | None = None,
        inverse: Mapping[str, Function] | None = None,
        looked: bool = False,
        measured: bool = False,
        at: Expression | None = None,
        from_end: bool = False,
        stream: Expression | None = None,
        size: Expression | None = None,
        count: Expression | None = None,
        args: Mapping[str, Argument] | None = None,
        coding: Coding | None = None,
        first: bool = False,
        examples: tuple[int, ...] = (),
        likely: tuple[int, ...] = (),
        small: bool = False,
        inner: tuple[str, ...] = (),
        max_size: int | None = None,
        ascending: str | None = None,
        after: Expression | None = None,
        role: str = "",
        decides: bool = False,
        needs_parent: bool = False,
    ) -> None:
        self.name, self.when, self.to_end = name, _optional(when), to_end
        self.element: Field = self  # that of each element of a repeat
        self.equal, self.least, self.most = map(_optional, (equal, least, most))
        self.any_of = tuple(map(_function, any_of))
        self.valid = self._valid()
        self.unset = _optional(value) if self.equal is None or self.is_repeated else self.equal
        self.inverse = inverse or {}
        self.looked, self.measured = looked, measured
        self.at, self.stream, self.is_overlay = _optional(at), _optional(stream), type(at) is int
        self.from_end, self.first = from_end, first
        self.size, self.count = _optional(size), _optional(count)
        self.args = {name: _argument(one) for name, one in (args or {}).items()}
        self.passed = tuple(self.args.items())
        self.coding, self.likely = coding, likely
        self.examples, self.small, self.inner, self.max_size = examples, small, inner, max_size
        self.ascending, self.after = ascending, _optional(after)
        self.role = "constant" if isinstance(equal, int) else role
        self.decides, self.needs_parent = decides, needs_parent

    def _valid(self) -> Callable[[Node, Any], bool] | None:
        """Return whether a value is valid, as a function; None if any value is."""
        equal, least, most, any_of = self.equal, self.least, self.most, self.any_of
        checks: list[Callable[[Node, Any], bool]] = []
        if equal is not None:
            checks.append(lambda s, v: v == equal(s))
        if least is not None:
            checks.append(lambda s, v: v >= least(s))
        if most is not None:
            checks.append(lambda s, v: v <= most(s))
        if any_of:
            checks.append(lambda s, v: any(v == one(s) for one in any_of))
        if len(checks) < 2:
            return checks[0] if checks else None
        return lambda s, v: all(check(s, v) for check in checks)

    def of_package(self, package: str) -> None:
        """Set the generated package that has the type of the field."""
        self.package = package

    @cached_property
    def target(self) -> Type:
        """The type of an object, or of the objects of a repeat."""
        assert self.type is not None
        return type_named(self.package, self.type)

    @cached_property
    def cases(self) -> Mapping[Any, Field]:
        """The fields that it may be: others than itself of a `Switch`."""
        return {None: self}

    def case(self, node: Node) -> Field | None:
        """Return the field that there is. Raises Unresolved if that is not known yet."""
        return self

    def takes_bytes(self) -> bool:
        """Return whether it is more than a name for a position."""
        return True

    def keep(self, node: Node, value: Any) -> None:
        """Give an object the value of its field, or the next element of it."""
        if self.is_element:
            node.__dict__[self.name].append(value)
        else:
            node.__dict__[self.name] = value

    # -- What the kinds of fields do

    @abstractmethod
    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        """Read the field at the position of a stream, into the node and its JSON."""

    def write(self, node: Node) -> None:
        """Write the field at the position of the node's stream."""
        self.write_to(node, node._io, node._needed(self.name))

    @abstractmethod
    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write a value at the position of a stream."""

    def path(self, node: Node) -> str:
        """Return the path of the field of an object, or of the element that is written."""
        path = node._path_of(self.name)
        return f"{path}[{node._loop}]" if self.is_element else path

    def packed(self, value: Any, path: str) -> bytes:
        """Return the bytes of a single value. Raises FormatError, with the field's path."""
        raise FormatError(f"{path} is not a number or bytes: write the object with to_bytes")

    @abstractmethod
    def to_json(self, value: Any) -> Any:
        """Return the JSON of a value in a Kaitai object; None if there is nothing to show."""

    def shown(self, value: Any, obj: Any, index: int | None = None) -> Any:
        """Return the JSON of a value of an object; of one element of a repeat, its index."""
        raw = None
        if self.coding is not None and self.coding.process:
            prefix = "_raw_" if self.type is None else "_raw__raw_"
            raw = _element(obj.__dict__.get(prefix + self.name), index)
        if raw is None or self.coding is None:
            return self.to_json(value)
        data = value
        if self.type is not None:
            data = _element(obj.__dict__.get("_raw_" + self.name), index)
        data = self.packed(data, self.name)
        try:
            is_kept = self.coding.is_encoded(raw, data, obj)
        except AttributeError:  # its arguments ask for the index, which an object does not have
            is_kept = True
        return self.to_json(value) if is_kept else {"encoded": raw.hex()}

    @abstractmethod
    def from_json(self, doc: Any) -> Any:
        """Return the value of JSON; objects stay JSON."""

    # -- Reading

    def take_bytes(self, node: Node, io: Source) -> bytes:
        """Return the bytes that the field takes, as they are in the file."""
        ending = None if self.coding is None else self.coding.terminator
        if self.size is not None:
            size = int(self.size(node))
        elif ending is None:
            size = max(io.size - io.pos, 0)
        else:
            end = io.find(bytes([ending]))
            if end < 0:
                raise FormatError(f"{self.name} has no end", io.base + io.size)
            start = io.take(end - io.pos + 1)
            if not self.coding.consume:  # type: ignore[union-attr]
                io.pos = end
            return bytes(io.data[start : io.pos])
        start = io.take(size)
        return bytes(io.data[start : io.pos])

    def check_valid(self, node: Node, value: Any, offset: int) -> None:
        """Raise FormatError for a value that is not valid, which is at an offset of the file."""
        if self.valid is not None and not self.valid(node, value):
            raise FormatError(f"{self.name} is {value!r:.60}, which is not valid", offset)

    def problem_of_value(self, node: Node, value: Any, path: str) -> str | None:
        """Return the problem of a value that readers would reject."""
        is_wrong = self.valid is not None and not self.valid(node, value)
        return f"{path} is {value!r:.60}, which is not valid" if is_wrong else None

    def read_placed(self, node: Node, doc: dict[str, Any]) -> None:
        """Read an instance at its position; one that cannot be read becomes its error."""
        reading = node._io.reading
        state = reading.state()
        try:
            if self.when is not None and not self.when(node):
                return
            io: Source = node._io if self.stream is None else self.stream(node)
            assert self.at is not None
            start = int(self.at(node))
            if self.type is None and start in reading.parts and io.base == 0:
                return  # another part describes these bytes
            if start < 0:
                raise FormatError(f"position {start} is negative")
            with io.moved_to(start):
                self.read(node, io, doc)
                if self.from_end and io.size == len(reading.data):
                    reading.tail = min(reading.tail, start)
                else:
                    reading.high = max(reading.high, io.base + io.pos)
        except (FormatError, Unresolved, *WRONG) as error:
            doc[self.name] = {"unreadable": str(error)}
            node.__dict__.pop(self.name, None)
            reading.undo(state)

    # -- Writing

    def known_size(self, node: Node) -> int | None:
        """Return the size, if it does not follow from what the field has."""
        try:
            return None if self.size is None else int(self.size(node))
        except Unresolved:
            return None

    def read_raw(self, node: Node, prefix: str) -> Any:
        """Return compressed bytes as they were read, or what they were decoded to."""
        if self.coding is None or not self.coding.process or node._obj is None:
            return None
        index = node._loop if self.is_element else None
        return _element(node._given.get(prefix + self.name), index)

    def has_value(self, node: Node) -> bool:
        """Return whether a field is set, or can be computed."""
        try:
            node._value(self.name)
        except Unresolved:
            return False
        return True

    def not_there(self, node: Node) -> str:
        """Return the problem of a field that is set, but should not be there."""
        return f"{node._path_of(self.name)} is set, but its condition does not hold"

    def place(self, node: Node) -> Target | None:
        """Plan an instance at a position, which is written when that is known; return its stream.

        None if it is not written, or its stream is not yet.
        """
        ahead = node._io.canvas.ahead
        if ahead:
            node._io.canvas.written[id(node._given)] = node  # what is ahead of it asks for it
            if (id(node._given), self.name) in ahead:
                node._io.canvas.planned += 1
                return None
        canvas = node._io.canvas
        try:
            target: Target = node._io if self.stream is None else self.stream(node)
        except Unresolved as error:
            if canvas.is_placed:
                raise FormatError(f"{node._path_of(self.name)} cannot be placed: {error}") from None
            canvas.unplaced.append((self, node))
            canvas.planned += 1
            return None
        assert self.at is not None
        if self.type is None and canvas.parts:
            try:
                if target.base + int(self.at(node)) in canvas.parts:
                    return None  # another part describes these bytes
            except Unresolved:
                pass
        if not node._is_set(self.name) and not self._is_computed_there(node):
            return None
        if self.when is not None:
            canvas.check(self.problem_of_condition, node, True)
        canvas.planned += 1
        target.pending.append((self, node))
        return target

    def write_first(self, node: Node, target: Target) -> None:
        """Write what an instance places at offsets that decide how long it is."""
        if self.places_ahead(node):
            case = self.case(node)
            assert case is not None
            child = case.target.node(Ahead(target.canvas), node, case)
            set_fields(child, node._raw(self.name))
            child._write_first(target)

    def places_ahead(self, node: Node) -> bool:
        """Return whether an instance is an object that places others before itself."""
        case = self.case(node)
        if not isinstance(case, Object) or not case.target.places_first:
            return False
        return not isinstance(node._raw(self.name), bytes | None)

    def _is_computed_there(self, node: Node) -> bool:
        """Return whether a number or bytes at a position are written although they are unset."""
        if not isinstance(self, Number | Bytes) or not node._is_new:
            return False
        if self.is_overlay and self.role != "constant":
            return False
        if _is_unreadable(node._given.get(self.name)):
            return False
        try:
            is_there = self.when is None or self.when(node)
        except Unresolved:
            return False
        return bool(is_there) and (self.unset is not None or node._measure(self.name) is not None)

    def problem_of_condition(self, node: Node, is_there: bool) -> str | None:
        """Return the problem of a field that exists, or not, against its condition."""
        assert self.when is not None
        if bool(self.when(node)) == is_there:
            return None
        path = node._path_of(self.name)
        return self.not_there(node) if is_there else f"{path} is not set, but its condition holds"

    def position(self, node: Node, target: Target) -> int:
        """Return where an instance is written. Raises Unresolved if that is not known yet."""
        try:
            return self.stated_position(node)
        except Unresolved:
            if self.offset is None:
                raise
            self.offset.undone(node, 0)
            return target.high

    def stated_position(self, node: Node) -> int:
        """Return the position that fields state. Raises Unresolved if they are not set."""
        assert self.at is not None
        position = int(self.at(node))
        if position < 0:
            raise FormatError(f"{node._path_of(self.name)}: position {position} is negative")
        return position

    def put(self, node: Node, io: Target, data: bytes) -> None:
        """Write bytes that are one leaf."""
        if io.canvas.leaves is not None:
            io.leaf(self.path(node), len(data), data)
        io.write(data)

    def check_end(self, node: Node, io: Target) -> None:
        """Check that the terminator follows that the next field has, too."""
        coding = self.coding
        if coding is None or coding.terminator is None or coding.consume or self.size is not None:
            return
        io.canvas.check(self._problem_of_end, node, io, io.pos, bytes([coding.terminator]))

    def _problem_of_end(self, node: Node, io: Target, end: int, byte: bytes) -> str | None:
        if not io.canvas.is_filled:
            raise UnresolvedBytes(node, self.name, "is not followed by anything yet")
        at, canvas = io.base + end, io.canvas
        path = node._path_of(self.name)
        is_inside = end < io.size or (io is canvas.root and canvas.is_covered(at))
        if is_inside and canvas.read(at, at + 1) == byte:
            return None
        return f"{path} ends before {byte!r}, which does not follow"

    def finish(self, node: Node, io: Target, start: int, value: Any = b"") -> None:
        """Keep where the field is, and compare it with its size; a repeat with its count."""
        end = io.pos
        if self.measured:
            node._extent(self.name, start, end)
        if self.size is not None:
            io.canvas.check(self._problem, node, io, start, self.size, end - start)
        if self.count is not None and not isinstance(value, bytes):
            io.canvas.check(self._problem, node, io, start, self.count, len(value))

    def _problem(
        self, node: Node, io: Target, start: int, expression: Any, actual: int
    ) -> str | None:
        """Return the problem of a size or count, which may look at the position of the field."""
        saved = io.pos
        if io is node._io:
            io.pos = start
        try:
            expected = int(expression(node))
        finally:
            io.pos = saved
        is_count = expression is self.count
        if expected == actual or (is_count and expected < 0 and not actual):
            return None
        what = (
            f"has {actual} elements, its count" if is_count else f"takes {actual} bytes, its size"
        )
        return f"{node._path_of(self.name)} {what} is {expected}"


class Number(Field):
    """A number."""

    def __init__(self, name: str, kind: Kind, **options: Any) -> None:
        super().__init__(name, **options)
        self.kind = kind

    def take(self, io: Source) -> Any:
        """Return the number at the position of a stream."""
        (value,) = self.kind.packer.unpack_from(io.data, io.take(self.kind.size))
        return value

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        start = io.pos
        value = self.take(io)
        self.keep(node, value)  # what is valid may depend on it by an instance
        if self.valid is not None:
            self.check_valid(node, value, io.base + start)
        if self.kind.is_float:
            io.compare(start, self.kind.pack(value))
            value = values.number_to_json(value, self.kind)
        doc[self.name] = value

    def write(self, node: Node) -> None:
        value = node._given.get(self.name)
        self.write_to(node, node._io, value if type(value) is int else None)

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start, name = io.pos, self.name
        try:
            if value is None:
                value = node._value(name)
            self.keep(node, value)
        except Unresolved:
            io.hole(node, self)
        else:
            if self.valid is not None:
                io.canvas.check(self.problem_of_value, node, value, self.path(node))
            self.put_number(node, io, value)
        if self.measured:
            node._extent(name, start, io.pos)

    def put_number(self, node: Node, io: Target, value: Any) -> None:
        """Write a number, which is one leaf."""
        try:
            data = self.kind.pack(value)
        except (struct.error, OverflowError):
            data = self.packed(value, self.path(node))
        if io.canvas.leaves is not None:
            io.leaf(self.path(node), self.kind.size, value)
        io.write(data)

    def leave(self, io: Target) -> Any:
        """Leave the number out, and return where it belongs."""
        place = io.base + io.pos
        io.skip(self.kind.size)
        return place

    def fill(self, canvas: Canvas, place: Any, value: Any, path: str) -> None:
        """Write a number that was left out."""
        canvas.put(place, self.packed(value, path))

    def packed(self, value: Any, path: str) -> bytes:
        try:
            return self.kind.pack(value)
        except (struct.error, OverflowError) as error:
            raise FormatError(f"{path}: {value!r} as {self.kind.name}: {error}") from None

    def to_json(self, value: Any) -> Any:
        return values.number_to_json(value, self.kind)

    def from_json(self, doc: Any) -> Any:
        return values.number_from_json(doc, self.kind)


class Bits(Number):
    """A number of so many bits; one bit is a truth value."""

    kind: BitKind

    def __init__(self, name: str, bits: int, order: str, **options: Any) -> None:
        super().__init__(name, BitKind(bits, order), **options)

    def take(self, io: Source) -> Any:
        value = io.take_bits(self.kind.bits, self.kind.order)
        return bool(value) if self.kind.bits == 1 else value

    def put_number(self, node: Node, io: Target, value: Any) -> None:
        number = self._checked(value, self.path(node))
        (position, _) = io.write_bits(number, self.kind.bits, self.kind.order)
        if io.canvas.leaves is not None:
            end = io.base + io.pos
            io.canvas.leaves.append(Leaf(position, end, self.path(node), value))

    def leave(self, io: Target) -> Any:
        return io.write_bits(0, self.kind.bits, self.kind.order)

    def fill(self, canvas: Canvas, place: Any, value: Any, path: str) -> None:
        canvas.set_bits(place, self._checked(value, path), self.kind.bits, self.kind.order)

    def _checked(self, value: Any, path: str) -> int:
        number = int(value)
        if not 0 <= number < 1 << self.kind.bits:
            raise FormatError(f"{path}: {number} does not fit in {self.kind.bits} bits")
        return number

    def packed(self, value: Any, path: str) -> bytes:
        raise FormatError(f"{path} is of bits, which are not packed alone")

    def to_json(self, value: Any) -> Any:
        return bool(value) if self.kind.bits == 1 else int(value)

    def from_json(self, doc: Any) -> Any:
        if type(doc) is not (bool if self.kind.bits == 1 else int):
            raise FormatError(f"{doc!r} is not a number of {self.kind.bits} bits")
        return doc


class Encoded(bytes):
    """The bytes of a field as they are in the file, which may not be what a writer makes."""


class Bytes(Field):
    """Bytes or text: `contents`, of a size, up to a byte, or all to the end of the stream."""

    def __init__(
        self,
        name: str,
        *,
        encoding: str | None = None,
        charset: str | None = None,
        contents: bytes | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.encoding, self.charset, self.contents = encoding, charset, contents
        if contents is not None:
            self.unset, self.role = _function(lambda s: contents), "constant"

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        start = io.pos
        raw = self.take_bytes(node, io)
        value = raw
        if self.contents is not None and raw != self.contents:
            raise FormatError(f"{self.name} is {raw!r:.60}, which is not valid", io.base + start)
        coding, size = self.coding, None if self.size is None else len(raw)
        if coding is not None or self.charset is not None:
            content = raw if coding is None else coding.decoded(raw, node, io.base + start)
            value = self.text(content, io.base + start)
            if coding is not None and coding.process:
                written = coding.again(raw, content, node, size)
            else:
                written = self.raw(node, value, size, self.name)
            if written is None or len(written) != len(raw):
                doc[self.name] = {"encoded": raw.hex()}
            elif written != raw:
                io.compare(start, written)
        self.keep(node, value)
        if self.valid is not None:
            self.check_valid(node, value, io.base + start)
        doc.setdefault(self.name, self.to_json(value))

    def problem_of_value(self, node: Node, value: Any, path: str) -> str | None:
        if isinstance(value, Encoded) or (self.contents is None and self.valid is None):
            return None
        data = self.packed(value, path)
        if self.contents is not None and data != self.contents:
            return f"{path} is {data!r:.60}, not {self.contents!r:.60}"
        return super().problem_of_value(node, self.text(data, 0), path)

    def take_bytes(self, node: Node, io: Source) -> bytes:
        if self.contents is None:
            return super().take_bytes(node, io)
        start = io.take(len(self.contents))
        return bytes(io.data[start : io.pos])

    def text(self, data: bytes, offset: int) -> Any:
        """Return the text of bytes, if they are text. Raises FormatError."""
        if self.charset is None:
            return data
        try:
            return data.decode(self.charset)
        except ValueError as error:
            raise FormatError(f"{self.name} is not {self.charset}: {error}", offset) from None

    def raw(self, node: Node, value: Any, size: int | None, path: str) -> bytes:
        """Return the bytes of a value as they are in the file. Raises FormatError."""
        data = self.packed(value, path)
        if self.coding is None or isinstance(value, Encoded):
            return data
        return self.coding.delimited(self.coding.encoded(data, node), size, path)

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start, path = io.pos, node._path_of(self.name)
        value = node._value(self.name) if value is None else value
        io.canvas.check(self.problem_of_value, node, value, path)
        raw, size = self.read_raw(node, "_raw_"), self.known_size(node)
        same = raw is not None and self.coding is not None
        if same and self.coding.is_of(raw, self.packed(value, path), node):  # type: ignore[union-attr]
            raw = self.coding.delimited(raw, size, path)  # type: ignore[union-attr]
        else:
            raw = self.raw(node, value, size, path)
        self.put(node, io, raw)
        self.keep(node, value)
        self.check_end(node, io)
        self.finish(node, io, start)

    def packed(self, value: Any, path: str) -> bytes:
        if isinstance(value, int) and self.encoding is not None:
            return encode_integer(value, self.encoding)
        if isinstance(value, str):
            try:
                return value.encode(self.charset or "ascii")
            except ValueError as error:
                raise FormatError(f"{path}: {error}") from None
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        if isinstance(value, Encoded):
            return {"encoded": value.hex()}
        if isinstance(value, str):
            return value
        return values.bytes_to_json(self.packed(value, self.name), self.encoding)

    def from_json(self, doc: Any) -> Any:
        return doc if self.charset is not None else values.encode(doc, self.encoding)


def _element(value: Any, index: int | None) -> Any:
    """Return a value, or one of its elements."""
    if value is None or index is None:
        return value
    return value[index] if index < len(value) else None


class Object(Field):
    """An object of a type; with `size`, in a window on the stream."""

    def __init__(self, name: str, type: str, *, window: bool = False, **options: Any) -> None:
        super().__init__(name, **options)
        self.type = type
        self.window = window or self.size is not None or self.coding is not None

    def takes_bytes(self) -> bool:
        return self.window or bool(self.target.fields)

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        type_ = self.target
        if not (self.window or type_.fields):
            self.mark(node, io, type_)
            if self.is_element:
                doc[self.name] = {}
            return
        index = node._loop if self.is_element else 0
        fields: dict[str, Any] = {}
        planned = len(io.reading.todo)
        if self.coding is not None:
            raw = self.take_bytes(node, io)
            content = self.coding.decoded(raw, node, io.base + io.pos - len(raw))
            state, reading = io.reading.state(), Reading(content, frozenset(), io.reading)
            inner = Source(reading, reading.data, 0)
            child = type_.node(inner, node, self, index)
            type_.read(child, fields)
            io_size = None if self.size is None else len(raw)
            io.close(inner)
            reading.finish()
            written = self.coding.again(raw, content, node, io_size)
            if reading.gaps() or written is None:
                io.reading.undo(state)
                fields = {"encoded": raw.hex()}
            elif written != raw:
                io.compare(io.pos - len(raw), written)
        elif self.window:
            inner = io.window(
                max(io.size - io.pos, 0) if self.size is None else int(self.size(node))
            )
            child = type_.node(inner, node, self, index)
            type_.read(child, fields)
            io.close(inner)
        else:
            child = type_.node(io, node, self, index)
            type_.read(child, fields)
        if self.looked:
            self.keep(node, child)
        elif type_.looked and len(io.reading.todo) == planned:
            child._forget()
        if type_.fields or self.is_element:
            doc[self.name] = fields

    def mark(self, node: Node, io: Any, type_: Type) -> None:
        """Keep an object that has nothing but its parameters, such as a position."""
        if self.looked:
            self.keep(node, type_.node(io, node, self, node._loop if self.is_element else 0))

    def write(self, node: Node) -> None:
        type_ = self.target
        if type_.given and node._raw(self.name) is None:
            self.write_to(node, node._io, self._computed(node))
        elif type_.fields:
            self.write_to(node, node._io, node._needed(self.name))
        elif self.window:
            self.write_to(node, node._io, node._raw(self.name) or {})
        else:
            self.mark(node, node._io, type_)
            self.finish(node, node._io, node._io.pos)

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write an object, its JSON or its bytes to a stream."""
        assert self.type is not None
        start = io.pos
        if isinstance(value, bytes):
            self.put(node, io, value)
            if self.is_element:
                self.keep(node, None)
        elif self.coding is not None:
            self.put(node, io, self._coded(node, value))
            self.check_end(node, io)
        elif self.window:
            inner = Target(io.canvas, io.base + start, self.known_size(node))
            self._write_child(node, inner, value)
            inner.settle()
            try:
                length = inner.end if self.size is None else int(self.size(node))
            except Unresolved as error:
                length = inner.end
                if error.name == "_io.size":  # all up to what follows, also bytes of no field
                    end, extra = inner.base + length, io.canvas.extra
                    length += sum(len(gap) for at, gap in extra if at == end)
            if length < inner.high:
                raise FormatError(
                    f"{node._path_of(self.name)} takes {inner.high} bytes, its size is {length}"
                )
            inner.close(length, is_new=isinstance(value, dict) or value._io is None)
            io.skip(length)
        else:
            self._write_child(node, io, value)
        if self.measured or self.size is not None:
            self.finish(node, io, start)

    def _computed(self, node: Node) -> Any:
        """Return a new object whose value measures another field."""
        for name in self.target.given:
            if (measured := node._measure(f"{self.name}.{name}")) is not None:
                measure, owner = measured
                try:
                    value = measure(owner)
                except Unresolved as error:
                    owner._write_apart(measure.path, error)
                    value = measure(owner)
                return self.target.new({name: value})
        raise FormatError(f"{self.path(node)} is not set; set it")

    def _coded(self, node: Node, value: Any) -> bytes:
        """Return an object as its bytes are encoded; those that were read, if they are the same."""
        assert self.coding is not None
        canvas = Canvas()
        canvas.is_new = isinstance(value, dict) or value._io is None
        self._write_child(node, canvas.root, value)
        canvas.finish()
        data, uncovered = canvas.join(whole=False)
        content = self.read_raw(node, "_raw_")
        if content is not None and len(content) >= len(data):
            uncovered.append((len(data), len(content)))
            whole = bytearray(data.ljust(len(content), b"\0"))
            for start, end in uncovered:
                whole[start:end] = content[start:end]
            data = bytes(whole)
        elif uncovered:
            raise FormatError(f"{self.path(node)}: no field covers some of its bytes")
        raw = self.read_raw(node, "_raw__raw_")
        if raw is None or not self.coding.is_of(raw, data, node):
            raw = self.coding.encoded(data, node)
        return self.coding.delimited(bytes(raw), self.known_size(node), self.path(node))

    def _write_child(self, node: Node, io: Target, value: Any) -> None:
        type_ = self.target
        child = type_.node(io, node, self, node._loop if self.is_element else 0)
        set_fields(child, value)
        if self.looked:
            self.keep(node, child)
        planned = io.canvas.planned
        type_.write(child)
        if type_.looked and not self.looked and io.canvas.planned == planned:
            child._forget()

    def to_json(self, value: Any) -> Any:
        assert self.type is not None
        if isinstance(value, bytes):
            return {"hex": value.hex()}
        type_ = self.target
        return object_to_json(value, type_) if type_.fields or self.is_element else None

    def from_json(self, doc: Any) -> Any:
        if not isinstance(doc, dict):
            raise FormatError(f"{doc!r:.60} is not an object")
        return doc

    def packed(self, value: Any, path: str) -> bytes:
        return bytes(value)


class Repeat(Field):
    """A repeat of a field; plain numbers are read and written at once.

    Args:
        element: The field, once.
        until: Whether an element is the last one.
        runs: In JSON, objects that differ in this first field alone, which counts up, are one.
    """

    is_repeated = True

    def __init__(
        self,
        element: Field,
        *,
        until: Argument | None = None,
        runs: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(element.name, **options)
        self.role = element.role
        self.element, self.type, self.runs = element, element.type, runs
        self.until = None if until is None else _argument(until)
        self.looked = element.looked
        element.is_element, element.looked = True, self.looked or until is not None
        is_plain = type(element) is Number and until is None
        self.kind: Kind | None = element.kind if is_plain else None  # type: ignore[attr-defined]

    def of_package(self, package: str) -> None:
        super().of_package(package)
        self.element.of_package(package)

    @cached_property
    def is_computed(self) -> bool:
        """Whether all of an element follows from the object that the repeat is in."""
        is_object = self.type is not None and self.until is not None
        return is_object and all(field.unset for field in self.target.seq)

    # -- Reading

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        count = None if self.count is None else int(self.count(node))
        if self.kind is not None:
            self.read_numbers(node, io, doc, self.kind, count)
            return
        elements: list[Any] = []
        docs: list[Any] = []
        element, name, known, runs = self.element, self.name, node.__dict__, self.runs
        known[name] = elements
        i, is_last = 0, False
        while not is_last and (
            (self.until is not None or not io.eof) if count is None else i < count
        ):
            fields: dict[str, Any] = {}
            start, bits = io.pos, io.bits_left
            known["_loop"] = i
            element.read(node, io, fields)
            i += 1
            if self.until is not None:
                is_last = self.until(node, elements[-1])
            one = fields.get(name)
            if runs is None or count is None:
                docs.append(one)
            else:
                values.add_to_runs(docs, one, runs)
            if io.pos == start and io.bits_left == bits and i > MOST_EMPTY:
                raise FormatError(f"{name} repeats nothing without end", io.base + io.pos)
        doc[name] = docs

    def read_numbers(
        self, node: Node, io: Source, doc: dict[str, Any], kind: Kind, count: int | None
    ) -> None:
        """Read all numbers at once."""
        size = kind.size
        count = max((io.size - io.pos + size - 1) // size if count is None else count, 0)
        start = io.take(count * size)  # no numbers may be anywhere, also beyond the end
        numbers = list(struct.unpack_from(kind.several(count), io.data, start)) if count else []
        if self.element.valid is not None:
            for i, value in enumerate(numbers):
                self.element.check_valid(node, value, io.base + start + i * size)
        node.__dict__[self.name] = doc[self.name] = numbers
        if kind.is_float:
            io.compare(start, struct.pack(kind.several(count), *numbers))
            doc[self.name] = self.to_json(numbers)

    # -- Writing

    def write(self, node: Node) -> None:
        is_unset = self.is_computed and node._raw(self.name) is None
        self.write_to(node, node._io, None if is_unset else node._needed(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start = io.pos
        if isinstance(value, bytes):
            io.write(value)
        elif hasattr(value, "offsets") and io.canvas.leaves is None:  # a BytesColumn of records
            io.write(value.join())
        elif self.kind is not None:
            self.write_numbers(node, io, value, self.kind)
        else:
            self.write_elements(node, io, value)
        if self.count is None and self.until is None:
            if io.bits_left:
                raise FormatError(f"{node._path_of(self.name)} ends within a byte, and its stream")
            io.canvas.check(self._problem_of_last, node, io, io.pos)
        self.finish(node, io, start, b"" if value is None else value)

    def _problem_of_numbers(self, node: Node, value: Any, kind: Kind) -> str | None:
        """Return the problem of the first number that readers would reject."""
        from .records import Field as Column  # numpy takes 0.1 s to import

        one = self.element
        limits = [None if each is None else each(node) for each in (one.equal, one.least, one.most)]
        names = dict(zip(("equal", "least", "most"), limits, strict=True))
        any_of = [each(node) for each in one.any_of] or None
        column = Column(self.name, "", kind.packer.format, any_of=any_of, **names)
        at = column.first_wrong(value)
        if at is None:
            return None
        return f"{node._path_of(self.name)}[{at}] is {value[at]}, which is not valid"

    def write_numbers(self, node: Node, io: Target, value: Any, kind: Kind) -> None:
        """Write all numbers at once."""
        if self.element.valid is not None and len(value):
            io.canvas.check(self._problem_of_numbers, node, value, kind)
        if hasattr(value, "astype"):
            from .arrays import fit  # numpy takes 0.1 s to import

            data = fit(value, kind.dtype, node._path_of(self.name)).astype(kind.dtype).tobytes()
            value = value.tolist() if io.canvas.leaves is not None else value
        else:
            try:
                data = struct.pack(kind.several(len(value)), *value)
            except (struct.error, OverflowError) as error:
                raise FormatError(f"{node._path_of(self.name)}: {error}") from None
        if io.canvas.leaves is not None:
            path = node._path_of(self.name)
            for i, x in enumerate(value):
                io.leaf(f"{path}[{i}]", kind.size, x, i * kind.size)
        io.write(data)

    def write_elements(self, node: Node, io: Target, value: Any) -> None:
        """Write each element; if there is no value, computed ones up to the last."""
        elements: list[Any] = []
        element, known = self.element, node.__dict__
        known[self.name] = elements
        if self.until is None:
            for known["_loop"], one in enumerate(value):
                element.write_to(node, io, one)
            return
        many = MOST_EMPTY if value is None else len(value)
        for i in range(many):
            known["_loop"] = i
            element.write_to(node, io, {} if value is None else value[i])
            is_final = value is not None and i + 1 == many
            is_last = self.until(node, elements[-1]) or (is_final and self._ends_stream(node))
            if is_last and (value is None or is_final):
                return
            if is_last or is_final:
                problem = (
                    "ends the repeat, but is not the last" if is_last else "does not end the repeat"
                )
                raise FormatError(f"{element.path(node)} {problem}")
        raise FormatError(f"{node._path_of(self.name)} has no element that ends it")

    def _ends_stream(self, node: Node) -> bool:
        """Return whether the last element ends the repeat if it ends the stream; check that."""
        assert self.until is not None
        io = node._io
        io.eof = True
        try:
            is_last = bool(self.until(node, node.__dict__[self.name][-1]))
        finally:
            io.eof = False
        if is_last:
            io.canvas.check(self._problem_of_last, node, io, io.pos)
        return is_last

    def _problem_of_last(self, node: Node, io: Target, end: int) -> str | None:
        path = node._path_of(self.name)
        return None if io.size == end else f"{path} ends with its stream, but more follows"

    # -- JSON

    def to_json(self, value: Any) -> Any:
        numbers = value.tolist() if hasattr(value, "tolist") else value
        return [self.element.to_json(x) for x in numbers]

    def shown(self, value: Any, obj: Any, index: int | None = None) -> Any:
        if self.kind is not None:
            return self.to_json(value)
        docs: list[Any] = []
        for i, one in enumerate(value):
            doc = self.element.shown(one, obj, i)
            if self.runs is None:
                docs.append(doc)
            else:
                values.add_to_runs(docs, doc, self.runs)
        return docs

    def from_json(self, doc: Any) -> Any:
        """Objects stay JSON; a run becomes the bytes of its elements, for there may be millions."""
        if not isinstance(doc, list):
            raise FormatError(f"{doc!r:.60} is not a list")
        if self.kind is not None and not self.kind.is_float and INTEGER.issuperset(map(type, doc)):
            return doc
        element = self.element
        if self.runs is None:
            return [_from_json(element, one) for one in doc]
        elements: list[Any] = []
        for first, many in values.runs([element.from_json(one) for one in doc], self.runs):
            if many == 1:
                elements.append(_from_json(element, first))
                continue
            type_ = self.target
            kind = type_.fields[self.runs].kind  # type: ignore[attr-defined]
            try:
                elements += values.run_of(_bytes_of_json(type_, first), kind, many)
            except struct.error:
                raise FormatError(f"{many:,} times {self.runs} does not fit") from None
        return elements


class Switch(Field):
    """One of several fields.

    Args:
        on: What decides.
        cases: The field for each value, and for all others, None.
    """

    def __init__(
        self, name: str, on: Expression, cases: Mapping[Any, Field], **options: Any
    ) -> None:
        super().__init__(name, **options)
        self.on, self.cases = _function(on), cases

    def of_package(self, package: str) -> None:
        super().of_package(package)
        for case in self.cases.values():
            case.of_package(package)
            case.is_element, case.looked = self.is_element, self.looked

    def case(self, node: Node) -> Field | None:
        """Return the field that there is. Raises Unresolved if that is not known yet."""
        case: Field | None = self.cases.get(self.on(node), self.cases.get(None))
        return case

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        case = self.case(node)
        if case is None:
            return
        case.read(node, io, doc)
        value = doc.get(self.name)
        if case.type is not None:
            fields = doc.setdefault(self.name, {})
            others = dict(fields)
            fields.clear()  # and not a new one, which would lack instances that are read later
            fields.update({"$type": case.type}, **others)
        elif isinstance(case, Number) and isinstance(value, str):
            doc[self.name] = {"number": value}

    def write(self, node: Node) -> None:
        self.write_to(node, node._io, node._raw(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        case, path = self.case(node), node._path_of(self.name)
        if case is None or value is None:
            if value is not None:
                raise FormatError(self.not_there(node))
            if case is not None and case.takes_bytes():
                raise FormatError(f"{path} is not set; set it")
            return
        if isinstance(value, dict) and value.get("$type", case.type) != case.type:
            raise FormatError(f"{path} is {value['$type']}, not {case.type or 'a value'}")
        start = io.pos
        case.write_to(node, io, value)
        if self.measured:
            node._extent(self.name, start, io.pos)

    def to_json(self, value: Any) -> Any:
        if isinstance(value, KaitaiStruct):
            type_ = type_of(value)
            return {"$type": type_.name} | object_to_json(value, type_)
        if isinstance(value, float):
            number = values.number_to_json(value, values.F8BE)
            return {"number": number} if isinstance(number, str) else number
        if isinstance(value, bytes):
            return {"encoded" if isinstance(value, Encoded) else "hex": value.hex()}
        return value if isinstance(value, bool | str) else int(value)

    def from_json(self, doc: Any) -> Any:
        return float(doc["number"]) if isinstance(doc, dict) and "number" in doc else doc


def _bytes_of_json(type_: Type, doc: Mapping[str, Any]) -> bytes:
    canvas = Canvas()
    write_object(canvas, 0, type_, doc, {})
    canvas.finish()
    return canvas.join()[0]


# --- Objects ---


def set_fields(node: Node, value: Any) -> None:
    """Set the fields of a node to those of a Kaitai object or of JSON. Raises FormatError."""
    type_ = node._type
    if type(value) is dict:
        if not type_.names.issuperset(value):
            check_fields(type_, value)
        node._given = value
        return
    if not isinstance(value, type_.cls):
        cls = type_.cls
        raise FormatError(f"{node._path} is {type(value).__qualname__}, not {cls.__qualname__}")
    node._obj, node._given = value, value.__dict__


def check_fields(type_: Type, doc: dict[str, Any]) -> None:
    """Raise FormatError if JSON has fields that the type does not have."""
    unknown = doc.keys() - type_.names
    if doc.get("$type") == type_.name:
        unknown.discard("$type")
    if unknown:
        names = ", ".join(type_.fields)
        raise FormatError(f"{type_.name} has no field {min(unknown)}; it has {names}")


def value_from_json(type_: Type, name: str, doc: Any) -> Any:
    """Return the value of a field in JSON; objects stay JSON. Raises FormatError."""
    try:
        if _is_unreadable(doc):
            return None
        return _from_json(type_.fields[name], doc)
    except FormatError:
        raise
    except (*WRONG, struct.error) as error:
        raise FormatError(f"{type_.name}.{name}: {error}") from error


def _from_json(field: Field, doc: Any) -> Any:
    """Return the value of a field, or of an element of a repeat."""
    if type(doc) is dict and len(doc) == 1:
        if "hex" in doc:
            return bytes.fromhex(doc["hex"])
        if "encoded" in doc:
            return Encoded.fromhex(doc["encoded"])
    return field.from_json(doc)


def _is_unreadable(doc: Any) -> bool:
    return type(doc) is dict and len(doc) == 1 and "unreadable" in doc


def _instance(obj: Any, name: str) -> Any:
    """Return an instance of a Kaitai object, which otherwise keeps one that it read in part."""
    try:
        return getattr(obj, name)
    except Exception:  # of any kind: it is raised again
        obj.__dict__.pop("_m_" + name, None)
        raise


def object_to_json(obj: Any, type_: Type) -> dict[str, Any]:
    """Return the JSON of a Kaitai object with all its instances."""
    doc: dict[str, Any] = {}
    for name, field in type_.fields.items():
        if field.at is None:
            value = getattr(obj, name, None)
        else:
            try:
                value = obj.__dict__.get("_m_" + name)
                if value is None and obj._io is not None:
                    value = _instance(obj, name)
            except (EOFError, *WRONG, KaitaiStructError) as error:
                doc[name] = {"unreadable": str(error)}
                continue
        shown = None if value is None else field.shown(value, obj)
        if shown is not None:
            doc[name] = shown
    return doc


def write_object(
    canvas: Canvas, at: int, type_: Type, value: Any, params: Mapping[str, Any]
) -> None:
    """Write an object, or its JSON, to a position of the file, with all that it places."""
    root = canvas.root
    canvas.is_new &= isinstance(value, dict) or value._io is None
    root.pos = at
    root.high = max(root.high, at)
    node = type_.node(root)
    set_fields(node, value)
    for name in type_.params:
        parameter = params.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if parameter is not None:
            node.__dict__[name] = parameter
    try:
        type_.write(node)
    except Unresolved as error:
        raise FormatError(str(error)) from None
    except RecursionError:
        raise FormatError(f"{type_.name}: objects are nested too deeply") from None
    except WRONG as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{type_.name}: {error}") from error


def read_object(
    reading: Reading, at: int, type_: Type, params: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the JSON of the object at a position of the file. Raises FormatError."""
    doc: dict[str, Any] = {}
    root = Source(reading, reading.data, 0)
    node = type_.node(root)
    node.__dict__.update(params)
    with root.moved_to(at):
        type_.read(node, doc)
        reading.high = max(reading.high, root.pos)
    reading.finish()
    return doc
