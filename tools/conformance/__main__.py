"""Compares what we build and answer with the Paimon library, on random data.

    python -m tools.conformance [--cases N] [--table-cases N] [--seed S] [--tables] [--case I]

First index files (files.py), then whole tables (tables.py); with --tables only these.
"""

from __future__ import annotations

import argparse
import sys

from rich.console import Console

from tools.conformance import files, tables
from tools.jvm import MissingToolError


def main() -> int:
    """Prints a table; exit code 1 on a difference, or without Java."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance")
    parser.add_argument("--cases", type=int, default=300, help="number of index files; 300")
    parser.add_argument(
        "--table-cases", type=int, default=24, help="tables beside the golden ones; 24"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", action="store_true", help="check only whole tables")
    parser.add_argument("--case", type=int, help="check only this case; with --tables, this table")
    arguments = parser.parse_args()
    one = arguments.case
    console = Console()
    same = True
    try:
        if not arguments.tables:
            numbers = range(arguments.cases) if one is None else range(one, one + 1)
            same = files.print_comparison(console, arguments.seed, numbers)
        if arguments.tables or one is None:
            count = arguments.table_cases
            numbers = range(count) if one is None else range(one, one + 1)
            same &= tables.print_comparison(console, arguments.seed, numbers, one is None)
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
