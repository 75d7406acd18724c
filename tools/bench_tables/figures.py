"""How long a call takes and what it reads, and a figure beside what it is to be."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tools.maven import ROOT


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that one call takes."""
    gc.collect()
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


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


@dataclass(frozen=True)
class Figure:
    """One figure of building, beside what it is to be."""

    name: str
    value: str
    target: str
    met: bool | None  # None: no target


def run_apart(*arguments: str, cores: int | None = None) -> dict[str, Any]:
    """Run one part in a process of its own, on some cores only; what it prints last is JSON."""
    command = [sys.executable, "-m", "tools.bench_tables", "--apart", *arguments]
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
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _keep_to(cores: int) -> None:
    if hasattr(os, "sched_setaffinity"):  # elsewhere a process cannot be kept to some
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
