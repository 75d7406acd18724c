# Generated from specs/file_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of file_index as arrays.

Apache Paimon file index.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, invalid, wide
from ..parsers.file_index import FileIndex
from ..parsers.java_utf8 import JavaUtf8
from .java_utf8 import parse_java_utf8

_S4BE = struct.Struct(">i")


class FileIndexEntryArray(RecordArray):
    """Records of type `file_index_entry` as columns.

    One index of a column.
    """

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [("len(index_type)", ">u2"), ("ofs_body", ">i4"), ("len_body", ">i4")],
            inner={"index_type": ("len_value", "value")},
            text="index_type",
            length="len(index_type)",
            before=2,
            checks=(("ofs_body", lambda a: a < -1),),
        ),
    }

    @classmethod
    def from_columns(cls, *, index_type: Any, ofs_body: Any, len_body: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "index_type": index_type,
                "ofs_body": ofs_body,
                "len_body": len_body,
            },
        )
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, None, count)
        return self

    @classmethod
    def read(cls, buffer: bytes | memoryview, pos: int, count: int) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(FileIndex.FileIndexEntry, self, self._parent)
        record._root = self._root
        index_type = fresh(JavaUtf8, self, None)
        inner = self._layout.inner["index_type"]
        index_type.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            index_type.__dict__[inner[1]] = self._text[index]
        record.index_type = index_type
        record.ofs_body = values[1]
        record.len_body = values[2]
        return record

    @property
    def index_type(self) -> Any:
        return self._column("index_type")

    @property
    def ofs_body(self) -> Any:
        return self._column("ofs_body")

    @property
    def len_body(self) -> Any:
        return self._column("len_body")

    @property
    def is_empty(self) -> Any:
        return wide(self.ofs_body) == -1


def parse_file_index_head(x: Any, r: Reader) -> None:
    """Reads a `file_index_head` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.num_columns,) = _S4BE.unpack_from(r.buffer, at)
    if x.num_columns < 0:
        raise invalid("num_columns", x.num_columns, r)
    x.columns = []
    for _ in range(x.num_columns):
        item = fresh(FileIndex.FileIndexColumn, x, x)
        parse_file_index_column(item, r)
        x.columns.append(item)
    if not r.eof:
        at = r.take(4)
        (x.len_redundant,) = _S4BE.unpack_from(r.buffer, at)
        if x.len_redundant < 0:
            raise invalid("len_redundant", x.len_redundant, r)
    if not r.eof:
        x.redundant = r.raw(x.len_redundant)


def read_file_index_head(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `file_index_head` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(FileIndex.FileIndexHead, None, None)
    r = Reader(buffer, pos)
    parse_file_index_head(x, r)
    return x, r.pos


def parse_file_index_column(x: Any, r: Reader) -> None:
    """Reads a `file_index_column` into `x`, repeats as arrays. Raises FormatError."""
    x.name = fresh(JavaUtf8, x, None)
    parse_java_utf8(x.name, r)
    at = r.take(4)
    (x.num_indexes,) = _S4BE.unpack_from(r.buffer, at)
    if x.num_indexes < 0:
        raise invalid("num_indexes", x.num_indexes, r)
    x.indexes = FileIndexEntryArray.of_reader(r, x.num_indexes)
    x.indexes.place_in(x)


def read_file_index_column(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `file_index_column` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(FileIndex.FileIndexColumn, None, None)
    r = Reader(buffer, pos)
    parse_file_index_column(x, r)
    return x, r.pos


def extent_body(x: Any) -> tuple[Any, Any]:
    """Where the `body` of a `file_index_entry` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `body` is not looked at.
    """
    return wide(x.ofs_body), wide(x.len_body)
