# Generated from specs/file_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of file_index.

Apache Paimon file index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE

from ..parsers.file_index import FileIndex

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
        looked=True,
        measured=True,
    ),
    Object("head_end", "position", args={"at": "_io.pos"}, measured=True),
    computed={
        "len_head": Measure("length", "head", lambda s, n: n + s.head_start.at),
    },
)

make_file_index = FILE_INDEX_TYPE.make


FILE_INDEX_HEAD_TYPE = Type(
    FileIndex.FileIndexHead,
    "file_index_head",
    Number("num_columns", S4BE, least=0, small=True),
    Repeat(Object("columns", "file_index_column"), count="num_columns"),
    Number("len_redundant", S4BE, least=0, when=lambda s: not s._io.eof, to_end=True, small=True),
    Bytes(
        "redundant", size="len_redundant", when=lambda s: not s._io.eof, to_end=True, measured=True
    ),
    computed={
        "num_columns": Measure("count", "columns"),
        "len_redundant": Measure("length", "redundant"),
    },
)

make_file_index_head = FILE_INDEX_HEAD_TYPE.make


FILE_INDEX_COLUMN_TYPE = Type(
    FileIndex.FileIndexColumn,
    "file_index_column",
    Object("name", "java_utf8"),
    Number("num_indexes", S4BE, least=0, small=True),
    Repeat(Object("indexes", "file_index_entry"), count="num_indexes"),
    computed={
        "num_indexes": Measure("count", "indexes"),
    },
)

make_file_index_column = FILE_INDEX_COLUMN_TYPE.make


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

make_file_index_entry = FILE_INDEX_ENTRY_TYPE.make
