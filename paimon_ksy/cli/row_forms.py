"""Format rows as JSON lines, CSV or Markdown, one by one, so that an answer can have any length."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import is_watched
from paimon_ksy.display import hidden, printable

Row = Sequence[Any]
"""The values of a row, as JSON values."""

_TO_QUOTE = re.compile(r'^$|[",\r\n]|^\s|\s$')


def head_lines(form: RowsForm, names: Sequence[str], numeric: Iterable[int] = ()) -> list[str]:
    """Return the lines above the rows; `numeric` contains the indexes of columns to align right."""
    if form is RowsForm.CSV:
        return [_csv(names)]
    if form is RowsForm.MARKDOWN:
        right = set(numeric)
        rule = ["---:" if at in right else "---" for at in range(len(names))]
        return [_markdown(names), f"| {' | '.join(rule)} |"]
    return []


def row_lines(form: RowsForm, names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each row.

    CSV follows RFC 4180, but with the system's line ends. A null is empty, an empty string is in
    quotes, and nested values are JSON. On a terminal, control characters are escaped.
    """
    if form is RowsForm.JSON:
        for row in rows:
            yield json.dumps(dict(zip(names, row, strict=True)))
        return
    line = _csv if form is RowsForm.CSV else _markdown
    for row in rows:
        yield line(row)


def print_rows(form: RowsForm, names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Print these keys of records as CSV or Markdown, each record as soon as it is known."""
    for line in head_lines(form, names):
        print(line)
    for row in rows:
        for line in row_lines(form, names, [[row[name] for name in names]]):
            print(hidden(line), flush=True)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return printable(value) if is_watched() else value
    return json.dumps(value, ensure_ascii=False)


def _csv(row: Row) -> str:
    return ",".join("" if value is None else _quoted(_text(value)) for value in row)


def _quoted(text: str) -> str:
    if _TO_QUOTE.search(text) is None:
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _markdown(row: Row) -> str:
    return f"| {' | '.join('NULL' if value is None else _cell(_text(value)) for value in row)} |"


def _cell(text: str) -> str:
    escaped = printable(text) if not text.isprintable() else text
    return escaped.replace("|", r"\|")
