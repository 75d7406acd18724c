"""The content of a spec: its types, their fields, and what these are, as typed objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .expression import Node


class SpecError(Exception):
    """A spec is malformed or uses what the generator does not support."""

    def __init__(self, file: str, path: str, message: str, remedy: str) -> None:
        self.file, self.path, self.message, self.remedy = file, path, message, remedy
        place = located(file, path)
        path, message = (s if len(s) < 600 else f"{s[:500]}..." for s in (path, message))
        super().__init__(f"{place}: {path}{': ' if path else ''}{message}; {remedy}")


class SpecFile(str):
    """The name of a spec, with the lines and columns of what is at paths in its YAML."""

    marks: dict[str, tuple[int, int]]

    def __new__(cls, name: str) -> SpecFile:
        """Return a name without lines yet."""
        file = super().__new__(cls, name)
        file.marks = {}
        return file


def located(file: str, path: str) -> str:
    """Return `file:line:column` of a path in a spec, or of what it is in."""
    marks = file.marks if isinstance(file, SpecFile) else {}
    while path and path not in marks:
        path = path.rpartition("/")[0]
    return f"{file}:{marks[path][0]}:{marks[path][1]}" if path in marks else file


@dataclass(frozen=True)
class Primitive:
    """A number of fixed size: `code` is its letter in the struct module, `order` '<' or '>'."""

    name: str
    code: str
    size: int
    order: str

    @property
    def is_float(self) -> bool:
        """Whether it is a float."""
        return self.name[0] == "f"

    @property
    def packer(self) -> str:
        """Name of its struct.Struct in the runtime, as S4BE."""
        return self.name.upper() + ("" if self.size == 1 else {"<": "LE", ">": "BE"}[self.order])


@dataclass(frozen=True)
class Bits:
    """A number of `size` bits, the first of which is the most significant if `order` is '>'."""

    size: int
    order: str


@dataclass(frozen=True)
class UserType:
    """A type of a spec, by its name and what is passed to its parameters."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Switch:
    """One of several types: of the case that is equal to `on`, or else of the case None."""

    on: Node
    cases: tuple[tuple[Node | None, Attribute], ...]


FieldType = Primitive | Bits | UserType | Switch | None
"""None is bytes, or text."""


@dataclass(frozen=True)
class Process:
    """How the bytes of a field are encoded in the file."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Terminator:
    """The byte, or `unit` of them, that ends a field, in its size or without a size."""

    byte: int
    include: bool
    consume: bool
    eos_error: bool
    unit: int = 1


@dataclass(frozen=True)
class Valid:
    """What a value has to be: equal to one, in bounds, one of some or of its enum, or a test."""

    equal: Node | None = None
    least: Node | None = None
    most: Node | None = None
    any_of: tuple[Node, ...] = ()
    test: Node | None = None
    in_enum: bool = False

    @property
    def nodes(self) -> list[Node]:
        """All its expressions."""
        nodes = self.equal, self.least, self.most, *self.any_of, self.test
        return [node for node in nodes if node is not None]


@dataclass(frozen=True)
class Attribute:
    """A field of `seq`, or an instance that has bytes.

    Bytes are text if they have a `charset`, a codec of Python. What `size`, `size_eos` or a
    `terminator` delimits loses its padding, then its terminator, and goes through `process`.
    """

    id: str
    path: str
    type: FieldType = None
    size: Node | None = None
    size_eos: bool = False
    contents: bytes | None = None
    condition: Node | None = None
    repeat: str | None = None
    repeat_expr: Node | None = None
    until: Node | None = None
    valid: Valid = Valid()
    encoding: str | None = None
    value: Node | None = None
    runs: str | None = None
    position: Node | None = None
    stream: Node | None = None
    ascending: tuple[str, Node | None] | None = None
    examples: tuple[int, ...] = ()
    max_size: int | None = None
    enum: str | None = None
    charset: str | None = None
    terminator: Terminator | None = None
    pad_right: int | None = None
    process: Process | None = None
    doc: str = ""

    @property
    def is_window(self) -> bool:
        """Whether it has a stream of its own."""
        return self.size is not None or self.size_eos or self.terminator is not None

    @property
    def cases(self) -> tuple[Attribute, ...]:
        """What it may be: itself, or the cases of a switch."""
        cases = (case for _, case in self.type.cases) if isinstance(self.type, Switch) else [self]
        return tuple(cases)

    @property
    def nodes(self) -> list[Node]:
        """All expressions by which it is read."""
        nodes = [
            self.size, self.condition, self.repeat_expr, self.until, self.position,
            *self.valid.nodes, *(self.process.arguments if self.process else ()),
        ]  # fmt: skip
        if isinstance(self.type, UserType):
            nodes += self.type.arguments
        elif isinstance(self.type, Switch):
            nodes.append(self.type.on)
            for value, case in self.type.cases:
                nodes += [value, *case.nodes]
        return [node for node in nodes if node is not None]

    @property
    def users(self) -> tuple[UserType, ...]:
        """The types of specs that it may have."""
        return tuple(case.type for case in self.cases if isinstance(case.type, UserType))


@dataclass(frozen=True)
class Value:
    """A value instance. `inverse` contains how a field follows from the instance's value."""

    id: str
    path: str
    doc: str
    value: Node
    inverse: Mapping[str, Node]
    condition: Node | None = None
    enum: str | None = None


@dataclass(frozen=True)
class Param:
    """A parameter of a type."""

    id: str
    type: str
    enum: str | None = None
    path: str = ""
    doc: str = ""

    @property
    def python(self) -> str:
        """What it is in Python; "Any" if it is neither a number, text nor bytes."""
        if number := re.fullmatch(r"([usf])[1248](le|be)?|b\d+(le|be)?", self.type):
            is_bit = self.type[:2] == "b1" and not self.type[2:].isdigit()
            return "float" if number[1] == "f" else "bool" if is_bit else "int"
        return self.type if self.type in ("bool", "str", "bytes") else "Any"


@dataclass(frozen=True)
class Type:
    """A type of a spec; `scope` is where it is nested, from the outermost type to its own name.

    `head` is the last field of a view of the first fields, `tail` the first of one of the last.
    `leb128` states that its `value` is the integer that its bytes are in unsigned LEB128.
    """

    name: str
    spec: str
    path: str
    doc: str
    scope: tuple[str, ...]
    params: tuple[Param, ...]
    seq: tuple[Attribute, ...]
    positioned: tuple[Attribute, ...]
    values: tuple[Value, ...]
    enums: Mapping[str, Mapping[str, int]]
    view: bool | None = None
    head: str | None = None
    tail: str | None = None
    places: bool = False
    columns: bool = False
    leb128: bool = False

    @property
    def nodes(self) -> list[Node]:
        """All expressions of fields and instances."""
        nodes = [node for a in (*self.seq, *self.positioned) for node in a.nodes]
        nodes += [node for v in self.values for node in (v.value, v.condition) if node is not None]
        return nodes

    @property
    def names(self) -> set[str]:
        """All names of fields, parameters and instances."""
        return {
            x.id for group in (self.params, self.seq, self.positioned, self.values) for x in group
        }


@dataclass(frozen=True)
class Spec:
    """One file: its types, the outermost first, and the YAML as it was read."""

    name: str
    file: str
    title: str
    raw: Mapping[str, Any]
    imports: tuple[str, ...]
    places: tuple[str, ...]
    """Where the imported specs are, from the folder of this one."""
    types: tuple[Type, ...] = field(default=())


NUMBERS = {
    "u1": ("B", 1), "s1": ("b", 1), "u2": ("H", 2), "s2": ("h", 2), "u4": ("I", 4), "s4": ("i", 4),
    "u8": ("Q", 8), "s8": ("q", 8), "f4": ("f", 4), "f8": ("d", 8),
}  # fmt: skip
ENCODINGS = ("utf-8", "modified-utf-8", "integer-be", "integer-le")

REPEATS = ("expr", "eos", "until")

PROCESSES = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1, "zstd": 0, "lz4": 1, "lzo": 1}
"""Encodings of bytes, and how many arguments they have."""
