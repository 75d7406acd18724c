"""Draw random specs, and compare what Kaitai's parser, objects, JSON and views read by them.

    python ksykit/tools/random_specs.py [--count N] [--seed S] [--start N] [--no-shrink]

The exit code is 1 if readers differ, or if what is written cannot be read; the smallest spec found
that shows it is printed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from kit_support.judging import Report, judge

AT_ONCE = 200


def main() -> int:
    """Print counts of outcomes, why specs are refused, and what is wrong."""
    parser = argparse.ArgumentParser(prog="random_specs", description=__doc__)
    parser.add_argument("--count", type=int, default=5_000, help="number of specs; 5000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first spec")
    parser.add_argument("--no-shrink", action="store_true", help="print failures as drawn")
    given = parser.parse_args()
    report, end = Report(), given.start + given.count
    for start in range(given.start, end, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, end))
        judge(given.seed, numbers, report, shrinks=not given.no_shrink)
        while report.wrong:
            report.counts["wrong"] += 1
            print(report.wrong.pop(), flush=True)
    print(*(f"{name:30}{many:8}" for name, many in report.counts.most_common()), sep="\n")
    for reason, many in report.refused.most_common():
        print(f"{many:8}  {reason}")
    return 1 if report.counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
