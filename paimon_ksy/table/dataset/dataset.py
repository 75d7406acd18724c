"""A table as a pyarrow dataset, which DuckDB, DataFusion, Polars and pyarrow query.

Such a tool asks the dataset for a scanner of the columns and with the filter that it has, and reads
the scanner's batches. A filter has to be applied exactly: DuckDB does not apply it again.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NoReturn, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.predicates.from_arrow import filter_from_arrow, names_in_arrow
from paimon_ksy.predicates.superset import superset
from paimon_ksy.table.dataset.rows import Rows
from paimon_ksy.table.query.tasks import limited

Columns: TypeAlias = Sequence[str] | Mapping[str, pc.Expression]
"""Names of columns, or expressions by the name of their result."""

_BATCH_ROWS = 1 << 17
"""pyarrow's own default."""

_INSTEAD = "a Paimon table has no files that pyarrow can read: use to_table() of the dataset"


class TableDataset(ds.UnionDataset):  # type: ignore[misc]
    """The rows of a table, as `pyarrow.dataset.Dataset`.

    Its rows are those of one snapshot. Each scan skips what partitions, buckets, statistics,
    indexes and deletion vectors exclude. Operations of pyarrow that read files by themselves
    (unions, joins, sorting) raise an error; pass them `to_table()`.
    """

    def __init__(self, rows: Rows, filter: pc.Expression | None = None) -> None:
        """Make the dataset of some rows, for which an expression is true.

        pyarrow's C++ code reads what it is initialized with: without it the process would crash
        where it does, and with this it raises an error that has the remedy.
        """
        schema = rows.arrow_schema
        unreadable = ds.FileSystemDataset.from_paths(
            [_INSTEAD], schema=schema, format=ds.IpcFileFormat(), filesystem=LocalFileSystem()
        )
        super().__init__(schema, [unreadable])
        self._rows = rows
        self._filter = filter

    def scanner(
        self,
        columns: Columns | None = None,
        filter: pc.Expression | None = None,
        batch_size: int = _BATCH_ROWS,
        batch_readahead: int | None = None,
        fragment_readahead: int | None = None,
        fragment_scan_options: Any = None,
        use_threads: bool = True,
        memory_pool: Any = None,
        **more: Any,
    ) -> TableScanner:
        """Return a scanner of the rows for which the filter is true by Arrow's rules.

        Args:
            columns: The columns to return, or expressions by name; None for all columns.
            filter: The filter, together with those of `filter()`.
            batch_size: The most rows of a batch.
            batch_readahead: Has no effect, like those below: the table's engine decides it.
            fragment_readahead: See above.
            fragment_scan_options: Unsupported.
            use_threads: See above.
            memory_pool: See above.
            more: Further options of later versions of pyarrow, which have no effect.

        Raises:
            ArrowInvalid: A column does not exist, or the types in an expression do not fit.
            UnsupportedError: Options of a file format are given.
        """
        if fragment_scan_options is not None:
            raise UnsupportedError("fragment_scan_options apply only to files that pyarrow reads")
        return TableScanner(self._rows, columns, self._both(filter), batch_size)

    def filter(self, expression: pc.Expression) -> TableDataset:
        """Return the dataset of the rows for which the expression is true too."""
        return TableDataset(self._rows, self._both(expression))

    def _both(self, filter: pc.Expression | None) -> pc.Expression | None:
        if filter is None or self._filter is None:
            return self._filter if filter is None else filter
        return self._filter & filter

    def get_fragments(self, filter: pc.Expression | None = None) -> Iterator[TableFragment]:
        """Return the dataset as its one fragment: a scan reads several files at once."""
        return iter([TableFragment(self)])

    @property
    def partition_expression(self) -> pc.Expression:
        """True: nothing is known to hold of all rows."""
        return pc.scalar(True)

    @property
    def children(self) -> list[ds.Dataset]:
        """None: the dataset is not made of others."""
        return []

    def replace_schema(self, schema: pa.Schema) -> NoReturn:
        """Raise UnsupportedError."""
        raise UnsupportedError(f"replace_schema: {_INSTEAD}")

    def sort_by(self, sorting: Any, **options: Any) -> NoReturn:
        """Raise UnsupportedError."""
        raise UnsupportedError(f"sort_by: {_INSTEAD}")

    def join(self, right_dataset: Any, keys: Any, *more: Any, **options: Any) -> NoReturn:
        """Raise UnsupportedError."""
        raise UnsupportedError(f"join: {_INSTEAD}")

    def join_asof(self, right_dataset: Any, *more: Any, **options: Any) -> NoReturn:
        """Raise UnsupportedError."""
        raise UnsupportedError(f"join_asof: {_INSTEAD}")

    def __reduce__(self) -> NoReturn:
        raise UnsupportedError("a dataset cannot be pickled: open the table where it is read")


class TableFragment:
    """All of a dataset, as DataFusion asks for it."""

    def __init__(self, dataset: TableDataset) -> None:
        self._dataset = dataset

    @property
    def physical_schema(self) -> pa.Schema:
        """The dataset's schema."""
        return self._dataset.schema

    @property
    def partition_expression(self) -> pc.Expression:
        """See `TableDataset.partition_expression`."""
        return self._dataset.partition_expression

    def scanner(self, schema: pa.Schema | None = None, **options: Any) -> TableScanner:
        """Return a scanner as `TableDataset.scanner` does.

        Raises:
            UnsupportedError: Another schema than the dataset's is given.
        """
        if schema is not None and not schema.equals(self.physical_schema):
            raise UnsupportedError("the schema is the table's: cast the rows of to_table()")
        return self._dataset.scanner(**options)


class TableScanner:
    """Reads the rows of a dataset, in the columns and with the filter of one scan.

    It has the methods of pyarrow's Scanner that tools call. That one would read far ahead of who
    takes its batches; here closing a reader early leaves the other files unread.

    Attributes:
        dataset_schema: The columns that there are.
        projected_schema: The columns that are returned.
    """

    def __init__(
        self, rows: Rows, columns: Columns | None, filter: pc.Expression | None, batch_size: int
    ) -> None:
        self.dataset_schema = rows.arrow_schema
        self._rows = rows
        self._columns = columns
        self._batch_size = batch_size
        self._left: pc.Expression | None = filter
        # Arrow checks names and types, and computes the types of expressions.
        checked = self._scanner(pa.RecordBatch.from_pylist([], self.dataset_schema))
        self.projected_schema: pa.Schema = checked.projected_schema
        self._predicate = None
        if filter is not None:
            found = filter_from_arrow(filter, rows.schema)
            self._predicate, exact = superset(found, rows.schema)
            if exact:
                self._left = None
        self._names = self._needed()

    def _scanner(self, batch: pa.RecordBatch) -> ds.Scanner:
        """Return Arrow's scanner of a batch, with the columns and what is left of the filter."""
        return ds.Scanner.from_batches(
            [batch],
            schema=batch.schema,
            columns=self._columns,
            filter=self._left,
            use_threads=False,
        )

    def _needed(self) -> tuple[str, ...]:
        """Return the columns to read: at least one, for else Arrow would not know of the rows."""
        columns = self._columns
        if columns is None:
            return self._rows.columns
        asked: set[str] | frozenset[str] | None = set()
        expressions = [] if self._left is None else [self._left]
        if isinstance(columns, Mapping):
            expressions += columns.values()
        else:
            asked = set(columns)
        for expression in expressions:
            names = names_in_arrow(expression)
            asked = None if asked is None or names is None else asked | names
        needed = [name for name in self._rows.columns if asked is None or name in asked]
        return tuple(needed or self._rows.columns[:1])

    def to_batches(self) -> Generator[pa.RecordBatch]:
        """Yield the rows, batch after batch; none is kept.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        return self._batches(None)

    def _batches(self, limit: int | None) -> Generator[pa.RecordBatch]:
        most = limit if self._left is None else None
        with closing(self._rows.batches(self._predicate, self._names, most)) as found:
            for batch in found:
                for start in range(0, batch.num_rows, self._batch_size):
                    part = batch.slice(start, self._batch_size)
                    for projected in self._scanner(part).to_batches():
                        if projected.num_rows:
                            yield projected

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a stream of the rows. What it raises is as for `to_batches`."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def to_table(self) -> pa.Table:
        """Return the rows. What it raises is as for `to_batches`."""
        return pa.Table.from_batches(self.to_batches(), self.projected_schema)

    def head(self, num_rows: int) -> pa.Table:
        """Return the first rows, and read no more than these need."""
        with closing(self._batches(num_rows)) as found:
            return pa.Table.from_batches(limited(found, num_rows), self.projected_schema)

    def take(self, indices: Any) -> pa.Table:
        """Return the rows at these places in the order of the scan; all before them are read."""
        indices = indices if isinstance(indices, pa.Array) else pa.array(indices, pa.int64())
        last = pc.max(indices).as_py()
        return self.head(0 if last is None else last + 1).take(indices)

    def count_rows(self) -> int:
        """Return how many rows there are, from indexes and metadata where they are exact."""
        if self._left is None:
            return self._rows.count(self._predicate)
        with closing(self._batches(None)) as found:
            return sum(batch.num_rows for batch in found)
