"""Print JSON, trees and aligned columns; colours only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from shutil import get_terminal_size
from typing import Any, TypeVar

import typer

from paimon_ksy.cli.options import SETTINGS, Color, Form
from paimon_ksy.display import display, printable
from paimon_ksy.messages.answers import Answer, to_json
from paimon_ksy.messages.masking import masked
from paimon_ksy.pages.text import Line

SCHEMA_VERSION = 3
"""The version of the JSON output: it grows when a key changes its name, type or meaning."""

_T = TypeVar("_T")
_AT_ONCE = 1000
"""The number of rows to align, or of numbers to print, at once."""

_PLAIN = frozenset((bool, float, int, str, type(None)))


def print_answer(answer: Answer, form: Form, lines: Iterable[Line]) -> None:
    """Print an answer: these lines of text, or one indented JSON document."""
    if not form.is_json:
        print_lines(lines)
        return
    versioned = {"schema_version": SCHEMA_VERSION, **to_json(answer)}
    write_json(versioned, lambda text: sys.stdout.write(masked(text)))
    sys.stdout.write("\n")


def print_json_line(answer: Answer) -> None:
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
    forced = SETTINGS.get().color is Color.ALWAYS or bool(os.environ.get("FORCE_COLOR"))
    return is_watched() or forced


def is_watched() -> bool:
    """Return whether stdout is a terminal; only then, output is shortened."""
    return sys.stdout.isatty()


def terminal_width() -> int | None:
    """Return the width of the terminal; None, without a limit, if stdout is not a terminal."""
    return get_terminal_size().columns if is_terminal() else None


def can_print(text: str) -> bool:
    """Return whether the encoding of stdout supports these characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def most_shown(asked: int | None, on_terminal: int, *, as_json: bool = False) -> int | None:
    """Return the maximum number of items of a list to show; None for all.

    By default, a terminal shows `on_terminal` items. JSON is always complete.
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


def has_colors() -> bool:
    """Return whether to print colours."""
    color = SETTINGS.get().color
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_lines(lines: Iterable[Line], *, exact: bool = False) -> None:
    """Print lines of text without wrapping them. With `exact`, secrets are not masked."""
    show, colors = printable if exact else display, has_colors()
    print_exactly(
        "".join(styled(show(text), style if colors else "") for text, style in line).rstrip()
        for line in lines
    )


def print_exactly(lines: Iterable[str]) -> None:
    """Print lines as they are."""
    # A progress bar puts a proxy in place of stdout, which wraps lines.
    file = getattr(sys.stdout, "rich_proxied_file", sys.stdout)
    file.writelines(f"{line}\n" for line in lines)


def styled(text: str, style: str) -> str:
    """Return a text in a style for terminals."""
    if not style:
        return text
    words = style.split()
    color = next((word for word in words if word not in ("bold", "dim")), None)
    return typer.style(text, color, bold="bold" in words or None, dim="dim" in words or None)


def notes(texts: Iterable[str], style: str = "dim") -> list[Line]:
    """Return lines about an answer; none if --quiet is set."""
    return [] if SETTINGS.get().quiet else [[(text, style)] for text in texts]


PLAN = "plan only"
"""What begins the result of a destructive command without --yes."""

PLANNED: Line = [("to apply this plan, add --yes", "bold")]
"""The last line of a destructive command without --yes."""
