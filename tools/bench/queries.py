"""Queries of each table, by all readers in turn."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.store import Table
from tools.bench.harness import bytes_read, timed
from tools.bench.orders import ROWS, USERS, Made, make
from tools.bench.readers import OURS, PAIMON, READERS, ArrowDataset, Query, essence


@dataclass(frozen=True)
class Line:
    """One query on one table: by reader the milliseconds and the bytes; what had to be reached.

    `times` are those of the first call of a reader, and `repeated` those of its second.
    """

    table: str
    query: str
    times: dict[str, float]
    repeated: dict[str, float]
    bytes: dict[str, int]
    target: str
    met: bool


def measure(made: Made, asked: Query, rounds: int) -> Line:
    """All readers that can answer, in turn. Raises SystemExit if one has other rows than we."""
    kinds = {kind.name: kind for kind in READERS if kind.sees_vectors or not made.deleted}
    wanted = essence(kinds[OURS](made).answer(asked), asked)
    for name, kind in kinds.items():  # these calls load modules, and are not measured
        if (result := essence(kind(made).answer(asked), asked)) != wanted:
            sys.exit(f"{made.name}, {asked.name}: {name} found {result}, {OURS} {wanted}")
    times: list[dict[str, list[float]]] = [{name: [] for name in kinds} for _ in range(2)]
    for _ in range(rounds):
        for name, kind in kinds.items():
            reader = kind(made)
            for of_call in times:
                of_call[name].append(timed(partial(reader.answer, asked)))
    read = {
        name: result
        for name, kind in kinds.items()
        if kind.measures_bytes
        and (result := bytes_read(partial(kind(made).answer, asked))) is not None
    }
    first, repeated = (
        {name: statistics.median(result) for name, result in of_call.items()} for of_call in times
    )
    clear_caches()
    planning = bytes_read(partial(plan, Table.at(made.path), asked.sql or None))
    of_index = (read.get(OURS, 0) - (planning or 0)) / made.files
    target, met = judge(made, asked, first, of_index)
    return Line(made.name, asked.name, first, repeated, read, target, met)


def judge(made: Made, asked: Query, times: dict[str, float], of_index: float) -> tuple[str, bool]:
    """What is to be reached, and whether it was.

    `of_index` are the bytes that we read for each data file, beside those of the manifests.
    """
    others = {name: took for name, took in times.items() if name != OURS}
    beaten = {name for name, took in others.items() if times[OURS] < took}
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
