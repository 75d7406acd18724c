"""The commands on files, their options and their help."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from paimon_ksy.cli.failures import (
    EXIT_CODES,
    UsageError,
    complain,
    interrupted_by,
    silence_stdout,
)
from paimon_ksy.cli.given import Given
from paimon_ksy.cli.options import (
    Catalog,
    Colors,
    Commands,
    Config,
    Data,
    Debug,
    Folder,
    Form,
    Format,
    FormatOfRows,
    Kind,
    Limit,
    MaxItems,
    OfTable,
    OptionalOutput,
    OrderBy,
    Output,
    Overwrite,
    Quiet,
    RowsForm,
    Schema,
    SchemaFile,
    SetOptions,
    Snapshot,
    Version,
    Where,
    examples,
    markup_mode,
)
from paimon_ksy.cli.table_app import table
from paimon_ksy.cli.vectors_app import bucket_index, dv
from paimon_ksy.display import forget
from paimon_ksy.errors import ExitCode, PaimonKsyError
from paimon_ksy.messages.masking import remember_url

app = Commands(
    name="paimon-ksy",
    help="Inspect, query, build and repair the index files of Apache Paimon tables.",
    epilog=EXIT_CODES,
    no_args_is_help=False,
    rich_markup_mode=markup_mode(),
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _global(
    version: Version = False, debug: Debug = False, quiet: Quiet = False, color: Colors = None
) -> None:
    pass


@app.command(
    runs="inspect",
    epilog=examples(
        "inspect orders.parquet.index",
        "inspect orders.parquet.index -s 'status STRING' --max-items 20",
        "inspect orders.parquet.index -s 'status STRING' --hex",
    ),
)
def inspect(
    file: Annotated[
        str,
        typer.Argument(help="Path or URL of a file; - is standard input.", metavar="FILE"),
    ],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    table_name: OfTable = None,
    catalog: Catalog = None,
    config: Config = None,
    max_items: MaxItems = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show all values.")] = False,
    show_hex: Annotated[
        bool, typer.Option("--hex", help="Show the bytes, field by field.")
    ] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", help="First byte for --hex, e.g. 4096 or 0x1000.", metavar="BYTE"),
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(
            "--length",
            help="Bytes for --hex.  [default: 4096 on a terminal, else all]",
            metavar="BYTES",
        ),
    ] = None,
    form: Format = Form.TEXT,
) -> None:
    """Show what kind a file is and what it contains.

    The first bytes of the file determine its kind. An index does not store
    the types of its columns: pass --schema or --schema-file to see values,
    the most frequent ones first.
    """


@app.command(
    "eval",
    runs="evaluate",
    epilog=examples(
        "eval orders.parquet.index -s 'status STRING' -w \"status = 'NEW'\"",
        "eval orders.parquet.index -s 'id INT' -w 'id > 5' --count",
        "eval x.index -s 'id INT' --order-by 'id DESC' --limit 3",
    ),
)
def evaluate(
    index: Annotated[
        str,
        typer.Argument(help="Path or URL of a file index; - is standard input.", metavar="INDEX"),
    ],
    where: Where = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    dv: Annotated[
        str | None,
        typer.Option(
            "--dv",
            help="Leave out the rows that this deletion vector deletes.",
            metavar="FILE[:OFFSET[:LENGTH]]",
        ),
    ] = None,
    order_by: OrderBy = None,
    limit: Limit = None,
    count: Annotated[
        bool,
        typer.Option(
            "--count", help="Print the number of matching rows; exit with 6 if it is not exact."
        ),
    ] = False,
    form: Format = Form.TEXT,
) -> None:
    """Evaluate a predicate on the index of a data file.

    The answer is skip (no row matches), all, or rows. If it is exact, each of
    these rows matches. Otherwise they are a superset, and a reader has to
    test the predicate on them. --limit shortens the list of positions. With
    --order-by, the answer contains all rows that can be among the first ones.
    """


@app.command(
    runs="verify",
    epilog=examples(
        "verify orders.index -s 'status STRING'",
        "verify orders.index -s 'status STRING' --data orders.parquet",
        "verify index/index-1f2e-0 --rows 20000",
    ),
)
def verify(
    file: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, or of a bucket index; - is "
            "standard input.",
            metavar="FILE[:OFFSET[:LENGTH]]",
        ),
    ],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    table_name: OfTable = None,
    catalog: Catalog = None,
    config: Config = None,
    data: Data = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows",
            help="Number of rows in the data file, if you do not have the file.",
            min=0,
            metavar="N",
        ),
    ] = None,
    cardinality: Annotated[
        int | None,
        typer.Option(
            "--cardinality",
            help="Expected number of rows in the vector, or of hash codes in the bucket index.",
            min=0,
            metavar="N",
        ),
    ] = None,
    kind: Kind = None,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Check that a file is sound.

    The command prints each problem, and exits with 3 if rows could be lost or
    wrong. A file index has no checksum: --data compares it with the data row
    by row. Without --data, only contradictions within the index are found. A
    deletion vector has a CRC; --data or --rows also checks its rows. To check
    a whole table, run table audit.
    """


@app.command(
    runs="diff",
    failing=ExitCode.USAGE,
    epilog=examples(
        "diff old.index new.index -s 'status STRING'",
        "diff index/index-1f2e-0 index/index-7a3b-0",
        "diff /data/default.db/orders --snapshots 4 5",
    ),
)
def diff(
    old: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, or of a bucket index; or a "
            "table, with --snapshots.",
            metavar="OLD",
        ),
    ],
    new: Annotated[
        str | None,
        typer.Argument(help="Path or URL of another file of the same kind.", metavar="NEW"),
    ] = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    kind: Kind = None,
    snapshots: Annotated[
        tuple[int, int] | None,
        typer.Option(
            "--snapshots", help="Compare these two snapshots of the table OLD.", metavar="N M"
        ),
    ] = None,
    catalog: Catalog = None,
    config: Config = None,
    max_items: MaxItems = None,
    form: Format = Form.TEXT,
) -> None:
    """Compare two files, or two snapshots of a table.

    For files, it shows the values and rows that each column's index gained or
    lost, and the bytes of each field that differs. For snapshots, it shows
    the data files, indexes and deletion vectors that were added or dropped.
    The exit codes are those of diff(1): 0 if both are equal, 1 if they
    differ, and 2 if something cannot be read.
    """


@app.command(
    runs="build",
    epilog=examples(
        "build data.parquet -i bitmap:status -o data.parquet.index",
        "build x.parquet -i 'bitmap:id(version=1)' -i bsi:n -o x.index",
        "build data.parquet --schema-file schema/schema-0 -o x.index",
    ),
)
def build(
    data_file: Annotated[
        str, typer.Argument(help="Path or URL of a Parquet, ORC or Avro file.", metavar="DATA_FILE")
    ],
    output: Output,
    indexes: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            "-i",
            help="Index to build: TYPE:COLUMN or TYPE:COLUMN(KEY=VALUE, ..), e.g. bitmap:status. "
            "Repeatable.",
            metavar="TYPE:COLUMN",
        ),
    ] = None,
    options: SetOptions = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Build the file index of a data file.

    The bytes equal those that Paimon's Java library writes. Without a schema,
    the types come from the data file, which does not distinguish CHAR from
    STRING, or store the precision of each TIMESTAMP: pass a schema for these.
    Without --index and --set, the options in the --schema-file determine the
    indexes.
    """


@app.command(
    runs="dump:run_dump",
    epilog=examples(
        "dump orders.parquet.index",
        "dump orders.parquet.index -s 'status STRING' -o orders.json",
    ),
)
def dump(
    file: Annotated[
        str, typer.Argument(help="Path or URL of a file; - is standard input.", metavar="FILE")
    ],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
) -> None:
    """Print the whole content of a file as JSON.

    `assemble` turns it back into the same bytes. With a schema, the JSON shows
    the indexes of its columns down to single values; without one, their bytes.
    """


@app.command(
    runs="dump:run_assemble",
    epilog=examples(
        "assemble orders.json -o copy.index",
        "dump x.index | paimon-ksy assemble - -o copy.index",
    ),
)
def assemble(
    json_file: Annotated[
        str,
        typer.Argument(help="JSON that dump printed; - is standard input.", metavar="JSON_FILE"),
    ],
    output: Output,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write the file that the JSON of a dump describes.

    The bytes are the same unless you edit the JSON. Counts, lengths and
    offsets that are missing or null are computed: after an edit, remove those
    that depend on it, or set them to null.
    """


@app.command(
    runs="webide",
    epilog=examples(
        "webide orders.parquet.index -s 'status STRING'",
        "webide index/index-1f2e-0 --table warehouse/default.db/orders",
        "webide orders.parquet.index --schema-file schema/schema-0 --open",
    ),
)
def webide(
    file: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, of a bucket index, or of a "
            "Parquet or ORC file.",
            metavar="FILE",
        ),
    ],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    table_name: OfTable = None,
    catalog: Catalog = None,
    config: Config = None,
    kind: Kind = None,
    folder: Folder = None,
    imports: Annotated[
        bool,
        typer.Option(
            "--imports",
            help="Import the specs of a checkout, instead of writing all types into the .ksy.",
        ),
    ] = False,
    type_name: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type in the specs that describes the file, e.g. 'binary_row(3)'.",
            metavar="TYPE",
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Open the file in a local Web IDE, whose folder is in PAIMON_KSY_WEBIDE.",
        ),
    ] = False,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Make a file readable in the Kaitai Web IDE.

    The IDE shows each value and row. The command writes a folder, by default
    FILE.webide, with the file and a .ksy for it, which needs no other file:
    drop both onto ide.kaitai.io. An index does not store the types of its
    columns, so pass a schema. Vectors and bucket indexes need none.
    """


@app.command(
    runs="report",
    epilog=examples(
        "report orders.parquet.index -s 'status STRING' -o report.html",
        "report index/index-1f2e-0 --table warehouse/default.db/orders",
        "report warehouse/default.db/orders -w \"status = 'NEW'\"",
    ),
)
def report(
    subject: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, of a bucket index, or of a "
            "table; or the name of a table in a catalog.",
            metavar="FILE|TABLE",
        ),
    ],
    output: OptionalOutput = None,
    schema: Schema = None,
    schema_file: SchemaFile = None,
    table_name: OfTable = None,
    data: Data = None,
    kind: Kind = None,
    where: Where = None,
    snapshot: Snapshot = None,
    catalog: Catalog = None,
    config: Config = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a page about a file or a table, to open in a browser.

    The page begins with the problems found. For a file, it shows the values,
    where their rows lie, and each field beside its bytes; for an index, pass
    the schema. For a table, it shows files, indexes, vectors and snapshots,
    and with --where, what a query reads. The page is one HTML file that needs
    no network, by default NAME.html.
    """


@app.command(
    runs="generate", epilog=examples("generate specs -o myformat", "generate track.ksy -o track")
)
def generate(
    specs: Annotated[
        list[str],
        typer.Argument(
            help="Folders of .ksy files, or .ksy files, which may import others beside them.",
            metavar="SPECS",
        ),
    ],
    output: Output,
    form: Format = Form.TEXT,
) -> None:
    """Write readers and writers of your own formats.

    SPECS describe a binary format in the language of Kaitai Struct. The
    output is a Python package, which reads columns, writes bytes and draws
    test data. It needs paimon-ksy to run. The Kaitai compiler comes from npm:
    the first run needs node and the network, or the command
    kaitai-struct-compiler 0.11 on the PATH.
    """


@app.command(
    "json-schema",
    runs="json_schema",
    epilog=examples("json-schema eval", "json-schema table explain", "json-schema eval count"),
)
def json_schema(
    words: Annotated[
        list[str],
        typer.Argument(help="A command, or error, or note.", metavar="COMMAND"),
    ],
) -> None:
    """Print the JSON Schema of a command's JSON output.

    If the command prints JSON lines, it is the schema of one line. If an option
    changes the answer, add its name to the command's: eval count, diff
    snapshots, table query stats.
    """


@app.command(runs="demo", epilog=examples("demo", "demo --folder demo"))
def demo(
    folder: Folder = None,
) -> None:
    """Show the main commands on example data.

    The demo builds, inspects and queries an index. With pypaimon installed
    it also indexes, queries and repairs a whole table. It prints each
    command that it runs, compares each answer with a scan of the data, and
    takes less than a minute. --folder keeps the files.
    """


app.add_typer(dv, name="dv")
app.add_typer(bucket_index, name="bucket-index")
app.add_typer(table, name="table")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    forget()
    for argument in arguments:
        remember_url(argument)
    # Also for a command line with an error before --format.
    Given.json = _asks_for_json(arguments)
    try:
        return _run(arguments)
    finally:
        Given.json, Given.time_zone = False, None


def _asks_for_json(arguments: Sequence[str]) -> bool:
    before = list(itertools.takewhile(lambda argument: argument != "--", arguments))
    pairs = itertools.pairwise(before)
    joined = {"--format=json", "-fjson"}
    return not joined.isdisjoint(before) or any(
        name in ("--format", "-f") and value == "json" for name, value in pairs
    )


_WORDS = (
    (r"Invalid value for '([^']+)'( / '-.')?: ", r"\1: "),
    (r"Value error, ", ""),
    (r"(Input should be|'.*' is not) a valid integer.*", "must be a whole number"),
    (
        r"(Input should be greater than or equal to |\S+ is not in the range x>=)",
        "must be at least ",
    ),
    (r"Got unexpected extra argument(\(s\)|s)? \((.*)\)", r"unexpected argument: \2"),
)
"""Words of typer's versions, and ours."""


def _usage(error: Any) -> str:
    message: str = error.format_message().rstrip(".")
    for words, own in _WORDS:
        message = re.sub(words, own, message)
    return message


def _run(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file may contain any text
    # The class of typer's own errors about the command line, in each version of typer.
    usage_error: Any = typer.BadParameter.__base__
    try:
        code = app(arguments or ["--help"], prog_name="paimon-ksy", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = ExitCode.BROKEN_PIPE
    except (typer.Abort, KeyboardInterrupt) as error:
        code = interrupted_by(error)
    except usage_error as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "paimon-ksy"
        complain(UsageError(_usage(error), remedy=f"see '{command} --help'"))
        return ExitCode.USAGE
    except OSError as error:  # stdout cannot be written, for example on a full disk
        complain(PaimonKsyError(error.strerror or str(error), path="standard output"))
        code = ExitCode.ERROR
    if code in (ExitCode.INTERRUPTED, ExitCode.TERMINATED):
        complain("interrupted" if code == ExitCode.INTERRUPTED else "terminated")
    try:
        sys.stdout.flush()
    except OSError:  # reported above
        silence_stdout()
    return int(code or 0) if arguments else ExitCode.USAGE
