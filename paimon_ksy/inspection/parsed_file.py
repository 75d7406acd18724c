"""The parts of a file that specs describe: its head and its indexes, vectors, or a bitmap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaitaistruct import KaitaiStream, KaitaiStructError

from paimon_ksy.file_index.index_type import listed_indexes
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views.file_index import FileIndex
from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader
from paimon_ksy.generated.writers import type_named
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import FILE_INDEX, VECTORS, kind_of
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.java import modified_utf8
from paimon_ksy.runtime.errors import FormatError
from paimon_ksy.runtime.objects import Type
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from pyroaring import BitMap


@dataclass(frozen=True)
class FilePart:
    """An object in a file: the head, or an index of `column`; the head has its `size`.

    `type` is its type in the specs, with the parameters `params`, and `index_type` is that of the
    index.
    """

    start: int
    size: int
    type: Type
    params: Mapping[str, int]
    column: str | None = None
    index_type: str | None = None

    def parsed(self, source: Source) -> Any:
        """Return the Kaitai object, whose fields the map of bytes lists."""
        return parsed(source, self.start, self.type.name, *self.params.values())


def parsed(source: Source, start: int, type_name: str, *arguments: Any) -> Any:
    """Return the Kaitai object of a type of the specs at a byte of a file. Raises FormatError."""
    stream = KaitaiStream(source.file)
    stream.seek(start)
    try:
        return type_named(type_name).cls(*arguments, stream)
    except KaitaiStructError as error:
        raise FormatError(" ".join(str(error).split()), stream.pos()) from error


def file_parts(source: Source, schema: Schema | None) -> list[FilePart]:
    """Return the parts of a file, the head first, and with a schema the indexes too.

    The list is empty if the format is unknown.
    """
    of_file = kind_of(source)
    if of_file is VECTORS:
        return [FilePart(0, source.size, type_named("deletion_vectors"), {})]
    if of_file is not FILE_INDEX:
        part = FilePart(0, source.size, type_named("roaring_bitmap_32"), {})
        return [] if read_roaring(source) is None else [part]
    file = read_head(source)
    indexes: dict[int, FilePart] = {}
    for column in file.head.columns:
        name = text(column.name)
        data_type = schema[name] if schema is not None and name in schema else None
        for index_type, place in listed_indexes(column):
            kind = INDEX_TYPES.get(text(index_type))
            if kind is None or data_type is None or place.is_empty:
                continue
            arguments = kind.arguments(data_type, place.len_body)
            if arguments is None:
                continue
            body = type_named(kind.spec)
            params = {param: arguments[param] for param in body.params}
            part = FilePart(place.ofs_body, place.len_body, body, params, name, kind.name)
            indexes.setdefault(part.start, part)
    return [
        FilePart(0, file.len_head, type_named("file_index"), {}),
        *sorted(indexes.values(), key=lambda part: part.start),
    ]


def read_head(source: Source) -> FileIndex:
    """Return the head of a file index.

    Raises:
        CorruptFileError: It is malformed, or the file is of another kind.
    """
    with CorruptErrors(source):
        return read_view(source, FileIndex, 0)


def read_roaring(source: Source) -> BitMap | None:
    """Return the file as a Roaring bitmap, if it is exactly one."""
    from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first  # imports numpy

    try:
        read_view(source, RoaringHeader, 0)
        rows, size = read_first(source.read(0, source.size))
    except (FormatError, BadBitmapError):
        return None
    return rows if size == source.size else None


def text(name: bytes) -> str:
    """Return a name in the head of a file index; bytes that are not modified UTF-8 are escaped."""
    try:
        return modified_utf8.decode(name)
    except UnicodeDecodeError:
        return bytes(name).decode("utf-8", "backslashreplace")
