"""Runs the conformance kit with all runners, and writes docs/reference/conformance.md.

    python -m tools.conformance.matrix

The exit code is 1 if a runner has a new difference, or a known one that no longer happens: see
conformance/run.py.
"""

from __future__ import annotations

import os
import sys
from collections import Counter

from conformance.run import OUTCOMES, ProtocolError, Result, Runner, run
from paimon_ksy.table.model.readers import READERS, WRITTEN
from tools.jvm import ROOT

RUNNERS = ("ours", "java", "pypaimon", "pypaimon_rust", "pyiceberg")
PAGE = ROOT / "docs" / "reference" / "conformance.md"


def runner(name: str) -> Runner:
    """One of our runners."""
    return Runner([sys.executable, "-m", f"tools.conformance.runners.{name}"])


def page(results: list[Result]) -> str:
    """The page: a table of counts, and the known differences with their reasons."""
    columns = sorted({column for result in results for column in result.columns})
    names = [f"{result.name} {result.version}" for result in results]
    lines = [
        "# Conformance",
        "",
        "This page shows how paimon-ksy and other implementations do on the",
        "[conformance kit](../../conformance/README.md).",
        "A cell shows how many of the checks that a runner supports it passes.",
        "A dash means that it supports none of them. `make conformance-matrix` writes this page.",
        "",
        f"| checks | {' | '.join(names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    for column in columns:
        cells = [_cell(result, column) for result in results]
        lines.append(f"| {column} | {' | '.join(cells)} |")
    happened = {one.outcome for result in results for one in result.happened}
    lines += [
        "",
        "## Differences",
        "",
        *(f"- **{outcome}**: {text}" for outcome, text in OUTCOMES.items() if outcome in happened),
        "",
        "| runner | checks | outcome | reason |",
        "|---|---:|---|---|",
    ]
    for result in results:
        counts = Counter((one.outcome, one.reason, one.link) for one in result.happened)
        for (outcome, reason, link), count in sorted(counts.items()):
            text = f"[{reason}]({os.path.relpath(ROOT / link, PAGE.parent)})" if link else reason
            lines.append(f"| {result.name} | {count} | {outcome} | {text} |")
    return "\n".join(lines) + "\n" + tables()


def tables() -> str:
    """The part of the page on what jobs write into tables."""
    lines = [
        "",
        "## What jobs write into tables",
        "",
        "Some released readers fail on what `rewrite-index`, `delete`, `drop-index` and",
        "`set` write. `delete` and `rewrite-index` print a note then, and `audit` reports it",
        "as `readers`.",
        "",
        f"| written | {' | '.join(READERS)} |",
        f"|---|{'---|' * len(READERS)}",
    ]
    for each in WRITTEN:
        cells = [each.fails.get(reader, "reads it") for reader in READERS]
        lines.append(f"| {each.what} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(result: Result, column: str) -> str:
    passed, skipped = result.passed[column], result.unsupported[column]
    new = sum(difference.check.column == column for difference in result.new)
    asked = passed + result.known[column] + new
    if not asked:
        return "-"
    return f"{passed:,} / {asked:,}" + (f" ({skipped:,} unsupported)" if skipped else "")


def main() -> int:
    """Prints the page and what is not known; writes the page."""
    try:
        results = [run(runner(name)) for name in RUNNERS]
    except (ProtocolError, EOFError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    text = page(results)
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    for result in results:
        for difference in result.new:
            print(f"NEW {result.name}: {difference}")
        for name in result.stale:
            print(f"STALE {result.name}: {name}")
    return 1 if any(result.failed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
