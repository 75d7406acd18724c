"""The interface of a type of global index: one record, which each type's package fills in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import Field

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyroaring import BitMap

    from paimon_ksy.evaluation.evaluate import LeafOrRange
    from paimon_ksy.evaluation.key_ranges import KeyRanges
    from paimon_ksy.evaluation.selection import Selection
    from paimon_ksy.io.file_format import Subject


@dataclass(frozen=True)
class GlobalIndexFile:
    """One file of a global index, with the facts of its entry in the index manifest.

    Attributes:
        open: Opens the file, at its first use.
        path: The path, for messages.
        index_type: The type (`_INDEX_TYPE`).
        fields: The indexed columns and their types, the first one first.
        row_start: The first row id of the row range.
        row_end: The last row id of the row range, inclusive.
        num_rows: The number of rows in the file (`_ROW_COUNT`).
        metadata: `_INDEX_META`.
        source_metadata: `_SOURCE_META`.
    """

    open: Callable[[], Source]
    path: str
    index_type: str
    fields: tuple[Field, ...]
    row_start: int
    row_end: int
    num_rows: int
    metadata: bytes | None = None
    source_metadata: bytes | None = None

    @property
    def range_length(self) -> int:
        """The number of rows in the row range, which several files may share."""
        return self.row_end - self.row_start + 1


class Postings(NamedTuple):
    """Some keys of an index, and their rows.

    Attributes:
        keys: The keys as Arrow columns of the types of the indexed columns, in which null is a key.
            There are none if these types do not fit.
        counts: The number of rows of each key.
        rows: The rows, relative to the start of the row range, in the order of the keys.
    """

    keys: tuple[pa.Array, ...]
    counts: NDArray[np.int64]
    rows: NDArray[np.int64]


class GlobalIndexReader(Protocol):
    """A reader of all files of one index that have the same row range.

    Rows are relative to the start of the range, and all bitmaps are BitMap64 if it has more than
    2^32 rows.
    """

    @property
    def num_rows(self) -> int:
        """The length of the row range."""

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which the leaf may be true; None if they cannot be determined."""


class SortedFile(Protocol):
    """A reader of one file of a sorted index, in terms of which `SortedIndex` answers."""

    def rows_of(self, ranges: KeyRanges) -> BitMap:
        """Return the rows with keys in these ranges, regardless of `negated`."""

    def null_rows(self) -> BitMap:
        """Return the rows that are null."""


@dataclass(frozen=True)
class GlobalIndexType:
    """A type of global index.

    Attributes:
        reader: Opens all files of one row range; None if it cannot answer with them.
        postings: Yields all keys of a file and their rows, and checks all of it. Raises
            CorruptFileError, or UnsupportedError for another version.
        version: Returns the version of a file of these columns, and which other readers misread it,
            from its footer, its directory and at most one block of keys. Raises CorruptFileError,
            or UnsupportedError for another version. Without columns, fewer of these readers are
            known.
    """

    reader: Callable[[Sequence[GlobalIndexFile]], GlobalIndexReader | None]
    postings: Callable[[Subject], Iterator[Postings]]
    version: Callable[[Source, Sequence[Field]], tuple[int, str]]
