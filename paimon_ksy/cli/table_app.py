"""The commands `table ...`, their options and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from paimon_ksy.cli.failures import failures
from paimon_ksy.cli.options import (
    Catalog,
    Debug,
    EngineName,
    Force,
    Json,
    Limit,
    Master,
    OrderBy,
    Partitions,
    Select,
    Snapshot,
    TableName,
    Tag,
    Where,
)
from paimon_ksy.cli.options import example as _example
from paimon_ksy.cli.options import group as _group
from paimon_ksy.cli.options import wants_debug as _debug

table = _group("Show, index and query whole tables.")


@table.command(
    epilog=_example("table inspect /data/default.db/orders --snapshot 3"),
    short_help="Show what is in a table, down to its indexes.",
)
def inspect(
    name: TableName,
    catalog: Catalog = None,
    snapshot: Annotated[
        int | None,
        typer.Option(
            "--snapshot", help="Show what this snapshot is made of.  [default: latest]", metavar="N"
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", help="How many of each are listed; counts are of all.", min=0, metavar="N"
        ),
    ] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a whole table: schemas, snapshots, manifests, data files, indexes, deletion vectors.

    What is broken is told at its place, and the exit code is 1.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_inspect import run

        run(name, catalog=catalog, snapshot=snapshot, limit=limit, as_json=as_json)


@table.command(
    epilog=_example("table explain /data/default.db/orders -w \"status = 'PENDING'\""),
    short_help="Show what a query skips, and why.",
)
def explain(
    name: TableName,
    where: Where = None,
    select: Select = None,
    order_by: OrderBy = None,
    limit: Limit = None,
    snapshot: Snapshot = None,
    tag: Tag = None,
    engine: EngineName = "local",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what a query skips: partitions, buckets, files by statistics and index, groups and rows.

    It is told which index did it, and where none helps and why. No rows are read.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_scan import run_explain

        run_explain(
            name,
            catalog=catalog,
            where=where,
            select=select,
            order_by=order_by,
            limit=limit,
            snapshot=snapshot,
            tag=tag,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    epilog=_example("table query /data/default.db/orders -w \"status = 'PENDING'\""),
    short_help="Print the rows that match.",
)
def query(
    name: TableName,
    where: Where = None,
    select: Select = None,
    order_by: OrderBy = None,
    limit: Limit = None,
    snapshot: Snapshot = None,
    tag: Tag = None,
    engine: EngineName = "local",
    master: Master = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Write the rows to this Parquet file.", metavar="FILE"),
    ] = None,
    force: Force = False,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Tell files, rows, bytes and time on stderr, also to a file."),
    ] = False,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Print the rows that match, exactly those that SQL gives; with --json one object a row.

    Indexes and deletion vectors say which row groups and pages are read.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_scan import run_query

        run_query(
            name,
            catalog=catalog,
            where=where,
            select=select,
            order_by=order_by,
            limit=limit,
            snapshot=snapshot,
            tag=tag,
            engine=engine,
            master=master,
            output=output,
            force=force,
            with_stats=stats,
            as_json=as_json,
        )


@table.command(
    epilog=_example("table count /data/default.db/orders -w \"status = 'PENDING'\""),
    short_help="Count the rows that match.",
)
def count(
    name: TableName,
    where: Where = None,
    snapshot: Snapshot = None,
    tag: Tag = None,
    engine: EngineName = "local",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Count the rows that match: from the indexes alone where they are exact."""
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_scan import run_count

        run_count(
            name,
            catalog=catalog,
            where=where,
            snapshot=snapshot,
            tag=tag,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    "rewrite-index",
    epilog=_example(
        "table rewrite-index /data/default.db/orders --set file-index.bitmap.columns=status"
    ),
    short_help="Build the file indexes that the options ask for.",
)
def rewrite_index(
    name: TableName,
    where: Partitions = None,
    changed: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="An option for this time, as file-index.bsi.columns=amount; without a value it is "
            "taken away. Give it again for more.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done, and write nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Build indexes that match the options too.")
    ] = False,
    engine: EngineName = "spark",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Build the file indexes that the table's options ask for, and commit them once.

    Files whose indexes match the options are left. Others are indexed anew, so indexes that are no
    longer asked for are gone. If anything fails, nothing is committed.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_rewrite import run

        run(
            name,
            catalog=catalog,
            where=where,
            changed=changed,
            dry_run=dry_run,
            force=force,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    epilog=_example("table delete /data/default.db/orders -w \"status = 'CANCELLED'\""),
    short_help="Delete rows by deletion vectors.",
)
def delete(
    name: TableName,
    where: Annotated[
        str,
        typer.Option(
            "--where",
            "-w",
            help="""Which rows, in Spark's SQL, as "status = 'PENDING' AND amount > 100"; """
            "'true' for all.",
            metavar="SQL",
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the rows, and write nothing.")
    ] = False,
    engine: EngineName = "spark",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Delete the rows for which a condition is true, by deletion vectors, in one commit.

    No data file is written. The table has no primary key and keeps deletion vectors
    (deletion-vectors.enabled). Partitions that the condition covers are dropped. If anything fails,
    nothing is deleted.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_delete import run

        run(
            name,
            catalog=catalog,
            where=where,
            dry_run=dry_run,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    epilog=_example("table advise /data/default.db/orders --predicates queries.sql"),
    short_help="Tell which indexes a table should have.",
)
def advise(
    name: TableName,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            help="How many data files to look at.  [default: those of 8 million values, 2 to 32]",
            min=1,
            metavar="N",
        ),
    ] = None,
    predicates: Annotated[
        str | None,
        typer.Option(
            "--predicates",
            help="What is asked of the table, one condition a line, again if more often; - is "
            "standard input.  [default: typical ones of each column]",
            metavar="FILE",
        ),
    ] = None,
    where: Partitions = None,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Columns to look at, as 'status, amount'.  [default: all]",
            metavar="COLUMNS",
        ),
    ] = None,
    engine: EngineName = "spark",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Tell which file indexes a table should have, and which not, measured on some of its files.

    Each index is built on the sample, and asked. It ends with the SQL that sets the options and the
    command that builds the indexes. Nothing is written.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_advise import run

        run(
            name,
            catalog=catalog,
            sample=sample,
            predicates=predicates,
            where=where,
            columns_text=chosen,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    epilog=_example("table audit /data/default.db/orders --deep --repair"),
    short_help="Check a table, and repair its indexes.",
)
def audit(
    name: TableName,
    deep: Annotated[
        bool,
        typer.Option("--deep", help="Compare indexes with the data too, and buckets with keys."),
    ] = False,
    where: Partitions = None,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Build again the file indexes that are broken or missing."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of --repair: tell what would be done.")
    ] = False,
    engine: EngineName = "spark",
    master: Master = None,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Check a table: what it refers to, file indexes, deletion vectors, bucket indexes.

    With --json one object a line. The exit code is 3 if an error is found, or one is left after
    --repair. What deletion vectors and data files lost is never guessed.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_audit import run_audit

        run_audit(
            name,
            catalog=catalog,
            where=where,
            deep=deep,
            mend=repair,
            dry_run=dry_run,
            engine=engine,
            master=master,
            as_json=as_json,
        )


@table.command(
    "clean-orphans",
    epilog=_example("table clean-orphans /data/default.db/orders --older-than 7d"),
    short_help="Find and delete files that nothing needs.",
)
def clean_orphans(
    name: TableName,
    older_than: Annotated[
        str,
        typer.Option(
            "--older-than",
            help="Leave younger files, as 12h: a commit may need them.",
            metavar="AGE",
        ),
    ] = "1d",
    dry_run: Annotated[
        bool, typer.Option("--dry-run/--no-dry-run", help="Only tell, or delete.")
    ] = True,
    catalog: Catalog = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Find, and with --no-dry-run delete, index and vector files that nothing refers to.

    A file that any snapshot, tag, branch or changelog needs stays.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_audit import run_clean_orphans

        run_clean_orphans(
            name, catalog=catalog, older_than=older_than, dry_run=dry_run, as_json=as_json
        )
