"""The parts of a data file that indexes let readers skip, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.data_files.open import unreadable
from paimon_ksy.data_files.parquet import parquet_metadata
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile

PAGE_ROWS = 20_000
"""Maximum rows of a Parquet page, as in Java's writers."""

PAGE_BYTES = 1 << 20
"""Approximate bytes of a page, uncompressed, which is the only bound of Arrow's writer."""


class ReadSize(NamedTuple):
    """A size to read.

    `rows` are those selected, `bytes` those of blocks with such rows, and `index_bytes` were read
    from indexes to select them.
    """

    files: int = 0
    rows: int = 0
    bytes: int = 0
    index_bytes: int = 0

    def plus(self, other: ReadSize) -> ReadSize:
        """Return the sum of both sizes."""
        return ReadSize(*map(sum, zip(self, other, strict=True)))


NOTHING = ReadSize()


@dataclass(frozen=True)
class Layout:
    """The blocks of a file, or of its first rows: all that a reader either reads or skips.

    A block is a page of a Parquet file that has a page index, or else a row group. A file in
    another format is one block.

    Attributes:
        starts: The first row of each block, and the number of rows as the last element.
        sizes: The bytes of each block.
    """

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.starts[-1])

    @property
    def all(self) -> ReadSize:
        """The total size."""
        return self.read_size(np.ones(len(self.sizes), np.bool_), self.rows)

    def selected(self, selection: Selection) -> tuple[NDArray[np.bool_], int]:
        """Return which blocks have selected rows, and the number of these rows."""
        if selection.matching is None:
            is_all = selection.kind == "all"
            return np.full(len(self.sizes), is_all), self.rows if is_all else 0
        positions = np.asarray(selection.matching.to_array())
        ends = np.searchsorted(positions, self.starts)
        return np.diff(ends) > 0, int(ends[-1])

    def read_size(self, blocks: NDArray[np.bool_], rows: int, index_bytes: int = 0) -> ReadSize:
        """Return the size of these blocks.

        `index_bytes` were read from the index that selected the rows.
        """
        return ReadSize(int(blocks.any()), rows, int(self.sizes[blocks].sum()), index_bytes)


def layout_of(storage: Storage, file: DataFile, most_rows: int) -> Layout:
    """Return the layout of the first rows of a file, at most `most_rows`.

    Raises:
        CorruptFileError: The file is malformed.
        PaimonKsyError: The file cannot be read.
    """
    rows = min(file.num_rows, most_rows)
    if file.format != "parquet":
        size = file.size * rows // max(file.num_rows, 1)
        return Layout(np.array([0, rows]), np.array([size]))
    with storage.open(file.path) as source:
        try:
            metadata = parquet_metadata(source.file, source.size, source.read)
        except Exception as error:  # Arrow raises many types of errors
            raise unreadable("Parquet", file.path, error) from error
    is_arrow = "arrow" in (metadata.created_by or "")
    starts, sizes = [0], list[int]()
    for at in range(metadata.num_row_groups):
        group = metadata.row_group(at)
        chunks = [group.column(number) for number in range(group.num_columns)]
        first, taken = starts[-1], min(group.num_rows, rows - starts[-1])
        if taken <= 0:
            break
        page_rows = PAGE_ROWS
        if is_arrow:  # columns with less than a page are too small to matter
            most = max(chunk.total_uncompressed_size for chunk in chunks)
            page_rows = max(1, group.num_rows * PAGE_BYTES // max(1, most))
        has_pages = all(chunk.has_offset_index for chunk in chunks)
        blocks = -(-taken // page_rows) if has_pages else 1
        size = sum(chunk.total_compressed_size for chunk in chunks) * taken // group.num_rows
        starts += [first + taken * (block + 1) // blocks for block in range(blocks)]
        sizes += [size * (block + 1) // blocks - size * block // blocks for block in range(blocks)]
    return Layout(np.array(starts), np.array(sizes, np.int64))
