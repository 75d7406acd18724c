"""An open data file, the selected rows of its batches, and the cost of reading them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from paimon_ksy.io.source import Source
from paimon_ksy.types.arrays import taken
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

Types: TypeAlias = Mapping[str, DataType]
"""Paimon types of columns, which ORC does not store in full."""
NO_TYPES: Types = {}

Positions: TypeAlias = "NDArray[np.int64] | None"
"""Selected rows: ascending, from 0; None for all."""

PageReader: TypeAlias = "Callable[[Any], tuple[Iterator[pa.RecordBatch], Any] | None]"
PagesOf: TypeAlias = Callable[[Source, Any, Sequence[str], int, int], "list[PageReader] | None"]
"""Reads single pages of a Parquet file, which Arrow cannot (see `parquet_pages`)."""

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
    files: set[str] = field(default_factory=set)

    def add(self, other: ReadStats) -> None:
        """Add the stats of another read, in any thread."""
        with _ADDING:
            self.bytes_read += other.bytes_read
            self.groups_read += other.groups_read
            self.groups_skipped += other.groups_skipped
            self.files |= other.files


class DataFile(AbstractContextManager["DataFile"]):
    """An open data file, which closes its source.

    Attributes:
        format: `Parquet`, `ORC` or `Avro`.
        source: The file.
        schema: The Arrow schema, of all columns.
        num_rows: The number of rows; None if it is only known after reading the whole file.
    """

    format: ClassVar[str]
    schema: pa.Schema
    num_rows: int | None = None

    def __init__(
        self, source: Source, *, dictionaries: bool = False, pages: PagesOf | None = None
    ) -> None:
        """Read the metadata of a file (see `open_data_file`); `pages` reads pages of Parquet."""
        self.source = source
        self._dictionaries = dictionaries
        self._pages = pages

    @abstractmethod
    def batches(
        self,
        names: Sequence[str],
        types: Types = NO_TYPES,
        positions: Positions = None,
        stats: ReadStats | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns in batches, in the order of the file; nanoseconds may be WIDE.

        Args:
            names: The columns. Those that the file lacks are left out; without any, batches just
                count rows.
            types: The Paimon types of columns, if they are known.
            positions: The rows.
            stats: Counts the row groups, stripes or blocks as they are read.
        """

    def __exit__(self, *exc: object) -> None:
        self.source.close()


class Picker:
    """A picker of the selected rows in the batches of a file, which come in order."""

    def __init__(self, positions: Positions) -> None:
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
        return taken(batch, picked)


def rows_only(count: int) -> pa.RecordBatch:
    """Return a batch that only counts rows, for a file that has none of the columns."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])
