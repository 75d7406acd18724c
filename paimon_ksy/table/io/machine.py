"""The machine's resources for this process: processors, and memory for reuse."""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress
from functools import cache

_KEPT_BYTES = 128 << 20


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def keep_memory() -> None:
    """Have the C library keep the memory that a task frees for the next task, up to a limit.

    Otherwise glibc returns arrays of some megabytes to the system. Getting their pages again takes
    a fifth of the time of a task, or of reading manifests. Other C libraries lack these settings,
    or have different ones.
    """
    with suppress(OSError, AttributeError):
        change = ctypes.CDLL(None).mallopt
        if platform.libc_ver()[0] == "glibc":
            change(_TRIM_THRESHOLD, _KEPT_BYTES)
            change(_MMAP_THRESHOLD, _MOST_IN_HEAP)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_.. constants of malloc.h
_MOST_IN_HEAP = 32 << 20  # bytes of an array: the maximum that glibc accepts
