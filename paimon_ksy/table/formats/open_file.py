"""An open data file, the cost of reading it, and the selected rows of its batches."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.parquet import column_bytes, tail_bytes
from paimon_ksy.io.source import Source
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile

_ADDING = Lock()
"""Reads in several threads may count into one `ReadStats`, which is pickled without a lock."""


@dataclass
class ReadStats:
    """The cost of reading.

    Attributes:
        bytes_read: Bytes of data files, indexes and deletion vectors.
        groups_read: Row groups, stripes or blocks that were decoded.
        groups_skipped: Row groups, stripes or blocks that contain no selected row.
        files: Paths of the data files that were opened.
    """

    bytes_read: int = 0
    groups_read: int = 0
    groups_skipped: int = 0
    files: set[str] = dataclasses.field(default_factory=set)

    def add(self, other: ReadStats) -> None:
        """Add the stats of another read, in any thread."""
        with _ADDING:
            self.bytes_read += other.bytes_read
            self.groups_read += other.groups_read
            self.groups_skipped += other.groups_skipped
            self.files |= other.files


class Picker:
    """A picker of the selected rows in the batches of a file, which come in order."""

    def __init__(self, positions: NDArray[np.int64] | None) -> None:
        self.positions = positions
        self.at = 0  # the row at which the next batch starts
        self._next = 0  # the first position that is not yet passed

    @property
    def is_done(self) -> bool:
        """Whether no selected row is left."""
        return self.positions is not None and self._next >= len(self.positions)

    def hits(self, count: int) -> bool:
        """Return whether one of the next `count` rows is selected."""
        if self.positions is None:
            return count > 0
        return not self.is_done and bool(self.positions[self._next] < self.at + count)

    def skip(self, count: int) -> None:
        """Pass rows of which none is selected."""
        self.at += count

    def pick(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the selected rows of the next batch, which may be none."""
        start, self.at = self.at, self.at + batch.num_rows
        if self.positions is None:
            return batch
        end = self._next + int(np.searchsorted(self.positions[self._next :], self.at))
        picked, self._next = self.positions[self._next : end] - start, end
        if len(picked) == batch.num_rows:
            return batch
        if not len(picked) or picked[-1] - picked[0] == len(picked) - 1:  # consecutive rows
            return batch.slice(int(picked[0]) if len(picked) else 0, len(picked))
        return batch.take(pa.array(picked))


def rows_only(count: int) -> pa.RecordBatch:
    """Return a batch that only counts rows, for a file that has none of the columns."""
    return pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])


class OpenedFile:
    """An open data file. Closing it adds the file and the bytes read to `stats`.

    With `native`, it is Arrow's own file if there is one, which several threads can read. Then the
    requested bytes are counted.
    """

    def __init__(
        self,
        storage: Storage,
        file: DataFile,
        stats: ReadStats,
        *,
        native: bool = False,
    ) -> None:
        self._stats = stats
        self._counted = 0
        self._lock = Lock()
        self._storage, self._path = storage, file.path
        self.is_local = storage.is_local
        self._pages: Source | None = None
        opened = storage.open_native(file.path) if native else None
        self.is_native = opened is not None
        self._source = None if opened is not None else storage.open(file.path)
        # Otherwise, the file object below the Kaitai stream.
        self.file: Any = opened if self._source is None else self._source.file

    def __enter__(self) -> OpenedFile:
        return self

    def __exit__(self, *exc: object) -> None:
        read = self._counted
        if self._source is None:
            self.file.close()
        else:
            for source in (self._source, self._pages):
                if source is not None:
                    read += source.bytes_read
                    source.close()
        self._stats.files.add(self._path)
        self._stats.bytes_read += read

    @property
    def source(self) -> Source:
        """The file, unless it is Arrow's own."""
        assert self._source is not None
        return self._source

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return int(self.file.size() if self._source is None else self._source.size)

    def count_tail(self, metadata: Any) -> None:
        """Count the bytes that were read for Parquet metadata."""
        self._counted += tail_bytes(metadata, self.size if self.is_native else 0)

    def count_columns(self, group: Any, names: Sequence[str]) -> None:
        """Count the bytes of columns of a Parquet row group."""
        if self.is_native:
            with self._lock:
                self._counted += column_bytes(group, names)

    def read_at(self, length: int, offset: int) -> bytes:
        """Return bytes from an offset, as Arrow's files do."""
        if self._source is not None:
            with self._lock:
                # A separate file, because Arrow seeks in the other one, in its own threads.
                self._pages = self._pages or self._storage.open(self._path)
                return self._pages.read(offset, length)
        with self._lock:
            self._counted += length
        data: bytes = self.file.read_at(length, offset)
        return data
