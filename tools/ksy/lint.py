"""What the specs need beside what the compiler checks: docs, and names that all languages take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ksykit.generator.spec import Spec

# The compiler prints these as they are: keywords of Lua and Nim.
_KEYWORDS = (
    "addr and as asm bind block break case cast concept const continue converter defer discard "
    "distinct div do elif else elseif end enum except export false finally for from func function "
    "goto if import in include interface is isnot iterator let local macro method mixin mod nil "
    "not notin object of or out proc ptr raise ref repeat return shl shr static template then true "
    "try tuple type until using var when while xor yield"
)
_TAKEN = frozenset(("int", "int8", "int16", "int32", "int64", "unknown"))
"""Types of Nim, and what generated Rust adds to each enum."""


def _types(raw: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield path, raw
    for name, body in raw.get("types", {}).items():
        yield from _types(body, f"{path}/types/{name}")


@dataclass(frozen=True)
class _Attribute:
    """A field or an instance: its name and keys, and what rules about it depend on."""

    name: str
    keys: Mapping[str, Any]
    type: Mapping[str, Any]
    is_stored: bool
    """Whether it is a field of `seq`."""
    has_java: bool
    """Whether the spec refers to code in Java."""
    documented: Set[str]

    @property
    def count(self) -> str:
        """The number of its elements."""
        return str(self.keys.get("repeat-expr", "num_"))

    @property
    def is_number(self) -> bool:
        """Whether it is a count, a length or a position."""
        return self.is_stored and self.name.startswith(("num_", "len_", "ofs_"))

    def may_be_negative(self) -> bool:
        """Return whether it is a signed count or length, and nothing explains a negative one."""
        is_size = self.is_stored and self.name.startswith(("num_", "len_"))
        is_explained = "valid" in self.keys or "doc" in self.keys
        return is_size and str(self.keys.get("type", "")).startswith("s") and not is_explained


_RULES: Mapping[str, Callable[[_Attribute], bool]] = {
    "has no doc": lambda x: (
        "doc" not in x.keys and not _is_evident(x.name, x.keys, x.type, x.documented)
    ),
    "is a keyword of another language": lambda x: x.name in _KEYWORDS.split(),
    "has the name of an enum, which C# refuses": lambda x: x.name in x.type.get("enums", ()),
    "has a repeat-expr of another name: counts are called num_x": lambda x: (
        x.is_stored and x.count.isidentifier() and not x.count.startswith(("num_", "cardinality"))
    ),
    "may be negative: give valid, or a doc of what it means": _Attribute.may_be_negative,
    "has no -orig-id, and no name in Java begins so": lambda x: (
        x.is_number and x.has_java and "-orig-id" not in x.keys
    ),
}
"""What is wrong with an attribute, and when."""


def _findings(spec: Spec, text: str, documented: Set[str]) -> Iterator[tuple[str, str]]:
    if "\r" in text or "\t" in text or not text.endswith("\n"):
        yield "", "LF, no tabs and a final newline are the style"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 120 and "http" not in line:
            yield f"line {number}", "is longer than 120 characters"
    meta = {"ks-version": "", **spec.raw["meta"]}
    for key in {"title", "license", "ks-version"} - spec.raw["meta"].keys():
        yield "/meta", f"has no {key}"
    if not isinstance(meta["ks-version"], str):
        yield "/meta/ks-version", "is not quoted"
    if "doc" not in spec.raw:
        yield "/doc", "is missing"
    yield from _same_members(spec.raw)
    has_java = ".java" in str(spec.raw.get("doc-ref"))
    for path, type_ in _types(spec.raw, ""):
        for place, name, keys in _attributes(type_):
            is_stored = place.startswith("seq/")
            attribute = _Attribute(name, keys, type_, is_stored, has_java, documented)
            for message, is_broken in _RULES.items():
                if is_broken(attribute):
                    yield f"{path}/{place}", message


def _attributes(type_: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the place, the name and the keys of each attribute."""
    for i, attribute in enumerate(type_.get("seq", ())):
        yield f"seq/{i}", attribute["id"], attribute
    for name, attribute in type_.get("instances", {}).items():
        yield f"instances/{name}", name, attribute


def _is_evident(
    name: str, attribute: Mapping[str, Any], type_: Mapping[str, Any], documented: Set[str]
) -> bool:
    """Return whether readers know what a field is without a `doc`."""
    members = [member for _, member, _ in _attributes(type_)]
    kind = str(attribute.get("type", "")).partition("(")[0]
    prefix, _, rest = name.partition("_")
    return (
        name == "version"
        or kind == "position"
        or (members == [name] and "doc" in type_)
        or (prefix in ("num", "len") and rest in members)
        or (prefix in ("has", "is", "named") and "value" in attribute)
        or (name.endswith(("_end", "_start")) and "value" in attribute)
        or (kind in documented and kind.endswith(name.removesuffix("s")))
        or (name[-1].isdigit() and f"{name[:-1]}{int(name[-1]) - 1}" in members)
    )


def _same_members(raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the members of enums that Nim or Rust refuse: to Nim, `i_8` is `i8` in any enum."""
    seen: set[str] = set(_TAKEN)
    for path, type_ in _types(raw, ""):
        for enum, members in type_.get("enums", {}).items():
            for member in members.values():
                name = member if isinstance(member, str) else member["id"]
                plain = name.replace("_", "")
                if plain in seen or name in _KEYWORDS.split():
                    yield f"{path}/enums/{enum}/{name}", "is taken in Nim or Rust, or a keyword"
                seen.add(plain)


def lint(folder: Path, specs: Mapping[str, Spec]) -> list[str]:
    """One line for each thing that is not the house style."""
    documented = {
        path.rpartition("/")[2] or spec.name
        for spec in specs.values()
        for path, type_ in _types(spec.raw, "")
        if "doc" in type_
    }
    return [
        f"{spec.file}: {path}: {message}"
        for spec in specs.values()
        for path, message in _findings(
            spec, (folder / f"{spec.name}.ksy").read_text("utf-8"), documented
        )
    ]
