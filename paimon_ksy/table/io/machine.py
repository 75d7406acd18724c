"""What this process has of the machine: processors, and memory that it uses again."""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress
from functools import cache

_KEPT_BYTES = 128 << 20


def processors() -> int:
    """Return on how many processors this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def keep_memory() -> None:
    """Have the C library keep what a task frees for the next one, up to so much.

    glibc else gives arrays of some megabytes back to the system, and to get their pages again takes
    a fifth of the time of a task, or of reading manifests. Other C libraries have no such settings,
    or other ones.
    """
    with suppress(OSError, AttributeError):
        change = ctypes.CDLL(None).mallopt
        if platform.libc_ver()[0] == "glibc":
            change(_TRIM_THRESHOLD, _KEPT_BYTES)
            change(_MMAP_THRESHOLD, _MOST_IN_HEAP)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_ of malloc.h
_MOST_IN_HEAP = 32 << 20  # bytes of an array: glibc takes no more
