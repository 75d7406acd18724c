"""What the template of writers puts in place: the types of a spec, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .expression import Attribute as Dot
from .expression import (
    Binary,
    Call,
    Name,
    Node,
    Printer,
    names,
    uses,
)
from .load import Attribute, Primitive, Type, UserType, Valid
from .world import World, camel, check_names, docstring

_FUNCTIONS = ("position", "length", "count", "crc32")
_LOOKED_INTO = re.compile(r"\.(\w+)(?=[.\[])")
_MEASURED = re.compile(r'_(?:position|length|crc32)\("([\w.]+)"\)')


@dataclass(frozen=True)
class Source:
    """A number as a function (`_FUNCTIONS`) of another field of its type, less a base."""

    function: str
    path: str
    base: Node | None = None


@dataclass(frozen=True)
class MakeArgument:
    """An argument of `make_TYPE`, and its Python type."""

    name: str
    annotation: str


@dataclass(frozen=True)
class FieldText:
    """A field as a call: the class in `fields`, and its arguments."""

    cls: str
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class WriterType:
    """A type: its fields and values, and the arguments of `make_TYPE`."""

    name: str
    cls: str
    doc: str
    params: tuple[str, ...]
    deciding: tuple[str, ...] | None
    fields: tuple[FieldText, ...]
    values: tuple[tuple[str, str], ...]
    arguments: tuple[MakeArgument, ...]
    inverses: tuple[tuple[str, str, str], ...]  # of a field from an instance, as an expression


@dataclass(frozen=True)
class WriterModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    imports: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]
    types: tuple[WriterType, ...]

    @property
    def classes(self) -> list[str]:
        """The classes of fields that are used."""
        return sorted({field.cls for type_ in self.types for field in type_.fields})


class Writer:
    """The texts of one type."""

    def __init__(self, world: World, type_: Type) -> None:
        self.world, self.type = world, type_
        self.attributes = {a.id: a for a in (*type_.seq, *type_.positioned)}

    def printer(self, *, given: frozenset[str] = frozenset(), last: str = "_") -> Printer:
        """Return how expressions are written: of `given` values what is set, of `_` `last`."""

        def name(text: str) -> str:
            if text == "_":
                return last
            if text == "_index":
                return "i"
            if text in given:
                return f's._asked("{text}")'
            known = text in self.type.names or text[0] == "_"
            if not known and text[:4] == "has_" and text[4:] in self.type.names:
                return f's._is_set("{text[4:]}")'
            if not known:
                raise self.world.fail(
                    self.type, self.type.path, f"no field {text}", "use a field of the type"
                )
            return f"s.{text}"

        def call(node: Call) -> str:
            if node.name not in _FUNCTIONS:
                raise self.world.fail(
                    self.type, self.type.path, f"no function {node.name}", f"use {_FUNCTIONS}"
                )
            return f's._{node.name}("{_path(node.argument)}")'

        return Printer(name=name, enum=self.world.enum(self.type), call=call)

    def text(self, node: Node) -> str:
        return self.printer().print(node)

    def function(self, node: Node) -> str:
        return f"lambda s: {self.text(node)}"

    def field(self, a: Attribute) -> FieldText:
        """The description of a field or positioned instance."""
        if a.position is not None and (a.repeat or isinstance(a.type, Primitive)):
            raise self.world.fail(
                self.type, a.path, "is a number or a repeat at a position", "wrap it in a type"
            )
        options: dict[str, str | None] = {}
        if isinstance(a.type, Primitive):
            cls, first = "Numbers" if a.repeat else "Number", [a.type.packer]
        elif a.type is None:
            cls, first = "Bytes", []
            options["encoding"] = a.encoding and f'"{a.encoding}"'
            options["contents"] = None if a.contents is None else repr(a.contents)
        else:
            [user] = a.users
            cls, first = "Objects" if a.repeat else "Object", [f'"{user.name}"']
            options["args"] = self.arguments(a, user)
            options["window"] = "True" if a.size_eos else None
            options["runs"] = a.runs and f'"{a.runs}"'
            if a.until is not None:
                printer = self.printer(last="x")
                options["until"] = f"lambda s, x: {printer.print(a.until)}"
        expressions = {
            "at": a.position, "stream": a.stream, "when": a.condition,
            "size": a.size, "count": a.repeat_expr,
        }  # fmt: skip
        options |= {key: self.function(node) for key, node in expressions.items() if node}
        if a.condition is not None and uses(a.condition, "eof"):
            options["to_end"] = "True"
        if (offset := self.offset(a)) is not None:
            options["base"] = "lambda s: 0" if offset[1] is None else self.function(offset[1])
        options["valid"] = self.valid(a)
        if a.position is None and (rule := self.unset(a)) is not None:
            options["unset"] = f"lambda s: {rule}"
        found = [f"{key}={text}" for key, text in options.items() if text]
        return FieldText(cls, a.id, (f'"{a.id}"', *first, *found))

    def arguments(self, a: Attribute, user: UserType) -> str | None:
        """What is passed to the parameters of a type."""
        child = self.world.type(user, self.type, a.path)
        pairs = zip(child.params, user.arguments, strict=True)
        parts = [f'"{param.id}": lambda s, i: {self.text(node)}' for param, node in pairs]
        return "{" + ", ".join(parts) + "}" if parts else None

    def valid(self, a: Attribute) -> str | None:
        """A function that checks a value."""
        valid: Valid = a.valid
        bounds = (("==", valid.equal), (">=", valid.least), ("<=", valid.most))
        checks = [f"v {sign} {self.printer().operand(node)}" for sign, node in bounds if node]
        if valid.any_of:
            options = [self.printer().operand(node) for node in valid.any_of]
            several = f"v in ({', '.join(options)})"
            checks.append(several if len(options) > 1 else f"v == {options[0]}")
        return f"lambda s, v: {' and '.join(checks)}" if checks else None

    def offset(self, a: Attribute) -> tuple[str, Node | None] | None:
        """The own field that an instance's position is counted by, and what it is added to."""
        own = {x.id for x in self.type.seq if isinstance(x.type, Primitive)}
        match a.position:
            case Name(name) if name in own:
                return name, None
            case Binary("+", base, Name(name)) | Binary("+", Name(name), base) if name in own:
                return name, base
        return None

    def source(self, a: Attribute) -> Source | None:
        """What an unset number is computed from that uses it: a count, a length or an offset."""
        me = Name(a.id)
        for other in (*self.type.seq, *self.type.positioned):
            if other.repeat_expr == me:
                return Source("count", other.id)
            if other.size == me:
                return Source("length", other.id)
            offset = self.offset(other)
            if offset is not None and offset[0] == a.id:
                return Source("position", other.id, offset[1])
        for other in (*self.type.seq, *self.type.positioned):
            if not isinstance(other.type, UserType):
                continue
            child = self.world.type(other.type, self.type, other.path)
            for param, argument in zip(child.params, other.type.arguments, strict=True):
                if argument == me and (path := self.counted_by(child, param.id)):
                    return Source("count", f"{other.id}.{path}")
        return None

    def inferred(self, a: Attribute) -> str | None:
        """How to compute an unset number from what uses it."""
        source = self.source(a)
        if source is None:
            return None
        base = "" if source.base is None else f" - ({self.text(source.base)})"
        return f's._{source.function}("{source.path}"){base}'

    def counted_by(self, type_: Type, param: str) -> str | None:
        """The repeat of a type that a parameter counts, as a path; an unconditional one first."""
        for a in sorted((*type_.seq, *type_.positioned), key=lambda a: a.condition is not None):
            if a.repeat_expr == Name(param):
                return a.id
            if isinstance(a.type, UserType) and not a.repeat:
                child = self.world.type(a.type, type_, a.path)
                for inner, argument in zip(child.params, a.type.arguments, strict=True):
                    if argument == Name(param) and (path := self.counted_by(child, inner.id)):
                        return f"{a.id}.{path}"
        return None

    def unset(self, a: Attribute) -> str | None:
        """How to compute a field that is unset."""
        rule: str | None = None
        if a.valid.equal is not None:
            rule = self.text(a.valid.equal)
        elif a.value is not None:
            rule = self.text(a.value)
        elif isinstance(a.type, Primitive) and not a.repeat:
            rule = self.inferred(a)
        inverses = [value for value in self.type.values if a.id in value.inverse]
        given = frozenset(value.id for value in inverses)
        for value in inverses:
            text = self.printer(given=given).print(value.inverse[a.id])
            other = rule or f's._asked("{value.id}")'
            rule = f'{text} if s._is_set("{value.id}") else {other}'
        return rule

    def annotation(self, a: Attribute) -> str:
        if isinstance(a.type, Primitive):
            plain = "float" if a.type.is_float else "int"
            return f"Sequence[{plain}] | Any" if a.repeat else plain
        if a.type is None:
            return "bytes"
        child = self.world.class_path(self.world.types[a.users[0].name])
        if a.repeat:
            return f"Sequence[{child} | bytes]"
        return f"{child} | bytes"

    def inverses(self) -> Iterator[tuple[str, str, str]]:
        """Yield fields with the instance that each follows from alone, and how."""
        for v in self.type.values:
            for target, node in v.inverse.items():
                known = {x.id for x in self.type.values if target in x.inverse}
                if not names(node) <= known | {p.id for p in self.type.params}:
                    path = f"{v.path}/-pk-inverse/{target}"
                    message = f"uses more than {v.id}"
                    remedy = f"use that, parameters, and values that have an inverse for {target}"
                    raise self.world.fail(self.type, path, message, remedy)
                if names(node) == {v.id}:
                    printer = Printer(name=lambda name: name, enum=self.world.enum(self.type))
                    yield target, v.id, printer.print(node)


def _path(node: Node) -> str:
    match node:
        case Name(name):
            return name
        case Dot(target, name):
            return f"{_path(target)}.{name}"
    raise ValueError(f"{node} is not a path")


def _texts(type_: WriterType) -> list[str]:
    fields = [text for f in type_.fields for text in f.arguments[1:]]
    return fields + [text for _, text in type_.values]


def _looked(types: list[WriterType]) -> set[str]:
    """The names that expressions look into (`a.b`, `a[i]`)."""
    texts = [text for t in types for text in _texts(t)]
    inside = {
        name for text in texts for path in _MEASURED.findall(text) for name in path.split(".")[:-1]
    }
    return {name for text in texts for name in _LOOKED_INTO.findall(text)} | inside


def _measured(world: World, types: list[WriterType]) -> set[tuple[str, str]]:
    """The fields that functions measure, each with its type."""
    found = set()
    for type_ in types:
        for path in [path for text in _texts(type_) for path in _MEASURED.findall(text)]:
            owner = world.types[type_.name]
            *way, last = path.split(".")
            for name in way:
                a = next(a for a in (*owner.seq, *owner.positioned) if a.id == name)
                owner = world.types[a.type.name]  # type: ignore[union-attr]
            found.add((owner.name, last))
    return found


def _deciding(type_: Type) -> tuple[str, ...] | None:
    """Return the parameters that all conditions of `seq` look at; None if they look at more."""
    values = {value.id: value.value for value in type_.values}
    params = [p.id for p in type_.params]
    used: set[str] = set()
    todo = [a.condition for a in type_.seq if a.condition is not None]
    while todo:
        for name in names(todo.pop()):
            if name in values:
                todo.append(values[name])
            elif name in params:
                used.add(name)
            else:
                return None
    return tuple(name for name in params if name in used)


def _type(world: World, type_: Type) -> WriterType:
    check_names(world, type_)
    w = Writer(world, type_)
    kinds = {"bool": "bool", "f4": "float", "f8": "float"}
    attributes = (*type_.seq, *type_.positioned)
    return WriterType(
        name=type_.name,
        cls=world.class_path(type_),
        doc=docstring(type_.doc, 4),
        params=tuple(p.id for p in type_.params),
        deciding=_deciding(type_),
        fields=tuple(w.field(a) for a in attributes),
        values=tuple((v.id, w.text(v.value)) for v in type_.values),
        arguments=(
            *(MakeArgument(p.id, kinds.get(p.type, "int")) for p in type_.params),
            *(MakeArgument(a.id, w.annotation(a)) for a in attributes),
            *(MakeArgument(v.id, "int") for v in type_.values if v.inverse),
        ),
        inverses=tuple(w.inverses()),
    )


def writer_modules(world: World) -> list[WriterModule]:
    """What the writer template needs of each spec. Raises SpecError."""
    types = {t.name: _type(world, t) for spec in world.specs.values() for t in spec.types}
    looked, measured = _looked(list(types.values())), _measured(world, list(types.values()))

    def marked(type_: str, field: FieldText) -> FieldText:
        marks = ["looked=True"] if field.cls[:6] == "Object" and field.name in looked else []
        marks += ["measured=True"] if (type_, field.name) in measured else []
        return FieldText(field.cls, field.name, (*field.arguments, *marks))

    found = []
    for spec in world.specs.values():
        attributes = [a for t in spec.types for a in (*t.seq, *t.positioned)]
        users = {world.types[a.type.name].spec for a in attributes if isinstance(a.type, UserType)}
        own = [types[t.name] for t in spec.types]
        found.append(
            WriterModule(
                spec=spec.name,
                title=spec.title,
                imports=tuple((name, camel(name)) for name in sorted({*users, spec.name})),
                kinds=tuple(
                    sorted({a.type.packer for a in attributes if isinstance(a.type, Primitive)})
                ),
                types=tuple(
                    replace(t, fields=tuple(marked(t.name, f) for f in t.fields)) for t in own
                ),
            )
        )
    return found
