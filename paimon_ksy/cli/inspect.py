"""`paimon-ksy inspect`."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from paimon_ksy.cli.common import read_schema
from paimon_ksy.cli.failures import FAILED, UsageError, complain
from paimon_ksy.cli.output import (
    Line,
    Node,
    columns,
    counted,
    print_json,
    print_lines,
    print_tree,
    printable,
)
from paimon_ksy.inspect import inspect_file
from paimon_ksy.report import (
    BitmapReport,
    BsiPartReport,
    BsiReport,
    ColumnReport,
    FileIndexReport,
    FileReport,
    IndexReport,
    RangeBitmapReport,
    RoaringReport,
    Shown,
    SliceReport,
    ValueCount,
)
from paimon_ksy.schema import Schema
from paimon_ksy.source import Source, open_source
from paimon_ksy.types import quote

if TYPE_CHECKING:
    from paimon_ksy.hex_fields import HexField

HEX_LENGTH = 4096
MAX_HEX_LENGTH = 1 << 20

_DATA_FILES = {
    "Parquet": "a data file; `paimon-ksy build` makes an index for it",
    "ORC": "a data file; `paimon-ksy build` makes an index for it",
    "Avro": "a data file, or a manifest or manifest list of a table",
}


def run(
    path: str,
    *,
    schema: str | None,
    schema_file: str | None,
    top: int | None,
    show_hex: bool,
    start: str | None,
    length: str | None,
    as_json: bool,
) -> None:
    """Inspect a file and print what is found."""
    first = _integer("--from", start, 0)
    most = _integer("--length", length, HEX_LENGTH)
    if most > MAX_HEX_LENGTH:
        raise UsageError(f"--length: at most {MAX_HEX_LENGTH} bytes at a time")
    if (start is not None or length is not None) and not show_hex:
        raise UsageError("--from and --length are for --hex: add it")
    types = read_schema(schema, schema_file)
    with open_source(path) as source:
        report = inspect_file(source, types, top=top)
        fields = None
        if show_hex:  # loads what a plain look does without
            from paimon_ksy.cli.hexdump import hex_json, hex_lines
            from paimon_ksy.hex_fields import hex_fields

            fields = hex_fields(source, types, first, most)
        if as_json:
            document = _json(report)
            if fields is not None:
                document["hex"] = hex_json(source, fields)
            print_json(document)
        else:
            print_tree(_tree(report, types, top))
            if fields is not None:
                print_lines([[]])
                print_lines(hex_lines(source, fields))
                _rest(source, fields, first, most)
    _complain(report)


def _integer(option: str, value: str | None, default: int) -> int:
    try:
        number = default if value is None else int(value, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise UsageError(f"{option}: {value!r} is no number of bytes; write 4096 or 0x1000")
    return number


def _complain(report: FileReport) -> None:
    """One line on stderr for each thing that is wrong with the file; then exit code 1."""
    import typer

    errors = report.file_index.errors if report.file_index is not None else []
    for error in errors:
        complain(str(error))
    wrong: list[str] = []
    if report.vectors:
        from paimon_ksy.cli.dv import wrong_crcs

        wrong = list(wrong_crcs(report.path, report.vectors))
    for line in wrong:
        complain(line)
    if report.kind == "unknown":
        name = report.path.rpartition("/")[2]
        guess = "; `paimon-ksy bucket-index show` takes it for a dynamic bucket index"
        complain(
            f"{report.path}: byte 0: neither a file index nor deletion vectors nor a Roaring "
            "bitmap, Parquet, ORC or Avro; it may be of another kind, or damaged"
            + (guess if name.startswith("index-") else "")
        )
    if errors or wrong or report.kind == "unknown":
        raise typer.Exit(FAILED)


def _rest(source: Source, fields: list[HexField], first: int, length: int) -> None:
    end = fields[-1].end if fields else first
    if end < source.size:
        left = f"... {source.size - end:,} bytes more; --from {end} --length {length} goes on"
    elif not fields:
        left = f"... no byte from {first} on: the file has {source.size:,} bytes"
    else:
        return
    print_lines([[(left, "dim")]])


# Tree -------------------------------------------------------------------------------------------


def _tree(report: FileReport, schema: Schema | None, top: int | None) -> Node:
    size = counted(report.size, "byte")
    name = (printable(report.path), "bold")
    if report.file_index is not None:
        index = report.file_index
        line: Line = [name, (f": Paimon file index, version {index.version}, {size}", "")]
        children = [_head(index), *(_column(c, schema, top) for c in index.columns)]
        return Node(line, children + _hint(index, schema))
    if report.roaring is not None:
        line = [name, (f": Roaring bitmap of 32-bit integers, {size}", "")]
        return Node(line, [_roaring(report.roaring)])
    if report.vectors is not None:
        from paimon_ksy.cli.dv import vectors_tree

        return vectors_tree(report.path, report.vectors, 10)
    if report.kind in _DATA_FILES:
        return Node([name, (f": {report.kind}, {size}: {_DATA_FILES[report.kind]}", "")])
    first = report.first_bytes.hex(" ")
    return Node([name, (f": not known, {size}, starts with {first}", "")])


def _hint(index: FileIndexReport, schema: Schema | None) -> list[Node]:
    """How to see more, if no schema was given and there is more to see."""
    names = [c.name for c in index.columns if any(_needs_type(i) for i in c.indexes)]
    if schema is not None or not names:
        return []
    listed = ", ".join(f"{_sql_name(name)} TYPE" for name in names[:2])
    more = ", .." if len(names) > 2 else ""
    return [Node([(f"for the values give the types: --schema '{listed}{more}'", "dim")])]


def _needs_type(index: IndexReport) -> bool:
    return index.bitmap is not None or index.range_bitmap is not None


def _sql_name(name: str) -> str:
    return name if name.isidentifier() else printable(quote(name))


def _head(index: FileIndexReport) -> Node:
    text = f"head: {counted(index.head_size, 'byte')}, {counted(len(index.columns), 'column')}"
    if index.redundant_size:
        text += f", {counted(index.redundant_size, 'byte')} for later versions"
    return Node([(text, "")])


def _column(column: ColumnReport, schema: Schema | None, top: int | None) -> Node:
    line: list[tuple[str, str]] = [(printable(column.name) or "''", "bold cyan")]
    if column.type is not None:
        line.append((f" {column.type}", "cyan"))
    elif schema is not None:
        line.append((" (not in the schema)", "yellow"))
    children = [_index(index, column, top) for index in column.indexes]
    return Node(line, children or [Node([("no index", "dim")])])


def _index(index: IndexReport, column: ColumnReport, top: int | None) -> Node:
    kind = (printable(index.type), "green")
    if index.empty:
        return Node([kind, (": EMPTY, no row was written to it", "")])
    place = f"{counted(index.size, 'byte')} at byte {index.offset}"
    if index.error is not None:
        return Node([kind, (f", {place}: ", ""), ("broken", "bold red")])
    if index.bloom_filter is not None:
        bloom = index.bloom_filter
        share = f"{bloom.bits_set / bloom.bits:.1%} of them set"
        passes = f"lets {bloom.false_positives:.2%} of other values through"
        facts = f"{counted(bloom.hashes, 'hash function')}, "
        facts += f"{counted(bloom.bits, 'bit')}, {share}, {passes}"
        return Node([kind, (f", {place}", "")], [Node([(facts, "")])])
    if index.bsi is not None:
        line: Line = [kind, (f" version {index.bsi.version}, {place}", "")]
        return Node(line, _bsi(index.bsi, column, top))
    if index.range_bitmap is not None:
        line = [kind, (f" version {index.range_bitmap.version}, {place}", "")]
        return Node(line, _range_bitmap(index.range_bitmap, column, top))
    if index.bitmap is None:
        return Node([kind, (f", {place}: no type of index that is known", "")])
    bitmap = index.bitmap
    blocks = "" if bitmap.blocks is None else f", {counted(bitmap.blocks, 'block')}"
    nulls = "with nulls" if bitmap.nulls is None else counted(bitmap.nulls, "null")
    facts = f"{counted(bitmap.rows, 'row')}, {counted(bitmap.distinct, 'distinct value')}, {nulls}"
    children = [Node([(facts + blocks, "")]), *_values(bitmap, column)]
    return Node([kind, (f" version {bitmap.version}, {place}", "")], children)


def _values(bitmap: BitmapReport, column: ColumnReport) -> list[Node]:
    if bitmap.values is None:
        if column.type is not None:
            return [Node([(f"no values: bitmap holds none of type {column.type}", "yellow")])]
        return []
    rows = [
        [
            (_short(printable(value.text)), "yellow"),
            (counted(value.rows, "row").ljust(len(f"{value.rows:,} rows")), ""),
        ]
        for value in bitmap.values
    ]
    nodes = [Node(line) for line in columns(rows, right=[1])]
    left = bitmap.distinct - len(bitmap.values)
    if left > 0 and bitmap.values_seen < bitmap.distinct:
        seen = f"of the first {bitmap.values_seen:,} of {bitmap.distinct:,} values"
        nodes.append(Node([(f"... the most frequent {seen}; --all shows all", "dim")]))
        return nodes
    return nodes + _more(left, "value")


def _bsi(bsi: BsiReport, column: ColumnReport, top: int | None) -> list[Node]:
    facts = f"{counted(bsi.rows, 'row')}, {counted(bsi.nulls, 'null')}"
    nodes = [Node([(facts + _bounds(bsi.least, bsi.greatest), "")])]
    if column.type is not None and not bsi.typed:
        nodes.append(Node([(f"as numbers: bsi holds none of type {column.type}", "yellow")]))
    nodes += _bsi_part("from zero up", bsi.positive, top)
    return nodes + _bsi_part("below zero", bsi.negative, top)


def _bsi_part(name: str, part: BsiPartReport | None, top: int | None) -> list[Node]:
    if part is None:
        return []
    return [_slices(f"{name}: {counted(part.rows, 'row')}, ", part.slices, top)]


def _range_bitmap(found: RangeBitmapReport, column: ColumnReport, top: int | None) -> list[Node]:
    nulls = "" if found.nulls is None else f", {counted(found.nulls, 'null')}"
    facts = f"{counted(found.rows, 'row')}, {counted(found.distinct, 'distinct value')}{nulls}"
    nodes = [Node([(facts + _bounds(found.least, found.greatest), "")])]
    if column.type is not None and found.slices is None:
        text = f"no values: range-bitmap holds none of type {column.type}"
        nodes.append(Node([(text, "yellow")]))
    if found.dictionary is not None:
        chunks = found.dictionary.chunks
        rows = [
            [
                (_short(printable(chunk.first.text)), "yellow"),
                (counted(chunk.values, "value"), ""),
                (counted(chunk.size, "byte"), ""),
            ]
            for chunk in chunks
        ]
        lines = [Node(line) for line in columns(rows, right=[1, 2])]
        lines += _more(found.dictionary.num_chunks - len(chunks), "chunk")
        told = f"dictionary: {counted(found.dictionary.size, 'byte')}, "
        told += f"{counted(found.dictionary.num_chunks, 'chunk')}, each from"
        nodes.append(Node([(told, "")], lines))
    if found.slices is not None:
        nodes.append(_slices("", found.slices, top))
    return nodes


def _bounds(least: Shown | None, greatest: Shown | None) -> str:
    low = "" if least is None else f", from {_short(printable(least.text))}"
    if greatest is None:
        return low
    return f"{low}{' to ' if low else ', up to '}{_short(printable(greatest.text))}"


def _slices(before: str, slices: tuple[SliceReport, ...], top: int | None) -> Node:
    size = counted(sum(found.size for found in slices), "byte")
    rows = [
        [
            (f"bit {bit}", "yellow"),
            ("" if found.rows is None else counted(found.rows, "row"), ""),
            (counted(found.size, "byte"), ""),
        ]
        for bit, found in enumerate(slices[:top])
    ]
    lines = [Node(line) for line in columns(rows, right=[1, 2])]
    lines += _more(len(slices) - len(rows), "slice")
    return Node([(f"{before}{counted(len(slices), 'slice')}, {size}", "")], lines)


def _more(left: int, what: str) -> list[Node]:
    if left <= 0:
        return []
    return [Node([(f"... {counted(left, what)} more; --all shows all", "dim")])]


def _short(text: str, width: int = 60) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _roaring(bitmap: RoaringReport) -> Node:
    kinds = {"array": bitmap.arrays, "bitset": bitmap.bitsets, "run": bitmap.runs}
    told = ", ".join(counted(n, f"{kind} container") for kind, n in kinds.items() if n)
    return Node([(f"{counted(bitmap.cardinality, 'integer')}; {told or 'no container'}", "")])


# JSON -------------------------------------------------------------------------------------------


def _json(report: FileReport) -> dict[str, Any]:
    document: dict[str, Any] = {"path": report.path, "kind": report.kind, "bytes": report.size}
    if report.file_index is not None:
        index = report.file_index
        document["version"] = index.version
        document["head_bytes"] = index.head_size
        document["redundant_bytes"] = index.redundant_size
        document["columns"] = [_column_json(column) for column in index.columns]
    if report.vectors is not None:
        from paimon_ksy.cli.dv import vectors_json

        document["vectors"] = vectors_json(report.vectors, 10)
    if report.roaring is not None:
        bitmap = report.roaring
        document["cardinality"] = bitmap.cardinality
        document["containers"] = {
            "array": bitmap.arrays,
            "bitset": bitmap.bitsets,
            "run": bitmap.runs,
        }
    return document


def _column_json(column: ColumnReport) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": None if column.type is None else str(column.type),
        "indexes": [_index_json(index) for index in column.indexes],
    }


def _index_json(index: IndexReport) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": index.type,
        "empty": index.empty,
        "offset": index.offset,
        "bytes": index.size,
    }
    if index.bloom_filter is not None:
        bloom = index.bloom_filter
        document["bloom_filter"] = {
            "hashes": bloom.hashes,
            "bits": bloom.bits,
            "bits_set": bloom.bits_set,
            "false_positives": bloom.false_positives,
        }
    if index.bsi is not None:
        document |= _bsi_json(index.bsi)
    if index.range_bitmap is not None:
        document |= _range_bitmap_json(index.range_bitmap)
    if index.bitmap is not None:
        bitmap = index.bitmap
        document |= {
            "version": bitmap.version,
            "rows": bitmap.rows,
            "distinct": bitmap.distinct,
            "has_nulls": bitmap.has_nulls,
            "nulls": bitmap.nulls,
            "blocks": bitmap.blocks,
            "values_seen": bitmap.values_seen,
            "values": None if bitmap.values is None else [_value_json(v) for v in bitmap.values],
        }
    if index.error is not None:
        document["error"] = str(index.error)
    return document


def _bsi_json(bsi: BsiReport) -> dict[str, Any]:
    return {
        "version": bsi.version,
        "rows": bsi.rows,
        "has_nulls": bsi.nulls > 0,
        "nulls": bsi.nulls,
        "min": _plain(bsi.least),
        "max": _plain(bsi.greatest),
        "positive": _bsi_part_json(bsi.positive),
        "negative": _bsi_part_json(bsi.negative),
    }


def _bsi_part_json(part: BsiPartReport | None) -> dict[str, Any] | None:
    if part is None:
        return None
    return {
        "rows": part.rows,
        "min": part.min,
        "max": part.max,
        "slices": _slices_json(part.slices),
    }


def _slices_json(slices: tuple[SliceReport, ...]) -> list[dict[str, Any]]:
    return [
        {"bit": bit, "offset": found.offset, "bytes": found.size, "rows": found.rows}
        for bit, found in enumerate(slices)
    ]


def _range_bitmap_json(found: RangeBitmapReport) -> dict[str, Any]:
    dictionary = found.dictionary
    return {
        "version": found.version,
        "rows": found.rows,
        "distinct": found.distinct,
        "has_nulls": None if found.nulls is None else found.nulls > 0,
        "nulls": found.nulls,
        "min": _plain(found.least),
        "max": _plain(found.greatest),
        "dictionary": None
        if dictionary is None
        else {
            "offset": dictionary.offset,
            "bytes": dictionary.size,
            "head_bytes": dictionary.head_size,
            "num_chunks": dictionary.num_chunks,
            "chunks": [
                {"first": _plain(chunk.first), "values": chunk.values, "bytes": chunk.size}
                for chunk in dictionary.chunks
            ],
        },
        "slices": None if found.slices is None else _slices_json(found.slices),
    }


def _value_json(value: ValueCount) -> dict[str, Any]:
    return {"value": _plain(value), "rows": value.rows}


def _plain(value: Shown | None) -> Any:
    """The value as JSON has it; dates, times and what JSON has no number for as text."""
    if value is None or isinstance(value.value, str):
        return None if value is None else value.value
    if isinstance(value.value, Decimal):
        return value.text
    is_text = not isinstance(value.value, bool) and value.text != str(value.value)
    if is_text or (isinstance(value.value, float) and not math.isfinite(value.value)):
        return value.text
    return value.value
