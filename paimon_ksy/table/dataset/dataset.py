"""A table as a pyarrow dataset, which DuckDB and pyarrow query.

Such a tool passes its columns and its filter to the dataset, which returns a scanner, and reads the
scanner's batches. The scanner has to apply filters exactly, since DuckDB does not repeat them.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any, NoReturn, TypeAlias

import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.predicates.from_arrow import filter_from_arrow, names_in_arrow
from paimon_ksy.predicates.superset import superset
from paimon_ksy.table.dataset.rows import TableRows
from paimon_ksy.table.query.tasks import limited
from paimon_ksy.types import typed_arrow as pa

Columns: TypeAlias = Sequence[str] | Mapping[str, pc.Expression]
"""Column names, or expressions by the name of their result."""

_BATCH_ROWS = 1 << 17
"""The default of pyarrow."""

_INSTEAD = "a Paimon table has no files that pyarrow can read: use to_table() of the dataset"


def _refusing(name: str) -> Any:
    """Return a method that raises UnsupportedError."""

    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise UnsupportedError(f"{name}: {_INSTEAD}")

    return refuse


class TableDataset(ds.UnionDataset):  # type: ignore[misc]
    """The rows of a table, as `pyarrow.dataset.Dataset`.

    Its rows are those of one snapshot. Each scan skips what partitions, buckets, statistics,
    indexes and deletion vectors exclude. Operations of pyarrow that read files by themselves
    (unions, joins, sorting) raise an error; pass them `to_table()`.

    Scans can name the columns of row tracking, which are not in its schema, as with `__filename`.
    """

    def __init__(self, rows: TableRows, filter: pc.Expression | None = None) -> None:
        """Initialise with rows, and an expression that selects some of them.

        Some operations of pyarrow's C++ code read the files that the base class gets. Without
        files, the process would crash; this one raises an error that contains the remedy.
        """
        schema = rows.query.arrow_schema
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
        *,
        fragment_scan_options: Any = None,
        **more: Any,
    ) -> TableScanner:
        """Return a scanner of the rows for which the filter is true by Arrow's rules.

        Args:
            columns: The columns to return, or expressions by name; None for all columns.
            filter: The filter, in addition to those of `filter()`.
            batch_size: The maximum number of rows in a batch.
            fragment_scan_options: Unsupported.
            more: Other options of pyarrow, which have no effect, since the table's engine decides.

        Raises:
            ArrowInvalid: A column does not exist, or the types in an expression do not fit.
            UnsupportedError: Options of a file format are given.
        """
        if fragment_scan_options is not None:
            raise UnsupportedError("fragment_scan_options apply only to files that pyarrow reads")
        return TableScanner(self._rows, columns, self._both(filter), batch_size)

    def filter(self, expression: pc.Expression) -> TableDataset:
        """Return the dataset of the rows for which the expression is also true."""
        return TableDataset(self._rows, self._both(expression))

    def _both(self, filter: pc.Expression | None) -> pc.Expression | None:
        if filter is None or self._filter is None:
            return self._filter if filter is None else filter
        return self._filter & filter

    replace_schema, sort_by = _refusing("replace_schema"), _refusing("sort_by")
    join, join_asof = _refusing("join"), _refusing("join_asof")
    get_fragments = _refusing("get_fragments")

    def __reduce__(self) -> NoReturn:
        raise UnsupportedError("a dataset cannot be pickled: open the table where it is read")


class TableScanner:
    """Reader of a dataset's rows, with the columns and the filter of one scan.

    It has the methods of pyarrow's Scanner that tools call. That class reads far ahead of its
    consumer; here, closing a reader early leaves the remaining files unread.

    Attributes:
        dataset_schema: The columns of the dataset.
        projected_schema: The columns of the result.
    """

    def __init__(
        self,
        rows: TableRows,
        columns: Columns | None,
        filter: pc.Expression | None,
        batch_size: int,
    ) -> None:
        self.dataset_schema = rows.query.arrow_schema
        self._rows = rows
        self._columns = list(rows.query.columns) if columns is None else columns
        self._batch_size = batch_size
        self._left: pc.Expression | None = filter
        # Arrow checks names and types, and computes the types of expressions.
        checked = self._scanner(pa.RecordBatch.from_pylist([], rows.schema.to_arrow()))
        self.projected_schema: pa.Schema = checked.projected_schema
        self._predicate = None
        if filter is not None:
            predicate = filter_from_arrow(filter, rows.schema)
            self._predicate, exact = superset(predicate, rows.schema)
            if exact:
                self._left = None
        self._names = self._needed()

    def _scanner(self, batch: pa.RecordBatch) -> ds.Scanner:
        """Return Arrow's scanner of a batch, with the columns and the rest of the filter."""
        return ds.Scanner.from_batches(
            [batch],
            schema=batch.schema,
            columns=self._columns,
            filter=self._left,
            use_threads=False,
        )

    def _needed(self) -> tuple[str, ...]:
        """Return the columns to read: at least one, since Arrow needs one to count rows."""
        columns = self._columns
        asked: set[str] | frozenset[str] | None = set()
        expressions = [] if self._left is None else [self._left]
        if isinstance(columns, Mapping):
            expressions += columns.values()
        else:
            asked = set(columns)
        for expression in expressions:
            names = names_in_arrow(expression)
            asked = None if asked is None or names is None else asked | names
        needed = [name for name in self._rows.schema.names if asked is None or name in asked]
        return tuple(needed or self._rows.query.columns[:1])

    def to_batches(self) -> Generator[pa.RecordBatch]:
        """Yield the rows batch by batch, without keeping any in memory.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        return self._batches(None)

    def _batches(self, limit: int | None) -> Generator[pa.RecordBatch]:
        most = limit if self._left is None else None
        with closing(self._rows.batches(self._predicate, self._names, most)) as batches:
            for batch in batches:
                for start in range(0, batch.num_rows, self._batch_size):
                    part = batch.slice(start, self._batch_size)
                    for projected in self._scanner(part).to_batches():
                        if projected.num_rows:
                            yield projected

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a stream of the rows. Raises the errors of `to_batches`."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def to_table(self) -> pa.Table:
        """Return the rows. Raises the errors of `to_batches`."""
        return pa.Table.from_batches(self.to_batches(), self.projected_schema)

    def head(self, num_rows: int) -> pa.Table:
        """Return the first rows, without reading further files."""
        with closing(self._batches(num_rows)) as batches:
            return pa.Table.from_batches(limited(batches, num_rows), self.projected_schema)

    def take(self, indices: Any) -> pa.Table:
        """Return the rows at these positions, in scan order; this reads all rows before them."""
        indices = indices if isinstance(indices, pa.Array) else pa.array(indices, pa.int64())
        last = pc.max(indices).as_py()
        return self.head(0 if last is None else last + 1).take(indices)

    def count_rows(self) -> int:
        """Return the number of rows, from indexes and metadata where these are exact."""
        if self._left is None:
            return self._rows.count(self._predicate)
        with closing(self._batches(None)) as batches:
            return sum(batch.num_rows for batch in batches)
