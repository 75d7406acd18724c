"""The runner for pypaimon-rust: tables, and global indexes that it builds for a table.

Its package has no function that reads a single file, so these are left out.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
from pypaimon_rust.datafusion import SQLContext

from tools.conformance.cases import Case
from tools.conformance.runners.protocol import (
    Answer,
    NotSupportedError,
    Request,
    in_base64,
    python_value,
    rows_as_json,
    serve,
)
from tools.tables import build_index, make_table

_WITH_ROW_IDS = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}


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


def _build_global_index(request: Request) -> Answer:
    """Build the index of a new table with these rows."""
    if request["metadata"] is None:
        raise NotSupportedError("bitmap indexes of Paimon 1.4")
    table = Case.of(request["columns"], request["rows"]).table()
    pairs = ((key, value.removesuffix(" b")) for key, value in request["options"].items())
    options = ",".join(map("=".join, pairs))
    with tempfile.TemporaryDirectory() as folder:
        path = make_table(folder, "t", [table], _WITH_ROW_IDS)
        build_index(path, ",".join(table.column_names), request["index_type"], options)
        [file] = Path(path, "index").iterdir()
        return {"bytes": in_base64(file.read_bytes())}


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
    handlers = {"query_table": _query_table, "build_global_index": _build_global_index}
    serve("pypaimon-rust", version("pypaimon-rust"), handlers)
