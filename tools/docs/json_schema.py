"""The JSON Schemas of what commands print, made from the types of their answers."""

from __future__ import annotations

import ast
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from inspect import getdoc, getsource
from operator import or_
from pkgutil import resolve_name
from typing import Any, Literal, NotRequired

from paimon_ksy.cli.app import commands
from paimon_ksy.cli.failures import Failure, Notice
from paimon_ksy.cli.output import SCHEMA_VERSION
from paimon_ksy.messages.answers import Answer, Value, keys_of

_PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
_LISTS = (list, tuple, Sequence, Iterator)
_UNIONS = (typing.Union, types.UnionType)


@cache
def answers() -> Mapping[str, Any]:
    """Return the type of each answer. If an option changes the answer, its name follows."""
    types: dict[str, Any] = {"error": Failure, "note": Notice}
    for words, command in commands():
        for option, kind in command.function.answers.items():
            kind = resolve_name(kind) if isinstance(kind, str) else kind
            types[f"{words} {option}".strip()] = kind
    return types


def is_stream(name: str) -> bool:
    """Return whether a command prints a stream of JSON lines."""
    return typing.get_origin(answers()[name]) is Iterator


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document in `answers`, or of each line of a stream."""
    kind, schemas = answers()[name], _Schemas()
    document: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"paimon-ksy {name}, schema_version {SCHEMA_VERSION}",
    }
    if is_stream(name):
        document |= {"description": "One line of the answer.", **schemas.of(*typing.get_args(kind))}
    else:
        schemas.of(kind)
        document |= schemas.definitions.pop(kind.__name__)
        properties = {"schema_version": {"const": SCHEMA_VERSION}, **document["properties"]}
        required = ["schema_version", *document["required"]]
        document |= {"properties": properties, "required": required}
    if schemas.definitions:
        document["$defs"] = schemas.definitions
    return document


class _Schemas:
    """The schemas of types; types with keys become definitions, which others reference by name."""

    def __init__(self) -> None:
        self.definitions: dict[str, dict[str, Any]] = {}
        self._types: dict[str, Any] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if kind is Any or kind is Value:
            return {}
        if kind in _PLAIN:
            return {"type": _PLAIN[kind]}
        if origin is NotRequired:
            return self.of(arguments[0])
        if origin in _UNIONS:
            return {"anyOf": [self.of(one) for one in arguments]}
        if origin is Literal:
            return self.of(type(arguments[0]))
        if origin in _LISTS:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        return self._object(kind) if issubclass(kind, Answer) else self.of(str)  # else its text

    def _object(self, kind: Any) -> dict[str, Any]:
        name = kind.__name__
        if name not in self.definitions:
            self._types[name] = kind
            self.definitions[name] = {}  # its own keys may refer to it
            keys = dict(_keys(kind))
            doc = getdoc(kind) or ""
            meanings = _meanings(doc)
            properties = {
                key: self.of(one) | ({"description": meanings[key]} if key in meanings else {})
                for key, one in keys.items()
            }
            self.definitions[name] = {
                "description": doc.partition("\n")[0],
                "type": "object",
                "properties": properties,
                "required": [
                    key for key, one in keys.items() if typing.get_origin(one) is not NotRequired
                ],
            }
        assert self._types[name] is kind, f"two types are named {name}"
        return {"$ref": f"#/$defs/{name}"}


def _meanings(doc: str) -> dict[str, str]:
    """Return the descriptions of the attributes in a docstring."""
    _, _, listed = doc.partition("\nAttributes:\n")
    items = re.split(r"^    (\w+): ", listed.partition("\n\n")[0], flags=re.MULTILINE)
    named = zip(items[1::2], items[2::2], strict=True)
    return {name: " ".join(text.split()) for name, text in named}


def _keys(kind: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a class with their types."""
    merged: dict[str, Any] = {}
    for key in keys_of(kind):
        one = _type_of(kind, key.attribute) if key.json else None
        if not key.beside:
            if key.json:
                yield key.name, NotRequired[_present(one)] if key.optional else one
            continue
        others = typing.get_args(one)
        if hasattr(kind, "parts"):  # of many types, which it knows
            others = kind.parts(key.attribute)
        elif not others:
            yield from _keys(one)
        for other in others:
            for inner, hint in _keys(other) if issubclass(other, Answer) else ():
                merged[inner] = merged[inner] | hint if inner in merged else hint
    yield from ((key, NotRequired[hint]) for key, hint in merged.items())


def _type_of(kind: Any, name: str) -> Any:
    """Return the type of a field or property."""
    member = getattr(kind, name, None)
    if isinstance(member, property):
        return typing.get_type_hints(member.fget)["return"]
    return typing.get_type_hints(kind, localns=_of_type_checkers(kind))[name]


def _present(kind: Any) -> Any:
    """Return a type without None."""
    return reduce(or_, (one for one in typing.get_args(kind) if one is not type(None)))


@cache
def _of_type_checkers(kind: Any) -> Mapping[str, Any]:
    """Return what the module of a class imports under TYPE_CHECKING, since annotations name it."""
    module = ast.parse(getsource(sys.modules[kind.__module__]))
    blocks = (each.body for each in module.body if isinstance(each, ast.If))
    lines = (each for block in blocks for each in block if isinstance(each, ast.ImportFrom))
    places = [(line.module, each.name) for line in lines for each in line.names]
    return {name: resolve_name(f"{place}:{name}") for place, name in places}
