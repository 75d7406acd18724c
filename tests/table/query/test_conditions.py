"""What a query asks of partitions and files, here and where manifests are read."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paimon_ksy.predicates.tree import Always, Predicate, col
from paimon_ksy.table.query.conditions import Conditions, Keep, folded
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table
from tools.made_manifests import ROWS, table_of_manifests


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder: Path = tmp_path_factory.mktemp("warehouse")
    return Table.at(table_of_manifests(folder, "t", partitions=3, files=4, manifests=1))


def asked(table: Table, where: Any) -> Conditions:
    return Conditions(table, Query(where).bind(table.schema, "UTC"))


def test_the_predicate_within_a_partition(table: Table) -> None:
    both = asked(table, "day = 'd001' AND id = 3")
    assert both.of_partition(("d000",)) == Always(False)
    assert repr(both.of_partition(("d001",))) == repr(asked(table, "id = 3").query.predicate)
    assert asked(table, "day = 'd001'").of_partition(("d001",)) is None
    assert asked(table, None).of_partition(("d001",)) is None
    for name in ("d000", "d001", None):
        found = both.of_partition((name,))
        predicate: Any = both.query.predicate
        assert found == folded(predicate, table.schema, (name,))


def test_a_predicate_of_no_partition_column_is_the_same_in_all(table: Table) -> None:
    of_id = asked(table, "id = 3")
    assert of_id.of_partition(("d000",)) is of_id.of_partition(("d001",)) is of_id.query.predicate


@pytest.mark.parametrize(
    ("names", "kept"),
    [({"day"}, col("day") == "d001"), ({"id"}, col("id") == 3), ({"c00"}, None)],
)
def test_the_parts_that_need_some_columns_alone(
    names: set[str], kept: Predicate | None, table: Table
) -> None:
    found = asked(table, "day = 'd001' AND id = 3 AND (day = 'd002' OR c00 = 1)").only(names)
    assert repr(found) == repr(None if kept is None else asked(table, kept).query.predicate)
    assert asked(table, None).only(names) is None


def test_what_is_kept_of_entries_here_and_elsewhere(table: Table) -> None:
    keep = Keep(asked(table, "day <> 'd001' AND id >= 3000"), leaves_out=False)
    [manifest] = table.manifests.of(table.snapshot())
    for each in (keep, pickle.loads(pickle.dumps(keep))):
        reader = each.conditions.table.manifests
        [(entries, _)] = reader([manifest])
        numbers = reader.partitions.numbers(entries.column("_PARTITION"))
        found = each(entries, numbers, reader.partitions)
        assert (found.total.files, found.hidden, found.note) == (12, 0, None)
        assert (found.in_partitions.files, found.in_buckets.rows) == (8, 8 * ROWS)
        assert found.entries.num_rows == 2
        counting = each.counting(entries, numbers, reader.partitions)
        assert counting.tolist() == np.repeat([True, False, True], 4).tolist()
