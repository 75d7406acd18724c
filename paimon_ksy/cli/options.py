"""The options that commands share, each with one meaning.

This module imports next to nothing, so that `paimon-ksy --help` is fast.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from paimon_ksy import __version__


class Color(StrEnum):
    """When to print colours and lines."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def countable(rows: int | None) -> int | None:
    """Clamp a number of rows to the largest one that Arrow supports, which means all rows."""
    return None if rows is None else min(rows, sys.maxsize)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"paimon-ksy {__version__}")
        raise typer.Exit


class Form(StrEnum):
    """The output formats of a command that prints one answer."""

    TEXT = "text"
    JSON = "json"

    @property
    def is_json(self) -> bool:
        """Whether the answer is printed as JSON."""
        return self is Form.JSON


class RowsForm(StrEnum):
    """The output formats of a command that prints rows, or writes them to a file."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    PARQUET = "parquet"
    ARROW = "arrow"

    @classmethod
    def _missing_(cls, value: object) -> RowsForm | None:
        return cls.JSON if value in ("jsonl", "ndjson") else None

    @property
    def is_binary(self) -> bool:
        """Whether the format does not consist of lines."""
        return self in (RowsForm.PARQUET, RowsForm.ARROW)


_FORMAT: Any = typer.Option(
    "--format", "-f", help="Format of the answer; json also applies to errors."
)
Format = Annotated[Form, _FORMAT]
FormatOfRows = Annotated[RowsForm | None, _FORMAT]

# Arguments and options of commands on files.

File = Annotated[
    str, typer.Argument(help="Path or URL of a file; - is standard input.", metavar="FILE")
]
DataFile = Annotated[
    str, typer.Argument(help="Path or URL of a Parquet, ORC or Avro file.", metavar="DATA_FILE")
]
Columns = Annotated[
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
        help="Read columns and types from a schema file of a Paimon table (schema/schema-N).",
        metavar="FILE",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        help="Kind of the file, such as index, vectors or bucket-index.  "
        "[default: by its bytes, or the index manifest of its table]",
        metavar="KIND",
    ),
]
Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="Data file of the index (Parquet, ORC or Avro): gives the column types, and verify "
        "and report compare both.",
        metavar="FILE",
    ),
]
OfTable = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="Table of the file, to get its kind, column types and names of data files.  "
        "[default: the table around the file]",
        metavar="TABLE",
    ),
]
_OUTPUT: Any = typer.Option(
    "--output",
    "-o",
    help="File to write; - is standard output.",
    metavar="FILE",
)
Output = Annotated[str, _OUTPUT]
OptionalOutput = Annotated[str | None, _OUTPUT]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing output file.")]
MaxItems = Annotated[
    int | None,
    typer.Option(
        "--max-items",
        help="List at most N items of each kind; counts include all.  "
        "[default: a few on a terminal]",
        min=0,
        metavar="N",
        callback=countable,
    ),
]

# Options of commands on tables.

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
        help="YAML file with such options; keeps secrets off the command line.  [default: "
        "paimon.yaml, for a name in a catalog]",
        metavar="FILE",
    ),
]
_WHERE: Any = typer.Option(
    "--where",
    "-w",
    help="""Predicate on rows, in Spark SQL, e.g. "status = 'PENDING' AND amount > 100".""",
    metavar="SQL",
)
Where = Annotated[str | None, _WHERE]
RequiredWhere = Annotated[str, _WHERE]
Partitions = Annotated[
    str | None,
    typer.Option(
        "--partitions",
        help="""Predicate on partitions, in Spark SQL, e.g. "day >= DATE '2026-01-01'".""",
        metavar="SQL",
    ),
]
Select = Annotated[
    str | None,
    typer.Option(
        "--select",
        help="Columns to return, e.g. 'order_id, amount'.",
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
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of", help="Read the newest snapshot that is not after this time.", metavar="TIMESTAMP"
    ),
]
FromSnapshot = Annotated[
    int | None,
    typer.Option(
        "--from-snapshot",
        help="Read only rows that were appended after this snapshot, up to --to-snapshot; those "
        "of INSERT OVERWRITE are left out.",
        min=0,
        metavar="N",
    ),
]
ToSnapshot = Annotated[
    int | None,
    typer.Option(
        "--to-snapshot", help="The last snapshot whose added rows are read.", min=0, metavar="N"
    ),
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
ExternalPaths = Annotated[
    list[str] | None,
    typer.Option(
        "--external-path",
        help="External path of the table in which to write and delete files, if no other table "
        "uses them. Repeatable.  [default: change nothing there]",
        metavar="PATH",
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
    typer.Option("--yes", "-y", help="Apply the plan; without it, only print the plan."),
]

TimeZone = Annotated[
    str | None,
    typer.Option(
        "--time-zone",
        help="Time zone of literals that have none, e.g. Europe/Berlin.  [default: UTC; required "
        "to delete rows by such a literal]",
        metavar="ZONE",
    ),
]
# Options of all commands.

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
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print only the answer and errors: no progress, no notes.",
    ),
]
Colors = Annotated[
    Color | None,
    typer.Option(
        "--color",
        help="Use colours and lines.  [default: auto, on a terminal without NO_COLOR]",
    ),
]


@dataclass(frozen=True)
class Everywhere:
    """The options of all commands, before or after the command's name."""

    debug: Debug = False
    quiet: Quiet = False
    color: Colors = None


@dataclass(frozen=True)
class Settings:
    """What the options of all commands ask for.

    Attributes:
        debug: Whether to print the traceback of an error.
        quiet: Whether to print only the answer and errors.
        color: When to print colours and lines.
        json: Whether to print errors as JSON, too.
        time_zone: The time zone of literals that have none.
    """

    debug: bool = False
    quiet: bool = False
    color: Color = Color.AUTO
    json: bool = False
    time_zone: str | None = None

    def adding(self, options: Everywhere, time_zone: str | None = None) -> Settings:
        """Return the settings with options of a command, which come after these."""
        return Settings(
            self.debug or options.debug,
            self.quiet or options.quiet,
            options.color or self.color,
            self.json,
            time_zone,
        )


_DEFAULT = Settings()
SETTINGS = ContextVar("SETTINGS", default=_DEFAULT)
"""Those of the command that runs: `app.run` begins with the default, and resets them at the end."""
