"""The types of a spec: their fields, and the numbers that follow from other fields.

The generated modules of `structs` describe each type by a class, whose rows become a `Type`. An
expression of the spec is a number, a path of names (`header.num_rows`), or a function of a
`Node`, whose attributes are the fields, parameters and instances of an object.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .errors import FormatError
from .streams import Reading, Source, Unresolved, no_collection

if TYPE_CHECKING:
    from .fields import Field
    from .solving import Node

Function = Callable[["Node"], Any]
Expression = int | str | Function

WRONG = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, MemoryError)
"""What a spec's expressions raise on values that contradict each other."""
_ROLES = {"count": "count", "length": "length", "position": "offset"}


def function(expression: Expression) -> Function:
    """Return an expression as a function of an object."""
    if isinstance(expression, str):
        return attrgetter(expression)
    return expression if callable(expression) else lambda s: expression


class Param:
    """A parameter of a type, and values to draw."""

    def __init__(self, domain: Sequence[Any]) -> None:
        self.domain = domain


class Value:
    """A value instance: what follows from the fields, or what is given to a new object.

    Args:
        value: What follows.
        when: Whether it exists in an object that was read.
        given: Whether fields of a new object follow from it.
        at: The field before which it is computed, and kept, for it asks for the stream's position.
    """

    def __init__(
        self,
        value: Expression,
        *,
        when: Expression | None = None,
        given: bool = False,
        at: str | None = None,
    ) -> None:
        self.function, self.given, self.at = function(value), given, at
        if when is not None:
            of_value, exists = self.function, function(when)

            def get(node: Node) -> Any:
                is_read = node._io is not None and node._io.is_read
                return None if is_read and not exists(node) else of_value(node)

            self.function = get

    def property(self, name: str) -> property:
        """Return it as a property of the class."""
        key = f"_m_{name}"
        if self.at is not None:
            return property(lambda node: self.kept(node, key))
        if not self.given:
            return property(self.function)

        def get(node: Node) -> Any:
            is_new = node._obj is not None and node._obj._io is None
            value = (node._given if is_new else node.__dict__).get(key)
            return self.function(node) if value is None else value

        return property(get, lambda node, value: node.__dict__.__setitem__(key, value))

    def kept(self, node: Node, key: str) -> Any:
        """Return what it was at first; a writer computes it before its field."""
        if key not in node.__dict__:
            if node._io is None or not node._io.is_read:
                raise Unresolved(node, key.removeprefix("_m_"), "is not known yet")
            node.__dict__[key] = self.function(node)
        return node.__dict__[key]


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
        value = None if field.unset is None else field.unset(self.type.cls())
        packed = self[name] = field.packed(value, self.type.paths[name])
        return packed


class Type:
    """A type of the specs.

    Args:
        cls: the class of its objects, whose rows are those of `seq`, after them the instances at a
            position (`at`), and the parameters and value instances.
        name: the name in the spec.
        is_sized: expressions ask for the size of its stream.
    """

    def __init__(self, cls: Any, name: str, *, is_sized: bool = False) -> None:
        rows = {key: row for key, row in vars(cls).items() if hasattr(row, "named")}
        params = {key: row for key, row in vars(cls).items() if isinstance(row, Param)}
        values = {key: row for key, row in vars(cls).items() if isinstance(row, Value)}
        self.cls, self.name, self.is_sized = cls, name, is_sized
        self.node: Callable[..., Node] = cls
        self.domains = {key: row.domain for key, row in params.items()}
        self.params = tuple(self.domains)
        self.computed: Mapping[str, Measure] = vars(cls).get("_derived", {})
        structs, _, self.spec = cls.__module__.rpartition(".")
        self.package = structs.rpartition(".")[0]
        self.fields: dict[str, Field] = {}
        for key, row in rows.items():
            self.fields[key] = row.named(key, self.package)
        for key in (*rows, *params):
            delattr(cls, key)
        for key, row in values.items():
            setattr(cls, key, row.property(key))
        fields = self.fields.values()
        self.names = frozenset(self.fields)
        self.paths = {name_of: f"{name}.{name_of}" for name_of in self.fields}
        self.seq = tuple(field for field in fields if field.at is None)
        self.placed = tuple(field for field in fields if field.at is not None)
        self.looked = tuple(field.name for field in self.seq if field.looked)
        self.measures = [(path, one) for path, each in self.computed.items() for one in each.all]
        for _, measure in self.measures:
            if measure.function == "position":
                self.fields[measure.path].offset = measure
        self.given = tuple(key for key, row in values.items() if row.given)
        self.kept = [(row.at, f"_m_{key}", row) for key, row in values.items() if row.at]
        for field in fields:
            field.is_overlay &= bool(self.seq)
        _BY_NAME[self.package, name] = self

    @cached_property
    def steps(self) -> tuple[Field, ...]:
        """The fields of `seq` that have bytes, or that expressions use."""
        return tuple(f for f in self.seq if f.looked or f.measured or f.takes_bytes())

    @cached_property
    def places_first(self) -> bool:
        """Whether an object of the type places others that are before it."""
        seen = [self]
        for one in seen:  # which grows
            if any(field.first for field in one.placed):
                return True
            inner = [case for field in one.fields.values() for case in field.cases.values()]
            seen += {case.target for case in inner if case.type is not None}.difference(seen)
        return False

    def role_of(self, path: str) -> str:
        """Return what a number below the type is for: count, length, offset, checksum, constant."""
        measure, one = self.computed.get(path), self.fields.get(path)
        if one is not None and one.role:
            return one.role
        return _ROLES[measure.function] if measure is not None else ""

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

    @no_collection()
    def read(
        self, reading: Reading | bytes, at: int = 0, params: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the object at a byte of a file; its instances are read at first use.

        Raises:
            FormatError: The bytes are malformed.
            TypeError: The type has no such parameter.
        """
        if unknown := (params or {}).keys() - self.domains:
            raise TypeError(f"{self.name} has no parameter {min(unknown)}")
        reading = reading if isinstance(reading, Reading) else Reading(reading)
        root = Source(reading, reading.data, 0)
        obj = self.cls(root)
        obj.__dict__.update(params or {})
        reading.work.append(None)
        try:
            with root.moved_to(at):
                self.read_into(obj)
                reading.high = max(reading.high, root.pos)
        except RecursionError:
            raise FormatError(f"{self.name}: objects are nested too deeply", at) from None
        except WRONG as error:
            if isinstance(error, FormatError) and not isinstance(error, Unresolved):
                raise
            raise FormatError(f"{self.name}: {str(error) or repr(error)}", at) from error
        finally:
            reading.work.pop()
        return obj

    def read_into(self, node: Node) -> None:
        """Read the fields of `seq` into an object, from the position of its stream."""
        io: Source = node._io
        for step in self.seq:
            try:
                if step.when is None or step.when(node):
                    step.read(node, io)
            except FormatError as error:
                error.path = error.path or step.path(node)
                raise

    # -- Writing

    def write(self, node: Node) -> None:
        """Write the fields of `seq`, and plan those at a position."""
        for field in self.steps:
            for name, key, value in self.kept:
                if name == field.name:
                    node.__dict__[key] = value.function(node)
            if field.when is None or field.is_there(node):
                field.write(node)
        for field in self.placed:
            field.place(node)


_BY_NAME: dict[tuple[str, str], Type] = {}


@cache
def type_named(package: str, name: str) -> Type:
    """Return a type of a generated package. Raises FormatError if it has none of that name."""
    module = importlib.import_module(f"{package}.structs").MODULE_OF.get(name)
    if module is None:
        raise FormatError(f"no type {name!r}: types have the names that the specs give them")
    importlib.import_module(f"{package}.structs.{module}")
    return _BY_NAME[package, name]


def type_of(obj: Any) -> Type:
    """Return the type of an object, or of a class of objects. Raises FormatError."""
    if isinstance(obj, Type):
        return obj
    cls = obj if isinstance(obj, type) else type(obj)
    type_: Type | None = getattr(cls, "_type", None)
    if type_ is None:
        raise FormatError(f"{cls.__qualname__} is not a type of the specs")
    return type_
