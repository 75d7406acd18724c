"""All specs, with look-ups over them, and what all kinds of generated code ask of them."""

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .expression import (
    Binary,
    EnumValue,
    Name,
    Node,
    Ternary,
    Unary,
    names,
)
from .load import Attribute, Primitive, Spec, SpecError, Type, UserType


def camel(name: str) -> str:
    """The class name that the compiler makes of a type's name."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@dataclass(frozen=True)
class World:
    """All specs, with look-ups over them."""

    specs: Mapping[str, Spec]

    def __post_init__(self) -> None:
        types = {t.name: t for spec in self.specs.values() for t in spec.types}
        object.__setattr__(self, "types", types)

    types: Mapping[str, Type] = field(init=False)

    def fail(self, type_: Type, path: str, message: str, remedy: str) -> SpecError:
        """The error of a type's spec, at this path of its YAML, with what to write instead."""
        return SpecError(self.specs[type_.spec].file, path, message, remedy)

    def type(self, user: UserType, where: Type, path: str) -> Type:
        """The type that an attribute of `where` has. Raises SpecError, also for wrong arguments."""
        found = self.types.get(user.name)
        known = {where.spec, *self.specs[where.spec].imports}
        if found is None or found.spec not in known:
            raise self.fail(
                where, f"{path}/type", f"no type {user.name}", "define it, or import its spec"
            )
        if len(user.arguments) != len(found.params):
            raise self.fail(
                where,
                f"{path}/type",
                f"{user.name} takes {len(found.params)} parameters, not {len(user.arguments)}",
                "pass one argument for each",
            )
        return found

    def enum(self, where: Type) -> Callable[[EnumValue], int]:
        """The numbers of enum values, as an expression in the type `where` sees them."""

        def number(value: EnumValue) -> int:
            scope = value.enum.split("::")
            for type_ in self.types.values():
                if scope[-1] in type_.enums and (
                    type_.spec == where.spec or type_.spec in self.specs[where.spec].imports
                ):
                    members = type_.enums[scope[-1]]
                    if value.member in members:
                        return members[value.member]
            raise self.fail(
                where, where.path, f"no enum value {value.enum}::{value.member}", "define it"
            )

        return number

    def class_path(self, type_: Type) -> str:
        """As `BitmapIndexV2.BitmapEntryV2`."""
        return ".".join(camel(part) for part in type_.scope)


def docstring(text: str, indent: int) -> str:
    """A doc as the inside of a docstring, indented; '' if there is none."""
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    return textwrap.indent(text, " " * indent).strip()


def check_names(world: World, type_: Type) -> None:
    """Every free name in the expressions of a type exists."""
    builtin = {"_io", "_parent", "_root", "_index", "_"}
    for attribute in (*type_.seq, *type_.positioned):
        if keyword.iskeyword(attribute.id):
            raise world.fail(type_, attribute.path, "is a Python keyword", "choose another name")
        places: list[tuple[str, Node | None]] = [
            ("size", attribute.size),
            ("if", attribute.condition),
            ("repeat-expr", attribute.repeat_expr),
            ("repeat-until", attribute.until),
            ("pos", attribute.position),
            ("io", attribute.stream),
        ]
        if attribute.runs is not None:
            _check_runs(world, type_, attribute)
        if isinstance(attribute.type, UserType):
            world.type(attribute.type, type_, attribute.path)
            places += [("type", argument) for argument in attribute.type.arguments]
        for key, node in places:
            for name in names(node) if node is not None else ():
                if name not in type_.names | builtin:
                    raise world.fail(
                        type_,
                        f"{attribute.path}/{key}",
                        f"no field {name}",
                        "use a field of the type",
                    )
    for value in type_.values:
        for name in names(value.value) | (names(value.condition) if value.condition else set()):
            if name not in type_.names | builtin:
                raise world.fail(type_, value.path, f"no field {name}", "use a field of the type")
        for target in value.inverse:
            if target not in {a.id for a in type_.seq}:
                raise world.fail(
                    type_, f"{value.path}/-pk-inverse/{target}", "is no field of seq", "name one"
                )


def _check_runs(world: World, type_: Type, attribute: Attribute) -> None:
    """An element of a run has its number first, and all else is in it: nothing at a position."""
    path = f"{attribute.path}/-pk-runs"
    if not attribute.repeat or not isinstance(attribute.type, UserType):
        raise world.fail(type_, path, "is not of a repeated type", "leave it out")
    child = world.type(attribute.type, type_, attribute.path)
    first = child.seq[0] if child.seq and not child.params else None
    number = first.type if first is not None and not first.repeat else None
    if first is None or not isinstance(number, Primitive) or first.id != attribute.runs:
        raise world.fail(type_, path, f"is not the first field of {child.name}", "name that")
    if number.is_float or first.condition is not None or first.valid.any_of:
        raise world.fail(type_, path, f"{first.id} is not any integer", "leave it out")
    todo = [child]
    for found in todo:  # which grows
        if found.positioned:
            message = f"{found.name} has instances at positions"
            raise world.fail(type_, path, message, "leave it out")
        todo += [world.types[a.type.name] for a in found.seq if isinstance(a.type, UserType)]


def inlined(node: Node, values: Mapping[str, Node]) -> Node:
    """The expression with value instances replaced by what they stand for."""
    match node:
        case Name(name) if name in values:
            return inlined(values[name], values)
        case Unary(operator, operand):
            return Unary(operator, inlined(operand, values))
        case Binary(operator, left, right):
            return Binary(operator, inlined(left, values), inlined(right, values))
        case Ternary(a, b, c):
            return Ternary(inlined(a, values), inlined(b, values), inlined(c, values))
    return node
