"""How views read: for each type which fields form one read, where they stand, what is checked.

A view has the fields of a type, read at once from bytes at hand, without Kaitai objects. Repeated
records and numbers are columns. The template of views writes a plan as Python.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from .expression import Attribute as Dot
from .expression import (
    Binary,
    Index,
    Literal,
    Method,
    Name,
    Node,
    Printer,
    Ternary,
    Unary,
    names,
    uses,
    walk,
)
from .load import Attribute, Bits, Primitive, Switch, Type, UserType, Value
from .records import FieldPlan, Records, number_field
from .world import World, camel, inlined, parents_of


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
    name: str
    fields: tuple[FieldPlan, ...]
    codes: str
    size: int
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Bit:
    """A number in bits: its name, where it starts in them, and their mask; a flag has one."""

    name: str
    shift: int
    mask: int
    is_flag: bool


@dataclass(frozen=True)
class BitFields(Step):
    """Numbers in the bits of some bytes."""

    kind = "bits"
    fields: tuple[Bit, ...]
    size: int
    order: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Check:
    """When the value of a field is wrong, and the message then."""

    condition: str
    message: str
    path: str
    value: str


@dataclass(frozen=True)
class Bytes(Step):
    """Bytes of a size, or up to where `ends` returns, and what they stand for."""

    kind = "bytes"
    size: str | None
    ends: str | None
    value: str
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Choice(Step):
    """One of several reads, each on a condition; of the last one it may be None."""

    kind = "choice"
    cases: tuple[tuple[str | None, Step], ...]


@dataclass(frozen=True)
class Loop(Step):
    """A read that is repeated: `count` times, up to the end, or `until` one is the last.

    `index` is the number of one of them. With `is_bounded`, one may have no bytes.
    """

    kind = "loop"
    inner: Step
    count: str | None
    until: str | None
    index: str
    is_bounded: bool


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
    """A view in the view: right there, or in a stream of its own `size`."""

    kind = "nested"
    cls: str
    arguments: tuple[str, ...]
    size: str | None


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
    options: tuple[str, ...] = ()
    has_size: bool = False
    is_guarded: bool = False

    @property
    def numbers(self) -> list[Numbers]:
        """All reads of numbers."""
        return [step for step in _steps(self.steps) if isinstance(step, Numbers)]

    @property
    def slots(self) -> list[str]:
        """All fields, and where they end."""
        return sorted(
            {*self.params, *self.own, *(slot for step in self.steps for slot in step.slots)}
        )

    @property
    def own(self) -> list[str]:
        """The slots that are no fields."""
        return ["end", *self.options, *(["io_size"] if self.keeps_size else [])]

    @property
    def keeps_size(self) -> bool:
        """Whether members ask for the size of the stream."""
        return any("self.io_size" in member.body for member in self.members)

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
    late: dict[str, set[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def _steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield steps, and those in them."""
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from _steps([step.inner])
        elif isinstance(step, Choice):
            yield from _steps(inner for _, inner in step.cases)


class _Unsupported(Exception):
    """Why a field cannot be read by a view."""


def plans(world: World) -> list[ModulePlan]:
    """Return the plans of types with `-pk-view`, of what they nest, and of `-pk-places`.

    Those with `-pk-head` or `-pk-tail` have views of their first or last fields. All have enums.
    Without any `-pk-view` in all specs, all types have views. Raises SpecError.
    """
    planner = _Planner(world)
    has_default = all(type_.view is None for type_ in world.types.values())
    for spec in world.specs.values():
        for type_ in spec.types:
            if type_.enums:
                planner.module(type_.spec).enums.update(
                    (enum_name(world, name), members) for name, members in type_.enums.items()
                )
            if type_.view or has_default:
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
        self.used_names: dict[str, int] = {}
        self.parents = parents_of(world)

    def module(self, spec: str) -> ModulePlan:
        if spec not in self.modules:
            self.modules[spec] = ModulePlan(spec, self.world.specs[spec].title)
        return self.modules[spec]

    def uses(self, type_: Type, other: Type, name: str) -> str:
        """Return the name of what belongs to another type, which is imported if need be."""
        if other.spec != type_.spec:
            module = self.module(type_.spec)
            is_late = type_.spec in self.world.imported(other.spec)
            imports = module.late if is_late else module.imports
            imports.setdefault(other.spec, set()).add(name)
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
        has_size = self.has_size(type_)
        options = tuple(name for name in ("parent", "root") if self.asks(type_, f"_{name}"))
        guarded = self.is_recursive(type_) or any(self.is_risky(a, type_) for a in type_.seq)
        plan = TypePlan(
            type_.name, view_name(type_), params, tuple(steps), members, options, has_size, guarded
        )
        slots = [*params, *plan.own, *(n for s in steps for n in s.slots)]
        self.check_names(type_, slots, members)
        self.module(type_.spec).types.append(plan)

    def has_size(self, type_: Type, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a type asks for the size of its stream."""
        own = [node for a in type_.seq for node in a.nodes]
        own += [v.value for v in type_.values]
        own += [node for a in type_.positioned for node in (a.position, a.size) if node]
        inner = [
            self.world.types[user.name]
            for a in type_.seq
            for case in a.cases
            for user in case.users
            if not case.is_window and user.name not in seen
        ]
        return any(uses(node, "size") for node in own) or any(
            self.has_size(child, seen | {type_.name}) for child in inner
        )

    def passed(self, type_: Type, child: Type) -> list[str]:
        """Return what a view passes on to one in it."""
        found = ["parent=self"] if self.asks(child, "_parent") else []
        if self.asks(child, "_root") and child.spec == type_.spec:
            found.append("root=self.root" if self.asks(type_, "_root") else "root=self")
        return found

    def asks(self, type_: Type, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a type, or one in it, asks for `_parent` or `_root`."""
        if name == "_root" and len(type_.scope) == 1:
            return False  # it is the root
        nodes = [node for a in (*type_.seq, *type_.positioned) for node in a.nodes]
        nodes += [node for v in type_.values for node in (v.value, v.condition) if node]
        nodes += [a.position for a in type_.positioned if a.position is not None]
        if any(name in names(node) for node in nodes):
            return True
        if name == "_parent":
            # A child asks for what is around its parent.
            around = [
                self.world.types[user.name]
                for a in type_.seq
                for user in a.users
                if user.name not in seen
            ]
            return any(_asks_twice(child) for child in around)
        children = [u.name for a in type_.seq for u in a.users if u.name not in seen]
        inner = [self.world.types[child] for child in children]
        return any(
            child.spec == type_.spec and self.asks(child, name, seen | {type_.name})
            for child in inner
        )

    def is_recursive(self, type_: Type) -> bool:
        """Whether an object of a type may have another one in it."""
        seen: set[str] = set()
        todo = [type_]
        while todo:
            for a in todo.pop().seq:
                for user in a.users:
                    if user.name == type_.name:
                        return True
                    if user.name not in seen:
                        seen.add(user.name)
                        todo.append(self.world.types[user.name])
        return False

    @staticmethod
    def is_risky(a: Attribute, type_: Type) -> bool:
        """Whether the expressions of a field may fail, such as a division by a field."""
        others = {x.id for x in type_.seq if x.condition not in (None, a.condition)}
        for node in (part for each in a.nodes for part in walk(each)):
            match node:
                case Index() | Method("int" | "str") | Name("_parent" | "_root"):
                    return True
                case Name(name) if name in others:
                    return True
                case Binary("/" | "%" | "//." | "<<" | ">>", _, right):
                    if not isinstance(right, Literal) or not right.value:
                        return True
        return False

    def check_names(self, type_: Type, slots: Sequence[str], members: Sequence[Member]) -> None:
        """Refuse names that a view needs for two things."""
        names = [*slots, *(member.name for member in members)]
        for name in sorted({name for name in names if names.count(name) > 1}):
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
        element: Attribute | None = None,
        instances: Collection[str] = (),
        member: bool = False,
    ) -> Printer:
        """Of the fields of a view; of record `i` in a repeat of it, if that is given.

        In a repeat of `element`, one of them is `item`, with the number `i`. Of a `member` of
        the view, arguments are these `instances`, and the stream is not at hand.
        """

        def name(text: str) -> str:
            if text == "_index" and element is not None:
                return "i"
            if text == "_" and element is not None and not element.users:
                return "item"
            return self.value(type_, text, repeat, owner)

        def attribute(node: Dot) -> str:
            match node:
                case Dot(Name("_io"), "size") if member and repeat is None:
                    return "self.io_size"
                case Dot(Name("_io"), _) if member:
                    raise _Unsupported("it asks for a place in the stream")
                case Dot(Name("_io"), "pos"):
                    return "(start + p)"
                case Dot(Name("_io"), "eof"):
                    return "(p == len(d))"
                case Dot(Name("_io"), "has_more"):
                    return "(p < len(d))"
                case Dot(Name("_io"), "size"):
                    return "io_size"
                case Dot(inner, "at") if (at := marker(inner)) is not None:
                    return at
                case Dot(Index(repeated, index), text) if column := self.column(
                    *whole(repeated), text
                ):
                    return column.format(found.print(index))
                case Dot(target, text):
                    where, kind = place(target)
                    return self.value(kind, text, None, where)
            raise _Unsupported("it asks for more than the fields of its own type")

        def whole(node: Node) -> tuple[str, Type, str]:
            """Return the view that has a field, its type, and the name of the field."""
            match node:
                case Name(text) if repeat is None:
                    return owner, type_, text
                case Dot(target, text):
                    return *place(target), text
            raise _Unsupported("it asks for more than the fields of its own type")

        def place(node: Node) -> tuple[str, Type]:
            """Return a view that an expression stands for, and its type."""
            match node:
                case Name("_") if element is not None and len(element.users) == 1:
                    return "item", self.world.types[element.users[0].name]
                case Name("_parent") if parent is not None:
                    return owner, parent
                case Name("_parent" | "_root" as text) if repeat is None:
                    return self.around(type_, text, owner)
                case Dot(inner, "_parent"):
                    where, kind = place(inner)
                    return self.around(kind, "_parent", where)
                case Name(text) if text in instances:
                    return text, self.instance(type_, text)
                case Index(repeated, index):
                    where, kind, text = whole(repeated)
                    child = self.nested(kind, text, is_repeated=True)
                    return f"{where}.{text}[{found.print(index)}]", child
            where, kind, text = whole(node)
            return f"{where}.{text}", self.nested(kind, text, is_repeated=False)

        def marker(node: Node) -> str | None:
            """Return the position that an expression stands for; None if it is another object."""
            where, kind, text = whole(node)
            is_one = any(a.id == text and self.is_marker(a) for a in kind.seq)
            return f"{where}.{text}" if is_one else None

        def special(node: Node) -> str | None:
            """Return what looks into objects, or into a repeat."""
            match node:
                case Dot():
                    return attribute(node)
                case Method("len", Name() | Dot() as target) | Index(Name() | Dot() as target):
                    where, kind, text = whole(target)
                    a = next((x for x in kind.seq if x.id == text and x.repeat), None)
                    if a is not None and isinstance(node, Method):
                        return f"len({where}.{self.slots(kind, a)[0]})"
                    if a and isinstance(a.type, Primitive) and isinstance(node, Index):
                        plain = "float" if a.type.is_float else "int"
                        return f"{plain}({where}.{text}[{found.print(node.index)}])"
            return None

        found = Printer(
            name=name,
            enum=self.world.enum(type_),
            vector=repeat is not None,
            special=special,
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

    def around(self, type_: Type, name: str, owner: str) -> tuple[str, Type]:
        """Return the view around one of a type, or the outermost one, and its type."""
        root = self.world.specs[type_.spec].types[0]
        if name == "_root" and root.name in self.parents:
            raise _Unsupported(
                "it asks for the outermost object, which may have others of its type"
            )
        if name == "_root":
            return owner if type_ is root else f"{owner}.root", root
        found = self.parents.get(type_.name, set())
        for above in found if len(found) == 1 else ():
            parent = self.world.types[above]
            if any(type_.name in (u.name for u in a.users) for a in parent.positioned):
                break
            return f"{owner}.parent", parent
        raise _Unsupported("it asks for an object around it that may be of several types")

    def column(self, owner: str, type_: Type, repeat: str, text: str) -> str | None:
        """Return the format of a record's field or value; None if the repeat is not in columns."""
        for a in type_.seq:
            if a.id != repeat or not self.records.is_record(a, type_):
                continue
            child = self.world.types[a.users[0].name]
            number = next((x.type for x in child.seq if x.id == text), None)
            if text in self.columns(child) and isinstance(number, Primitive):
                return f"{'float' if number.is_float else 'int'}({owner}.{repeat}_{text}[{{}}])"
            if any(v.id == text for v in child.values):
                return f"{owner}.{repeat}_{text}({{}})"
            raise _Unsupported(f"it asks for {repeat}.{text}, which is not a number")
        return None

    def instance(self, type_: Type, name: str) -> Type:
        """Return the type of an instance at a position."""
        for a in type_.positioned:
            child = self.world.types.get(a.users[0].name) if len(a.users) == 1 else None
            if a.id == name and child is not None and not a.repeat:
                return child
        raise _Unsupported(f"it asks for a field of {name}")

    def value(self, type_: Type, text: str, repeat: str | None, owner: str) -> str:
        for v in type_.values:
            if v.id == text:
                body = self.printer(type_, repeat, member=True).print(_plain(v.value))  # if it can
                return f"{owner}.{text}" if repeat is None else f"({body})"
        found = next((a for a in type_.seq if a.id == text), None)
        is_number = found is not None and isinstance(found.type, Primitive) and not found.repeat
        if repeat is not None and is_number and text in self.columns(type_):
            return f"self.{repeat}_{text}[i]"
        is_one = found is not None and not isinstance(found.type, UserType | Switch)
        is_one = is_one or any(p.id == text for p in type_.params)
        if repeat is None and is_one:
            return f"{owner}.{text}"
        raise _Unsupported(f"it asks for {text}, which is not a number")

    def columns(self, type_: Type) -> list[str]:
        """Return the columns of the records of a type."""
        found = self.records.variants(type_)
        assert found is not None
        return found.columns

    def is_marker(self, a: Attribute) -> bool:
        """Whether a field takes no bytes: an object with nothing but a parameter."""
        if not isinstance(a.type, UserType) or a.repeat or a.is_window:
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
        a = group[0]
        condition = None
        if a.condition is not None:
            condition = self.printer(type_).print(_plain(a.condition))
        slots = tuple(slot for one in group for slot in self.slots(type_, one))
        if isinstance(a.type, Bits) and not a.repeat:
            return self.bits(type_, group, slots, condition)
        if isinstance(a.type, Primitive) and a.repeat in ("expr", "eos"):
            fields = (self.field(type_, a),)
            if any(text.startswith("lambda") for _, text in fields[0].options):
                raise _Unsupported("what is valid in a repeat depends on other fields")
            layout = self.layout(type_, f"{type_.name}_{a.id}", False, (((), fields),))
            return Repeat(slots, condition, layout, self.count(self.printer(type_), a))
        if self.records.is_record(a, type_):
            child = self.world.types[a.users[0].name]
            printer = self.printer(type_)
            arguments = tuple(printer.print(node) for node in a.users[0].arguments)
            layout = self.records_layout(type_, child, arguments)
            return Repeat(slots, condition, layout, self.count(printer, a))
        if a.repeat:
            return self.loop(type_, a, slots, condition)
        if isinstance(a.type, Primitive):
            return self.numbers(type_, group, slots, condition)
        return replace(self.one(type_, a, self.printer(type_)), condition=condition)

    def loop(
        self, type_: Type, a: Attribute, slots: tuple[str, ...], condition: str | None
    ) -> Step:
        """Return the reads of a repeat that is not in columns."""
        plain, printer = replace(a, repeat=None), self.printer(type_, element=a)
        if isinstance(a.type, Bits):
            raise _Unsupported("it is a repeat of bits")
        if isinstance(a.type, Switch) and all(value is not None for value, _ in a.type.cases):
            raise _Unsupported("it is a repeat of a switch without a case for all else")
        if len({isinstance(x.type, UserType) for x in a.cases if x.is_window}) == 2:
            raise _Unsupported("it is a repeat of bytes and objects, which the parser mixes up")
        count = None if a.repeat_expr is None else printer.print(a.repeat_expr)
        until = None if a.until is None else printer.print(_plain(a.until))
        is_indexed = any("_index" in names(node) for node in a.nodes)
        return Loop(
            slots,
            condition,
            self.one(type_, plain, printer, "item"),
            count,
            until,
            "i" if is_indexed else "_",
            not self.least(plain),
        )

    def one(self, type_: Type, a: Attribute, printer: Printer, target: str = "") -> Step:
        """Return the read of a field without a repeat."""
        slots = (a.id,)
        target = target or f"self.{a.id}"
        if isinstance(a.type, Primitive):
            return self.numbers(type_, [a], slots, None, target)
        if isinstance(a.type, Switch):
            return self.choice(type_, a, a.type, printer, target)
        if isinstance(a.type, Bits):
            raise _Unsupported("it is a case of bits")
        if isinstance(a.type, UserType) and not a.is_window:
            return self.object(type_, a, a.type, printer, in_loop=target == "item")
        size = "len(d) - p" if a.size_eos else None
        if a.size is not None:
            size = printer.print(a.size)
        value, ending = "d[p:q]", None
        if a.contents is not None:
            size = str(len(a.contents))
        elif a.terminator is not None and size is None:
            end = a.terminator
            ending = f"{end.byte}, {end.include}, {end.consume}, {end.eos_error}"
            value = "d[p:r]"
        if a.pad_right is not None or (a.terminator is not None and size is not None):
            end_byte = f", {a.terminator.byte}, {a.terminator.include}" if a.terminator else ""
            pad = None if a.terminator and a.terminator.byte == a.pad_right else a.pad_right
            value = f"trimmed({value}, {pad}{end_byte})"
        if a.process is not None:
            arguments = "".join(f", {_after(printer.print(n))}" for n in a.process.arguments)
            most = "" if a.max_size is None else f", most={a.max_size}"
            value = f'decode("{a.process.name}", {value}, start + p{arguments}{most})'
        if isinstance(a.type, UserType):
            child = self.world.types[a.type.name]
            self.plan(child)
            cls = self.uses(type_, child, view_name(child))
            own = [_after(printer.print(node)) for node in a.type.arguments]
            passed = *own, *self.passed(type_, child)
            if value == "d[p:q]" and size is not None:
                return Nested(slots, None, cls, passed, size)
            value = f"window({cls}, {value}, start + p, 0, None{''.join(f', {x}' for x in passed)})"
        elif a.charset is not None:
            value = f"text({value}, {a.charset!r}, start + p)"
        elif a.encoding is not None and a.encoding.startswith("integer"):
            value = f'decode_integer({value}, "{a.encoding}", start + p)'
        return Bytes(slots, None, size, ending, value, tuple(self.checks(type_, a, target)))

    def checks(self, type_: Type, a: Attribute, target: str) -> Iterator[Check]:
        """Yield when bytes, text or bits are not valid."""
        path = f"{type_.spec}{a.path}"
        if a.contents is not None:
            message = f"the field {a.id} is not {a.contents!r}"
            yield Check(f"{target} != {a.contents!r}", message, path, target)
        if a.type is None and (a.valid.least or a.valid.most) and a.charset is None:
            raise _Unsupported("bytes have bounds")
        for wrong in self.wrong(type_, a, target):
            yield Check(wrong, f"the field {a.id} is not valid", path, target)

    def choice(
        self, type_: Type, a: Attribute, found: Switch, printer: Printer, target: str
    ) -> Choice:
        """Return the reads of a field that has one of several types."""
        on, cases = printer.operand(found.on), []
        for value, case in found.cases:
            condition = None if value is None else f"{on} == {printer.operand(value)}"
            cases.append((condition, self.one(type_, case, printer, target)))
        return Choice((a.id,), None, tuple(cases))

    def bits(
        self, type_: Type, group: list[Attribute], slots: tuple[str, ...], condition: str | None
    ) -> BitFields:
        """Return the read of bits; what is left of the last byte is skipped."""
        widths = [a.type.size for a in group if isinstance(a.type, Bits)]
        total, place = sum(widths), type_.seq.index(group[-1]) + 1
        after = type_.seq[place] if place < len(type_.seq) else None
        is_aligned = after is not None and after.condition is None and not after.repeat
        if total % 8 and (
            not is_aligned
            or after is None
            or isinstance(after.type, Bits)
            or after.users
            or isinstance(after.type, Switch)
        ):
            raise _Unsupported("its bits do not fill bytes")
        size, start, fields = -(-total // 8), 0, []
        assert isinstance(group[0].type, Bits)
        order = group[0].type.order
        for a, width in zip(group, widths, strict=True):
            shift = start if order == "<" else 8 * size - start - width
            is_flag = width == 1 and a.enum is None
            fields.append(Bit(a.id, shift, (1 << width) - 1, is_flag))
            start += width
        checks = [check for a in group for check in self.checks(type_, a, f"self.{a.id}")]
        byte_order = "little" if order == "<" else "big"
        return BitFields(slots, condition, tuple(fields), size, byte_order, tuple(checks))

    def least(self, a: Attribute, seen: frozenset[str] = frozenset()) -> float:
        """Return bytes that a field has at least."""
        if a.condition is not None or a.repeat in ("eos", "expr"):
            return 0
        match a.type:
            case Primitive() as number:
                return number.size
            case Bits(size):
                return size / 8
            case Switch(_, cases):
                has_all = any(value is None for value, _ in cases)
                return min(self.least(case, seen) for _, case in cases) if has_all else 0
        if isinstance(a.size, Literal):
            return int(a.size.value)
        if a.contents is not None:
            return len(a.contents)
        if a.is_window or a.type is None or a.type.name in seen:
            return 1 if a.terminator and a.terminator.eos_error and a.terminator.consume else 0
        child = self.world.types[a.type.name]
        return sum(self.least(x, seen | {child.name}) for x in child.seq)

    def count(self, printer: Printer, a: Attribute) -> str:
        """Return how many there are; up to the end, one more if some bytes are left."""
        if a.repeat_expr is not None:
            return printer.print(a.repeat_expr)
        if isinstance(a.type, Primitive):
            size: int | None = a.type.size
        else:
            assert a.type is not None
            size = self.records.fixed_size(self.world.types[a.users[0].name])
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
        self,
        type_: Type,
        group: list[Attribute],
        slots: tuple[str, ...],
        condition: str | None,
        target: str | None = None,
    ) -> Numbers:
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        order = next((n.order for n in numbers if n.size > 1), ">")
        name = f"_{type_.name}_{slots[0]}".upper()
        number = self.used_names[name] = self.used_names.get(name, 0) + 1
        return Numbers(
            slots,
            condition,
            name if number == 1 else f"{name}_{number}",
            tuple(self.field(type_, a) for a in group),
            order + "".join(n.code for n in numbers),
            sum(n.size for n in numbers),
            tuple(wrong for a in group for wrong in self.wrong(type_, a, target or f"self.{a.id}")),
        )

    def wrong(self, type_: Type, a: Attribute, target: str) -> Iterator[str]:
        """Yield the conditions under which a value is not valid."""
        printer, valid = self.printer(type_), a.valid
        is_float = isinstance(a.type, Primitive) and a.type.is_float
        limits = ("!=", valid.equal), ("<", valid.least), (">", valid.most)
        for sign, node in limits:
            if node is None:
                continue
            if is_float and sign != "!=":  # a NaN is neither less nor more
                yield f"not {target} {sign.translate(_MIRRORED)}= {printer.operand(node)}"
            else:
                yield f"{target} {sign} {printer.operand(node)}"
        if valid.any_of:
            options = ", ".join(map(printer.print, valid.any_of))
            yield f"{target} not in ({options}{',' * (len(valid.any_of) == 1)})"

    def object(
        self, type_: Type, a: Attribute, user: UserType, printer: Printer, *, in_loop: bool
    ) -> Step:
        child = self.world.types[user.name]
        slots = (a.id,)
        if self.is_marker(a) and not in_loop:
            return Marker(slots, None, printer.print(user.arguments[0]))
        arguments = *map(printer.print, user.arguments), *self.passed(type_, child)
        if not in_loop and self.is_single(child):
            return Single(slots, None, self.records_layout(type_, child, arguments))
        self.plan(child)
        cls = self.uses(type_, child, view_name(child))
        if self.has_size(child):
            arguments = (*arguments, "io_size=io_size")
        return Nested(slots, None, cls, arguments, None)

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
            printer = self.printer(type_, member=True)
            if (body := self.text(type_, v.path, printer, v.value)) is not None:
                is_constant = isinstance(v.value, Literal)
                yield Member(v.id, (), body, _one_line(v), not is_constant, is_constant)
        for repeat, child in self.repeats(type_):
            for v in child.values:
                printer = self.printer(child, repeat.id, type_, member=True)
                body = self.text(child, v.path, printer, v.value)
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
            used = names(a.position) if a.position is not None else set()
            instances = tuple(p.id for p in type_.positioned if p.id in used)
            printer = self.printer(type_, instances=instances, member=True)
            if (found := self.place(type_, a, printer)) is not None:
                yield Member(f"place_{a.id}", instances, found, _place_doc(a, ""))
        for repeat, child in self.repeats(type_):
            for a in child.positioned:
                printer = self.printer(child, repeat.id, type_, member=True)
                if (found := self.place(child, a, printer)) is not None:
                    name = f"place_{repeat.id}_{a.id}"
                    yield Member(name, ("i",), found, _place_doc(a, " of record i"))

    def place(self, type_: Type, a: Attribute, printer: Printer) -> str | None:
        assert a.position is not None
        position = self.text(type_, a.path, printer, a.position)
        size = "None" if a.size is None else self.text(type_, a.path, printer, a.size)
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
            f"{view_name(type_)}Places",
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
        elif a.users and size is None:
            fixed = self.records.fixed_size(self.world.types[a.users[0].name])
            size = None if fixed is None else Literal(fixed)
        if a.repeat and size is not None:
            size = None if a.repeat_expr is None else Binary("*", a.repeat_expr, size)
        if a.condition is not None and size is not None:
            size = Ternary(a.condition, size, Literal(0))
        return size

    def text(self, type_: Type, path: str, printer: Printer, node: Node) -> str | None:
        """Return the expression; None if it looks at more than a view has."""
        try:
            return printer.print(_plain(node))
        except _Unsupported as error:
            place = f"{self.world.specs[type_.spec].file}: views: {path}"
            line = f"{place}: left out: {error}"
            missing = self.module(type_.spec).missing
            missing += [] if line in missing else [line]
            return None


_GLOBALS = (
    "IntEnum",
    "accumulate", "count", "Struct", "Any", "NamedTuple", "FormatError", "decode_integer", "np",
    "Buffer", "Field", "RecordLayout", "broken", "choose", "cut", "layout_for", "window", "text",
    "ends", "trimmed", "decode", "guarded", "wrong",
)  # fmt: skip
"""Names in the code of views."""


def _asks_twice(type_: Type) -> bool:
    """Whether a type asks for the parent of its parent."""
    nodes = [node for a in (*type_.seq, *type_.positioned) for node in a.nodes]
    nodes += [v.value for v in type_.values]
    return any(Dot(Name("_parent"), "_parent") in walk(node) for node in nodes)


def _after(text: str) -> str:
    """Return an expression as it is after a read, before the place is moved."""
    return text.replace("(start + p)", "(start + q)")


def enum_name(world: World, name: str) -> str:
    """Return the name of the class of an enum."""
    found = camel(name)
    is_taken = found in _GLOBALS or hasattr(builtins, found)
    return f"{found}Enum" if is_taken or name in world.types else found


def argument_name(name: str) -> str:
    """Return the name of the argument for a parameter."""
    taken = {"self", "d", "start", "p", "arrays", "parent", "root", "io_size", *_GLOBALS}
    return f"{name}_" if name in taken or hasattr(builtins, name) else name


def view_name(type_: Type) -> str:
    """Return the name of the view of a type."""
    name = camel(type_.name)
    return f"{name}View" if name in _GLOBALS or hasattr(builtins, name) else name


_MIRRORED = str.maketrans("<>", "><")


def _are_together(group: list[Attribute], a: Attribute) -> bool:
    """Whether one read gets a number with those before it."""
    both = (*group, a)
    bits = [x.type for x in both if isinstance(x.type, Bits) and not x.repeat]
    if bits:
        is_plain = all(x.condition is None for x in both) and len(bits) == len(both)
        return is_plain and len({bit.order for bit in bits}) == 1
    numbers = [x.type for x in both if isinstance(x.type, Primitive) and not x.repeat]
    orders = {number.order for number in numbers if number.size > 1}
    condition = a.condition
    alike = condition == group[0].condition and len(numbers) == len(both)
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
