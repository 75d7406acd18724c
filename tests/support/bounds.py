"""Limits of time and memory for a call in this process. Needs the main thread of a POSIX system."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 1.0
MEGABYTES = 100  # more than before the call


@contextmanager
def bounded(seconds: float = SECONDS, megabytes: int = MEGABYTES) -> Iterator[None]:
    """Raise TimeoutError or MemoryError in what takes more."""

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    handler = signal.signal(signal.SIGALRM, too_slow)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    status = Path("/proc/self/status").read_text()
    used = int(status.partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + megabytes * 2**20, before[1]))
    timer = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)
