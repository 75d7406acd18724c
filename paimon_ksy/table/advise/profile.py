"""Profile the values of a data file's columns, and their places; workers do this."""

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
"""Maximum distinct values in a file's profile: those with the smallest hash codes. All files select
values by hash code, so that values in several files are detected."""

_QUANTILES = 200
_LONG_VALUE = 200  # characters or bytes of a value from which a profile omits it
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
        rows: The number of rows read.
        nulls: The number of rows without a value.
        distinct: The number of distinct values.
        least: The smallest value, in the form that predicates use; None without values.
        greatest: The largest value, likewise.
        hashes: The smallest hash codes of the values, at most SKETCH, ascending.
        counts: The number of rows of each value with these hash codes.
        values: These values; None for long ones.
        quantiles: Values at even distances among the sorted rows.
        groups: The number of row groups.
        in_groups: The number of row groups that contain a value, summed over the values.
        pages: The number of pages.
        in_pages: The number of pages that contain a value, summed over the values.
        value_bytes: The bytes of all texts or binaries.
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
        columns: The columns that have the table's type in the file.
        rows: The number of rows read.
        has_groups: Whether the file has row groups.
        size: The size of the part that was read.
        existing: The bytes of the file's indexes.
    """

    columns: Mapping[str, ColumnProfile]
    rows: int
    has_groups: bool
    size: ReadSize
    existing: Mapping[Key, int] = field(default_factory=dict)


def profile(job: SampleJob, task: ProfileTask) -> FileProfile:
    """Profile columns of a data file.

    Raises:
        PaimonKsyError: The file cannot be read; the error names it.
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
    """Return the bytes of the file's indexes, for columns that the table still has."""
    names = {field_id: name for name, field_id in job.table.ids.items()}
    found = {}
    with Existing(job, file, schema) as index:
        for name, entries in index.places.items() if index is not None else ():
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
    """A column: its distinct values, and for each row the position of its value, -1 for null."""

    type: DataType
    values: pa.Array
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.Array, data_type: DataType) -> Coded:
        """Encode a column that `plain` returned."""
        coded = column.dictionary_encode()
        codes = pc.fill_null(coded.indices, -1).to_numpy().astype(np.int64)
        return cls(data_type, coded.dictionary, codes)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each value."""
        there = self.codes if not self.nulls else self.codes[self.codes >= 0]
        return np.bincount(there, minlength=len(self)).astype(np.int64)

    @cached_property
    def nulls(self) -> int:
        """The number of rows without a value."""
        return int((self.codes < 0).sum())

    def pairs(self, starts: NDArray[np.int64]) -> int:
        """Return the number of parts that contain a value, summed over the values.

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

    These are the hash codes of bloom filters, mixed as in SplitMix64, since the codes of small
    numbers are unevenly spread.
    """
    if not is_taken(data_type):
        values, data_type = values.cast(pa.string()), _TEXT
    parts = BloomFilterBuilder.of(data_type, {}).hashes(values)
    codes = np.concatenate([np.empty(0, np.uint64), *parts])
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        codes = (codes ^ codes >> np.uint64(shift)) * np.uint64(factor)
    mixed: NDArray[np.uint64] = codes ^ codes >> np.uint64(31)
    return mixed
