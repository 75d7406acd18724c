"""Which types are flat records, and their columns: what codecs and flat readers read as arrays.

A flat record has fields of a fixed size, and at most one byte string after its length, once the
`if`s on a parameter are decided: once for each value of the enum that it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .expression import (
    Binary,
    Constant,
    EnumValue,
    Literal,
    Name,
    Node,
    evaluate,
    names,
    uses,
    walk,
)
from .load import Attribute, Primitive, Type, UserType, Valid
from .world import World, inlined


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
        """Bytes; of a byte string those of its length."""
        return self.number.size * (1 if self.count is None else self.count)

    @property
    def dtype(self) -> str:
        """As numpy has it."""
        return self.number.dtype if self.count is None else f"({self.count},){self.number.dtype}"

    @property
    def raw_name(self) -> str:
        """The name of the number: of a byte string that of its length."""
        if not self.is_text:
            return self.name
        return f"len({self.name})" if self.nested else self.length_name


@dataclass(frozen=True)
class Variant:
    """The columns of a record where the deciding parameter is `key`; None if there is none."""

    key: int | None
    columns: tuple[Column, ...]

    @property
    def size(self) -> int:
        """Bytes of a record, without those of its byte string."""
        return sum(c.size for c in self.columns)

    @property
    def text(self) -> Column | None:
        """The byte string with a length before it, of which a record has at most one."""
        return next((c for c in self.columns if c.is_text), None)


_BYTE = Primitive("u1", "B", 1, ">")


class Records:
    """Look-ups of flat records among all specs."""

    def __init__(self, world: World) -> None:
        self.world = world

    def _condition(
        self, type_: Type, node: Node | None, known: Mapping[str, int]
    ) -> Constant | None:
        """What an `if` is where these parameters are known; None if that does not decide it."""
        if node is None:
            return True
        plain = inlined(node, {v.id: v.value for v in type_.values})
        return evaluate(plain, known.get, self.world.enum(type_))

    def _domain(
        self, type_: Type, seen: frozenset[str] = frozenset()
    ) -> tuple[str, set[int]] | None:
        """The parameter that `if`s of a type (or of what it nests) compare with enum values."""
        found: dict[str, set[int]] = {}
        params = {p.id for p in type_.params}
        values = {v.id: v.value for v in type_.values}
        enum = self.world.enum(type_)
        for a in type_.seq:
            for node in walk(inlined(a.condition, values)) if a.condition is not None else ():
                match node:
                    case Binary("==", Name(name), EnumValue() as member) if name in params:
                        found.setdefault(name, set()).add(enum(member))
            if isinstance(a.type, UserType) and not a.repeat and a.type.name not in seen:
                child = self.world.type(a.type, type_, a.path)
                below = self._domain(child, seen | {type_.name})
                if below is not None:
                    at = [p.id for p in child.params].index(below[0])
                    match a.type.arguments[at]:
                        case Name(name) if name in params:
                            found.setdefault(name, set()).update(below[1])
        return next(iter(found.items())) if len(found) == 1 else None

    def _columns(
        self, type_: Type, known: Mapping[str, int], *, nest: bool
    ) -> tuple[Column, ...] | None:
        """The columns of a record; None if it is not flat."""
        found: list[Column] = []
        seq = list(type_.seq)
        for a in seq:
            there = self._condition(type_, a.condition, known)
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
                inner = self._columns(child, {k: int(v) for k, v in passed.items()}, nest=False)
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
        domain = self._domain(type_)
        keys: Iterable[int | None] = [None] if domain is None else sorted(domain[1])
        found = []
        for key in keys:
            known = {} if domain is None or key is None else {domain[0]: key}
            columns = self._columns(type_, known, nest=True)
            if columns is None:
                return None
            found.append(Variant(key, columns))
        return (None if domain is None else domain[0]), tuple(found)

    def is_record(self, a: Attribute, type_: Type) -> bool:
        """Whether an attribute of a type is a repeat of flat records."""
        if not a.repeat or not isinstance(a.type, UserType):
            return False
        if any("_index" in names(node) or uses(node, "pos") for node in a.type.arguments):
            return False
        return self.variants(self.world.type(a.type, type_, a.path)) is not None

    def fixed_size(self, type_: Type) -> int | None:
        """Bytes of each record; None if they differ, or the type is not flat."""
        found = self.variants(type_)
        if found is None or len(found[1]) != 1 or found[1][0].text is not None:
            return None
        return found[1][0].size


def numbers_together(seq: Sequence[Attribute]) -> list[Attribute]:
    """The fixed-size numbers at the head of a seq that one struct reads."""
    found: list[Attribute] = []
    for a in seq:
        if not isinstance(a.type, Primitive) or a.repeat or a.condition is not None:
            break
        orders = {n.type.order for n in found if isinstance(n.type, Primitive) and n.type.size > 1}
        if a.type.size > 1 and orders and a.type.order not in orders:
            break
        found.append(a)
    return found
