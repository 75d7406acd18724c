"""What strategies need to know of a field besides its row: what the number is for, and the like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .expression import (
    Binary,
    Call,
    Dot,
    EnumValue,
    Index,
    Name,
    Node,
    children,
    evaluate,
    inlined,
    names,
    walk,
)
from .measures import Measure
from .spec import Attribute, Primitive, Switch, Type, UserType
from .world import World

_ROLES = {
    "count": "count", "length": "length", "position": "length", "crc32": "checksum",
    "crc32c": "checksum",
}  # fmt: skip


class Strategies:
    """Look-ups over all types: which fields are sizes, which parameters are of an enum."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.types = [t for spec in world.specs.values() for t in spec.types]
        self.sizing: dict[str, set[str]] = {t.name: set() for t in self.types}
        self.domains: dict[tuple[str, str], set[int]] = {}
        self.places = {
            node.name
            for t in self.types
            for a in t.positioned
            for node in walk(a.position)  # type: ignore[arg-type]
            if isinstance(node, Name | Dot)
        }
        before = -1
        while before != (before := self._known()):  # until nothing is added
            for type_ in self.types:
                self._pass_on(type_)

    def _known(self) -> int:
        sets: list[set[Any]] = [*self.sizing.values(), *self.domains.values()]
        return sum(map(len, sets))

    def _pass_on(self, type_: Type) -> None:
        """Learn of a type's own fields and parameters from what uses them."""
        values = {v.id: v.value for v in type_.values}
        params = {p.id for p in type_.params}
        sizing = self.sizing[type_.name]
        for a in (*type_.seq, *type_.positioned):
            sizes = [one.size for one in a.cases if one.type is None]
            for node in (*sizes, a.repeat_expr):
                sizing |= self.paths(type_, node)
            if isinstance(a.type, Switch) and isinstance(a.type.on, Name):
                keys = [evaluate(key) for key, _ in a.type.cases if key]
                known = self.domains.setdefault((type_.name, a.type.on.name), set())
                known |= {key for key in keys if isinstance(key, int)}
            for test in (a.condition, a.valid.most):
                for node in walk(inlined(test, values)) if test is not None else ():
                    match node:
                        case Binary("==", Name(name), EnumValue(_, _, int(number))):
                            if name in params:
                                self.domains.setdefault((type_.name, name), set()).add(number)
            for user in a.users:
                self._pass_to(type_, user, a.path)

    def _pass_to(self, type_: Type, user: UserType, path: str) -> None:
        """Learn of what is passed to a nested type."""
        child = self.world.type(user, type_, path)
        for param, node in zip(child.params, user.arguments, strict=True):
            if param.id in self.sizing[child.name]:
                self.sizing[type_.name] |= self.paths(type_, node)
            if isinstance(node, Name) and (child.name, param.id) in self.domains:
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
                step = self._step(type_, node)
                if step is None:
                    return set()
                prefix, inner, name = step
                return {f"{prefix}{path}" for path in self.paths(inner, Name(name))}
        return {path for child in children(node) for path in self.paths(type_, child)}

    def _step(self, type_: Type, node: Node) -> tuple[str, Type, str] | None:
        """Return the path to the object that `a.b` looks into, its type, and the last name."""
        match node:
            case Index(target, _):
                return self._step(type_, target)
            case Name(name):
                return "", type_, name
            case Dot(target, name):
                step = self._step(type_, target)
                if step is None:
                    return None
                prefix, owner, field = step
                fields = (*owner.seq, *owner.positioned)
                child = next((a for a in fields if a.id == field), None)
                if child is None or not isinstance(child.type, UserType):
                    return None
                return f"{prefix}{field}.", self.world.types[child.type.name], name
        return None

    def domain(self, type_: Type, name: str, kind: str) -> str:
        """Return the values of a parameter that are drawn, as Python."""
        if values := self.domains.get((type_.name, name)):
            return repr(tuple(sorted(values)))
        if kind not in ("int", "float"):
            return "(False, True)" if kind == "bool" else "()"
        if name in self.sizing[type_.name]:
            return "range(16)"
        return "(0,)" if name in self.places else "range(128)"

    def options(
        self, type_: Type, a: Attribute, computed: Mapping[str, Measure]
    ) -> Iterator[tuple[str, str]]:
        """Yield the keywords of a field that only strategies use."""
        sizing = self.sizing[type_.name]
        if a.examples:
            yield "examples", repr(a.examples)
        if isinstance(a.type, Primitive) and (cases := self.domains.get((type_.name, a.id))):
            yield "likely", repr(tuple(sorted(cases)))
        if a.max_size is not None:
            yield "max_size", str(a.max_size)
        if a.id in sizing:
            yield "small", "True"
        elif inner := sorted(p.partition(".")[2] for p in sizing if p.startswith(f"{a.id}.")):
            yield "inner", repr(tuple(inner)).replace("'", '"')
        if a.ascending is not None:
            yield "ascending", f'"{a.ascending[0]}"'
        is_computed = a.position is None or a.value is not None
        if is_computed and (role := self._role(type_, a, computed)):
            yield "role", f'"{role}"'
        if a.position is None:
            if a.value is not None and a.id in self._deciding(type_):
                yield "decides", "True"
        else:
            nodes = (a.position, a.condition, a.size, a.stream)
            if any({"_parent", "_root"} & names(node) for node in nodes if node is not None):
                yield "needs_parent", "True"

    def _role(self, type_: Type, a: Attribute, computed: Mapping[str, Measure]) -> str:
        """Return what a number is for, unless it is constant or measures a field."""
        is_constant = a.valid.equal is not None and not names(a.valid.equal)
        if is_constant or a.contents is not None or a.id in computed:
            return ""
        calls = [node.name for node in walk(a.value) if isinstance(node, Call)] if a.value else []
        if calls:
            return _ROLES.get(calls[0], "")
        nodes = [n for o in (*type_.seq, *type_.positioned) for n in (o.size, o.repeat_expr) if n]
        is_size = any(a.id in names(node) for node in nodes)
        return "length" if is_size or a.valid.equal is not None else ""

    def _deciding(self, type_: Type) -> set[str]:
        """Return the fields that conditions, checks, counts, sizes and arguments depend on."""
        names: set[str] = set()
        for a in (*type_.seq, *type_.positioned):
            valid = (a.valid.equal, a.valid.least, a.valid.most, *a.valid.any_of)
            arguments = a.type.arguments if isinstance(a.type, UserType) else ()
            size = a.size if a.type is None else None
            for node in (a.condition, a.repeat_expr, a.until, size, *valid, *arguments):
                names |= {path.partition(".")[0] for path in self.paths(type_, node)}
        return names
