"""The commands `table ..`, their options and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from paimon_ksy.cli.options import (
    Catalog,
    Config,
    EngineName,
    ExternalPaths,
    Form,
    Format,
    FormatOfFile,
    FormatOfRows,
    Limit,
    Master,
    MaxItems,
    OptionalOutput,
    OrderBy,
    Overwrite,
    Partitions,
    RequiredWhere,
    RowsForm,
    Select,
    SetOptions,
    Snapshot,
    TableName,
    Tag,
    Where,
    Yes,
)
from paimon_ksy.cli.options import examples as _examples
from paimon_ksy.cli.options import group as _group

table = _group("Inspect, query, index, check and repair whole tables.")


@table.command(
    runs="table_inspect",
    epilog=_examples(
        "table inspect /data/default.db/orders",
        "table inspect /data/default.db/orders --snapshot 3 -f json",
        "table inspect default.orders --catalog warehouse=/data",
    ),
    short_help="Show a table down to its indexes.",
)
def inspect(
    name: TableName,
    catalog: Catalog = None,
    config: Config = None,
    snapshot: Snapshot = None,
    max_items: MaxItems = None,
    form: Format = Form.TEXT,
) -> None:
    """Show a whole table: schemas, snapshots, manifests, data files, indexes, deletion vectors.

    Corrupt files are reported where they occur, and the exit code is 1.
    """


@table.command(
    runs="table_scan:run_explain",
    epilog=_examples(
        "table explain /data/default.db/orders -w \"status = 'PENDING'\"",
        "table explain orders -w 'amount > 9' --order-by amount --limit 10",
    ),
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
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Show what a query skips: partitions, buckets, files by statistics and index, groups and rows.

    It names the indexes that each step uses, and explains why others do not help. It reads no rows.
    """


@table.command(
    runs="table_scan:run_query",
    epilog=_examples(
        "table query /data/default.db/orders -w \"status = 'PENDING'\"",
        "table query orders --order-by 'amount DESC' --limit 10 -f csv",
        "table query orders -w 'amount > 100' -o big.parquet",
    ),
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
    engine: EngineName = None,
    master: Master = None,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Print files, rows, bytes and time on stderr, even without a terminal."
        ),
    ] = False,
    catalog: Catalog = None,
    config: Config = None,
    form: FormatOfFile = None,
) -> None:
    """Print the rows that match a predicate, exactly as SQL does; as JSON, one object per line.

    Indexes and deletion vectors determine which row groups and pages are read. A terminal shows
    the first 100 rows; a pipe or a file receives all. Without --format, the extension of --output
    determines the format, such as .parquet, .csv or .json; standard output receives a table.
    """


@table.command(
    runs="table_scan:run_count",
    epilog=_examples(
        "table count /data/default.db/orders -w \"status = 'PENDING'\"",
        "table count default.orders --config paimon.yaml",
    ),
    short_help="Count the rows that match.",
)
def count(
    name: TableName,
    where: Where = None,
    snapshot: Snapshot = None,
    tag: Tag = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Count the rows that match a predicate, from the indexes alone where they are exact."""


@table.command(
    "rewrite-index",
    runs="table_rewrite",
    epilog=_examples(
        "table rewrite-index orders --dry-run",
        "table rewrite-index orders --set file-index.bitmap.columns=status",
        "table rewrite-index orders --partitions \"region = 'EU'\"",
    ),
    short_help="Build the file indexes that the options ask for.",
)
def rewrite_index(
    name: TableName,
    partitions: Partitions = None,
    changed: SetOptions = None,
    save_options: Annotated[
        bool,
        typer.Option(
            "--save-options",
            help="After the last commit, store the options of --set in the table's schema, so "
            "that later writers build the same indexes.",
        ),
    ] = False,
    drop_unlisted: Annotated[
        bool,
        typer.Option(
            "--drop-unlisted",
            help="Drop indexes that the options do not list; by default, they are kept.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")
    ] = False,
    yes: Yes = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Also rebuild indexes that already match the options.")
    ] = False,
    batch_files: Annotated[
        int,
        typer.Option(
            "--batch-files",
            help="Approximate number of data files per commit; a larger table is indexed in "
            "batches.",
            metavar="FILES",
            min=1,
        ),
    ] = 100_000,
    external: ExternalPaths = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: Format = Form.TEXT,
) -> None:
    """Build the file indexes that the table's options list, and commit them once.

    Files whose indexes already match the options are skipped. Indexes that the options do not list
    are kept, unless you pass --drop-unlisted, which needs --yes. Columns that cannot be indexed are
    reported, and the others are indexed. If anything fails, nothing is committed or saved. With
    several batches, finished ones stay committed, and the next run skips them.
    """


@table.command(
    runs="table_delete",
    epilog=_examples(
        "table delete orders -w \"status = 'CANCELLED'\"",
        "table delete orders -w \"status = 'CANCELLED'\" --yes",
    ),
    short_help="Delete rows with deletion vectors.",
)
def delete(
    name: TableName,
    where: RequiredWhere,
    yes: Yes = False,
    external: ExternalPaths = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: Format = Form.TEXT,
) -> None:
    """Delete the rows that match a predicate, with deletion vectors, in one commit.

    Without --yes, the command only counts the rows. --where true deletes all rows. No data file is
    written, and partitions whose rows all match are dropped. The table must have no primary key,
    and must enable deletion vectors (deletion-vectors.enabled). If anything fails, nothing is
    deleted.
    """


@table.command(
    runs="table_advise",
    epilog=_examples(
        "table advise /data/default.db/orders",
        "table advise orders --predicates queries.sql --details",
        "table advise orders --select 'status, amount' -f json",
    ),
    short_help="Recommend indexes for a table.",
)
def advise(
    name: TableName,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            help="Number of data files to measure.  [default: 2 to 32, for 8 million values]",
            min=1,
            metavar="N",
        ),
    ] = None,
    predicates: Annotated[
        str | None,
        typer.Option(
            "--predicates",
            help="File of typical WHERE predicates, one per line; - is standard input. Repeat a "
            "line to weight it.  [default: typical predicates for each column]",
            metavar="FILE",
        ),
    ] = None,
    partitions: Partitions = None,
    select: Select = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also print the figures of columns, indexes, predicates."),
    ] = False,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Recommend file indexes for a table, measured on a sample of its files.

    It builds each index on the sample, and evaluates typical predicates with it. The answer ends
    with the command that sets the options and builds the indexes. The table is not changed.
    """


@table.command(
    runs="table_audit:run_audit",
    epilog=_examples(
        "table audit /data/default.db/orders",
        "table audit /data/default.db/orders --deep",
        "table audit /data/default.db/orders --deep --repair --yes",
    ),
    short_help="Check a table and repair its indexes.",
)
def audit(
    name: TableName,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep", help="Also compare indexes with the data, and keys with their buckets."
        ),
    ] = False,
    partitions: Partitions = None,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Rebuild the file indexes that are corrupt or missing."),
    ] = False,
    yes: Yes = False,
    external: ExternalPaths = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Check a table: its files, file indexes, deletion vectors and bucket indexes.

    With --format json, it prints one object per line. The exit code is 3 if errors are found, or
    are left after --repair. Repairs never guess what deletion vectors or data files contained.
    Without --yes, --repair only shows what it would rebuild.
    """


@table.command(
    "clean-orphans",
    runs="table_audit:run_clean_orphans",
    epilog=_examples(
        "table clean-orphans /data/default.db/orders",
        "table clean-orphans /data/default.db/orders --older-than 7d",
        "table clean-orphans /data/default.db/orders --yes",
    ),
    short_help="List or delete files that nothing refers to.",
)
def clean_orphans(
    name: TableName,
    older_than: Annotated[
        str,
        typer.Option(
            "--older-than",
            help="Keep files younger than this, e.g. 12h: a running commit may need them.",
            metavar="AGE",
        ),
    ] = "1d",
    yes: Yes = False,
    external: ExternalPaths = None,
    engine: EngineName = None,
    master: Master = None,
    catalog: Catalog = None,
    config: Config = None,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """List, or with --yes delete, index, vector and manifest files that nothing refers to.

    Files that a snapshot, tag, branch or changelog refers to are kept. If one of these is visibly
    missing, nothing is deleted. External paths are searched only if you name them.
    """
