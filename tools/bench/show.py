"""The figures as tables."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from tools.bench.harness import Figure, Row, figure
from tools.bench.queries import Line
from tools.bench.readers import OURS, READERS


def show_machine(console: Console, effort: str) -> None:
    packages = "numpy pyarrow pyroaring isal pypaimon pypaimon-rust polars duckdb pyspark"
    versions = ", ".join(f"{package} {version(package)}" for package in packages.split())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    console.print(
        f"{effort}, {cores} cores, {platform.machine()}, Python {platform.python_version()}, "
        f"{versions}",
        highlight=False,
    )


def show_index(console: Console, rows: list[Row], effort: str) -> None:
    show_machine(console, effort)
    grid = Grid(box=box.SIMPLE)
    grid.add_column("", no_wrap=True)
    for heading in ("Python", "Java", "ratio"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("target")  # the one that may wrap
    grid.add_column("met", no_wrap=True)
    for row in rows:
        of_java = ("", "")
        if row.java is not None:
            of_java = (figure(row.java, row.unit), f"{row.java / row.python:.2f}")
        python = figure(row.python, row.unit)
        grid.add_row(row.name, python, *of_java, row.target, mark(row.met))
    console.print(grid)


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
        for one in figures:
            grid.add_row(one.name, one.value, one.target, mark(one.met))
        console.print(grid)


def mark(met: bool | None) -> str:
    return "" if met is None else "[green]yes[/]" if met else "[red]no[/]"
