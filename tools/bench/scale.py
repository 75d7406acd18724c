"""Tables of a million data files: plans of them, and the memory that audits of them take."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.store import Table
from tools.bench.harness import Figure, resident_bytes, run_apart, timed
from tools.bench.planning import (
    CLUSTER,
    CONNECT,
    PLANS,
    WARM,
    Equal,
    JavaPlan,
    check_left,
    java_plans,
    pypaimon_plan,
    sql_of,
)
from tools.made_manifests import day_of, table_of_manifests

AUDITS = {"audit": "audit", "orphans": "clean-orphans --dry-run"}


def measured_scale(folder: Path, part: int) -> Iterator[Figure]:
    """Plans and audits of a million data files, or of one in `part` of them.

    A plan of ours is the first one of its process; Java's is the faster of two in a warm JVM.
    pypaimon plans one partition only: without a partition it takes minutes.
    """
    count = 1_000_000 // part
    least = min(10_000, count)
    few = table_of_manifests(folder, "few", partitions=100, files=least // 100, exist=True)
    with java_plans() as java:
        if java is not None:
            for equal, _ in PLANS:
                java(few, equal, WARM)
        path = table_of_manifests(folder, "many", partitions=1000, files=1000 // part, exist=True)
        yield from _plans(path, count, 1000, "", java, rounds=2 if part == 1 else 1)
        yield from _memory(few, path, least, count)
        shutil.rmtree(few)
        shutil.rmtree(path)
        yield _with_vectors(folder, count)
        for partitions, number, what in (
            (100_000 // part, None, f", {100_000 // part:,} partitions"),
            (1000, 50_000 // part, f", {50_000 // part:,} manifests"),
        ):
            path = table_of_manifests(
                folder, "many", partitions=partitions, files=count // partitions, manifests=number
            )
            yield from _plans(path, count, partitions, what, java, rounds=1)
            shutil.rmtree(path)


def _plans(
    path: str, count: int, partitions: int, what: str, java: JavaPlan | None, *, rounds: int
) -> Iterator[Figure]:
    """Plans of one partition, and of all manifests by statistics, with both cores and with one."""
    equal: Equal = {"day": day_of(7, partitions), "id": 3}
    plan = run_apart("plan", path, sql_of(equal))
    check_left(plan["left"], 1)
    by_pypaimon = timed(pypaimon_plan(Table.at(path), equal)) / 1e3
    yield Figure(
        f"plan day = .. AND id = .., {count:,} files{what}",
        f"{plan['seconds']:.2f} s, {plan['megabytes']:.0f} MB / pypaimon {by_pypaimon:.2f} s"
        + _beside_java(plan["seconds"], java, path, equal, 1),
        "< 2 s, < 300 MB",
        plan["seconds"] < 2 and plan["megabytes"] < 300,
    )
    equal = {"id": 3}
    cores: dict[int, list[Any]] = {1: [], 2: []}
    for _ in range(rounds):  # in turn, for other load on the machine comes and goes
        for number, plans in cores.items():
            plans.append(run_apart("plan", path, sql_of(equal), cores=number))
    one, two = (min(plans, key=lambda plan: plan["seconds"]) for plans in cores.values())
    check_left(one["left"], partitions)
    check_left(two["left"], partitions)
    each = one["processor"] / count * 1e6
    is_large = count >= 1_000_000  # of few, imports take most of the time
    yield Figure(
        f"plan id = .., {count:,} files{what}, all manifests read",
        f"{each:.1f} us of the processor a file, {two['megabytes']:.0f} MB",
        "<= 10 us",
        each <= 10 if is_large else None,
    )
    yield Figure(
        f"plan id = .., {count:,} files{what}, 1 core to 2",
        f"{one['seconds']:.2f} s / {two['seconds']:.2f} s = {one['seconds'] / two['seconds']:.2f}",
        ">= 1.6",
        one["seconds"] >= 1.6 * two["seconds"] if is_large else None,
    )
    if java is None:
        return
    yield from _on_spark(path, count, partitions, what)
    milliseconds, left = java(path, equal, 2)
    check_left(left, partitions)
    ratio = two["seconds"] * 1e3 / milliseconds
    yield Figure(
        f"plan id = .., {count:,} files{what}, time to Java's plan",
        f"{two['seconds']:.2f} s / {milliseconds / 1e3:.2f} s = {ratio:.2f}",
        "<= 1.0",
        ratio <= 1 if is_large else None,
    )


def _on_spark(path: str, count: int, partitions: int, what: str) -> Iterator[Figure]:
    """Plans by statistics, with manifests as tasks of Spark on two cores."""
    for master in (CLUSTER, CONNECT):
        plan = run_apart("plan-on-spark", master, path, sql_of({"id": 3}))
        check_left(plan["left"], partitions)
        each = 2 * plan["seconds"] / count * 1e6
        yield Figure(
            f"plan id = .., {count:,} files{what}, on {master}",
            f"{plan['seconds']:.2f} s = {each:.1f} us a file and core, "
            f"driver {plan['megabytes']:.0f} MB",
            "<= 10 us",
            each <= 10 if count >= 1_000_000 else None,
        )


def _with_vectors(folder: Path, count: int) -> Figure:
    """A plan of one partition where each file has a deletion vector."""
    files = count // 1000
    path = table_of_manifests(folder, "many", partitions=1000, files=files, vectors=files)
    plan = run_apart("plan", path, sql_of({"day": day_of(7, 1000), "id": 3}))
    check_left(plan["left"], 1)
    shutil.rmtree(path)
    return Figure(
        f"plan day = .. AND id = .., {count:,} files with deletion vectors",
        f"{plan['seconds']:.2f} s, {plan['megabytes']:.0f} MB",
        "< 4 s, < 450 MB",
        plan["seconds"] < 4 and plan["megabytes"] < 450,
    )


def _beside_java(seconds: float, java: JavaPlan | None, path: str, equal: Equal, left: int) -> str:
    if java is None:
        return ""
    milliseconds, files = java(path, equal, 2)
    check_left(files, left)
    return f" / Java {milliseconds / 1e3:.2f} s = {seconds * 1e3 / milliseconds:.1f}"


def _memory(few: str, many: str, least: int, count: int) -> Iterator[Figure]:
    """The most memory that audits of metadata take for few files and for many."""
    for kind, name in AUDITS.items():
        small, large = (run_apart(kind, path)["megabytes"] for path in (few, many))
        yield Figure(
            f"{name}: memory of the driver, {least:,} files to {count:,}",
            f"{small:.0f} MB / {large:.0f} MB = {large / small:.1f}",
            "<= 1.5 times",
            large <= 1.5 * small,
        )


def audited_memory(kind: str, path: str) -> dict[str, float]:
    """The most memory of this process after an audit of the metadata, or a search for orphans."""
    findings: Any = audit(Table.at(path)) if kind == "audit" else clean_orphans(Table.at(path))
    for one in findings:
        sys.exit(f"{AUDITS[kind]} found {one}")
    _, peak = resident_bytes()
    return {"megabytes": peak / 1e6}
