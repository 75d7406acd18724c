"""Search for input on which the library breaks its promises, and keep such input.

Hypothesis draws each case, from the specs or from words of SQL, until one breaks a promise. Then it
looks for the smallest one that does. tools/fuzz_targets.py defines the checks, and their limits of
time and memory.

    python -m tools.fuzz --minutes 10
    python -m tools.fuzz --target sql --minutes 1
    python -m tools.fuzz --replay tests/regressions/sql-0123abcd.json
"""

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings

from tools.fuzz_targets import TARGETS

ROOT = Path(__file__).parents[1]
REGRESSIONS = ROOT / "tests" / "regressions"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="total for all targets; 5")
    parser.add_argument("--target", choices=TARGETS, help="run only this target")
    parser.add_argument("--replay", type=Path, help="check this case, and print its traceback")
    arguments = parser.parse_args()
    if arguments.replay:
        replay(arguments.replay)
        return 0
    names = [arguments.target] if arguments.target else [*TARGETS]
    findings = [fuzz(name, 60 * arguments.minutes / len(names)) for name in names]
    return 1 if any(findings) else 0


def fuzz(name: str, seconds: float) -> Path | None:
    """Try cases for so long, or until one fails; return the file of the smallest that does.

    If native code ends the process, .cache/fuzz-TARGET.json has the case.
    """
    current = ROOT / ".cache" / f"fuzz-{name}.json"
    current.parent.mkdir(exist_ok=True)
    count = 0

    def check(case: Any) -> None:
        nonlocal count
        count += 1
        current.write_text(json.dumps({"target": name, "error": "", "case": case}))
        TARGETS[name].check(case)

    draws = settings(
        max_examples=1000,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    test = draws(given(TARGETS[name].cases)(check))
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            test()
    except Exception as error:  # whatever it is, it is a finding
        path = save({**json.loads(current.read_text()), "error": f"{error!r}"[:300]})
        print(f"{name}: {count:,} cases, {path.name}: {error!r}", flush=True)
        return path
    print(f"{name}: {count:,} cases, no problems", flush=True)
    return None


def save(finding: dict[str, Any]) -> Path:
    """Write a finding to a file that a test checks from then on."""
    text = json.dumps(finding, indent=1) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = REGRESSIONS / f"{finding['target']}-{digest}.json"
    REGRESSIONS.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def replay(path: Path) -> None:
    """Check the case of a file again."""
    finding = json.loads(path.read_text())
    TARGETS[finding["target"]].check(finding["case"])


if __name__ == "__main__":
    sys.exit(main())
