"""House style of the specs: what https://github.com/kaitai-io/kaitai_struct_formats asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .load import Spec

_TOP = ("meta", "doc", "doc-ref", "params", "seq", "instances", "types", "enums")
_META = (
    "id", "title", "application", "file-extension", "xref", "license", "ks-version", "imports",
    "encoding", "endian",
)  # fmt: skip


def _ordered(keys: list[str], order: tuple[str, ...]) -> bool:
    places = [order.index(k) for k in keys if k in order]
    return places == sorted(places)


def _types(raw: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield path, raw
    for name, body in raw.get("types", {}).items():
        yield from _types(body, f"{path}/types/{name}")


def _repeated(raw: Mapping[str, Any]) -> Iterator[str]:
    for _, type_ in _types(raw, ""):
        for attribute in type_.get("seq", ()):
            if "repeat" in attribute and isinstance(attribute.get("type"), str):
                yield attribute["type"].partition("(")[0]


def _findings(spec: Spec, text: str) -> Iterator[tuple[str, str]]:
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
    if not _ordered(list(meta), _META):
        yield "/meta", f"keys are not in the order {', '.join(_META)}"
    if "doc" not in spec.raw:
        yield "/doc", "is missing"
    repeated = set(_repeated(spec.raw))
    for path, type_ in _types(spec.raw, ""):
        if not _ordered(list(type_), _TOP):
            yield path or "/", f"keys are not in the order {', '.join(_TOP)}"
        flat = {k: v for k, v in type_.items() if k != "types"}
        for line in str(flat.get("doc", "")).splitlines():
            if len(line) > 80:
                yield f"{path}/doc", "has a line of more than 80 characters"
        name = path.rpartition("/")[2]
        if name in repeated and "seq" in type_ and len(type_["seq"]) > 1:
            if "-webide-representation" not in type_ and not _has_repeat(type_):
                yield path, "is repeated and has no -webide-representation"
        for i, attribute in enumerate(type_.get("seq", ())):
            id = attribute.get("id", "")
            if "repeat" in attribute and isinstance(attribute.get("repeat-expr"), str):
                count = attribute["repeat-expr"]
                plain = count.isidentifier()
                if plain and not count.startswith("num_") and count != "cardinality":
                    yield f"{path}/seq/{i}/repeat-expr", "counts are called num_x"
            if id.startswith("len_") and attribute.get("type", "")[:1] == "s" and "valid" not in attribute:
                if "-1" not in attribute.get("doc", "") and "known" not in attribute.get("doc", ""):
                    if "Java" not in attribute.get("doc", ""):
                        yield f"{path}/seq/{i}", "a signed length has no valid and no doc of -1"


def _has_repeat(type_: Mapping[str, Any]) -> bool:
    return any("repeat" in a or "size" in a for a in type_.get("seq", ()))


def lint(folder: Path, specs: Mapping[str, Spec]) -> list[str]:
    """One line for each thing that is not the house style."""
    return [
        f"{spec.file}: {path}: {message}"
        for spec in specs.values()
        for path, message in _findings(spec, (folder / f"{spec.name}.ksy").read_text())
    ]
