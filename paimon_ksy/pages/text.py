"""Sections of a report as text: a tree of lines, with facts, aligned tables and strips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from paimon_ksy.display import display, printable
from paimon_ksy.pages.section import Bar, Cell, Section, Strip, Where

Span = tuple[str, str]
"""A piece of text and its style: bold, dim, a colour, or two of these; "" means none."""
Line = Sequence[Span]
BLOCKS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
LEAST = 8
"""The minimum width of a strip, in columns."""
_INDENT = 2  # columns before each level of a tree


@dataclass(frozen=True)
class Node:
    """A line of a tree, and the nodes below it."""

    line: Line
    children: Iterable[Node] = ()

    def lines(self, indent: str = "") -> Iterator[Line]:
        """Yield the lines of the tree, indented by two spaces a level."""
        yield [(indent, ""), *self.line]
        for child in self.children:
            yield from child.lines(indent + " " * _INDENT)


@dataclass(frozen=True)
class Look:
    """How a terminal shows sections.

    Attributes:
        width: The columns of the terminal; None if strips cannot be drawn, as in a pipe.
        most: The most characters of a cell.
    """

    width: int | None = None
    most: int | None = None

    def strip_width(self, before: int) -> int:
        """Return the width of a strip after so many columns; 0 means no strip."""
        width = 0 if self.width is None else self.width - before
        return width if width >= LEAST else 0


PLAIN = Look()
"""The whole text, without strips."""


def text_of_lines(lines: Iterable[Line]) -> str:
    """Return lines as text without styles."""
    return "\n".join("".join(display(text) for text, _ in line).rstrip() for line in lines)


def section_node(
    section: Section, look: Look = PLAIN, *, style: str = "bold", depth: int = 0
) -> Node:
    """Return a section as a node of a tree: facts on a line, and tables and subsections below."""
    texts = [(name, _text(value, look)) for name, value in section.facts]
    facts = ", ".join(f"{name} {text}" for name, text in texts if text)
    line: Line = [(section.title, style), (f": {facts}" if facts else "", "")]
    if section.error is not None:
        line = [*line, (", " if facts else ": ", ""), ("broken", "bold red")]
    return Node(line, list(_below(section, look, depth + 1)))


def _below(section: Section, look: Look, depth: int) -> Iterator[Node]:
    for where in (value for _, value in section.facts if isinstance(value, Where)):
        if width := look.strip_width(_INDENT * depth):
            strip = where.strip(width)
            yield Node([strip_span(strip)])
            yield Node([(scale(strip), "dim")])
    if section.rows:
        yield from map(Node, _table(section, look, depth))
    for below in section.sections:
        yield section_node(below, look, style="cyan", depth=depth)
    for note in section.notes:
        yield Node([(note, "dim")])


def _table(section: Section, look: Look, depth: int) -> Iterator[Line]:
    """Yield the lines of a table; a strip takes the rest of the terminal's width."""
    count = range(len(section.columns))
    drawn = next((at for at in count if _has(section, at, Where)), None)
    plain = [at for at in count if at != drawn]
    right = [number for number, at in enumerate(plain) if _has(section, at, int)]
    heads: list[Span] = [(section.columns[at], "dim") for at in plain]
    rows = [heads, *([(_text(row[at], look), "") for at in plain] for row in section.rows)]
    if drawn is None:
        yield from columns(rows, right=right)
        return
    used = sum(max(cell_width(text) for text, _ in cells) + 2 for cells in zip(*rows, strict=True))
    width = look.strip_width(_INDENT * depth + used)
    strips = [_strip(row[drawn], width) for row in section.rows]
    spans = [("", ""), *(("", "") if strip is None else strip_span(strip) for strip in strips)]
    yield from columns([[*row, span] for row, span in zip(rows, spans, strict=True)], right=right)
    if strips[-1] is not None:
        yield [(scale(strips[-1]), "dim")]


def _strip(cell: Cell, width: int) -> Strip | None:
    return cell.strip(width) if width and isinstance(cell, Where) else None


def _has(section: Section, at: int, kind: type) -> bool:
    return any(isinstance(row[at], kind) for row in section.rows)


def _text(cell: Cell, look: Look) -> str:
    if cell is None or isinstance(cell, Where):
        return ""
    if isinstance(cell, int):
        return f"{cell:,}"
    cell = cell.text if isinstance(cell, Bar) else cell
    text = display(cell)
    return text if look.most is None or len(text) <= look.most else f"{text[: look.most - 3]}..."


# Strips ------------------------------------------------------------------------------------------


def strip_span(strip: Strip) -> Span:
    """Draw a strip: the height of a block is the share of its rows; only 100 % is full."""
    blocks = [
        NOTHING if not count else BLOCKS[-1] if count == size else BLOCKS[7 * count // size]
        for count, size in zip(strip.counts, strip.sizes, strict=True)
    ]
    return "".join(blocks), "cyan"


def scale(strip: Strip) -> str:
    """Return a legend that explains a block of the strip."""
    sizes = sorted(set(strip.sizes))
    rows = f"rows 0 to {strip.num_rows - 1:,}"
    if sizes == [1]:
        return f"{rows}, each block one row"
    each = " or ".join(map("{:,}".format, sizes))
    return f"{rows}, each block {each}: {BLOCKS[0]} one or more, {BLOCKS[-1]} all"


# Columns --------------------------------------------------------------------------------------


def columns(rows: Sequence[Sequence[Span]], *, right: Iterable[int] = ()) -> list[Line]:
    """Return rows of cells as lines with columns two spaces from each other, some aligned right."""
    rows = [[(printable(text), style) for text, style in row] for row in rows]
    widths = [max(cell_width(text) for text, _ in cells) for cells in zip(*rows, strict=True)]
    flush_right = set(right)
    lines: list[Line] = []
    for row in rows:
        line: list[Span] = []
        for number, (text, style) in enumerate(row):
            padding = " " * (widths[number] - cell_width(text))
            cell = [(padding, ""), (text, style)]
            line += cell if number in flush_right else cell[::-1]
            line.append(("  ", ""))
        lines.append(line[:-1])
    return lines


def cell_width(text: str) -> int:
    """Return the width of a text on a terminal; wide characters take two columns."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)
