"""`paimon-ksy table inspect`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import typer

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.failures import complain
from paimon_ksy.cli.output import (
    Line,
    Node,
    most_shown,
    number,
    print_json,
    print_tree,
    shortened,
)
from paimon_ksy.errors import ExitCode, counted
from paimon_ksy.messages.answers import Value
from paimon_ksy.messages.masking import masked
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.report import (
    BucketReport,
    ColumnStatistics,
    ContentReport,
    DataFileReport,
    EntryReport,
    Hint,
    IndexFileReport,
    IndexManifestReport,
    IndexReport,
    Listing,
    ManifestListReport,
    ManifestReport,
    NamedSnapshot,
    PartitionReport,
    SchemaReport,
    SnapshotReport,
    TableReport,
    Totals,
)

_BROKEN = ("broken", "bold red")
LISTED = 20
"""The number of items of each list that a terminal shows."""
_SHORT = 40  # characters of a value that a terminal shows


def run(
    name: str,
    *,
    catalog: CatalogSource,
    snapshot: int | None,
    most: int | None,
    as_json: bool,
) -> None:
    """Inspect a table, and print its content; exit with 1 if something is corrupt."""
    most = most_shown(most, LISTED, as_json=as_json)
    table = open_table(name, catalog)
    report = inspect_table(table, snapshot, limit=sys.maxsize if most is None else most)
    if as_json:
        errors = list(map(masked, report.errors))
        print_json({**report.to_json(), "errors": errors})
    else:
        print_tree(_tree(report))
    for error in report.errors:
        complain(error)
    if report.errors:
        raise typer.Exit(ExitCode.ERROR)


def _tree(report: TableReport) -> Node:
    kind = "primary-key table" if report.primary_keys else "append table"
    buckets = f"bucket mode {report.bucket_mode}, bucket = {report.bucket}"
    line: Line = [(masked(report.table), "bold"), (f": Paimon {kind}, {buckets}", "")]
    unknown = ", ".join(report.unknown_options)
    nodes = [
        _hints(report),
        *([Node([(f"unknown options: {unknown}", "yellow")])] if unknown else []),
        _section("schema", report.schemas, _schema, "first"),
        _section("snapshot", report.snapshots, _snapshot, "first"),
    ]
    for noun, listing in (
        ("tag", report.tags),
        ("branch", report.branches),
        ("consumer", report.consumers),
    ):
        if listing.count or listing.error:
            nodes.append(_section(noun, listing, _named, "last"))
    if report.changelogs.count or report.changelogs.error:
        nodes.append(_section("changelog", report.changelogs, _snapshot, "first"))
    if report.error is not None:
        nodes.append(Node([("content: ", ""), _BROKEN]))
    elif report.content is None:
        nodes.append(Node([("no snapshot: the table was never written", "dim")]))
    else:
        nodes += _content(report.content)
    return Node(line, nodes)


def _section(noun: str, listing: Listing, show: Any, left_out: str) -> Node:
    """Return a section; `left_out` is which of its items are not listed, the first or the last."""
    title = counted(listing.count, noun)
    if listing.error is not None:
        return Node([(f"{title}: ", ""), _BROKEN])
    nodes = [show(item) for item in listing.listed]
    more = _more(listing.count - len(nodes), noun)
    return Node([(title, "")], [*more, *nodes] if left_out == "first" else [*nodes, *more])


def _more(left: int, noun: str) -> list[Node]:
    if left <= 0:
        return []
    return [Node([(f"... {counted(left, f'more {noun}')}; --max-items N lists more", "dim")])]


def _hints(report: TableReport) -> Node:
    hints = (("EARLIEST", report.earliest), ("LATEST", report.latest))
    return Node([("hints: " + ", ".join(f"{name} {_hint(hint)}" for name, hint in hints), "")])


def _hint(hint: Hint) -> str:
    if hint.error is not None:
        return "broken"
    if hint.named is None:
        return "missing"
    behind = "" if hint.named == hint.actual else f" (should be {hint.actual})"
    return f"{hint.named}{behind}"


def _time(millis: int | None) -> str:
    if millis is None:
        return "?"
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    except OverflowError:
        return f"{millis} ms"
    return moment.isoformat(" ", "milliseconds").replace("+00:00", "Z")


def _schema(schema: SchemaReport) -> Node:
    if schema.error is not None:
        return Node([(f"schema {schema.id}: ", ""), _BROKEN])
    facts = [f"schema {schema.id}", counted(len(schema.columns), "column")]
    if schema.primary_keys:
        facts.append(f"primary key {', '.join(schema.primary_keys)}")
    if schema.partition_keys:
        facts.append(f"partitioned by {', '.join(schema.partition_keys)}")
    if schema.time_millis is not None:
        facts.append(_time(schema.time_millis))
    if schema.changes:
        nodes = [Node([(change, "")]) for change in schema.changes]
    else:
        nodes = [
            Node([(c.column, "bold cyan"), (f" {c.type}  id {c.id}", "cyan")])
            for c in schema.columns
        ]
        nodes += [
            Node([(f"{key} = {value}", "green")]) for key, value in sorted(schema.options.items())
        ]
    return Node([(", ".join(facts), "")], nodes)


def _snapshot(snapshot: SnapshotReport) -> Node:
    if snapshot.error is not None:
        return Node([(f"{snapshot.id}: ", ""), _BROKEN])
    return Node([(str(snapshot.id), "bold"), (f" {snapshot_facts(snapshot)}", "")])


def snapshot_facts(snapshot: SnapshotReport) -> str:
    """Describe a snapshot on one line, without its number."""
    facts = [f"{snapshot.kind}, {_time(snapshot.time_millis)}, schema {snapshot.schema_id}"]
    if snapshot.total_rows is not None:  # Paimon 0.3 did not store it
        facts.append(f"{number(snapshot.total_rows)} rows ({snapshot.added_rows or 0:+,})")
    if snapshot.changelog_rows:
        facts.append(counted(snapshot.changelog_rows, "changelog row"))
    if snapshot.watermark is not None:
        facts.append(f"watermark {_time(snapshot.watermark)}")
    if snapshot.statistics:
        facts.append(f"statistics {snapshot.statistics}")
    if snapshot.tags:
        facts.append(f"tag {', '.join(snapshot.tags)}")
    return ", ".join(facts)


def _named(named: NamedSnapshot) -> Node:
    if named.error is not None:
        return Node([(f"{named.name}: ", ""), _BROKEN])
    line = [(named.name, "bold")]
    if named.snapshot is not None:
        line.append((f" snapshot {named.snapshot}", ""))
    return Node(line)


# Content of a snapshot --------------------------------------------------------------------------


def _content(content: ContentReport) -> list[Node]:
    lists = [_manifest_list(found) for found in content.lists]
    if content.index_manifest is not None:
        lists.append(_index_manifest(content.index_manifest))
    snapshot = Node([(f"snapshot {content.snapshot.id}", "bold")], lists)
    title = f"live data: {_totals(content.totals)}"
    line: list[tuple[str, str]] = [(title, "")]
    if not content.complete:
        line.append((", incomplete: a manifest is corrupt", "bold red"))
    nodes = [_partition(partition) for partition in content.partitions]
    return [
        snapshot,
        Node(line, nodes + _more(content.count - len(nodes), "partition")),
    ]


def _manifest_list(found: ManifestListReport) -> Node:
    name = f"{found.role} manifest list {found.name}: "
    if found.error is not None:
        return Node([(name, ""), _BROKEN])
    nodes = [_manifest(manifest) for manifest in found.manifests]
    return Node(
        [(name + counted(found.count, "manifest"), "")],
        nodes + _more(found.count - len(nodes), "manifest"),
    )


def _manifest(manifest: ManifestReport) -> Node:
    counts = f"{number(manifest.added)} ADD, {number(manifest.deleted)} DELETE"
    size = f"{counted(manifest.bytes, 'byte')}, schema {manifest.schema_id}"
    facts = f"{manifest.name}: {counts}, {size}"
    if manifest.partitions:
        facts += f", {_statistics(manifest.partitions)}"
    if manifest.error is not None:
        return Node([(f"{facts}: ", ""), _BROKEN])
    nodes = [_entry(entry) for entry in manifest.entries]
    left = manifest.added + manifest.deleted - len(nodes)
    return Node([(facts, "")], nodes + (_more(left, "file") if nodes else []))


def _entry(entry: EntryReport) -> Node:
    kind = (entry.kind, "green" if entry.kind == "ADD" else "red")
    if entry.file is None:
        return Node([kind, (": ", ""), _BROKEN])
    return Node([kind, (f" {file_facts(entry.file)}", "")], _file_details(entry.file))


def file_facts(file: DataFileReport) -> str:
    """Describe a data file on one line, without details."""
    facts = [
        f"{file.name}: {counted(file.rows, 'row')}",
        counted(file.bytes, "byte"),
        *([partition_text(file.partition)] if file.partition else []),
        f"bucket {file.bucket}, level {file.level}, schema {file.schema_id}",
    ]
    if file.source is not None:
        facts.append(file.source)
    if file.deleted_rows:
        facts.append(counted(file.deleted_rows, "delete"))
    return ", ".join(facts)


def _file_details(file: DataFileReport) -> list[Node]:
    nodes = []
    if file.min_key:
        low, high = _values(file.min_key), _values(file.max_key)
        nodes.append(Node([(f"keys {low} to {high}", "")]))
    if file.statistics:
        nodes.append(Node([(_statistics(file.statistics), "")]))
    extra = [name for name in file.extra_files if file.index is None or name != file.index.place]
    if extra:
        nodes.append(Node([(f"extra files: {', '.join(extra)}", "")]))
    if file.index is not None:
        nodes.append(_index(file.index))
    elif file.embedded_index_bytes is not None:
        nodes.append(Node([(f"embedded index: {counted(file.embedded_index_bytes, 'byte')}", "")]))
    if (vector := file.deletion_vector) is not None:
        place = f"bytes {vector.byte:,} to {vector.byte + vector.length:,} of "
        rows = "?" if vector.rows is None else counted(vector.rows, "row")
        nodes.append(Node([(f"deletion vector: {rows}, {place}{vector.data_file}", "")]))
    return nodes


def _index(index: IndexReport) -> Node:
    name = "embedded index" if index.place == "embedded" else f"index {index.place}"
    size = "" if index.bytes is None else f", {counted(index.bytes, 'byte')}"
    if index.error is not None:
        return Node([(f"{name}{size}: ", ""), _BROKEN])
    nodes = [
        Node(
            [
                (part.column, "bold cyan"),
                (f" {part.index_type}", "green"),
                (f", {counted(part.bytes, 'byte')}" if part.bytes else ", EMPTY", ""),
            ]
        )
        for part in index.parts
    ]
    return Node([(f"{name}{size}", "")], nodes)


def _statistics(statistics: Sequence[ColumnStatistics]) -> str:
    return "; ".join(_column(column) for column in statistics)


def _column(column: ColumnStatistics) -> str:
    name = column.column
    nulls = "" if not column.nulls else f" ({counted(column.nulls, 'null')})"
    if column.min is None and column.max is None:
        return f"{name}{nulls or ' not known'}"
    low = "?" if column.min is None else _short(column.min)
    high = "?" if column.max is None else _short(column.max)
    return f"{name} {low}{nulls}" if low == high else f"{name} {low} to {high}{nulls}"


def _short(value: Value) -> str:
    return shortened(value.text, _SHORT)


def _values(values: Sequence[Value]) -> str:
    return ", ".join(_short(value) for value in values)


def partition_text(values: Mapping[str, Value]) -> str:
    """Format the values of a partition; "" if there are no partition columns."""
    return ", ".join(f"{name} = {_short(value)}" for name, value in values.items())


def _index_manifest(found: IndexManifestReport) -> Node:
    name = f"index manifest {found.name}: "
    if found.error is not None and not found.files:
        return Node([(name, ""), _BROKEN])
    nodes = [_index_file(file) for file in found.files]
    line: list[tuple[str, str]] = [(name + counted(found.count, "file"), "")]
    if found.error is not None:
        line += [(", ", ""), _BROKEN]
    return Node(line, nodes + _more(found.count - len(nodes), "file"))


_COUNTED = {"DELETION_VECTORS": "vector", "HASH": "key"}


def _index_file(file: IndexFileReport) -> Node:
    partition = f"{partition_text(file.partition)}, " if file.partition else ""
    count = counted(file.rows, _COUNTED.get(file.type, "row"))
    facts = f" {file.name}: {partition}bucket {file.bucket}, {count}, {counted(file.bytes, 'byte')}"
    line = [(file.type, "green"), (facts, "")]
    if file.error is not None:
        line += [(", ", ""), _BROKEN]
    nodes = []
    for v in file.vectors:
        rows = "?" if v.rows is None else counted(v.rows, "row")
        text = f"{v.data_file}: {rows}, bytes {v.byte:,} to {v.byte + v.length:,}"
        nodes.append(Node([(text, "")]))
    left = file.rows - len(nodes) if nodes else 0
    return Node(line, nodes + _more(left, "vector"))


def _totals(totals: Totals) -> str:
    facts = [
        counted(totals.files, "file"),
        counted(totals.rows, "row"),
        counted(totals.bytes, "byte"),
    ]
    if totals.index_files:
        facts.append(f"{number(totals.index_files)} with an index file")
    if totals.embedded_indexes:
        facts.append(f"{number(totals.embedded_indexes)} with an embedded index")
    if totals.deletion_vectors:
        deleted = totals.deleted_rows
        of = "" if deleted is None else f" of {counted(deleted, 'row')}"
        facts.append(counted(totals.deletion_vectors, "deletion vector") + of)
    return ", ".join(facts)


def _partition(partition: PartitionReport) -> Node:
    text = partition_text(partition.values)
    title = f"partition {text}" if text else "no partitions"
    nodes = [_bucket(bucket) for bucket in partition.buckets]
    nodes += _more(partition.count - len(nodes), "bucket")
    return Node([(title, "bold"), (f": {_totals(partition.totals)}", "")], nodes)


def _bucket(bucket: BucketReport) -> Node:
    of = f" of {bucket.total_buckets}" if bucket.total_buckets > 0 else ""
    nodes = [_live_file(file) for file in bucket.listed]
    nodes += [Node([(error.partition(": ")[0] + ": ", ""), _BROKEN]) for error in bucket.errors]
    nodes += _more(bucket.totals.files - len(nodes), "file")
    return Node(
        [(f"bucket {bucket.bucket}{of}", "bold"), (f": {_totals(bucket.totals)}", "")], nodes
    )


def _live_file(file: DataFileReport) -> Node:
    line: list[tuple[str, str]] = [(file_facts(file), "")]
    if file.error is not None:
        line += [(", ", ""), _BROKEN]
    return Node(line, _file_details(file))
