"""Objects as JSON, and the fields of an object that is written from one or from JSON."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from .errors import FormatError
from .types import WRONG, Type

if TYPE_CHECKING:
    from .fields import Field
    from .solving import Node


class Encoded(bytes):
    """The bytes of a field as they are in the file, which may not be what a writer makes."""


def set_fields(node: Node, value: Any) -> None:
    """Set the fields of a node to those of an object or of JSON. Raises FormatError."""
    type_ = node._type
    if type(value) is dict:
        if not type_.names.issuperset(value):
            check_fields(type_, value)
        node._given = value
        return
    if not isinstance(value, type_.cls):
        found = type(value)
        name = f"{found.__module__}.{found.__qualname__}"
        where = node._path or type_.name
        raise FormatError(f"{where} is {name}, not {type_.cls.__qualname__}")
    node._obj, node._given = value, value.__dict__


def check_fields(type_: Type, doc: dict[str, Any]) -> None:
    """Raise FormatError if JSON has fields that the type does not have."""
    unknown = doc.keys() - type_.names
    if doc.get("$type") == type_.name:
        unknown.discard("$type")
    if unknown:
        names = ", ".join(type_.fields)
        raise FormatError(f"{type_.name} has no field {min(unknown)}; it has {names}")


def value_from_json(type_: Type, name: str, doc: Any) -> Any:
    """Return the value of a field in JSON; objects stay JSON. Raises FormatError."""
    try:
        return None if is_unreadable(doc) else from_json(type_.fields[name], doc)
    except FormatError:
        raise
    except (*WRONG, struct.error) as error:
        raise FormatError(f"{type_.name}.{name}: {error}") from error


def from_json(field: Field, doc: Any) -> Any:
    """Return the value of a field, or of an element of a repeat."""
    if type(doc) is dict and len(doc) == 1:
        if "hex" in doc:
            return bytes.fromhex(doc["hex"])
        if "encoded" in doc:
            return Encoded.fromhex(doc["encoded"])
    return field.from_json(doc)


def is_unreadable(doc: Any) -> bool:
    """Return whether JSON stands for an instance that could not be read."""
    return type(doc) is dict and len(doc) == 1 and "unreadable" in doc


def object_to_json(obj: Any, type_: Type) -> dict[str, Any]:
    """Return the JSON of an object with all its instances."""
    doc: dict[str, Any] = {}
    known = obj.__dict__
    for name, field in type_.fields.items():
        value = known.get(name)
        if value is None:
            if field.at is None or obj._io is None or name in known:
                continue
            try:
                value = getattr(obj, name)
            except WRONG as error:
                doc[name] = {"unreadable": str(error)}
        shown = None if value is None else field.shown(value, obj)
        if shown is not None:
            doc[name] = shown
    return doc
