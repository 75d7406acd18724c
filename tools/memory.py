"""Measure the memory of a process."""

from __future__ import annotations

import sys
from pathlib import Path


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
