"""Write rows as JSON lines, CSV or Markdown, or to a data file, for results of any length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import is_watched
from paimon_ksy.display import printable

if TYPE_CHECKING:
    import pyarrow as pa

_SPACE = r"[\x09-\x0d\x1c-\x1f\x{85}\pZ]"
_TO_QUOTE = rf'^$|[",\r\n]|^{_SPACE}|{_SPACE}$'
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
    numeric = [at for at, field in enumerate(schema) if is_number(field.type)]
    # Written with the first row, not before an error.
    head = [f"{line}\n" for line in head_lines(form, schema.names, numeric)]

    def write(batch: pa.RecordBatch) -> None:
        file.writelines(head)
        head.clear()
        for part in parts(batch, AT_ONCE):
            file.write(row_lines(form, part))
        file.flush()

    yield write
    file.writelines(head)


AT_ONCE = 1 << 16
"""The most rows to convert at once."""
_MOST_BYTES = 1 << 26  # of values that are converted at once


def parts(batch: pa.RecordBatch, most: int) -> Iterator[pa.RecordBatch]:
    """Yield a batch in parts of so many rows, or of fewer if they are large."""
    rows = max(1, min(most, _MOST_BYTES * batch.num_rows // max(batch.nbytes, 1)))
    return (batch.slice(at, rows) for at in range(0, batch.num_rows, rows))


def is_number(kind: pa.DataType) -> bool:
    """Return whether the values of a column are numbers, which tables align right."""
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def head_lines(form: RowsForm, names: Sequence[str], numeric: Iterable[int] = ()) -> list[str]:
    """Return the lines above the rows; `numeric` contains the indexes of columns to align right."""
    if form is RowsForm.CSV:
        import pyarrow as pa

        return [_csv(pa.record_batch({name: [name] for name in names})).rstrip("\n")]
    if form is RowsForm.MARKDOWN:
        right = set(numeric)
        rule = ["---:" if at in right else "---" for at in range(len(names))]
        return [_markdown(names), f"| {' | '.join(rule)} |"]
    return []


def row_lines(form: RowsForm, batch: pa.RecordBatch) -> str:
    """Return a line for each row, each with its end.

    CSV follows RFC 4180, but with the system's line ends. A null is empty, an empty string is in
    quotes, and nested values are JSON. On a terminal, control characters are escaped.
    """
    from paimon_ksy.cli.json_rows import json_texts, text_list

    if form is RowsForm.CSV:
        return _csv(batch)
    if form is RowsForm.JSON:
        texts = [json_texts(batch.to_struct_array())] if batch.num_columns else ["{}"]
        return _lines([*texts, "\n"], batch.num_rows)
    columns = [*map(text_list, batch.columns)]
    rows = zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return "".join(f"{_markdown(row)}\n" for row in rows)


def _csv(batch: pa.RecordBatch) -> str:
    texts = list[Any]()
    for column in batch.columns:
        texts += [_quoted(column), ","]
    return _lines([*texts[:-1], "\n"], batch.num_rows)


def _lines(texts: Sequence[Any], rows: int) -> str:
    """Return the texts of all rows; a `str` is in each of them."""
    from paimon_ksy.cli.json_rows import joined
    from paimon_ksy.types.arrays import bytes_of

    if all(isinstance(text, str) for text in texts):
        return "".join(texts) * rows
    data, ends = bytes_of(joined(*texts, null=""))
    return data[ends[0] : ends[-1]].tobytes().decode()


def _quoted(column: pa.Array) -> pa.Array:
    """Return the values of a column as texts, in quotes where CSV needs them."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    from paimon_ksy.cli.json_rows import joined, text_array, text_list, texts

    found = texts(column)
    if types.is_primitive(column.type) or types.is_decimal(column.type):
        return found
    if is_watched():
        found = text_array(text and printable(text) for text in text_list(found))
    odd = pc.match_substring_regex(found, _TO_QUOTE)
    if not pc.any(odd).as_py():
        return found
    return pc.if_else(odd, joined('"', pc.replace_substring(found, '"', '""'), '"'), found)


def _markdown(row: Sequence[str | None]) -> str:
    return f"| {' | '.join('NULL' if text is None else _cell(text) for text in row)} |"


def _cell(text: str) -> str:
    escaped = printable(text) if not text.isprintable() else text
    return _TO_ESCAPE.sub(r"\\\g<0>", escaped)
