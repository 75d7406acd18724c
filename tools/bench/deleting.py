"""Deleting rows, beside those who delete otherwise."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tools.bench.harness import Figure, timed
from tools.bench.orders import INDEXES, PENDING, ROWS, orders
from tools.bench.readers import OURS
from tools.tables import make_table


def measured_deleting(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """The PENDING orders deleted from 20 files: ours with and without an index, pypaimon's delete
    where it has one (data evolution), and pyarrow that writes all files again without them.

    Each turn has the table as it was; opening it is not measured, finding rows and the commit is.
    """
    files = 20
    data = orders(rows, clustered=False)
    size = rows // files

    def made(name: str, options: dict[str, str]) -> str:
        commits = (data.slice(at * size, size) for at in range(files))
        return make_table(folder, name, commits, {"deletion-vectors.enabled": "true", **options})

    plain = made("deleting", {})
    indexed = made("deleting_indexed", {})
    rewrite_index(Table.at(indexed), set=INDEXES, engine=local_engine())
    evolution = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    others = made("deleting_evolution", evolution)
    calls: dict[str, tuple[str, Callable[[str], Callable[[], object]]]] = {
        OURS: (indexed, _delete_by_ours),
        "without index": (plain, _delete_by_ours),
        "pypaimon": (others, _delete_by_pypaimon),
        "rewriting": (plain, _delete_by_pyarrow),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 1):  # the first is not measured
        for name, (path, prepared) in calls.items():
            copy = linked(path, folder)
            call = prepared(copy)
            taken = timed(call)
            if turn:
                times[name].append(taken)
            elif (
                name != "rewriting" and count(Table.at(copy)).count != rows - rows * PENDING // ROWS
            ):
                sys.exit(f"{name} left {count(Table.at(copy)).count} rows")
            shutil.rmtree(copy)
    ours = statistics.median(times[OURS])
    what = f"deleting {rows * PENDING // ROWS:,} of {rows:,} rows in {files} files"
    for name in list(calls)[1:]:
        other = statistics.median(times[name])
        yield Figure(
            f"{what}: {name}",
            f"{other:.0f} ms / {ours:.0f} ms = {other / ours:.1f}",
            "" if name == "without index" else "> 1",
            None if name == "without index" else other > ours,
        )
    for path in (plain, indexed, others):
        shutil.rmtree(path)


def _delete_by_ours(path: str) -> Callable[[], object]:
    table = Table.at(path)
    return lambda: delete(table, "status = 'PENDING'", engine=local_engine())


def _delete_by_pypaimon(path: str) -> Callable[[], object]:
    table = Table.at(path).pypaimon
    predicate = table.new_read_builder().new_predicate_builder().equal("status", "PENDING")

    def call() -> None:
        builder = table.new_batch_write_builder()
        messages = builder.new_update().delete_by_predicate(predicate)
        commit = builder.new_commit()
        commit.commit(messages)
        commit.close()

    return call


def _delete_by_pyarrow(path: str) -> Callable[[], object]:
    """Less than rewriting takes in a table: nothing is committed."""
    files = sorted(Path(path).rglob("data-*.parquet"))

    def call() -> None:
        for file in files:
            kept = pq.read_table(file, filters=pc.field("status") != "PENDING")
            pq.write_table(kept, file.with_suffix(".new"), compression="zstd")

    return call


def linked(path: str, folder: Path) -> str:
    """A copy of a table that may be changed; data files, which never change, are links."""

    def copy(source: str, target: str) -> object:
        if not source.endswith(".parquet"):
            return shutil.copy2(source, target)
        os.link(source, target)
        return target

    target = folder / f"copy-{Path(path).name}" / "default.db" / Path(path).name
    shutil.copytree(path, target, copy_function=copy)
    return str(target)
