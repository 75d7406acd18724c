"""The map of the fields of a file, which its case has."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from ksykit.runtime.objects import layout
from ksykit.runtime.structs import Struct
from pyroaring import BitMap

import paimon_ksy as pk
from conformance.run import pack
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.io.file_format import FieldBytes
from paimon_ksy.io.file_kind import UNKNOWN, FileKind
from paimon_ksy.io.source import open_source

_LISTED = 64
"""Numbers of one array that a field map lists; longer arrays have no value in it."""
_TEXTS = (".text", ".name.value", ".index_type.value")
"""Ends of the names of fields that are texts."""
_PART_OF_BITMAP = re.compile(r"(.*)\.(header|containers\[\d+\])\..*")
_ELEMENT = re.compile(r"(.*)\[(\d+)\]")
_PART_OF_VARINT = re.compile(r"(.*)\.groups\[\d+\]\.group")


FileField = list[Any]
"""Offset, length, name and value of a field of a file; no value if it is long."""


def fields_of(
    data: bytes, schema: pk.Schema | None = None, kind: FileKind = UNKNOWN
) -> list[FileField]:
    """The fields of an index, or of a file of deletion vectors; some kinds have no magic number.

    A Roaring bitmap in it is one field: cases of Roaring bitmaps have the fields of these.
    """
    source = open_source(data)
    fields = []
    for (bitmap, name), group in groupby(
        hex_fields(source, schema, 0, len(data), kind), _bitmap_of
    ):
        leaves = list(group)
        if bitmap:
            start, end = leaves[0].start, leaves[-1].end
            rows = pack(BitMap.deserialize(data[start:end]))
            value = rows if len(rows) <= _LISTED else None
            fields.append(_field(start, end, name, value))
        else:
            fields += _named(leaves)
    return fields


def _bitmap_of(leaf: FieldBytes) -> tuple[bool, str | None]:
    part = _PART_OF_BITMAP.fullmatch(leaf.path or "")
    return (True, part[1]) if part else (False, None)


def fields_as(data: bytes, kind: type[Struct]) -> list[FileField]:
    """The fields of bytes that a type of the specs reads, such as those of a bucket index."""
    parsed = kind.from_bytes(data)
    leaves = [FieldBytes(f.start, f.end, f.path, f.value) for f in layout([(0, parsed)])]
    return list(_named(leaves))


def _named(leaves: Iterable[FieldBytes]) -> Iterator[FileField]:
    """Neighbouring numbers of one array are one field."""
    for array, group in groupby(_whole_varints(leaves), _array_of):
        fields = list(group)
        if array is None:
            yield from (_field(x.start, x.end, x.path, _value(x.value)) for x in fields)
            continue
        first = _ELEMENT.fullmatch(fields[0].path or "")
        assert first
        name = f"{array}[{first[2]}:{int(first[2]) + len(fields)}]"
        values = [_value(leaf.value) for leaf in fields] if len(fields) <= _LISTED else None
        yield _field(fields[0].start, fields[-1].end, name, values)


def _whole_varints(leaves: Iterable[FieldBytes]) -> Iterator[FieldBytes]:
    """A varint, which has a field for each byte, is one field."""
    for name, group in groupby(leaves, _varint_of):
        fields = list(group)
        if name is None:
            yield from fields
        else:
            value = sum((leaf.value & 127) << 7 * i for i, leaf in enumerate(fields))
            yield FieldBytes(fields[0].start, fields[-1].end, name, value)


def _varint_of(leaf: FieldBytes) -> str | None:
    part = _PART_OF_VARINT.fullmatch(leaf.path or "")
    return part[1] if part else None


def _array_of(leaf: FieldBytes) -> str | None:
    element = _ELEMENT.fullmatch(leaf.path or "")
    return element[1] if element else None


def _field(start: int, end: int, name: str | None, value: Any) -> FileField:
    if isinstance(value, str) and (name or "").endswith(_TEXTS):
        text = bytes.fromhex(value.removeprefix("0x").removesuffix("..")).decode(errors="replace")
        value = text if text.isprintable() and not value.endswith("..") else value
    return [start, end - start, name, value]


def _value(value: Any) -> Any:
    """As JSON: bytes in hex, an enum by its number, a float that JSON lacks by its name."""
    if isinstance(value, bytes | bytearray | memoryview):
        return "0x" + bytes(value[:_LISTED]).hex() + ".." * (len(value) > _LISTED)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    return getattr(value, "value", value)
