# Generated from file_index.ksy by `ksykit generate`. Do not edit.
"""Views of file_index: Apache Paimon file index."""

from typing import Any

from ksykit.runtime.records import (
    MANY_EMPTY,
    Buffer,
    Field,
    Numbers,
    RecordLayout,
    cut,
    window,
    wrong,
)

from .java_utf8 import JAVA_UTF8

_FILE_INDEX_VERSION = Numbers(
    ">ii",
    Field("version", "file_index/seq/1", ">i", equal=1),
    Field("len_head", "file_index/seq/2", ">i", least=20),
)
_FILE_INDEX_HEAD_NUM_COLUMNS = Numbers(
    ">i", Field("num_columns", "file_index/types/file_index_head/seq/0", ">i", least=0)
)
_FILE_INDEX_COLUMN_NUM_INDEXES = Numbers(
    ">i", Field("num_indexes", "file_index/types/file_index_column/seq/1", ">i", least=0)
)
FILE_INDEX_ENTRY = RecordLayout(
    Field("len_value", "java_utf8/seq/0", ">H"),
    Field("value", "java_utf8/seq/1", column="index_type"),
    Field("ofs_body", "file_index/types/file_index_entry/seq/1", ">i", least=-1),
    Field("len_body", "file_index/types/file_index_entry/seq/2", ">i"),
)
_FILE_INDEX_HEAD_LEN_REDUNDANT = Numbers(
    ">i", Field("len_redundant", "file_index/types/file_index_head/seq/2", ">i", least=0)
)


class FileIndexColumn:
    """A column of the table, or one key of a MAP column, which is named `column[key]`."""

    __slots__ = (
        "end", "indexes_index_type", "indexes_len_body", "indexes_ofs_body", "name",
        "num_indexes",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        self.name, p = JAVA_UTF8.one(d, start, p)
        if not 0 <= p <= len(d) - 4:
            raise _FILE_INDEX_COLUMN_NUM_INDEXES.broken(d, start, p, self)
        (self.num_indexes,) = _FILE_INDEX_COLUMN_NUM_INDEXES.unpack_from(d, p)
        if self.num_indexes < 0:
            raise _FILE_INDEX_COLUMN_NUM_INDEXES.broken(d, start, p, self)
        p += 4
        (
            p, self.indexes_index_type, self.indexes_ofs_body, self.indexes_len_body,
        ) = FILE_INDEX_ENTRY.read(d, start, p, self.num_indexes, arrays)  # fmt: skip
        self.end = start + p

    def indexes_is_empty(self, i: Any) -> Any:
        """Return `is_empty` of record i."""
        return self.indexes_ofs_body[i] == -1

    def place_indexes_body(self, i: Any) -> Any:
        """Return where the `body` of record i is: (position, size or None)."""
        return self.indexes_ofs_body[i], self.indexes_len_body[i]


class FileIndexHead:
    """A `file_index_head`."""

    __slots__ = ("columns", "end", "len_redundant", "num_columns", "redundant")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _FILE_INDEX_HEAD_NUM_COLUMNS.broken(d, start, p, self)
        (self.num_columns,) = _FILE_INDEX_HEAD_NUM_COLUMNS.unpack_from(d, p)
        if self.num_columns < 0:
            raise _FILE_INDEX_HEAD_NUM_COLUMNS.broken(d, start, p, self)
        p += 4
        self.columns: list[Any] = []
        first = p
        for _ in range(self.num_columns):
            item = FileIndexColumn(d, start, p)
            p = item.end - start
            self.columns.append(item)
            if len(self.columns) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        self.len_redundant: Any = None
        if p < len(d):
            if not 0 <= p <= len(d) - 4:
                raise _FILE_INDEX_HEAD_LEN_REDUNDANT.broken(d, start, p, self)
            (self.len_redundant,) = _FILE_INDEX_HEAD_LEN_REDUNDANT.unpack_from(d, p)
            if self.len_redundant < 0:
                raise _FILE_INDEX_HEAD_LEN_REDUNDANT.broken(d, start, p, self)
            p += 4
        self.redundant: Any = None
        if p < len(d):
            q = p + self.len_redundant
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.redundant = d[p:q]
            p = q
        self.end = start + p


class FileIndex:
    """The indexes of one data file."""

    __slots__ = ("end", "head", "head_end", "head_start", "len_head", "magic", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        q = p + 8
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"\x00\x05NN\xd0\x1a5\xae":
            raise wrong(
                "the field magic is not b'\\x00\\x05NN\\xd0\\x1a5\\xae'",
                start + p,
                "file_index/seq/0",
                self.magic,
            )
        p = q
        if not 0 <= p <= len(d) - 8:
            raise _FILE_INDEX_VERSION.broken(d, start, p, self)
        (self.version, self.len_head) = _FILE_INDEX_VERSION.unpack_from(d, p)
        if self.version != 1 or self.len_head < 20:
            raise _FILE_INDEX_VERSION.broken(d, start, p, self)
        p += 8
        self.head_start = start + p
        q = p + self.len_head - self.head_start
        self.head = window(FileIndexHead, d, start, p, q - p)
        p = q
        self.head_end = start + p
        self.end = start + p
