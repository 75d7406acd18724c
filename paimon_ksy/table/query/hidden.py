"""What the options of a table hide from its readers, in a line for each cause."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from paimon_ksy.errors import counted
from paimon_ksy.table.query.plan import Plan
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import HIDDEN, Size
from paimon_ksy.table.store import Table
from paimon_ksy.types.arrays import to_numpy


def waiting(reading: Reading, live: pa.RecordBatch) -> Size:
    """Return the size of the live files that wait for a compaction, of some manifest entries."""
    names = "_BUCKET", "_LEVEL", "_ROW_COUNT", "_FILE_SIZE"
    bucket, level, *sizes = (to_numpy(live.column(name)) for name in names)
    unseen = ~reading.sees_each(bucket, level)
    return Size(int(unseen.sum()), *(int(size[unseen].sum()) for size in sizes))


def hidden(table: Table, unseen: Size, read: int | None = None) -> Iterator[str]:
    """Yield what queries do not return because of options: `unseen` files, and later snapshots.

    `read` is the id of the snapshot that a query reads; None for any query. Raises PaimonKsyError.
    """
    if unseen.files:
        reading = Reading.of(table.schema)
        places = {"on level 0": reading.hides_new, "in bucket -2": reading.postponed}
        where = " or ".join(place for place, is_hidden in places.items() if is_hidden)
        files = f"{counted(unseen.files, 'file')} ({counted(unseen.rows, 'row')})"
        verb = "waits" if unseen.files == 1 else "wait"
        yield f"{files} {where} {verb} for a compaction, before which queries do not return them"
    number, tag = table.snapshots.selected(table.options)
    if number is None and tag is None:
        return
    selected, latest = table.snapshot(number, tag), table.snapshot()
    if selected and latest and selected.id < latest.id and read in (None, selected.id):
        option = f"scan.snapshot-id = {number}" if tag is None else f"scan.tag-name = {tag}"
        later = f"snapshots after {selected.id}, up to {latest.id}"
        yield f"option {option}: queries return no rows of {later}"


def hidden_from(plan: Plan) -> tuple[str, ...]:
    """Return what a query does not return because of options."""
    state = plan.state
    is_whole = isinstance(plan.groups, tuple)  # of other tables, readers see every file
    size = plan.sizes.skipped[HIDDEN] if is_whole else Size()
    read = None if state.snapshot is None else state.snapshot.id
    return tuple(hidden(state.table, size, read))
