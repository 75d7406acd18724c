"""What a query leaves out by columns is what it would leave out file by file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.predicates.statistics import may_match
from paimon_ksy.predicates.tree import Always, Predicate, col
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.model.files import DataFile, ManifestFile
from paimon_ksy.table.query.conditions import folded
from paimon_ksy.table.query.plan import Plan, bounds_of, plan_query
from paimon_ksy.table.query.pruning import in_partitions
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import Table
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.strategies import examples, share
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
        patch.setattr("paimon_ksy.table.engine.manifests.ENTRIES_HERE", 0)
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
PREDICATES = st.recursive(
    LEAVES,
    lambda parts: (
        st.tuples(parts, parts).map(lambda two: two[0] & two[1])
        | st.tuples(parts, parts).map(lambda two: two[0] | two[1])
        | parts.map(lambda part: ~part)
    ),
    max_leaves=5,
)


@examples(100)
@given(predicate=PREDICATES, mixed=st.booleans(), whole=st.booleans(), by_engine=st.booleans())
def test_plans_are_those_of_each_file(
    predicate: Predicate, mixed: bool, whole: bool, by_engine: bool, tables: list[Table]
) -> None:
    table, engine = tables[mixed], Elsewhere() if by_engine else None
    planned = plan_query(table, Query(predicate), all_manifests=whole, engine=engine)
    bound: Any = planned.query.predicate
    files = list(table.files(table.snapshot()))
    within = {f.partition: folded(bound, table.schema, f.partition) for f in files}
    in_partition = [f for f in files if within[f.partition] != Always(False)]

    def may(file: DataFile) -> bool:
        return may_match(within[file.partition], bounds_of(file, table.schema))

    assert [file for task in planned.tasks for file in task.files] == list(
        filter(may, in_partition)
    )
    assert planned.sizes.in_partitions == planned.sizes.in_buckets == Size.of(in_partition)
    assert planned.files_total == len(files) == PARTITIONS * FILES
    assert planned.sizes.total in (Size.of(files), None)
    assert planned.sizes.total is not None or not whole


def test_manifests_that_partitions_rule_out_are_not_read(
    tables: list[Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table.at(tables[0].location)
    read: list[str] = []
    columns = table.manifests.columns

    def watched(manifests: Sequence[ManifestFile]) -> Any:
        read.extend(manifest.file_name for manifest in manifests)
        return columns(manifests)

    monkeypatch.setattr(table.manifests, "columns", watched)
    planned = plan_query(table, Query("day = 'd000' AND id = 3"))
    assert len(planned.tasks) == len(read) == 1
    assert (planned.sizes.total, planned.files_total) == (None, PARTITIONS * FILES)
    assert not list(Path(table.location).rglob("*.parquet"))  # nothing else could be read


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


def notes(planned: Plan) -> str | None:
    return None if planned.buckets is None else planned.buckets.note


def plain(task: Task) -> tuple[str, ...]:
    """What a task reads, and what of it."""
    return type(task).__name__, *map(repr, (task.files, task.predicate, task.known_count))


@pytest.mark.parametrize("name", golden_table_names())
def test_tables_of_java_are_planned_alike_by_columns_and_by_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With keys, buckets, vectors, older schemas and each format; also by an engine."""
    monkeypatch.setattr("paimon_ksy.table.engine.manifests.ENTRIES_HERE", 0)
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 1000)
    table = Table.at(golden_table(name, tmp_path))
    predicates = [None, *(case.predicate for case in share(expected(name).cases))]
    few = [plan_query(table, Query(where)) for where in predicates]
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", -1)
    monkeypatch.setattr("paimon_ksy.table.store.data_files._REMEMBERED", BoundedCache(0))
    again = Table.at(table.location)
    latest: Any = again.snapshot()
    assert again.data_files.remembered(latest, again.manifests.of(latest)) is None
    for where, by_files in zip(predicates, few, strict=True):
        by_columns = plan_query(again, Query(where), all_manifests=True)
        assert list(map(plain, by_columns)) == list(map(plain, by_files)), where
        assert by_columns.sizes.total == by_files.sizes.total
        assert by_columns.sizes.in_partitions == by_files.sizes.in_partitions
        assert by_columns.sizes.in_buckets == by_files.sizes.in_buckets
        shorter = plan_query(again, Query(where))
        assert by_columns.files_total == shorter.sizes.files_total
        engine = Elsewhere()
        by_engine = plan_query(again, Query(where), engine=engine)
        assert list(map(plain, by_engine)) == list(map(plain, by_files))
        assert by_engine.sizes == shorter.sizes
        assert notes(by_engine) == notes(shorter)
        assert engine.ran or where is None or not shorter.sizes.in_partitions.files
