"""Advice on indexes: the right ones, with figures that hold once the indexes are built."""

from __future__ import annotations

import datetime as dt
import shlex
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sqlglot

from paimon_ksy.errors import OptionError, PredicateError, SchemaError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import rewrite_command
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model import columns
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.advice import FILES, LOCAL, ROWS, SCHEMA, column, follow, part, texts, verdicts
from tests.support.commands import run_command
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tools.tables import make_table


def test_predicates_say_what_is_needed(orders: str) -> None:
    given = [
        "note = 'a note of some length 5'",
        "region = 'region-1'",
        "m['k'] = 'v2'",
        "id = 7",
        "id < 10",
    ]
    advice = advise(orders, sample=FILES, predicates=given, engine=LOCAL)
    found = verdicts(advice)
    assert found["note"] == "add bloom-filter"
    assert found["region"] == found["id"] == found["status"] == "none"
    assert found["m[k]"] == "add bitmap"
    assert column(advice, "status").why == "no predicate tests it"
    assert not column(advice, "status").indexes
    assert not advice.is_typical
    items = advice.options["file-index.bloom-filter.note.items"]
    assert items is not None and ROWS < int(items) < 1.2 * ROWS


def test_what_there_is_now_is_told(orders: str, tmp_path: Path) -> None:
    """With all indexes and statistics there, `now` is what `explain` says."""
    path = make_table(tmp_path, "known", map(part, range(4)), {"metadata.stats-mode": "full"})
    rewrite_index(path, set={"file-index.bitmap.columns": "status"}, engine=LOCAL)
    given = ["status = 'PENDING'", "id = 70000", "user_id = 6000", "note = 'x'"]
    advice = advise(path, predicates=given, sample=4, engine=LOCAL)
    for asked in advice.predicates:
        steps = explain(Table.at(path), asked.sql)
        assert asked.now.files == pytest.approx(1 - steps[-1].files_kept / 4), asked.sql
    now = {asked.sql: asked.now.files for asked in advice.predicates}
    assert now["status = 'PENDING'"] == now["id = 70000"] == 0.75
    assert not advice.notes


def test_partitions(tmp_path: Path) -> None:
    def of_day(at: int) -> pa.Table:
        day = pa.array([dt.date(2026, 1, 1 + at // 2)] * ROWS)
        return part(at).append_column("day", day)

    path = make_table(tmp_path, "t", map(of_day, range(6)), partition_keys=["day"])
    advice = advise(path, partitions="day > DATE '2026-01-01'", engine=LOCAL)
    assert (advice.files, len(advice.sample), advice.rows) == (4, 4, 4 * ROWS)
    assert (
        column(advice, "day").why == "a partition column: partition pruning already skips its files"
    )
    assert advice.command is not None
    assert "the options apply to the whole table" in advice.notes[-1]
    words = shlex.split(advice.command)
    assert words[4:6] == ["--partitions", "day > DATE '2026-01-01'"]
    assert follow(advice).rewritten == 4
    # What partitions leave out is told as it is now.
    given = ["day = DATE '2026-01-02' AND status = 'PENDING'", "day = DATE '2026-01-03'"]
    advice = advise(path, predicates=given, engine=LOCAL, sample=6)
    first, second = advice.predicates
    assert first.now.files == pytest.approx(5 / 6)  # file 3 has PENDING, and an index by now
    assert second.now.files == pytest.approx(4 / 6)
    assert verdicts(advice)["status"] == "keep bitmap"
    advice = advise(path, partitions="day = DATE '2030-01-01'", engine=LOCAL)
    assert "no Parquet, ORC or Avro file with rows in these" in advice.notes[0]
    with pytest.raises(PredicateError, match="only partition columns"):
        advise(path, partitions="id = 1", engine=LOCAL)


@pytest.mark.java
def test_on_spark(orders: str, spark: Any) -> None:
    columns = ["id", "status", "amount"]
    here = advise(orders, sample=4, columns=columns, engine=LOCAL)
    there = advise(orders, sample=4, columns=columns, engine=spark_engine(spark))
    assert there.predicates == here.predicates
    assert (there.sql, there.command, there.sample) == (here.sql, here.command, here.sample)
    assert verdicts(there) == verdicts(here)


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """Advice on all of Java's tables, with keys and evolved ones too: it can be followed."""
    path = golden_table(name, tmp_path)
    asked = [case.predicate for case in expected(name).cases if case.predicate is not None]
    schema = Table.at(path).schema.columns
    asked = [found for found in asked if columns.tested_names(bind(found, schema))]
    advice = advise(path, predicates=asked or None, engine=LOCAL)
    assert {column.verdict for column in advice.columns} <= {"keep", "none", "drop"}, "it is tiny"
    for found in advice.predicates:
        matching = round(found.rows * advice.sample_rows)
        assert matching >= count(Table.at(path), found.sql).count or advice.notes, found.sql
        assert found.advised.rows <= 1 - found.rows + 1e-6
        assert all(skipped.rows <= 1 - found.rows + 1e-6 for skipped in found.indexes.values())
        assert found.now.rows <= 1 - found.rows + 1e-6
    if advice.command is not None:
        follow(advice)


@pytest.mark.parametrize("form", ["orc", "avro"])
def test_other_formats(form: str, tmp_path: Path) -> None:
    names = ["id", "status", "closed", "note", *(["m"] if form == "orc" else [])]
    parts = [part(at).select(names) for at in range(2, 5)]
    path = make_table(tmp_path, "t", parts, {"file.format": form})
    given = ["status = 'PENDING'", "closed IS NULL", *(["m['k'] = 'v3'"] if form == "orc" else [])]
    advice = advise(path, predicates=given, engine=LOCAL)
    assert verdicts(advice)["status"].startswith("add ")
    first = advice.predicates[0]
    assert first.now.row_groups is None
    assert (first.advised.files, first.advised.bytes) == pytest.approx((2 / 3, 2 / 3), abs=0.01)
    assert "67/67" in run_command(
        "table",
        "advise",
        path,
        "--engine",
        "local",
        "--predicates",
        "-",
        stdin="status = 'PENDING'",
    ).output.replace("66/66", "67/67")


def test_types_and_names(tmp_path: Path) -> None:
    """Each type, and names that options and commands have trouble with."""
    rows = 30_000
    numbers = np.arange(rows)
    data = pa.table(
        {
            "a b": texts("value ", numbers % 300),
            "x,y": pa.array(numbers),
            "c.d": texts("", numbers),
            "it's": pa.array(numbers % 7, pa.int8()),
            "flag": pa.array(numbers % 2 == 0),
            "f": pa.array(numbers / 7, pa.float32()),
            "nan": pa.array(np.where(numbers % 3 == 0, np.nan, numbers)),
            "day": pa.array(numbers % 5000, pa.int32()).cast(pa.date32()),
            "at": pa.array(numbers * 1000, pa.timestamp("ns", "UTC")),
            "bytes": texts("b", numbers % 1000).cast(pa.binary()),
            "big": pa.array([Decimal(n % 100) * 10**20 for n in range(rows)], pa.decimal128(38, 2)),
            "none": pa.nulls(rows, pa.int32()),
        }
    )
    path = make_table(tmp_path, "t", [data, data.slice(5000)], {"metadata.stats-mode": "full"})
    advice = advise(path, engine=LOCAL)
    assert column(advice, "x,y").why == "table options cannot contain its name"
    assert not [i for i in column(advice, "c.d").indexes if i.index_type == "bloom-filter"]
    assert "an index of a DECIMAL stores unscaled values of" in column(advice, "big").why
    # Java loses rows where microseconds are stored for nanoseconds.
    assert [index.index_type for index in column(advice, "at").indexes] == ["bloom-filter"]
    assert {"bsi", "bitmap"} <= {index.index_type for index in column(advice, "day").indexes}
    assert column(advice, "none").distinct == 0
    for asked in advice.predicates:  # what is printed can be asked
        assert query(Table.at(path), asked.sql, ["x,y"]).num_rows == round(
            asked.rows * advice.sample_rows
        )
        if asked.what == "an absent value":
            assert asked.rows == 0, asked.sql
    options = {"file-index.bitmap.columns": "a b,it's"}
    assert shlex.split(rewrite_command(path, options))[-2] == "file-index.bitmap.columns=a b,it's"
    sql = alter_table(sql_name("s3://x/y.db/t`1"), options)
    assert sql == (
        "ALTER TABLE `y`.`t``1` SET TBLPROPERTIES (\n"
        "  'file-index.bitmap.columns' = 'a b,it\\'s'\n);"
    )
    assert sqlglot.parse_one(sql, dialect="spark")


def test_wrong_arguments(orders: str) -> None:
    assert run_command("table", "advise", orders, "--sample", "0").exit_code == 2
    assert (
        run_command("table", "advise", orders, "--select", "nope", "--engine", "local").exit_code
        == 2
    )
    assert run_command("table", "advise", orders, "--engine", "flink").exit_code == 2
    assert (
        run_command(
            "table", "advise", orders, "--partitions", "id = 1", "--engine", "local"
        ).exit_code
        == 2
    )
    assert run_command("table", "advise", f"{orders}x", "--engine", "local").exit_code == 1
    with pytest.raises(OptionError, match="cannot sample 0 files"):
        advise(orders, sample=0, engine=LOCAL)
    with pytest.raises(SchemaError, match="no column 'nope'"):
        advise(orders, columns=["nope"], engine=LOCAL)


def test_tables_without_rows(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory, Schema

    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    catalog.create_database("default", True)
    catalog.create_table("default.t", Schema.from_pyarrow_schema(SCHEMA), False)
    advice = advise(str(tmp_path / "default.db" / "t"), engine=LOCAL)
    assert (advice.snapshot, advice.files, advice.command, advice.options) == (None, 0, None, {})
    assert set(verdicts(advice).values()) == {"none"}
    assert advice.notes[0].startswith("there is no Parquet, ORC or Avro file with rows")
    advice.to_json()


def test_progress_is_told(orders: str) -> None:
    told: list[tuple[str, int, int]] = []
    advise(orders, sample=2, engine=LOCAL, progress=lambda *step: told.append(step))
    assert [step for step in told if step[1] == step[2]] == [
        ("looking", 2, 2),
        ("measuring", 2, 2),
    ]
