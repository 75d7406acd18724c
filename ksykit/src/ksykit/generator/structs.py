"""What the template of structs puts in place: the class of each type of a spec, with its fields.

A row is a call of a class of `runtime.kinds`. What is a literal or a name in the spec stays one in
the row; only other expressions become functions.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .expression import (
    Binary,
    Call,
    Cast,
    Dot,
    Index,
    Listed,
    Literal,
    Name,
    Node,
    Printer,
    evaluate,
    inlined,
    names,
    uses,
    walk,
)  # fmt: skip
from .measures import MEASURED, Measure, given_values, measures, number_at, path_of
from .spec import Attribute, Bits, Param, Primitive, Switch, Type, UserType, Value
from .strategies import Strategies
from .views import enum_name
from .world import World, camel, check_names, first_sentence, packed, wrapped

_OUTER = {"_io", "_parent", "_root"}
_TAKEN = {
    "Any", "Bits", "Bytes", "ClassVar", "Coding", "Many", "Maybe", "MaybeMany", "MaybeNested",
    "Measure", "Nested", "Number", "Object", "One", "Param", "Repeat", "Struct", "Switch", "Value",
}  # fmt: skip
_OF_REPEATS = ("ascending", "after", "first", "needs_parent")
_FUNCTIONS = ("position", "length", "count", "crc32", "crc32c")


@dataclass(frozen=True)
class Row:
    """A member of a class: its name, what a checker of types takes it for, and a call."""

    name: str
    type: str
    cls: str
    arguments: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The lines of the member."""
        return packed(f"{self.name}: {self.type} = {self.cls}(", self.arguments, ")")


@dataclass(frozen=True)
class StructClass:
    """A type: its class, and the rows in it."""

    name: str
    cls: str
    is_sized: bool
    doc: str
    rows: tuple[Row, ...]
    values: tuple[tuple[str, str], ...]
    computed: tuple[tuple[str, str], ...]
    inverses: tuple[tuple[str, str, str], ...]  # of a field from an instance, as an expression


@dataclass(frozen=True)
class StructModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    kinds: tuple[str, ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    types: tuple[StructClass, ...]


@dataclass(frozen=True)
class Marks:
    """Names in expressions: all, those looked into, and those measured, with their type.

    `sized` are types whose fields ask for the size of their stream.
    """

    asked: frozenset[str]
    sized: frozenset[str]
    looked: frozenset[str]
    measured: frozenset[tuple[str, str]]


class Rows:
    """The texts of one type."""

    def __init__(self, world: World, type_: Type) -> None:
        self.world, self.type = world, type_

    # -- Expressions

    def printer(
        self, *, given: frozenset[str] = frozenset(), last: str = "_", index: str = "s._loop"
    ) -> Printer:
        """Return how expressions are written: of `given` values what is set, of `_` `last`."""

        def name(text: str) -> str:
            if text in ("_", "_index", MEASURED.name):
                return {"_": last, "_index": index}.get(text, "n")
            if text in given:
                return f's._value("{text}")'
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
            paths = [f'"{path_of(a)}"' if names(a) else repr(evaluate(a)) for a in node.arguments]
            return f"s._{node.name}({', '.join(paths)})"

        return Printer(name=name, call=call)

    def text(self, node: Node, arguments: str = "s", last: str = "_") -> str:
        """Return an expression of a row: a literal, a path of names, or else a function."""
        constant = None if names(node) else evaluate(node)
        if constant is not None:
            return repr(constant)
        if (path := path_of(node)) and path.partition(".")[0] in self.type.names | _OUTER:
            return f'"{path}"'
        index = "i" if arguments == "s, i" else "s._loop"
        return f"lambda {arguments}: {self.printer(last=last, index=index).print(node)}"

    # -- Rows

    def row(self, a: Attribute, marks: Marks, drawing: Mapping[str, str]) -> Row:
        """Return the row of a field or positioned instance. Raises SpecError."""
        self.check(a)
        options: dict[str, str | None] = {}
        expressions = {
            "at": a.position, "stream": a.stream, "when": a.condition, "count": a.repeat_expr,
        }  # fmt: skip
        options |= {key: self.text(node) for key, node in expressions.items() if node is not None}
        if a.condition is not None and uses(a.condition, "eof"):
            options["to_end"] = "True"
        if is_from_end(self.type, a):
            options["from_end"] = "True"
        options["until"] = None if a.until is None else self.text(a.until, "s, x", "x")
        options["measured"] = "True" if (self.type.name, a.id) in marks.measured else None
        own = self.own(a) | self.marked(a, marks)
        cls, *first = self.kind(a)
        if not a.repeat:
            arguments = _arguments(first, own | options | dict(drawing))
            return Row(a.id, self.hint(a), cls, arguments)
        outer = {key: text for key, text in drawing.items() if key in _OF_REPEATS}
        options |= {"runs": a.runs and f'"{a.runs}"'} | outer
        inner = {key: text for key, text in drawing.items() if key not in _OF_REPEATS}
        element = f"{cls}({', '.join(_arguments(first, own | inner))})"
        return Row(a.id, self.hint(a), "Repeat", _arguments([element], options))

    def hint(self, a: Attribute) -> str:
        """Return what a checker of types takes a field for."""
        kind, form = "Any", "Many" if a.repeat else "One"
        match a.type:
            case Primitive():
                kind = "float" if a.type.is_float else "int"
            case Bits(size, _):
                kind = "bool" if size == 1 else "int"
            case UserType(name):
                kind, form = struct_name(self.world.types[name]), "Many" if a.repeat else "Nested"
            case None:
                kind = "str" if a.charset else "bytes"
        if a.condition is not None:
            form = f"Maybe{form}".removesuffix("One")
        return f"{form}[{kind}]"

    def check(self, a: Attribute) -> None:
        """Raise SpecError for what only parsers and views can express."""
        asked = [a.condition, a.position, a.stream]
        if a.stream is not None:
            asked += [a.size, a.repeat_expr]
        if a.position is not None and any(node and _is_moving(node) for node in asked):
            message = "asks for a place in the stream, which depends on when it is read"
            raise self.world.fail(self.type, a.path, message, "use positions of fields")
        if a.repeat and isinstance(a.type, Switch) and all(key for key, _ in a.type.cases):
            values = {value.id: value.value for value in self.type.values}
            reached: set[str] = set()
            todo: list[Node] = [a.type.on]
            for node in todo:  # which grows
                found = {part.name for part in walk(node) if isinstance(part, Name | Dot)} - reached
                reached |= found
                todo += [values[name] for name in found & values.keys()]
            if a.repeat == "until" or reached & {"_index", "_io", a.id}:
                message = "is a repeat of which some elements may have no case"
                raise self.world.fail(self.type, a.path, message, "add the case _")
        if a.repeat and a.users and any(one.type is None and one.size for one in a.cases):
            message = "is a repeat of objects and bytes, which Kaitai's Python does not read"
            raise self.world.fail(self.type, a.path, message, "give the case _ a type")
        encoded = {
            one.id
            for spec in self.world.specs.values()
            for type_ in spec.types
            for one in (*type_.seq, *type_.positioned)
            if one.process is not None
        }
        for node in walk(a.stream) if a.stream is not None else ():
            owner = node.target if isinstance(node, Dot) and node.name == "_io" else None
            owner = owner.target if isinstance(owner, Index) else owner
            if isinstance(owner, Name | Dot) and owner.name in encoded:
                message = "is in a stream of encoded bytes"
                raise self.world.fail(self.type, a.path, message, "put it into their type")

    def kind(self, a: Attribute) -> list[str]:
        """Return the class of a field that does not repeat, and its first arguments."""
        match a.type:
            case Primitive():
                return ["Number", a.type.packer]
            case Bits(size, order):
                return ["Bits", str(size), f'"{order}"']
            case UserType(name):
                return ["Object", f'"{name}"']
            case Switch(on, cases):
                parts = []
                for key, case in cases:
                    cls, *first = self.kind(case)
                    text = "None" if key is None else self.printer().print(key)
                    parts.append(f"{text}: {cls}({', '.join(_arguments(first, self.own(case)))})")
                return ["Switch", self.text(on), "{" + ", ".join(parts) + "}"]
        return ["Bytes"]

    def own(self, a: Attribute) -> dict[str, str | None]:
        """Return the options of a field that do not depend on whether it repeats."""
        options: dict[str, str | None] = {}
        if a.valid.test is not None:
            options["test"] = self.text(a.valid.test, "s, x", "x")
        if isinstance(a.type, UserType):
            options["args"] = self.arguments(a, a.type)
            options["window"] = "True" if a.size_eos else None
        elif a.type is None:
            options["encoding"] = a.encoding and f'"{a.encoding}"'
            options["charset"] = a.charset and f'"{a.charset}"'
            options["contents"] = None if a.contents is None else repr(a.contents)
        expressions = {
            "size": a.size, "equal": a.valid.equal, "least": a.valid.least, "most": a.valid.most,
        }  # fmt: skip
        options |= {key: self.text(node) for key, node in expressions.items() if node is not None}
        if a.valid.any_of:
            texts = [self.text(node) for node in a.valid.any_of]
            options["any_of"] = f"({', '.join(texts)}{',' * (len(texts) == 1)})"
        if a.value is not None:
            options["value"] = self.text(a.value)
        if a.enum is not None and (found := self.world.find_enum(self.type, a.enum)):
            name = enum_name(self.world, found[2], found[0].rpartition("::")[2])
            options["enum"] = f'"{found[2].spec}.{name}"'
        options["inverse"] = self.inverse(a)
        options["coding"] = self.coding(a)
        return options

    def marked(self, a: Attribute, marks: Marks) -> dict[str, str]:
        """Return whether expressions look into an object."""
        is_looked = a.id in marks.looked and isinstance(a.type, UserType | Switch)
        return {"looked": "True"} if is_looked else {}

    def coding(self, a: Attribute) -> str | None:
        """Return how the bytes of a field are delimited and encoded."""
        options: dict[str, str] = {}
        ending = a.terminator
        if ending is not None:
            options["terminator"] = str(ending.byte)
            options |= {"unit": str(ending.unit)} if ending.unit > 1 else {}
            if not ending.eos_error and a.size is None and not a.size_eos:
                message = "does not keep whether it ended with the terminator"
                raise self.world.fail(self.type, f"{a.path}/eos-error", message, "leave it out")
            options |= {"include": "True"} if ending.include else {}
            options |= {} if ending.consume else {"consume": "False"}
        if a.pad_right is not None:
            options["pad"] = str(a.pad_right)
        if options and a.size_eos:
            options["to_end"] = "True"
        if a.process is not None:
            options["process"] = f'"{a.process.name}"'
            printer = self.printer()
            texts = [f"lambda s: {printer.print(node)}" for node in a.process.arguments]
            options |= {"arguments": f"({', '.join(texts)},)"} if texts else {}
            options |= {} if a.max_size is None else {"most": str(a.max_size)}
        return f"Coding({', '.join(f'{k}={v}' for k, v in options.items())})" if options else None

    def arguments(self, a: Attribute, user: UserType) -> str | None:
        """Return what is passed to the parameters of a type."""
        child = self.world.type(user, self.type, a.path)
        pairs = zip(child.params, user.arguments, strict=True)
        parts = [f'"{param.id}": {self.text(node, "s, i")}' for param, node in pairs]
        return "{" + ", ".join(parts) + "}" if parts else None

    def inverse(self, a: Attribute) -> str | None:
        """Return how a field follows from value instances, if they are set."""
        values = [value for value in self.type.values if a.id in value.inverse]
        printer = self.printer(given=frozenset(value.id for value in values))
        parts = [f'"{v.id}": lambda s: {printer.print(v.inverse[a.id])}' for v in values]
        return "{" + ", ".join(parts) + "}" if parts else None

    def measure(self, measure: Measure) -> str:
        """Return how a number follows from another field, as a call."""
        texts = [f'"{measure.function}", "{measure.path}"']
        if measure.undo:
            texts.append(f"lambda s, n: {self.printer().print(measure.undo)}")
        if measure.others:
            texts.append(f"others=({', '.join(map(self.measure, measure.others))},)")
        return f"Measure({', '.join(texts)})"

    def value(self, v: Value) -> str:
        """Return the arguments of a value instance."""
        options = {"when": v.condition and self.text(v.condition)}
        if _is_moving(v.value) and (field := _kept_at(self.type, v)):
            options["at"] = f'"{field}"'
        more = "".join(f", {key}={text}" for key, text in options.items() if text)
        return self.text(v.value) + more

    # -- make_TYPE

    def inverses(self) -> Iterator[tuple[str, str, str]]:
        """Yield fields with the instance that each follows from alone, and how."""
        for v in self.type.values:
            for target, node in v.inverse.items():
                known = {x.id for x in self.type.values if target in x.inverse}
                if not names(node) <= known | {p.id for p in self.type.params}:
                    path = f"{v.path}/-kit-inverse/{target}"
                    message = f"uses more than {v.id}"
                    remedy = f"use that, parameters, and values that have an inverse for {target}"
                    raise self.world.fail(self.type, path, message, remedy)
                if names(node) == {v.id}:
                    printer = Printer(name=lambda name: name)
                    yield target, v.id, printer.print(node)


def _kept_at(type_: Type, value: Value) -> str | None:
    """Return the field whose condition is certainly the first to ask for a value instance.

    So `if: ofs_body >= 0` keeps what `ofs_body`, a place in the stream, is before that field.
    """
    first = next((a for a in type_.seq if any(value.id in names(node) for node in a.nodes)), None)
    match None if first is None else first.condition:
        case Binary("<" | ">" | "<=" | ">=" | "==" | "!=", Name(name), Literal()):
            return first.id if name == value.id and first is not None else None
    return None


def _arguments(first: list[str], options: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the arguments of a class of fields."""
    return *first, *(f"{key}={text}" for key, text in options.items() if text)


def _is_moving(node: Node) -> bool:
    """Return whether `_io.pos` of any stream occurs."""
    places = [n.target for n in walk(node) if isinstance(n, Dot) and n.name == "pos"]
    return any(getattr(target, "name", "") == "_io" for target in places)


def _expressions(type_: Type) -> Iterator[Node]:
    for a in (*type_.seq, *type_.positioned):
        yield from (node for node in (a.position, a.stream, a.value) if node is not None)
        yield from a.nodes
    for value in type_.values:
        yield from (value.value, *value.inverse.values())


def _marks(world: World, computed: dict[str, dict[str, Measure]]) -> Marks:
    asked: set[str] = set()
    looked: set[str] = set()
    measured: set[tuple[str, str]] = set()
    for spec in world.specs.values():
        for type_ in spec.types:
            every = [one for measure in computed[type_.name].values() for one in measure.all]
            paths = {measure.path for measure in every if measure.function != "count"}
            for node in (n for root in _expressions(type_) for n in walk(root)):
                if isinstance(node, Name | Dot):
                    asked.add(node.name)
                if isinstance(node, Dot | Index) and isinstance(node.target, Name | Dot):
                    looked.add(node.target.name)
                if isinstance(node, Call) and node.name != "count":
                    paths.update(map(path_of, node.arguments))
                if isinstance(node, Listed):
                    looked.update(n.name for n in walk(node) if isinstance(n, Name | Dot))
            for user in (u for a in (*type_.seq, *type_.positioned) for u in a.users):
                pairs = zip(world.types[user.name].params, user.arguments, strict=True)
                passed = (node for param, node in pairs if param.python == "Any")
                looked.update(n.name for x in passed for n in walk(x) if isinstance(n, Name | Dot))
            for path in paths:
                *way, last = path.split(".")
                looked.update(way)
                owner = type_
                for name in way:
                    fields = (*owner.seq, *owner.positioned)
                    users = next((a.users for a in fields if a.id == name), ())
                    if not users:
                        message = f"{path} is not a path of fields"
                        raise world.fail(type_, type_.path, message, "begin with a field of it")
                    owner = world.types[users[0].name]
                measured.add((owner.name, last))
    return Marks(frozenset(asked), _sized(world), frozenset(looked), frozenset(measured))


def struct_name(type_: Type) -> str:
    """Return the name of the class of a type."""
    name = camel(type_.name)
    is_packer = len(name) < 5 and name[:1] in "USF" and name[1:2].isdigit()
    is_taken = name in _TAKEN or is_packer or hasattr(builtins, name)
    return f"{name}Struct" if is_taken else name


def is_from_end(type_: Type, a: Attribute) -> bool:
    """Return whether the position of an instance is counted from the end of its stream."""
    values = {value.id: value.value for value in type_.values}
    return a.position is not None and uses(inlined(a.position, values), "size")


def _placed_before(world: World) -> set[str]:
    """Return types of objects in instances that are counted from the end.

    What these place elsewhere in the stream is before them, such as the blocks of a footer.
    """
    every = [(type_, a) for type_ in world.types.values() for a in type_.positioned]
    todo = [a for type_, a in every if is_from_end(type_, a)]
    found: set[str] = set()
    while todo:
        new = {user.name for user in todo.pop().users} - found
        found |= new
        todo += [a for name in new for a in (*world.types[name].seq, *world.types[name].positioned)]
    return found


def _sized(world: World) -> frozenset[str]:
    """Return the types whose `seq` asks for the size of a stream, also in types in them.

    What is in a window may look into the stream around it. Instances do it if their position is
    not a distance from the end, such as `_io.size % 9`. So do those with another at a fixed
    position, which a writer knows after it.
    """
    types = world.types.values()
    fields = [(t.name, a) for t in types for a in (*t.seq, *t.positioned)]
    found = {t.name for t in types for a in t.seq if any(uses(node, "size") for node in a.nodes)}
    in_tails = _placed_before(world)
    found |= {n for n, a in fields if n in in_tails and isinstance(a.position, Literal)}
    found |= {
        type_.name
        for type_ in types
        for a in type_.positioned
        for node in walk(a.position or Literal(0))
        if not isinstance(node, Cast | Name | Dot)
        and not (isinstance(node, Binary) and node.operator in "+-")
        and uses(node, "size")
    }
    before = -1
    while before != (before := len(found)):
        found |= {name for name, a in fields for user in a.users if user.name in found}
    return frozenset(found)


def _follows(type_: Type, a: Attribute, computed: Mapping[str, Measure]) -> bool:
    """Return whether an instance is in the stream of the file, at a position that no number states.

    The position is a sum of lengths, so what has the lengths is written after it.
    """
    every = (one for measure in computed.values() for one in measure.all)
    stated = {measure.path for measure in every if measure.function == "position"}
    given = {one.id for one in type_.params} | {one.id for one in type_.values}
    if a.stream != Dot(Name("_root"), "_io") or not isinstance(a.type, UserType):
        return False
    return a.id not in stated and a.position is not None and names(a.position) <= given


def _table(
    world: World,
    type_: Type,
    marks: Marks,
    drawn: Strategies,
    computed: dict[str, Measure],
    before: set[str],
) -> StructClass:
    check_names(world, type_)
    w = Rows(world, type_)
    attributes = (*type_.seq, *type_.positioned)
    rows, given = [], given_values(world, type_)
    first = {
        measure.path
        for path, measure in computed.items()
        if measure.function == "position" and isinstance(number_at(world, type_, path), Value)
    } | {a.id for a in type_.positioned if _follows(type_, a, computed)}
    if type_.name in before:
        first |= {a.id for a in type_.positioned if a.stream is not None}
    for v in type_.values:
        if v.id in marks.asked and _is_moving(v.value) and not _kept_at(type_, v):
            message = "asks for a place in the stream, which depends on when it is read"
            raise world.fail(type_, v.path, message, "pass it to a parameter")
    for a in attributes:
        options = dict(drawn.options(type_, a, computed))
        if a.id in first:
            options["first"] = "True"
        if a.ascending is not None and a.ascending[1] is not None:
            child = Rows(world, world.types[a.type.name])  # type: ignore[union-attr]
            options["after"] = child.text(a.ascending[1])
        rows.append(w.row(a, marks, options))
    params = [
        Row(p.id, f"One[{p.python}]", "Param", (drawn.domain(type_, p.id, p.python),))
        for p in type_.params
    ]
    values = {v.id: w.value(v) for v in type_.values}
    made = [Row(name, "One[Any]", "Value", (values.pop(name), "given=True")) for name in given]
    return StructClass(
        name=type_.name,
        cls=struct_name(type_),
        is_sized=type_.name in marks.sized,
        doc=_class_doc(type_),
        rows=(*params, *rows, *made),
        values=tuple(values.items()),
        computed=tuple((path, w.measure(measure)) for path, measure in computed.items()),
        inverses=tuple(w.inverses()),
    )


def _class_doc(type_: Type) -> str:
    """Return the docstring of a class: the first sentences of its doc, and of those of fields."""
    lines = wrapped(first_sentence(type_.doc) or f"A `{type_.name}`.", 90)
    every: list[Param | Attribute | Value] = [*type_.params, *type_.seq, *type_.positioned]
    every += type_.values
    docs = [f"    {one.id}: {first_sentence(one.doc)}" for one in every if one.doc.strip()]
    if docs:
        lines += ["", "Attributes:"]
        for doc in docs:
            lines += wrapped(doc, 96, "        ")
        lines.append("")
    return "\n    ".join(lines)


def struct_modules(world: World) -> list[StructModule]:
    """Return what the template of structs needs of each spec. Raises SpecError."""
    types = [t for spec in world.specs.values() for t in spec.types]
    computed = {t.name: dict(measures(world, t)) for t in types}
    marks, drawn, before = _marks(world, computed), Strategies(world), _placed_before(world)
    modules = []
    for spec in world.specs.values():
        attributes = [a for t in spec.types for a in (*t.seq, *t.positioned)]
        cases = [one for a in attributes for case in a.cases for one in case.cases]
        kinds = {one.type.packer for one in cases if isinstance(one.type, Primitive)}
        imports: dict[str, set[str]] = {}
        for a in attributes:
            if isinstance(a.type, UserType) and a.type.name in world.types:
                used = world.types[a.type.name]
                if used.spec != spec.name:
                    imports.setdefault(used.spec, set()).add(struct_name(used))
        modules.append(
            StructModule(
                spec=spec.name,
                title=spec.title,
                kinds=tuple(sorted(kinds)),
                imports=tuple((name, tuple(sorted(imports[name]))) for name in sorted(imports)),
                types=tuple(
                    _table(world, t, marks, drawn, computed[t.name], before) for t in spec.types
                ),
            )
        )
    return modules
