"""What the specs need beside what the compiler checks: docs, and names that all languages take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
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


def _findings(spec: Spec, text: str, documented: Set[str]) -> Iterator[tuple[str, str]]:
    if "\r" in text or "\t" in text or not text.endswith("\n"):
        yield "", "LF, no tabs and a final newline are the style"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 120 and "http" not in line:
            yield f"line {number}", "is longer than 120 characters"
    meta = spec.raw["meta"]
    for key in ("title", "license", "ks-version"):
        if key not in meta:
            yield "/meta", f"has no {key}"
    if not isinstance(meta.get("ks-version", ""), str):
        yield "/meta/ks-version", "is not quoted"
    if "doc" not in spec.raw:
        yield "/doc", "is missing"
    yield from _same_members(spec.raw)
    for path, type_ in _types(spec.raw, ""):
        for place, name, attribute in _attributes(type_):
            if "doc" not in attribute and not _is_evident(name, attribute, type_, documented):
                yield f"{path}/{place}", "has no doc"
            if name in _KEYWORDS.split():
                yield f"{path}/{place}", f"{name} is a keyword of another language"
            if name in type_.get("enums", ()):
                yield f"{path}/enums/{name}", "has the name of a field, which C# refuses"
        for i, attribute in enumerate(type_.get("seq", ())):
            count = str(attribute.get("repeat-expr", "num_"))
            if count.isidentifier() and not count.startswith(("num_", "cardinality")):
                yield f"{path}/seq/{i}/repeat-expr", "counts are called num_x"
            signed = str(attribute.get("type", ""))[:1] == "s"
            is_described = "valid" in attribute or "doc" in attribute
            if signed and attribute["id"].startswith(("num_", "len_")) and not is_described:
                yield f"{path}/seq/{i}", "may be negative: give valid, or a doc of what it means"
            is_ours = attribute["id"].startswith(("num_", "len_", "ofs_"))
            if is_ours and ".java" in str(spec.raw.get("doc-ref")) and "-orig-id" not in attribute:
                yield f"{path}/seq/{i}", "has no -orig-id, and no name in Java begins so"


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
