"""All of the generator's logic: from loaded specs to the texts that the templates put in place.

Nothing here knows a format, and no template decides anything.
"""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from .expression import (
    Attribute as Dot,
)
from .expression import (
    Binary,
    Call,
    Constant,
    EnumValue,
    Literal,
    Name,
    Node,
    Printer,
    Ternary,
    Unary,
    evaluate,
    names,
    uses,
    walk,
)
from .load import Attribute, Primitive, Spec, SpecError, Type, UserType, Valid, Value

_FUNCTIONS = ("position", "length", "count", "crc32")


def camel(name: str) -> str:
    """The class name that the compiler makes of a type's name."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@dataclass(frozen=True)
class World:
    """All specs, with look-ups over them."""

    specs: Mapping[str, Spec]

    def __post_init__(self) -> None:
        types = {t.name: t for spec in self.specs.values() for t in spec.types}
        object.__setattr__(self, "types", types)

    types: Mapping[str, Type] = field(init=False)

    def fail(self, type_: Type, path: str, message: str, remedy: str) -> SpecError:
        return SpecError(self.specs[type_.spec].file, path, message, remedy)

    def type(self, user: UserType, where: Type, path: str) -> Type:
        found = self.types.get(user.name)
        known = {where.spec, *self.specs[where.spec].imports}
        if found is None or found.spec not in known:
            raise self.fail(
                where, f"{path}/type", f"no type {user.name}", "define it, or import its spec"
            )
        if len(user.arguments) != len(found.params):
            raise self.fail(
                where,
                f"{path}/type",
                f"{user.name} takes {len(found.params)} parameters, not {len(user.arguments)}",
                "pass one argument for each",
            )
        return found

    def enum(self, where: Type) -> Callable[[EnumValue], int]:
        def number(value: EnumValue) -> int:
            scope = value.enum.split("::")
            for type_ in self.types.values():
                if scope[-1] in type_.enums and (
                    type_.spec == where.spec or type_.spec in self.specs[where.spec].imports
                ):
                    members = type_.enums[scope[-1]]
                    if value.member in members:
                        return members[value.member]
            raise self.fail(
                where, where.path, f"no enum value {value.enum}::{value.member}", "define it"
            )

        return number

    def class_path(self, type_: Type) -> str:
        """As `BitmapIndexV2.BitmapEntryV2`."""
        return ".".join(camel(part) for part in type_.scope)


def docstring(text: str, indent: int) -> str:
    """A doc as the inside of a docstring, indented; '' if there is none."""
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    return textwrap.indent(text, " " * indent).strip()


def _check_names(world: World, type_: Type) -> None:
    """Every free name in the expressions of a type exists."""
    builtin = {"_io", "_parent", "_root", "_index"}
    for attribute in (*type_.seq, *type_.positioned):
        if keyword.iskeyword(attribute.id):
            raise world.fail(type_, attribute.path, "is a Python keyword", "choose another name")
        places: list[tuple[str, Node | None]] = [
            ("size", attribute.size),
            ("if", attribute.condition),
            ("repeat-expr", attribute.repeat_expr),
            ("pos", attribute.position),
            ("io", attribute.stream),
        ]
        if attribute.runs is not None:
            _check_runs(world, type_, attribute)
        if isinstance(attribute.type, UserType):
            world.type(attribute.type, type_, attribute.path)
            places += [("type", argument) for argument in attribute.type.arguments]
        for key, node in places:
            for name in names(node) if node is not None else ():
                if name not in type_.names | builtin:
                    raise world.fail(
                        type_,
                        f"{attribute.path}/{key}",
                        f"no field {name}",
                        "use a field of the type",
                    )
    for value in type_.values:
        for name in names(value.value) | (names(value.condition) if value.condition else set()):
            if name not in type_.names | builtin:
                raise world.fail(type_, value.path, f"no field {name}", "use a field of the type")
        for target in value.inverse:
            if target not in {a.id for a in type_.seq}:
                raise world.fail(
                    type_, f"{value.path}/-inverse/{target}", "is no field of seq", "name one"
                )


def _check_runs(world: World, type_: Type, attribute: Attribute) -> None:
    """An element of a run has its number first, and all else is in it: nothing at a position."""
    path = f"{attribute.path}/-runs"
    if not attribute.repeat or not isinstance(attribute.type, UserType):
        raise world.fail(type_, path, "is not of a repeated type", "leave it out")
    child = world.type(attribute.type, type_, attribute.path)
    first = child.seq[0] if child.seq and not child.params else None
    number = first.type if first is not None and not first.repeat else None
    if first is None or not isinstance(number, Primitive) or first.id != attribute.runs:
        raise world.fail(type_, path, f"is not the first field of {child.name}", "name that")
    if number.is_float or first.condition is not None or first.valid.any_of:
        raise world.fail(type_, path, f"{first.id} is not any integer", "leave it out")
    todo = [child]
    for found in todo:  # which grows
        if found.positioned:
            message = f"{found.name} has instances at positions"
            raise world.fail(type_, path, message, "leave it out")
        todo += [world.types[a.type.name] for a in found.seq if isinstance(a.type, UserType)]


# --- Serializers ---


@dataclass(frozen=True)
class MakeArgument:
    name: str
    annotation: str


@dataclass(frozen=True)
class ItemText:
    """One entry of a type's item table."""

    name: str
    text: str


@dataclass(frozen=True)
class SerializerType:
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
        _check_names(world, type_)
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


# --- Codecs ---


@dataclass(frozen=True)
class Column:
    """A column of a record: a number, or a byte string with the number that is its length.

    `inner`: if the column is a nested object, its field(s): the number's, or the length's and the
    string's. `count`: of a byte string of this size, whose bytes are the numbers.
    """

    name: str
    number: Primitive
    is_text: bool
    length_name: str
    inner: tuple[str, ...]
    nested: str | None
    valid: Valid
    count: int | None = None

    @property
    def size(self) -> int:
        return self.number.size * (1 if self.count is None else self.count)

    @property
    def dtype(self) -> str:
        return self.number.dtype if self.count is None else f"({self.count},){self.number.dtype}"


@dataclass(frozen=True)
class Variant:
    key: int | None
    columns: tuple[Column, ...]

    @property
    def size(self) -> int:
        return sum(c.size for c in self.columns)

    @property
    def text(self) -> Column | None:
        return next((c for c in self.columns if c.is_text), None)


@dataclass(frozen=True)
class Nested:
    column: str
    index: int
    cls: str
    params: tuple[tuple[str, str], ...]
    same_spec: bool


@dataclass(frozen=True)
class ArrayText:
    """What the template needs of a RecordArray class."""

    name: str
    type: str
    cls: str
    doc: str
    params: tuple[str, ...]
    variant: str
    layouts: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    plain: tuple[tuple[str, str], ...]  # with what is its value, of a record's values
    nested: tuple[Nested, ...]
    own_text: str | None
    values: tuple[tuple[str, str, str], ...]
    single: bool


@dataclass(frozen=True)
class ParseText:
    name: str
    cls: str
    params: tuple[str, ...]
    statements: tuple[str, ...]
    public: bool


@dataclass(frozen=True)
class AccessorText:
    name: str
    owner: str
    cls: str
    doc: str
    position: str
    arguments: tuple[tuple[str, str], ...]
    parse: str
    same_spec: bool


@dataclass(frozen=True)
class ExtentText:
    name: str
    instance: str
    owner: str
    position: str
    size: str


@dataclass(frozen=True)
class FunctionText:
    name: str
    arguments: tuple[str, ...]
    body: str
    doc: str


def _integers(type_: Type) -> list[FunctionText]:
    """Of a type that is nothing but an integer of any width: from its bytes, and back."""
    match type_.seq:
        case (Attribute(size_eos=True, encoding="integer-be" | "integer-le" as encoding),):
            return [
                FunctionText(
                    f"encode_{type_.name}",
                    ("number",),
                    f'encode_integer(number, "{encoding}")',
                    f"The bytes of one `{type_.name}`, at least one.",
                ),
                FunctionText(
                    f"decode_{type_.name}",
                    ("data",),
                    f'decode_integer(data, "{encoding}")',
                    f"The integer of one `{type_.name}`. Raises FormatError if it has no bytes.",
                ),
            ]
    return []


@dataclass(frozen=True)
class PackText:
    name: str
    given: tuple[tuple[str, str], ...]  # numbers that have to be given, and Python's type
    repeats: tuple[tuple[str, str], ...]  # with dtype
    packer: str
    numbers: tuple[tuple[str, str], ...]  # what is packed of each


@dataclass(frozen=True)
class CodecModule:
    spec: str
    title: str
    imports: tuple[tuple[str, str], ...]
    codec_imports: tuple[tuple[str, tuple[str, ...]], ...]
    structs: tuple[tuple[str, str], ...]
    dtypes: tuple[tuple[str, str], ...]
    arrays: tuple[ArrayText, ...]
    parses: tuple[ParseText, ...]
    accessors: tuple[AccessorText, ...]
    extents: tuple[ExtentText, ...]
    sizes: tuple[FunctionText, ...]
    functions: tuple[FunctionText, ...]
    packs: tuple[PackText, ...]


def _inline(node: Node, values: Mapping[str, Node]) -> Node:
    """The expression with value instances replaced by what they stand for."""
    match node:
        case Name(name) if name in values:
            return _inline(values[name], values)
        case Unary(operator, operand):
            return Unary(operator, _inline(operand, values))
        case Binary(operator, left, right):
            return Binary(operator, _inline(left, values), _inline(right, values))
        case Ternary(a, b, c):
            return Ternary(_inline(a, values), _inline(b, values), _inline(c, values))
    return node


_BYTE = Primitive("u1", "B", 1, ">")


class _Codec:
    """Decisions about one spec's arrays and readers."""

    def __init__(self, world: World, spec: Spec) -> None:
        self.world, self.spec = world, spec
        self.structs: dict[str, str] = {}
        self.dtypes: dict[str, str] = {}
        self.used: dict[str, set[str]] = {}

    # -- Records

    def condition(
        self, type_: Type, node: Node | None, known: Mapping[str, int]
    ) -> Constant | None:
        if node is None:
            return True
        plain = _inline(node, {v.id: v.value for v in type_.values})
        return evaluate(plain, known.get, self.world.enum(type_))

    def domain(
        self, type_: Type, seen: frozenset[str] = frozenset()
    ) -> tuple[str, set[int]] | None:
        """The parameter that `if`s of a type (or of what it nests) compare with enum values."""
        found: dict[str, set[int]] = {}
        params = {p.id for p in type_.params}
        values = {v.id: v.value for v in type_.values}
        enum = self.world.enum(type_)
        for a in type_.seq:
            for node in walk(_inline(a.condition, values)) if a.condition is not None else ():
                match node:
                    case Binary("==", Name(name), EnumValue() as member) if name in params:
                        found.setdefault(name, set()).add(enum(member))
            if isinstance(a.type, UserType) and not a.repeat and a.type.name not in seen:
                child = self.world.type(a.type, type_, a.path)
                below = self.domain(child, seen | {type_.name})
                if below is not None:
                    at = [p.id for p in child.params].index(below[0])
                    match a.type.arguments[at]:
                        case Name(name) if name in params:
                            found.setdefault(name, set()).update(below[1])
        return next(iter(found.items())) if len(found) == 1 else None

    def columns(
        self, type_: Type, known: Mapping[str, int], *, nest: bool
    ) -> tuple[Column, ...] | None:
        """The columns of a record; None if it is not flat."""
        found: list[Column] = []
        seq = list(type_.seq)
        for a in seq:
            there = self.condition(type_, a.condition, known)
            if there is None or a.repeat or a.contents is not None or a.size_eos:
                return None
            if not there:
                continue
            if isinstance(a.type, Primitive):
                found.append(Column(a.id, a.type, False, "", (), None, a.valid))
            elif a.type is None and isinstance(a.size, Literal) and a.valid == Valid():
                found.append(Column(a.id, _BYTE, False, "", (), None, a.valid, int(a.size.value)))
            elif a.type is None:
                # A byte string right after its length.
                if not found or a.size != Name(found[-1].name) or found[-1].is_text:
                    return None
                last = found.pop()
                found.append(Column(a.id, last.number, True, last.name, (), None, last.valid))
            else:
                child = self.world.type(a.type, type_, a.path)
                if not nest or a.size is not None:
                    return None
                passed = {
                    p.id: v
                    for p, node in zip(child.params, a.type.arguments, strict=True)
                    if (v := evaluate(node, known.get, self.world.enum(type_))) is not None
                }
                inner = self.columns(child, {k: int(v) for k, v in passed.items()}, nest=False)
                if inner is None or len(inner) != 1 or inner[0].count is not None:
                    return None
                [one] = inner
                names_ = (one.length_name, one.name) if one.is_text else (one.name,)
                found.append(
                    replace(one, name=a.id, length_name="", inner=names_, nested=child.name)
                )
        texts = sum(c.is_text for c in found)
        if not found or texts + (texts and any(c.count is not None for c in found)) > 1:
            return None
        return tuple(found)

    def variants(self, type_: Type) -> tuple[str | None, tuple[Variant, ...]] | None:
        """(deciding parameter, shapes) of a flat record; None if the type is not flat."""
        found = self.shapes(type_)
        if found is None:
            return None
        names = {tuple((c.name, c.nested) for c in v.columns) for v in found[1]}
        return found if len(names) == 1 else None

    def shapes(self, type_: Type) -> tuple[str | None, tuple[Variant, ...]] | None:
        """The same, also if other fields are there with another parameter."""
        domain = self.domain(type_)
        keys: Iterable[int | None] = [None] if domain is None else sorted(domain[1])
        found = []
        for key in keys:
            known = {} if domain is None or key is None else {domain[0]: key}
            columns = self.columns(type_, known, nest=True)
            if columns is None:
                return None
            found.append(Variant(key, columns))
        return (None if domain is None else domain[0]), tuple(found)

    def is_record(self, a: Attribute, type_: Type) -> bool:
        if not a.repeat or not isinstance(a.type, UserType):
            return False
        if any("_index" in names(node) or uses(node, "pos") for node in a.type.arguments):
            return False
        return self.variants(self.world.type(a.type, type_, a.path)) is not None

    def array_name(self, type_: Type) -> str:
        name = camel(type_.name) + "Array"
        self.use(type_, name)
        return name

    def use(self, type_: Type, name: str) -> None:
        if type_.spec != self.spec.name:
            self.used.setdefault(type_.spec, set()).add(name)

    def layout(self, variant: Variant) -> str:
        fields = []
        before = 0
        text = variant.text
        seen_text = False
        inner = {}
        checks = []
        for c in variant.columns:
            name = self.raw_name(c)
            fields.append(f'("{name}", "{c.dtype}")')
            if not seen_text:
                before += c.size
            seen_text |= c.is_text
            if c.nested:
                inner[c.name] = c.inner
            if not c.is_text:
                found = _wrong(c.valid, "a", self.world, self.spec.types[0])
                checks += [f'("{name}", lambda a: {wrong})' for wrong in found]
        parts = [f"[{', '.join(fields)}]"]
        if inner:
            parts.append(f"inner={inner!r}")
        if text is not None:
            parts.append(f'text="{text.name}", length="{self.raw_name(text)}", before={before}')
        if checks:
            parts.append(f"checks=({', '.join(checks)},)")
        return f"Layout({', '.join(parts)})"

    def raw_name(self, c: Column) -> str:
        if not c.is_text:
            return c.name
        return f"len({c.name})" if c.nested else c.length_name

    def array(self, type_: Type) -> ArrayText:
        found = self.variants(type_)
        assert found is not None
        deciding, variants = found
        first = variants[0]
        nested = []
        for index, c in enumerate(first.columns):
            if c.nested is None:
                continue
            a = next(x for x in type_.seq if x.id == c.name)
            child = self.world.types[c.nested]
            assert isinstance(a.type, UserType)
            printer = self.object_printer(type_, "self")
            nested.append(
                Nested(
                    c.name,
                    index,
                    self.world.class_path(child),
                    tuple(
                        (p.id, printer.print(node))
                        for p, node in zip(child.params, a.type.arguments, strict=True)
                    ),
                    child.spec == type_.spec,
                )
            )
        own_text = next((c.name for c in first.columns if c.is_text and not c.nested), None)
        plain = tuple(
            (self.raw_name(c), f"values[{i}]" if c.count is None else f"bytes(values[{i}])")
            for i, c in enumerate(first.columns)
            if c.nested is None
        )
        columns = tuple(c.name for c in first.columns)
        known = {*columns, *(n for n, _ in plain), *(p.id for p in type_.params)}
        values = []
        for v in type_.values:
            plain_value = _inline(v.value, {x.id: x.value for x in type_.values})
            own = names(plain_value) <= known and all(
                isinstance(n, Name | Literal | Unary | Binary | Ternary | EnumValue)
                for n in walk(plain_value)
            )
            if own:
                printer = self.object_printer(type_, "self", vector=True)
                values.append((v.id, printer.print(v.value), docstring(v.doc, 8)))
        return ArrayText(
            name=camel(type_.name) + "Array",
            type=type_.name,
            cls=self.world.class_path(type_),
            doc=docstring(type_.doc, 4),
            params=tuple(p.id for p in type_.params),
            variant=deciding or "None",
            layouts=tuple((str(v.key), self.layout(v)) for v in variants),
            columns=columns,
            plain=plain,
            nested=tuple(nested),
            own_text=own_text,
            values=tuple(values),
            single=len(variants) == 1,
        )

    # -- Reading

    def object_printer(self, type_: Type, owner: str, *, vector: bool = False) -> Printer:
        """Expressions on an object; instances at a position are read by their accessors."""
        numbers = {a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat}
        accessors = {a.id for a in type_.positioned if self.has_accessor(a, type_)}

        def name(text: str) -> str:
            if text == "_index":
                return "i"
            if text in accessors:
                return f"{self.accessor_name(type_, text)}({owner})"
            if vector and text in numbers:
                return f"wide({owner}.{text})"
            return f"{owner}.{text}"

        def attribute(node: Dot) -> str | None:
            if node == Dot(Name("_io"), "pos"):
                return "r.pos"
            if node == Dot(Name("_io"), "eof"):
                return "r.eof"
            if node == Dot(Name("_io"), "size"):
                return "r.end"
            return None

        return Printer(name=name, enum=self.world.enum(type_), vector=vector, attribute=attribute)

    def has_repeat(self, type_: Type, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a repeat stands in a type or in what it nests in its seq."""
        return type_.name not in seen and any(
            a.repeat
            or (
                isinstance(a.type, UserType)
                and self.has_repeat(self.world.types[a.type.name], seen | {type_.name})
            )
            for a in type_.seq
        )

    def readable(self, type_: Type, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a reader can be generated: no windows on the stream in its seq."""
        if type_.name in seen:
            return False
        for a in type_.seq:
            if isinstance(a.type, UserType):
                if a.size is not None or a.size_eos:
                    return False
                child = self.world.type(a.type, type_, a.path)
                if not self.readable(child, seen | {type_.name}):
                    return False
                if a.repeat == "eos" and not self.is_record(a, type_):
                    return False
        return True

    def has_accessor(self, a: Attribute, type_: Type) -> bool:
        if not isinstance(a.type, UserType) or a.size is not None or a.stream is not None:
            return False
        child = self.world.type(a.type, type_, a.path)
        return self.has_repeat(child) and self.readable(child)

    def accessor_name(self, type_: Type, name: str) -> str:
        owners = [
            t
            for t in self.world.specs[type_.spec].types
            for a in t.positioned
            if a.id == name and self.has_accessor(a, t)
        ]
        return name if len(owners) == 1 else f"{type_.name}_{name}"

    def struct(self, numbers: list[Primitive]) -> str:
        orders = {n.order for n in numbers if n.size > 1}
        order = orders.pop() if len(orders) == 1 else ">"
        codes = order + "".join(n.code for n in numbers)
        name = "_" + "_".join(n.packer for n in numbers)
        self.structs[name] = codes
        return name

    def parse(self, type_: Type) -> ParseText:
        lines: list[str] = []
        seq = list(type_.seq)
        while seq:
            group = self.group(seq)
            if len(group) > 1 or (group and not group[0].repeat):
                lines += self.unpack(type_, group)
                seq = seq[len(group) :]
            else:
                lines += self.parse_one(type_, seq.pop(0))
        return ParseText(
            name=type_.name,
            cls=self.world.class_path(type_),
            params=tuple(p.id for p in type_.params),
            statements=tuple(lines or ["del x, r"]),
            public=self.has_repeat(type_),
        )

    def group(self, seq: list[Attribute]) -> list[Attribute]:
        """The fixed-size numbers at the head of seq that can be read together."""
        found: list[Attribute] = []
        for a in seq:
            if not isinstance(a.type, Primitive) or a.repeat or a.condition is not None:
                break
            orders = {
                n.type.order for n in found if isinstance(n.type, Primitive) and n.type.size > 1
            }
            if a.type.size > 1 and orders and a.type.order not in orders:
                break
            found.append(a)
        return found

    def unpack(self, type_: Type, group: list[Attribute]) -> list[str]:
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        packer = self.struct(numbers)
        size = sum(n.size for n in numbers)
        targets = ", ".join(f"x.{a.id}" for a in group) + ("," if len(group) == 1 else "")
        lines = [f"at = r.take({size})", f"{targets} = {packer}.unpack_from(r.buffer, at)"]
        for a in group:
            lines += self.validity(type_, a)
        return lines

    def validity(self, type_: Type, a: Attribute) -> list[str]:
        assert isinstance(a.type, Primitive)
        lines = []
        for wrong in _wrong(a.valid, f"x.{a.id}", self.world, type_):
            lines.append(f"if {wrong}:")
            lines.append(f'    raise invalid("{a.id}", x.{a.id}, r)')
        return lines

    def parse_one(self, type_: Type, a: Attribute) -> list[str]:
        printer = self.object_printer(type_, "x")
        lines: list[str]
        target = f"x.{a.id}"
        if isinstance(a.type, Primitive):
            if a.repeat:
                constant = self.dtype(type_, a)
                count = (
                    printer.print(a.repeat_expr)
                    if a.repeat_expr is not None
                    else f"r.remaining_count({a.type.size})"
                )
                lines = [f"{target} = r.numbers({constant}, {count})"]
            else:
                lines = self.unpack(type_, [replace(a, condition=None)])
        elif a.type is None:
            if a.contents is not None:
                lines = [
                    f"{target} = r.raw({len(a.contents)})",
                    f"if {target} != {a.contents!r}:",
                    f'    raise invalid("{a.id}", {target}, r)',
                ]
            elif a.size is not None:
                lines = [f"{target} = r.raw({printer.print(a.size)})"]
            else:
                lines = [f"{target} = r.rest()"]
        else:
            lines = self.parse_object(type_, a, a.type, printer)
        if a.condition is None:
            return lines
        return [f"if {printer.print(a.condition)}:", *("    " + s for s in lines)]

    def parse_object(
        self, type_: Type, a: Attribute, user: UserType, printer: Printer
    ) -> list[str]:
        child = self.world.type(user, type_, a.path)
        arguments = [printer.print(node) for node in user.arguments]
        target = f"x.{a.id}"
        parent = "x" if child.spec == type_.spec else "None"
        count = printer.print(a.repeat_expr) if a.repeat_expr is not None else None
        if self.is_record(a, type_):
            variants = self.variants(child)
            assert variants is not None
            if count is None:
                smallest = min(v.size for v in variants[1])
                if any(v.text for v in variants[1]) or len({v.size for v in variants[1]}) > 1:
                    raise self.world.fail(
                        type_, a.path, "repeats records of many sizes to the end", "give a count"
                    )
                count = f"r.remaining_count({smallest})"
            name = self.array_name(child)
            extra = "".join(f", {x}" for x in arguments)
            return [f"{target} = {name}.of_reader(r, {count}{extra})", f"{target}.place_in(x)"]
        cls = self.world.class_path(child)
        self.use(child, f"parse_{child.name}")
        params = "".join(f", {p.id}={x}" for p, x in zip(child.params, arguments, strict=True))
        make = f"fresh({cls}, x, {parent}{params})"
        used = {"i"} if any("_index" in names(node) for node in user.arguments) else set()
        if not a.repeat:
            return [f"{target} = {make}", f"parse_{child.name}({target}, r)"]
        return [
            f"{target} = []",
            f"for i in range({count}):" if "i" in used else f"for _ in range({count}):",
            f"    item = {make}",
            f"    parse_{child.name}(item, r)",
            f"    {target}.append(item)",
        ]

    def dtype(self, type_: Type, a: Attribute) -> str:
        assert isinstance(a.type, Primitive)
        name = f"{type_.name}_{a.id}".upper()
        self.dtypes[name] = f'"{a.type.dtype}"'
        return name

    # -- Sizes

    def fixed_size(self, type_: Type) -> int | None:
        found = self.variants(type_)
        if found is None or len(found[1]) != 1 or found[1][0].text is not None:
            return None
        return found[1][0].size

    def sizeof(self, type_: Type) -> FunctionText | None:
        """The size of a type as an expression of its parameters and numbers, if it is one."""
        terms = []
        own = {a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat}
        params = [p.id for p in type_.params]
        used: set[str] = set()

        def name(text: str) -> str:
            if text not in own and text not in params:
                raise KeyError(text)
            used.add(text)
            return f"wide({text})"

        printer = Printer(name=name, enum=self.world.enum(type_), vector=True)
        try:
            for a in type_.seq:
                count = printer._wrap(a.repeat_expr, 10) if a.repeat_expr is not None else None
                if a.repeat == "eos" or a.size_eos:
                    return None
                if isinstance(a.type, Primitive):
                    term = f"{count} * {a.type.size}" if count else str(a.type.size)
                elif a.type is None:
                    term = (
                        str(len(a.contents))
                        if a.contents is not None
                        else printer.print(a.size or Literal(0))
                    )
                else:
                    size = self.fixed_size(self.world.types[a.type.name])
                    if size is None:
                        return None
                    term = f"{count} * {size}" if count else str(size)
                if a.condition is not None:
                    term = f"choose({printer.print(a.condition)}, {term}, 0)"
                terms.append(term)
        except KeyError:
            return None
        if not used:
            return None
        order = [*params, *(a.id for a in type_.seq)]
        return FunctionText(
            f"sizeof_{type_.name}",
            tuple(sorted(used, key=order.index)),
            " + ".join(terms),
            f"Bytes of a `{type_.name}`; integers or arrays of them.",
        )

    # -- The module

    def module(self) -> CodecModule:
        types = self.spec.types
        repeated = {
            a.type.name
            for spec in self.world.specs.values()
            for t in spec.types
            for a in t.seq
            if isinstance(a.type, UserType) and self.is_record(a, t)
        }
        arrays = tuple(self.array(t) for t in types if t.name in repeated)
        needed = self.needed_parsers()
        parses = tuple(self.parse(t) for t in types if t.name in needed)
        accessors, extents, inverses = [], [], []
        for t in types:
            for a in t.positioned:
                extents.append(self.extent(t, a))
                if self.has_accessor(a, t):
                    accessors.append(self.accessor(t, a))
            for v in t.values:
                inverses += self.inverse(t, v)
        integers = [f for t in types for f in _integers(t)]
        sizes = [f for t in types if (f := self.sizeof(t)) is not None]
        packs = [p for t in types if (p := self.pack(t)) is not None]
        classes = {t.split(".")[0] for t in self.classes(arrays, parses, accessors)}
        for t in types:
            for a in t.seq if t.name in needed else ():
                if isinstance(a.type, UserType) and not self.is_record(a, t):
                    nested = self.world.class_path(self.world.types[a.type.name])
                    classes.add(nested.split(".")[0])
        by_class = {camel(name): name for name in self.world.specs}
        return CodecModule(
            spec=self.spec.name,
            title=self.spec.title,
            imports=tuple(sorted((by_class[c], c) for c in classes)),
            codec_imports=tuple(
                (name, tuple(sorted(found))) for name, found in sorted(self.used.items())
            ),
            structs=tuple(sorted(self.structs.items())),
            dtypes=tuple(self.dtypes.items()),
            arrays=arrays,
            parses=parses,
            accessors=tuple(accessors),
            extents=_unique(extents),
            sizes=tuple(sizes),
            functions=tuple(dict.fromkeys((*inverses, *integers))),
            packs=tuple(packs),
        )

    def pack(self, type_: Type) -> PackText | None:
        """How to write a type of numbers, and flat repeats after them, that no other type uses."""
        every = [t for spec in self.world.specs.values() for t in spec.types]
        used = {
            a.type.name
            for t in every
            for a in (*t.seq, *t.positioned)
            if isinstance(a.type, UserType)
        }
        head = self.group(list(type_.seq))
        numbers = [a.type for a in head if isinstance(a.type, Primitive)]
        repeats = type_.seq[len(head) :]
        alone = type_.name not in used and type_.name != self.spec.name
        if not alone or not numbers or not all(self.is_packed(type_, a) for a in repeats):
            return None
        known = {
            a.repeat_expr.name: f"len({a.id})"
            for a in reversed(repeats)
            if isinstance(a.repeat_expr, Name)
        } | {a.id: repr(a.valid.equal.value) for a in head if isinstance(a.valid.equal, Literal)}
        return PackText(
            type_.name,
            tuple(
                (a.id, "float" if number.is_float else "int")
                for a, number in zip(head, numbers, strict=True)
                if a.id not in known
            ),
            tuple((a.id, self.packed_dtype(type_, a)) for a in repeats),
            self.struct(numbers),
            tuple((a.id, known.get(a.id, a.id)) for a in head),
        )

    def is_packed(self, type_: Type, a: Attribute) -> bool:
        """Whether it is as many numbers, or records of one size, as a field of the type tells."""
        if not isinstance(a.repeat_expr, Name) or a.condition is not None:
            return False
        return isinstance(a.type, Primitive) or (
            self.is_record(a, type_)
            and isinstance(a.type, UserType)
            and self.fixed_size(self.world.types[a.type.name]) is not None
        )

    def packed_dtype(self, type_: Type, a: Attribute) -> str:
        if isinstance(a.type, Primitive):
            return self.dtype(type_, a)
        assert isinstance(a.type, UserType)
        found = self.variants(self.world.types[a.type.name])
        assert found is not None
        name = f"{type_.name}_{a.id}".upper()
        columns = ", ".join(f'("{c.name}", "{c.dtype}")' for c in found[1][0].columns)
        self.dtypes[name] = f"[{columns}]"
        return name

    def classes(
        self,
        arrays: Iterable[ArrayText],
        parses: Iterable[ParseText],
        accessors: Iterable[AccessorText],
    ) -> list[str]:
        found = [a.cls for a in arrays] + [n.cls for a in arrays for n in a.nested]
        found += [a.cls for a in accessors]
        found += [p.cls for p in parses if p.public]
        return found

    def needed_parsers(self) -> set[str]:
        """Types that get a reader: those with repeats, and what any of these nests."""
        needed: set[str] = set()

        def add(type_: Type) -> None:
            if type_.name in needed:
                return
            needed.add(type_.name)
            for a in type_.seq:
                if isinstance(a.type, UserType) and not self.is_record(a, type_):
                    add(self.world.types[a.type.name])

        for spec in self.world.specs.values():
            for type_ in spec.types:
                if self.has_repeat(type_) and self.readable(type_):
                    add(type_)
        return needed

    def accessor(self, type_: Type, a: Attribute) -> AccessorText:
        assert isinstance(a.type, UserType) and a.position is not None
        child = self.world.type(a.type, type_, a.path)
        printer = self.object_printer(type_, "x")
        self.use(child, f"parse_{child.name}")
        return AccessorText(
            name=self.accessor_name(type_, a.id),
            owner=type_.name,
            cls=self.world.class_path(child),
            doc=docstring(a.doc, 4) or f"The `{a.id}` of a `{type_.name}`.",
            position=printer.print(a.position),
            arguments=tuple(
                (p.id, printer.print(node))
                for p, node in zip(child.params, a.type.arguments, strict=True)
            ),
            parse=child.name,
            same_spec=child.spec == type_.spec,
        )

    def extent(self, type_: Type, a: Attribute) -> ExtentText:
        assert a.position is not None
        printer = self.object_printer(type_, "x", vector=True)
        return ExtentText(
            name=f"extent_{a.id}",
            instance=a.id,
            owner=type_.name,
            position=printer.print(a.position),
            size="None" if a.size is None else printer.print(a.size),
        )

    def inverse(self, type_: Type, v: Value) -> list[FunctionText]:
        found = []
        for target, node in v.inverse.items():
            if not names(node) <= {v.id}:
                raise self.world.fail(
                    type_, f"{v.path}/-inverse/{target}", f"uses more than {v.id}", "use only that"
                )
            printer = Printer(name=lambda n: f"wide({n})", enum=self.world.enum(type_), vector=True)
            found.append(
                FunctionText(
                    f"{target}_of_{v.id}",
                    (v.id,),
                    printer.print(node),
                    f"The `{target}` that stands for a `{v.id}`; an integer or an array of them.",
                )
            )
        return found


def _unique(extents: list[ExtentText]) -> tuple[ExtentText, ...]:
    """Instances of two types with one name get their type's name too."""
    count: dict[str, int] = {}
    for e in extents:
        count[e.name] = count.get(e.name, 0) + 1
    return tuple(
        e if count[e.name] == 1 else replace(e, name=f"extent_{e.owner}_{e.instance}")
        for e in extents
    )


def _wrong(valid: Valid, value: str, world: World, type_: Type) -> list[str]:
    """Conditions under which a value breaks its `valid`; one named `a` is an array."""
    printer = Printer(name=lambda n: f"x.{n}", enum=world.enum(type_))
    found = []
    if valid.equal is not None:
        found.append(f"{value} != {printer.operand(valid.equal)}")
    if valid.least is not None:
        found.append(f"{value} < {printer.operand(valid.least)}")
    if valid.most is not None:
        found.append(f"{value} > {printer.operand(valid.most)}")
    if valid.any_of:
        options = ", ".join(printer.print(n) for n in valid.any_of)
        if value == "a":
            found.append(f"~np.isin(a, [{options}])")
        else:
            found.append(f"{value} not in ({options},)")
    return found


def codec_module(world: World, spec: Spec) -> CodecModule:
    """What the codec template of a spec needs. Raises SpecError."""
    return _Codec(world, spec).module()
