"""The cases of whole tables, which the library writes: what is live, and what predicates select.

A case.json has the rows that are live in the end, and table_steps.json the commits before: rows to
write, each of a kind if there are `kinds`, ids to delete, or changes of the schema. Tables with the
same commits name one of them. A table is kept unless a new one is asked for, since names of files
and times in it are new each time.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.run import pack
from paimon_ksy import Table
from tools import jvm
from tools.conformance import cases
from tools.conformance.cases import first, scan
from tools.conformance.kit.case import Case, UnknownDifferenceError, asked
from tools.conformance.tables import positions
from tools.tables import rust_context

KIND = "tables"
_KNOWN = {
    "tables/append_vectors_64": "deleted-rows-count",
    "tables/keyed_vectors_64": "deleted-rows-count",
    "tables/global_bitmap": "global-index-forms",
    "tables/global_partial": "global-index-coverage",
    "tables/global_version2": "global-index-forms",
}
"""The names in deviations.json of the library's other answers, by cases."""
_STEPS = json.loads(Path(__file__).with_name("table_steps.json").read_text(encoding="utf-8"))


def with_new_table(case: Case, java: jvm.Session) -> Case:
    """Return the case with a new table; `java` is the program Tables."""
    document = case.document
    steps: Any = _STEPS.get(case.path.partition("/")[2], [])
    steps = _STEPS[steps] if isinstance(steps, str) else steps
    columns = document["columns"]
    if steps and steps[0]["op"] == "create":  # the schema changes later
        columns, steps = steps[0]["columns"], steps[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{document['table']}"
        keys = {"keys": document["primary_key"], "partitions": document["partition_keys"]}
        options = {"options": document["options"]}
        java.ask({"op": "create", "path": path, "columns": columns, **keys, **options})
        for step in steps:
            if step["op"] == "delete":
                places: dict[str, list[int]] = {}
                for file, position, number in positions(path, "id"):
                    if number in step["ids"]:
                        places.setdefault(file, []).append(position)
                java.ask({"op": "delete", "files": places})
            elif step["op"] == "index":
                _build_index(path, step)
            elif step["op"] == "write":
                java.ask({"kinds": [], "compact": False, **step})
            else:
                java.ask(step)
        files = {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in sorted(Path(folder).rglob("*"))
            if file.is_file() and file.suffix != ".crc"
        }
    return case.having(files)


def _build_index(path: str, step: Mapping[str, str]) -> None:
    """Build a global index, which the library cannot: by pypaimon, or else by pypaimon-rust."""
    if step["by"] == "pypaimon":
        Table.at(path).pypaimon.create_global_index(step["column"], index_type=step["type"])
        return
    database, name = Path(path).parts[-2:]
    context = rust_context(path)
    context.set_current_catalog("p")
    context.sql(
        f"CALL sys.create_global_index(table => '{database.removesuffix('.db')}.{name}', "
        f"index_column => '{step['column']}', index_type => '{step['type']}', "
        f"options => '{step['options']}')"
    )


def answered(case: Case, java: jvm.Session) -> Case:
    """Return the case with right answers, and the library's that are other ones.

    Args:
        case: The case with its table.
        java: The program Kit.

    Raises:
        UnknownDifferenceError: One is, and the reason is not known.
    """
    case = case.having(queries=_right_answers(case.document))
    queries: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        case.write(Path(folder))
        checks = case.checks(Path(folder))
        for check, query in zip(checks, case.document["queries"], strict=True):
            queries.append(query)
            answer = asked(java, check.request)
            if "unsupported" in answer or ("error" not in answer and check.judge(answer) is None):
                continue
            if case.path not in _KNOWN:
                raise UnknownDifferenceError(f"{case.path}: {check.text}: {answer}")
            given = "rows" if "rows" in answer else "error"
            known = {given: answer[given], "because": [_KNOWN[case.path]]}
            queries[-1] = {**query, "java": known}
    return case.having(queries=queries)


def _right_answers(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the queries of a case; the right rows come from the case alone."""
    table = cases.Case.of(document["columns"], document["rows"])
    queries: list[dict[str, Any]] = []
    for before in document["queries"]:
        query = {key: before[key] for key in ("predicate", "order", "limit") if key in before}
        where = query["predicate"]
        selected = scan(table, where) if where else set(range(table.num_rows))
        if "limit" in query:
            rows, ties, least = first(table, query)
            query |= {"rows": pack(rows), "ties": pack(ties), "least": least}
            queries.append({**query, "others": pack(selected - rows - ties)})
        else:
            queries.append({**query, "rows": pack(selected)})
    return queries
