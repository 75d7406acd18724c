"""Rows deleted from whole tables: which ones, by vectors that each reader understands."""

import json
import math
import pickle
import random
import re
import tempfile
import threading
import traceback
import weakref
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    UnsupportedError,
)
from paimon_ksy.table.delete import delete
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.store import Table
from tests.support.brute_force import matches
from tests.support.deletions import (
    BITS_64,
    BUCKETS,
    ENABLED,
    EVOLVES,
    LOCAL,
    bits,
    but,
    ids,
    in_groups_of,
    make,
    meanwhile,
    readers,
    referred,
    rows,
    run_delete,
    update,
    vectors,
    written,
)
from tests.support.engines import Elsewhere
from tests.support.golden_tables import (
    expected,
    golden_table,
    golden_table_names,
    rows_of,
    same_rows,
)
from tests.support.killed_jobs import run_killed
from tests.support.strategies import arrow_column, columns, predicates
from tests.support.tables import append, drop_partition, files
from tools.made_manifests import table_of_manifests
from tools.tables import by_pypaimon, by_rust, make_table


@pytest.fixture(params=["local", pytest.param("spark", marks=pytest.mark.java)])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        return spark_engine(request.getfixturevalue("spark"))
    return local_engine(2)


# Which rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "partitions", "most", "engine"),
    [
        pytest.param({}, [], 64, "spark", marks=pytest.mark.java),
        pytest.param({**BUCKETS, **BITS_64}, ["day"], 64, "spark", marks=pytest.mark.java),
        ({}, [], 64, "local"),
        (BITS_64, [], 64, "local"),
        (BUCKETS, [], 64, "local"),
        # Each data file is searched by a task of its own, and files of vectors are joined.
        ({}, ["day"], 1, "local"),
        (BUCKETS, ["day"], 1, "local"),
    ],
    indirect=["engine"],
)
def test_several_deletes(
    options: dict[str, str],
    partitions: list[str],
    most: int,
    tmp_path: Path,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_groups_of(monkeypatch, most)
    indexed = {**options, "file-index.bitmap.columns": "state"}
    path = make(tmp_path, [rows(0, 20), rows(20, 20)], indexed, partitions)
    pk.rewrite_index(path, engine=LOCAL)
    dry = run_delete(path, "id IN (3, 21)", engine, dry_run=True)
    assert (dry.snapshot, dry.rows, dry.files_changed, dry.dry_run) == (None, 2, 2, True)
    assert written(path) == set()
    told: list[str] = []
    done = run_delete(
        path, "id IN (3, 21)", engine, progress=lambda file, _: told.append(file.path)
    )
    assert (done.snapshot, done.rows, done.files_changed) == (4, 2, 2)
    assert set(told) <= {file.path for file in files(path)}
    assert ids(path) == but(40, 3, 21)
    assert run_delete(path, "state = 'PAID' AND id < 10", engine).rows == 3
    assert ids(path) == but(40, 1, 3, 4, 7, 21)
    append(path, rows(40, 5))
    pk.rewrite_index(path, engine=LOCAL)
    assert run_delete(path, "state IS NULL AND id > 30", engine).rows == 5
    again = run_delete(path, "id IN (3, 21) OR state = 'OLD' OR state = NULL", engine)
    assert (again.snapshot, again.rows, again.files_changed) == (None, 0, 0)
    assert ids(path) == but(45, 1, 3, 4, 7, 21, 32, 35, 38, 41, 44)
    assert set(bits(path).values()) == {64 if "deletion-vectors.bitmap64" in options else 32}
    assert referred(path) < written(path)
    assert Table.at(path).snapshot(4) is not None  # earlier states are as they were
    before = pk.query(Table.at(path), columns=["id"], snapshot_id=4, engine=LOCAL)
    assert sorted(before["id"].to_pylist()) == but(40, 3, 21)


def test_what_the_snapshot_says(tmp_path: Path) -> None:
    """As Java's delete writes it: records are those of data files."""
    path = make(tmp_path, [rows(0, 20)])
    run_delete(path, "id < 5")
    latest: Any = Table.at(path).snapshot()
    assert (latest.commit_kind, latest.commit_identifier) == ("OVERWRITE", 2**63 - 1)
    assert (latest.total_record_count, latest.delta_record_count) == (20, 0)
    [vectors] = Table.at(path).index_manifests.of(latest)
    assert (vectors.index_type, vectors.bucket, vectors.row_count) == ("DELETION_VECTORS", 0, 1)
    [file] = written(path)
    assert Path(file).stat().st_size == vectors.file_size
    assert Path(file).parent.name == "index"


@pytest.mark.parametrize("name", [name for name in golden_table_names() if "append_dv" in name])
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """Vectors that Java wrote are merged with, by conditions whose rows Java tells."""
    path, golden = golden_table(name, tmp_path / "default.db"), expected(name)
    table = Table.at(path)
    left = list(golden.rows)
    for case in random.Random(name).sample(golden.cases, 6):
        gone = set(map(repr, case.rows))
        summary = run_delete(table, case.predicate)
        before = len(left)
        left = [row for row in left if repr(row) not in gone]
        assert summary.rows == before - len(left)
        assert same_rows(pk.query(table, engine=LOCAL), left)
        assert {one.check for one in pk.audit(table, deep=True, engine=LOCAL)} <= {"readers"}
        found = by_rust(path)
        assert same_rows(rows_of(found) if found.num_rows else [], left)


SCHEMA = pk.Schema.parse("id BIGINT NOT NULL, k INT, s STRING, f DOUBLE, d DATE, p INT")


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, str], list[str], list[Any]]:
    """Options and partition keys of a table, and what happens to it: rows, conditions, indexes."""
    options = {"file.format": draw(st.sampled_from(["parquet", "orc", "avro"]))}
    options |= draw(st.sampled_from([{}, BITS_64]))
    options |= draw(st.sampled_from([{}, BUCKETS]))
    options |= draw(st.sampled_from([{}, {"deletion-vector.index-file.target-size": "30 b"}]))
    options["test.group"] = draw(st.sampled_from(["1", "2", "64"]))
    partitions = draw(st.sampled_from([[], ["p"]]))
    steps: list[Any] = []
    at = 0
    values: dict[str, list[Any]] = {field.name: [] for field in SCHEMA}
    for number in range(draw(st.integers(3, 8))):
        kind = draw(st.sampled_from(["rows", "delete", "delete", "index"])) if number else "rows"
        if kind == "rows":
            count = draw(st.integers(1, 20))
            made = {
                field.name: draw(columns(field.type, min_size=count, max_size=count))
                for field in SCHEMA
                if field.name not in ("id", "p")
            }
            made["id"] = list(range(at, at + count))
            made["p"] = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
            at += count
            for name, column in made.items():
                values[name] += column
            steps.append(made)
        elif kind == "delete":
            steps.append(draw(predicates(SCHEMA, values, max_leaves=4)))
        else:
            kinds = draw(st.sets(st.sampled_from(["bitmap", "bsi", "bloom-filter"])))
            of = {"bitmap": "k,s,d", "bsi": "k,id", "bloom-filter": "s"}
            steps.append({f"file-index.{kind}.columns": of[kind] for kind in kinds})
    return options, partitions, steps


@pytest.mark.slow
@examples(40)
@given(history=histories())
def test_any_history(history: tuple[dict[str, str], list[str], list[Any]]) -> None:
    """Against a look at each row."""
    options, partitions, steps = history
    group = int(options.pop("test.group"))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        in_groups_of(patched, group)
        path = ""
        left: list[dict[str, Any]] = []
        for step in steps:
            if isinstance(step, pk.Predicate):
                gone = matches(step, left, SCHEMA)
                assert run_delete(path, step, dry_run=True).rows == sum(gone)
                assert run_delete(path, step).rows == sum(gone)
                left = [row for row, goes in zip(left, gone, strict=True) if not goes]
            elif "id" in step:
                arrays = [arrow_column(f.type, step[f.name]) for f in SCHEMA]
                data = pa.table(arrays, schema=SCHEMA.to_arrow())
                if path:
                    append(path, data)
                else:
                    path = make(Path(folder), [data], options, partitions)
                left += [
                    dict(zip(step, row, strict=True)) for row in zip(*step.values(), strict=True)
                ]
            else:
                pk.rewrite_index(path, set=step, engine=LOCAL)
            table = Table.at(path)
            found = pk.query(table, engine=LOCAL)
            assert same_rows(found, [tuple(row[n] for n in SCHEMA.names) for row in left])
            checks = {one.check for one in pk.audit(path, engine=LOCAL)}
            assert checks <= {"index-options", "index-unlisted", "readers"}
        numbers = sorted(row["id"] for row in left)
        for read in readers(BITS_64.items() <= options.items()):
            data = read(path)
            assert sorted(data["id"].to_pylist() if data.num_rows else []) == numbers


def test_columns_of_an_evolved_schema(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make(tmp_path, [rows(0, 9)])
    pk.rewrite_index(path, set={"file-index.bitmap.columns": "state"}, engine=LOCAL)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    changes = [
        SchemaChange.rename_column("state", "was"),
        SchemaChange.add_column("state", AtomicType("INT")),
    ]
    for change in changes:
        catalog.alter_table("default.t", [change], False)
    later = rows(9, 3).rename_columns(["id", "day", "was"])
    append(path, later.append_column("state", pa.array([1, None, 3], pa.int32())))
    assert run_delete(path, "state = 1").rows == 1  # of the later file alone
    assert run_delete(path, "was = 'NEW' AND state IS NULL").rows == 3
    assert run_delete(path, "state IS NOT NULL OR id = 1").rows == 2
    pk.rewrite_index(path, drop_unlisted=True, engine=LOCAL)  # the options list none
    assert ids(path) == [2, 4, 5, 7, 8, 10]


def test_row_tracking(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 9), rows(9, 3)], {"row-tracking.enabled": "true"})
    before: Any = Table.at(path).snapshot()
    run_delete(path, "id IN (1, 10)")
    after: Any = Table.at(path).snapshot()
    assert (after.next_row_id, before.next_row_id) == (12, 12)
    assert ids(path) == but(12, 1, 10)


@pytest.mark.parametrize("evolves", [False, True], ids=["", "columns"])
def test_row_ids_and_sequence_numbers_select_rows(
    evolves: bool, tmp_path: Path, engine: Engine
) -> None:
    """They select the same rows as in a query."""
    options = EVOLVES if evolves else {"row-tracking.enabled": "true"}
    path = make(tmp_path, [rows(0, 9), rows(9, 3)], options)
    left = but(12)
    for where in (
        "_ROW_ID = 3",
        "_row_id IN (7, 99) OR id = 1",
        "_SEQUENCE_NUMBER = 2 AND id > 10",
    ):
        gone = pk.query(path, where, ["id"], engine=LOCAL)["id"].to_pylist()
        assert gone
        dry = pk.delete(path, where, engine=engine, dry_run=True)
        assert (dry.rows, ids(path)) == (len(gone), left)
        assert pk.delete(path, where, engine=engine).rows == len(gone)
        left = [each for each in left if each not in gone]
        assert ids(path) == left


def test_row_ids_of_a_table_without_them(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 9)])
    with pytest.raises(pk.PredicateError, match="no column '_ROW_ID'"):
        run_delete(path, "_ROW_ID = 3")


def test_vectors_beside_the_data(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 9)], {"index-file-in-data-file-dir": "true"}, ["day"])
    run_delete(path, "id IN (2, 3)")
    run_delete(path, "id IN (4, 5)")
    assert {Path(file).parent.parent.name for file in referred(path)} == {"day=d0", "day=d1"}
    assert ids(path) == but(9, 2, 3, 4, 5)


# Whole partitions -------------------------------------------------------------------------------


def test_files_of_partitions_that_match_wholly_are_dropped(tmp_path: Path, engine: Engine) -> None:
    """As by Spark's delete, which drops such partitions."""
    path = make(tmp_path, [rows(0, 10), rows(10, 10)], BUCKETS, ["day"])
    run_delete(path, "id IN (2, 3, 4)")
    summary = run_delete(path, "day = 'd0' OR day = 'd1' AND id = 5", engine)
    assert (summary.rows, summary.files, summary.files_changed) == (9, 8, 1)
    assert summary.files_dropped == 4
    assert ids(path) == [number for number in range(1, 20, 2) if number not in (3, 5)]
    latest: Any = Table.at(path).snapshot()
    assert (latest.total_record_count, latest.delta_record_count) == (10, -10)
    assert {file.partition for file in files(path)} == {("d1",)}
    assert run_delete(path, "true", dry_run=True).rows == 8
    assert run_delete(path, "true").files_dropped == 4
    assert (ids(path), files(path), referred(path)) == ([], [], set())
    assert run_delete(path, "true").snapshot is None


def test_changelog_wanted_of_a_delete(tmp_path: Path) -> None:
    """Then Java does not drop partitions."""
    path = make(tmp_path, [rows(0, 10)], {"delete.force-produce-changelog": "true"}, ["day"])
    summary = run_delete(path, "day = 'd0'")
    assert (summary.rows, summary.files_changed, summary.files_dropped) == (5, 1, 0)
    assert ids(path) == [1, 3, 5, 7, 9]


# What is wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["id = 2", "id = 12"], ids=["changed", "copied"])
@pytest.mark.parametrize("options", [{}, {**BUCKETS, "bucket": "1"}], ids=["", "buckets"])
def test_damaged_vector(where: str, options: dict[str, str], tmp_path: Path) -> None:
    """Of a data file that changes, or of another one in the same file of vectors."""
    options = {**options, "metadata.stats-mode": "full"}  # the other one is not looked at
    path = make(tmp_path, [rows(0, 10), rows(10, 10)], options)
    run_delete(path, "id IN (1, 11)")
    [place] = [file.deletion_vector for file in files(path) if file.path == files(path)[0].path]
    assert place is not None
    file = Path(place.path)
    data = bytearray(file.read_bytes())
    data[place.offset + 10] ^= 1
    file.write_bytes(data)
    before = written(path)
    with pytest.raises(CorruptFileError, match=file.name) as caught:
        run_delete(path, where)
    trace = "".join(traceback.format_exception(caught.value))
    assert ("in join_files" in trace) == (where == "id = 12")
    assert caught.value.offset == place.offset
    assert "\n" not in str(caught.value)
    assert written(path) == before
    latest: Any = Table.at(path).snapshot()
    assert latest.id == 3


def test_index_of_other_data(tmp_path: Path, engine: Engine) -> None:
    """Which would delete other rows: what an index says is tested on the data."""
    options = {"file-index.bitmap.columns": "state", "file-index.in-manifest-threshold": "1 b"}
    path = make(tmp_path, [rows(0, 9), rows(10, 9)], options)
    pk.rewrite_index(path, engine=LOCAL)
    first, second = (Path(file.index_files[0]) for file in files(path))
    first.write_bytes(second.read_bytes())
    with pytest.raises(CorruptFileError, match=f"{first.name}.*selects 3 rows, but only 0 of them"):
        run_delete(path, "state = 'NEW'", engine)
    assert written(path) == set()


def test_corrupt_data_file(tmp_path: Path, engine: Engine) -> None:
    path = make(tmp_path, [rows(10 * n, 10) for n in range(4)])
    broken = Path(files(path)[2].path)
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(CorruptFileError, match=broken.name):
        run_delete(path, "state = 'NEW'", engine)
    assert written(path) == set()


@pytest.mark.parametrize(
    ("where", "options", "error", "reason"),
    [
        ("nix = 1", {}, PredicateError, "no column 'nix'"),
        ("id =", {}, PredicateError, "cannot parse SQL"),
        (None, {}, PredicateError, "'true' for all"),
        (
            "id = 1",
            {"deletion-vectors.enabled": "false"},
            UnsupportedError,
            "deletion vectors are not enabled",
        ),
        ("id = 1", {"deletion-vectors.bitmap64": "yes"}, OptionError, "not a BOOLEAN"),
        ("id = 1", {"deletion-vector.index-file.target-size": "x"}, OptionError, "is not a size"),
    ],
)
def test_refused(
    where: Any,
    options: dict[str, str],
    error: type[PaimonKsyError],
    reason: str,
    tmp_path: Path,
) -> None:
    path = make(tmp_path, [rows(0, 4)], options)
    with pytest.raises(error, match=reason) as caught:
        run_delete(path, where)
    assert "\n" not in str(caught.value)


# Data evolution ---------------------------------------------------------------------------------


def indexes(path: str) -> dict[str, Any]:
    """Return the partition of each global index, by the name of its file."""
    table = Table.at(path)
    every = table.index_manifests.of(table.snapshot())
    return {file.file_name: file.partition for file in every if file.global_index is not None}


@pytest.mark.parametrize("partitions", [[], ["day"]], ids=["", "partitions"])
@pytest.mark.parametrize("options", [{}, BITS_64], ids=["32", "64"])
def test_rows_whose_columns_are_in_several_files(
    options: dict[str, str], partitions: list[str], tmp_path: Path
) -> None:
    """The vector is that of the first file, and indexes, which list the rows, stay."""
    path = make(tmp_path, [rows(0, 20), rows(20, 20)], {**EVOLVES, **options}, partitions)
    first = {file.path for file in files(path)}
    assert Table.at(path).pypaimon.create_global_index("id", index_type="btree")
    update(path, range(5, 35), "OLD")
    before, snapshot = indexes(path), Table.at(path).snapshot()
    assert snapshot is not None
    summary = run_delete(path, "state = 'OLD' AND id IN (1, 8, 9, 25)")
    assert (summary.rows, summary.snapshot) == (3, snapshot.id + 1)
    assert ids(path) == but(40, 8, 9, 25)
    assert run_delete(path, "state = 'OLD' AND id >= 24").rows == 10
    assert run_delete(path, "id = 8").rows == 0
    assert ids(path) == [*but(24, 8, 9), 35, 36, 37, 38, 39]
    assert set(vectors(path)) <= first
    assert indexes(path) == before
    assert set(bits(path).values()) == {64 if options else 32}


def test_global_index_of_other_data(tmp_path: Path) -> None:
    """Its rows are tested, and the remedy is not one for file indexes."""
    data = rows(0, 20)
    paths = [
        make(tmp_path / name, [each], EVOLVES)
        for name, each in (("one", data), ("other", data.take(list(range(19, -1, -1)))))
    ]
    for path in paths:
        assert Table.at(path).pypaimon.create_global_index("id", index_type="btree")
    one, other = (next(Path(path, "index").iterdir()) for path in paths)
    one.write_bytes(other.read_bytes())
    with pytest.raises(CorruptFileError, match="global indexes select 1 row of it") as caught:
        run_delete(paths[0], "id = 3")
    assert "table audit" in str(caught.value)
    assert written(paths[0]) == set()


def test_dropped_partitions_of_indexes(tmp_path: Path) -> None:
    """Their indexes go, and no file is left that has columns of their rows."""
    path = make(tmp_path, [rows(0, 20)], EVOLVES, ["day"])
    assert Table.at(path).pypaimon.create_global_index("id", index_type="btree")
    update(path, range(20), "OLD")
    assert sorted(indexes(path).values()) == [("d0",), ("d1",)]
    summary = run_delete(path, "day = 'd0'")
    assert (summary.rows, summary.files_dropped, summary.vector_files) == (10, 2, 0)
    assert ids(path) == list(range(1, 20, 2))
    assert [*indexes(path).values()] == [("d1",)]
    assert run_delete(path, "true").rows == 10
    assert indexes(path) == {}
    assert files(path) == []


@pytest.mark.parametrize(
    ("where", "gone"),
    [("id IN (3, 6, 9, 30) AND state <> 'PAID'", {3, 30}), ("day = 'd0'", {*range(0, 40, 2)})],
)
def test_columns_updated_meanwhile(
    where: str, gone: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that no longer match stay, and no column of rows that are gone is left."""
    path = make(tmp_path, [rows(0, 20), rows(20, 20)], EVOLVES, ["day"])
    meanwhile(monkeypatch, lambda: update(path, [6, 9], "PAID"), lambda: append(path, rows(40, 2)))
    assert run_delete(path, where).attempts == 2
    assert ids(path) == [n for n in range(42) if n not in gone]


DAYS = [(0, "a"), (2, "a ")]


NOON = datetime(2023, 11, 15, 12)


@pytest.mark.parametrize(
    "where",
    [
        "ltz < TIMESTAMP '2023-11-15 12:00:00'",
        "ltz < TIMESTAMP_NTZ '2023-11-15 12:00:00'",
        "id >= 0 AND NOT ltz >= '2023-11-15 12:00:00'",
        "ltz <= DATE '2023-11-15'",
        "ltz IN (CAST('2023-11-15' AS TIMESTAMP))",
        "ltz BETWEEN '2023-11-14' AND '2023-11-15 11:00:00'",
        pk.col("ltz") < NOON,
        pk.col("ltz") <= NOON.date(),
        pc.field("ltz") < NOON,
    ],
    ids=str,
)
def test_literals_whose_time_zone_nobody_gave(where: Any, tmp_path: Path) -> None:
    """They delete other rows in another zone."""
    hours = [datetime(2023, 11, 15, hour, tzinfo=UTC) for hour in range(24)]
    data = {"id": range(24), "ltz": pa.array(hours, pa.timestamp("us", "UTC"))}
    path = make_table(tmp_path, "t", [pa.table(data)], ENABLED)
    for dry_run in (True, False):
        with pytest.raises(PredicateError, match="the literal has no time zone"):
            delete.delete(path, where, dry_run=dry_run)
    later = Table.at(path).with_time_zone("-05:00")
    in_utc, wanted = (set(pk.query(table, where)["id"].to_pylist()) for table in (path, later))
    assert wanted != in_utc
    assert delete.delete(later, where).rows == len(wanted)
    assert set(pk.query(path)["id"].to_pylist()) == set(range(24)) - wanted


def test_partitions_that_are_the_same_in_sql(tmp_path: Path) -> None:
    """Each has its own vectors, and which of the two a data file is of is not known here."""
    one, other = (rows(n, 2).set_column(1, "day", pa.array(2 * [day])) for n, day in DAYS)
    path = make(tmp_path, [one], {}, ["day"])
    schema = Path(path) / "schema" / "schema-0"
    text = json.loads(schema.read_text())
    text["fields"][1]["type"] = "CHAR(3)"
    schema.write_text(json.dumps(text))
    append(path, other)
    with pytest.raises(UnsupportedError, match="equals the partition"):
        run_delete(path, "id = 1")
    assert written(path) == set()


def test_primary_key(tmp_path: Path) -> None:
    data = rows(0, 4)
    data = data.cast(data.schema.set(0, pa.field("id", pa.int64(), nullable=False)))
    path = make(tmp_path, [data], {"bucket": "1"}, primary_keys=["id"])
    with pytest.raises(UnsupportedError, match="has a primary key"):
        run_delete(path, "id = 1")


def test_table_without_a_snapshot(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 6).slice(0, 0)])
    assert (Table.at(path).snapshot(), run_delete(path, "id = 1").snapshot) == (None, None)


class Lossy:
    """An engine of which some results do not arrive: their tasks run again, or all fails."""

    time_zone = None

    def __init__(self, fails_after: int | None = None) -> None:
        self._fails_after = fails_after

    def map(self, function: Any, tasks: Any, **_: Any) -> Any:
        """Run each task twice, as Spark may."""
        for number, task in enumerate(tasks):
            function(pickle.loads(pickle.dumps(task)))
            result = pickle.loads(pickle.dumps(function(task)))
            if number == self._fails_after:
                raise PaimonKsyError("lost")
            yield task, result

    def batches(self, *_: Any, **__: Any) -> Any:
        """Fail: no delete reads batches."""
        raise AssertionError


@pytest.mark.parametrize("before", ["false", "id IN (2, 12, 22)"], ids=["", "vectors"])
@pytest.mark.parametrize("options", [{}, BUCKETS], ids=["", "buckets"])
def test_tasks_that_run_twice(
    options: dict[str, str], before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the lost one has written is deleted."""
    in_groups_of(monkeypatch, 1)
    path = make(tmp_path, [rows(10 * n, 10) for n in range(3)], options)
    run_delete(path, before)
    kept = written(path)
    where = "id IN (1, 11, 2)"
    with pytest.raises(PaimonKsyError, match="lost"):
        run_delete(path, where, Lossy(fails_after=1))
    assert written(path) == kept
    done = run_delete(path, where, Lossy())
    assert written(path) == kept | referred(path)
    names = [Path(file).name for file in referred(path)]
    assert all(
        re.fullmatch(r"index-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+", n) for n in names
    )
    assert done.bytes_written >= sum(Path(file).stat().st_size for file in referred(path) - kept)
    assert ids(path) == but(30, 1, 11, 2, *([12, 22] if kept else []))


def test_what_the_driver_holds_of_many_files(tmp_path: Path) -> None:
    """Tasks are made as they are needed; of files without such rows, digests are kept."""
    path = table_of_manifests(tmp_path, "many", partitions=10, files=500)
    made: list[weakref.ref[Any]] = []
    most = 0

    class NothingFound(Lossy):
        def map(self, function: Any, tasks: Any, **_: Any) -> Any:
            nonlocal most
            for task in tasks:
                made.extend(map(weakref.ref, task.tasks))
                most = max(most, sum(one() is not None for one in made))
                yield task, delete.GroupResult((delete.DeleteResult(0),) * len(task.tasks), ())

    table = Table.at(path).with_options(ENABLED)
    summary = run_delete(table, "c00 <> 3", NothingFound())
    assert (summary.files, summary.rows, len(made)) == (5000, 0, 5000)
    assert most <= 3 * 64


# Others at work ---------------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The data files that are looked at from now on."""
    found: list[str] = []
    one = delete.delete_rows

    def noted(job: Any, group: Any) -> Any:
        found.extend(task.file.name for task in group.tasks)
        return one(job, group)

    monkeypatch.setattr(delete, "delete_rows", noted)
    return found


def compact(path: str) -> None:
    """Replace all data files by one with their live rows."""
    data = by_pypaimon(path)
    builder = Table.at(path).pypaimon.new_batch_write_builder().overwrite()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(data)
    commit.commit(write.prepare_commit())
    write.close()
    commit.close()


@pytest.mark.parametrize("options", [{}, BITS_64, BUCKETS], ids=["32", "64", "buckets"])
def test_appends_and_indexing_are_no_conflict(
    options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 10)], options)

    def others() -> None:
        append(path, rows(10, 10))
        pk.rewrite_index(path, set={"file-index.bitmap.columns": "state"}, engine=LOCAL)

    meanwhile(monkeypatch, others)
    summary = run_delete(path, "id IN (1, 11)")
    assert (summary.attempts, summary.rows) == (1, 1)
    assert [n for n in range(20) if n != 1] == ids_only(path)


def ids_only(path: str) -> list[int]:
    return sorted(pk.query(Table.at(path), columns=["id"], engine=LOCAL)["id"].to_pylist())


@pytest.mark.parametrize(
    ("options", "group", "before"),
    [({}, 1, []), ({}, 64, [1, 11]), (BITS_64, 1, [1, 11]), (BUCKETS, 1, [1, 11])],
)
def test_delete_meanwhile(
    options: dict[str, str],
    group: int,
    before: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_groups_of(monkeypatch, group)
    path = make(tmp_path, [rows(0, 10), rows(10, 10), rows(20, 10)], options)
    if before:
        run_delete(path, f"id IN ({', '.join(map(str, before))})")
    meanwhile(
        monkeypatch,
        lambda: run_delete(path, "id IN (2, 12)"),
        lambda: run_delete(path, "id IN (5, 13)"),
        lambda: append(path, rows(30, 10)),
    )
    summary = run_delete(path, "id IN (2, 3, 4, 24, 34)")
    assert summary.attempts == 3
    assert summary.rows == 3  # 2 is gone already, and 34 not there when it was planned
    assert ids_only(path) == [n for n in range(40) if n not in {*before, 2, 3, 4, 5, 12, 13, 24}]
    assert ids(path) == ids_only(path)


def test_other_bucket_is_no_conflict_and_the_same_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of other data files too: Java keeps but one file of vectors of a bucket."""
    path = make(tmp_path, [rows(0, 20), rows(20, 20)], BUCKETS)
    table = Table.at(path)
    data = pk.query(table, columns=["id"], engine=LOCAL)
    assert data.num_rows == 40
    of_bucket: dict[int, list[list[int]]] = {0: [], 1: []}
    for file in files(path):
        read = pq.read_table(file.path)["id"].to_pylist()
        of_bucket[file.bucket].append(read)
    (a, b), (c, _) = of_bucket[0], of_bucket[1]
    meanwhile(monkeypatch, lambda: run_delete(path, f"id = {c[0]}"))
    assert run_delete(path, f"id = {a[0]}").attempts == 1
    path = make(tmp_path / "again", [rows(0, 20), rows(20, 20)], BUCKETS)
    meanwhile(monkeypatch, lambda: run_delete(path, f"id = {b[0]}"))
    assert run_delete(path, f"id = {a[0]}").attempts == 2
    assert len(referred(path)) == 1
    assert ids(path) == but(40, a[0], b[0])


def test_compaction_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are found again where they are by now."""
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])
    meanwhile(monkeypatch, lambda: compact(path))
    summary = run_delete(path, "id IN (3, 12)")
    assert (summary.attempts, summary.rows, summary.files_changed) == (2, 2, 1)
    assert ids(path) == but(20, 3, 12)
    assert written(path) == referred(path)


def test_what_was_found_is_not_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(10 * n, 10) for n in range(4)])
    first, *others = (file.name for file in files(path))
    looked = counted(monkeypatch)
    meanwhile(monkeypatch, lambda: run_delete(path, "id = 1 OR id = 99"))
    summary = run_delete(path, "id IN (2, 12, 22)")
    assert (summary.attempts, summary.rows, summary.vector_files) == (2, 3, 1)
    ours = [name for name in looked if name != first]
    assert sorted(ours) == sorted(2 * others)  # each once by the one and once by the other
    assert looked.count(first) == 3
    assert ids(path) == but(40, 1, 2, 12, 22)
    assert len(written(path) - referred(path)) == 1  # of the snapshot in between


def test_vectors_that_are_rolled_back_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found beside another's vector is not taken for what was found without it."""
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])
    meanwhile(
        monkeypatch,
        lambda: run_delete(path, "id = 3"),
        lambda: Table.at(path).pypaimon.rollback_to(2),
    )
    summary = run_delete(path, "id IN (2, 12)")
    assert (summary.attempts, summary.rows) == (3, 2)
    assert ids(path) == but(20, 2, 12)


@pytest.mark.parametrize("before", [[], [0, 1]], ids=["no vectors", "vectors"])
@pytest.mark.parametrize("options", [{}, BUCKETS], ids=["no buckets", "buckets"])
def test_partition_dropped_meanwhile(
    options: dict[str, str],
    before: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A vector of a data file that is gone is not committed, and the rows do not come back."""
    path = make(tmp_path, [rows(0, 20)], options, ["day"])
    if before:  # of these pypaimon would leave the vectors
        run_delete(path, "id <= 1")
        meanwhile(
            monkeypatch, lambda: run_delete(path, "day = 'd0'"), lambda: append(path, rows(20, 2))
        )
    else:
        meanwhile(
            monkeypatch, lambda: drop_partition(path, "d0"), lambda: append(path, rows(20, 2))
        )
    summary = run_delete(path, "id IN (2, 3, 4, 6, 20)")
    assert (summary.attempts, summary.rows, summary.files_changed) == (2, 1, 1)
    left = [*(n for n in range(1, 20, 2) if n not in before), 20, 21]
    assert ids(path) == [n for n in left if n != 3]


def test_dropped_partition_with_a_delete_or_an_append_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 10)], {}, ["day"])
    meanwhile(monkeypatch, lambda: run_delete(path, "id = 4"), lambda: append(path, rows(10, 4)))
    summary = run_delete(path, "day = 'd0'")
    assert (summary.attempts, summary.rows, summary.files_dropped) == (2, 4, 1)
    assert ids(path) == [1, 3, 5, 7, 9, 10, 11, 12, 13]


def test_failure_after_a_conflict_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of the attempt that fails nor of the one before, whose vectors it takes over."""
    path = make(tmp_path, [rows(0, 10)])
    made: list[set[str]] = []

    def conflict(*given: Any) -> None:
        made.append(written(path))
        monkeypatch.setattr(delete, "plan_query", fail)
        raise ConflictError("somebody was first")

    def fail(*given: Any, **options: Any) -> None:
        raise PaimonKsyError("the table is gone")

    monkeypatch.setattr(delete, "commit_vectors", conflict)
    with pytest.raises(PaimonKsyError, match="the table is gone"):
        run_delete(path, "id = 1")
    assert len(made[0]) == 1
    assert written(path) == set()


@pytest.mark.parametrize("where", ["file", "after"])
def test_killed_job_leaves_a_sound_table(where: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])
    run_killed(where, "delete_two", path)
    done = where == "after"
    assert ids(path) == (but(20, 1, 11) if done else but(20))
    assert run_delete(path, "id IN (1, 11)").rows == (0 if done else 2)
    assert ids(path) == but(20, 1, 11)


def test_deletes_and_appends_at_once(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(10 * n, 10) for n in range(4)])
    failed: list[BaseException] = []

    def work(turn: Callable[[int], object]) -> None:
        try:
            for number in range(5):
                turn(number)
        except BaseException as error:  # told below
            failed.append(error)

    threads = [
        threading.Thread(target=work, args=[turn])
        for turn in (
            lambda number: run_delete(path, f"id = {number} OR id = {number + 20}"),
            lambda number: run_delete(path, f"id = {number + 5} OR id = {number + 30}"),
            lambda number: append(path, rows(40 + 10 * number, 10)),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert ids(path) == but(90, *range(10), *range(20, 25), *range(30, 35))


def test_an_engine_finds_the_data_files_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With partitions of NaN, which is another object in another process.

    A data file that it does not find would be a conflict, and one whose vector stays would lose it.
    """
    numbers = [math.nan, 0.0, 1.5]
    data = [
        pa.table({"id": [10 * part + at for at in range(6)], "p": 2 * numbers}) for part in range(3)
    ]
    path = make(tmp_path, data, partitions=["p"])
    every = [number for part in data for number in part["id"].to_pylist()]
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
    ran: list[int] = []
    for gone in (0, 10, 13, 14):  # of one partition but for the last: files of vectors are replaced
        engine = Elsewhere()
        assert run_delete(path, f"id = {gone}", engine).attempts == 1
        ran.append(engine.ran)
        every.remove(gone)
        found = pk.query(path, columns=["id"], engine=LOCAL)["id"].to_pylist()
        assert sorted(found) == every
    assert min(ran) > 1
    assert sum(vector is not None for vector in vectors(path).values()) == 3
    assert run_delete(path, "isnan(p) OR p = 1.5", Elsewhere()).files_dropped > 0
    assert pk.query(path, columns=["p"], engine=LOCAL)["p"].unique().to_pylist() == [0.0]


SURPRISES: dict[str, int | str] = {
    "s LIKE ALL ('%2%')": 2,
    "s LIKE ANY ('%2%')": 2,
    "s LIKE SOME ('%2%')": 2,
    "s ILIKE ANY ('%X%')": 1,
    "s NOT LIKE ALL ('%2%', 'a%')": 2,
    "s NOT LIKE ANY ('%2%', 'a%')": 4,
    "s LIKE ALL ('a%')": 2,
    "ceil(m) = 100": 1,
    "round(m, 0) = 100": 1,
    "CAST(m AS DECIMAL(5,1)) = 100": 1,
    "ceil(m) = 0": 0,
    "floor(m) < 0": 1,
    "CAST(m AS DECIMAL(3,1)) > 50": "more digits",
    "extract(SECOND FROM ts) = 15": 1,
    "trunc(day, 'Q') = day": 0,
    r"s RLIKE '\\141'": 0,
    r"s RLIKE '\\0141'": 2,
    "s RLIKE '{'": "not supported",
    "s RLIKE 'a{'": "not supported",
    "s RLIKE '(?P<n>a)'": "not supported",
    "date_format(ts, 'YYYY') = '2024'": "not supported",
    "l > d": 1,
    "l / 2 > 1": 2,
    "CAST(l AS DOUBLE) = 9007199254740992D": 1,
    "CAST(ts AS TIMESTAMP) = TIMESTAMP '2024-03-31 03:30:15.5'": 1,
    "coalesce(NULL, i) = 1": 1,
    "i = 1 AND NULL IS NULL": 1,
    "CAST(DATE '2024-02-29' AS STRING) = s": 0,
    "m div 1 = 99": 1,
    "w * 1 = 1": 1,
    "CAST(i AS BOOLEAN)": 4,
    "size(k['k']) = 1": "size of INT is not supported",
    "CAST(d AS TIMESTAMP_NTZ) = ts": "CAST of DOUBLE AS TIMESTAMP(6) is not supported",
    "if(NULL, 1, 0) = 1": 0,
    "coalesce(" * 40 + "i" + ", 7)" * 40 + " = 7": 1,
    "nullif(" * 40 + "i" + ", 7)" * 40 + " = 1": 1,
    "nvl2(" * 40 + "i" + ", i, 7)" * 40 + " = 7": 0,
    "(" * 40 + "i = 2" + " OR i = 1) IS NULL" * 40: 0,
    f"s LIKE '{'%a' * 2000}'": 0,
    "\"s\" = 'xyz'": 0,
}
"""What a delete would delete of SURPRISING: rows, or the words of an error, judged by Spark."""
SURPRISING = {
    "s": (["a%b", "", "12", "abc2", None, "xyz"], pa.string()),
    "m": ([*map(Decimal, ["1.25", "99.99", "-99.99", "9.99"]), None, None], pa.decimal128(4, 2)),
    "w": ([Decimal(1), Decimal("1e35"), None, None, None, None], pa.decimal128(38, 2)),
    "i": ([1, 2, 3, None, 0, -1], pa.int32()),
    "l": ([2**53 + 1, 1, None, 5, -(2**63), 1], pa.int64()),
    "d": ([float(2**53), math.nan, None, 1.5, -0.0, 1.0], pa.float64()),
    "day": ([date(2024, 1, 1), None, date(2024, 2, 29), None, None, None], pa.date32()),
    "ts": (
        [
            *(datetime(2024, 3, 31, 2, 30, 15, 500000), datetime(2024, 1, 1, 0, 0, 15)),
            *(None, datetime(1, 1, 1), None, None),
        ],
        pa.timestamp("us"),
    ),
    "k": ([[("k", 1)], None, [], None, None, None], pa.map_(pa.string(), pa.int32())),
}


def test_conditions_delete_what_spark_selects(tmp_path: Path) -> None:
    data = pa.table({name: pa.array(*column) for name, column in SURPRISING.items()})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    table = Table.at(path).with_time_zone("Europe/Berlin")
    found: dict[str, int | str] = {}
    for sql, right in SURPRISES.items():
        try:
            found[sql] = pk.delete(table, sql, dry_run=True).rows
        except PredicateError as error:
            is_named = isinstance(right, str) and right in str(error)
            found[sql] = right if is_named else str(error)
    assert found == SURPRISES
