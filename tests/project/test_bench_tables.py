"""The measurements on tables: all readers find the same rows, and one that does not is told."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.store import Table
from tools import jvm
from tools.bench import __main__ as main
from tools.bench import building, deleting, planning, row_ids, scale
from tools.bench.harness import bytes_read
from tools.bench.orders import make
from tools.bench.planning import Equal, planned, pypaimon_plan, sql_of
from tools.bench.queries import measure, queries
from tools.bench.readers import OURS, PAIMON, Ours, Polars, Query
from tools.bench.scale import AUDITS, audited_memory
from tools.jvm import MissingToolError
from tools.made_manifests import day_of, table_of_manifests

ROWS = 4000


@pytest.mark.parametrize("deleted", [False, True], ids=["all", "deleted"])
def test_readers_agree(deleted: bool, tmp_path: Path) -> None:
    made = make(tmp_path, ROWS, 2, clustered=False, deleted=deleted)
    for asked in queries(ROWS):
        line = measure(made, asked, rounds=1)
        assert line.times.keys() >= {OURS, *PAIMON}
        assert len(line.times) == (3 if deleted else 6)
        assert line.repeated.keys() == line.times.keys()
        assert line.bytes[OURS] > 0


def test_first_calls_know_no_files(tmp_path: Path) -> None:
    """Otherwise a plan that another call made would be measured as ours."""
    made = make(tmp_path, ROWS, 2, clustered=False, deleted=False)
    asked = next(asked for asked in queries(ROWS) if asked.kind == "count")
    for _ in range(2):
        reader = Ours(made)
        first, again = (bytes_read(partial(reader.answer, asked)) or 0 for _ in range(2))
        assert (
            first
            >= again
            + sum(file.stat().st_size for file in Path(made.path, "manifest").iterdir()) // 2
        )


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure as on a machine that has no Java."""

    def missing() -> str:
        raise MissingToolError("no Java here")

    monkeypatch.setattr(planning, "classpath", missing)
    monkeypatch.setattr(main, "has_java", lambda console: False)


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what has processes of its own in this one, which is sooner."""

    def run_apart(*arguments: str, cores: int | None = None) -> Any:
        return json.loads(json.dumps(main.apart(*arguments)))

    for module in (building, scale):
        monkeypatch.setattr(module, "run_apart", run_apart)


@pytest.mark.usefixtures("in_this_process", "without_java")
def test_many_files_are_measured(tmp_path: Path) -> None:
    figures = list(scale.measured_scale(tmp_path, 1000))
    names = [figure.name for figure in figures]
    assert [name.partition(" ")[0].rstrip(":") for name in names] == (
        ["plan"] * 3 + ["audit", "clean-orphans"] + ["plan"] * 7
    )
    assert all("1,000 files" in name for name in names)
    assert sum("100 partitions" in name for name in names) == 3
    assert sum("50 manifests" in name for name in names) == 3
    assert list(Path(tmp_path, "default.db").iterdir()) == []


@pytest.mark.java
@pytest.mark.library
def test_java_plans_leave_the_same_files(java_tables: jvm.Session, tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "made", partitions=20, files=2)
    plans: list[tuple[Equal, int]] = [({"day": "d007", "id": 3}, 1), ({"id": 3}, 20)]
    for equal, left in plans:
        milliseconds, found = planning._java_plan(java_tables, path, equal, 1)
        assert found == left and milliseconds > 0


def test_a_reader_with_other_rows_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(tmp_path, ROWS, 1, clustered=True, deleted=False)
    answer = Polars.answer

    def one_less(reader: Polars, asked: Query) -> pa.Table | int:
        found = answer(reader, asked)
        return found - 1 if isinstance(found, int) else found.slice(1)

    monkeypatch.setattr(Polars, "answer", one_less)
    for asked in queries(ROWS):
        if asked.name == "absent value":
            continue
        with pytest.raises(SystemExit, match="Polars found"):
            measure(made, asked, rounds=1)


def test_deletes_leave_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(deleting.measured_deleting(tmp_path, ROWS, rounds=1))
    assert [figure.name.rpartition(": ")[2] for figure in found] == [
        "without index",
        "pypaimon",
        "rewriting",
    ]
    monkeypatch.setattr(deleting, "_delete_by_pypaimon", lambda path: lambda: None)
    with pytest.raises(SystemExit, match=f"pypaimon left {ROWS} rows"):
        list(deleting.measured_deleting(tmp_path / "again", ROWS, rounds=1))


def test_row_ids_are_looked_up_and_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The readers find the row, and 100 links to one index are sound."""
    lines = [line.name for line in row_ids.measured_row_ids(tmp_path, 1000, rounds=1)]
    assert len(lines) == 4
    monkeypatch.setattr(row_ids, "query", lambda *_: pa.table({"id": [1]}))
    with pytest.raises(SystemExit, match=r"a look-up of 333 returned \[1\]"):
        list(row_ids.measured_row_ids(tmp_path / "again", 1000, rounds=1))


@pytest.mark.parametrize("partitions", [20, 1001])
def test_plans_of_made_manifests_leave_the_same_files(partitions: int, tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "made", partitions=partitions, files=2, manifests=30)
    plans: list[tuple[Equal, int]] = [
        ({"day": day_of(partitions - 1, partitions), "id": 3}, 1),
        ({"id": 3}, partitions),
    ]
    for equal, left in plans:
        assert planned(path, sql_of(equal))["left"] == left
        assert pypaimon_plan(Table.at(path), equal)() == left


def test_made_vectors_are_those_of_the_first_files_of_each_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.made_manifests._VECTORS", 2)
    path = table_of_manifests(tmp_path, "made", partitions=2, files=5, vectors=3)
    table = Table.at(path)
    found = list(table.data_files.of(table.snapshot()))
    have = [file.deletion_vector is not None for file in found]
    assert have == 2 * (3 * [True] + 2 * [False])
    places = [file.deletion_vector for file in found if file.deletion_vector is not None]
    assert len({place.path for place in places}) == 4
    by_pypaimon = [
        (vector.dv_index_path, vector.offset, vector.length)
        for split in table.pypaimon.new_read_builder().new_scan().plan().splits()
        for vector in split.data_deletion_files
        if vector is not None
    ]
    assert by_pypaimon == [(place.path, place.offset, place.length) for place in places]


@pytest.mark.parametrize("kind", AUDITS)
def test_made_files_exist(kind: str, tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "made", partitions=3, files=4, exist=True)
    assert audited_memory(kind, path)["megabytes"] > 0
    if kind == "audit":
        next(Path(path).rglob("*.parquet")).unlink()
    else:
        orphan = Path(path, "day=d001", "bucket-0", "data-lost-0.parquet.index")
        orphan.write_bytes(b"")
        os.utime(orphan, (0, 0))
    with pytest.raises(SystemExit, match="found"):
        audited_memory(kind, path)
