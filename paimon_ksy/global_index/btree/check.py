"""Check a BTree index: its checksums, places, keys, rows, and what the index manifest states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.generated.views.btree_index import DirectoryRecordHead, places_btree_footer
from paimon_ksy.global_index.blocks import check_places, size_of
from paimon_ksy.global_index.btree.bloom import has_all
from paimon_ksy.global_index.btree.reader import LEN_CRC, BTreeFile, Int64s, Records
from paimon_ksy.global_index.metadata import read_metadata
from paimon_ksy.global_index.sorted_index import rows_of_range
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.messages.findings import NOTE, Finding, corrupt
from paimon_ksy.runtime.arrays import BytesColumn
from paimon_ksy.runtime.errors import FormatError

ANY_ROWS = 1 << 63
"""The length of an unknown row range."""


def check(subject: Subject, _: Any) -> Iterator[Finding]:
    """Yield the first problem in a file, or in what the index manifest states about it."""
    try:
        with CorruptErrors(subject.source, remedy=BUILD_AGAIN):
            _Check(subject).run()
    except CorruptFileError as error:
        yield corrupt("btree", subject.path, error, remedy=BUILD_AGAIN)
    except UnsupportedError as error:
        yield Finding(NOTE, "btree", subject.path, None, None, error.message, "it was not checked")


class _Check:
    """The check of one file; each step raises FormatError for the first problem."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._form = None if subject.schema is None else KeyForm.of(subject.schema.fields)
        first, last = subject.row_range or (0, ANY_ROWS - 1)
        self._file = BTreeFile(subject.source, self._form, last - first + 1)
        self._footer = self._file.footer
        self._pos = int(self._footer.ofs_directory)
        self._last_key: Any = None
        self._ends: list[bytes] = []
        self._number = 0

    def run(self) -> None:
        """Check all of the file."""
        self._check_places()
        rows: BitMap = rows_of_range(self._file.num_rows)()
        count = 0
        for records in self._file.records():
            stored = records.stored_keys()
            self._check_keys(stored, records)
            some, listed = self._rows(records)
            count += listed
            rows |= some
        if self._number < self._file.directory.num_records:
            raise FormatError("the directory lists a block without records", self._pos)
        if count != len(rows):
            message = f"{counted(count - len(rows), 'row')} with a second value"
            raise FormatError(message, self._pos)
        nulls = self._file.null_rows()
        both = rows & nulls
        if both:
            message = f"{counted(len(both), 'row')} with a value and without one"
            raise FormatError(
                f"{message}; the first is row {both.min()}", self._footer.ofs_null_rows
            )
        if not rows and not nulls:
            raise FormatError("it has no rows", self._pos)
        self._check_manifest(count + len(nulls), bool(nulls))

    def _check_places(self) -> None:
        footer, size = self._footer, self._subject.source.size
        nulls = footer.ofs_null_rows, footer.len_null_rows
        used = [(int(start), int(end)) for start, end in self._file.extents]
        used.append((size - places_btree_footer().end, size))
        used.append((self._pos, self._pos + size_of(footer.len_directory)))
        if any(nulls):
            used.append((nulls[0], sum(nulls) + LEN_CRC))
        if footer.ofs_bloom_filter or footer.len_bloom_filter or footer.num_bloom_filter:
            used.append(
                (footer.ofs_bloom_filter, footer.ofs_bloom_filter + footer.len_bloom_filter)
            )
        check_places(sorted(used), size)

    def _check_keys(self, stored: BytesColumn, records: Records) -> None:
        """Check that keys ascend, and that the directory lists the last one of each block."""
        end = 0
        for block in records.blocks:
            end += block.num_records
            listed = self._file.directory.record(
                self._number, DirectoryRecordHead, self._footer.version
            )
            if not block.num_records or bytes(listed.key) != stored[end - 1]:
                raise FormatError(
                    "the directory has another key than the end of a block", block.pos
                )
            self._number += 1
        self._ends = [self._ends[0] if self._ends else stored[0], stored[len(stored) - 1]]
        footer = self._footer
        if footer.len_bloom_filter:
            bits = self._subject.source.read(footer.ofs_bloom_filter, footer.len_bloom_filter)
            if not footer.num_bloom_filter or not has_all(bits, footer.num_bloom_filter, stored):
                raise FormatError("the Bloom filter lacks a key", footer.ofs_bloom_filter)
        if self._form is None:
            return
        try:
            keys = self._form.keys(stored)
        except KeyTypeError:  # the type of the column changed
            self._form = None
            return
        is_after = self._last_key is None or keys[0] > self._last_key
        if not is_after or not self._form.are_ascending(keys):
            raise FormatError("keys do not ascend", records.blocks[0].pos)
        self._last_key = keys[-1]

    def _rows(self, records: Records) -> tuple[BitMap, int]:
        """Return the rows of all keys, and how many their postings list."""
        counts, rows, bitmaps = records.lists()
        no_rows = counts == 0
        no_rows[[i for i, _ in bitmaps]] = False
        pos = records.blocks[0].pos
        if no_rows.any():
            raise FormatError("a key has no rows", pos)
        if not _ascend(rows, counts):
            raise FormatError("the rows of a key do not ascend", pos)
        return records.bitmap(), len(rows) + sum(len(bitmap) for _, bitmap in bitmaps)

    def _check_manifest(self, num_rows: int, has_nulls: bool) -> None:
        """Check what the index manifest states about the file."""
        subject, at = self._subject, self._pos
        stated = subject.num_rows if subject.cardinality is None else subject.cardinality
        if stated not in (None, num_rows):
            message = f"it has {counted(num_rows, 'row')}, but {stated:,}"
            raise FormatError(f"{message} according to the index manifest", at)
        metadata = None if subject.metadata is None else read_metadata(subject.metadata)
        if metadata is None:
            return
        if metadata.has_nulls != has_nulls:
            raise FormatError("the index manifest differs about whether there are nulls", at)
        ends = (self._ends[0], self._ends[-1]) if self._ends else (None, None)
        if (metadata.first_key, metadata.last_key) != ends:
            raise FormatError("the index manifest has another first or last key", at)


def _ascend(rows: Int64s, counts: Int64s) -> bool:
    """Return whether the rows of each key ascend."""
    if len(rows) < 2:
        return True
    is_greater = rows[1:] > rows[:-1]
    is_greater[np.cumsum(counts[counts > 0])[:-1] - 1] = True
    return bool(is_greater.all())
