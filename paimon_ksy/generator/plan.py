"""How views read: for each type which fields form one read, where they stand, what is checked.

A view has the fields of a type, read at once from bytes at hand, without Kaitai objects. Repeated
records and numbers are columns. The template of views writes a plan as Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from .expression import Attribute as Dot
from .expression import Binary, Index, Literal, Name, Node, Printer, Ternary, Unary, names
from .load import Attribute, Primitive, Type, UserType, Value
from .records import FieldPlan, Records, number_field
from .world import World, camel, inlined


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
    """As many bytes as an expression says; with an encoding they are an integer."""

    kind = "bytes"
    size: str
    encoding: str | None


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
    """A view in the view: right there, in a stream of its own `size`, or several of them.

    There are `count` of them, or as many as it takes `until` one is the last, or as fit `to_end`.
    `i` is the number of one of them.
    """

    kind = "nested"
    cls: str
    arguments: tuple[str, ...]
    size: str | None
    count: str | None
    until: str | None
    to_end: bool
    index: str


@dataclass(frozen=True)
class Member:
    """A constant, a property, or a method with these arguments, of one expression."""

    name: str
    arguments: tuple[str, ...]
    body: str
    doc: str
    is_property: bool = False
    is_constant: bool = False


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


@dataclass(frozen=True)
class PlacesPlan:
    """Where the fields of a type start: the sizes of those before, as expressions of arguments."""

    name: str
    cls: str
    arguments: tuple[str, ...]
    fields: tuple[str, ...]
    sizes: tuple[str, ...]


@dataclass
class ModulePlan:
    """The views of a spec, the layouts of what is repeated in views, and places of fields."""

    spec: str
    title: str
    layouts: dict[str, LayoutPlan] = field(default_factory=dict)
    types: list[TypePlan] = field(default_factory=list)
    places: list[PlacesPlan] = field(default_factory=list)
    imports: dict[str, set[str]] = field(default_factory=dict)
    enums: dict[str, Mapping[str, int]] = field(default_factory=dict)


class _Unsupported(Exception):
    """Why a field cannot be read by a view."""


def plans(world: World) -> list[ModulePlan]:
    """Return the plans of types with `-pk-view`, of what they nest, and of `-pk-places`.

    Those with `-pk-head` or `-pk-tail` have views of their first or last fields. All have enums.
    Raises SpecError.
    """
    planner = _Planner(world)
    for spec in world.specs.values():
        for type_ in spec.types:
            if type_.enums:
                planner.module(type_.spec).enums.update(
                    (camel(name), members) for name, members in type_.enums.items()
                )
            if type_.view:
                planner.plan(type_)
            for part in _parts(world, type_):
                planner.plan(part)
            if type_.places:
                planner.module(type_.spec).places.append(planner.field_places(type_))
    return list(planner.modules.values())


def _parts(world: World, type_: Type) -> Iterator[Type]:
    """Yield the first fields of a type as a type, and the last ones."""
    ids = [a.id for a in type_.seq]
    for end, id in (("head", type_.head), ("tail", type_.tail)):
        if id is None:
            continue
        at, name = ids.index(id), f"{type_.name}_{end}"
        if name in world.types:
            message = f"a type has the name {name} of the view"
            raise world.fail(type_, f"{type_.path}/-pk-{end}", message, "rename that type")
        seq = type_.seq[: at + 1] if end == "head" else type_.seq[at:]
        yield replace(type_, name=name, seq=seq, positioned=())


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
            except _Unsupported as error:
                message = f"cannot be read by a view: {error}"
                raise self.world.fail(type_, group[0].path, message, "leave out -pk-view") from None
        members = *self.values(type_), *self.places(type_)
        params = tuple(p.id for p in type_.params)
        self.check_names(type_, [*params, "end", *(n for s in steps for n in s.slots)], members)
        self.module(type_.spec).types.append(
            TypePlan(type_.name, camel(type_.name), params, tuple(steps), members)
        )

    def check_names(self, type_: Type, slots: Sequence[str], members: Sequence[Member]) -> None:
        """Refuse names that a view needs for two things."""
        names = [*slots, *(member.name for member in members)]
        own = {p.id for p in type_.params} & {"self", "d", "start", "p", "arrays"}
        for name in sorted(own | {name for name in names if names.count(name) > 1}):
            raise self.world.fail(
                type_, type_.path, f"a view has {name} twice", "choose another name"
            )

    # -- Expressions

    def printer(
        self,
        type_: Type,
        repeat: str | None = None,
        parent: Type | None = None,
        owner: str = "self",
        element: Type | None = None,
    ) -> Printer:
        """Of the fields of a view; of record `i` in a repeat of it, if that is given.

        In a repeat of views of the type `element`, one of them is `item`, with the number `i`.
        """

        def name(text: str) -> str:
            if text == "_index" and element is not None:
                return "i"
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
                case Dot(Name("_"), text) if element is not None:
                    return self.value(element, text, None, "item")
                case Dot(Index(Name(views), index), text) if repeat is None:
                    child = self.nested(type_, views, is_repeated=True)
                    return self.value(child, text, None, f"{owner}.{views}[{found.print(index)}]")
                case Dot(Name(view), text) if repeat is None and self.is_field(type_, view):
                    child = self.nested(type_, view, is_repeated=False)
                    return self.value(child, text, None, f"{owner}.{view}")
                case Dot(Dot(Name(instance), text), "at"):
                    return self.marker(self.instance(type_, instance), text, instance)
                case Dot(Name(instance), text):
                    return self.value(self.instance(type_, instance), text, None, instance)
            raise _Unsupported("it asks for more than the fields of its own type")

        found = Printer(
            name=name,
            enum=self.world.enum(type_),
            vector=repeat is not None,
            attribute=attribute,
        )
        return found

    def nested(self, type_: Type, name: str, *, is_repeated: bool) -> Type:
        """Return the type of a field that is a view, or a repeat of views."""
        for a in type_.seq:
            if a.id != name or not isinstance(a.type, UserType) or bool(a.repeat) != is_repeated:
                continue
            child = self.world.types[a.type.name]
            is_column = self.records.is_record(a, type_) or (not a.repeat and self.is_single(child))
            if not is_column and not self.is_marker(a):
                return child
        raise _Unsupported(f"{name} is not a view")

    def is_field(self, type_: Type, name: str) -> bool:
        return any(a.id == name for a in type_.seq)

    def instance(self, type_: Type, name: str) -> Type:
        """Return the type of an instance at a position."""
        for a in type_.positioned:
            if a.id == name and isinstance(a.type, UserType):
                return self.world.types[a.type.name]
        raise _Unsupported(f"it asks for a field of {name}")

    def value(self, type_: Type, text: str, repeat: str | None, owner: str) -> str:
        for v in type_.values:
            if v.id == text:
                body = self.printer(type_, repeat).print(_plain(v.value))  # if that can be
                return f"{owner}.{text}" if repeat is None else f"({body})"
        found = next((a for a in type_.seq if a.id == text), None)
        is_number = found is not None and isinstance(found.type, Primitive) and not found.repeat
        if repeat is not None and is_number and text in self.columns(type_):
            return f"self.{repeat}_{text}[i]"
        if repeat is None and (is_number or any(p.id == text for p in type_.params)):
            return f"{owner}.{text}"
        raise _Unsupported(f"it asks for {text}, which is not a number")

    def columns(self, type_: Type) -> list[str]:
        """Return the columns of the records of a type."""
        found = self.records.variants(type_)
        assert found is not None
        return found.columns

    def marker(self, type_: Type, text: str, owner: str) -> str:
        if any(a.id == text and self.is_marker(a) for a in type_.seq):
            return f"{owner}.{text}"
        raise _Unsupported(f"it asks for {text}.at, which is not a position")

    def is_marker(self, a: Attribute) -> bool:
        """Whether a field takes no bytes: an object with nothing but a parameter."""
        if not isinstance(a.type, UserType) or a.repeat:
            return False
        child = self.world.types[a.type.name]
        return not child.seq and not child.positioned and len(child.params) == 1

    # -- Reads

    def groups(self, type_: Type) -> list[list[Attribute]]:
        """Return the fields that are read together: numbers of one byte order and condition."""
        found: list[list[Attribute]] = []
        for a in type_.seq:
            if not found or not _are_together(found[-1], a):
                found.append([])
            found[-1].append(a)
        return found

    def step(self, type_: Type, group: list[Attribute]) -> Step:
        a, printer = group[0], self.printer(type_)
        condition = None if a.condition is None else printer.print(_plain(a.condition))
        slots = tuple(slot for one in group for slot in self.slots(type_, one))
        if isinstance(a.type, Primitive):
            if a.repeat:
                name, fields = f"{type_.name}_{a.id}", (self.field(type_, a),)
                if any(text.startswith("lambda") for _, text in fields[0].options):
                    raise _Unsupported("what is valid in a repeat depends on other fields")
                layout = self.layout(type_, name, False, (((), fields),))
                return Repeat(slots, condition, layout, self.count(printer, a))
            return self.numbers(type_, group, slots, condition)
        if a.type is not None:
            return self.object(type_, a, a.type, slots, condition)
        if a.contents is not None:
            return Contents(slots, condition, f"{type_.spec}{a.path}", a.contents)
        size = "len(d) - p" if a.size is None else printer.print(a.size)
        encoding = a.encoding if (a.encoding or "").startswith("integer") else None
        return Bytes(slots, condition, size, encoding)

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
            raise _Unsupported("repeat: eos is for records of one size")
        return f"-((p - len(d)) // {size})"

    def slots(self, type_: Type, a: Attribute) -> list[str]:
        if self.records.is_record(a, type_):
            assert isinstance(a.type, UserType)
            return [f"{a.id}_{name}" for name in self.columns(self.world.types[a.type.name])]
        return [a.id]

    def field(self, type_: Type, a: Attribute) -> FieldPlan:
        """Return the plan of a number; what is valid may depend on fields before it."""
        return number_field(self.world, type_, a, self.printer(type_, owner="x"))

    def numbers(
        self, type_: Type, group: list[Attribute], slots: tuple[str, ...], condition: str | None
    ) -> Numbers:
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        order = next((n.order for n in numbers if n.size > 1), ">")
        return Numbers(
            slots,
            condition,
            tuple(self.field(type_, a) for a in group),
            order + "".join(n.code for n in numbers),
            sum(n.size for n in numbers),
            tuple(wrong for a in group for wrong in self.wrong(type_, a)),
        )

    def wrong(self, type_: Type, a: Attribute) -> Iterator[str]:
        """Yield the conditions under which a number is not valid."""
        printer, valid = self.printer(type_), a.valid
        is_float = isinstance(a.type, Primitive) and a.type.is_float
        limits = ("!=", valid.equal), ("<", valid.least), (">", valid.most)
        for sign, node in limits:
            if node is None:
                continue
            if is_float and sign != "!=":  # a NaN is neither less nor more
                yield f"not self.{a.id} {sign.translate(_MIRRORED)}= {printer.operand(node)}"
            else:
                yield f"self.{a.id} {sign} {printer.operand(node)}"
        if valid.any_of:
            options = ", ".join(map(printer.print, valid.any_of))
            yield f"self.{a.id} not in ({options}{',' * (len(valid.any_of) == 1)})"

    def object(
        self,
        type_: Type,
        a: Attribute,
        user: UserType,
        slots: tuple[str, ...],
        condition: str | None,
    ) -> Step:
        child = self.world.types[user.name]
        printer = self.printer(type_, element=child if a.repeat else None)
        if self.is_marker(a):
            return Marker(slots, condition, printer.print(user.arguments[0]))
        arguments = tuple(printer.print(node) for node in user.arguments)
        if self.records.is_record(a, type_):
            layout = self.records_layout(type_, child, arguments)
            return Repeat(slots, condition, layout, self.count(printer, a))
        if not a.repeat and a.size is None and self.is_single(child):
            return Single(slots, condition, self.records_layout(type_, child, arguments))
        self.plan(child)
        return Nested(
            slots,
            condition,
            self.uses(type_, child, camel(child.name)),
            arguments,
            None if a.size is None else printer.print(a.size),
            self.count(printer, a) if a.repeat == "expr" else None,
            None if a.until is None else printer.print(_plain(a.until)),
            a.repeat == "eos",
            "i" if any("_index" in names(node) for node in user.arguments) else "_",
        )

    # -- Layouts of records

    def is_single(self, type_: Type) -> bool:
        """Whether a type is a single value, as a number or a string after its length."""
        found = self.records.shapes(type_)
        return found is not None and all(len(columns) == 1 for columns in found.by_key.values())

    def records_layout(self, type_: Type, child: Type, arguments: tuple[str, ...]) -> str:
        """Return the expression of the layout of a type's records."""
        found = self.records.shapes(child)
        assert found is not None
        alike: dict[tuple[FieldPlan, ...], list[int]] = {}
        for key, columns in found.by_key.items():
            fields = tuple(field for column in columns.values() for field in column)
            alike.setdefault(fields, []).extend([] if key is None else [key])
        variants = tuple((tuple(keys), fields) for fields, keys in alike.items())
        name = self.layout(child, child.name, found.decides is not None, variants)
        self.uses(type_, child, name)
        if found.decides is None:
            return name
        at = [p.id for p in child.params].index(found.decides)
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

    # -- Members

    def values(self, type_: Type) -> Iterator[Member]:
        """Yield value instances: those of the type, and those of records that it repeats."""
        for v in type_.values:
            if (body := self.text(self.printer(type_), v.value)) is not None:
                is_constant = isinstance(v.value, Literal)
                yield Member(v.id, (), body, _one_line(v), not is_constant, is_constant)
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

    # -- Places of fields

    def field_places(self, type_: Type) -> PlacesPlan:
        """Return where fields start, up to the first whose size the fields before do not give."""
        known = [p.id for p in type_.params]
        known += [a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat]
        values = {v.id: v.value for v in type_.values}
        fields, sizes = [a.id for a in type_.seq] + ["end"], []
        for a in type_.seq:
            size = self.size(a)
            if size is None or not names(node := inlined(size, values)) <= set(known):
                break
            sizes.append(node)
        if not sizes:
            path = f"{type_.path}/-pk-places"
            raise self.world.fail(type_, path, "no size is known", "leave it out")
        self.check_names(type_, fields, ())
        printer = Printer(name=lambda name: name, enum=self.world.enum(type_), vector=True)
        used = set().union(*map(names, sizes))
        return PlacesPlan(
            type_.name,
            f"{camel(type_.name)}Places",
            tuple(name for name in known if name in used),
            tuple(fields[: len(sizes) + 1]),
            tuple(map(printer.print, sizes)),
        )

    def size(self, a: Attribute) -> Node | None:
        """Return the bytes of a field as an expression; None if there is none."""
        size = a.size
        if isinstance(a.type, Primitive):
            size = Literal(a.type.size)
        elif a.contents is not None:
            size = Literal(len(a.contents))
        elif a.type is not None and size is None:
            fixed = self.records.fixed_size(self.world.types[a.type.name])
            size = None if fixed is None else Literal(fixed)
        if a.repeat and size is not None:
            size = None if a.repeat_expr is None else Binary("*", a.repeat_expr, size)
        if a.condition is not None and size is not None:
            size = Ternary(a.condition, size, Literal(0))
        return size

    def text(self, printer: Printer, node: Node) -> str | None:
        """Return the expression; None if it looks at more than a view has."""
        try:
            return printer.print(_plain(node))
        except _Unsupported:
            return None


_MIRRORED = str.maketrans("<>", "><")


def _are_together(group: list[Attribute], a: Attribute) -> bool:
    """Whether one struct reads a number with those before it."""
    numbers = [x.type for x in (*group, a) if isinstance(x.type, Primitive) and not x.repeat]
    orders = {number.order for number in numbers if number.size > 1}
    condition = a.condition
    alike = condition == group[0].condition and len(numbers) == len(group) + 1
    return alike and len(orders) < 2 and (condition is None or "_io" not in names(condition))


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
