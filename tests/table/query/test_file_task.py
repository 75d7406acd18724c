"""Tasks of single data files: what indexes and vectors keep, and nothing is read in vain."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import col
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.query import file_task
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.plan import TaskGroup, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import QueryStats, batches, count, query
from paimon_ksy.table.query.row_files import RowFiles
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table, ordered
from tests.support.manifests import change_index_manifest
from tests.support.query_tables import LOCAL, SCHEMA, Made, brute, found_rows, orders
from tools.tables import delete_rows, make_table


@pytest.mark.parametrize("embedded", [False, True])
def test_a_broken_index_is_an_error_that_names_the_file(embedded: bool, tmp_path: Path) -> None:
    path = make_table(tmp_path, "orders", [orders(1, 50), orders(2, 50)])
    threshold = "1 mb" if embedded else "1 b"
    options = {"file-index.bitmap.columns": "status", "file-index.in-manifest-threshold": threshold}
    rewrite_index(path, set=options, engine=LOCAL)
    table = Table.at(path)
    planned = plan_query(table, Query("status = 'DONE'"))
    if embedded:
        task = planned.tasks[0]
        assert isinstance(task, FileTask)
        file = task.file
        assert isinstance(file.index, bytes)
        broken = replace(file, embedded_index=b"x" * len(file.index))
        [part] = task.data.parts
        task = replace(task, data=RowFiles((replace(part, file=broken),)))
        planned = replace(planned, groups=(TaskGroup(planned.sizes, lambda: (task,)),))
    else:
        file = planned.tasks[1].files[0]
        assert isinstance(file.index, str)
        index = Path(file.index.removeprefix("file:"))
        index.write_bytes(index.read_bytes()[:40] + bytes(30))
    with pytest.raises(CorruptFileError, match=file.name):
        list(batches(planned, LOCAL))
    if not embedded:
        index.unlink()
        with pytest.raises(PaimonKsyError, match=f"{file.name}.*no such file"):
            count(table, "status = 'DONE'", engine=LOCAL)
    # What needs no index is read.
    assert query(table, engine=LOCAL).num_rows == 100


def test_an_index_is_asked_for_many_keys(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 5000, 31_000)
    texts = pa.array(["a", "b", None, "ä"]).take(pa.array(numbers % 4))
    data = pa.table({"n": pa.array(numbers, pa.int32()), "s": texts})
    path = make_table(tmp_path, "numbers", [data.slice(0, 10_000), data.slice(10_000)])
    rewrite_index(path, set={"file-index.bitmap.columns": "n,s"}, engine=LOCAL)
    table = Table.at(path)
    keys = range(3, 5000, 49)
    listed = f"n IN ({', '.join(map(str, keys))})"
    wanted = {0: data.filter(pa.array(np.isin(numbers, keys)))}
    wanted[1] = wanted[0].filter(pc.equal(wanted[0]["s"], "ä"))
    for at, where in enumerate((listed, f"{listed} AND s = 'ä'")):
        tasks = plan_query(table, Query(where))
        assert all(t.select(ReadStats()).exact for t in tasks if isinstance(t, FileTask))
        for engine in (None, LOCAL):
            found = query(table, where, engine=engine)
            assert found.equals(wanted[at].combine_chunks().cast(found.schema))
            assert count(table, where, engine=engine).count == found.num_rows
        _, _, index, _ = explain(table, where, engine=LOCAL)
        assert index.files_kept == 2
    either = query(table, f"{listed} OR s = 'a'", ["s"], engine=LOCAL)
    assert either.num_rows == int(np.sum(np.isin(numbers, keys) | (numbers % 4 == 0)))


def test_a_vector_of_another_file_is_an_error(tmp_path: Path) -> None:
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "orders", [orders(1, 50)], options)
    table = Table.at(path)
    name = next(iter(table.data_files.of(table.snapshot()))).name
    delete_rows(path, {name: [3, 70]})
    with pytest.raises(PaimonKsyError, match=f"{name}.*deletes row 70"):
        query(Table.at(path), engine=LOCAL)


@pytest.mark.parametrize("name", ["plain", "vectors"])
def test_columns_that_are_too_long_to_keep(
    made: Mapping[str, Made], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read a second time."""
    monkeypatch.setattr("paimon_ksy.table.query.file_task._KEPT_BYTES", 0)
    table, rows = made[name]
    for where in ("code = X'6162'", "code = X'6162' AND region = 'EU'", "code = X'ffff' OR id = 3"):
        wanted = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
        assert found_rows(table, where) == ordered(wanted)
        some = query(table, where, ["id", "code"], limit=2, engine=LOCAL)
        assert some.num_rows == min(2, len(wanted))


EQUAL: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", "b\u00e9", ""]),
    "flag": (pa.bool_(), [True, False]),
    "tiny": (pa.int8(), [-128, 127]),
    "small": (pa.int16(), [-1, 32767]),
    "number": (pa.int32(), [0, -(2**31)]),
    "long": (pa.int64(), [2**63 - 1, 0]),
    "day": (pa.date32(), [dt.date(1, 1, 1), dt.date(2024, 2, 29)]),
    "real": (pa.float64(), [0.0, -0.0, 1.5]),
    "at": (pa.timestamp("us"), [dt.datetime(2024, 1, 1), dt.datetime(1969, 1, 1)]),
}


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, pa.Table]:
    columns = {
        name: pa.array(([*values, None] * 400)[:1000], kind)
        for name, (kind, values) in EQUAL.items()
    }
    rows = pa.table({"id": np.arange(1000), **columns})
    bitmaps = ",".join([*EQUAL][:-2])
    options = {"file-index.bitmap.columns": bitmaps, "file-index.range-bitmap.columns": "real,at"}
    folder = tmp_path_factory.mktemp("equal")
    table = Table.at(make_table(folder, "equal", [rows.slice(0, 600), rows.slice(600)]))
    rewrite_index(table, set=options, engine=LOCAL)
    return table, rows


@pytest.mark.parametrize("name", EQUAL)
def test_columns_that_are_known_are_not_read(equal: tuple[Table, pa.Table], name: str) -> None:
    """All rows that an index knows to match `=` have that value, where equal values are the same
    ones, as two zeros are not."""
    table, rows = equal
    for value in EQUAL[name][1]:
        where = (col(name) == value) & (col("text") == "a")
        wanted = rows.filter(
            pc.and_(pc.equal(rows[name], value), pc.equal(rows["text"], "a"))
        ).sort_by("id")
        for names in (rows.column_names[::-1], [name, "id"], [name], [*{"text": 0, name: 1}]):
            stats = QueryStats()
            found = query(table, where, names, engine=LOCAL, stats=stats)
            assert found.column_names == names
            by_id = found.sort_by("id") if "id" in names else found
            shown = by_id.select(names).cast(wanted.select(names).schema)
            assert [*map(repr, shown.to_pylist())] == [*map(repr, wanted.select(names).to_pylist())]
            known = name not in ("real", "at") and not {*names} - {name, "text"}
            assert stats.files_read == (0 if known or not len(wanted) else 2)


def test_known_columns_are_not_those_of_other_types_in_a_file(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make_table(
        tmp_path, "grown", [pa.table({"id": [1, 2, 3], "n": pa.array([7, 8, 7], pa.int32())})]
    )
    rewrite_index(Table.at(path), set={"file-index.bitmap.columns": "n"}, engine=LOCAL)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    change = SchemaChange.update_column_type("n", AtomicType("BIGINT"))
    catalog.alter_table("default.grown", [change], False)
    found = query(Table.at(path), "n = 7", ["n", "id"], engine=LOCAL)
    assert found.to_pydict() == {"n": [7, 7], "id": [1, 3]}
    assert found.schema.field("n").type == pa.int64()


def test_a_known_column_of_many_rows_comes_in_parts(equal: tuple[Table, pa.Table]) -> None:
    table, rows = equal
    asked = plan_query(table, Query("tiny = 127", ["tiny"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_task, "_BATCH_ROWS", 64)
        found = list(batches(asked, LOCAL))
    assert max(batch.num_rows for batch in found) == 64
    count = pc.sum(pc.equal(rows["tiny"], 127)).as_py()
    assert sum(batch.num_rows for batch in found) == count > 200


@pytest.mark.parametrize("on_s3", [False, True])
@pytest.mark.parametrize("damage", ["cardinality", "too many", "last row"])
def test_a_count_does_not_believe_metadata(
    damage: str, on_s3: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count of all rows reads vectors of local files; elsewhere it compares numbers."""
    path = golden_table("append_dv32", tmp_path)
    if on_s3:
        monkeypatch.setattr("paimon_ksy.table.store.opening.is_local", lambda path: False)
        monkeypatch.setattr(Storage, "is_local", False)
    table = Table.at(path)
    smallest = min(table.data_files.of(table.snapshot()), key=attrgetter("num_rows"))

    def damaged(record: dict[str, Any]) -> dict[str, Any]:
        [first, *more] = record["_DELETIONS_VECTORS_RANGES"]
        change: dict[str, Any] = {
            "cardinality": {"_CARDINALITY": first["_CARDINALITY"] + 1},
            "too many": {"_CARDINALITY": 10_000},
            "last row": {"f0": smallest.name},
        }[damage]
        return {**record, "_DELETIONS_VECTORS_RANGES": [{**first, **change}, *more]}

    change_index_manifest(table, lambda records: list(map(damaged, records)))
    if on_s3 and damage != "too many":
        count(path, engine=LOCAL)
        return
    with pytest.raises(PaimonKsyError):
        count(path, engine=LOCAL)
