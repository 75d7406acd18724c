"""Printing: JSON, trees and aligned columns; with colours and lines on a terminal only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

Span = tuple[str, str]
"""A piece of text and its style, as rich names styles; "" for none."""
Line = Sequence[Span]


@dataclass(frozen=True)
class Node:
    """A line of a tree and what is below it."""

    line: Line
    children: Sequence[Node] = ()


def printable(text: str) -> str:
    """The text with everything escaped that could move the cursor or is no character."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def print_json(document: Any) -> None:
    """One JSON document, indented; lists of plain values stay on one line."""
    write_json(document, sys.stdout.write)
    sys.stdout.write("\n")


def write_json(document: Any, write: Any, indent: str = "") -> None:
    """Write indented JSON, with lists and objects of plain values only on one line."""
    if not isinstance(document, dict | list | tuple) or _is_flat(document):
        write(json.dumps(document, ensure_ascii=True))
        return
    inner = indent + "  "
    is_object = isinstance(document, dict)
    write("{" if is_object else "[")
    items: Iterable[Any] = document.items() if isinstance(document, dict) else document
    for number, item in enumerate(items):
        write(",\n" + inner if number else "\n" + inner)
        if is_object:
            write(json.dumps(item[0]) + ": ")
            item = item[1]
        write_json(item, write, inner)
    write("\n" + indent + ("}" if is_object else "]"))


def _is_flat(document: Any) -> bool:
    if isinstance(document, dict):
        return len(document) <= 4 and not any(isinstance(v, dict | list) for v in document.values())
    return not any(isinstance(item, dict | list | tuple) for item in document)


def is_terminal() -> bool:
    """Whether a person looks at stdout; FORCE_COLOR says yes."""
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


@cache
def _console() -> Console:
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Console(
        color_system=None if plain else "auto",
        force_terminal=True,
        highlight=False,
        markup=False,
        emoji=False,
    )


def print_lines(lines: Iterable[Line]) -> None:
    """Lines of text; long ones are not wrapped."""
    if not is_terminal():
        for line in lines:
            print(_plain(line))
        return
    from rich.text import Text

    for line in lines:
        _console().print(Text.assemble(*line), soft_wrap=True)


def print_tree(root: Node) -> None:
    """A tree: with guides on a terminal, else indented by two spaces."""
    if not is_terminal():
        print_lines(_indented(root, ""))
        return
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text.assemble(*root.line), guide_style="dim")
    _grow(tree, root)
    _console().print(tree)


def _grow(tree: Tree, node: Node) -> None:
    from rich.text import Text

    for child in node.children:
        text = Text.assemble(*child.line, overflow="ellipsis", no_wrap=True)
        _grow(tree.add(text), child)


def _indented(node: Node, indent: str) -> Iterator[Line]:
    yield [(indent, ""), *node.line]
    for child in node.children:
        yield from _indented(child, indent + "  ")


def _plain(line: Line) -> str:
    return "".join(text for text, _ in line).rstrip()


def columns(rows: Sequence[Sequence[Span]], *, right: Iterable[int] = ()) -> list[Line]:
    """Rows of cells as aligned lines, two spaces between; the columns `right` flush right."""
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
    """Columns of a terminal that the text takes: wide characters take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def number(value: int) -> str:
    """An integer with a comma at each thousand."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """`1 row`, `2,000 rows`."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def commit_line(snapshot: int | None, *, dry_run: bool, nothing: str = "nothing to commit") -> str:
    """What came of a job that commits once: the snapshot, `nothing` without one, or a dry run."""
    if dry_run:
        return "dry run: nothing is written"
    return nothing if snapshot is None else f"snapshot {snapshot}"
