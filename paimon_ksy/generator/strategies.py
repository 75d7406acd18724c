"""What the template of strategies puts in place: how each field of a type is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .expression import Attribute as Dot
from .expression import Binary, Call, EnumValue, Index, Literal, Name, Node, names, uses, walk
from .load import Attribute, Primitive, Type, UserType
from .world import World, inlined
from .writers import Writer

_ROLES = {"count": "count", "length": "length", "position": "offset", "crc32": "checksum"}


@dataclass(frozen=True)
class Drawing:
    """A type: the values of its parameters, and by field how that is drawn, as keywords."""

    name: str
    params: tuple[tuple[str, str], ...]
    rules: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class StrategyModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    types: tuple[Drawing, ...]


class _Strategies:
    """Look-ups over all types: which fields are sizes, which parameters are of an enum."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.types = [t for spec in world.specs.values() for t in spec.types]
        self.sizing: dict[str, set[str]] = {t.name: set() for t in self.types}
        self.domains: dict[tuple[str, str], set[int]] = {}
        self.places = {
            name
            for t in self.types
            for a in t.positioned
            for node in walk(a.position)  # type: ignore[arg-type]
            for name in _named(node)
        }
        before = -1
        while before != (before := self._known()):  # until nothing is added
            for type_ in self.types:
                self._pass_on(type_)

    def _known(self) -> int:
        found: list[set[Any]] = [*self.sizing.values(), *self.domains.values()]
        return sum(map(len, found))

    def _pass_on(self, type_: Type) -> None:
        """Learn of a type's own fields and parameters from what uses them."""
        values = {v.id: v.value for v in type_.values}
        params = {p.id for p in type_.params}
        enum = self.world.enum(type_)
        sizing = self.sizing[type_.name]
        for a in (*type_.seq, *type_.positioned):
            for node in (a.size if a.type is None else None, a.repeat_expr):
                sizing |= self.paths(type_, node)
            for test in (a.condition, a.valid.most):
                for node in walk(inlined(test, values)) if test is not None else ():
                    match node:
                        case Binary("==", Name(name), EnumValue() as member) if name in params:
                            self.domains.setdefault((type_.name, name), set()).add(enum(member))
            if not isinstance(a.type, UserType):
                continue
            child = self.world.type(a.type, type_, a.path)
            for param, node in zip(child.params, a.type.arguments, strict=True):
                if param.id in self.sizing[child.name]:
                    sizing |= self.paths(type_, node)
                if not isinstance(node, Name) or node.name not in params:
                    continue
                if (child.name, param.id) in self.domains:
                    known = self.domains.setdefault((type_.name, node.name), set())
                    known |= self.domains[child.name, param.id]

    def paths(self, type_: Type, node: Node | None) -> set[str]:
        """Return the numbers that an expression looks at, as paths below the type."""
        values = {v.id: v for v in type_.values}
        match node:
            case None:
                return set()
            case Name(name) if name in values:
                return self.paths(type_, values[name].value)
            case Name(name):
                return {name} if name in type_.names else set()
            case Dot() | Index():
                found = self._step(type_, node)
                return set() if found is None else _under(found[0], self._of(*found[1:]))
        return {path for child in _children(node) for path in self.paths(type_, child)}

    def _of(self, type_: Type, name: str) -> set[str]:
        return self.paths(type_, Name(name)) if name else set()

    def _step(self, type_: Type, node: Node) -> tuple[str, Type, str] | None:
        """Return the path to the object that `a.b` looks into, its type, and the last name."""
        match node:
            case Index(target, _):
                return self._step(type_, target)
            case Name(name):
                return "", type_, name
            case Dot(target, name):
                found = self._step(type_, target)
                if found is None:
                    return None
                prefix, owner, field = found
                child = next((a for a in owner.seq if a.id == field), None)
                if child is None or not isinstance(child.type, UserType):
                    return None
                return f"{prefix}{field}.", self.world.types[child.type.name], name
        return None

    def drawing(self, type_: Type) -> Drawing:
        """How the fields and parameters of a type are drawn."""
        w = Writer(self.world, type_)
        rules = [(a.id, tuple(self._options(w, type_, a))) for a in (*type_.seq, *type_.positioned)]
        return Drawing(
            name=type_.name,
            params=tuple((p.id, self._domain(type_, p.id, p.type)) for p in type_.params),
            rules=tuple((name, options) for name, options in rules if options),
        )

    def _domain(self, type_: Type, name: str, kind: str) -> str:
        """The values of a parameter, as arguments of Domain."""
        if found := self.domains.get((type_.name, name)):
            return repr(tuple(sorted(found)))
        if kind == "bool":
            return "(False, True)"
        if name in self.sizing[type_.name]:
            return "range(LARGE)"
        if name in self.places:
            return "(0,)"
        return "range(128)"

    def _options(self, w: Writer, type_: Type, a: Attribute) -> Iterator[str]:
        """Yield the keywords of a field's rule; none if it is drawn like any of its kind."""
        sizing = self.sizing[type_.name]
        valid = a.valid
        bounds = ("least", valid.least), ("most", valid.most), ("equal", valid.equal)
        for key, node in bounds:
            if node is not None:
                yield f"{key}={w.function(node)}"
        if valid.any_of:
            yield f"any_of=lambda s: ({', '.join(map(w.text, valid.any_of))},)"
        if a.examples:
            yield f"examples={a.examples}"
        if a.max_size is not None:
            yield f"max_size={a.max_size}"
        if a.id in sizing:
            yield "small=True"
        elif inner := sorted(p.partition(".")[2] for p in sizing if p.startswith(f"{a.id}.")):
            yield f"inner={tuple(inner)}"
        if a.ascending is not None:
            yield f'ascending="{a.ascending[0]}"'
            if a.ascending[1] is not None:
                child = self.world.types[a.type.name]  # type: ignore[union-attr]
                yield f"after={Writer(self.world, child).function(a.ascending[1])}"
        if a.position is None:
            yield from self._computed(w, type_, a)
        else:
            if isinstance(a.position, Literal):
                yield "overlay=True"
            nodes = (a.position, a.condition, a.size, a.stream)
            outer = {"_parent", "_root"}
            if any(outer & names(node) for node in nodes if node is not None):
                yield "needs_parent=True"
        if a.condition is not None and uses(a.condition, "eof"):
            yield "to_end=True"

    def _computed(self, w: Writer, type_: Type, a: Attribute) -> Iterator[str]:
        """Yield what computes a field of seq, and what the number is for."""
        source = w.source(a) if isinstance(a.type, Primitive) and not a.repeat else None
        fixed = a.contents is not None or a.valid.equal is not None
        role = "constant" if fixed and not names(a.valid.equal or Literal(0)) else ""
        places = next((o.id for o in type_.positioned if (w.offset(o) or ("",))[0] == a.id), None)
        calls = [n.name for n in walk(a.value) if isinstance(n, Call)] if a.value else []
        if source is not None:
            role = role or _ROLES[source.function]
        elif calls and not role:
            role = "length" if calls[0] == "position" and not places else _ROLES[calls[0]]
        if not role and (fixed or self._is_size(type_, a)):
            role = "length"
        if role:
            yield f'role="{role}"'
        if a.value is not None or fixed:
            yield "computed=True"
            if a.value is not None and a.id in self._deciding(type_):
                yield "decides=True"
        elif source is not None:
            yield f'source="{source.path.partition(".")[0]}"'
        if places is not None:
            yield f'places="{places}"'

    def _is_size(self, type_: Type, a: Attribute) -> bool:
        nodes = [n for o in (*type_.seq, *type_.positioned) for n in (o.size, o.repeat_expr) if n]
        return any(a.id in names(node) for node in nodes)

    def _deciding(self, type_: Type) -> set[str]:
        """The fields that conditions, checks, counts, sizes of bytes and arguments look at."""
        found: set[str] = set()
        for a in (*type_.seq, *type_.positioned):
            valid = (a.valid.equal, a.valid.least, a.valid.most, *a.valid.any_of)
            arguments = a.type.arguments if isinstance(a.type, UserType) else ()
            size = a.size if a.type is None else None
            for node in (a.condition, a.repeat_expr, a.until, size, *valid, *arguments):
                found |= {path.partition(".")[0] for path in self.paths(type_, node)}
        return found


def _children(node: Node) -> list[Node]:
    return [n for n in vars(node).values() if not isinstance(n, str | int)]


def _under(prefix: str, paths: set[str]) -> set[str]:
    return {f"{prefix}{path}" for path in paths}


def _named(node: Node) -> Iterator[str]:
    match node:
        case Name(name) | Dot(_, name):
            yield name


def strategy_modules(world: World) -> list[StrategyModule]:
    """What the strategy template needs of each spec."""
    found = _Strategies(world)
    return [
        StrategyModule(spec.name, spec.title, tuple(found.drawing(t) for t in spec.types))
        for spec in world.specs.values()
    ]
