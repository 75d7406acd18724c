"""The commands, their options and their help."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from paimon_ksy import __version__
from paimon_ksy.cli.failures import (
    BROKEN_PIPE,
    EXIT_CODES,
    FAILED,
    INTERRUPTED,
    USAGE,
    complain,
    failures,
    silence_stdout,
)
from paimon_ksy.cli.options import (
    Debug,
    Force,
    Given,
    Json,
    countable,
    example,
    markup_mode,
    wants_debug,
)
from paimon_ksy.cli.table_app import table
from paimon_ksy.cli.vectors_app import bucket_index, dv

_SCHEMA_HELP = "Columns and types, as 'status STRING, user_id BIGINT'."
_SCHEMA_FILE_HELP = "The same from a schema file of a Paimon table (schema/schema-N)."

Schema = Annotated[str | None, typer.Option("--schema", "-s", help=_SCHEMA_HELP, metavar="COLUMNS")]
SchemaFile = Annotated[
    str | None, typer.Option("--schema-file", help=_SCHEMA_FILE_HELP, metavar="FILE")
]

app = typer.Typer(
    name="paimon-ksy",
    help="Show, query, build and take apart the index files of Apache Paimon tables.",
    epilog=EXIT_CODES,
    add_completion=False,
    no_args_is_help=False,
    rich_markup_mode=markup_mode(),
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"paimon-ksy {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
    debug: Debug = False,
) -> None:
    Given.debug = debug


@app.command(epilog=example("inspect orders.index -s 'status STRING' --hex"))
def inspect(
    file: Annotated[str, typer.Argument(help="Path or URL of a file.", metavar="FILE")],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    top: Annotated[
        int,
        typer.Option(
            "--top", help="Values shown of an index, the most frequent.", min=0, metavar="N"
        ),
    ] = 10,
    show_all: Annotated[bool, typer.Option("--all", help="Show all values.")] = False,
    show_hex: Annotated[bool, typer.Option("--hex", help="Show the bytes by field.")] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", help="First byte for --hex, as 4096 or 0x1000.", metavar="BYTE"),
    ] = None,
    length: Annotated[
        str | None,
        typer.Option("--length", help="Bytes for --hex.  [default: 4096]", metavar="BYTES"),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what a file is and what is in it.

    The file is told by its first bytes. What the values of an index are is
    not in the file: the columns' types, given by --schema or --schema-file,
    tell it.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.inspect import run

        run(
            file,
            schema=schema,
            schema_file=schema_file,
            top=None if show_all else top,
            show_hex=show_hex,
            start=start,
            length=length,
            as_json=as_json,
        )


@app.command("eval", epilog=example("eval orders.index -s 'status STRING' -w \"status = 'NEW'\""))
def evaluate(
    index: Annotated[str, typer.Argument(help="Path or URL of a file index.", metavar="INDEX")],
    where: Annotated[
        str | None, typer.Option("--where", "-w", help="Predicate in Spark's SQL.", metavar="SQL")
    ] = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    dv: Annotated[
        str | None,
        typer.Option(
            "--dv",
            help="Deletion vector of the data file: its rows are left out.",
            metavar="FILE[:OFFSET[:LENGTH]]",
        ),
    ] = None,
    order_by: Annotated[
        str | None,
        typer.Option(
            "--order-by",
            help="Only rows that can be the first --limit, as 'amount DESC NULLS LAST, id'.",
            metavar="ORDER",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            help="Row positions listed; the count stays that of all.  [default: 20, JSON: all]",
            min=0,
            metavar="N",
            callback=countable,
        ),
    ] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Print the number of rows; fail if it is not sure.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Ask which rows of the data file match.

    The answer is skip (no row matches), all, or rows. It is exact if each of
    these rows matches; otherwise they are a superset, and a reader has to
    test the predicate on them.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.evaluate import run

        run(
            index,
            where,
            schema=schema,
            schema_file=schema_file,
            dv=dv,
            order_by=order_by,
            limit=limit,
            only_count=count,
            as_json=as_json,
        )


@app.command(
    epilog=example("build data.parquet -i bitmap:status -i 'bitmap:id(version=1)' -o x.index")
)
def build(
    data_file: Annotated[
        str, typer.Argument(help="Path or URL of a Parquet, ORC or Avro file.", metavar="DATA_FILE")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    indexes: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            "-i",
            help="Index to build: bitmap:COLUMN or bitmap:COLUMN(version=1, index-block-size=1kb).",
            metavar="TYPE:COLUMN",
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            help="Table option, as file-index.bitmap.columns=status.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Build the file index of a data file.

    The bytes are those that Paimon's Java library writes. Types are those
    of the data file unless a schema is given; only a schema tells a CHAR
    from a STRING, or the precision of a TIMESTAMP. With neither --index nor
    --option, the options in the --schema-file say what to build.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.build import run

        run(
            data_file,
            output,
            indexes=indexes or [],
            options=options or [],
            schema=schema,
            schema_file=schema_file,
            force=force,
            as_json=as_json,
        )


@app.command(epilog=example("dump orders.index -s 'status STRING' -o orders.json"))
def dump(
    file: Annotated[str, typer.Argument(help="Path or URL of a file.", metavar="FILE")],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the JSON here.", metavar="FILE")
    ] = None,
    force: Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: what this command does anyway.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Print everything in a file as JSON.

    From it assemble makes the same bytes. With a schema the indexes of its
    columns are told apart down to single values; without, they are bytes.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dump import run_dump

        run_dump(file, schema=schema, schema_file=schema_file, output=output, force=force)


@app.command(epilog=example("assemble orders.json -o copy.index"))
def assemble(
    json_file: Annotated[
        str, typer.Argument(help="JSON of a dump, - for standard input.", metavar="JSON_FILE")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Make a file from the JSON of a dump.

    The bytes are the same, unless the JSON was edited. Fields that are
    missing or null are computed: counts, lengths, offsets. So after an edit
    set to null, or remove, what the edit changes.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dump import run_assemble

        run_assemble(json_file, output=output, force=force, as_json=as_json)


app.add_typer(dv, name="dv")
app.add_typer(bucket_index, name="bucket-index")
app.add_typer(table, name="table")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # whatever a file's text may be
    # The class that typer's own errors about the command line have, in each version of typer.
    usage_error: Any = typer.BadParameter.__base__
    try:
        code = app(arguments or ["--help"], prog_name="paimon-ksy", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = BROKEN_PIPE
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except usage_error as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "paimon-ksy"
        message = error.format_message().rstrip(".")
        complain(f"{message}; see '{command} --help'")
        return USAGE
    except OSError as error:  # stdout cannot be written: a full disk
        complain(f"standard output: {error.strerror}")
        code = FAILED
    if code == INTERRUPTED:
        complain("interrupted")
    try:
        sys.stdout.flush()
    except OSError:  # told above
        silence_stdout()
    return int(code or 0) if arguments else USAGE
