"""The parsed objects of a file: its head and its indexes, deletion vectors, or a Roaring bitmap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kaitaistruct import KaitaiStructError, ValidationFailedError

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.bloom_filter_index import BloomFilterIndex
from paimon_ksy.generated.parsers.bsi_index import BsiIndex
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.io.file_kind import SMALLEST, starts_with_vector
from paimon_ksy.io.source import Source
from paimon_ksy.java import modified_utf8 as java_utf8
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.schema import Schema

# What malformed bytes raise in parsers and codecs.
MALFORMED = (KaitaiStructError, EOFError, ValueError, IndexError, OverflowError)

_MAGIC = "/seq/0"  # the first field of the spec


@dataclass(frozen=True)
class FilePart:
    """A parsed object of a file: the head, or an index of `column`; `size` as the head has it."""

    start: int
    size: int
    parsed: Any
    column: str | None = None


def is_of_vectors(source: Source) -> bool:
    """Whether it is a file of deletion vectors. Raises CorruptFileError."""
    return read_head(source) is None and starts_with_vector(source)


def file_parts(source: Source, schema: Schema | None) -> list[FilePart]:
    """The parsed objects of a file, the head first, and with a schema the indexes too.

    Indexes that cannot be read are left out. Empty if the format is not known.
    """
    file = read_head(source)
    if file is None and starts_with_vector(source):
        source.stream.seek(0)
        with corrupt(source):
            return [FilePart(0, source.size, DeletionVectors(source.stream))]
    if file is None:
        bitmap = read_roaring(source)
        return [] if bitmap is None else [FilePart(0, source.size, bitmap)]
    indexes: dict[int, FilePart] = {}
    for column in file.head.columns:
        name = text(column.name.value)
        data_type = schema[name] if schema is not None and name in schema else None
        for entry in column.indexes:
            if data_type is None or entry.is_empty:
                continue
            start = entry.ofs_body
            try:
                source.stream.seek(start)
                parsed = _parsed(
                    text(entry.index_type.value), data_type, entry.len_body, source.stream
                )
            except MALFORMED:
                continue
            if parsed is None:
                continue
            indexes.setdefault(start, FilePart(start, entry.len_body, parsed, name))
    return [
        FilePart(0, file.len_head, file),
        *sorted(indexes.values(), key=lambda part: part.start),
    ]


def _parsed(index_type: str, data_type: DataType, size: int, stream: Any) -> Any:
    """The index of `size` bytes where the stream stands; None if nothing is known of it."""
    if index_type == "bloom-filter":
        return BloomFilterIndex(size, stream)
    if index_type == "bsi":
        return BsiIndex(stream)
    if index_type == "range-bitmap":
        from paimon_ksy.file_index.range_bitmap.reader import stored_type

        stored = stored_type(data_type)
        return None if stored is None else RangeBitmapIndex(stored, stream)
    stored = column_type(data_type)
    return None if stored is None or index_type != "bitmap" else BitmapIndex(stored, stream)


def read_head(source: Source) -> FileIndex | None:
    """The head of a file index; None if the file does not start as one.

    Raises CorruptFileError if it does and then is broken.
    """
    source.stream.seek(0)
    with corrupt(source):
        try:
            return FileIndex(source.stream)
        except ValidationFailedError as error:
            if error.src_path == _MAGIC:
                return None
            raise
        except EOFError:
            if source.size < SMALLEST:
                return None
            raise


@contextmanager
def corrupt(source: Source, column: str | None = None) -> Iterator[None]:
    """Turns what malformed bytes raise into CorruptFileError with path, column and byte."""
    try:
        yield
    except (CorruptFileError, *MALFORMED):
        from paimon_ksy.file_index.container import CorruptErrors  # late: it takes numpy, and 0.2 s

        with CorruptErrors(source, column):
            raise


def read_roaring(source: Source) -> RoaringBitmap32 | None:
    """The file as a Roaring bitmap, if it is one and nothing else."""
    source.stream.seek(0)
    try:
        bitmap = RoaringBitmap32(source.stream)
    except MALFORMED:
        return None
    return bitmap if bitmap.end.at == source.size else None


def codec_of(index: BitmapIndex) -> Any:
    """The codec of its version."""
    from paimon_ksy.generated.codecs import bitmap_index_v1, bitmap_index_v2

    return bitmap_index_v1 if index.version == 1 else bitmap_index_v2


def dictionary(index: BitmapIndex) -> Any:
    """The dictionary of an index of version 1, the directory of one of version 2."""
    if index.version == 1:
        return codec_of(index).dictionary(index.v1)
    return codec_of(index).directory(index.v2)


def text(name: bytes) -> str:
    """A name in the head of a file index; bytes that are not modified UTF-8 are escaped."""
    try:
        return java_utf8.decode(name)
    except UnicodeDecodeError:
        return name.decode("utf-8", "backslashreplace")
