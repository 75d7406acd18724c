"""The container of an FM index: its footer, its directory, and the directories of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ksykit.runtime.arrays import Buffer
from ksykit.runtime.codecs import decode
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.generated.views.fm_index import (
    BlockPlace,
    FmDirectory,
    FmFooter,
    FmPartitionDirectory,
    FmPartitionFooter,
    LzBlock,
    places_fm_directory,
    places_fm_footer,
    places_fm_partition_footer,
)
from paimon_ksy.global_index.blocks import checksum
from paimon_ksy.io.source import Source, read_view

MOST = 1 << 24
"""Bytes of a directory, which readers limit, too."""


@dataclass(frozen=True)
class Container:
    """The footer and the directory of a file, whose bytes are `metadata`."""

    source: Source
    footer: FmFooter
    directory: FmDirectory
    metadata: bytes


class Block(NamedTuple):
    """Where a block of a partition is, and its checksum."""

    ofs_block: int
    len_block: int
    compression: int
    crc32: int


@dataclass(frozen=True)
class Partition:
    """A partition: its bytes, the place of its footer, its footer and its directory."""

    start: int
    end: int
    at: int
    footer: FmPartitionFooter
    directory: FmPartitionDirectory

    @property
    def blocks(self) -> Iterator[Block]:
        """The places of its blocks, in the order of the file."""
        part = self.directory
        vectors = (*part.levels, part.sampled_rows, part.samples, part.null_rows, part.row_ends)
        for vector in vectors:
            yield from map(
                Block,
                vector.blocks_place_ofs_block,
                vector.blocks_place_len_block,
                vector.blocks_place_compression,
                vector.blocks_place_crc32,
            )


def open_container(source: Source) -> Container:
    """Read the footer and the directory of a file, and check both.

    Raises:
        FormatError: They are malformed.
        UnsupportedError: The directory is too large.
    """
    places = places_fm_footer()
    at = source.size - places.end
    footer = read_view(source, FmFooter, at)
    _check_crc(source.read(at, places.crc32), footer.crc32, "footer", at)
    pos = _place_before(footer.directory, at)
    metadata = bytes(content_of(source, footer.directory))
    directory = directory_of(metadata, pos)
    for name in ("first_row", "num_rows", "num_partitions"):
        _check_equal(name, getattr(directory, name), getattr(footer, name), "the footer", pos)
    place, row = 0, directory.first_row
    for number, (start, end, first_row, num_rows) in enumerate(listed(directory)):
        if (start, first_row) != (place, row) or end < start + places_fm_partition_footer().end:
            message = f"partition {number} does not continue the bytes and rows before it"
            raise FormatError(message, pos)
        place, row = end, row + num_rows
    _check_equal("end", place, pos, "the directory", pos)
    _check_equal("num_rows", row - directory.first_row, directory.num_rows, "the partitions", pos)
    return Container(source, footer, directory, metadata)


def directory_of(metadata: bytes, pos: int = 0) -> FmDirectory:
    """Return a directory, or `_INDEX_META` in the index manifest. Raises FormatError."""
    directory = FmDirectory(metadata, pos, 0)
    places = places_fm_directory(directory.num_partitions)
    _check_crc(metadata[: places.crc32], directory.crc32, "directory", pos)
    if directory.end != pos + len(metadata):
        raise FormatError("bytes follow the directory", pos)
    return directory


def listed(directory: FmDirectory) -> Iterator[tuple[int, int, int, int]]:
    """Yield start, end, first row and number of rows of each partition."""
    starts, ends = directory.partitions_ofs_start, directory.partitions_ofs_end
    rows = directory.partitions_first_row, directory.partitions_num_rows
    yield from zip(starts, ends, *rows, strict=True)


def partitions(container: Container) -> Iterator[Partition]:
    """Yield the partitions, whose footers and directories are checked.

    Raises:
        FormatError: A partition is malformed.
        UnsupportedError: A directory is too large.
    """
    source, places = container.source, places_fm_partition_footer()
    for number, (start, end, first_row, num_rows) in enumerate(listed(container.directory)):
        at, _ = container.directory.place_partitions_footer(number)
        footer = read_view(source, FmPartitionFooter, at)
        _check_crc(source.read(at, places.crc32), footer.crc32, f"footer of partition {number}", at)
        _check_equal("first_row", footer.first_row, first_row, "the directory", at)
        _check_equal("num_rows", footer.num_rows, num_rows, "the directory", at)
        pos = _place_before(footer.directory, at)
        directory = FmPartitionDirectory(content_of(source, footer.directory), pos, 0)
        for name in ("num_rows", "len_text", "sample_rate"):
            _check_equal(name, getattr(directory, name), getattr(footer, name), "the footer", pos)
        yield Partition(start, end, at, footer, directory)


def content_of(source: Source, place: BlockPlace) -> Buffer:
    """Return the content of a directory.

    Raises:
        FormatError: It is malformed.
        UnsupportedError: It is too large.
    """
    pos, size = place.ofs_block, place.len_content
    if size > MOST:
        message = f"a directory becomes {size:,} bytes: at most {MOST:,} are supported"
        raise UnsupportedError(message, path=source.name, offset=pos)
    data = stored(source, place)
    name = BlockCompression(place.compression).name
    if place.compression == BlockCompression.none:
        content: Buffer = data
    elif place.compression == BlockCompression.zstd:
        content = decode(name, data, pos, most=size)
    else:
        block = LzBlock(data, pos, 0)
        _check_equal("len_content", block.len_content, size, "its place", pos)
        content = decode(name, block.data, pos, size, most=size)
    _check_equal("length", len(content), size, "its place", pos)
    return content


def stored(source: Source, place: BlockPlace | Block) -> Buffer:
    """Return the bytes of a block. Raises FormatError if its checksum is wrong."""
    pos, size = place.ofs_block, place.len_block
    if pos + size > source.size:
        raise FormatError(f"a block of {size:,} bytes goes beyond the end of the file", pos)
    data: Buffer = source.read(pos, size)
    if checksum(data, place.compression) != place.crc32:
        raise FormatError("the checksum of a block is wrong", pos)
    return data


def _place_before(place: BlockPlace, at: int) -> int:
    """Return the place of a directory, which is directly before a footer."""
    pos: int = place.ofs_block
    _check_equal("end", pos + place.len_block, at, "its footer", pos)
    return pos


def _check_crc(data: bytes, crc: int, name: str, pos: int) -> None:
    if checksum(data, BlockCompression.none) != crc:
        raise FormatError(f"the checksum of the {name} is wrong", pos)


def _check_equal(name: str, value: Any, expected: Any, of: str, pos: int) -> None:
    if value != expected:
        raise FormatError(f"{name} is {value}, but {expected} according to {of}", pos)
