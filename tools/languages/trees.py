"""Field trees: what Python's Kaitai parser reads of a file, and what other languages make of it."""

from __future__ import annotations

import importlib
import io
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStruct

UNREADABLE = "!"
"""Stands for an instance that raises an error; no hexadecimal text contains it."""


@dataclass(frozen=True)
class Case:
    """Bytes, and the type that reads them: its spec, names within it, and parameters."""

    name: str
    type: str  # as in `binary_row::serialized_row`
    data: bytes
    arguments: Sequence[int] = ()


@dataclass(frozen=True)
class Rules:
    """How numbers of a language differ from Python's: see docs/howto/other-languages.md.

    Args:
        no_absent: a field that does not exist is 0, false or empty.
        signed_u8: u8 is a signed number of the same 64 bits.
        null_enums: a number that its enum does not name is null.
        inexact: the integers that are computed in floating point.
        strict_positions: a position behind the end is an error, even if no byte is read there.
    """

    no_absent: bool = False
    signed_u8: bool = False
    null_enums: frozenset[str] = field(default_factory=frozenset)
    inexact: frozenset[str] = field(default_factory=frozenset)
    strict_positions: bool = False


def python_tree(case: Case) -> Any:
    """Return the tree that Python's parser reads, or None if it refuses the bytes.

    Objects are dicts by field, without `_` in names. Bytes are hexadecimal text. Fields that do not
    exist are left out. Instances that raise are `UNREADABLE`.
    """
    cls = parser("tests.reference", case.type)
    try:
        return _tree(cls(*case.arguments, KaitaiStream(io.BytesIO(case.data))))
    except Exception:  # what parsers raise on malformed bytes is any error
        return None


def parser(package: str, type_name: str) -> Any:
    """Return the class of a type, such as `binary_row::serialized_row`, in a package of parsers."""
    spec, *names = type_name.split("::")
    scope: Any = importlib.import_module(f"{package}.{spec}")
    for name in (spec, *names):
        scope = getattr(scope, "".join(part.capitalize() for part in name.split("_")))
    return scope


def _tree(value: Any) -> Any:
    if isinstance(value, KaitaiStruct):
        return {
            plain_name(name): tree
            for name, get in _members(value)
            if (tree := _instance(get)) is not None
        }
    if isinstance(value, list):
        return [_tree(element) for element in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return _number(value)
    return value


def _members(parsed: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, value in vars(parsed).copy().items():
        if not name.startswith("_"):
            yield name, lambda value=value: value  # type: ignore[misc]
    for name in dir(type(parsed)):
        if isinstance(getattr(type(parsed), name), property):
            yield name, lambda name=name: getattr(parsed, name)  # type: ignore[misc]


def _instance(get: Callable[[], Any]) -> Any:
    try:
        return _tree(get())
    except Exception:  # as above
        return UNREADABLE


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0.0" if struct.pack(">d", value) == b"\x80" + bytes(7) else value


def plain_name(name: str) -> str:
    """Return a name without what the languages' styles add: `num_rows`, `NumRows`: `numrows`."""
    return name.replace("_", "").lower()


def differences(ours: Any, theirs: Any, rules: Rules, path: str = "") -> Iterator[str]:
    """Yield a line for each difference between Python's tree and another language's."""
    name = path.rpartition("/")[2]
    if isinstance(ours, dict) and isinstance(theirs, dict):
        theirs = {plain_name(key): value for key, value in theirs.items()}
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key), theirs.get(key), rules, f"{path}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(one, other, rules, f"{path}/{i}")
    elif not _same(ours, theirs, rules, name):
        yield f"{path}: {_short(ours)} in Python, {_short(theirs)}"


def _same(ours: Any, theirs: Any, rules: Rules, name: str) -> bool:
    if ours is None or theirs is None:
        if ours is theirs or (rules.no_absent and not ours and not theirs):
            return True
        return name in rules.null_enums and theirs is None and type(ours) is int
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, int) and isinstance(theirs, int | float):
        signed = ours - (1 << 64) if rules.signed_u8 and ours >= 1 << 63 else ours
        return bool(
            signed == theirs
            or (name in rules.inexact and math.isclose(ours, theirs, rel_tol=2**-50))
        )
    if theirs == UNREADABLE and rules.strict_positions and _reads_nothing(ours):
        return True
    return bool(ours == theirs)


def _reads_nothing(ours: Any) -> bool:
    """Return whether a value is empty bytes, or an object without bytes of its own.

    Parameters and positions have none.
    """
    if isinstance(ours, dict):
        lists = [value for value in ours.values() if isinstance(value, list)]
        return (
            bool(lists)
            and not any(lists)
            and not any(isinstance(value, str) for value in ours.values())
            and all(value.keys() == {"at"} for value in ours.values() if isinstance(value, dict))
        )
    return bool(ours == "")


def _short(value: Any) -> str:
    text = "absent" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def enum_instances(specs: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of all value instances that are enums."""
    return frozenset(
        plain_name(name)
        for spec in specs.values()
        for type_ in _types(spec)
        for name, instance in type_.get("instances", {}).items()
        if "enum" in instance
    )


def _types(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield raw
    for body in raw.get("types", {}).values():
        yield from _types(body)
