"""How long a call takes and what it reads, and a figure beside its target."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tools.jvm import ROOT


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that one call takes."""
    gc.collect()
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def cpu_timed(call: Callable[[], object]) -> float:
    """Milliseconds of CPU that one call takes in all threads of this process."""
    gc.collect()
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


def warm_up(call: Callable[[], float], last: int = 10, most: int = 60) -> None:
    """Make a call until its time is stable, at most so many times.

    It is stable once the best of the last calls is less than 2 % below the best of those before.
    """
    times = [call() for _ in range(last)]
    while len(times) < most:
        times += (call() for _ in range(last))
        if min(times[-last:]) > 0.98 * min(times[:-last]):
            return


def medians(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median milliseconds of each call, made in turn, after a first one of each."""
    for call in calls:
        call()
    times = [[timed(call) for call in calls] for _ in range(rounds)]
    return [statistics.median(each) for each in zip(*times, strict=True)]


def per_call(calls: list[Callable[[], object]], seconds: float) -> float:
    """Return the median milliseconds of one call, making them in turn until the time is over."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        call = calls[len(times) % len(calls)]
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def bytes_read(call: Callable[[], object]) -> int | None:
    """Bytes that the process has the system read in one call; None where it does not tell."""

    def so_far() -> int:
        text = Path("/proc/self/io").read_text()
        return int(text.partition("rchar: ")[2].partition("\n")[0])

    try:
        start = so_far()
        overhead = so_far() - start
        start = so_far()
        call()
        return max(0, so_far() - start - overhead)
    except OSError:
        return None


def resident_bytes() -> tuple[int, int]:
    """Return this process's resident memory now and at its peak; without /proc, the peak twice."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage, whose peak also counts the process that started this one.
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        now, peak = (int(fields[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
        return now, peak
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
    return peak, peak


@dataclass(frozen=True)
class Figure:
    """One figure of building, beside what it is to be."""

    name: str
    value: str
    target: str
    met: bool | None  # None: no target


def ratio(name: str, ours: float, other: float, most: float) -> Figure:
    """Return milliseconds beside others, and whether they are at most so many times these."""
    value = f"{ours:.0f} ms / {other:.0f} ms = {ours / other:.1f}"
    return Figure(name, value, f"<= {most:g}", ours <= most * other)


@dataclass(frozen=True)
class Row:
    """One figure beside Java's, in milliseconds unless `unit` says otherwise."""

    name: str
    target: str
    python: float
    java: float | None
    met: bool | None  # None: not known without Java, or no target
    unit: str = "ms"


def figure(value: float, unit: str) -> str:
    """Return a figure in words."""
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def run_apart(*arguments: str, cores: int | None = None) -> dict[str, Any]:
    """Run one part in a process of its own, on some cores only; what it prints last is JSON."""
    command = [sys.executable, "-m", "tools.bench", "apart", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None if cores is None else partial(_keep_to, cores),
    )
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _keep_to(cores: int) -> None:
    if hasattr(os, "sched_setaffinity"):  # elsewhere a process cannot be kept to some
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
