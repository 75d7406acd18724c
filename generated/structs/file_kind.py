# Generated from file_kind.ksy by `ksykit generate`. Do not edit.
"""Objects of file_kind: Kind of a file in a Paimon table."""

from __future__ import annotations

from ksykit.runtime.json_values import U4LE
from ksykit.runtime.rows import Bytes, Nested, Number, Object, One, Value
from ksykit.runtime.structs import Struct


class FileKind(Struct, of="file_kind", sized=True):
    """The first and the last bytes of a file in a table.

    Attributes:
        start: The first bytes.
        content: All other bytes.
        last: The last bytes.
    """

    start: Nested[FileStart] = Object("file_start")
    content: One[bytes] = Bytes(size=lambda s: s._io.size - 12)
    last: Nested[FileEnd] = Object("file_end")


class FileStart(Struct, of="file_start"):
    """A `file_start`.

    Attributes:
        number: The first four bytes as a number.
        magic: The kind of the file, if the enum lists the number.
        short_magic: The magic number of ORC files, which has only three bytes.
        len_start: Size of the magic number in bytes.
    """

    number: One[int] = Number(U4LE)
    magic = Value("number")
    short_magic = Value(lambda s: s.number & 16777215)
    len_start = Value(4)


class FileEnd(Struct, of="file_end"):
    """A `file_end`.

    Attributes:
        number_before: In BTree indexes, the version.
        number: In FM indexes, a checksum.
        magic: The kind of the file, if the enum lists the number.
        magic_before: The magic number of FM indexes.
        len_end: Size of both numbers in bytes.
    """

    number_before: One[int] = Number(U4LE)
    number: One[int] = Number(U4LE)
    magic = Value("number")
    magic_before = Value("number_before")
    len_end = Value(8)


make_file_kind = FileKind
make_file_start = FileStart
make_file_end = FileEnd
