"""Tables from which rows are deleted, and their deletion vectors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.table.delete import delete
from paimon_ksy.table.delete.delete import DeleteSummary
from paimon_ksy.table.engine import Engine, local_engine
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.vector_commit import commit_vectors
from paimon_ksy.table_index.deletion_vector_file import read_vector
from tests.support.newer_tables import EVOLUTION, commit_messages
from tests.support.tables import files
from tools.tables import by_pypaimon, by_rust, make_table

ENABLED = {"deletion-vectors.enabled": "true"}
BITS_64 = {"deletion-vectors.bitmap64": "true"}
BUCKETS = {"bucket": "2", "bucket-key": "id"}
EVOLVES = {**EVOLUTION, "global-index.column-update-action": "IGNORE"}
STATES = ["NEW", "PAID", None]
LOCAL = local_engine(1)


def rows(start: int, count: int) -> pa.Table:
    """Return rows with these ids, a day of two and a state of three, one of them null."""
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
    options: Mapping[str, str] | None = None,
    partitions: Sequence[str] = (),
    **given: Any,
) -> str:
    """Make a table with deletion vectors, a commit for each item; return its path."""
    options = {**ENABLED, **(options or {})}
    return make_table(folder, "t", commits, options, partition_keys=partitions, **given)


def run_delete(
    table: Table | str, where: Any, engine: Engine = LOCAL, **given: Any
) -> DeleteSummary:
    """Delete rows within this process, unless told otherwise."""
    return pk.delete(table, where, engine=engine, **given)


def ids(path: str) -> list[int]:
    """Return the ids of all rows of a sound table, for each reader the same."""
    table = Table.at(path)
    found = sorted(pk.query(table, columns=["id"], engine=LOCAL)["id"].to_pylist())
    every = pk.audit(path, deep=True, engine=LOCAL)
    assert {one.severity for one in every if one.check != "readers"} <= {"note"}
    for read in readers(64 in bits(path).values()):
        data = read(path)
        assert sorted(data["id"].to_pylist() if data.num_rows else []) == found, read
    return found


def readers(bits_64: bool) -> list[Callable[[str], pa.Table]]:
    """Return readers other than ours; pypaimon knows no vectors of 64 bits."""
    return [by_rust] if bits_64 else [by_rust, by_pypaimon]


def but(count: int, *gone: int) -> list[int]:
    """Return the first `count` ids but those that are gone."""
    return [number for number in range(count) if number not in gone]


def vectors(path: str) -> dict[str, pk.DeletionVector]:
    """Return the deletion vector of each data file that has one, by path."""
    table, found = Table.at(path), {}
    for file in files(path):
        if (place := file.deletion_vector) is not None:
            with table.storage.open(place.path) as source:
                found[file.path] = read_vector(source, place.offset, place.length)
    return found


def bits(path: str) -> dict[str, int]:
    """Return the bits of the vector of each data file that has one."""
    return {name: vector.bits for name, vector in vectors(path).items()}


def referred(path: str) -> set[str]:
    """Return the files of vectors that the latest snapshot has."""
    table = Table.at(path)
    files = table.index_manifests.with_vectors(table.snapshot())
    return set(map(table.paths.index_file, files))


def meanwhile(monkeypatch: pytest.MonkeyPatch, *others: Callable[[], object]) -> None:
    """Before the first commits, one of these others is first."""
    left = iter(others)

    def after_others(*given: Any) -> int:
        if (other := next(left, None)) is not None:
            monkeypatch.setattr(delete, "commit_vectors", commit_vectors)
            other()
            monkeypatch.setattr(delete, "commit_vectors", after_others)
        return commit_vectors(*given)

    monkeypatch.setattr(delete, "commit_vectors", after_others)


def update(path: str, ids: Iterable[int], state: str) -> None:
    """Write another state of rows, which with data evolution is in a new file."""
    row_ids = pk.query(path, pk.col("id").is_in(list(ids)), ["_ROW_ID"], engine=LOCAL)["_ROW_ID"]
    data = {"_ROW_ID": row_ids, "state": [state] * len(row_ids)}
    new = Table.at(path).pypaimon.new_batch_write_builder().new_update().with_update_type(["state"])
    commit_messages(path, new.update_by_arrow_with_row_id(pa.table(data)))


def in_groups_of(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    """Have a task of a delete search at most so many data files."""
    monkeypatch.setattr(delete, "_MOST_FILES", files)


def written(path: str) -> set[str]:
    """The files of vectors that are there, referred to or not."""
    found = {str(file) for file in Path(path).rglob("index-*")}
    return {file for file in found if "index-manifest" not in file}
