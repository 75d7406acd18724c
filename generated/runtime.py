# Generated from tools/ksy/library/runtime.py.in by `python -m tools.ksy generate`. Do not edit.
"""Writes Kaitai objects: computes what the format computes, and lists, compares and prints fields.

An object is written through a `Scope`, by the generated `write_TYPE` functions. Numbers that
depend on what is written later (an offset, a length) leave a hole that is filled at the end.
"""

from __future__ import annotations

import gc
import importlib
import math
import struct
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from kaitaistruct import KaitaiStruct, KaitaiStructError

from .errors import FormatError
from .integers import decode_integer, encode_integer, is_integer
from .serializers import MODULE_OF

if TYPE_CHECKING:
    from .arrays import Blobs, BytesColumn, RecordArray

__all__ = [
    "Blobs",
    "BytesColumn",
    "Field",
    "FormatError",
    "RecordArray",
    "assemble",
    "from_json",
    "gaps",
    "layout",
    "parts_from_json",
    "parts_to_json",
    "to_bytes",
    "to_json",
]

REPEAT = "$repeat"
"""Of how many elements a JSON object is the first; each counts one more than the one before."""
MOST_REPEATED = 1 << 28

Gap = tuple[int, bytes]
Part = tuple[int, Any]


@dataclass(frozen=True)
class Others:
    """What is known already of a file: pieces of it, and where its parts but the first start."""

    pieces: Sequence[Gap] = ()
    parts: frozenset[int] = frozenset()


_Left = frozenset[tuple[int, str]] | set[tuple[int, str]]
Thunk = Callable[[], Any]
Indexed = Callable[[int], Any]


def __getattr__(name: str) -> Any:
    # numpy takes 0.1 s to import, and is needed only by those who use arrays.
    if name in ("Blobs", "BytesColumn", "RecordArray"):
        return getattr(importlib.import_module(".arrays", __package__), name)
    raise AttributeError(name)


# --- Descriptions of the types, made by the generator ---


@dataclass(frozen=True)
class Number:
    """A number in the file: how it is packed."""

    name: str
    packer: struct.Struct

    @property
    def is_float(self) -> bool:
        return self.name[0] == "f"


@dataclass(frozen=True)
class Item:
    """A field or positioned instance. `kind`: number, numbers, bytes, object, objects."""

    name: str
    kind: str
    number: Number | None = None
    type: str | None = None
    encoding: str | None = None
    runs: str | None = None
    positioned: bool = False


@dataclass(frozen=True)
class Type:
    """What the runtime needs to know of a type of the specs."""

    name: str
    spec: str
    cls: Any
    params: tuple[str, ...]
    items: tuple[Item, ...]
    write: Callable[[Scope], None]
    values: Mapping[str, Callable[[Scope], Any]] = field(default_factory=dict)
    unset: Mapping[str, Callable[[Scope], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "item", {item.name: item for item in self.items})

    item: Mapping[str, Item] = field(init=False)


@cache
def type_named(name: str) -> Type:
    """The type of that name. Raises FormatError if there is none."""
    if name not in MODULE_OF:
        raise FormatError(f"no type {name!r}: types have the names that the specs give them")
    module = importlib.import_module(f".serializers.{MODULE_OF[name]}", __package__)
    found: Type = module.TYPES[name]
    return found


_BY_CLASS: dict[type, Type] = {}


def type_of(obj: Any) -> Type:
    """The type of a Kaitai object made by the parsers next to this module."""
    cls = type(obj)
    if cls not in _BY_CLASS:
        spec = cls.__module__.rpartition(".")[2]
        module = importlib.import_module(f".serializers.{spec}", __package__)
        _BY_CLASS.update({t.cls: t for t in module.TYPES.values()})
    if cls not in _BY_CLASS:
        raise FormatError(f"{cls.__qualname__} is no type of the specs")
    return _BY_CLASS[cls]


def _order(name: str, code: str) -> dict[str, Number]:
    return {
        name + "LE": Number(name, struct.Struct("<" + code)),
        name + "BE": Number(name, struct.Struct(">" + code)),
    }


U1 = Number("u1", struct.Struct("B"))
S1 = Number("s1", struct.Struct("b"))
U2LE, U2BE = _order("u2", "H").values()
S2LE, S2BE = _order("s2", "h").values()
U4LE, U4BE = _order("u4", "I").values()
S4LE, S4BE = _order("s4", "i").values()
U8LE, U8BE = _order("u8", "Q").values()
S8LE, S8BE = _order("s8", "q").values()
F4LE, F4BE = _order("f4", "f").values()
F8LE, F8BE = _order("f8", "d").values()


def new(
    cls: Any, params: Mapping[str, Any], fields: Mapping[str, Any], placed: Any, values: Any
) -> Any:
    """A Kaitai object that was not read: `placed` are its instances, None if there is none."""
    obj = cls.__new__(cls)
    obj._io = None
    obj._parent = None
    obj._root = obj
    obj.__dict__.update(params)
    obj.__dict__.update(fields)
    for name, value in placed.items():
        obj.__dict__["_m_" + name] = value
    for name, value in values.items():
        if value is not None:
            obj.__dict__["_m_" + name] = value
    for value in (*fields.values(), *placed.values()):
        if isinstance(value, KaitaiStruct):
            value._parent = obj
        elif isinstance(value, list):
            for child in value:
                if isinstance(child, KaitaiStruct):
                    child._parent = obj
        elif getattr(value, "is_record_array", False):
            value._parent = obj
    return obj


@contextmanager
def no_collection() -> Iterator[None]:
    """Without the garbage collector, which would walk all of a growing tree again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


# --- Writing ---


class _Unresolved(Exception):
    """A value is asked for that is not known yet, or never will be."""

    def __init__(self, scope: Scope | None, name: str, why: str) -> None:
        self.scope, self.name, self.why = scope, name, why

    def __str__(self) -> str:
        path = self.name if self.scope is None else self.scope._path_of(self.name)
        return f"{path} {self.why}"


class _OfBytes(_Unresolved):
    """A value is asked for that is known when all other bytes are."""


@dataclass(frozen=True)
class Field:
    """A leaf of an object tree: its bytes are `[start, end)`, absolute."""

    start: int
    end: int
    path: str
    value: Any


class _Canvas:
    """Pieces of bytes at absolute positions."""

    def __init__(self, *, lenient: bool, record: bool) -> None:
        self.pieces: list[tuple[int, bytes]] = []
        self.holes: list[tuple[int, Scope, str, Number, int]] = []
        self.checks: list[Callable[[], str | None]] = []
        self.is_filled = False  # but for holes that are of other bytes' CRC
        self.extra: Sequence[Gap] = ()
        self.fields: list[Field] | None = [] if record else None
        self.lenient = lenient
        self.root = _Stream(self, 0)
        self.parts: frozenset[int] = frozenset()
        self.left: set[tuple[int, str]] = set()
        self.scopes: list[Scope] = []

    def put(self, position: int, data: bytes) -> None:
        if data:
            self.pieces.append((position, data))

    def finish(self) -> None:
        """Fills the holes and checks that what is set agrees with what is written."""
        last: list[tuple[int, Scope, str, Number, int]] = []
        for hole in self.holes:
            try:
                self._fill(*hole)
            except _OfBytes:
                last.append(hole)
        self.is_filled = True
        for hole in last:
            self._fill(*hole)
        for check in self.checks:
            try:
                problem = check()
            except _Unresolved as error:
                problem = str(error)
            if problem:
                raise FormatError(problem)

    def _fill(self, position: int, scope: Scope, name: str, number: Number, leaf: int) -> None:
        try:
            value = scope._value(name)
        except _Unresolved as error:
            if isinstance(error, _OfBytes) and not self.is_filled:
                raise
            raise FormatError(
                f"{scope._path_of(name)} cannot be computed: set it ({error})"
            ) from None
        self.put(position, scope._pack(number, name, value))
        if self.fields is not None:
            old = self.fields[leaf]
            self.fields[leaf] = Field(old.start, old.end, old.path, value)

    def read(self, start: int, end: int) -> bytes:
        """What was put there, with the bytes that no field covers."""
        out = bytearray(end - start)
        for position, data in (*self.pieces, *self.extra):
            first, last = max(position, start), min(position + len(data), end)
            if first < last:
                out[first - start : last - start] = data[first - position : last - position]
        return bytes(out)

    def release(self) -> None:
        """Drops all but pieces and fields: scopes refer to each other, and to big arrays."""
        self.holes.clear()
        self.checks.clear()
        for scope in self.scopes:
            scope._parent = scope._root = None
        self.scopes.clear()
        del self.root

    def join(
        self, extra: Iterable[Gap], *, whole: bool = True
    ) -> tuple[bytes, list[tuple[int, int]]]:
        """All pieces as one string, and the ranges that nothing covers; `extra` wins.

        If they have to be a `whole`, there are no bytes where there is such a range.
        """
        pieces = sorted(self.pieces, key=lambda piece: piece[0])
        extra = list(extra)
        end = 0
        ordered = True
        for position, data in pieces:
            ordered = ordered and position == end
            end = max(end, position + len(data))
        if ordered and not extra:
            return b"".join(data for _, data in pieces), []
        size = max([end, *(p + len(d) for p, d in extra)])
        uncovered = _subtract(_between(pieces, size), extra)
        if uncovered and whole:  # before memory is taken for what may be two billion bytes
            return b"", uncovered
        out = bytearray(size)
        covered = 0
        for position, data in pieces:
            overlap = min(covered, position + len(data)) - position
            if (
                overlap > 0
                and out[position : position + overlap] != data[:overlap]
                and not any(p <= position and position + overlap <= p + len(d) for p, d in extra)
            ):
                raise FormatError("two fields want different bytes here", position)
            out[position : position + len(data)] = data
            covered = max(covered, position + len(data))
        for position, data in extra:
            out[position : position + len(data)] = data
        return bytes(out), uncovered


def _between(pieces: Iterable[Gap], size: int) -> list[tuple[int, int]]:
    """The ranges up to `size` that no piece covers; pieces come in the order of positions."""
    found = []
    covered = 0
    for position, data in [*pieces, (size, b"")]:
        if position > covered:
            found.append((covered, position))
        covered = max(covered, position + len(data))
    return found


def _subtract(ranges: list[tuple[int, int]], extra: list[Gap]) -> list[tuple[int, int]]:
    left: list[tuple[int, int]] = []
    cuts = sorted((p, p + len(d)) for p, d in extra)
    for start, end in ranges:
        for a, b in cuts[max(0, bisect_right(cuts, (start,)) - 1) :]:
            if a >= end:
                break
            if b <= start:
                continue
            if a > start:
                left.append((start, a))
            start = max(start, b)
        if start < end:
            left.append((start, end))
    return left


class _Stream:
    """A stream of the file, or a window on it: `base` is where it starts."""

    __slots__ = ("_size", "base", "canvas", "high", "pending", "pos")

    def __init__(self, canvas: _Canvas, base: int) -> None:
        self.canvas, self.base = canvas, base
        self.pos = self.high = 0
        self.pending: list[_Placement] = []
        self._size: int | None = None

    @property
    def size(self) -> int:
        """Bytes of the stream, as `_io.size`; known when all of it is written."""
        if self._size is None:
            raise _Unresolved(None, "_io.size", "is not known yet")
        return self._size

    def close(self, size: int) -> None:
        self._size = size

    def write(self, data: bytes) -> None:
        self.canvas.put(self.base + self.pos, data)
        self.pos += len(data)
        if self.pos > self.high:
            self.high = self.pos

    def skip(self, size: int) -> None:
        self.pos += size
        self.high = max(self.high, self.pos)

    def settle(self) -> None:
        """Writes what has a position of its own, in order, as soon as that position is known."""
        while self.pending:
            waiting: list[_Placement] = []
            reasons: list[_Unresolved] = []
            queue, self.pending = self.pending, []
            for i, placement in enumerate(queue):
                try:
                    position = placement.where(self)
                except _Unresolved as error:
                    reasons.append(error)
                    waiting.append(placement)
                    continue
                del i
                saved, self.pos = self.pos, position
                placement.write(self)
                self.pos = saved
            if len(waiting) == len(queue):
                first = waiting[0]
                raise FormatError(
                    f"{first.scope._path_of(first.name)} cannot be placed: {reasons[0]}"
                )
            self.pending = waiting + self.pending


@dataclass
class _Placement:
    scope: Scope
    name: str
    position: Thunk
    base: Thunk | None
    size: Thunk | None
    type: Type | None
    params: Mapping[str, Indexed]
    window: bool

    def where(self, stream: _Stream) -> int:
        """Where the instance goes; _Unresolved if that is not known yet."""
        try:
            position = int(self.position())
        except _Unresolved:
            if self.base is None:
                raise
            self.base()
            return stream.high
        if position < 0:
            raise FormatError(f"{self.scope._path_of(self.name)}: position {position} is negative")
        return position

    def write(self, stream: _Stream) -> None:
        self.scope._write_one(
            stream,
            self.name,
            self.scope._raw(self.name),
            self.type,
            self.params,
            self.size,
            self.window,
        )


class Scope:
    """One object while it is written. Attributes are its fields' values, computed if unset."""

    __slots__ = (
        "_busy",
        "_canvas",
        "_children",
        "_extents",
        "_index",
        "_io",
        "_known",
        "_name",
        "_obj",
        "_params",
        "_parent",
        "_read",
        "_root",
        "_type",
    )

    def __init__(
        self,
        obj: Any,
        type_: Type,
        stream: _Stream,
        *,
        parent: Scope | None = None,
        name: str = "",
        params: Mapping[str, Any] | None = None,
        index: int = 0,
    ) -> None:
        self._obj = obj
        self._type = type_
        self._io = stream
        self._canvas = stream.canvas
        same = parent is not None and parent._type.spec == type_.spec
        self._parent: Any = parent
        self._root: Any = parent._root if parent is not None and same else self
        self._name = name
        self._params = params
        self._index = index
        self._extents: dict[str, tuple[int, int]] = {}
        self._children: dict[str, Any] = {}
        self._known: dict[str, Any] = {}
        self._busy: set[str] = set()
        self._read: dict[str, Any] = {}
        self._canvas.scopes.append(self)

    # -- Values

    def __getattr__(self, name: str) -> Any:
        if name[0] == "_":
            raise AttributeError(name)
        kind = self._type.item.get(name)
        if kind is not None and kind.type is not None:
            if name in self._children:
                return self._children[name]
            raise _Unresolved(self, name, "is not written yet")
        if name in self._known:
            return self._known[name]
        if name in self._type.params:
            return self._param(name)
        if name in self._type.values:
            value = self._known[name] = self._type.values[name](self)
            return value
        return self._value(name)

    def _param(self, name: str) -> Any:
        if self._params is None:
            value = getattr(self._obj, name, None)
        else:
            value = self._params.get(name)
            if callable(value):
                value = value(self._index)
        self._known[name] = value
        if value is None:
            raise _Unresolved(self, name, "is not set")
        return value

    def _raw(self, name: str) -> Any:
        """A field's or instance's value as it is in the object; None if it is unset."""
        fields = self._obj.__dict__
        value = fields.get(name)
        if value is not None:
            return value
        instance = "_m_" + name
        if instance in fields:
            return fields[instance]
        item = self._type.item.get(name)
        if item is None or not item.positioned or self._obj._io is None:
            return None
        if name not in self._read:
            try:
                self._read[name] = getattr(self._obj, name)
            except (EOFError, ValueError, TypeError, AttributeError, KaitaiStructError) as error:
                if not self._canvas.lenient:
                    raise FormatError(
                        f"{self._path_of(name)} cannot be read: {error}",
                        getattr(error, "offset", None),
                    ) from error
                self._read[name] = None
        return self._read[name]

    def _is_set(self, name: str) -> bool:
        return self._raw(name) is not None

    def _given(self, name: str) -> Any:
        """A value instance that was given to `make_...`."""
        value = self._raw(name)
        if value is None:
            raise _Unresolved(self, name, "is not set")
        return value

    def _value(self, name: str) -> Any:
        value = self._raw(name)
        if value is not None:
            return value
        if name in self._known:
            return self._known[name]
        rule = self._type.unset.get(name)
        if rule is None or name in self._busy:
            raise _Unresolved(self, name, "is not set")
        self._busy.add(name)
        try:
            value = self._known[name] = rule(self)
        finally:
            self._busy.discard(name)
        return value

    def _position(self, name: str) -> int:
        """Where a field or instance starts, in its stream."""
        if name not in self._extents:
            raise _Unresolved(self, name, "has no position")
        return self._extents[name][0]

    def _length(self, path: str) -> int:
        """Bytes of a field; of `a.b` with a repeat a, the sum over its b."""
        name, _, rest = path.partition(".")
        if rest:
            children = self._children.get(name)
            if children is None:
                if name in self._type.item and not len(self._raw(name) or ()):
                    return 0
                raise _Unresolved(self, name, "is not written yet")
            many = children if isinstance(children, list) else [children]
            return sum(child._length(rest) for child in many)
        value = self._raw(name)
        if isinstance(value, bytes):
            return len(value)
        if name not in self._extents:
            if self._type.item[name].positioned and value is None:
                return 0
            raise _Unresolved(self, name, "has no length yet")
        start, end = self._extents[name]
        return end - start

    def _crc32(self, name: str) -> int:
        """CRC-32, that of zlib, of a field's bytes."""
        if not self._canvas.is_filled or name not in self._extents:
            raise _OfBytes(self, name, "is not written yet")
        start, end = self._extents[name]
        return zlib.crc32(self._canvas.read(self._io.base + start, self._io.base + end))

    def _count(self, path: str) -> int:
        """Elements of a repeat, or of a repeat in a nested object."""
        value: Any = self._obj
        scope: Scope | None = self
        for name in path.split("."):
            value = scope._raw(name) if scope is not None else _plain(value, name)
            scope = None
            if value is None:
                raise _Unresolved(self, path, "is not set")
        if isinstance(value, bytes):
            raise _Unresolved(self, path, "is given as bytes")
        return len(value)

    def _path_of(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    @property
    def _path(self) -> str:
        if self._parent is None:
            return self._name
        path: str = self._parent._path_of(self._name)
        return path

    # -- Bytes, called by the generated functions

    def when(self, name: str, condition: Thunk) -> bool:
        """Whether a field with `if` is there."""
        try:
            there = bool(condition())
        except _Unresolved as error:
            raise FormatError(
                f"{self._path_of(name)}: whether it is there is not known: {error}"
            ) from None
        if not there and self._is_set(name):
            raise FormatError(f"{self._path_of(name)} is set, but its condition does not hold")
        return there

    def given(self, name: str) -> bool:
        """Whether a field that ends with the stream is there: if it has a value."""
        try:
            self._value(name)
        except _Unresolved:
            return False
        return True

    def number(self, name: str, number: Number) -> None:
        start = self._io.pos
        size = number.packer.size
        try:
            value = self._value(name)
        except _Unresolved:
            fields = self._canvas.fields
            self._leaf(name, start + size, None)
            leaf = len(fields) - 1 if fields is not None else 0
            self._canvas.holes.append((self._io.base + start, self, name, number, leaf))
            self._io.skip(size)
        else:
            self._leaf(name, start + size, value)
            self._io.write(self._pack(number, name, value))
        self._extents[name] = (start, start + size)

    def _pack(self, number: Number, name: str, value: Any) -> bytes:
        try:
            return number.packer.pack(value)
        except (struct.error, OverflowError) as error:
            raise FormatError(
                f"{self._path_of(name)}: {value!r} as {number.name}: {error}"
            ) from None

    def _leaf(self, name: str, end: int, value: Any) -> None:
        fields = self._canvas.fields
        if fields is not None:
            base = self._io.base
            fields.append(Field(base + self._io.pos, base + end, self._path_of(name), value))

    def numbers(self, name: str, number: Number, count: Thunk | None) -> None:
        value = self._need(name)
        start = self._io.pos
        packer = number.packer
        order = packer.format[0] if packer.format[0] in "<>" else "<"
        if hasattr(value, "astype"):
            kind = {"s": "i"}.get(number.name[0], number.name[0])
            packed = value.astype(f"{order}{kind}{packer.size}")
            if not (packed == value).all() and not number.is_float:
                raise FormatError(
                    f"{self._path_of(name)}: a number does not fit into {number.name}"
                )
            data = packed.tobytes()
        else:
            try:
                data = struct.pack(f"{order}{len(value)}{packer.format[-1]}", *value)
            except struct.error as error:
                raise FormatError(f"{self._path_of(name)}: {error}") from None
        if self._canvas.fields is not None:
            base, size = self._io.base + start, packer.size
            self._canvas.fields.extend(
                Field(base + i * size, base + (i + 1) * size, f"{self._path_of(name)}[{i}]", x)
                for i, x in enumerate(value.tolist() if hasattr(value, "tolist") else value)
            )
        self._io.write(data)
        self._extents[name] = (start, self._io.pos)
        self._check_count(name, value, count)

    def bytes(self, name: str, size: Thunk | None = None) -> None:
        value = self._need(name)
        self._write_one(self._io, name, value, None, {}, size, False)

    def object(
        self, name: str, type_: str, params: Mapping[str, Any], size: Thunk | None = None
    ) -> None:
        value = self._raw(name)
        found = type_named(type_)
        if value is None and not found.items:
            value = found.cls.__new__(found.cls)  # A marker: nothing but its parameters.
            value._io = None
        if value is None:
            value = self._need(name)
        self._write_one(self._io, name, value, found, params, size, size is not None)

    def objects(
        self, name: str, type_: str, params: Mapping[str, Indexed], count: Thunk | None
    ) -> None:
        value = self._need(name)
        start = self._io.pos
        if getattr(value, "is_record_array", False) and (
            value._io is None and self._canvas.fields is None
        ):
            self._io.write(value.to_bytes())
        elif isinstance(value, bytes):
            self._io.write(value)
        else:
            found = type_named(type_)
            scopes = self._children[name] = []
            for i, child in enumerate(value):
                if isinstance(child, bytes):
                    self._io.write(child)
                    continue
                scope = Scope(
                    child, found, self._io, parent=self, name=f"{name}[{i}]", params=params, index=i
                )
                scopes.append(scope)
                found.write(scope)
        self._extents[name] = (start, self._io.pos)
        self._check_count(name, value, count)

    def _check_count(self, name: str, value: Any, count: Thunk | None) -> None:
        if count is None or isinstance(value, bytes):
            return

        def check() -> str | None:
            expected = int(count())
            if expected != len(value):
                return f"{self._path_of(name)} has {len(value)} elements, its count says {expected}"
            return None

        self._canvas.checks.append(check)

    def place(
        self,
        name: str,
        position: Thunk,
        *,
        base: Thunk | None = None,
        size: Thunk | None = None,
        type_: str | None = None,
        params: Mapping[str, Indexed] | None = None,
        condition: Thunk | None = None,
        stream: Thunk | None = None,
    ) -> None:
        """An instance with a position of its own: written when that is known."""
        target: _Stream = self._io if stream is None else stream()
        if type_ is None and self._canvas.parts:
            try:
                if target.base + int(position()) in self._canvas.parts:
                    # Another part describes these bytes.
                    self._canvas.left.add((id(self._obj), name))
                    return
            except _Unresolved:
                pass
        if not self._is_set(name):
            return
        if condition is not None:

            def check() -> str | None:
                problem = f"{self._path_of(name)} is set, but its condition does not hold"
                return None if condition() else problem

            self._canvas.checks.append(check)
        found = None if type_ is None else type_named(type_)
        window = found is not None and size is not None
        target.pending.append(
            _Placement(self, name, position, base, size, found, params or {}, window)
        )

    def _need(self, name: str) -> Any:
        try:
            return self._value(name)
        except _Unresolved as error:
            raise FormatError(f"{error}; set it") from None

    def _write_one(
        self,
        stream: _Stream,
        name: str,
        value: Any,
        type_: Type | None,
        params: Mapping[str, Any],
        size: Thunk | None,
        window: bool,
    ) -> None:
        start = stream.pos
        if isinstance(value, bytes | bytearray | memoryview) or type_ is None:
            data = bytes(value)
            if self._canvas.fields is not None:
                base = stream.base + start
                self._canvas.fields.append(Field(base, base + len(data), self._path_of(name), data))
            stream.write(data)
        elif window:
            inner = _Stream(self._canvas, stream.base + start)
            self._write_object(inner, name, value, type_, params)
            inner.settle()
            try:
                length = int(size()) if size is not None else inner.high
            except _Unresolved:
                length = inner.high
            if length < inner.high:
                raise FormatError(
                    f"{self._path_of(name)} takes {inner.high} bytes, its size says {length}"
                )
            inner.close(length)
            stream.skip(length)
        else:
            self._write_object(stream, name, value, type_, params)
        end = stream.pos
        self._extents[name] = (start, end)
        if size is not None:

            def check() -> str | None:
                expected = int(size())
                if expected != end - start:
                    return (
                        f"{self._path_of(name)} takes {end - start} bytes, its size says {expected}"
                    )
                return None

            self._canvas.checks.append(check)

    def _write_object(
        self, stream: _Stream, name: str, value: Any, type_: Type, params: Mapping[str, Any]
    ) -> None:
        if not isinstance(value, type_.cls):
            raise FormatError(
                f"{self._path_of(name)} is {type(value).__qualname__}, not {type_.cls.__qualname__}"
            )
        scope = Scope(value, type_, stream, parent=self, name=name, params=params)
        self._children[name] = scope
        type_.write(scope)


def _plain(obj: Any, name: str) -> Any:
    if obj is None or isinstance(obj, bytes):
        return None
    value = obj.__dict__.get(name)
    if value is None:
        value = obj.__dict__.get("_m_" + name)
    if value is None and obj._io is not None:
        value = getattr(obj, name, None)
    return value


def _parts(obj: Any) -> list[Part]:
    return list(obj) if isinstance(obj, list | tuple) else [(0, obj)]


@no_collection()
def _paint(
    parts: Sequence[Part],
    *,
    lenient: bool,
    record: bool = False,
    extra: Sequence[Gap] = (),
    others: Others | None = None,
) -> _Canvas:
    canvas = _Canvas(lenient=lenient, record=record)
    canvas.extra = extra
    canvas.parts = frozenset(at for at, _ in parts[1:])
    if others is not None:
        canvas.parts = others.parts
        canvas.pieces += others.pieces
        canvas.root.high = max((at + len(data) for at, data in others.pieces), default=0)
    scopes = []
    for at, obj in parts:
        found = type_of(obj)
        canvas.root.pos = at
        canvas.root.high = max(canvas.root.high, at)
        scopes.append(Scope(obj, found, canvas.root))
        try:
            found.write(scopes[-1])
        except _Unresolved as error:
            raise FormatError(str(error)) from None
    canvas.root.settle()
    canvas.root.close(canvas.root.high)
    canvas.finish()
    canvas.release()
    return canvas


def _bytes_of(
    parts: Sequence[Part],
    extra: Iterable[Gap],
    tail: bytes | Blobs,
    others: Others | None = None,
) -> bytes:
    extra = list(extra)
    canvas = _paint(parts, lenient=bool(extra), extra=extra, others=others)
    data, uncovered = canvas.join(extra)
    if uncovered:
        start, end = uncovered[0]
        raise FormatError(f"no field covers {end - start} bytes; pass them as gaps", start)
    if not tail:
        return data
    return data + tail if isinstance(tail, bytes) else tail.join(data)


def join(pieces: list[Gap], gaps: Iterable[Gap] = ()) -> bytes:
    """Pieces of a file at their positions as one; FormatError for bytes that are missing."""
    canvas = _Canvas(lenient=True, record=False)
    canvas.pieces = pieces
    data, uncovered = canvas.join(gaps)
    if uncovered:
        start, end = uncovered[0]
        raise FormatError(f"no field covers {end - start} bytes; pass them as gaps", start)
    return data


def to_bytes(obj: Any, gaps: Iterable[Gap] = (), *, tail: bytes | Blobs = b"") -> bytes:
    """The bytes of an object, which starts at position 0.

    `gaps` are bytes that no field covers, `tail` what stands after everything else. Raises
    FormatError for what cannot be computed, does not fit or contradicts itself.
    """
    return _bytes_of([(0, obj)], gaps, tail)


def assemble(
    parts: Sequence[Part], gaps: Iterable[Gap] = (), others: Others | None = None
) -> bytes:
    """Several objects at their positions as one file, with what is known of the others."""
    return _bytes_of(parts, gaps, b"", others)


def layout(obj: Any) -> list[Field]:
    """All leaves of an object, or of parts [(position, object)], in order of position."""
    fields = _paint(_parts(obj), lenient=True, record=True).fields
    assert fields is not None
    return sorted((f for f in fields if f.end > f.start), key=lambda f: (f.start, f.end))


def gaps(obj: Any, data: bytes) -> list[Gap]:
    """Bytes of `data` that no field of the object (or parts) covers, or that it writes otherwise.

    The latter are signalling NaNs, whose bits Python does not keep.
    """
    return _gaps(_paint(_parts(obj), lenient=True), data)


def _gaps(canvas: _Canvas, data: bytes) -> list[Gap]:
    written, uncovered = canvas.join((), whole=False)
    if len(written) < len(data):
        uncovered.append((len(written), len(data)))
    elif len(written) > len(data):
        raise FormatError(f"the object takes {len(written)} bytes, the data has {len(data)}")
    ranges = []
    view, original = memoryview(written), memoryview(data)
    position = 0
    for start, end in [*uncovered, (len(data), len(data))]:
        if view[position:start] != original[position:start]:
            ranges += [(i, i + 1) for i in range(position, start) if view[i] != original[i]]
        if end > start:
            ranges.append((start, end))
        position = end
    return [(a, data[a:b]) for a, b in _merge(ranges)]


def _merge(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = -1, -1
    for a, b in ranges:
        if a != end:
            if end > start:
                yield start, end
            start = a
        end = b
    if end > start:
        yield start, end


# --- JSON ---


def to_json(obj: Any) -> dict[str, Any]:
    """An object with all its instances as JSON values: `{"$type", "$params", fields...}`."""
    return _top_to_json(obj, frozenset())


@no_collection()
def _top_to_json(obj: Any, skip: _Left) -> dict[str, Any]:
    found = type_of(obj)
    params = {name: getattr(obj, name) for name in found.params}
    head: dict[str, Any] = {"$type": found.name}
    if params:
        head["$params"] = params
    return head | _object_to_json(obj, found, skip)


def _object_to_json(obj: Any, type_: Type, skip: _Left) -> dict[str, Any]:
    doc: dict[str, Any] = {}
    for item in type_.items:
        if item.positioned:
            if (id(obj), item.name) in skip:
                continue
            try:
                value = obj.__dict__.get("_m_" + item.name)
                if value is None and obj._io is not None:
                    value = getattr(obj, item.name)
            except (EOFError, ValueError, TypeError, AttributeError, KaitaiStructError) as error:
                doc[item.name] = {"unreadable": str(error)}
                continue
        else:
            value = getattr(obj, item.name, None)
        if value is None:
            continue
        found = _value_to_json(value, item, skip)
        if found is not None:
            doc[item.name] = found
    return doc


def _value_to_json(value: Any, item: Item, skip: _Left) -> Any:
    if isinstance(value, bytes):
        return bytes_to_json(value, item.encoding)
    if item.kind == "number" and item.number is not None:
        return number_to_json(value, item.number)
    if item.kind == "numbers" and item.number is not None:
        values = value.tolist() if hasattr(value, "tolist") else value
        return [number_to_json(x, item.number) for x in values]
    assert item.type is not None
    found = type_named(item.type)
    if item.kind == "objects":
        docs: list[Any] = []
        for x in value:
            doc = {"hex": x.hex()} if isinstance(x, bytes) else _object_to_json(x, found, skip)
            add_to_runs(docs, doc, item.runs)
        return docs
    # A marker has nothing but its position, which follows from where it stands.
    return _object_to_json(value, found, skip) if found.items else None


def add_to_runs(docs: list[Any], doc: Any, counter: str | None, more: int = 0) -> None:
    """Appends the JSON of an element; of elements that differ in `counter` alone, by one each from
    the one before, there is only the first, with `"$repeat"`, how many they are.

    With `more`, the element is there already, and so many like it follow.
    """
    last = docs[-1] if docs else {}
    if counter is None or counter not in last or counter not in doc:
        docs.append(doc)
        return
    many = last.get(REPEAT, 1)
    if not more:
        alike = len(doc) == len(last) - (REPEAT in last) and doc[counter] == last[counter] + many
        if not (alike and all(doc[name] == last[name] for name in doc if name != counter)):
            docs.append(doc)
            return
    docs[-1] = last | {REPEAT: many + (more or 1)} if many > 1 else {REPEAT: 1 + (more or 1)} | last


def runs(docs: Any, counter: str) -> list[tuple[Any, int]]:
    """Each first element of a run, and how many there are. Raises FormatError."""
    found = []
    for doc in docs:
        many = doc.get(REPEAT)
        if many is None:
            many = 1
        elif type(many) is not int or many < 1 or type(doc.get(counter)) is not int:
            message = f'"{REPEAT}" needs a count, and "{counter}" of the first element'
            raise FormatError(message)
        found.append(
            ({k: v for k, v in doc.items() if k != REPEAT} if REPEAT in doc else doc, many)
        )
    if sum(many for _, many in found) > MOST_REPEATED:
        raise FormatError(f'"{REPEAT}" counts more than {MOST_REPEATED:,} elements')
    return found


def run_of(first: bytes, packer: struct.Struct, many: int) -> bytes:
    """A run, from its first element, which begins with a number that counts up."""
    return first if many == 1 else b"".join(_elements(first, packer, many))


def _elements(first: bytes, packer: struct.Struct, many: int) -> list[bytes]:
    (start,), rest = packer.unpack_from(first), first[packer.size :]
    return [packer.pack(start + i) + rest for i in range(many)]


def number_to_json(value: Any, number: Number) -> Any:
    if not number.is_float:
        return int(value)
    value = float(value)
    if math.isnan(value):
        packed = number.packer.pack(value)
        plain = packed == number.packer.pack(math.nan)
        return "NaN" if plain else {"bits": packed.hex()}
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0.0" if value == 0 and math.copysign(1, value) < 0 else value


def number_from_json(doc: Any, number: Number) -> Any:
    if not number.is_float:
        if isinstance(doc, bool) or not isinstance(doc, int):
            raise FormatError(f"{doc!r} is not an integer")
        return doc
    if isinstance(doc, dict):
        return number.packer.unpack(bytes.fromhex(doc["bits"]))[0]
    return float(doc)


def bytes_to_json(value: bytes, encoding: str | None) -> Any:
    text = _decode(value, encoding)
    return {"hex": value.hex()} if text is None else text


def _decode(value: bytes, encoding: str | None) -> str | None:
    """Text that encodes to just these bytes; None if there is none."""
    if encoding is None:
        return None
    try:
        if is_integer(encoding):
            text = str(decode_integer(value, encoding))
            return text if encode(text, encoding) == value else None
        if encoding == "utf-8":
            return value.decode()
        text = value.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")
        return text if encode(text, encoding) == value else None
    except ValueError:  # no such text, no byte of an integer, or one of too many digits
        return None


def encode(text: str, encoding: str | None) -> bytes:
    if encoding == "utf-8":
        return text.encode()
    if encoding is None:
        raise FormatError(f"{text!r} is not bytes; write {{'hex': '..'}}")
    if is_integer(encoding):
        try:
            return encode_integer(int(text), encoding)
        except ValueError:
            raise FormatError(f"{text[:40]!r} is no integer, or too long") from None
    out = bytearray()
    for c in text:
        if c == "\0":
            out += b"\xc0\x80"
        elif c > "\uffff":
            code = ord(c) - 0x10000
            for half in (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)):
                out += chr(half).encode("utf-8", "surrogatepass")
        else:
            out += c.encode("utf-8", "surrogatepass")
    return bytes(out)


@no_collection()
def from_json(type_name: str, doc: Mapping[str, Any]) -> Any:
    """The object of `to_json`. Raises FormatError for fields that the type does not have."""
    found = type_named(type_name)
    body = {k: v for k, v in doc.items() if not k.startswith("$")}
    return _object_from_json(found, body, dict(doc.get("$params", {})))


def _object_from_json(type_: Type, doc: Mapping[str, Any], params: dict[str, Any]) -> Any:
    unknown = set(doc) - set(type_.item)
    if unknown:
        raise FormatError(
            f"{type_.name} has no field {min(unknown)}; it has {', '.join(type_.item)}"
        )
    fields: dict[str, Any] = {}
    placed: dict[str, Any] = {}
    for item in type_.items:
        value = None
        if doc.get(item.name) is not None:
            try:
                value = _value_from_json(doc[item.name], item)
            except (TypeError, KeyError, AttributeError, ValueError, ArithmeticError) as error:
                if isinstance(error, FormatError):
                    raise
                raise FormatError(f"{type_.name}.{item.name}: {error}") from error
            except struct.error as error:
                raise FormatError(f"{type_.name}.{item.name}: {error}") from error
        (placed if item.positioned else fields)[item.name] = value
    values = dict.fromkeys(type_.params, None) | params
    return new(type_.cls, values, fields, placed, {})


def _value_from_json(doc: Any, item: Item) -> Any:
    if isinstance(doc, dict) and "unreadable" in doc:
        return None
    if isinstance(doc, dict) and set(doc) == {"hex"}:
        return bytes.fromhex(doc["hex"])
    if item.kind == "bytes":
        return encode(doc, item.encoding)
    if item.kind == "number" and item.number is not None:
        return number_from_json(doc, item.number)
    if item.kind == "numbers" and item.number is not None:
        return [number_from_json(x, item.number) for x in doc]
    assert item.type is not None
    found = type_named(item.type)
    if item.kind == "objects" and item.runs is not None:
        return _runs_from_json(doc, found, item.runs)
    if item.kind == "objects":
        return [
            bytes.fromhex(x["hex"]) if set(x) == {"hex"} else _object_from_json(found, x, {})
            for x in doc
        ]
    return _object_from_json(found, doc, {})


def _runs_from_json(doc: Any, type_: Type, counter: str) -> list[Any]:
    """Objects, but bytes where a run would make very many."""
    values: list[Any] = []
    number = type_.item[counter].number
    assert number is not None
    for first, many in runs(doc, counter):
        if set(first) == {"hex"}:
            values.append(bytes.fromhex(first["hex"]))
        elif many == 1:
            values.append(_object_from_json(type_, first, {}))
        else:
            one = to_bytes(_object_from_json(type_, first, {}))
            try:
                values += _elements(one, number.packer, many)
            except struct.error:
                raise FormatError(f"{many:,} times {counter} does not fit") from None
    return values


def parts_to_json(
    parts: Sequence[Part], data: bytes, others: Others | None = None
) -> dict[str, Any]:
    """A whole file: the objects at their positions, and the bytes that none of them covers.

    Those that others cover are no gaps.
    """
    canvas = _paint(parts, lenient=True, others=others)
    return {
        "parts": [{"at": at} | _top_to_json(obj, canvas.left) for at, obj in parts],
        "gaps": [{"at": at, "hex": piece.hex()} for at, piece in _gaps(canvas, data)],
    }


def parts_from_json(doc: Mapping[str, Any], others: Others | None = None) -> bytes:
    """The bytes of `parts_to_json`."""
    parts = []
    for part in doc["parts"]:
        body = {k: v for k, v in part.items() if k != "at"}
        parts.append((part["at"], from_json(part["$type"], body)))
    extra = [(gap["at"], bytes.fromhex(gap["hex"])) for gap in doc.get("gaps", ())]
    return assemble(parts, extra, others)
