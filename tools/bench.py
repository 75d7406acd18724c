"""Measures building and looking up against the Paimon library, both in one run.

    python -m tools.bench [--quick] [--rounds N] [--only TEXT] [--json FILE]

Python and Java take turns, each on a column made by the same rule (tools/java/Bench.java), after
both have warmed up; a figure is the median of the rounds. The indexes that both build have to be
the same bytes. Java's column is in memory as the library's own objects, ours as Arrow. A look-up
opens the file, evaluates and closes it. Peak memory and start-up times are those of processes of
their own. The exit code is 1 if a target is missed, and without Java, when only the Python figures
are printed. With --only, the lines whose name holds the text are measured: `--only "on V2"`.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyroaring import BitMap, BitMap64
from rich import box
from rich.console import Console
from rich.table import Table

import paimon_ksy as pk
from paimon_ksy.roaring.bitmap_32 import read_bitmap, read_first
from paimon_ksy.roaring.bitmap_64 import read_bitmaps
from paimon_ksy.table_index.crc32 import crc32
from tools import jvm
from tools.maven import ROOT, MissingToolError
from tools.memory import resident_bytes

ROWS = 1_000_000
_INDEX = str(ROOT / "examples" / "worked" / "orders.parquet.index")
_TABLE = str(ROOT / "examples" / "warehouse" / "default.db" / "orders")
VECTORS = ("scattered", "runs of 1,000")
VECTOR_BITS: tuple[Literal[32, 64], ...] = (32, 64)
# DDL, title, least ratio to Java's speed of building V2, most of Java's time for = on it
KINDS: dict[str, tuple[str, str, float, float]] = {
    "strings": ("c STRING", "8 strings", 1.5, 2),
    "ints8": ("c INT", "8 ints", 1.5, 0.5),
    "ints": ("c INT", "10,000 ints", 1.5, 0.5),
    "bigints": ("c BIGINT", "1,000,000 bigints", 20, 2),
}
# Index type, column, its DDL, title, least ratio to Java's speed of building
OTHERS = [
    ("bloom-filter", "ids", "c STRING", "1,000,000 strings", 1),
    ("bloom-filter", "short", "c STRING", "1,000,000 short strings", 1),
    ("range-bitmap", "ints24", "c INT", "24-bit ints", 10),
    ("range-bitmap", "ints", "c INT", "10,000 ints", 10),
    ("bsi", "ints24", "c INT", "24-bit ints", 1),
]


@dataclass(frozen=True)
class Row:
    """One line of the result, in milliseconds unless `unit` says otherwise."""

    name: str
    target: str
    python: float
    java: float | None
    met: bool | None  # None: not known without Java, or no target
    unit: str = "ms"


# The column, by the same rule as in tools/java/Bench.java ----------------------------------------


def make_column(kind: str, rows: int) -> pa.Array:
    """The values of one kind; Bench.java makes the same."""
    numbers = _mix(np.arange(rows, dtype=np.uint64))
    if kind == "bigints":
        return pa.array(numbers.view(np.int64))
    half = numbers >> np.uint64(1)
    if kind == "ints24":
        return pa.array((numbers >> np.uint64(40)).astype(np.int32))
    if kind == "ids":
        return pa.array([f"id-{number}" for number in half.tolist()])
    if kind == "short":  # at most 10 bytes
        return pa.array([f"id-{number}" for number in (half % np.uint64(10_000_000)).tolist()])
    if kind == "ints8":
        return pa.array((half % np.uint64(8)).astype(np.int32))
    if kind == "ints":
        return pa.array((half % np.uint64(10_000)).astype(np.int32))
    names = pa.array([f"status-{number}" for number in range(8)])
    return names.take(pa.array((half % np.uint64(8)).astype(np.int64)))


def _mix(row: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64."""
    z = (row + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def literal_lists(column: pa.Array, count: int) -> list[list[object]]:
    """Ten lists of literals to look up, from rows here and there."""
    rows = np.random.default_rng(7).integers(0, len(column), (10, count))
    return [column.take(pa.array(line)).to_pylist() for line in rows]


# Timing -----------------------------------------------------------------------------------------


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that one call takes."""
    gc.collect()
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def per_call(calls: list[Callable[[], object]], seconds: float) -> float:
    """The median milliseconds of one call, making them in turn until the time is over."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        call = calls[len(times) % len(calls)]
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


@dataclass(frozen=True)
class Effort:
    """How long to measure. Java's compilers need their time in a quick run, too."""

    rows: int
    rounds: int  # of each side
    seconds: float  # of look-ups in a round
    warm_up: float = 2.0  # seconds of look-ups before; three times as many of building
    only: str = ""

    def takes(self, *names: str) -> bool:
        """Whether a line of one of these names is to be measured."""
        return any(self.only in name for name in names)


def in_turn(
    python: Callable[[], float], java: Callable[[], float] | None, rounds: int
) -> tuple[float, float | None]:
    """The medians of both sides, measured alternately."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(python())
        if java:
            theirs.append(java())
    return statistics.median(ours), statistics.median(theirs) if theirs else None


# Building and looking up ------------------------------------------------------------------------


def _lookups(title: str, index: str) -> list[str]:
    """The names of look-up lines."""
    signs = ("=", "IN(20)") if index.startswith("V") else ("BETWEEN", ">", "=")
    return [f"{sign} on {index}, {title}" for sign in signs]


def measure_kind(
    kind: str, java: jvm.Session | None, effort: Effort, folder: Path
) -> Iterator[Row]:
    """Building V2, then look-ups on V1 and V2, for one kind of column."""
    ddl, title, least, within = KINDS[kind]
    schema = pk.Schema.parse(ddl)
    column = make_column(kind, effort.rows)
    table = pa.table({"c": column})
    if java:
        java.ask({"op": "column", "data": kind, "rows": effort.rows})
    for number in (2, 1):
        path = folder / f"{kind}-{number}.index"
        options = _bitmap(number)
        build = _python_build(table, schema, options)
        path.write_bytes(build())
        if java:
            _check_same_bytes(java, path, options)
        if number == 2 and effort.takes(f"build V2, {title}"):
            yield _build_row(f"V2, {title}", build, options, java, effort, least)
        for count in (1, 20):
            literals = literal_lists(column, count)
            names = "=" if count == 1 else "IN(20)"
            name = f"{names} on V{number}, {title}"
            most = within if count == 1 and number == 2 else None
            if effort.takes(name):
                yield _lookup_row(name, path, schema, "in", literals, java, effort, most)


def measure_other(
    case: tuple[str, str, str, str, float], java: jvm.Session | None, effort: Effort, folder: Path
) -> Iterator[Row]:
    """Building another type of index; then look-ups, unless it is a bloom filter."""
    index, kind, ddl, title, least = case
    schema = pk.Schema.parse(ddl)
    column = make_column(kind, effort.rows)
    if java:
        java.ask({"op": "column", "data": kind, "rows": effort.rows})
    options = {f"file-index.{index}.columns": "c"}
    path = folder / f"{index}-{kind}.index"
    build = _python_build(pa.table({"c": column}), schema, options)
    path.write_bytes(build())
    if java:
        _check_same_bytes(java, path, options)
    if effort.takes(f"build {index}, {title}"):
        yield _build_row(f"{index}, {title}", build, options, java, effort, least)
    if index == "bloom-filter":
        return  # it tells only whether to read the file
    for sign, kind_of, count in (("BETWEEN", "between", 2), (">", "gt", 1), ("=", "in", 1)):
        literals = [sorted(values) for values in literal_lists(column, count)]  # type: ignore[type-var]
        name = f"{sign} on {index}, {title}"
        within = 1 if index == "range-bitmap" else None
        if effort.takes(name):
            yield _lookup_row(name, path, schema, kind_of, literals, java, effort, within)


def _bitmap(number: int) -> dict[str, str]:
    return {"file-index.bitmap.columns": "c", "file-index.bitmap.c.version": str(number)}


def _python_build(
    table: pa.Table, schema: pk.Schema, options: dict[str, str]
) -> Callable[[], bytes]:
    return lambda: pk.build_file_index(table, schema, options)


def _check_same_bytes(java: jvm.Session, path: Path, options: dict[str, str]) -> None:
    theirs = path.with_suffix(".java")
    java.ask({"op": "build", "options": options, "path": str(theirs)})
    if theirs.read_bytes() != path.read_bytes():
        raise SystemExit(f"{path.name}: the library builds other bytes; see make conformance")
    theirs.unlink()


def _build_row(
    title: str,
    build: Callable[[], bytes],
    options: dict[str, str],
    java: jvm.Session | None,
    effort: Effort,
    least_ratio: float,
) -> Row:
    def java_once() -> float:
        assert java
        return float(java.ask({"op": "build", "options": options})["nanos"]) / 1e6

    # The JVM needs up to 15 builds until its compilers are done; 3 of the slowest have to do.
    end = time.perf_counter() + 3 * effort.warm_up
    warmups = 0
    while java and (warmups < 3 or (warmups < 20 and time.perf_counter() < end)):
        java_once()
        warmups += 1
    build()
    ours, theirs = in_turn(lambda: timed(build), java_once if java else None, effort.rounds)
    return Row(
        f"build {title}",
        f"{least_ratio:g}x Java's speed",
        ours,
        theirs,
        theirs / ours >= least_ratio if theirs else None,
    )


def _lookup_row(
    name: str,
    path: Path,
    schema: pk.Schema,
    kind: str,
    literals: list[list[object]],
    java: jvm.Session | None,
    effort: Effort,
    within: float | None,  # times Java's; None: faster than Java
) -> Row:
    calls = [_python_lookup(path, schema, _predicate(kind, values)) for values in literals]

    lookup = {"op": "lookup", "path": str(path), "kind": kind, "literals": literals}

    def java_for(seconds: float) -> float:
        assert java
        return float(java.ask(lookup | {"seconds": seconds})["nanos"]) / 1e6

    if java:
        found = java.ask(lookup | {"seconds": effort.warm_up})["found"]
        counts = [call() for call in calls]
        if any(theirs not in (-1, ours) for ours, theirs in zip(counts, found, strict=True)):
            raise SystemExit(f"{path.name}: the library finds {found} rows, we {counts}")
    per_call(calls, effort.seconds)
    ours, theirs = in_turn(
        lambda: per_call(calls, effort.seconds),
        (lambda: java_for(effort.seconds)) if java else None,
        effort.rounds,
    )
    if within and within != 1:
        met = ours < 1 and ours <= within * theirs if theirs else None
        return Row(name, f"{within:g}x Java's time, under 1 ms", ours, theirs, met)
    if within:
        met = ours <= within * theirs if theirs else None
        return Row(name, "within Java's time", ours, theirs, met)
    return Row(name, "faster than Java", ours, theirs, ours < theirs if theirs else None)


def _predicate(kind: str, values: list[object]) -> pk.Predicate:
    column = pk.col("c")
    if kind == "between":
        return column.between(*values)
    if kind == "gt":
        return column > values[0]
    return column == values[0] if len(values) == 1 else column.is_in(values)


def _python_lookup(path: Path, schema: pk.Schema, predicate: pk.Predicate) -> Callable[[], object]:
    def look_up() -> int | None:
        with pk.FileIndex.open(path, schema) as index:
            return index.evaluate(predicate).count

    return look_up


# What checking costs ----------------------------------------------------------------------------


def measure_checks(effort: Effort) -> Iterator[Row]:
    """Reading a bitmap with our checks, and what it takes without them."""
    rows = np.arange(effort.rows, dtype=np.uint32)
    bitmaps = {
        "1 row in 100": BitMap(rows[::100]),
        "1 row in 8": BitMap(rows[::8]),
        "runs of 1,000 rows": BitMap(rows[rows // 1000 % 2 == 0]),
    }
    for name, bitmap in bitmaps.items():
        if not effort.takes(f"read a bitmap: {name}"):
            continue
        bitmap.run_optimize()
        data = bitmap.serialize()
        ours, alone = in_turn(
            lambda data=data: per_call([lambda: read_bitmap(data, effort.rows)], 0.05),  # type: ignore[misc]
            lambda data=data: per_call([lambda: BitMap.deserialize(data)], 0.05),  # type: ignore[misc]
            effort.rounds,
        )
        assert alone
        yield Row(f"read a bitmap: {name}", f"({_figure(alone, 'ms')} unchecked)", ours, None, None)


# Deletion vectors -------------------------------------------------------------------------------


def _on_vectors(bits: int, title: str) -> list[str]:
    """The names of lines on vectors."""
    what = ("read a vector", "write a vector", "write it the first time", "apply a vector")
    return [f"{name}: {bits} bits, {title}" for name in what]


def measure_vectors(
    bits: Literal[32, 64], java: jvm.Session | None, effort: Effort, folder: Path
) -> Iterator[Row]:
    """Reading, writing and applying a vector that deletes a tenth of ten times as many rows.

    All in memory: from bytes to a vector and back. Java is asked in the same order, so it writes
    the vector that it read. On each write Java looks again for containers that are smaller as
    runs (`runOptimize`); we do so on the first one only, since a vector never changes, and that
    one is measured too, for a vector that was just read.
    """
    num_rows = 10 * effort.rows
    random = np.random.default_rng(1)
    every = np.arange(num_rows)
    scattered = random.choice(num_rows, effort.rows, replace=False)
    for title, deleted in zip(VECTORS, (scattered, every[every // 1000 % 10 == 0]), strict=True):
        names = _on_vectors(bits, title)
        if not effort.takes(*names):
            continue
        read, write, write_first, applied = names
        vector = pk.DeletionVector.of(deleted, bits)
        path = folder / f"{title}-{bits}.vector"
        path.write_bytes(vector.to_bytes())
        yield _read_vector_row(read, vector, path, java, effort)
        # Java keeps the vector that it read last.
        ours, theirs = _with_java(vector.to_bytes, {"op": "write"}, java, effort)
        met = None if theirs is None else ours <= theirs
        yield Row(write, "Java's speed", ours, theirs, met)
        first = _first_write(vector.to_bytes(), effort)
        yield Row(write_first, "", first, theirs, None)
        apply = partial(vector.mask, 0, num_rows)
        ours, theirs = _with_java(apply, {"op": "apply", "rows": num_rows}, java, effort)
        met = None if theirs is None else 5 * ours <= theirs
        yield Row(applied, "5x Java's speed", ours, theirs, met)


def _read_vector_row(
    title: str, vector: pk.DeletionVector, path: Path, java: jvm.Session | None, effort: Effort
) -> Row:
    """Reading, against pyroaring alone plus our checks: of the CRC, and of the bitmap's values.

    The first figure is pyroaring's own reading of the same bitmap, of 32 or 64 bits. What we take
    beyond it and the checks is finding the vector and making the object.
    """
    rows = vector.rows() if vector.bits == 32 else vector.rows_64()
    rows.run_optimize()
    bitmap, data = rows.serialize(), vector.to_bytes()
    assert bitmap in data
    deserialize, check = (
        (BitMap.deserialize, read_first)
        if vector.bits == 32
        else (BitMap64.deserialize, read_bitmaps)
    )
    alone = per_call([partial(deserialize, bitmap)], effort.seconds)
    checked = partial(per_call, [lambda: (crc32(bitmap, 0), check(bitmap))], effort.seconds)
    read = partial(pk.DeletionVector.from_bytes, data)
    ours, least = in_turn(partial(per_call, [read], effort.seconds), checked, effort.rounds)
    assert least
    _, theirs = _with_java(read, {"op": "read", "path": str(path)}, java, effort)
    target = f"1.2x of {alone:.2g} + {least - alone:.2g} checks"
    return Row(title, target, ours, theirs, ours <= 1.2 * least)


def _first_write(data: bytes, effort: Effort) -> float:
    """The median milliseconds of writing a vector that was just read."""
    times: list[float] = []
    end = time.perf_counter() + effort.seconds
    while len(times) < 3 or time.perf_counter() < end:
        vector = pk.DeletionVector.from_bytes(data)
        start = time.perf_counter()
        vector.to_bytes()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def _with_java(
    python: Callable[[], object],
    request: Mapping[str, object],
    java: jvm.Session | None,
    effort: Effort,
) -> tuple[float, float | None]:
    def theirs() -> float:
        assert java
        return statistics.median(float(java.ask(request)["nanos"]) / 1e6 for _ in range(5))

    end = time.perf_counter() + effort.warm_up / 2
    while java and time.perf_counter() < end:
        java.ask(request)
    ours = partial(per_call, [python], effort.seconds / 3)
    return in_turn(ours, theirs if java else None, effort.rounds)


# Memory and start-up, in processes of their own -------------------------------------------------


def measure_memory(effort: Effort) -> Iterator[Row]:
    """Peak memory of building, as a multiple of the column's size in Arrow."""
    for kind, (_, title, *_) in KINDS.items():
        if not effort.takes(f"memory to build V2, {title}"):
            continue
        command = [sys.executable, "-m", "tools.bench", "--rows", str(effort.rows)]
        done = subprocess.run(
            [*command, "--memory", kind], cwd=ROOT, capture_output=True, text=True, check=True
        )
        ratio = float(done.stdout)
        name = f"memory to build V2, {title}"
        yield Row(name, "at most 6x the Arrow size", ratio, None, ratio <= 6, unit="x")


def memory_ratio(kind: str, rows: int) -> float:
    """Runs in a process that does nothing else: peak memory of one build / Arrow size."""
    ddl, *_ = KINDS[kind]
    schema = pk.Schema.parse(ddl)
    # The column comes from a file, for making it would leave free memory for the build to use.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "column.arrow")
        made = [sys.executable, "-m", "tools.bench", "--rows", str(rows), "--column", kind]
        subprocess.run([*made, str(path)], cwd=ROOT, check=True)
        table = pa.ipc.open_file(path.read_bytes()).read_all()
    _python_build(table.slice(0, 1), schema, _bitmap(2))()  # imports what building imports
    before, _ = resident_bytes()
    _python_build(table, schema, _bitmap(2))()
    _, peak = resident_bytes()
    return float((peak - before) / table.nbytes)


STARTS: dict[str, tuple[int | None, list[str]]] = {
    "Python alone": (None, ["-c", "pass"]),
    "import paimon_ksy": (100, ["-c", "import paimon_ksy"]),
    "paimon-ksy --help": (300, ["-m", "paimon_ksy", "--help"]),
    "paimon-ksy inspect FILE": (300, ["-m", "paimon_ksy", "inspect", _INDEX]),
    "paimon-ksy eval FILE": (
        1000,
        ["-m", "paimon_ksy", "eval", _INDEX, "-s", "status STRING", "-w", "status = 'PENDING'"],
    ),
    "paimon-ksy table count TABLE": (
        2000,
        ["-m", "paimon_ksy", "table", "count", _TABLE, "-w", "status = 'PENDING'"],
    ),
}
"""Lines, each with the most milliseconds that it may take, and the arguments of Python."""


def measure_start_up(effort: Effort) -> Iterator[Row]:
    """How long a new process takes from its start to its end: the first thing that a user sees."""
    for start, (most, arguments) in STARTS.items():
        name = f"start: {start}"
        if not effort.takes(name):
            continue

        def run(arguments: list[str] = arguments) -> object:
            command = [sys.executable, *arguments]
            return subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

        run()
        ours = statistics.median(timed(run) for _ in range(effort.rounds))
        target = "" if most is None else f"under {most:,} ms"
        yield Row(name, target, ours, None, None if most is None else ours < most)


# The command ------------------------------------------------------------------------------------


def measure(effort: Effort, java_is_there: bool, progress: Callable[[str], None]) -> list[Row]:
    """All rows of the table, in its order."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, (_, title, *_) in KINDS.items():
            names = [f"build V2, {title}", *_lookups(title, "V2"), *_lookups(title, "V1")]
            if not effort.takes(*names):
                continue
            progress(title)
            # A JVM for each: one that has seen other types compiles slower code for all.
            with jvm.session("Bench") if java_is_there else nullcontext() as java:
                rows += measure_kind(kind, java, effort, Path(folder))
        for case in OTHERS:
            if not effort.takes(f"build {case[0]}, {case[3]}", *_lookups(case[3], case[0])):
                continue
            progress(f"{case[0]}, {case[3]}")
            with jvm.session("Bench") if java_is_there else nullcontext() as java:
                rows += measure_other(case, java, effort, Path(folder))
        for bits in VECTOR_BITS:
            if not effort.takes(*(name for title in VECTORS for name in _on_vectors(bits, title))):
                continue
            progress(f"{bits}-bit deletion vectors")
            with jvm.session("Vectors") if java_is_there else nullcontext() as java:
                rows += measure_vectors(bits, java, effort, Path(folder))
    for name, part in {
        "checks": measure_checks,
        "memory": measure_memory,
        "start-up": measure_start_up,
    }.items():
        progress(name)
        rows += part(effort)
    return [row for row in rows if effort.takes(row.name)]


def to_table(rows: list[Row], effort: Effort) -> Table:
    """The figures with their targets."""
    title = f"{effort.rows:,} rows, median of {effort.rounds} rounds"
    table = Table(title=title, caption=_machine(), box=box.SIMPLE)
    table.add_column("", no_wrap=True)
    for heading in ("Python", "Java", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("target")  # the one that may wrap
    table.add_column("met", no_wrap=True)
    for row in rows:
        table.add_row(
            row.name,
            _figure(row.python, row.unit),
            "" if row.java is None else _figure(row.java, row.unit),
            "" if row.java is None else f"{row.java / row.python:.2f}",
            row.target,
            {True: "[green]yes[/]", False: "[red]no[/]", None: ""}[row.met],
        )
    return table


def _figure(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


_PACKAGES = ("numpy", "pyarrow", "pyroaring", "isal")


def _machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"{platform.machine()}, Python {platform.python_version()}, {packages}"


def main() -> int:
    """Prints the table; exit code 1 if Java is missing or a target is not met."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench")
    parser.add_argument("--quick", action="store_true", help="few rounds: to see that it works")
    parser.add_argument("--rounds", type=int, help="default 7")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name holds TEXT")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--column", nargs=2, metavar=("KIND", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--memory", choices=KINDS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.column:
        kind, path = arguments.column
        table = pa.table({"c": make_column(kind, arguments.rows)})
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
        return 0
    if arguments.memory:
        print(memory_ratio(arguments.memory, arguments.rows))
        return 0
    rounds = arguments.rounds or (3 if arguments.quick else 7)
    seconds = 0.05 if arguments.quick else 0.3
    return _run(Effort(arguments.rows, rounds, seconds, only=arguments.only), arguments.json)


def _run(effort: Effort, json_path: Path | None) -> int:
    missing = None
    try:
        jvm.classpath()
    except MissingToolError as error:
        missing = str(error)
    console = Console()
    if not console.is_terminal:
        console = Console(width=130)
    with console.status("measuring") as status:
        rows = measure(effort, missing is None, lambda part: status.update(f"measuring {part}"))
    console.print(to_table(rows, effort))
    if json_path:
        json_path.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    if missing:
        console.print(f"not compared with Java: {missing}", markup=False)
    missed = [row.name for row in rows if row.met is False]
    if missed:
        console.print(f"missed: {'; '.join(missed)}", markup=False)
    return 1 if missing or missed else 0


if __name__ == "__main__":
    sys.exit(main())
