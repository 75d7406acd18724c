"""The types of a spec, field by field: how a field is read, written and shown as JSON.

The generated modules of `writers` describe each type by a `Type` of fields. Expressions of the spec
are functions of a `Node`, whose attributes are the fields, parameters and instances of an object.
"""

from __future__ import annotations

import importlib
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, TypeGuard

from kaitaistruct import KaitaiStruct, KaitaiStructError

from . import json_values as values
from .errors import FormatError
from .integers import encode_integer
from .json_values import Kind
from .streams import Canvas, Reading, Source, Target, Unresolved, UnresolvedBytes

Expression = Callable[["Node"], Any]
Argument = Callable[["Node", int], Any]

INTEGER = frozenset((int,))
_DECIDED = 4096
"""Values of parameters for which a type keeps what fields there are."""

# What a spec's expressions raise on values that contradict each other.
WRONG = (ValueError, TypeError, AttributeError, IndexError, KeyError, ArithmeticError)


class _Constants(dict[str, bytes]):
    """The bytes of a type's fields that have one value; FormatError for others."""

    def __init__(self, type_: Type) -> None:
        self.type = type_

    def __missing__(self, name: str) -> bytes:
        field = self.type.fields[name]
        value = None if field.unset is None else field.unset(Node(self.type, None))
        found = self[name] = field.packed(value, self.type.paths[name])
        return found


class Type:
    """A type of the specs.

    Args:
        cls: the parser's class.
        name: the name in the spec.
        fields: those of `seq`, and after them the instances at a position (`at`).
        params: names of the parameters.
        deciding: those of them that decide which fields are there; None if fields decide it, too.
        values: the value instances.
    """

    def __init__(
        self,
        cls: Any,
        name: str,
        *fields: Field,
        params: tuple[str, ...] = (),
        deciding: tuple[str, ...] | None = (),
        values: Mapping[str, Expression] | None = None,
    ) -> None:
        self.cls, self.name, self.params, self.values = cls, name, params, values or {}
        self.deciding = deciding
        parsers, _, self.spec = cls.__module__.rpartition(".")
        self.package = parsers.rpartition(".")[0]
        self.fields = {field.name: field for field in fields}
        self.names = frozenset(self.fields)
        self.paths = {name_of: f"{name}.{name_of}" for name_of in self.fields}
        self.seq = tuple(field for field in fields if field.at is None)
        self.placed = tuple(field for field in fields if field.at is not None)
        self.looked = tuple(field.name for field in self.seq if field.looked)
        rules = {name: property(rule) for name, rule in self.values.items()}
        self.node: type[Node] = type("Node", (Node,), {"__slots__": (), "_type": self, **rules})
        self.there = lru_cache(_DECIDED)(self._there)
        for field in fields:
            field.package = self.package
        _BY_NAME[self.package, name] = _BY_CLASS[cls] = self

    @cached_property
    def steps(self) -> tuple[Field, ...]:
        """The fields of `seq`: integers that follow one another are one step."""
        steps: list[Field] = []
        for field in self.seq:
            last = steps[-1] if steps else None
            if isinstance(last, Integers) and last.goes_on(field):
                steps[-1] = Integers(*last.fields, field)
            elif Integers.takes(field):
                steps.append(Integers(field))
            elif field.looked or field.measured or field.takes_bytes():
                steps.append(field)
        return tuple(steps)

    def _there(self, *decided: Any) -> tuple[Sequence[Field], frozenset[str]]:
        """Return the steps that are there for values of `deciding`, and the names of the others."""
        assert self.deciding is not None
        node = self.node(None)
        node.__dict__.update(zip(self.deciding, decided, strict=True))
        there = [step for step in self.steps if step.when is None or step.when(node)]
        return there, frozenset(step.name for step in self.steps if step not in there)

    @cached_property
    def always(self) -> tuple[Sequence[Field], frozenset[str]] | None:
        """The same for a type without conditions; None if fields decide."""
        return None if self.deciding is None else self._there()

    def known(self, node: Node) -> tuple[Sequence[Field], frozenset[str]] | None:
        """Return the same for an object whose parameters decide; None if one is not known yet."""
        assert self.deciding is not None
        try:
            return self.there(*[node.__dict__[name] for name in self.deciding])
        except KeyError:
            return None

    @cached_property
    def record(self) -> Integers | None:
        """The only step of a record of integers without conditions; None for other types."""
        first = self.steps[0] if len(self.steps) == 1 else None
        plain = isinstance(first, Integers) and not (first.checks or self.placed or self.params)
        return first if plain else None  # type: ignore[return-value]

    def new(self, given: Mapping[str, Any]) -> Any:
        """Return a Kaitai object that was not read, with these fields, parameters and instances."""
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
        known = self.known(node) if self.deciding else self.always
        if known is not None:
            for step in known[0]:
                step.read(node, io, doc)
        else:
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
        known = self.known(node) if self.deciding else self.always
        if known is not None and known[1].isdisjoint(given):
            for field in known[0]:
                field.write(node)
            for field in self.placed:
                field.place(node)
            return
        for field in self.steps:
            if field.when is not None:
                try:
                    there = field.has_value(node) if field.to_end else field.when(node)
                except Unresolved as error:
                    path = node._path_of(field.name)
                    message = f"{path}: whether it is there is not known: {error}"
                    raise FormatError(message) from None
                if not there:
                    if given.get(field.name) is not None:
                        raise FormatError(field.not_there(node))
                    continue
            field.write(node)
        for field in self.placed:
            field.place(node)


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
            raise FormatError(f"{cls.__qualname__} is no type of the specs")
        importlib.import_module(f"{package}.writers.{spec}")
    if cls not in _BY_CLASS:
        raise FormatError(f"{cls.__qualname__} is no type of the specs")
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

    # -- Values

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_":
            raise AttributeError(name)
        type_ = self._type
        if name in type_.params:
            if self._name is None or self._parent is None:
                raise Unresolved(self, name, "is not set")
            value = self._name.args[name](self._parent, self._index)
        elif name in type_.fields:
            field = type_.fields[name]
            if field.type is not None or self._io.is_read:
                raise Unresolved(self, name, "is not written yet")
            value = self._value(name)
        else:
            raise AttributeError(name)
        self.__dict__[name] = value
        return value

    def _raw(self, name: str) -> Any:
        """A field's or instance's value as it is in the object; None if it is unset."""
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
        canvas = self._io.canvas
        if (id(self._obj), name) not in canvas.unreadable:
            try:
                return getattr(self._obj, name)
            except (EOFError, *WRONG, KaitaiStructError) as error:
                if not canvas.lenient:
                    raise FormatError(
                        f"{self._path_of(name)} cannot be read: {error}",
                        getattr(error, "offset", None),
                    ) from error
                canvas.unreadable.add((id(self._obj), name))
        return None

    def _is_set(self, name: str) -> bool:
        return self._raw(name) is not None

    def _asked(self, name: str) -> Any:
        """A value instance that was given to `make_TYPE`."""
        value = self._raw(name)
        if value is None:
            raise Unresolved(self, name, "is not set")
        return value

    def _value(self, name: str) -> Any:
        """A field's value, computed if it is unset."""
        value = self._raw(name)
        if value is not None:
            return value
        if name in self.__dict__:
            return self.__dict__[name]
        rule = self._type.fields[name].unset
        if self._busy is None:
            self._busy = set()
        if rule is None or name in self._busy:
            raise Unresolved(self, name, "is not set")
        self._busy.add(name)
        try:
            value = self.__dict__[name] = rule(self)
        finally:
            self._busy.discard(name)
        return value

    def _needed(self, name: str) -> Any:
        value = self._given.get(name)
        if type(value) is dict and len(value) != 1:
            return value  # an object in JSON
        try:
            return self._value(name)
        except Unresolved as error:
            raise FormatError(f"{error}; set it") from None

    def _forget(self) -> None:
        """Forget all values, so that no cycle of parents and children keeps an object alive."""
        for name in self._type.looked:
            found = self.__dict__.get(name)
            for child in found if type(found) is list else (found,):
                if isinstance(child, Node):
                    child._forget()
        self.__dict__.clear()

    # -- The functions of `-pk-value`

    def _extent(self, name: str, start: int, end: int) -> None:
        if self._extents is None:
            self._extents = {}
        self._extents[name] = (start, end)

    def _position(self, name: str) -> int:
        """Where a field or instance starts, in its stream."""
        if self._extents is None or name not in self._extents:
            raise Unresolved(self, name, "has no position")
        return int(self._extents[name][0])

    def _length(self, path: str) -> int:
        """Bytes of a field; of `a.b` with a repeat a, the sum over its b."""
        name, _, rest = path.partition(".")
        if rest:
            children = self.__dict__.get(name)
            if children is None:
                if name in self._type.fields and not len(self._raw(name) or ()):
                    return 0
                raise Unresolved(self, name, "is not written yet")
            many = children if isinstance(children, list) else [children]
            return sum(child._length(rest) for child in many)
        value = self._raw(name)
        if isinstance(value, bytes):
            return len(value)
        if self._extents is None or name not in self._extents:
            if self._type.fields[name].at is not None and value is None:
                return 0
            raise Unresolved(self, name, "has no length yet")
        start, end = self._extents[name]
        return int(end - start)

    def _crc32(self, name: str) -> int:
        """CRC-32, that of zlib, of a field's bytes."""
        canvas = self._io.canvas
        if not canvas.is_filled or self._extents is None or name not in self._extents:
            raise UnresolvedBytes(self, name, "is not written yet")
        start, end = self._extents[name]
        return zlib.crc32(canvas.read(self._io.base + start, self._io.base + end))

    def _count(self, path: str) -> int:
        """Elements of a repeat, or of a repeat in a nested object."""
        first, *rest = path.split(".")
        value, field = self._raw(first), self._type.fields[first]
        for name in rest:
            value, field = _member(value, field, name)
        if value is None:
            raise Unresolved(self, path, "is not set")
        if isinstance(value, bytes):
            raise Unresolved(self, path, "is given as bytes")
        return len(value)

    # -- Names

    def _path_of(self, name: str) -> str:
        path = self._path  # once: asking for it twice at each level takes 2^depth calls
        return f"{path}.{name}" if path else name

    @property
    def _path(self) -> str:
        if self._parent is None or self._name is None:
            return ""
        path: str = self._parent._path_of(self._name.name)
        return f"{path}[{self._index}]" if self._name.is_repeated else path


def _member(value: Any, field: Field, name: str) -> tuple[Any, Field]:
    """A field of an object that is not written yet."""
    assert field.type is not None
    type_ = field.target
    found = type_.fields[name]
    if isinstance(value, dict):
        doc = value.get(name)
        value = None if doc is None else value_from_json(type_, name, doc)
    elif value is None or isinstance(value, bytes):
        value = None
    else:
        obj, value = value, value.__dict__.get(name)
        if value is None:
            value = obj.__dict__.get("_m_" + name)
        if value is None and obj._io is not None:
            value = getattr(obj, name, None)
    return value, found


# --- Fields ---


class Field:
    """A field of `seq`, or an instance at a position.

    Args:
        name: the name in the spec.
        when: whether it is there (`if`).
        to_end: `when` asks for the end of the stream: it is written if it has a value.
        unset: computes it if it is unset.
        valid: whether a number is valid.
        looked: expressions look into it.
        measured: expressions use its position, its length or its CRC.
        at: its position in the stream. None: it follows the field before.
        base: what its offset is added to: without an offset, it goes to the end of the stream.
        stream: the stream that it is in (`io`), if it is another than that of its object.
    """

    type: str | None = None
    package: str  # the generated package that has the type
    is_repeated = False

    def __init__(
        self,
        name: str,
        *,
        when: Expression | None = None,
        to_end: bool = False,
        unset: Expression | None = None,
        valid: Callable[[Node, Any], bool] | None = None,
        looked: bool = False,
        measured: bool = False,
        at: Expression | None = None,
        base: Expression | None = None,
        stream: Expression | None = None,
        size: Expression | None = None,
        count: Expression | None = None,
        args: Mapping[str, Argument] | None = None,
    ) -> None:
        self.name, self.when, self.to_end, self.unset, self.valid = name, when, to_end, unset, valid
        self.looked, self.measured = looked, measured
        self.at, self.base, self.stream = at, base, stream
        self.size, self.count, self.args = size, count, args or {}
        self.passed = tuple(self.args.items())

    @cached_property
    def target(self) -> Type:
        """The type of an object, or of the objects of a repeat."""
        assert self.type is not None
        return type_named(self.package, self.type)

    def takes_bytes(self) -> bool:
        """Return whether it is more than a name for a position."""
        return True

    # -- What the kinds of fields do

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        """Read the field at the position of a stream, into the node and its JSON."""
        raise NotImplementedError

    def write(self, node: Node) -> None:
        """Write the field at the position of the node's stream."""
        raise NotImplementedError

    def packed(self, value: Any, path: str) -> bytes:
        """Return the bytes of a single value. Raises FormatError, with the field's path."""
        raise NotImplementedError

    def to_json(self, value: Any) -> Any:
        """Return the JSON of a value in a Kaitai object; None if there is nothing to show."""
        raise NotImplementedError

    def from_json(self, doc: Any) -> Any:
        """Return the value of JSON; objects stay JSON."""
        raise NotImplementedError

    # -- Reading

    def check_valid(self, node: Node, value: Any, offset: int) -> None:
        """Raise FormatError for a value that is not valid, which is at an offset of the file."""
        if self.valid is not None and not self.valid(node, value):
            raise FormatError(f"{self.name} is {value!r:.60}, which is not valid", offset)

    def read_placed(self, node: Node, doc: dict[str, Any]) -> None:
        """Read an instance at its position; one that cannot be read becomes its error."""
        reading = node._io.reading
        covered, planned = len(reading.covered), len(reading.todo)
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
        except (FormatError, Unresolved, *WRONG) as error:
            doc[self.name] = {"unreadable": str(error)}
            del reading.covered[covered:], reading.todo[planned:]

    # -- Writing

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

    def place(self, node: Node) -> None:
        """Plan an instance at a position: it is written when that is known."""
        target: Target = node._io if self.stream is None else self.stream(node)
        canvas = target.canvas
        assert self.at is not None
        if self.type is None and canvas.parts:
            try:
                if target.base + int(self.at(node)) in canvas.parts:
                    return  # another part describes these bytes
            except Unresolved:
                pass
        if not node._is_set(self.name):
            return
        if self.when is not None:
            canvas.check(lambda: self._problem_of_condition(node))
        canvas.planned += 1
        target.pending.append((self, node))

    def _problem_of_condition(self, node: Node) -> str | None:
        assert self.when is not None
        return None if self.when(node) else self.not_there(node)

    def position(self, node: Node, target: Target) -> int:
        """Return where an instance is written. Raises Unresolved if that is not known yet."""
        assert self.at is not None
        try:
            position = int(self.at(node))
        except Unresolved:
            if self.base is None:
                raise
            self.base(node)
            return target.high
        if position < 0:
            raise FormatError(f"{node._path_of(self.name)}: position {position} is negative")
        return position

    def put(self, node: Node, io: Target, data: bytes) -> None:
        """Write bytes that are one leaf."""
        if io.canvas.leaves is not None:
            io.leaf(node._path_of(self.name), len(data), data)
        io.write(data)

    def finish(self, node: Node, start: int, end: int) -> None:
        """Keep where the field is, and compare that with its size."""
        if self.measured:
            node._extent(self.name, start, end)
        if self.size is not None:
            try:
                if int(self.size(node)) == end - start:
                    return
            except Unresolved:
                pass
            node._io.canvas.check(lambda: self._problem_of_size(node, end - start))

    def _problem_of_size(self, node: Node, found: int) -> str | None:
        assert self.size is not None
        if (expected := int(self.size(node))) == found:
            return None
        return f"{node._path_of(self.name)} takes {found} bytes, its size says {expected}"

    def check_count(self, node: Node, value: Any) -> None:
        """Compare the elements of a repeat with their count."""
        if self.count is None or isinstance(value, bytes):
            return
        found = len(value)
        try:
            if self.count(node) == found:
                return
        except Unresolved:
            pass
        node._io.canvas.check(lambda: self._problem_of_count(node, found))

    def _problem_of_count(self, node: Node, found: int) -> str | None:
        assert self.count is not None
        if max(expected := int(self.count(node)), 0) == found:
            return None
        return f"{node._path_of(self.name)} has {found} elements, its count says {expected}"


class Number(Field):
    """A number."""

    def __init__(self, name: str, kind: Kind, **options: Any) -> None:
        super().__init__(name, **options)
        self.kind = kind

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        start = io.take(self.kind.size)
        (value,) = self.kind.packer.unpack_from(io.data, start)
        node.__dict__[self.name] = value  # what is valid may depend on it by an instance
        if self.valid is not None:
            self.check_valid(node, value, io.base + start)
        if self.kind.is_float:
            io.compare(start, self.kind.pack(value))
            value = values.number_to_json(value, self.kind)
        doc[self.name] = value

    def write(self, node: Node) -> None:
        io: Target = node._io
        start, size, name = io.pos, self.kind.size, self.name
        value = node._given.get(name)
        try:
            if type(value) is not int:
                value = node._value(name)
            node.__dict__[name] = value
        except Unresolved:
            io.hole(node, self)
        else:
            try:
                data = self.kind.pack(value)
            except (struct.error, OverflowError):
                data = self.packed(value, node._path_of(name))
            if io.canvas.leaves is not None:
                io.leaf(node._path_of(name), size, value)
            io.write(data)
        if self.measured:
            node._extent(name, start, start + size)

    def packed(self, value: Any, path: str) -> bytes:
        try:
            return self.kind.pack(value)
        except (struct.error, OverflowError) as error:
            raise FormatError(f"{path}: {value!r} as {self.kind.name}: {error}") from None

    def to_json(self, value: Any) -> Any:
        return values.number_to_json(value, self.kind)

    def from_json(self, doc: Any) -> Any:
        return values.number_from_json(doc, self.kind)


class Integers(Field):
    """Integers that follow one another, read and written at once.

    Args:
        fields: each there without a condition, all of one byte order.
    """

    def __init__(self, *fields: Number) -> None:
        super().__init__(fields[0].name)
        self.fields = fields
        self.names = tuple(field.name for field in fields)
        self.orders = {field.kind.order for field in fields}
        self.order = max(*self.orders, "")
        self.codes = "".join(field.kind.code for field in fields)
        self.packer = struct.Struct(self.order + self.codes)
        self.checks = [field for field in fields if field.valid is not None]

    @staticmethod
    def takes(field: Field) -> TypeGuard[Number]:
        """Return whether it is a plain integer."""
        plain = isinstance(field, Number) and not field.kind.is_float
        return plain and field.when is None and not field.measured

    def goes_on(self, field: Field) -> TypeGuard[Number]:
        """Return whether a field is read and written together with these."""
        return self.takes(field) and len({*self.orders, field.kind.order} - {""}) <= 1

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        start = io.pos
        if start + self.packer.size > io.size:  # the first of them may be there, or not valid
            for field in self.fields:
                field.read(node, io, doc)
            return
        io.pos = start + self.packer.size
        found = dict(zip(self.names, self.packer.unpack_from(io.data, start), strict=True))
        node.__dict__.update(found)
        doc.update(found)
        for field in self.checks:
            if not field.valid(node, found[field.name]):  # type: ignore[misc]
                io.pos = start
                for each in self.fields:
                    each.read(node, io, doc)

    def write(self, node: Node) -> None:
        io: Target = node._io
        given = node._given
        try:
            found = [given[name] for name in self.names]
            if io.canvas.leaves is not None or not INTEGER.issuperset(map(type, found)):
                raise KeyError
            data = self.packer.pack(*found)
        except (KeyError, struct.error):  # one that is computed, or does not fit
            for field in self.fields:
                field.write(node)
            return
        node.__dict__.update(zip(self.names, found, strict=True))
        io.write(data)

    def read_many(self, io: Source, count: int) -> list[dict[str, Any]]:
        """Read records of nothing else; they are their JSON. Raises FormatError."""
        start = io.take(count * self.packer.size)
        names = self.names
        return [
            dict(zip(names, found, strict=True))
            for found in self.packer.iter_unpack(io.data[start : io.pos])
        ]

    def pack_many(self, records: Any) -> bytes | None:
        """Return the bytes of records in JSON; None if there is more to compute or to check."""
        many, names = len(self.names), self.names
        try:
            for record in records:
                if type(record) is not dict or len(record) != many:
                    return None
            found = [record[name] for record in records for name in names]
            if not INTEGER.issuperset(map(type, found)):
                return None
            return struct.pack(self.order + self.codes * len(records), *found)
        except (KeyError, struct.error):
            return None


class Records(Sequence[Node]):
    """The objects of a repeat of records of integers, made when an expression looks into them."""

    def __init__(self, docs: Sequence[dict[str, Any]], node: Node, field: Objects) -> None:
        self.docs, self.node, self.kind = docs, node, field.target.node

    def __len__(self) -> int:
        return len(self.docs)

    def __getitem__(self, i: Any) -> Any:
        found = self.kind(self.node._io, self.node)
        found.__dict__.update(self.docs[i])
        return found


class Numbers(Field):
    """A repeat of numbers."""

    is_repeated = True

    def __init__(self, name: str, kind: Kind, **options: Any) -> None:
        super().__init__(name, **options)
        self.kind = kind

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        size = self.kind.size
        count = (io.size - io.pos + size - 1) // size if self.count is None else self.count(node)
        count = max(int(count), 0)
        start = io.take(count * size)  # no numbers may be anywhere, also beyond the end
        several = self.kind.several(count)
        found = list(struct.unpack_from(several, io.data, start)) if count else []
        if self.valid is not None:
            for i, value in enumerate(found):
                self.check_valid(node, value, io.base + start + i * size)
        node.__dict__[self.name] = found
        if self.kind.is_float:
            io.compare(start, struct.pack(self.kind.several(len(found)), *found))
        doc[self.name] = self.to_json(found) if self.kind.is_float else found

    def write(self, node: Node) -> None:
        io: Target = node._io
        start, kind, value = io.pos, self.kind, node._given.get(self.name)
        if type(value) is not list or kind.is_float or not INTEGER.issuperset(map(type, value)):
            value = node._needed(self.name)
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
        if self.measured:
            node._extent(self.name, start, io.pos)
        self.check_count(node, value)

    def to_json(self, value: Any) -> Any:
        numbers = value.tolist() if hasattr(value, "tolist") else value
        return [values.number_to_json(x, self.kind) for x in numbers]

    def from_json(self, doc: Any) -> Any:
        if not self.kind.is_float and {int}.issuperset(map(type, doc)):
            return doc
        return [values.number_from_json(x, self.kind) for x in doc]


class Bytes(Field):
    """Bytes: `contents`, or of a size, or all to the end of the stream."""

    def __init__(
        self,
        name: str,
        *,
        encoding: str | None = None,
        contents: bytes | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.encoding, self.contents = encoding, contents
        if contents is not None:
            self.unset = lambda s: contents

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        if self.contents is not None:
            size = len(self.contents)
        else:
            size = int(self.size(node)) if self.size is not None else max(io.size - io.pos, 0)
        start = io.take(size)
        value = bytes(io.data[start : io.pos])
        if self.contents is not None and value != self.contents:
            raise FormatError(f"{self.name} is {value!r:.60}, which is not valid", io.base + start)
        node.__dict__[self.name] = value
        doc[self.name] = self.to_json(value)

    def write(self, node: Node) -> None:
        self.write_to(node, node._io, node._needed(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write bytes to a stream."""
        start = io.pos
        self.put(node, io, self.packed(value, self.name))
        node.__dict__[self.name] = value
        self.finish(node, start, io.pos)

    def packed(self, value: Any, path: str) -> bytes:
        if isinstance(value, int) and self.encoding is not None:
            return encode_integer(value, self.encoding)
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        return values.bytes_to_json(self.packed(value, self.name), self.encoding)

    def from_json(self, doc: Any) -> Any:
        return values.encode(doc, self.encoding)


class Object(Field):
    """An object of a type; with `size`, in a window on the stream."""

    def __init__(self, name: str, type: str, *, window: bool = False, **options: Any) -> None:
        super().__init__(name, **options)
        self.type, self.window = type, window or self.size is not None

    def takes_bytes(self) -> bool:
        return bool(self.target.fields)

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        type_ = self.target
        if not type_.fields:
            self.mark(node, io, type_)
            return
        found: dict[str, Any] = {}
        planned = len(io.reading.todo)
        if self.window:
            inner = io.window(
                max(io.size - io.pos, 0) if self.size is None else int(self.size(node))
            )
            child = type_.node(inner, node, self)
            type_.read(child, found)
            io.close(inner)
        else:
            child = type_.node(io, node, self)
            type_.read(child, found)
        if self.looked:
            node.__dict__[self.name] = child
        elif type_.looked and len(io.reading.todo) == planned:
            child._forget()
        doc[self.name] = found

    def mark(self, node: Node, io: Any, type_: Type) -> None:
        """Keep an object that has nothing but its parameters, such as a position."""
        if self.looked:
            node.__dict__[self.name] = type_.node(io, node, self)

    def write(self, node: Node) -> None:
        type_ = self.target
        if not type_.fields:
            self.mark(node, node._io, type_)
            self.finish(node, node._io.pos, node._io.pos)
            return
        self.write_to(node, node._io, node._needed(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write an object, its JSON or its bytes to a stream."""
        assert self.type is not None
        start = io.pos
        if isinstance(value, bytes):
            self.put(node, io, value)
        elif self.window:
            inner = Target(io.canvas, io.base + start)
            self._write_child(node, inner, value)
            inner.settle()
            try:
                length = inner.high if self.size is None else int(self.size(node))
            except Unresolved as error:
                length = inner.high
                if error.name == "_io.size":  # all up to what follows, also bytes of no field
                    end, extra = inner.base + length, io.canvas.extra
                    length += sum(len(gap) for at, gap in extra if at == end)
            if length < inner.high:
                raise FormatError(
                    f"{node._path_of(self.name)} takes {inner.high} bytes, its size says {length}"
                )
            inner.close(length)
            io.skip(length)
        else:
            self._write_child(node, io, value)
        if self.measured or self.size is not None:
            self.finish(node, start, io.pos)

    def _write_child(self, node: Node, io: Target, value: Any) -> None:
        type_ = self.target
        child = type_.node(io, node, self)
        set_fields(child, value)
        if self.looked:
            node.__dict__[self.name] = child
        planned = io.canvas.planned
        type_.write(child)
        if type_.looked and not self.looked and io.canvas.planned == planned:
            child._forget()

    def to_json(self, value: Any) -> Any:
        assert self.type is not None
        if isinstance(value, bytes):
            return {"hex": value.hex()}
        type_ = self.target
        return object_to_json(value, type_) if type_.fields else None

    def from_json(self, doc: Any) -> Any:
        if not isinstance(doc, dict):
            raise FormatError(f"{doc!r:.60} is not an object")
        return doc


class Objects(Field):
    """A repeat of objects.

    Args:
        runs: in JSON, elements that differ in this first field alone, which counts up, are one.
        until: whether an element is the last one.
    """

    is_repeated = True

    def __init__(
        self,
        name: str,
        type: str,
        *,
        runs: str | None = None,
        until: Callable[[Node, Any], bool] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.type, self.runs, self.until = type, runs, until

    def read(self, node: Node, io: Source, doc: dict[str, Any]) -> None:
        type_ = self.target
        count = None if self.count is None else int(self.count(node))
        record = None if self.runs else type_.record
        if record and count and 0 < count <= (io.size - io.pos) // record.packer.size:
            doc[self.name] = records = record.read_many(io, count)
            if self.looked:
                node.__dict__[self.name] = Records(records, node, self)
            return
        docs: list[Any] = []
        children: list[Node] = []
        if self.looked:
            node.__dict__[self.name] = children
        i, is_last = 0, False
        while not is_last and (
            (self.until is not None or io.pos < io.size) if count is None else i < count
        ):
            start = io.pos
            found: dict[str, Any] = {}
            child = type_.node(io, node, self, i)
            planned = len(io.reading.todo)
            type_.read(child, found)
            i += 1
            is_last = self.until is not None and self.until(node, child)
            if self.looked:
                children.append(child)
            elif type_.looked and len(io.reading.todo) == planned:
                child._forget()
            if self.runs is None or count is None:
                docs.append(found)
                continue
            values.add_to_runs(docs, found, self.runs)
            kind = type_.fields[self.runs].kind  # type: ignore[attr-defined]
            if more := values.alike(io.data, start, io.pos, count - i, kind):
                values.add_to_runs(docs, found, self.runs, more)
                io.take(more * (io.pos - start))
                i += more
        doc[self.name] = docs

    def write(self, node: Node) -> None:
        assert self.type is not None
        io: Target = node._io
        value, start = node._needed(self.name), io.pos
        if isinstance(value, bytes):
            io.write(value)
        elif hasattr(value, "offsets") and io.canvas.leaves is None:  # a BytesColumn of records
            io.write(value.join())
        elif (data := self.pack(value, io)) is not None:
            io.write(data)
            if self.looked:
                node.__dict__[self.name] = Records(value, node, self)
        else:
            type_ = self.target
            children: Any = []
            if self.until is not None and not len(value):
                raise FormatError(f"{node._path_of(self.name)} has no element that ends it")
            for i, one in enumerate(value):
                if isinstance(one, bytes):
                    if io.canvas.leaves is not None:
                        io.leaf(f"{node._path_of(self.name)}[{i}]", len(one), one)
                    io.write(one)
                    continue
                child = type_.node(io, node, self, i)
                set_fields(child, one)
                if self.looked:
                    children.append(child)
                    node.__dict__[self.name] = children
                planned = io.canvas.planned
                type_.write(child)
                self.check_last(node, child, i + 1 == len(value))
                if type_.looked and not self.looked and io.canvas.planned == planned:
                    child._forget()
            if self.looked:
                node.__dict__[self.name] = children
        self.finish(node, start, io.pos)
        self.check_count(node, value)

    def pack(self, value: Any, io: Target) -> bytes | None:
        """Return the bytes of records of integers in JSON; None if it is anything else."""
        record = None if io.canvas.leaves is not None else self.target.record
        return None if record is None else record.pack_many(value)

    def check_last(self, node: Node, child: Node, is_last: bool) -> None:
        """Raise FormatError if the last element does not end the repeat, or another one does."""
        if self.until is not None and self.until(node, child) != is_last:
            message = (
                "does not end the repeat" if is_last else "ends the repeat, but is not the last"
            )
            raise FormatError(f"{child._path} {message}")

    def to_json(self, value: Any) -> Any:
        type_ = self.target
        docs: list[Any] = []
        for x in value:
            doc = {"hex": x.hex()} if isinstance(x, bytes) else object_to_json(x, type_)
            if self.runs is None:
                docs.append(doc)
            else:
                values.add_to_runs(docs, doc, self.runs)
        return docs

    def from_json(self, doc: Any) -> Any:
        """Objects stay JSON; a run becomes the bytes of its elements, for there may be millions."""
        if not isinstance(doc, list) or not {dict}.issuperset(map(type, doc)):
            raise FormatError(f"{doc!r:.60} is not a list of objects")
        if self.runs is None:
            return [bytes.fromhex(x["hex"]) if len(x) == 1 and "hex" in x else x for x in doc]
        found: list[Any] = []
        for first, many in values.runs(doc, self.runs):
            if len(first) == 1 and "hex" in first:
                found.append(bytes.fromhex(first["hex"]))
            elif many == 1:
                found.append(first)
            else:
                type_ = self.target
                kind = type_.fields[self.runs].kind  # type: ignore[attr-defined]
                try:
                    found += values.run_of(_bytes_of_json(type_, first), kind, many)
                except struct.error:
                    raise FormatError(f"{many:,} times {self.runs} does not fit") from None
        return found


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
    if not type_.names.issuperset(doc):
        unknown = min(set(doc) - set(type_.fields))
        names = ", ".join(type_.fields)
        raise FormatError(f"{type_.name} has no field {unknown}; it has {names}")


def value_from_json(type_: Type, name: str, doc: Any) -> Any:
    """Return the value of a field in JSON; objects stay JSON. Raises FormatError."""
    try:
        if type(doc) is dict and len(doc) == 1:
            if "unreadable" in doc:
                return None
            if "hex" in doc:
                return bytes.fromhex(doc["hex"])
        return type_.fields[name].from_json(doc)
    except FormatError:
        raise
    except (*WRONG, struct.error) as error:
        raise FormatError(f"{type_.name}.{name}: {error}") from error


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
                    value = getattr(obj, name)
            except (EOFError, *WRONG, KaitaiStructError) as error:
                doc[name] = {"unreadable": str(error)}
                continue
        found = None if value is None else field.to_json(value)
        if found is not None:
            doc[name] = found
    return doc


def write_object(
    canvas: Canvas, at: int, type_: Type, value: Any, params: Mapping[str, Any]
) -> None:
    """Write an object, or its JSON, to a position of the file, with all that it places."""
    root = canvas.root
    root.pos = at
    root.high = max(root.high, at)
    node = type_.node(root)
    set_fields(node, value)
    for name in type_.params:
        found = params.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            node.__dict__[name] = found
    try:
        type_.write(node)
    except Unresolved as error:
        raise FormatError(str(error)) from None


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
    while reading.todo:
        owner, owner_doc, field = reading.todo.pop()
        field.read_placed(owner, owner_doc)
    return doc
