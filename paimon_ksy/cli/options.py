"""What commands have in common before any of them runs: options, groups, and --debug.

It imports next to nothing, so that `paimon-ksy --help` is quick; what commands do together is in
common.py.
"""

from __future__ import annotations

import shutil
import sys
from typing import Annotated, Any

import typer

from paimon_ksy.cli.failures import EXIT_CODES
from paimon_ksy.cli.output import is_terminal

_FRAMED = 80  # columns of a terminal


def countable(rows: int | None) -> int | None:
    """A number of rows to return: no larger than numbers of Arrow, which is all rows anyway."""
    return None if rows is None else min(rows, sys.maxsize)


Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite the output file.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

# Of the commands on tables.

_TABLE_HELP = "Folder or URL of a table; with --catalog its name, as default.orders."

TableName = Annotated[str, typer.Argument(help=_TABLE_HELP, metavar="TABLE")]
Catalog = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog",
        "-c",
        help="An option of pypaimon's catalog or file system, as warehouse=/data or "
        "metastore=rest. Give it again for more.",
        metavar="KEY=VALUE",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        help="""A condition in Spark's SQL, as "status = 'PENDING' AND amount > 100".""",
        metavar="SQL",
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        "--select",
        "-s",
        help="Columns to return, as 'order_id, amount'.  [default: *]",
        metavar="COLUMNS",
    ),
]
OrderBy = Annotated[
    str | None,
    typer.Option(
        "--order-by",
        help="Which rows come first, as 'amount DESC NULLS LAST, id'.",
        metavar="ORDER",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        help="Return no more rows than this.",
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
    typer.Option("--engine", help="Where work on files is done: local or spark.", metavar="NAME"),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Of --engine spark, as local[4] or sc://host.  [default: local[*]]",
        metavar="URL",
    ),
]
Partitions = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        help="""Of which partitions, as "day >= DATE '2026-01-01'".""",
        metavar="PARTITION-PREDICATE",
    ),
]


class Given:
    """The options that were given before the command."""

    debug = False


def wants_debug(asked: bool) -> bool:
    """Whether --debug was given, before the command or after it (`asked`)."""
    return asked or Given.debug


def example(arguments: str) -> str:
    """The last line of a command's help."""
    return f"Example: paimon-ksy {arguments}"


def markup_mode() -> Any:
    """Framed help for people, plain help for pipes, and where frames leave no room for names."""
    wide = shutil.get_terminal_size().columns >= _FRAMED
    return "rich" if is_terminal() and wide else None


def group(help_: str) -> typer.Typer:
    """Commands under one name."""
    return typer.Typer(
        help=help_,
        epilog=EXIT_CODES,
        add_completion=False,
        no_args_is_help=False,
        rich_markup_mode=markup_mode(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
