"""Columns of the same rows in several files: as pypaimon reads them without global indexes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.commands import Cli
from tests.support.damage import each_flipped
from tests.support.golden_tables import ordered, rows_of
from tests.support.newer_tables import EVOLUTION, newer_table, rows
from tests.support.query_tables import brute
from tools.tables import append, by_pypaimon, by_rust, make_table

LOCAL = local_engine(1)


def update(path: str, ids: list[int], **columns: list[Any]) -> None:
    """Write new values of some columns of rows, by their row ids, as pypaimon does."""
    table = Table.at(path).pypaimon
    kinds = {field.name: field.type for field in Table.at(path).schema.columns.to_arrow()}
    data = {name: pa.array(values, kinds[name]) for name, values in columns.items()}
    builder = table.new_batch_write_builder()
    writer = builder.new_update().with_update_type(list(columns))
    messages = writer.update_by_arrow_with_row_id(
        pa.table({"_ROW_ID": pa.array(ids, pa.int64()), **data})
    )
    commit = builder.new_commit()
    commit.commit(messages)
    commit.close()


@pytest.fixture(scope="module")
def evolved(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Any]]:
    """A table with partitions, three generations of columns, one of them added and renamed."""
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    folder = tmp_path_factory.mktemp("evolved")
    options = {**EVOLUTION, "file-index.bitmap.columns": "name", "deletion-vectors.enabled": "true"}
    data = [rows(0, 300), rows(300, 200)]
    path = make_table(folder, "t", data, options, partition_keys=["day"])
    rng = np.random.default_rng(7)

    def some(n: int) -> list[int]:
        return sorted(rng.choice(500, n, replace=False).tolist())

    update(path, some(40), name=[f"new{i % 3}" for i in range(40)])
    catalog = by_catalog(path)
    catalog.alter_table("default.t", [SchemaChange.add_column("late", AtomicType("INT"))], False)
    append(
        Table.at(path).pypaimon,
        rows(500, 100).append_column("late", pa.array(range(100), pa.int32())),
    )
    update(path, some(30), late=[*range(30)], amount=[None] * 30)
    update(path, some(25), amount=[-1.0] * 25)
    builder = Table.at(path).pypaimon.new_batch_write_builder()
    where = Table.at(path).pypaimon.new_read_builder().new_predicate_builder()
    messages = builder.new_update().delete_by_predicate(where.between("id", 90, 110))
    commit = builder.new_commit()
    commit.commit(messages)
    commit.close()
    theirs = rows_of(by_pypaimon(path))  # which by the new name would not find the old values
    catalog.alter_table("default.t", [SchemaChange.rename_column("late", "later")], False)
    return path, theirs


def by_catalog(path: str) -> Any:
    from pypaimon import CatalogFactory

    return CatalogFactory.create({"warehouse": str(Path(path).parents[1])})


@pytest.mark.parametrize(
    "where",
    [
        None,
        "name = 'new1'",
        "name = 'n007' AND amount IS NULL",
        "amount = -1.0 OR later = 7",
        "later IS NULL AND day = DATE '2024-01-02'",
        "id BETWEEN 80 AND 120",
        "note LIKE '%9 of%' AND later > 3",
    ],
)
def test_rows_are_those_of_pypaimon(evolved: tuple[str, list[Any]], where: str | None) -> None:
    path, theirs = evolved
    table = Table.at(path)
    assert len(theirs) == 579
    columns = table.schema.columns
    matching = theirs if where is None else brute(columns, theirs, parse_predicate(where, columns))
    expected = ordered(matching)
    assert expected
    assert ordered(rows_of(query(table, where, engine=LOCAL))) == expected
    assert count(table, where, engine=LOCAL).count == len(expected)
    top = query(table, where, order_by="id DESC", limit=3, engine=LOCAL)["id"].to_pylist()
    whole = query(table, where, columns=["id"], engine=LOCAL)["id"].to_pylist()
    assert top == sorted(whole, reverse=True)[:3]


def test_statistics_of_the_newest_writer_skip_rows(tmp_path: Path) -> None:
    options = {**EVOLUTION, "metadata.stats-mode": "full"}
    path = make_table(tmp_path, "t", [rows(0, 50), rows(50, 50)], options)
    update(path, [*range(50)], id=[*range(1000, 1050)])
    table = Table.at(path)
    assert not plan_query(table, Query("id < 50")).tasks
    [task] = plan_query(table, Query("id >= 1000")).tasks
    assert (len(task.files), task.num_rows) == (2, 50)
    for step in explain(table, "id >= 1000", engine=LOCAL):
        assert step.rows_kept == (100 if step.step == "partitions" else 50)


@pytest.mark.parametrize("name", ["row_tracking", "evolution", "evolution_vectors"])
def test_ids_and_sequence_numbers_of_rows(name: str, tmp_path: Path) -> None:
    path = newer_table(tmp_path, name)
    table = Table.at(path)
    assert query(table, limit=1, engine=LOCAL).column_names == list(table.schema.columns.names)
    columns = ["_ROW_ID", "id", "_SEQUENCE_NUMBER"]
    builder = table.pypaimon.new_read_builder().with_projection(columns)
    theirs = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    ours = query(table, columns=columns, engine=LOCAL)
    assert ours.equals(theirs.cast(ours.schema))
    some = query(table, "_ROW_ID IN (3, 1500, 7000) OR _ROW_ID = 999", columns, engine=LOCAL)
    kept = [row for row in ours.to_pylist() if row["_ROW_ID"] in (3, 999, 1500)]
    assert some.to_pylist() == kept
    [task] = plan_query(table, Query("_ROW_ID > 1800")).tasks
    assert task.num_rows == 1000
    newest = max(ours["_SEQUENCE_NUMBER"].to_pylist())
    some = query(table, f"_SEQUENCE_NUMBER = {newest}", columns, engine=LOCAL)
    assert some.num_rows == ours["_SEQUENCE_NUMBER"].to_pylist().count(newest)


@pytest.mark.parametrize("name", ["blobs", "blob_descriptors"])
def test_blobs_are_those_of_pypaimon(name: str, tmp_path: Path) -> None:
    """A file of an update has placeholders for the other rows."""
    path = newer_table(tmp_path, name)
    assert query(path, "x IS NULL", ["id"], engine=LOCAL)["id"].to_pylist() == [0]
    update(path, [3, 120], x=[b"later", None])
    theirs = {row[0]: row for row in rows_of(by_pypaimon(path))}
    assert len(theirs) == 200
    ours = rows_of(query(path, engine=LOCAL))
    assert {row[0]: row for row in ours} == theirs
    for where, ids in (("id IN (3, 4, 199)", [3, 4, 199]), ("_ROW_ID = 120", [120])):
        found = rows_of(query(path, where, engine=LOCAL))
        assert found == [theirs[number] for number in ids]
    nulls = [row[0] for row in theirs.values() if row[1] is None]
    assert query(path, "x IS NULL", ["id"], engine=LOCAL)["id"].to_pylist() == sorted(nulls)


def test_no_flipped_bit_gives_another_blob(tmp_path: Path) -> None:
    """Each value has a checksum, and the lengths in the index fit it."""
    values = [b"a", None, b"", b"hello" * 9, b"b", None]
    data = pa.table({"id": range(6), "x": pa.array(values, pa.large_binary())})
    path = make_table(tmp_path, "t", [data], EVOLUTION)
    [blob] = Path(path, "bucket-0").glob("*.blob")
    right, answered = blob.read_bytes(), []
    for at, bad in each_flipped(right):
        blob.write_bytes(bad)
        try:
            found = query(path, engine=LOCAL)
        except CorruptFileError:
            continue
        answered.append(at)
        assert found["x"].to_pylist() == values
    assert len(answered) <= 1, "a null at the end may become a placeholder, which is null, too"


def test_blobs_within_arrays_and_maps_are_refused(tmp_path: Path, cli: Cli) -> None:
    """Other readers support them. Nothing is lost without a word, and other columns are read."""
    data = pa.table(
        {
            "id": [1, 2, 3],
            "lists": pa.array([[b"x", b"yy"], None, []], pa.list_(pa.large_binary())),
            "maps": pa.array([[("k", b"v")], [], None], pa.map_(pa.string(), pa.large_binary())),
        }
    )
    path = make_table(tmp_path, "t", [data], {**EVOLUTION, "blob-field": "lists,maps"})
    assert by_pypaimon(path).to_pylist() == data.to_pylist()
    assert by_rust(path, "id = 1")["lists"].to_pylist() == [[b"x", b"yy"]]
    for column, kind in (("lists", "ARRAY<BLOB>"), ("maps", "MAP<STRING NOT NULL, BLOB>")):
        for where, columns in ((None, [column]), (f"{column} IS NULL", ["id"])):
            with pytest.raises(UnsupportedError, match=re.escape(f"'{column}' is {kind}: BLOBs")):
                query(path, where, columns, engine=LOCAL)
    assert query(path, "id > 1", ["id"], engine=LOCAL)["id"].to_pylist() == [2, 3]
    assert count(path, "id > 1", engine=LOCAL).count == 2
    assert [*audit(path, deep=True)] == []
    for blob in Path(path, "bucket-0").glob("*.blob"):
        assert cli("verify", blob)[0] == 0


def test_a_blob_file_with_other_rows_is_corrupt(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "blobs")
    [first, *_] = sorted(Path(path, "bucket-0").glob("*.blob"))
    first.write_bytes(first.read_bytes()[:-3])
    with pytest.raises(CorruptFileError) as raised:
        query(path, engine=LOCAL)
    assert raised.value.path == str(first)
    assert query(path, columns=["id"], engine=LOCAL).num_rows == 200
