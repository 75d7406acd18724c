"""Spark: queries beside plain Parquet, a table of many small files, and a job on two cores."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.spark import PaimonTable
from paimon_ksy.spark.data_source import FORMAT, register_format
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.engine.session import session
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tools.bench.harness import Figure, medians, run_apart, timed
from tools.bench.jobs import take_back
from tools.bench.orders import INDEXES, Made, data_files, orders
from tools.tables import make_table

FILES = 40
SMALL_ROWS = 200
"""Rows of each of many small files."""

_BLOOM = {
    "file-index.bitmap.columns": "status,region",
    "file-index.bloom-filter.columns": "user_id",
}
_QUERIES = (
    "status = 'PENDING'",
    "user_id = 4000",
    "user_id = 4001",
    "status = 'PENDING' AND region = 'region-1'",
)


def measured_spark(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """All of Spark, on two cores, without the time that it takes to start."""
    yield from _queried(folder, rows, rounds)
    yield from _many_files(folder, rows // 200, rounds)
    yield from _on_two_cores(folder, rows, rounds)


def _queried(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Rows and counts of six times as many rows as other tables have, all user ids even."""
    size = 6 * rows // FILES
    some, rng = orders(rows, clustered=False), np.random.default_rng(3)
    commits = (
        some.slice(at % 6 * size, size).set_column(
            1, "user_id", pa.array(rng.integers(0, 2 * rows, size) * 2)
        )
        for at in range(FILES)
    )
    path = make_table(folder, "queries", commits)
    items = {"file-index.bloom-filter.user_id.items": str(size)}
    rewrite_index(path, set=_BLOOM | items)
    for asked, times in run_apart("queries-on-spark", path, str(rounds)).items():
        ours, option, parquet, counted, by_parquet = times
        yield Figure(
            f"rows of {asked}: toDF, option where, Parquet",
            f"{ours:.0f} ms, {option:.0f} ms, {parquet:.0f} ms",
            "<= 1.2 option, <= Parquet",
            ours <= 1.2 * option and ours <= parquet,
        )
        yield Figure(
            f"count of {asked}: PaimonTable, Parquet",
            f"{counted:.0f} ms, {by_parquet:.0f} ms",
            "<= Parquet",
            counted <= by_parquet,
        )
    shutil.rmtree(path)


def queries_on_spark(path: str, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each query, by each way to ask it."""
    spark = session("local[2]")
    table = PaimonTable.forPath(spark, path)
    register_format(spark)
    cores = spark.sparkContext.defaultParallelism
    reader = spark.read.format(FORMAT).option("table", path).option("parallelism", cores)
    parquet = spark.read.parquet(*data_files(Made(path, FILES, False, False)))
    times = {}
    for where in _QUERIES:
        frames: list[Callable[[], Any]] = [
            partial(table.toDF, where),
            reader.option("where", where).load,
            partial(parquet.filter, where),
        ]
        calls: list[Callable[[], int]] = [
            *(partial(_collected, frame) for frame in frames),
            partial(table.count, where),
            partial(_counted, frames[-1]),
        ]
        if len(numbers := {call() for call in calls}) > 1:
            sys.exit(f"{where}: they found {sorted(numbers)} rows")
        times[where] = _cold(calls, rounds)
    return times


def _collected(frame: Callable[[], Any]) -> int:
    return len(frame().collect())


def _counted(frame: Callable[[], Any]) -> int:
    return int(frame().count())


def _many_files(folder: Path, files: int, rounds: int) -> Iterator[Figure]:
    """A query of many small files, and a rewrite of their indexes that has nothing to do."""
    days = pa.array([f"d{number // SMALL_ROWS:05}" for number in range(files * SMALL_ROWS)])
    data = orders(files * SMALL_ROWS, clustered=False).append_column("day", days)
    path = make_table(folder, "small", [data], partition_keys=["day"])
    rewrite_index(path, set=INDEXES)
    times = run_apart("small-on-spark", path, str(rounds))
    for asked, (on_spark, here) in times["queries"].items():
        yield Figure(
            f"{asked}, {files:,} small files: Spark, this machine",
            f"{on_spark / 1e3:.2f} s / {here / 1e3:.2f} s = {on_spark / here:.1f}",
            "<= 2",
            on_spark <= 2 * here,
        )
    seconds = times["nothing new"] / 1e3
    yield Figure(
        f"rewrite on Spark, nothing new in {files:,} files",
        f"{seconds:.1f} s",
        "<= 3 s",
        seconds <= 3,
    )
    shutil.rmtree(path)


def small_on_spark(path: str, rounds: int) -> dict[str, Any]:
    """Return the milliseconds of each query by Spark and here, and of a rewrite by Spark."""
    engine = spark_engine(master="local[2]")

    def nothing_new() -> None:
        if (summary := rewrite_index(path, set=INDEXES, engine=engine)).rewritten:
            sys.exit(f"{path}: something was new: {summary}")

    queries = {
        where: _cold([partial(query, path, where, engine=e) for e in (engine, None)], rounds)
        for where in ("status = 'PENDING'", "note > 'z'")
    }
    return {"queries": queries, "nothing new": _cold([nothing_new], rounds)[0]}


def _cold(calls: Iterable[Callable[[], Any]], rounds: int) -> list[float]:
    """Return `medians` with our caches cleared before each call."""

    def cold(call: Callable[[], object]) -> object:
        clear_caches()
        return call()

    return medians([partial(cold, call) for call in calls], rounds)


def _on_two_cores(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Building all indexes of 40 files by Spark on two cores and on one: the job, without starting
    Spark.

    Each file has half as many rows as the other tables, so that there is work for some seconds: of
    little files it is Spark's own time that would be measured.
    """
    data = orders(rows // 2, clustered=False).select(["user_id", "status", "amount"])
    path = make_table(folder, "spark", (data for _ in range(FILES)))
    seconds: dict[str, list[float]] = {"local[1]": [], "local[2]": []}
    for _ in range(2):  # in turn, for other load on the machine comes and goes
        for master in seconds:
            seconds[master] += run_apart("spark", master, path, str(rounds))["seconds"]
    one, two = (statistics.median(seconds[master]) for master in ("local[1]", "local[2]"))
    yield Figure(
        f"Spark on {FILES} files of {rows // 2:,} rows, local[1] to local[2]",
        f"{one:.2f} s / {two:.2f} s = {one / two:.2f}",
        ">= 1.8",
        one / two >= 1.8,
    )
    shutil.rmtree(path)


def built_on_spark(master: str, path: str, rounds: int) -> dict[str, list[float]]:
    """Seconds of each round but the first."""
    engine = spark_engine(master=master)
    before = Table.at(path).snapshot()
    assert before is not None

    def build() -> object:
        return rewrite_index(Table.at(path), set=INDEXES, engine=engine)

    seconds = []
    for _ in range(rounds + 1):
        seconds.append(timed(build) / 1e3)
        take_back(path, before.id)
    return {"seconds": seconds[1:]}
