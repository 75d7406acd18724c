"""Make the cases of conformance/ again, with the Paimon library.

    python -m tools.conformance.kit [--new-tables]

A case.json says what its file contains, and has the right answers and those of the library. For a
new case write the former, with `about`, as in another case: this adds the latter, the file and the
map of its fields; the commits of a table are in table_steps.json. The same library gives the same
bytes each time, except of tables: names of files and times in these are new. So a table is kept,
unless with --new-tables.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from conformance.run import KIT
from tools import jvm
from tools.conformance.kit import tables
from tools.conformance.kit.case import Case, UnknownDifferenceError, read_cases
from tools.conformance.kit.renew import renewed
from tools.jvm import MissingToolError


def cases(new_tables: bool = False) -> list[Case]:
    """Return all cases, made again; tables of the kit are kept unless `new_tables`."""
    before = list(read_cases(KIT))
    made = [case for case in before if case.kind == tables.KIND]
    with jvm.session("Tables") as java:
        made = [
            tables.with_new_table(case, java) if new_tables or not case.files else case
            for case in made
        ]
    with jvm.session("Kit") as java:
        renewed_cases = {case.path: tables.answered(case, java) for case in made}
        files = [case for case in before if case.kind != tables.KIND]
        for case in sorted(files, key=lambda case: "made_of" in case.document):
            renewed_cases[case.path] = renewed(case, renewed_cases, java)
    return list(renewed_cases.values())


def main() -> int:
    """Write the kit, and print how many cases of each kind it has."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance.kit")
    parser.add_argument("--new-tables", action="store_true", help="rewrite all tables")
    arguments = parser.parse_args()
    try:
        made = cases(arguments.new_tables)
    except (MissingToolError, jvm.JavaError, UnknownDifferenceError) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(case.write(KIT) for case in made)
    counts = Counter(case.kind for case in made)
    listed = ", ".join(f"{count} of {kind}" for kind, count in sorted(counts.items()))
    print(f"{listed}; {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
