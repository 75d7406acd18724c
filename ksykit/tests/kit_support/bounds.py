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
    """Raise TimeoutError or MemoryError in what takes more, of the time of this process.

    On a machine under load, others take time, too: what waits has 600 times as long.
    """

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    handlers = {name: signal.signal(name, too_slow) for name in (signal.SIGPROF, signal.SIGALRM)}
    before = resource.getrlimit(resource.RLIMIT_DATA)
    status = Path("/proc/self/status").read_text()
    used = int(status.partition("VmData:")[2].split()[0]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + megabytes * 2**20, before[1]))
    limits = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: 600 * seconds}
    timers = {timer: signal.setitimer(timer, most) for timer, most in limits.items()}
    try:
        yield
    finally:
        for timer, before_it in timers.items():
            signal.setitimer(timer, *before_it)
        for name, handler in handlers.items():
            signal.signal(name, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)
