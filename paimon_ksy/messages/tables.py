"""Arrow tables of answers: columns are the keys of their JSON, with the types of their fields."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

from paimon_ksy.messages.answers import Answer, Value, keys_of

_PLAIN: Mapping[Any, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    bytes: pa.string(),
}
_MILLIS = "_millis"
TIME = pa.timestamp("ms", "UTC")
"""The type of times."""


def to_table(kind: type[Answer], answers: Iterable[Answer]) -> pa.Table:
    """Return a table with a row for each answer.

    A key such as `time_millis` is the column `time`.
    """
    schema = pa.schema(_fields(kind))
    return pa.Table.from_pylist([_row(answer.to_json(), schema) for answer in answers], schema)


def _fields(kind: Any) -> list[pa.Field]:
    """Return the Arrow fields of a class of answers."""
    fields: list[pa.Field] = []
    for key in keys_of(kind):
        if key.beside:
            fields += _fields(_without_none(_hint(kind, key.attribute)))
        elif key.json and key.name.endswith(_MILLIS):
            fields.append(pa.field(key.name.removesuffix(_MILLIS), TIME))
        elif key.json:
            fields.append(pa.field(key.name, _type(_hint(kind, key.attribute))))
    return fields


def _hint(kind: Any, name: str) -> Any:
    """Return the type of an attribute or property."""
    kind = _without_none(kind)
    made = getattr(kind, name, None)
    if isinstance(made, property):
        return get_type_hints(made.fget)["return"]
    return get_type_hints(kind)[name]


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        [hint] = [part for part in get_args(hint) if part is not type(None)]
    return hint


def _type(hint: Any) -> pa.DataType:
    """Return the Arrow type of a field's type."""
    hint = _without_none(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return pa.map_(pa.string(), _type(parts[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return pa.list_(_type(parts[0]))
    if isinstance(hint, type) and issubclass(hint, Answer) and hint is not Value:
        return pa.struct(_fields(hint))
    return _PLAIN.get(hint, pa.string())


def _row(document: Mapping[str, Any], fields: Iterable[pa.Field]) -> dict[str, Any]:
    """Return the JSON of an answer as a row with these fields."""
    keys = {field: field.name + _MILLIS * (field.type == TIME) for field in fields}
    return {field.name: _value(document.get(key), field.type) for field, key in keys.items()}


def text_of(value: Any) -> str:
    """Return a plain value as text: a string as it is, and others in JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _value(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if pa.types.is_string(kind):
        return text_of(value)
    if pa.types.is_struct(kind):
        return _row(value, kind)
    if pa.types.is_list(kind):
        return [_value(item, kind.value_type) for item in value]
    if pa.types.is_map(kind):
        return [(str(key), _value(item, kind.item_type)) for key, item in value.items()]
    return value
