"""Define what commands share before any of them runs: options, groups, and --debug.

It imports next to nothing, so that `paimon-ksy --help` is quick; what commands do together is in
common.py.
"""

from __future__ import annotations

import shutil
import sys
from typing import Annotated, Any

import typer

from paimon_ksy.cli.failures import EXIT_CODES, Given
from paimon_ksy.cli.output import is_terminal

_FRAMED = 80  # columns of a terminal


def countable(rows: int | None) -> int | None:
    """Return a number of rows, at most the largest that Arrow counts, which is all rows anyway."""
    return None if rows is None else min(rows, sys.maxsize)


Json = Annotated[bool, typer.Option("--json", help="Print JSON, also for errors.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite the output file.")]
Debug = Annotated[bool, typer.Option("--debug", help="Print the traceback of an error.")]

# Of the commands on tables.

_TABLE_HELP = "Folder or URL of a table, or its name in a catalog, e.g. default.orders."

TableName = Annotated[str, typer.Argument(help=_TABLE_HELP, metavar="TABLE")]
Catalog = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog",
        "-c",
        help="Option of the catalog or file system, e.g. warehouse=/data or metastore=rest. "
        "@FILE reads options from a YAML file or KEY=VALUE lines, which keeps secrets off the "
        "command line. Repeatable.",
        metavar="KEY=VALUE",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        help="""Condition in Spark SQL, e.g. "status = 'PENDING' AND amount > 100".""",
        metavar="SQL",
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        "--select",
        "-s",
        help="Columns to return, e.g. 'order_id, amount'.  [default: *]",
        metavar="COLUMNS",
    ),
]
OrderBy = Annotated[
    str | None,
    typer.Option(
        "--order-by",
        help="Order of the rows, e.g. 'amount DESC NULLS LAST, id'.",
        metavar="ORDER",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        help="Return at most N rows.",
        min=0,
        callback=countable,
        metavar="N",
    ),
]
Snapshot = Annotated[
    int | None,
    typer.Option("--snapshot", help="Read this snapshot.  [default: latest]", metavar="N"),
]
Tag = Annotated[
    str | None, typer.Option("--tag", help="Read the snapshot of this tag.", metavar="NAME")
]
EngineName = Annotated[
    str,
    typer.Option("--engine", help="Run locally or on Spark: local or spark.", metavar="NAME"),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Spark master (with --engine spark), e.g. local[4] or sc://host.  [default: local[*]]",
        metavar="URL",
    ),
]
Partitions = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        help="""Only partitions matching this condition, e.g. "day >= DATE '2026-01-01'".""",
        metavar="PARTITION-PREDICATE",
    ),
]


def wants_debug(asked: bool) -> bool:
    """Return whether --debug was given, before the command or after it (`asked`)."""
    return asked or Given.debug


def examples(*calls: str) -> str:
    """Return the last lines of a command's help: calls of it, those that only read first."""
    lines = [f"paimon-ksy {call}" for call in calls]
    narrow = shutil.get_terminal_size().columns < _FRAMED
    if narrow or markup_mode() is not None:
        return "\n\n".join(["Examples:", *lines])
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])  # not wrapped


def markup_mode() -> Any:
    """Choose framed help for people, and plain help for pipes and narrow terminals."""
    wide = shutil.get_terminal_size().columns >= _FRAMED
    return "rich" if is_terminal() and wide else None


def group(help_: str) -> typer.Typer:
    """Return the commands under one name."""
    return typer.Typer(
        help=help_,
        epilog=EXIT_CODES,
        add_completion=False,
        no_args_is_help=False,
        rich_markup_mode=markup_mode(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
