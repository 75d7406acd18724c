# Generated from specs/file_kind.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of file_kind.

Kind of a file in a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Object, Type
from ksykit.runtime.json_values import U4LE

from ..parsers.file_kind import FileKind

FILE_KIND_TYPE = Type(
    FileKind,
    "file_kind",
    Object("start", "file_start"),
    Bytes("content", size=lambda s: s._io.size - 12),
    Object("last", "file_end"),
)

make_file_kind = FILE_KIND_TYPE.make


FILE_START_TYPE = Type(
    FileKind.FileStart,
    "file_start",
    Number("number", U4LE),
    values={
        "magic": "number",
        "short_magic": lambda s: s.number & 16777215,
        "len_start": 4,
    },
)

make_file_start = FILE_START_TYPE.make


FILE_END_TYPE = Type(
    FileKind.FileEnd,
    "file_end",
    Number("number_before", U4LE),
    Number("number", U4LE),
    values={
        "magic": "number",
        "magic_before": "number_before",
        "len_end": 8,
    },
)

make_file_end = FILE_END_TYPE.make
