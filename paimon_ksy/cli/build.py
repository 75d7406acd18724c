"""`paimon-ksy build`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paimon_ksy.build import build_file_index
from paimon_ksy.cli.common import check_output, new_file, read_schema, schema_document
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.output import Node, columns, counted, print_json, print_tree, printable
from paimon_ksy.data_file import columns_of, open_data_file, read_columns
from paimon_ksy.inspect import FileReport, inspect_file
from paimon_ksy.options import FileIndexOptions, parse_index_spec, parse_options
from paimon_ksy.schema import Schema
from paimon_ksy.source import open_source

if TYPE_CHECKING:
    from rich.progress import Progress


def run(
    data_file: str,
    output: str,
    *,
    indexes: Sequence[str],
    options: Sequence[str],
    schema: str | None,
    schema_file: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Build a file index and print what is in it."""
    check_output(output, force)
    wanted = _wanted(indexes, options, schema_file)
    types = read_schema(schema, schema_file)
    started = time.perf_counter()
    with open_data_file(data_file) as file:
        names = list(dict.fromkeys(spec.column for spec in wanted.indexes))
        part = columns_of(file, data_file, names, types)
        types = Schema.from_arrow(part) if types is None else types
        # Without rows it costs nothing, and what is wrong comes out before a big file is read.
        build_file_index(part.empty_table(), types, wanted)
        with _progress() as bar:
            reading = _Task(bar, "reading rows", file.num_rows)
            table = read_columns(file, data_file, part, reading.advance)
            indexing = _Task(bar, "indexing values", table.num_rows * len(wanted.indexes))
            data = build_file_index(table, types, wanted, on_progress=indexing.at)
    with new_file(output) as out:
        out.write(data)
    seconds = time.perf_counter() - started
    with open_source(data) as source:
        report = inspect_file(source, types, top=0)
    if as_json:
        print_json(_json(report, output, table.num_rows, seconds))
    else:
        print_tree(_tree(report, output, table.num_rows, seconds))


def _wanted(
    indexes: Sequence[str], options: Sequence[str], schema_file: str | None
) -> FileIndexOptions:
    """What to build: --index, or --option, or the options in the schema file."""
    if indexes and options:
        raise UsageError("--index and --option say the same: give one of them")
    if indexes:
        return FileIndexOptions.of(map(parse_index_spec, indexes))
    if options:
        given = dict(_option(text) for text in options)
        found = parse_options(given)
        if not found.indexes:
            raise UsageError("no --option lists columns: --option file-index.bitmap.columns=NAME")
        return found
    if schema_file is not None:
        table_options = schema_document(schema_file).get("options") or {}
        if isinstance(table_options, Mapping):
            found = parse_options({str(k): str(v) for k, v in table_options.items()})
            if found.indexes:
                return found
    raise UsageError("say which indexes: --index bitmap:COLUMN")


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--option {text!r}: write KEY=VALUE")
    return key.strip(), value.strip()


class _Task:
    """How much of a step is done, shown by a bar if there is one.

    Rows are counted while reading; while indexing values, of each row one for each index.
    """

    def __init__(self, bar: Progress | None, label: str, total: int | None) -> None:
        self._bar = bar
        self._id = None if bar is None else bar.add_task(label, total=total)

    def advance(self, count: int) -> None:
        """So many more are done."""
        if self._bar is not None and self._id is not None:
            self._bar.advance(self._id, count)

    def at(self, done: int, total: int) -> None:
        """So many of all are done."""
        if self._bar is not None and self._id is not None:
            self._bar.update(self._id, completed=done, total=total)


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on stderr if that is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        yield bar


def _tree(report: FileReport, output: str, num_rows: int, seconds: float) -> Node:
    assert report.file_index is not None
    rows = []
    for column in report.file_index.columns:
        for index in column.indexes:
            version = "" if index.bitmap is None else f"version {index.bitmap.version}"
            distinct = "" if index.bitmap is None else counted(index.bitmap.distinct, "value")
            nulls = "" if index.bitmap is None else counted(index.bitmap.nulls or 0, "null")
            cells = [printable(column.name), index.type, version, distinct, nulls]
            size = "EMPTY" if index.empty else counted(index.size, "byte")
            rows.append([(cell, "") for cell in (*cells, size)])
            rows[-1][0] = (cells[0], "bold cyan")
    facts = f": {counted(report.size, 'byte')} for {counted(num_rows, 'row')} in {seconds:.2f} s"
    children = [Node(line) for line in columns(rows, right=[3, 4, 5])]
    return Node([(printable(output), "bold"), (facts, "")], children)


def _json(report: FileReport, output: str, num_rows: int, seconds: float) -> dict[str, object]:
    assert report.file_index is not None
    return {
        "output": output,
        "bytes": report.size,
        "rows": num_rows,
        "seconds": round(seconds, 3),
        "indexes": [
            {
                "column": column.name,
                "type": index.type,
                "version": None if index.bitmap is None else index.bitmap.version,
                "distinct": None if index.bitmap is None else index.bitmap.distinct,
                "nulls": None if index.bitmap is None else index.bitmap.nulls,
                "bytes": index.size,
            }
            for column in report.file_index.columns
            for index in column.indexes
        ],
    }
