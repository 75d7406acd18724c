"""The parsed objects of a file: its head and its indexes, deletion vectors, or a Roaring bitmap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.io.corrupt import MALFORMED, CorruptErrors
from paimon_ksy.io.file_kind import FILE_INDEX, VECTORS, kind_of
from paimon_ksy.io.source import Source
from paimon_ksy.java import modified_utf8
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class FilePart:
    """A parsed object of a file: the head, or an index of `column`; the head has its `size`.

    `index_type` is the type of the index.
    """

    start: int
    size: int
    parsed: Any
    column: str | None = None
    index_type: str | None = None


def file_parts(source: Source, schema: Schema | None) -> list[FilePart]:
    """Return the parsed objects of a file, the head first, and with a schema the indexes too.

    Indexes that cannot be read are left out. The list is empty if the format is unknown.
    """
    of_file = kind_of(source)
    if of_file is VECTORS:
        source.stream.seek(0)
        with CorruptErrors(source):
            return [FilePart(0, source.size, DeletionVectors(source.stream))]
    if of_file is not FILE_INDEX:
        bitmap = read_roaring(source)
        return [] if bitmap is None else [FilePart(0, source.size, bitmap)]
    file = read_head(source)
    indexes: dict[int, FilePart] = {}
    for column in file.head.columns:
        name = text(column.name.value)
        data_type = schema[name] if schema is not None and name in schema else None
        for entry in column.indexes:
            type_name = text(entry.index_type.value)
            kind = INDEX_TYPES.get(type_name)
            if kind is None or data_type is None or entry.is_empty:
                continue
            start = entry.ofs_body
            try:
                source.stream.seek(start)
                parsed = kind.parse(data_type, entry.len_body, source.stream)
            except MALFORMED:
                continue
            if parsed is None:
                continue
            indexes.setdefault(start, FilePart(start, entry.len_body, parsed, name, type_name))
    return [
        FilePart(0, file.len_head, file),
        *sorted(indexes.values(), key=lambda part: part.start),
    ]


def read_head(source: Source) -> FileIndex:
    """Return the head of a file index.

    Raises:
        CorruptFileError: It is malformed, or the file is of another kind.
    """
    source.stream.seek(0)
    with CorruptErrors(source):
        return FileIndex(source.stream)


def read_roaring(source: Source) -> RoaringBitmap32 | None:
    """Return the file as a Roaring bitmap, if it is exactly one."""
    source.stream.seek(0)
    try:
        bitmap = RoaringBitmap32(source.stream)
    except MALFORMED:
        return None
    return bitmap if bitmap.bitmap_end.at == source.size else None


def text(name: bytes) -> str:
    """Return a name in the head of a file index; bytes that are not modified UTF-8 are escaped."""
    try:
        return modified_utf8.decode(name)
    except UnicodeDecodeError:
        return name.decode("utf-8", "backslashreplace")
