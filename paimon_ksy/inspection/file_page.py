"""Write a page about one file: its findings, its content, and the field of each byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.bitmap.inspect import BitmapReport
from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.file_index.range_bitmap.report import ChunkReport
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.report import SliceReport, ValueCount
from paimon_ksy.inspection.byte_tree import Span, byte_tree
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.report import ColumnReport, FileIndexReport, IndexReport
from paimon_ksy.inspection.value_rows import value_rows
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Value
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.pages.render import page
from paimon_ksy.predicates.tree import IsNull
from paimon_ksy.roaring.containers import containers, containers_text
from paimon_ksy.roaring.strip import Strip, strip_of
from paimon_ksy.table_index.bucket_index import read_bucket_index
from paimon_ksy.table_index.deletion_vector_file import StoredVector, VectorMeta, read_vectors
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.schema import Schema

VALUES = 20
"""The most values of an index that a page lists."""
BARS = 48
"""The most blocks, slices or chunks that a page draws."""
LISTED_VECTORS = 200
"""The most deletion vectors that a page lists."""
_ROWS = 600  # values of all indexes, and bars, so that a page stays small
_COLUMNS = 300
_FINDINGS = 200

_NOT_FACTS = "values seen", "has nulls"


@dataclass(frozen=True)
class Bar:
    """A part of an index: its name, size and start, and further facts."""

    label: str
    size: int
    at: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Rows:
    """A value, or a vector, and where its rows lie."""

    label: str
    count: int
    strip: Strip | None = None
    containers: str = ""
    at: int | None = None
    note: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Section:
    """A section of the page: facts, then drawings, then subsections."""

    title: str
    facts: tuple[tuple[str, Any], ...] = ()
    rows: tuple[Rows, ...] = ()
    rows_of: str = "value"
    bars: tuple[Bar, ...] = ()
    bars_of: str = ""
    shares: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    at: int | None = None
    error: str | None = None
    sections: tuple[Section, ...] = ()

    @property
    def drawn(self) -> int:
        """The number of values and bars in the section."""
        return len(self.rows) + len(self.bars) + sum(below.drawn for below in self.sections)


def file_page(
    source: Source,
    kind: FileKind,
    findings: Sequence[Finding],
    schema: Schema | None = None,
    *,
    compared: bool = False,
    vectors: Sequence[VectorMeta] | None = None,
) -> str:
    """Return the page about a file.

    Args:
        source: The file.
        kind: The kind of the file.
        findings: The findings of `verify`.
        schema: The types of an index's columns. Without them, values are not shown.
        compared: Whether `verify` compared it with its data file.
        vectors: The places of deletion vectors and their data files, from the index manifest.
    """
    contents: Iterable[Section] = ()
    spans: list[Span] = []
    facts: list[tuple[str, Any]] = [("size", f"{source.size:,} bytes")]
    if kind is FILE_INDEX:
        report = _report(source, schema)
        spans = [] if report is None else list(_spans(report))
        contents = () if report is None else _indexes(source, report)
        if report is not None:
            facts += [("version", report.version), ("columns", len(report.columns))]
    elif kind is VECTORS:
        contents = _vectors(source, vectors or ())
    elif kind is BUCKET_INDEX:
        contents = [_bucket_index(source)]
    tree = byte_tree(source, kind, schema, spans, _bytes_of(findings))
    return page(
        "file.html",
        name=masked(source.name).replace("\\", "/").rpartition("/")[2],
        path=masked(source.name),
        kind=f"Paimon {kind.name}",
        facts=facts,
        findings=sorted(findings, key=Finding.rank)[:_FINDINGS],
        findings_left=max(0, len(findings) - _FINDINGS),
        compared=compared,
        has_crc=kind is VECTORS,
        contents=list(contents),
        typed=kind is not FILE_INDEX or schema is not None,
        bytes=tree,
    )


def _report(source: Source, schema: Schema | None) -> FileIndexReport | None:
    with suppress(CorruptFileError):  # the findings include it
        return inspect_file(source, schema, top=VALUES).file_index
    return None


def _bytes_of(findings: Sequence[Finding]) -> list[int]:
    return [finding.byte for finding in findings[:_FINDINGS] if finding.byte is not None]


# File indexes -----------------------------------------------------------------------------------


def _spans(report: FileIndexReport) -> Iterator[Span]:
    for column in report.columns:
        for index in column.indexes:
            if index.offset is not None:
                title = f"{column.name} {index.type}"
                yield Span(title, index.offset, index.offset + index.size, f"{column.name}: ")


def _indexes(source: Source, report: FileIndexReport) -> Iterator[Section]:
    drawn = 0
    for column in report.columns[:_COLUMNS]:
        kind = "" if column.type is None else f" {column.type}"
        indexes = []
        for index in column.indexes:
            found = _index(source, column, index)
            drawn += found.drawn
            if drawn > _ROWS:
                notes = "Values and sizes of its parts are left out, so that the page stays small."
                found = Section(index.type, found.facts, notes=(notes,), error=found.error)
            indexes.append(found)
        yield Section(f"{column.name}{kind}", sections=tuple(indexes))
    left = len(report.columns) - _COLUMNS
    if left > 0:
        yield Section(f"{left:,} more columns", notes=("The page lists the first columns.",))


def _index(source: Source, column: ColumnReport, index: IndexReport) -> Section:
    if index.empty:
        return Section(index.type, notes=("EMPTY: no row was written to it.",))
    place = ("bytes", f"{index.size:,} from byte {index.offset:,}")
    if index.error is not None:
        error = index.error.message
        return Section(index.type, facts=(place,), at=index.offset, error=error)
    notes = []
    if index.body is None:
        notes.append("An unknown type of index: queries ignore it.")
    facts, bars, bars_of, sections = _parts(getattr(index.body, "bloom_filter", index.body))
    rows: tuple[Rows, ...] = ()
    if column.type is not None and index.offset is not None and index.body is not None:
        with suppress(*MALFORMED, PaimonKsyError):  # `verify` finds what is broken
            rows = tuple(_values(source, column.name, column.type, index))
    if isinstance(index.body, BitmapReport):
        if column.type is not None and index.body.blocks:
            bars, bars_of = _blocks(source, index, column.type), "block"
        left = index.body.distinct - len(index.body.values or ())
        if rows and left > 0:
            notes.append(_left_out(index.body, left))
    return Section(
        index.type,
        facts=(place, *facts),
        rows=rows,
        bars=_several(bars),
        bars_of=bars_of,
        notes=(*notes, *_more(len(bars), bars_of)),
        at=index.offset,
        sections=sections,
    )


def _left_out(body: BitmapReport, left: int) -> str:
    seen = "" if body.values_seen >= body.distinct else f" among the first {body.values_seen:,}"
    return f"The most frequent values{seen}; {left:,} more are not listed."


def _several(bars: tuple[Bar, ...]) -> tuple[Bar, ...]:
    """Return the first bars; none if there is only one, which has nothing to compare with."""
    return bars[:BARS] if len(bars) > 1 else ()


def _more(count: int, noun: str) -> tuple[str, ...]:
    return () if count <= BARS else (f"The first {BARS} of {count:,} {noun}s are drawn.",)


def _parts(
    body: Any,
) -> tuple[tuple[tuple[str, Any], ...], tuple[Bar, ...], str, tuple[Section, ...]]:
    """Return the content of an index's report: facts, bars and their name, and subsections."""
    facts: list[tuple[str, Any]] = []
    bars: tuple[Bar, ...] = ()
    bars_of = ""
    sections = []
    for item in fields(body) if is_dataclass(body) else ():
        name, value = item.name.replace("_", " "), getattr(body, item.name)
        if isinstance(value, Value):
            facts.append((name, value.text))
        elif isinstance(value, bool):
            facts.append((name, "yes" if value else "no"))
        elif isinstance(value, int | float | str):
            facts.append((name, value))
        elif isinstance(value, tuple) and value and isinstance(value[0], SliceReport):
            bars, bars_of = tuple(_slice(bit, each) for bit, each in enumerate(value)), "slice"
        elif isinstance(value, tuple) and value and isinstance(value[0], ChunkReport):
            bars, bars_of = tuple(map(_chunk, value)), "chunk"
        elif is_dataclass(value):
            below, drawn, drawn_of, more = _parts(value)
            notes = _more(len(drawn), drawn_of)
            sections.append(
                Section(
                    name, below, bars=_several(drawn), bars_of=drawn_of, notes=notes, sections=more
                )
            )
    if isinstance(share := getattr(body, "false_positives", None), float):
        facts.append(("lets other values through", f"{share:.2%}"))
    return (
        tuple(fact for fact in facts if fact[0] not in _NOT_FACTS),
        bars,
        bars_of,
        tuple(sections),
    )


def _slice(bit: int, found: SliceReport) -> Bar:
    note = "" if found.rows is None else f"{found.rows:,} rows"
    return Bar(f"bit {bit}", found.size, found.offset, note)


def _chunk(found: ChunkReport) -> Bar:
    return Bar(found.first.text, found.size, note=f"{found.values:,} values")


def _blocks(source: Source, index: IndexReport, data_type: DataType) -> tuple[Bar, ...]:
    stored = column_type(data_type)
    if stored is None or index.offset is None:
        return ()
    with suppress(*MALFORMED, CorruptFileError):
        listed = BitmapParts(source, index.offset, stored).listed
        starts = listed.place_blocks_body(slice(None))[0].tolist()
        ends = [*starts[1:], int(listed.bitmaps_start)]
        return tuple(
            Bar(f"block {number}", end - start, start)
            for number, (start, end) in enumerate(zip(starts, ends, strict=True))
        )
    return ()


def _values(source: Source, column: str, data_type: DataType, index: IndexReport) -> Iterator[Rows]:
    """Yield the values that the report lists, and null, with their rows as the index has them."""
    num_rows = getattr(index.body, "rows", None)
    if not num_rows:
        return
    listed: Sequence[ValueCount] = getattr(index.body, "values", None) or ()
    for value in listed:
        rows = None
        with suppress(CorruptFileError):  # as above
            rows = value_rows(source, value, num_rows)
        yield _rows(value.text, value.rows, rows, num_rows)
    if nulls := getattr(index.body, "nulls", None):
        found: Selection | None = None
        with suppress(*MALFORMED, PaimonKsyError):  # as above
            kind = INDEX_TYPES[index.type]
            reader = kind.reader(source, index.offset or 0, column, data_type, index.size)
            found = reader.answer(IsNull(column, data_type))
        rows = None
        if found is not None and found.exact:
            rows = BitMap(range(num_rows)) if found.kind == "all" else found.rows or BitMap()
        yield _rows("NULL", nulls, rows, num_rows)


def _rows(label: str, count: int, rows: BitMap | None, num_rows: int) -> Rows:
    if rows is None:
        return Rows(label, count)
    strip = strip_of(rows.range_cardinality, num_rows)
    return Rows(label, count, strip, containers_text(containers([rows])))


# Deletion vectors and bucket indexes ------------------------------------------------------------


def _vectors(source: Source, places: Sequence[VectorMeta]) -> Iterator[Section]:
    names = {place.offset: place.data_file or "" for place in places}
    listed: list[Rows] = []
    count = deleted = 0
    error = None
    try:
        for stored in read_vectors(source, verify=False):
            count += 1
            deleted += stored.vector.cardinality
            if count <= LISTED_VECTORS:
                listed.append(_vector(stored, names.get(stored.offset, "")))
    except CorruptFileError as reason:
        error = reason.message
    notes = (
        ()
        if count <= LISTED_VECTORS
        else (f"The first {LISTED_VECTORS} of {count:,} vectors are listed.",)
    )
    facts = (("vectors", count), ("deleted rows", deleted))
    title = "Deletion vectors"
    yield Section(title, facts, tuple(listed), "vector", notes=notes, error=error)


def _vector(stored: StoredVector, data_file: str) -> Rows:
    vector = stored.vector
    end = 0 if vector.max is None else vector.max + 1
    return Rows(
        data_file or "vector",
        vector.cardinality,
        strip_of(vector.count, end) if end else None,
        containers_text(vector.containers),
        stored.offset,
        f"{vector.bits} bits, {stored.end - stored.offset:,} bytes, up to row {max(0, end - 1):,}",
        wrong=not stored.crc_ok,
    )


def _bucket_index(source: Source) -> Section:
    index = read_bucket_index(source)
    hashes = np.sort(index.hashes.astype(np.int64)) + (1 << 31)

    def count(start: int, stop: int) -> int:
        return int(np.searchsorted(hashes, stop) - np.searchsorted(hashes, start))

    facts = [("hash codes", len(index)), ("distinct", index.distinct)]
    if index.trailing:
        facts.append(("bytes after the last one", len(index.trailing)))
    if not len(index):
        return Section("Hash codes", tuple(facts))
    shares = strip_of(count, 1 << 32).relative
    note = "Where hash codes lie from -2,147,483,648 to 2,147,483,647."
    return Section("Hash codes", tuple(facts), shares=shares, notes=(note,))
