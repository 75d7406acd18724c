"""The cases of whole tables, which the library writes: what is live, and what predicates select.

Names of files and times in a table are new each time, so it is kept while it would have the same
rows and options.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.run import pack
from tools import jvm
from tools.conformance import cases
from tools.conformance.cases import Column, first, scan
from tools.conformance.kit.case import Case, UnknownDifferenceError, asked
from tools.conformance.tables import positions

KIND = "tables"
PLACE = "kit.db/t"
"""A table in its case, which is a warehouse of a catalog of files."""

Row = list[Any]
Columns = Mapping[str, str]
"""The types of columns by their names."""


@dataclass(frozen=True)
class Step:
    """One commit: rows to write, each of a kind if `kinds` has it, ids to delete, or changes."""

    rows: Sequence[Row] = ()
    kinds: Sequence[str] = ()
    compact: bool = False
    delete: Sequence[int] = ()
    changes: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Plan:
    """A table to be made; `columns` are the first ones, `rows` what is live in the end."""

    name: str
    about: str
    columns: Columns
    steps: Sequence[Step]
    rows: Sequence[Row]
    predicates: Sequence[Mapping[str, Any]]
    options: Mapping[str, str] = field(default_factory=dict)
    partitions: Sequence[str] = ()
    keys: Sequence[str] = ()
    last: Columns | None = None
    first: Sequence[Mapping[str, Any]] = ()
    """Questions for the first rows, each with `predicate` and `limit`, maybe `order`."""

    @property
    def read(self) -> Columns:
        """The columns of a reader."""
        return self.last or self.columns


_COLUMNS = {
    "id": "INT NOT NULL",
    "day": "STRING NOT NULL",
    "status": "STRING",
    "n": "BIGINT",
    "price": "DOUBLE",
    "amount": "DECIMAL(10, 2)",
    "flag": "BOOLEAN",
    "since": "DATE",
    "at": "TIMESTAMP(6)",
}
_INDEXES = {
    "file-index.bitmap.columns": "status,flag",
    "file-index.bsi.columns": "n,amount",
    "file-index.range-bitmap.columns": "price,at",
    "file-index.bloom-filter.columns": "id",
    "file-index.bloom-filter.id.items": "50",
}
_BESIDE = {"file-index.in-manifest-threshold": "1 b"}
_EMBEDDED = {"file-index.in-manifest-threshold": "10 mb"}


def _row(number: int, version: int = 0) -> Row:
    """The row of an id; another `version` has other values."""
    n = number + 7 * version
    return [
        number,
        f"day-{number % 2}",
        None if n % 7 == 3 else ["NEW", "PENDING", "DONE"][n % 3],
        None if n % 5 == 4 else (n - 9) * 1_000_003,
        n * 0.25 - 2,
        f"{n * 25 / 100:.2f}",
        n % 4 == 0,
        19_700 + n,
        1_700_000_000_000_000 + n * 1_000_001,
    ]


def _predicates(columns: Columns = _COLUMNS) -> list[Mapping[str, Any]]:
    asked: list[Mapping[str, Any]] = [
        {"op": "eq", "col": "status", "value": "PENDING"},
        {"op": "ne", "col": "status", "value": "NEW"},
        {"op": "isnull", "col": "status"},
        {"op": "isnotnull", "col": "n"},
        {"op": "startswith", "col": "status", "value": "P"},
        {"op": "in", "col": "id", "values": [3, 11, 1000]},
        {"op": "notin", "col": "status", "values": ["DONE", "NEW"]},
        {"op": "lt", "col": "n", "value": 0},
        {"op": "ge", "col": "price", "value": 1.0},
        {"op": "gt", "col": "amount", "value": "3.00"},
        {"op": "eq", "col": "flag", "value": True},
        {"op": "le", "col": "since", "value": 19_705},
        {"op": "gt", "col": "at", "value": 1_700_000_000_000_000 + 12 * 1_000_001},
        {"op": "eq", "col": "day", "value": "day-1"},
        {"op": "eq", "col": "id", "value": 1000},
    ]
    asked = [node for node in asked if node["col"] in columns]
    trees = [{"op": "and", "args": asked[1:3]}, {"op": "or", "args": [asked[0], asked[-1]]}]
    both = {"op": "and", "args": [asked[0], asked[5 % len(asked)]]}
    return [*asked, *trees, both]


def _first() -> list[Mapping[str, Any]]:
    by_price = {"col": "price", "descending": True, "nulls_first": False}
    by_status = {"col": "status", "descending": False, "nulls_first": True}
    present = {"op": "isnotnull", "col": "n"}
    return [
        {"predicate": None, "limit": 5},
        {"predicate": {"op": "eq", "col": "status", "value": "PENDING"}, "limit": 2},
        {"predicate": None, "order": by_price, "limit": 4},
        {"predicate": present, "order": by_price, "limit": 3},
        {"predicate": None, "order": by_status, "limit": 7},
    ]


# What is made -----------------------------------------------------------------------------------


def plans() -> Iterator[Plan]:
    """All tables of the kit."""
    yield from _append()
    yield from _keyed()
    yield _evolution()


def _append() -> Iterator[Plan]:
    rows = [_row(number) for number in range(24)]
    commits = [Step(rows[:14]), Step(rows[14:])]
    for kind, place in (("parquet", _BESIDE), ("orc", _EMBEDDED), ("avro", _BESIDE)):
        where = "beside the data files" if place is _BESIDE else "in manifests"
        yield Plan(
            f"append_{kind}",
            f"Rows in {kind}, in two files, with indexes {where}.",
            *(_COLUMNS, commits, rows, _predicates()),
            {**_INDEXES, **place, "file.format": kind},
            first=_first(),
        )
    yield Plan(
        "append_partitioned",
        "Two partitions of two files each.",
        *(_COLUMNS, commits, rows, _predicates()),
        {**_INDEXES, **_EMBEDDED},
        partitions=["day"],
    )
    gone = [0, 3, 11, 15, 16, 17, 23]
    live = [row for row in rows if row[0] not in gone]
    for bits in (32, 64):
        yield Plan(
            f"append_vectors_{bits}",
            f"Deleted rows, by deletion vectors of {bits} bits, with indexes.",
            *(_COLUMNS, [*commits, Step(delete=gone)], live, _predicates()),
            {
                **_INDEXES,
                **_BESIDE,
                "deletion-vectors.enabled": "true",
                "deletion-vectors.bitmap64": str(bits == 64).lower(),
            },
            first=_first(),
        )
    few = [row[:1] + row[2:3] for row in rows[:9]]
    of_status = [{"op": "eq", "col": "status", "value": status} for status in ("NEW", "PENDING")]
    columns = {"id": "INT NOT NULL", "status": "STRING"}
    yield Plan(
        "small",
        "One file with an index beside it, and three deleted rows.",
        columns,
        [Step(few), Step(delete=[1, 2, 7])],
        [row for row in few if row[0] not in (1, 2, 7)],
        of_status,
        {
            "file-index.bitmap.columns": "status",
            **_BESIDE,
            "deletion-vectors.enabled": "true",
        },
    )
    yield Plan(
        "small_embedded",
        "One file with an index in its manifest.",
        *(columns, [Step(few)], few, of_status),
        {"file-index.bitmap.columns": "status", **_EMBEDDED},
    )
    yield Plan(
        "append_buckets",
        "Two buckets by the hash code of the id.",
        *(_COLUMNS, commits, rows, _predicates()),
        {"bucket": "2", "bucket-key": "id"},
    )
    maps: list[Row] = [
        [1, {"k1": 1, "k2": 5}], [2, None], [3, {}], [4, {"k1": 1}], [5, {"k2": 7}], [6, {"k1": 2}]
    ]  # fmt: skip
    yield Plan(
        "append_map",
        "A MAP column with an index of a key.",
        {"id": "INT NOT NULL", "m": "MAP<STRING, INT>"},
        [Step(maps)],
        maps,
        [
            {"op": "isnull", "col": "m"},
            {"op": "gt", "col": "id", "value": 4},
            {"op": "eq", "col": "m[k1]", "value": 1},
            {"op": "ne", "col": "m[k1]", "value": 1},
            {"op": "isnull", "col": "m[k1]"},
            {"op": "in", "col": "m[k2]", "values": [5, 9]},
            {"op": "isnotnull", "col": "m[absent]"},
        ],
        {"file-index.bitmap.columns": "m[k1]", **_EMBEDDED},
    )


def _keyed() -> Iterator[Plan]:
    """Rows 0 to 19, of which 5 to 9 are changed, 12 to 14 deleted, 3 is deleted and comes back."""
    first = [_row(number) for number in range(20)]
    changed = [_row(number, version=1) for number in range(5, 10)]
    gone = [_row(number) for number in (3, 12, 13, 14)]
    back = _row(3, version=2)
    steps = [(first, []), ([*changed, *gone], ["+I"] * 5 + ["-D"] * 4), ([back], [])]
    live = {row[0]: row for row in first}
    live |= {row[0]: row for row in changed}
    for row in gone:
        del live[row[0]]
    rows = [*live.values(), back]

    def plan(name: str, about: str, options: Mapping[str, str], compact: bool, **more: Any) -> Plan:
        commits = [
            Step(written, kinds, compact and at == 0) for at, (written, kinds) in enumerate(steps)
        ]
        keys = more.pop("keys", ["id"])
        more |= {"keys": keys, "first": _first()}
        return Plan(name, about, _COLUMNS, commits, rows, _predicates(), options, **more)

    yield plan("keyed", "A primary key, not compacted: readers merge.", {"bucket": "2"}, False)
    yield plan("keyed_compacted", "The first commit is compacted, later ones are not.",
               {"bucket": "1", **_INDEXES}, True)  # fmt: skip
    for bits in (32, 64):
        yield plan(
            f"keyed_vectors_{bits}",
            f"A primary key with deletion vectors of {bits} bits: readers do not merge.",
            {
                **_INDEXES,
                **_BESIDE,
                "bucket": "1",
                "deletion-vectors.enabled": "true",
                "deletion-vectors.bitmap64": str(bits == 64).lower(),
            },
            True,
        )
    yield plan(
        "keyed_partitioned",
        "A primary key in partitions.",
        {"bucket": "1"},
        False,
        keys=["day", "id"],
        partitions=["day"],
    )
    yield Plan(
        "keyed_dynamic_buckets",
        "Dynamic buckets of five keys each, which bucket indexes list.",
        *(_COLUMNS, [Step(first)], first, _predicates()),
        {"bucket": "-1", "dynamic-bucket.target-row-num": "5"},
        keys=["id"],
    )


def _evolution() -> Plan:
    before = {"id": "INT", "a": "INT", "s": "STRING", "x": "INT"}
    after = {"id": "INT", "a": "BIGINT", "label": "STRING", "new": "STRING"}
    first = [[n, n % 5, f"s{n % 3}", n] for n in range(8)]
    second = [[n, n % 5, f"s{n % 3}", n] for n in range(8, 16)]
    third = [[n, n + 2**40, f"s{n % 3}", None if n % 2 else f"new-{n}"] for n in range(16, 24)]
    steps = [
        Step(first),
        Step(changes=[["rename", "s", "label"], ["set", "file-index.bitmap.columns", "label"]]),
        Step(second),
        Step(changes=[["type", "a", "BIGINT"], ["drop", "x"], ["add", "new", "STRING"]]),
        Step(third),
    ]
    rows = [[n, a, s, None] for n, a, s, _ in (*first, *second)] + third
    asked: list[Mapping[str, Any]] = [
        {"op": "eq", "col": "label", "value": "s1"},
        {"op": "isnull", "col": "new"},
        {"op": "eq", "col": "new", "value": "new-18"},
        {"op": "gt", "col": "a", "value": 3},
        {"op": "eq", "col": "a", "value": 18 + 2**40},
        {"op": "ne", "col": "label", "value": "s0"},
    ]
    options = {"file-index.bitmap.columns": "s", "file-index.bsi.columns": "a", **_BESIDE}
    about = "Files of three schemas: a column renamed, one wider, one dropped, one added."
    return Plan("evolution", about, before, steps, rows, asked, options, last=after)


# Making -----------------------------------------------------------------------------------------


def _document(plan: Plan) -> dict[str, Any]:
    """What is in case.json; the right rows come from the plan alone."""
    values = zip(*plan.rows, strict=True)
    columns = [
        Column(name, text.removesuffix(" NOT NULL"), list(listed))
        for (name, text), listed in zip(plan.read.items(), values, strict=True)
    ]
    table = cases.Case(0, columns, {}, [], "plain")
    queries: list[dict[str, Any]] = [{"predicate": None, "rows": pack(range(len(plan.rows)))}]
    queries += [
        {"predicate": dict(node), "rows": pack(scan(table, dict(node)))} for node in plan.predicates
    ]
    for limited in plan.first:
        rows, ties, least = first(table, limited)
        where = limited["predicate"]
        others = scan(table, where) if where else set(range(len(plan.rows)))
        query = {"rows": pack(rows), "ties": pack(ties), "least": least}
        queries.append({**limited, **query, "others": pack(others - rows - ties)})
    return {
        "kind": KIND,
        "about": plan.about,
        "made": None,
        "table": PLACE,
        "columns": [{"name": name, "type": text} for name, text in plan.read.items()],
        "partition_keys": list(plan.partitions),
        "primary_key": list(plan.keys),
        "options": dict(plan.options),
        "rows": [list(row) for row in plan.rows],
        "queries": queries,
    }


def kept(plan: Plan, before: Mapping[str, Case]) -> Case | None:
    """The case with the kit's table; None if it has none with the same rows and options."""
    was = before.get(f"{KIND}/{plan.name}")
    now = json.loads(json.dumps(_document(plan)))
    changing = {"about", "made", "queries"}
    if was is None or any(was.document[key] != now[key] for key in now.keys() - changing):
        return None
    return was.having(**now)


def make(plan: Plan, java: jvm.Session) -> Case:
    """The case with a new table; `java` is the program Tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{PLACE}"
        columns = [{"name": name, "type": text} for name, text in plan.columns.items()]
        java.ask(
            {"op": "create", "path": path, "columns": columns, "options": dict(plan.options)}
            | {"keys": list(plan.keys), "partitions": list(plan.partitions)}
        )
        for step in plan.steps:
            if step.changes:
                java.ask({"op": "alter", "changes": step.changes})
            elif step.delete:
                places: dict[str, list[int]] = {}
                for file, position, number in positions(path, "id"):
                    if number in step.delete:
                        places.setdefault(file, []).append(position)
                java.ask({"op": "delete", "files": places})
            else:
                written = {"rows": step.rows, "kinds": step.kinds, "compact": step.compact}
                java.ask({"op": "write", **written})
        files = {
            found.relative_to(folder).as_posix(): found.read_bytes()
            for found in sorted(Path(folder).rglob("*"))
            if found.is_file() and found.suffix != ".crc"
        }
    return Case(f"{KIND}/{plan.name}", _document(plan), files)


def answered(case: Case, java: jvm.Session) -> Case:
    """The case with the library's answers that are other ones; `java` is the program Kit.

    Raises:
        UnknownDifferenceError: One is, and the reason is not known.
    """
    queries: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        case.write(Path(folder))
        for check, query in zip(case.checks(Path(folder)), case.document["queries"], strict=True):
            queries.append(query)
            answer = asked(java, check.request)
            if "unsupported" in answer or (outcome := check.judge(answer)) is None:
                continue
            if "order" not in query or not case.path.endswith("vectors_64"):
                raise UnknownDifferenceError(f"{case.path}: {check.text}: {outcome}")
            known = {"rows": answer["rows"], "because": ["deleted-rows-count"]}
            queries[-1] = {**query, "java": known}
    return case.having(queries=queries)
