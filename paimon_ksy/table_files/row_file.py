"""Row files: rows in compressed blocks. They have no checksums, so changed values are not found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from ksykit.runtime.codecs import decode
from ksykit.runtime.errors import FormatError
from ksykit.runtime.varints import from_zigzag, read_varints
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.generated.views.row_file import RowBlockTail, RowFooter, RowOffsets
from paimon_ksy.generated.views.varint import Varint
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.io.file_kind import COPY
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.findings import ERROR, WARNING, Finding, corrupt

MOST_INDEX = 64 << 20
"""The most bytes of an index: those of 10 million blocks, each of which Java fills with 64 KB."""
MOST_BLOCK = 256 << 20
"""The most decompressed bytes of a block."""


@dataclass(frozen=True)
class RowBlock(Answer):
    """A block: its first row and its number of rows, its place in the file, and its bytes."""

    first_row: int
    rows: int
    offset: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    decoded_bytes: int


@dataclass(frozen=True)
class RowFileReport(FileContent):
    """What a row file contains: its rows, and the first blocks. Sizes are in bytes."""

    rows: int
    num_blocks: int = field(metadata=keyed(text=False))
    compressed_bytes: int
    decoded_bytes: int
    blocks: tuple[RowBlock, ...] = field(metadata=keyed(total="num_blocks"))


def read_blocks(source: Source) -> tuple[RowFooter, list[RowBlock]]:
    """Return the footer of a row file, and its blocks, which the index lists.

    Raises:
        CorruptFileError: The footer and the index are malformed, or contradict each other.
        UnsupportedError: The index has more than `MOST_INDEX` bytes.
    """
    with CorruptErrors(source, remedy=COPY):
        footer_at = source.size - RowFooter.len_footer
        if footer_at < 0:
            raise FormatError("it is too short for a footer", 0)
        footer = read_view(source, RowFooter, footer_at)
        index_at, size = footer.ofs_index, footer.len_index
        if index_at + size != footer_at:
            message = f"its index is from byte {index_at} to {index_at + size}, not to the footer"
            raise FormatError(message, footer_at)
        if size > MOST_INDEX:
            message = f"its index has {size} bytes, and {MOST_INDEX} are supported"
            raise UnsupportedError(message, path=source.name)
        data, at, lists = source.read(index_at, size), 0, []
        for _ in range(3):
            head = Varint(data, index_at, at)
            start = head.end - index_at
            lists.append(_numbers(data[start : start + head.value], head.value, index_at + start))
            at = start + head.value
        if at != size:
            raise FormatError(f"{size - at} bytes follow the lists of its index", index_at + at)
        return footer, _blocks(footer, *lists)


def _numbers(data: bytes, size: int, offset: int) -> NDArray[np.int64]:
    """Return a list of the index."""
    values, used = read_varints(data, offset)
    if used != size:
        raise FormatError("a list of its index ends within a number", offset + used)
    numbers: NDArray[np.int64] = np.cumsum(from_zigzag(values))
    return numbers


def _blocks(footer: RowFooter, *lists: NDArray[np.int64]) -> list[RowBlock]:
    """Return the blocks by the lists of the index. Raises FormatError."""
    index_at = footer.ofs_index
    for each, what in zip(lists, ("sizes", "decompressed sizes", "first rows"), strict=True):
        if len(each) != footer.num_blocks:
            message = f"the footer counts {footer.num_blocks} blocks, and its index has {len(each)}"
            raise FormatError(f"{message} {what}", index_at)
    sizes, decoded, firsts = (each.tolist() for each in lists)
    if footer.num_blocks and min(*sizes, *decoded) <= 0:
        raise FormatError("its index has a block without bytes", index_at)
    if sum(sizes) != index_at:
        message = f"its blocks take {sum(sizes)} bytes, but {index_at} are before the index"
        raise FormatError(message, index_at)
    counts = np.diff([*firsts, footer.num_rows]).tolist()
    if firsts[:1] not in ([], [0]) or (footer.num_rows and not firsts):
        raise FormatError("its first block does not start with row 0", index_at)
    if min(counts, default=1) <= 0:
        at = next(i for i, count in enumerate(counts) if count <= 0)
        raise FormatError(f"block {at} has {counts[at]} rows", index_at)
    starts = accumulate(sizes, initial=0)
    return [RowBlock(*each) for each in zip(firsts, counts, starts, sizes, decoded, strict=False)]


def inspect(subject: Subject, top: int | None) -> RowFileReport:
    """Return what a row file contains, with its first blocks. Raises CorruptFileError."""
    footer, blocks = read_blocks(subject.source)
    decoded = sum(block.decoded_bytes for block in blocks)
    return RowFileReport(
        footer.num_rows, footer.num_blocks, footer.ofs_index, decoded, tuple(blocks[:top])
    )


def check(subject: Subject, data: Any = None) -> Iterator[Finding]:
    """Yield what is wrong in a row file: its footer, its index and its blocks.

    `subject.num_rows` is the number of rows according to the manifest, or None.
    """
    source, path = subject.source, subject.path
    try:
        footer, blocks = read_blocks(source)
    except (CorruptFileError, UnsupportedError) as error:
        yield corrupt("row", path, error, remedy=COPY)
        return
    if any(footer.reserved):
        message = "its footer has bytes other than 0 that readers ignore"
        remedy = "nothing needs repair: it does no harm"
        yield Finding(WARNING, "row", path, None, source.size - footer.len_footer, message, remedy)
    for number, block in enumerate(blocks):
        try:
            with CorruptErrors(source, remedy=COPY):
                _check_block(source, block)
        except (CorruptFileError, UnsupportedError) as error:
            yield corrupt("row", path, error, f"block {number}: ", COPY)
    if subject.num_rows not in (None, footer.num_rows):
        message = f"it has {counted(footer.num_rows, 'row')}, but {subject.num_rows} are expected"
        yield Finding(ERROR, "row", path, None, None, message, COPY)


def _check_block(source: Source, block: RowBlock) -> None:
    """Raise if a block is malformed, or contradicts the index."""
    size = block.decoded_bytes
    if size > MOST_BLOCK:
        message = f"a block has {size} bytes, and {MOST_BLOCK} are supported"
        raise UnsupportedError(message, path=source.name)
    data = decode("zstd", source.read(block.offset, block.size), block.offset, most=size)
    tail_at = size - RowBlockTail.len_tail
    if len(data) != size or tail_at < 0:
        raise FormatError(f"it becomes {len(data)} bytes, not {size}", block.offset)
    if (rows := RowBlockTail(data, 0, tail_at).num_rows) != block.rows:
        message = f"it has {counted(rows, 'row')}, but {block.rows} according to the index"
        raise FormatError(message, block.offset)
    offsets_at = tail_at - RowOffsets.len_offset * rows
    if offsets_at < 0:
        raise FormatError(f"it is too short for {counted(rows, 'row')}", block.offset)
    starts = np.array(RowOffsets(data, 0, offsets_at, rows).ofs_rows)
    ends = np.append(starts[1:], offsets_at)
    if starts[0] != 0 or (starts >= ends).any():
        raise FormatError("its rows do not follow one another", block.offset)
