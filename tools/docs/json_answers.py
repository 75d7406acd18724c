"""The keys of what commands print as JSON: tables of the JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tools.docs.json_schema import answers, is_stream, json_schema
from tools.docs.text import render


def part(_: str) -> str:
    """Return a section for each answer, with tables of its keys and of those of its objects."""
    listed = {name: (is_stream(name), list(_objects(json_schema(name)))) for name in answers()}
    return render("json_answers.md", answers=listed)


def _objects(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a schema: the document first, then those that it refers to."""
    listed = {"": schema} if "properties" in schema else {}
    for name, one in (listed | schema.get("$defs", {})).items():
        rows = [
            (key, in_words(kind), kind.get("description", ""), key not in one["required"])
            for key, kind in one["properties"].items()
        ]
        yield {"name": name, "meaning": one["description"], "rows": rows}


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
