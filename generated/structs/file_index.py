# Generated from file_index.ksy by `ksykit generate`. Do not edit.
"""Objects of file_index: Apache Paimon file index."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE
from ksykit.runtime.rows import Bytes, Many, Maybe, Nested, Number, Object, One, Repeat, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .java_utf8 import JavaUtf8
    from .position import Position


class FileIndex(Struct, of="file_index"):
    """The indexes of one data file.

    Attributes:
        magic: 1493475289347502 as an int64, the same in each file index.
        len_head: Length in bytes from the start of the file to the end of the head.
        head: The columns, their indexes, and where these are.
    """

    magic: One[bytes] = Bytes(contents=b"\x00\x05NN\xd0\x1a5\xae")
    version: One[int] = Number(S4BE, equal=1)
    len_head: One[int] = Number(S4BE, least=20, value=lambda s: s._position("head_end"))
    head_start: Nested[Position] = Object(
        "position", args={"at": "_io.pos"}, looked=True, role="length",
    )  # fmt: skip
    head: Nested[FileIndexHead] = Object(
        "file_index_head", size=lambda s: s.len_head - s.head_start.at, looked=True,
        measured=True,
    )  # fmt: skip
    head_end: Nested[Position] = Object("position", args={"at": "_io.pos"}, measured=True)
    _derived: ClassVar = {"len_head": Measure("length", "head", lambda s, n: n + s.head_start.at)}


class FileIndexHead(Struct, of="file_index_head"):
    """A `file_index_head`.

    Attributes:
        len_redundant: Reserved for later versions, and 0 in this one.
        redundant: Reserved for later versions.
    """

    num_columns: One[int] = Number(S4BE, least=0, small=True)
    columns: Many[FileIndexColumn] = Repeat(Object("file_index_column"), count="num_columns")
    len_redundant: Maybe[int] = Number(
        S4BE, least=0, when=lambda s: not s._io.eof, to_end=True, small=True,
    )  # fmt: skip
    redundant: Maybe[bytes] = Bytes(
        size="len_redundant", when=lambda s: not s._io.eof, to_end=True, measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "num_columns": Measure("count", "columns"),
        "len_redundant": Measure("length", "redundant"),
    }


class FileIndexColumn(Struct, of="file_index_column"):
    """A column of the table, or one key of a MAP column, which is named `column[key]`.

    Attributes:
        name: The name of the column.
        indexes: The indexes of the column.
    """

    name: Nested[JavaUtf8] = Object("java_utf8")
    num_indexes: One[int] = Number(S4BE, least=0, small=True)
    indexes: Many[FileIndexEntry] = Repeat(Object("file_index_entry"), count="num_indexes")
    _derived: ClassVar = {"num_indexes": Measure("count", "indexes")}


class FileIndexEntry(Struct, of="file_index_entry"):
    """One index of a column.

    Attributes:
        index_type: `bitmap`, `bloom-filter`, `bsi`, `range-bitmap`, or a type that a plug-in adds.
        ofs_body: Start of the body, counted from the start of the file. -1 means EMPTY: no row was
            written to the index, and it has no body.
        len_body: Length of the body in bytes, or 0 if EMPTY.
        body: The index itself, in the layout of its index type.
    """

    index_type: Nested[JavaUtf8] = Object("java_utf8")
    ofs_body: One[int] = Number(
        S4BE, least=-1, value=lambda s: s._position("body") if s._is_set("body") else -1,
        decides=True,
    )  # fmt: skip
    len_body: One[int] = Number(
        S4BE, value=lambda s: s._length("body") if s._is_set("body") else 0, small=True,
        decides=True,
    )  # fmt: skip
    body: Maybe[bytes] = Bytes(
        size="len_body", at="ofs_body", stream="_root._io", when=lambda s: not s.is_empty,
        measured=True, needs_parent=True,
    )  # fmt: skip
    is_empty = Value(lambda s: s.ofs_body == -1)
    _derived: ClassVar = {
        "len_body": Measure("length", "body"),
        "ofs_body": Measure("position", "body"),
    }


make_file_index = FileIndex
make_file_index_head = FileIndexHead
make_file_index_column = FileIndexColumn
make_file_index_entry = FileIndexEntry
