"""Rows deleted from whole tables: which ones, by vectors that each reader understands."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import paimon_ksy as pk
from paimon_ksy.table.delete import DeleteSummary
from paimon_ksy.table.engine import Engine, local_engine
from paimon_ksy.table.store import DataFile, Table
from tools.tables import by_pypaimon, make_table

DELETES = {"deletion-vectors.enabled": "true"}
BITS_64 = {**DELETES, "deletion-vectors.bitmap64": "true"}
STATES = ["NEW", "PAID", None]


def rows(start: int, count: int) -> pa.Table:
    """Rows with these ids, a day of two and a state of three, one of them null."""
    numbers = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "day": pa.array([f"d{i % 2}" for i in numbers]),
            "state": pa.array([STATES[i % 3] for i in numbers]),
        }
    )


def make(
    folder: Path,
    commits: Iterable[pa.Table],
    options: Mapping[str, str] = DELETES,
    partitions: Sequence[str] = (),
) -> str:
    return make_table(folder, "t", commits, options, partition_keys=partitions)


def run(path: str, where: str, engine: Engine | None = None, **given: Any) -> DeleteSummary:
    return pk.delete(path, where, engine=engine or local_engine(1), **given)


def ids(path: str) -> list[int]:
    """The ids of all rows: ours, the other readers' too, and the table is sound."""
    found = sorted(pk.query(Table.at(path), columns=["id"])["id"].to_pylist())
    if "64" not in Table.at(path).options.get("deletion-vectors.bitmap64", "") + path:
        assert sorted(by_pypaimon(path)["id"].to_pylist()) == found
    assert list(pk.audit(path, engine=local_engine(1))) == []
    return found


def files(path: str) -> list[DataFile]:
    """The live data files, as they were written."""
    table = Table.at(path)
    return sorted(table.files(table.snapshot()), key=lambda file: file.min_sequence_number)


def test_rows_are_deleted_by_vectors(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])
    summary = run(path, "id IN (3, 12, 13)")
    assert (summary.snapshot, summary.rows, summary.files, summary.files_changed) == (3, 3, 2, 2)
    assert (summary.vector_files, summary.vector_files_replaced) == (1, 0)
    assert ids(path) == [i for i in range(20) if i not in (3, 12, 13)]
    latest: Any = Table.at(path).snapshot()
    assert latest.commit_kind == "OVERWRITE"  # as of Java's delete
    assert (latest.total_record_count, latest.delta_record_count) == (20, 0)
