"""`paimon-ksy eval`."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice

from paimon_ksy.cli.common import read_schema
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.output import Line, counted, print_json, print_lines
from paimon_ksy.file_index import FileIndex
from paimon_ksy.selection import Selection
from paimon_ksy.source import open_source
from paimon_ksy.sql import parse_predicate

DEFAULT_LIMIT = 20


def run(
    path: str,
    where: str,
    *,
    schema: str | None,
    schema_file: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """Evaluate a predicate on a file index and print the answer."""
    columns = read_schema(schema, schema_file)
    if columns is None:
        raise UsageError("give the columns' types: --schema 'status STRING' or --schema-file FILE")
    predicate = parse_predicate(where, columns)
    with open_source(path) as source:
        started = time.perf_counter()
        with FileIndex.open(source, columns) as index:
            selection = index.evaluate(predicate)
            if selection.count is None:  # no index was asked; the first one tells
                selection = replace(selection, num_rows=index.num_rows)
            bytes_read = index.bytes_read
        milliseconds = (time.perf_counter() - started) * 1000
        if as_json:
            rows = _positions(selection, limit)
            print_json(
                {
                    "result": selection.kind,
                    "exact": selection.exact,
                    "cardinality": selection.count,
                    "rows": rows,
                    "num_rows": selection.num_rows,
                    "bytes_read": bytes_read,
                    "file_size": source.size,
                    "milliseconds": round(milliseconds, 3),
                }
            )
            return
        cost = f"read {bytes_read:,} bytes of a file of {source.size:,}"
        lines: list[Line] = [_answer(selection), [(f"{cost} in {milliseconds:.1f} ms", "dim")]]
        listed = _positions(selection, DEFAULT_LIMIT if limit is None else limit)
        if listed:
            lines.append([(" ".join(map(str, listed)), "")])
            left = (selection.count or 0) - len(listed)
            if left:
                lines.append([(f"... {left:,} more; --limit {selection.count} lists all", "dim")])
        print_lines(lines)


def _positions(selection: Selection, limit: int | None) -> list[int] | None:
    """Row positions; None for "all", whose positions need no list."""
    if selection.kind == "all":
        return None
    return [] if selection.rows is None else list(islice(selection.rows, limit))


def _answer(selection: Selection) -> Line:
    rows = selection.num_rows
    if selection.kind == "skip":
        return [("skip", "bold yellow"), (": no row matches", "")]
    if selection.kind == "all":
        every = "all rows" if rows is None else f"all {counted(rows, 'row')}"
        told = " match" if selection.exact else " may match; test the predicate on them"
        return [("all", "bold"), (f": {every}{told}", "")]
    told = " match" if selection.exact else " may match; test the predicate on them"
    of = "" if rows is None else f" of {rows:,}"
    return [("rows", "bold green"), (f": {counted(selection.count or 0, 'row')}{of}{told}", "")]
