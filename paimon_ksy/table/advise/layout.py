"""The parts of a data file that are read or skipped: its row groups and pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.data_files.open import unreadable
from paimon_ksy.data_files.parquet_footer import parquet_metadata
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile

PAGE_ROWS = 20_000
"""Maximum rows of a Parquet page, as in Java's writers."""

PAGE_BYTES = 1 << 20
"""Approximate bytes of a Parquet page, uncompressed. Arrow's writer has no other bound, so its
columns up to this size have one page in a row group."""


class ReadSize(NamedTuple):
    """A size to read.

    Attributes:
        files: The number of data files.
        groups: The number of row groups in them.
        bytes: The bytes of the row groups.
        pages: The number of pages.
        page_bytes: The bytes of the pages.
        rows: The number of rows.
        index_bytes: The bytes read from indexes to select them.
    """

    files: int = 0
    groups: int = 0
    bytes: int = 0
    pages: int = 0
    page_bytes: int = 0
    rows: int = 0
    index_bytes: int = 0

    def plus(self, other: ReadSize) -> ReadSize:
        """Return the sum of both sizes."""
        return ReadSize(*map(sum, zip(self, other, strict=True)))


@dataclass(frozen=True)
class Layout:
    """The row groups and pages in the part of a file that is read.

    Attributes:
        has_groups: Whether the format has row groups. Files in formats other than Parquet count as
            one group with one page.
        group_starts: The first row of each row group, and the number of rows as the last element.
        group_bytes: The bytes of each row group.
        paged: The share of each row group's bytes that is in columns of several pages.
        page_rows: The rows of a page in such columns.
    """

    has_groups: bool
    group_starts: NDArray[np.int64]
    group_bytes: NDArray[np.int64]
    paged: NDArray[np.float64]
    page_rows: int = PAGE_ROWS

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.group_starts[-1])

    @property
    def num_groups(self) -> int:
        """The number of row groups."""
        return len(self.group_bytes)

    @cached_property
    def pages_of_group(self) -> NDArray[np.int64]:
        """The number of pages of each row group."""
        if not self.has_groups:
            return np.ones(self.num_groups, np.int64)
        rows: NDArray[np.int64] = np.diff(self.group_starts)
        return np.maximum(-(-rows // self.page_rows), 1)

    @cached_property
    def page_starts(self) -> NDArray[np.int64]:
        """The first row of each page, and the number of rows; row groups are split evenly."""
        parts = [
            start + (end - start) * np.arange(pages) // pages
            for start, end, pages in zip(
                self.group_starts[:-1].tolist(),
                self.group_starts[1:].tolist(),
                self.pages_of_group.tolist(),
                strict=True,
            )
        ]
        return np.concatenate([*parts, self.group_starts[-1:]])

    @cached_property
    def group_of_page(self) -> NDArray[np.int64]:
        """The row group of each page."""
        return np.repeat(np.arange(self.num_groups), self.pages_of_group)

    @property
    def all(self) -> ReadSize:
        """The total size."""
        size = int(self.group_bytes.sum())
        pages = len(self.group_of_page)
        return ReadSize(1, self.num_groups, size, pages, size, self.rows)

    def pages_of(self, selection: Selection) -> NDArray[np.bool_]:
        """Return which pages have selected rows."""
        pages = len(self.group_of_page)
        if selection.rows is None:
            return np.full(pages, selection.kind == "all")
        positions = np.asarray(selection.rows.to_array())
        return np.diff(np.searchsorted(positions, self.page_starts)) > 0

    def read_size(self, pages: NDArray[np.bool_], rows: int, index_bytes: int = 0) -> ReadSize:
        """Return the size of these pages.

        If more than half of the pages of a row group are wanted, it is read whole.

        Args:
            pages: Whether each page is wanted.
            rows: The number of selected rows in these pages.
            index_bytes: The bytes of the index that selected them.
        """
        wanted = np.bincount(self.group_of_page, pages, self.num_groups)
        groups = wanted > 0
        share = wanted / self.pages_of_group
        share = np.where(share > 0.5, 1.0, share * self.paged + groups * (1 - self.paged))
        return ReadSize(
            int(groups.any()),
            int(groups.sum()),
            int(self.group_bytes[groups].sum()),
            int(pages.sum()),
            round(float((share * self.group_bytes).sum())),
            rows,
            index_bytes,
        )


def layout_of(storage: Storage, file: DataFile, most_rows: int) -> Layout:
    """Return the layout of the first rows of a file, at most `most_rows`.

    Raises:
        CorruptFileError: The file is malformed.
        PaimonKsyError: The file cannot be read.
    """
    rows = min(file.num_rows, most_rows)
    if file.format != "parquet":
        size = file.size * rows // max(file.num_rows, 1)
        return Layout(False, np.array([0, rows]), np.array([size]), np.array([0.0]))
    with storage.open(file.path) as source:
        try:
            metadata = parquet_metadata(source.file, source.size, source.read)
        except Exception as error:  # Arrow raises many types of errors
            raise unreadable("Parquet", file.path, error) from error
    is_arrow = "arrow" in (metadata.created_by or "")
    starts, sizes, paged, page_rows = [0], [], [], []
    for at in range(metadata.num_row_groups):
        group = metadata.row_group(at)
        chunks = [group.column(number) for number in range(group.num_columns)]
        size = sum(chunk.total_compressed_size for chunk in chunks)
        taken = min(group.num_rows, rows - starts[-1])
        if taken <= 0:
            break
        starts.append(starts[-1] + taken)
        sizes.append(size * taken // group.num_rows)
        long = [c for c in chunks if not is_arrow or c.total_uncompressed_size > PAGE_BYTES]
        paged.append(sum(c.total_compressed_size for c in long) / max(size, 1))
        if is_arrow and long:  # the bound in bytes applies
            most = max(c.total_uncompressed_size for c in long)
            page_rows.append(max(1, group.num_rows * PAGE_BYTES // most))
    return Layout(
        True,
        np.array(starts),
        np.array(sizes, np.int64),
        np.array(paged),
        max(page_rows, default=PAGE_ROWS),
    )
