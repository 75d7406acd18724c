"""`paimon-ksy table rewrite-index`."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from paimon_ksy.cli.common import open_table
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.output import (
    Node,
    Span,
    columns,
    commit_line,
    counted,
    number,
    print_json,
    print_tree,
    printable,
)
from paimon_ksy.cli.progress import steps
from paimon_ksy.table.engine import engine_named
from paimon_ksy.table.rewrite import Outcome, RewriteSummary, rewrite_index, wanted_options
from paimon_ksy.table.store import DataFile, Table


def run(
    name: str,
    *,
    catalog: Sequence[str] | None,
    where: str | None,
    changed: Sequence[str] | None,
    dry_run: bool,
    force: bool,
    engine: str,
    master: str | None,
    as_json: bool,
) -> None:
    """Rewrite a table's file indexes and print what was done."""
    # It tells of each attempt to commit, with tracebacks; what came of it is told here.
    logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
    options: dict[str, str] = {}
    for text in changed or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text}: write it like file-index.bitmap.columns=status")
        key, value = key.strip(), value.strip()
        if key in options:
            raise UsageError(f"--set {key}: is given twice: write {key}={options[key]},{value}")
        options[key] = value
    table = open_table(name, catalog, master)
    with steps() as shown:
        known = shown.are_shown and where is None
        indexing = shown.step("indexing", table.num_files(table.snapshot()) if known else None)

        def progress(_: DataFile, outcome: Outcome) -> None:
            indexing.advance(read=outcome.bytes_read)

        summary = rewrite_index(
            table,
            where,
            set=options,
            dry_run=dry_run,
            force=force,
            engine=engine_named(engine, master, processes=True),
            progress=progress,
        )
    if as_json:
        print_json({"table": table.location, **summary.to_json()})
    else:
        print_tree(_tree(table, summary))
        if not wanted_options(table.schema, options).indexes:
            print("no index is asked for: --set file-index.bitmap.columns=COLUMNS asks for one")


def _tree(table: Table, summary: RewriteSummary) -> Node:
    did = commit_line(summary.snapshot, dry_run=summary.dry_run)
    reasons = ", ".join(f"{number(count)} {why}" for why, count in sorted(summary.reasons.items()))
    files = [f"{number(summary.rewritten)} of {counted(summary.files, 'file')}"]
    files.append("to rewrite" if summary.dry_run else "rewritten")
    lines = [" ".join(files) + (f": {reasons}" if reasons else "")]
    if summary.left:
        lines.append(f"{counted(summary.left, 'file')} left: the indexes match the options")
    if summary.unsupported:
        lines.append(f"{counted(summary.unsupported, 'file')} of other formats left as they are")
    if summary.rewritten:
        lines.append(f"{counted(summary.rows, 'row')}, {counted(summary.values, 'indexed value')}")
    if summary.rewritten and not summary.dry_run:
        lines.append(
            f"{counted(summary.bytes_read, 'byte')} read, {number(summary.bytes_written)} written: "
            f"{number(summary.embedded)} embedded, {counted(summary.index_files, 'index file')}"
            + (f", {number(summary.dropped)} without any more" if summary.dropped else "")
        )
        lines.append(f"{summary.seconds:.2f} s")
    head = [(printable(table.location), "bold"), (f": {did}", "")]
    return Node(head, [Node([(line, "")]) for line in lines] + _by_type(summary))


def _by_type(summary: RewriteSummary) -> list[Node]:
    """A table of what was built of each index type."""
    head = ["index", "files", "rows", "values"] + ["bytes", "seconds"] * (not summary.dry_run)
    rows: list[list[Span]] = [[(text, "bold") for text in head]]
    for kind, built in summary.indexes.items():
        cells = [kind, *map(number, (built.files, built.rows, built.values))]
        if not summary.dry_run:
            cells += [number(built.bytes), f"{built.seconds:.2f}"]
        rows.append([(text, "") for text in cells])
    lines = columns(rows, right=range(1, len(head))) if summary.indexes else []
    return [Node(line) for line in lines]
