"""Files of metadata in JSON: snapshots, tags, changelogs, schemas and consumers.

The fields are checked once, where such a file is read, so later code need not expect a text
where a number belongs. Unknown fields are ignored, as in Java, and fields that older versions of
Paimon did not write may be absent. The rules are those of Java's `Snapshot`, `Tag`,
`SchemaSerializer` and `Consumer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paimon_ksy.errors import SchemaError
from paimon_ksy.types.schema import Field, Schema

_INT, _LONG = 1 << 31, 1 << 63
_SHOWN = 40  # characters shown of a wrong value
_ABSENT = object()


@dataclass(frozen=True)
class _Kind:
    """A kind of value that fields have: its `name` in messages, and a test for it."""

    name: str
    holds: Callable[[Any], bool]


def _numbers(low: int, end: int, name: str) -> _Kind:
    return _Kind(name, lambda value: type(value) is int and low <= value < end)


_VERSION = _numbers(0, _INT, "a version number")
_ID = _numbers(0, _LONG, "an id, which is a whole number from 0")
_COUNT = _numbers(0, _LONG, "a whole number from 0")
_NUMBER = _numbers(-_LONG, _LONG, "a whole number of 64 bits")
_FIELD_ID = _numbers(-1, _INT, "the id of a column, which is a whole number of 32 bits")
_TEXT = _Kind("a text", lambda value: isinstance(value, str))
_NAME = _Kind("the name of a file", lambda value: isinstance(value, str) and value != "")
_OBJECT = _Kind("an object", lambda value: isinstance(value, dict))
_TYPE = _Kind("a type", lambda value: isinstance(value, str | dict))
_LIST = _Kind("a list", lambda value: isinstance(value, list))
_COUNTED_SINCE = 3
"""The first version of snapshots that has record counts, as Paimon 0.4 wrote it."""

_SNAPSHOT: Mapping[str, _Kind] = {
    "id": _ID,
    "schemaId": _ID,
    "baseManifestList": _NAME,
    "deltaManifestList": _NAME,
    "commitUser": _TEXT,
    "commitIdentifier": _NUMBER,
    "commitKind": _TEXT,
    "timeMillis": _NUMBER,
}
_SNAPSHOT_COUNTS: Mapping[str, _Kind] = {"totalRecordCount": _NUMBER, "deltaRecordCount": _NUMBER}
_SNAPSHOT_MAY_HAVE: Mapping[str, _Kind] = {
    "version": _VERSION,
    "baseManifestListSize": _COUNT,
    "deltaManifestListSize": _COUNT,
    "changelogManifestList": _NAME,
    "changelogManifestListSize": _COUNT,
    "indexManifest": _NAME,
    "changelogRecordCount": _NUMBER,
    "watermark": _NUMBER,
    "statistics": _NAME,
    "properties": _OBJECT,
    "nextRowId": _NUMBER,
    "uuid": _TEXT,
}

_SCHEMA: Mapping[str, _Kind] = {
    "id": _ID,
    "fields": _LIST,
    "highestFieldId": _FIELD_ID,
    "partitionKeys": _LIST,
    "primaryKeys": _LIST,
    "options": _OBJECT,
}
_SCHEMA_MAY_HAVE: Mapping[str, _Kind] = {
    "version": _VERSION,
    "comment": _TEXT,
    "timeMillis": _NUMBER,
}
_COLUMN: Mapping[str, _Kind] = {"id": _FIELD_ID, "name": _TEXT, "type": _TYPE}
_COLUMN_MAY_HAVE: Mapping[str, _Kind] = {"description": _TEXT, "defaultValue": _TEXT}

_OLD_DEFAULTS = {"bucket": (1, "1"), "file.format": (2, "orc")}
"""Options that schemas up to a version omit if they have this value."""


def snapshot_document(text: str | bytes) -> dict[str, Any]:
    """Parse a snapshot, a tag or a changelog, and add the fields that its version omits.

    Raises:
        ValueError: A field is missing or wrong. The message names it.
    """
    document = _object(text)
    _check(document, _SNAPSHOT, _SNAPSHOT_MAY_HAVE)
    for name, value in (document.get("properties") or {}).items():
        _expect(f"properties[{name!r:.{_SHOWN}}]", value, _TEXT)
    if document.get("version") is None:
        document["version"] = 1  # as Table Store 0.2 wrote it
    if document["version"] >= _COUNTED_SINCE:
        _check(document, _SNAPSHOT_COUNTS, {})
    else:
        _check(document, {}, _SNAPSHOT_COUNTS)
        for name in _SNAPSHOT_COUNTS:
            if document.get(name) is None:
                document[name] = 0  # as Java reads it
    return document


def has_record_counts(snapshot: Any) -> bool:
    """Return whether a snapshot has record counts, which Paimon 0.3 did not write."""
    return int(snapshot.version) >= _COUNTED_SINCE


def schema_document(text: str | bytes) -> dict[str, Any]:
    """Parse a version of a table's schema, with options as texts, and add the options it omits.

    Does not parse the types of columns.

    Raises:
        ValueError: A field is missing or wrong. The message names it.
    """
    document = _object(text)
    _check(document, _SCHEMA, _SCHEMA_MAY_HAVE)
    names = []
    for at, column in enumerate(document["fields"]):
        _expect(f"fields[{at}]", column, _OBJECT)
        _check(column, _COLUMN, _COLUMN_MAY_HAVE, f"fields[{at}].")
        names.append(column["name"])
    for keys in ("partitionKeys", "primaryKeys"):
        for at, name in enumerate(document[keys]):
            _expect(f"{keys}[{at}]", name, _TEXT)
            if name not in names:
                raise ValueError(f"{keys}[{at}] is {_shown(name)}, but no column has this name")
    options = {
        name: _option_text(f"options[{name!r:.{_SHOWN}}]", value)
        for name, value in document["options"].items()
    }
    if "bucket" in options and not _is_int(options["bucket"]):
        raise ValueError(f"options['bucket'] is {_shown(options['bucket'])}, not a whole number")
    version = document.get("version")
    document["version"] = 1 if version is None else version
    for name, (until, value) in _OLD_DEFAULTS.items():
        if document["version"] <= until:
            options.setdefault(name, value)
    document["options"] = options
    return document


def columns_of(document: Mapping[str, Any]) -> Schema:
    """Return the columns of a document that `schema_document` returned.

    Raises:
        SchemaError: A type cannot be parsed.
    """
    fields: list[Field] = []
    for at, column in enumerate(document["fields"]):
        try:
            fields += Schema.from_paimon_json({"fields": [column]})
        except SchemaError as error:
            raise SchemaError(f"fields[{at}], column {column['name']!r}: {error}") from None
    return Schema(tuple(fields))


def consumer_document(text: str | bytes) -> dict[str, Any]:
    """Parse a consumer.

    Raises:
        ValueError: A field is missing or wrong. The message names it.
    """
    document = _object(text)
    _check(document, {"nextSnapshot": _NUMBER}, {})
    return document


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _expect("the document", document, _OBJECT)
    fields: dict[str, Any] = document
    return fields


def _check(
    document: Mapping[str, Any],
    required: Mapping[str, _Kind],
    optional: Mapping[str, _Kind],
    prefix: str = "",
) -> None:
    for name, kind in required.items():
        value = document.get(name, _ABSENT)
        if value is _ABSENT:
            raise ValueError(f"{prefix}{name} is missing")
        _expect(prefix + name, value, kind)
    for name, kind in optional.items():
        if (value := document.get(name)) is not None:
            _expect(prefix + name, value, kind)


def _expect(name: str, value: Any, kind: _Kind) -> None:
    if not kind.holds(value):
        raise ValueError(f"{name} is {_shown(value)}, not {kind.name}")


def _option_text(name: str, value: Any) -> str:
    """Return a value as Java's `JsonNode.asText` does, also a number or a boolean."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"{name} is {_shown(value)}, not a text")


def _is_int(text: str) -> bool:
    try:
        return -_INT <= int(text) < _INT
    except ValueError:
        return False


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    try:
        text = json.dumps(value)
    except ValueError:  # a number with more digits than Python prints
        return "a long number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
