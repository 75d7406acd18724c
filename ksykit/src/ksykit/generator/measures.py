"""Which numbers follow from other fields: counts, lengths and offsets.

An expression such as `size: length - 8` is solved for the number in it, so that a writer computes
the number from what it wrote. The number may be in another object: `pos: footer.ofs_index`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .expression import Binary, Dot, Name, Node, Unary, inlined, names, walk
from .spec import Attribute, Bits, Primitive, Type, UserType, Value
from .world import World

MEASURED = Name("$measured")
"""What is measured, in the solution of an expression."""

_UNDONE_LEFT = {"+": "-", "-": "+", "*": "/", "/": "*", "<<": ">>", ">>": "<<"}


@dataclass(frozen=True)
class Measure:
    """A number as the count, length or position of a field, and how it follows from that."""

    function: str
    path: str
    undo: Node | None = None
    others: tuple[Measure, ...] = ()
    """The same of other fields, of which one exists if this does not."""

    @property
    def all(self) -> tuple[Measure, ...]:
        """This, and the others."""
        return (self, *self.others)


def path_of(node: Node | None) -> str:
    """Return a name, or names after dots, as text; "" for other expressions."""
    match node:
        case Name(name):
            return name
        case Dot(target, name) if path := path_of(target):
            return f"{path}.{name}"
    return ""


def has_rule(a: Attribute | Value) -> bool:
    """Return whether a field is constant, or computed by an expression of its own."""
    if isinstance(a, Value):
        return False
    return a.valid.equal is not None or a.value is not None or a.contents is not None


def solve(node: Node, path: str, measured: Node = MEASURED) -> Node | None:
    """Return what the number at a path is if the expression is `measured`; None if unknown."""

    def is_in(part: Node) -> bool:
        return any(path_of(inner) == path for inner in walk(part))

    if path_of(node) == path:
        return measured
    match node:
        case Unary("-", operand):
            return solve(operand, path, Unary("-", measured))
        case Binary(operator, left, right) if operator in _UNDONE_LEFT and not is_in(right):
            return solve(left, path, Binary(_UNDONE_LEFT[operator], measured, right))
        case Binary(("+" | "*") as operator, left, right) if not is_in(left):
            return solve(right, path, Binary(_UNDONE_LEFT[operator], measured, left))
        case Binary("-", left, right) if not is_in(left):
            return solve(right, path, Binary("-", left, measured))
    return None


def given_values(world: World, type_: Type) -> tuple[str, ...]:
    """Return the value instances of a type from which its fields follow."""
    used = {
        node.name
        for a in (*type_.seq, *type_.positioned)
        for user in a.users
        for inner in world.types[user.name].seq
        for node in (walk(inner.value) if inner.value is not None else ())
        if isinstance(node, Dot) and node.target == Name("_parent")
    }
    return tuple(v.id for v in type_.values if v.inverse or v.id in used)


def number_at(world: World, type_: Type, path: str) -> Attribute | Value | None:
    """Return the number at a path below a type, through single objects; None if it is other.

    A number may be a value instance from which the fields of its object follow.
    """
    first, _, rest = path.partition(".")
    a = next((a for a in (*type_.seq, *type_.positioned) if a.id == first), None)
    if a is None or a.repeat:
        return None
    if isinstance(a.type, UserType):
        child = world.types[a.type.name]
        if rest in given_values(world, child):
            return next(value for value in child.values if value.id == rest)
        return number_at(world, child, rest) if rest else None
    return a if isinstance(a.type, Primitive | Bits) and not rest else None


def measures(world: World, type_: Type) -> Mapping[str, Measure]:
    """Return the numbers that other fields of a type determine, by their paths below it."""
    computed: dict[str, Measure] = {}
    values = {value.id: value.value for value in type_.values}

    def add(node: Node, function: str, path: str) -> None:
        """Solve an expression for a number in it: rather one that nothing else computes.

        Several fields determine a number if each has a condition.
        """
        for form in (node, inlined(node, values)):
            numbers = {
                at: number
                for part in walk(form)
                if (at := path_of(part)) and (number := number_at(world, type_, at)) is not None
            }
            for at in sorted(numbers, key=lambda at: (at in computed, has_rule(numbers[at]))):
                kind = getattr(numbers[at], "type", None)
                is_float = isinstance(kind, Primitive) and kind.is_float
                if (undo := solve(form, at)) is not None and not is_float:
                    measure = Measure(function, path, None if undo == MEASURED else undo)
                    first = computed.setdefault(at, measure)
                    paths = [one.path for one in first.all]
                    if path not in paths and {path, *paths} <= optional:
                        computed[at] = replace(first, others=(*first.others, measure))
                    return

    attributes = (*type_.seq, *type_.positioned)
    optional = {a.id for a in attributes if a.condition is not None}
    for a in attributes:
        if a.repeat_expr is not None:
            add(a.repeat_expr, "count", a.id)
        if a.size is not None and not a.repeat:
            add(a.size, "length", a.id)
        if a.position is not None:
            place = inlined(a.position, values)
            if not any(n == Name("_io") for n in walk(place)):
                add(a.position, "position", a.id)
    for a in attributes:
        for argument, function, path in passed_on(world, type_, a):
            add(argument, function, f"{a.id}.{path}")
    for outer, path, child in objects_in(world, type_):
        for a in child.seq:
            for node, function in ((a.repeat_expr, "count"), (a.size, "length")):
                is_one = function == "count" or not a.repeat
                form = None if node is None or not is_one else seen_from(node, outer)
                if form is not None:
                    add(form, function, f"{path}.{a.id}")
    return computed


def objects_in(world: World, type_: Type) -> Iterator[tuple[str, str, Type]]:
    """Yield single objects below a type: what they call it, their paths, and their types."""
    is_root, seen, todo = type_.name == type_.spec, {type_.name}, [("", type_)]
    while todo:
        path, owner = todo.pop(0)
        for a in (*owner.seq, *owner.positioned):
            if isinstance(a.type, UserType) and not a.repeat and a.type.name not in seen:
                seen.add(a.type.name)
                child = world.types[a.type.name]
                below = f"{path}.{a.id}" if path else a.id
                todo.append((below, child))
                if is_root and child.spec == type_.spec:
                    yield "_root", below, child
                if not path:
                    yield "_parent", below, child


def seen_from(node: Node, outer: str) -> Node | None:
    """Return an expression of a type as one of an outer type; None if it is of both."""
    match node:
        case Dot(Name(name), inner) if name == outer:
            return Name(inner)
        case Dot(target, name):
            parts: dict[str, Node] = {"target": target}
        case Unary() | Binary():
            parts = {key: part for key, part in vars(node).items() if isinstance(part, Node)}
        case _:
            return None if names(node) else node
    changed: dict[str, Any] = {key: seen_from(part, outer) for key, part in parts.items()}
    return None if None in changed.values() else replace(node, **changed)


def passed_on(world: World, type_: Type, a: Attribute) -> Iterator[tuple[Node, str, str]]:
    """Yield arguments of a nested type that are a count or a length in it, and of what."""
    if isinstance(a.type, UserType) and not a.repeat:
        child = world.types[a.type.name]
        found = measured(world, child)
        for param, argument in zip(child.params, a.type.arguments, strict=True):
            if param.id in found:
                yield argument, *found[param.id]


def measured(world: World, type_: Type) -> Mapping[str, tuple[str, str]]:
    """Return which parameters of a type are a count or a length in it, and first of what."""
    if type_.name not in world.measured:
        found = world.measured[type_.name] = {}  # a type in itself adds nothing
        for one in sorted((*type_.seq, *type_.positioned), key=lambda a: a.condition is not None):
            uses = [(one.repeat_expr, "count", one.id)]
            uses += [(None if one.repeat else one.size, "length", one.id)]
            uses += [(n, how, f"{one.id}.{path}") for n, how, path in passed_on(world, type_, one)]
            for node, how, path in uses:
                if isinstance(node, Name):
                    found.setdefault(node.name, (how, path))
    return world.measured[type_.name]
