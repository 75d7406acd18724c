"""The command `python -m tools.bench_tables`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from tools.bench_tables.advising import measured_advice
from tools.bench_tables.auditing import audited_on_spark, measured_audit
from tools.bench_tables.building import (
    built_on_spark,
    measured_building,
    measured_memory,
    measured_spark,
    planned_memory,
)
from tools.bench_tables.deleting import measured_deleting
from tools.bench_tables.figures import Figure
from tools.bench_tables.orders import ROWS
from tools.bench_tables.planning import measured_planning, planned, planned_on_spark
from tools.bench_tables.queries import Line, measured_queries
from tools.bench_tables.scale import AUDITS, audited_memory, measured_scale
from tools.bench_tables.show import show_building, show_machine, show_queries

PARTS = ("queries", "plan", "building", "audit", "delete", "advise", "spark", "memory")
LONG = ("scale",)
"""Parts that take long, and run only if they are named."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_tables")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, to try it out")
    parser.add_argument("--rows", type=int, help=f"rows of most tables; {ROWS:,}")
    parser.add_argument(
        "--rounds", type=int, help="rounds of each measurement; 7, or 3 with --quick"
    )
    parser.add_argument("--only", nargs="+", choices=PARTS + LONG, default=PARTS, metavar="PART")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--apart", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.apart:
        apart(*arguments.apart)
        return 0
    rows = arguments.rows or (ROWS // 10 if arguments.quick else ROWS)
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
        if "plan" in arguments.only:
            figures += measured_planning(folder, rounds)
        if "scale" in arguments.only:
            figures += measured_scale(folder, 100 if arguments.quick else 1)
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


def apart(part: str, *arguments: str) -> None:
    """What `run_apart` runs."""
    if part == "spark":
        master, path, rounds = arguments
        found: object = built_on_spark(master, path, int(rounds))
    elif part == "plan":
        found = planned(*arguments)
    elif part == "plan-on-spark":
        found = planned_on_spark(*arguments)
    elif part in AUDITS:
        found = audited_memory(part, *arguments)
    elif part == "audit-on-spark":
        path, rounds = arguments
        found = audited_on_spark(path, int(rounds))
    else:
        found = planned_memory(*arguments)
    print(json.dumps(found))


def has_java(console: Console) -> bool:
    """Whether Spark can run; says so if not."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return True
    console.print("Spark is left out: Java was not found; install Java 17 and put it on PATH")
    return False


if __name__ == "__main__":
    sys.exit(main())
