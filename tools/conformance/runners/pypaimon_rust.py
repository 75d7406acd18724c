"""The runner for pypaimon-rust: tables, which it reads with their file indexes.

Its package has no function for a single index file, so these are left out.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon_rust.datafusion import SQLContext

from tools.conformance.runners.protocol import (
    Answer,
    Request,
    python_value,
    rows_as_json,
    serve,
)


def _query_table(request: Request) -> Answer:
    path = Path(request["path"])
    context = SQLContext()
    options = {"warehouse": str(path.parents[1]), "metastore": "filesystem"}
    context.register_catalog("p", options)
    columns = request["columns"]
    names = ", ".join(f'"{column["name"]}"' for column in columns)
    sql = f"SELECT {names} FROM p.{path.parent.stem}.{path.name}"
    if request["predicate"] is not None:
        types = {column["name"]: column["type"] for column in columns}
        sql += f" WHERE {_sql(types, request['predicate'])}"
    if order := request.get("order"):
        direction = "DESC" if order["descending"] else "ASC"
        nulls = "FIRST" if order["nulls_first"] else "LAST"
        sql += f' ORDER BY "{order["col"]}" {direction} NULLS {nulls}'
    if "limit" in request:
        sql += f" LIMIT {request['limit']}"
    batches = context.sql(sql)
    return {"rows": rows_as_json(pa.Table.from_batches(batches), columns) if batches else []}


_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _sql(types: dict[str, str], node: dict[str, Any]) -> str:
    op = node["op"]
    if op in ("and", "or"):
        parts = [_sql(types, child) for child in node["args"]]
        return "(" + f" {op.upper()} ".join(parts) + ")"
    name, _, key = node["col"].partition("[")
    column, kind = f'"{name}"', types[name]
    if key:
        column += f"['{key.removesuffix(']')}']"
        kind = kind.partition(", ")[2].removesuffix(">")
    if op in ("isnull", "isnotnull"):
        return f"{column} IS {'NOT ' * (op == 'isnotnull')}NULL"
    values = [_literal(kind, value) for value in node.get("values", ())]
    if op in ("in", "notin"):
        return f"{column} {'NOT ' * (op == 'notin')}IN ({', '.join(values)})"
    if op == "between":
        return f"{column} BETWEEN {values[0]} AND {values[1]}"
    if op == "startswith":
        return f"{column} LIKE {_literal(kind, node['value'] + '%')}"
    return f"{column} {_OPERATORS[op]} {_literal(kind, node['value'])}"


def _literal(kind: str, value: Any) -> str:
    root = kind.partition("(")[0].split()[0]
    if root in ("DATE", "TIMESTAMP"):
        return f"{root} '{python_value(kind, value)}'"
    if root == "DECIMAL":
        return f"CAST('{value}' AS {kind.removesuffix(' NOT NULL')})"
    if isinstance(value, str):
        quoted = value.replace("'", "''")
        return f"'{quoted}'"
    return str(value)


if __name__ == "__main__":
    serve("pypaimon-rust", version("pypaimon-rust"), {"query_table": _query_table})
