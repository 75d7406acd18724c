"""Write rows as JSON lines, CSV or Markdown, or to a data file, for results of any length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import is_watched
from paimon_ksy.display import printable

if TYPE_CHECKING:
    import pyarrow as pa

Row = Sequence[Any]
"""The values of a row, as JSON values."""

_TO_QUOTE = re.compile(r'^$|[",\r\n]|^\s|\s$')
_TO_ESCAPE = re.compile(r"\||<(?=[A-Za-z/!?])")
"""What would end a cell of Markdown, or begin a tag of HTML."""


@contextmanager
def writing(
    file: IO[Any], form: str, schema: pa.Schema
) -> Iterator[Callable[[pa.RecordBatch], object]]:
    """Yield a function that writes batches to a file, which is open for bytes unless for lines."""
    import pyarrow as pa

    if form == "arrow":
        with pa.ipc.new_file(file, schema) as writer:
            yield writer.write
    elif form == "orc":
        import pyarrow.orc as orc

        with orc.ORCWriter(file) as writer:
            writer.write(schema.empty_table())
            yield lambda batch: writer.write(pa.Table.from_batches([batch]))
    elif form == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(file, schema) as writer:
            yield writer.write_batch
    else:
        with _writing_lines(file, RowsForm(form), schema) as write:
            yield write


@contextmanager
def _writing_lines(
    file: IO[str], form: RowsForm, schema: pa.Schema
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    from paimon_ksy.cli.json_rows import json_rows

    numeric = [at for at, field in enumerate(schema) if is_number(field.type)]
    # Written with the first row, not before an error.
    head = head_lines(form, schema.names, numeric)

    def write(batch: pa.RecordBatch) -> None:
        for line in chain(head, row_lines(form, schema.names, json_rows(batch))):
            file.write(f"{line}\n")
        file.flush()
        head.clear()

    yield write
    file.writelines(f"{line}\n" for line in head)


def is_number(kind: pa.DataType) -> bool:
    """Return whether the values of a column are numbers, which tables align right."""
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


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
    return _TO_ESCAPE.sub(r"\\\g<0>", escaped)
