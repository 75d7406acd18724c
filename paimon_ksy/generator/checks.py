"""Type checks of the expressions of specs, which also replace methods by what all printers know.

A kind is "int", "float", "bool", "bytes", "str", "io" or "any", or one of the classes below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .expression import (
    Binary,
    Call,
    Cast,
    Dot,
    EnumValue,
    ExpressionError,
    Index,
    Literal,
    Method,
    Name,
    Node,
    Ternary,
    Unary,
    names,
)
from .load import (
    NUMBERS,
    Attribute,
    Bits,
    Primitive,
    Spec,
    SpecError,
    Switch,
    Type,
    UserType,
    Value,
)
from .world import World


@dataclass(frozen=True)
class Enum:
    """A number that has names."""

    name: str


@dataclass(frozen=True)
class Object:
    """An object of a type; of None, one that is not known."""

    type: Type | None


@dataclass(frozen=True)
class Array:
    """A repeat."""

    element: Kind


Kind = str | Enum | Object | Array
_NUMBERS = ("int", "float")
_FUNCTIONS = {"position", "length", "count", "crc32", "crc32c"}


def checked(specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return the specs with their expressions checked. Raises SpecError."""
    world = World(specs)
    found = {}
    for name, spec in specs.items():
        types = [_Checker(world, type_).type() for type_ in spec.types]
        found[name] = replace(spec, types=tuple(types))
    _check_ends(World(found))
    for type_ in world.types.values():
        _check_bits(world, type_)
    return found


def _check_ends(world: World) -> None:
    """Refuse types that always contain themselves, and repeats of nothing up to the end."""
    for start in world.types.values():
        seen, todo = set(), [start]
        while todo:
            type_ = todo.pop()
            for a in (*type_.seq, *type_.positioned):
                is_fixed = a.position is None or not names(a.position)
                if a.condition is not None or not is_fixed or a.repeat not in (None, "until"):
                    continue
                for user in a.users if isinstance(a.type, UserType) else ():
                    if user.name == start.name:
                        message = f"a {start.name} always contains another one"
                        raise world.fail(type_, a.path, message, "give `if`")
                    if user.name not in seen:
                        seen.add(user.name)
                        todo.append(world.types[user.name])
        for a in start.seq:
            is_plain = isinstance(a.type, UserType) and a.size is None
            if a.repeat == "eos" and is_plain and not world.types[a.users[0].name].seq:
                message = f"a {a.users[0].name} has no bytes"
                raise world.fail(start, f"{a.path}/repeat", message, "give repeat-expr")


def _check_bits(world: World, type_: Type) -> None:
    """Refuse bits of two orders in one byte: what the compiler's parsers read is undefined."""
    before: Bits | None = None
    place: int | None = 0  # in a byte; None if fields before decide
    for a in type_.seq:
        bits = a.type if isinstance(a.type, Bits) else None
        if bits is None or before is None:
            place = 0
        elif bits.order != before.order and place != 0:
            remedy = "fill the byte before, or write one bit-endian"
            raise world.fail(type_, f"{a.path}/type", "is in a byte of the other bit order", remedy)
        before = bits
        if bits is not None and bits.size % 8:
            is_single = place is not None and a.condition is None and not a.repeat
            place = (place + bits.size) % 8 if is_single and place is not None else None


class _Checker:
    """The expressions of one type."""

    def __init__(self, world: World, type_: Type) -> None:
        self.world, self.where = world, type_
        self.open: list[str] = []
        self.element: Kind | None = None

    def type(self) -> Type:
        """Return the type with its expressions checked."""
        where = self.where
        for group in (where.seq, where.positioned):
            for a in group:
                self.names(a)
        return replace(
            where,
            seq=tuple(map(self.attribute, where.seq)),
            positioned=tuple(map(self.attribute, where.positioned)),
            values=tuple(map(self.value, where.values)),
        )

    def names(self, a: Attribute) -> None:
        """Refuse types that do not exist, and wrong numbers of arguments."""
        for user in a.users:
            self.world.type(user, self.where, a.path)

    def attribute(self, a: Attribute) -> Attribute:
        """Return a field with its expressions checked."""

        def one(key: str, node: Node | None, *kinds: Kind, path: str = a.path) -> Node | None:
            return None if node is None else self.check(f"{path}/{key}", node, kinds)

        valid, own = a.valid, self.element_kind(a)
        is_ordered = own in ("int", "float", "str", "bytes")
        limits: tuple[Kind, ...] = (own,) if own not in _NUMBERS else _NUMBERS
        if isinstance(own, Enum):
            limits = (own, "int")
        found: dict[str, Any] = {
            "size": one("size", a.size, "int"),
            "condition": one("if", a.condition, "bool"),
            "repeat_expr": one("repeat-expr", a.repeat_expr, "int"),
            "position": one("pos", a.position, "int"),
            "stream": one("io", a.stream, "io"),
            "value": one("-pk-value", a.value),
            "valid": replace(
                valid,
                equal=one("valid", valid.equal, *limits),
                least=one("valid/min", valid.least, *(limits if is_ordered else ())),
                most=one("valid/max", valid.most, *(limits if is_ordered else ())),
                any_of=tuple(self.check(f"{a.path}/valid/any-of", n, limits) for n in valid.any_of),
            ),
        }
        if a.repeat == "until" and a.until is not None:
            self.element = own
            found["until"] = one("repeat-until", a.until, "bool")
            self.element = None
        if a.process is not None:
            arguments = [
                self.check(f"{a.path}/process", node, ("int", "bytes"))
                for node in a.process.arguments
            ]
            found["process"] = replace(a.process, arguments=tuple(arguments))
        if isinstance(a.type, UserType):
            found["type"] = self.user(a.type, a.path)
        elif isinstance(a.type, Switch):
            found["type"] = self.switch(a.type, a.path)
        if a.enum is not None:
            if own == "float" or not isinstance(a.type, Primitive | Bits):
                raise self.fail(f"{a.path}/enum", "is not on integers", "leave it out")
            self.members(a.enum, f"{a.path}/enum")
        if a.ascending is not None and a.ascending[1] is not None and a.users:
            child = _Checker(self.world, self.world.types[a.users[0].name])
            node = child.check(f"{a.path}/-pk-ascending", a.ascending[1], ("int",))
            found["ascending"] = (a.ascending[0], node)
        return replace(a, **found)

    def user(self, user: UserType, path: str) -> UserType:
        """Return a type with the arguments for its parameters checked."""
        child = self.world.types[user.name]
        kinds: list[tuple[Kind, ...]] = [
            ("bool",) if p.type == "bool" else _NUMBERS if p.type[0] == "f" else ("int",)
            for p in child.params
        ]
        arguments = []
        for param, node, wanted in zip(child.params, user.arguments, kinds, strict=True):
            if param.enum is not None:
                wanted = ("any",)
            arguments.append(self.check(f"{path}/type", node, wanted))
        return replace(user, arguments=tuple(arguments))

    def switch(self, found: Switch, path: str) -> Switch:
        """Return the cases of a type, which have values of one kind."""
        here = f"{path}/type/switch-on"
        on, kind = self.infer(here, found.on)
        cases = []
        for value, case in found.cases:
            node = None if value is None else self.check(f"{path}/type/cases", value, (kind,))
            cases.append((node, self.attribute(case)))
        return Switch(on, tuple(cases))

    def value(self, v: Value) -> Value:
        """Return a value instance with its expressions checked."""
        node, kind = self.infer(f"{v.path}/value", v.value)
        if v.enum is not None:
            if kind != "int":
                raise self.fail(f"{v.path}/enum", "is not on an integer", "leave it out")
            self.members(v.enum, f"{v.path}/enum")
        condition = v.condition
        if condition is not None:
            condition = self.check(f"{v.path}/if", condition, ("bool",))
        for target in v.inverse:
            if target not in {a.id for a in self.where.seq}:
                raise self.fail(
                    f"{v.path}/-pk-inverse/{target}", "is not a field of seq", "name one"
                )
        inverse = {
            key: self.infer(f"{v.path}/-pk-inverse/{key}", n)[0] for key, n in v.inverse.items()
        }
        return replace(v, value=node, condition=condition, inverse=inverse)

    # -- Kinds

    def fail(self, path: str, message: str, remedy: str) -> SpecError:
        """Return the error of this type's spec."""
        return self.world.fail(self.where, path, message, remedy)

    def check(self, path: str, node: Node, kinds: tuple[Kind, ...]) -> Node:
        """Return the expression, which has to be of one of these kinds if there are any."""
        found, kind = self.infer(path, node)
        if kinds and kind not in kinds and kind != "any" and "any" not in kinds:
            wanted = " or ".join(map(_text, kinds))
            raise self.fail(path, f"is {_text(kind)} instead of {wanted}", "write one")
        return found

    def infer(self, path: str, node: Node) -> tuple[Node, Kind]:
        """Return the expression, with methods replaced, and its kind. Raises SpecError."""
        try:
            return self.kind(node)
        except ExpressionError as error:
            raise self.fail(path, str(error), "use a field of the type") from error

    def element_kind(self, a: Attribute) -> Kind:
        """Return the kind of one element of a field."""
        kind: Kind = "bytes" if a.charset is None else "str"
        match a.type:
            case Primitive() as number:
                kind = "float" if number.is_float else "int"
            case Bits(size):
                kind = "bool" if size == 1 else "int"
            case UserType(name):
                kind = Object(self.world.types[name])
            case Switch(_, cases):
                kinds = [self.element_kind(case) for _, case in cases]
                kind = kinds[0] if all(k == kinds[0] for k in kinds) else Object(None)
        if a.encoding in ("integer-be", "integer-le"):
            kind = "any"
        return kind if a.enum is None else Enum(self.members(a.enum, f"{a.path}/enum"))

    def members(self, name: str, path: str) -> str:
        """Return the name of an enum as its type and its own. Raises SpecError."""
        found = self.world.find_enum(self.where, name)
        if found is None:
            raise self.fail(path, f"no enum {name}", "define it")
        return found[0]

    def named(self, type_: Type, name: str) -> Kind | None:
        """Return the kind of what a type has under a name; None if it has none."""
        checker = self if type_ is self.where else _Checker(self.world, type_)
        for a in (*type_.seq, *type_.positioned):
            if a.id == name:
                kind = checker.element_kind(a)
                return Array(kind) if a.repeat else kind
        for p in type_.params:
            if p.id == name:
                if p.enum is not None:
                    return Enum(checker.members(p.enum, type_.path))
                return p.type if p.type == "bool" else "float" if p.type[0] == "f" else "int"
        for v in type_.values:
            if v.id != name:
                continue
            place = f"{type_.name}.{name}"
            if place in self.open:
                raise ExpressionError(f"{name} depends on itself")
            checker.open = [*self.open, place]
            kind = checker.kind(v.value)[1]
            checker.open = self.open if checker is not self else self.open[:-1]
            return kind if v.enum is None else Enum(checker.members(v.enum, f"{v.path}/enum"))
        return None

    def parent(self, type_: Type) -> Type | None:
        """Return the only type that has fields of a type."""
        found = self.world.parents.get(type_.name, set())
        return self.world.types[next(iter(found))] if len(found) == 1 else None

    def free(self, name: str) -> Kind:
        """Return the kind of a name that stands free."""
        match name:
            case "_io":
                return "io"
            case "_root":
                return Object(self.world.specs[self.where.spec].types[0])
            case "_parent":
                return Object(self.parent(self.where))
            case "_index":
                return "int"
            case "_":
                if self.element is None:
                    raise ExpressionError("_ is for repeat-until")
                return self.element
        if name[:4] == "has_" and self.named(self.where, name) is None:
            name, kind = name[4:], self.named(self.where, name[4:])
            kind = kind and "bool"
        else:
            kind = self.named(self.where, name)
        if kind is None:
            raise ExpressionError(f"no field {name}")
        return kind

    def kind(self, node: Node) -> tuple[Node, Kind]:
        """Return the same as `infer`. Raises ExpressionError."""
        match node:
            case Literal(value):
                kinds = {bool: "bool", int: "int", float: "float", str: "str", bytes: "bytes"}
                return node, kinds[type(value)]
            case Name(name):
                return node, self.free(name)
            case EnumValue(enum, member):
                found = self.world.find_enum(self.where, enum)
                if found is None or member not in found[1]:
                    raise ExpressionError(f"no enum value {enum}::{member}")
                return node, Enum(found[0])
            case Cast(target, name):
                return self.kind(target)[0], self.cast(name)
            case Dot(target, name):
                return self.dot(*self.kind(target), name)
            case Index(target, index):
                found_target, kind = self.kind(target)
                where = self.wanted(index, "int")
                if isinstance(kind, Array) or kind == "bytes":
                    element = kind.element if isinstance(kind, Array) else "int"
                    return Index(found_target, where), element
                raise ExpressionError(f"{_text(kind)} has no elements")
            case Call(name, arguments):
                if name not in _FUNCTIONS:
                    known = ", ".join(sorted(_FUNCTIONS))
                    raise ExpressionError(f"no function {name}: there are {known}")
                return Call(name, arguments), "int"
            case Unary("not", operand):
                return Unary("not", self.wanted(operand, "bool")), "bool"
            case Unary(operator, operand):
                found_operand, kind = self.kind(operand)
                if kind != "any" and (kind not in _NUMBERS or (operator, kind) == ("~", "float")):
                    raise ExpressionError(f"{operator} is not for {_text(kind)}")
                return Unary(operator, found_operand), kind
            case Binary(operator, left, right):
                return self.binary(operator, self.kind(left), self.kind(right))
            case Ternary(condition, then, otherwise):
                a, b = self.kind(then), self.kind(otherwise)
                common = self.common(a[1], b[1])
                if common is None:
                    raise ExpressionError(f"one of {_text(a[1])} or {_text(b[1])}")
                return Ternary(self.wanted(condition, "bool"), a[0], b[0]), common
        raise ExpressionError(f"{node} is not supported")

    def wanted(self, node: Node, kind: str) -> Node:
        """Return the expression, which has to be of this kind."""
        found, own = self.kind(node)
        if own not in (kind, "any"):
            raise ExpressionError(f"{_text(own)} instead of {_text(kind)}")
        return found

    @staticmethod
    def common(a: Kind, b: Kind) -> Kind | None:
        """Return the kind of what is of one of two kinds; None if they are not alike."""
        if a == b or b == "any":
            return a
        if a == "any":
            return b
        if a in _NUMBERS and b in _NUMBERS:
            return "float"
        return Object(None) if isinstance(a, Object) and isinstance(b, Object) else None

    def cast(self, name: str) -> Kind:
        """Return the kind of a name after `as`."""
        name = name.rpartition("::")[2]
        if name in self.world.types:
            return Object(self.world.types[name])
        if name in NUMBERS:
            return "float" if name[0] == "f" else "int"
        if name in ("bool", "str", "bytes"):
            return name
        raise ExpressionError(f"no type {name}")

    def dot(self, target: Node, kind: Kind, name: str) -> tuple[Node, Kind]:
        """Return what stands after a dot."""
        if isinstance(kind, Object) and kind.type is not None:
            if name == "_io":
                return Dot(target, name), "io"
            if name == "_parent":
                return Dot(target, name), Object(self.parent(kind.type))
            found = self.named(kind.type, name)
            if found is not None:
                return Dot(target, name), found
            raise ExpressionError(f"no field {name} in {kind.type.name}")
        if kind == "io" and name in ("pos", "size", "eof"):
            return Dot(target, name), "bool" if name == "eof" else "int"
        if isinstance(kind, Array) or kind == "bytes":
            element: Kind = kind.element if isinstance(kind, Array) else "int"
            if name in ("size", "length"):
                return Method("len", target), "int"
            if name in ("first", "last"):
                end = Literal(0) if name == "first" else Unary("-", Literal(1))
                return Index(target, end), element
        if kind == "str" and name == "length":
            return Method("len", target), "int"
        if (kind == "bool" or isinstance(kind, Enum)) and name == "to_i":
            return Method("int", target), "int"
        if kind == "int" and name == "to_s":
            return Method("str", target), "str"
        raise ExpressionError(f"{_text(kind)} has no {name} that is supported")

    def binary(
        self, operator: str, a: tuple[Node, Kind], b: tuple[Node, Kind]
    ) -> tuple[Node, Kind]:
        """Two operands."""
        (left, one), (right, other) = a, b
        common = self.common(one, other)
        kinds = [each for each in (one, other) if each != "any"]
        kind: Kind | None = None
        if operator in ("and", "or"):
            kind = "bool" if all(each == "bool" for each in kinds) else None
        elif operator in ("==", "!="):
            kind = "bool" if common is not None and not isinstance(common, Object | Array) else None
        elif operator in ("<", ">", "<=", ">="):
            kind = "bool" if common in ("int", "float", "str", "bytes", "any") else None
        elif operator == "+" and common == "str":
            kind = "str"
        elif operator in ("+", "-", "*", "/", "%"):
            kind = common if all(each in _NUMBERS for each in kinds) else None
            if operator == "/" and kind == "float":
                operator = "//."
            if operator == "%" and kind == "float":
                kind = None
        else:
            kind = "int" if all(each == "int" for each in kinds) else None
        if kind is None:
            raise ExpressionError(f"{operator} is not for {_text(one)} and {_text(other)}")
        return Binary(operator, left, right), kind


def _text(kind: Kind) -> str:
    """Return a kind in messages."""
    match kind:
        case Enum(name):
            return f"the enum {name}"
        case Object(type_):
            return f"an object of {type_.name}" if type_ is not None else "some object"
        case Array():
            return "an array"
    words = {"int": "an integer", "float": "a float", "bool": "a boolean", "io": "a stream"}
    return words.get(str(kind), str(kind))
