# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of chunked_dictionary, and what is packed at once.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..arrays import Layout, RecordArray, fresh
from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.typed_value import TypedValue

DICTIONARY_CHUNKS_OFS_CHUNKS = np.dtype(">i4")
DICTIONARY_KEYS_OFS_KEYS = np.dtype(">i4")


class FixedChunkArray(RecordArray):
    """Records of type `fixed_chunk` as columns.

    The head of a chunk of values of a fixed size. `chunk-size` limits the
    bytes of a chunk's keys after the first, 16 kB by default. BOOLEAN,
    TINYINT and SMALLINT have 0, so each value is a chunk.
    """

    __slots__ = ("column_type",)

    _params = ("column_type",)
    _decides = "column_type"
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
    def _complete(cls, columns: dict[str, Any]) -> None:
        """Compute the columns that are left out."""
        if columns.get("version") is None:
            columns["version"] = 1

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


class TextChunkArray(RecordArray):
    """Records of type `text_chunk` as columns.

    The head of a chunk of strings. `chunk-size` limits both the bytes of
    the keys after the first and those of their offsets.
    """

    __slots__ = ("column_type",)

    _params = ("column_type",)
    _decides = "column_type"
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
    def _complete(cls, columns: dict[str, Any]) -> None:
        """Compute the columns that are left out."""
        if columns.get("version") is None:
            columns["version"] = 1

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


class DictionaryKeyArray(RecordArray):
    """Records of type `dictionary_key` as columns."""

    __slots__ = ("column_type",)

    _params = ("column_type",)
    _decides = "column_type"
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
