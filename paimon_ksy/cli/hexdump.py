"""Bytes, field by field: at which byte, in hexadecimal, which field, what it means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from paimon_ksy.cli.output import Line, printable
from paimon_ksy.io.source import Source

if TYPE_CHECKING:
    from paimon_ksy.inspection.byte_map import HexField

WIDTH = 16
MAX_TEXT = 40  # bytes of a text that a label repeats
_COLORS = ("cyan", "green", "yellow", "magenta", "blue")


def hex_lines(source: Source, fields: Iterable[HexField]) -> Iterator[Line]:
    """Yield a line for each field, more if it is over 16 bytes."""
    for number, field in enumerate(fields):
        color = "dim" if field.path is None else _COLORS[number % len(_COLORS)]
        label = "no field" if field.path is None else _label(field)
        data = source.read(field.start, field.end - field.start)
        for at in range(0, len(data), WIDTH):
            row = data[at : at + WIDTH]
            cells = row.hex(" ").ljust(WIDTH * 3)
            yield [
                (f"{field.start + at:08x}  ", "dim"),
                (cells, color),
                (f" {_ascii(row):<{WIDTH}}  ", "dim"),
                (label if at == 0 else "", color),
            ]


def _label(field: HexField) -> str:
    value = field.value
    if isinstance(value, bytes):
        text = value[:MAX_TEXT].decode("utf-8", "replace")
        if len(value) > MAX_TEXT or not text.isprintable() or "\ufffd" in text:
            return printable(str(field.path))
        value = repr(text)
    return printable(str(field.path) if value is None else f"{field.path} = {value}")


def _ascii(row: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)


def hex_json(source: Source, fields: Iterable[HexField]) -> Iterator[dict[str, Any]]:
    """Yield the fields with their bytes."""
    for field in fields:
        yield {
            "start": field.start,
            "end": field.end,
            "field": field.path,
            "hex": source.read(field.start, field.end - field.start).hex(),
        }
