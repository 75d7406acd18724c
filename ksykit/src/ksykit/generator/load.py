"""specs/*.ksy -> typed, validated objects.

Every key is either understood, or harmless documentation, or an error that names the file, the path
in the YAML and what to write instead; nothing is skipped silently.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from .checks import checked
from .expression import (
    Binary,
    Call,
    Dot,
    ExpressionError,
    Literal,
    Method,
    Name,
    Node,
    Ternary,
    parse,
    python_name,
)
from .read import read_yaml
from .spec import (
    ENCODINGS,
    NUMBERS,
    PROCESSES,
    REPEATS,
    Attribute,
    Bits,
    FieldType,
    Param,
    Primitive,
    Process,
    Spec,
    SpecError,
    SpecFile,
    Switch,
    Terminator,
    Type,
    UserType,
    Valid,
    Value,
)
from .world import codec_of, escaped

_DOCUMENTATION = {"doc", "doc-ref", "to-string"}
_META = {
    "id", "title", "application", "file-extension", "xref", "license", "ks-version", "imports",
    "endian", "bit-endian", "encoding", "tags", "ks-opaque-types", "ks-debug",
}  # fmt: skip
_TYPE = {
    "meta", "params", "seq", "instances", "types", "enums",
    "-kit-view", "-kit-head", "-kit-tail", "-kit-places", "-kit-columns",
    "-kit-leb128",
} | _DOCUMENTATION  # fmt: skip
_SIZES = {"size", "size-eos"}
_BYTES = {"encoding", "terminator", "include", "consume", "eos-error", "pad-right", "process"}
_ATTRIBUTE = {
    "id", "type", "size", "size-eos", "contents", "if", "repeat", "repeat-expr", "repeat-until",
    "valid", "enum", "-kit-encoding", "-kit-value", "-kit-runs", "-kit-ascending", "-kit-examples",
    "-kit-max-size",
} | _DOCUMENTATION | _BYTES  # fmt: skip
_EXPRESSIONS = {
    "size": "size", "if": "condition", "repeat-expr": "repeat_expr", "repeat-until": "until",
    "pos": "position", "io": "stream", "-kit-value": "value",
}  # fmt: skip
"""Keys of fields that are expressions, and the names of their attributes."""
_LIMITS = {"eq": "equal", "min": "least", "max": "most", "expr": "test"}
"""Keys of `valid` that are expressions, and the names of their attributes."""
_INSTANCE = (_ATTRIBUTE - {"id", "-kit-runs", "-kit-ascending"}) | {"pos", "io"}
_VALUE = {"value", "if", "enum", "-kit-inverse"} | _DOCUMENTATION
_SHAPES: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("seq", "params", "imports", "any-of"), (list, "a list")),
    **dict.fromkeys(("meta", "instances", "types", "enums", "cases"), (dict, "a mapping")),
    **dict.fromkeys(
        (
            "doc",
            "enum",
            "repeat",
            "encoding",
            "to-string",
            "-kit-head",
            "-kit-tail",
            "-kit-encoding",
        ),
        (str, "a text"),
    ),
    **dict.fromkeys(
        (
            "size-eos",
            "include",
            "consume",
            "eos-error",
            "ks-opaque-types",
            "ks-debug",
            "-kit-view",
            "-kit-places",
            "-kit-columns",
            "-kit-leb128",
        ),
        (bool, "true or false"),
    ),
}
"""What the values of keys are that are neither expressions nor documentation."""
_INHERITED = ("endian", "bit-endian", "encoding")
"""Keys of `meta` that hold in nested types, too."""


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
            is_foreign = str(key)[:1] == "-" and not str(key).startswith("-kit-")
            if key not in known and not is_foreign:
                names = ", ".join(sorted(known))
                raise self.fail(f"{path}/{key}", "is not supported", f"use the keys {names}")
            kind, words = _SHAPES.get(key, (object, ""))
            if not isinstance(raw[key], kind):
                raise self.fail(f"{path}/{key}", f"is not {words}", "write one")

    # -- Values of keys

    def expression(self, raw: Any, path: str) -> Node:
        if not isinstance(raw, int | float | str):
            raise self.fail(path, f"{raw!r} is not an expression", "write a number or a string")
        try:
            return parse(str(raw).lower() if isinstance(raw, bool) else str(raw))
        except ExpressionError as error:
            raise self.fail(path, str(error), "simplify the expression") from error

    def expressions(
        self, raw: Mapping[str, Any], path: str, keys: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the expressions of some keys, by the names of attributes."""
        present = ((key, name) for key, name in keys.items() if key in raw)
        return {name: self.expression(raw[key], f"{path}/{key}") for key, name in present}

    def identifier(self, raw: Any, path: str) -> str:
        """Return a name as it is in Python."""
        if not isinstance(raw, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", raw):
            raise self.fail(path, f"{raw!r} is not an identifier", "write lower_snake_case")
        return python_name(raw)

    def call(self, text: str, path: str) -> tuple[str, tuple[Node, ...]]:
        """Return the last name of `a::name(x, y)`, or "", and the arguments."""
        match = re.fullmatch(r"(?:[a-z]\w*::)*([a-z]\w*)\s*(?:\((.*)\))?", text, re.DOTALL)
        if match is None:
            return "", ()
        if not (match[2] or "").strip():
            return match[1], ()
        node = self.expression(f"{match[1]}({match[2]})", path)
        return match[1], node.arguments if isinstance(node, Call) else ()

    def type_of(self, raw: Any, path: str, meta: Mapping[str, Any]) -> FieldType:
        """Return the type of a name; None for text, which is bytes, and for bytes."""
        text = str(raw).strip()
        if raw is None or text in ("str", "strz"):
            return None
        if (number := re.fullmatch(r"([usf][1248])(le|be)?", text)) and number[1] in NUMBERS:
            code, size = NUMBERS[number[1]]
            order = number[2] or meta.get("endian")
            if size > 1 and order is None:
                raise self.fail(path, "has no byte order", "set meta/endian or write le or be")
            return Primitive(number[1], code, size, "<" if order == "le" else ">")
        if bits := re.fullmatch(r"b(\d+)(le|be)?", text):
            order = bits[2] or meta.get("bit-endian", "be")
            if len(bits[1]) < 3 and 1 <= int(bits[1]) <= 64:
                return Bits(int(bits[1]), "<" if order == "le" else ">")
        name, arguments = self.call(text, path)
        if bits or not name:
            remedy = "write name or name(arguments), or b1 to b64"
            raise self.fail(path, f"type {text!r} is not understood", remedy)
        return UserType(text.partition("(")[0].strip(), arguments)

    def of_either_order(
        self, raw: dict[str, Any], path: str, meta: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a number whose byte order is decided as a switch, and what both cases have."""
        kind = raw.get("type")
        is_bare = isinstance(kind, str) and kind in NUMBERS and NUMBERS[kind][1] > 1
        if not is_bare or not isinstance(meta.get("endian"), dict):
            return raw, {}
        if "-kit-value" in raw:
            message = "is on a number whose byte order is decided when it is read"
            raise self.fail(f"{path}/-kit-value", message, "write le or be")
        inner: dict[str, Any] = {key: raw[key] for key in ("valid", "enum") if key in raw}
        cases = {"switch-on": "_is_le", "cases": {"true": f"{kind}le", "_": f"{kind}be"}}
        return {key: raw[key] for key in raw if key not in inner} | {"type": cases}, inner

    def is_le(self, own: Any, path: str) -> Value:
        """Return whether numbers have the least byte first, as Kaitai names it."""
        node: Node = Dot(Name("_parent"), "_is_le")
        if own is not None:
            self.check_keys(own, path, {"switch-on", "cases"})
            on = self.expression(own.get("switch-on"), f"{path}/switch-on")
            cases = own.get("cases")
            if not isinstance(cases, dict) or not {"le", "be"}.issuperset(map(str, cases.values())):
                raise self.fail(f"{path}/cases", "is not le or be", "write one of them")
            node = Method("undecided", on)
            for key, order in sorted(cases.items(), key=lambda case: case[0] != "_"):
                is_le = Literal(order == "le")
                where = f"{path}/cases/{key}"
                is_it = None if key == "_" else Binary("==", on, self.expression(key, where))
                node = is_le if is_it is None else Ternary(is_it, is_le, node)
        return Value("_is_le", path, "", node, {})

    def switch(
        self,
        id: str,
        raw: dict[str, Any],
        path: str,
        meta: Mapping[str, Any],
        inner: Mapping[str, Any],
    ) -> Switch:
        """Return the cases of a type, each as a field of its own without a repeat."""
        here, declared = f"{path}/type", raw["type"]
        self.check_keys(declared, here, {"switch-on", "cases"})
        cases = declared.get("cases")
        if not isinstance(cases, dict) or not cases or "switch-on" not in declared:
            raise self.fail(here, "is not complete", "write switch-on and cases")
        plain = {key: raw[key] for key in raw if key in _BYTES | _SIZES}
        each: list[tuple[Node | None, Attribute]] = []
        for key, name in cases.items():
            value = None if key == "_" else self.expression(key, f"{here}/cases/{key}")
            kind = self.type_of(name, f"{here}/cases/{key}", meta)
            # Numbers are read as such where other cases have a size.
            own = {} if isinstance(kind, Primitive | Bits) else plain
            own = {**own, **inner, "type": name}
            each.append((value, self.attribute(id, own, path, meta)))
        if plain.keys() & (_SIZES | {"terminator"}) and all(value is not None for value, _ in each):
            one = {key: value for key, value in plain.items() if key != "encoding"}
            each.append((None, self.attribute(id, one, path, meta)))
        each.sort(key=lambda case: case[0] is None)
        return Switch(self.expression(declared["switch-on"], f"{here}/switch-on"), tuple(each))

    def process(self, raw: Any, path: str) -> Process:
        name, arguments = self.call(str(raw).strip(), path)
        if PROCESSES.get(name) != len(arguments):
            names = ", ".join(f"{name}(..)" if n else name for name, n in PROCESSES.items())
            raise self.fail(path, f"{raw} is not supported", f"use one of {names}")
        return Process(name, arguments)

    def charset(self, raw: dict[str, Any], path: str, meta: Mapping[str, Any]) -> str | None:
        """Return Python's name of the encoding of a text; None if it is none."""
        if raw.get("type") not in ("str", "strz"):
            if "encoding" in raw and not isinstance(raw.get("type"), dict):
                raise self.fail(f"{path}/encoding", "is for text", "leave it out")
            return None
        name = raw.get("encoding", meta.get("encoding"))
        if name is None:
            raise self.fail(path, "has no encoding", "give encoding, here or in meta")
        codec = codec_of(str(name))
        if codec is None:
            remedy = "use one that Python knows"
            raise self.fail(f"{path}/encoding", f"{name} is not known", remedy)
        return codec

    def delimited(self, raw: dict[str, Any], path: str, charset: str | None) -> dict[str, Any]:
        """Return the terminator, the padding and the process of bytes, as far as there are some."""
        options: dict[str, Any] = {}
        byte = raw.get("terminator", 0 if raw.get("type") == "strz" else None)
        for key, value in (("terminator", byte), ("pad-right", raw.get("pad-right"))):
            if value is not None and (type(value) is not int or not 0 <= value < 256):
                raise self.fail(f"{path}/{key}", "is not a byte", "write a number below 256")
        wide = re.fullmatch(r"utf-(16|32)(-[lb]e)?", charset or "")
        unit = int(wide[1]) // 8 if wide and wide[2] and "terminator" not in raw else 1
        if byte == 0 and wide and unit == 1:
            raise self.fail(f"{path}/terminator", f"a byte in {charset}", "give size")
        if byte is not None:
            include, consume = bool(raw.get("include", False)), bool(raw.get("consume", True))
            eos_error = bool(raw.get("eos-error", True))
            options["terminator"] = Terminator(byte, include, consume, eos_error, unit)
        if raw.get("process") is not None:
            options["process"] = self.process(raw["process"], f"{path}/process")
        return options | {"pad_right": raw.get("pad-right")}

    def valid(self, raw: Any, path: str) -> Valid:
        if not isinstance(raw, dict):
            return Valid(equal=None if raw is None else self.expression(raw, path))
        unknown = set(raw) - {*_LIMITS, "any-of", "in-enum"} - _DOCUMENTATION
        if unknown:
            remedy = "use a value, min, max, any-of, in-enum or expr"
            raise self.fail(f"{path}/{min(map(str, unknown))}", "is not supported", remedy)
        if not isinstance(raw.get("any-of", []), list):
            raise self.fail(f"{path}/any-of", "is not a list", "write one")
        if not isinstance(raw.get("in-enum", False), bool):
            raise self.fail(f"{path}/in-enum", "is not true or false", "write one")
        limits = self.expressions(raw, path, _LIMITS)
        options = (self.expression(x, f"{path}/any-of") for x in raw.get("any-of", ()))
        return Valid(**limits, any_of=tuple(options), in_enum=raw.get("in-enum", False))

    def contents(self, raw: Any, path: str) -> bytes:
        try:
            parts = raw if isinstance(raw, list) else [raw]
            return b"".join(x.encode() if isinstance(x, str) else bytes([x]) for x in parts)
        except (TypeError, ValueError) as error:
            raise self.fail(path, "is not bytes", "write a list of bytes and strings") from error

    def integers(self, raw: Any, path: str) -> tuple[int, ...]:
        if not isinstance(raw, list) or not {int}.issuperset(map(type, raw)):
            raise self.fail(path, "is not integers", "write integers")
        return tuple(raw)

    def ascending(self, raw: dict[str, Any], type_: FieldType, path: str) -> Any:
        """Return the field by which elements ascend, or "", and the least of the next one's."""
        ordering = raw["-kit-ascending"]
        if raw.get("repeat") is None:
            raise self.fail(path, "is not on a repeat", "leave it out")
        if isinstance(type_, Primitive) != (ordering is True):
            raise self.fail(path, f"is {ordering!r}", "write true for numbers, a field for objects")
        if ordering is True:
            return "", None
        if isinstance(ordering, dict) and len(ordering) == 1:
            [(key, text)] = ordering.items()
            return self.identifier(key, path), self.expression(text, path)
        return self.identifier(ordering, path), None

    # -- Fields

    def attribute(
        self, id: str, raw: dict[str, Any], path: str, meta: Mapping[str, Any]
    ) -> Attribute:
        raw, inner = self.of_either_order(raw, path, meta)
        options = self.expressions(raw, path, _EXPRESSIONS)
        if isinstance(raw.get("type"), dict):
            options["type"] = self.switch(id, raw, path, meta, inner)
        else:
            options["type"] = self.type_of(raw.get("type"), f"{path}/type", meta)
            options["charset"] = self.charset(raw, path, meta)
            options |= self.delimited(raw, path, options["charset"])
        if raw.get("contents") is not None:
            options["contents"] = self.contents(raw["contents"], f"{path}/contents")
            if options.get("size") == Literal(len(options["contents"])):
                del options["size"]
        if "-kit-runs" in raw:
            options["runs"] = self.identifier(raw["-kit-runs"], path)
        if "-kit-ascending" in raw:
            options["ascending"] = self.ascending(raw, options["type"], f"{path}/-kit-ascending")
        if "-kit-max-size" in raw:
            [options["max_size"]] = self.integers([raw["-kit-max-size"]], path)
        a = Attribute(
            id=id,
            path=path,
            size_eos=bool(raw.get("size-eos", False)),
            repeat=raw.get("repeat"),
            valid=self.valid(raw.get("valid"), f"{path}/valid"),
            encoding=raw.get("-kit-encoding"),
            examples=self.integers(raw.get("-kit-examples", []), f"{path}/-kit-examples"),
            enum=raw.get("enum"),
            doc=raw.get("doc", ""),
            **options,
        )
        for key, message, remedy in self.wrong(a, raw):
            raise self.fail(f"{path}/{key}" if key else path, message, remedy)
        return a

    @staticmethod
    def wrong(a: Attribute, raw: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield keys that do not fit together, why, and what to write."""
        is_sized = a.size is not None or a.size_eos
        if isinstance(a.type, Primitive | Bits):
            for key in sorted((_SIZES | _BYTES | {"contents"}) & raw.keys()):
                yield key, "a number has its own size", "leave it out"
        elif a.size is not None and a.size_eos:
            yield "size", "beside size-eos", "leave out one of them"
        elif a.contents is not None:
            if is_sized or a.terminator or a.process or raw.get("type") is not None:
                yield "contents", "has its own size", "leave all else out"
        elif a.type is None and not is_sized and a.terminator is None:
            yield "", "has no size", "give one of type, size, size-eos, contents, terminator"
        elif not (is_sized or a.type is None or "terminator" in raw) and (
            raw.get("process") or raw.get("pad-right")
        ):
            yield "process", "is for what has a size", "give size or size-eos"
        if a.runs is not None and a.repeat != "expr":
            yield "-kit-runs", "is for repeat: expr", "leave it out"
        if isinstance(a.type, UserType | Switch) and "valid" in raw:
            yield "valid", "is for numbers and bytes", "check fields in the type"
        if a.encoding is not None and (a.encoding not in ENCODINGS or "type" in raw):
            yield "-kit-encoding", "is not understood", f"use {ENCODINGS}, on bytes"
        if a.repeat not in (None, *REPEATS):
            yield "repeat", f"{a.repeat} is not supported", "use expr, eos or until"
        for kind in ("expr", "until"):
            if (a.repeat == kind) != (f"repeat-{kind}" in raw):
                yield "repeat", f"needs repeat-{kind}, and it needs it", "write both"

    def value(self, id: str, raw: dict[str, Any], path: str) -> Value:
        self.check_keys(raw, path, _VALUE)
        inverse, here = raw.get("-kit-inverse", {}), f"{path}/-kit-inverse"
        if not isinstance(inverse, dict):
            raise self.fail(here, "is not a mapping", "write `field: expression`")
        return Value(
            id=id,
            path=path,
            doc=str(raw.get("doc", "")).strip(),
            inverse={key: self.expression(text, f"{here}/{key}") for key, text in inverse.items()},
            enum=raw.get("enum"),
            **self.expressions(raw, path, {"value": "value", "if": "condition"}),
        )

    # -- Types

    def field_of(self, raw: Mapping[str, Any], key: str, path: str) -> str | None:
        """Return the field of `seq` that a key of a type names, if it has the key."""
        if key in raw and raw[key] not in [a.get("id") for a in raw.get("seq", ())]:
            raise self.fail(f"{path}/{key}", f"no field {raw[key]!r}", "name a field of seq")
        return raw.get(key)

    def enums(self, raw: Any, path: str) -> dict[str, dict[str, int]]:
        enums: dict[str, dict[str, int]] = {}
        for name, members in (raw or {}).items():
            self.identifier(name, f"{path}/{name}")
            enums[name] = {}
            if not isinstance(members, dict):
                raise self.fail(f"{path}/{name}", "is not a mapping", "write number: name")
            for number, member in members.items():
                here = f"{path}/{name}/{number}"
                if not isinstance(number, int):
                    raise self.fail(here, "is not an integer", "write one")
                if isinstance(member, dict):
                    self.check_keys(member, here, {"id", "doc", "doc-ref"})
                own = member.get("id") if isinstance(member, dict) else member
                if isinstance(own, bool):  # YAML's value of what is a name here
                    own = str(own).lower()
                    members[number] = own
                if (known := self.identifier(own, here)) in enums[name]:
                    raise self.fail(here, f"{own} is there twice", "choose another name")
                enums[name][known] = number
        return enums

    def param(self, raw: Any, path: str) -> Param:
        self.check_keys(raw, path, {"id", "type", "enum"} | _DOCUMENTATION)
        id = self.identifier(raw.get("id"), f"{path}/id")
        kind = str(raw.get("type", "bytes"))
        return Param(id, kind, raw.get("enum"), path, raw.get("doc", ""))

    def fields(
        self, raw: dict[str, Any], path: str, meta: Mapping[str, Any]
    ) -> Iterator[Attribute | Value]:
        """Yield the fields of `seq`, and instances."""
        for i, a in enumerate(raw.get("seq", ())):
            here = f"{path}/seq/{i}"
            self.check_keys(a, here, _ATTRIBUTE)
            known = a.get("id") is not None  # else it has Kaitai's name
            id = self.identifier(a["id"], f"{here}/id") if known else f"_unnamed{i}"
            yield self.attribute(id, a, here, meta)
        for raw_id, a in raw.get("instances", {}).items():
            here = f"{path}/instances/{raw_id}"
            id = self.identifier(raw_id, here)
            if isinstance(a, dict) and "value" in a:
                yield self.value(id, a, here)
                continue
            self.check_keys(a, here, _INSTANCE)
            # Without a position, it is where the stream is at first use.
            yield self.attribute(id, {"pos": "_io.pos", **a}, here, meta)

    def type(
        self, name: str, raw: Any, path: str, scope: tuple[str, ...], meta: Mapping[str, Any]
    ) -> None:
        self.check_keys(raw, path, _TYPE)
        own = raw.get("meta", {})
        self.check_keys(own, f"{path}/meta", _META if not path else set(_INHERITED))
        meta = {**meta, **{key: own[key] for key in _INHERITED if key in own}}
        is_decided = isinstance(meta.get("endian"), dict)
        for key in ("endian", "bit-endian"):
            if meta.get(key) not in (None, "le", "be") and not (is_decided and key == "endian"):
                raise self.fail(f"{path}/meta/{key}", "is not le or be", "write one of them")
        params = [self.param(p, f"{path}/params/{i}") for i, p in enumerate(raw.get("params", ()))]
        fields = [*self.fields(raw, path, meta)]
        if is_decided:
            fields.append(self.is_le(own.get("endian"), f"{path}/meta/endian"))
        taken: set[str] = set()
        for one in (*params, *fields):
            if one.id in taken:
                raise self.fail(one.path, f"{one.id} is there twice", "choose another name")
            taken.add(one.id)
        attributes = [a for a in fields if isinstance(a, Attribute)]
        self.types.append(
            Type(
                name=name,
                spec=self.name,
                path=path,
                doc=str(raw.get("doc", "")).strip(),
                scope=scope,
                params=tuple(params),
                seq=tuple(a for a in attributes if a.position is None),
                positioned=tuple(a for a in attributes if a.position is not None),
                values=tuple(v for v in fields if isinstance(v, Value)),
                enums=self.enums(raw.get("enums"), f"{path}/enums"),
                view=raw.get("-kit-view"),
                head=self.field_of(raw, "-kit-head", path),
                tail=self.field_of(raw, "-kit-tail", path),
                places=bool(raw.get("-kit-places", False)),
                columns=bool(raw.get("-kit-columns", False)),
                leb128=bool(raw.get("-kit-leb128", False)),
            )
        )
        for child, body in raw.get("types", {}).items():
            self.identifier(child, f"{path}/types/{child}")
            self.type(child, body, f"{path}/types/{child}", (*scope, child), meta)


def load_spec(path: Path) -> Spec:
    """One spec. Raises SpecError."""
    file = SpecFile(escaped(f"{path.parent.name}/{path.name}").replace("\n", r"\n"))
    raw = read_yaml(path, file)
    if not isinstance(raw, dict):
        raise SpecError(file, "", "is not a mapping", "write meta and seq")
    meta = raw.get("meta")
    if not isinstance(meta, dict) or meta.get("id") != path.stem:
        raise SpecError(file, "/meta/id", f"is not {path.stem}", "name the spec like its file")
    loader = _Loader(file, path.stem)
    if loader.identifier(path.stem, "/meta/id") != path.stem:
        raise SpecError(file, "/meta/id", f"{path.stem} is a Python keyword", "rename the spec")
    loader.type(path.stem, raw, "", (path.stem,), {})
    places = tuple(str(x) for x in meta.get("imports", ()))
    return Spec(
        name=path.stem,
        file=file,
        title=str(meta.get("title", "")).strip(),
        raw=raw,
        imports=tuple(place.rpartition("/")[2] for place in places),
        places=places,
        types=tuple(loader.types),
    )


def _imported(spec: Spec, place: str, files: Sequence[Path], inside: Sequence[Path]) -> Path:
    """Return which of some files a spec imports. Raises SpecError."""
    name = place.rpartition("/")[2]
    for file in files:
        with suppress(OSError, ValueError):  # no name of a file
            is_inside = any(file.resolve().is_relative_to(each.resolve()) for each in inside)
            if is_inside and file.is_file():
                return file
    remedy = f"add {name}.ksy, or give the folder in which it is as import path"
    raise SpecError(spec.file, "/meta/imports", f"{place} does not exist", remedy)


def _named(specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return specs in which each type has a name of its own, by which all of its fields name it.

    A type inside others has the name of those, too, if another type has its own.

    Raises:
        SpecError: Two types have one name.
    """
    counts = Counter(type_.name for spec in specs.values() for type_ in spec.types)
    named: dict[tuple[str, ...], str] = {}
    taken: dict[str, Spec] = {}
    for spec in specs.values():
        for type_ in spec.types:
            is_alone = counts[type_.name] == 1
            name = named[type_.scope] = type_.name if is_alone else "_".join(type_.scope)
            if name in taken or (not is_alone and name in counts):
                message = f"type {name} is in {taken.get(name, spec).file} too"
                raise SpecError(spec.file, type_.path, message, "rename one")
            taken[name] = spec

    def of(where: Type, field: FieldType) -> FieldType:
        if isinstance(field, Switch):
            cases = ((key, replace(case, type=of(where, case.type))) for key, case in field.cases)
            return replace(field, cases=tuple(cases))
        if not isinstance(field, UserType):
            return field
        path = tuple(field.name.split("::"))
        scopes = [(*where.scope[:n], *path) for n in range(len(where.scope), -1, -1)]
        found = next((named[scope] for scope in scopes if scope in named), path[-1])
        return replace(field, name=found)

    def fields(where: Type, each: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
        return tuple(replace(a, type=of(where, a.type)) for a in each)

    return {
        name: replace(
            spec,
            types=tuple(
                replace(
                    one,
                    name=named[one.scope],
                    seq=fields(one, one.seq),
                    positioned=fields(one, one.positioned),
                )
                for one in spec.types
            ),
        )
        for name, spec in specs.items()
    }


def load_specs(
    *paths: Path, import_path: Sequence[Path] = (), asked: set[Path] | None = None
) -> dict[str, Spec]:
    """Return the specs of folders and files, and of what they import, by name in order.

    Imports are read from the folders of `paths`, and from folders of `import_path`, in which those
    that begin with `/` are, and from nowhere else. `asked` gets all files that were read, or that
    specs import, if there are any.

    Raises:
        SpecError: A spec is missing, or is not supported.
    """
    loaded: dict[str, Spec] = {}
    files: dict[str, Path] = {}
    todo: list[Path] = []
    for path in paths:
        if not path.exists():
            raise SpecError(str(path), "", "does not exist", "give a folder of specs, or a spec")
        listed = [path] if path.suffix == ".ksy" else sorted(path.glob("*.ksy"))
        if not listed:
            raise SpecError(str(path), "", "has no specs", "give the folder with the .ksy files")
        todo += listed
    inside = [*import_path, *(path.parent if path.suffix == ".ksy" else path for path in paths)]
    asked = set() if asked is None else asked
    for path in todo:
        asked.add(path)
        if path.stem not in loaded:
            spec, files[path.stem] = load_spec(path), path
            loaded[path.stem] = spec
            for place in spec.places:
                folders = import_path if place.startswith("/") else [path.parent]
                choices = [folder / f"{place.lstrip('/')}.ksy" for folder in folders]
                asked.update(choices)
                todo.append(_imported(spec, place, choices, inside))
        elif path.resolve() != files[path.stem].resolve():
            message = f"{files[path.stem]} has that name, too"
            raise SpecError(str(path), "", message, "rename one of them")
    specs = dict(sorted(loaded.items()))
    try:
        return checked(_named(specs))
    except RecursionError as error:
        file = next(iter(specs.values())).file
        raise SpecError(file, "", "types nest too deep in each other", "flatten them") from error
