"""Write a BTree index, byte for byte as Java does.

Source: `BTreeIndexWriter`, `SstFileWriter`, `BlockWriter` (paimon-common, release 1.4.2). For
postings of version 2, it is `BTreePostingList` (2026-09).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.columns import Spans, interleaved
from ksykit.runtime.varints import IntegerLists
from numpy.typing import NDArray
from pyroaring import BitMap64

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.structs.btree_index import (
    BlockTail,
    BtreeFooter,
    BtreeNullRows,
)
from paimon_ksy.generated.views.btree_index import (
    RECORD_OFFSETS_OFFSETS,
    BlockHandleColumns,
    BlockKind,
    BtreeRecordColumns,
    DirectoryRecordColumns,
    PostingForm,
    PostingV1Columns,
    PostingV2Columns,
    RowDeltasColumns,
    SingleRowColumns,
    places_block_tail,
)
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.blocks import size_of, to_block
from paimon_ksy.global_index.btree.bloom import bloom_filter
from paimon_ksy.global_index.metadata import SortedMetadata, write_metadata
from paimon_ksy.global_index.sorted_keys import KeyForm
from paimon_ksy.types.data_type import Field

_LEN_TAIL = places_block_tail().end

Int64s = NDArray[np.int64]


class Options(NamedTuple):
    """How a BTree index is written.

    Attributes:
        version: 1, or 2 for smaller postings.
        block_size: After a record that makes a block longer than this, the next one begins.
        compression: How blocks are compressed.
        has_bloom_filter: Whether to write a Bloom filter.
        has_runs: Whether the bitmap of null rows has runs where they are smaller, as Java's has.
    """

    version: int = 1
    block_size: int = 64 << 10
    compression: BlockCompression = BlockCompression.none
    has_bloom_filter: bool = False
    has_runs: bool = True


class Written(NamedTuple):
    """An index file, its `_INDEX_META`, and its number of rows."""

    data: bytes
    metadata: bytes
    num_rows: int


def write_index(
    columns: Sequence[pa.Array | pa.ChunkedArray],
    fields: Sequence[Field],
    options: Options | None = None,
    rows: Int64s | None = None,
) -> Written:
    """Return the index of columns of one length; row ids ascend, and by default count from 0.

    Raises UnsupportedError if Java does not index columns of these types.
    """
    form = KeyForm.of(fields)
    if form is None:
        types = ", ".join(str(field.type) for field in fields)
        raise UnsupportedError(f"a BTree index cannot be built on {types}")
    if rows is None:
        rows = np.arange(len(columns[0]))
    null_rows = rows[:0]
    arrays = [c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns]
    if not form.is_composite and arrays[0].null_count:
        is_null = arrays[0].is_null().to_numpy(zero_copy_only=False)
        null_rows, rows, arrays = rows[is_null], rows[~is_null], [arrays[0].drop_null()]
    keys, lists = _grouped(form.stored(*arrays), rows, form)
    return write_postings(keys, lists, null_rows, options or Options())


def _grouped(stored: BytesColumn, rows: Int64s, form: KeyForm) -> tuple[BytesColumn, IntegerLists]:
    """Return the distinct keys in ascending order, and the rows of each."""
    keys = form.keys(stored)
    if isinstance(keys, list):
        distinct = {key: number for number, key in enumerate(sorted(set(keys)))}
        numbers = np.fromiter(map(distinct.__getitem__, keys), np.int64, len(keys))
    else:
        numbers = keys
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = ascending[1:] != ascending[:-1]
    firsts = np.flatnonzero(is_first)
    chosen = order[firsts]
    spans = Spans(stored.offsets[chosen], stored.offsets[chosen + 1])
    distinct_keys = spans.of(np.frombuffer(stored.data, np.uint8))
    return distinct_keys, IntegerLists(rows[order], np.append(firsts, len(order)))


def write_postings(
    keys: BytesColumn, lists: IntegerLists, null_rows: Int64s, options: Options
) -> Written:
    """Return the index of stored keys in ascending order, each with its ascending rows."""
    pieces, handles, lasts = [], list[tuple[int, int]](), list[bytes]()
    pos = 0
    postings = _PACK[options.version](lists)
    records = BtreeRecordColumns.pack(keys, postings)
    for first, end in _blocks(records.lengths, options.block_size):
        block = to_block(_content(records[first:end]), options.compression)
        handles.append((pos, len(block) - size_of(0)))
        lasts.append(keys[end - 1])
        pieces.append(block)
        pos += len(block)
    places = dict(_NO_PLACES)
    if len(null_rows):
        bitmap = _bitmap(null_rows, has_runs=options.has_runs)
        places |= {"ofs_null_rows": pos, "len_null_rows": len(bitmap)}
        crc = BtreeNullRows.pack_field("crc32", crc32(bitmap))
        pieces += [bitmap, crc]
        pos += len(bitmap) + len(crc)
    if options.has_bloom_filter and len(keys):
        bits = bloom_filter(keys)
        places |= {"ofs_bloom_filter": pos, "len_bloom_filter": len(bits)}
        places |= {"num_bloom_filter": len(keys)}
        pieces.append(bits)
        pos += len(bits)
    starts, lengths = np.array(handles, np.int64).reshape(-1, 2).T
    directory = DirectoryRecordColumns.pack(lasts, BlockHandleColumns.pack(starts, lengths))
    block = to_block(_content(directory), options.compression)
    places |= {"ofs_directory": pos, "len_directory": len(block) - size_of(0)}
    footer = BtreeFooter.pack(**places, version=options.version)
    least = bytes(keys[0]) if len(keys) else None
    greatest = bytes(keys[-1]) if len(keys) else None
    metadata = write_metadata(SortedMetadata(least, greatest, bool(len(null_rows))))
    num_rows = len(lists.value) + len(null_rows)
    return Written(b"".join([*pieces, block, footer]), metadata, num_rows)


def _blocks(sizes: Int64s, block_size: int) -> Iterator[tuple[int, int]]:
    """Yield the first record of each block, and the one after its last."""
    first = 0
    while first < len(sizes):
        end, near = first, sizes[first : first + block_size // int(sizes[first]) + 2]
        while end == first:
            length = _LEN_TAIL + np.cumsum(near)
            is_first_size = np.logical_and.accumulate(near == near[0])
            numbers = np.arange(1, len(near) + 1)
            length += np.where(is_first_size, 0, numbers * RECORD_OFFSETS_OFFSETS.size)
            is_full = length > block_size
            if is_full.any():
                end = first + int(is_full.argmax()) + 1
            elif first + len(near) == len(sizes):
                end = len(sizes)
            else:
                near = sizes[first : first + 2 * len(near)]
        yield first, end
        first = end


def _content(records: BytesColumn) -> bytes:
    """Return the content of a block of records."""
    sizes = records.lengths
    if len(sizes) and (sizes == sizes[0]).all():
        return records.join() + BlockTail.pack(num=int(sizes[0]), kind=BlockKind.one_size)
    offsets = RECORD_OFFSETS_OFFSETS.pack(offsets=records.offsets[:-1] - records.offsets[0]).data
    tail = BlockTail.pack(num=len(sizes), kind=BlockKind.several_sizes)
    return records.join() + offsets + tail


def _v2(lists: IntegerLists) -> BytesColumn:
    """Return postings of version 2, each in its smallest form."""
    lengths, rows, starts = lists.lengths, lists.value, lists.offsets[:-1]
    single = SingleRowColumns.pack(rows[starts[lengths == 1]])
    is_more = lengths > 1
    counts = lengths[is_more] - 1
    steps = np.diff(rows, prepend=0)
    is_first = np.zeros(len(rows), np.bool_)
    is_first[starts] = True
    is_step = np.repeat(is_more, lengths) & ~is_first
    offsets = np.concatenate([[0], np.cumsum(counts)])
    deltas = RowDeltasColumns.pack(rows[starts[is_more]], IntegerLists(steps[is_step], offsets))
    forms = np.where(is_more, PostingForm.deltas, PostingForm.single)
    bodies: list[bytes] = []
    singles, several = iter(single), iter(deltas)
    for i, length in enumerate(lengths.tolist()):
        body = next(several if length > 1 else singles)
        start = int(starts[i])
        # Without a bitmap in so few bytes, as in Java.
        if length > _FEW and len(bitmap := _bitmap(rows[start : start + length])) < len(body):
            body, forms[i] = bitmap, PostingForm.bitmap
        bodies.append(body)
    return interleaved(PostingV2Columns.pack(forms), BytesColumn.of(bodies))


_NO_PLACES = dict.fromkeys(
    (
        "ofs_bloom_filter",
        "len_bloom_filter",
        "num_bloom_filter",
        "ofs_directory",
        "len_directory",
        "ofs_null_rows",
        "len_null_rows",
    ),
    0,
)
_FEW = 8
"""The rows of a key that fit into fewer bytes than any bitmap, whose head has 24 bytes."""
_PACK = {1: PostingV1Columns.pack, 2: _v2}


def _bitmap(rows: Int64s, *, has_runs: bool = True) -> bytes:
    """Return the bitmap of 64 bits of rows."""
    values = array("Q")
    values.frombytes(rows.astype(np.uint64).tobytes())
    bitmap = BitMap64(values)
    if has_runs:
        bitmap.run_optimize()
    return bytes(bitmap.serialize())
