"""The benchmarks: all readers find the same rows, and one that does not ends the run."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query as TableQuery
from paimon_ksy.table.store import Table
from tests import ROOT
from tools import jvm
from tools.bench import __main__ as main
from tools.bench import index as bench
from tools.bench import jobs, planning, row_ids
from tools.bench.orders import make
from tools.bench.planning import Equal, pypaimon_plan, sql_of
from tools.bench.queries import measure, queries
from tools.bench.readers import OURS, PAIMON, Polars, Query
from tools.jvm import MissingToolError
from tools.made_manifests import day_of, table_of_manifests

ROWS = 4000


def test_the_page_has_each_start_that_is_measured() -> None:
    page = (ROOT / "docs" / "explanations" / "speed.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `?([^`|]+?)`? \| [\d,]+ ms \|", page, re.MULTILINE) == [*bench.STARTS]
    effort = bench.Effort(rows=1, rounds=1, seconds=0.01)
    rows = list(bench.measure_start_up(effort))
    assert [row.name for row in rows] == [f"start: {name}" for name in bench.STARTS]
    assert all(row.python > 1 for row in rows)


def test_without_java_the_command_prints_the_figures_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> str:
        raise MissingToolError("no Java here")

    monkeypatch.setattr(jvm, "classpath", missing)
    file = tmp_path / "figures.json"
    options = ["--quick", "--rounds", "1", "--rows", "3000", "--json", str(file)]
    monkeypatch.setattr("sys.argv", ["bench", "index", *options, "--only", "runs of 1,000"])
    assert main.main() == 1
    names = [row["name"] for row in json.loads(file.read_text())]
    assert len(names) == 8 and all("runs of 1,000" in name for name in names)
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)
    assert "not compared with Java: no Java here" in printed


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


def test_deletes_leave_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(list(jobs.measured_deleting(tmp_path, ROWS, rounds=1))) == 3
    monkeypatch.setattr(jobs, "_delete_by_pypaimon", lambda path: lambda: None)
    with pytest.raises(SystemExit, match=f"pypaimon left {ROWS} rows"):
        list(jobs.measured_deleting(tmp_path / "again", ROWS, rounds=1))


def test_row_ids_are_looked_up_and_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The readers find the row, and 100 links to one index are sound."""
    assert len(list(row_ids.measured_row_ids(tmp_path, 1000, rounds=1))) == 4
    monkeypatch.setattr(row_ids, "query", lambda *_: pa.table({"id": [1]}))
    with pytest.raises(SystemExit, match=r"a look-up of 333 returned \[1\]"):
        list(row_ids.measured_row_ids(tmp_path / "again", 1000, rounds=1))


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
