"""How views read: for each type which fields form one read, where they stand, what is checked.

A view has the fields of a type, read at once from bytes at hand, without Kaitai objects. Repeated
records and numbers are columns. The template of views writes a plan as Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from .expression import Attribute as Dot
from .expression import Binary, Name, Node, Printer, Ternary, Unary, names, uses
from .load import Attribute, Primitive, Type, UserType, Value
from .records import Column, Records, Variant, numbers_together
from .world import World, camel, wrong_values


@dataclass(frozen=True)
class FieldPlan:
    """A number with the values that are valid, as (name, expression); without a code, a text."""

    name: str
    path: str
    code: str | None
    valid: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class LayoutPlan:
    """How a repeat, or a single value, is read: for each value of the parameter that decides."""

    name: str
    decides: bool
    variants: tuple[tuple[tuple[int, ...], tuple[FieldPlan, ...]], ...]


@dataclass(frozen=True)
class Step:
    """One read. It is taken on a condition, or always; `slots` are the fields that it sets."""

    kind: ClassVar[str]
    slots: tuple[str, ...]
    condition: str | None


@dataclass(frozen=True)
class Numbers(Step):
    """Numbers one after another."""

    kind = "numbers"
    fields: tuple[FieldPlan, ...]
    codes: str
    size: int
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Bytes(Step):
    """As many bytes as an expression says."""

    kind = "bytes"
    size: str


@dataclass(frozen=True)
class Contents(Step):
    """Bytes that are always the same."""

    kind = "contents"
    path: str
    contents: bytes


@dataclass(frozen=True)
class Marker(Step):
    """A position: an object that takes no bytes."""

    kind = "marker"
    value: str


@dataclass(frozen=True)
class Single(Step):
    """An object that is one value."""

    kind = "single"
    layout: str


@dataclass(frozen=True)
class Repeat(Step):
    """Records or numbers, as columns."""

    kind = "repeat"
    layout: str
    count: str


@dataclass(frozen=True)
class Nested(Step):
    """A view in the view: right there, in a stream of its own `size`, or `count` of them."""

    kind = "nested"
    cls: str
    arguments: tuple[str, ...]
    size: str | None
    count: str | None


@dataclass(frozen=True)
class Member:
    """A property, or a method with these arguments, of one expression."""

    name: str
    arguments: tuple[str, ...]
    body: str
    doc: str
    is_property: bool = False


@dataclass(frozen=True)
class TypePlan:
    """How a type is read."""

    name: str
    cls: str
    params: tuple[str, ...]
    steps: tuple[Step, ...]
    members: tuple[Member, ...]

    @property
    def slots(self) -> list[str]:
        """All fields, and where they end."""
        return sorted({*self.params, "end", *(slot for step in self.steps for slot in step.slots)})

    @property
    def has_columns(self) -> bool:
        """Whether it has repeats that are columns."""
        return any(isinstance(step, Repeat) for step in self.steps)


@dataclass
class ModulePlan:
    """The views of a spec, and the layouts of what is repeated in views."""

    spec: str
    title: str
    layouts: dict[str, LayoutPlan] = field(default_factory=dict)
    types: list[TypePlan] = field(default_factory=list)
    imports: dict[str, set[str]] = field(default_factory=dict)


class _Unprintable(Exception):
    """An expression looks at more than a view has."""


def plans(world: World) -> list[ModulePlan]:
    """Return the plans of types with `-view: true`, and of what they nest. Raises SpecError."""
    planner = _Planner(world)
    for spec in world.specs.values():
        for type_ in spec.types:
            if type_.view:
                planner.plan(type_)
    return list(planner.modules.values())


class _Planner:
    def __init__(self, world: World) -> None:
        self.world = world
        self.records = Records(world)
        self.modules: dict[str, ModulePlan] = {}
        self.planned: set[str] = set()

    def module(self, spec: str) -> ModulePlan:
        if spec not in self.modules:
            self.modules[spec] = ModulePlan(spec, self.world.specs[spec].title)
        return self.modules[spec]

    def uses(self, type_: Type, other: Type, name: str) -> str:
        """Return the name of what belongs to another type, which is imported if need be."""
        if other.spec != type_.spec:
            self.module(type_.spec).imports.setdefault(other.spec, set()).add(name)
        return name

    def plan(self, type_: Type) -> None:
        """Add the plan of a type, once."""
        if type_.name in self.planned:
            return
        self.planned.add(type_.name)
        steps = []
        for group in self.groups(type_):
            try:
                steps.append(self.step(type_, group))
            except _Unprintable:
                raise self.world.fail(
                    type_, group[0].path, "cannot be read by a view", "leave out -view"
                ) from None
        self.module(type_.spec).types.append(
            TypePlan(
                type_.name,
                camel(type_.name),
                tuple(p.id for p in type_.params),
                tuple(steps),
                (*self.values(type_), *self.places(type_)),
            )
        )

    # -- Expressions

    def printer(
        self,
        type_: Type,
        repeat: str | None = None,
        parent: Type | None = None,
        owner: str = "self",
    ) -> Printer:
        """Of the fields of a view; of record `i` in a repeat of it, if that is given."""

        def name(text: str) -> str:
            return self.value(type_, text, repeat, owner)

        def attribute(node: Dot) -> str:
            match node:
                case Dot(Name("_io"), "pos"):
                    return "(start + p)"
                case Dot(Name("_io"), "eof"):
                    return "(p == len(d))"
                case Dot(Name("_io"), "has_more"):
                    return "(p < len(d))"
                case Dot(Name("_io"), "size"):
                    return "(start + len(d))"
                case Dot(Name("_parent"), text) if parent is not None:
                    return self.value(parent, text, None, owner)
                case Dot(Dot(Name("_parent"), text), "at") if parent is not None:
                    return self.marker(parent, text, owner)
                case Dot(Name(text), "at") if repeat is None and self.is_field(type_, text):
                    return self.marker(type_, text, owner)
                case Dot(Dot(Name(instance), text), "at"):
                    return self.marker(self.instance(type_, instance), text, instance)
                case Dot(Name(instance), text):
                    return self.value(self.instance(type_, instance), text, None, instance)
            raise _Unprintable

        return Printer(name=name, enum=self.world.enum(type_), attribute=attribute)

    def is_field(self, type_: Type, name: str) -> bool:
        return any(a.id == name for a in type_.seq)

    def instance(self, type_: Type, name: str) -> Type:
        """Return the type of an instance at a position."""
        for a in type_.positioned:
            if a.id == name and isinstance(a.type, UserType):
                return self.world.types[a.type.name]
        raise _Unprintable

    def value(self, type_: Type, text: str, repeat: str | None, owner: str) -> str:
        for v in type_.values:
            if v.id == text:
                body = self.printer(type_, repeat).print(_plain(v.value))  # if that can be
                return f"{owner}.{text}" if repeat is None else f"({body})"
        found = next((a for a in type_.seq if a.id == text), None)
        is_number = found is not None and isinstance(found.type, Primitive) and not found.repeat
        if repeat is not None and is_number:
            return f"self.{repeat}_{text}[i]"
        if repeat is None and (is_number or any(p.id == text for p in type_.params)):
            return f"{owner}.{text}"
        raise _Unprintable

    def marker(self, type_: Type, text: str, owner: str) -> str:
        if any(a.id == text and self.is_marker(a) for a in type_.seq):
            return f"{owner}.{text}"
        raise _Unprintable

    def is_marker(self, a: Attribute) -> bool:
        """Whether a field takes no bytes: an object with nothing but a parameter."""
        if not isinstance(a.type, UserType) or a.repeat:
            return False
        child = self.world.types[a.type.name]
        return not child.seq and not child.positioned and len(child.params) == 1

    # -- Reads

    def groups(self, type_: Type) -> list[list[Attribute]]:
        """Return the fields that are read together: numbers of one byte order."""
        seq, found = list(type_.seq), []
        while seq:
            group = numbers_together(seq) or [seq[0]]
            first = group[0]
            if first.condition is not None and isinstance(first.type, Primitive):
                # Numbers that are there on one condition.
                for a in seq[1:]:
                    alike = isinstance(a.type, Primitive) and not a.repeat
                    if not alike or a.condition != first.condition or uses(a.condition, "eof"):
                        break
                    if len({n.type.order for n in (*group, a) if n.type.size > 1}) > 1:  # type: ignore[union-attr]
                        break
                    group.append(a)
            found.append(group)
            seq = seq[len(group) :]
        return found

    def step(self, type_: Type, group: list[Attribute]) -> Step:
        a, printer = group[0], self.printer(type_)
        condition = None if a.condition is None else printer.print(_plain(a.condition))
        slots = tuple(slot for one in group for slot in self.slots(type_, one))
        if isinstance(a.type, Primitive):
            if a.repeat:
                fields = (self.field(type_, a, a.type, a.id),)
                layout = self.layout(type_, f"{type_.name}_{a.id}", False, (((), fields),))
                return Repeat(slots, condition, layout, self.count(printer, a))
            return self.numbers(type_, group, slots, condition)
        if a.type is not None:
            return self.object(type_, a, a.type, slots, condition)
        if a.contents is not None:
            return Contents(slots, condition, f"{type_.spec}{a.path}", a.contents)
        size = "len(d) - p" if a.size is None else printer.print(a.size)
        return Bytes(slots, condition, size)

    def count(self, printer: Printer, a: Attribute) -> str:
        """Return how many there are; up to the end, one more if some bytes are left."""
        if a.repeat_expr is not None:
            return printer.print(a.repeat_expr)
        if isinstance(a.type, Primitive):
            size: int | None = a.type.size
        else:
            assert a.type is not None
            size = self.records.fixed_size(self.world.types[a.type.name])
        if size is None:
            raise _Unprintable
        return f"-((p - len(d)) // {size})"

    def slots(self, type_: Type, a: Attribute) -> list[str]:
        if self.records.is_record(a, type_):
            assert isinstance(a.type, UserType)
            found = self.records.variants(self.world.types[a.type.name])
            assert found is not None
            return [f"{a.id}_{c.name}" for c in found[1][0].columns]
        return [a.id]

    def field(self, type_: Type, a: Attribute, number: Primitive, name: str) -> FieldPlan:
        """Return the plan of a number; what is valid may depend on fields before it."""
        printer = self.printer(type_, owner="x")
        found = []
        limits = ("equal", a.valid.equal), ("least", a.valid.least), ("most", a.valid.most)
        for kind, node in limits:
            if node is not None:
                text = printer.print(node)
                found.append((kind, f"lambda x: {text}" if names(node) else text))
        if a.valid.any_of:
            options = ", ".join(map(printer.print, a.valid.any_of))
            found.append(("any_of", f"[{options}]"))
        return FieldPlan(
            name, f"{type_.spec}{a.path}", f"{number.order}{number.code}", tuple(found)
        )

    def numbers(
        self, type_: Type, group: list[Attribute], slots: tuple[str, ...], condition: str | None
    ) -> Numbers:
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        fields = [self.field(type_, *pair, pair[0].id) for pair in zip(group, numbers, strict=True)]
        order = next((n.order for n in numbers if n.size > 1), ">")
        return Numbers(
            slots,
            condition,
            tuple(fields),
            order + "".join(n.code for n in numbers),
            sum(n.size for n in numbers),
            tuple(
                wrong
                for a in group
                for wrong in wrong_values(a.valid, f"self.{a.id}", self.world, type_, "self")
            ),
        )

    def object(
        self,
        type_: Type,
        a: Attribute,
        user: UserType,
        slots: tuple[str, ...],
        condition: str | None,
    ) -> Step:
        child, printer = self.world.types[user.name], self.printer(type_)
        if self.is_marker(a):
            return Marker(slots, condition, printer.print(user.arguments[0]))
        arguments = tuple(printer.print(node) for node in user.arguments)
        if self.records.is_record(a, type_):
            layout = self.records_layout(type_, child, arguments)
            return Repeat(slots, condition, layout, self.count(printer, a))
        if not a.repeat and a.size is None and self.is_single(child):
            return Single(slots, condition, self.records_layout(type_, child, arguments))
        if any("_index" in names(node) for node in user.arguments):
            raise _Unprintable
        self.plan(child)
        return Nested(
            slots,
            condition,
            self.uses(type_, child, camel(child.name)),
            arguments,
            None if a.size is None else printer.print(a.size),
            self.count(printer, a) if a.repeat else None,
        )

    # -- Layouts of records

    def is_single(self, type_: Type) -> bool:
        """Whether a type is a single value, as a number or a string after its length."""
        found = self.records.shapes(type_)
        return found is not None and all(len(v.columns) == 1 for v in found[1])

    def records_layout(self, type_: Type, child: Type, arguments: tuple[str, ...]) -> str:
        """Return the expression of the layout of a type's records."""
        found = self.records.shapes(child)
        assert found is not None
        deciding, variants = found
        alike: dict[tuple[FieldPlan, ...], list[int]] = {}
        for variant in variants:
            keys = alike.setdefault(tuple(self.record_fields(child, variant)), [])
            keys += [] if variant.key is None else [variant.key]
        name = self.layout(
            child,
            child.name,
            deciding is not None,
            tuple((tuple(keys), fields) for fields, keys in alike.items()),
        )
        self.uses(type_, child, name)
        if deciding is None:
            return name
        at = [p.id for p in child.params].index(deciding)
        return f"layout_for({name}, {arguments[at]})"

    def layout(
        self,
        type_: Type,
        name: str,
        decides: bool,
        variants: tuple[tuple[tuple[int, ...], tuple[FieldPlan, ...]], ...],
    ) -> str:
        name = name.upper()
        self.module(type_.spec).layouts[name] = LayoutPlan(name, decides, variants)
        return name

    def record_fields(self, type_: Type, variant: Variant) -> Iterator[FieldPlan]:
        for column in variant.columns:
            owner, inner = type_, column.inner
            if column.nested is not None:
                owner = self.world.types[column.nested]
            elif column.is_text:
                inner = column.length_name, column.name
            yield from self.column_fields(owner, column, inner or (column.name,))

    def column_fields(
        self, type_: Type, column: Column, parts: tuple[str, ...]
    ) -> Iterator[FieldPlan]:
        attributes = {a.id: a for a in type_.seq}
        number = attributes[parts[0]]
        if column.count is not None:
            yield FieldPlan(parts[0], f"{type_.spec}{number.path}", f">{column.count}s")
            return
        yield self.field(type_, number, column.number, parts[0])
        if column.is_text:
            yield FieldPlan(parts[1], f"{type_.spec}{attributes[parts[1]].path}", None)

    # -- Members

    def values(self, type_: Type) -> Iterator[Member]:
        """Yield value instances: those of the type, and those of records that it repeats."""
        for v in type_.values:
            if (body := self.text(self.printer(type_), v.value)) is not None:
                yield Member(v.id, (), body, _one_line(v), is_property=True)
        for repeat, child in self.repeats(type_):
            for v in child.values:
                body = self.text(self.printer(child, repeat.id, type_), v.value)
                if body is not None:
                    doc = _one_line(v) or f"Return `{v.id}` of record i."
                    yield Member(f"{repeat.id}_{v.id}", ("i",), body, doc)

    def repeats(self, type_: Type) -> Iterator[tuple[Attribute, Type]]:
        """Yield the repeats that are columns of records, and the types of these."""
        for repeat in type_.seq:
            if self.records.is_record(repeat, type_):
                assert isinstance(repeat.type, UserType)
                yield repeat, self.world.types[repeat.type.name]

    def places(self, type_: Type) -> Iterator[Member]:
        """Yield where instances are: those of the type, and those of records that it repeats."""
        for a in type_.positioned:
            found = self.place(a, self.printer(type_))
            if found is not None:
                used = names(a.position) if a.position is not None else set()
                instances = tuple(p.id for p in type_.positioned if p.id in used)
                yield Member(f"place_{a.id}", instances, found, _place_doc(a, ""))
        for repeat, child in self.repeats(type_):
            for a in child.positioned:
                found = self.place(a, self.printer(child, repeat.id, type_))
                if found is not None:
                    name = f"place_{repeat.id}_{a.id}"
                    yield Member(name, ("i",), found, _place_doc(a, " of record i"))

    def place(self, a: Attribute, printer: Printer) -> str | None:
        assert a.position is not None
        position = self.text(printer, a.position)
        size = "None" if a.size is None else self.text(printer, a.size)
        return None if position is None or size is None else f"{position}, {size}"

    def text(self, printer: Printer, node: Node) -> str | None:
        """Return the expression; None if it looks at more than a view has."""
        try:
            return printer.print(_plain(node))
        except _Unprintable:
            return None


def _place_doc(a: Attribute, whose: str) -> str:
    return f"Return where the `{a.id}`{whose} is: (position, size or None)."


def _one_line(v: Value) -> str:
    return " ".join(v.doc.split())


def _plain(node: Node) -> Node:
    """Return `a != b` for `not a == b`, and the like."""
    match node:
        case Unary("not", Binary("==", left, right)):
            return Binary("!=", _plain(left), _plain(right))
        case Unary("not", Dot(Name("_io"), "eof")):
            return Dot(Name("_io"), "has_more")
        case Unary("not", Unary("not", operand)):
            return _plain(operand)
        case Unary(operator, operand):
            return Unary(operator, _plain(operand))
        case Binary(operator, left, right):
            return Binary(operator, _plain(left), _plain(right))
        case Ternary(a, b, c):
            return Ternary(_plain(a), _plain(b), _plain(c))
    return node
