"""Makes the cases of conformance/ with the Paimon library.

    python -m tools.conformance.kit [--new-tables]

The same library gives the same bytes each time, except of whole tables: names of files and times
in these are new. So a table is kept while it would have the same rows and options, unless with
--new-tables.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from pathlib import Path

from conformance.run import KIT
from tools import jvm
from tools.conformance.cases import Collisions
from tools.conformance.kit import damaged, file_indexes, table_indexes, tables
from tools.conformance.kit.draft import Draft, UnknownDifferenceError, write
from tools.maven import MissingToolError


def drafts(new_tables: bool = False) -> list[Draft]:
    """Makes all cases; tables of the kit are kept unless `new_tables`."""
    found = []
    with jvm.session("Tables") as java:
        for table in tables.plans():
            kept = None if new_tables else tables.kept(table, KIT)
            found.append(kept or tables.make(table, java))
    with jvm.session("Conformance") as java:
        collisions = Collisions.search(java)
    with jvm.session("Kit") as java:
        found = [tables.answered(draft, java) for draft in found]
        found += [file_indexes.make(plan, java) for plan in file_indexes.plans(collisions)]
        found += table_indexes.drafts(java)
        bases = {made.path: made for made in found}
        found += [*damaged.drafts(bases, java), *damaged.odd_drafts(bases, java)]
    return found


def remove_others(folder: Path, wanted: set[str]) -> list[str]:
    """Removes cases that are no longer made; their names."""
    names = {path.parent.relative_to(folder).as_posix() for path in folder.glob("*/*/case.json")}
    for name in names - wanted:
        shutil.rmtree(folder / name)
    return sorted(names - wanted)


def main() -> int:
    """Writes the kit, and prints how many cases of each kind it has."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance.kit")
    parser.add_argument("--new-tables", action="store_true", help="rewrite all tables")
    arguments = parser.parse_args()
    try:
        found = drafts(arguments.new_tables)
    except (MissingToolError, jvm.JavaError, UnknownDifferenceError) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(write(draft, KIT) for draft in found)
    for name in remove_others(KIT, {draft.path for draft in found}):
        print(f"removed {name}")
    cases = Counter(draft.kind for draft in found)
    listed = ", ".join(f"{count} of {kind}" for kind, count in sorted(cases.items()))
    print(f"{listed}; {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
