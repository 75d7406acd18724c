"""Whole objects and files: written as bytes, listed field by field, and as JSON.

An object is written by the description of its type (`fields`). Numbers that depend on what is
written later (an offset, a length) leave a hole that is filled at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .errors import FormatError
from .json_objects import check_fields, object_to_json, value_from_json
from .kinds import write_parts
from .streams import Canvas, Gap, Leaf
from .streams import Reading as Reading
from .streams import no_collection as no_collection
from .structs import Struct
from .types import Type as Type
from .types import type_of

__all__ = [
    "FormatError",
    "Leaf",
    "assemble",
    "from_json",
    "gaps",
    "layout",
    "parts_from_json",
    "parts_to_json",
    "to_bytes",
    "to_json",
]

Part = tuple[int, Any]
_AT = "$at"  # the key of a part's position, if its object has a field "at"


# --- Bytes ---


def _whole(canvas: Canvas, size: int = 0) -> bytes:
    """Return the bytes of a file without holes, of which so many were read. Raises FormatError."""
    data, uncovered = canvas.join()
    if len(data) < size:
        for error in canvas.unreadable.values():
            raise error
    if uncovered:
        start, end = uncovered[0]
        raise FormatError(f"no field covers {end - start} bytes; pass them as gaps", start)
    return data


def to_bytes(obj: Any, gaps: Iterable[Gap] = ()) -> bytes:
    """Return the bytes of an object, which starts at position 0.

    Args:
        obj: an object, read or made.
        gaps: bytes that no field covers, each with its position.

    Raises:
        FormatError: something cannot be computed, does not fit or contradicts itself.
    """
    return assemble([(0, obj)], gaps)


def assemble(parts: Sequence[Part], gaps: Iterable[Gap] = ()) -> bytes:
    """Return the bytes of several objects at their positions as one file. Raises FormatError."""
    extra = list(gaps)
    others = frozenset(at for at, _ in parts[1:])
    canvas = Canvas(extra=extra, parts=others)
    size = max((len(one._io.reading.data) for _, one in parts if one._io is not None), default=0)
    return _whole(write_parts(canvas, ((at, type_of(obj), obj, {}) for at, obj in parts)), size)


def _parts(obj: Any) -> list[Part]:
    return list(obj) if isinstance(obj, list | tuple) else [(0, obj)]


def layout(obj: Any) -> list[Leaf]:
    """Return all leaves of an object, or of parts [(position, object)], in order of position.

    An instance that is None is left out.
    """
    parts = _parts(obj)
    others = frozenset(at for at, _ in parts[1:])
    leaves: list[Leaf] = []
    for at, one in parts:
        found = one
        if one._io is None or one._io.reading.leaves is None or others:
            type_ = type_of(one)
            data = to_bytes(one) if one._io is None else one._io.reading.data
            reading = Reading(data, others, has_leaves=True)
            found = type_.read(reading, at, _params(type_, one))
        object_to_json(found, type_of(found))  # which reads all instances
        leaves += found._io.reading.leaves
    return sorted((x for x in leaves if x.end > x.start), key=lambda x: (x.start, x.end))


def gaps(obj: Any, data: bytes) -> list[Gap]:
    """Return bytes of `data` that no field of the object (or parts) keeps.

    Fields do not keep bits of no field, and those of signalling NaNs. A gap without bytes is the
    end, if what is counted from it overlaps other fields. Raises FormatError.
    """
    parts = _parts(obj)
    pieces = parts_to_json(parts, data)["gaps"]
    listed = [(gap["at"], bytes.fromhex(gap["hex"])) for gap in pieces]
    written = assemble(parts, listed)
    if len(written) != len(data):
        raise FormatError(f"the object takes {len(written)} bytes, the data has {len(data)}")
    both = zip(written, data, strict=True)
    return listed + [
        (i, data[i : i + 1]) for i, (ours, theirs) in enumerate(both) if ours != theirs
    ]


# --- JSON ---


@no_collection()
def to_json(obj: Any) -> dict[str, Any]:
    """Return an object with all its instances as JSON: `{"$type", "$params", fields...}`."""
    type_ = type_of(obj)
    return _head(type_, _params(type_, obj)) | object_to_json(obj, type_)


def _params(type_: Type, obj: Any) -> dict[str, Any]:
    return {name: getattr(obj, name) for name in type_.params}


def _head(type_: Type, params: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in params.items():
        if not isinstance(value, int | float | str | None):
            raise FormatError(f"{type_.name}: the parameter {name} is {value!r:.60}: JSON has none")
    return {"$type": type_.name} | ({"$params": params} if params else {})


@no_collection()
def from_json(kind: Type | type[Struct], doc: Mapping[str, Any]) -> Any:
    """Return an object of `to_json` to write; those in it stay JSON. Raises FormatError."""
    type_ = type_of(kind)
    body = {k: v for k, v in doc.items() if not k.startswith("$") and v is not None}
    check_fields(type_, body)
    fields = {name: value_from_json(type_, name, one) for name, one in body.items()}
    return type_.cls(**(doc.get("$params") or {}), **fields)


@no_collection()
def parts_to_json(parts: Sequence[Part], data: bytes) -> dict[str, Any]:
    """Return a whole file as JSON: the objects at their positions, and the bytes of no object.

    Of the objects, only their types and parameters are used: their fields are read from `data`.
    """
    typed = [(at, type_of(obj), obj) for at, obj in parts]
    return file_to_json([(at, type_, _params(type_, obj)) for at, type_, obj in typed], data)


@no_collection()
def file_to_json(
    parts: Sequence[tuple[int, Type, Mapping[str, Any]]], data: bytes
) -> dict[str, Any]:
    """Return the JSON of parts of a file (position, type, parameters). Raises FormatError."""
    others = frozenset(at for at, _, _ in parts[1:])
    reading, docs, bodies = Reading(data, others, is_compared=True), [], []
    for at, type_, params in parts:
        obj = type_.read(reading, at, params)
        try:
            doc = object_to_json(obj, type_)
        except RecursionError:
            raise FormatError(f"{type_.name}: objects are nested too deeply", at) from None
        obj._forget()
        docs.append({_AT if "at" in doc else "at": at} | _head(type_, params) | doc)
        bodies.append((at, type_, doc, params))
    gaps = [(a, data[a:b]) for a, b in reading.gaps()]
    # A writer would place the footer right after all else, and up to the end.
    has_end = reading.tail < reading.high or 0 < reading.tail_end < len(data)
    has_end |= any(at + len(piece) == reading.tail for at, piece in gaps)
    if not has_end and any(type_.is_sized for _, type_, _ in parts):
        try:
            has_end = _whole(write_parts(Canvas(extra=gaps, parts=others), bodies)) != data
        except FormatError:
            has_end = True
    if has_end:
        gaps.append((len(data), b""))
    return {"parts": docs, "gaps": [{"at": at, "hex": piece.hex()} for at, piece in gaps]}


def parts_from_json(doc: Mapping[str, Any], type_named: Callable[[str], Type]) -> bytes:
    """Return the bytes of `parts_to_json`; null is the same as left out. Raises FormatError.

    `type_named` is that of the generated package's `structs`.
    """
    extra = [(gap["at"], bytes.fromhex(gap["hex"])) for gap in doc.get("gaps") or ()]
    placed = [(part, _AT if _AT in part else "at") for part in doc["parts"]]
    others = frozenset(part[at] for part, at in placed[1:])
    parts = (
        (
            part[at],
            type_named(part["$type"]),
            {key: one for key, one in part.items() if key != at and not key.startswith("$")},
            part.get("$params") or {},
        )
        for part, at in placed
    )
    return _whole(write_parts(Canvas(extra=extra, parts=others), parts))
