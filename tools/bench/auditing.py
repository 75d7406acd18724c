"""Audits, beside what has to be done at least."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
from pyroaring import BitMap

from paimon_ksy.file_index.bitmap.check import postings
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tools.bench.harness import Figure, medians, ratio, run_apart
from tools.bench.orders import INDEXES, data_files, make, orders


def measured_audit(folder: Path, rows: int, rounds: int, *, spark: bool) -> Iterator[Figure]:
    """Audits beside what has to be done at least, on the same cores, one of each in turn.

    With the data: reading the columns that are indexed, by pyarrow, which is told the files, in one
    run; by pypaimon, which finds them in the manifests, as an audit has to; and on Spark, by Spark.
    Without them: reading the bytes of the indexes, and having pyroaring load each bitmap in them.
    """
    for files in (1, 20):
        made = make(folder, rows, files, clustered=False, deleted=False)
        table = Table.at(made.path)
        names = [name for kind in INDEXES.values() for name in kind.split(",")]
        dataset = ds.dataset(data_files(made), format="parquet")
        indexes = sorted(Path(made.path).rglob("*.index"))
        bitmaps = [
            bitmap for file in table.data_files.of(table.snapshot()) for bitmap in stored(file)
        ]
        size = sum(path.stat().st_size for path in indexes) / 1e6

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
            partial(audited, made.path, deep=True),
            read,
            read_table,
            partial(audited, made.path, deep=False),
            load,
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

    names = [name for kind in INDEXES.values() for name in kind.split(",")]
    files = [str(file.path) for file in Table.at(path).data_files.of(Table.at(path).snapshot())]

    def read() -> None:
        columns = session.read.parquet(*files).select(*names)
        columns.write.format("noop").mode("overwrite").save()

    calls: list[Callable[[], object]] = [partial(audited, path, deep=True, engine=engine), read]
    medians(calls, 2)  # the first rounds compile what Spark runs
    return dict(zip(("deep", "read"), medians(calls, rounds), strict=True))
