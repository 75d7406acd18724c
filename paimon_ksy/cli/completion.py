"""Complete names of columns in the shell, using the command line so far."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import typer


def column_lists(context: typer.Context, incomplete: str) -> list[str]:
    """Return the completions of a list of columns, whose last name is incomplete.

    Only tables in local folders have completions, and only names that need no backticks.
    """
    from paimon_ksy.cli.common import local

    before, comma, last = incomplete.rpartition(",")
    with suppress(Exception):  # the command itself reports errors
        # The option to complete has no value yet, which ends the parser early.
        names = _columns(local(context.params["name"] or context.args[0]))
        begun = last.lstrip()
        kept = f"{before}{comma}{last.removesuffix(begun)}"
        return [f"{kept}{name}" for name in names if name.startswith(begun)]
    return []


def _columns(folder: Path) -> list[str]:
    """Return the columns in a table's latest schema whose names need no backticks."""
    from paimon_ksy.types.schema import Schema

    schemas = (folder / "schema").glob("schema-*")
    newest = max(schemas, key=lambda path: int(path.name.removeprefix("schema-")))
    names = (column.name for column in Schema.from_paimon_json(newest.read_bytes()))
    return [name for name in names if re.fullmatch(r"\w+", name)]
