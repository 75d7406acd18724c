# Generated from specs/file_kind.ksy by `ksykit generate`. Do not edit.
"""The types of file_kind: their objects are read, made, changed and written.

Kind of a file in a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.json_values import U4LE
from ksykit.runtime.rows import (
    Bytes,
    Nested,
    Number,
    Object,
    One,
    Value,
)
from ksykit.runtime.structs import Struct


class FileKind(Struct, of="file_kind"):
    """The first and the last bytes of a file in a table."""

    start: Nested[FileStart] = Object("file_start")
    content: One[bytes] = Bytes(size=lambda s: s._io.size - 12)
    last: Nested[FileEnd] = Object("file_end")


class FileStart(Struct, of="file_start"):
    """A `file_start`."""

    number: One[int] = Number(U4LE)
    magic = Value("number")
    short_magic = Value(lambda s: s.number & 16777215)
    len_start = Value(4)


class FileEnd(Struct, of="file_end"):
    """A `file_end`."""

    number_before: One[int] = Number(U4LE)
    number: One[int] = Number(U4LE)
    magic = Value("number")
    magic_before = Value("number_before")
    len_end = Value(8)


make_file_kind = FileKind
make_file_start = FileStart
make_file_end = FileEnd
