"""Write a .ksy for one file, with which the Kaitai Web IDE, or any Kaitai compiler, can read it.

An index does not store the types of its columns, so specs have them as parameters. The entry point
has no parameters: it passes the types for this file.
"""

from __future__ import annotations

import itertools
import json
import re
import textwrap
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import paimon_ksy.generated
from paimon_ksy.display import printable
from paimon_ksy.errors import UnsupportedError, none_of
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.io.source import Source

_T = TypeVar("_T")

MOST = 2000
"""The most indexes or vectors in an entry point: a corrupt file may claim millions."""

_DOC = """\
This file alone, with what it does not store, such as the types of its columns, or the data files of
its deletion vectors. Written by `paimon-ksy webide FILE`."""


class InlinedType(NamedTuple):
    """A type as YAML, with the ids of its parameters and the names of the types that it needs."""

    params: tuple[str, ...]
    imports: tuple[str, ...]
    text: str


@cache
def inlined_types() -> dict[str, InlinedType]:
    """Return all types, by name: those of the specs, and those for the Web IDE alone."""
    [folder] = paimon_ksy.generated.__path__  # elsewhere in a checkout
    text = Path(folder, "inlined.json").read_text(encoding="utf-8")
    return {
        name: InlinedType(
            tuple(one["params"]), tuple(one["imports"]), "\n".join([*one["lines"], ""])
        )
        for name, one in json.loads(text).items()
    }


@dataclass(frozen=True)
class EntryPoint:
    """A .ksy, and notes for its reader: problems of the file, and omissions."""

    text: str
    notes: tuple[str, ...] = ()


class Entry:
    """The parts of an entry point while it is written.

    Attributes:
        name: The name of the file.
        notes: Notes for its reader.
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name.replace("\\", "/").rpartition("/")[2]
        self.notes: list[str] = []
        self._seq: list[str] = []
        self._instances: dict[str, str] = {}
        self._needs: set[str] = set()  # types

    def add_field(self, name: str, kind: str, count: int | None = None) -> None:
        """Add a field, or so many, of a type with its arguments."""
        self._seq += [f"  - id: {name}", f"    type: {kind}"]
        if count is not None:
            self._seq += ["    repeat: expr", f"    repeat-expr: {count}"]
        self.add_type(re.split(r"\W", kind)[0])

    def add_type(self, name: str) -> None:
        """Add a type, and those that it imports."""
        self._needs.add(name)

    def add_values(self, name: str, values: Sequence[Any]) -> None:
        """Add an instance that is a list of numbers or texts."""
        plain = [printable(each) if isinstance(each, str) else each for each in values]
        array = json.dumps(plain, ensure_ascii=False)
        self._instances[name] = f"  {name}:\n    value: {_quoted(array)}"

    def add_instance(
        self,
        words: Sequence[str],
        pos: str,
        doc: str,
        *,
        spec: str | None = None,
        arguments: Mapping[str, int] = MappingProxyType({}),
        size: str = "",
    ) -> None:
        """Add an instance at an expression `pos`: a type of the specs, or else `size` bytes.

        It is named after the words.
        """
        name = _unused_id(words, self._instances)
        lines = [f"  {name}:", f"    pos: {pos}"]
        if spec is None:
            lines.append(f"    size: {size}")
        else:
            self.add_type(spec)
            values = ", ".join(str(arguments[name]) for name in inlined_types()[spec].params)
            lines.append(f"    type: {spec}({values})" if values else f"    type: {spec}")
        self._instances[name] = "\n".join([*lines, f"    doc: {_quoted(doc)}"])

    def first(self, listed: Sequence[_T], what: str) -> Sequence[_T]:
        """Return the first items of a list, and note if it has more."""
        if len(listed) > MOST:
            self.notes.append(f"only the first {MOST:,} of {len(listed):,} {what} are listed")
        return listed[:MOST]

    def finished(self) -> EntryPoint:
        """Return the entry point, with all types that it needs."""
        needs = sorted(self._needs)
        for name in needs:  # which grows
            needs += [other for other in inlined_types()[name].imports if other not in needs]
        types = [inlined_types()[name].text for name in sorted(needs)]
        lines = [
            "meta:",
            f"  id: {'_'.join([*_words(self.name, 'some'), 'file'])}",
            f"  title: {_quoted(self.name)}",
        ]
        lines += ["  application: Apache Paimon", "  license: Apache-2.0", "  ks-version: '0.11'"]
        lines += ["  endian: be", "doc: |", *(f"  {line}" for line in textwrap.wrap(_DOC, 78))]
        lines += ["seq:", *self._seq]
        if self._instances:
            lines += ["instances:", *self._instances.values()]
        lines += ["types:", *(textwrap.indent(each, "  ").rstrip("\n") for each in types)]
        return EntryPoint("\n".join(lines) + "\n", tuple(self.notes))


def entry_point(kind: FileKind, subject: Subject, *, spec: str | None = None) -> EntryPoint:
    """Return the entry point of a file, which contains all types, and shows values as text.

    Args:
        kind: The kind of the file.
        subject: The file. Indexes of columns without types appear as bytes; without the places of
            deletion vectors, each vector is expected directly after the previous one.
        spec: The type that describes the file instead, with its arguments: `binary_row(3)`.

    Raises:
        UnsupportedError: No spec describes the kind, or there is no such spec.
    """
    entry = Entry(subject.source)
    file_format = FORMATS.get(kind)
    if spec is not None:
        _check(spec)
        entry.add_field("file", spec)
        return entry.finished()
    if file_format is not None and file_format.describe is not None:
        file_format.describe(entry, subject)
    elif kind.magic is None and file_format is None:
        raise UnsupportedError(f"is {kind.title}, which no spec describes", path=subject.path)
    else:
        entry.add_field("file", "file_kind" if file_format is None else file_format.spec)
    if kind.readers and (file_format is None or file_format.check is None):
        entry.notes.append(f"{kind.title}, {kind.note}")
    return entry.finished()


def _check(spec: str) -> None:
    """Raise if this is no type, such as `bucket_index` or `binary_row::serialized_row`."""
    name, *_ = re.split(r"\W", spec)
    if name not in inlined_types():
        raise UnsupportedError(f"no spec {name!r}{none_of(name, 'there are', inlined_types())}")
    if not re.fullmatch(r"\w+(::\w+)*(\([\d, ]+\))?", spec):
        raise UnsupportedError(f"{spec!r} is not a type: write it as in 'binary_row(3)'")


# YAML -------------------------------------------------------------------------------------------


def _quoted(string: str) -> str:
    """Return a YAML scalar: JSON, whose escapes are also YAML's."""
    return json.dumps(printable(string), ensure_ascii=False)


def _words(string: str, first: str) -> list[str]:
    """Return the words of a text that a Kaitai identifier may contain, after `first` if needed."""
    words = re.findall("[a-z0-9]+", string.lower())
    return words if words and words[0][0].isalpha() else [first, *words]


def _unused_id(words: Sequence[str], used: Container[str]) -> str:
    """Return an identifier of words that is not used yet."""
    pairs = zip(words, ("column", "index"), strict=True)
    first = "_".join(word for each, default in pairs for word in _words(each, default))
    candidates = itertools.chain([first], (f"{first}_{n}" for n in itertools.count(2)))
    return next(candidate for candidate in candidates if candidate not in used)
