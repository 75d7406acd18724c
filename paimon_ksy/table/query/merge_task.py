"""Tasks for data files whose rows pypaimon merges before the predicate is tested."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paimon_ksy.data_files.orc.chars import unpadded
from paimon_ksy.data_files.orc.footers import check_orc
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.model.casts import cast_by_arrow
from paimon_ksy.table.model.columns import arrow_schema
from paimon_ksy.table.model.evolve import file_column
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.file_rows import cast_to
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.query.tasks import Counted, FileTask, Selected, Task
from paimon_ksy.table.store import REMEDY_UNSUPPORTED, MergedFiles
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class MergeTask(Task):
    """A query of data files that pypaimon merges; the predicate applies to the merged rows.

    Attributes:
        section: The files, and why they have to be merged.
        schemas: The schemas that the files were written with.
        merged: The files in the form that pypaimon merges.
        singles: A task for each file alone, to use its index.
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

    def pruned(self) -> tuple[Task | None, Selected]:
        """Return no task if merged rows are rows of the files, and no file has a matching row."""
        if not self.section.keeps_rows or self.predicate is None:
            return self, Selected(Selection("all", False, None, self.num_rows))
        read = 0
        for single in self.singles:
            found = single.select()
            read += found.bytes_read
            if found.selection.kind != "skip":
                return self, Selected(Selection("all", False, None, self.num_rows), read)
        return None, Selected(Selection("skip", True, None, self.num_rows), read)

    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """See `Task.read`."""
        from paimon_ksy.table.query.sort import Best

        wanted = self.arrow_schema
        # Files are read whole, so all their bytes count.
        stats.files.update(file.path for file in self.files)
        stats.bytes_read += self.size
        rows = (cast_to(batch, wanted) for batch in self._matching(self.read_columns))
        if self.top is None:
            yield from rows
            return
        best = Best(self.top, wanted, self.schema.columns)
        for batch in rows:
            best.add(batch)
        yield from best.rows().to_batches()

    def count(self) -> Counted:
        """See `Task.count`."""
        some = self.schema.primary_keys[:1] or self.schema.columns.names[:1]
        count = sum(batch.num_rows for batch in self._matching(some))
        return Counted(count, len(self.files), self.size)

    def _matching(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Return the merged rows that match, at least in these columns."""
        names = tuple(dict.fromkeys((*columns, *self.tested_columns)))
        types = arrow_schema(self.schema.columns, names)
        padded = any(file.format == "orc" for file in self.files)
        for single in self.singles:
            if single.file.format == "orc":
                with single.storage.open(single.file.path) as source:
                    check_orc(source)
        self._check_mergeable(names)
        for batch in self.merged.read(names):
            batch = cast_to(batch, types)
            if padded:
                batch = _unpadded(batch, self.schema.columns)
            if self.predicate is not None:
                batch = batch.filter(mask(self.predicate, batch))
            if batch.num_rows:
                yield batch

    def _check_mergeable(self, names: Sequence[str]) -> None:
        """Raise UnsupportedError if pypaimon merges these columns differently from Paimon."""
        if self.section.would_double_count:
            raised = UnsupportedError(
                f"{self.files[0].path} and {len(self.files) - 1} more: because of "
                "changelog-producer = lookup, some values are aggregated already, and "
                "pypaimon would do it again"
            )
            raised.remedy = "query it with Java, or have Java compact the table fully"
            raise raised
        ordering = map(str.strip, self.schema.options.get("sequence.field", "").split(","))
        needed = {*names, *ordering} & self.schema.ids.keys()
        for schema in self.schemas:
            for name in sorted(needed):
                own, wanted = file_column(self.schema, schema, name), self.schema.columns[name]
                if own is None or cast_by_arrow(own.type, wanted):
                    continue
                file = next(file for file in self.files if file.schema_id == schema.id)
                raised = UnsupportedError(
                    f"column {name!r} was {own.type} and is now {wanted}, and pypaimon would "
                    "not cast it as Paimon does",
                    path=file.path,
                )
                raised.remedy = REMEDY_UNSUPPORTED
                raise raised


def _unpadded(batch: pa.RecordBatch, schema: Schema) -> pa.RecordBatch:
    columns = [
        unpadded(column, schema[name])
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return type(batch).from_arrays(columns, schema=batch.schema)
