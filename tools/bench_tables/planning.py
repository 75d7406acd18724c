"""Planning of tables with many data files, of which only manifests exist."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.store import Table, manifests
from tools.bench_tables.figures import Figure, run_apart, timed
from tools.made_manifests import table_of_manifests
from tools.memory import resident_bytes

WHERE = "day = 'd007' AND id = 3"


def measured_planning(folder: Path, rounds: int, files: int) -> Iterator[Figure]:
    """Plans of 100 files in each of 100 partitions, and of `files` in each of 1,000."""
    path = table_of_manifests(folder, "planned", partitions=100, files=100)
    table = Table.at(path)
    builder = table.pypaimon.new_read_builder()
    predicates = builder.new_predicate_builder()
    parts = [predicates.equal("day", "d007"), predicates.equal("id", 3)]
    builder = builder.with_filter(predicates.and_predicates(parts))

    def ours() -> None:
        manifests._KEPT.clear()
        assert len(plan(table, WHERE).tasks) == 1

    def theirs() -> None:
        splits: Any = builder.new_scan().plan().splits()
        assert sum(len(split.files) for split in splits) == 1

    times = [(timed(ours), timed(theirs)) for _ in range(rounds + 1)][1:]
    own, others = (min(each) for each in zip(*times, strict=True))
    yield Figure(
        "plan day = .. AND id = .., 10,000 files",
        f"{own:.0f} ms / pypaimon {others:.0f} ms",
        "<= pypaimon, <= 105 ms",
        own <= others and own <= 105,
    )
    shutil.rmtree(path)
    count = 1000 * files
    path = table_of_manifests(folder, "planned", partitions=1000, files=files)
    found = run_apart("plan", path, WHERE)
    yield Figure(
        f"plan day = .. AND id = .., {count:,} files",
        f"{found['seconds']:.2f} s, {found['megabytes']:.0f} MB",
        "< 2 s, < 300 MB",
        found["seconds"] < 2 and found["megabytes"] < 300,
    )
    found = run_apart("plan", path, "id = 3")
    each = found["processor"] / count * 1e6
    yield Figure(
        f"plan id = .., {count:,} files, all manifests read",
        f"{found['seconds']:.2f} s, {each:.1f} us a file and core, {found['megabytes']:.0f} MB",
        "<= 10 us a file and core",
        each <= 10 if count >= 1_000_000 else None,  # of few, imports take most of the time
    )
    shutil.rmtree(path)


def planned(path: str, where: str) -> dict[str, float]:
    """One plan in this process: its seconds, those of the processor, and the most memory."""
    table = Table.at(path)
    start, processor = time.perf_counter(), time.process_time()
    assert plan(table, where).tasks  # which are made as they are asked for
    seconds, used = time.perf_counter() - start, time.process_time() - processor
    _, peak = resident_bytes()
    return {"seconds": seconds, "processor": used, "megabytes": peak / 1e6}
