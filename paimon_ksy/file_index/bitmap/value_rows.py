"""Where the rows of values lie in a bitmap index; 0.0 and -0.0 are two values here."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.report import ValueCount
from paimon_ksy.io.source import Source
from paimon_ksy.pages.section import Where
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, longest, read_bitmap
from paimon_ksy.roaring.containers import containers, containers_text


def with_rows(source: Source, value: ValueCount, num_rows: int) -> ValueCount:
    """Return a value with its rows; `verify` reports what is malformed."""
    with suppress(CorruptFileError, BadBitmapError):
        rows = value_rows(source, value, num_rows)
        where = Where(rows.range_cardinality, num_rows, f"{len(rows):,} of {num_rows:,} rows")
        return replace(value, where=where, containers=containers_text(containers([rows])))
    return value


def value_rows(source: Source, value: ValueCount, num_rows: int) -> BitMap:
    """Return the rows of a value that `inspect_file` reported.

    Raises CorruptFileError or BadBitmapError.
    """
    if value.place is None:
        return BitMap([] if value.row is None else [value.row])
    size = min(longest(num_rows), source.size - value.place)
    return read_bitmap(source.read(value.place, size), num_rows, prefix=True)
