"""Print sections of a report as a tree: facts on a line, and tables and subsections below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from paimon_ksy.cli.options import Form
from paimon_ksy.cli.output import (
    PLAN,
    Line,
    Node,
    Span,
    can_print,
    cell_width,
    columns,
    print_json,
    print_tree,
    shortened,
    terminal_width,
)
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.section import Cell, Section, Strip, Where

BLOCKS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
LEAST = 8
"""The minimum width of a strip, in columns."""

_SHORT = 60  # characters of a value that a terminal shows
_INDENT = 2  # columns before each level of a tree


def show(answer: Answer, form: Form, title: str | None = None, *, more: str = "") -> None:
    """Print an answer: as JSON, or as a tree.

    Args:
        answer: The answer.
        form: The form.
        title: The title of the tree; by default, the values of the answer's title keys.
        more: How to list more items of a list that is cut, such as `--all shows all`.
    """
    if form.is_json:
        print_json(answer)
    else:
        print_tree(section_node(section_of(answer, title, more=more)))


def section_node(section: Section, style: str = "bold", depth: int = 0) -> Node:
    """Return a section as a node of a tree."""
    facts = ", ".join(f"{name} {_text(value)}" for name, value in section.facts if _text(value))
    line: Line = [(section.title, style), (f": {facts}" if facts else "", "")]
    if section.error is not None:
        line = [*line, (", " if facts else ": ", ""), ("broken", "bold red")]
    return Node(line, list(_below(section, depth + 1)))


def summary_node(title: str, summary: Any, nothing: str = "nothing to commit") -> Node:
    """Return a node about a job that commits: its snapshot, `nothing` or its plan, and its work."""
    did = nothing if summary.snapshot is None else f"snapshot {summary.snapshot}"
    plan = f"{PLAN}: would {summary.would}"
    section = section_of(summary, f"{title}: {plan if summary.dry_run else did}")
    return section_node(replace(section, facts=tuple(fact for fact in section.facts if fact[1])))


def _below(section: Section, depth: int) -> Iterator[Node]:
    for where in (value for _, value in section.facts if isinstance(value, Where)):
        if width := strip_width(_INDENT * depth):
            strip = where.strip(width)
            yield Node([strip_span(strip)])
            yield Node([(scale(strip), "dim")])
    if section.rows:
        yield from map(Node, _table(section, depth))
    for below in section.sections:
        yield section_node(below, "cyan", depth)
    for note in section.notes:
        yield Node([(note, "dim")])


def _table(section: Section, depth: int) -> Iterator[Line]:
    """Yield the lines of a table; strips take the rest of the terminal's width."""
    drawn = [at for at in range(len(section.columns)) if _has(section, at, Where)]
    plain = [at for at in range(len(section.columns)) if at not in drawn]
    right = [number for number, at in enumerate(plain) if _has(section, at, int)]
    heads: list[Span] = [(section.columns[at], "dim") for at in plain]
    rows = [heads, *([(_text(row[at]), "") for at in plain] for row in section.rows)]
    strip = None
    if drawn:
        used = sum(max(cell_width(row[at][0]) for row in rows) + 2 for at in range(len(plain)))
        width = strip_width(_INDENT * depth + used)
        for row, cells in zip(rows[1:], section.rows, strict=True):
            where = cells[drawn[0]]
            strip = where.strip(width) if width and isinstance(where, Where) else None
            row.append(("", "") if strip is None else strip_span(strip))
        heads.append(("", ""))
    yield from columns(rows, right=right)
    if strip is not None:
        yield [(scale(strip), "dim")]


def _has(section: Section, at: int, kind: type) -> bool:
    return any(isinstance(row[at], kind) for row in section.rows)


def _text(cell: Cell) -> str:
    if cell is None or isinstance(cell, Where):
        return ""
    return f"{cell:,}" if isinstance(cell, int) else shortened(cell, _SHORT)


# Strips ------------------------------------------------------------------------------------------


def strip_width(before: int) -> int:
    """Return the width of a strip in columns; 0 means no strip, for example in a pipe.

    Args:
        before: The number of columns before the strip.
    """
    columns = terminal_width()
    if columns is None or columns - before < LEAST or not can_print(BLOCKS + NOTHING):
        return 0
    return columns - before


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
