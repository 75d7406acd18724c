"""Write a .ksy for one file, with which the Kaitai Web IDE, or any Kaitai compiler, can read it.

An index does not store the types of its columns, so specs have them as parameters. The entry point
has no parameters: it passes the types for this file.
"""

from __future__ import annotations

import itertools
import json
import re
import textwrap
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import paimon_ksy.generated
from paimon_ksy.errors import CorruptFileError, UnsupportedError, none_of
from paimon_ksy.file_index.index_type import listed_indexes
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.inspection.parsed_file import read_head, text
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, ORC, PARQUET, VECTORS, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.table_index.deletion_vector_file import VectorMeta, read_vectors
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

MOST = 2000
"""The most indexes or vectors in an entry point: a corrupt file may claim millions."""

_DECIMAL = 100
"""Inlined types add this to the scale of a DECIMAL, to distinguish it from other column types."""

_OF_KIND = {
    BUCKET_INDEX: "bucket_index",
    PARQUET: "parquet_metadata::parquet_file",
    ORC: "orc_metadata::orc_file",
}
"""The types that describe whole files without any facts about them; others have `file_kind`."""

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


class _Entry:
    """The parts of an entry point while it is written."""

    def __init__(self, source: Source) -> None:
        self.name = source.name.replace("\\", "/").rpartition("/")[2]
        self.seq: list[str] = []
        self.instances: dict[str, str] = {}
        self.types: list[str] = []  # YAML of types that are no specs, so none are imported
        self.needs: set[str] = set()  # specs
        self.notes: list[str] = []

    def finished(self) -> EntryPoint:
        """Return the entry point, with all types that it needs."""
        needs = sorted(self.needs)
        for name in needs:  # which grows
            needs += [other for other in inlined_types()[name].imports if other not in needs]
        types = [*self.types, *(inlined_types()[name].text for name in sorted(needs))]
        lines = [
            "meta:",
            f"  id: {'_'.join([*_words(self.name, 'some'), 'file'])}",
            f"  title: {_quoted(self.name)}",
        ]
        lines += ["  application: Apache Paimon", "  license: Apache-2.0", "  ks-version: '0.11'"]
        lines += ["  endian: be", "doc: |", *(f"  {line}" for line in textwrap.wrap(_DOC, 78))]
        lines += ["seq:", *self.seq]
        if self.instances:
            lines += ["instances:", *self.instances.values()]
        lines += ["types:", *(textwrap.indent(each, "  ").rstrip("\n") for each in types)]
        return EntryPoint("\n".join(lines) + "\n", tuple(self.notes))


def entry_point(
    source: Source,
    kind: FileKind,
    schema: Schema | None = None,
    vectors: Sequence[VectorMeta] | None = None,
    *,
    spec: str | None = None,
) -> EntryPoint:
    """Return the entry point of a file, which contains all types, and shows values as text.

    Args:
        source: The file.
        kind: The kind of the file.
        schema: The types of an index's columns. Indexes of other columns appear as bytes.
        vectors: The places of deletion vectors and their data files, from the index manifest.
            Without them, each vector is expected directly after the previous one.
        spec: The type that describes the file instead, with its arguments: `binary_row(3)`.

    Raises:
        UnsupportedError: No spec describes the kind, or there is no such spec.
    """
    entry = _Entry(source)
    if spec is not None:
        _named(entry, spec)
        return entry.finished()
    if kind is FILE_INDEX:
        _file_index(entry, source, schema)
    elif kind is VECTORS:
        _vectors(entry, source, vectors)
    elif kind.magic is None and kind not in _OF_KIND:
        raise UnsupportedError(f"is {kind.title}, which no spec describes", path=source.name)
    else:
        _named(entry, _OF_KIND.get(kind, "file_kind"))
    if kind.readers:
        entry.notes.append(f"{kind.title}, {kind.note}")
    return entry.finished()


def _named(entry: _Entry, spec: str) -> None:
    """Describe the file by a type, such as `bucket_index` or `binary_row::serialized_row`."""
    name, *_ = re.split(r"\W", spec)
    if name not in inlined_types():
        raise UnsupportedError(f"no spec {name!r}{none_of(name, 'there are', inlined_types())}")
    if not re.fullmatch(r"\w+(::\w+)*(\([\d, ]+\))?", spec):
        raise UnsupportedError(f"{spec!r} is not a type: write it as in 'binary_row(3)'")
    entry.seq += _field("file", spec)
    entry.needs.add(name)


def _vectors(entry: _Entry, source: Source, vectors: Sequence[VectorMeta] | None) -> None:
    entry.needs.add("deletion_vectors")
    if vectors is None:
        entry.seq += _field("file", "deletion_vectors")
        try:
            for _ in read_vectors(source):
                pass
        except CorruptFileError as error:
            entry.notes.append(str(error))
        return
    listed = sorted(vectors, key=lambda vector: vector.offset)[:MOST]
    if len(listed) < len(vectors):
        entry.notes.append(f"only the first {MOST:,} of {len(vectors):,} vectors are listed")
    arguments = "data_files[_index], offsets[_index], numbers_of_rows[_index]"
    entry.seq += _field("vectors", f"placed_vector({arguments})")
    entry.seq += ["    repeat: expr", f"    repeat-expr: {len(listed)}"]
    for name, values in (
        ("data_files", [_printable(vector.data_file or "") for vector in listed]),
        ("offsets", [vector.offset for vector in listed]),
        ("numbers_of_rows", [vector.cardinality for vector in listed]),
    ):
        array = json.dumps(values, ensure_ascii=False)
        entry.instances[name] = f"  {name}:\n    value: {_quoted(array)}"
    entry.types.append(inlined_types()["placed_vector"].text)


def _file_index(entry: _Entry, source: Source, schema: Schema | None) -> None:
    entry.seq += _field("file", "file_index")
    entry.needs.add("file_index")
    untyped: dict[str, None] = {}
    count = 0
    try:
        for number, column in enumerate(read_head(source).head.columns):
            name = text(column.name)
            data_type = schema[name] if schema is not None and name in schema else None
            for at, (index_type, place) in enumerate(listed_indexes(column)):
                if place.is_empty:
                    continue
                count += 1
                if count <= MOST:
                    where = f"file.head.columns[{number}].indexes[{at}]"
                    if not _index(entry, name, text(index_type), data_type, place.len_body, where):
                        untyped[name] = None
    except CorruptFileError as error:
        entry.notes.append(str(error))
    if count > MOST:
        entry.notes.append(f"only the first {MOST:,} of {count:,} indexes are listed")
    if untyped:
        first = ", ".join(repr(_printable(name)) for name in [*untyped][:3])
        more = ", .." if len(untyped) > 3 else ""
        entry.notes.append(
            f"the types of columns {first}{more} are unknown, so their indexes are shown as bytes: "
            "pass --schema, --schema-file or --table"
        )


def _index(
    entry: _Entry, column: str, index_type: str, data_type: DataType | None, size: int, where: str
) -> bool:
    """Describe an index; return whether its type is known, so that it is more than bytes.

    Args:
        entry: The entry point.
        column: The column's name.
        index_type: The type of the index.
        data_type: The column's type.
        size: The bytes of the index.
        where: The path of its entry in the head.
    """
    kind = INDEX_TYPES.get(index_type)
    arguments = kind.arguments(data_type, size) if kind is not None else None
    name = _unused_id(column, index_type, entry.instances)
    lines = [f"  {name}:", f"    pos: {where}.ofs_body"]
    if kind is not None and arguments is not None:
        entry.needs.add(kind.spec)
        lines.append(f"    type: {_call(kind.spec, arguments, data_type)}")
    else:
        lines.append(f"    size: {where}.len_body")
        if kind is not None and data_type is not None:
            what = f"column {_printable(column)!r} cannot be {data_type}"
            entry.notes.append(f"{what} in a {index_type} index: its index is shown as bytes")
    type_text = "" if data_type is None else f" {data_type}"
    lines.append(f"    doc: {_quoted(f'Column {column}{type_text}: {index_type} index.')}")
    entry.instances[name] = "\n".join(lines)
    return kind is None or arguments is not None or data_type is not None


def _call(spec: str, arguments: dict[str, int], data_type: DataType | None) -> str:
    """Return the type of an index's body, such as `bitmap_index(8)`."""
    if data_type is not None and data_type.root == "DECIMAL":
        arguments = {**arguments, "column_type": _DECIMAL + (data_type.scale or 0)}
    params = inlined_types()[spec].params
    values = ", ".join(str(arguments[name]) for name in params)
    return f"{spec}({values})" if params else spec


# YAML -------------------------------------------------------------------------------------------


def _field(name: str, type_name: str) -> list[str]:
    return [f"  - id: {name}", f"    type: {type_name}"]


def _printable(string: str) -> str:
    """Return the text with escapes for characters that YAML or a terminal cannot have."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in string)


def _quoted(string: str) -> str:
    """Return a YAML scalar: JSON, whose escapes are also YAML's."""
    return json.dumps(_printable(string), ensure_ascii=False)


def _words(string: str, first: str) -> list[str]:
    """Return the words of a text that a Kaitai identifier may contain, after `first` if needed."""
    words = re.findall("[a-z0-9]+", string.lower())
    return words if words and words[0][0].isalpha() else [first, *words]


def _unused_id(column: str, index_type: str, used: Container[str]) -> str:
    """Return an identifier for an index that is not used yet: its column's name, and its type."""
    first = "_".join(_words(column, "column") + _words(index_type, "index"))
    candidates = itertools.chain([first], (f"{first}_{n}" for n in itertools.count(2)))
    return next(candidate for candidate in candidates if candidate not in used)
