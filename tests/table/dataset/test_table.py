"""What `pk.Table` hands to other tools, with the arguments of a query."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL, Made
from tools.tables import make_table


@pytest.mark.parametrize("name", ["plain", "vectors", "regions"])
def test_the_rows_of_a_query(made: Mapping[str, Made], name: str) -> None:
    table = pk.Table.at(made[name][0].location)
    where, columns = "status IN ('only 2', 'DONE')", ["id", "amount", "m"]
    wanted = pk.query(table, where, columns, engine=LOCAL)
    reader = table.to_record_batch_reader(where, columns, engine=LOCAL)
    assert reader.schema == wanted.schema
    assert reader.read_all().equals(wanted)
    batches = table.to_batches(where, columns, engine=LOCAL)
    assert pa.Table.from_batches(batches, wanted.schema).equals(wanted)
    assert table.to_pandas(where, columns, engine=LOCAL).equals(wanted.to_pandas())


def test_python_ends_beside_rows_that_are_read_in_part(tmp_path: Path) -> None:
    ids = pa.table({"id": np.arange(1_000_000)})
    path = make_table(tmp_path, "t", [ids] * 3, {})
    script = (
        "import paimon_ksy as pk\n"
        f"table = pk.Table.at({path!r})\n"
        "every = table.to_batches(), iter(table.to_record_batch_reader())\n"
        "print(all(len(next(rows)) > 0 for rows in every))\n"
    )
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    assert (found.stdout, found.stderr) == ("True\n", "")


def test_arguments_of_queries(made: Mapping[str, Made]) -> None:
    table = pk.Table.at(made["embedded"][0].location)
    stats = pk.QueryStats()
    ids = table.to_pandas("id > 4000", ["id"], order_by="id DESC", limit=2, stats=stats)
    assert ids["id"].tolist() == [4089, 4088]
    assert stats.files_read == 1
    stats = pk.QueryStats()
    [batch] = table.to_batches("status = 'only 2'", ["id"], limit=1, stats=stats, engine=LOCAL)
    assert batch.num_rows == 1
    assert (stats.files_read, stats.files_total) == (1, 4)
    with pytest.raises(pk.PredicateError):
        table.to_batches("nope = 1")  # before the first batch
    with pytest.raises(pk.SchemaError):
        table.to_record_batch_reader(columns=["nope"])


def test_it_stays_what_it_is(tmp_path: Path) -> None:
    """Branches and copies have the same methods."""
    path = make_table(tmp_path, "t", [pa.table({"id": [1]}), pa.table({"id": [2]})], {})
    table = pk.Table.at(path)
    assert isinstance(table, Table)
    table.pypaimon.create_tag("first", 1)
    table.pypaimon.branch_manager().create_branch("b", "first")
    assert table.branch("b").to_pandas()["id"].tolist() == [1]
    assert table.with_options({"a": "b"}).to_pandas(tag="first")["id"].tolist() == [1]
    assert pk.Table.at(f"{path}/branch/branch-b").to_dataset().count_rows() == 1


STATISTICS: dict[str, Callable[[pk.Table, pk.QueryStats], Any]] = {
    "query": lambda table, stats: pk.query(table, stats=stats),
    "batches": lambda table, stats: list(table.to_batches(stats=stats)),
    "reader": lambda table, stats: table.to_record_batch_reader(stats=stats).read_all(),
    "pandas": lambda table, stats: table.to_pandas(stats=stats),
    "dataset": lambda table, stats: table.to_dataset(stats=stats).to_table(),
    "polars": lambda table, stats: pk.scan_polars(table, stats=stats).collect(),
}


@pytest.mark.parametrize("reader", STATISTICS)
def test_statistics_of_each_way_to_read(many: Table, reader: str) -> None:
    """Of each query, and of several together."""
    stats, table = pk.QueryStats(), pk.Table.at(many.location)
    for times in (1, 2):
        before = stats.seconds
        STATISTICS[reader](table, stats)
        assert stats.seconds > before
        assert (stats.rows, stats.files_read) == (times * 100_000, 5)
