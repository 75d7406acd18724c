"""What the shell offers for names of columns, from what is on the command line already."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import typer


def column_lists(context: typer.Context, incomplete: str) -> list[str]:
    """Return the lists of columns that `incomplete` can become: its last name is completed.

    Only the schema of a table in a local folder is read. For any other table there are none, and
    for names that need backticks.
    """
    from paimon_ksy.cli.common import local

    before, comma, last = incomplete.rpartition(",")
    with suppress(Exception):  # the command itself reports what is wrong
        # An option without its value, which is wanted here, ends the parser early.
        names = _columns(local(context.params["name"] or context.args[0]))
        begun = last.lstrip()
        kept = f"{before}{comma}{last.removesuffix(begun)}"
        return [f"{kept}{name}" for name in names if name.startswith(begun)]
    return []


def _columns(folder: Path) -> list[str]:
    """Return the plain names of the columns of a table's newest schema."""
    from paimon_ksy.types.schema import Schema

    schemas = (folder / "schema").glob("schema-*")
    newest = max(schemas, key=lambda path: int(path.name.removeprefix("schema-")))
    names = (column.name for column in Schema.from_paimon_json(newest.read_bytes()))
    return [name for name in names if re.fullmatch(r"\w+", name)]
