"""Tables with row ids: queries return the rows that they have to have, whatever indexes say."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.inspect.diff import diff_snapshots
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.store import Table
from tests.support.row_id_tables import row_id_table

LOCAL = local_engine(1)
TABLES = 200


def ids_in(files: Iterable[DataFile]) -> set[int]:
    """The row ids of files."""
    starts = ((file.first_row_id, file.num_rows) for file in files)
    return {first + at for first, count in starts if first is not None for at in range(count)}


@pytest.mark.parametrize("seed", range(TABLES))
def test_each_row_is_counted_once(seed: int, tmp_path: Path) -> None:
    made = row_id_table(tmp_path, seed)
    table = Table.at(made.path)
    latest = table.snapshot()
    first, last = (
        {file.key: file for file in table.files(each)} for each in (table.snapshot(1), latest)
    )
    content = inspect_table(table).content
    assert content is not None and latest is not None
    totals = content.totals
    assert totals.deleted_rows is not None
    assert totals.rows == len(ids_in(last.values()))
    assert totals.rows - totals.deleted_rows == len(made.row_ids)
    assert content.snapshot.total_rows == (None if made.evolves else totals.rows)
    assert explain(table, engine=LOCAL)[0].rows_kept == totals.rows
    diff = diff_snapshots(table, 1, latest.id)
    added, dropped = (
        ids_in(one[key] for key in one.keys() - other.keys())
        for one, other in ((last, first), (first, last))
    )
    assert (diff.added.rows, diff.dropped.rows) == (len(added), len(dropped))
