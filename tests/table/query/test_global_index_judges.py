"""Queries of tables with global indexes: pypaimon, pypaimon-rust and our readers return the same.

The indexes alone answer the same rows, too.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader
from paimon_ksy.global_index.registry import open_global_index
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.store import Table
from tests.support.brute_force import matching_rows
from tests.support.global_indexes import selection_of
from tests.support.newer_tables import EVOLUTION, by_rust, newer_table
from tests.support.row_id_tables import without_indexes
from tests.support.selections import selected_rows
from tests.support.strategies import trees
from tools.tables import append, make_table, rust_context

COLUMNS = {"btree": "name", "bitmap": "name", "bitmap_lz4": "name", "btree_2": "id"}
"""The tables, and the indexed column of each."""
PREDICATES = {
    "name": [
        "name = 'n003'",
        "name = 'absent'",
        "name IN ('n000', 'n036', 'x')",
        "name <> 'n003'",
        "name NOT IN ('n001', 'n002')",
        "name BETWEEN 'n01' AND 'n02'",
        "name >= 'n035'",
        "name LIKE 'n00%'",
        "name IS NULL",
        "name IS NOT NULL AND name < 'n001'",
        "name = 'n005' OR name IS NULL",
    ],
    "id": [
        "id = 1234",
        "id IN (0, 1999, 2000)",
        "id <> 7",
        "id BETWEEN 100 AND 120",
        "id < 3 OR id > 1996",
        "id IS NULL",
    ],
}


def readers_of(path: str) -> list[tuple[int, GlobalIndexReader]]:
    """A reader of each row range of the only index of a table, and the first row of the range."""
    table = Table.at(path)
    [index] = table.index_manifests.global_indexes(table.snapshot())
    columns = table.schema.columns
    fields = tuple(columns.column(name) for name in table.schema.named(index.field_ids))
    files: dict[int, list[GlobalIndexFile]] = {}
    for (first, stop), file in zip(index.bounds, index.files, strict=True):
        assert file.global_index is not None
        name = str(table.paths.index_file(file))
        files.setdefault(first, []).append(
            GlobalIndexFile(
                partial(open_source, name),
                *(name, index.index_type, fields, first, stop - 1, file.row_count),
                file.global_index.index_meta,
            )
        )
    readers = [(first, open_global_index(some)) for first, some in files.items()]
    return [(first, reader) for first, reader in readers if reader is not None]


@pytest.mark.parametrize("name", COLUMNS)
def test_all_readers_return_the_same_rows(name: str, tmp_path: Path) -> None:
    path = newer_table(tmp_path, name)
    readers = readers_of(path)
    schema, context = Table.at(path).schema.columns, rust_context(path)
    ids = without_indexes(path, ["id"])["id"].to_numpy()
    for where in PREDICATES[COLUMNS[name]]:
        ours = sorted(pk.query(path, where, columns=["id"])["id"].to_pylist())
        batches = context.sql(f"SELECT id FROM p.default.{name} WHERE {where}")
        rust = pa.Table.from_batches(batches)["id"].to_pylist() if batches else []
        assert ours == sorted(rust), where
        rows: list[int] = []
        for first, reader in readers:
            selection = selection_of(parse_predicate(where, schema), reader, schema)
            assert selection.exact
            rows += [first + row for row in selected_rows(selection, reader.num_rows)]
        assert ours == sorted(ids[rows].tolist()), where
    assert sum(reader.num_rows for _, reader in readers) == len(ids)


ELEMENTS: dict[str, Predicate] = {
    "array_contains(x, 'a3')": pk.col("x").array_contains("a3"),
    "array_contains(x, 'absent')": pk.col("x").array_contains("absent"),
    "array_contains(x, 'b') AND id < 9": pk.col("x").array_contains("b") & (pk.col("id") < 9),
    "NOT array_contains(x, 'a3')": ~pk.col("x").array_contains("a3"),
    "array_has_any(x, ['a0', 'a6', 'z'])": pk.col("x").arrays_overlap(["a0", "a6", "z"]),
}
"""Conditions on elements of arrays in the SQL of pypaimon-rust, and in Python."""


def test_elements_are_found_by_the_multivalue_index(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "multivalue")
    context = rust_context(path)
    for where, predicate in ELEMENTS.items():
        ours = sorted(pk.query(path, predicate, columns=["id"])["id"].to_pylist())
        batches = context.sql(f"SELECT id FROM p.default.multivalue WHERE {where}")
        rust = pa.Table.from_batches(batches)["id"].to_pylist() if batches else []
        assert ours == sorted(rust), where
        data = without_indexes(path, ["id", "x"])
        kept = mask(bind(predicate, Table.at(path).schema.columns), data)
        assert ours == sorted(data.filter(kept)["id"].to_pylist()), where
    steps = {each.step: each for each in explain(path, pk.col("x").array_contains("absent"))}
    assert steps["row ids"].rows_kept == 0
    assert "the index multivalue on x is used for 200 rows" in steps["row ids"].notes


POOLS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int32(), [0, 1, -1, 7, 300, -(2**31), 2**31 - 1]),
    "l": (pa.int64(), [0, 2**53 + 1, 2**53, -(2**63), 2**63 - 1]),
    "s": (pa.string(), ["", " ", "a", "A", "ä", "ß", "中", "😀", "a😀", "o'clock", "x" * 300]),
    "d": (pa.float64(), [0.0, -0.0, 1.5, -2.0, float("nan"), float("inf"), 5e-324]),
}
"""The columns of arrays: the types of elements, and their values."""


class ArrayTable:
    """A table of random arrays, with multivalue indexes of most of its rows."""

    def __init__(self, path: str) -> None:
        self.path = path
        read = without_indexes(path)
        self.columns: dict[str, list[Any]] = read.to_pydict()

    def expected(self, predicate: Predicate) -> list[int]:
        """Return the ids of the rows that match, by brute force."""
        rows = matching_rows(predicate, self.columns, Table.at(self.path).schema.columns)
        return [self.columns["id"][row] for row in rows]


def _arrays(chosen: random.Random, name: str, count: int) -> pa.Array:
    element, pool = POOLS[name]

    def drawn() -> list[Any] | None:
        if chosen.random() < 0.15:
            return None
        some = [*chosen.sample(pool, 3), None]
        return [chosen.choice(some) for _ in range(chosen.choice([0, 1, 1, 2, 2, 3, 6]))]

    return pa.array([drawn() for _ in range(count)], pa.list_(element))


@pytest.fixture(scope="module", params=["parquet", "orc"])
def arrays(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ArrayTable:
    """The indexes cover two of three commits."""
    chosen, kind = random.Random(request.param), request.param
    commits = [
        pa.table(
            {"id": pa.array(range(start, start + 60), pa.int32())}
            | {name: _arrays(chosen, name, 60) for name in POOLS}
        )
        for start in (0, 60, 120)
    ]
    folder = tmp_path_factory.mktemp("arrays")
    path = make_table(folder, kind, commits[:2], {**EVOLUTION, "file.format": kind})
    for name in POOLS:
        by_rust(name, "multivalue")(path)
    append(Table.at(path).pypaimon, commits[2])
    pk.set_options(path, {"deletion-vectors.enabled": "true"})
    return ArrayTable(path)


@st.composite
def _array_leaves(draw: st.DrawFn) -> Predicate:
    name = draw(st.sampled_from([*POOLS, "id"]))
    column = pk.col(name)
    if name == "id":
        return column < draw(st.integers(0, 180))
    absent = {"i": 5, "l": 2**53 + 2, "s": "absent", "d": 0.1}[name]
    value = st.sampled_from([*POOLS[name][1], None, absent])
    if draw(st.booleans()):
        return column.array_contains(draw(value))
    return column.arrays_overlap(draw(st.lists(value, min_size=1, max_size=3)))


@examples(300)
@given(where=trees(_array_leaves(), 4))
def test_elements_of_random_arrays(arrays: ArrayTable, where: Predicate) -> None:
    """No row is lost or added, whatever is null, empty, NaN or beyond the indexed rows."""
    engine, expected = local_engine(1), arrays.expected(where)
    rows = pk.query(arrays.path, where, columns=["id"], engine=engine)
    assert sorted(rows["id"].to_pylist()) == expected
    assert pk.count(arrays.path, where, engine=engine).count == len(expected)
    assert pk.delete(arrays.path, where, dry_run=True, engine=engine).rows == len(expected)


def test_indexes_of_random_arrays_are_used(arrays: ArrayTable) -> None:
    for name, (_, pool) in POOLS.items():
        where = pk.col(name).arrays_overlap(pool[:2])
        steps = {each.step: each for each in explain(arrays.path, where)}
        assert f"the index multivalue on {name} is used for 120 rows" in steps["row ids"].notes
