"""A case of the kit before it is written: its document, its files, and the map of their fields."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from pyroaring import BitMap

import paimon_ksy as pk
from conformance.run import pack
from paimon_ksy.inspection.byte_map import HexField, hex_fields
from paimon_ksy.io.source import open_source
from paimon_ksy.runtime.objects import layout
from tools.maven import LOCK, read_lock

VERSION = 1
"""The version of the kit: it changes with any change of a case or of the protocol."""

SEED = 1
GENERATOR = "tools.conformance.kit"

_LISTED = 64
"""Numbers of one array that a field map lists; longer arrays have no value in it."""
_TEXTS = (".text", ".name.value", ".index_type.value")
"""Ends of the names of fields that are texts."""
_PART_OF_BITMAP = re.compile(r"(.*)\.(header|containers\[\d+\])\..*")
_ELEMENT = re.compile(r"(.*)\[(\d+)\]")


FileField = tuple[int, int, str | None, Any]
"""Offset, length, name and value of a field of a file; no value if it is long."""


class UnknownDifferenceError(Exception):
    """The library answers otherwise than expected, and no known deviation explains it."""


@dataclass(frozen=True)
class Draft:
    """A case: `document` is what is special in its case.json, `files` by name."""

    kind: str
    name: str
    about: str
    document: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)
    fields: Sequence[FileField] = ()

    @property
    def path(self) -> str:
        """The folder of the case in the kit."""
        return f"{self.kind}/{self.name}"

    @property
    def case(self) -> dict[str, Any]:
        """What is in case.json."""
        head = {"kind": self.kind, "about": self.about, "made": provenance()}
        fields = {"fields": self.fields} if self.fields else {}
        return {**head, **self.document, **fields}

    def texts(self) -> dict[str, bytes]:
        """What is written, by the names of the files."""
        return {"case.json": to_text(self.case), **self.files}


def provenance() -> dict[str, Any]:
    """What made the kit."""
    [library] = [
        jar.coordinate for jar in read_lock(LOCK.read_text()) if "bundle" in jar.coordinate
    ]
    return {"kit": VERSION, "generator": GENERATOR, "library": library, "seed": SEED}


def to_text(document: Mapping[str, Any]) -> bytes:
    """JSON with a line for each key, and for each item of a list of lists or objects."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and any(isinstance(i, list | tuple | dict) for i in value):
            items = ",\n  ".join(map(_compact, value))
            lines.append(f" {_compact(key)}: [\n  {items}\n ]")
        else:
            lines.append(f" {_compact(key)}: {_compact(value)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# Field maps -------------------------------------------------------------------------------------


def fields_of(data: bytes, schema: pk.Schema | None = None) -> list[FileField]:
    """The fields of a file index, or of a file of deletion vectors.

    A Roaring bitmap in it is one field: cases of Roaring bitmaps have the fields of these.
    """
    source = open_source(data)
    found = []
    for (bitmap, name), group in groupby(hex_fields(source, schema, 0, len(data)), _bitmap_of):
        leaves = list(group)
        if bitmap:
            start, end = leaves[0].start, leaves[-1].end
            rows = pack(BitMap.deserialize(data[start:end]))
            value = rows if len(rows) <= _LISTED else None
            found.append(_field(start, end, name, value))
        else:
            found += _named(leaves)
    return found


def _bitmap_of(leaf: HexField) -> tuple[bool, str | None]:
    part = _PART_OF_BITMAP.fullmatch(leaf.path or "")
    return (True, part[1]) if part else (False, None)


def fields_as(data: bytes, parser: Callable[[Any], Any]) -> list[FileField]:
    """The fields of bytes that a generated parser reads, such as those of a bucket index."""
    parsed = parser(open_source(data).stream)
    leaves = [HexField(f.start, f.end, f.path, f.value) for f in layout([(0, parsed)])]
    return list(_named(leaves))


def _named(leaves: Iterable[HexField]) -> Iterator[FileField]:
    """Neighbouring numbers of one array are one field."""
    for array, group in groupby(leaves, _array_of):
        found = list(group)
        if array is None:
            yield from (_field(x.start, x.end, x.path, _value(x.value)) for x in found)
            continue
        first = _ELEMENT.fullmatch(found[0].path or "")
        assert first
        name = f"{array}[{first[2]}:{int(first[2]) + len(found)}]"
        values = [_value(leaf.value) for leaf in found] if len(found) <= _LISTED else None
        yield _field(found[0].start, found[-1].end, name, values)


def _array_of(leaf: HexField) -> str | None:
    element = _ELEMENT.fullmatch(leaf.path or "")
    return element[1] if element else None


def _field(start: int, end: int, name: str | None, value: Any) -> FileField:
    if isinstance(value, str) and (name or "").endswith(_TEXTS):
        text = bytes.fromhex(value.removeprefix("0x").removesuffix("..")).decode(errors="replace")
        value = text if text.isprintable() and not value.endswith("..") else value
    return start, end - start, name, value


def _value(value: Any) -> Any:
    """As JSON: bytes in hex, an enum by its number, a float that JSON lacks by its name."""
    if isinstance(value, bytes | bytearray | memoryview):
        return "0x" + bytes(value[:_LISTED]).hex() + ".." * (len(value) > _LISTED)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    return getattr(value, "value", value)


# Writing ----------------------------------------------------------------------------------------


def write(draft: Draft, kit: Path) -> int:
    """Replaces the folder of a case; how many bytes it has."""
    folder = kit / draft.path
    texts = draft.texts()
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for name, data in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
    return sum(map(len, texts.values()))
