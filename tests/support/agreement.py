"""Readers of the same bytes agree: Kaitai's parsers, views and JSON, in any type of the specs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from enum import IntEnum
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from kaitaistruct import KaitaiStream, KaitaiStruct, KaitaiStructError, ValidationFailedError

from paimon_ksy.runtime.errors import EndError, FormatError
from paimon_ksy.runtime.fields import Bytes, Repeat, Type, type_named, type_of
from paimon_ksy.runtime.objects import file_to_json, parts_from_json, to_json
from tests.support.bounds import bounded

REFUSED = KaitaiStructError, EOFError, ValueError
"""What parsers raise on bytes that are not valid."""


def start_of(type_: Type) -> int:
    """The position in the file of the first byte that a view gets; a format begins a file."""
    return 0 if type_.name == type_.spec else 1000


def parse(type_: Type, data: bytes, params: Mapping[str, Any]) -> Any:
    """The object at the start of the bytes; a nested type has them for its root's stream."""
    given = [params[name] for name in type_.params]
    stream = KaitaiStream(BytesIO(data))
    root = None if type_.name == type_.spec else SimpleNamespace(_io=stream)
    return type_.cls(*given, stream, None, root)


@cache
def view_of(type_: Type) -> Any:
    """The view of a type; None if it has none."""
    module = f"{type_.package}.views.{type_.spec}"
    return getattr(import_module(module), type_.cls.__name__, None) if find_spec(module) else None


def view(type_: Type, data: bytes, params: Mapping[str, Any]) -> Any:
    made = view_of(type_)
    wanted = [name for name in inspect.signature(made).parameters if name in type_.params]
    return made(data, start_of(type_), 0, *[params[name] for name in wanted])


def check_views(type_: Type, data: bytes, params: Mapping[str, Any]) -> bool:
    """That the view sees what the parser sees; or both refuse the bytes, and this is False."""
    try:
        with bounded():
            found = view(type_, data, params)
    except FormatError as error:
        assert error.offset is not None and 0 <= error.offset - start_of(type_) <= len(data)
        check_refused(error, type_, data, params)
        return False
    parsed = parse(type_, data, params)
    check_same(found, parsed, start_of(type_))
    assert found.end - start_of(type_) == parsed._io.pos()
    return True


def check_refused(error: FormatError, type_: Type, data: bytes, params: Mapping[str, Any]) -> None:
    """That the parser refuses it too, and, if a number is not valid, says the same of the same."""
    if error.message == "an integer without bytes":  # what a spec cannot say
        return
    with pytest.raises(REFUSED) as refused:
        parse(type_, data, params)
    found = refused.value
    if isinstance(found, ValidationFailedError):
        repeats_end = isinstance(error, EndError)  # a repeat is not begun if it cannot end
        same = error.field.endswith(found.src_path) and error.value == found.actual
        assert repeats_end or same, (error, found)
    else:
        assert isinstance(error, EndError) is isinstance(found, EOFError), (error, found)


def check_same(found: Any, parsed: Any, start: int = 0) -> None:
    """That a view has the fields of an object, whose positions are so much less."""
    repeats = [one.name for one in type_of(parsed).seq if isinstance(one, Repeat) and one.type]
    for name in set(found.__slots__) - {"end", "io_size", *type_of(parsed).params}:
        value = getattr(found, name)
        repeat = next((r for r in repeats if name.startswith(f"{r}_")), "")
        if hasattr(parsed, name):
            check_value(value, field_of(parsed, name), name, start)
        elif hasattr(parsed, repeat):
            column = name.removeprefix(f"{repeat}_")
            wanted = [getattr(record, column) for record in getattr(parsed, repeat)]
            check_value(value, wanted, name, start)
        else:
            assert value is None, name


def check_value(found: Any, wanted: Any, name: str, start: int) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            check_value(one, other, name, start)
    elif hasattr(found, "__slots__"):
        check_same(found, wanted, start)
    else:
        is_place = isinstance(wanted, KaitaiStruct) and not type_of(wanted).seq
        wanted = plain(wanted) + start if is_place else plain(wanted)
        assert found == wanted or (found != found and wanted != wanted), name


def plain(value: Any) -> Any:
    """What an object of one value stands for: a place, a text, a number."""
    if isinstance(value, IntEnum):
        return value.value
    if not isinstance(value, KaitaiStruct):
        return value
    type_ = type_of(value)
    there = [one for one in type_.seq if hasattr(value, one.name)]
    if not there:
        return getattr(value, type_.params[0])
    return plain(field_of(value, there[-1].name))


def field_of(parsed: Any, name: str) -> Any:
    """The value of a field; of bytes that are an integer, that."""
    value, one = getattr(parsed, name), type_of(parsed).fields.get(name)
    encoding = one.encoding if isinstance(one, Bytes) else None
    if encoding and encoding.startswith("integer"):
        return int.from_bytes(value, "big" if encoding.endswith("be") else "little", signed=True)
    return value


def check_json(type_: Type, data: bytes, params: Mapping[str, Any]) -> bool:
    """That the JSON is that of the parser, and gives the bytes again; or both refuse them."""
    try:
        with bounded():
            document = file_to_json([(0, type_, params)], data)
            named = partial(type_named, type_.package)
            written = parts_from_json(json.loads(json.dumps(document)), named)
    except FormatError:
        with pytest.raises(REFUSED):
            parse(type_, data, params)
        return False
    assert written == data
    [part] = document["parts"]
    expected = {"at": 0} | to_json(parse(type_, data, params))
    assert without_messages(part) == without_messages(expected)
    return True


def without_messages(document: Any) -> Any:
    """The JSON without what is said of instances that cannot be read: Kaitai words it otherwise."""
    if isinstance(document, dict):
        if "unreadable" in document:
            return {"unreadable": None}
        return {key: without_messages(value) for key, value in document.items()}
    return [without_messages(item) for item in document] if isinstance(document, list) else document
