"""The keys of what commands print as JSON: tables of the JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tools.docs.json_schema import answers, is_stream, json_schema
from tools.docs.text import render


@dataclass(frozen=True)
class Key:
    """A key of an object: its type in words, what it means, and whether it can be absent."""

    name: str
    type: str
    meaning: str
    is_optional: bool


@dataclass(frozen=True)
class Object:
    """An object of an answer, or the answer itself, whose name is ""."""

    name: str
    meaning: str
    keys: tuple[Key, ...]


def part(_: str) -> str:
    """Return a section for each answer, with tables of its keys and of those of its objects."""
    listed = {name: (is_stream(name), list(objects(json_schema(name)))) for name in answers()}
    return render("json_answers.md", answers=listed)


def objects(schema: Mapping[str, Any]) -> Iterator[Object]:
    """Yield the objects of a schema: the document first, then those that it refers to."""
    if "properties" in schema:
        yield _object("", schema)
    for name, definition in schema.get("$defs", {}).items():
        yield _object(name, definition)


def _object(name: str, schema: Mapping[str, Any]) -> Object:
    required = set(schema["required"])
    keys = (
        Key(key, in_words(kind), kind.get("description", ""), key not in required)
        for key, kind in schema["properties"].items()
    )
    return Object(name, schema["description"], tuple(keys))


def in_words(schema: Mapping[str, Any]) -> str:
    """Return a type such as `integer or null`, or `list of Finding`."""
    if "anyOf" in schema:
        return " or ".join(in_words(one) for one in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return f"list of {in_words(schema['items'])}"
    if "additionalProperties" in schema:
        return f"object of {in_words(schema['additionalProperties'])}"
    return str(schema.get("type", "any value"))
