"""`paimon-ksy inspect`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from paimon_ksy.cli.common import open_input
from paimon_ksy.cli.failures import UsageError, complain
from paimon_ksy.cli.hexdump import hex_bytes, hex_lines
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.output import (
    Line,
    Node,
    Span,
    aligned,
    cell_width,
    columns,
    most_shown,
    print_json,
    print_lines,
    print_tree,
    shortened,
)
from paimon_ksy.cli.strips import scale, strip_span, strip_width
from paimon_ksy.errors import CorruptFileError, ExitCode, PaimonKsyError, counted
from paimon_ksy.file_index.bitmap.inspect import BitmapReport
from paimon_ksy.file_index.bloom_filter.report import BloomFilterBits, BloomFilterReport
from paimon_ksy.file_index.bsi.report import BsiReport
from paimon_ksy.file_index.range_bitmap.report import RangeBitmapReport
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.report import SliceReport
from paimon_ksy.inspection.inspect import count_contradictions, inspect_file
from paimon_ksy.inspection.report import (
    ColumnReport,
    FileIndexReport,
    FileReport,
    IndexReport,
    RoaringReport,
)
from paimon_ksy.inspection.wrong_schema import schema_mismatch
from paimon_ksy.io.file_kind import UNKNOWN, missing_magic, unrecognised
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Value
from paimon_ksy.messages.commands import STDIN, command, table_of
from paimon_ksy.messages.masking import masked
from paimon_ksy.types.data_type import quote
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.inspection.byte_map import HexField

HEX_LENGTH = 4096
"""The number of bytes that --hex prints on a terminal."""
VALUES = 10
"""The number of values of an index that a terminal shows."""
_SHORT = 60  # characters of a value that a terminal shows
_GUIDES = 12  # columns before a value on a terminal
_HEX_AT_ONCE = 1 << 20


def run(
    path: str,
    of_file: OfFile,
    *,
    top: int | None,
    show_all: bool,
    show_hex: bool,
    start: str | None,
    length: str | None,
    as_json: bool,
) -> None:
    """Inspect a file, and print its content."""
    first = _integer("--from", start) or 0
    most = most_shown(_integer("--length", length), HEX_LENGTH, as_json=as_json)
    top = None if show_all else most_shown(top, VALUES, as_json=as_json)
    if (start is not None or length is not None) and not show_hex:
        raise UsageError("--from and --length need --hex: add it")
    with open_input(path) as source:
        kind, types, _ = of_file.facts(source)
        report = inspect_file(source, types, top=top, kind=kind)
        end = source.size if most is None else min(first + most, source.size)
        wrong = count_contradictions(source, report, types)
        if as_json:
            hexes = hex_bytes(source, _hex(source, report, types, first, end)) if show_hex else None
            found = None if report.file_index is None else wrong
            print_json(replace(report, contradictions=found, hex=hexes))
        else:
            print_tree(_tree(report, source, types, top))
            if show_hex:
                print_lines([[]])
                print_lines(hex_lines(source, _hex(source, report, types, first, end)))
                _rest(source, first, end)
        _complain(report, source, types)
    if wrong and path == "-":
        complain(
            f"{STDIN}: {counted(wrong, 'contradiction')}: save it, and run `paimon-ksy verify FILE`"
        )
        raise typer.Exit(ExitCode.ERROR)
    if wrong:
        verify = ["verify", path]
        for option in ("schema", "schema_file", "table"):
            if (value := getattr(of_file, option)) is not None:
                verify += [f"--{option.replace('_', '-')}", value]
        complain(f"{path}: {counted(wrong, 'contradiction')}: run {command(*verify)}")
        raise typer.Exit(ExitCode.ERROR)


def _hex(
    source: Source, report: FileReport, types: Schema | None, start: int, end: int
) -> Iterator[HexField]:
    """Yield the fields of these bytes, reading one part of the file at a time."""
    from paimon_ksy.inspection.byte_map import hex_fields

    for at in range(start, end, _HEX_AT_ONCE):
        yield from hex_fields(source, types, at, min(end - at, _HEX_AT_ONCE), report.kind)


def _integer(option: str, value: str | None) -> int | None:
    if value is None:
        return None
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise UsageError(f"{option}: {value!r} is not a number of bytes: write 4096 or 0x1000")
    return number


def _complain(report: FileReport, source: Source, types: Schema | None) -> None:
    """Print each error in the file or the schema on stderr, and exit if there are any."""
    broken = report.file_index.errors if report.file_index is not None else []
    errors: list[PaimonKsyError] = [schema_mismatch(source, types, e) or e for e in broken]
    if report.vectors:
        from paimon_ksy.cli.dv import wrong_crcs

        errors += wrong_crcs(report.path, report.vectors)
    if report.kind is UNKNOWN:
        errors.append(unrecognised(report.path))
    if report.kind.readers and (error := missing_magic(source, report.kind)):
        errors.append(error)
    for wrong in errors:
        complain(wrong)
    if errors:
        raise typer.Exit(min(wrong.exit_code for wrong in errors))


def _rest(source: Source, start: int, end: int) -> None:
    if start >= source.size:
        left = f"... no bytes from {start} on: the file has {source.size:,} bytes"
    elif end < source.size:
        left = (
            f"... {counted(source.size - end, 'more byte')}; --from {end} --length {end - start} "
            "continues"
        )
    else:
        return
    print_lines([[(left, "dim")]])


# Tree -------------------------------------------------------------------------------------------


def _tree(report: FileReport, source: Source, schema: Schema | None, top: int | None) -> Node:
    size = counted(report.size, "byte")
    name = (masked(report.path), "bold")
    if report.file_index is not None:
        index = report.file_index
        line: Line = [name, (f": Paimon file index, version {index.version}, {size}", "")]
        children = [_head(index), *(_column(c, source, schema, top) for c in index.columns)]
        return Node(line, children + _hint(index, schema))
    if report.roaring is not None:
        line = [name, (f": Roaring bitmap of 32-bit integers, {size}", "")]
        return Node(line, [_roaring(report.roaring)])
    if report.vectors is not None:
        from paimon_ksy.cli.dv import vectors_tree

        return vectors_tree(report.path, report.vectors, top)
    if report.bucket_index is not None:
        from paimon_ksy.cli.bucket_index import codes_line

        line = [name, (f": bucket index, {size}", "")]
        return Node(line, [Node(codes_line(report.bucket_index))])
    if report.kind is not UNKNOWN:
        note = report.kind.note.on(table_of(report.path))
        return Node([name, (f": {report.kind.name}, {size}: {note}", "")])
    first = report.first_bytes.hex(" ")
    return Node([name, (f": unknown kind, {size}, starts with {first}", "")])


def _hint(index: FileIndexReport, schema: Schema | None) -> list[Node]:
    """Return a hint to pass a schema, if none was passed and there is more to show."""
    names = [c.name for c in index.columns if any(_needs_type(i) for i in c.indexes)]
    if schema is not None or not names:
        return []
    listed = ", ".join(f"{_sql_name(name)} TYPE" for name in names[:2])
    more = ", .." if len(names) > 2 else ""
    return [Node([(f"to show values, pass the types: --schema '{listed}{more}'", "dim")])]


def _needs_type(index: IndexReport) -> bool:
    return index.body is not None and INDEX_TYPES[index.type].is_typed


def _sql_name(name: str) -> str:
    return name if name.isidentifier() else quote(name)


def _head(index: FileIndexReport) -> Node:
    text = f"head: {counted(index.head_size, 'byte')}, {counted(len(index.columns), 'column')}"
    if index.redundant_size:
        text += f", {counted(index.redundant_size, 'byte')} reserved"
    return Node([(text, "")])


def _column(column: ColumnReport, source: Source, schema: Schema | None, top: int | None) -> Node:
    line: list[tuple[str, str]] = [(column.name or "''", "bold cyan")]
    if column.type is not None:
        line.append((f" {column.type}", "cyan"))
    elif schema is not None:
        line.append((" (not in the schema)", "yellow"))
    children = [_index(index, column, source, top) for index in column.indexes]
    return Node(line, children or [Node([("no index", "dim")])])


def _index(index: IndexReport, column: ColumnReport, source: Source, top: int | None) -> Node:
    kind = (index.type, "green")
    if index.empty:
        return Node([kind, (": EMPTY, no row was written to it", "")])
    place = f"{counted(index.size, 'byte')} at byte {index.offset}"
    if index.error is not None:
        return Node([kind, (f", {place}: ", ""), ("broken", "bold red")])
    if index.body is None:
        return Node([kind, (f", {place}: an unknown index type", "")])
    version = getattr(index.body, "version", None)
    before = "" if version is None else f" version {version}"
    return Node([kind, (f"{before}, {place}", "")], _body(index.body, column, source, top))


def _body(body: Any, column: ColumnReport, source: Source, top: int | None) -> Iterable[Node]:
    """Show the content of an index; a type without a view of its own is shown by field."""
    match body:
        case BitmapReport():
            return _bitmap(body, column, source)
        case BloomFilterReport():
            return [_bloom_filter(body.bloom_filter)]
        case BsiReport():
            return _bsi(body, column, top)
        case RangeBitmapReport():
            return _range_bitmap(body, column, top)
        case _:
            facts = (f"{name}: {_text(value)}" for name, value in vars(body).items())
            return [Node([(", ".join(facts), "")])]


def _text(value: Any) -> str:
    return value.text if isinstance(value, Value) else str(value)


def _bloom_filter(bloom: BloomFilterBits) -> Node:
    facts = f"{counted(bloom.hashes, 'hash function')}, {counted(bloom.bits, 'bit')}, "
    facts += f"{bloom.bits_set / bloom.bits:.1%} of them set, "
    facts += f"{bloom.false_positives:.2%} false positives"
    return Node([(facts, "")])


def _bitmap(bitmap: BitmapReport, column: ColumnReport, source: Source) -> Iterator[Node]:
    blocks = "" if bitmap.blocks is None else f", {counted(bitmap.blocks, 'block')}"
    nulls = "with nulls" if bitmap.nulls is None else counted(bitmap.nulls, "null")
    facts = f"{counted(bitmap.rows, 'row')}, {counted(bitmap.distinct, 'distinct value')}, {nulls}"
    yield Node([(facts + blocks, "")])
    yield from _values(bitmap, column, source)


def _values(bitmap: BitmapReport, column: ColumnReport, source: Source) -> Iterator[Node]:
    if bitmap.values is None:
        if column.type is not None:
            yield Node([(f"no values: a bitmap index does not support {column.type}", "yellow")])
        return
    cells: list[list[Span]] = [
        [
            (_short(value.text), "yellow"),
            (counted(value.rows, "row").ljust(len(f"{value.rows:,} rows")), ""),
        ]
        for value in bitmap.values
    ]
    used = sum(max((cell_width(row[at][0]) for row in cells), default=0) + 2 for at in (0, 1))
    width = strip_width(_GUIDES + used)
    strip = None
    if width:
        # Imported here, because pipes have no strips.
        from paimon_ksy.inspection.value_rows import value_rows
        from paimon_ksy.roaring.strip import strip_of

        for row, value in zip(cells, bitmap.values, strict=True):
            row.append(("", ""))
            with suppress(CorruptFileError):  # `verify` reports it
                rows = value_rows(source, value, bitmap.rows)
                strip = strip_of(rows.range_cardinality, bitmap.rows, width)
                row[-1] = strip_span(strip)
    yield from map(Node, aligned(cells, right=[1]))
    if strip is not None:
        yield Node([(scale(strip), "dim")])
    left = bitmap.distinct - len(bitmap.values)
    if left > 0 and bitmap.values_seen < bitmap.distinct:
        seen = f"of the first {bitmap.values_seen:,} of {bitmap.distinct:,} values"
        yield Node([(f"... the most frequent {seen}; --all shows all", "dim")])
    else:
        yield from _more(left, "value")


def _bsi(bsi: BsiReport, column: ColumnReport, top: int | None) -> list[Node]:
    facts = f"{counted(bsi.rows, 'row')}, {counted(bsi.nulls, 'null')}"
    nodes = [Node([(facts + _bounds(bsi.least, bsi.greatest), "")])]
    if column.type is not None and not bsi.typed:
        text = f"shown as numbers: a bsi index does not support {column.type}"
        nodes.append(Node([(text, "yellow")]))
    for name, part in (("zero or positive", bsi.positive), ("negative", bsi.negative)):
        if part is not None:
            nodes.append(_slices(f"{name}: {counted(part.rows, 'row')}, ", part.slices, top))
    return nodes


def _range_bitmap(found: RangeBitmapReport, column: ColumnReport, top: int | None) -> list[Node]:
    nulls = "" if found.nulls is None else f", {counted(found.nulls, 'null')}"
    facts = f"{counted(found.rows, 'row')}, {counted(found.distinct, 'distinct value')}{nulls}"
    nodes = [Node([(facts + _bounds(found.least, found.greatest), "")])]
    if column.type is not None and found.slices is None:
        text = f"no values: a range-bitmap index does not support {column.type}"
        nodes.append(Node([(text, "yellow")]))
    if found.dictionary is not None:
        chunks = found.dictionary.chunks
        rows = [
            [
                (_short(chunk.first.text), "yellow"),
                (counted(chunk.values, "value"), ""),
                (counted(chunk.size, "byte"), ""),
            ]
            for chunk in chunks
        ]
        lines = [Node(line) for line in columns(rows, right=[1, 2])]
        lines += _more(found.dictionary.num_chunks - len(chunks), "chunk")
        summary = f"dictionary: {counted(found.dictionary.size, 'byte')}, "
        summary += f"{counted(found.dictionary.num_chunks, 'chunk')}, by first value"
        nodes.append(Node([(summary, "")], lines))
    if found.slices is not None:
        nodes.append(_slices("", found.slices, top))
    return nodes


def _bounds(least: Value | None, greatest: Value | None) -> str:
    low = "" if least is None else f", from {_short(least.text)}"
    if greatest is None:
        return low
    return f"{low}{' to ' if low else ', up to '}{_short(greatest.text)}"


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
    return [Node([(f"... {counted(left, f'more {what}')}; --all shows all", "dim")])]


def _short(text: str) -> str:
    return shortened(text, _SHORT)


def _roaring(bitmap: RoaringReport) -> Node:
    kinds = bitmap.containers.items()
    summary = ", ".join(counted(n, f"{kind} container") for kind, n in kinds if n)
    return Node([(f"{counted(bitmap.cardinality, 'integer')}; {summary or 'no container'}", "")])
