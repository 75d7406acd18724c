"""Read the rows of one data file that match a query, in the process that runs its task.

An index selects rows, exactly or as a superset. For a superset, the columns that the predicate
tests are read first, and the other columns only for rows that match.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pyroaring import BitMap, BitMap64

from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.formats.reader import ReadRequest, constant, read
from paimon_ksy.table.model.columns import arrow_schema, cast_to
from paimon_ksy.table.query.index import ROW
from paimon_ksy.types.timestamps import alike

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table.query.tasks import FileTask

_BATCH_ROWS = 1 << 16  # for batches without columns, to which known values are added

_KEPT_BYTES = 64 << 20
"""Maximum bytes of tested columns to keep until the others are read; larger ones are read twice."""


def matching_rows(
    task: FileTask, selection: Selection, stats: ReadStats
) -> Iterator[pa.RecordBatch]:
    """Return the selected rows that match, in the columns and types of the task."""
    wanted = task.arrow_schema
    batches: Iterator[pa.RecordBatch]
    if selection.exact or set(task.read_columns) <= set(task.tested_columns):
        batches = (batch for _, batch in matching(task, selection, task.read_columns, stats))
    else:
        batches = _tested_first(task, selection, stats)
    for batch in batches:
        yield cast_to(batch, wanted, task.file.path)


def matching(
    task: FileTask, selection: Selection, columns: Sequence[str], stats: ReadStats
) -> Iterator[tuple[Any, pa.RecordBatch]]:
    """Return the positions of the rows that match, and the rows, with at least these columns."""
    if selection.kind == "skip":
        return
    test = None if selection.exact else task.predicate
    names = needed_columns(task, columns, selection)
    request = ReadRequest(
        task.storage,
        task.file,
        task.file_schema,
        task.schema,
        names,
        selection.rows,
        keep_dictionaries=test is not None and selection.rows is None,
    )
    positions = _Positions(selection)
    batches = read(request, stats)
    for batch in batches if names else _in_parts(batches):
        at = positions.take(batch.num_rows)
        if test is not None:
            keep = mask(test, batch)
            batch = batch.filter(keep)
            at = at[keep.to_numpy(zero_copy_only=False)]
        elif len(names) < len(columns):
            batch = _with_known_values(task, batch, columns)
        if len(at):
            yield at, batch


def needed_columns(task: FileTask, columns: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """Return the columns to read from the file in order to return these columns."""
    if selection.exact:
        return tuple(name for name in columns if name not in task.known_values)
    return tuple(dict.fromkeys((*columns, *task.tested_columns)))


def order_values(task: FileTask, selection: Selection, top: TopN, stats: ReadStats) -> pa.Table:
    """Return the columns that order, and the positions ROW, of the first rows among those selected.

    This reads only these columns, and those that the predicate tests.
    """
    import pyarrow as pa

    from paimon_ksy.table.query.sort import Best

    columns = arrow_schema(task.schema.columns, top.columns)
    schema = columns.append(pa.field(ROW, pa.int64()))
    best = Best(top, schema, task.schema.columns)
    for at, batch in matching(task, selection, top.columns, stats):
        values = cast_to(batch, columns, task.file.path).columns
        best.add(pa.RecordBatch.from_arrays([*values, pa.array(at, pa.int64())], schema=schema))
    return best.rows()


def first_rows(task: FileTask, selection: Selection, top: TopN, stats: ReadStats) -> Selection:
    """Select the matching rows that come first in the order."""
    if selection.exact and selection.count is not None and selection.count <= top.k:
        return selection
    return rows_at(task, order_values(task, selection, top, stats)[ROW].to_numpy())


def rows_at(task: FileTask, positions: Any) -> Selection:
    """Select the rows at these positions, an array of integers in any order."""
    num_rows = task.file.num_rows
    return Selection.of(bitmap(num_rows, np.sort(positions)), num_rows, True)


def bitmap(num_rows: int, positions: Any = None) -> Any:
    """Return a bitmap of ascending positions in a file of `num_rows` rows; None selects all."""
    if num_rows > 2**32:
        return BitMap64(() if positions is None else positions.tolist())
    # BitMap accepts an array.array ten times faster than a numpy array.
    return BitMap(array("I", b"" if positions is None else positions.astype(np.uint32).tobytes()))


def _tested_first(
    task: FileTask, selection: Selection, stats: ReadStats
) -> Iterator[pa.RecordBatch]:
    """Read the columns that the predicate tests, then the other columns of rows that match."""
    import pyarrow as pa

    num_rows = task.file.num_rows
    found, tested, size = bitmap(num_rows), [], 0
    for at, batch in matching(task, selection, (), stats):
        found |= bitmap(num_rows, at)
        tested.append(batch)
        size += batch.nbytes
        if size > _KEPT_BYTES:
            tested = []
        if task.limit is not None and len(found) >= task.limit:
            break
    if not found:
        return
    again = size > _KEPT_BYTES
    names = [n for n in task.read_columns if again or n not in task.tested_columns]
    kept = None if again else pa.Table.from_batches(alike(tested)).combine_chunks()
    offset = 0
    for _, batch in matching(task, Selection.of(found, num_rows, True), names, stats):
        if kept is not None:
            for name in set(task.read_columns) - set(names):
                [column] = kept[name].slice(offset, batch.num_rows).chunks
                batch = batch.append_column(name, column)
        offset += batch.num_rows
        yield batch


def _with_known_values(
    task: FileTask, batch: pa.RecordBatch, columns: Sequence[str]
) -> pa.RecordBatch:
    """Return these columns of matching rows: those of the batch, and those with known values."""
    import pyarrow as pa

    kinds, count, known = task.schema.columns, batch.num_rows, task.known_values
    arrays = [
        constant(known[name], kinds[name], count) if name in known else batch.column(name)
        for name in columns
    ]
    return pa.RecordBatch.from_arrays(arrays, list(columns))


def _in_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Split batches without columns, of any length, so that they fit in memory with columns."""
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)


class _Positions:
    """The positions of selected rows, part by part."""

    def __init__(self, selection: Selection) -> None:
        self._rows = None
        if selection.rows is not None:
            self._rows = np.asarray(selection.rows.to_array()).astype(np.int64)
        self._at = 0

    def take(self, count: int) -> Any:
        """Return the next `count` positions."""
        start, self._at = self._at, self._at + count
        if self._rows is None:
            return np.arange(start, self._at, dtype=np.int64)
        return self._rows[start : self._at]
