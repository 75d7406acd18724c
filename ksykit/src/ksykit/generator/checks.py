"""Type checks of the expressions of specs, which also replace methods by what all printers know.

A kind is "int", "float", "bool", "bytes", "str", "io" or "any", or one of the classes below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .expression import (
    MOST_DEPTH,
    MOST_PARTS,
    TOO_DEEP,
    Binary,
    Call,
    Cast,
    Dot,
    EnumValue,
    ExpressionError,
    Index,
    Listed,
    Literal,
    Method,
    Name,
    Node,
    SizeOf,
    Slice,
    Ternary,
    Unary,
    evaluate,
    inlined,
    names,
    sizes,
    uses,
    walk,
)
from .leb128 import check_leb128
from .spec import (
    Attribute,
    Bits,
    Param,
    Primitive,
    Spec,
    SpecError,
    Switch,
    Type,
    UserType,
    Valid,
    Value,
)
from .world import World, codec_of


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
_ORDERED = (*_NUMBERS, "str", "bytes")
_FUNCTIONS = {"position", "length", "count", "crc32", "crc32c"}
_KEYS = {
    "size": ("size", "int"), "condition": ("if", "bool"), "repeat_expr": ("repeat-expr", "int"),
    "position": ("pos", "int"), "stream": ("io", "io"), "value": ("-kit-value", "any"),
}  # fmt: skip
"""The keys of attributes of a field, and the kinds of their expressions."""
_STREAM_POSITION = Dot(Name("_io"), "pos")
"""Of an instance without `pos`."""


def checked(specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return the specs with their expressions checked. Raises SpecError."""
    world = World(specs)
    _check_nesting(world)
    specs_checked = {}
    for name, spec in specs.items():
        types = [_Checker(world, type_).type() for type_ in spec.types]
        specs_checked[name] = replace(spec, types=tuple(types))
    world = World(specs_checked)
    check_leb128(world)
    known: dict[tuple[str, _BitPlace], _BitPlace] = {}
    for type_ in world.types.values():
        _check_end(world, type_)
        _check_window(world, type_)
        _check_bits(world, type_, ("", 0), known)
    return specs_checked


def _check_nesting(world: World) -> None:
    """Refuse types too deep in each other, and too many fields, which what follows walks."""
    known: dict[str, int] = {}
    for start in world.types.values():
        open = [(start, _fields(start))] if start.name not in known else []
        while open:
            where, fields = open[-1]
            known.setdefault(where.name, 0)  # for types that contain themselves
            if (field := next(fields, None)) is None:
                known[where.name] = _count(world, where, known)
                open.pop()
                continue
            path, user = field
            if len(open) > MOST_DEPTH:
                message = f"types are more than {MOST_DEPTH} deep in each other"
                raise world.fail(where, f"{path}/type", message, "flatten them")
            inner = world.type(user, where, path)
            if inner.name not in known:
                open.append((inner, _fields(inner)))


def _count(world: World, type_: Type, known: Mapping[str, int]) -> int:
    """Return the number of fields of a type, with those of the types that it contains."""
    inner = (a.type.name for a in type_.seq if isinstance(a.type, UserType))
    count = len(type_.seq) + sum(known[name] for name in inner)
    if count > MOST_PARTS:
        message = f"has more than {MOST_PARTS:,} fields, with those of types in it"
        raise world.fail(type_, type_.path, message, "contain each type less often")
    return count


def _fields(type_: Type) -> Iterator[tuple[str, UserType]]:
    """Yield the types that a type has fields of, with the paths of the fields."""
    return ((a.path, user) for a in (*type_.seq, *type_.positioned) for user in a.users)


def _check_end(world: World, start: Type) -> None:
    """Refuse a type that always contains itself, and repeats of nothing up to the end."""
    seen, todo = {start.name}, [start]
    for type_ in todo:  # which grows
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
        child = world.types[a.type.name] if isinstance(a.type, UserType) else None
        if child is not None and not child.seq and a.repeat == "eos" and a.size is None:
            message = f"a {child.name} has no bytes"
            raise world.fail(start, f"{a.path}/repeat", message, "give repeat-expr")


def _check_window(world: World, start: Type) -> None:
    """Refuse what is as long as a window says that ends after it: several lengths are right."""
    for a in start.seq:
        is_open = a.terminator is not None and a.size is None
        seen, todo = {start.name}, [world.types[user.name] for user in a.users if is_open]
        for type_ in todo:  # which grows
            values = {v.id: v.value for v in type_.values}
            for one in () if type_.name in seen else type_.seq:
                nodes = [node for node in (one.size, one.repeat_expr) if node is not None]
                if any(uses(inlined(node, values), "size") for node in nodes):
                    message = "asks for the size of a window that a terminator ends"
                    raise world.fail(type_, one.path, message, f"give {a.id} a size")
                todo += [world.types[user.name] for user in one.users if not one.is_window]
            seen.add(type_.name)


_BitPlace = tuple[str, int | None]
"""The order of the last bits, and the place in a byte after them; None if conditions decide."""


def _check_bits(
    world: World, type_: Type, place: _BitPlace, known: dict[tuple[str, _BitPlace], _BitPlace]
) -> _BitPlace:
    """Refuse bits of two orders in one byte: what the compiler's parsers read is undefined."""
    if (type_.name, place) in known:
        return known[type_.name, place]
    start = known[type_.name, place] = place
    for a in type_.seq:
        before, order = place, place[0]
        if isinstance(a.type, Bits):
            order, at = a.type.order, place[1]
            if at != 0 and order != place[0]:
                remedy = "fill the byte before, or write one bit-endian"
                message = "is in a byte of the other bit order"
                raise world.fail(type_, f"{a.path}/type", message, remedy)
            is_whole = at is not None and (not a.repeat or a.type.size % 8 == 0)
            place = order, (at + a.type.size) % 8 if is_whole and at is not None else None
        elif isinstance(a.type, UserType) and not a.is_window:
            for _ in range(2 if a.repeat else 1):
                place = _check_bits(world, world.types[a.type.name], place, known)
        else:
            place = order, 0
        if (a.condition is not None or a.repeat in ("expr", "eos")) and place[1] != before[1]:
            place = place[0], None
    known[type_.name, start] = place
    return place


class _Checker:
    """The expressions of one type."""

    def __init__(self, world: World, type_: Type, open: tuple[str, ...] = ()) -> None:
        self.world, self.where = world, type_
        self.open = open  # the value instances whose kinds are being inferred
        self.element: Kind | None = None
        self.repeated: Name | None = None

    def type(self) -> Type:
        """Return the type with its expressions checked."""
        where = self.where
        for a in (*where.seq, *where.positioned):
            for user in a.users:
                self.world.type(user, where, a.path)
        for param in where.params:
            try:
                self.cast(param.type)
            except ExpressionError as error:
                raise self.fail(f"{param.path}/type", str(error), "define it") from error
        values, known = {v.id: v.value for v in where.values}, dict[str, tuple[int, int]]()
        for path, node in [
            *((a.path, n) for a in (*where.seq, *where.positioned) for n in a.nodes),
            *((f"{v.path}/value", v.value) for v in where.values),
        ]:
            try:
                sizes(node, values, known)
            except ExpressionError as error:
                raise self.fail(path, str(error), "simplify it") from error
        self.check_growing(values)
        return replace(
            where,
            seq=tuple(map(self.attribute, where.seq)),
            positioned=tuple(map(self.attribute, where.positioned)),
            values=tuple(map(self.value, where.values)),
        )

    def check_growing(self, values: Mapping[str, Node]) -> None:
        """Refuse a field that asks how many elements the repeat has that its object is one of."""
        around = [self.world.types[name] for name in self.world.parents.get(self.where.name, ())]
        repeats = {
            a.id
            for t in around
            for a in t.seq
            for u in a.users
            if a.repeat and u.name == self.where.name
        }
        for a in self.where.seq:
            for part in (part for node in a.nodes for part in walk(inlined(node, values))):
                match part:
                    case Dot(Dot(Name("_parent"), name), "size" | "length" | "last"):
                        if name in repeats:
                            message = f"asks for the last of {name} while that is read"
                            raise self.fail(a.path, message, "pass _index as a parameter")

    def attribute(self, a: Attribute) -> Attribute:
        """Return a field with its expressions checked."""
        own, path = self.element_kind(a), a.path
        changes: dict[str, Any] = {
            name: self.check(f"{path}/{key}", getattr(a, name), kind)
            for name, (key, kind) in _KEYS.items()
        }
        if a.position == _STREAM_POSITION and self.is_without_bytes(a):
            changes["position"] = Literal(0)  # as good as any
        changes["valid"] = self.valid(a.valid, own, f"{path}/valid", a.enum)
        if a.repeat == "until":
            self.element = own
            changes["until"] = self.check(f"{path}/repeat-until", a.until, "bool")
            self.element = None
        if a.process is not None:
            arguments = a.process.arguments
            nodes = [self.check(f"{path}/process", node, "int", "bytes") for node in arguments]
            changes["process"] = replace(a.process, arguments=tuple(nodes))
        self.repeated = Name(a.id) if a.repeat else None
        if isinstance(a.type, UserType):
            changes["type"] = self.user(a.type, path)
        elif isinstance(a.type, Switch):
            changes["type"] = self.switch(a.type, path)
        self.repeated = None
        if a.enum is not None:
            if own == "float" or not isinstance(a.type, Primitive | Bits):
                raise self.fail(f"{path}/enum", "is not on integers", "leave it out")
            self.members(a.enum, f"{path}/enum")
        if a.ascending is not None and a.ascending[1] is not None and a.users:
            child = _Checker(self.world, self.world.types[a.users[0].name])
            node = child.check(f"{path}/-kit-ascending", a.ascending[1], "int")
            changes["ascending"] = (a.ascending[0], node)
        return replace(a, **changes)

    def is_without_bytes(self, a: Attribute) -> bool:
        """Return whether elements of a field take no bytes, wherever they are."""
        bits = [self.bits_in(replace(one, repeat=None, condition=None)) for one in a.cases]
        return a.repeat in (None, "expr") and not any(size != 0 for size in bits)

    def valid(self, valid: Valid, own: Kind, path: str, enum: str | None) -> Valid:
        """Return what is valid, of the kind of the field, with its expressions checked."""
        equal: tuple[Kind, ...] = _NUMBERS if own in _NUMBERS else (own,)
        if isinstance(own, Enum):
            equal = (own, "int")
        ordered = equal if own in _ORDERED else ("any",)
        self.element = own
        test = self.check(f"{path}/expr", valid.test, "bool")
        self.element = None
        if valid.in_enum:
            found = self.world.find_enum(self.where, enum) if enum else None
            if found is None:
                raise self.fail(f"{path}/in-enum", "is not on a field of an enum", "leave it out")
            valid = replace(valid, any_of=tuple(map(Literal, sorted(found[1].values()))))
        return Valid(
            test=test,
            equal=self.check(path, valid.equal, *equal),
            least=self.check(f"{path}/min", valid.least, *ordered),
            most=self.check(f"{path}/max", valid.most, *ordered),
            any_of=tuple(self.check(f"{path}/any-of", node, *equal) for node in valid.any_of),
        )

    def user(self, user: UserType, path: str) -> UserType:
        """Return a type with the arguments for its parameters checked."""
        arguments = []
        pairs = zip(self.world.types[user.name].params, user.arguments, strict=True)
        for param, node in pairs:
            try:
                kind = _Checker(self.world, self.world.types[user.name]).cast(param.type)
            except ExpressionError as error:
                raise self.fail(f"{path}/type", f"has a parameter: {error}", "mend it") from None
            wanted = kind if param.enum is None else "any"
            arguments.append(self.check(f"{path}/type", node, wanted))
        return replace(user, arguments=tuple(arguments))

    def switch(self, declared: Switch, path: str) -> Switch:
        """Return the cases of a type, which have values of one kind."""
        on, kind = self.infer(f"{path}/type/switch-on", declared.on)
        values = [self.check(f"{path}/type/cases", value, kind) for value, _ in declared.cases]
        cases = [self.attribute(case) for _, case in declared.cases]
        return Switch(on, tuple(zip(values, cases, strict=True)))

    def value(self, v: Value) -> Value:
        """Return a value instance with its expressions checked."""
        node, kind = self.infer(f"{v.path}/value", v.value)
        if v.enum is not None:
            if kind != "int":
                raise self.fail(f"{v.path}/enum", "is not on an integer", "leave it out")
            self.members(v.enum, f"{v.path}/enum")
        condition, inverse = self.check(f"{v.path}/if", v.condition, "bool"), {}
        for target, formula in v.inverse.items():
            path = f"{v.path}/-kit-inverse/{target}"
            if target not in {a.id for a in self.where.seq}:
                raise self.fail(path, "is not a field of seq", "name one")
            inverse[target] = self.infer(path, formula)[0]
        return replace(v, value=node, condition=condition, inverse=inverse)

    # -- Kinds

    def fail(self, path: str, message: str, remedy: str) -> SpecError:
        """Return the error of this type's spec."""
        return self.world.fail(self.where, path, message, remedy)

    def check(self, path: str, node: Node | None, *kinds: Kind) -> Any:
        """Return the expression, if there is one, which has to be of one of these kinds."""
        if node is None:
            return None
        checked, kind = self.infer(path, node)
        if not any(_fits(kind, wanted) for wanted in kinds):
            wanted = " or ".join(map(_text, kinds))
            raise self.fail(path, f"is {_text(kind)} instead of {wanted}", "write one")
        return checked

    def infer(self, path: str, node: Node) -> tuple[Node, Kind]:
        """Return the expression, with methods replaced, and its kind. Raises SpecError."""
        try:
            return self.kind(node)
        except ExpressionError as error:
            raise self.fail(path, str(error), "use a field of the type") from error
        except RecursionError as error:
            raise self.fail(path, TOO_DEEP, "simplify it") from error

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
        named = self.world.find_enum(self.where, name)
        if named is None:
            raise self.fail(path, f"no enum {name}", "define it")
        return named[0]

    def named(self, type_: Type, name: str) -> Kind | None:
        """Return the kind of what a type has under a name; None if it has none."""
        place = f"{type_.name}.{name}"
        checker = _Checker(self.world, type_, (*self.open, place))
        every: list[Attribute | Param | Value] = [*type_.seq, *type_.positioned, *type_.params]
        one = next((each for each in (*every, *type_.values) if each.id == name), None)
        if isinstance(one, Attribute):
            kind = checker.element_kind(one)
            return Array(kind) if one.repeat else kind
        if one is not None and one.enum is not None:
            return Enum(checker.members(one.enum, type_.path))
        if isinstance(one, Value):
            if place in self.open:
                raise ExpressionError(f"{name} depends on itself")
            kinds: dict[str, Kind] = self.world.kinds
            if place not in kinds:
                kinds[place] = checker.kind(one.value)[1]
            return kinds[place]
        return None if one is None else checker.cast(one.type)

    def parent(self, type_: Type) -> Type | None:
        """Return the only type that has fields of a type."""
        parents = self.world.parents.get(type_.name, set())
        return self.world.types[next(iter(parents))] if len(parents) == 1 else None

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
        kind = self.named(self.where, name)
        if kind is None and name[:4] == "has_":
            name = name[4:]
            kind = "bool" if self.named(self.where, name) else None
        if kind is None:
            raise ExpressionError(f"no field {name}")
        return kind

    def kind(self, node: Node) -> tuple[Node, Kind]:
        """Return the same as `infer`. Raises ExpressionError."""
        match node:
            case Literal(value):
                return node, type(value).__name__
            case Name(name) if name != "_sizeof":
                return node, self.free(name)
            case Listed(items):
                return self.listed(items)
            case EnumValue(enum, member, _):
                named = self.world.find_enum(self.where, enum)
                if named is None or member not in named[1]:
                    raise ExpressionError(f"no enum value {enum}::{member}")
                return EnumValue(enum, member, named[1][member]), Enum(named[0])
            case Cast(target, name):
                return self.casted(target, self.cast(name))
            case SizeOf(name, unit):
                return self.size(self.bits_of(name), unit, name), "int"
            case Name("_sizeof"):
                return self.size(self.bits(self.where), 8, "the type"), "int"
            case Dot(Name("_parent"), "_is_le"):
                around = self.world.parents.get(self.where.name, set())
                if all("_is_le" in self.world.types[name].names for name in around):
                    return node, "bool"
                raise ExpressionError("it is in objects whose byte order is not decided")
            case Dot(target, "_sizeof"):
                return self.size(self.bits_at(target), 8, "the field"), "int"
            case Dot(target, name):
                return self.dot(*self.kind(target), name)
            case Index(target, index):
                found_target, kind = self.kind(target)
                where = self.wanted(index, "int")
                if (element := _element(kind)) is None:
                    raise ExpressionError(f"{_text(kind)} has no elements")
                return Index(found_target, where), element
            case Slice(target, start, end):
                places = self.wanted(start, "int"), self.wanted(end, "int")
                return Slice(self.wanted(target, "str"), *places), "str"
            case Method("undecided", target):
                return Method("undecided", self.kind(target)[0]), "bool"
            case Method("int", target, base):
                return Method("int", self.wanted(target, "str"), base), "int"
            case Method("str", target, encoding):
                codec = codec_of(str(encoding))
                if codec is None:
                    raise ExpressionError(f"no encoding {encoding}")
                return Method("str", self.wanted(target, "bytes"), codec), "str"
            case Call(name, _):
                if name not in _FUNCTIONS:
                    known = ", ".join(sorted(_FUNCTIONS))
                    raise ExpressionError(f"no function {name}: there are {known}")
                return node, "int"
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
                common = _common(a[1], b[1])
                if common is None:
                    raise ExpressionError(f"one of {_text(a[1])} or {_text(b[1])}")
                return Ternary(self.wanted(condition, "bool"), a[0], b[0]), common
        raise ExpressionError(f"{node} is not supported")

    def size(self, bits: int | None, unit: int, what: str) -> Literal:
        """Return a constant size in bytes or bits."""
        if bits is None or bits % unit:
            raise ExpressionError(f"{what} has no fixed size")
        return Literal(bits // unit)

    def bits_of(self, name: str) -> int | None:
        """Return the bits of a type by its name; None if that depends on a file."""
        if number := re.fullmatch(r"[usf]([1248])(le|be)?|b(\d+)(le|be)?", name):
            return 8 * int(number[1]) if number[1] else int(number[3])
        return self.bits(_type_of(self.cast(name)))

    def bits_at(self, target: Node) -> int | None:
        """Return the bits of a field, or of an object; None if that depends on a file."""
        owner = self.where
        if isinstance(target, Dot):
            owner = _type_of(self.kind(target.target)[1]) or owner
        if isinstance(target, Name | Dot):
            fields = (*owner.seq, *owner.positioned)
            one = next((a for a in fields if a.id == target.name), None)
            if one is not None:
                return self.bits_in(one)
        return self.bits(_type_of(self.kind(target)[1]))

    def bits(self, type_: Type | None) -> int | None:
        """Return the bits of all objects of a type; None if they differ, or it is not known."""
        if type_ is None:
            return None
        known = self.world.bits
        if type_.name not in known:
            known[type_.name] = None  # that of a type that contains itself
            total: int | None = 0
            for a in type_.seq:
                bits = self.bits_in(a)
                if bits is None or total is None:
                    total = None
                else:
                    total = bits + (total if isinstance(a.type, Bits) else -(-total // 8) * 8)
            known[type_.name] = total
        return known[type_.name]

    def bits_in(self, a: Attribute) -> int | None:
        """Return the bits of a field; None if that depends on a file."""
        if a.repeat:
            count = None if a.repeat_expr is None else evaluate(a.repeat_expr)
            one = self.bits_in(replace(a, repeat=None))
            return None if count is None or one is None else int(count) * one
        size = None if a.size is None else evaluate(a.size)
        match a.type:
            case _ if a.condition is not None:
                return None
            case Primitive():
                return 8 * a.type.size
            case Bits(bits):
                return bits
            case UserType(name) if not a.is_window:
                return self.bits(self.world.types[name])
        if a.contents is not None:
            return 8 * len(a.contents)
        return None if size is None else 8 * int(size)

    def wanted(self, node: Node, kind: str) -> Node:
        """Return the expression, which has to be of this kind."""
        converted, own = self.kind(node)
        if own not in (kind, "any"):
            raise ExpressionError(f"{_text(own)} instead of {_text(kind)}")
        return converted

    def cast(self, name: str) -> Kind:
        """Return the kind of a name after `as`."""
        if name.endswith("[]"):
            return Array(self.cast(name.removesuffix("[]")))
        if name in _PLAIN:
            return _PLAIN[name]
        if number := re.fullmatch(r"([usf])[1248](le|be)?|b\d+(le|be)?", name):
            return "float" if number[1] == "f" else "int"
        if (type_ := self.world.find_type(self.where, name)) is not None:
            return Object(type_)
        raise ExpressionError(f"no type {name}")

    def listed(self, items: tuple[Node, ...]) -> tuple[Node, Kind]:
        """Return an array, whose elements have one kind."""
        pairs = [self.kind(item) for item in items]
        kind: Kind | None = pairs[0][1] if pairs else None
        for _, other in pairs:
            kind = None if kind is None else _common(kind, other)
        if kind is None:
            raise ExpressionError("the elements of an array are not of one kind")
        return Listed(tuple(item for item, _ in pairs)), Array(kind)

    def casted(self, target: Node, kind: Kind) -> tuple[Node, Kind]:
        """Return what is of the kind that a cast states, which decides what an array is."""
        if isinstance(kind, Array) and isinstance(target, Literal):
            octets = target.value if isinstance(target.value, bytes) else ()
            return Listed(tuple(map(Literal, octets))), kind
        found, own = self.kind(target)
        if isinstance(found, Listed) and kind == "bytes":
            if not _fits(own, Array("int")):
                raise ExpressionError(f"{_text(own)} instead of integers")
            return Method("bytes", found), kind
        return found, kind

    def dot(self, target: Node, kind: Kind, name: str) -> tuple[Node, Kind]:
        """Return what stands after a dot."""
        if isinstance(kind, Object) and name == "_io":
            return Dot(target, name), "io"
        if isinstance(kind, Object) and name == "_parent":
            around = self.parent(kind.type) if kind.type is not None else None
            return Dot(target, name), Object(around)
        if isinstance(kind, Object) and kind.type is not None:
            member = self.named(kind.type, name)
            if member is not None:
                return Dot(target, name), member
            raise ExpressionError(f"no field {name} in {kind.type.name}")
        element = _element(kind)
        match name:
            case "pos" | "size" | "eof" if kind == "io":
                return Dot(target, name), "bool" if name == "eof" else "int"
            case "size" | "length" if target == self.repeated:
                return Name("_index"), "int"  # an element's argument sees those before it
            case "last" if target == self.repeated and element is not None:
                return Index(target, Binary("-", Name("_index"), Literal(1))), element
            case "first" | "last" if element is not None:
                end = Literal(0) if name == "first" else Unary("-", Literal(1))
                return Index(target, end), element
            case "size" if element is not None:
                return Method("len", target), "int"
            case "length" if element is not None or kind == "str":
                return Method("len", target), "int"
            case "min" | "max" if element in _ORDERED:
                return Method(name, target), element
            case "reverse" if kind == "str":
                return Method("reversed", target), "str"
            case "to_i" if kind in ("bool", "float", "str") or isinstance(kind, Enum):
                return Method("int", target), "int"
            case "to_s" if kind == "int":
                return Method("str", target), "str"
        raise ExpressionError(f"{_text(kind)} has no {name} that is supported")

    @staticmethod
    def binary(operator: str, a: tuple[Node, Kind], b: tuple[Node, Kind]) -> tuple[Node, Kind]:
        """Two operands."""
        (left, one), (right, other) = a, b
        known = evaluate(right)
        if known is not None and (
            known == 0 if operator in ("/", "%") else known < 0 and operator in ("<<", ">>")
        ):
            raise ExpressionError(f"{operator} has no value for {known}")
        common = _common(one, other)
        kinds = [each for each in (one, other) if each != "any"]
        kind: Kind | None = "bool"
        match operator:
            case "and" | "or":
                fits = all(each == "bool" for each in kinds)
            case "==" | "!=":
                fits = common is not None and not isinstance(common, Object | Array)
            case "<" | ">" | "<=" | ">=":
                fits = common in (*_ORDERED, "any")
            case "+" if common == "str":
                fits, kind = True, "str"
            case "+" | "-" | "*" | "/" | "%":
                fits, kind = all(each in _NUMBERS for each in kinds), common
                fits &= (operator, kind) != ("%", "float")
                operator = "//." if (operator, kind) == ("/", "float") else operator
            case _:
                fits, kind = all(each == "int" for each in kinds), "int"
        if not fits or kind is None:
            raise ExpressionError(f"{operator} is not for {_text(one)} and {_text(other)}")
        return Binary(operator, left, right), kind


def _type_of(kind: Kind) -> Type | None:
    return kind.type if isinstance(kind, Object) else None


_PLAIN: dict[str, Kind] = {
    "bool": "bool", "b1": "bool", "str": "str", "bytes": "bytes", "io": "io",
    "struct": Object(None), "any": "any",
}  # fmt: skip
"""The kinds of casts and parameters, by the names of their types."""


def _fits(kind: Kind, wanted: Kind) -> bool:
    """Return whether what is of a kind is accepted where another is wanted."""
    match kind, wanted:
        case Array(element), Array(other):
            return _fits(element, other)
        case Object(type_), Object(other_type):
            return None in (type_, other_type) or type_ is other_type
    return kind == wanted or "any" in (kind, wanted) or (kind, wanted) == ("int", "float")


def _element(kind: Kind) -> Kind | None:
    """Return the kind of the elements of an array or of bytes."""
    return kind.element if isinstance(kind, Array) else "int" if kind == "bytes" else None


def _common(a: Kind, b: Kind) -> Kind | None:
    """Return the kind of what is of one of two kinds; None if they are not alike."""
    if a == b or b == "any":
        return a
    if a == "any":
        return b
    if a in _NUMBERS and b in _NUMBERS:
        return "float"
    return Object(None) if isinstance(a, Object) and isinstance(b, Object) else None


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
