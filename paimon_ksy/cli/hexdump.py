"""A hex dump by field: offset, 16 bytes, and the name and value of the field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paimon_ksy.io.file_format import FieldBytes
from paimon_ksy.pages.text import Line, Span

WIDTH = 16
_COLORS = ("cyan", "green", "yellow", "magenta", "blue")


def hex_lines(fields: Iterable[FieldBytes]) -> Iterator[Line]:
    """Yield the lines of each field; long fields have several."""
    for number, field in enumerate(fields):
        color = "dim" if field.path is None else _COLORS[number % len(_COLORS)]
        yield from field_lines(field, color)


def field_lines(
    field: FieldBytes, color: str, *, mark: str = "", other: FieldBytes | None = None
) -> Iterator[Line]:
    """Yield the lines of a field, each after `mark`; the first one has its label.

    Bytes that differ from those of the field in another file are highlighted.
    """
    cut = " .." if field.at + len(field.data) < field.end else ""
    for at in range(0, max(len(field.data), 1), WIDTH):
        row = field.data[at : at + WIDTH]
        cells: list[Span] = [(row.hex(" "), color)]
        if other is not None:
            cells = list(_apart(row, other.data[at : at + WIDTH], color))
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield [
            (mark, color),
            (f"{field.at + at:08x}  ", "dim"),
            *cells,
            (" " * (WIDTH * 3 - max(len(row) * 3 - 1, 0) + 1), ""),
            (f"{text:<{WIDTH}}  ", "dim"),
            ("" if at else f"{field.label}{cut}", color),
        ]


def _apart(row: bytes, other: bytes, color: str) -> Iterator[Span]:
    """Yield the cells of a line; bytes that differ from the other file's are highlighted."""
    for at, byte in enumerate(row):
        same = at < len(other) and other[at] == byte
        yield (" " if at else ""), ""
        yield f"{byte:02x}", "dim" if same else f"bold {color}"
