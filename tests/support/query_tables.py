"""Tables of orders that queries are put to, and the rows that match, by the reference."""

import datetime as dt
import math
import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import Row, ordered, rows_of
from tools.tables import delete_rows, make_table

LOCAL = local_engine(workers=2)

SCHEMA = Schema.parse(
    "id BIGINT, region STRING, status STRING, amount DECIMAL(10, 2), score DOUBLE, "
    "day DATE, at TIMESTAMP(6), flag BOOLEAN, code BINARY(2), m MAP<STRING, INT>"
)

BESIDE = {"file-index.in-manifest-threshold": "1 b"}
WITHIN = {"file-index.in-manifest-threshold": "1 mb"}
INDEXES = {
    "file-index.bitmap.columns": "status,flag,m[k]",
    "file-index.bsi.columns": "id,day",
    "file-index.range-bitmap.columns": "amount,score,at",
    "file-index.bloom-filter.columns": "status,id",
}


def orders(seed: int, num_rows: int) -> pa.Table:
    """Rows of `SCHEMA`, with nulls, NaN and values that come again."""
    chosen = random.Random(seed)

    def some(values: Sequence[Any]) -> list[Any]:
        return [chosen.choice([*values, values[0], None]) for _ in range(num_rows)]

    start = dt.datetime(2024, 1, 1)
    maps: list[dict[str, int | None]] = [{}, {"k": 1}, {"k": 2, "l": 3}, {"l": 4}, {"k": None}]
    data = {
        "id": [seed * 1000 + at if chosen.random() < 0.95 else None for at in range(num_rows)],
        "region": [chosen.choice(["EU", "US", "ASIA"]) for _ in range(num_rows)],
        "status": some(["PENDING", "DONE", "", "CANCELLED", "ÄÖ", f"only {seed}"]),
        "amount": some([Decimal(n).scaleb(-2) for n in (0, 1, -1, 995, 123_456, -99_999_999)]),
        "score": some([0.0, -0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, 1e300]),
        "day": some([dt.date(2024, 1, n) for n in range(1, 9)] + [dt.date(1969, 12, 31)]),
        "at": some([start + dt.timedelta(microseconds=n) for n in (0, 1, 999_999, 86_400_000_000)]),
        "flag": some([True, False]),
        "code": some([b"ab", b"\0\0", b"\xff\xff"]),
        "m": [
            None if chosen.random() < 0.2 else list(chosen.choice(maps).items())
            for _ in range(num_rows)
        ],
    }
    arrow = SCHEMA.to_arrow()
    return pa.table([pa.array(data[f.name], f.type) for f in arrow], schema=arrow)


Made = tuple[Table, list[Row]]


def brute(schema: Schema, rows: Sequence[Row], where: Predicate) -> list[Row]:
    """The rows that match, by the reference."""
    data = {name: [row[at] for row in rows] for at, name in enumerate(schema.names)}
    for key in "kl":
        data[f"m[{key}]"] = [None if m is None else m.get(key) for m in data.get("m", ())]
    return [rows[at] for at in matching_rows(where, data, schema, "UTC", len(rows))]


def found_rows(table: Table, where: Any = None, **more: Any) -> list[str]:
    return ordered(rows_of(query(table, where, engine=LOCAL, **more)))


def many_size(table: Table) -> int:
    return sum(file.size for file in table.data_files.of(table.snapshot()))


TABLES: dict[str, tuple[dict[str, str], tuple[str, ...], dict[str, str] | None]] = {
    "plain": ({}, (), None),
    "orc": ({"file.format": "orc"}, (), BESIDE),
    "embedded": ({}, (), WITHIN),
    "statistics": ({"metadata.stats-mode": "full"}, (), BESIDE),
    "regions": ({}, ("region",), BESIDE),
    "vectors": ({"deletion-vectors.enabled": "true"}, (), WITHIN),
}
"""Options and partitions of append tables, and where their indexes are, if they have any."""


def made_table(folder: Path, name: str) -> Made:
    """One of `TABLES`, all of which are made of the same rows, and the rows that it has."""
    options, partitions, indexes = TABLES[name]
    commits = [orders(seed, rows) for seed, rows in ((1, 60), (2, 40), (3, 1), (4, 90))]
    path = make_table(folder, name, commits, options, partition_keys=partitions)
    if indexes is not None:
        rewrite_index(path, set={**INDEXES, **indexes}, engine=LOCAL)
    rows = [row for commit in commits for row in rows_of(commit)]
    if name == "vectors":
        gone = {}
        for file in Table.at(path).data_files.of(Table.at(path).snapshot()):
            gone[file.name] = [at for at in range(file.num_rows) if at % 3 == 0]
        delete_rows(path, gone)
        rows = [row for commit in commits for at, row in enumerate(rows_of(commit)) if at % 3]
    return Table.at(path), rows


KEYED = pa.schema(
    [pa.field("k", pa.int64(), False), ("p", pa.string()), ("a", pa.int32()), ("b", pa.string())]
)


def versions(seed: int, keys: int, rows: int) -> pa.Table:
    """Rows of keys below `keys`, each at most once."""
    chosen = random.Random(seed)
    data = [
        {
            "k": key,
            "p": "xy"[key % 2],
            "a": chosen.choice([None, seed, 1, 2]),
            "b": chosen.choice([None, f"b{seed}", "b"]),
        }
        for key in chosen.sample(range(keys), rows)
    ]
    return pa.Table.from_pylist(data, KEYED)
