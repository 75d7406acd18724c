"""SQL statements for users to paste."""

from __future__ import annotations

import re
from collections.abc import Mapping

from paimon_ksy.types.data_type import quote
from paimon_ksy.types.literals import to_sql


def sql_name(location: str) -> str:
    """Return the SQL name of the table in a folder such as `warehouse/default.db/orders`."""
    *_, database, name = ["", *location.rstrip("/").split("/")]
    name = re.sub(r"/branch/.*", "", name)
    parts = [database.removesuffix(".db"), name] if database.endswith(".db") else [name]
    return ".".join(map(quote, parts))


def alter_table(name: str, options: Mapping[str, str | None]) -> str:
    """Return a Spark SQL statement that sets a table's options, and removes those that are None."""
    statements = []
    gone = [key for key, value in options.items() if value is None]
    if gone:
        listed = ", ".join(map(to_sql, gone))
        statements.append(f"ALTER TABLE {name} UNSET TBLPROPERTIES ({listed});")
    there = [f"  {to_sql(key)} = {to_sql(v)}" for key, v in options.items() if v is not None]
    if there:
        statements.append(f"ALTER TABLE {name} SET TBLPROPERTIES (\n" + ",\n".join(there) + "\n);")
    return "\n".join(statements)
