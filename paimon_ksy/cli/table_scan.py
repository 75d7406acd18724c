"""`paimon-ksy table explain`, `query` and `count`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass
from itertools import chain, islice
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import STDOUT, check_output, form_of, new_file
from paimon_ksy.cli.failures import note
from paimon_ksy.cli.options import (
    Form,
    Format,
    FormatOfRows,
    OptionalOutput,
    Overwrite,
    RowsForm,
)
from paimon_ksy.cli.output import (
    SCHEMA_VERSION,
    chunks,
    has_colors,
    is_watched,
    most_shown,
    notes,
    print_answer,
    print_exactly,
    print_lines,
    shortened,
    styled,
)
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.row_forms import AT_ONCE, is_number, parts, writing
from paimon_ksy.cli.table_source import CountOptions, QueryOptions, TableOnEngine
from paimon_ksy.display import printable
from paimon_ksy.errors import counted
from paimon_ksy.messages.answers import Answer
from paimon_ksy.pages.text import cell_width

if TYPE_CHECKING:  # pyarrow takes time that --help and completion do not need
    import pyarrow as pa

    from paimon_ksy.table.query.plan import Plan
    from paimon_ksy.table.query.read import QueryStats
    from paimon_ksy.table.query.steps import Step
    from paimon_ksy.table.query.tasks import Task

_SHOWN = 100  # rows that a terminal shows
_SHORT = 60  # characters of a value that a terminal shows


@cli_command(
    "table query /data/default.db/orders -w \"status = 'PENDING'\"",
    "table query orders --order-by 'amount DESC' --limit 10 -f csv",
    "table query orders -w 'amount > 100' -o big.parquet",
    answer=Iterator[dict[str, Any]],
    others={"stats": "paimon_ksy.table.query.read:QueryStats"},
)
def run_query(
    query: QueryOptions,
    source: TableOnEngine,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Print files, rows, bytes and time on stderr, even without a terminal."
        ),
    ] = False,
    form: FormatOfRows = None,
) -> None:
    """Print the rows that match a predicate, exactly as SQL does; as JSON, one object per line.

    Indexes and deletion vectors determine which row groups and pages are read. A terminal shows
    the first 100 rows; a pipe or a file receives all. Without --format, the extension of --output
    determines the format, such as .parquet, .csv or .json; standard output receives a table.
    """
    from paimon_ksy.table.query.plan import plan_query
    from paimon_ksy.table.query.read import QueryStats, batches

    form = form or _form_of(output)
    if output is not None:
        check_output(output, overwrite)
    chosen = source.query_engine()
    started, cost = perf_counter(), QueryStats()
    planned = plan_query(source.open(), query.query(), engine=chosen)
    with (
        _progress(planned, "reading") as done,
        closing(batches(planned, chosen, done, cost)) as rows,
        new_file(output or "-", "wb" if form.is_binary else "w") as file,
    ):
        if form is RowsForm.TABLE:
            with redirect_stdout(file):
                _print_table(rows, planned)
        else:
            with writing(file, form, planned.query.arrow_schema) as write:
                for batch in rows:
                    write(batch)
    cost.seconds = perf_counter() - started
    if output is not None:
        note(f"{STDOUT if output == '-' else output}: {counted(cost.rows, 'row')} written")
    for text in cost.notes:
        note(text)
    _print_cost(cost, form, asked=stats)


def _form_of(output: str | None) -> RowsForm:
    """Return the format for a file, by its extension. Raises UsageError."""
    if output is None or output == "-":
        return RowsForm.TABLE
    how = "pass --format, or end its name with .parquet, .csv or .json"
    return RowsForm(form_of(output, tuple(RowsForm), how))


def _print_cost(cost: QueryStats, form: RowsForm, *, asked: bool) -> None:
    if asked and form is RowsForm.JSON:  # without the prefix `paimon-ksy: `
        print(json.dumps({"schema_version": SCHEMA_VERSION, **cost.to_json()}), file=sys.stderr)
    elif asked or sys.stderr.isatty():
        note(_cost(cost))


def _cost(stats: QueryStats) -> str:
    facts = f"{stats.files_read:,} of {counted(stats.files_total, 'data file')} read, "
    facts += f"{counted(stats.rows, 'row')}, {counted(stats.bytes_read, 'byte')}, "
    return facts + f"{stats.seconds:.2f} s"


@cli_command(
    "table count /data/default.db/orders -w \"status = 'PENDING'\"",
    "table count default.orders --config paimon.yaml",
    answer="paimon_ksy.table.query.read:Count",
)
def run_count(
    query: CountOptions,
    source: TableOnEngine,
    form: Format = Form.TEXT,
) -> None:
    """Count the rows that match a predicate, from the indexes alone where they are exact."""
    from paimon_ksy.table.query.plan import plan_query
    from paimon_ksy.table.query.read import counted as count_planned

    chosen = source.query_engine()
    planned = plan_query(source.open(), query.query(), engine=chosen)
    with _progress(planned, "counting") as done:
        total = count_planned(planned, chosen, done)
    cost = f"from the {total.origin}: {total.files_read:,} of "
    cost += f"{counted(total.files_total, 'data file')} opened, "
    cost += f"{counted(total.bytes_read, 'byte')} read"
    print_answer(total, form, [[(str(total.count), "bold")], *notes([cost, *total.notes])])


@dataclass(frozen=True)
class Explained(Answer):
    """The files, rows and bytes that each step of a query keeps and skips."""

    steps: list[Step]


@cli_command(
    "table explain /data/default.db/orders -w \"status = 'PENDING'\"",
    "table explain orders -w 'amount > 9' --order-by amount --limit 10",
    answer=Explained,
)
def run_explain(
    query: QueryOptions,
    source: TableOnEngine,
    form: Format = Form.TEXT,
) -> None:
    """Show what a query skips: partitions, buckets, files by statistics and index, groups and rows.

    It names the indexes that each step uses, and explains why others do not help. It reads no rows.
    """
    from paimon_ksy.table.query.explain import explained
    from paimon_ksy.table.query.plan import plan_query
    from paimon_ksy.table.query.steps import step_lines

    chosen = source.query_engine()
    planned = plan_query(source.open(), query.query(), all_manifests=True, engine=chosen)
    steps = explained(planned, chosen)
    print_answer(Explained(steps), form, step_lines(steps))


def _print_table(batches: Iterator[pa.RecordBatch], planned: Plan) -> None:
    """Print the rows as a table; a terminal shows, and reads, only the first ones."""
    schema, limit = planned.query.arrow_schema, planned.query.limit
    most = most_shown(limit, _SHOWN)
    pads = [str.rjust if is_number(field.type) else str.ljust for field in schema]
    head = [printable(name) for name in schema.names]
    rows = chain.from_iterable(map(_rows, batches))
    shown, cut = 0, False
    # The empty part at the end prints the head of a table without rows.
    for part in chain(chunks(islice(rows, most), _TOGETHER), [[]]):
        padded = []
        for at, pad in enumerate(pads):
            full = _printable([row[at] for row in part])
            cells = full
            if is_watched():
                cells = [text and shortened(text, _SHORT, exact=True) for text in full]
            cut = cut or cells != full
            padded.append(_padded(head[at : at + 1], cells, pad))
        print_exactly("  ".join(line).rstrip() for line in zip(*padded, strict=True))
        shown, head = shown + len(part), []
    text = counted(shown, "row")
    if most is not None and limit is None and next(rows, None) is not None:
        text = f"the first {text}; --limit N shows more, -o FILE or > FILE writes all"
    if cut:
        text += f"; values are cut at {_SHORT} characters, --format json prints them in full"
    print_lines([[(text, "dim")]])


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[str | None, ...]]:
    """Yield the rows of a batch as texts."""
    from paimon_ksy.cli.json_rows import text_list

    for part in parts(batch, AT_ONCE):
        columns = [*map(text_list, part.columns)]
        yield from zip(*columns, strict=True) if columns else [()] * part.num_rows


def _printable(texts: list[str | None]) -> list[str | None]:
    """Return the texts of a column with what is not printable escaped; nulls are None."""
    is_printable = "".join(filter(None, texts)).isprintable()
    return texts if is_printable else [text and printable(text) for text in texts]


def _padded(head: list[str], cells: list[str | None], pad: Callable[[str, int], str]) -> list[str]:
    """Return the head, if any, and the cells of a column, all of one width."""
    texts = [*head, *("NULL" if cell is None else cell for cell in cells)]
    if "".join(texts).isascii():
        width = max(map(len, texts), default=0)
        padded = [pad(text, width) for text in texts]
    else:
        widths = list(map(cell_width, texts))
        width = max(widths)
        padded = [pad(t, width - w + len(t)) for t, w in zip(texts, widths, strict=True)]
    if not has_colors():
        return padded
    styles = [*("bold" for _ in head), *("dim" if cell is None else "" for cell in cells)]
    each = zip(padded, texts, styles, strict=True)
    return [line.replace(text, styled(text, style), 1) for line, text, style in each]


_TOGETHER = 1000
"""The number of rows to align together."""


@contextmanager
def _progress(planned: Plan, what: str) -> Iterator[Callable[[Task], None] | None]:
    """Yield a function to call after each task, which shows progress on a terminal."""
    left = planned.files_left
    if left == 0:
        yield None
        return
    with steps() as shown:
        step = shown.step(what, left)
        yield lambda task: step.advance(len(task.files), read=task.size)
