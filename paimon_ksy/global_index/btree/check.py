"""Check a BTree index: its checksums, places, keys, rows, and what the index manifest states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import counted
from paimon_ksy.generated.views.btree_index import places_btree_footer
from paimon_ksy.global_index import check as shared
from paimon_ksy.global_index.blocks import check_places, size_of
from paimon_ksy.global_index.btree.bloom import has_all
from paimon_ksy.global_index.btree.reader import LEN_CRC, Block, BTreeFile, Int64s, Records
from paimon_ksy.global_index.check import UNORDERED, FileCheck
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.global_index.sorted_keys import KeyForm
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import Source

_AT_ONCE = 1 << 22  # rows of a bitmap that are listed at once


def _postings(subject: Subject) -> Iterator[Postings]:
    source, schema = subject.source, subject.schema
    this = FileCheck(subject, None if schema is None else KeyForm.of(schema.fields))
    file = BTreeFile(source, this.form, this.num_rows)
    pos = int(file.footer.ofs_directory)
    check_places([*_places(file, source.size)], source.size, [file.extents])
    number = 0
    for records in file.records():
        stored = records.stored_keys()
        _check_blocks(file, records.blocks, number, stored)
        number += len(records.blocks)
        _check_bloom(file, source, stored)
        _, columns = this.keys(stored)
        if not this.order.is_kept:
            raise FormatError(UNORDERED, records.blocks[0].pos)
        for keys, counts, rows in _lists(records, columns):
            yield this.rows(keys, counts, rows)
    if number < file.directory.num_records:
        raise FormatError("the directory lists a block without records", pos)
    every, nulls = this.distinct(pos), file.null_rows()
    if both := every & nulls:
        message = f"{counted(len(both), 'row')} with a value and without one"
        message = f"{message}; the first is row {both.min()}"
        raise FormatError(message, file.footer.ofs_null_rows)
    if not every and not nulls:
        raise FormatError("it has no rows", pos)
    this.manifest(this.count + len(nulls), bool(nulls), pos)
    this.manifest_keys(pos)
    yield from this.nulls(nulls)


postings = partial(shared.checked, _postings)
check = partial(shared.findings, "btree", _postings)


def _places(file: BTreeFile, size: int) -> Iterator[tuple[int, int]]:
    """Yield where each part but the blocks starts and ends."""
    footer = file.footer
    yield size - places_btree_footer().end, size
    yield footer.ofs_directory, footer.ofs_directory + size_of(footer.len_directory)
    if footer.ofs_null_rows or footer.len_null_rows:
        yield footer.ofs_null_rows, footer.ofs_null_rows + footer.len_null_rows + LEN_CRC
    if footer.ofs_bloom_filter or footer.len_bloom_filter or footer.num_bloom_filter:
        yield footer.ofs_bloom_filter, footer.ofs_bloom_filter + footer.len_bloom_filter


def _check_blocks(
    file: BTreeFile, blocks: Sequence[Block], number: int, stored: BytesColumn
) -> None:
    """Check that the directory lists the last key of each block."""
    end = 0
    for i, block in enumerate(blocks, number):
        end += block.num_records
        if not block.num_records or file.last_key(i) != stored[end - 1]:
            raise FormatError("the directory has another key than the end of a block", block.pos)


def _check_bloom(file: BTreeFile, source: Source, keys: BytesColumn) -> None:
    """Check that the Bloom filter has all keys."""
    at, size, num = (
        file.footer.ofs_bloom_filter,
        file.footer.len_bloom_filter,
        file.footer.num_bloom_filter,
    )
    if size and not (num and has_all(source.read(at, size), num, keys)):
        raise FormatError("the Bloom filter lacks a key", at)


def _lists(
    records: Records, keys: tuple[pa.Array, ...]
) -> Iterator[tuple[tuple[pa.Array, ...], Int64s, Int64s]]:
    """Yield keys, the number of rows of each, and these rows."""
    counts, rows, bitmaps = records.lists()
    pos = records.blocks[0].pos
    if np.count_nonzero(counts) + len(bitmaps) < len(counts):
        raise FormatError("a key has no rows", pos)
    if not _ascend(rows, counts):
        raise FormatError("the rows of a key do not ascend", pos)
    if bitmaps:
        with_rows = np.flatnonzero(counts)
        counts = counts[with_rows]
        yield tuple(column.take(pa.array(with_rows)) for column in keys), counts, rows
    else:
        yield keys, counts, rows
    for i, bitmap in bitmaps:
        key = tuple(column.slice(i, 1) for column in keys)
        for first in range(0, len(bitmap), _AT_ONCE):
            listed = np.asarray(bitmap[first : first + _AT_ONCE].to_array()).astype(np.int64)
            yield key, np.array([len(listed)]), listed


def _ascend(rows: Int64s, counts: Int64s) -> bool:
    """Return whether the rows of each key ascend."""
    if counts.max(initial=0) < 2:
        return True
    is_greater = rows[1:] > rows[:-1]
    is_greater[np.cumsum(counts[counts > 0])[:-1] - 1] = True
    return bool(is_greater.all())
