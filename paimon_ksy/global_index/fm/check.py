"""Check the container of an FM index: its checksums, places and counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ksykit.runtime.errors import FormatError

from paimon_ksy.global_index import check as shared
from paimon_ksy.global_index.fm.container import (
    Container,
    Partition,
    open_container,
    partitions,
    stored,
)
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.io.file_format import Subject


def _postings(subject: Subject) -> Iterator[Postings]:
    """Check a file, and what the index manifest states about it. There are no keys."""
    container = open_container(subject.source)
    _check_listed(container, subject)
    for part in partitions(container):
        _check_blocks(container, part)
    yield from ()


check = partial(shared.findings, "fm", _postings)


def _check_listed(container: Container, subject: Subject) -> None:
    """Raise FormatError if the index manifest has other facts."""
    pos = container.footer.directory.ofs_block
    if subject.metadata is not None and subject.metadata != container.metadata:
        raise FormatError("the metadata in the index manifest differs from the directory", pos)
    if subject.row_range is not None:
        first, last = subject.row_range
        if last - first + 1 != container.footer.num_rows:
            message = (
                f"{container.footer.num_rows:,} rows, but {last - first + 1:,} in the row range"
            )
            raise FormatError(f"it has {message} of the index manifest", pos)


def _check_blocks(container: Container, part: Partition) -> None:
    """Raise FormatError if blocks are corrupt, or do not cover the partition without gaps."""
    at, directory = part.start, part.directory
    for block in part.blocks:
        if block.ofs_block != at:
            raise FormatError(f"a block starts at byte {block.ofs_block} instead of {at}", at)
        stored(container.source, block)
        at += block.len_block
    if at != part.footer.directory.ofs_block:
        raise FormatError("bytes between the blocks and the directory of a partition", at)
    counts = {
        "null_rows": (directory.null_rows.num_bits, directory.num_rows),
        "row_ends": (directory.row_ends.num_ones, directory.num_rows),
        "row_ends in the texts": (directory.row_ends.num_bits, directory.len_text),
        "sampled_rows": (directory.sampled_rows.num_bits, directory.len_text),
        "samples": (directory.samples.num_values, directory.sampled_rows.num_ones),
        "cumulative_counts": (directory.cumulative_counts[-1], directory.len_text),
    }
    for name, (value, expected) in counts.items():
        if value != expected:
            raise FormatError(f"{name} has {value:,} entries instead of {expected:,}", at)
