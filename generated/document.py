# Generated from tools/ksy/library/document.py.in by `python -m tools.ksy generate`. Do not edit.
"""A whole file as JSON and back, by the generated functions that go straight through the fields.

They know files in which everything is set and nothing contradicts itself, as nearly all are. All
else they leave to the runtime, which gives the same JSON and the same bytes, or the error.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import runtime
from .errors import Unusual as Unusual
from .runtime import FormatError, Number
from .serializers import MODULE_OF

# What they raise for it: besides, what bytes and JSON of another shape lead to.
_UNUSUAL = (
    *(Unusual, FormatError, struct.error, NameError, RecursionError),
    *(KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError),
)


class _Reading:
    """The bytes of a file, which of them fields cover, and what is still to be read."""

    __slots__ = ("cover", "data", "parts", "todo")

    def __init__(self, data: bytes, parts: frozenset[int]) -> None:
        self.data, self.parts = data, parts
        self.cover: list[tuple[int, int]] = []
        self.todo: list[tuple[Any, ...]] = []


class _Writing:
    """Pieces of a file at their positions, and what is still to be written."""

    __slots__ = ("parts", "pieces", "todo")

    def __init__(self, parts: frozenset[int]) -> None:
        self.parts = parts
        self.pieces: list[tuple[int, bytes]] = []
        self.todo: list[tuple[Any, ...]] = []

    def put(self, position: int, pieces: list[bytes]) -> None:
        """Puts bytes at a position of the file."""
        if position < 0:
            raise Unusual
        if data := b"".join(pieces):  # nothing may stand behind the end
            self.pieces.append((position, data))


def _run(work: _Reading | _Writing) -> None:
    """Does what is to be done, with what that leads to, in order."""
    for function, *arguments in work.todo:  # which grows
        function(work, *arguments)
    work.todo.clear()


def _function(kind: str, type_name: str) -> Any:
    """`read_TYPE` or `write_TYPE`."""
    if type_name not in MODULE_OF:
        raise Unusual
    try:
        module = importlib.import_module(f".documents.{MODULE_OF[type_name]}", __package__)
    except ModuleNotFoundError:
        raise Unusual from None
    return getattr(module, f"{kind}_{type_name}")


# --- Values ---


def bytes_to_json(value: bytes, encoding: str | None) -> Any:
    return runtime.bytes_to_json(value, encoding) if encoding else {"hex": value.hex()}


def bytes_from_json(doc: Any, encoding: str | None) -> bytes:
    if isinstance(doc, str) and encoding is not None:
        return runtime.encode(doc, encoding)
    [(key, text)] = doc.items()
    if key != "hex":
        raise Unusual
    return bytes.fromhex(text)


def float_to_json(value: float, number: Number, raw: bytes) -> Any:
    """A float that keeps its bytes: a signalling NaN does not."""
    if value != value and number.packer.pack(value) != raw:
        raise Unusual
    return runtime.number_to_json(value, number)


number_from_json = runtime.number_from_json
add_to_runs = runtime.add_to_runs
runs = runtime.runs
run_of = runtime.run_of


def alike(data: bytes, start: int, end: int, most: int, counter: struct.Struct) -> int:
    """How many elements that follow the one from `start` to `end` differ in their first number
    alone, which counts up."""
    rest, size = data[start + counter.size : end], end - start
    (first,) = counter.unpack_from(data, start)
    many, at = 0, end
    while many < most and data[at + counter.size : at + size] == rest:
        if counter.unpack_from(data, at)[0] != first + many + 1:
            break
        many, at = many + 1, at + size
    return many


def count_of(values: Any, kind: type) -> int:
    """How many elements a repeat has, all of which are of that type."""
    if type(values) is not list or not {kind}.issuperset(map(type, values)):
        raise Unusual
    return len(values)


# --- Files ---


def file_to_json(type_name: str, data: bytes) -> dict[str, Any] | None:
    """`parts_to_json` of a file that is one object, which has no parameters, without making that.

    None where only the runtime can tell what is in it.
    """
    with runtime.no_collection():
        reading = _Reading(data, frozenset())
        try:
            docs = [_read(reading, 0, runtime.type_named(type_name), {})]
        except _UNUSUAL:
            return None
        return {"parts": docs, "gaps": _gaps(reading)}


def parts_to_json(parts: Sequence[tuple[int, Any]], data: bytes) -> dict[str, Any]:
    """As `runtime.parts_to_json`."""
    with runtime.no_collection():
        reading = _Reading(data, frozenset(at for at, _ in parts[1:]))
        docs: list[dict[str, Any]] = []
        rest: list[int] = []
        for at, obj in parts:
            covered = len(reading.cover)
            try:
                type_ = runtime.type_of(obj)
                params = {name: getattr(obj, name) for name in type_.params}
                docs.append(_read(reading, at, type_, params))
            except _UNUSUAL:
                rest.append(len(docs))
                docs.append({})
                del reading.cover[covered:]
                reading.todo.clear()
        if not rest:
            return {"parts": docs, "gaps": _gaps(reading)}
        pieces = [(start, data[start:end]) for start, end in reading.cover]
        others = runtime.Others(pieces, reading.parts)
        found = runtime.parts_to_json([parts[i] for i in rest], data, others)
        for i, doc in zip(rest, found["parts"], strict=True):
            docs[i] = doc
        return {"parts": docs, "gaps": found["gaps"]}


def _read(
    reading: _Reading, at: int, type_: runtime.Type, params: Mapping[str, Any]
) -> dict[str, Any]:
    read = _function("read", type_.name)
    doc, end, _ = read(reading, at, len(reading.data), 0, None, None, *params.values())
    reading.cover.append((at, end))
    _run(reading)
    head: dict[str, Any] = {"at": at, "$type": type_.name}
    found: dict[str, Any] = (head | {"$params": params} if params else head) | doc
    return found


def _gaps(reading: _Reading) -> list[dict[str, Any]]:
    return [{"at": a, "hex": reading.data[a:b].hex()} for a, b in _uncovered(reading)]


def _uncovered(reading: _Reading) -> Iterator[tuple[int, int]]:
    size, covered = len(reading.data), 0
    for start, end in [*sorted(reading.cover), (size, size)]:
        if start > covered:
            yield covered, start
        covered = max(covered, end)


def parts_from_json(doc: Mapping[str, Any]) -> bytes:
    """As `runtime.parts_from_json`; null is the same as left out."""
    with runtime.no_collection():
        writing = _Writing(frozenset(part["at"] for part in doc["parts"][1:]))
        rest: list[Any] = []
        for part in doc["parts"]:
            written = len(writing.pieces)
            try:
                _write(writing, part)
            except _UNUSUAL:
                rest.append(part)
                del writing.pieces[written:]
                writing.todo.clear()
        gaps = doc.get("gaps") or ()
        if not rest:
            return runtime.join(
                writing.pieces, [(gap["at"], bytes.fromhex(gap["hex"])) for gap in gaps]
            )
        others = runtime.Others(writing.pieces, writing.parts)
        return runtime.parts_from_json({"parts": rest, "gaps": gaps}, others)


def _write(writing: _Writing, part: Mapping[str, Any]) -> None:
    fields = {name: value for name, value in part.items() if name != "at" and name[:1] != "$"}
    write = _function("write", part["$type"])
    params = part.get("$params") or {}
    names = runtime.type_named(part["$type"]).params
    if len(names) != len(params):
        raise Unusual
    pieces: list[bytes] = []
    write(writing, pieces, part["at"], 0, fields, None, None, *(params[name] for name in names))
    writing.put(part["at"], pieces)
    _run(writing)
