"""Profile columns of a data file: their values and where these are; workers do this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import SchemaError
from paimon_ksy.file_index.bloom_filter.reader import is_taken
from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder
from paimon_ksy.file_index.builder import values_of_key
from paimon_ksy.table.advise.layout import Layout, ReadSize, layout_of
from paimon_ksy.table.advise.sample import (
    Existing,
    Key,
    SampleJob,
    least_and_greatest,
    naming,
    plain,
    read_columns,
    value_at,
)
from paimon_ksy.table.model.evolve import file_column
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

SKETCH = 512
"""Distinct values of a file in its profile: those with the smallest hash codes. These are the same
ones in all files, so that values which several files contain are seen."""

_QUANTILES = 200
_LONG_VALUE = 200  # characters or bytes of a value that a profile leaves out
_MANY = 1 << 28
_TEXT = parse_type("STRING")


@dataclass(frozen=True)
class ProfileTask:
    """Columns of a data file to profile, in the table's terms; with its index if `with_indexes`."""

    file: DataFile
    names: tuple[str, ...]
    with_indexes: bool = False


@dataclass(frozen=True)
class ColumnProfile:
    """A column of a data file.

    Attributes:
        rows: Rows that were read.
        nulls: Rows without a value.
        distinct: The number of distinct values.
        least: The smallest value, as predicates have it; None without values.
        greatest: The largest value, likewise.
        hashes: The smallest hash codes of the values, SKETCH at most, ascending.
        counts: The rows of the values with these hash codes.
        values: These values, None where one is long.
        quantiles: Values at even distances among the rows in order.
        groups: The number of row groups.
        in_groups: The number of row groups that a value is in, summed over the values.
        pages: The number of pages.
        in_pages: The number of pages that a value is in, summed over the values.
        value_bytes: Bytes of all texts or binaries.
    """

    rows: int
    nulls: int
    distinct: int
    least: Any
    greatest: Any
    hashes: NDArray[np.uint64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    values: tuple[Any, ...] = field(repr=False)
    quantiles: tuple[Any, ...] = field(repr=False)
    groups: int
    in_groups: int
    pages: int
    in_pages: int
    value_bytes: int


@dataclass(frozen=True)
class FileProfile:
    """A data file.

    Attributes:
        columns: The columns that it has in the table's type.
        rows: Rows that were read.
        has_groups: Whether it has row groups.
        size: The size of what was read.
        existing: Bytes of the indexes that it has.
    """

    columns: Mapping[str, ColumnProfile]
    rows: int
    has_groups: bool
    size: ReadSize
    existing: Mapping[Key, int] = field(default_factory=dict)


def profile(job: SampleJob, task: ProfileTask) -> FileProfile:
    """Profile columns of a data file.

    Raises:
        PaimonKsyError: With the name of the file.
    """
    file = task.file
    schema = job.schemas[file.schema_id]
    layout = layout_of(job.storage, file, job.most_rows)
    names = {}
    for name in task.names:
        column, _ = job.table.columns.split(name)
        found = file_column(job.table, schema, column.name)
        if found is not None and _has(file, found.name) and _same(found.type, column.type):
            names[name] = found.name
    data = read_columns(job, file, schema, names.values())
    columns = {}
    for name, own in names.items():
        _, key = job.table.columns.split(name)
        column = data[own] if key is None else _of_key(data[own], key, file)
        data_type = job.table.columns[name]
        columns[name] = _profile(plain(column, data_type), data_type, layout)
    existing = _existing(job, file, schema) if task.with_indexes else {}
    return FileProfile(columns, layout.rows, layout.has_groups, layout.all, existing)


def _same(one: DataType, other: DataType) -> bool:
    return one.with_nullable(True) == other.with_nullable(True)


def _has(file: DataFile, name: str) -> bool:
    return file.write_columns is None or name in file.write_columns


def _profile(values: pa.Array, data_type: DataType, layout: Layout) -> ColumnProfile:
    column = Coded.of(values, data_type)
    hashes = hash_codes(column.values, data_type)
    some = np.arange(len(hashes))
    if len(hashes) > SKETCH:
        some = np.argpartition(hashes, SKETCH)[:SKETCH]
    some = some[np.argsort(hashes[some])]
    counts = column.counts
    is_long = np.zeros(len(some), np.bool_)
    value_bytes = 0
    quantiles: list[Any] = []
    if data_type.is_string or data_type.is_binary:
        lengths = pc.binary_length(column.values).to_numpy(zero_copy_only=False)
        is_long = lengths[some] > _LONG_VALUE
        value_bytes = int((lengths * counts).sum())
    elif len(column):
        order = pc.sort_indices(column.values).to_numpy()
        ends = np.cumsum(counts[order])
        wanted = (np.arange(_QUANTILES) + 0.5) / _QUANTILES * ends[-1]
        places = order[np.searchsorted(ends, wanted.astype(np.int64), side="right")]
        quantiles = [value_at(column.values, place) for place in places.tolist()]
    shown = (
        None if long else value_at(column.values, place)
        for place, long in zip(some.tolist(), is_long.tolist(), strict=True)
    )
    least, greatest = least_and_greatest(column.values)
    return ColumnProfile(
        layout.rows,
        column.nulls,
        len(column),
        least,
        greatest,
        hashes[some],
        counts[some],
        tuple(shown),
        tuple(quantiles),
        layout.num_groups,
        column.pairs(layout.group_starts),
        len(layout.group_of_page),
        column.pairs(layout.page_starts),
        value_bytes,
    )


def _of_key(column: pa.ChunkedArray, key: str, file: DataFile) -> pa.ChunkedArray:
    try:
        return values_of_key(column, key)
    except SchemaError as error:
        raise naming(error, file) from error


def _existing(job: SampleJob, file: DataFile, schema: TableSchema) -> dict[Key, int]:
    """Return the bytes of the indexes that the file has, of columns that the table still has."""
    names = {field_id: name for name, field_id in job.table.ids.items()}
    found = {}
    with Existing(job, file, schema) as index:
        for name, entries in index.indexes.items() if index is not None else ():
            column, key = _split(schema, name)
            own = names.get(schema.ids.get(column, -1))
            if own is not None:
                for kind, entry in entries.items():
                    full = own if key is None else f"{own}[{key}]"
                    found[full, kind] = 0 if entry.is_empty else int(entry.len_body)
    return found


def _split(schema: TableSchema, name: str) -> tuple[str, str | None]:
    try:
        column, key = schema.columns.split(name)
    except SchemaError:
        return "", None
    return column.name, key


@dataclass(frozen=True)
class Coded:
    """A column: its distinct values, and for each row the place of its value, -1 for null."""

    type: DataType
    values: pa.Array
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.Array, data_type: DataType) -> Coded:
        """Return the column that `plain` returned, coded."""
        coded = column.dictionary_encode()
        codes = pc.fill_null(coded.indices, -1).to_numpy().astype(np.int64)
        return cls(data_type, coded.dictionary, codes)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each value."""
        there = self.codes if not self.nulls else self.codes[self.codes >= 0]
        return np.bincount(there, minlength=len(self)).astype(np.int64)

    @cached_property
    def nulls(self) -> int:
        """Rows without a value."""
        return int((self.codes < 0).sum())

    def pairs(self, starts: NDArray[np.int64]) -> int:
        """Return the number of parts that a value is in, summed over the values.

        Args:
            starts: The first row of each part, and the number of rows.
        """
        parts = len(starts) - 1
        if parts == 1:
            return len(self)
        there = self.codes >= 0
        part_of = np.repeat(np.arange(parts), np.diff(starts))[there]
        places = self.codes[there] * parts + part_of
        if len(self) * parts > _MANY:
            return len(np.unique(places))
        seen = np.zeros(len(self) * parts, np.bool_)
        seen[places] = True
        return int(seen.sum())


def hash_codes(values: pa.Array, data_type: DataType) -> NDArray[np.uint64]:
    """Return hash codes of values without nulls.

    These are the hash codes of bloom filters, mixed as in SplitMix64, since those of small numbers
    are not evenly spread.
    """
    if not is_taken(data_type):
        values, data_type = values.cast(pa.string()), _TEXT
    parts = BloomFilterBuilder.of(data_type, {}).hashes(values)
    codes = np.concatenate([np.empty(0, np.uint64), *parts])
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        codes = (codes ^ codes >> np.uint64(shift)) * np.uint64(factor)
    mixed: NDArray[np.uint64] = codes ^ codes >> np.uint64(31)
    return mixed
