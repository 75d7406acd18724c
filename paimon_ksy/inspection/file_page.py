"""Write a page about one file: its findings, its content, and the field of each byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.byte_tree import Span, byte_tree
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.inspection.value_rows import with_rows
from paimon_ksy.io.file_kind import FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Section, Where
from paimon_ksy.table_index.deletion_vector_file import VectorMeta
from paimon_ksy.types.schema import Schema

VALUES = 20
"""The most values of an index that a page lists."""
LISTED_VECTORS = 200
"""The most deletion vectors that a page lists."""
MOST = 3000
"""The most rows of tables and sections, so that a page stays small."""
FINDINGS = 200
"""The most findings that a page lists."""


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
    report = None
    with suppress(CorruptFileError):  # the findings include it
        report = inspect_file(source, schema, top=VALUES, kind=kind)
    wrong = [finding.byte for finding in findings[:FINDINGS] if finding.byte is not None]
    tree = byte_tree(source, kind, schema, list(_spans(report)), wrong)
    return page(
        Report(
            name=masked(source.name).replace("\\", "/").rpartition("/")[2],
            kind=f"Paimon {kind.name}",
            place=masked(source.name),
            facts=(("size", f"{source.size:,} bytes"),),
            findings=sorted(findings, key=Finding.rank)[:FINDINGS],
            findings_left=max(0, len(findings) - FINDINGS),
            verdict="" if findings else _verdict(kind, compared),
            sections=[_content(source, report, schema, vectors or ())],
        ),
        tree,
    )


def _verdict(kind: FileKind, compared: bool) -> str:
    if compared:
        return "The file agrees with its data file."
    if kind is VECTORS:
        return "Sizes, CRCs and bitmaps are sound."
    return (
        "Nothing contradicts itself. The format has no checksum: only a comparison with the data "
        "file, by --data, detects changed values."
    )


def _content(
    source: Source,
    report: FileReport | None,
    schema: Schema | None,
    places: Sequence[VectorMeta],
) -> Section:
    title = "What it contains"
    if report is None:
        return Section(title, notes=("It cannot be read, so only its bytes are shown.",))
    report, facts = with_rows(source, report), list[tuple[str, Any]]()
    notes = ["Strips go from the first row to the last; the stronger the colour, the more rows."]
    if report.vectors is not None:
        names = {place.offset: place.data_file or "" for place in places}
        listed = report.vectors[:LISTED_VECTORS]
        named = (replace(each, data_file=names.get(each.offset, "")) for each in listed)
        facts.append(("deleted rows", sum(each.vector.cardinality for each in report.vectors)))
        report = replace(report, vectors=tuple(named), num_vectors=len(report.vectors))
    elif report.bucket_index is not None:
        hashes = np.sort(report.bucket_index.hashes.astype(np.int64)) + (1 << 31)

        def count(start: int, stop: int) -> int:
            return int(np.searchsorted(hashes, stop) - np.searchsorted(hashes, start))

        facts.append(("from -2^31 to 2^31", Where(count, 1 << 32, "Where hash codes lie")))
    elif report.kind is FILE_INDEX and schema is None:
        notes = [
            "An index does not store the types of its columns: give --schema, --schema-file or "
            "--table to see its values."
        ]
    section = section_of(report, title).bounded(MOST)
    return replace(section, facts=(*section.facts, *facts), notes=(*section.notes, *notes))


def _spans(report: FileReport | None) -> Iterator[Span]:
    """Yield the indexes in a file."""
    index = None if report is None else report.file_index
    for column in () if index is None else index.columns:
        for each in column.indexes:
            if each.offset is not None:
                title = f"{column.name} {each.type}"
                yield Span(title, each.offset, each.offset + each.size, f"{column.name}: ")
