"""What is asked of the data files of a table, one by one.

A task is a data file, or some that have to be merged, and the question. It can be pickled and knows
all that it takes to answer, anywhere: `pruned` asks the file's index and its deletion vector,
`read` gives the rows, `count` counts them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from pyroaring import BitMap, BitMap64

from paimon_ksy.data_files.orc.chars import unpadded
from paimon_ksy.data_files.orc.footers import check_orc
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Always, And, Comparison, Predicate
from paimon_ksy.table.formats.open_file import Effort
from paimon_ksy.table.formats.reader import constant, opened_ahead, read_rows
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import arrow_schema, columns_of, same_column
from paimon_ksy.table.model.evolve import cast_by_arrow, file_column
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.index import ROW, Indexes, has_many_keys
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.store import REMEDY_UNSUPPORTED, MergedFiles
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table_index.deletion_vector import DeletionVector

# Tasks ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selected:
    """The rows of a data file that may match, and the bytes of index and vector it took to know."""

    selection: Selection
    bytes_read: int = 0


@dataclass(frozen=True)
class Counted:
    """How many rows match, and what was read to know: data files, and bytes of all files."""

    count: int
    files_read: int = 0
    bytes_read: int = 0


@dataclass(frozen=True)
class Matching:
    """The live rows of a data file that match, a bitmap; its deletion vector; the bytes read.

    `vector` is None if the file has none, or no row matches.
    """

    rows: BitMap | BitMap64
    vector: DeletionVector | None
    bytes_read: int


@dataclass(frozen=True)
class Task(ABC):
    """What is asked of one or more data files, and how to answer it. It can be pickled.

    `columns` are those to return, `predicate` is bound to `schema`, which is the one to read in;
    None asks for all rows. With `top` the rows are those that can be among the first, the column
    that orders them among their columns; with `limit` no more than these.
    """

    schema: TableSchema
    columns: tuple[str, ...]
    predicate: Predicate | None
    limit: int | None
    top: TopN | None

    @property
    @abstractmethod
    def files(self) -> tuple[DataFile, ...]:
        """The data files."""

    @property
    def num_rows(self) -> int:
        """Rows of the data files, deleted ones too."""
        return sum(file.num_rows for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of the data files."""
        return sum(file.size for file in self.files)

    @cached_property
    def read_columns(self) -> tuple[str, ...]:
        """The columns to return, and those that order."""
        order = () if self.top is None else self.top.columns
        return tuple(dict.fromkeys((*self.columns, *order)))

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of what `read` returns."""
        return arrow_schema(self.schema.columns, self.read_columns)

    @property
    def known_count(self) -> int | None:
        """How many rows match, if the manifest tells."""
        return None

    @abstractmethod
    def pruned(self) -> tuple[Task | None, Selected]:
        """The task with what its indexes tell, None if they tell that no row matches.

        Raises PaimonKsyError.
        """

    @abstractmethod
    def read(self, effort: Effort | None = None) -> Generator[pa.RecordBatch]:
        """The rows that match. Raises PaimonKsyError.

        `effort` is told what is read, of indexes and deletion vectors too, if that was not told
        before (by `pruned`).
        """

    @abstractmethod
    def count(self) -> Counted:
        """How many rows match. Raises PaimonKsyError."""


@dataclass(frozen=True)
class FileTask(Task):
    """A data file that stands for itself.

    `file_predicate` is the predicate, bound to the file's schema. `selected` is what its index told
    before; `opened` is the file, open, of a task that stays in this process.
    """

    storage: Storage
    file: DataFile
    file_schema: TableSchema
    file_predicate: Predicate | None
    selected: Selected | None = None
    opened: Any = field(default=None, compare=False, repr=False)

    @property
    def files(self) -> tuple[DataFile, ...]:
        return (self.file,)

    @property
    def is_small(self) -> bool:
        """Whether what is done of the file beside decoding it takes a good part of the time."""
        return self.size <= _SMALL_FILE

    @property
    def known_count(self) -> int | None:
        if self.file_predicate is not None and self.file_predicate != Always(True):
            return None
        vector = self.file.deletion_vector
        deleted = 0 if vector is None else vector.cardinality
        return None if deleted is None else self.file.num_rows - deleted

    def select(self) -> Selected:
        """Ask the index and the deletion vector. Raises PaimonKsyError; no damage is passed over.

        No more of a file is read than it takes: nothing of the vector if the index skips the file.
        """
        if self.selected is not None:
            return self.selected
        with self._asking() as indexes:
            return Selected(indexes.select(), indexes.bytes_read)

    @contextmanager
    def _asking(self) -> Iterator[Indexes]:
        """The index and the vector; what is wrong with them is told with the file's name."""
        try:
            with Indexes(self) as indexes:
                yield indexes
        except CorruptFileError as error:
            if error.path in (None, "<bytes>"):
                error.path = f"{self.file.path} (its embedded index)"
            raise
        except PaimonKsyError as error:
            raise _naming(error, self.file) from error

    def pruned(self) -> tuple[Task | None, Selected]:
        found = self.select()
        if found.selection.kind == "skip":
            return None, found
        return replace(self, selected=found), found

    def opened_ahead(self) -> FileTask:
        """The task with its file opened, where that saves time (see `rows.opened_ahead`): of a
        small file of which rows are read at once."""
        if self.selected is None or self.top is not None or not self.is_small:
            return self
        selection = self.selected.selection
        if not (selection.exact or self._is_read_at_once(selection)):
            return self
        names, rows = self._names(self.read_columns, selection), selection.rows
        opened = opened_ahead(self.storage, self.file, self.file_schema, self.schema, names, rows)
        return self if opened is None else replace(self, opened=opened)

    def read(self, effort: Effort | None = None) -> Generator[pa.RecordBatch]:
        effort = Effort() if effort is None else effort
        found = self.select()
        selection = found.selection
        if self.selected is None:
            effort.bytes_read += found.bytes_read
        if selection.kind == "skip" or self.limit == 0:
            return
        if self.top is not None:
            selection = self._first(selection, self.top, effort)
        left = self.limit
        for batch in self._rows(selection, effort):
            if left is not None:
                batch = batch.slice(0, left)
                left -= batch.num_rows
            yield batch
            if left == 0:
                return

    def count(self) -> Counted:
        found = self.select()
        selection = found.selection
        if selection.exact and selection.count is not None:
            return Counted(selection.count, 0, found.bytes_read)
        effort = Effort()
        count = sum(len(rows) for rows, _ in self._matching(selection, (), effort))
        return Counted(count, 1, found.bytes_read + effort.bytes_read)

    def matching(self) -> Matching:
        """Which live rows match: each is tested on the data, also where an index is exact.

        Raises PaimonKsyError; CorruptFileError too if an index calls rows exact that do not match.
        """
        with self._asking() as indexes:
            selection = indexes.select()
            vector = None if selection.kind == "skip" else indexes.vector()
            bytes_read = indexes.bytes_read
        num_rows = self.file.num_rows
        rows = _bitmap(num_rows)
        effort = Effort()
        for at, _ in self._matching(replace(selection, exact=False), (), effort):
            rows |= _bitmap(num_rows, at)
        if selection.exact and len(rows) != selection.count:
            index = self.file.index
            raise CorruptFileError(
                f"it selects {selection.count} rows, but only {len(rows)} of them match: it "
                "is the index of other data",
                path=index if isinstance(index, str) else f"{self.file.path} (its index)",
                remedy="to rebuild it, run `paimon-ksy table rewrite-index TABLE --force`",
            )
        return Matching(rows, vector, bytes_read + effort.bytes_read)

    def needed(self, selection: Selection) -> tuple[str, ...]:
        """The columns that have to be read of selected rows."""
        return self._names(self.read_columns, selection)

    @cached_property
    def _tested(self) -> tuple[str, ...]:
        """The columns that the predicate needs."""
        return () if self.predicate is None else columns_of(self.predicate, self.schema.columns)

    def _rows(self, selection: Selection, effort: Effort) -> Iterator[pa.RecordBatch]:
        """The rows that match, in the columns to return."""
        wanted = self.arrow_schema
        if not selection.exact and not self._is_read_at_once(selection):
            for batch in self._tested_first(selection, effort):
                yield _cast(batch, wanted)
            return
        for _, batch in self._matching(selection, self.read_columns, effort, self.opened):
            yield _cast(batch, wanted)

    def _is_read_at_once(self, selection: Selection) -> bool:
        """Whether the columns that are tested and the others are read together."""
        if set(self.read_columns) <= set(self._tested):
            return True
        if selection.kind != "all" or self.predicate is None or self.size > _SMALL_FILE:
            return False
        return has_many_keys(self.predicate, self.file.num_rows)

    def _names(self, columns: Sequence[str], selection: Selection) -> tuple[str, ...]:
        """What has to be read of selected rows to have these columns."""
        if selection.exact:
            return tuple(name for name in columns if name not in self._equal)
        return tuple(dict.fromkeys((*columns, *self._tested)))

    @cached_property
    def _equal(self) -> dict[str, Any]:
        """Columns of which the predicate has one value only, and these internal values: of rows
        that are known to match they need not be read.

        Only those whose values are stored in one way: there are two zeros, and padded CHARs.
        """
        if self.predicate is None:
            return {}
        parts = self.predicate.children if isinstance(self.predicate, And) else (self.predicate,)
        return {
            part.column: part.value
            for part in parts
            if isinstance(part, Comparison)
            and part.op == "="
            and part.type is not None
            and part.type.root in _ONE_WAY
            and part.column in self.schema.ids  # not a key of a map
            and same_column(self.schema, self.file_schema, part.column) is not None
        }

    def _with_equal(self, batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
        """These columns of rows that are known to match, of which the batch has those read."""
        import pyarrow as pa

        kinds, count = self.schema.columns, batch.num_rows
        arrays = [
            constant(self._equal[name], kinds[name], count)
            if name in self._equal
            else batch.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, list(columns))

    def _matching(
        self, selection: Selection, columns: Sequence[str], effort: Effort, opened: Any = None
    ) -> Iterator[tuple[Any, pa.RecordBatch]]:
        """The positions of rows that match, and the rows, at least of these columns."""
        if selection.kind == "skip":
            return
        test = None if selection.exact else self.predicate
        names = self._names(columns, selection)
        positions = _Positions(selection, self.file.num_rows)
        batches = read_rows(
            self.storage,
            self.file,
            self.file_schema,
            self.schema,
            names,
            selection.rows,
            keep_dictionaries=test is not None and selection.rows is None,
            effort=effort,
            opened=opened,
        )
        for batch in batches if names else _in_parts(batches):
            at = positions.take(batch.num_rows)
            if test is not None:
                keep = mask(test, batch)
                batch = batch.filter(keep)
                at = at[keep.to_numpy(zero_copy_only=False)]
            elif len(names) < len(columns):
                batch = self._with_equal(batch, columns)
            if len(at):
                yield at, batch

    def _tested_first(self, selection: Selection, effort: Effort) -> Iterator[pa.RecordBatch]:
        """The rows that match: first the columns that the predicate needs, of all selected rows,
        then the others of the rows that match."""
        import pyarrow as pa

        num_rows = self.file.num_rows
        found, tested, size = _bitmap(num_rows), [], 0
        for at, batch in self._matching(selection, (), effort):
            found |= _bitmap(num_rows, at)
            tested.append(batch)
            size += batch.nbytes
            if size > _KEPT_BYTES:
                tested = []
            if self.limit is not None and len(found) >= self.limit:
                break
        if not found:
            return
        again = size > _KEPT_BYTES
        names = [n for n in self.read_columns if again or n not in self._tested]
        rows = None if again else pa.Table.from_batches(tested).combine_chunks()
        offset = 0
        for _, batch in self._matching(Selection.of(found, num_rows, True), names, effort):
            if rows is not None:
                for name in set(self.read_columns) - set(names):
                    [column] = rows[name].slice(offset, batch.num_rows).chunks
                    batch = batch.append_column(name, column)
            offset += batch.num_rows
            yield batch

    def ranked(self, effort: Effort) -> pa.Table:
        """Of rows that can be among the first: the column that orders, and ROW, their positions.

        Only this column is read, and what the predicate needs; nothing if the index has the values
        of rows that are known to match. `effort` is told what is read. Raises PaimonKsyError.
        """
        assert self.top is not None
        with self._asking() as indexes:
            selection = indexes.select() if self.selected is None else self.selected.selection
            told = indexes.values(selection, self.top)
            effort.bytes_read += indexes.bytes_read
        return self._ranked(selection, self.top, effort) if told is None else told

    def bounds(self, effort: Effort) -> Bounds | None:
        """Of the column that orders, as the head of its index has them; None if it tells nothing.

        Raises PaimonKsyError.
        """
        with self._asking() as indexes:
            found = indexes.bounds()
            effort.bytes_read += indexes.bytes_read
        return found

    def at_rows(self, rows: Any) -> FileTask:
        """The task to read the rows at these positions, an array of integers."""
        selection = Selection.of(
            _bitmap(self.file.num_rows, np.sort(rows)), self.file.num_rows, True
        )
        columns = self.read_columns
        return replace(self, columns=columns, top=None, limit=None, selected=Selected(selection))

    def _first(self, selection: Selection, top: TopN, effort: Effort) -> Selection:
        """The rows that come first of those that match."""
        if selection.exact and selection.count is not None and selection.count <= top.k:
            return selection
        rows = self._ranked(selection, top, effort)[ROW].to_numpy()
        return Selection.of(_bitmap(self.file.num_rows, np.sort(rows)), self.file.num_rows, True)

    def _ranked(self, selection: Selection, top: TopN, effort: Effort) -> pa.Table:
        import pyarrow as pa

        from paimon_ksy.table.query.sort import Best

        columns = arrow_schema(self.schema.columns, top.columns)
        schema = columns.append(pa.field(ROW, pa.int64()))
        best = Best(top, schema, self.schema.columns)
        for at, batch in self._matching(selection, top.columns, effort):
            values = _cast(batch, columns).columns
            best.add(pa.RecordBatch.from_arrays([*values, pa.array(at, pa.int64())], schema=schema))
        return best.rows()


def _in_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches without columns, which may have any number of rows, as such of no more than fit into
    memory with columns."""
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)


class TasksRows:
    """The rows of some tasks, one after the other; `effort` is what it took until now.

    Files that are open are decoded first, then the rows are made what is asked for: that takes less
    time than in turns, when nothing that it needs is in the processor's caches any more.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.effort = Effort()
        self._rows = self._read(tasks)

    def _read(self, tasks: Sequence[Task]) -> Generator[pa.RecordBatch]:
        files = [task.opened for task in tasks if isinstance(task, FileTask) and task.opened]
        try:
            for file in files:
                file.decode(self.effort)
            for task in tasks:
                yield from task.read(self.effort)
        finally:
            for file in files:
                file.close()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._rows

    def close(self) -> None:
        """As that of `TaskRows`."""
        self._rows.close()


class TaskRows:
    """The rows of a task, batch after batch; `effort` is what it took until now."""

    def __init__(self, task: Task) -> None:
        self.effort = Effort()
        self._rows = task.read(self.effort)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._rows

    def close(self) -> None:
        """Close what is open of a task whose rows are not all wanted."""
        self._rows.close()


_KEPT_BYTES = 64 << 20
"""Of the columns that a predicate needs: kept until the others are read; if more, read again."""


@dataclass(frozen=True)
class MergeTask(Task):
    """Data files that pypaimon merges; what is asked is tested on the rows that it returns.

    `schemas` are those that the files were written with.
    """

    section: Section
    schemas: tuple[TableSchema, ...] = field(repr=False)
    parts: tuple[MergedFiles, ...] = field(repr=False)
    singles: tuple[FileTask, ...] = field(repr=False)

    @property
    def files(self) -> tuple[DataFile, ...]:
        return self.section.files

    @property
    def reason(self) -> str:
        """Why they have to be merged."""
        return self.section.merge or ""

    def pruned(self) -> tuple[Task | None, Selected]:
        """If merged rows are rows of the files, and no file has one that matches: None."""
        if not self.section.keeps_rows or self.predicate is None:
            return self, Selected(Selection("all", False, None, self.num_rows))
        read = 0
        for single in self.singles:
            found = single.select()
            read += found.bytes_read
            if found.selection.kind != "skip":
                return self, Selected(Selection("all", False, None, self.num_rows), read)
        return None, Selected(Selection("skip", True, None, self.num_rows), read)

    def read(self, effort: Effort | None = None) -> Generator[pa.RecordBatch]:
        from paimon_ksy.table.query.sort import Best

        wanted = self.arrow_schema
        if effort is not None and self.limit != 0:
            effort.files.update(file.path for file in self.files)
            effort.bytes_read += self.size
        if self.top is not None:
            best = Best(self.top, wanted, self.schema.columns)
            for batch in self._matching(self.read_columns):
                best.add(batch.select(wanted.names).cast(wanted))
            yield from best.rows().to_batches()
            return
        left = self.limit
        for batch in self._matching(self.read_columns) if left != 0 else ():
            batch = batch.select(wanted.names).cast(wanted)
            if left is not None:
                batch = batch.slice(0, left)
                left -= batch.num_rows
            yield batch
            if left == 0:
                return

    def count(self) -> Counted:
        some = self.schema.primary_keys[:1] or self.schema.columns.names[:1]
        count = sum(batch.num_rows for batch in self._matching(some))
        return Counted(count, len(self.files), self.size)

    def _matching(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Rows that match. A file is read whole, so its bytes all count."""
        tested = () if self.predicate is None else columns_of(self.predicate, self.schema.columns)
        names = tuple(dict.fromkeys((*columns, *tested)))
        types = arrow_schema(self.schema.columns, names)
        padded = any(file.format == "orc" for file in self.files)
        for single in self.singles:
            if single.file.format == "orc":
                with single.storage.open(single.file.path) as source:
                    check_orc(source)
        self._check_mergeable(names)
        for part in self.parts:
            for batch in part.read(names):
                batch = _cast(batch, types)
                if padded:
                    batch = _unpadded(batch, self.schema.columns)
                if self.predicate is not None:
                    batch = batch.filter(mask(self.predicate, batch))
                if batch.num_rows:
                    yield batch

    def _check_mergeable(self, names: Sequence[str]) -> None:
        """Raises UnsupportedError if pypaimon would merge these columns otherwise than Paimon."""
        if self.section.includes:
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


class _Positions:
    """The positions of selected rows, a part after the other."""

    def __init__(self, selection: Selection, num_rows: int) -> None:
        self._rows = None
        if selection.rows is not None:
            self._rows = np.asarray(selection.rows.to_array()).astype(np.int64)
        self._count = num_rows if self._rows is None else len(self._rows)
        self._at = 0

    def take(self, count: int) -> Any:
        """The next `count` of them."""
        start, self._at = self._at, self._at + count
        if self._rows is None:
            return np.arange(start, self._at, dtype=np.int64)
        return self._rows[start : self._at]


_BATCH_ROWS = 1 << 16

_ONE_WAY = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE")
"""Types whose equal values are the same ones."""

_SMALL_FILE = 8 << 20
"""Bytes of a file all of whose columns are read at once where it is likely that rows match."""


def _bitmap(num_rows: int, rows: Any = None) -> Any:
    """A bitmap of ascending positions in a file of so many rows."""
    if num_rows > 2**32:
        return BitMap64(() if rows is None else rows.tolist())
    # An array.array is taken ten times faster than a numpy array.
    return BitMap(array("I", b"" if rows is None else rows.astype(np.uint32).tobytes()))


def _cast(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The columns of a schema, in its types."""
    batch = batch.select(schema.names)
    return batch if batch.schema.equals(schema) else batch.cast(schema)


def _unpadded(batch: pa.RecordBatch, schema: Schema) -> pa.RecordBatch:
    columns = [
        unpadded(column, schema[name])
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return type(batch).from_arrays(columns, schema=batch.schema)


def _naming(error: PaimonKsyError, file: DataFile) -> PaimonKsyError:
    if file.name in str(error):
        return error
    return PaimonKsyError(str(error), path=file.path)
