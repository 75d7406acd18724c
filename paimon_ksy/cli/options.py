"""Define what commands share before any of them runs: options, with one meaning each, and groups.

It imports next to nothing, so that `paimon-ksy --help` is quick; what commands do together is in
common.py.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from paimon_ksy import __version__
from paimon_ksy.cli.completion import column_lists
from paimon_ksy.cli.failures import EXIT_CODES
from paimon_ksy.cli.given import Color, Given
from paimon_ksy.cli.output import is_terminal

_FRAMED = 80  # columns of a terminal


def countable(rows: int | None) -> int | None:
    """Return a number of rows, at most the largest that Arrow counts, which is all rows anyway."""
    return None if rows is None else min(rows, sys.maxsize)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"paimon-ksy {__version__}")
        raise typer.Exit


# A command is below the groups that name it: what was given before its name still holds.


def _set_debug(context: typer.Context, asked: bool) -> None:
    Given.debug = asked or (context.parent is not None and Given.debug)


def _set_quiet(context: typer.Context, asked: bool) -> None:
    Given.quiet = asked or (context.parent is not None and Given.quiet)


def _set_color(context: typer.Context, asked: Color | None) -> None:
    inherited = Color.AUTO if context.parent is None else Given.color
    Given.color = asked or inherited


class Form(StrEnum):
    """How a command that gives one answer prints it."""

    TEXT = "text"
    JSON = "json"

    @property
    def is_json(self) -> bool:
        """Whether the answer is printed as JSON."""
        return self is Form.JSON


class RowsForm(StrEnum):
    """How a command that gives rows prints them."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


_FORMAT: Any = typer.Option("--format", "-f", help="How to print the answer; json covers errors.")
Format = Annotated[Form, _FORMAT]
FormatOfRows = Annotated[RowsForm, _FORMAT]

# Of the commands on files.

Schema = Annotated[
    str | None,
    typer.Option(
        "--schema",
        "-s",
        help="Columns and types, e.g. 'status STRING, user_id BIGINT'.",
        metavar="COLUMNS",
    ),
]
SchemaFile = Annotated[
    str | None,
    typer.Option(
        "--schema-file",
        help="Read them from a schema file of a Paimon table (schema/schema-N).",
        metavar="FILE",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        help="index, vectors or bucket-index.  [default: by its first bytes, or its name]",
        metavar="KIND",
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="The Parquet, ORC or Avro file that it belongs to: compare them.",
        metavar="FILE",
    ),
]
OfTable = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="The table that the file belongs to: it has the types, and names data files.",
        metavar="TABLE",
    ),
]
_OUTPUT: Any = typer.Option(
    "--output", "-o", help="File to write; - is standard output.", metavar="FILE"
)
Output = Annotated[str, _OUTPUT]
OptionalOutput = Annotated[str | None, _OUTPUT]
Folder = Annotated[
    str | None, typer.Option("--folder", help="Folder to write the files to.", metavar="DIR")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an output file that exists.")]
MaxItems = Annotated[
    int | None,
    typer.Option(
        "--max-items",
        help="List at most N of each kind; counts cover all.  [default: a few on a terminal]",
        min=0,
        metavar="N",
        callback=countable,
    ),
]

# Of the commands on tables.

TableName = Annotated[
    str,
    typer.Argument(
        help="Folder or URL of a table, or its name in a catalog, e.g. default.orders.",
        metavar="TABLE",
    ),
]
Catalog = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog",
        help="Option of the catalog or file system, e.g. warehouse=/data or metastore=rest. "
        "Repeatable.",
        metavar="KEY=VALUE",
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "--config",
        "-c",
        help="Read such options from a file, which keeps secrets off the command line: YAML, or "
        "KEY=VALUE lines.  [default: paimon.yaml, for a name in a catalog]",
        metavar="FILE",
    ),
]
_WHERE: Any = typer.Option(
    "--where",
    "-w",
    help="""Rows that match, in Spark SQL, e.g. "status = 'PENDING' AND amount > 100".""",
    metavar="SQL",
)
Where = Annotated[str | None, _WHERE]
RequiredWhere = Annotated[str, _WHERE]
Partitions = Annotated[
    str | None,
    typer.Option(
        "--partitions",
        help="""Partitions that match, in Spark SQL, e.g. "day >= DATE '2026-01-01'".""",
        metavar="SQL",
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        "--select",
        help="Only these columns, e.g. 'order_id, amount'.",
        metavar="COLUMNS",
        autocompletion=column_lists,
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
        help="At most N rows of the answer.",
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
SetOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Table option for this run, e.g. file-index.bitmap.columns=status; KEY= removes it. "
        "Repeatable.",
        metavar="KEY=VALUE",
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Run locally or on Spark: local or spark.  [default: local]",
        metavar="NAME",
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        help="Run on this Spark master, e.g. local[4] or sc://host.",
        metavar="URL",
    ),
]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Do it: without, the plan is printed, and nothing changes."),
]

# Of all commands.

Version = Annotated[
    bool,
    typer.Option(
        "--version", "-V", help="Print the version.", is_eager=True, callback=_print_version
    ),
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="Print the traceback of an error.",
        is_eager=True,
        expose_value=False,
        callback=_set_debug,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print the answer and errors alone: no progress, no notes.",
        is_eager=True,
        expose_value=False,
        callback=_set_quiet,
    ),
]
Colors = Annotated[
    Color | None,
    typer.Option(
        "--color",
        help="Colours and lines.  [default: auto, for a terminal without NO_COLOR]",
        is_eager=True,
        expose_value=False,
        callback=_set_color,
    ),
]


@cache
def _everywhere() -> list[Any]:
    """Return the options of all commands, which set `Given` before or after a command's name."""

    def command(debug: Debug = False, quiet: Quiet = False, color: Colors = None) -> None:
        pass

    app = typer.Typer(add_completion=False)
    app.command()(command)
    own: Any = typer.main.get_command(app)
    return list(own.params)


_Body = TypeVar("_Body", bound=Callable[..., Any])


class _Command(TyperCommand):
    def __init__(self, *args: Any, params: Any = None, **options: Any) -> None:
        super().__init__(*args, params=[*(params or ()), *_everywhere()], **options)


class Commands(typer.Typer):
    """A group of commands, each of which takes the options of all commands, too."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[_Body], _Body]:
        """Return the decorator that registers a command."""
        return super().command(name, cls=_Command, **options)


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


def group(help_: str) -> Commands:
    """Return the commands under one name."""
    return Commands(
        help=help_,
        epilog=EXIT_CODES,
        add_completion=False,
        no_args_is_help=False,
        rich_markup_mode=markup_mode(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
