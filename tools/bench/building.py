"""Building indexes: on one core, and planned for many files."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.index_commit import NewIndex
from tools.bench.harness import Figure, resident_bytes, run_apart, timed
from tools.bench.orders import Made, data_files, orders
from tools.made_manifests import table_of_manifests
from tools.tables import make_table


def measured_building(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Values a second on one core, beside only reading the columns with pyarrow on one."""
    data = orders(rows, clustered=False)
    path = make_table(
        folder, "building", (data.slice(at * rows // 4, rows // 4) for at in range(4))
    )
    made = Made(path, 4, False, False)
    for kind, columns in (
        ("bitmap", ["status"]),
        ("bitmap", ["status", "region"]),
        ("bitmap", ["user_id"]),
        ("range-bitmap", ["amount"]),
    ):
        options = {f"file-index.{kind}.columns": ",".join(columns)}

        def build(options: dict[str, str] = options) -> object:
            return rewrite_index(Table.at(path), set=options, engine=local_engine(1))

        def read(columns: list[str] = columns) -> object:
            return [pq.read_table(f, columns=columns, use_threads=False) for f in data_files(made)]

        build(), read()
        indexes = [index.read_bytes() for index in Path(path).rglob("*.index")]
        size = sum(map(len, indexes)) / 1e6

        def write(indexes: list[bytes] = indexes, target: Path = folder / "written") -> None:
            for data in indexes:
                target.write_bytes(data)
                target.unlink()

        times: list[tuple[float, float, float]] = []
        for _ in range(rounds):
            take_back(path, 4)
            times.append((timed(build), timed(read), timed(write)))
        take_back(path, 4)
        building, reading, writing = map(statistics.median, zip(*times, strict=True))
        speed = rows * len(columns) / building / 1e3
        text = f"{kind} of {' and '.join(columns)}"
        yield Figure(f"{text}: million values/s/core", f"{speed:.1f}", ">= 5", speed >= 5)
        yield Figure(
            f"{text}: time to only reading it",
            f"{building:.0f} ms / {reading:.0f} ms = {building / reading:.1f} "
            f"(only writing its {size:.1f} MB: {writing / reading:.1f})",
            "<= 2",
            building <= 2 * reading,
        )
    shutil.rmtree(path)


def take_back(path: str, snapshot: int) -> None:
    """The table as it was without indexes.

    Else each round would read the manifests of those before it, and take memory that is not yet
    used for the pages of its files.
    """
    Table.at(path).pypaimon.rollback_to(snapshot)
    for index in Path(path).rglob("*.index"):
        index.unlink()


def measured_memory(folder: Path, counts: Sequence[int]) -> Iterator[Figure]:
    """The most memory that planning and committing a rewrite take, for few data files and for
    many, each of which gets another index; what is built in between is up to workers."""
    peaks = []
    for number in counts:
        path = table_of_manifests(folder, f"made_{number}", partitions=number // 100, files=100)
        peaks.append(run_apart("memory", path)["megabytes"])
        shutil.rmtree(path)
    few, many = counts
    yield Figure(
        f"memory of the driver, {few:,} files to {many:,}",
        f"{peaks[0]:.0f} MB / {peaks[1]:.0f} MB",
        "<= 1.5 times",
        peaks[1] <= 1.5 * peaks[0],
    )


class Answered:
    """An engine on which all index files are there already, so that no data file has to be."""

    time_zone = None

    def map(
        self, function: Any, tasks: Iterable[DataFile], **_: Any
    ) -> Iterator[tuple[DataFile, IndexResult]]:
        """Each task, with an index file of a name as it would have."""
        for number, task in enumerate(tasks):
            index = NewIndex(file_name=f"{task.name}-{number:016x}.index")
            yield task, IndexResult("new", index, task.num_rows, (("bitmap", 3),))


def planned_memory(path: str) -> dict[str, float]:
    """The most memory of this process after planning and committing a rewrite of all files."""
    answered: Any = Answered()
    options = {"file-index.bitmap.columns": "c01"}
    summary = rewrite_index(Table.at(path), set=options, engine=answered)
    if summary.snapshot is None or summary.rewritten != summary.files:
        sys.exit(f"not all was committed: {summary}")
    _, peak = resident_bytes()
    return {"megabytes": peak / 1e6}
