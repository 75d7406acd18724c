"""All specs, with look-ups over them, and what all kinds of generated code ask of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import wrap
from typing import Any

from .spec import Attribute, Primitive, Spec, SpecError, Type, UserType, located


def camel(name: str) -> str:
    """Return the class name that the compiler makes of a type's name."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@dataclass(frozen=True)
class World:
    """All specs, with look-ups over them."""

    specs: Mapping[str, Spec]
    whole: World | None = None  # without types that are left out

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """All types by name."""
        return {t.name: t for spec in self.specs.values() for t in spec.types}

    @cached_property
    def bits(self) -> dict[str, int | None]:
        """The bits of all objects of types, as far as they are known; None if they differ."""
        return {}

    @cached_property
    def kinds(self) -> dict[str, Any]:
        """The kinds of value instances that are known, by type and name."""
        return {}

    @cached_property
    def measured(self) -> dict[str, dict[str, tuple[str, str]]]:
        """What the parameters of types count or measure, by type and parameter, once known."""
        return {}

    @cached_property
    def parents(self) -> Mapping[str, set[str]]:
        """The types of the same spec that have fields of each type."""
        parents: dict[str, set[str]] = {}
        for type_ in self.types.values():
            for user in (u for a in (*type_.seq, *type_.positioned) for u in a.users):
                if user.name in self.types and self.types[user.name].spec == type_.spec:
                    parents.setdefault(user.name, set()).add(type_.name)
        return parents

    def fail(self, type_: Type, path: str, message: str, remedy: str) -> SpecError:
        """Return error of a type's spec, at this path of its YAML, with what to write instead."""
        return SpecError(self.specs[type_.spec].file, path, message, remedy)

    def type(self, user: UserType, where: Type, path: str) -> Type:
        """Return the type of an attribute. Raises SpecError, also for wrong arguments."""
        type_ = self.types.get(user.name)
        known = {where.spec, *self.specs[where.spec].imports}
        if type_ is None or type_.spec not in known:
            raise self.fail(
                where, f"{path}/type", f"no type {user.name}", "define it, or import its spec"
            )
        if len(user.arguments) != len(type_.params):
            raise self.fail(
                where,
                f"{path}/type",
                f"{user.name} takes {len(type_.params)} parameters, not {len(user.arguments)}",
                "pass one argument for each",
            )
        return type_

    def without(self, error: SpecError, *, seq_only: bool) -> tuple[World, list[str]]:
        """Return all but the type in which an error is, and those that have one; why they go."""
        wrong = max(
            (
                t
                for t in self.types.values()
                if self.specs[t.spec].file == error.file
                and f"{error.path}/".startswith(f"{t.path}/")
            ),
            key=lambda t: len(t.path),
            default=None,
        )
        if wrong is None:
            raise error
        gone, reasons = (
            {wrong.name},
            [f"{located(error.file, error.path)}: {error.path or '/'}: {error.message}"],
        )
        todo = [wrong.name]
        for name in todo:  # which grows
            for t in self.types.values():
                for a in t.seq if seq_only else (*t.seq, *t.positioned):
                    if t.name not in gone and any(user.name == name for user in a.users):
                        gone.add(t.name)
                        todo.append(t.name)
                        place = located(self.specs[t.spec].file, a.path)
                        reasons.append(f"{place}: {a.path}: needs a {name}")
        left = {
            name: replace(spec, types=tuple(t for t in spec.types if t.name not in gone))
            for name, spec in self.specs.items()
        }
        return World(left, self.whole or self), reasons

    def imported(self, spec: str) -> set[str]:
        """Return the specs that a spec imports, and those that these do."""
        imported: set[str] = set()
        todo = [spec]
        while todo:
            new = set(self.specs[todo.pop()].imports) - imported
            imported |= new
            todo += new
        return imported

    def find_type(self, where: Type, name: str) -> Type | None:
        """Return the type that a type sees under a name; None if there is none."""
        path = tuple(name.split("::"))
        by_scope = {type_.scope: type_ for type_ in self.types.values()}
        scopes = [(*where.scope[:n], *path) for n in range(len(where.scope), -1, -1)]
        found = next((by_scope[scope] for scope in scopes if scope in by_scope), None)
        return self.types.get(path[-1]) if found is None else found

    def find_enum(self, where: Type, name: str) -> tuple[str, Mapping[str, int], Type] | None:
        """Return an enum that a type sees under a name: its full name, its members, its type."""
        *path, last = name.split("::")
        scopes = [where.scope[:n] for n in range(len(where.scope), -1, -1)]
        for scope in scopes:
            wanted = (*scope, *path)
            for type_ in (self.whole or self).types.values():
                is_seen = type_.spec in (where.spec, *self.specs[where.spec].imports)
                if is_seen and type_.scope == wanted and last in type_.enums:
                    return "::".join((*wanted, last)), type_.enums[last], type_
        return None


def escaped(text: str) -> str:
    """Return a text as it stands between triple quotes: Python reads it as the same text.

    All texts of a spec that are no code pass through here on their way into generated code.
    Quotes do not stand side by side, nor at the end, and characters that are not printable,
    such as those that change the direction of text, are escaped.
    """
    text = re.sub(r'"(?="|\s*$)', r'\\"', text.replace("\\", "\\\\"))
    return "".join(c if c == "\n" or c.isprintable() else ascii(c)[1:-1] for c in text)


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc, as one line."""
    text = " ".join(doc.split())
    first = re.match(r".*?[.!?](?=\s[A-Z]|$)", text)
    return text if first is None else first[0]


def wrapped(text: str, width: int, after: str = "") -> list[str]:
    """Return a text on lines, which begin with `after` behind the first, without cut words."""
    return wrap(
        text, width, subsequent_indent=after, break_long_words=False, break_on_hyphens=False
    )


def packed(start: str, items: Sequence[str], end: str) -> list[str]:
    """Return items in the parentheses of two texts, on one line, or else on as few as possible."""
    text = f"{start}{', '.join(items)}{end}"
    if len(text) < 93 or len(items) < 2 or max(map(len, (*items, end))) > 75:  # ruff's, then
        return [text]
    lines = ["   "]
    for item in items:
        if len(lines[-1]) + len(item) > 88:
            lines.append("   ")
        lines[-1] += f" {item},"
    return [start, *lines, f"{end}  # fmt: skip"]


def check_names(world: World, type_: Type) -> None:
    """Refuse runs of what is none."""
    for attribute in (*type_.seq, *type_.positioned):
        if attribute.runs is not None:
            _check_runs(world, type_, attribute)


def _check_runs(world: World, type_: Type, attribute: Attribute) -> None:
    """Refuse runs of elements without a number first, or with instances at positions."""
    path = f"{attribute.path}/-kit-runs"
    if not attribute.repeat or not isinstance(attribute.type, UserType):
        raise world.fail(type_, path, "is not of a repeated type", "leave it out")
    child = world.types[attribute.type.name]
    first = child.seq[0] if child.seq and not child.params else None
    number = first.type if first is not None and not first.repeat else None
    if first is None or not isinstance(number, Primitive) or first.id != attribute.runs:
        raise world.fail(type_, path, f"is not the first field of {child.name}", "name that")
    if number.is_float or first.condition is not None or first.valid.any_of:
        raise world.fail(type_, path, f"{first.id} is not any integer", "leave it out")
    todo = [child]
    for below in todo:  # which grows
        if below.positioned:
            message = f"{below.name} has instances at positions"
            raise world.fail(type_, path, message, "leave it out")
        todo += [world.types[a.type.name] for a in below.seq if isinstance(a.type, UserType)]


def codec_of(name: str) -> str | None:
    """Return Python's name of an encoding of text; None if it knows none."""
    try:
        if not re.fullmatch(r"[\w.:-]+", name, re.ASCII):
            return None  # Python looks past other characters
        codec = codecs.lookup(name).name
        "a".encode(codec).decode(codec)
    except (LookupError, UnicodeError, TypeError, AttributeError):
        return None
    return codec
