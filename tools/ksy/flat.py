"""Flat readers: a type of a spec read at once from bytes that are there, without Kaitai objects.

For types with `-flat: true`, and what they nest, a class with a slot for each field; repeated
records and numbers are columns, up to MANY of them. A flat reader knows files as they usually are.
Whatever else it meets, it gives up, and the parsers read again and say what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .expression import Attribute as Dot
from .expression import Binary, Name, Node, Printer, Ternary, Unary, names, uses
from .load import Attribute, Primitive, Spec, Type, UserType, Value
from .records import Records, Variant, numbers_together
from .world import World, camel, wrong_values


@dataclass(frozen=True)
class FlatMember:
    """A property or a method: its arguments, what it returns, and a doc."""

    name: str
    arguments: str
    kind: str
    body: str
    doc: str
    is_property: bool = False


@dataclass(frozen=True)
class FlatType:
    """A class of the type's fields, the statements that set them, and what else it tells."""

    name: str
    cls: str
    params: tuple[str, ...]
    slots: tuple[str, ...]
    statements: tuple[str, ...]
    members: tuple[FlatMember, ...]


@dataclass(frozen=True)
class FlatFunction:
    """Of a type whose fields are columns, or of one that is a single value."""

    name: str
    type: str
    params: tuple[str, ...]
    is_record: bool
    statements: tuple[str, ...]


@dataclass(frozen=True)
class FlatModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    structs: tuple[tuple[str, str], ...]
    functions: tuple[FlatFunction, ...]
    types: tuple[FlatType, ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]


_GUARD = ("if count > MANY:", "    raise Unusual")


class _Unprintable(Exception):
    """An expression looks at more than a flat reader has."""


class _Flat:
    """The classes and functions of one spec."""

    def __init__(self, world: World, spec: Spec, wanted: set[str]) -> None:
        self.world, self.spec, self.wanted = world, spec, wanted
        self.records = Records(world)
        self.structs: dict[str, str] = {}
        self.functions: dict[str, FlatFunction] = {}
        self.used: dict[str, set[str]] = {}

    # -- Expressions

    def printer(
        self, type_: Type, repeat: str | None = None, parent: Type | None = None
    ) -> Printer:
        """Of the fields of `self`; of one of the records in a repeat of it, if that is given."""

        def name(text: str) -> str:
            return self.value(type_, text, repeat)

        def attribute(node: Dot) -> str:
            match node:
                case Dot(Name("_io"), "pos"):
                    return "(start + p)"
                case Dot(Name("_io"), "eof"):
                    return "(p == len(d))"
                case Dot(Name("_parent"), text) if parent is not None:
                    return self.value(parent, text, None)
                case Dot(Dot(Name("_parent"), text), "at") if parent is not None:
                    return self.marker(parent, text)
                case Dot(Name(text), "at") if repeat is None:
                    return self.marker(type_, text)
            raise _Unprintable

        return Printer(name=name, enum=self.world.enum(type_), attribute=attribute)

    def value(self, type_: Type, text: str, repeat: str | None) -> str:
        for v in type_.values:
            if v.id == text:
                return f"({self.printer(type_, repeat).print(_plain(v.value))})"
        found = next((a for a in type_.seq if a.id == text), None)
        is_number = found is not None and isinstance(found.type, Primitive) and not found.repeat
        if repeat is not None and is_number:
            return f"self.{repeat}_{text}[i]"
        if repeat is None and (is_number or any(p.id == text for p in type_.params)):
            return f"self.{text}"
        raise _Unprintable

    def marker(self, type_: Type, text: str) -> str:
        if any(a.id == text and self.is_marker(a) for a in type_.seq):
            return f"self.{text}"
        raise _Unprintable

    def is_marker(self, a: Attribute) -> bool:
        """Whether a field takes no bytes: an object with nothing but a parameter."""
        if not isinstance(a.type, UserType) or a.repeat:
            return False
        child = self.world.types[a.type.name]
        return not child.seq and not child.positioned and len(child.params) == 1

    # -- Functions

    def struct(self, numbers: list[Primitive]) -> str:
        orders = {n.order for n in numbers if n.size > 1} or {">"}
        (order,) = orders
        name = "_" + "_".join(n.packer for n in numbers)
        self.structs[name] = order + "".join(n.code for n in numbers)
        return name

    def is_single(self, type_: Type) -> bool:
        """Whether a type is a single value, as a number or a string after its length."""
        found = self.records.shapes(type_)
        return found is not None and all(len(v.columns) == 1 for v in found[1])

    def function(self, type_: Type, *, record: bool) -> str:
        """The function of a type, which is made if need be."""
        name = f"_{'many' if record else 'one'}_{type_.name}"
        if name not in self.functions:
            found = self.records.variants(type_) if record else self.records.shapes(type_)
            assert found is not None
            deciding, variants = found
            lines = list(_GUARD) if record else []
            keys: dict[tuple[str, ...], list[str]] = {}  # by how they are read
            for variant in sorted(variants, key=lambda v: v.text is None):  # most are of texts
                if not record:
                    body = [*self.one(variant, "v"), "return v, p"]
                elif variant.text is None:
                    body = self.fixed_rows(variant)
                else:
                    body = self.text_rows(variant)
                keys.setdefault(tuple(body), []).append(str(variant.key))
            for alike, of in keys.items():
                if deciding is None:
                    lines += alike
                    continue
                test = f"== {of[0]}" if len(of) == 1 else f"in ({', '.join(of)})"
                lines += [f"if {deciding} {test}:", *("    " + x for x in alike)]
            if deciding is not None:
                lines.append("raise Unusual")
            self.functions[name] = FlatFunction(
                name, type_.name, tuple(p.id for p in type_.params), record, tuple(lines)
            )
        return name

    def one(self, variant: Variant, target: str) -> list[str]:
        """Reads a single value."""
        [c] = variant.columns
        number = "n" if c.is_text else target
        lines = self.unpack([(number, c.number)])
        for wrong in wrong_values(c.valid, number, self.world, self.spec.types[0]):
            lines += [f"if {wrong}:", "    raise Unusual"]
        if c.is_text:
            lines += [
                "q = p + n",
                "if not p <= q <= len(d):",
                "    raise Unusual",
                f"{target}{': Any' if '.' in target else ''} = d[p:q]",
                "p = q",
            ]
        return lines

    def fixed_rows(self, variant: Variant) -> list[str]:
        numbers = [c.number for c in variant.columns]
        orders = {n.order for n in numbers if n.size > 1} or {">"}
        if len(orders) > 1:
            return ["raise Unusual"]
        (order,) = orders
        codes, width = "".join(n.code for n in numbers), len(numbers)
        lines = [
            f'v = unpack_from("{order}" + "{codes}" * count, d, p)',
        ]
        for i, c in enumerate(variant.columns):
            column = f"v[{i}::{width}]" if width > 1 else "v"
            for wrong in wrong_values(c.valid, "x", self.world, self.spec.types[0]):
                lines += [f"if any({wrong} for x in {column}):", "    raise Unusual"]
        columns = [f"v[{i}::{width}]" for i in range(width)] if width > 1 else ["v"]
        return [*lines, f"return p + {sum(n.size for n in numbers)} * count, {', '.join(columns)}"]

    def text_rows(self, variant: Variant) -> list[str]:
        at = next(i for i, c in enumerate(variant.columns) if c.is_text)
        heads = [("n" if c.is_text else f"v_{c.name}", c.number) for c in variant.columns[: at + 1]]
        tails = [(f"v_{c.name}", c.number) for c in variant.columns[at + 1 :]]
        size = sum(number.size for _, number in heads)
        # Numbers after a text are read with the length of the next one, if that can be.
        joined = len(heads) == 1 and bool(tails) and len(_orders([*tails, *heads])) < 2
        read, tail = self.unpack(heads)[:1], self.unpack(tails)
        if joined:
            both, _ = self.unpack([*tails, *heads])
            tail = ["if left:", f"    {both}", "else:", f"    {tail[0]}", tail[1]]
        wrong = [
            text
            for c in variant.columns
            if not c.is_text
            for text in wrong_values(c.valid, f"v_{c.name}", self.world, self.spec.types[0])
        ]
        record = [
            *(() if joined else read),
            f"q = p + {size}",
            "end = p = q + n",
            # Of numbers that follow it is seen that they are there.
            f"if n < 0{'' if tails else ' or p > len(d)'}:",
            "    raise Unusual",
            *tail,
            *((f"if {' or '.join(wrong)}:", "    raise Unusual") if wrong else ()),
            *(
                f"c_{c.name}.append({'d[q:end]' if c.is_text else f'v_{c.name}'})"
                for c in variant.columns
            ),
        ]
        columns = [f"c_{c.name}" for c in variant.columns]
        return [
            *(f"{column}: list[Any] = []" for column in columns),
            *(("n = 0", "if count:", f"    {read[0]}") if joined else ()),
            "for left in range(count - 1, -1, -1):" if joined else "for _ in range(count):",
            *("    " + line for line in record),
            f"return p, {', '.join(columns)}",
        ]

    # -- Classes

    def type(self, type_: Type) -> FlatType:
        """Raises SpecError if the type uses what flat readers do not know."""
        lines = [f"self.{p.id} = {p.id}" for p in type_.params]
        slots = [p.id for p in type_.params]
        for group in self.groups(type_):
            try:
                found = self.read(type_, group)
            except _Unprintable:
                raise self.world.fail(
                    type_, group[0].path, "cannot be read flat", "leave out -flat"
                ) from None
            new = [slot for a in group for slot in self.slots(type_, a)]
            if group[0].condition is not None:
                condition = self.printer(type_).print(_plain(group[0].condition))
                if uses(group[0].condition, "eof") and type_.flat:
                    raise self.world.fail(
                        type_, group[0].path, "asks for the end of its stream", "leave out -flat"
                    )
                condition = condition.replace("not (p == len(d))", "p != len(d)")
                found = [f"if {condition}:", *("    " + x for x in found)]
                found = [*(f"self.{slot}: Any = None" for slot in new), *found]
            lines += found
            slots += new
        return FlatType(
            name=type_.name,
            cls=camel(type_.name),
            params=tuple(p.id for p in type_.params),
            slots=tuple(sorted([*slots, "end"])),
            statements=tuple(lines),
            members=(*self.values(type_), *self.places(type_)),
        )

    def groups(self, type_: Type) -> list[list[Attribute]]:
        seq, found = list(type_.seq), []
        while seq:
            group = numbers_together(seq)[: len(seq)] or [seq[0]]
            if group[0].condition is not None and isinstance(group[0].type, Primitive):
                # Numbers that are there on one condition.
                for a in seq[1:]:
                    alike = isinstance(a.type, Primitive) and not a.repeat
                    if not alike or a.condition != group[0].condition or uses(a.condition, "eof"):
                        break
                    group.append(a)
            found.append(group)
            seq = seq[len(group) :]
        return found

    def slots(self, type_: Type, a: Attribute) -> list[str]:
        if self.records.is_record(a, type_):
            assert isinstance(a.type, UserType)
            found = self.records.variants(self.world.types[a.type.name])
            assert found is not None
            return [f"{a.id}_{c.name}" for c in found[1][0].columns]
        return [a.id]

    def read(self, type_: Type, group: list[Attribute]) -> list[str]:
        a = group[0]
        if isinstance(a.type, Primitive):
            if not a.repeat:
                return self.read_numbers(type_, group)
            if a.repeat_expr is None or wrong_values(a.valid, "x", self.world, type_):
                raise _Unprintable
            return [
                f"count = {self.printer(type_).print(a.repeat_expr)}",
                *_GUARD,
                f'self.{a.id} = unpack_from(f"{a.type.order}{{count}}{a.type.code}", d, p)',
                f"p += {a.type.size} * count",
            ]
        if a.type is None:
            if a.size is None and a.contents is None:
                raise _Unprintable
            if a.contents is not None:
                return [
                    f"self.{a.id} = d[p : p + {len(a.contents)}]",
                    f"if self.{a.id} != {a.contents!r}:",
                    "    raise Unusual",
                    f"p += {len(a.contents)}",
                ]
            assert a.size is not None
            return [
                f"q = p + {self.printer(type_).print(a.size)}",
                "if not p <= q <= len(d):",
                "    raise Unusual",
                f"self.{a.id} = d[p:q]",
                "p = q",
            ]
        return self.read_object(type_, a, a.type)

    def unpack(self, fields: list[tuple[str, Primitive]]) -> list[str]:
        """Reads numbers one after another; of one byte order at once."""
        lines: list[str] = []
        while fields:
            count = 1
            while count < len(fields) and len(_orders(fields[: count + 1])) < 2:
                count += 1
            now, fields = fields[:count], fields[count:]
            targets = ", ".join(target for target, _ in now) + "," * (count == 1)
            lines += [
                f"{targets} = {self.struct([n for _, n in now])}.unpack_from(d, p)",
                f"p += {sum(n.size for _, n in now)}",
            ]
        return lines

    def read_numbers(self, type_: Type, group: list[Attribute]) -> list[str]:
        lines = self.unpack(
            [(f"self.{a.id}", a.type) for a in group if isinstance(a.type, Primitive)]
        )
        wrong = [
            text.replace("x.", "self.")
            for a in group
            for text in wrong_values(a.valid, f"self.{a.id}", self.world, type_)
        ]
        return [*lines, f"if {' or '.join(wrong)}:", "    raise Unusual"] if wrong else lines

    def read_object(self, type_: Type, a: Attribute, user: UserType) -> list[str]:
        child = self.world.types[user.name]
        printer = self.printer(type_)
        arguments = "".join(f", {printer.print(node)}" for node in user.arguments)
        if self.is_marker(a):
            return [f"self.{a.id} = {arguments[2:]}"]
        if self.records.is_record(a, type_) and a.repeat_expr is not None:
            count = printer.print(a.repeat_expr)
            targets = ", ".join(f"self.{slot}" for slot in self.slots(type_, a))
            call = self.function(child, record=True)
            return [f"p, {targets} = {call}(d, p, {count}{arguments})"]
        if not a.repeat and a.size is None and self.is_single(child):
            found = self.records.shapes(child)
            if found is not None and found[0] is None:
                return self.one(found[1][0], f"self.{a.id}")
            return [f"self.{a.id}, p = {self.function(child, record=False)}(d, p{arguments})"]
        cls = camel(child.name)
        self.wanted.add(child.name)
        if child.spec != self.spec.name:
            self.used.setdefault(child.spec, set()).add(cls)
        if a.size is not None:  # a window, which has to be there
            return [
                f"q = p + {printer.print(a.size)}",
                "if not p <= q <= len(d):",
                "    raise Unusual",
                f"self.{a.id} = {cls}(d[p:q], 0, 0{arguments})",
                "p = q",
            ]
        if not a.repeat:
            return [
                f"self.{a.id} = {cls}(d, start, p{arguments})",
                f"p = self.{a.id}.end - start",
            ]
        if a.repeat_expr is None or any("_index" in names(node) for node in user.arguments):
            raise _Unprintable
        return [
            f"count = {printer.print(a.repeat_expr)}",
            *_GUARD,
            f"self.{a.id} = []",
            "for _ in range(count):",
            f"    item = {cls}(d, start, p{arguments})",
            "    p = item.end - start",
            f"    self.{a.id}.append(item)",
        ]

    def values(self, type_: Type) -> list[FlatMember]:
        """Value instances: those of the type, and those of records that it repeats."""
        found = [
            self.value_member(v, self.printer(type_), v.id, is_property=True) for v in type_.values
        ]
        for repeat, child in self.repeats(type_):
            printer = self.printer(child, repeat.id, type_)
            found += [self.value_member(v, printer, f"{repeat.id}_{v.id}") for v in child.values]
        return [member for member in found if member is not None]

    def value_member(
        self, v: Value, printer: Printer, name: str, *, is_property: bool = False
    ) -> FlatMember | None:
        try:
            body = printer.print(_plain(v.value))
        except _Unprintable:
            return None
        doc = " ".join(v.doc.split())
        if is_property:
            return FlatMember(name, "", "Any", body, doc, is_property=True)
        return FlatMember(name, ", i: int", "Any", body, doc or f"`{v.id}` of record i.")

    def repeats(self, type_: Type) -> Iterator[tuple[Attribute, Type]]:
        """The repeats of flat records in a type, and the types of these."""
        for repeat in type_.seq:
            if self.records.is_record(repeat, type_):
                assert isinstance(repeat.type, UserType)
                yield repeat, self.world.types[repeat.type.name]

    def places(self, type_: Type) -> list[FlatMember]:
        """Where instances are: those of the type, and those of records that it repeats."""
        found = [self.place(a, self.printer(type_), f"place_{a.id}", "") for a in type_.positioned]
        for repeat, child in self.repeats(type_):
            printer = self.printer(child, repeat.id, type_)
            for a in child.positioned:
                name = f"place_{repeat.id}_{a.id}"
                found.append(self.place(a, printer, name, ", i: int"))
        return [member for member in found if member is not None]

    def place(self, a: Attribute, printer: Printer, name: str, arguments: str) -> FlatMember | None:
        assert a.position is not None
        try:
            position = printer.print(_plain(a.position))
            size = "None" if a.size is None else printer.print(_plain(a.size))
        except _Unprintable:
            return None
        doc = (
            f"Where the `{a.id}` {'of record i ' if arguments else ''}is: (position, size or None)."
        )
        return FlatMember(name, arguments, "tuple[Any, Any]", f"{position}, {size}", doc)

    def module(self) -> FlatModule:
        types = [self.type(t) for t in self.spec.types if t.name in self.wanted]
        return FlatModule(
            self.spec.name,
            self.spec.title,
            tuple(sorted(self.structs.items())),
            tuple(self.functions.values()),
            tuple(types),
            tuple((name, tuple(sorted(found))) for name, found in sorted(self.used.items())),
        )


def _orders(fields: list[tuple[str, Primitive]]) -> set[str]:
    return {number.order for _, number in fields if number.size > 1}


def flat_modules(world: World) -> list[FlatModule]:
    """What the template of flat readers needs, for each spec with a type that has one.

    Raises SpecError.
    """
    wanted = {t.name for spec in world.specs.values() for t in spec.types if t.flat}
    before = -1
    modules: Mapping[str, FlatModule] = {}
    while before != len(wanted):  # what they nest is wanted too
        before = len(wanted)
        modules = {
            spec.name: _Flat(world, spec, wanted).module()
            for spec in world.specs.values()
            if any(t.name in wanted for t in spec.types)
        }
    return list(modules.values())


def _plain(node: Node) -> Node:
    """`a != b` for `not a == b`."""
    match node:
        case Unary("not", Binary("==", left, right)):
            return Binary("!=", _plain(left), _plain(right))
        case Unary("not", Unary("not", operand)):
            return _plain(operand)
        case Unary(operator, operand):
            return Unary(operator, _plain(operand))
        case Binary(operator, left, right):
            return Binary(operator, _plain(left), _plain(right))
        case Ternary(a, b, c):
            return Ternary(_plain(a), _plain(b), _plain(c))
    return node
