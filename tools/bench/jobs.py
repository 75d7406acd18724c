"""Jobs on the table of orders: building, audits, deletes and advice, beside what does as much."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyroaring import BitMap

from paimon_ksy.file_index.bitmap.check import postings
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.index_commit import NewIndex
from paimon_ksy.types.schema import Schema
from tools.bench.harness import Figure, medians, ratio, resident_bytes, run_apart, timed
from tools.bench.orders import INDEXES, PENDING, ROWS, Made, data_files, make, orders, parts
from tools.bench.readers import OURS
from tools.made_manifests import table_of_manifests
from tools.tables import make_table

Call = Callable[[], object]

# Building ---------------------------------------------------------------------------------------

_BUILT = {
    "bitmap of status": ("bitmap", ["status"]),
    "bitmap of status and region": ("bitmap", ["status", "region"]),
    "bitmap of user_id": ("bitmap", ["user_id"]),
    "range-bitmap of amount": ("range-bitmap", ["amount"]),
}


def measured_building(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Values a second on one core, beside only reading the columns with pyarrow on one."""
    path = make_table(folder, "building", parts(orders(rows, clustered=False), 4))
    files = data_files(Made(path, 4, False, False))
    for text, (kind, columns) in _BUILT.items():
        options = {f"file-index.{kind}.columns": ",".join(columns)}
        build = partial(_build, path, options)
        read = partial(_read, files, columns)
        build(), read()
        indexes = [index.read_bytes() for index in Path(path).rglob("*.index")]
        write = partial(_write, indexes, folder / "written")
        times: list[tuple[float, float, float]] = []
        for _ in range(rounds):
            take_back(path, 4)
            times.append((timed(build), timed(read), timed(write)))
        take_back(path, 4)
        building, reading, writing = map(statistics.median, zip(*times, strict=True))
        speed = rows * len(columns) / building / 1e3
        size = sum(map(len, indexes)) / 1e6
        yield Figure(f"{text}: million values/s/core", f"{speed:.1f}", ">= 5", speed >= 5)
        yield Figure(
            f"{text}: time to only reading it",
            f"{building:.0f} ms / {reading:.0f} ms = {building / reading:.1f} "
            f"(only writing its {size:.1f} MB: {writing / reading:.1f})",
            "<= 2",
            building <= 2 * reading,
        )
    shutil.rmtree(path)


def _build(path: str, options: dict[str, str]) -> None:
    rewrite_index(Table.at(path), set=options, engine=local_engine(1))


def _read(files: Sequence[str], columns: list[str]) -> None:
    for file in files:
        pq.read_table(file, columns=columns, use_threads=False)


def _write(indexes: Sequence[bytes], target: Path) -> None:
    for data in indexes:
        target.write_bytes(data)
        target.unlink()


def take_back(path: str, snapshot: int) -> None:
    """Return the table to how it was without indexes.

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


class _Answered:
    """An engine on which all index files are there already, so that no data file has to be."""

    time_zone = None

    def map(
        self, function: Any, tasks: Iterable[DataFile], **_: Any
    ) -> Iterator[tuple[DataFile, IndexResult]]:
        """Yield each task with an index file."""
        for number, task in enumerate(tasks):
            index = NewIndex(file_name=f"{task.name}-{number:016x}.index")
            yield task, IndexResult("new", index, task.num_rows, (("bitmap", 3),))


def planned_memory(path: str) -> dict[str, float]:
    """The most memory of this process after planning and committing a rewrite of all files."""
    answered: Any = _Answered()
    options = {"file-index.bitmap.columns": "c01"}
    summary = rewrite_index(Table.at(path), set=options, engine=answered)
    if summary.snapshot is None or summary.rewritten != summary.files:
        sys.exit(f"not all was committed: {summary}")
    return {"megabytes": resident_bytes()[1] / 1e6}


# Audits -----------------------------------------------------------------------------------------

_INDEXED = [name for kind in INDEXES.values() for name in kind.split(",")]


def measured_audit(folder: Path, rows: int, rounds: int, *, spark: bool) -> Iterator[Figure]:
    """Audits beside what has to be done at least, on the same cores, one of each in turn.

    With the data: reading the columns that are indexed, by pyarrow, which gets the files, in one
    run; by pypaimon, which finds them in the manifests, as an audit has to; and on Spark, by Spark.
    Without them: reading the bytes of the indexes, and having pyroaring load each bitmap in them.
    """
    for files in (1, 20):
        made = make(folder, rows, files, clustered=False, deleted=False)
        table = Table.at(made.path)
        dataset: Any = ds.dataset(data_files(made), format="parquet")
        indexes = sorted(Path(made.path).rglob("*.index"))
        bitmaps = [data for file in table.data_files.of(table.snapshot()) for data in stored(file)]
        size = sum(path.stat().st_size for path in indexes) / 1e6
        calls: list[Call] = [
            partial(audited, made.path, deep=True),
            partial(dataset.to_table, columns=_INDEXED),
            partial(_read_by_pypaimon, made.path),
            partial(audited, made.path, deep=False),
            partial(_load, indexes, bitmaps),
        ]
        deep, reading, by_pypaimon, shallow, loading = medians(calls, rounds)
        name = f"audit --deep, {made.name}"
        yield ratio(f"{name}: time to only reading the indexed columns", deep, reading, 1.5)
        yield ratio(f"{name}: to pypaimon reading them", deep, by_pypaimon, 1.5)
        if spark:
            times = run_apart("audit-on-spark", made.path, str(rounds))
            what = f"{name}, on Spark: to Spark reading them"
            yield ratio(what, times["deep"], times["read"], 1.5)
        title = f"audit, {made.name}: {size:.0f} MB of indexes, time to only loading them"
        yield ratio(title, shallow, loading, 2)
        shutil.rmtree(made.path)


def _read_by_pypaimon(path: str) -> None:
    builder = Table.at(path).pypaimon.new_read_builder().with_projection(_INDEXED)
    builder.new_read().to_arrow(builder.new_scan().plan().splits())


def _load(indexes: Sequence[Path], bitmaps: Sequence[bytes]) -> None:
    for path in indexes:
        path.read_bytes()
    for bitmap in bitmaps:
        BitMap.deserialize(bitmap)


def audited(path: str, *, deep: bool, engine: Engine | None = None) -> None:
    """Audit a table, by default on this machine, and end if there is an error in it."""
    findings = audit(Table.at(path), deep=deep, engine=engine or local_engine())
    if wrong := [finding for finding in findings if finding.severity == ERROR]:
        sys.exit(f"{path}: an audit found an error: {wrong[0].message}")


def stored(file: DataFile) -> Iterator[bytes]:
    """The bitmaps in the indexes of a data file, each as it is stored."""
    schema = Schema.from_arrow(orders(100, clustered=False).schema)
    with FileIndex.open(file.index) as opened:
        for name, entries in opened.places.items():
            for kind, entry in entries.items():
                place = entry.ofs_body, entry.len_body
                reader: Any = INDEX_TYPES[kind].reader(
                    opened.source, place[0], name, schema[name], place[1]
                )
                if not isinstance(reader, BitmapReader):
                    yield from (rows.serialize() for rows in (reader.rows, *reader.slice_rows()))
                    continue
                columns = BitmapReader(opened.source, place[0], name, schema[name], arrays=True)
                for places, rows, _ in postings(columns, sum(place)):
                    ends = np.flatnonzero(np.diff(np.broadcast_to(places, len(rows)))) + 1
                    for some in np.split(rows, ends):
                        if len(some) > 1:
                            yield BitMap(some.tolist()).serialize()


def audited_on_spark(path: str, rounds: int) -> dict[str, float]:
    """Milliseconds of audits with the data, and of only reading the indexed columns.

    The session is one as Spark has it, not ours, which has Java compile less.
    """
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[*]").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    session = builder.getOrCreate()
    engine = spark_engine(session)

    files = [str(file.path) for file in Table.at(path).data_files.of(Table.at(path).snapshot())]

    def read() -> None:
        columns = session.read.parquet(*files).select(*_INDEXED)
        columns.write.format("noop").mode("overwrite").save()

    calls: list[Callable[[], object]] = [partial(audited, path, deep=True, engine=engine), read]
    medians(calls, 2)  # the first rounds compile what Spark runs
    return dict(zip(("deep", "read"), medians(calls, rounds), strict=True))


# Deletes and advice -----------------------------------------------------------------------------


def measured_deleting(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """The PENDING orders deleted from 20 files: ours with and without an index, pypaimon's delete
    where it has one (data evolution), and pyarrow that writes all files again without them.

    Each turn has the table as it was; opening it is not measured, finding rows and the commit is.
    """
    files = 20
    data = orders(rows, clustered=False)

    def made(name: str, options: dict[str, str]) -> str:
        options = {"deletion-vectors.enabled": "true", **options}
        return make_table(folder, name, parts(data, files), options)

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


def measured_advice(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Advice on a table without indexes, its PENDING orders next to each other: with typical
    predicates, of which one asks for them, and with given ones."""
    data = orders(rows, clustered=True)
    given = ["status = 'PENDING'", "user_id = 4711", "order_id BETWEEN 5000 AND 6000"]
    most = 10.0 * rows / ROWS
    for files in (1, 20):
        path = make_table(folder, f"advice_{files}", parts(data, files))
        for what, asked in {"typical": None, "given": given}.items():
            look = partial(advise, path, predicates=asked, engine=local_engine())
            advice = look()
            seconds = statistics.median(timed(look) for _ in range(min(rounds, 3))) / 1e3
            advised = [f"{kind} of {c.column}" for c in advice.columns for kind in c.advised]
            yield Figure(
                f"advice, {files} file{'s' * (files > 1)}, {what} predicates: "
                f"{advice.sample_rows:,} rows looked at, {', '.join(advised)}",
                f"{seconds:.1f} s",
                f"<= {most:.0f} s",
                seconds <= most,
            )
        shutil.rmtree(path)
