"""`paimon-ksy diff TABLE --snapshots N M`."""

from __future__ import annotations

import typer

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.diff import NEW, OLD, STYLES, changed, more, rows_node
from paimon_ksy.cli.failures import complain
from paimon_ksy.cli.output import Line, Node, print_json, print_tree
from paimon_ksy.cli.table_inspect import file_facts, partition_text, snapshot_facts
from paimon_ksy.errors import ExitCode, counted
from paimon_ksy.messages.masking import masked
from paimon_ksy.table.inspect.diff import (
    FileChange,
    IndexFileChange,
    SnapshotDiff,
    Sums,
    VectorChange,
    diff_snapshots,
)
from paimon_ksy.table.inspect.report import (
    DataFileReport,
    IndexPart,
    SnapshotReport,
)
from paimon_ksy.table.model.files import HASH

_STYLES = {**STYLES, "dropped": OLD}


def run_snapshots(
    name: str,
    snapshots: tuple[int, int],
    *,
    catalog: CatalogSource,
    most: int,
    as_json: bool,
) -> None:
    """Compare two snapshots, and print the differences; exit with 1 if there are any."""
    table = open_table(name, catalog)
    found = diff_snapshots(table, *snapshots, most=most)
    if as_json:
        print_json(found)
    else:
        print_tree(_tree(found))
    for error in found.errors:
        complain(error)
    if found.errors:
        raise typer.Exit(ExitCode.USAGE)
    if not found.equal:
        raise typer.Exit(ExitCode.ERROR)


def _tree(found: SnapshotDiff) -> Node:
    line: Line = [(masked(found.location), "bold")]
    nodes = [_snapshot(found.old, OLD), _snapshot(found.new, NEW)]
    if found.equal:
        nodes.append(Node([("the data files, indexes and deletion vectors are identical", "dim")]))
        return Node(line, nodes)
    if found.schema_changes:
        first, *rest = found.schema_changes
        nodes.append(Node([(first, "")], [Node([(each, "")]) for each in rest]))
    for change, total in (("added", found.added), ("dropped", found.dropped)):
        if total.files:
            nodes.append(_files(found, change, _sums(total), total.files))
    if found.num_changed:
        text = f"{counted(found.num_changed, 'data file')} with another index or level"
        nodes.append(_files(found, "changed", text, found.num_changed))
    if found.num_vectors:
        nodes.append(_vectors(found))
    if found.num_index_files:
        text = counted(found.num_index_files, "other index file")
        left = more(found.num_index_files - len(found.index_files), "file")
        nodes.append(Node([(text, "")], [*map(_index_file, found.index_files), *left]))
    return Node(line, nodes)


def _snapshot(snapshot: SnapshotReport, style: str) -> Node:
    return Node(
        [(f"snapshot {snapshot.id}", f"bold {style}"), (f" {snapshot_facts(snapshot)}", "")]
    )


def _sums(sums: Sums) -> str:
    facts = [counted(sums.files, "data file"), counted(sums.rows, "row")]
    facts.append(counted(sums.bytes, "byte"))
    if sums.indexes:
        facts.append(f"{sums.indexes:,} with an index")
    return ", ".join(facts)


def _files(found: SnapshotDiff, change: str, text: str, count: int) -> Node:
    listed = [_file(each) for each in found.files if each.change == change]
    line: Line = [(change, _STYLES[change]), (f": {text}", "")]
    return Node(line, [*listed, *more(count - len(listed), "file")])


def _file(file: FileChange) -> Node:
    shown = file.old if file.new is None else file.new
    assert shown is not None
    nodes = []
    if file.old is not None and file.new is not None:
        if file.old.level != file.new.level:
            nodes.append(Node([(f"level: {file.old.level} -> {file.new.level}", "")]))
        if _place(file.old) != _place(file.new):
            text = f"index: {_place(file.old)} -> {_place(file.new)}"
            nodes.append(Node([(text, "")]))
    for parts, mark, style in ((file.indexes_dropped, "-", OLD), (file.indexes_added, "+", NEW)):
        nodes += [_part(part, mark, style) for part in parts]
    return Node([(file_facts(shown), "")], nodes)


def _place(file: DataFileReport) -> str:
    return "none" if file.index is None else file.index.place


def _part(part: IndexPart, mark: str, style: str) -> Node:
    size = counted(part.bytes, "byte") if part.bytes else "EMPTY"
    column: Line = [(f"{mark} ", style), (part.column, "bold cyan")]
    return Node([*column, (f" {part.index_type}", "green"), (f", {size}", "")])


def _vectors(found: SnapshotDiff) -> Node:
    text = counted(found.num_vectors, "deletion vector")
    verb = "differs" if found.num_vectors == 1 else "differ"
    rows = found.deleted_rows
    if rows:
        change = "more" if rows > 0 else "fewer"
        text += f" {verb}: {counted(abs(rows), f'{change} deleted row')}"
    else:
        text += f" {verb}"
    nodes = [_vector(vector) for vector in found.vectors]
    nodes += more(found.num_vectors - len(nodes), "vector")
    if found.unread_vectors:
        unread = counted(found.unread_vectors, "more vector")
        note = f"{unread} with equal lengths and numbers of rows: bytes not compared"
        nodes.append(Node([(note, "dim")]))
    return Node([(text, "")], nodes)


def _vector(vector: VectorChange) -> Node:
    line: Line = [
        (vector.data_file, "bold cyan"),
        (f", bucket {vector.bucket}: ", ""),
        (vector.change, _STYLES[vector.change]),
    ]
    rows = [0 if each is None else each.rows for each in (vector.old, vector.new)]
    if rows[0] is not None and rows[1] is not None:
        line = [*line, (f", {changed(rows[0], rows[1], 'deleted row')}", "")]
    nodes = []
    for found, what, style in (
        (vector.deleted, "deletes", NEW),
        (vector.restored, "no longer deletes", OLD),
    ):
        if found is not None and found.count:
            nodes.append(rows_node(found, f"{what} {counted(found.count, 'row')}", style))
    return Node(line, nodes)


def _index_file(file: IndexFileChange) -> Node:
    shown = file.old if file.new is None else file.new
    assert shown is not None
    partition = f", {partition_text(shown.partition)}" if shown.partition else ""
    line: Line = [
        (shown.type, "green"),
        (f"{partition}, bucket {shown.bucket}: ", ""),
        (file.change, _STYLES[file.change]),
    ]
    what = "key" if shown.type == HASH else "row"
    if file.old is not None and file.new is not None:
        counts = changed(file.old.rows, file.new.rows, what)
        return Node([*line, (f", {counts}, {file.old.name} -> {file.new.name}", "")])
    return Node([*line, (f", {counted(shown.rows, what)}, {shown.name}", "")])


# JSON -------------------------------------------------------------------------------------------
