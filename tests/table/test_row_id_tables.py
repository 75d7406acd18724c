"""Tables with row ids: queries return the rows that they have to have, whatever indexes say."""

import random
from collections.abc import Iterable
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.predicates.tree import Comparison, IsNull, Predicate
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.inspect.diff import diff_snapshots
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import ordered, rows_of
from tests.support.newer_tables import newer_table
from tests.support.row_id_tables import PICTURE, SERIAL, RowIdTable, row_id_table, without_indexes
from tests.support.strategies import leaves, predicates

LOCAL = local_engine(1)
TABLES = 200


def check(made: RowIdTable, schema: Schema, where: Predicate | None) -> None:
    """Compare the rows of a query, and their number, with the maker's."""
    rows, table = made.rows, Table.at(made.path)
    if where is not None:
        data = {name: [row[at] for row in rows] for at, name in enumerate(schema.names)}
        rows = [rows[at] for at in matching_rows(where, data, schema, "UTC", len(rows))]
    assert ordered(rows_of(query(table, where, engine=LOCAL))) == ordered(rows), made.story
    assert count(table, where, engine=LOCAL).count == len(rows), made.story


def other_readers(made: RowIdTable, some: pa.Table, least: int, most: int) -> None:
    """Compare what other tools get: the columns that all tables have, of some rows, then all rows.

    `some` are serials and ids of the rows with an id from `least` to `most`.
    """
    table = pk.Table.at(made.path)
    dataset, lazy = table.to_dataset(), pk.scan_polars(table, columns=["*", "_ROW_ID"])
    assert dataset.schema.names == list(made.columns)
    row_id = pc.field("_ROW_ID")
    for where in ((row_id >= least) & (row_id <= most), row_id.isin(some["_ROW_ID"])):
        assert dataset.to_table(some.schema.names, where).sort_by(SERIAL) == some.sort_by(SERIAL)
        assert dataset.count_rows(where) == some.num_rows
    assert dataset.to_table(filter=row_id + 1 > 0).schema == dataset.schema
    between = lazy.filter(pl.col("_ROW_ID").is_between(least, most)).select(some.schema.names)
    assert_frame_equal(between.collect().sort(SERIAL), pl.DataFrame(some.sort_by(SERIAL)))
    every = lazy.collect().to_arrow().cast(query(table, columns=["*", "_ROW_ID"]).schema)
    assert ordered(rows_of(every.drop_columns("_ROW_ID"))) == ordered(made.rows)
    steps = explain(table, f"_ROW_ID BETWEEN {least} AND {most}", engine=LOCAL)
    assert steps[-2].step == "index" and steps[-3].step == "row ids"
    assert steps[-1].rows_kept == some.num_rows


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
        {file.key: file for file in table.data_files.of(each)}
        for each in (table.snapshot(1), latest)
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


@pytest.mark.parametrize("seed", range(TABLES))
def test_any_predicate(seed: int, tmp_path: Path) -> None:
    made = row_id_table(tmp_path, seed)
    schema = made.schema
    tested = Schema(tuple(column for column in schema if column.name != PICTURE))
    values = {name: [row[schema.names.index(name)] for row in made.rows] for name in tested.names}
    check(made, schema, None)

    @examples(32)
    @given(
        st.sampled_from(list(tested)).flatmap(lambda c: leaves(c.name, c.type, values[c.name]))
        | predicates(tested, values, max_leaves=4)
    )
    def any_predicate(where: Predicate) -> None:
        check(made, schema, where)

    any_predicate()
    if not made.row_ids:
        return
    least, most = sorted(random.Random(seed).choices(made.row_ids, k=2))
    found = query(made.path, f"_ROW_ID BETWEEN {least} AND {most}", [SERIAL, "_ROW_ID"])
    serials = zip(made.columns[SERIAL], made.row_ids, strict=True)
    ids = {serial: number for serial, number in serials if least <= number <= most}
    assert dict(rows_of(found)) == ids
    other_readers(made, found, least, most)
    if made.renamed or made.is_wide:
        return  # pypaimon reads null for a renamed column of a part of the rows' columns
    numbers = [SERIAL, "_ROW_ID", "_SEQUENCE_NUMBER"]
    judged = without_indexes(made.path, numbers)
    assert ordered(rows_of(query(made.path, columns=numbers))) == ordered(rows_of(judged))
    for column in tested:
        if column.type.root == "DOUBLE":  # whose NaN pypaimon compares in another way
            continue
        value = made.columns[column.name][seed % len(made.row_ids)]
        judged = without_indexes(
            made.path,
            where=lambda builder, name=column.name, value=value: (
                builder.is_null(name) if value is None else builder.greater_or_equal(name, value)
            ),
        )
        where = IsNull(column.name) if value is None else Comparison(">=", column.name, value)
        assert ordered(rows_of(query(made.path, where, engine=LOCAL))) == ordered(rows_of(judged))


# Other ways to read -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stale(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose index of names is older than three of its rows' names."""
    return newer_table(tmp_path_factory.mktemp("stale"), "btree_stale")


def test_datasets_and_polars(stale: str) -> None:
    """Each tool gets the rows that were updated after the index, and their ids."""
    dataset, lazy = pk.Table.at(stale).to_dataset(), pk.scan_polars(stale)
    assert dataset.to_table(["id"], pc.field("name") == "new")["id"].to_pylist() == [1, 2]
    assert dataset.count_rows(pc.field("name") == "new") == 2
    assert dataset.count_rows() == 2000
    with duckdb.connect() as connection:
        found = connection.sql("SELECT id FROM dataset WHERE name = 'new' ORDER BY id").fetchall()
    assert found == [(1,), (2,)]
    assert lazy.filter(pl.col("name") == "new").collect()["id"].to_list() == [1, 2]
    assert lazy.select(pl.len()).collect().item() == 2000


def test_advice(stale: str) -> None:
    """Each row counts once, with its newest values."""
    advice = pk.advise(stale, predicates=["name = 'new'", "name IS NULL", "id = 3"])
    assert (advice.files, advice.rows, len(advice.sample), advice.sample_rows) == (4, 2000, 4, 2000)
    assert [round(2000 * asked.rows) for asked in advice.predicates] == [2, 40, 1]
