"""The commands `dv` and `bucket-index`, their options and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from paimon_ksy.cli.failures import failures
from paimon_ksy.cli.options import Debug, Force, Json, countable, examples, group, wants_debug

Bits = Annotated[
    int | None,
    typer.Option(
        "--bits",
        help="Bits of a position: 32 or 64.  [default: 32; for merge, those of the vectors]",
    ),
]
NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Skip the checks of version and CRC; Java makes neither."),
]
_PLACE = "FILE[:OFFSET[:LENGTH]]"
_WHICH = f"{_PLACE}: offset and length as in the index manifest."


dv = group("Show, check, apply, merge and create deletion vectors.")
bucket_index = group("Show dynamic bucket indexes and find the bucket of a key.")


@dv.command(
    epilog=examples("dv show index-1f2e-0", "dv show index-1f2e-0:1:22 --positions 20"),
    short_help="Show the vectors of files.",
)
def show(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    positions: Annotated[
        int | None,
        typer.Option(
            "--positions",
            help="List this many deleted rows of each vector.  "
            "[default: 10 on a terminal, else all]",
            min=0,
            metavar="N",
            callback=countable,
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the vectors of files: their places and the rows that they delete.

    The command needs nothing but the file and finds all its vectors. It
    reports a wrong CRC and exits with 1.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_show

        run_show(files, positions=positions, as_json=as_json)


@dv.command(
    epilog=examples("dv verify index/index-*", "dv verify index-1f2e-0 --json"),
    short_help="Check whole files of vectors.",
)
def verify(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check whole files: version, sizes, CRC, and each Roaring bitmap down to its values.

    Prints a line for each file. The exit code is 3 if a file is corrupt.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_verify

        run_verify(files, as_json=as_json)


@dv.command(
    epilog=examples(
        "dv apply index-1f2e-0:1:22 data.parquet",
        "dv apply index-1f2e-0:1:22 data.parquet -o live.parquet",
    )
)
def apply(
    vector: Annotated[str, typer.Argument(help=_WHICH, metavar=_PLACE)],
    data_file: Annotated[
        str, typer.Argument(help="Path or URL of a Parquet, ORC or Avro file.", metavar="DATA_FILE")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the live rows to this file: .parquet, .orc, .avro or .arrow.",
            metavar="FILE",
        ),
    ] = None,
    no_verify: NoVerify = False,
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Count the live rows of a data file, or write them to another file."""
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_apply

        run_apply(
            vector, data_file, output=output, verify=not no_verify, force=force, as_json=as_json
        )


@dv.command(
    epilog=examples("dv merge a.dv b.dv -o both.dv", "dv merge a.dv:1 b.dv:31 -o both.dv"),
    short_help="Merge vectors into one.",
)
def merge(
    vectors: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    bits: Bits = None,
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a file with one vector, which deletes each row that one of these deletes.

    Without --bits it has 64 bits if one of them has.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_merge

        run_merge(vectors, output, bits=bits, force=force, as_json=as_json)


@dv.command(
    epilog=examples(
        "dv create --positions '3, 10-19' -o new.dv",
        "dv create --positions-file rows.txt --bits 64 -o new.dv",
    ),
    short_help="Write a vector that deletes the given rows.",
)
def create(
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
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
            help="Read them from a file; - reads standard input.",
            metavar="FILE",
        ),
    ] = None,
    bits: Bits = None,
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a file with one vector that deletes these rows, counted from 0."""
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_create

        run_create(output, positions, positions_file, bits=bits, force=force, as_json=as_json)


@bucket_index.command(
    "show",
    epilog=examples("bucket-index show index/index-*", "bucket-index show index-1 --json"),
    short_help="Count the keys of buckets.",
)
def show_buckets(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Count the keys of buckets, and report repeated hash codes and bytes left over.

    The format has no magic number, so any file parses as a bucket index.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.bucket_index import run_show

        run_show(files, as_json=as_json)


@bucket_index.command(
    "lookup",
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
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            "-s",
            help="Columns of the key in order, without partition columns.",
            metavar="COLUMNS",
        ),
    ] = None,
    schema_file: Annotated[
        str | None,
        typer.Option(
            "--schema-file", help="Read the key from a schema file of the table.", metavar="FILE"
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Find the bucket that contains a key, by its hash code.

    A bucket with the hash code may contain another key with the same code.
    A bucket without it does not contain the key.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.bucket_index import run_lookup

        run_lookup(files, keys, schema=schema, schema_file=schema_file, as_json=as_json)
