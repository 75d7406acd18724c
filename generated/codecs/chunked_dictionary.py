# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of chunked_dictionary as arrays.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, wide
from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.position import Position
from ..parsers.typed_value import TypedValue
from .position import parse_position

DICTIONARY_CHUNKS_OFS_CHUNKS = np.dtype(">i4")
DICTIONARY_KEYS_OFS_KEYS = np.dtype(">i4")


class FixedChunkArray(RecordArray):
    """Records of type `fixed_chunk` as columns.

    The head of a chunk of values of a fixed size. `chunk-size` limits the
    bytes of a chunk's keys after the first, 16 kB by default. BOOLEAN,
    TINYINT and SMALLINT have 0, so each value is a chunk.
    """

    __slots__ = ("column_type",)

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [
                ("version", "u1"),
                ("key", "u1"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("boolean",)},
            checks=(
                ("version", lambda a: a != 1),
                ("key", lambda a: ~np.isin(a, [0, 1])),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        2: Layout(
            [
                ("version", "u1"),
                ("key", "i1"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int8",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        3: Layout(
            [
                ("version", "u1"),
                ("key", ">i2"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int16",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        4: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        5: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        6: Layout(
            [
                ("version", "u1"),
                ("key", ">f4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("float32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        7: Layout(
            [
                ("version", "u1"),
                ("key", ">f8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("float64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        8: Layout(
            [
                ("version", "u1"),
                ("len(key)", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=5,
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        9: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        10: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        11: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
        12: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_keys", ">i4"),
                ("len_key", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
                ("len_key", lambda a: a < 1),
            ),
        ),
    }

    column_type: int

    @classmethod
    def from_columns(
        cls,
        column_type: int,
        *,
        version: Any = None,
        key: Any,
        code: Any,
        ofs_keys: Any,
        num_keys: Any,
        len_keys: Any,
        len_key: Any,
    ) -> Self:
        """An array from its columns, all of one length; what is None is computed."""
        if version is None:
            version = 1
        self = cls._build(
            column_type,
            {
                "version": version,
                "key": key,
                "code": code,
                "ofs_keys": ofs_keys,
                "num_keys": num_keys,
                "len_keys": len_keys,
                "len_key": len_key,
            },
        )
        self.column_type = column_type
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int, column_type: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, column_type, count)
        self.column_type = column_type
        return self

    @classmethod
    def read(
        cls, buffer: bytes | memoryview, pos: int, count: int, column_type: int
    ) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count, column_type), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        other.column_type = self.column_type
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            ChunkedDictionary.FixedChunk, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[1]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        record.version = values[0]
        record.code = values[2]
        record.ofs_keys = values[3]
        record.num_keys = values[4]
        record.len_keys = values[5]
        record.len_key = values[6]
        return record

    @property
    def version(self) -> Any:
        return self._column("version")

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def code(self) -> Any:
        return self._column("code")

    @property
    def ofs_keys(self) -> Any:
        return self._column("ofs_keys")

    @property
    def num_keys(self) -> Any:
        return self._column("num_keys")

    @property
    def len_keys(self) -> Any:
        return self._column("len_keys")

    @property
    def len_key(self) -> Any:
        return self._column("len_key")


class TextChunkArray(RecordArray):
    """Records of type `text_chunk` as columns.

    The head of a chunk of strings. `chunk-size` limits both the bytes of
    the keys after the first and those of their offsets.
    """

    __slots__ = ("column_type",)

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [
                ("version", "u1"),
                ("key", "u1"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("boolean",)},
            checks=(
                ("version", lambda a: a != 1),
                ("key", lambda a: ~np.isin(a, [0, 1])),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        2: Layout(
            [
                ("version", "u1"),
                ("key", "i1"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int8",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        3: Layout(
            [
                ("version", "u1"),
                ("key", ">i2"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int16",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        4: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        5: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        6: Layout(
            [
                ("version", "u1"),
                ("key", ">f4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("float32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        7: Layout(
            [
                ("version", "u1"),
                ("key", ">f8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("float64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        8: Layout(
            [
                ("version", "u1"),
                ("len(key)", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=5,
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        9: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        10: Layout(
            [
                ("version", "u1"),
                ("key", ">i4"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int32",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        11: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
        12: Layout(
            [
                ("version", "u1"),
                ("key", ">i8"),
                ("code", ">i4"),
                ("ofs_keys", ">i4"),
                ("num_keys", ">i4"),
                ("len_offsets", ">i4"),
                ("len_keys", ">i4"),
            ],
            inner={"key": ("int64",)},
            checks=(
                ("version", lambda a: a != 1),
                ("code", lambda a: a < 0),
                ("ofs_keys", lambda a: a < 0),
                ("num_keys", lambda a: a < 0),
                ("len_offsets", lambda a: a < 0),
                ("len_keys", lambda a: a < 0),
            ),
        ),
    }

    column_type: int

    @classmethod
    def from_columns(
        cls,
        column_type: int,
        *,
        version: Any = None,
        key: Any,
        code: Any,
        ofs_keys: Any,
        num_keys: Any,
        len_offsets: Any,
        len_keys: Any,
    ) -> Self:
        """An array from its columns, all of one length; what is None is computed."""
        if version is None:
            version = 1
        self = cls._build(
            column_type,
            {
                "version": version,
                "key": key,
                "code": code,
                "ofs_keys": ofs_keys,
                "num_keys": num_keys,
                "len_offsets": len_offsets,
                "len_keys": len_keys,
            },
        )
        self.column_type = column_type
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int, column_type: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, column_type, count)
        self.column_type = column_type
        return self

    @classmethod
    def read(
        cls, buffer: bytes | memoryview, pos: int, count: int, column_type: int
    ) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count, column_type), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        other.column_type = self.column_type
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            ChunkedDictionary.TextChunk, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[1]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        record.version = values[0]
        record.code = values[2]
        record.ofs_keys = values[3]
        record.num_keys = values[4]
        record.len_offsets = values[5]
        record.len_keys = values[6]
        return record

    @property
    def version(self) -> Any:
        return self._column("version")

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def code(self) -> Any:
        return self._column("code")

    @property
    def ofs_keys(self) -> Any:
        return self._column("ofs_keys")

    @property
    def num_keys(self) -> Any:
        return self._column("num_keys")

    @property
    def len_offsets(self) -> Any:
        return self._column("len_offsets")

    @property
    def len_keys(self) -> Any:
        return self._column("len_keys")


class DictionaryKeyArray(RecordArray):
    """Records of type `dictionary_key` as columns."""

    __slots__ = ("column_type",)

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [("key", "u1")],
            inner={"key": ("boolean",)},
            checks=(("key", lambda a: ~np.isin(a, [0, 1])),),
        ),
        2: Layout([("key", "i1")], inner={"key": ("int8",)}),
        3: Layout([("key", ">i2")], inner={"key": ("int16",)}),
        4: Layout([("key", ">i4")], inner={"key": ("int32",)}),
        5: Layout([("key", ">i8")], inner={"key": ("int64",)}),
        6: Layout([("key", ">f4")], inner={"key": ("float32",)}),
        7: Layout([("key", ">f8")], inner={"key": ("float64",)}),
        8: Layout(
            [("len(key)", ">i4")],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=4,
        ),
        9: Layout([("key", ">i4")], inner={"key": ("int32",)}),
        10: Layout([("key", ">i4")], inner={"key": ("int32",)}),
        11: Layout([("key", ">i8")], inner={"key": ("int64",)}),
        12: Layout([("key", ">i8")], inner={"key": ("int64",)}),
    }

    column_type: int

    @classmethod
    def from_columns(cls, column_type: int, *, key: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            column_type,
            {
                "key": key,
            },
        )
        self.column_type = column_type
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int, column_type: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, column_type, count)
        self.column_type = column_type
        return self

    @classmethod
    def read(
        cls, buffer: bytes | memoryview, pos: int, count: int, column_type: int
    ) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count, column_type), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        other.column_type = self.column_type
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            ChunkedDictionary.DictionaryKey, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        return record

    @property
    def key(self) -> Any:
        return self._column("key")


def parse_dictionary_chunks(x: Any, r: Reader) -> None:
    """Reads a `dictionary_chunks` into `x`, repeats as arrays. Raises FormatError."""
    x.ofs_chunks = r.numbers(DICTIONARY_CHUNKS_OFS_CHUNKS, x.num_chunks)
    if x.type != 8:
        x.fixed_chunks = FixedChunkArray.of_reader(r, x.num_chunks, x.column_type)
        x.fixed_chunks.place_in(x)
    if x.type == 8:
        x.text_chunks = TextChunkArray.of_reader(r, x.num_chunks, x.column_type)
        x.text_chunks.place_in(x)
    x.keys_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.keys_start, r)


def read_dictionary_chunks(
    buffer: bytes | memoryview, pos: int, num_chunks: Any, column_type: Any
) -> tuple[Any, int]:
    """(a `dictionary_chunks` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(
        ChunkedDictionary.DictionaryChunks,
        None,
        None,
        num_chunks=num_chunks,
        column_type=column_type,
    )
    r = Reader(buffer, pos)
    parse_dictionary_chunks(x, r)
    return x, r.pos


def parse_dictionary_keys(x: Any, r: Reader) -> None:
    """Reads a `dictionary_keys` into `x`, repeats as arrays. Raises FormatError."""
    if x.type == 8:
        x.ofs_keys = r.numbers(DICTIONARY_KEYS_OFS_KEYS, x.num_keys)
    x.keys = DictionaryKeyArray.of_reader(r, x.num_keys, x.column_type)
    x.keys.place_in(x)


def read_dictionary_keys(
    buffer: bytes | memoryview, pos: int, num_keys: Any, column_type: Any
) -> tuple[Any, int]:
    """(a `dictionary_keys` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(
        ChunkedDictionary.DictionaryKeys, None, None, num_keys=num_keys, column_type=column_type
    )
    r = Reader(buffer, pos)
    parse_dictionary_keys(x, r)
    return x, r.pos


def heads(x: Any) -> Any:
    """The `heads` of a `chunked_dictionary`.

    Like the parser's property of a `chunked_dictionary`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_heads")
    if found is not None:
        return found
    if x._io is None:
        return x._m_heads
    r = Reader.of_stream(x._io, x.offsets_start)
    found = fresh(
        ChunkedDictionary.DictionaryChunks, x, x, num_chunks=x.num_chunks, column_type=x.column_type
    )
    parse_dictionary_chunks(found, r)
    x._a_heads = found
    x.__dict__.setdefault("_m_heads", found)
    return found


def fixed_chunk_keys(x: Any) -> Any:
    """The `keys` of a `fixed_chunk`.

    Like the parser's property of a `fixed_chunk`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_fixed_chunk_keys")
    if found is not None:
        return found
    if x._io is None:
        return x._m_fixed_chunk_keys
    r = Reader.of_stream(x._io, x._parent.keys_start.at + x.ofs_keys)
    found = fresh(
        ChunkedDictionary.DictionaryKeys, x, x, num_keys=x.num_keys, column_type=x.column_type
    )
    parse_dictionary_keys(found, r)
    x._a_fixed_chunk_keys = found
    x.__dict__.setdefault("_m_fixed_chunk_keys", found)
    return found


def text_chunk_keys(x: Any) -> Any:
    """The `keys` of a `text_chunk`.

    Like the parser's property of a `text_chunk`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_text_chunk_keys")
    if found is not None:
        return found
    if x._io is None:
        return x._m_text_chunk_keys
    r = Reader.of_stream(x._io, x._parent.keys_start.at + x.ofs_keys)
    found = fresh(
        ChunkedDictionary.DictionaryKeys, x, x, num_keys=x.num_keys, column_type=x.column_type
    )
    parse_dictionary_keys(found, r)
    x._a_text_chunk_keys = found
    x.__dict__.setdefault("_m_text_chunk_keys", found)
    return found


def extent_heads(x: Any) -> tuple[Any, Any]:
    """Where the `heads` of a `chunked_dictionary` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `heads` is not looked at.
    """
    return x.offsets_start, None


def extent_fixed_chunk_keys(x: Any) -> tuple[Any, Any]:
    """Where the `keys` of a `fixed_chunk` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `keys` is not looked at.
    """
    return x._parent.keys_start.at + wide(x.ofs_keys), None


def extent_text_chunk_keys(x: Any) -> tuple[Any, Any]:
    """Where the `keys` of a `text_chunk` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `keys` is not looked at.
    """
    return x._parent.keys_start.at + wide(x.ofs_keys), None
