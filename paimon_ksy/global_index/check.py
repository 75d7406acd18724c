"""Check a file of a sorted index, and list its keys and rows: what BTree and bitmap share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending
from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.global_index.metadata import SortedMetadata, read_metadata
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.messages.findings import NOTE, Finding, corrupt

Columns = tuple[pa.Array, ...]
Rows = NDArray[np.int64]

ANY_ROWS = 1 << 63
"""The length of an unknown row range."""

UNORDERED = "keys do not ascend by the type of the column: it has another type, or this is corrupt"
"""The message about a file whose keys are not in order."""

ListPostings = Callable[[Subject], Iterator[Postings]]
"""A function that yields all keys of a file with their rows, in batches, and checks all of it.

Null rows have a null key. Without their type, there are no keys. It raises FormatError for the
first problem.
"""


def checked(list_postings: ListPostings, subject: Subject) -> Iterator[Postings]:
    """Yield all keys of a file with their rows.

    Raises:
        CorruptFileError: The file is corrupt, or contradicts the index manifest.
        UnsupportedError: It has another version.
    """
    with CorruptErrors(subject.source):
        yield from list_postings(subject)


def findings(name: str, list_postings: ListPostings, subject: Subject, _: Any) -> Iterator[Finding]:
    """Yield the first problem in a file, or in what the index manifest states about it."""
    try:
        for _ in checked(list_postings, subject):
            pass
    except CorruptFileError as error:
        yield corrupt(name, subject.path, error, remedy=BUILD_AGAIN)
    except UnsupportedError as error:
        yield Finding(NOTE, name, subject.path, None, None, error.message, "it was not checked")


class Order:
    """Whether all keys so far ascend."""

    def __init__(self) -> None:
        self.is_kept = True
        self._last: Any = None

    def add(self, keys: Keys | pa.Array) -> None:
        """Add keys that follow the others, at least one."""
        first, last = keys[0], keys[-1]
        if isinstance(keys, pa.Array):
            first, last = first.as_py(), last.as_py()
            is_ascending = pc.all(pc.less(keys[:-1], keys[1:])).as_py() is not False
        else:
            is_ascending = are_ascending(keys)
        self.is_kept &= is_ascending and (self._last is None or self._last < first)
        self._last = last


class FileCheck:
    """The check of one file. Its methods raise FormatError for the first problem.

    Attributes:
        form: The form of its keys; None if their type is unknown, or is not that of the column.
        num_rows: The length of the row range.
        order: The order of its keys by value.
        count: The number of rows that are listed.
    """

    def __init__(self, subject: Subject, form: KeyForm | None) -> None:
        self._subject, self.form = subject, form
        first, last = subject.row_range or (0, ANY_ROWS - 1)
        self.num_rows = last - first + 1
        self.order, self.count = Order(), 0
        self._rows: BitMap = bitmap(self.num_rows)
        self._ends: list[bytes] = []

    @cached_property
    def metadata(self) -> SortedMetadata | None:
        """What the index manifest states about its keys."""
        data = self._subject.metadata
        return None if data is None else read_metadata(data)

    def keys(self, stored: BytesColumn) -> tuple[Keys | pa.Array | None, Columns]:
        """Add keys that follow the others, at least one; return them, also as Arrow columns."""
        self._ends = [self._ends[0] if self._ends else stored[0], stored[len(stored) - 1]]
        if self.form is None:
            return None, ()
        try:
            keys, columns = self.form.decoded(stored)
        except KeyTypeError:  # the type of the column changed
            self.form = None
            return None, ()
        self.order.add(keys)
        return keys, columns

    def rows(self, keys: Columns, counts: Rows, rows: Rows) -> Postings:
        """Add the rows of some keys."""
        self._rows |= bitmap(self.num_rows, rows)
        self.count += len(rows)
        return Postings(keys, counts, rows)

    def distinct(self, at: int) -> BitMap:
        """Return the rows of all keys, which have one key each."""
        if self.count != len(self._rows):
            message = f"{counted(self.count - len(self._rows), 'row')} with a second value"
            raise FormatError(message, at)
        return self._rows

    def nulls(self, rows: BitMap) -> Iterator[Postings]:
        """Yield null rows."""
        if rows:
            keys = () if self.form is None else tuple(pa.nulls(1) for _ in self.form.types)
            listed = np.asarray(rows.to_array()).astype(np.int64)
            yield Postings(keys, np.array([len(listed)]), listed)

    def manifest(self, num_rows: int, has_nulls: bool, at: int) -> None:
        """Check the rows that the index manifest states."""
        subject = self._subject
        stated = subject.num_rows if subject.cardinality is None else subject.cardinality
        if stated not in (None, num_rows):
            message = f"it has {counted(num_rows, 'row')}, but {stated:,}"
            raise FormatError(f"{message} according to the index manifest", at)
        if self.metadata is not None and self.metadata.has_nulls != has_nulls:
            raise FormatError("the index manifest differs about whether there are nulls", at)

    def manifest_keys(self, at: int, ends: Sequence[bytes] = ()) -> None:
        """Check the keys that the index manifest states: by default, those at the ends.

        The writer of pypaimon takes 0.0 and -0.0 for one key, and states the first that it gets.
        """
        stored = ends or self._ends or (None, None)
        stated = stored if self.metadata is None else self.metadata[:2]
        is_same = operator.eq if self.form is None else self.form.is_same
        if not all(map(is_same, stated, stored)):
            raise FormatError("the index manifest has another first or last key", at)
