"""The memory that Python objects take while a call runs, and after it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable


def peak_of(call: Callable[[], object], runs: int = 1) -> int:
    """Return the peak in bytes of a call: the least of some runs.

    Late imports and threads of other libraries count, too, but not in each run.
    """
    return min(_traced(call)[1] for _ in range(runs))


def kept_by(call: Callable[[], object]) -> int:
    """Return the bytes that are still taken after a call, with those of its result."""
    return _traced(call)[0]


def _traced(call: Callable[[], object]) -> tuple[int, int]:
    gc.collect()  # cycles of earlier tests would count as soon as they are collected late
    tracemalloc.start()
    try:
        _result = call()
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
