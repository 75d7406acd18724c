"""The measurements on tables: all readers find the same rows, and one that does not is told."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.store import Table
from tools.bench_tables import deleting
from tools.bench_tables.auditing import measured_audit
from tools.bench_tables.building import simulate
from tools.bench_tables.orders import Made, make
from tools.bench_tables.planning import Equal, planned, pypaimon_plan, sql_of
from tools.bench_tables.queries import measure, queries
from tools.bench_tables.readers import OURS, PAIMON, Polars, Query
from tools.bench_tables.scale import AUDITS, audited_memory
from tools.made_manifests import day_of, table_of_manifests

ROWS = 4000


@pytest.mark.parametrize("deleted", [False, True], ids=["all", "deleted"])
def test_readers_agree(deleted: bool, tmp_path: Path) -> None:
    made = make(tmp_path, ROWS, 2, clustered=False, deleted=deleted)
    for asked in queries(ROWS):
        line = measure(made, asked, rounds=1)
        assert line.times.keys() >= {OURS, *PAIMON}
        assert len(line.times) == (3 if deleted else 6)
        assert line.bytes[OURS] > 0


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


def test_simulated_manifests_have_so_many_files(tmp_path: Path) -> None:
    path = simulate(tmp_path, 2500)
    table = Table.at(path)
    assert len({file.name for file in table.files(table.snapshot())}) == 2500
    assert Made(path, 2500, False, False).name == "2500 files"


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


def test_audits_find_no_error(tmp_path: Path) -> None:
    figures = list(measured_audit(tmp_path, ROWS, rounds=1, spark=False))
    assert [figure.target for figure in figures] == ["<= 1.5", "<= 1.5", "<= 2"] * 2


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
    found = list(table.files(table.snapshot()))
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
