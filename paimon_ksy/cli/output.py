"""Printing: JSON, trees and aligned columns; with colours and lines on a terminal only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from paimon_ksy.cli.given import Color, Given
from paimon_ksy.messages.masking import hidden

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

SCHEMA_VERSION = 1
"""Of the JSON that commands print: it grows when a key changes its name, type or meaning."""

_T = TypeVar("_T")
_AT_ONCE = 1000
"""Rows that are aligned, or numbers that are printed, at once."""

_PLAIN = frozenset((bool, float, int, str, type(None)))

Span = tuple[str, str]
"""A piece of text and its style, as rich names styles; "" for none."""
Line = Sequence[Span]


@dataclass(frozen=True)
class Node:
    """A line of a tree and what is below it."""

    line: Line
    children: Iterable[Node] = ()


def printable(text: str) -> str:
    """Return the text with everything escaped that could move the cursor or is not a character."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def print_json(document: Mapping[str, Any]) -> None:
    """Print an answer as one JSON document, indented; lists of plain values stay on one line."""
    versioned = {"schema_version": SCHEMA_VERSION, **document}
    write_json(versioned, lambda text: sys.stdout.write(hidden(text)))
    sys.stdout.write("\n")


def print_json_line(document: Mapping[str, Any]) -> None:
    """Print one line of an answer that is a stream of JSON lines, as soon as it is known."""
    print(hidden(json.dumps(document)), flush=True)


def write_json(document: Any, write: Any, indent: str = "") -> None:
    """Write indented JSON, with lists and objects of plain values only on one line.

    What an iterator returns is written as one list of plain values, part by part.
    """
    if isinstance(document, Iterator):
        _write_list(document, write)
        return
    inner = indent + "  "
    if isinstance(document, dict):
        if len(document) <= 4 and _PLAIN.issuperset(map(type, document.values())):
            write("{" + ", ".join([_key(k) + _scalar(v) for k, v in document.items()]) + "}")
            return
        before = "{\n" + inner
        for key, item in document.items():
            if type(item) in _PLAIN:
                write(before + _key(key) + _scalar(item))
            else:
                write(before + _key(key))
                write_json(item, write, inner)
            before = ",\n" + inner
        write("\n" + indent + "}")
    elif not isinstance(document, list | tuple):
        write(_encode(document))
    elif _PLAIN.issuperset(map(type, document)):
        write("[" + ", ".join(map(_scalar, document)) + "]")
    else:
        before = "[\n" + inner
        for item in document:
            write(before)
            write_json(item, write, inner)
            before = ",\n" + inner
        write("\n" + indent + "]")


_encode = json.JSONEncoder().encode


def _scalar(value: Any) -> str:
    return str(value) if type(value) is int else _encode(value)


@lru_cache
def _key(name: str) -> str:
    return _encode(name) + ": "


def _write_list(items: Iterator[Any], write: Any) -> None:
    write("[")
    for at, part in enumerate(chunks(items, _AT_ONCE)):
        text = json.dumps(part)[1:-1]
        if isinstance(part[0], dict):
            text = ",\n".join(map(json.dumps, part))
        write((", " if at else "") + text)
    write("]")


def chunks(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield the items in lists of so many."""
    left = iter(items)
    while chunk := list(islice(left, size)):
        yield chunk


def is_terminal() -> bool:
    """Return whether output is for a person; --color and FORCE_COLOR ask for that elsewhere."""
    return is_watched() or Given.color is Color.ALWAYS or bool(os.environ.get("FORCE_COLOR"))


def is_watched() -> bool:
    """Return whether stdout is a terminal: nothing is left out, or cut, anywhere else."""
    return sys.stdout.isatty()


def terminal_width() -> int | None:
    """Return the columns of a terminal; None if the output is for no terminal, and has no limit."""
    return _console().width if is_terminal() else None


def can_print(text: str) -> bool:
    """Return whether the encoding of stdout has these characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def most_shown(asked: int | None, on_terminal: int, *, as_json: bool = False) -> int | None:
    """Return how many items of a list to show, None for all.

    Args:
        asked: The number that the user asked for, if any.
        on_terminal: The number to show on a terminal.
        as_json: Whether JSON is printed, which is always complete.
    """
    if asked is not None:
        return asked
    return on_terminal if is_watched() and not as_json else None


def shortened(text: str, width: int) -> str:
    """Return the text, on a terminal cut to this width."""
    if len(text) <= width or not is_watched():
        return text
    return f"{text[: width - 3]}..."


def _console() -> Console:
    return _console_of(Given.color)


@cache
def _console_of(color: Color) -> Console:
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    if color is not Color.AUTO:
        plain = color is Color.NEVER
    return Console(
        color_system=None if plain else "standard" if color is Color.ALWAYS else "auto",
        no_color=plain,
        force_terminal=True,
        highlight=False,
        markup=False,
        emoji=False,
    )


def print_lines(lines: Iterable[Line], *, exact: bool = False) -> None:
    """Print lines of text; long ones are not wrapped. With `exact`, secrets are not masked."""
    lines = lines if exact else map(_hidden, lines)
    if not is_terminal():
        for line in lines:
            print(_plain(line))
        return
    from rich.text import Text

    for line in lines:
        _console().print(Text.assemble(*line), soft_wrap=True)


def print_tree(root: Node) -> None:
    """Print a tree: with guides on a terminal, else indented by two spaces."""
    if not is_terminal():
        print_lines(_indented(root, ""))
        return
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text.assemble(*_hidden(root.line)), guide_style="dim")
    _grow(tree, root)
    _console().print(tree)


def _grow(tree: Tree, node: Node) -> None:
    from rich.text import Text

    for child in node.children:
        _grow(tree.add(Text.assemble(*_hidden(child.line), overflow="fold")), child)


def _indented(node: Node, indent: str) -> Iterator[Line]:
    yield [(indent, ""), *node.line]
    for child in node.children:
        yield from _indented(child, indent + "  ")


def _hidden(line: Line) -> Line:
    return [(hidden(text), style) for text, style in line]


def _plain(line: Line) -> str:
    return "".join(text for text, _ in line).rstrip()


def aligned(rows: Iterable[Sequence[Span]], *, right: Iterable[int] = ()) -> Iterator[Line]:
    """Yield rows of cells as lines, in columns that get wider where later cells are."""
    flush_right, widest = set(right), [0]
    for part in chunks(rows, _AT_ONCE):
        widths = [max(cell_width(text) for text, _ in cells) for cells in zip(*part, strict=True)]
        widest = list(map(max, widths, widest)) if len(widest) == len(widths) else widths
        yield from columns(part, right=flush_right, widths=widest)


def columns(
    rows: Sequence[Sequence[Span]], *, right: Iterable[int] = (), widths: Sequence[int] = ()
) -> list[Line]:
    """Return rows of cells as aligned lines, two spaces between.

    Args:
        rows: The cells of each row.
        right: The numbers of the columns that are flush right.
        widths: The widths of the columns, if they are known.
    """
    widths = widths or [
        max(cell_width(text) for text, _ in cells) for cells in zip(*rows, strict=True)
    ]
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
    """Return how many columns of a terminal a text takes: wide characters take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def number(value: int) -> str:
    """Format an integer with a comma at each thousand."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """Return a number with its noun: `1 row`, `2,000 rows`."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


PLAN = "plan; nothing has changed"
"""What a command that destroys prints without --yes, which it then names."""

PLANNED: Line = [("to do this, add --yes", "bold")]
"""Its last line."""


def commit_line(snapshot: int | None, *, dry_run: bool, nothing: str = "nothing to commit") -> str:
    """Return what came of a job that commits once: a snapshot, `nothing`, or its plan."""
    if dry_run:
        return PLAN
    return nothing if snapshot is None else f"snapshot {snapshot}"
