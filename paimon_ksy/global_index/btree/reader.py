"""Read a BTree index: the footer, the directory, and the blocks that an answer needs.

Source: `BTreeIndexReader`, `SstFileReader` (paimon-common, release 1.4.2); for postings of version
2 `BTreePostingList` (2026-09).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from ksykit.runtime.arrays import Buffer, BytesColumn
from ksykit.runtime.columns import Spans
from ksykit.runtime.errors import EndError, FormatError
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.evaluation.key_ranges import KeyRanges
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.generated.checked import CHECKED
from paimon_ksy.generated.structs.btree_index import BtreeNullRows
from paimon_ksy.generated.views.btree_index import (
    RECORD_OFFSETS_OFFSETS,
    BlockHandleColumns,
    BlockKind,
    BlockTail,
    BtreeFooter,
    BtreeNullRowsTail,
    BtreeRecordColumns,
    BtreeRecordHead,
    DirectoryRecord,
    DirectoryRecordColumns,
    DirectoryRecordHead,
    PostingForm,
    PostingV1Columns,
    PostingV2Columns,
    RecordOffsets,
    RowDeltasColumns,
    SingleRowColumns,
    places_block_tail,
    places_btree_footer,
)
from paimon_ksy.generated.views.compressed_block import BlockCompression, CompressedBlock
from paimon_ksy.global_index.blocks import content_of, read_block, size_of
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader
from paimon_ksy.global_index.sorted_index import (
    SortedIndex,
    out_of_range,
    read_parts,
    rows_in,
)
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import NAMED, kind_of
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import Field

V1, V2 = CHECKED["btree_footer.version"].values
"""The versions."""
_LEN_FOOTER, _LEN_TAIL = places_btree_footer().end, places_block_tail().end
LEN_CRC = len(BtreeNullRows.pack_field("crc32", 0))
"""Length of the checksum of the null rows."""
_BATCH = 1 << 20  # bytes of content that are decoded at once

Int64s = NDArray[np.int64]


def open_index(files: Sequence[GlobalIndexFile]) -> GlobalIndexReader | None:
    """Open the files of one row range; None if keys of the columns' types are not indexed."""
    form = KeyForm.of(files[0].fields)
    try:
        return None if form is None else SortedIndex(files, form, _open)
    except KeyTypeError:
        return None


def _open(source: Source, form: KeyForm, file: GlobalIndexFile) -> BTreeFile:
    return BTreeFile(source, form, file.range_length)


def read_footer(source: Source) -> BtreeFooter:
    """Read the footer.

    Raises:
        FormatError: The footer is malformed, or has another version.
        CorruptFileError: The file is of another kind.
        UnsupportedError: A preview of Paimon wrote it.
    """
    pos = max(source.size - _LEN_FOOTER, 0)
    footer = source.read(pos, source.size - pos)  # so that `kind_of` finds the end in the buffer
    kind = kind_of(source)
    if kind is NAMED["old-btree"]:
        raise UnsupportedError("was written by a preview of Paimon 1.4", path=source.name)
    if kind is not NAMED["btree"]:
        raise CorruptFileError("not a BTree index: it does not end with the magic number", offset=0)
    return BtreeFooter(footer, pos, 0)


def version(source: Source, fields: Sequence[Field]) -> tuple[int, str]:
    """Return the version of a file, and what misreads it (see `GlobalIndexType`)."""
    with CorruptErrors(source):
        number = int(read_footer(source).version)
    return number, misread_by(number, is_composite=len(fields) > 1)


def misread_by(number: int, *, is_composite: bool) -> str:
    """Return which readers misread a file of this version, and how."""
    if number != V1:
        return "Java 1.4 and pypaimon 2.1 return wrong rows"
    return "Java 1.4 fails, and pypaimon 2.1 reads the data instead" if is_composite else ""


class Block:
    """The records of a block, or of the directory.

    Attributes:
        content: The decompressed bytes.
        pos: The byte of the file where the block starts.
        compression: How the block is compressed.
        num_records: The number of records.
    """

    def __init__(self, block: CompressedBlock, content: Buffer, pos: int) -> None:
        self.content, self.pos, self.compression = content, pos, block.compression
        end = len(content) - _LEN_TAIL
        tail = BlockTail(content, 0, end)
        is_of_one_size = tail.kind == BlockKind.one_size
        self._size = tail.num if is_of_one_size else 0
        self._end = end if is_of_one_size else end - RECORD_OFFSETS_OFFSETS.size * tail.num
        self.num_records = tail.num
        if is_of_one_size:
            self.num_records = end // max(self._size, 1)
            if self.num_records * self._size != end:
                raise FormatError(
                    f"records of {counted(tail.num, 'byte')} do not fill a block", pos
                )
        elif self._end < 0:
            raise FormatError(f"a block has no room for {counted(tail.num, 'record')}", pos)

    @cached_property
    def starts(self) -> Int64s:
        """Where each record starts, and where the last one ends."""
        if self._size:
            return np.arange(self.num_records + 1) * self._size
        offsets = RecordOffsets(self.content, 0, self._end, self.num_records, arrays=True)
        return np.append(offsets.offsets, self._end)

    def record(self, i: int, view: Callable[..., Any], *arguments: int) -> Any:
        """Return the view of a record, or of its head."""
        start = i * self._size if self._size else int(self.starts[i])
        return view(self.content, 0, start, *arguments)


Chosen = Sequence[tuple[int, int]] | None
"""Half-open ranges of records of a block; None is all."""


class Records:
    """Some records of some blocks, as columns.

    Attributes:
        blocks: The blocks that they are from.
        keys: The places of the stored keys.
    """

    def __init__(self, blocks: Sequence[tuple[Block, Chosen]], version: int, num_rows: int) -> None:
        contents = [block.content for block, _ in blocks]
        self._d = np.frombuffer(contents[0] if len(blocks) == 1 else b"".join(contents), np.uint8)
        self.blocks = [block for block, _ in blocks]
        self._bases = np.cumsum([0, *map(len, contents[:-1])])
        self._version, self._num_rows = version, num_rows
        starts, ends = [], []
        for base, (block, chosen) in zip(self._bases, blocks, strict=True):
            for first, last in [(0, block.num_records)] if chosen is None else chosen:
                starts.append(block.starts[first:last] + base)
                ends.append(block.starts[first + 1 : last + 1] + base)
        p, end = (np.concatenate([*some, np.empty(0, np.int64)]) for some in (starts, ends))
        with self._placed():
            self._columns = BtreeRecordColumns(self._d, 0, p, version)
            self._check(self._columns.end, end, "a record")
        self.keys: Spans = self._columns.key

    def stored_keys(self) -> BytesColumn:
        """Return the stored keys."""
        return self.keys.of(self._d)

    def bitmap(self) -> BitMap:
        """Return the rows of all keys."""
        _, rows, bitmaps = self.lists()
        found = bitmap(self._num_rows, rows)
        for _, more in bitmaps:
            found |= more
        return found

    def lists(self) -> tuple[Int64s, Int64s, list[tuple[int, BitMap]]]:
        """Return the number of listed rows of each key, these rows, and bitmaps of the other keys.

        Raises:
            FormatError: A posting is malformed, or a row is out of range.
        """
        with self._placed():
            spans, d = self._columns.posting, self._d
            bitmaps: list[tuple[int, BitMap]] = []
            if self._version == V1:
                listed = PostingV1Columns(d, 0, spans.start)
                self._check(listed.end, spans.end, "a posting")
                counts, rows = listed.num_rows.value, listed.rows.value
            else:
                counts, rows = self._mixed(spans, bitmaps)
            if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < self._num_rows:
                i = int(np.argmax((rows < 0) | (rows >= self._num_rows)))
                at = spans.start[np.searchsorted(np.cumsum(counts), i, "right")]
                raise out_of_range(int(rows[i]), self._num_rows, int(at))
            return counts, rows, bitmaps

    def _mixed(self, spans: Spans, bitmaps: list[tuple[int, BitMap]]) -> tuple[Int64s, Int64s]:
        """Return the same for postings of version 2; add the bitmaps to a list."""
        d = self._d
        forms = PostingV2Columns(d, 0, spans.start)
        is_single, is_deltas = (forms.form == x for x in (PostingForm.single, PostingForm.deltas))
        single = SingleRowColumns(d, 0, forms.end[is_single])
        self._check(single.end, spans.end[is_single], "a posting")
        deltas = RowDeltasColumns(d, 0, forms.end[is_deltas])
        self._check(deltas.end, spans.end[is_deltas], "a posting")
        if not (is_single.any() or is_deltas.any()) and not len(spans.start):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        counts = is_single.astype(np.int64)
        counts[is_deltas] = deltas.num_rows.value
        offsets = np.cumsum(counts) - counts
        rows = np.empty(int(counts.sum()), np.int64)
        is_first = np.zeros(len(rows), np.bool_)
        is_first[offsets[counts > 0]] = True
        rows[offsets[is_single]] = single.row.value
        rows[offsets[is_deltas]] = deltas.first_row.value
        firsts = rows[is_first]
        more = deltas.deltas.value
        if len(more) and not 0 < int(more.min()) <= int(more.max()) < self._num_rows:
            i = int(np.argmax((more <= 0) | (more >= self._num_rows)))
            at = spans.start[is_deltas][np.searchsorted(deltas.deltas.offsets, i, "right") - 1]
            raise FormatError(f"a difference of {more[i]} between row ids", int(at))
        rows[~is_first] = more
        sums = np.cumsum(rows)
        rows = sums - np.repeat(sums[is_first] - firsts, counts[counts > 0])
        for i in np.flatnonzero(forms.form == PostingForm.bitmap).tolist():
            start, end = int(forms.end[i]), int(spans.end[i])
            parts = read_parts(d[start:end].tobytes(), start, self._num_rows)
            bitmap = rows_in(parts, self._num_rows)
            if not bitmap:
                raise FormatError("a bitmap is empty", start)
            bitmaps.append((i, bitmap))
        return counts, rows

    def _check(self, ends: Int64s, expected: Int64s, what: str) -> None:
        if len(ends) and (ends != expected).any():
            i = int(np.argmax(ends != expected))
            raise FormatError(f"{what} has another length than its bytes", int(expected[i]))

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Count the positions of errors from the start of the file."""
        try:
            yield
        except FormatError as error:
            at = error.position if isinstance(error, EndError) else error.offset or 0
            i = int(np.searchsorted(self._bases, at, "right")) - 1
            block = self.blocks[max(i, 0)]
            is_plain = block.compression == BlockCompression.none
            offset = block.pos + (at - int(self._bases[i]) if is_plain else 0)
            raise FormatError(
                error.message, offset, field=error.field, value=error.value
            ) from error


class KeyedBlock(NamedTuple):
    """A block to look up ranges in; all its keys are in them if `ranges` is None."""

    number: int
    ranges: list[tuple[Any, Any]] | None


class BTreeFile:
    """A BTree index file. Opening it reads only the footer.

    Without the form of its keys, it can only list records.

    Attributes:
        footer: The footer.
        num_rows: The length of the row range.
    """

    def __init__(self, source: Source, form: KeyForm | None, num_rows: int) -> None:
        self._source, self._form = source, form
        self.num_rows = num_rows
        self.footer = read_footer(source)

    @property
    def form(self) -> KeyForm:
        """The form of the keys."""
        assert self._form is not None
        return self._form

    @cached_property
    def directory(self) -> Block:
        """The directory, in which each record is a block and its last key."""
        return self._read(self.footer.ofs_directory, self.footer.len_directory)

    def _read(self, pos: int, len_payload: int) -> Block:
        return Block(*read_block(self._source, pos, len_payload), pos)

    @cached_property
    def extents(self) -> Int64s:
        """The start and end of each block with its trailer, in two columns. Raises FormatError."""
        directory = self.directory
        d, pos = np.frombuffer(directory.content, np.uint8), directory.pos
        try:
            records = DirectoryRecordColumns(d, 0, directory.starts[:-1], self.footer.version)
            handles = BlockHandleColumns(d, 0, records.handle.start, self.footer.version)
        except FormatError as error:
            raise FormatError(f"the directory is malformed: {error.message}", pos) from error
        is_whole = (records.end == directory.starts[1:]) & (handles.end == records.handle.end)
        starts, lengths = handles.ofs_block.value, handles.len_block.value
        extents = np.stack([starts, starts + lengths + size_of(0)], axis=1)
        if not is_whole.all() or (extents > pos).any():
            raise FormatError("the directory is malformed", pos)
        if (extents[1:, 0] < extents[:-1, 1]).any():
            raise FormatError("blocks overlap", pos)
        return extents

    # -- Look-ups

    def rows_of(self, ranges: KeyRanges) -> BitMap:
        """Return the rows with keys in these ranges, regardless of `negated`."""
        rows = bitmap(self.num_rows)
        for records in self._records(self._keyed_blocks(ranges), ranges.test):
            rows |= records.bitmap()
        return rows

    def _keyed_blocks(self, ranges: KeyRanges) -> list[KeyedBlock]:
        """Return the blocks that may have keys in the ranges."""
        numbers = range(self.directory.num_records)
        blocks: dict[int, list[tuple[Any, Any]]] = {}
        whole: set[int] = set()
        for low, stop in zip(ranges.lows, ranges.stops, strict=True):
            first = bisect_left(numbers, low, key=self._last)
            end = len(numbers)
            if stop is not None:
                end = bisect_left(numbers, stop, first, key=self._last)
            whole.update(range(first + 1, end))
            for number in {first, end}.intersection(numbers[first : end + 1]):
                blocks.setdefault(number, []).append((low, stop))
        keyed = [KeyedBlock(n, pairs) for n, pairs in blocks.items() if n not in whole]
        return sorted([*keyed, *(KeyedBlock(number, None) for number in whole)])

    def _last(self, number: int) -> Any:
        return self.form.first(self.last_key(number))

    def last_key(self, number: int) -> bytes:
        """Return the stored last key of a block, by the directory."""
        return bytes(self.directory.record(number, DirectoryRecordHead, self.footer.version).key)

    def _records(
        self, keyed: Sequence[KeyedBlock], test: Callable[[Any], bool] | None
    ) -> Iterator[Records]:
        """Yield the records in ranges."""
        batch: list[tuple[Block, Chosen]] = []
        size = 0
        for (_, ranges), block in zip(keyed, self._blocks([n for n, _ in keyed]), strict=True):
            chosen: Chosen = None
            if ranges is not None or test is not None:
                chosen = self._chosen(block, ranges or [(None, None)], test)
            batch.append((block, chosen))
            size += len(block.content)
            if size >= _BATCH:
                yield Records(batch, self.footer.version, self.num_rows)
                batch, size = [], 0
        if batch:
            yield Records(batch, self.footer.version, self.num_rows)

    def _chosen(
        self, block: Block, ranges: list[tuple[Any, Any]], test: Callable[[Any], bool] | None
    ) -> list[tuple[int, int]]:
        """Return the records of a block that are in ranges."""

        def key(i: int) -> Any:
            return self.form.first(block.record(i, BtreeRecordHead, self.footer.version).key)

        numbers, chosen = range(block.num_records), list[tuple[int, int]]()
        for low, stop in ranges:
            first = 0 if low is None else bisect_left(numbers, low, key=key)
            end = len(numbers) if stop is None else bisect_left(numbers, stop, first, key=key)
            if first < end:
                chosen.append((first, end))
        if test is None:
            return chosen
        return [(i, i + 1) for first, end in chosen for i in range(first, end) if test(key(i))]

    def _blocks(self, numbers: Sequence[int]) -> Iterator[Block]:
        """Read blocks by their ascending numbers; one request reads several."""
        if len(numbers) == 1:
            handle = self.directory.record(numbers[0], DirectoryRecord, self.footer.version).handle
            yield self._read(handle.ofs_block.value, handle.len_block.value)
            return
        extents = self.extents[list(numbers)].tolist() if numbers else []
        for (start, end), data in zip(extents, self._source.read_ranges(extents), strict=True):
            block = CompressedBlock(data, start, 0, end - start - size_of(0))
            yield Block(block, content_of(block, start), start)

    # -- All

    def null_rows(self) -> BitMap:
        """Return the rows that are null. Raises FormatError."""
        pos, size = self.footer.ofs_null_rows, self.footer.len_null_rows
        if not size:
            return bitmap(self.num_rows)
        data = self._source.read(pos, size + LEN_CRC)
        if crc32(data[:size]) != BtreeNullRowsTail(data, pos, size).crc32:
            raise FormatError("the checksum of the null rows is wrong", pos)
        return rows_in(read_parts(data[:size], pos, self.num_rows), self.num_rows)

    def records(self) -> Iterator[Records]:
        """Yield all records, in batches."""
        numbers = range(self.directory.num_records)
        return self._records([KeyedBlock(number, None) for number in numbers], None)
