"""Global indexes of drawn columns, in one file or in several that share a row range."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.evaluation.evaluate import ALL, evaluate
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader, Postings
from paimon_ksy.global_index.registry import GLOBAL_INDEX_TYPES
from paimon_ksy.global_index.sorted_keys import KeyForm
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.schema import Schema


def index_file(
    data: bytes, fields: Sequence[Field], num_rows: int, metadata: bytes | None, length: int
) -> GlobalIndexFile:
    """A BTree index file of a range of so many rows."""
    return GlobalIndexFile(
        lambda: open_source(data), "x", "btree", tuple(fields), 100, 99 + length, num_rows, metadata
    )


def in_key_order(arrays: Sequence[pa.Array], fields: Sequence[Field]) -> list[int]:
    """The rows of columns in the order of their keys; those without a key come first."""
    form = KeyForm.of(fields)
    assert form is not None
    num_rows = len(arrays[0])
    is_null = np.zeros(num_rows, bool)
    if len(fields) == 1:
        is_null = arrays[0].is_null().to_numpy(zero_copy_only=False)
        arrays = [arrays[0].drop_null()]
    rows = np.flatnonzero(~is_null).tolist()
    keys = dict(zip(rows, list(form.keys(form.stored(*arrays))), strict=True))
    return [*np.flatnonzero(is_null).tolist(), *sorted(rows, key=keys.__getitem__)]


def parts_of(order: Sequence[int], cuts: Sequence[int]) -> list[list[int]]:
    """The rows of each file, ascending; a cut is a place in the order, and a file has a row."""
    bounds = sorted({0, *(cut % (len(order) + 1) for cut in cuts), len(order)})
    return [sorted(order[a:b]) for a, b in pairwise(bounds)]


def selection_of(predicate: Predicate, reader: GlobalIndexReader, schema: Schema) -> Selection:
    """What a reader answers to a predicate."""
    return evaluate(
        bind(predicate, schema), lambda leaf: reader.answer(leaf) or ALL, lambda _: False
    )


def postings_of(file: GlobalIndexFile) -> list[Postings]:
    """All keys of a file, which is checked."""
    facts: dict[str, Any] = {"row_range": (file.row_start, file.row_end), "metadata": file.metadata}
    subject = Subject(file.open(), Schema(file.fields), index_type=file.index_type, **facts)
    return [*GLOBAL_INDEX_TYPES[file.index_type]().postings(subject)]


class Counted:
    """A remote file, and its requests."""

    def __init__(self, data: bytes) -> None:
        self.requests: list[tuple[int, int]] = []
        self._data = data

    def open(self) -> Source:
        return Source("remote", len(self._data), self._read, None)

    def _read(self, pos: int, length: int) -> bytes:
        self.requests.append((pos, length))
        return self._data[pos : pos + length]
