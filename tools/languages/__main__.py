"""Read all golden and bad files with the generated readers of other languages.

python -m tools.languages                       # every file, every language that is here
python -m tools.languages --only java --damaged 5000
"""

from __future__ import annotations

import argparse
import sys
import time

from tools.languages.cases import all_cases, damaged
from tools.languages.compare import compare
from tools.languages.readers import READERS, LanguageMissing
from tools.languages.trees import python_tree

SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.languages",
        description=(__doc__ or "").partition("\n")[0],
    )
    keys = [reader.key for reader in READERS]
    parser.add_argument("--only", nargs="*", choices=keys, help="languages")
    parser.add_argument("--damaged", type=int, default=2000, help="number of damaged copies; 2000")
    parser.add_argument("--seed", type=int, default=0, help="seed of the damage; 0")
    arguments = parser.parse_args()
    cases = all_cases()
    cases = [*cases, *damaged(cases, arguments.damaged, arguments.seed)]
    ours = [python_tree(case) for case in cases]
    size = sum(len(case.data) for case in cases)
    print(f"{len(cases)} files of {size:,} bytes, {ours.count(None)} of which Python refuses")
    failed = False
    for reader in READERS:
        if arguments.only and reader.key not in arguments.only:
            continue
        start = time.monotonic()
        try:
            outcome = compare(reader, cases, ours)
        except LanguageMissing as error:
            print(f"{reader.title}: not run: {error}")
            continue
        seconds = time.monotonic() - start
        lines = [f"  {line}" for line in outcome.differ[:SHOWN]]
        print(
            f"{reader.title}: {outcome.same} read alike, {outcome.refused} refused alike, "
            f"{len(outcome.differ)} differ; {seconds:.0f} s",
            *lines,
            sep="\n",
        )
        failed |= bool(outcome.differ)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
