"""Tasks for data files whose rows pypaimon merges before the predicate is tested."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.table.formats import ReadRequest, read
from paimon_ksy.table.model.columns import arrow_schema, cast_to
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.sort import Best
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store.merge import MergedFiles
from paimon_ksy.types.timestamps import from_numbers


@dataclass(frozen=True)
class MergeTask(Task):
    """A query of data files that pypaimon merges; the predicate applies to the merged rows.

    `merged` is the files in the form that pypaimon merges, and `singles` a task for each file
    alone, to use its index.
    """

    section: Section
    schemas: tuple[TableSchema, ...] = field(repr=False)
    merged: MergedFiles = field(repr=False)
    singles: tuple[FileTask, ...] = field(repr=False)

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The files that are merged."""
        return self.section.files

    @property
    def reason(self) -> str:
        """The reason why the files have to be merged."""
        return self.section.merge or ""

    def pruned(self, stats: ReadStats) -> MergeTask | None:
        """Return no task if merged rows are rows of the files, and no file has a matching row."""
        if not self.section.keeps_rows or self.predicate is None:
            return self
        return self if any(single.pruned(stats) is not None for single in self.singles) else None

    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """See `Task.read`."""
        schema = self.arrow_schema
        path = f"{self.files[0].path} and {len(self.files) - 1} more"
        rows = (cast_to(batch, schema, path) for batch in self._matching(self.read_columns, stats))
        if self.top is None:
            yield from rows
            return
        best = Best(self.top, schema, self.schema.columns)
        for batch in rows:
            best.add(batch)
        yield from best.rows().to_batches()

    def count(self, stats: ReadStats) -> int:
        """See `Task.count`."""
        some = self.schema.primary_keys[:1] or self.schema.columns.names[:1]
        return sum(batch.num_rows for batch in self._matching(some, stats))

    def _matching(self, columns: Sequence[str], stats: ReadStats) -> Iterator[pa.RecordBatch]:
        """Return the merged rows that match, at least in these columns."""
        if self.section.would_double_count:
            raise UnsupportedError(
                "because of changelog-producer = lookup, some values are aggregated already, and "
                "pypaimon would do it again",
                path=f"{self.files[0].path} and {len(self.files) - 1} more",
                remedy="query it with Java, or have Java compact the table fully",
            )
        # Files are read whole, so all their bytes count.
        stats.files.update(file.path for file in self.files)
        stats.bytes_read += self.size
        names = tuple(dict.fromkeys((*columns, *self.tested_columns)))
        types = arrow_schema(self.schema.columns, names).types
        for merged in self.merged.read(names, self._rows_of):
            arrays = map(from_numbers, map(merged.column, names), types)
            batch = pa.RecordBatch.from_arrays([*arrays], names)
            if self.predicate is not None:
                batch = batch.filter(mask(self.predicate, batch))
            if batch.num_rows:
                yield batch

    def _rows_of(self, file: DataFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Return columns of a file in the schema of the result."""
        [schema] = (schema for schema in self.schemas if schema.id == file.schema_id)
        for batch in read(ReadRequest(self.merged.storage, file, schema, self.schema, columns)):
            yield batch.select(columns)
