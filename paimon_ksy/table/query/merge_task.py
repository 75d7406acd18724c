"""Tasks for data files whose rows are merged before the predicate is tested."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import UnsupportedError, naming
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.table.formats import ReadRequest, read
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import cast_to
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.merge import MergeRules
from paimon_ksy.table.query.sort import Best
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store.options import check_references, is_on
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.timestamps import alike

_BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class MergeTask(Task):
    """A query of data files with versions of the same keys; the predicate tests the merged rows.

    `schemas` are those of the files, and `singles` a task for each file alone, to use its index.
    """

    storage: Storage
    section: Section
    schemas: tuple[TableSchema, ...] = field(repr=False)
    singles: tuple[FileTask, ...] = field(repr=False)

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The files that are merged."""
        return self.section.files

    @property
    def reason(self) -> str:
        """The reason why the files have to be merged."""
        return self.section.merge or ""

    @property
    def path(self) -> str:
        """The path that an error names if its data file is unknown."""
        return f"{self.files[0].path} and {len(self.files) - 1} more"

    def pruned(self, stats: ReadStats) -> MergeTask | None:
        """Return no task if merged rows are rows of the files, and no file has a matching row."""
        if not self.section.keeps_rows or self.predicate is None:
            return self
        return self if any(single.pruned(stats) is not None for single in self.singles) else None

    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """See `Task.read`."""
        matching, schema = self._matching(self.read_columns, stats), self.arrow_schema
        rows = (cast_to(batch, schema, self.path) for batch in matching)
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
                "merging would do it again",
                path=self.path,
                remedy="query it with Java, or have Java compact the table fully",
            )
        # Files are read whole, so all their bytes count.
        stats.files.update(file.path for file in self.files)
        stats.bytes_read += self.size
        names = tuple(dict.fromkeys((*columns, *self.tested_columns)))
        check_references(self.schema.options, names)
        with naming(self.path):
            rules = MergeRules.of(self.schema, names)
            rows = [batch for file in self.files for batch in self.live(file, rules.columns)]
            fields = [self.schema.columns.column(name) for name in names]
            merged = rules.merged(pa.Table.from_batches(alike(rows)), fields) if rows else None
        for batch in () if merged is None else merged.to_batches(max_chunksize=_BATCH_ROWS):
            if self.predicate is not None:
                batch = batch.filter(mask(self.predicate, batch))
            if batch.num_rows:
                yield batch

    def live(self, file: DataFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield columns of the rows of a file that no deletion vector deletes, if these count."""
        vector, place, start = None, file.deletion_vector, 0
        if place is not None and is_on(self.schema.options, "deletion-vectors.enabled"):  # as Java
            with self.storage.open(place.path) as source:
                vector = read_vector(source, place.offset, place.length, place.cardinality)
        [schema] = (schema for schema in self.schemas if schema.id == file.schema_id)
        for batch in read(ReadRequest(self.storage, file, schema, self.schema, columns)):
            stop = start + batch.num_rows
            # A vector may have rows that the file does not have: Java ignores them.
            kept = batch if vector is None else batch.filter(~vector.mask(start, stop))
            yield kept.select(columns)
            start = stop
