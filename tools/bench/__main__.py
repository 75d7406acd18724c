"""The command `python -m tools.bench`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from tools import jvm
from tools.bench import index
from tools.bench.advising import measured_advice
from tools.bench.auditing import audited_on_spark, measured_audit
from tools.bench.building import measured_building, measured_memory, planned_memory
from tools.bench.deleting import measured_deleting
from tools.bench.harness import Figure
from tools.bench.planning import measured_planning, planned, planned_on_spark
from tools.bench.queries import Line, measured_queries
from tools.bench.row_ids import measured_row_ids
from tools.bench.scale import AUDITS, audited_memory, measured_scale
from tools.bench.show import show_building, show_index, show_machine, show_queries
from tools.bench.spark import built_on_spark, measured_spark, queries_on_spark, small_on_spark
from tools.jvm import MissingToolError

PARTS = ("queries", "plan", "building", "audit", "delete", "advise", "row-ids", "spark", "memory")
LONG = ("scale",)
"""Parts that take long, and run only if they are named."""


def main() -> int:
    """Print the figures; return 1 if a target is missed, or if Java is missing for `index`."""
    if sys.argv[1:2] == ["apart"]:
        print(json.dumps(apart(*sys.argv[2:])))
        return 0
    parser = argparse.ArgumentParser(prog="python -m tools.bench")
    what = parser.add_subparsers(dest="what", required=True)
    for name, measured in (("index", "lines whose name has TEXT"), ("tables", "these parts")):
        command = what.add_parser(name)
        command.add_argument("--quick", action="store_true", help="less of it, to try it out")
        command.add_argument("--rows", type=int, help="rows of most tables; 1,000,000")
        command.add_argument("--rounds", type=int, help="rounds; 7, or 3 with --quick")
        command.add_argument("--json", type=Path, help="also write the figures to this file")
        if name == "index":
            command.add_argument("--only", default="", metavar="TEXT", help=measured)
        else:
            choices = PARTS + LONG
            command.add_argument(
                "--only", nargs="+", choices=choices, default=PARTS, metavar="PART", help=measured
            )
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 7)
    console = Console(width=None if sys.stdout.isatty() else 160)
    return (_index if arguments.what == "index" else _tables)(console, arguments)


def _index(console: Console, arguments: argparse.Namespace) -> int:
    missing = None
    try:
        jvm.classpath()
    except MissingToolError as error:
        missing = str(error)
    seconds = 0.05 if arguments.quick else 0.3
    rows = arguments.rows or index.ROWS
    effort = index.Effort(rows, arguments.rounds, seconds, only=arguments.only)
    with console.status("measuring") as status:
        lines = list(
            index.measured_indexes(
                effort, missing is None, lambda part: status.update(f"measuring {part}")
            )
        )
    show_index(console, lines, f"{rows:,} rows, median of {arguments.rounds} rounds")
    _write(arguments.json, lines)
    if missing:
        console.print(f"not compared with Java: {missing}", markup=False)
    missed = [line.name for line in lines if line.met is False]
    if missed:
        console.print(f"missed: {'; '.join(missed)}", markup=False)
    return 1 if missing or missed else 0


def _tables(console: Console, arguments: argparse.Namespace) -> int:
    rows = arguments.rows or (index.ROWS // 10 if arguments.quick else index.ROWS)
    rounds, only = arguments.rounds, arguments.only
    show_machine(console, f"{rows:,} orders, median of {rounds} rounds")
    lines: list[Line] = []
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "queries" in only:
            for line in measured_queries(folder, rows, rounds):
                console.print(f"[dim]{line.table}: {line.query}[/]", highlight=False)
                lines.append(line)
            show_queries(console, lines)
        if "plan" in only:
            figures += measured_planning(folder, rounds)
        if "scale" in only:
            figures += measured_scale(folder, 100 if arguments.quick else 1)
        if "building" in only:
            figures += measured_building(folder, rows, rounds)
        if "audit" in only:
            figures += measured_audit(folder, rows, rounds, spark=has_java(console))
        if "delete" in only:
            figures += measured_deleting(folder, rows, rounds)
        if "advise" in only:
            figures += measured_advice(folder, rows, rounds)
        if "row-ids" in only:
            figures += measured_row_ids(folder, rows, rounds)
        if "spark" in only and has_java(console):
            figures += measured_spark(folder, rows, max(2, rounds // 2))
        if "memory" in only:
            counts = (100, 10_000) if arguments.quick else (1000, 100_000)
            figures += measured_memory(folder, counts)
    show_building(console, figures)
    _write(arguments.json, {"rows": rows, "rounds": rounds, "queries": lines, "building": figures})
    missed = sum(not line.met for line in lines) + sum(f.met is False for f in figures)
    if missed:
        console.print(f"[red]{missed} of {len(lines) + len(figures)} targets missed[/]")
    return 1 if missed else 0


def _write(path: Path | None, report: object) -> None:
    if path:
        path.write_text(json.dumps(report, default=asdict, indent=1) + "\n")


_APART: dict[str, Callable[..., Any]] = {
    "audit-on-spark": audited_on_spark,
    "column": index.write_column,
    "memory": planned_memory,
    "memory-of-build": index.memory_ratio,
    "plan": planned,
    "plan-on-spark": planned_on_spark,
    "queries-on-spark": queries_on_spark,
    "small-on-spark": small_on_spark,
    "spark": built_on_spark,
}


def apart(part: str, *arguments: str) -> Any:
    """What `run_apart` runs."""
    if part in AUDITS:
        return audited_memory(part, *arguments)
    return _APART[part](*(int(a) if a.isdecimal() else a for a in arguments))


def has_java(console: Console) -> bool:
    """Whether Spark can run; says so if not."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return True
    console.print("Spark is left out: Java was not found; install Java 17 and put it on PATH")
    return False


if __name__ == "__main__":
    sys.exit(main())
