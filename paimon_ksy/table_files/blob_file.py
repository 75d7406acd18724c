"""Blob files: the values of a BLOB column. No other reader checks their checksums.

They may be of many GB, and corrupt ones may claim to be. So the index and the values are read in
parts of some MB.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from ksykit.runtime.errors import FormatError
from ksykit.runtime.varints import from_zigzag, read_varints
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views.blob_file import (
    BlobCollectionHead,
    BlobEntry,
    BlobEntryHead,
    BlobEntryTail,
    BlobFooter,
    CollectionKind,
    places_blob_entry,
)
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import SMALL, FieldBytes, FileContent, FilePart, Range, Subject
from paimon_ksy.io.file_kind import BACKUP
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.findings import ERROR, Finding, corrupt
from paimon_ksy.types.schema import Schema

MOST_LISTED = 10
"""The most damaged values that are findings of their own."""

_INDEX_BYTES = 1 << 18  # of the index that are read at once
_DATA_BYTES = 4 << 20  # of the values
_SHOWN = 16  # bytes of a value

NULL, PLACEHOLDER = BlobEntry.null_length, BlobEntry.placeholder_length
_LEAST = places_blob_entry(0).end  # the length of an entry without data

Numbers = NDArray[np.int64]


class BlobRows(NamedTuple):
    """Some successive rows of a blob file.

    Attributes:
        first: The number of the first row.
        lengths: The length of each row's entry in bytes, `NULL` or `PLACEHOLDER`.
        starts: The start of each row's entry in the file.
    """

    first: int
    lengths: Numbers
    starts: Numbers

    @property
    def at(self) -> Numbers:
        """The places of the rows that have an entry."""
        return np.flatnonzero(self.lengths >= 0)


def blob_rows(source: Source) -> Iterator[BlobRows]:
    """Yield all rows of a blob file, some thousand at a time. Raises CorruptFileError."""
    with CorruptErrors(source, remedy=BACKUP):
        yield from _rows(source)


def _rows(source: Source) -> Iterator[BlobRows]:
    footer_at = source.size - BlobFooter.len_footer
    if footer_at < 0:
        raise FormatError("it is too short for a footer", 0)
    index_at = footer_at - read_view(source, BlobFooter, footer_at).len_index
    if index_at < 0:
        raise FormatError("its index is longer than the file", footer_at)
    row, length, end, rest, pos = 0, 0, 0, b"", index_at
    while pos < footer_at:
        size = min(_INDEX_BYTES, footer_at - pos)
        data = rest + source.read(pos, size)
        differences, used = read_varints(data, pos - len(rest))
        rest, pos = data[used:], pos + size
        lengths = length + np.cumsum(from_zigzag(differences))
        sizes = lengths.clip(min=0)
        is_wrong = (lengths < PLACEHOLDER) | ((lengths >= 0) & (lengths < _LEAST))
        is_wrong |= lengths > index_at  # so that no sum overflows
        if is_wrong.any():
            at = int(np.argmax(is_wrong))
            message = f"row {row + at} has an entry of {lengths[at]} bytes"
            raise FormatError(message, index_at)
        ends = end + np.cumsum(sizes)
        if len(ends) and ends[-1] > index_at:
            at = int(np.argmax(ends > index_at))
            raise FormatError(f"the entry of row {row + at} ends after byte {index_at}", index_at)
        yield BlobRows(row, lengths, ends - sizes)
        if len(ends):
            row, length, end = row + len(ends), int(lengths[-1]), int(ends[-1])
    if rest:
        raise FormatError("its index ends within a number", footer_at)
    if end != index_at:
        message = f"its entries take {counted(end, 'byte')}, but {index_at} are before the index"
        raise FormatError(message, end)


# Inspect ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlobValue(Answer):
    """A row of a blob file.

    Attributes:
        row: The row.
        what: `value`, `null`, `placeholder`; `array` or `map` with `elements`.
        offset: The first byte of its entry.
        size: The number of bytes of its value.
        starts: The first bytes of its value.
        error: The error in it.
    """

    row: int
    what: str = field(metadata=keyed("is"))
    offset: int | None = field(default=None, metadata=keyed("byte", optional=True))
    size: int | None = field(default=None, metadata=keyed("bytes", optional=True))
    elements: int | None = field(default=None, metadata=keyed(optional=True))
    starts: bytes | None = field(default=None, metadata=keyed(optional=True))
    error: CorruptFileError | None = field(default=None, metadata=keyed(optional=True))


@dataclass(frozen=True)
class BlobReport(FileContent):
    """What a blob file contains: the rows of each kind, and the first ones. Sizes are in bytes."""

    rows: int
    nulls: int
    placeholders: int
    value_bytes: int
    smallest_bytes: int | None = field(metadata=keyed(optional=True))
    largest_bytes: int | None = field(metadata=keyed(optional=True))
    values: tuple[BlobValue, ...]
    error: CorruptFileError | None = field(default=None, metadata=keyed(optional=True))


def inspect(subject: Subject, top: int | None) -> BlobReport:
    """Return what a blob file contains, with its first rows. Raises CorruptFileError."""
    source = subject.source
    rows = nulls = placeholders = value_bytes = 0
    smallest: int | None = None
    largest: int | None = None
    values: list[BlobValue] = []
    error: CorruptFileError | None = None
    try:
        for batch in blob_rows(source):
            sizes = batch.lengths[batch.at] - _LEAST
            rows += len(batch.lengths)
            nulls += int((batch.lengths == NULL).sum())
            placeholders += int((batch.lengths == PLACEHOLDER).sum())
            value_bytes += int(sizes.sum())
            if len(sizes):
                smallest = min(int(sizes.min()), sizes[0] if smallest is None else smallest)
                largest = max(int(sizes.max()), largest or 0)
            values += islice(_values(source, batch), None if top is None else top - len(values))
    except CorruptFileError as broken:
        if not rows:
            raise
        error = broken
    least = None if smallest is None else int(smallest)
    return BlobReport(rows, nulls, placeholders, value_bytes, least, largest, tuple(values), error)


def _values(source: Source, rows: BlobRows) -> Iterator[BlobValue]:
    """Yield the values of rows."""
    lengths, starts = rows.lengths.tolist(), rows.starts.tolist()
    for row, length, start in zip(range(rows.first, 1 << 62), lengths, starts, strict=False):
        if length < 0:
            yield BlobValue(row, "null" if length == NULL else "placeholder")
            continue
        size = length - _LEAST
        try:
            with CorruptErrors(source, remedy=BACKUP):
                data_at = read_view(source, BlobEntryHead, start, size).end
                first = source.read(data_at, min(size, _SHOWN))
        except CorruptFileError as error:
            yield BlobValue(row, "value", start, size, error=error)
            continue
        what, elements = collection(first)
        yield BlobValue(row, what, start, size, elements, first)


def collection(data: bytes) -> tuple[str, int | None]:
    """Return what bytes begin, and of an array or a map its number of elements.

    A value that is no collection may begin with the same bytes.
    """
    try:
        head = BlobCollectionHead(data, 0, 0)
    except FormatError:
        return "value", None
    return CollectionKind(head.kind).name, int(head.num_values)


# Check ------------------------------------------------------------------------------------------


def check(subject: Subject, data: Any = None) -> Iterator[Finding]:
    """Yield what is wrong in a blob file: its index, its entries, and the checksum of each.

    `subject.num_rows` is the number of rows according to the manifest, or None.
    """
    source, rows, damaged = subject.source, 0, 0
    try:
        for batch in blob_rows(source):
            rows += len(batch.lengths)
            for row, error in _damaged(source, batch):
                damaged += 1
                if damaged <= MOST_LISTED:
                    yield corrupt("blob", subject.path, error, f"row {row}: ", BACKUP)
    except CorruptFileError as error:
        yield corrupt("blob", subject.path, error, remedy=BACKUP)
        return
    if damaged > MOST_LISTED:
        message = f"{damaged - MOST_LISTED} more values are damaged"
        yield Finding(ERROR, "blob", subject.path, None, None, message, BACKUP)
    if subject.num_rows not in (None, rows):
        message = f"it has {counted(rows, 'row')}, but {subject.num_rows} according to the manifest"
        yield Finding(ERROR, "blob", subject.path, None, None, message, BACKUP)


def _damaged(source: Source, rows: BlobRows) -> Iterator[tuple[int, CorruptFileError]]:
    """Yield the rows whose entries are damaged, with the errors."""
    at = rows.at
    numbers, starts = (rows.first + at).tolist(), rows.starts[at].tolist()
    lengths = rows.lengths[at].tolist()
    buffer, first = memoryview(b""), 0
    for row, start, length in zip(numbers, starts, lengths, strict=True):
        end = start + length
        if end > first + len(buffer) and length <= _DATA_BYTES:
            first = start
            stop = min(start + _DATA_BYTES, starts[-1] + lengths[-1])
            buffer = memoryview(source.read(start, stop - start))
        try:
            with CorruptErrors(source, remedy=BACKUP):
                if length <= _DATA_BYTES:
                    check_entry(buffer[start - first : end - first], start)
                else:
                    _check_large_entry(source, start, length)
        except CorruptFileError as error:
            yield row, error


def check_entry(entry: memoryview, start: int) -> None:
    """Raise FormatError if an entry, which starts at byte `start`, is damaged."""
    places = places_blob_entry(len(entry) - _LEAST)
    BlobEntryHead(entry, start, 0, places.data)
    tail = BlobEntryTail(entry, start, places.len_entry, places.data)
    _compare(tail, len(entry), zlib.crc32(entry[: places.crc32]), start)


def _check_large_entry(source: Source, start: int, length: int) -> None:
    places = places_blob_entry(length - _LEAST)
    read_view(source, BlobEntryHead, start, length - _LEAST)
    crc = 0
    for at in range(0, places.crc32, _DATA_BYTES):
        crc = zlib.crc32(source.read(start + at, min(_DATA_BYTES, places.crc32 - at)), crc)
    tail = read_view(source, BlobEntryTail, start + places.len_entry, length - _LEAST)
    _compare(tail, length, crc, start)


def _compare(tail: BlobEntryTail, length: int, crc: int, start: int) -> None:
    if tail.len_entry != length:
        message = f"the entry states a length of {tail.len_entry} bytes, but the index {length}"
        raise FormatError(message, start)
    if tail.crc32 != crc:
        message = f"the value is damaged: its checksum is {crc:#010x}, not {tail.crc32:#010x}"
        raise FormatError(message, start)


def matches(source: Source) -> bool:
    """Return whether a file without a magic number is a blob file without entries."""
    try:
        return source.size <= _INDEX_BYTES and not any(len(rows.at) for rows in blob_rows(source))
    except CorruptFileError:
        return False


# Bytes ------------------------------------------------------------------------------------------


def parts(source: Source, schema: Schema | None, start: int, end: int) -> Iterator[FilePart]:
    """Yield a small file as a whole; of a large one, the entries in a range, and the rest."""
    if source.size <= SMALL:
        yield FilePart(0, source.size, type_named("blob_file"), {})
        return
    entry, size = type_named("blob_entry"), BlobFooter.len_footer
    yield FilePart(source.size - size, size, type_named("blob_footer"), {}, "footer.")
    index_at = 0
    with suppress(CorruptFileError):  # of what is malformed, no more is known
        for rows in blob_rows(source):
            starts, ends = rows.starts, rows.starts + rows.lengths
            index_at = max(index_at, int(ends.max(initial=0)))
            is_there = (rows.lengths >= 0) & (starts < end) & (ends > start)
            for at in np.flatnonzero(is_there).tolist():
                size = int(rows.lengths[at])
                path = f"index.rows[{rows.first + at}].entry."
                params, fields = (
                    {"len_data": size - _LEAST},
                    None if size <= SMALL else _entry_fields,
                )
                yield FilePart(int(starts[at]), size, entry, params, path, fields)
        size = source.size - BlobFooter.len_footer - index_at
        yield FilePart(index_at, size, type_named("blob_index"), {}, "index", _one_field)


def _one_field(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    yield FieldBytes(part.start, part.start + part.size, part.prefix)


def _entry_fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of a large entry, without its value."""
    size, start = part.params["len_data"], part.start
    places = places_blob_entry(size)
    data_at, len_at, crc_at = (start + at for at in (places.data, places.len_entry, places.crc32))
    tail = read_view(source, BlobEntryTail, len_at, size)
    yield FieldBytes(start, data_at, f"{part.prefix}magic")
    yield FieldBytes(data_at, len_at, f"{part.prefix}data")
    yield FieldBytes(len_at, crc_at, f"{part.prefix}len_entry", tail.len_entry)
    yield FieldBytes(crc_at, start + places.end, f"{part.prefix}crc32", tail.crc32)
