"""The public names of the package: signatures and docstrings, in Google's style."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.docs.text import render

_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):$", re.MULTILINE)
_ITEM = re.compile(r"^(\*{0,2}[\w.]+)(?: \([^)]*\))?: ", re.MULTILINE)

GROUPS = {
    "Single files": ("file_index", "evaluation", "inspection", "table_index"),
    "Schemas and predicates": ("types", "predicates"),
    "Whole tables": ("table",),
    "Findings and errors": ("messages", "errors"),
}
"""The parts of the page, by the packages whose public names they have."""


@dataclass(frozen=True)
class Section:
    """A part of a docstring, such as `Args`: items by name, or a text."""

    title: str
    items: tuple[tuple[str, str], ...]
    text: str


@dataclass(frozen=True)
class Entry:
    """A public name, or a public member of a class."""

    name: str
    signature: str
    doc: str
    sections: tuple[Section, ...]
    members: tuple[Entry, ...] = ()


def part(_: str) -> str:
    """Return the reference of all public names."""
    import paimon_ksy

    groups: dict[str, list[Entry]] = {title: [] for title in GROUPS}
    for name in sorted(paimon_ksy.__all__, key=str.lower):
        value = getattr(paimon_ksy, name)
        package = paimon_ksy._MODULES[name].partition(".")[0]
        title = next(title for title, packages in GROUPS.items() if package in packages)
        groups[title].append(_entry(name, value))
    return render("api.md", groups=groups)


def _entry(name: str, value: Any) -> Entry:
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value) and text.startswith(f"{name}("):
        text = ""  # what dataclasses write by themselves
    first, sections = _parsed(text)
    members = tuple(_members(value)) if inspect.isclass(value) else ()
    return Entry(name, _signature(name, value), first, tuple(sections), members)


def _members(value: type) -> Iterator[Entry]:
    for name, member in vars(value).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property) or type(member).__name__ == "cached_property":
            getter = member.fget if isinstance(member, property) else member.func
            yield dataclasses.replace(_entry(name, getter), signature=_property(name, getter))
        elif isinstance(member, classmethod | staticmethod):
            yield _entry(name, member.__func__)
        elif inspect.isfunction(member):
            yield _entry(name, member)


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value) and not dataclasses.is_dataclass(value):
        if issubclass(value, Exception):
            return name
        if type(value) is not type or value.__init__ is object.__init__:
            return name
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [one for one in found.parameters.values() if one.name not in ("self", "cls")]
    arguments: list[str] = []
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not any(a.startswith("*") for a in arguments):
            arguments.append("*")
        star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(one.kind.name, "")
        kind = "" if one.annotation is one.empty else f": {_type(one.annotation)}"
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        arguments.append(f"{star}{one.name}{kind}{default}")
    result = found.return_annotation
    arrow = "" if result is found.empty or inspect.isclass(value) else f" -> {_type(result)}"
    flat = f"{name}({', '.join(arguments)}){arrow}"
    if len(flat) <= 88:
        return flat
    inner = "".join(f"    {argument},\n" for argument in arguments)
    return f"{name}(\n{inner}){arrow}"


def _property(name: str, getter: Any) -> str:
    result = inspect.signature(getter).return_annotation
    return name if result is inspect.Signature.empty else f"{name}: {_type(result)}"


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:paimon_ksy|collections|typing)\.[\w.]*?(\w+)\b", r"\1", text)


def _default(value: Any) -> str:
    if callable(value) or repr(value).startswith("<"):
        return "..."
    return repr(value)


def _parsed(text: str) -> tuple[str, Iterator[Section]]:
    """Split a docstring into what comes first, and its sections."""
    pieces = _SECTION.split(text)
    return pieces[0].strip(), _sections(pieces[1:])


def _sections(pieces: list[str]) -> Iterator[Section]:
    for title, body in zip(pieces[::2], pieces[1::2], strict=True):
        body, _, _rest = inspect.cleandoc(body).partition("\n\n\n")
        found = _ITEM.split(body) if title in ("Args", "Attributes", "Raises") else [body]
        items = tuple(zip(found[1::2], found[2::2], strict=True))
        yield Section(title, items, found[0].strip())
