"""`paimon-ksy table advise`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace

from paimon_ksy.cli.common import local
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import (
    Line,
    Span,
    columns,
    most_shown,
    number,
    print_json,
    print_lines,
    shortened,
)
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.row_forms import print_rows
from paimon_ksy.cli.table_source import TableSource
from paimon_ksy.errors import counted
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.candidates import TYPES
from paimon_ksy.table.advise.questions import parse_predicates
from paimon_ksy.table.advise.report import (
    Advice,
    ColumnAdvice,
    PredicateAdvice,
    Skipped,
    amount,
    percent,
)

_STYLES = {"add": "green", "keep": "green", "replace": "yellow", "drop": "yellow", "none": "dim"}
_SHORT = 60  # characters of a predicate that a terminal shows
_LISTED = 60  # indexes or predicates that a terminal lists


def run(
    source: TableSource,
    *,
    sample: int | None,
    predicates: str | None,
    partitions: str | None,
    columns: Sequence[str] | None,
    form: RowsForm,
) -> None:
    """Print the advice on a table's indexes."""
    table = source.open()
    given = None
    if predicates is not None:
        named = "standard input" if predicates == "-" else predicates
        given = parse_predicates(_text(predicates), table.schema, named, table.time_zone or "UTC")
    table.snapshot()  # fails before Spark starts, which takes a while
    with steps() as shown:
        looking = shown.step("measuring", unit="")

        def progress(what: str, done: int, total: int) -> None:
            looking.at(total, done, what)

        advice = advise(
            table,
            sample=sample,
            predicates=given,
            partitions=partitions,
            columns=columns,
            engine=source.made_engine(),
            progress=progress,
        )
    if advice.command is not None:
        command = advice.command + (" --engine spark" if source.on_spark else "")
        advice = replace(advice, command=command)
    if form is RowsForm.JSON:
        print_json(advice)
    elif form is not RowsForm.TABLE:
        names = [field.name for field in fields(ColumnAdvice) if field.name != "indexes"]
        print_rows(form, names, [asdict(column) for column in advice.columns])
    else:
        print_lines(_lines(advice))


def _text(path: str) -> str:
    """Return the text of a file; `-` is standard input. Raises UsageError."""
    try:
        return sys.stdin.read() if path == "-" else local(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError((error.strerror or str(error)).lower(), path=path) from None
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text", path=path) from None


# Printing ---------------------------------------------------------------------------------------


def _lines(advice: Advice) -> Iterator[Line]:
    yield from _head(advice)
    yield []
    yield from _columns(advice)
    yield []
    yield from _indexes(advice)
    if advice.predicates:
        yield []
        yield from _predicates(advice)
    yield []
    yield from _verdicts(advice)
    yield []
    yield from _to_do(advice)


def _head(advice: Advice) -> Iterator[Line]:
    size = f"{counted(advice.files, 'file')}, {counted(advice.rows, 'row')}, {amount(advice.bytes)}"
    yield [(advice.table, "bold"), (f": {size}", "")]
    looked = f"sample: {counted(len(advice.sample), 'file')}, {counted(advice.sample_rows, 'row')}"
    looked += f", {amount(advice.sample_bytes)}"
    if len(advice.sample) == advice.files:
        looked += ": all files" if advice.files > 1 else ": the whole table"
    if advice.in_part:
        looked += ", only the first rows of large files, so queries may skip less than shown"
    yield [(f"{looked}; {advice.seconds:.1f} s", "")]
    source = "typical ones for each column; pass your own with --predicates FILE"
    if not advice.is_typical:
        source = f"{counted(sum(p.weight for p in advice.predicates), 'predicate')} given"
    yield [(f"predicates: {source}", "")]


def _columns(advice: Advice) -> Iterator[Line]:
    head = (
        "column",
        "type",
        "distinct",
        "in a file",
        "nulls",
        "files",
        "groups",
        "pages",
        "min-max",
    )
    rows: list[list[Span]] = [[(text, "bold") for text in head]]
    for column in advice.columns:
        if column.distinct is None:
            continue
        about = "~" if column.is_estimate else ""
        shares = (column.in_files, column.in_row_groups, column.in_pages, column.in_bounds)
        cells = [
            column.column,
            column.type,
            f"{about}{number(column.distinct)}",
            number(column.distinct_in_file or 0),
            percent(column.nulls or 0),
            *("" if share is None else percent(share) for share in shares),
        ]
        rows.append([(text, "") for text in cells])
    yield from columns(rows, right=range(2, len(head)))
    legend = (
        "files is the share of files that contain a value. Within these, groups and pages "
        "are the shares of row groups and pages. For min-max, the bounds of a file include "
        "the value."
    )
    yield [(legend, "dim")]


def _indexes(advice: Advice) -> Iterator[Line]:
    head = ("index", "column", "bytes a file", "of the data", "whole table", "build", "saves")
    rows: list[list[Span]] = [[(text, "bold") for text in head]]
    for column in advice.columns:
        for index in column.indexes:
            style = "green" if index.index_type in column.advised else ""
            if index.refused is not None:
                continue
            saved = "" if index.saved is None else percent(max(index.saved, 0.0))
            cells = [
                index.index_type,
                column.column + (" (exists)" if index.exists else ""),
                amount(index.bytes / max(index.files, 1)),
                percent(index.size),
                f"about {amount(index.table_bytes)}",
                f"{index.table_seconds:.2f} s",
                saved,
            ]
            rows.append([(text, style) for text in cells])
    if len(rows) > 1:
        yield from _listed(rows, head)
        legend = (
            "build: time for the whole table on one core. saves: share of the bytes that the "
            "column's predicates read after pruning by minimum and maximum."
        )
        yield [(legend, "dim")]


def _predicates(advice: Advice) -> Iterator[Line]:
    there = {name.partition(":")[0] for p in advice.predicates for name in p.indexes}
    types = [*(kind for kind in TYPES if kind in there), *sorted(there - {*TYPES})]
    is_typical = advice.is_typical
    head = ["predicate", *(["asks for"] if is_typical else ["times"]), "rows", "now", "min-max"]
    head += [*types, "advised"]
    rows: list[list[Span]] = [[(text, "bold") for text in head]]
    for predicate in sorted(advice.predicates, key=lambda one: -one.weight):
        row: list[Span] = [(shortened(predicate.sql, _SHORT), "")]
        row.append((predicate.what or "" if is_typical else number(predicate.weight), ""))
        row.append((percent(predicate.rows), ""))
        row += [(_skipped(predicate.now), ""), (_skipped(predicate.bounds), "")]
        row += [(_best(predicate, kind), "") for kind in types]
        row.append(
            (_skipped(predicate.advised), "green" if predicate.advised.page_bytes else "dim")
        )
        rows.append(row)
    yield from _listed(rows, head)
    legend = (
        "% of files / row groups / bytes (by pages, estimated) skipped; min-max: by the minimum "
    )
    legend += "and maximum of files, row groups and pages"
    yield [(legend, "dim")]


def _listed(rows: list[list[Span]], head: Sequence[str]) -> Iterator[Line]:
    """Yield the head and the rows; on a terminal, only the first rows."""
    most = most_shown(None, _LISTED)
    yield from columns(rows if most is None else rows[: most + 1], right=range(2, len(head)))
    if most is not None and len(rows) - 1 > most:
        yield [
            (f"... {number(len(rows) - 1 - most)} more; --format json or a pipe shows all", "dim")
        ]


def _best(predicate: PredicateAdvice, kind: str) -> str:
    """Return what an index of this type skips, on the column where it skips most."""
    found = [s for name, s in predicate.indexes.items() if name.partition(":")[0] == kind]
    return _skipped(max(found, key=lambda s: (s.page_bytes, s.bytes))) if found else ""


def _skipped(skipped: Skipped) -> str:
    parts = [skipped.files, *([] if skipped.row_groups is None else [skipped.row_groups])]
    # Rounded down, so that 100 means all.
    return "/".join(f"{int(100 * part + 1e-6)}" for part in (*parts, skipped.page_bytes))


def _verdicts(advice: Advice) -> Iterator[Line]:
    yield [("advice", "bold")]
    order = {verdict: at for at, verdict in enumerate(_STYLES)}
    for column in sorted(advice.columns, key=lambda column: order[column.verdict]):
        yield [
            (f"  {_verdict(column)}", _STYLES[column.verdict]),
            (f": {column.why}", ""),
        ]
    if len({(c.column, kind) for c in advice.columns for kind in c.advised}) > 1:
        share = percent(advice.index_bytes / max(advice.bytes, 1))
        legend = f"  all together: about {amount(advice.index_bytes)}, {share} of the data"
        yield [(legend, "bold")]
    for note in advice.notes:
        yield [(f"  also: {note}", "yellow")]


def _verdict(column: ColumnAdvice) -> str:
    if column.verdict == "none":
        return f"{column.column}: no index"
    if column.verdict == "drop":
        return f"{column.column}: drop its index"
    what = {"add": "", "keep": "keep ", "replace": "replace with "}[column.verdict]
    return f"{column.column}: {what}{', '.join(column.advised)}"


def _to_do(advice: Advice) -> Iterator[Line]:
    if advice.sql is None and advice.command is None:
        yield [("nothing to change", "bold")]
        return
    if advice.sql is not None:
        for line in advice.sql.splitlines():
            yield [(line, "cyan")]
    if advice.command is not None:
        yield []
        yield [(advice.command, "cyan")]
