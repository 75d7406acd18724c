"""`paimon-ksy table advise`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import read_text
from paimon_ksy.cli.options import Form, Format, Partitions, Select
from paimon_ksy.cli.output import print_answer
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.sections import section_node
from paimon_ksy.cli.table_source import TableOnEngine, column_names
from paimon_ksy.errors import amount, counted
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.text import Line
from paimon_ksy.table.advise.report import Advice, percent

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
    form: Format = Form.TEXT,
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
    print_answer(advice, form, _lines(advice, details))


def _lines(advice: Advice, details: bool) -> Iterator[Line]:
    """Yield the advice, and with `details` all figures."""
    yield from _summary(advice, None if details else _LINES)
    if details:
        yield []
        yield from section_node(section_of(advice, "figures")).lines()


def _summary(advice: Advice, most: int | None) -> Iterator[Line]:
    """Yield the verdicts, the notes and the command; at most that many lines."""
    rest = [*_notes(advice), [], *_lines_of(_basis(advice, most is None), "dim")]
    if advice.command is not None:
        rest += [[], [(advice.command, "cyan")]]
    else:
        rest += [[], [("nothing to change", "bold")]]
    yield from _verdicts(advice, sys.maxsize if most is None else max(_LEAST, most - len(rest)))
    yield from rest


def _notes(advice: Advice) -> Iterator[Line]:
    if len({(c.column, kind) for c in advice.columns for kind in c.advised}) > 1:
        share = percent(advice.index_bytes / max(advice.bytes, 1))
        text = f"all together: about {amount(advice.index_bytes)}, {share} of the data"
        yield from _lines_of(text, "yellow")
    for note in advice.notes:
        yield from _lines_of(f"also: {note}", "yellow")


def _verdicts(advice: Advice, room: int) -> Iterator[Line]:
    """Yield the verdicts on columns, those of one verdict together, on at most so many lines."""
    groups: dict[tuple[str, str], list[str]] = {}
    for column in sorted(advice.columns, key=lambda each: list(_VERDICTS).index(each.verdict)):
        verdict, style = _VERDICTS[column.verdict]
        text = f"{verdict.format(', '.join(column.advised))}: {column.why}"
        groups.setdefault((text, style), []).append(column.column)
    left = len(advice.columns)
    for (text, style), names in groups.items():
        lines = _lines_of(f"{', '.join(names)}: {text}", style)
        if len(lines) + (len(names) < left) > room:
            yield [(f"{counted(left, 'more column')}: pass --details to list all", "dim")]
            return
        yield from lines
        room -= len(lines)
        left -= len(names)


def _lines_of(text: str, style: str) -> list[Line]:
    return [[(line, style)] for line in _wrapped(text)]


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
