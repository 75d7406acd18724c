"""What the template of serializers puts in place: objects to bytes."""

from __future__ import annotations

from dataclasses import dataclass

from .expression import Attribute as Dot
from .expression import (
    Binary,
    Call,
    Name,
    Node,
    Printer,
    uses,
)
from .load import Attribute, Primitive, Spec, Type, UserType
from .world import World, camel, check_names, docstring

_FUNCTIONS = ("position", "length", "count", "crc32")


@dataclass(frozen=True)
class MakeArgument:
    """An argument of `make_TYPE`, and Python's type."""

    name: str
    annotation: str


@dataclass(frozen=True)
class SerializerType:
    """How objects of a type are made and written; `items` are entries of the runtime's table."""

    name: str
    cls: str
    doc: str
    constant: str
    params: tuple[MakeArgument, ...]
    fields: tuple[MakeArgument, ...]
    placed: tuple[MakeArgument, ...]
    given: tuple[MakeArgument, ...]
    statements: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    unset: tuple[tuple[str, str], ...]
    items: tuple[str, ...]


@dataclass(frozen=True)
class SerializerModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    cls: str
    imports: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    runtime: tuple[str, ...]
    types: tuple[SerializerType, ...]


class _Serializer:
    def __init__(self, world: World, type_: Type) -> None:
        self.world, self.type = world, type_
        self.attributes = {a.id: a for a in (*type_.seq, *type_.positioned)}

    def printer(self, *, given: frozenset[str] = frozenset()) -> Printer:
        def name(text: str) -> str:
            if text == "_index":
                return "i"
            if text in given:
                return f's._given("{text}")'
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

    def thunk(self, node: Node) -> str:
        return f"lambda: {self.text(node)}"

    def params(self, user: UserType, child: Type) -> str:
        """Arguments as a dict. The position is told now, the rest when asked for."""
        parts = []
        for param, node in zip(child.params, user.arguments, strict=True):
            text = self.text(node)
            parts.append(f'"{param.id}": ' + (text if uses(node, "pos") else f"lambda i: {text}"))
        return "{" + ", ".join(parts) + "}"

    def statements(self) -> list[str]:
        lines: list[str] = []
        for attribute in self.type.seq:
            lines += self.guarded(attribute, self.write(attribute))
        for attribute in self.type.positioned:
            lines.append(self.place(attribute))
        return lines or ["del s"]

    def guarded(self, attribute: Attribute, line: str) -> list[str]:
        if attribute.condition is None:
            return [line]
        if uses(attribute.condition, "eof"):
            return [f'if s.given("{attribute.id}"):', f"    {line}"]
        return [f'if s.when("{attribute.id}", {self.thunk(attribute.condition)}):', f"    {line}"]

    def write(self, a: Attribute) -> str:
        count = "None" if a.repeat_expr is None else self.thunk(a.repeat_expr)
        if isinstance(a.type, Primitive):
            if a.repeat:
                return f's.numbers("{a.id}", {a.type.packer}, {count})'
            return f's.number("{a.id}", {a.type.packer})'
        size = "" if a.size is None else f", {self.thunk(a.size)}"
        if a.type is None:
            return f's.bytes("{a.id}"{size})'
        child = self.world.type(a.type, self.type, a.path)
        params = self.params(a.type, child)
        if a.repeat:
            return f's.objects("{a.id}", "{child.name}", {params}, {count})'
        return f's.object("{a.id}", "{child.name}", {params}{size})'

    def place(self, a: Attribute) -> str:
        assert a.position is not None
        if a.repeat or isinstance(a.type, Primitive):
            raise self.world.fail(
                self.type, a.path, "is a number or a repeat at a position", "wrap it in a type"
            )
        parts = [f'"{a.id}"', self.thunk(a.position)]
        if (offset := self.offset(a)) is not None:
            base = "lambda: 0" if offset[1] is None else self.thunk(offset[1])
            parts.append(f"base={base}")
        if a.size is not None:
            parts.append(f"size={self.thunk(a.size)}")
        if isinstance(a.type, UserType):
            child = self.world.type(a.type, self.type, a.path)
            parts.append(f'type_="{child.name}", params={self.params(a.type, child)}')
        if a.condition is not None:
            parts.append(f"condition={self.thunk(a.condition)}")
        if a.stream is not None:
            parts.append(f"stream={self.thunk(a.stream)}")
        return f"s.place({', '.join(parts)})"

    def offset(self, a: Attribute) -> tuple[str, Node | None] | None:
        """The own field that an instance's position is counted by, and what it is added to."""
        own = {x.id for x in self.type.seq if isinstance(x.type, Primitive)}
        match a.position:
            case Name(name) if name in own:
                return name, None
            case Binary("+", base, Name(name)) | Binary("+", Name(name), base) if name in own:
                return name, base
        return None

    def inferred(self, a: Attribute) -> str | None:
        """How to compute an unset number from what uses it: a count, a length or an offset."""
        me = Name(a.id)
        for other in (*self.type.seq, *self.type.positioned):
            if other.repeat_expr == me:
                return f's._count("{other.id}")'
            if other.size == me:
                return f's._length("{other.id}")'
            offset = self.offset(other)
            if offset is not None and offset[0] == a.id:
                base = "" if offset[1] is None else f" - ({self.text(offset[1])})"
                return f's._position("{other.id}"){base}'
        for other in (*self.type.seq, *self.type.positioned):
            if not isinstance(other.type, UserType):
                continue
            child = self.world.type(other.type, self.type, other.path)
            for param, argument in zip(child.params, other.type.arguments, strict=True):
                if argument == me and (path := self.counted_by(child, param.id)):
                    return f's._count("{other.id}.{path}")'
        return None

    def counted_by(self, type_: Type, param: str) -> str | None:
        """The repeat of a type that a parameter counts, as a path."""
        for a in (*type_.seq, *type_.positioned):
            if a.repeat_expr == Name(param):
                return a.id
            if isinstance(a.type, UserType) and not a.repeat:
                child = self.world.type(a.type, type_, a.path)
                for inner, argument in zip(child.params, a.type.arguments, strict=True):
                    if argument == Name(param) and (path := self.counted_by(child, inner.id)):
                        return f"{a.id}.{path}"
        return None

    def unset(self) -> list[tuple[str, str]]:
        found = []
        for a in self.type.seq:
            rule: str | None = None
            if a.contents is not None:
                rule = repr(a.contents)
            elif a.valid.equal is not None:
                rule = self.text(a.valid.equal)
            elif a.value is not None:
                rule = self.text(a.value)
            elif isinstance(a.type, Primitive) and not a.repeat:
                rule = self.inferred(a)
            for value in self.type.values:
                if a.id in value.inverse:
                    text = self.printer(given=frozenset({value.id})).print(value.inverse[a.id])
                    other = rule or f's._given("{value.id}")'
                    rule = f'{text} if s._is_set("{value.id}") else {other}'
            if rule is not None:
                found.append((a.id, rule))
        return found

    def item(self, a: Attribute) -> str:
        parts = [f'"{a.id}"']
        if isinstance(a.type, Primitive):
            parts += [f'"{"numbers" if a.repeat else "number"}"', f"number={a.type.packer}"]
        elif a.type is None:
            parts += ['"bytes"']
        else:
            parts += [f'"{"objects" if a.repeat else "object"}"', f'type="{a.type.name}"']
        if a.encoding is not None:
            parts.append(f'encoding="{a.encoding}"')
        if a.runs is not None:
            parts.append(f'runs="{a.runs}"')
        if a.position is not None:
            parts.append("positioned=True")
        return f"Item({', '.join(parts)})"

    def annotation(self, a: Attribute) -> str:
        if isinstance(a.type, Primitive):
            plain = "float" if a.type.is_float else "int"
            return f"Sequence[{plain}] | Any | None" if a.repeat else f"{plain} | None"
        if a.type is None:
            return "bytes | None"
        child = self.world.class_path(self.world.types[a.type.name])
        if a.repeat:
            return f"list[{child}] | RecordArray | None"
        return f"{child} | bytes | None"


def _path(node: Node) -> str:
    match node:
        case Name(name):
            return name
        case Dot(target, name):
            return f"{_path(target)}.{name}"
    raise ValueError(f"{node} is not a path")


def serializer_module(world: World, spec: Spec) -> SerializerModule:
    """What the serializer template of a spec needs. Raises SpecError."""
    types = []
    numbers: set[str] = set()
    imports: set[str] = set()
    for type_ in spec.types:
        check_names(world, type_)
        s = _Serializer(world, type_)
        attributes = (*type_.seq, *type_.positioned)
        numbers |= {a.type.packer for a in attributes if isinstance(a.type, Primitive)}
        imports |= {
            world.types[a.type.name].spec for a in attributes if isinstance(a.type, UserType)
        }
        kinds = {"bool": "bool", "f4": "float", "f8": "float"}
        types.append(
            SerializerType(
                name=type_.name,
                cls=world.class_path(type_),
                doc=docstring(type_.doc, 4),
                constant=type_.name.upper(),
                params=tuple(
                    MakeArgument(p.id, f"{kinds.get(p.type, 'int')} | None") for p in type_.params
                ),
                fields=tuple(MakeArgument(a.id, s.annotation(a)) for a in type_.seq),
                placed=tuple(MakeArgument(a.id, s.annotation(a)) for a in type_.positioned),
                given=tuple(MakeArgument(v.id, "int | None") for v in type_.values if v.inverse),
                statements=tuple(s.statements()),
                values=tuple((v.id, s.text(v.value)) for v in type_.values),
                unset=tuple(s.unset()),
                items=tuple(s.item(a) for a in attributes),
            )
        )
    imports.discard(spec.name)
    body = " ".join(a.annotation for t in types for a in (*t.fields, *t.placed))
    typing = [n for n in ("RecordArray", "Sequence") if n in body]
    return SerializerModule(
        spec=spec.name,
        title=spec.title,
        cls=camel(spec.name),
        imports=tuple((name, camel(name)) for name in sorted({*imports, spec.name})),
        numbers=tuple(sorted(numbers)),
        runtime=tuple(typing),
        types=tuple(types),
    )
