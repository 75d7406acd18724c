"""The command `paimon-ksy`."""

import gc
import os
import signal
import sys
from types import FrameType

from paimon_ksy.errors import ExitCode, Terminated
from paimon_ksy.messages.install import how_to_install


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends the process at once
    raise Terminated


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before the start, such as by `>&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    # NumPy would start threads for algebra that no command needs: 50 of the 400 ms of a count
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        signal.signal(signal.SIGTERM, _terminate)
        from paimon_ksy.cli.app import run
    except Terminated:
        print("paimon-ksy: terminated", file=sys.stderr)
        sys.exit(ExitCode.TERMINATED)
    except KeyboardInterrupt:
        print("paimon-ksy: interrupted", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)
    except ModuleNotFoundError as error:
        if (error.name or "paimon_ksy").partition(".")[0] == "paimon_ksy":
            raise
        print(
            f"paimon-ksy: the Python package {error.name!r} is missing; {how_to_install()}",
            file=sys.stderr,
        )
        sys.exit(ExitCode.ERROR)
    code = run()
    gc.freeze()  # or Python looks for garbage in all modules: 40 of the 440 ms of `table count`
    sys.exit(code)
