"""`paimon-ksy table delete`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.options import Form, Format, RequiredWhere, Yes
from paimon_ksy.cli.output import print_answer
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.sections import summary_lines
from paimon_ksy.cli.table_source import ChangedTable
from paimon_ksy.errors import counted
from paimon_ksy.messages.answers import Answer, keyed

if TYPE_CHECKING:
    from paimon_ksy.table.delete.delete import DeleteResult, DeleteSummary
    from paimon_ksy.table.model.files import DataFile


@dataclass(frozen=True)
class Deleted(Answer):
    """The table, and what was done to it."""

    table: str
    summary: DeleteSummary = field(metadata=keyed(beside=True))


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
    from paimon_ksy.table.delete.delete import checked_job, delete

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
    lines = summary_lines(table.location, summary, planned=not yes)
    print_answer(Deleted(table.location, summary), form, lines)
