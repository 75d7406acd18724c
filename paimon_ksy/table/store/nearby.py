"""What to write in place of a name that no table has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paimon_ksy.errors import none_of

_REMEDY = "give the folder that has schema/ and snapshot/ in it"


def no_table_at(path: str) -> str:
    """Why there is no table at a path, with the names of those near it if it is a local one."""
    folder = Path(path.removeprefix("file://"))
    missing = ("://" not in path or path.startswith("file:")) and not folder.exists()
    reason = "there is no such folder" if missing else "it has no schema"
    try:
        for place, told in ((folder, "the tables in it are"), (folder.parent, "beside it are")):
            if names := sorted(entry.parent.name for entry in place.glob("*/schema")):
                return f"{reason}{none_of(folder.name, told, names)}"
    except OSError:  # it may not be looked into
        pass
    if missing and "/" not in path and path.count(".") == 1:
        return f"{reason}; a name in a catalog goes with --catalog warehouse=FOLDER or uri=URL"
    return f"{reason}; {_REMEDY}"


def no_table_of(catalog: Any, identifier: str) -> str:
    """The tables, or databases, that a catalog of pypaimon has in place of `database.name`."""
    database, _, name = identifier.partition(".")
    try:
        if (databases := catalog.list_databases()) and database not in databases:
            return f"no database {database!r}{none_of(database, 'there are', databases)}"
        tables = catalog.list_tables(database)
        return f"no table {name!r}{none_of(name, f'{database} has', tables)}"
    except Exception:  # whatever it was: there is another error to tell
        return ""
