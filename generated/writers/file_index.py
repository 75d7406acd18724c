# Generated from specs/file_index.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of file_index.

Apache Paimon file index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE

from ..parsers.file_index import FileIndex
from ..parsers.java_utf8 import JavaUtf8

FILE_INDEX_TYPE = Type(
    FileIndex,
    "file_index",
    Bytes("magic", contents=b"\x00\x05NN\xd0\x1a5\xae"),
    Number("version", S4BE, equal=1),
    Number("len_head", S4BE, least=20, value=lambda s: s._position("head_end")),
    Object("head_start", "position", args={"at": "_io.pos"}, looked=True, role="length"),
    Object(
        "head",
        "file_index_head",
        size=lambda s: s.len_head - s.head_start.at,
        measured=True,
        looked=True,
    ),
    Object("head_end", "position", args={"at": "_io.pos"}, measured=True),
    computed={
        "len_head": Measure("length", "head", lambda s, n: n + s.head_start.at),
    },
)


def make_file_index(
    *,
    magic: bytes | None = None,
    version: int | None = None,
    len_head: int | None = None,
    head: FileIndex.FileIndexHead | bytes | None = None,
) -> Any:
    """Return a new `file_index`; what is None is computed when it is written.

    The indexes of one data file. The head lists the indexes of each column and
    their positions. The bodies of the indexes follow, one after another. Paimon
    stores this file next to the data file as `<data file>.index`. If it is not
    larger than `file-index.in-manifest-threshold`, it is embedded in the
    manifest entry instead.

    The file contains the names of columns and index types, but not the column
    types. A reader needs the table's schema to interpret a body. The format has
    no checksum.

    The Java reader uses `len_head` only to find the end of the head. It ignores
    bytes after the listed columns, and bytes after the last body. If a column is
    listed twice, the indexes of both entries count. If an index type is listed
    twice for a column, only the last entry counts.
    """
    return FILE_INDEX_TYPE.new(locals())


FILE_INDEX_HEAD_TYPE = Type(
    FileIndex.FileIndexHead,
    "file_index_head",
    Number("num_columns", S4BE, least=0, small=True),
    Objects("columns", "file_index_column", count="num_columns"),
    Number("len_redundant", S4BE, least=0, when=lambda s: not s._io.eof, to_end=True, small=True),
    Bytes(
        "redundant", size="len_redundant", when=lambda s: not s._io.eof, to_end=True, measured=True
    ),
    deciding=None,
    computed={
        "num_columns": Measure("count", "columns"),
        "len_redundant": Measure("length", "redundant"),
    },
)


def make_file_index_head(
    *,
    num_columns: int | None = None,
    columns: Sequence[FileIndex.FileIndexColumn | bytes] | None = None,
    len_redundant: int | None = None,
    redundant: bytes | None = None,
) -> Any:
    """Return a new `file_index_head`; what is None is computed when it is written."""
    return FILE_INDEX_HEAD_TYPE.new(locals())


FILE_INDEX_COLUMN_TYPE = Type(
    FileIndex.FileIndexColumn,
    "file_index_column",
    Object("name", "java_utf8"),
    Number("num_indexes", S4BE, least=0, small=True),
    Objects("indexes", "file_index_entry", count="num_indexes"),
    computed={
        "num_indexes": Measure("count", "indexes"),
    },
)


def make_file_index_column(
    *,
    name: JavaUtf8 | bytes | None = None,
    num_indexes: int | None = None,
    indexes: Sequence[FileIndex.FileIndexEntry | bytes] | None = None,
) -> Any:
    """Return a new `file_index_column`; what is None is computed when it is written.

    A column of the table, or one key of a MAP column, which is named
    `column[key]`.
    """
    return FILE_INDEX_COLUMN_TYPE.new(locals())


FILE_INDEX_ENTRY_TYPE = Type(
    FileIndex.FileIndexEntry,
    "file_index_entry",
    Object("index_type", "java_utf8"),
    Number(
        "ofs_body",
        S4BE,
        least=-1,
        value=lambda s: s._position("body") if s._is_set("body") else -1,
        decides=True,
    ),
    Number(
        "len_body",
        S4BE,
        value=lambda s: s._length("body") if s._is_set("body") else 0,
        small=True,
        decides=True,
    ),
    Bytes(
        "body",
        size="len_body",
        at="ofs_body",
        stream="_root._io",
        when=lambda s: not s.is_empty,
        measured=True,
        needs_parent=True,
    ),
    computed={
        "len_body": Measure("length", "body"),
        "ofs_body": Measure("position", "body"),
    },
    values={
        "is_empty": lambda s: s.ofs_body == -1,
    },
)


def make_file_index_entry(
    *,
    index_type: JavaUtf8 | bytes | None = None,
    ofs_body: int | None = None,
    len_body: int | None = None,
    body: bytes | None = None,
) -> Any:
    """Return a new `file_index_entry`; what is None is computed when it is written.

    One index of a column.
    """
    return FILE_INDEX_ENTRY_TYPE.new(locals())
