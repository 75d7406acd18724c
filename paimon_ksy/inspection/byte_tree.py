"""The bytes of a file for a page: a tree of fields, and lines of 16 bytes beside it.

For large files, it contains only the beginning and the end, the starts of indexes, and the bytes of
findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paimon_ksy.inspection.byte_map import HexField, hex_fields
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema

WIDTH = 16
"""The bytes per line."""
MOST_BYTES = 16 << 10
"""The most bytes to show, so that a page stays small."""
MOST_FIELDS = 8000
"""The most fields to show."""
_AROUND = 128  # bytes before and after the byte of a finding
_MOST_PLACES = 32  # places of findings and of indexes
_TEXT = 48  # characters of a value


@dataclass(frozen=True)
class Span:
    """A named range of bytes in the file: an index."""

    title: str
    start: int
    end: int
    prefix: str


@dataclass
class Branch:
    """A node of the tree: a field with its `number`, or a parent of fields. `end` is exclusive."""

    label: str
    start: int
    end: int
    number: int | None = None
    value: str = ""
    wrong: bool = False
    branches: list[Branch] = field(default_factory=list)


@dataclass(frozen=True)
class Piece:
    """Bytes of a line in one field; `number` is None outside all fields."""

    number: int | None
    hex: str
    text: str
    wrong: bool


@dataclass(frozen=True)
class HexLine:
    """A line of bytes from `at` on, after `skipped` bytes that are not shown."""

    at: int
    skipped: int
    indent: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class ByteTree:
    """The tree and the lines of a file of `size` bytes, which both contain `shown` bytes."""

    size: int
    shown: int
    branches: tuple[Branch, ...]
    lines: tuple[HexLine, ...]
    left_after: int


def byte_tree(
    source: Source,
    kind: FileKind,
    schema: Schema | None,
    spans: Sequence[Span],
    wrong: Iterable[int],
) -> ByteTree:
    """Return the fields and bytes of a file.

    Args:
        source: The file.
        kind: The kind of the file.
        schema: The types of an index's columns.
        spans: The indexes in the file.
        wrong: The bytes of findings.
    """
    marked = {at for at in wrong if 0 <= at < source.size}
    windows = _windows(source.size, [span.start for span in spans], sorted(marked))
    fields: list[HexField] = []
    for start, end in windows:
        for each in hex_fields(source, schema, start, end - start, kind):
            if len(fields) < MOST_FIELDS:
                fields += _split(each, marked)
    root = Branch("", 0, source.size)
    known: dict[tuple[str, ...], Branch] = {}
    for number, each in enumerate(fields):
        if each.path is not None:
            _hang(root, known, number, each, spans, marked)
    _extend(root)
    lines = tuple(_lines(source, fields, marked))
    shown = sum(each.end - each.start for each in fields)
    last = fields[-1].end if fields else 0
    return ByteTree(source.size, shown, tuple(root.branches), lines, source.size - last)


def _windows(size: int, starts: Sequence[int], wrong: Sequence[int]) -> list[tuple[int, int]]:
    """Return the bytes to show, as half-open ranges in order."""
    if size <= MOST_BYTES:
        return [(0, size)] if size else []
    places = sorted(set(starts))[:_MOST_PLACES]
    ranges = [(at - _AROUND, at + _AROUND) for at in wrong[:_MOST_PLACES]]
    ranges += [(0, MOST_BYTES // 4), (size - 2 * _AROUND, size)]
    share = MOST_BYTES // 2 // max(1, len(places))
    ranges += [(at, at + share) for at in places]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        start = max(0, start) // WIDTH * WIDTH
        end = min(size, -(-end // WIDTH) * WIDTH)
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(end, joined.pop()[1])
        if start < end:
            joined.append((start, end))
    return joined


def _split(each: HexField, marked: set[int]) -> Iterator[HexField]:
    """Split bytes outside all fields, so that those of findings stand alone."""
    here = [at for at in sorted(marked) if each.start <= at < each.end]
    if each.path is not None or not here:
        yield each
        return
    at = each.start
    for byte in here:
        if at < byte:
            yield replace(each, start=at, end=byte)
        yield replace(each, start=byte, end=byte + 1, path="here")
        at = byte + 1
    if at < each.end:
        yield replace(each, start=at)


def _hang(
    root: Branch,
    known: dict[tuple[str, ...], Branch],
    number: int,
    each: HexField,
    spans: Sequence[Span],
    marked: set[int],
) -> None:
    """Insert a field into the tree, below a branch for each part of its path."""
    path = each.path or ""
    words = path.split(".")
    for span in spans:
        if span.start <= each.start < span.end and path.startswith(span.prefix):
            words = [span.title, *path.removeprefix(span.prefix).split(".")]
            break
    at = root
    for depth in range(1, len(words)):
        key = tuple(words[:depth])
        if key not in known:
            known[key] = Branch(words[depth - 1], each.start, each.end)
            at.branches.append(known[key])
        at = known[key]
    wrong = any(each.start <= byte < each.end for byte in marked)
    leaf = Branch(words[-1], each.start, each.end, number, _text(each.value), wrong)
    at.branches.append(leaf)


def _extend(branch: Branch) -> None:
    """Make each branch span its children, and mark it as wrong if one of them is."""
    for below in branch.branches:
        _extend(below)
    if branch.branches:
        branch.start = min(below.start for below in branch.branches)
        branch.end = max(below.end for below in branch.branches)
        branch.wrong = any(below.wrong for below in branch.branches)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        text = value[:_TEXT].decode("utf-8", "replace")
        if not text.isprintable() or "\ufffd" in text:
            text = value[:WIDTH].hex(" ")
            return text if len(value) <= WIDTH else f"{text} …"
        return repr(text) if len(value) <= _TEXT else f"{text!r}…"
    text = str(value)
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _lines(source: Source, fields: Sequence[HexField], marked: set[int]) -> Iterator[HexLine]:
    pieces: list[Piece] = []
    begun = at = before = 0

    def line() -> HexLine:
        return HexLine(begun - begun % WIDTH, begun - before, begun % WIDTH, tuple(pieces))

    for number, each in enumerate(fields):
        data = source.read(each.start, each.end - each.start)
        if each.start != at and pieces:
            yield line()
            pieces, before = [], at
        at = each.start
        wrong = any(each.start <= byte < each.end for byte in marked)
        while at < each.end:
            if not pieces:
                begun = at
            stop = min(each.end, at - at % WIDTH + WIDTH)
            row = data[at - each.start : stop - each.start]
            text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
            shown = None if each.path is None else number
            pieces.append(Piece(shown, row.hex(" "), text, wrong))
            at = stop
            if at % WIDTH == 0:
                yield line()
                pieces, before = [], at
    if pieces:
        yield line()
