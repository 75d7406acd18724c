"""A hex dump by field: offset, bytes, and the name and value of the field.

A line has 16 bytes and the whole label. On narrow terminals, lines have fewer bytes, and labels are
wrapped in their column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from paimon_ksy.cli.output import Line, Span, terminal_width
from paimon_ksy.inspection.inspect import FieldBytes
from paimon_ksy.io.source import Source

if TYPE_CHECKING:
    from paimon_ksy.inspection.byte_map import HexField

WIDTH = 16
MAX_TEXT = 40  # bytes of a string that a label contains
_COLORS = ("cyan", "green", "yellow", "magenta", "blue")
_NARROWER = (8, 4)  # bytes per line on narrow terminals
_LABEL = 30  # minimum width of labels, in columns
_FOLDS = re.compile(r"[^. ]*[. ]?")


def hex_lines(source: Source, fields: Iterable[HexField]) -> Iterator[Line]:
    """Yield the lines of each field; long fields have several."""
    for number, field in enumerate(fields):
        color = "dim" if field.path is None else _COLORS[number % len(_COLORS)]
        data = source.read(field.start, field.end - field.start)
        yield from field_lines(field.start, data, label_of(field.path, field.value), color)


def field_lines(
    start: int, data: bytes, label: str, color: str, *, mark: str = "", other: bytes | None = None
) -> Iterator[Line]:
    """Yield the lines of a field.

    Args:
        start: The offset of `data` in the file.
        data: The bytes of the field.
        label: The text beside the bytes.
        color: The style of bytes and label.
        mark: The prefix of each line.
        other: The bytes in another file; bytes of `data` that differ are highlighted.
    """
    width, room = _layout(len(mark))
    labels = [label] if room is None else list(_folded(label, room))
    rows = range(0, max(len(data), 1), width)
    for at, text in zip_longest(rows, labels, fillvalue=None):
        row = b"" if at is None else data[at : at + width]
        place = "" if at is None else f"{start + at:08x}"
        cells: list[Span] = [(row.hex(" "), color)]
        if other is not None and at is not None:
            cells = list(_apart(row, other[at : at + width], color))
        padding = " " * (width * 3 - max(len(row) * 3 - 1, 0) + 1)
        ascii_width = f"{_ascii(row):<{width}}  "
        yield [
            (mark, color),
            (f"{place:<8}  ", "dim"),
            *cells,
            (padding, ""),
            (ascii_width, "dim"),
            (text or "", color),
        ]


def _layout(before: int) -> tuple[int, int | None]:
    """Return the number of bytes per line, and the width of labels; None means unlimited."""
    columns = terminal_width()
    if columns is None:
        return WIDTH, None
    for width in (WIDTH, *_NARROWER):
        room = columns - before - (8 + 2 + width * 3 + 1 + width + 2)
        if room >= _LABEL:
            break
    return width, max(room, 8)


def _folded(label: str, room: int) -> Iterator[str]:
    """Yield pieces of a label that fit into `room` columns, split after dots and spaces."""
    line = ""
    for piece in _FOLDS.findall(label):
        if line and len(line) + len(piece.rstrip()) > room:
            yield line.rstrip()
            line = ""
        line += piece
        while len(line.rstrip()) > room:
            yield line[:room]
            line = line[room:]
    if line.strip():
        yield line.rstrip()


def _apart(row: bytes, other: bytes, color: str) -> Iterator[Span]:
    """Yield the cells of a line; bytes that differ from the other file's are highlighted."""
    for at, byte in enumerate(row):
        same = at < len(other) and other[at] == byte
        yield (" " if at else ""), ""
        yield f"{byte:02x}", "dim" if same else f"bold {color}"


def label_of(path: str | None, value: Any) -> str:
    """Return the label of a field: its path, and its value if it is short."""
    if path is None:
        return "no field"
    if isinstance(value, bytes):
        text = value[:MAX_TEXT].decode("utf-8", "replace")
        if len(value) > MAX_TEXT or not text.isprintable() or "\ufffd" in text:
            return path
        value = repr(text)
    return path if value is None else f"{path} = {value}"


def _ascii(row: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)


def hex_bytes(source: Source, fields: Iterable[HexField]) -> Iterator[FieldBytes]:
    """Yield the fields with their bytes."""
    for field in fields:
        data = source.read(field.start, field.end - field.start)
        yield FieldBytes(field.start, field.end, field.path, field.value, field.start, data)
