"""The command `python -m tools.bench`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from tools import jvm
from tools.bench import index
from tools.bench.harness import Figure
from tools.bench.jobs import (
    audited_on_spark,
    measured_advice,
    measured_audit,
    measured_building,
    measured_deleting,
    measured_memory,
    planned_memory,
)
from tools.bench.planning import measured_planning
from tools.bench.queries import Line, measured_queries
from tools.bench.row_ids import measured_row_ids
from tools.bench.show import show_building, show_index, show_machine, show_queries
from tools.bench.spark import built_on_spark, measured_spark, queries_on_spark, small_on_spark
from tools.jvm import MissingToolError

_APART: dict[str, Callable[..., Any]] = {
    "audit-on-spark": audited_on_spark,
    "column": index.write_column,
    "memory": planned_memory,
    "memory-of-build": index.memory_ratio,
    "queries-on-spark": queries_on_spark,
    "small-on-spark": small_on_spark,
    "spark": built_on_spark,
}
"""What `run_apart` runs in a process of its own."""


@dataclass(frozen=True)
class Effort:
    """How much is measured, and where: a folder for tables."""

    folder: Path
    rows: int
    rounds: int
    quick: bool
    java: bool

    def memory(self) -> Iterator[Figure]:
        """Return the figures of planning a rewrite for few files and for many."""
        return measured_memory(self.folder, (100, 10_000) if self.quick else (1000, 100_000))

    def spark(self) -> Iterator[Figure]:
        """Return the figures of Spark, if it can run."""
        rounds = max(2, self.rounds // 2)
        return measured_spark(self.folder, self.rows, rounds) if self.java else iter(())


PARTS: dict[str, Callable[[Effort], Iterator[Figure]]] = {
    "plan": lambda effort: measured_planning(effort.folder, effort.rounds),
    "building": lambda effort: measured_building(effort.folder, effort.rows, effort.rounds),
    "audit": lambda effort: measured_audit(
        effort.folder, effort.rows, effort.rounds, spark=effort.java
    ),
    "delete": lambda effort: measured_deleting(effort.folder, effort.rows, effort.rounds),
    "advise": lambda effort: measured_advice(effort.folder, effort.rows, effort.rounds),
    "row-ids": lambda effort: measured_row_ids(effort.folder, effort.rows, effort.rounds),
    "spark": Effort.spark,
    "memory": Effort.memory,
}
"""What `tables` measures beside queries."""


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
            choices = ("queries", *PARTS)
            command.add_argument(
                "--only", nargs="+", choices=choices, default=choices, metavar="PART", help=measured
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
    show_index(console, lines, f"{rows:,} rows, {arguments.rounds} rounds {index.METHOD}")
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
        effort = Effort(folder, rows, rounds, arguments.quick, has_java(console))
        for name, part in PARTS.items():
            figures += part(effort) if name in only else ()
    show_building(console, figures)
    _write(arguments.json, {"rows": rows, "rounds": rounds, "queries": lines, "building": figures})
    missed = sum(not line.met for line in lines) + sum(f.met is False for f in figures)
    if missed:
        console.print(f"[red]{missed} of {len(lines) + len(figures)} targets missed[/]")
    return 1 if missed else 0


def _write(path: Path | None, report: object) -> None:
    if path:
        path.write_text(json.dumps(report, default=asdict, indent=1) + "\n")


def apart(part: str, *arguments: str) -> Any:
    """Run a part with its arguments, which are numbers if they are digits."""
    return _APART[part](*(int(a) if a.isdecimal() else a for a in arguments))


def has_java(console: Console) -> bool:
    """Whether Spark can run; says so if not."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return True
    console.print("Spark is left out: Java was not found; install Java 17 and put it on PATH")
    return False


if __name__ == "__main__":
    sys.exit(main())
