"""Readers of the same bytes agree: Kaitai's parsers, views and JSON, in any type of the specs."""

from __future__ import annotations

import inspect
import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kaitaistruct import KaitaiStream, KaitaiStruct, KaitaiStructError, ValidationFailedError
from ksykit.runtime.errors import EndError, FormatError
from ksykit.runtime.fields import Field
from ksykit.runtime.kinds import Bytes
from ksykit.runtime.objects import (
    file_to_json,
    from_json,
    gaps,
    layout,
    parts_from_json,
    to_bytes,
    to_json,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import WRONG, Type, type_named, type_of

from kit_support.bounds import bounded

REFUSED = (KaitaiStructError, EOFError, ValueError, zlib.error)
"""What parsers raise on bytes that are not valid."""
JUDGES: dict[str, str] = {}
"""Packages of Kaitai's parsers, by our package; by default `parsers` in it."""


def check_come_back(drawn: Any) -> bytes:
    """Return the bytes of an object: it comes back from them and from JSON, which all can read."""
    type_, written = type_of(drawn), to_bytes(drawn)
    params = {name: getattr(drawn, name) for name in type_.params}
    parsed = type_.read(written, 0, params)
    uncovered, document = gaps(parsed, written), to_json(parsed)
    with pytest.MonkeyPatch.context() as patch:  # also the fields of what is shown as encoded
        patch.setattr(Field, "shown", lambda field, value, *_: field.to_json(value))
        check_contains(to_json(parsed), to_json(drawn))
    assert to_bytes(parsed, uncovered) == written
    assert to_bytes(from_json(type_, document), uncovered) == written
    assert layout(parsed) or len(written) == sum(len(piece) for _, piece in uncovered)
    assert check_readers(type_, written, params)
    return written


def check_contains(found: Any, drawn: Any) -> None:
    """That all that was drawn is there; writers computed the rest."""
    if isinstance(drawn, dict) and isinstance(found, dict) and drawn.keys() != {"hex"}:
        for name, value in drawn.items():
            check_contains(found[name], value)
    elif isinstance(drawn, list):
        assert len(found) == len(drawn)
        for one, other in zip(found, drawn, strict=True):
            check_contains(one, other)
    elif not isinstance(found, dict):  # else an instance that was drawn as bytes
        assert found == drawn


def check_readers(type_: Type, data: bytes, params: Mapping[str, Any]) -> bool:
    """That views, if there are any, JSON and Kaitai's parser see the same; or all refuse."""
    is_read = check_json(type_, data, params)
    if view_of(type_) is not None:
        assert check_views(type_, data, params) in (is_read, None)
    return is_read


def start_of(type_: Type) -> int:
    """The position in the file of the first byte that a view gets; a format begins a file."""
    return 0 if type_.name == type_.spec else 1000


def parse(type_: Type, data: bytes, params: Mapping[str, Any], at: int = 0) -> Any:
    """The object at the start of the bytes; a nested type has them for its root's stream."""
    given = [params[name] for name in type_.params]
    stream = KaitaiStream(BytesIO(data))
    stream.seek(at)
    root = None if type_.name == type_.spec else SimpleNamespace(_io=stream)
    return judge_of(type_)(*given, stream, None, root)


@cache
def judge_of(type_: Type) -> Any:
    """Kaitai's class of a type."""
    module = import_module(f"{JUDGES.get(type_.package, f'{type_.package}.parsers')}.{type_.spec}")
    wanted = "".join(part[:1].upper() + part[1:] for part in type_.name.split("_"))
    todo: list[tuple[Any, str]] = [(module, "")]
    for scope, path in todo:  # which grows
        for name, one in vars(scope).items():
            if _is_parser(one):
                if wanted in (name, path + name):
                    return one
                todo.append((one, path + name))
    raise LookupError(f"{type_.name} in {module.__name__}")


@cache
def type_of_judge(cls: Any) -> Type:
    """Our type of a class of Kaitai's."""
    module, _, _ = cls.__module__.rpartition(".")
    ours = {judge: package for package, judge in JUDGES.items()}
    package = ours.get(module, module.removesuffix(".parsers"))
    for name in import_module(f"{package}.structs").MODULE_OF:
        camel = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        if camel in (cls.__name__, cls.__qualname__.replace(".", "")):
            return type_named(package, name)
    raise LookupError(cls)


def _is_parser(one: Any) -> bool:
    return isinstance(one, type) and issubclass(one, KaitaiStruct) and one is not KaitaiStruct


@cache
def view_of(type_: Type) -> Any:
    """The view of a type; None if it has none."""
    module = f"{type_.package}.views.{type_.spec}"
    name = judge_of(type_).__name__
    return getattr(import_module(module), name, None) if find_spec(module) else None


def view(type_: Type, data: bytes, params: Mapping[str, Any], **more: Any) -> Any:
    made = view_of(type_)
    names = inspect.signature(made).parameters
    given = [params[name] for name in names if name in type_.params]
    return made(data, start_of(type_), 0, *given, **{k: v for k, v in more.items() if k in names})


def check_views(type_: Type, data: bytes, params: Mapping[str, Any]) -> bool | None:
    """That the view sees what the parser sees; or both refuse the bytes, and this is False.

    None if only the view refuses them, for what a spec cannot say.
    """
    try:
        with bounded():
            found = view(type_, data, params)
    except FormatError as error:
        assert error.offset is not None and 0 <= error.offset - start_of(type_) <= len(data)
        if error.message == "an integer without bytes":
            return None
        check_refused(error, type_, data, params)
        return False
    parsed = parse(type_, data, params)
    for one in (found, view(type_, data, params, arrays=True)):
        check_same(one, parsed, start_of(type_))
    assert found.end - start_of(type_) == parsed._io.pos()
    return True


def refusals(error: FormatError) -> tuple[type[Exception], ...]:
    """What a parser may raise where we raise this: of an expression without a value, any of these.

    We raise our error over such an expression from that of Python. Where a codec is missing, we do
    not come to the expressions behind its bytes.
    """
    if isinstance(error.__cause__, ImportError):
        return (*REFUSED, *WRONG)
    return WRONG if isinstance(error.__cause__, WRONG) else REFUSED


def check_refused(error: FormatError, type_: Type, data: bytes, params: Mapping[str, Any]) -> None:
    """That the parser refuses it too, and, if a number is not valid, says the same of the same."""
    with pytest.raises(refusals(error)) as refused:
        parse(type_, data, params)
    found = refused.value
    if isinstance(found, ValidationFailedError):
        repeats_end = isinstance(error, EndError)  # a repeat is not begun if it cannot end
        same = error.field.endswith(found.src_path) and is_equal(error.value, found.actual)
        assert repeats_end or same, (error, found)
    else:
        assert isinstance(error, EndError) is isinstance(found, EOFError), (error, found)


def check_same(found: Any, parsed: Any, start: int = 0) -> None:
    """That a view has the fields and values of an object, whose positions are so much less."""
    given = inspect.signature(type(parsed)).parameters
    repeats = {name: value for name, value in vars(parsed).items() if isinstance(value, list)}
    for name in set(found.__slots__) - {"end", "io_size", "parent", "root", *given}:
        value = getattr(found, name)
        repeat = next((r for r in repeats if name.startswith(f"{r}_")), None)
        if hasattr(parsed, name):
            check_value(value, field_of(parsed, name), name, start)
        elif repeat is not None and value is not None:
            column = name.removeprefix(f"{repeat}_")
            wanted = [in_record(record, column) for record in repeats[repeat]]
            check_value(value, wanted, name, start)
        else:
            assert value is None, name
    for name in computed(type(parsed)):
        is_there = isinstance(getattr(type(found), name, None), property)
        value = instance(parsed, name) if is_there else None
        if value is not None and value is not UNREADABLE:
            wanted = value + start if start and name.endswith("_start") else value
            check_value(getattr(found, name), wanted, name, start)
    for repeat, records in repeats.items():
        for name in computed(type(records[0])) if records else ():
            if (method := getattr(found, f"{repeat}_{name}", None)) is not None:
                for i, record in enumerate(records):
                    value = instance(record, name)
                    if value is not None and value is not UNREADABLE:
                        check_value(method(i), value, name, start)


def in_record(record: Any, column: str) -> Any:
    """The value of a column, which may be that of a field in an object of the record."""
    if hasattr(record, column):
        return getattr(record, column)
    owner = next(name for name in fields_of(record) if column.startswith(f"{name}_"))
    return getattr(getattr(record, owner), column.removeprefix(f"{owner}_"))


def computed(cls: type) -> list[str]:
    """The names of a parser's instances."""
    return [name for name, value in vars(cls).items() if isinstance(value, property)]


def check_value(found: Any, wanted: Any, name: str, start: int) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            check_value(one, other, name, start)
    elif hasattr(found, "__slots__"):
        check_same(found, wanted, start)
    else:
        is_place = isinstance(wanted, KaitaiStruct) and fields_of(wanted) == ["at"]
        wanted = plain(wanted) + start if is_place else plain(wanted)
        found = bytes(found) if isinstance(found, np.ndarray | memoryview) else found
        assert is_equal(found, wanted), name


def is_equal(one: Any, other: Any) -> bool:
    """Whether they are equal, or both NaN."""
    return bool(one == other or (one != one and other != other))


def plain(value: Any) -> Any:
    """What an object of one value stands for: a place, a text, a number."""
    if isinstance(value, IntEnum):
        return value.value
    if not isinstance(value, KaitaiStruct):
        return value
    if hasattr(type(value), "value"):  # of a varint
        return value.value
    return plain(field_of(value, fields_of(value)[-1]))


def fields_of(parsed: Any) -> list[str]:
    """The names of parameters, and after them of the fields that are there."""
    return [name for name in vars(parsed) if not name.startswith("_")]


def field_of(parsed: Any, name: str) -> Any:
    """The value of a field; of bytes that are an integer, that."""
    value, one = getattr(parsed, name), None
    if isinstance(value, bytes):
        with suppress(LookupError):  # no class was made for the type
            one = type_of_judge(parsed.__class__).fields.get(name)
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
    except FormatError as error:
        with pytest.raises(refusals(error)):
            parse(type_, data, params)
        return False
    assert written == data
    found = type_.read(data, 0, params)
    check_struct(found, parse(type_, data, params))
    return True


def check_struct(found: Struct, parsed: Any) -> None:
    """That an object has the fields and values of Kaitai's, and lacks the same instances."""
    fields = type_of(found).fields
    for name, field in fields.items():
        if field.takes_bytes():
            wanted = instance(parsed, name) if field.at is not None else vars(parsed).get(name)
            check_equal(instance(found, name), wanted, name)
    for name in set(computed(type(parsed))) - fields.keys():
        check_equal(instance(found, name), instance(parsed, name), name)


UNREADABLE = object()


def instance(obj: Any, name: str) -> Any:
    try:
        return getattr(obj, name)
    except Exception:  # any: Kaitai's raise what Python raises
        return UNREADABLE


def check_equal(found: Any, wanted: Any, name: str) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            check_equal(one, other, name)
    elif isinstance(wanted, KaitaiStruct):
        check_struct(found, wanted)
    elif isinstance(wanted, KaitaiStream):
        assert found.size == wanted.size(), name
    else:
        assert is_equal(found, plain(wanted)), (name, found, wanted)
