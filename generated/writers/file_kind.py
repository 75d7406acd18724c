# Generated from specs/file_kind.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of file_kind.

Kind of a file in a Paimon table.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Number,
    Object,
    Type,
)
from paimon_ksy.runtime.json_values import U4LE

from ..parsers.file_kind import FileKind

FILE_KIND_TYPE = Type(
    FileKind,
    "file_kind",
    Object("start", "file_start"),
    Bytes("content", size=lambda s: s._io.size - 12),
    Object("last", "file_end"),
)


def make_file_kind(
    *,
    start: FileKind.FileStart | bytes | None = None,
    content: bytes | None = None,
    last: FileKind.FileEnd | bytes | None = None,
) -> Any:
    """Return a new `file_kind`; what is None is computed when it is written.

    The first and the last bytes of a file in a table. In most files, some of
    them are a magic number, which identifies the kind of the file.

    Other kinds have no magic number, such as bucket indexes, and bitmap global
    indexes of Paimon 1.4. Only the table's index manifest identifies them. In a
    vector file (`deletion_vectors`), the first magic number is at byte 5.
    """
    return FILE_KIND_TYPE.new(locals())


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


def make_file_start(
    *,
    number: int | None = None,
) -> Any:
    """Return a new `file_start`; what is None is computed when it is written."""
    return FILE_START_TYPE.new(locals())


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


def make_file_end(
    *,
    number_before: int | None = None,
    number: int | None = None,
) -> Any:
    """Return a new `file_end`; what is None is computed when it is written."""
    return FILE_END_TYPE.new(locals())
