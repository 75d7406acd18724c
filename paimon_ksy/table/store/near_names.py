"""Suggestions for names that match no table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from paimon_ksy.errors import none_of
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.commands import command

_REMEDY = "pass the folder that contains schema/ and snapshot/"


def no_table_at(path: str, exists: Callable[[str], bool]) -> str:
    """Return why there is no table at a path, and a suggestion if one can be found.

    Args:
        path: A path or URL.
        exists: Returns whether the file system of a URL has a file or folder.
    """
    here = local_path(path)
    if here is None:
        scheme, _, rest = path.partition("://")
        bucket = rest.partition("/")[0]
        with suppress(Exception):  # the user may be allowed to read this folder alone
            if not exists(f"{scheme}://{bucket}"):
                return f"the bucket {bucket!r} does not exist"
            if not exists(path):
                return f"the folder does not exist; {_REMEDY}"
        return f"it contains no schema; {_REMEDY}"
    folder = Path(here)
    missing = not folder.exists()
    reason = "the folder does not exist" if missing else "it contains no schema"
    try:
        if folder.is_file():
            return f"it is a file: {command('inspect', path)} shows what is in it"
        for outer in () if ".." in folder.parts else folder.parents:
            if (outer / "schema" / "schema-0").is_file() and not missing:
                look = command("table", "inspect", str(outer))
                return f"it is a folder inside a table: {look} shows the table"
        if missing and "/" not in path and path.count(".") == 1:
            look = command("table", "inspect", path, "--catalog", f"warehouse={_warehouse(path)}")
            return (
                f"{reason}; if it is the name of a table in a catalog, add the catalog's "
                f"options: {look}"
            )
        for place, before in (
            (folder, "the tables in it are"),
            (folder.parent, "beside it are the tables"),
        ):
            if names := sorted(entry.parent.name for entry in place.glob("*/schema")):
                return f"{reason}{none_of(folder.name, before, names)}"
    except OSError:  # the folder may not be listed
        pass
    return f"{reason}; {_REMEDY}"


def _warehouse(identifier: str) -> str:
    """Return the warehouse near the working folder that contains the table, or a placeholder."""
    database, _, name = identifier.partition(".")
    found = Path().glob(f"*/{database}.db/{name}/schema")
    if Path(f"{database}.db", name, "schema").is_dir():
        return "."
    return next((str(folder.parents[2]) for folder in sorted(found)), "FOLDER")


def no_table_of(catalog: Any, identifier: str) -> str:
    """Return which tables or databases exist in a pypaimon catalog instead of `database.name`."""
    database, _, name = identifier.partition(".")
    try:
        databases = catalog.list_databases()
        if database not in databases:
            return f"no database {database!r}{none_of(database, 'there are', databases)}"
        tables = catalog.list_tables(database)
        return f"no table {name!r}{none_of(name, f'{database} has', tables)}"
    except Exception:  # another error is reported anyway
        return ""
