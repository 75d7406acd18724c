"""The sample: a few data files, spread over partitions and time, and how workers read them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import UnsupportedError, counted, naming
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.index.existing import open_index
from paimon_ksy.table.index.options import INDEXABLE_FORMATS
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.prune import PartitionFilter
from paimon_ksy.table.query.row_files import Part, RowFiles
from paimon_ksy.table.query.sort import plain_value
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import Table
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.timestamps import WIDE, alike, in_type

Key = tuple[str, str]
"""An index: its column in the table's terms, or a key `m[key]` of a column; and its type."""

_FILES = 2, 32  # minimum and maximum number of files
_VALUES = 8_000_000  # values in the sample, if the caller passes no number of files
_ROWS = 1 << 16, 1 << 20  # minimum and maximum rows of a file
_CANDIDATES = 1024
_TASK_VALUES = 500_000
_LARGE = 1 << 30  # bytes of texts; half of what Arrow's offsets can address


@dataclass(frozen=True)
class Sample:
    """The data files to measure.

    Attributes:
        files: The files; with data evolution, of each row the one that has all its columns.
        others: The files that have other columns of the same rows, by the path of a file.
        size: The size of all files of the table that indexes could help.
        most_rows: The maximum number of rows to measure in a file.
        notes: Notes on the sample for readers of the advice.
    """

    files: list[DataFile]
    others: Mapping[str, tuple[DataFile, ...]]
    size: Size
    most_rows: int
    notes: tuple[str, ...] = ()

    def without(self, unread: Mapping[int, UnsupportedError]) -> Sample:
        """Return the sample without files that cannot be read, by position.

        Raises:
            UnsupportedError: No file can be read.
        """
        if not unread:
            return self
        error = unread[min(unread)]
        if not (files := [file for at, file in enumerate(self.files) if at not in unread]):
            raise error
        note = f"{counted(len(unread), 'file')} of the sample cannot be read, such as {error}"
        return replace(self, files=files, notes=(*self.notes, note))

    @property
    def all_files(self) -> Iterator[DataFile]:
        """All files of the rows."""
        for file in self.files:
            yield from (file, *self.others.get(file.path, ()))


@dataclass(frozen=True)
class SampleJob:
    """The facts about a table that workers need.

    `table` is its latest schema, `schemas` those of data files by id, and `most_rows` the most to
    read of a file.
    """

    storage: Storage
    table: TableSchema
    schemas: Mapping[int, TableSchema]
    most_rows: int


@dataclass(frozen=True)
class SampleTask:
    """Columns of a data file to read, in the table's terms; `number` is the file's position.

    `others` are those of `Sample.others`.
    """

    number: int
    file: DataFile
    names: tuple[str, ...]
    others: tuple[DataFile, ...] = ()


# Choosing files ---------------------------------------------------------------------------------


def sample_files(
    table: Table,
    snapshot: Any,
    partitions: PartitionFilter | None,
    count: int | None,
    num_columns: int,
) -> Sample:
    """Return a sample of a snapshot's data files.

    Without a `count`, it has enough files for about eight million values.
    """

    def most(size: Size) -> int:
        if count is not None:
            return count
        rows = max(1, size.rows // max(1, size.files))
        return max(_FILES[0], min(_FILES[1], _VALUES // (rows * num_columns)))

    files, others, notes = _useful_files(table, snapshot, partitions)
    chosen, size = choose_files(files, most)
    more = [file for some in others.values() for file in some]
    size += replace(Size.of(more), rows=0)
    if not chosen:
        some = "" if partitions is None else " in these partitions"
        notes = (*notes, f"there is no Parquet, ORC or Avro file with rows{some} to measure")
    most_rows = _ROWS[1]
    if count is None:
        most_rows = max(_ROWS[0], min(_ROWS[1], 2 * _VALUES // (most(size) * num_columns)))
    return Sample(chosen, others, size, most_rows, notes)


def _useful_files(
    table: Table, snapshot: Any, partitions: PartitionFilter | None
) -> tuple[Iterable[DataFile], Mapping[str, tuple[DataFile, ...]], tuple[str, ...]]:
    """Return the files whose indexes readers use, now or after a compaction, others, and notes."""
    live = table.data_files.of(snapshot, partitions)
    reading = Reading.of(table.schema)
    if reading.streams:
        return (file for file in live if reading.sees(file)), {}, ()
    files = list(live)
    sections = list(reading.sections(files))
    if reading.data_evolution:
        others = {section.files[0].path: section.files[1:] for section in sections}
        return [section.files[0] for section in sections], others, ()
    alone = [section.files[0] for section in sections if section.merge is None]
    if len(alone) == len(files):
        return alone, {}, ()
    merged = [file for section in sections if section.merge for file in section.files]
    note = (
        f"{counted(len(files) - len(alone), 'file')} of {len(files):,} wait for a compaction, and "
        "readers read them whole or not at all; the advice holds for these after it"
    )
    return alone or merged or files, {}, (note,)


def choose_files(
    files: Iterable[DataFile], most: Callable[[Size], int]
) -> tuple[list[DataFile], Size]:
    """Return some of the files, spread over partitions and time by their rows, and the size of all.

    The choice is the same for the same files. If there are very many files, about a thousand are
    candidates: those with the smallest hash codes of their names. `most` returns the number of
    files to choose, given the size of all.
    """
    size = Size()

    def indexable() -> Iterator[DataFile]:
        nonlocal size
        for file in files:
            size += Size.of((file,))
            if file.num_rows and file.format in INDEXABLE_FORMATS:
                yield file

    some = heapq.nsmallest(
        _CANDIDATES, indexable(), lambda file: blake2b(file.name.encode(), digest_size=8).digest()
    )
    candidates = sorted(some, key=_place)
    count = min(most(size), len(candidates))
    rows = np.array([file.num_rows for file in candidates], np.int64)
    steps = (np.arange(count) + 0.5) / max(count, 1) * rows.sum()
    chosen = set(np.searchsorted(rows.cumsum(), steps, side="right").tolist())
    others = [at for at in np.argsort(-rows, kind="stable").tolist() if at not in chosen]
    chosen.update(others[: count - len(chosen)])
    return [candidates[at] for at in sorted(chosen)], size


def _place(file: DataFile) -> tuple[Any, ...]:
    """Return a key that sorts files by partition and time."""
    partition = tuple((value is None, str(value)) for value in file.partition)
    return partition, file.bucket, file.creation_millis or 0, file.min_sequence_number, file.name


# Tasks ------------------------------------------------------------------------------------------


def sample_tasks(sample: Sample, groups: Iterable[Sequence[str]]) -> list[SampleTask]:
    """Return tasks for workers: a large file has several, which read different columns.

    A task may not separate the columns of a group.
    """
    group_of: dict[str, list[str]] = {}
    for names in groups:
        joined = list(dict.fromkeys(n for name in names for n in group_of.get(name, [name])))
        group_of |= dict.fromkeys(joined, joined)
    disjoint = {id(names): names for names in group_of.values()}.values()
    tasks = []
    for number, file in enumerate(sample.files):
        parts: list[list[str]] = [[]]
        for names in disjoint:
            if parts[-1] and (len(parts[-1]) + len(names)) * file.num_rows > _TASK_VALUES:
                parts.append([])
            parts[-1] += names
        own = replace(file, deletion_vector=None)
        others = sample.others.get(file.path, ())
        tasks += [SampleTask(number, own, tuple(names), others) for names in parts]
    return tasks


# Reading files ----------------------------------------------------------------------------------


def read_columns(
    job: SampleJob, task: SampleTask, names: Iterable[str]
) -> Mapping[str, pa.ChunkedArray]:
    """Read columns of the first rows of a file, in its terms; texts may be dictionaries."""
    columns = list(dict.fromkeys(names))
    if not columns:
        return {}
    file, schema = task.file, job.schemas[task.file.schema_id]
    with naming(file.path):
        if task.others or file.write_columns is not None:
            parts = tuple(Part(each, job.schemas[each.schema_id]) for each in (file, *task.others))
            first = bitmap(file.num_rows, np.arange(min(file.num_rows, job.most_rows)))
            batches = RowFiles(parts).read(job.storage, schema, columns, first)
            rows = pa.Table.from_batches(alike([*batches]))
        else:
            request = ReadRequest(
                job.storage,
                file,
                schema,
                schema,
                columns,
                most=job.most_rows,
                keep_dictionaries=True,
            )
            rows = read_table(request)
    return {name: rows[name] for name in columns}


@contextmanager
def existing_index(job: SampleJob, file: DataFile) -> Iterator[FileIndex | None]:
    """Open the index of a data file, if it has one; errors about it name the file."""
    place = file.index
    if place is None:
        yield None
        return
    columns = job.schemas[file.schema_id].columns
    path = place if isinstance(place, str) else f"{file.path} (its embedded index)"
    with naming(path), open_index(job.storage, place, columns) as opened:
        yield opened


def plain(column: pa.ChunkedArray, data_type: DataType) -> pa.Array:
    """Return a column of `read_columns` as one array that can be sorted, without a dictionary.

    Except for very long texts, and for timestamps that are WIDE, which become microseconds, it has
    the Arrow type of the data type.
    """
    if data_type.is_timestamp and column.type == WIDE:
        return in_type(column.combine_chunks(), pa.timestamp("us"))
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if (data_type.is_string or data_type.is_binary) and column.nbytes > _LARGE:
        column = column.cast(pa.large_string() if data_type.is_string else pa.large_binary())
    return column.combine_chunks()


def value_at(values: pa.Array, place: int) -> Any:
    """Return a value in the form that predicates use."""
    value = values[place]
    if pa.types.is_large_string(value.type):
        value = value.cast(pa.string())
    elif pa.types.is_large_binary(value.type):
        value = value.cast(pa.binary())
    return plain_value(value)


def least_and_greatest(column: pa.Array) -> tuple[Any, Any]:
    """Return the smallest and largest values as predicates use them; None without values."""
    both = pc.min_max(column)
    ends = (pa.array([both[end]], column.type) for end in ("min", "max"))
    least, greatest = (value_at(end, 0) for end in ends)
    return least, greatest
