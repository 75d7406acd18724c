"""Planning of tables with many data files, of which only manifests exist."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table, manifests
from tools.bench.harness import Figure, timed
from tools.jvm import MissingToolError, Session, classpath, session
from tools.made_manifests import table_of_manifests

Equal = Mapping[str, str | int]
"""Values that columns are to have: the predicate of a plan."""

JavaPlan = Callable[[str, Equal, int], tuple[float, int]]
"""Plans a table so many times: milliseconds of the fastest time, and data files that are left."""

PLANS: tuple[tuple[Equal, int], ...] = (({"day": "d007", "id": 3}, 1), ({"id": 3}, 100))
"""Predicates on a table of 100 partitions, and how many data files each leaves."""

WARM = 20
"""Plans after which a JVM has compiled what plans."""


def measured_planning(folder: Path, rounds: int) -> Iterator[Figure]:
    """Plans of 100 files in each of 100 partitions, beside pypaimon's and Java's of this table.

    No manifest is remembered from one plan to the next, by none of them.
    """
    path = table_of_manifests(folder, "planned", partitions=100, files=100)
    table = Table.at(path)
    with java_plans() as java:
        if java is not None:
            for equal, _ in PLANS:
                java(path, equal, WARM)
        for equal, left in PLANS:
            by_pypaimon = pypaimon_plan(table, equal)

            def ours(where: str = sql_of(equal), left: int = left) -> None:
                manifests._KEPT.clear()
                check_left(len(plan_query(table, Query(where)).tasks), left)

            def others(by_pypaimon: Callable[[], int] = by_pypaimon, left: int = left) -> None:
                check_left(by_pypaimon(), left)

            times = []
            for _ in range(rounds + 1):
                times.append([timed(ours), timed(others)])
                if java is not None:
                    milliseconds, files = java(path, equal, 1)
                    check_left(files, left)
                    times[-1].append(milliseconds)
            own, *rest = (min(each) for each in zip(*times[1:], strict=True))
            beside = (
                f"{name} {each:.0f} ms = {own / each:.1f}"
                for name, each in zip(("pypaimon", "Java"), rest, strict=False)
            )
            yield Figure(
                f"plan {sql_of(equal)}, 10,000 files",
                " / ".join([f"{own:.0f} ms", *beside]),
                "<= pypaimon, <= Java, warm",
                own <= min(rest),
            )
    shutil.rmtree(path)


def pypaimon_plan(table: Table, equal: Equal) -> Callable[[], int]:
    """What plans with pypaimon, and returns how many data files are left."""
    builder = table.pypaimon.new_read_builder()
    predicates = builder.new_predicate_builder()
    parts = [predicates.equal(name, value) for name, value in equal.items()]
    builder = builder.with_filter(predicates.and_predicates(parts))

    def call() -> int:
        splits: Any = builder.new_scan().plan().splits()
        return sum(len(split.files) for split in splits)

    return call


@contextmanager
def java_plans() -> Iterator[JavaPlan | None]:
    """Yield what plans in one JVM; None, which it prints, where Java is missing."""
    try:
        classpath()
    except MissingToolError as error:
        print(f"Java's plans are left out: {error}")
        yield None
        return
    with session("Tables", heap="4g") as running:
        yield lambda path, equal, rounds: _java_plan(running, path, equal, rounds)


def _java_plan(running: Session, path: str, equal: Equal, rounds: int) -> tuple[float, int]:
    leaves = [{"op": "eq", "col": name, "value": value} for name, value in equal.items()]
    predicate = leaves[0] if len(leaves) == 1 else {"op": "and", "args": leaves}
    running.ask({"op": "open", "path": path})
    answer = running.ask({"op": "plan", "predicate": predicate, "rounds": rounds})
    return answer["nanos"] / 1e6, answer["files"]


def sql_of(equal: Equal) -> str:
    """The predicate as SQL."""
    return " AND ".join(f"{name} = {value!r}" for name, value in equal.items())


def check_left(files: int, wanted: int) -> None:
    """End if a plan leaves other data files than it should."""
    if files != wanted:
        sys.exit(f"a plan leaves {files} data files, not {wanted}")
