"""`paimon-ksy diff` of two files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import typer

from paimon_ksy.cli.catalog import CatalogSource
from paimon_ksy.cli.common import open_input, read_schema
from paimon_ksy.cli.failures import UsageError, complain
from paimon_ksy.cli.hexdump import field_lines, label_of
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.output import (
    Line,
    Node,
    aligned,
    is_watched,
    print_json,
    print_lines,
    print_tree,
    shortened,
)
from paimon_ksy.errors import CorruptFileError, ExitCode, PaimonKsyError, counted
from paimon_ksy.inspection.diff import FileDiff, diff_files
from paimon_ksy.inspection.field_changes import FieldChange, FieldSide
from paimon_ksy.inspection.meaning_changes import (
    Fact,
    HashChange,
    IndexChange,
    Rows,
    ValueChange,
    VectorChange,
)
from paimon_ksy.inspection.wrong_schema import schema_mismatch
from paimon_ksy.io.source import Source
from paimon_ksy.messages.masking import masked
from paimon_ksy.types.schema import Schema

LISTED = 20
"""The number of differences of each kind that a terminal shows."""
MOST = 1000
"""The number elsewhere, because files may differ in millions of fields."""
_SHORT = 60  # characters of a value that a terminal shows

OLD, NEW = "red", "green"
"""Colours of what only the old file contains, and of what only the new one contains."""
STYLES = {"added": NEW, "removed": OLD, "changed": "yellow"}


def run(
    old: str,
    new: str | None,
    *,
    schema: str | None,
    schema_file: str | None,
    kind: str | None,
    snapshots: tuple[int, int] | None,
    catalog: CatalogSource,
    most: int | None,
    as_json: bool,
) -> None:
    """Compare two files or two snapshots, and print differences; exit with 1 if there are any."""
    if most is None:
        most = LISTED if is_watched() and not as_json else MOST
    if snapshots is not None:
        if new is not None or kind is not None or schema is not None or schema_file is not None:
            raise UsageError("--snapshots compares two snapshots of one table: pass nothing else")
        from paimon_ksy.cli.table_diff import run_snapshots

        run_snapshots(old, snapshots, catalog=catalog, most=most, as_json=as_json)
        return
    if new is None:
        raise UsageError("pass two files, or a table with --snapshots N M")
    if catalog:
        raise UsageError("--catalog is for tables: add --snapshots N M, or drop it")
    of_file = OfFile(kind, schema, schema_file)
    types = read_schema(schema, schema_file)
    if old == new == "-":
        raise UsageError("standard input can be only one of the two files")
    with open_input(old) as before, open_input(new) as after:
        kinds = of_file.facts(before).kind, of_file.facts(after).kind
        found = diff_files(before, after, types, kinds=kinds, most=most)
        found = replace(found, errors=_explained(found, (before, after), types))
    if as_json:
        print_json(found)
    else:
        print_tree(_tree(found))
        print_lines(_lines(found))
    for error in found.errors:
        complain(error)
    if found.errors:
        raise typer.Exit(ExitCode.USAGE)
    if not found.equal:
        raise typer.Exit(ExitCode.ERROR)


def _explained(
    found: FileDiff, sources: tuple[Source, Source], types: Schema | None
) -> tuple[PaimonKsyError, ...]:
    """Return the errors of the files; if a wrong schema explains an error, return that instead."""
    by_path = dict(zip((found.old, found.new), sources, strict=True))

    def explained(error: PaimonKsyError) -> PaimonKsyError:
        source = by_path.get(error.path or "", sources[0])
        found = None
        if isinstance(error, CorruptFileError):
            found = schema_mismatch(source, types, error)
        return found or error

    return tuple(map(explained, found.errors))


# Tree -------------------------------------------------------------------------------------------


def _tree(found: FileDiff) -> Node:
    old, new = masked(found.old), masked(found.new)
    kind = found.kind.name
    sizes = changed(found.old_bytes, found.new_bytes, "byte")
    line: Line = [(old, f"bold {OLD}"), (" and ", ""), (new, f"bold {NEW}"), (f": {kind}, ", "")]
    if found.equal:
        return Node([*line, (f"{sizes}, identical", "")])
    nodes = [_index(index) for index in found.indexes]
    nodes += [_vector(vector) for vector in found.vectors]
    nodes += more(found.num_vectors - len(found.vectors), "vector")
    nodes += [] if found.hashes is None else _hashes(found.hashes)
    for same, noun in ((found.same_indexes, "index"), (found.same_vectors, "vector")):
        if same:
            nodes.append(Node([(f"{counted(same, noun)} unchanged", "dim")]))
    return Node([*line, (sizes, "")], nodes)


def changed(old: int, new: int, noun: str) -> str:
    """Format a number that may have changed: `4 bytes`, `4 -> 5 bytes`."""
    return counted(new, noun) if old == new else f"{old:,} -> {counted(new, noun)}"


def more(left: int, noun: str) -> list[Node]:
    """Return a line with the number of items that are not listed."""
    if left <= 0:
        return []
    return [Node([(f"... {counted(left, f'more {noun}')}; --max-items N lists more", "dim")])]


def _index(index: IndexChange) -> Node:
    name: Line = [(index.column or "''", "bold cyan")]
    if index.data_type is not None:
        name = [*name, (f" {index.data_type}", "cyan")]
    line: Line = [*name, (f" {index.index_type}", "green"), (": ", "")]
    if index.change != "changed":
        size = index.new_size if index.old_size is None else index.old_size
        line = [*line, (index.change, STYLES[index.change]), (f", {_size(size)}", "")]
    elif index.old_size and index.new_size:
        line = [*line, (changed(index.old_size, index.new_size, "byte"), "")]
    else:
        line = [*line, (f"{_size(index.old_size)} -> {_size(index.new_size)}", "")]
    if index.errors:
        line = [*line, (", ", ""), ("broken", "bold red")]
    return Node(line, list(_of_index(index)))


def _size(size: int | None) -> str:
    return counted(size, "byte") if size else "EMPTY"


def _of_index(index: IndexChange) -> Iterator[Node]:
    if index.change != "changed":
        facts = [
            (fact.name, fact.new if index.old_size is None else fact.old) for fact in index.facts
        ]
        text = ", ".join(f"{name.replace('_', ' ')}: {_text(value)}" for name, value in facts)
        yield from [Node([(text, "")])] if facts else []
    else:
        yield from map(Node, _facts(index.facts))
    if index.change == "changed" and index.rows is not None and index.rows.count:
        verb = "differs" if index.rows.count == 1 else "differ"
        yield rows_node(index.rows, f"{counted(index.rows.count, 'row')} {verb}", "yellow")
    elif index.rows is not None and index.change == "changed":
        yield Node([("each row has the same value, stored differently", "dim")])
    yield from map(Node, aligned(map(_value, index.values), right=[1, 2, 3]))
    yield from more(index.num_values - len(index.values), "value")
    if index.note is not None:
        yield Node([(f"no values: {index.note}", "dim")])


def _facts(facts: Iterable[Fact]) -> list[Line]:
    return [
        [
            (f"{fact.name.replace('_', ' ')}: ", ""),
            (_text(fact.old), OLD),
            (" -> ", "dim"),
            (_text(fact.new), NEW),
        ]
        for fact in facts
    ]


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else shortened(str(value), _SHORT)


def _value(value: ValueChange) -> list[tuple[str, str]]:
    style = "yellow"
    if not value.old_rows or not value.new_rows:
        style = OLD if value.old_rows else NEW
    rows = changed(value.old_rows, value.new_rows, "row")
    return [
        (shortened(value.text, _SHORT), style),
        (rows + " " * (rows.endswith("row")), ""),
        (f"+{value.gained:,}" if value.gained else "", NEW),
        (f"-{value.lost:,}" if value.lost else "", OLD),
    ]


def rows_node(rows: Rows, what: str, style: str) -> Node:
    """Return a line with the first ranges of some rows."""
    shown = " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in rows.ranges)
    left = " .." if len(rows.ranges) < rows.num_ranges else ""
    return Node([(f"{what}: ", style), (shown + left, "")])


def _vector(vector: VectorChange) -> Node:
    numbers = vector.old_number, vector.new_number
    number = numbers[0] if numbers[1] is None else numbers[1]
    line: Line = [(f"vectors[{number}]", "bold cyan")]
    if vector.change != "changed":
        line = [*line, (": ", ""), (vector.change, STYLES[vector.change])]
    elif numbers[0] != numbers[1]:
        line = [*line, (f", vectors[{numbers[0]}] in the old file", "")]
    nodes = [Node(fact) for fact in _facts(vector.facts)]
    for rows, what, style in (
        (vector.deleted, "deletes", NEW),
        (vector.restored, "no longer deletes", OLD),
    ):
        if rows.count:
            nodes.append(rows_node(rows, f"{what} {counted(rows.count, 'row')}", style))
    return Node(line, nodes)


def _hashes(found: HashChange) -> list[Node]:
    nodes = [Node(fact) for fact in _facts(found.facts)]
    for codes, count, what, style in (
        (found.gained, found.num_gained, "gained", NEW),
        (found.lost, found.num_lost, "lost", OLD),
    ):
        if count:
            left = " .." if len(codes) < count else ""
            shown = " ".join(map(str, codes)) + left
            nodes.append(Node([(f"{what} {counted(count, 'hash code')}: ", style), (shown, "")]))
    if not found.num_gained and not found.num_lost:
        nodes.append(Node([("the same hash codes in a different order", "dim")]))
    return nodes


# Fields -----------------------------------------------------------------------------------------


def _lines(found: FileDiff) -> Iterator[Line]:
    """Yield the fields that differ as lines of a hex dump."""
    if found.equal:
        return
    yield []
    verb = "differs" if found.num_fields == 1 else "differ"
    yield [(f"{counted(found.num_fields, 'field')} {verb}", "bold")]
    for change in found.fields:
        yield from _field(change)
    for node in more(found.num_fields - len(found.fields), "field"):
        yield node.line
    if found.left_out:
        left = counted(found.left_out, "more byte")
        text = f"... up to {left} differ, in parts too large to compare by field"
        yield [(text, "dim")]


def _field(change: FieldChange) -> Iterator[Line]:
    old, new = change.old, change.new
    if old is not None:
        yield from _side(old, "- ", OLD, new)
    if new is not None:
        yield from _side(new, "+ ", NEW, old)


def _side(side: FieldSide, mark: str, color: str, other: FieldSide | None) -> Iterator[Line]:
    label = label_of(side.path, side.value)
    if side.at + len(side.data) < side.end:
        label += " .."
    data = None if other is None else other.data
    yield from field_lines(side.at, side.data, label, color, mark=mark, other=data)
