"""What a query skips by columns is what it would skip file by file, here and elsewhere."""

import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples, share
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.statistics import may_match, of_one_file
from paimon_ksy.predicates.tree import Always, Predicate, col
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.model.files import DataFile, ManifestFile, TableSchema
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.prune import (
    EntryFilter,
    bounds_of,
    folded,
    in_partitions,
    partition_filter,
)
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.strategies import trees
from tools.made_manifests import ROWS, table_of_manifests

PARTITIONS, FILES = 5, 6


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Table]]:
    """One table whose manifests have a partition each or two, and one in which each has all.

    They count as tables of many files.
    """
    warehouse = tmp_path_factory.mktemp("warehouse")
    made = [
        table_of_manifests(
            warehouse, name, partitions=PARTITIONS, files=FILES, manifests=3, mixed=mixed
        )
        for name, mixed in (("clustered", False), ("mixed", True))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
        patch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
        yield list(map(Table.at, made))


DAYS = st.sampled_from(["d000", "d001", "d004", "d0", "e", None])
IDS = st.integers(-1, FILES * ROWS + 1)
LEAVES = st.one_of(
    DAYS.map(lambda day: col("day") == day),
    DAYS.map(lambda day: col("day") > day),
    st.lists(DAYS, max_size=3).map(lambda days: col("day").is_in(days)),
    IDS.map(lambda row: col("id") == row),
    IDS.map(lambda row: col("id") < row),
    st.lists(IDS, max_size=3).map(lambda ids: col("id").is_not_in(ids)),
    IDS.map(lambda row: col("c00") >= row % 9),
    st.sampled_from(["value-0", "value-000003", "w"]).map(lambda text: col("c01") > text),
    st.just(col("c01").is_null()),
    st.just(col("c01").like("value-00000_")),
)
PREDICATES = trees(LEAVES, 5)


@examples(50)
@given(predicate=PREDICATES, mixed=st.booleans(), whole=st.booleans(), by_engine=st.booleans())
def test_plans_are_those_of_each_file(
    predicate: Predicate, mixed: bool, whole: bool, by_engine: bool, tables: list[Table]
) -> None:
    table, engine = tables[mixed], Elsewhere() if by_engine else None
    planned = plan_query(table, Query(predicate), all_manifests=whole, engine=engine)
    bound: Any = planned.query.predicate
    files = list(table.data_files.of(table.snapshot()))
    within = {f.partition: folded(bound, table.schema, f.partition) for f in files}
    in_partition = [f for f in files if within[f.partition] != Always(False)]

    def may(file: DataFile) -> bool:
        bounds = of_one_file(bounds_of(file, table.schema))
        return bool(may_match(within[file.partition], bounds)[0])

    assert [file for task in planned.tasks for file in task.files] == list(
        filter(may, in_partition)
    )
    assert planned.sizes.in_partitions == planned.sizes.in_buckets == Size.of(in_partition)
    assert planned.files_total == len(files) == PARTITIONS * FILES
    assert planned.sizes.total in (Size.of(files), None)
    assert planned.sizes.total is not None or not whole


def manifest(schema: Any, low: Any, high: Any, nulls: Any = (0,), entries: int = 1) -> ManifestFile:
    types = [field.type for field in schema.partition_schema]
    least, greatest = write_row(low, types), write_row(high, types)
    return ManifestFile("m", 1, entries, 0, 0, (), least, greatest, nulls)


def test_manifests_by_their_bounds(tables: list[Table]) -> None:
    schema = tables[0].schema
    one, two, none, unknown = (
        manifest(schema, ["d001"], ["d002"]),
        manifest(schema, ["d003"], ["d003"]),
        manifest(schema, [None], [None], (1,)),
        manifest(schema, [None], [None], ()),
    )

    def kept(predicate: Predicate) -> list[ManifestFile]:
        bound: Any = Query(predicate).bind(schema, "UTC").predicate
        return in_partitions([one, two, none, unknown], bound, schema)

    assert kept(col("day") == "d002") == [one, unknown]
    assert kept(col("day") >= "d003") == [two, unknown]
    assert kept(col("day").is_null()) == [none, unknown]
    assert kept(col("day").is_in(["d003", "d000"])) == [two, unknown]


def plain(task: Task) -> tuple[str, ...]:
    """What a task reads, and what of it."""
    return type(task).__name__, *map(repr, (task.files, task.predicate, task.known_count))


@pytest.mark.parametrize("name", golden_table_names())
def test_tables_of_java_are_planned_alike_from_the_cache_and_from_manifests(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With keys, buckets, vectors, older schemas and each format; also by an engine."""
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
    table = Table.at(golden_table(name, tmp_path))
    predicates = [None, *(case.predicate for case in share(expected(name).cases)[:6])]
    cached = [plan_query(table, Query(where)) for where in predicates]
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", -1)
    for where, here in zip(predicates, cached, strict=True):
        read = plan_query(table, Query(where), all_manifests=True)
        assert list(map(plain, read)) == list(map(plain, here)), where
        assert read.sizes == here.sizes
        shorter = plan_query(table, Query(where))
        assert read.files_total == shorter.sizes.files_total
        engine = Elsewhere()
        by_engine = plan_query(table, Query(where), engine=engine)
        assert list(map(plain, by_engine)) == list(map(plain, here))
        assert by_engine.sizes == shorter.sizes
        assert by_engine.sizes.bucket_notes == shorter.sizes.bucket_notes
        assert engine.ran or where is None or not shorter.sizes.in_partitions.files


# Conditions ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("warehouse")
    return Table.at(table_of_manifests(folder, "t", partitions=3, files=4, manifests=1))


def filter_of(table: Table, where: Any) -> EntryFilter:
    return EntryFilter(table, Query(where).bind(table.schema, "UTC"))


def test_the_predicate_within_a_partition(table: Table) -> None:
    both = filter_of(table, "day = 'd001' AND id = 3")
    assert both.within(("d000",)) == Always(False)
    assert repr(both.within(("d001",))) == repr(filter_of(table, "id = 3").query.predicate)
    assert filter_of(table, "day = 'd001'").within(("d001",)) is None
    assert filter_of(table, None).within(("d001",)) is None
    of_id = filter_of(table, "id = 3")
    assert of_id.within(("d000",)) is of_id.within(("d001",)) is of_id.query.predicate


@pytest.mark.parametrize(
    ("names", "kept"),
    [({"day"}, col("day") == "d001"), ({"id"}, col("id") == 3), ({"c00"}, None)],
)
def test_the_parts_that_need_some_columns_alone(
    names: set[str], kept: Predicate | None, table: Table
) -> None:
    some = filter_of(table, "day = 'd001' AND id = 3 AND (day = 'd002' OR c00 = 1)")
    wanted = None if kept is None else filter_of(table, kept).query.predicate
    assert repr(some.only(some.query.predicate, names)) == repr(wanted)
    assert some.only(None, names) is None


def test_what_is_kept_of_entries_here_and_elsewhere(table: Table) -> None:
    here = filter_of(table, "day <> 'd001' AND id >= 3000")
    [manifest] = table.manifests.of(table.snapshot())
    for each in (here, pickle.loads(pickle.dumps(here))):
        reader = each.table.manifests
        [(entries, _)] = reader([manifest])
        numbered = entries, reader.partitions.numbers(entries.column("_PARTITION"))
        pruned = each(*numbered, reader.partitions)
        # Hidden, and skipped by partitions, buckets and statistics; and kept.
        sizes = [(size.files, size.rows) for size in pruned.sizes.skipped]
        assert sizes == [(files, files * ROWS) for files in (0, 4, 0, 6, 2)]
        assert (pruned.sizes.bucket_notes, pruned.entries.num_rows) == (None, 2)
        assert pruned.matches.all() and pruned.has_keys.all()
        counting = each.counts(*numbered, reader.partitions)
        assert counting.tolist() == np.repeat([True, False, True], 4).tolist()


# Partitions of jobs -------------------------------------------------------------------------------


def schema(keys: Sequence[str]) -> TableSchema:
    columns = Schema.parse("id BIGINT, region STRING, n INT")
    ids = {name: at for at, name in enumerate(columns.names)}
    return TableSchema(0, columns, ids, tuple(keys), (), {})


PARTITIONED = schema(["n", "region"])  # in another order than the columns
SELECTED = [(1, "EU"), (1, None), (None, "US"), (2, "US")]


@pytest.mark.parametrize(
    ("where", "selected"),
    [
        ("region = 'US'", [False, False, True, True]),
        ("n = 1 AND region <> 'US'", [True, False, False, False]),  # null is not true
        ("region IS NULL OR n = 2", [False, True, False, True]),
        (col("n") > 5, [False] * 4),
        ("NOT (n = 1)", [False, False, False, True]),
    ],
)
def test_partitions_for_which_it_is_true(where: str | Predicate, selected: list[bool]) -> None:
    chosen = partition_filter(PARTITIONED, where, "UTC")
    assert chosen is not None
    for bucket in (0, 7):
        assert [chosen(partition, bucket) for partition in SELECTED] == selected


def test_no_predicate_selects_all() -> None:
    assert partition_filter(PARTITIONED, None, "UTC") is None


@pytest.mark.parametrize(
    ("keys", "where", "says"),
    [
        (["n"], "id = 1", r"can test only partition columns \(n\): "),
        (["n"], "n = 1 OR id = 1", "can test only partition columns"),
        (["n"], "nope = 1", "no column 'nope'"),
        (["n"], "n = 'x'", "can test only partition columns"),
        ([], "n = 1", "the table is not partitioned"),
    ],
)
def test_other_columns_are_refused(keys: list[str], where: str, says: str) -> None:
    with pytest.raises(PredicateError, match=says):
        partition_filter(schema(keys), where, "UTC")
