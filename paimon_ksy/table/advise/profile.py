"""Profile the columns of the sample: workers count the values of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import SchemaError, UnsupportedError, naming
from paimon_ksy.file_index.builder import values_of_key
from paimon_ksy.table.advise.layout import NOTHING, ReadSize, layout_of
from paimon_ksy.table.advise.sample import (
    Key,
    SampleJob,
    SampleTask,
    existing_index,
    plain,
    read_columns,
    value_at,
)
from paimon_ksy.table.model.evolve import file_column
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.data_type import DataType

_VALUES = 16  # distinct values that a profile contains, from the rarest to the most common
_QUANTILES = 200
_LONG_VALUE = 200  # characters or bytes of a value that a profile omits
_TEXT_BYTES, _TEXT_DISTINCT = 40, 0.5


@dataclass(frozen=True)
class ColumnProfile:
    """A column of a data file, or of several.

    Attributes:
        rows: The number of rows in files that have the column.
        nulls: The number of rows without a value.
        distinct: The largest number of distinct values in a file.
        is_text: Whether the values are long and mostly distinct, so that predicates seldom test
            whole values.
        values: Some values, from the rarest to the most common, with their numbers of rows.
        quantiles: Values at even distances among the sorted rows, with their numbers of rows.
    """

    rows: int
    nulls: int
    distinct: int
    is_text: bool
    values: Mapping[Any, int] = field(repr=False)
    quantiles: tuple[tuple[Any, float], ...] = field(repr=False)

    @classmethod
    def of(cls, column: pa.Array, data_type: DataType) -> ColumnProfile:
        """Return the profile of a column that `plain` returned."""
        values, counted = pc.value_counts(column.drop_null()).flatten()
        counts = counted.to_numpy()
        places = np.arange(len(values))
        is_text = False
        quantiles: tuple[tuple[Any, float], ...] = ()
        if data_type.is_string or data_type.is_binary:
            lengths = pc.binary_length(values).to_numpy(zero_copy_only=False)
            places = places[lengths <= _LONG_VALUE]
            present = max(1, int(counts.sum()))
            is_text = bool((lengths * counts).sum() >= _TEXT_BYTES * present)
            is_text = is_text and len(values) >= _TEXT_DISTINCT * present
        elif len(values):
            quantiles = _quantiles(values, counts)
        by_rows = places[np.argsort(counts[places], kind="stable")]
        steps = np.unique(np.linspace(0, max(0, len(by_rows) - 1), _VALUES).astype(np.int64))
        some = by_rows[steps[: len(by_rows)]].tolist()
        return cls(
            len(column),
            column.null_count,
            len(values),
            is_text,
            {value_at(values, at): int(counts[at]) for at in some},
            quantiles,
        )

    @classmethod
    def sum(cls, profiles: Iterable[ColumnProfile]) -> ColumnProfile:
        """Return the profile of a column in several files, at least one."""
        profiles = list(profiles)
        values: Counter[Any] = Counter()
        for profile in profiles:
            values.update(profile.values)
        return cls(
            sum(p.rows for p in profiles),
            sum(p.nulls for p in profiles),
            max(p.distinct for p in profiles),
            all(p.is_text for p in profiles if p.distinct),
            values,
            tuple(sorted(pair for p in profiles for pair in p.quantiles)),
        )


def _quantiles(values: pa.Array, counts: Any) -> tuple[tuple[Any, float], ...]:
    """Return values at even distances among the sorted rows, with their numbers of rows."""
    order = pc.sort_indices(values).to_numpy()
    ends = np.cumsum(counts[order])
    steps = (np.arange(_QUANTILES) + 0.5) / _QUANTILES * ends[-1]
    places = order[np.searchsorted(ends, steps.astype(np.int64), side="right")]
    chosen = (value_at(values, place) for place in places.tolist())
    return tuple((value, ends[-1] / _QUANTILES) for value in chosen if value == value)  # no NaN


@dataclass(frozen=True)
class FileProfile:
    """A data file.

    `number` is the file's position in the sample, and `size` that of the part that was read.
    Columns have the table's type in the file. With an `error`, the file cannot be read.
    """

    number: int
    columns: Mapping[str, ColumnProfile]
    size: ReadSize
    existing: frozenset[Key]
    error: UnsupportedError | None = None


def profile(job: SampleJob, task: SampleTask) -> FileProfile:
    """Profile columns of a data file."""
    try:
        return _profile(job, task)
    except UnsupportedError as error:
        return FileProfile(task.number, {}, NOTHING, frozenset(), error)


def _profile(job: SampleJob, task: SampleTask) -> FileProfile:
    file = task.file
    layout = layout_of(job.storage, file, job.most_rows)
    names = {}
    for name in task.names:
        column, _ = job.table.columns.split(name)
        own = file_column(job.table, job.schemas[file.schema_id], column.name)
        if own is None or not (file.write_columns is None or own.name in file.write_columns):
            continue
        if own.type.with_nullable(True) == column.type.with_nullable(True):
            names[name] = own.name
    data = read_columns(job, task, names.values())
    columns = {}
    for name, own_name in names.items():
        _, key = job.table.columns.split(name)
        with naming(file.path):
            values = data[own_name] if key is None else values_of_key(data[own_name], key)
        data_type = job.table.columns[name]
        columns[name] = ColumnProfile.of(plain(values, data_type), data_type)
    existing = frozenset(_existing(job, file))
    return FileProfile(task.number, columns, layout.all, existing)


def _existing(job: SampleJob, file: DataFile) -> Iterable[Key]:
    """Yield the file's indexes, for columns that the table still has."""
    schema = job.schemas[file.schema_id]
    names = {field_id: name for name, field_id in job.table.ids.items()}
    with existing_index(job, file) as index:
        for name, entries in index.places.items() if index is not None else ():
            try:
                column, key = schema.columns.split(name)
            except SchemaError:
                continue
            own = names.get(schema.ids[column.name])
            if own is not None:
                for kind in entries:
                    yield (own if key is None else f"{own}[{key}]", kind)
