"""The bytes of a file for a page: a tree of fields, and lines of 16 bytes beside it.

For large files, it contains only the beginning and the end, the starts of indexes, and the bytes of
findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
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

    parents: dict[str, Branch] = field(default_factory=dict)

    def add(self, leaf: Branch, labels: Sequence[str]) -> None:
        """Insert a field below branches with these labels, which span it."""
        self.start, self.end = min(self.start, leaf.start), max(self.end, leaf.end)
        self.wrong = self.wrong or leaf.wrong
        if not labels:
            self.branches.append(leaf)
            return
        label, *others = labels
        if label not in self.parents:
            self.parents[label] = Branch(label, leaf.start, leaf.end)
            self.branches.append(self.parents[label])
        self.parents[label].add(leaf, others)


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
    wrong_fields = {
        number
        for number, each in enumerate(fields)
        if any(each.start <= byte < each.end for byte in marked)
    }
    root = Branch("", 0, source.size)
    for number, each in enumerate(fields):
        if each.path is not None:
            *labels, label = _labels(each, each.path, spans)
            is_wrong = number in wrong_fields
            leaf = Branch(label, each.start, each.end, number, _text(each.value), is_wrong)
            root.add(leaf, labels)
    lines = tuple(_lines(source, fields, wrong_fields))
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
    cuts = {each.start, each.end}
    if each.path is None:
        here = (at for at in marked if each.start <= at < each.end)
        cuts.update(cut for at in here for cut in (at, at + 1))
    for start, end in pairwise(sorted(cuts)):
        is_alone = each.path is None and start in marked
        yield replace(each, start=start, end=end, path="here" if is_alone else each.path)


def _labels(each: HexField, path: str, spans: Sequence[Span]) -> list[str]:
    """Return the labels of a field and of its parents; those in an index are below its title."""
    for span in spans:
        if span.start <= each.start < span.end and path.startswith(span.prefix):
            return [span.title, *path.removeprefix(span.prefix).split(".")]
    return path.split(".")


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


def _lines(source: Source, fields: Sequence[HexField], wrong_fields: set[int]) -> Iterator[HexLine]:
    shown = 0  # the bytes up to here
    rows = ((at, stop, number) for number, each in enumerate(fields) for at, stop in _rows(each))
    for line, pieces in groupby(rows, key=lambda row: row[0] // WIDTH):
        listed = list(pieces)
        start = listed[0][0]
        yield HexLine(
            line * WIDTH,
            start - shown,
            start % WIDTH,
            tuple(
                Piece(
                    None if fields[number].path is None else number,
                    data.hex(" "),
                    "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in data),
                    number in wrong_fields,
                )
                for at, stop, number in listed
                for data in (source.read(at, stop - at),)
            ),
        )
        shown = listed[-1][1]


def _rows(each: HexField) -> Iterator[tuple[int, int]]:
    """Yield the bytes of a field line by line, as half-open ranges."""
    starts = range(each.start - each.start % WIDTH, each.end, WIDTH)
    return ((max(at, each.start), min(at + WIDTH, each.end)) for at in starts)
