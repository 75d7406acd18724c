# Generated from specs/file_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of file_index.

Apache Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..parsers.file_index import FileIndex
from ..parsers.java_utf8 import JavaUtf8
from ..parsers.position import Position
from ..runtime import S4BE, Item, RecordArray, Scope, Type, new


def make_file_index(
    *,
    magic: bytes | None = None,
    version: int | None = None,
    len_head: int | None = None,
    head_start: Position | bytes | None = None,
    head: FileIndex.FileIndexHead | bytes | None = None,
    head_end: Position | bytes | None = None,
) -> Any:
    """A new `file_index`; what is None is computed when it is written.

    The indexes of one data file. The head lists the indexes of each column and
    their positions. The bodies of the indexes follow, one after another. Paimon
    stores this file as `<data file>.index` beside the data file. Up to
    `file-index.in-manifest-threshold`, it is inside the manifest entry instead.

    The file names columns and index types, and not the types of the columns. A
    reader needs the table's schema to interpret a body. The format has no
    checksum.

    The Java reader uses `len_head` only to cut out the head. It ignores bytes
    after the listed columns, and bytes after the last body. If a column is listed
    twice, it has the indexes of both entries. If an index type is listed twice
    for a column, the last entry counts.
    """
    return new(
        FileIndex,
        {},
        {
            "magic": magic,
            "version": version,
            "len_head": len_head,
            "head_start": head_start,
            "head": head,
            "head_end": head_end,
        },
        {},
        {},
    )


def write_file_index(s: Scope) -> None:
    """Writes the fields of a `file_index`."""
    s.bytes("magic")
    s.number("version", S4BE)
    s.number("len_head", S4BE)
    s.object("head_start", "position", {"at": s._io.pos})
    s.object("head", "file_index_head", {}, lambda: s.len_head - s.head_start.at)
    s.object("head_end", "position", {"at": s._io.pos})


def make_file_index_head(
    *,
    num_columns: int | None = None,
    columns: list[FileIndex.FileIndexColumn] | RecordArray | None = None,
    len_redundant: int | None = None,
    redundant: bytes | None = None,
) -> Any:
    """A new `file_index_head`; what is None is computed when it is written."""
    return new(
        FileIndex.FileIndexHead,
        {},
        {
            "num_columns": num_columns,
            "columns": columns,
            "len_redundant": len_redundant,
            "redundant": redundant,
        },
        {},
        {},
    )


def write_file_index_head(s: Scope) -> None:
    """Writes the fields of a `file_index_head`."""
    s.number("num_columns", S4BE)
    s.objects("columns", "file_index_column", {}, lambda: s.num_columns)
    if s.given("len_redundant"):
        s.number("len_redundant", S4BE)
    if s.given("redundant"):
        s.bytes("redundant", lambda: s.len_redundant)


def make_file_index_column(
    *,
    name: JavaUtf8 | bytes | None = None,
    num_indexes: int | None = None,
    indexes: list[FileIndex.FileIndexEntry] | RecordArray | None = None,
) -> Any:
    """A new `file_index_column`; what is None is computed when it is written.

    A column of the table, or one key of a MAP column, which is named
    `column[key]`.
    """
    return new(
        FileIndex.FileIndexColumn,
        {},
        {
            "name": name,
            "num_indexes": num_indexes,
            "indexes": indexes,
        },
        {},
        {},
    )


def write_file_index_column(s: Scope) -> None:
    """Writes the fields of a `file_index_column`."""
    s.object("name", "java_utf8", {})
    s.number("num_indexes", S4BE)
    s.objects("indexes", "file_index_entry", {}, lambda: s.num_indexes)


def make_file_index_entry(
    *,
    index_type: JavaUtf8 | bytes | None = None,
    ofs_body: int | None = None,
    len_body: int | None = None,
    body: bytes | None = None,
) -> Any:
    """A new `file_index_entry`; what is None is computed when it is written.

    One index of a column.
    """
    return new(
        FileIndex.FileIndexEntry,
        {},
        {
            "index_type": index_type,
            "ofs_body": ofs_body,
            "len_body": len_body,
        },
        {
            "body": body,
        },
        {},
    )


def write_file_index_entry(s: Scope) -> None:
    """Writes the fields of a `file_index_entry`."""
    s.object("index_type", "java_utf8", {})
    s.number("ofs_body", S4BE)
    s.number("len_body", S4BE)
    s.place(
        "body",
        lambda: s.ofs_body,
        base=lambda: 0,
        size=lambda: s.len_body,
        condition=lambda: not s.is_empty,
        stream=lambda: s._root._io,
    )


TYPES = {
    "file_index": Type(
        name="file_index",
        spec="file_index",
        cls=FileIndex,
        params=(),
        items=(
            Item("magic", "bytes"),
            Item("version", "number", number=S4BE),
            Item("len_head", "number", number=S4BE),
            Item("head_start", "object", type="position"),
            Item("head", "object", type="file_index_head"),
            Item("head_end", "object", type="position"),
        ),
        write=write_file_index,
        values={},
        unset={
            "magic": lambda s: b"\x00\x05NN\xd0\x1a5\xae",
            "version": lambda s: 1,
            "len_head": lambda s: s._position("head_end"),
        },
    ),
    "file_index_head": Type(
        name="file_index_head",
        spec="file_index",
        cls=FileIndex.FileIndexHead,
        params=(),
        items=(
            Item("num_columns", "number", number=S4BE),
            Item("columns", "objects", type="file_index_column"),
            Item("len_redundant", "number", number=S4BE),
            Item("redundant", "bytes"),
        ),
        write=write_file_index_head,
        values={},
        unset={
            "num_columns": lambda s: s._count("columns"),
            "len_redundant": lambda s: s._length("redundant"),
        },
    ),
    "file_index_column": Type(
        name="file_index_column",
        spec="file_index",
        cls=FileIndex.FileIndexColumn,
        params=(),
        items=(
            Item("name", "object", type="java_utf8"),
            Item("num_indexes", "number", number=S4BE),
            Item("indexes", "objects", type="file_index_entry"),
        ),
        write=write_file_index_column,
        values={},
        unset={
            "num_indexes": lambda s: s._count("indexes"),
        },
    ),
    "file_index_entry": Type(
        name="file_index_entry",
        spec="file_index",
        cls=FileIndex.FileIndexEntry,
        params=(),
        items=(
            Item("index_type", "object", type="java_utf8"),
            Item("ofs_body", "number", number=S4BE),
            Item("len_body", "number", number=S4BE),
            Item("body", "bytes", positioned=True),
        ),
        write=write_file_index_entry,
        values={
            "is_empty": lambda s: s.ofs_body == -1,
        },
        unset={
            "ofs_body": lambda s: s._position("body") if s._is_set("body") else -1,
            "len_body": lambda s: s._length("body") if s._is_set("body") else 0,
        },
    ),
}
