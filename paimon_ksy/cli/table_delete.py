"""`paimon-ksy table delete`."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.options import Form, Format, RequiredWhere, Yes
from paimon_ksy.cli.output import (
    PLANNED,
    Node,
    commit_line,
    number,
    print_json,
    print_lines,
    print_tree,
)
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.table_source import ChangedTable
from paimon_ksy.errors import counted
from paimon_ksy.messages.answers import Answer
from paimon_ksy.table.delete.delete import DeleteResult, DeleteSummary, checked_job, delete
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class Deleted(Answer):
    """The table, and what was done to it."""

    KEYS = ("table", "**summary")
    table: str
    summary: DeleteSummary


@cli_command(
    "table delete orders -w \"status = 'CANCELLED'\"",
    "table delete orders -w \"status = 'CANCELLED'\" --yes",
    answer=Deleted,
)
def run(
    *,
    where: RequiredWhere,
    yes: Yes = False,
    source: ChangedTable,
    form: Format = Form.TEXT,
) -> None:
    """Delete the rows that match a predicate, with deletion vectors, in one commit.

    Without --yes, the command only counts the rows. --where true deletes all rows. No data file is
    written, and partitions whose rows all match are dropped. The table must have no primary key,
    and must enable deletion vectors (deletion-vectors.enabled). If anything fails, nothing is
    deleted.
    """
    table = source.open_to_change()
    # These fail before Spark starts, which takes a while.
    checked_job(table, where, table.time_zone)
    table.snapshot()
    chosen = source.made_engine()
    with steps() as shown:
        finding = shown.step("finding rows")
        rows = 0

        def progress(_: DataFile, result: DeleteResult) -> None:
            nonlocal rows
            rows += result.rows
            finding.advance(read=result.bytes_read, detail=counted(rows, "row"))

        summary = delete(table, where, dry_run=not yes, engine=chosen, progress=progress)
    if form.is_json:
        print_json(Deleted(table.location, summary))
    else:
        print_tree(_tree(table, summary))
        print_lines([] if yes else [PLANNED])


def _tree(table: Table, summary: DeleteSummary) -> Node:
    did = commit_line(summary.snapshot, dry_run=summary.dry_run)
    would = summary.dry_run
    of = f"of {counted(summary.files, 'data file')}"
    lines = [f"{counted(summary.rows, 'row')} {'match' if would else 'deleted'}"]
    if summary.files_changed:
        get = "would get" if would else "got"
        lines.append(f"{number(summary.files_changed)} {of} {get} a deletion vector")
    if summary.files_dropped:
        gone = "would be dropped" if would else "dropped"
        lines.append(
            f"{number(summary.files_dropped)} {of} {gone}: all rows of their partitions match"
        )
    if not would and (summary.vector_files or summary.vector_files_replaced):
        lines.append(
            f"{counted(summary.vector_files, 'vector file')} written, "
            f"{number(summary.vector_files_replaced)} replaced"
        )
    lines.append(
        f"{counted(summary.bytes_read, 'byte')} read, {number(summary.bytes_written)} written, "
        f"{summary.seconds:.2f} s"
    )
    head = [(table.location, "bold"), (f": {did}", "")]
    return Node(head, [Node([(line, "")]) for line in lines])
