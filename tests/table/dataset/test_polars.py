"""Polars gets the rows that a table has, and files are skipped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.query_tables import LOCAL, TABLES, Made
from tests.support.tool_filters import polars_filters
from tools.tables import make_table


def frame_of(table: Table) -> pl.DataFrame:
    """All rows of a table that no test changes, by another way."""
    return _frame(table.location)


@cache
def _frame(path: str) -> pl.DataFrame:
    found = pl.from_arrow(query(path, engine=LOCAL))
    assert isinstance(found, pl.DataFrame)
    return found


@pytest.mark.parametrize("name", TABLES)
def test_all_rows(made: Mapping[str, Made], name: str) -> None:
    table, _ = made[name]
    lazy = pk.scan_polars(table, engine=LOCAL)
    everything = frame_of(table)
    assert lazy.collect_schema() == everything.schema
    assert_frame_equal(lazy.collect(), everything)
    assert_frame_equal(lazy.collect(engine="streaming"), everything, check_row_order=False)


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """Java's tables, of all types, with keys and deletion vectors."""
    table, golden = Table.at(golden_table(name, tmp_path)), expected(name)
    for case in golden.cases[::9]:
        stats = pk.QueryStats()
        found = pk.scan_polars(table, case.predicate, stats=stats).collect()
        assert found.height == len(case.rows)
        assert stats.files_read <= case.files


@pytest.mark.parametrize("name", TABLES)
@examples(40)
@given(data=st.data())
def test_any_filter(made: Mapping[str, Made], name: str, data: st.DataObject) -> None:
    """The same rows as Polars' own filter leaves of all of them."""
    table, _ = made[name]
    everything = frame_of(table)
    expression = data.draw(polars_filters(everything.drop("m")))
    try:
        wanted = everything.lazy().filter(expression).collect()
    except pl.exceptions.PolarsError:
        assume(False)
    lazy = pk.scan_polars(table, engine=LOCAL)
    assert_frame_equal(lazy.filter(expression).collect(), wanted)
    first = data.draw(st.integers(0, 100))
    assert_frame_equal(
        lazy.head(first).filter(expression).select("id").collect(),
        everything.lazy().head(first).filter(expression).select("id").collect(),
    )
    assert lazy.filter(expression).select(pl.len()).collect().item() == wanted.height


@pytest.mark.parametrize(
    ("name", "condition", "files"),
    [
        ("plain", pl.col("status") == "PENDING", 4),
        ("statistics", pl.col("id") < 2000, 1),
        ("embedded", pl.col("status") == "only 2", 1),
        ("embedded", pl.col("status").is_in(["only 2", "only 4"]), 2),
        ("embedded", (pl.col("status") == "only 2") & (pl.col("id") % 2 == 0), 1),
        ("embedded", pl.col("status") == "nowhere", 0),
        ("vectors", pl.col("status") == "only 2", 1),
    ],
)
def test_files_are_skipped(
    made: Mapping[str, Made], name: str, condition: pl.Expr, files: int
) -> None:
    table, _ = made[name]
    stats = pk.QueryStats()
    found = pk.scan_polars(table, engine=LOCAL, stats=stats).filter(condition).collect()
    assert_frame_equal(found, frame_of(table).filter(condition))
    assert (stats.files_read, stats.files_total) == (files, 4)


def test_columns_and_first_rows(many: Table) -> None:
    """Only these are read: of 100,000 rows and three columns."""
    stats = pk.QueryStats()
    lazy = pk.scan_polars(many, "amount >= 0", engine=LOCAL, stats=stats)
    assert lazy.select("id").head(3).collect().rows() == [(0,), (1,), (2,)]
    assert stats.files_read == 1
    assert stats.rows == 3
    condition = (pl.col("status") == "PENDING") & (pl.col("id") % 2 == 0)
    stats = pk.QueryStats()
    lazy = pk.scan_polars(many, engine=LOCAL, stats=stats)
    assert lazy.filter(condition).select(pl.col("id").min()).collect().item() == 65_000
    assert (stats.files_read, stats.rows) == (1, 400)


def test_it_keeps_its_snapshot_and_checks_its_arguments(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]}), pa.table({"id": [2]})], {})
    assert pk.scan_polars(path, snapshot_id=1).collect().rows() == [(1,)]
    with pytest.raises(pk.PredicateError, match="no column 'nope'"):
        pk.scan_polars(path, "nope = 1")
    lazy = pk.scan_polars(path)
    for file in Path(path).rglob("*.parquet"):
        file.unlink()
    with pytest.raises(pl.exceptions.ComputeError, match=r"data-.*\.parquet"):
        lazy.collect()
