"""Check a bitmap or multivalue index: its checksums, places, counts, keys and rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyroaring import BitMap64

from paimon_ksy.columns.stored_values import are_ascending
from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.global_index.bitmap.parts import BitmapParts
from paimon_ksy.global_index.bitmap.reader import MULTIVALUE, BitmapFile, form_of
from paimon_ksy.global_index.blocks import check_places
from paimon_ksy.global_index.metadata import SortedMetadata, read_metadata
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.messages.findings import Finding, corrupt
from paimon_ksy.runtime.errors import FormatError

_MOST_ROWS = 1 << 63


def check(subject: Subject, _: Any) -> Iterator[Finding]:
    """Yield the first problem in a file, and what contradicts the index manifest."""
    try:
        with CorruptErrors(subject.source):
            _check(subject)
    except CorruptFileError as error:
        yield corrupt("bitmap", subject.path, error, remedy=BUILD_AGAIN)


def _check(subject: Subject) -> None:
    form = None if subject.schema is None else form_of(subject.schema.fields)
    first, last = subject.row_range or (0, _MOST_ROWS - 1)
    file = BitmapFile(subject.source, form, last - first + 1)
    parts = file.parts
    used = [parts.extent_of_nulls, parts.extent_of_others, *_places(parts)]
    rows, count, keys = BitMap64(), 0, list[bytes]()
    for block in parts.blocks():
        keys += block.keys.tolist()
        used += [(start, end) for start, end in block.extents.tolist()]
        for _, counts, some in file.read_many(block.extents):
            if not counts.all():
                raise FormatError("a value has no rows", block.ofs)
            rows |= BitMap64(some)
            count += len(some)
    check_places(sorted(used), subject.source.size)
    metadata = None if subject.metadata is None else read_metadata(subject.metadata)
    _check_keys(keys, parts, form, metadata)
    nulls, others = BitMap64(file.null_rows()), BitMap64(file.other_rows())
    at = parts.footer.ofs_null_rows
    if subject.index_type == MULTIVALUE or (subject.index_type is None and file.is_multivalue):
        if nulls or others:
            raise FormatError("a multivalue index has null rows, or others", at)
        return
    if count != len(rows):
        raise FormatError(f"{counted(count - len(rows), 'row')} have a second value", at)
    for what, wrong in (
        ("a value, and do not count as not null", rows - others),
        ("no value, and count as not null", others - rows),
        ("a value or count as not null, and are null", nulls & (rows | others)),
    ):
        if wrong:
            message = f"{counted(len(wrong), 'row')} have {what}; the first is row {wrong.min()}"
            raise FormatError(message, at)
    if metadata is not None and metadata.has_nulls != bool(nulls):
        raise FormatError("the index manifest differs about whether there are nulls", at)
    if subject.cardinality not in (None, len(nulls) + len(others)):
        message = f"{counted(len(nulls) + len(others), 'row')}, but {subject.cardinality:,}"
        raise FormatError(f"it has {message} according to the index manifest", at)


def _places(parts: BitmapParts) -> Iterator[tuple[int, int]]:
    """Yield where the directory, the footer and each block start and end."""
    footer, size = parts.footer, parts.source.size
    yield size - footer.len_footer, size
    listed = (footer.ofs_directory, footer.len_directory), *parts.directory.places
    yield from ((ofs, ofs + length + footer.len_trailer) for ofs, length in listed)


def _check_keys(
    stored: list[bytes], parts: BitmapParts, form: KeyForm | None, metadata: SortedMetadata | None
) -> None:
    """Raise FormatError if keys are not distinct and ascending, or contradict the metadata."""
    at = parts.footer.ofs_directory
    if len(stored) != parts.footer.num_values:
        message = f"the footer counts {counted(parts.footer.num_values, 'value')}"
        raise FormatError(f"{message}, but {len(stored):,} are stored", at)
    if len(set(stored)) < len(stored):
        raise FormatError("the dictionary contains a value twice", at)
    if form is None:
        return
    try:
        keys = [form.key(one) for one in stored]
    except KeyTypeError:  # the type of the column changed, or is not that of the index
        return
    if not are_ascending(keys) and not are_ascending(stored):
        raise FormatError("values ascend neither by value nor by their bytes", at)
    if metadata is not None:
        order = sorted(range(len(keys)), key=keys.__getitem__)
        ends = (stored[order[0]], stored[order[-1]]) if order else (None, None)
        if (metadata.first_key, metadata.last_key) != ends:
            raise FormatError("the index manifest has another first or last key", at)
