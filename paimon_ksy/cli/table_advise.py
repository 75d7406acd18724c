"""`paimon-ksy table advise`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from textwrap import wrap
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import read_text
from paimon_ksy.cli.options import FormatOfRows, Partitions, RowsForm, Select
from paimon_ksy.cli.output import print_json, print_lines, print_tree
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.row_forms import print_rows
from paimon_ksy.cli.sections import section_node
from paimon_ksy.cli.table_source import TableOnEngine, column_names
from paimon_ksy.errors import amount, counted
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.text import Line
from paimon_ksy.table.advise.report import Advice, ColumnAdvice, percent

_VERDICTS = {
    "add": ("add {}", "green"),
    "keep": ("keep {}", "green"),
    "replace": ("replace with {}", "yellow"),
    "drop": ("drop its index", "yellow"),
    "none": ("no index", "dim"),
}
_LINES, _LEAST, _WIDTH = 20, 4, 80


@cli_command(
    "table advise /data/default.db/orders",
    "table advise orders --predicates queries.sql --details",
    "table advise orders --select 'status, amount' -f json",
    answer=Advice,
)
def run(
    *,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            help="Number of data files to measure.  [default: 2 to 32, for 8 million values]",
            min=1,
            metavar="N",
        ),
    ] = None,
    predicates: Annotated[
        str | None,
        typer.Option(
            "--predicates",
            help="File of typical WHERE predicates, one per line; - is standard input. Repeat a "
            "line to weight it.  [default: typical predicates for each column]",
            metavar="FILE",
        ),
    ] = None,
    partitions: Partitions = None,
    select: Select = None,
    source: TableOnEngine,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also print the figures of columns, indexes, predicates."),
    ] = False,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Recommend file indexes for a table, measured on a sample of its files.

    It builds each index on the sample, and evaluates typical predicates with it. The answer ends
    with the command that sets the options and builds the indexes. The table is not changed.
    """
    from paimon_ksy.table.advise.advise import advise
    from paimon_ksy.table.advise.questions import parse_predicates

    table = source.open()
    given = None
    if predicates is not None:
        named = "standard input" if predicates == "-" else predicates
        given = parse_predicates(
            read_text(predicates), table.schema, named, table.time_zone or "UTC"
        )
    table.snapshot()  # fails before Spark starts, which takes a while
    with steps() as shown:
        step = shown.step("measuring", unit="")
        advice = advise(
            table,
            sample=sample,
            predicates=given,
            partitions=partitions,
            columns=column_names(select),
            engine=source.made_engine(),
            progress=lambda what, done, total: step.at(total, done, what),
        )
    if advice.command is not None and source.on_spark:
        advice = replace(advice, command=f"{advice.command} --engine spark")
    if form is RowsForm.JSON:
        print_json(advice)
    elif form is not RowsForm.TABLE:
        names = [field.name for field in fields(ColumnAdvice) if field.name != "indexes"]
        print_rows(form, names, [asdict(column) for column in advice.columns])
    else:
        print_lines(_summary(advice, None if details else _LINES))
        if details:
            print_lines([[]])
            print_tree(section_node(section_of(advice, "figures")))


def _summary(advice: Advice, most: int | None) -> Iterator[Line]:
    """Yield the verdicts, the notes and the command; at most that many lines."""
    notes = [f"also: {note}" for note in advice.notes]
    if len({(c.column, kind) for c in advice.columns for kind in c.advised}) > 1:
        share = percent(advice.index_bytes / max(advice.bytes, 1))
        notes.insert(0, f"all together: about {amount(advice.index_bytes)}, {share} of the data")
    rest: list[Line] = [[(text, "yellow")] for note in notes for text in _wrapped(note)]
    rest += [[], *([(text, "dim")] for text in _wrapped(_basis(advice, most is None)))]
    if advice.command is not None:
        rest += [[], [(advice.command, "cyan")]]
    else:
        rest += [[], [("nothing to change", "bold")]]
    room = sys.maxsize if most is None else max(_LEAST, most - len(rest))
    groups: dict[tuple[str, str], list[str]] = {}
    for column in sorted(advice.columns, key=lambda one: list(_VERDICTS).index(one.verdict)):
        verdict = _VERDICTS[column.verdict][0].format(", ".join(column.advised))
        key = f"{verdict}: {column.why}", _VERDICTS[column.verdict][1]
        groups.setdefault(key, []).append(column.column)
    left = len(advice.columns)
    for (text, style), names in groups.items():
        lines = _wrapped(f"{', '.join(names)}: {text}")
        if len(lines) + (len(names) < left) > room:
            yield [(f"{counted(left, 'more column')}: pass --details to list all", "dim")]
            break
        yield from ([(line, style)] for line in lines)
        room -= len(lines)
        left -= len(names)
    yield from rest


def _wrapped(text: str) -> list[str]:
    """Return the text as lines of 80 columns that do not break a command in backquotes."""
    joined = re.sub("`[^`]*`", lambda quoted: quoted[0].replace(" ", "\0"), text)
    lines = wrap(
        joined, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def _basis(advice: Advice, in_detail: bool) -> str:
    """Return what was measured, as text."""
    given = counted(sum(p.weight for p in advice.predicates), "given predicate")
    asked = "typical predicates (pass yours with --predicates)" if advice.is_typical else given
    text = (
        f"measured {len(advice.sample):,} of {counted(advice.files, 'file')}, "
        f"{advice.sample_rows:,} of {counted(advice.rows, 'row')}, "
        f"{amount(advice.sample_bytes)}, in {advice.seconds:.1f} s with {asked}"
    )
    if advice.in_part:
        text += "; only the first rows of large files, so queries may skip less"
    return text if in_detail else f"{text}; --details prints the figures"
