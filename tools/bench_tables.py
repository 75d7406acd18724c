"""Measures queries on a whole table, and the building of its indexes, against other readers.

    python -m tools.bench_tables [--quick] [--rounds N] [--only PART ...] [--json FILE]

A table of orders, written by pypaimon as Parquet in 1 file and in 20, with the few PENDING orders
at random or next to each other, without deleted rows and with a tenth of them deleted by vectors;
its indexes built by us. All readers take turns in one process: ours, pypaimon, pypaimon-rust (which
uses the same indexes), pyarrow.dataset, Polars and DuckDB (which read the table's files as they
are, and so cannot leave out what vectors delete). Opening a table, its schema or its list of files
is not measured, planning is. Each reader's rows are compared with ours. A time is the median of the
rounds; bytes are what one call has the system read, where the reader does not map files into
memory.

Then the building of indexes: values a second on one core, the time of only reading the columns,
Spark on two cores and on one, and the memory of the driver; and deleting rows, beside pypaimon's
own delete and writing the files again. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyroaring import BitMap
from rich import box
from rich.console import Console
from rich.table import Table as Grid

from paimon_ksy.bitmap import BitmapReader
from paimon_ksy.file_index import READERS as INDEX_READERS
from paimon_ksy.file_index import FileIndex
from paimon_ksy.schema import Schema
from paimon_ksy.table.advice import Advice
from paimon_ksy.table.advise import advise
from paimon_ksy.table.audit import ERROR, audit
from paimon_ksy.table.delete import delete
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.rewrite import Outcome, rewrite_index
from paimon_ksy.table.scan import count, plan, query
from paimon_ksy.table.store import DataFile, NewIndex, Table
from tools.maven import ROOT
from tools.tables import delete_rows, make_table, rust_context

ROWS = 1_000_000
PENDING = 1_000
USERS = 100_000
INDEXES = {
    "file-index.bitmap.columns": "status,user_id",
    "file-index.range-bitmap.columns": "amount",
}
OURS = "paimon-ksy"


# The table --------------------------------------------------------------------------------------


def orders(rows: int, *, clustered: bool) -> pa.Table:
    """The orders; one in a thousand is PENDING."""
    rng = np.random.default_rng(5)
    status = rng.integers(0, 3, rows).astype(np.int8)
    pending = rows * PENDING // ROWS
    if clustered:
        status[rows // 2 : rows // 2 + pending] = 3
    else:
        status[rng.choice(rows, pending, replace=False)] = 3
    states = pa.array(["COMPLETED", "SHIPPED", "CANCELLED", "PENDING"])
    regions = pa.array([f"region-{number}" for number in range(8)])
    noise = rng.integers(0, 2**62, (rows, 4))
    notes = [f"note {a:015x} {b:015x} {c:015x} {d:06x}"[:60] for a, b, c, d in noise.tolist()]
    start = 1_735_689_600_000_000
    amounts = pa.array(rng.integers(100, 10_000_000, rows)).cast(pa.decimal128(19, 0))
    hundredth = pa.scalar(100, pa.decimal128(3, 0))
    return pa.table(
        {
            "order_id": pa.array(np.arange(rows)),
            "user_id": pa.array(rng.integers(0, rows * USERS // ROWS, rows), pa.int32()),
            "status": states.take(pa.array(status)),
            "amount": pc.divide(amounts.cast(pa.decimal128(19, 2)), hundredth).cast(
                pa.decimal128(10, 2)
            ),
            "ts": pa.array(start + np.arange(rows) * 1_000_000, pa.timestamp("us")),
            "region": regions.take(pa.array(rng.integers(0, 8, rows))),
            "note": pa.array(notes),
        }
    )


@dataclass(frozen=True)
class Made:
    """A table that is measured."""

    path: str
    files: int
    clustered: bool
    deleted: bool

    @property
    def name(self) -> str:
        what = "1 file" if self.files == 1 else f"{self.files} files"
        return what + (", clustered" if self.clustered else "") + (", 10 % deleted" * self.deleted)


def make(folder: Path, rows: int, files: int, *, clustered: bool, deleted: bool) -> Made:
    """Write the table, delete a tenth of its rows if wanted, and build its indexes."""
    data = orders(rows, clustered=clustered)
    size = rows // files
    name = f"orders_{files}_{'clustered' if clustered else 'random'}{'_deleted' * deleted}"
    commits = (data.slice(at * size, size) for at in range(files))
    path = make_table(folder, name, commits, {"deletion-vectors.enabled": str(deleted).lower()})
    if deleted:
        table = Table.at(path)
        rng = np.random.default_rng(6)
        gone = {
            file.name: np.sort(rng.choice(size, size // 10, replace=False))
            for file in table.files(table.snapshot())
        }
        delete_rows(path, gone)
    rewrite_index(Table.at(path), set=INDEXES, engine=local_engine())
    return Made(path, files, clustered, deleted)


# Queries and readers ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Query:
    """Rows (or their count) where a column has one of the values; or the ten largest amounts."""

    name: str
    column: str
    values: tuple[Any, ...]
    kind: str = "rows"  # or count, top

    @property
    def sql(self) -> str:
        """The condition, empty if all rows are wanted."""
        if not self.values:
            return ""
        if len(self.values) == 1:
            return f"{self.column} = {self.values[0]!r}"
        return f"{self.column} IN ({', '.join(map(repr, self.values))})"


TOP = 10


class Reader(ABC):
    """One way to read a table. `sees_vectors` tells whether deleted rows are left out."""

    name = ""
    sees_vectors = False
    measures_bytes = True

    @abstractmethod
    def __init__(self, made: Made) -> None: ...

    @abstractmethod
    def answer(self, asked: Query) -> pa.Table | int:
        """The rows as Arrow, or the count."""


class Ours(Reader):
    name = OURS
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        self.opened = Table.at(made.path).pypaimon

    def answer(self, asked: Query) -> pa.Table | int:
        table = Table(self.opened)  # which knows no files yet: planning is measured
        if asked.kind == "top":
            return query(table, order_by="amount DESC", limit=TOP)
        if asked.kind == "count":
            return count(table, asked.sql).count
        return query(table, asked.sql)


class PyPaimon(Reader):
    name = "pypaimon"
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        self.table = Table.at(made.path).pypaimon

    def answer(self, asked: Query) -> pa.Table | int:
        builder = self.table.new_read_builder()
        if asked.kind != "top":
            predicates = builder.new_predicate_builder()
            if len(asked.values) == 1:
                builder = builder.with_filter(predicates.equal(asked.column, asked.values[0]))
            else:
                builder = builder.with_filter(predicates.is_in(asked.column, list(asked.values)))
        if asked.kind == "count":
            builder = builder.with_projection([asked.column])
        found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        return largest(found) if asked.kind == "top" else counted(found, asked)


class Rust(Reader):
    name = "pypaimon-rust"
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        self.context = rust_context(made.path)
        self.table = f"p.default.{Path(made.path).name}"

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            sql = f"SELECT * FROM {self.table} ORDER BY amount DESC LIMIT {TOP}"
            return pa.Table.from_batches(self.context.sql(sql))
        if asked.kind == "count":
            sql = f"SELECT count(*) FROM {self.table} WHERE {asked.sql}"
            return int(pa.Table.from_batches(self.context.sql(sql))[0][0].as_py())
        found = self.context.sql(f"SELECT * FROM {self.table} WHERE {asked.sql}")
        return pa.Table.from_batches(found) if found else pa.table({})


class ArrowDataset(Reader):
    name = "pyarrow.dataset"

    def __init__(self, made: Made) -> None:
        self.dataset = ds.dataset(data_files(made), format="parquet")

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            return largest(self.dataset.to_table())
        condition = pc.field(asked.column).isin(list(asked.values))
        if len(asked.values) == 1:
            condition = pc.field(asked.column) == asked.values[0]
        if asked.kind == "count":
            return int(self.dataset.count_rows(filter=condition))
        return self.dataset.to_table(filter=condition)


class Polars(Reader):
    name = "Polars"
    measures_bytes = False  # maps files into memory

    def __init__(self, made: Made) -> None:
        self.files = data_files(made)

    def answer(self, asked: Query) -> pa.Table | int:
        import polars as pl

        rows = pl.scan_parquet(self.files)
        if asked.kind == "top":
            return rows.top_k(TOP, by="amount").collect().to_arrow()
        if len(asked.values) == 1:
            rows = rows.filter(pl.col(asked.column) == asked.values[0])
        else:
            rows = rows.filter(pl.col(asked.column).is_in(list(asked.values)))
        if asked.kind == "count":
            return int(rows.select(pl.len()).collect().item())
        return rows.collect().to_arrow()


class DuckDB(Reader):
    name = "DuckDB"

    def __init__(self, made: Made) -> None:
        import duckdb

        self.connection = duckdb.connect()
        # Its own cache of file contents would leave nothing to read.
        self.connection.execute("SET enable_external_file_cache = false")
        self.rows = f"read_parquet({data_files(made)!r})"

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            return self._arrow(f"SELECT * FROM {self.rows} ORDER BY amount DESC LIMIT {TOP}")
        if asked.kind == "count":
            found = self._arrow(f"SELECT count(*) FROM {self.rows} WHERE {asked.sql}")
            return int(found[0][0].as_py())
        return self._arrow(f"SELECT * FROM {self.rows} WHERE {asked.sql}")

    def _arrow(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).to_arrow_table()


READERS: list[type[Reader]] = [Ours, PyPaimon, Rust, ArrowDataset, Polars, DuckDB]
PAIMON = {"pypaimon", "pypaimon-rust"}


def data_files(made: Made) -> list[str]:
    """The table's Parquet files."""
    return sorted(map(str, Path(made.path).rglob("data-*.parquet")))


def largest(rows: pa.Table) -> pa.Table:
    """The rows of the largest amounts, in their order."""
    return rows.take(pc.select_k_unstable(rows, k=TOP, sort_keys=[("amount", "descending")]))


def counted(found: pa.Table, asked: Query) -> pa.Table | int:
    return int(found.num_rows) if asked.kind == "count" else found


def essence(answer: pa.Table | int, asked: Query) -> object:
    """What has to be the same for all readers."""
    if isinstance(answer, int):
        return answer
    if asked.kind == "top":
        return answer["amount"].cast(pa.string()).to_pylist()  # orders of equal amounts may differ
    if answer.num_rows == 0:
        return (0, 0)
    return answer.num_rows, pc.sum(answer["order_id"]).as_py()


# Measuring --------------------------------------------------------------------------------------


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that one call takes."""
    gc.collect()
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def bytes_read(call: Callable[[], object]) -> int | None:
    """Bytes that the process has the system read in one call; None where it does not tell."""

    def so_far() -> int:
        text = Path("/proc/self/io").read_text()
        return int(text.partition("rchar: ")[2].partition("\n")[0])

    try:
        start = so_far()
        overhead = so_far() - start
        start = so_far()
        call()
        return max(0, so_far() - start - overhead)
    except OSError:
        return None


@dataclass(frozen=True)
class Line:
    """One query on one table: by reader the milliseconds and the bytes; what had to be reached."""

    table: str
    query: str
    times: dict[str, float]
    bytes: dict[str, int]
    target: str
    met: bool


def measure(made: Made, asked: Query, rounds: int) -> Line:
    """All readers that can answer, in turn. Raises SystemExit if one has other rows than we."""
    readers = [kind(made) for kind in READERS if kind.sees_vectors or not made.deleted]
    calls = {reader.name: partial(reader.answer, asked) for reader in readers}
    wanted = essence(calls[OURS](), asked)
    for name, call in calls.items():  # the first calls, which are not measured
        if (found := essence(call(), asked)) != wanted:
            sys.exit(f"{made.name}, {asked.name}: {name} found {found}, {OURS} {wanted}")
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timed(call))
    read = {
        reader.name: found
        for reader in readers
        if reader.measures_bytes and (found := bytes_read(calls[reader.name])) is not None
    }
    medians = {name: statistics.median(found) for name, found in times.items()}
    planning = bytes_read(partial(plan, Table(Table.at(made.path).pypaimon), asked.sql or None))
    of_index = (read.get(OURS, 0) - (planning or 0)) / made.files
    target, met = judge(made, asked, medians, of_index)
    return Line(made.name, asked.name, medians, read, target, met)


def judge(made: Made, asked: Query, times: dict[str, float], of_index: float) -> tuple[str, bool]:
    """What is to be reached, and whether it was.

    `of_index` are the bytes that we read for each data file, beside those of the manifests.
    """
    others = {name: found for name, found in times.items() if name != OURS}
    beaten = {name for name, found in others.items() if times[OURS] < found}
    everybody = asked.kind in ("count", "top") or made.clustered or asked.name == "absent value"
    if everybody:
        met = beaten == set(others)
        if asked.name == "absent value":
            text = f"first; < 10 kB of index a file: {of_index / 1000:.1f}"
            return text, met and of_index < 10_000
        return "first", met
    wanted = others.keys() & {*PAIMON, ArrowDataset.name}
    text = "before Paimon's" + " and pyarrow" * (ArrowDataset.name in others)
    return text, wanted <= beaten


def queries(rows: int) -> list[Query]:
    """The queries of each table."""
    users = np.random.default_rng(7).choice(rows * USERS // ROWS, min(1000, rows // 1000), False)
    return [
        Query("status = 'PENDING'", "status", ("PENDING",)),
        Query("absent value", "status", ("LOST",)),
        Query("count(*) of PENDING", "status", ("PENDING",), "count"),
        Query("10 largest amounts", "amount", (), "top"),
        Query(f"IN of {len(users):,} user_ids", "user_id", tuple(sorted(users.tolist()))),
    ]


def measured_queries(folder: Path, rows: int, rounds: int) -> Iterator[Line]:
    """Table after table, each removed when it was measured."""
    for files in (1, 20):
        for clustered, deleted in ((False, False), (True, False), (False, True), (True, True)):
            made = make(folder, rows, files, clustered=clustered, deleted=deleted)
            for asked in queries(rows)[: 1 if clustered else None]:
                yield measure(made, asked, rounds)
            shutil.rmtree(made.path)


# Building indexes -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """One figure of building, beside what it is to be."""

    name: str
    value: str
    target: str
    met: bool | None  # None: no target


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


def measured_audit(folder: Path, rows: int, rounds: int, *, spark: bool) -> Iterator[Figure]:
    """Audits beside what has to be done at least, on the same cores, one of each in turn.

    With the data: reading the columns that are indexed, by pyarrow, which is told the files, in one
    run; by pypaimon, which finds them in the manifests, as an audit has to; and on Spark, by Spark.
    Without them: reading the bytes of the indexes, and having pyroaring load each bitmap in them.
    """
    for files in (1, 20):
        made = make(folder, rows, files, clustered=False, deleted=False)
        found = Table.at(made.path)
        names = [name for kind in INDEXES.values() for name in kind.split(",")]
        dataset = ds.dataset(data_files(made), format="parquet")
        indexes = sorted(Path(made.path).rglob("*.index"))
        bitmaps = [bitmap for file in found.files(found.snapshot()) for bitmap in stored(file)]
        size = sum(path.stat().st_size for path in indexes) / 1e6

        def look(deep: bool, path: str = made.path) -> None:
            found = audit(Table.at(path), deep=deep, engine=local_engine())
            if any(finding.severity == ERROR for finding in found):
                sys.exit(f"{path}: an audit found an error")

        def load(paths: Sequence[Path] = indexes, bitmaps: Sequence[bytes] = bitmaps) -> None:
            for path in paths:
                path.read_bytes()
            for bitmap in bitmaps:
                BitMap.deserialize(bitmap)

        def read(dataset: Any = dataset, names: Sequence[str] = names) -> None:
            dataset.to_table(columns=names)

        def read_table(path: str = made.path, names: list[str] = names) -> None:
            builder = Table.at(path).pypaimon.new_read_builder().with_projection(names)
            builder.new_read().to_arrow(builder.new_scan().plan().splits())

        calls: list[Callable[[], object]] = [
            partial(look, True),
            read,
            read_table,
            partial(look, False),
            load,
        ]
        for call in calls:
            call()
        times = [[timed(call) for call in calls] for _ in range(rounds)]
        deep, reading, by_pypaimon, shallow, loading = map(
            statistics.median, zip(*times, strict=True)
        )
        yield deep_audit(f"{made.name}: time to only reading the indexed columns", deep, reading)
        yield deep_audit(f"{made.name}: to pypaimon reading them", deep, by_pypaimon)
        if spark:
            found_on_spark = run_apart("audit", made.path, str(rounds))
            deep, reading = (statistics.median(found_on_spark[what]) for what in ("deep", "read"))
            yield deep_audit(f"{made.name}, on Spark: to Spark reading them", deep, reading)
        yield Figure(
            f"audit, {made.name}: {size:.0f} MB of indexes, time to only loading them",
            f"{shallow:.0f} ms / {loading:.0f} ms = {shallow / loading:.1f}",
            "<= 2",
            shallow <= 2 * loading,
        )
        shutil.rmtree(made.path)


def deep_audit(what: str, milliseconds: float, reading: float) -> Figure:
    return Figure(
        f"audit --deep, {what}",
        f"{milliseconds:.0f} ms / {reading:.0f} ms = {milliseconds / reading:.1f}",
        "<= 1.5",
        milliseconds <= 1.5 * reading,
    )


def measured_advice(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Advice on a table without indexes, its PENDING orders next to each other: with typical
    predicates, of which one asks for them, and with given ones."""
    data = orders(rows, clustered=True)
    given = ["status = 'PENDING'", "user_id = 4711", "order_id BETWEEN 5000 AND 6000"]
    most = 10.0 * rows / ROWS
    for files in (1, 20):
        size = rows // files
        parts = (data.slice(at * size, size) for at in range(files))
        path = make_table(folder, f"advice_{files}", parts)
        for what, asked in {"typical": None, "given": given}.items():
            made: list[Advice] = []

            def look(asked: Any = asked, path: str = path, made: list[Advice] = made) -> None:
                made.append(advise(Table.at(path), predicates=asked, engine=local_engine()))

            look()
            seconds = statistics.median(timed(look) for _ in range(min(rounds, 3))) / 1e3
            advised = [f"{kind} of {c.name}" for c in made[0].columns for kind in c.advised]
            yield Figure(
                f"advice, {files} file{'s' * (files > 1)}, {what} predicates: "
                f"{made[0].sample_rows:,} rows looked at, {', '.join(advised)}",
                f"{seconds:.1f} s",
                f"<= {most:.0f} s",
                seconds <= most,
            )
        shutil.rmtree(path)


def stored(file: DataFile) -> Iterator[bytes]:
    """The bitmaps in the indexes of a data file, each as it is stored."""
    schema = Schema.from_arrow(orders(100, clustered=False).schema)
    with FileIndex.open(file.index) as opened:
        for name, entries in opened.indexes.items():
            for kind, entry in entries.items():
                reader: Any = INDEX_READERS[kind](opened.source, entry.ofs_body, name, schema[name])
                if not isinstance(reader, BitmapReader):
                    yield from (rows.serialize() for rows in (reader.rows, *reader.slice_rows()))
                    continue
                for places, rows, _ in reader.postings(entry.ofs_body + entry.len_body)[1]:
                    ends = np.flatnonzero(np.diff(np.broadcast_to(places, len(rows)))) + 1
                    for some in np.split(rows, ends):
                        if len(some) > 1:
                            yield BitMap(some.tolist()).serialize()


def measured_spark(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Building all indexes of 40 files by Spark on two cores and on one: the job, without starting
    Spark.

    Each file has half as many rows as the other tables, so that there is work for some seconds: of
    little files it is Spark's own time that would be measured.
    """
    files = 40
    data = orders(rows // 2, clustered=False).select(["user_id", "status", "amount"])
    path = make_table(folder, "spark", (data for _ in range(files)))
    seconds: dict[str, list[float]] = {"local[1]": [], "local[2]": []}
    for _ in range(2):  # in turn, for other load on the machine comes and goes
        for master in seconds:
            seconds[master] += run_apart("spark", master, path, str(rounds))["seconds"]
    one, two = (statistics.median(seconds[master]) for master in ("local[1]", "local[2]"))
    yield Figure(
        f"Spark on {files} files of {rows // 2:,} rows, local[1] to local[2]",
        f"{one:.2f} s / {two:.2f} s = {one / two:.2f}",
        ">= 1.6",
        one / two >= 1.6,
    )
    shutil.rmtree(path)


def measured_memory(folder: Path, counts: Sequence[int]) -> Iterator[Figure]:
    """The most memory that planning and committing a rewrite take, for few data files and for
    many, each of which gets another index; what is built in between is up to workers."""
    peaks = []
    for number in counts:
        path = simulate(folder, number)
        peaks.append(run_apart("memory", path)["megabytes"])
        shutil.rmtree(path)
    few, many = counts
    yield Figure(
        f"memory of the driver, {few:,} files to {many:,}",
        f"{peaks[0]:.0f} MB / {peaks[1]:.0f} MB",
        "<= 1.5 times",
        peaks[1] <= 1.5 * peaks[0],
    )


def simulate(folder: Path, files: int) -> str:
    """A table with manifests of so many data files, a thousand each; one data file is there."""
    path = make_table(
        folder,
        f"simulated_{files}",
        [orders(1000, clustered=False)],
        {"manifest.merge-min-count": "100000"},  # they stay as they are
    )
    table = Table.at(path)
    [entry] = table.live_entries(table.manifests(table.snapshot()), table.entries)
    step = 1000
    for start in range(1, files, step):
        entries = [
            replace(entry, file=replace(entry.file, file_name=f"data-{number:036}-0.parquet"))
            for number in range(start, min(start + step, files))
        ]
        # The public commit looks for conflicts with all files that are there: quadratic.
        commit = table.pypaimon.new_batch_write_builder().new_commit()
        commit.file_store_commit._try_commit(
            commit_kind="APPEND",
            commit_identifier=start,
            commit_entries_plan=lambda _, entries=entries: entries,
            detect_conflicts=False,
        )
        commit.close()
    return path


class Answered:
    """An engine on which all index files are there already, so that no data file has to be."""

    def map(
        self, function: Any, tasks: Iterable[DataFile], **_: Any
    ) -> Iterator[tuple[DataFile, Outcome]]:
        """Each task, with an index file of a name as it would have."""
        for number, task in enumerate(tasks):
            index = NewIndex(file_name=f"{task.name}-{number:016x}.index")
            yield task, Outcome("new", index, task.num_rows, {"bitmap": 3})


def run_apart(*arguments: str) -> dict[str, Any]:
    """Run one part in a process of its own; what it prints last is JSON."""
    command = [sys.executable, "-m", "tools.bench_tables", "--apart", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def apart(part: str, *arguments: str) -> None:
    """What `run_apart` runs."""
    if part == "spark":
        master, path, rounds = arguments
        engine = spark_engine(master=master)

        def build() -> object:
            return rewrite_index(Table.at(path), set=INDEXES, engine=engine)

        seconds = []
        for _ in range(int(rounds) + 1):
            seconds.append(timed(build) / 1e3)
            take_back(path, 40)
        print(json.dumps({"seconds": seconds[1:]}))  # the first is not measured
        return
    if part == "audit":
        path, rounds = arguments
        print(json.dumps(audited_on_spark(path, int(rounds))))
        return
    answered: Any = Answered()
    summary = rewrite_index(Table.at(arguments[0]), set=INDEXES, engine=answered)
    if summary.snapshot is None or summary.rewritten != summary.files:
        sys.exit(f"not all was committed: {summary}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"megabytes": peak / (1024 if sys.platform != "darwin" else 1024**2)}))


def audited_on_spark(path: str, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of audits with the data, and of only reading the indexed columns, in turn.

    The session is one as Spark has it, not ours, which has Java compile less.
    """
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[*]").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    session = builder.getOrCreate()
    engine = spark_engine(session)

    def look() -> None:
        found = audit(Table.at(path), deep=True, engine=engine)
        if any(finding.severity == ERROR for finding in found):
            sys.exit(f"{path}: an audit found an error")

    names = [name for kind in INDEXES.values() for name in kind.split(",")]
    files = [str(file.path) for file in Table.at(path).files(Table.at(path).snapshot())]

    def read() -> None:
        columns = session.read.parquet(*files).select(*names)
        columns.write.format("noop").mode("overwrite").save()

    for _ in range(3):  # the first rounds compile what Spark runs
        look()
        read()
    times = [(timed(look), timed(read)) for _ in range(rounds)]
    return dict(zip(("deep", "read"), map(list, zip(*times, strict=True)), strict=True))


# Printing ---------------------------------------------------------------------------------------

PARTS = ("queries", "building", "audit", "delete", "advise", "spark", "memory")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_tables")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows: to try it out")
    parser.add_argument("--rounds", type=int, help="of each measurement; 7, with --quick 3")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--apart", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.apart:
        apart(*arguments.apart)
        return 0
    rows = ROWS // 10 if arguments.quick else ROWS
    rounds = arguments.rounds or (3 if arguments.quick else 7)
    console = Console(width=None if sys.stdout.isatty() else 160)
    show_machine(console, rows, rounds)
    lines: list[Line] = []
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "queries" in arguments.only:
            for line in measured_queries(folder, rows, rounds):
                console.print(f"[dim]{line.table}: {line.query}[/]", highlight=False)
                lines.append(line)
            show_queries(console, lines)
        if "building" in arguments.only:
            figures += measured_building(folder, rows, rounds)
        if "audit" in arguments.only:
            figures += measured_audit(folder, rows, rounds, spark=has_java(console))
        if "delete" in arguments.only:
            figures += measured_deleting(folder, rows, rounds)
        if "advise" in arguments.only:
            figures += measured_advice(folder, rows, rounds)
        if "spark" in arguments.only and has_java(console):
            figures += measured_spark(folder, rows, max(2, rounds // 2))
        if "memory" in arguments.only:
            figures += measured_memory(
                folder, (100, 10_000) if arguments.quick else (1000, 100_000)
            )
    show_building(console, figures)
    if arguments.json:
        report = {"rows": rows, "rounds": rounds, "queries": lines, "building": figures}
        arguments.json.write_text(json.dumps(report, default=asdict, indent=1))
    missed = sum(not line.met for line in lines) + sum(f.met is False for f in figures)
    if missed:
        console.print(f"[red]{missed} of {len(lines) + len(figures)} targets missed[/]")
    return 1 if missed else 0


def has_java(console: Console) -> bool:
    """Whether Spark can run; says so if not."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return True
    console.print("Spark is left out: Java was not found; install Java 17 and put it on PATH")
    return False


def show_machine(console: Console, rows: int, rounds: int) -> None:
    packages = ("pyarrow", "pypaimon", "pypaimon-rust", "polars", "duckdb", "pyspark")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    console.print(
        f"{rows:,} orders, median of {rounds} rounds, {cores} cores, "
        f"Python {platform.python_version()}, {versions}",
        highlight=False,
    )


def show_queries(console: Console, lines: list[Line]) -> None:
    names = [kind.name for kind in READERS]
    others = [f"{name}\ntimes" for name in names[1:]]
    grid = Grid("table", "query", f"{OURS}\nms", *others, "target", "met", box=box.SIMPLE)
    grid.title = "time, and how many times as long others take"
    for line in lines:
        ours = line.times[OURS]
        ratios = [
            f"{line.times[name] / ours:.1f}" if name in line.times else "n/a" for name in names[1:]
        ]
        grid.add_row(line.table, line.query, f"{ours:.1f}", *ratios, line.target, mark(line.met))
    console.print(grid)
    grid = Grid("table", "query", *names, title="kB read in one call", box=box.SIMPLE)
    for line in lines:
        read = [
            f"{line.bytes[name] / 1000:,.1f}" if name in line.bytes else "n/a" for name in names
        ]
        grid.add_row(line.table, line.query, *read)
    console.print(grid)
    console.print(
        "n/a: Polars maps files into memory; pyarrow, Polars and DuckDB do not know deletion "
        "vectors, so their rows would be others.\n"
    )


def show_building(console: Console, figures: list[Figure]) -> None:
    if figures:
        grid = Grid("building and deleting", "figure", "target", "met", box=box.SIMPLE)
        for figure in figures:
            grid.add_row(figure.name, figure.value, figure.target, mark(figure.met))
        console.print(grid)


def mark(met: bool | None) -> str:
    return "" if met is None else "[green]yes[/]" if met else "[red]no[/]"


if __name__ == "__main__":
    sys.exit(main())
