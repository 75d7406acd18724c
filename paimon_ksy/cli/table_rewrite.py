"""`paimon-ksy table rewrite-index` and `paimon-ksy table drop-index`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import key_values
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import Form, Format, Partitions, SetOptions, Yes
from paimon_ksy.cli.output import print_answer
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.sections import summary_lines
from paimon_ksy.cli.table_source import ChangedTable, TableSource
from paimon_ksy.errors import ExitCode
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.commands import table_command

if TYPE_CHECKING:
    from paimon_ksy.file_index.options import IndexSpec
    from paimon_ksy.table.index.build import IndexResult
    from paimon_ksy.table.index.global_indexes import DroppedIndexes
    from paimon_ksy.table.index.since import Since
    from paimon_ksy.table.index.summary import RewriteSummary
    from paimon_ksy.table.model.files import DataFile
    from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class Rewritten(Answer):
    """The table, and what was done to it."""

    table: str
    summary: RewriteSummary = field(metadata=keyed(beside=True))


_SaveOptions = Annotated[
    bool,
    typer.Option(
        "--save-options",
        help="After the last commit, store the options of --set in the table's schema, so that "
        "later writers build the same indexes. If that fails, the indexes stay.",
    ),
]
_DropUnlisted = Annotated[
    bool,
    typer.Option(
        "--drop-unlisted",
        help="Drop indexes that the options do not list; by default, they are kept.",
    ),
]
_BatchFiles = Annotated[
    int,
    typer.Option(
        "--batch-files",
        help="Approximate number of data files per commit; a larger table is indexed in batches.",
        metavar="FILES",
        min=1,
    ),
]
_Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        help="Only files that commits added after this snapshot; last: since the last run with "
        "the same options.",
        metavar="last|SNAPSHOT",
    ),
]


@cli_command(
    "table rewrite-index orders --dry-run",
    "table rewrite-index orders --set file-index.bitmap.columns=status",
    "table rewrite-index orders --since last",
    answer=Rewritten,
)
def run(
    *,
    partitions: Partitions = None,
    changed: SetOptions = None,
    save_options: _SaveOptions = False,
    drop_unlisted: _DropUnlisted = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")
    ] = False,
    yes: Yes = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Also rebuild indexes that already match the options.")
    ] = False,
    batch_files: _BatchFiles = 100_000,
    since: _Since = None,
    source: ChangedTable,
    form: Format = Form.TEXT,
) -> None:
    """Build the file indexes that the table's options list, and commit them once.

    Files whose indexes already match the options are skipped. Indexes that the options do not list
    are kept, unless you pass --drop-unlisted, which needs --yes. Columns that cannot be indexed are
    reported, and the others are indexed. If a batch fails, it commits nothing, and no options are
    saved. Finished batches stay committed, and the next run skips them.
    """
    from paimon_ksy.table.index.rewrite import rewrite_index
    from paimon_ksy.table.store.options import known_option

    if dry_run and yes:
        raise UsageError("--dry-run and --yes exclude each other")
    planned = dry_run or (drop_unlisted and not yes)
    options = key_values("--set", changed, "file-index.bitmap.columns=status", known_option)
    if save_options and not options:
        raise UsageError(
            "--save-options: add --set KEY=VALUE, such as --set file-index.bitmap.columns=status"
        )
    from_snapshot = _since(since)
    table = source.open_to_change()
    latest = table.snapshot()  # fails before Spark starts, which takes a while
    with steps() as shown:
        known = shown.are_shown and partitions is None and since is None
        indexing = shown.step("indexing", table.manifests.num_files(latest) if known else None)

        def progress(_: DataFile, result: IndexResult) -> None:
            indexing.advance(read=result.bytes_read)

        summary = rewrite_index(
            table,
            partitions,
            set=options,
            save_options=save_options,
            drop_unlisted=drop_unlisted,
            dry_run=planned,
            rebuild=rebuild,
            batch_files=batch_files,
            since=from_snapshot,
            engine=source.made_engine(processes=True),
            progress=progress,
        )
    lines = summary_lines(table.location, summary, planned=planned and not dry_run)
    advice = ([(line, "")] for line in _advice(table, summary, options))
    print_answer(Rewritten(table.location, summary), form, chain(lines, advice))
    if _refused_all(table, summary, options):
        raise typer.Exit(ExitCode.ERROR)


def _since(text: str | None) -> Since:
    """Return the snapshot after which commits count. Raises UsageError."""
    if text is None or text == "last":
        return "last" if text else None
    if not text.isdecimal():
        raise UsageError(f"--since: {text!r} is neither last nor the id of a snapshot")
    return int(text)


def _refused_all(table: Table, summary: RewriteSummary, changed: Mapping[str, str]) -> bool:
    """Return whether no index that the options list could be built."""
    from paimon_ksy.table.index.options import wanted_indexes

    wanted = wanted_indexes(table.schema, changed).options
    listed = set(map(_key, wanted.indexes))
    refused = {(each.index_type, each.column) for each in summary.refused}
    return bool(listed) and not summary.rewritten and listed <= refused


@dataclass(frozen=True)
class Dropped(Answer):
    """The table, and the global indexes that were dropped."""

    table: str
    dropped: DroppedIndexes = field(metadata=keyed(beside=True))


@cli_command(
    "table drop-index orders --column status --index-type btree",
    "table drop-index orders --column status --index-type btree --yes",
    "table drop-index orders --file btree-1f2e.index --yes",
    answer=Dropped,
)
def run_drop_index(
    *,
    column: Annotated[
        str | None,
        typer.Option("--column", help="Indexed column, or several, as in a,b.", metavar="COLUMN"),
    ] = None,
    index_type: Annotated[
        str | None,
        typer.Option("--index-type", help="Type of the index, e.g. btree.", metavar="TYPE"),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option(
            "--file", help="Only this file, and all others of its row range.", metavar="NAME"
        ),
    ] = None,
    yes: Yes = False,
    source: TableSource,
    form: Format = Form.TEXT,
) -> None:
    """Drop a global index, or files of it, in one commit, and show how to build it again.

    Without --yes, it only shows the files. An index contains no rows: queries read the data until
    it is built again. --file can be repeated. The files stay until the snapshots that list them
    expire.
    """
    from paimon_ksy.table.index.global_indexes import drop_global_indexes

    if column is None and not files:
        raise UsageError("name the index: add --column COLUMN, or --file NAME")
    table = source.open_to_change()
    columns = None if column is None else tuple(name.strip() for name in column.split(","))
    dropped = drop_global_indexes(
        table,
        column=columns,
        index_type=index_type,
        files=None if files is None else {name.rpartition("/")[2] for name in files},
        dry_run=not yes,
    )
    lines = summary_lines(table.location, dropped, planned=not yes)
    print_answer(Dropped(table.location, dropped), form, lines)


def _advice(table: Table, summary: RewriteSummary, changed: Mapping[str, str]) -> Iterator[str]:
    """Yield recommended next steps."""
    from paimon_ksy.table.index.options import usable_options, wanted_indexes

    wanted = wanted_indexes(table.schema, changed).options
    if not wanted.indexes and not changed:
        command = table_command("advise", table=table.words)
        yield f"the table's options list no index; to find out which ones help, run: {command}"
    own, _ = usable_options(table.schema)
    listed = {_key(spec) for spec in own.indexes}
    if not summary.saved and {_key(spec) for spec in wanted.indexes} - listed:
        words = [word for key, value in changed.items() for word in ("--set", f"{key}={value}")]
        command = table_command("rewrite-index", *words, "--save-options", table=table.words)
        yield f"to make later writers build these indexes, run: {command}"


def _key(spec: IndexSpec) -> tuple[str, str]:
    return spec.index_type, spec.name
