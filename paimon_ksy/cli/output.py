"""Print JSON, trees and aligned columns; colours and lines only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from paimon_ksy.cli.options import Color, Given
from paimon_ksy.display import display, printable
from paimon_ksy.messages.answers import Answer, to_json
from paimon_ksy.messages.masking import masked

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

SCHEMA_VERSION = 2
"""The version of the JSON output: it grows when a key changes its name, type or meaning."""

_T = TypeVar("_T")
_AT_ONCE = 1000
"""The number of rows to align, or of numbers to print, at once."""

_PLAIN = frozenset((bool, float, int, str, type(None)))

Span = tuple[str, str]
"""A piece of text and its style, as rich names styles; "" means no style."""
Line = Sequence[Span]


@dataclass(frozen=True)
class Node:
    """A line of a tree, and the nodes below it."""

    line: Line
    children: Iterable[Node] = ()


def print_json(answer: Answer | Mapping[str, Any]) -> None:
    """Print an answer as one indented JSON document; lists of plain values stay on one line."""
    versioned = {"schema_version": SCHEMA_VERSION, **to_json(answer)}
    write_json(versioned, lambda text: sys.stdout.write(masked(text)))
    sys.stdout.write("\n")


def print_json_line(answer: Answer | Mapping[str, Any]) -> None:
    """Print and flush one line of an answer that is a stream of JSON lines."""
    print(masked(json.dumps(to_json(answer))), flush=True)


def write_json(document: Any, write: Any, indent: str = "") -> None:
    """Write indented JSON; lists and objects of plain values stay on one line.

    An iterator is written part by part, as one list of plain values.
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
        if isinstance(part[0], Answer):
            text = ",\n".join(json.dumps(one.to_json()) for one in part)
        else:
            text = json.dumps(part)[1:-1]
        write((", " if at else "") + text)
    write("]")


def chunks(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """Yield the items in lists of `size`."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def is_terminal() -> bool:
    """Return whether to format output for a terminal; --color and FORCE_COLOR can force it."""
    return is_watched() or Given.color is Color.ALWAYS or bool(os.environ.get("FORCE_COLOR"))


def is_watched() -> bool:
    """Return whether stdout is a terminal; only then, output is shortened."""
    return sys.stdout.isatty()


def terminal_width() -> int | None:
    """Return the width of the terminal; None, without a limit, if stdout is not a terminal."""
    return _console().width if is_terminal() else None


def can_print(text: str) -> bool:
    """Return whether the encoding of stdout supports these characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def most_shown(asked: int | None, on_terminal: int, *, as_json: bool = False) -> int | None:
    """Return the number of items of a list to show; None means all.

    Args:
        asked: The number that the user asked for, if any.
        on_terminal: The number to show on a terminal.
        as_json: Whether the output is JSON, which is always complete.
    """
    if asked is not None:
        return asked
    return on_terminal if is_watched() and not as_json else None


def shortened(text: str, width: int, *, exact: bool = False) -> str:
    """Return the text as `print_lines` shows it; on a terminal, cut it to this width."""
    text = printable(text) if exact else display(text)
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
    """Print lines of text without wrapping them. With `exact`, secrets are not masked."""
    lines = (_shown(line, printable if exact else display) for line in lines)
    if not is_terminal():
        for line in lines:
            print(_plain(line))
        return
    from rich.text import Text

    for line in lines:
        _console().print(Text.assemble(*line), soft_wrap=True)


def print_note(text: str, style: str = "dim") -> None:
    """Print a line about an answer, unless --quiet is set."""
    if not Given.quiet:
        print_lines([[(text, style)]])


def print_tree(root: Node) -> None:
    """Print a tree, with guides on a terminal, and indented by two spaces elsewhere."""
    if not is_terminal():
        print_lines(_indented(root, ""))
        return
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text.assemble(*_shown(root.line, display)), guide_style="dim")
    _grow(tree, root)
    _console().print(tree)


def _grow(tree: Tree, node: Node) -> None:
    from rich.text import Text

    for child in node.children:
        _grow(tree.add(Text.assemble(*_shown(child.line, display), overflow="fold")), child)


def _indented(node: Node, indent: str) -> Iterator[Line]:
    yield [(indent, ""), *node.line]
    for child in node.children:
        yield from _indented(child, indent + "  ")


def _shown(line: Line, show: Callable[[str], str]) -> list[Span]:
    return [(show(text), style) for text, style in line]


def _plain(line: Line) -> str:
    return "".join(text for text, _ in line).rstrip()


def columns(
    rows: Sequence[Sequence[Span]], *, right: Iterable[int] = (), widths: Sequence[int] = ()
) -> list[Line]:
    """Return rows of cells as aligned lines, with two spaces between columns.

    Args:
        rows: The cells of each row.
        right: The indexes of the columns to align right.
        widths: The widths of the columns, if they are known.
    """
    rows = [_shown(row, printable) for row in rows]
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
    """Return the width of a text on a terminal; wide characters take two columns."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def number(value: int) -> str:
    """Format an integer with commas between thousands."""
    return f"{value:,}"


PLAN = "plan; nothing has changed"
"""The result of a destructive command without --yes."""

PLANNED: Line = [("to apply this plan, add --yes", "bold")]
"""The last line of a destructive command without --yes."""
