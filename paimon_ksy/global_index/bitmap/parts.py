"""The parts of a bitmap global index, in terms of stored bytes: its columns need not be known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError
from numpy.typing import NDArray

from paimon_ksy.generated.views.compressed_block import CompressedBlock
from paimon_ksy.generated.views.global_bitmap_index import (
    GlobalBitmapDictionary,
    GlobalBitmapDirectory,
    GlobalBitmapFooter,
)
from paimon_ksy.global_index.blocks import read_block
from paimon_ksy.io.source import Source, read_view

Extents = NDArray[np.int64]
"""Half-open ranges of bytes, one in each row."""


class BitmapParts:
    """The footer, the directory and the blocks of an index, each read at its first use.

    Raises:
        FormatError: The bytes are malformed.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._blocks: dict[int, _Values] = {}

    @cached_property
    def footer(self) -> GlobalBitmapFooter:
        """The footer, which is read together with what precedes it."""
        size = self.source.size
        self.source.window(max(size - self.source.least_fetched, 0), 1)
        at = size - GlobalBitmapFooter.len_footer
        footer = read_view(self.source, GlobalBitmapFooter, at)
        nulls_end = int(footer.ofs_null_rows) + int(footer.len_null_rows)
        directory_end = int(footer.ofs_directory) + int(footer.len_directory) + footer.len_trailer
        if (nulls_end, directory_end) != (int(footer.ofs_non_null_rows), at):
            raise FormatError("parts of the file do not follow each other", at)
        return footer

    @cached_property
    def directory(self) -> _Directory:
        """The directory of the blocks."""
        return _Directory(self.source, self.footer.ofs_directory, self.footer.len_directory)

    def block(self, number: int) -> _Values:
        """Return a block of the dictionary."""
        values = self._blocks.get(number)
        if values is None:
            ofs, size = self.directory.places[number]
            values = self._blocks[number] = _Values(self.source, ofs, size)
            if values.keys[:1].tolist() != self.directory.keys[number : number + 1].tolist():
                raise FormatError("a block does not start with the value that lists it", ofs)
        return values

    def blocks(self) -> Iterator[_Values]:
        """Yield all blocks in their order, without keeping them."""
        for number in range(len(self.directory.places)):
            yield self.block(number)
            del self._blocks[number]

    @property
    def extent_of_nulls(self) -> tuple[int, int]:
        """Where the bitmap of null rows starts and ends."""
        return self.footer.ofs_null_rows, self.footer.ofs_null_rows + self.footer.len_null_rows

    @property
    def extent_of_others(self) -> tuple[int, int]:
        """Where the bitmap of rows that are not null starts and ends."""
        start = self.footer.ofs_non_null_rows
        return start, start + self.footer.len_non_null_rows


class _Block:
    """A block, whose content is the view `kind`."""

    kind: Any

    def __init__(self, source: Source, ofs: int, size: int) -> None:
        self.ofs, self.size = ofs, size
        self.block: CompressedBlock
        self.block, content = read_block(source, ofs, size)
        try:
            self.view = self.kind(content, ofs, 0, arrays=True)
        except FormatError as error:
            error.offset = ofs if self.block.compression else error.offset
            raise
        if self.view.end != ofs + len(content):
            raise FormatError("bytes follow the values of a block", ofs)


class _Directory(_Block):
    kind = GlobalBitmapDirectory

    @property
    def keys(self) -> BytesColumn:
        """The first key of each block."""
        keys: BytesColumn = self.view.blocks_key
        return keys

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where each block starts, and its length without the trailer."""
        ofs, sizes = self.view.blocks_ofs_body, self.view.blocks_len_body
        return list(zip(ofs.tolist(), sizes.tolist(), strict=True))


class _Values(_Block):
    kind = GlobalBitmapDictionary

    @property
    def keys(self) -> BytesColumn:
        """The keys, as stored."""
        keys: BytesColumn = self.view.values_key
        return keys

    @cached_property
    def extents(self) -> Extents:
        """Where the bitmap of each key starts and ends."""
        starts = self.view.values_ofs_rows
        if len(starts) and int(starts.max()) + int(self.view.values_len_rows.max()) >= 1 << 62:
            raise FormatError("a bitmap is outside the file", self.ofs)
        return np.stack([starts, starts + self.view.values_len_rows], axis=1).astype(np.int64)
