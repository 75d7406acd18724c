"""Search for input on which the library breaks its promises, and keep such input.

Hypothesis draws each case, from the specs or from words of SQL. If atheris is installed
(`pip install -e '.[fuzz]'`), it chooses cases by the code that they reach; otherwise, cases are
random. tools/fuzz_targets.py defines the checks, and their limits of time and memory.

    python -m tools.fuzz --minutes 10
    python -m tools.fuzz --target sql --minutes 1
    python -m tools.fuzz --replay tests/regressions/sql-0123abcd.json
"""

import argparse
import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REGRESSIONS = ROOT / "tests" / "regressions"
NAMES = ("readers", "files", "assemble", "writers", "sql")
SEEDS, SIZE = 50, 4096  # inputs that guided cases begin with, and their bytes
STUCK = 60.0  # seconds that a process may take longer than it should: native code does not stop


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="total for all targets; 5")
    parser.add_argument("--target", choices=NAMES, help="run only this target")
    parser.add_argument("--replay", type=Path, help="check this case, and print its traceback")
    parser.add_argument("--worker", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.replay:
        replay(arguments.replay)
        return 0
    if arguments.worker:
        Worker(arguments.target).run(arguments.worker)
        return 0
    if not is_guided():
        print("atheris is not installed, so the cases are random: pip install -e '.[fuzz]'")
    names = [arguments.target] if arguments.target else NAMES
    findings = [case for name in names for case in fuzz(name, 60 * arguments.minutes / len(names))]
    print(f"{len(findings)} findings" + (", in tests/regressions:" if findings else ""))
    for path in findings:
        print(f"  {path.name}: {json.loads(path.read_text())['error']}")
    return 1 if findings else 0


def is_guided() -> bool:
    return importlib.util.find_spec("atheris") is not None


def fuzz(name: str, seconds: float) -> list[Path]:
    """Run a target in a process of its own; what it was at when it died is a finding, too."""
    before = set(REGRESSIONS.glob("*.json"))
    command = [sys.executable, "-m", "tools.fuzz", f"--target={name}", f"--worker={seconds}"]
    current = current_case(name)
    current.parent.mkdir(exist_ok=True)
    current.unlink(missing_ok=True)
    log = current.with_suffix(".log")  # libFuzzer prints much that nobody needs
    with log.open("w") as errors:
        worker = subprocess.Popen(command, cwd=ROOT, stderr=errors)
        try:
            worker.wait(seconds + STUCK)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    if worker.returncode != 0:
        if not current.exists():
            raise RuntimeError(f"{name} cannot be tried: {log.read_text()[-2000:]}")
        save(name, json.loads(current.read_text()), f"the process died: {worker.returncode}")
    return sorted(set(REGRESSIONS.glob("*.json")) - before)


def current_case(name: str) -> Path:
    """Where a worker writes the case that it checks."""
    return ROOT / ".cache" / f"fuzz-{name}.json"


def save(name: str, case: Any, error: str) -> Path:
    """Write a finding to a file that a test checks from then on."""
    text = json.dumps({"target": name, "error": error, "case": case}, indent=1) + "\n"
    path = REGRESSIONS / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    REGRESSIONS.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def replay(path: Path) -> None:
    """Check the case of a file again."""
    from tools.fuzz_targets import TARGETS

    finding = json.loads(path.read_text())
    TARGETS[finding["target"]].check(finding["case"])


class Worker:
    """Tries cases of one target, and keeps the smallest for each error and place of it."""

    def __init__(self, name: str) -> None:
        self.name, self.cases = name, 0
        self.findings: dict[str, Path] = {}
        self.current = current_case(name)

    def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        if is_guided():
            self._guided(end)
        else:
            self._random(end)
        self._report("random")

    def _report(self, how: str) -> None:
        print(
            f"{self.name}: {self.cases:,} cases, {how}; {len(self.findings)} findings", flush=True
        )

    def _guided(self, end: float) -> None:
        import atheris

        with atheris.instrument_imports(include=["paimon_ksy"]):
            one = self._test()

        def try_one(data: bytes) -> None:
            one.hypothesis.fuzz_one_input(data)
            if time.monotonic() > end:
                self._report("guided by coverage")
                os._exit(0)  # libFuzzer knows no other way to end without a summary

        with tempfile.TemporaryDirectory() as corpus:
            for number in range(SEEDS):  # an empty corpus takes long to reach a whole object
                seed = random.Random(number).randbytes(SIZE)
                (Path(corpus) / str(number)).write_bytes(seed)
            options = ["-timeout=100000", "-rss_limit_mb=0", f"-max_len={SIZE}", "-len_control=0"]
            options.append(f"-artifact_prefix={self.current.parent}/")
            atheris.Setup([sys.argv[0], *options, corpus], try_one)
            atheris.Fuzz()

    def _random(self, end: float) -> None:
        test = self._test()
        while time.monotonic() < end:
            test()

    def _test(self) -> Any:
        from hypothesis import HealthCheck, Phase, given, settings

        from tools.fuzz_targets import TARGETS

        target = TARGETS[self.name]
        draws = settings(
            max_examples=1000,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )

        def test(case: Any) -> None:
            self.check(target.check, case)

        return draws(given(target.cases)(test))

    def check(self, check: Callable[[Any], None], case: Any) -> None:
        """Check a case; what goes wrong is kept, and the next one comes."""
        self.cases += 1
        text = json.dumps(case)
        self.current.write_text(text)
        try:
            check(case)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
            known = self.findings.get(place)
            if known is None or len(text) < len(json.dumps(json.loads(known.read_text())["case"])):
                if known is not None:
                    known.unlink()
                self.findings[place] = save(self.name, case, f"{place}: {error}"[:300])
        self.current.unlink()


if __name__ == "__main__":
    sys.exit(main())
