"""Run writers, deleters, rewriters and auditors on one table at once, and kill them at random.

    python -m tools.chaos [--seed N] [--seconds N]

Processes append rows with pypaimon, delete rows, rebuild indexes with other options, and audit the
table. One after another is killed by SIGKILL at any point, and started again. Before each commit, a
process records its plan, and afterwards the result. Commits wait a little before they look for
conflicts and before they write their snapshot, so that others often come in between. At the end,
the snapshots show which commits succeeded. Their effects, one after another, must equal the table's
rows, now and in each snapshot, according to pypaimon, pypaimon-rust and paimon-ksy. Audits must
find no errors, and all of this must still hold after orphans are deleted.
`tests/table/test_chaos.py` proves that this finds commits that do not look for conflicts, and
cleaners that delete needed files. `tests/table/test_roots.py` tests what tags and branches need.

A seed determines the operations of each process, but not their order between processes.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import ConflictError
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query import read as scan
from paimon_ksy.table.store import Table, index_commit, vector_commit
from paimon_ksy.table.store.commits import LocalLinks, local_links
from tools.tables import by_pypaimon, by_rust, make_table

SCHEMA = pa.schema(
    [("part", pa.int32()), ("id", pa.int64()), ("status", pa.string()), ("amount", pa.int32())]
)
STATUSES = ["new", "paid", "sent", None]
WORKERS = {"write": 2, "delete": 2, "rewrite": 2, "audit": 1}
OPTIONS = {
    "deletion-vectors.enabled": "true",
    "manifest.merge-min-count": "8",
    "commit.max-retries": "1000",
    "file-index.bitmap.columns": "status",
    "snapshot.num-retained.min": "100000",
    "snapshot.num-retained.max": "100000",
}
PRELOADED = {
    *("tools", "paimon_ksy", "pypaimon", "pyarrow", "numpy", "pandas", "sqlglot", "fastavro"),
    *("pyroaring", "kaitaistruct", "xxhash", "fsspec", "backports", "cramjam", "isal"),
}
"""Packages that processes have from the start: they are forked of one that imported them."""

PREFIX = "commit.user-prefix"
"""The option of pypaimon by which a snapshot tells the operation that made it."""

MEAN_WAIT = 0.05
"""Seconds that a commit waits, each time, as a mean."""

Fault = Callable[[], None]
"""Breaks something in each process, to see that it is noticed."""


def part_of(row: int) -> int:
    """The partition of an id: the number of the writer, or 0."""
    return row // 10_000_000_000


def rows_of(ids: Any) -> pa.Table:
    """The rows with these ids, whose other columns follow from them."""
    ids = sorted(ids)
    columns = [
        [part_of(i) for i in ids],
        ids,
        [STATUSES[i * 7 % 11 % 4] for i in ids],
        [i * 31 % 1000 for i in ids],
    ]
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], SCHEMA)


# Processes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worker:
    """One process: what it does, and its name, which tells how often it was started."""

    kind: str
    number: int
    start: int
    seed: int
    folder: str
    path: str
    fault: Fault | None = None

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}-{self.start}"

    def run(self) -> None:
        """Work until killed."""
        logging.disable(logging.CRITICAL)  # pypaimon tells of each conflict
        if self.fault is not None:
            self.fault()
        _commit_late(random.Random(f"{self.seed} {self.name} waits"))
        self.work(count())

    def work(self, numbers: Iterable[int]) -> None:
        """Operations with these numbers, one after another."""
        rng = random.Random(f"{self.seed} {self.name}")
        with Path(self.folder, f"{self.name}.log").open("a") as log:

            def note(**what: Any) -> None:
                log.write(json.dumps(what) + "\n")
                log.flush()
                os.fsync(log.fileno())

            for number in numbers:
                operation = f"{self.name}-{number}"
                table = Table.at(self.path).with_options({PREFIX: operation})
                try:
                    for what in _WORK[self.kind](self, table, rng, number):
                        note(operation=operation, kind=self.kind, **what)
                except ConflictError as error:
                    note(operation=operation, conflict=str(error))
                except Exception:  # what ends the run
                    note(operation=operation, problem=traceback.format_exc())


def _commit_late(rng: random.Random) -> None:
    """Have the commits of this process wait before they look for conflicts, and before they write
    their snapshot."""

    def late(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def wait_first(*arguments: Any, **named: Any) -> Any:
            time.sleep(rng.expovariate(1 / MEAN_WAIT))
            return plain(*arguments, **named)

        setattr(owner, name, wait_first)

    late(index_commit, "commit")
    late(vector_commit, "commit")
    late(LocalLinks, "try_to_write_atomic")


def _write(worker: Worker, table: Table, rng: random.Random, number: int) -> Iterator[Any]:
    """New rows; at times all of its partition is deleted, which nobody else writes to."""
    time.sleep(rng.uniform(0, 0.5))  # or the others would not get their turn
    if rng.random() < 0.2:
        yield {"part": worker.number + 1}
        done = delete(table, f"part = {worker.number + 1}", engine=local_engine(1))
        yield _done(done, done.rows)
        return
    first = ((worker.number * 1000 + 1000 + worker.start) * 10_000 + number) * 1000
    ids = range(first, first + rng.choice([1, 20, 200, 900]))
    yield {"first": first, "count": len(ids)}
    builder = table.pypaimon.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    # pypaimon looks whether a snapshot is there, and then renames its own over it: of two processes
    # one would lose its rows. So it gets the file system with which our own commits are made.
    snapshots = commit.file_store_commit.snapshot_commit
    snapshots.file_io = local_links(snapshots.file_io)
    try:
        write.write_arrow(rows_of(ids))
        commit.commit(write.prepare_commit())
    finally:
        write.close()
        commit.close()
    yield {"done": True}


def _delete(worker: Worker, table: Table, rng: random.Random, number: int) -> Iterator[Any]:
    """Rows between two that are there, of one writer: no row comes to be among them later."""
    ids = sorted(scan.query(table, columns=["id"], engine=local_engine(1))["id"].to_pylist())
    if not ids:
        return
    at = rng.randrange(len(ids))
    if rng.random() < 0.5:  # what is new, as it has no vector yet, and may go as a whole
        part = part_of(ids[at])
        at = max(k for k, i in enumerate(ids) if part_of(i) == part) - rng.choice([0, 0, 5, 50])
        at = max(at, 0)
    low = high = ids[at]
    for other in ids[at : at + rng.choice([1, 10, 300, 2000])]:
        if other // 10_000_000 == low // 10_000_000:
            high = other
    status = rng.choice([None, None, "paid", "new"])
    yield {"low": low, "high": high, "status": status}
    where = f"id BETWEEN {low} AND {high}" + (f" AND status = '{status}'" if status else "")
    done = delete(table, where, engine=local_engine(1))
    yield _done(done, done.rows)


def _rewrite(worker: Worker, table: Table, rng: random.Random, number: int) -> Iterator[Any]:
    options = {
        "file-index.bitmap.columns": rng.choice(["status", "status,amount", "id"]),
        "file-index.range-bitmap.columns": rng.choice(["amount", "id,amount", ""]),
        "file-index.in-manifest-threshold": rng.choice(["1 b", "500 b", "1 mb"]),
    }
    yield {}
    done = rewrite_index(table, set=options, rebuild=rng.random() < 0.7, engine=local_engine(1))
    yield _done(done, done.rewritten)


def _done(done: Any, rows: int) -> dict[str, Any]:
    return {"done": True, "snapshot": done.snapshot, "rows": rows, "attempts": done.attempts}


def _audit(worker: Worker, table: Table, rng: random.Random, number: int) -> Iterator[Any]:
    findings = audit(table, deep=rng.random() < 0.5, engine=local_engine(1))
    errors = [finding.to_json() for finding in findings if finding.severity == ERROR]
    yield {"problem": errors} if errors else {"done": True}


_WORK: dict[str, Callable[[Worker, Table, random.Random, int], Iterator[dict[str, Any]]]] = {
    "write": _write,
    "delete": _delete,
    "rewrite": _rewrite,
    "audit": _audit,
}


# The run -----------------------------------------------------------------------------------------


@dataclass
class Report:
    """What was done: operations that came to an end by kind, commits by kind, kills, problems.

    `repeated` are attempts to commit before which others came, `conflicts` what gave up for that.
    """

    done: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    conflicts: Counter[str] = field(default_factory=Counter)
    commits: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    rows: int = 0
    orphans: int = 0
    problems: list[str] = field(default_factory=list)

    def check(self, condition: bool, problem: str) -> None:
        """Note the problem unless the condition holds."""
        if not condition:
            self.problems.append(problem)

    @contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """Whatever is raised is a problem."""
        try:
            yield
        except Exception as error:
            self.problems.append(f"{what}: {type(error).__name__}: {error}")


LEAST_KILLS, LEAST_WRITES = 5, 3
"""What a run goes on for when its time is over."""

SLOWEST = 20
"""Times as long as it should take, a run ends anyway."""


def run(folder: Path, seed: int, seconds: float, fault: Fault | None = None) -> Report:
    """Let them work for so long, and until they did something, and look at what came of it.

    `folder` is empty.
    """
    report = Report()
    path = make_table(
        folder / "warehouse", "t", [rows_of(range(100))], OPTIONS, partition_keys=["part"]
    )
    logs = folder / "logs"
    logs.mkdir()
    _work(report, path, logs, seed, seconds, fault)
    look(report, folder)
    return report


def _work(
    report: Report, path: str, logs: Path, seed: int, seconds: float, fault: Fault | None
) -> None:
    for kind in WORKERS:  # after one of each all modules are there that are imported late
        Worker(kind, len(WORKERS), 0, seed, str(logs), path).work(range(1))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [name for name in list(sys.modules) if name.partition(".")[0] in PRELOADED]
    )
    rng = random.Random(seed)

    def started(kind: str, number: int, start: int) -> Any:
        worker = Worker(kind, number, start, seed, str(logs), path, fault)
        process = context.Process(target=worker.run, daemon=True)
        process.start()
        return process

    places = [(kind, number) for kind, most in WORKERS.items() for number in range(most)]
    starts: Counter[tuple[str, int]] = Counter()
    running = {place: started(*place, 0) for place in places}
    try:
        started_at = time.monotonic()
        while (spent := time.monotonic() - started_at) < seconds or (
            spent < seconds * SLOWEST and not _did_enough(report, path)
        ):
            time.sleep(rng.uniform(0.05, 0.8))
            place = rng.choice(places)
            running[place].kill()
            running[place].join()
            report.kills += 1
            starts[place] += 1
            running[place] = started(*place, starts[place])
    finally:
        for process in running.values():
            process.kill()
            process.join()


def _did_enough(report: Report, path: str) -> bool:
    """Whether there is something to look at, which takes longer on a slow machine."""
    snapshots = list(Path(path, "snapshot").glob("snapshot-*"))
    if report.kills < LEAST_KILLS or len(snapshots) < LEAST_WRITES:
        return False
    users = (json.loads(snapshot.read_text())["commitUser"] for snapshot in snapshots)
    written = sum(str(user).startswith("write-") for user in users)
    return written >= LEAST_WRITES


def _told(report: Report, logs: Path) -> dict[str, dict[str, Any]]:
    """What the processes wrote down, by operation."""
    told: dict[str, dict[str, Any]] = {}
    for log in sorted(logs.iterdir()):
        for line in log.read_text().splitlines():
            try:
                what = json.loads(line)
            except ValueError:  # killed while it wrote
                continue
            kind = what["operation"].partition("-")[0]
            told.setdefault(what["operation"], {}).update(what)
            report.done[kind] += what.get("done", False)
            report.repeated[kind] += what.get("attempts", 1) - 1
            report.conflicts[kind] += "conflict" in what
            report.check("problem" not in what, f"{what['operation']}: {what.get('problem')}")
    return told


# What came of it ---------------------------------------------------------------------------------


def look(report: Report, folder: Path) -> None:
    """Whether the table of a run is what the operations imply; orphans are cleaned."""
    path = str(folder / "warehouse" / "default.db" / "t")
    table = Table.at(path)
    latest: Any = table.snapshot()
    states = _states(report, table, _told(report, folder / "logs"), latest.id)
    ids = states[latest.id]
    report.rows = len(ids)
    _same_rows(report, path, ids, "in the end")
    with report.trying("cleaning"):
        report.orphans = len(clean_orphans(table, timedelta(0), dry_run=False))
        report.check(clean_orphans(table, timedelta(0)) == [], "there are orphans after cleaning")
    _same_rows(report, path, ids, "without orphans")
    for number in range(1, latest.id + 1, max(1, latest.id // 20)):
        with report.trying(f"snapshot {number}"):
            rows = by_pypaimon_at(table, number)
            report.check(_are(rows, states[number]), f"snapshot {number} has other rows")
            rows = scan.query(table, "status = 'new'", snapshot_id=number, engine=local_engine(1))
            due = _of_status(states[number], "new")
            report.check(_are(rows, due), f"snapshot {number} has others that are new")


def _of_status(ids: Iterable[int], status: str) -> frozenset[int]:
    rows = rows_of(ids).to_pylist()
    return frozenset(row["id"] for row in rows if row["status"] == status)


def _states(
    report: Report, table: Table, told: Mapping[str, dict[str, Any]], latest: int
) -> dict[int, frozenset[int]]:
    """The ids in each snapshot, as the operations that made it imply."""
    ids = frozenset(range(100))
    states = {1: ids}
    made: dict[str, int] = {}
    for number in range(2, latest + 1):
        snapshot: Any = table.snapshot(number)
        operation = snapshot.commit_user.rpartition("_")[0]
        what = told.get(operation)
        if what is None:
            report.problems.append(f"snapshot {number} is of {operation!r}, which nobody intended")
            states[number] = ids
            continue
        kind = operation.partition("-")[0]
        report.commits[kind] += 1
        report.check(operation not in made, f"{operation} made two snapshots")
        made[operation] = number
        before = ids
        if kind == "rewrite":
            pass
        elif "first" in what:
            ids |= frozenset(range(what["first"], what["first"] + what["count"]))
            report.check(len(ids) == len(before) + what["count"], f"{operation}: rows twice")
        else:
            gone = frozenset(i for i in ids if _is_deleted(i, what))
            if what.get("status"):
                gone = _of_status(gone, what["status"])
            ids -= gone
            rows = what.get("rows", len(gone))
            report.check(rows == len(gone), f"{operation} says {rows} rows, not {len(gone)}")
        if what.get("snapshot") is not None:
            told_ = what["snapshot"]
            report.check(told_ == number, f"{operation} says snapshot {told_}, not {number}")
        states[number] = ids
    for operation, what in told.items():
        if what.get("done") and ("first" in what or what.get("snapshot") is not None):
            report.check(operation in made, f"{operation} is done, and no snapshot is of it")
    return states


def _is_deleted(row: int, what: Mapping[str, Any]) -> bool:
    if "part" in what:
        return part_of(row) == int(what["part"])
    return int(what["low"]) <= row <= int(what["high"])


def _same_rows(report: Report, path: str, ids: frozenset[int], when: str) -> None:
    engine = local_engine(2)
    table = Table.at(path)
    with report.trying(f"{when}: pypaimon"):
        report.check(_are(by_pypaimon(path), ids), f"{when}: pypaimon reads other rows")
    with report.trying(f"{when}: ours"):
        report.check(_are(scan.query(table, engine=engine), ids), f"{when}: we read other rows")
    for status in ("new", "sent", "lost"):
        where = f"status = '{status}'"
        due = _of_status(ids, status)
        with report.trying(f"{when}: ours, {where}"):
            rows = scan.query(table, where, engine=engine)
            report.check(_are(rows, due), f"{when}: ours, {where}")
            counted = scan.count(table, where, engine=engine).count
            report.check(counted == len(due), f"{when}: {counted} rows, {where}")
        with report.trying(f"{when}: pypaimon-rust, {where}"):
            report.check(_are(by_rust(path, where), due), f"{when}: pypaimon-rust, {where}")
    with report.trying(f"{when}: audit"):
        for finding in audit(table, deep=True, engine=engine):
            report.check(finding.severity != ERROR, f"{when}: {finding}")


def _are(rows: pa.Table, ids: frozenset[int]) -> bool:
    """Whether a table has the rows with these ids, and no others."""
    if not ids:
        return int(rows.num_rows) == 0
    if rows.num_rows != len(ids):
        return False
    columns = rows.select(SCHEMA.names).cast(SCHEMA).sort_by("id")
    return bool(columns.combine_chunks().equals(rows_of(ids)))


def by_pypaimon_at(table: Table, snapshot: int) -> pa.Table:
    """The rows of a snapshot."""
    opened = table.pypaimon.copy({"scan.snapshot-id": str(snapshot)})
    builder = opened.new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--seconds", type=float, default=120, help="seconds to run; 120")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.seconds:.0f} s", flush=True)
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), arguments.seed, arguments.seconds)
    for name in ("done", "repeated", "conflicts", "commits"):
        counts = ", ".join(f"{kind} {number}" for kind, number in getattr(report, name).items())
        print(f"{name}: {counts}")
    print(f"kills: {report.kills}; rows: {report.rows:,}; orphans cleaned: {report.orphans}")
    for problem in report.problems[:20]:
        print(f"PROBLEM {problem}")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
