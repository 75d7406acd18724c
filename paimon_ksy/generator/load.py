"""specs/*.ksy -> typed, validated objects.

Every key is either understood, or harmless documentation, or an error that names the file, the path
in the YAML and what to write instead; nothing is skipped silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from .expression import ExpressionError, Node, parse


class SpecError(Exception):
    """A spec is malformed or uses what the generator does not support."""

    def __init__(self, file: str, path: str, message: str, remedy: str) -> None:
        self.file, self.path, self.message, self.remedy = file, path, message, remedy
        super().__init__(f"{file}: {path or '/'}: {message}; {remedy}")


@dataclass(frozen=True)
class Primitive:
    """A number of fixed size: `code` is its letter in the struct module, `order` '<' or '>'."""

    name: str
    code: str
    size: int
    order: str

    @property
    def is_float(self) -> bool:
        return self.name[0] == "f"

    @property
    def packer(self) -> str:
        """Name of its struct.Struct in the runtime, as S4BE."""
        return self.name.upper() + ("" if self.size == 1 else {"<": "LE", ">": "BE"}[self.order])


@dataclass(frozen=True)
class UserType:
    """A type of a spec, by its name and what is passed to its parameters."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Valid:
    """What a field's value has to be: equal to a value, within bounds, or one of some."""

    equal: Node | None = None
    least: Node | None = None
    most: Node | None = None
    any_of: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A field of `seq`, or an instance that has bytes. `type` None: bytes."""

    id: str
    path: str
    doc: str
    type: Primitive | UserType | None
    size: Node | None
    size_eos: bool
    contents: bytes | None
    condition: Node | None
    repeat: str | None
    repeat_expr: Node | None
    until: Node | None
    valid: Valid
    encoding: str | None
    value: Node | None
    runs: str | None = None
    position: Node | None = None
    stream: Node | None = None
    ascending: tuple[str, Node | None] | None = None
    examples: tuple[int, ...] = ()
    max_size: int | None = None


@dataclass(frozen=True)
class Value:
    """A value instance. `inverse` tells how to get a field from the instance's value."""

    id: str
    path: str
    doc: str
    value: Node
    condition: Node | None
    inverse: Mapping[str, Node]


@dataclass(frozen=True)
class Param:
    """A parameter of a type."""

    id: str
    type: str
    doc: str


@dataclass(frozen=True)
class Type:
    """A type of a spec; `scope` is where it is nested, from the outermost type to its own name.

    `head` is the last field of a view of the first fields, `tail` the first of one of the last.
    """

    name: str
    spec: str
    path: str
    doc: str
    scope: tuple[str, ...]
    params: tuple[Param, ...]
    seq: tuple[Attribute, ...]
    positioned: tuple[Attribute, ...]
    values: tuple[Value, ...]
    enums: Mapping[str, Mapping[str, int]]
    view: bool = False
    head: str | None = None
    tail: str | None = None
    places: bool = False

    @property
    def names(self) -> set[str]:
        return {
            x.id for group in (self.params, self.seq, self.positioned, self.values) for x in group
        }


@dataclass(frozen=True)
class Spec:
    """One file: its types, the outermost first, and the YAML as it was read."""

    name: str
    file: str
    title: str
    raw: Mapping[str, Any]
    imports: tuple[str, ...]
    types: tuple[Type, ...] = field(default=())


NUMBERS = {
    "u1": ("B", 1), "s1": ("b", 1), "u2": ("H", 2), "s2": ("h", 2), "u4": ("I", 4), "s4": ("i", 4),
    "u8": ("Q", 8), "s8": ("q", 8), "f4": ("f", 4), "f8": ("d", 8),
}  # fmt: skip
ENCODINGS = ("utf-8", "modified-utf-8", "integer-be", "integer-le")

_DOCUMENTATION = {"doc", "doc-ref", "-orig-id", "-webide-representation", "-comment"}
_META = {
    "id", "title", "application", "file-extension", "xref", "license", "ks-version", "imports",
    "endian", "tags", "ks-opaque-types",
}  # fmt: skip
_TYPE = {
    "meta", "params", "seq", "instances", "types", "enums",
    "-pk-view", "-pk-head", "-pk-tail", "-pk-places",
} | _DOCUMENTATION  # fmt: skip
_ATTRIBUTE = {
    "id", "type", "size", "size-eos", "contents", "if", "repeat", "repeat-expr", "repeat-until",
    "valid", "enum", "-pk-encoding", "-pk-value", "-pk-runs", "-pk-ascending",
    "-pk-examples", "-pk-max-size",
} | _DOCUMENTATION  # fmt: skip
_INSTANCE = (_ATTRIBUTE - {"id", "-pk-value", "-pk-runs", "-pk-ascending"}) | {"pos", "io"}
_VALUE = {"value", "if", "enum", "-pk-inverse"} | _DOCUMENTATION
_REMEDIES = {
    "process": "read the bytes as they are and decode them outside",
    "terminator": "give `size`",
    "encoding": "keep the bytes (`size`), with `-pk-encoding: utf-8`",
    "pad-right": "make the padding a field of its own",
    "switch-on": "give each case a field of its own with `if`",
    "consume": "give `size`",
    "include": "give `size`",
}


class _Loader:
    def __init__(self, file: str, name: str) -> None:
        self.file, self.name = file, name
        self.types: list[Type] = []

    def fail(self, path: str, message: str, remedy: str) -> SpecError:
        return SpecError(self.file, path, message, remedy)

    def check_keys(self, raw: Any, path: str, known: set[str]) -> None:
        if not isinstance(raw, dict):
            raise self.fail(path, "is not a mapping", "write keys and values")
        for key in raw:
            if key not in known:
                names = ", ".join(sorted(k for k in known if not k.startswith("-")))
                remedy = _REMEDIES.get(str(key), f"use the keys {names}")
                raise self.fail(f"{path}/{key}", "is not supported", remedy)

    def expression(self, raw: Any, path: str) -> Node:
        if isinstance(raw, bool):
            return parse("true" if raw else "false")
        if not isinstance(raw, int | str):
            raise self.fail(path, f"{raw!r} is not an expression", "write an integer or a string")
        try:
            return parse(str(raw))
        except ExpressionError as error:
            raise self.fail(path, str(error), "simplify the expression") from error

    def optional(self, raw: Mapping[str, Any], key: str, path: str) -> Node | None:
        return self.expression(raw[key], f"{path}/{key}") if key in raw else None

    def identifier(self, raw: Any, path: str) -> str:
        if not isinstance(raw, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", raw):
            raise self.fail(path, f"{raw!r} is not an identifier", "write lower_snake_case")
        return raw

    def type_of(self, raw: Any, path: str, endian: str | None) -> Primitive | UserType | None:
        if raw is None:
            return None
        if isinstance(raw, dict):
            raise self.fail(path, "`switch-on` is not supported", _REMEDIES["switch-on"])
        text = str(raw).strip()
        number = re.fullmatch(r"([usf][1248])(le|be)?", text)
        if number and number[1] in NUMBERS:
            code, size = NUMBERS[number[1]]
            order = number[2] or endian
            if size > 1 and order is None:
                raise self.fail(path, "has no byte order", "set meta/endian or write le or be")
            return Primitive(number[1], code, size, "<" if order == "le" else ">")
        if text in ("str", "strz") or re.fullmatch(r"b\d+(le|be)?", text):
            remedy = "use whole bytes" if text[0] == "b" else _REMEDIES["encoding"]
            raise self.fail(path, f"type {text} is not supported", remedy)
        call = re.fullmatch(r"([a-z]\w*)\s*(?:\((.*)\))?", text, re.DOTALL)
        if call is None:
            raise self.fail(
                path, f"type {text!r} is not understood", "write name or name(arguments)"
            )
        arguments = _split(call[2]) if call[2] else []
        return UserType(call[1], tuple(self.expression(a, path) for a in arguments))

    def valid(self, raw: Any, path: str) -> Valid:
        if not isinstance(raw, dict):
            return Valid(equal=None if raw is None else self.expression(raw, path))
        unknown = set(raw) - {"eq", "min", "max", "any-of"} - _DOCUMENTATION
        if unknown:
            raise self.fail(
                f"{path}/{min(unknown)}", "is not supported", "use a value, min, max or any-of"
            )
        return Valid(
            equal=self.optional(raw, "eq", path),
            least=self.optional(raw, "min", path),
            most=self.optional(raw, "max", path),
            any_of=tuple(self.expression(x, f"{path}/any-of") for x in raw.get("any-of", ())),
        )

    def contents(self, raw: Any, path: str) -> bytes | None:
        if raw is None or isinstance(raw, str):
            return None if raw is None else raw.encode()
        try:
            return b"".join(
                x.encode() if isinstance(x, str) else bytes([x])
                for x in (raw if isinstance(raw, list) else [raw])
            )
        except (TypeError, ValueError) as error:
            raise self.fail(path, "is not bytes", "write a list of bytes and strings") from error

    def attribute(self, id: str, raw: dict[str, Any], path: str, endian: str | None) -> Attribute:
        type_ = self.type_of(raw.get("type"), f"{path}/type", endian)
        contents = self.contents(raw.get("contents"), f"{path}/contents")
        size = self.optional(raw, "size", path)
        size_eos = bool(raw.get("size-eos", False))
        repeat = raw.get("repeat")
        if repeat not in (None, "expr", "eos", "until"):
            message = f"{repeat} is not supported"
            raise self.fail(f"{path}/repeat", message, "use expr, eos or until")
        for kind in ("expr", "until"):
            if (repeat == kind) != (f"repeat-{kind}" in raw):
                raise self.fail(
                    f"{path}/repeat", f"needs repeat-{kind}, and it needs it", "write both"
                )
        if repeat == "until" and not isinstance(type_, UserType):
            raise self.fail(f"{path}/repeat", "until is for objects", "wrap the field in a type")
        if isinstance(type_, Primitive) and (size is not None or size_eos):
            raise self.fail(f"{path}/size", "a number has its own size", "leave size out")
        if type_ is None:
            if sum((size is not None, size_eos, contents is not None)) != 1:
                raise self.fail(path, "has no size", "give one of type, size, size-eos, contents")
            if repeat:
                raise self.fail(
                    f"{path}/repeat", "of bytes is not supported", "wrap them in a type"
                )
        if "-pk-runs" in raw and repeat != "expr":
            raise self.fail(f"{path}/-pk-runs", "is for repeat: expr", "leave it out")
        if repeat and isinstance(type_, UserType) and (size is not None or size_eos):
            raise self.fail(
                f"{path}/size", "with repeat is not supported", "wrap the field in a type"
            )
        most, encoding = "-pk-max-size", raw.get("-pk-encoding")
        if encoding is not None and (encoding not in ENCODINGS or type_ is not None):
            place, remedy = f"{path}/-pk-encoding", f"use {ENCODINGS}, on bytes"
            raise self.fail(place, "is not understood", remedy)
        return Attribute(
            id=id,
            path=path,
            doc=str(raw.get("doc", "")).strip(),
            type=type_,
            size=size,
            size_eos=size_eos,
            contents=contents,
            condition=self.optional(raw, "if", path),
            repeat=repeat,
            repeat_expr=self.optional(raw, "repeat-expr", path),
            until=self.optional(raw, "repeat-until", path),
            valid=self.valid(raw.get("valid"), f"{path}/valid"),
            encoding=encoding,
            value=self.optional(raw, "-pk-value", path),
            runs=self.identifier(raw["-pk-runs"], path) if "-pk-runs" in raw else None,
            position=self.optional(raw, "pos", path),
            stream=self.optional(raw, "io", path),
            ascending=self.ascending(raw, type_, f"{path}/-pk-ascending"),
            examples=self.integers(raw.get("-pk-examples", []), f"{path}/-pk-examples"),
            max_size=self.integers([raw[most]], path)[0] if most in raw else None,
        )

    def ascending(
        self, raw: dict[str, Any], type_: Primitive | UserType | None, path: str
    ) -> tuple[str, Node | None] | None:
        """The field by which elements ascend ("" for numbers), and the least of the next one's."""
        if "-pk-ascending" not in raw:
            return None
        found = raw["-pk-ascending"]
        if raw.get("repeat") is None:
            raise self.fail(path, "is not on a repeat", "leave it out")
        if isinstance(type_, Primitive) != (found is True):
            raise self.fail(path, f"is {found!r}", "write true for numbers, a field for objects")
        if found is True:
            return "", None
        if isinstance(found, dict) and len(found) == 1:
            [(key, text)] = found.items()
            return self.identifier(key, path), self.expression(text, path)
        return self.identifier(found, path), None

    def field_of(self, raw: Mapping[str, Any], key: str, path: str) -> str | None:
        """The field of `seq` that a key of a type names, if it has the key."""
        if key in raw and raw[key] not in [a["id"] for a in raw.get("seq", ())]:
            raise self.fail(f"{path}/{key}", f"no field {raw[key]!r}", "name a field of seq")
        return raw.get(key)

    def integers(self, raw: Any, path: str) -> tuple[int, ...]:
        if not isinstance(raw, list) or not {int}.issuperset(map(type, raw)):
            raise self.fail(path, "is not integers", "write integers")
        return tuple(raw)

    def value(self, id: str, raw: dict[str, Any], path: str) -> Value:
        self.check_keys(raw, path, _VALUE)
        inverse = raw.get("-pk-inverse", {})
        if not isinstance(inverse, dict):
            raise self.fail(f"{path}/-pk-inverse", "is not a mapping", "write `field: expression`")
        return Value(
            id=id,
            path=path,
            doc=str(raw.get("doc", "")).strip(),
            value=self.expression(raw["value"], f"{path}/value"),
            condition=self.optional(raw, "if", path),
            inverse={
                key: self.expression(text, f"{path}/-pk-inverse/{key}")
                for key, text in inverse.items()
            },
        )

    def enums(self, raw: Any, path: str) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for name, members in (raw or {}).items():
            found[name] = {}
            for number, member in members.items():
                if not isinstance(number, int):
                    raise self.fail(f"{path}/{name}/{number}", "is not an integer", "write one")
                found[name][member["id"] if isinstance(member, dict) else member] = number
        return found

    def type(
        self, name: str, raw: Any, path: str, scope: tuple[str, ...], endian: str | None
    ) -> None:
        self.check_keys(raw, path, _TYPE)
        meta = raw.get("meta", {})
        self.check_keys(meta, f"{path}/meta", _META if not path else {"endian"})
        endian = meta.get("endian", endian)
        if endian not in (None, "le", "be"):
            raise self.fail(f"{path}/meta/endian", "is not le or be", "write one of them")
        params = []
        for i, p in enumerate(raw.get("params", ())):
            here = f"{path}/params/{i}"
            self.check_keys(p, here, {"id", "type", "enum"} | _DOCUMENTATION)
            kind = str(p.get("type"))
            if kind not in NUMBERS and kind != "bool":
                raise self.fail(
                    f"{here}/type", f"{kind} is not supported", "pass an integer, a float or a bool"
                )
            id = self.identifier(p.get("id"), f"{here}/id")
            params.append(Param(id, kind, str(p.get("doc", "")).strip()))
        seq = []
        for i, a in enumerate(raw.get("seq", ())):
            here = f"{path}/seq/{i}"
            self.check_keys(a, here, _ATTRIBUTE)
            seq.append(self.attribute(self.identifier(a.get("id"), f"{here}/id"), a, here, endian))
        positioned, values = [], []
        for id, a in raw.get("instances", {}).items():
            here = f"{path}/instances/{id}"
            self.identifier(id, here)
            if isinstance(a, dict) and "value" in a:
                values.append(self.value(id, a, here))
                continue
            self.check_keys(a, here, _INSTANCE)
            if "pos" not in a:
                raise self.fail(here, "has no pos", "move it to seq or give pos")
            positioned.append(self.attribute(id, a, here, endian))
        self.types.append(
            Type(
                name=name,
                spec=self.name,
                path=path,
                doc=str(raw.get("doc", "")).strip(),
                scope=scope,
                params=tuple(params),
                seq=tuple(seq),
                positioned=tuple(positioned),
                values=tuple(values),
                enums=self.enums(raw.get("enums"), f"{path}/enums"),
                view=bool(raw.get("-pk-view", False)),
                head=self.field_of(raw, "-pk-head", path),
                tail=self.field_of(raw, "-pk-tail", path),
                places=bool(raw.get("-pk-places", False)),
            )
        )
        for child, body in raw.get("types", {}).items():
            self.identifier(child, f"{path}/types/{child}")
            self.type(child, body, f"{path}/types/{child}", (*scope, child), endian)


def _split(text: str) -> list[str]:
    """Arguments of a type: split at the commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def load_spec(path: Path) -> Spec:
    """One spec. Raises SpecError."""
    file = f"{path.parent.name}/{path.name}"
    try:
        raw = YAML(typ="safe").load(path)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else ""
        raise SpecError(
            file, where, "is not YAML", str(getattr(error, "problem", error))
        ) from error
    if not isinstance(raw, dict):
        raise SpecError(file, "", "is not a mapping", "write meta and seq")
    meta = raw.get("meta")
    if not isinstance(meta, dict) or meta.get("id") != path.stem:
        raise SpecError(file, "/meta/id", f"is not {path.stem}", "name the spec like its file")
    loader = _Loader(file, path.stem)
    loader.type(path.stem, raw, "", (path.stem,), None)
    return Spec(
        name=path.stem,
        file=file,
        title=str(meta.get("title", "")),
        raw=raw,
        imports=tuple(str(x) for x in meta.get("imports", ())),
        types=tuple(loader.types),
    )


def load_specs(*paths: Path) -> dict[str, Spec]:
    """Return the specs of folders and files, and of what they import, by name in order.

    Raises:
        SpecError: A spec is missing, or is not supported.
    """
    found: dict[str, Spec] = {}
    todo: list[Path] = []
    for path in paths:
        listed = [path] if path.suffix == ".ksy" else sorted(path.glob("*.ksy"))
        if not listed:
            raise SpecError(str(path), "", "has no specs", "give the folder with the .ksy files")
        todo += listed
    for path in todo:
        if path.stem not in found:
            spec = found[path.stem] = load_spec(path)
            imported = (path.with_name(f"{name}.ksy") for name in spec.imports)
            todo += [other for other in imported if other.is_file()]
    specs = dict(sorted(found.items()))
    seen: dict[str, Spec] = {}
    for spec in specs.values():
        for name in spec.imports:
            if name not in specs:
                raise SpecError(
                    spec.file, "/meta/imports", f"{name} is not there", f"add {name}.ksy"
                )
        for type_ in spec.types:
            if type_.name in seen:
                raise SpecError(
                    spec.file,
                    type_.path,
                    f"type {type_.name} is in {seen[type_.name].file} too",
                    "type names are unique over all specs, as the Web IDE wants it",
                )
            seen[type_.name] = spec
    return specs
