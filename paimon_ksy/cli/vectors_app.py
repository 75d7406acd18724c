"""The commands `dv` and `bucket-index`, their options and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from paimon_ksy.cli.options import (
    Form,
    Format,
    MaxItems,
    OptionalOutput,
    Output,
    Overwrite,
    Schema,
    SchemaFile,
    examples,
    group,
)

Bits = Annotated[
    int | None,
    typer.Option(
        "--bits",
        help="Bits of a position: 32 or 64.  [default: 32, or for merge, those of the vectors]",
    ),
]
NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Skip the checks of version and CRC, like Java."),
]
_PLACE = "FILE[:OFFSET[:LENGTH]]"
_WHICH = f"{_PLACE}: offset and length as in the index manifest."


dv = group("Show, check, apply, merge and create deletion vectors.")
bucket_index = group("Show dynamic bucket indexes and find the bucket of a key.")


@dv.command(
    runs="dv:run_show",
    epilog=examples("dv show index-1f2e-0", "dv show index-1f2e-0:1:22 --max-items 20"),
    short_help="Show the vectors of files.",
)
def show(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    max_items: MaxItems = None,
    form: Format = Form.TEXT,
) -> None:
    """Show the vectors of files: their places and the rows that they delete.

    The command finds all vectors in a file without the table. It reports
    wrong CRCs, and then exits with 1.
    """


@dv.command(
    runs="dv:run_verify",
    epilog=examples("dv verify index/index-*", "dv verify index-1f2e-0 --format json"),
    short_help="Check whole files of vectors.",
)
def verify(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    form: Format = Form.TEXT,
) -> None:
    """Check whole files: version, sizes, CRCs, and each Roaring bitmap down to its values.

    The command prints a line for each file. The exit code is 3 if a file is
    corrupt.
    """


@dv.command(
    runs="dv:run_apply",
    epilog=examples(
        "dv apply index-1f2e-0:1:22 data.parquet",
        "dv apply index-1f2e-0:1:22 data.parquet -o live.parquet",
    ),
)
def apply(
    vector: Annotated[str, typer.Argument(help=_WHICH, metavar=_PLACE)],
    data_file: Annotated[
        str, typer.Argument(help="Path or URL of a Parquet, ORC or Avro file.", metavar="DATA_FILE")
    ],
    output: OptionalOutput = None,
    no_verify: NoVerify = False,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Count the live rows of a data file, or write them to another file.

    The name of the output must end with .parquet, .orc, .avro or .arrow.
    """


@dv.command(
    runs="dv:run_merge",
    epilog=examples("dv merge a.dv b.dv -o both.dv", "dv merge a.dv:1 b.dv:31 -o both.dv"),
    short_help="Merge vectors into one.",
)
def merge(
    vectors: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    output: Output,
    bits: Bits = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a file with one vector, which deletes all rows that the given ones delete.

    Without --bits, the result has 64 bits if one of the vectors has.
    """


@dv.command(
    runs="dv:run_create",
    epilog=examples(
        "dv create --positions '3, 10-19' -o new.dv",
        "dv create --positions-file rows.txt --bits 64 -o new.dv",
    ),
    short_help="Write a vector that deletes the given rows.",
)
def create(
    output: Output,
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions",
            "-p",
            help="Rows, e.g. '3, 10-19'; ranges include both ends.",
            metavar="ROWS",
        ),
    ] = None,
    positions_file: Annotated[
        str | None,
        typer.Option(
            "--positions-file",
            help="Read the rows from a file; - is standard input.",
            metavar="FILE",
        ),
    ] = None,
    bits: Bits = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a file with one vector that deletes these rows, counted from 0."""


@bucket_index.command(
    "show",
    runs="bucket_index:run_show",
    epilog=examples("bucket-index show index/index-*", "bucket-index show index-1 --format json"),
    short_help="Count the keys of buckets.",
)
def show_buckets(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    form: Format = Form.TEXT,
) -> None:
    """Count the keys of buckets, and report repeated hash codes and trailing bytes.

    The format has no magic number, so any file parses as a bucket index.
    """


@bucket_index.command(
    "lookup",
    runs="bucket_index:run_lookup",
    epilog=examples(
        "bucket-index lookup index/index-* -s 'id BIGINT' --key 'id = 5'",
        "bucket-index lookup index/* --schema-file schema-0 -k 'id = 5'",
    ),
)
def lookup_key(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    keys: Annotated[
        list[str],
        typer.Option(
            "--key", "-k", help="Key, e.g. \"id = 5 AND name = 'x'\". Repeatable.", metavar="SQL"
        ),
    ],
    schema: Schema = None,
    schema_file: SchemaFile = None,
    form: Format = Form.TEXT,
) -> None:
    """Find the bucket that contains a key, by its hash code.

    --schema lists the columns of the key in order, without partition columns.
    A bucket with the hash code may contain another key with the same code.
    A bucket without it does not contain the key.
    """
