"""`paimon-ksy table inspect`."""

from __future__ import annotations

import sys

import typer

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.failures import complain
from paimon_ksy.cli.output import most_shown, print_json, print_tree
from paimon_ksy.cli.sections import section_node
from paimon_ksy.errors import ExitCode
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.table.inspect.inspect import inspect_table

LISTED = 20
"""The number of items of each list that a terminal shows."""


def run(
    name: str,
    *,
    catalog: CatalogSource,
    snapshot: int | None,
    most: int | None,
    as_json: bool,
) -> None:
    """Inspect a table, and print its content; exit with 1 if something is corrupt."""
    most = most_shown(most, LISTED, as_json=as_json)
    table = open_table(name, catalog)
    report = inspect_table(table, snapshot, limit=sys.maxsize if most is None else most)
    if as_json:
        print_json({**report.to_json(), "errors": list(map(masked, report.errors))})
    else:
        title = masked(report.table)
        print_tree(section_node(section_of(report, title, more="--max-items N lists more")))
    for error in report.errors:
        complain(error)
    if report.errors:
        raise typer.Exit(ExitCode.ERROR)
