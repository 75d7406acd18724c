"""The commands `dv` and `bucket-index`, their options and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from paimon_ksy.cli.failures import failures
from paimon_ksy.cli.options import Debug, Force, Json, countable, example, group, wants_debug

Bits = Annotated[
    int | None, typer.Option("--bits", help="32 or 64.  [default: 32; merge: as they have]")
]
NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Do not check version and CRC: Java does not either."),
]
_PLACE = "FILE[:OFFSET[:LENGTH]]"
_WHICH = f"{_PLACE}: offset and length as the index manifest has them."


dv = group("Show, check, apply, merge and make deletion vectors.")
bucket_index = group("Show dynamic bucket indexes, and find the bucket of a key.")


@dv.command(
    epilog=example("dv show index-1f2e-0 --positions 20"), short_help="Show the vectors of files."
)
def show(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    positions: Annotated[
        int,
        typer.Option(
            "--positions",
            help="Deleted rows listed of each vector.",
            min=0,
            metavar="N",
            callback=countable,
        ),
    ] = 10,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the vectors of files: where they are, how many rows they delete, and which.

    Nothing but the file is needed: all its vectors are found. A wrong CRC is
    told, and the exit code is 1.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_show

        run_show(files, positions=positions, as_json=as_json)


@dv.command(epilog=example("dv verify index/index-*"), short_help="Check whole files of vectors.")
def verify(
    files: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check all of files: version, sizes, CRC, and each Roaring bitmap down to its values.

    One line for each file; the exit code is 1 if one is broken.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_verify

        run_verify(files, as_json=as_json)


@dv.command(epilog=example("dv apply index-1f2e-0:1:22 data.parquet -o live.parquet"))
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
            help="Write the live rows: .parquet, .orc, .avro, .arrow. Without it they are counted.",
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
    epilog=example("dv merge a.dv:1 b.dv:1 -o both.dv"),
    short_help="Write the rows that any of several vectors deletes.",
)
def merge(
    vectors: Annotated[list[str], typer.Argument(help=_WHICH, metavar=_PLACE)],
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    bits: Bits = None,
    force: Force = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write a file with one vector: the rows that any of these vectors deletes.

    It has 64 bits if one of them has, unless --bits says otherwise.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.dv import run_merge

        run_merge(vectors, output, bits=bits, force=force, as_json=as_json)


@dv.command(
    epilog=example("dv create --positions '3, 10-19' -o new.dv"),
    short_help="Write a vector that deletes the rows given.",
)
def create(
    output: Annotated[str, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    positions: Annotated[
        str | None,
        typer.Option("--positions", "-p", help="As '3, 10-19'; both ends count.", metavar="ROWS"),
    ] = None,
    positions_file: Annotated[
        str | None,
        typer.Option(
            "--positions-file", help="The same, one or more a line; - is stdin.", metavar="FILE"
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
    epilog=example("bucket-index show index/index-*"),
    short_help="Show how many keys buckets hold, and what is odd.",
)
def show_buckets(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show how many keys buckets hold, and what is odd: repeated hash codes, bytes left over.

    Nothing in such a file says what it is: any bytes are taken for one.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.bucket_index import run_show

        run_show(files, as_json=as_json)


@bucket_index.command(
    "lookup", epilog=example("bucket-index lookup index/index-* -s 'id BIGINT' --key 'id = 5'")
)
def lookup_key(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    keys: Annotated[
        list[str],
        typer.Option("--key", "-k", help="As \"id = 5 AND name = 'x'\".", metavar="SQL"),
    ],
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            "-s",
            help="Columns of the key in its order, without those of the partition.",
            metavar="COLUMNS",
        ),
    ] = None,
    schema_file: Annotated[
        str | None,
        typer.Option(
            "--schema-file", help="The table's schema file tells the key.", metavar="FILE"
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Find which bucket holds a key, by its hash code.

    A bucket that has the hash code may hold another key with the same one;
    one that has it not does not hold the key.
    """
    with failures(wants_debug(debug)):
        from paimon_ksy.cli.bucket_index import run_lookup

        run_lookup(files, keys, schema=schema, schema_file=schema_file, as_json=as_json)
