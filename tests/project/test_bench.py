"""The benchmarks: all readers find the same rows, and one that does not ends the run."""

import re
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query as TableQuery
from paimon_ksy.table.store import Table
from tests import ROOT
from tools import jvm
from tools.bench import index as bench
from tools.bench import planning
from tools.bench.harness import warm_up
from tools.bench.orders import make
from tools.bench.planning import Equal, pypaimon_plan, sql_of
from tools.bench.queries import measure, queries
from tools.bench.readers import OURS, PAIMON, Polars, Query
from tools.made_manifests import day_of, table_of_manifests

ROWS = 4000


def test_the_page_has_each_start_that_is_measured() -> None:
    page = (ROOT / "docs" / "explanations" / "speed.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `?([^`|]+?)`? \| [\d,]+ ms \|", page, re.MULTILINE) == [*bench.STARTS]
    effort = bench.Effort(rows=1, rounds=1, seconds=0.01)
    rows = list(bench.measure_start_up(effort))
    assert [row.name for row in rows] == [f"start: {name}" for name in bench.STARTS]
    assert all(row.python > 1 for row in rows)


@pytest.mark.parametrize(
    ("times", "calls"),
    [([5.0] * 99, 20), ([9.0] * 10 + [5.0] * 89, 30), ([0.9**n for n in range(99)], 60)],
    ids=["stable", "once faster", "ever faster"],
)
def test_warming_up_until_times_are_stable(times: list[float], calls: int) -> None:
    rest = iter(times)
    warm_up(lambda: next(rest))
    assert len(times) - len([*rest]) == calls


@pytest.mark.parametrize("deleted", [False, True], ids=["all", "deleted"])
def test_readers_agree(deleted: bool, tmp_path: Path) -> None:
    made = make(tmp_path, ROWS, 2, clustered=False, deleted=deleted)
    for asked in queries(ROWS):
        line = measure(made, asked, rounds=1)
        assert line.times.keys() >= {OURS, *PAIMON}
        assert len(line.times) == (3 if deleted else 6)
        assert line.bytes[OURS] > 0


def test_a_reader_with_other_rows_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(tmp_path, ROWS, 1, clustered=True, deleted=False)
    answer = Polars.answer

    def without_a_row(reader: Polars, asked: Query) -> pa.Table | int:
        found = answer(reader, asked)
        return found - 1 if isinstance(found, int) else found.slice(1)

    monkeypatch.setattr(Polars, "answer", without_a_row)
    for asked in queries(ROWS):
        if asked.name != "absent value":
            with pytest.raises(SystemExit, match="Polars found"):
                measure(made, asked, rounds=1)


@pytest.mark.parametrize("partitions", [20, 1001])
def test_plans_leave_the_same_files(partitions: int, tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "made", partitions=partitions, files=2, manifests=30)
    day: Equal = {"day": day_of(partitions - 1, partitions), "id": 3}
    plans: list[tuple[Equal, int]] = [(day, 1), ({"id": 3}, partitions)]
    for equal, left in plans:
        assert len(plan_query(Table.at(path), TableQuery(sql_of(equal))).tasks) == left
        assert pypaimon_plan(Table.at(path), equal)() == left


@pytest.mark.java
@pytest.mark.library
def test_java_plans_leave_the_same_files(java_tables: jvm.Session, tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "made", partitions=20, files=2)
    plans: list[tuple[Equal, int]] = [({"day": "d007", "id": 3}, 1), ({"id": 3}, 20)]
    for equal, left in plans:
        milliseconds, found = planning._java_plan(java_tables, path, equal, 1)
        assert found == left and milliseconds > 0
