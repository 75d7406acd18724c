"""Tables with composite keys: buckets, statistics and merging lose no row and revive none."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.predicates.tree import And, In, Predicate, col
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import Row, ordered, rows_of
from tests.support.strategies import predicates
from tools.tables import make_table

LOCAL = local_engine(1)

KEYS = {"a": "INT", "b": "INT", "c": "STRING", "d": "BIGINT"}
KEY_VALUES: dict[str, Sequence[Any]] = {
    # Ranges that lie apart, so that bounds of one column rule out values of another one.
    "a": range(5),
    "b": range(100, 105),
    "c": ["", "x", "xy", "z"],
    "d": [-(2**40), -1, 2**40],
}
VALUES = {"v": "INT", "w": "STRING"}
V, W = range(7), ["p", "q", "r"]


@dataclass(frozen=True)
class Made:
    """A table, and the rows that it has to have."""

    table: Table
    rows: list[Row]
    keys: tuple[str, ...]


Merge = dict[str, str]
MERGES: dict[str, Merge] = {
    "append": {},
    "deduplicate": {"merge-engine": "deduplicate"},
    "partial-update": {"merge-engine": "partial-update"},
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.v.aggregate-function": "sum",
        "fields.w.aggregate-function": "max",
    },
}


def merged(merge: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What becomes of two versions of a key."""
    if merge == "deduplicate":
        return new
    found = {**old, **{name: value for name, value in new.items() if value is not None}}
    if merge == "aggregation":
        present = [row["v"] for row in (old, new) if row["v"] is not None]
        found["v"] = sum(present) if present else None
        found["w"] = max((row["w"] for row in (old, new) if row["w"] is not None), default=None)
    return found


def make(folder: Any, seed: int, merge: str) -> Made:
    """A table of some commits, with random key, partitions, buckets, statistics and indexes."""
    rng = random.Random(f"{merge}:{seed}")
    keys = rng.sample(sorted(KEYS), rng.randint(2, 4))
    partitions = [name for name in keys[:-1] if rng.random() < 0.25]
    # A table with keys has all partition columns among them, and buckets by the others.
    rest = [name for name in keys if name not in partitions]
    bucket_key = rng.sample(rest, rng.randint(1, len(rest)))
    names = [*rng.sample(keys, len(keys)), *VALUES]
    options = {
        **MERGES[merge],
        "bucket": rng.choice(["1", "2", "5"]),
        "bucket-key": ",".join(bucket_key),
        "metadata.stats-mode": rng.choice(["none", "full", "full"]),
    }
    types = {**KEYS, **VALUES}
    nullable = merge == "append" or bool(seed % 2)
    if nullable and merge != "append":
        options["primary-key.nullable"] = "true"
    not_null = partitions if nullable else keys
    fields = (f"{name} {types[name]}{' NOT NULL' if name in not_null else ''}" for name in names)
    arrow = Schema.parse(", ".join(fields)).to_arrow()
    state: dict[Any, dict[str, Any]] = {}
    commits = []
    for number in range(rng.randint(2, 4)):
        new: dict[Any, dict[str, Any]] = {}
        for _ in range(rng.choice([1, 5, 25])):
            # Few values of the first key in a commit: the ranges of some files lie apart.
            row: dict[str, Any] = {
                name: rng.choice(KEY_VALUES[name][number % 2 :] if at == 0 else KEY_VALUES[name])
                for at, name in enumerate(keys)
            }
            if nullable and rng.random() < 0.3:
                row[rng.choice(rest)] = None
            row |= {"v": rng.choice([*V, None]), "w": rng.choice([*W, None])}
            new[tuple(row[name] for name in keys) if merge != "append" else len(new)] = row
        for key, row in new.items():
            if merge == "append":
                state[number, key] = row
            else:
                state[key] = merged(merge, state[key], row) if key in state else row
        columns = {name: [row[name] for row in new.values()] for name in names}
        commits.append(pa.table([pa.array(columns[f.name], f.type) for f in arrow], schema=arrow))
    path = make_table(
        folder,
        f"t{seed}",
        commits,
        options,
        partition_keys=partitions,
        primary_keys=keys if merge != "append" else [],
    )
    if rng.random() < 0.7:
        indexes = {"file-index.bitmap.columns": "v,w", "file-index.bloom-filter.columns": keys[0]}
        rewrite_index(path, set=indexes, engine=LOCAL)
    rows = [tuple(row[name] for name in names) for row in state.values()]
    return Made(Table.at(path), rows, tuple(keys))


TABLES = 4


@pytest.fixture(scope="module", params=[*MERGES])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Made]:
    folder = tmp_path_factory.mktemp(request.param)
    return [make(folder, seed, request.param) for seed in range(TABLES)]


def check(made: Made, where: Predicate | None) -> None:
    schema = made.table.schema.columns
    data = {name: [row[at] for row in made.rows] for at, name in enumerate(schema.names)}
    wanted = made.rows
    if where is not None:
        wanted = [made.rows[at] for at in matching_rows(where, data, schema)]
    assert ordered(rows_of(query(made.table, where, engine=LOCAL))) == ordered(wanted)
    assert count(made.table, where, engine=LOCAL).count == len(wanted)


@examples(30)
@given(number=st.integers(0, TABLES - 1), data=st.data())
def test_any_predicate(made: list[Made], number: int, data: st.DataObject) -> None:
    one = made[number]
    schema = one.table.schema.columns
    values = {name: [row[at] for row in one.rows] for at, name in enumerate(schema.names)}
    check(one, None)
    check(one, data.draw(predicates(schema, values, max_leaves=5)))
    rows = [row for row in one.rows if None not in row[: -len(VALUES)]]
    if rows:  # some columns of a key, and all of them
        row = data.draw(st.sampled_from(rows))
        some = data.draw(st.lists(st.sampled_from(one.keys), min_size=1, unique=True))
        for names in (some, one.keys):
            parts = [In(name, (row[schema.names.index(name)],)) for name in names]
            check(one, And(tuple(parts)))


# What merge engines make of values that statistics know ------------------------------------------


@pytest.mark.parametrize(
    ("merge", "gone", "there"),
    [("deduplicate", [1, 3], [2]), ("partial-update", [1, 3], [2]), ("aggregation", [1, 2], [3])],
)
def test_merged_values_are_not_those_of_a_file(
    merge: str, gone: list[int], there: list[int], tmp_path: Any
) -> None:
    """Of a key with v = 1, then v = 2; the statistics of both files are known."""
    key = pa.field("k", pa.int32(), nullable=False)
    schema = pa.schema([key, ("v", pa.int32()), ("w", pa.string())])
    commits = [pa.table([[7], [v], [None]], schema=schema) for v in (1, 2)]
    options = {**MERGES[merge], "bucket": "1", "metadata.stats-mode": "full"}
    path = make_table(tmp_path, "t", commits, options, primary_keys=["k"])
    assert len(plan_query(path, Query()).tasks) == 1
    for value in (*gone, *there):
        found = query(path, col("v") == value, engine=LOCAL)
        assert found["v"].to_pylist() == [value] * (value in there)
        assert count(path, col("v") == value, engine=LOCAL).count == (value in there)
    assert not plan_query(path, Query("k = 8")).tasks


def test_bounds_of_a_key_are_those_of_its_first_column(tmp_path: Any) -> None:
    fields = [pa.field(name, pa.int32(), nullable=False) for name in "ab"]
    data = pa.table([[1, 2, 3], [200, 100, 300]], schema=pa.schema(fields))
    options = {"bucket": "1", "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", [data], options, primary_keys=["a", "b"])
    for where, rows in (("b = 200", 1), ("b > 3", 3), ("b = 100", 1), ("a = 2", 1), ("b = 2", 0)):
        assert count(path, where, engine=LOCAL).count == rows
    assert not plan_query(path, Query("a = 4")).tasks
