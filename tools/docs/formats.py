"""A page for each spec: its doc, a picture of its layout, its fields, and a worked example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ksykit.generator.spec import NUMBERS
from ruamel.yaml import YAML

from tools.docs.example import EXAMPLES
from tools.docs.text import aligned, render

SPECS = Path(__file__).parents[2] / "specs"
_KINDS = {"u": "unsigned integer", "s": "signed integer", "f": "floating point"}
_ORDERS = {"be": "big-endian", "le": "little-endian"}
_DEEPEST = 4
"""Levels of nested types in a picture."""


@dataclass(frozen=True)
class Field:
    """A row in the table of a type.

    Attributes:
        name: The id in the spec.
        place: Where it begins: a number of bytes from the start of the type, or a rule.
        size: Its bytes, if the spec fixes them.
        type: What it is, in words, with links.
        inner: The types of the same spec that it can have.
        times: How often it is repeated, in words.
        condition: When it exists.
        valid: Which values are allowed.
        doc: The doc in the spec.
        positioned: Whether it stands elsewhere in the file (an instance with `pos`).
        bytes: Whether it has bytes at all. Computed values and remembered positions have none.
    """

    name: str
    place: str
    size: int | None
    type: str
    inner: tuple[str, ...]
    times: str
    condition: str
    valid: str
    doc: str
    positioned: bool = False
    bytes: bool = True

    @property
    def rules(self) -> str:
        """How often it is repeated, and when it exists."""
        return ", ".join(filter(None, (self.times, self.condition)))


@dataclass(frozen=True)
class Type:
    """A type of a spec: what it needs from outside, its fields, and the values of its enums."""

    name: str
    doc: str
    params: tuple[Mapping[str, str], ...]
    fields: tuple[Field, ...]
    enums: Mapping[str, Mapping[int, str]]


@cache
def _raw() -> dict[str, Any]:
    yaml = YAML(typ="safe")
    return {path.stem: yaml.load(path) for path in sorted(SPECS.glob("*.ksy"))}


@cache
def _owners() -> dict[str, tuple[str, Any, str]]:
    """By type name, which is unique: its spec, its YAML and its byte order."""
    owners: dict[str, tuple[str, Any, str]] = {}

    def add(name: str, raw: Any, spec: str, endian: str) -> None:
        endian = raw.get("meta", {}).get("endian", endian)
        owners[name] = spec, raw, endian
        for inner, body in raw.get("types", {}).items():
            add(inner, body, spec, endian)

    for spec, raw in _raw().items():
        add(spec, raw, spec, "be")
    return owners


def part(spec: str) -> str:
    """Return all that the page of a spec has besides prose."""
    raw = _raw()[spec]
    refs = raw.get("doc-ref", [])
    return render(
        "format.md",
        spec=spec,
        doc=raw.get("doc", ""),
        refs=[refs] if isinstance(refs, str) else refs,
        types=[_type(name, spec) for name in _types_of(spec)],
        picture=aligned(list(_picture(spec, spec, 0))),
        uses=_uses(spec),
        used_by=[other for other in _raw() if spec in _uses(other)],
        example=EXAMPLES[spec]() if spec in EXAMPLES else None,
    )


def index(_: str) -> str:
    """Return a table of all specs."""
    return render("formats.md", specs={name: raw["meta"]["title"] for name, raw in _raw().items()})


def _uses(spec: str) -> list[str]:
    return list(_raw()[spec]["meta"].get("imports", ()))


def _types_of(spec: str) -> Iterator[str]:
    for name, (owner, _, _) in _owners().items():
        if owner == spec:
            yield name


def _type(name: str, spec: str) -> Type:
    _, raw, endian = _owners()[name]
    return Type(
        name=name,
        doc="" if name == spec else raw.get("doc", ""),
        params=tuple(raw.get("params", ())),
        fields=tuple(_fields(raw, spec, endian)),
        enums={
            key: {number: _id(value) for number, value in values.items()}
            for key, values in raw.get("enums", {}).items()
        },
    )


def _id(value: Any) -> str:
    return str(value["id"] if isinstance(value, dict) else value)


def _fields(raw: Any, spec: str, endian: str) -> Iterator[Field]:
    at: int | None = 0
    before = ""
    for one in raw.get("seq", ()):
        place = str(at) if at is not None else f"after `{before}`"
        size = _size(one)
        yield _field(one["id"], one, place, spec, endian, bytes=size != 0)
        before = one["id"] if size != 0 else before
        at = at + size if at is not None and size is not None else None
    for name, one in raw.get("instances", {}).items():
        if "value" in one:
            yield _field(name, one, "computed", spec, endian, bytes=False)
        else:
            stream = " of the file" if one.get("io") == "_root._io" else ""
            place = f"at byte `{_flat(one['pos'])}`{stream}"
            yield _field(name, one, place, spec, endian, positioned=True)


def _field(name: str, one: Any, place: str, spec: str, endian: str, **more: Any) -> Field:
    given = one.get("type", "")
    cases = given["cases"] if isinstance(given, dict) else {"": given}
    types = [_words_of_type(kind, spec, endian) for kind in cases.values()]
    if isinstance(given, dict):
        on = _flat(given["switch-on"])
        types = [
            f"{kind} {f'if `{on} == {case}`' if case != '_' else 'otherwise'}"
            for kind, case in zip(types, cases, strict=True)
        ]
    names = dict.fromkeys(map(_name, cases.values()))
    return Field(
        name=name,
        place=place,
        size=None if "if" in one or "repeat" in one else _size(one),
        type=f"`{_flat(one['value'])}`" if "value" in one else _in_words(one, "; ".join(types)),
        inner=tuple(name for name in names if _owners().get(name, ("",))[0] == spec),
        times=_times(one),
        condition=f"only if `{_flat(one['if'])}`" if "if" in one else "",
        valid=_valid(one),
        doc=f"{one.get('doc', '')}\n\n{_names(one.get('-orig-id', []))}".strip(),
        **more,
    )


def _names(original: str | list[str]) -> str:
    """The names of a field in the code or document of the format, as a sentence."""
    names = [original] if isinstance(original, str) else original
    return f"Name in its source: {' or '.join(f'`{name}`' for name in names)}." if names else ""


def _size(one: Any) -> int | None:
    """The bytes of a field, if they are always the same."""
    if "if" in one or "repeat" in one:
        return None
    if "contents" in one:
        return len(one["contents"])
    size = one.get("size")
    if isinstance(size, int):
        return size
    if size is not None or "size-eos" in one:
        return None
    name = _name(one.get("type", ""))
    if name == "position":
        return 0
    if (number := NUMBERS.get(re.sub("(le|be)$", "", name))) is not None:
        return number[1]
    if name not in _owners():
        return None
    sizes = [_size(inner) for inner in _owners()[name][1].get("seq", ())]
    return None if None in sizes else sum(filter(None, sizes))


def _name(kind: Any) -> str:
    """Return the name of a type without its spec and its arguments."""
    return re.sub(r"\(.*", "", _flat(kind)).rpartition("::")[2]


def _words_of_type(kind: Any, spec: str, endian: str) -> str:
    """Return a type in words, with a link if it is one of the specs."""
    given, name = _flat(kind), _name(kind)
    plain = re.sub("(le|be)$", "", given)
    if plain in NUMBERS:
        bits = NUMBERS[plain][1] * 8
        order = f", {_ORDERS[given[-2:] if given != plain else endian]}" if bits > 8 else ""
        return f"{bits}-bit {_KINDS[plain[0]]}{order}"
    if name not in _owners():
        return given
    owner = _owners()[name][0]
    page = "" if owner == spec else f"{owner}.md"
    link = page if name == owner != spec else f"{page}#{name}"
    arguments = given.partition("(")[2].removesuffix(")").strip()
    return f"[`{name}`]({link})" + (f" with `{arguments}`" if arguments else "")


def _in_words(one: Any, kind: str) -> str:
    size = _flat(one["size"]) if "size" in one else None
    if kind:
        enum = f", a number of `{one['enum']}`" if "enum" in one else ""
        return kind + enum + (f", in `{size}` bytes" if size else "")
    if "contents" in one:
        return "constant bytes"
    return f"`{size}` bytes" if size else "bytes to the end"


def _times(one: Any) -> str:
    repeat = one.get("repeat")
    if repeat == "expr":
        return f"`{_flat(one['repeat-expr'])}` times"
    if repeat == "eos":
        return "to the end"
    return f"until `{_flat(one['repeat-until'])}`" if repeat else ""


def _valid(one: Any) -> str:
    if "contents" in one:
        contents = one["contents"]
        data = contents.encode() if isinstance(contents, str) else bytes(contents)
        return f"`{data.hex(' ')}`"
    given = one.get("valid")
    if given is None:
        return ""
    if not isinstance(given, dict):
        return f"`{_flat(given)}`"
    if "any-of" in given:
        return ", ".join(f"`{_flat(value)}`" for value in given["any-of"])
    bounds = [f"at least `{_flat(given['min'])}`"] if "min" in given else []
    bounds += [f"at most `{_flat(given['max'])}`"] if "max" in given else []
    return ", ".join(bounds)


def _flat(text: Any) -> str:
    return " ".join(str(text).split())


def _picture(name: str, spec: str, level: int) -> Iterator[tuple[str, str, str]]:
    """Yield the fields of a type, and below each those of its type, if it is one of the spec."""
    for field in _type(name, spec).fields:
        if not field.bytes:
            continue
        size = "" if field.size is None else str(field.size)
        one_of = f"one of {', '.join(field.inner)}" if len(field.inner) > 1 else ""
        rules = [field.rules, field.place if field.positioned else "", one_of]
        rule = re.sub(r"`|\.as<\w+>", "", ", ".join(filter(None, rules)))  # casts make it long
        yield "    " * level + field.name, size, rule
        if len(field.inner) == 1 and field.inner[0] != name and level + 1 < _DEEPEST:
            yield from _picture(field.inner[0], spec, level + 1)
