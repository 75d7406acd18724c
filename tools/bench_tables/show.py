"""The figures as tables."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from tools.bench_tables.figures import Figure
from tools.bench_tables.queries import Line
from tools.bench_tables.readers import OURS, READERS


def show_machine(console: Console, rows: int, rounds: int) -> None:
    packages = ("pyarrow", "pypaimon", "pypaimon-rust", "polars", "duckdb", "pyspark")
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    console.print(
        f"{rows:,} orders, median of {rounds} rounds, {cores} cores, "
        f"Python {platform.python_version()}, {versions}",
        highlight=False,
    )


def show_queries(console: Console, lines: list[Line]) -> None:
    names = [kind.name for kind in READERS]
    others = [f"{name}\ntimes" for name in names[1:]]
    for call, is_first in (("the first call", True), ("a repeated call", False)):
        grid = Grid("table", "query", f"{OURS}\nms", *others, box=box.SIMPLE)
        grid.title = f"time of {call} of a reader, and how many times as long others take"
        for target in ("target", "met") if is_first else ():
            grid.add_column(target)
        for line in lines:
            times = line.times if is_first else line.repeated
            ratios = [
                f"{times[name] / times[OURS]:.1f}" if name in times else "n/a" for name in names[1:]
            ]
            judged = [line.target, mark(line.met)] if is_first else []
            grid.add_row(line.table, line.query, f"{times[OURS]:.1f}", *ratios, *judged)
        console.print(grid)
    grid = Grid("table", "query", *names, title="kB read in one call", box=box.SIMPLE)
    for line in lines:
        read = [
            f"{line.bytes[name] / 1000:,.1f}" if name in line.bytes else "n/a" for name in names
        ]
        grid.add_row(line.table, line.query, *read)
    console.print(grid)
    console.print(
        "n/a: Polars maps files into memory; pyarrow, Polars and DuckDB do not know deletion "
        "vectors, so their rows would be others.\n"
    )


def show_building(console: Console, figures: list[Figure]) -> None:
    if figures:
        grid = Grid("building and deleting", "figure", "target", "met", box=box.SIMPLE)
        for figure in figures:
            grid.add_row(figure.name, figure.value, figure.target, mark(figure.met))
        console.print(grid)


def mark(met: bool | None) -> str:
    return "" if met is None else "[green]yes[/]" if met else "[red]no[/]"
