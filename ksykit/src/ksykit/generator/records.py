"""Which types are flat records, and their fields: what views read, and layouts pack, as columns.

A flat record has fields of a fixed size, and at most one byte string after its length, once the
`if`s on a parameter are decided: once for each value of the enum that it is compared with.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from .expression import (
    Binary,
    Dot,
    EnumValue,
    Index,
    Literal,
    Name,
    Node,
    Printer,
    Ternary,
    Unary,
    children,
    evaluate,
    inlined,
    names,
    uses,
    walk,
)
from .spec import Attribute, Bits, Primitive, Switch, Type, UserType, Valid
from .world import World

_PLAIN = (Name, Literal, Unary, Binary, Ternary, EnumValue)


@dataclass(frozen=True)
class FieldPlan:
    """A number with its options (keyword, expression); without a code, a text."""

    name: str
    path: str
    code: str | None
    size: int = 0
    options: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The call that makes it in generated code."""
        parts = [f'"{self.name}"', f'"{self.path}"', *([f'"{self.code}"'] if self.code else [])]
        return f"Field({', '.join([*parts, *(f'{key}={text}' for key, text in self.options)])})"


Columns = Mapping[str, tuple[FieldPlan, ...]]
"""By column its number, or the length of its byte string and this."""


@dataclass(frozen=True)
class Shapes:
    """The columns of a record, by the values of the parameter that decides, if there is one."""

    decides: str | None
    by_key: Mapping[int | None, Columns]


@dataclass(frozen=True)
class Form:
    """How a repeat is read as columns, which are those of records, and the size of an element.

    The kinds are numbers, varints, records of a layout, and rows: records that a loop reads.
    """

    kind: str
    size: int | None = None
    columns: tuple[str, ...] = ()


def number_field(type_: Type, a: Attribute, printer: Printer) -> FieldPlan:
    """Return the plan of a number; what is valid may depend on fields of a view `x` before it."""
    assert isinstance(a.type, Primitive)
    options = []
    limits = ("equal", a.valid.equal), ("least", a.valid.least), ("most", a.valid.most)
    for kind, node in limits:
        if node is not None:
            text = printer.print(node)
            options.append((kind, f"lambda x: {text}" if names(node) else text))
    if a.valid.any_of:
        text = f"[{', '.join(map(printer.print, a.valid.any_of))}]"
        is_open = any(map(names, a.valid.any_of))
        options.append(("any_of", f"lambda x: {text}" if is_open else text))
    code, size = f"{a.type.order}{a.type.code}", a.type.size
    return FieldPlan(a.id, f"{type_.spec}{a.path}", code, size, tuple(options))


class Records:
    """Look-ups of flat records among all specs."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._domains: dict[str, tuple[str, set[int]] | None] = {}
        nodes = (part for t in world.types.values() for node in t.nodes for part in walk(node))
        targets = (part.target for part in nodes if isinstance(part, Index))
        self._indexed = {
            x.name for node in targets for x in walk(node) if isinstance(x, Name | Dot)
        }

    def _domain(self, type_: Type) -> tuple[str, set[int]] | None:
        """Return parameter that `if`s of a type (or of what it nests) compare with enum values."""
        if type_.name not in self._domains:
            self._domains[type_.name] = None  # what nests itself is not flat
            self._domains[type_.name] = self._domain_of(type_)
        return self._domains[type_.name]

    def _domain_of(self, type_: Type) -> tuple[str, set[int]] | None:
        domains: dict[str, set[int]] = {}
        params = {p.id for p in type_.params}
        values = {v.id: v.value for v in type_.values}
        for a in type_.seq:
            for node in walk(inlined(a.condition, values)) if a.condition is not None else ():
                match node:
                    case Binary("==", Name(name), EnumValue(_, _, int(number))) if name in params:
                        domains.setdefault(name, set()).add(number)
            if isinstance(a.type, UserType) and not a.repeat:
                child = self.world.types[a.type.name]
                below = self._domain(child)
                if below is not None:
                    at = [p.id for p in child.params].index(below[0])
                    match a.type.arguments[at]:
                        case Name(name) if name in params:
                            domains.setdefault(name, set()).update(below[1])
        return next(iter(domains.items())) if len(domains) == 1 else None

    def _columns(self, type_: Type, known: Mapping[str, int], *, nest: bool) -> Columns | None:
        """Return the columns of a record; None if it is not flat."""
        plans: dict[str, tuple[FieldPlan, ...]] = {}
        printer = Printer(name=lambda name: name)
        values = {v.id: v.value for v in type_.values}
        for a in type_.seq:
            condition = inlined(a.condition or Literal(True), values)
            there = evaluate(condition, known.get)
            depends = any(names(node) for node in a.valid.nodes)
            is_plain = (a.terminator, a.pad_right, a.process, a.charset) == (None,) * 4
            is_plain &= not a.repeat and not a.size_eos and not isinstance(a.type, Bits | Switch)
            if there is None or depends or not is_plain or (a.type is None and a.valid != Valid()):
                return None
            if not there:
                continue
            path = f"{type_.spec}{a.path}"
            if isinstance(a.type, Primitive):
                plans[a.id] = (number_field(type_, a, printer),)
            elif isinstance(a.type, UserType):
                inner = self._nested(type_, a, a.type, known) if nest else None
                others = plans.keys() | {x.id for x in type_.seq if x is not a}
                if inner is None or inner.keys() & others:
                    return None
                plans.update(inner)
            elif a.contents is not None:
                size, equal = len(a.contents), ("equal", repr(a.contents))
                plans[a.id] = (FieldPlan(a.id, path, f">{size}s", size, (equal,)),)
            elif isinstance(a.size, Literal):
                size = int(a.size.value)
                plans[a.id] = (FieldPlan(a.id, path, f">{size}s", size),)
            else:
                # A byte string right after its length.
                last = next(reversed(plans), "")
                if a.size != Name(last):
                    return None
                plans[a.id] = (*plans.pop(last), FieldPlan(a.id, path, None))
        texts = sum(len(fields) > 1 for fields in plans.values())
        size = sum(field.size for fields in plans.values() for field in fields)
        return plans if size and texts <= 1 else None

    def _nested(
        self, type_: Type, a: Attribute, user: UserType, known: Mapping[str, int]
    ) -> Columns | None:
        """Return the columns of a nested object: the only one has the name of the object."""
        child = self.world.types[user.name]
        passed = {
            p.id: int(v)
            for p, node in zip(child.params, user.arguments, strict=True)
            if (v := evaluate(node, known.get)) is not None
        }
        inner = None if a.size is not None else self._columns(child, passed, nest=False)
        if inner is None or (len(inner) == 1 and _is_bytes(*inner.values())):
            return None
        columns: dict[str, tuple[FieldPlan, ...]] = {}
        for name, (*length, last) in inner.items():
            column = a.id if len(inner) == 1 else f"{a.id}_{name}"
            option = ("column", f'"{column}"')
            columns[column] = (*length, replace(last, options=(option, *last.options)))
        return columns

    def _with_values(self, type_: Type, columns: Columns) -> Columns:
        """Return same, with `-kit-value` of numbers that are constant, or follow from others."""
        numbers = {a.id: a for a in type_.seq if isinstance(a.type, Primitive) and a.id in columns}
        computed = {n: a.value for n, a in numbers.items() if a.value and a.valid.equal is None}
        given = {n for n, a in numbers.items() if n not in computed and a.valid.equal is None}
        printer = Printer(name=lambda name: f"x.{name}", vector=True)
        valued = dict(columns)
        for name, node in computed.items():
            if names(node) <= given and all(isinstance(part, _PLAIN) for part in walk(node)):
                [field] = columns[name]
                value = ("value", f"lambda x: {printer.print(node)}")
                valued[name] = (replace(field, options=(*field.options, value)),)
        return valued

    def variants(self, type_: Type) -> Shapes | None:
        """Return shapes of a flat record; None if the type is not flat, or its columns differ."""
        shapes = self.shapes(type_)
        alike = shapes is not None and len({tuple(c) for c in shapes.by_key.values()}) == 1
        return shapes if alike else None

    def shapes(self, type_: Type) -> Shapes | None:
        """Return the shapes of a record, whose columns may differ with its parameter."""
        domain = self._domain(type_)
        keys: Iterable[int | None] = [None] if domain is None else sorted(domain[1])
        by_key: dict[int | None, Columns] = {}
        for key in keys:
            known = {} if domain is None or key is None else {domain[0]: key}
            columns = self._columns(type_, known, nest=True)
            if columns is None:
                return None
            by_key[key] = self._with_values(type_, columns)
        return Shapes(None if domain is None else domain[0], by_key)

    def form(self, a: Attribute) -> Form | None:
        """Return how a repeat is read as columns; None if it is not."""
        if a.repeat not in ("expr", "eos") or a.is_window:
            return None
        if isinstance(a.type, Primitive):
            return Form("numbers", a.type.size)
        if not isinstance(a.type, UserType):
            return None
        child, is_indexed = self.world.types[a.type.name], a.id in self._indexed
        if child.leb128 and not is_indexed and not a.nodes[1:]:
            return Form("varints")
        columns, size = tuple(self.columns(child)), self.fixed_size(child)
        has_layout = self.varints(child) is not None or self.variants(child) is not None
        has_layout &= a.repeat == "expr" or size is not None
        if not (has_layout or child.params or is_indexed) and self.rows(child) is not None:
            return Form("rows", None, columns)
        if any("_index" in names(node) or uses(node, "pos") for node in a.type.arguments):
            return None
        return Form("layout", size, columns) if has_layout else None

    def is_record(self, a: Attribute) -> bool:
        """Whether an attribute is a repeat of records that are read as columns."""
        form = self.form(a)
        return form is not None and bool(form.columns)

    def rows(self, type_: Type) -> Mapping[str, str] | None:
        """Return the columns of a record with a number, and what `columns_of` calls their kind.

        None if a field is not one value, or an expression asks for more than the numbers.
        """
        kinds = {a.id: self._kind(a) for a in type_.seq}
        numbers = {name for name, kind in kinds.items() if kind and kind not in "st"}
        if type_.positioned or not numbers or None in kinds.values():
            return None
        sizes = [node for a in type_.seq for node in a.nodes]
        known = {x for n in numbers for x in (Name(n), Dot(Name(n), "value"))}
        if self.varints(type_) is not None or self.variants(type_) is not None:
            kinds = {name: kinds[name] for name in self.columns(type_)}
        values = {v.id: v.value for v in type_.values}
        nodes = [inlined(node, values) for node in values.values()]
        whole = all(names(node) <= kinds.keys() for node in nodes)
        is_plain = whole and all(_is_plain(node, known) for node in (*sizes, *nodes))
        return {n: kind for n, kind in kinds.items() if kind} if is_plain else None

    def _kind(self, a: Attribute) -> str | None:
        """Return what `columns_of` calls the kind of a field; None if it is not one value."""
        depends = any(names(node) for node in a.valid.nodes)
        if a.repeat or a.condition is not None or a.size_eos or depends:
            return None
        if isinstance(a.type, Primitive):
            return a.type.code
        if a.type is None:
            return "t" if a.charset or a.encoding else "s"
        return "v" if self.is_varint(a) else None

    def is_single(self, type_: Type) -> bool:
        """Whether a type is a single value, as a number or a string after its length."""
        shapes = self.shapes(type_)
        return shapes is not None and all(len(columns) == 1 for columns in shapes.by_key.values())

    def columns(self, type_: Type) -> list[str]:
        """Return the names of the columns of a type's records."""
        if (varints := self.varints(type_)) is not None:
            return list(varints)
        if (shapes := self.variants(type_)) is not None:
            return list(next(iter(shapes.by_key.values())))
        return list(self.rows(type_) or ())

    def varints(self, type_: Type) -> Mapping[str, bool] | None:
        """Return the columns of a record of varints, and of bytes right after their length.

        The value is whether it is of bytes. None if the type has other fields.
        """
        columns: dict[str, bool] = {}
        last = ""
        for a in type_.seq:
            if a.repeat or a.condition is not None or a.valid != Valid():
                return None
            if self.is_varint(a):
                columns[a.id] = False
            elif a.type is None and last in columns and a.size == Dot(Name(last), "value"):
                if (a.terminator, a.pad_right, a.process, a.contents, a.charset) != (None,) * 5:
                    return None
                del columns[last]
                columns[a.id] = True
            else:
                return None
            last = a.id
        return columns or None

    def is_varint(self, a: Attribute) -> bool:
        """Whether a field is an unsigned LEB128."""
        is_object = isinstance(a.type, UserType) and not a.is_window and not a.repeat
        return is_object and self.world.types[a.users[0].name].leb128

    def slots(self, a: Attribute) -> list[str]:
        """Return what a view has for a field: the columns of records, or the field."""
        form = self.form(a)
        columns = () if form is None else form.columns
        return [f"{a.id}_{name}" for name in columns] or [a.id]

    def fixed_size(self, type_: Type) -> int | None:
        """Bytes of each record; None if they differ, or the type is not flat."""
        shapes = self.variants(type_)
        if shapes is None or shapes.decides is not None:
            return None
        fields = [field for column in shapes.by_key[None].values() for field in column]
        return None if None in (f.code for f in fields) else sum(f.size for f in fields)


def is_marker(a: Attribute, world: World) -> bool:
    """Whether a field takes no bytes: an object with nothing but a parameter."""
    if not isinstance(a.type, UserType) or a.repeat or a.is_window:
        return False
    child = world.types[a.type.name]
    return not child.seq and not child.positioned and len(child.params) == 1


def _is_plain(node: Node, known: Container[Node]) -> bool:
    """Whether an expression is of these, and cannot fail."""
    if isinstance(node, Binary) and node.operator in ("/", "%", "//.", "<<", ">>"):
        return False
    if isinstance(node, Unary | Binary | Ternary):
        return all(_is_plain(part, known) for part in children(node))
    return node in known or isinstance(node, Literal | EnumValue)


def _is_bytes(fields: tuple[FieldPlan, ...]) -> bool:
    """Whether a column is of byte strings of one size."""
    return fields[0].code is not None and fields[0].code[-1] == "s"
