"""Advice on whole tables: the right indexes, on any table."""

from __future__ import annotations

import datetime as dt
import shlex
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, PredicateError, SchemaError, UnsupportedError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model import columns
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.advice import FILES, LOCAL, ROWS, SCHEMA, column, follow, part, texts, verdicts
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tools.tables import make_table


def test_typical_predicates(typical: Advice) -> None:
    assert verdicts(typical) == {
        "id": "none",
        "status": "add bitmap",
        "amount": "add range-bitmap",
        "user_id": "none",
        "region": "none",
        "note": "none",
        "closed": "none",
        "m": "none",
        "tags": "none",
    }
    assert typical.is_typical
    assert (typical.files, typical.rows, typical.sample_rows) == (FILES, *[FILES * ROWS] * 2)


def test_given_predicates(orders: str) -> None:
    given = [
        "note = 'a note of some length 5'",
        "region = 'region-1'",
        "m['k'] = 'v2'",
        "id < 10",
    ]
    advice = advise(orders, predicates=given, engine=LOCAL)
    assert {name: text for name, text in verdicts(advice).items() if text != "none"} == {
        "note": "add bloom-filter",
        "m[k]": "add bitmap",
    }
    assert column(advice, "status").why == "no predicate tests it"
    assert not column(advice, "status").indexes
    assert not advice.is_typical
    items = advice.options["file-index.bloom-filter.note.items"]
    assert items is not None and ROWS < int(items) < 1.2 * ROWS


def test_existing_indexes_and_statistics(tmp_path: Path) -> None:
    """With all indexes and statistics there, `now` is the same as in `explain`."""
    parts = map(part, range(FILES))
    path = make_table(tmp_path, "known", parts, {"metadata.stats-mode": "full"})
    rewrite_index(path, set={"file-index.bitmap.columns": "status"}, engine=LOCAL)
    given = ["status = 'PENDING'", f"id = {ROWS + 1}", "user_id = 6000", "note = 'x'"]
    advice = advise(path, predicates=given, engine=LOCAL)
    for asked in advice.predicates:
        steps = explain(Table.at(path), asked.sql)
        assert asked.now.files == pytest.approx(1 - steps[-1].files_kept / FILES), asked.sql
    assert [asked.now.files for asked in advice.predicates[:2]] == pytest.approx([2 / 3] * 2)
    assert not advice.notes


def test_partitions(tmp_path: Path) -> None:
    def of_day(at: int) -> pa.Table:
        day = pa.array([dt.date(2026, 1, 1 + at // 2)] * ROWS)
        return part(at).append_column("day", day)

    path = make_table(tmp_path, "t", map(of_day, range(4)), partition_keys=["day"])
    advice = advise(path, partitions="day = DATE '2026-01-01'", engine=LOCAL)
    assert (advice.files, len(advice.sample), advice.rows) == (2, 2, 2 * ROWS)
    why = "a partition column: partition pruning already skips its files"
    assert column(advice, "day").why == why
    assert "the options apply to the whole table" in advice.notes[-1]
    assert advice.command is not None
    words = shlex.split(advice.command)
    assert words[4:6] == ["--partitions", "day = DATE '2026-01-01'"]
    assert follow(advice).rewritten == 2
    given = ["day = DATE '2026-01-01' AND status = 'PENDING'", "day = DATE '2026-01-02'"]
    advice = advise(path, predicates=given, engine=LOCAL)
    assert [asked.now.files for asked in advice.predicates] == [3 / 4, 2 / 4]
    assert verdicts(advice)["status"] == "keep bitmap"
    advice = advise(path, partitions="day = DATE '2030-01-01'", engine=LOCAL)
    assert "no Parquet, ORC or Avro file with rows in these" in advice.notes[0]
    with pytest.raises(PredicateError, match="only partition columns"):
        advise(path, partitions="id = 1", engine=LOCAL)


@pytest.mark.java
def test_on_spark(orders: str, spark: Any) -> None:
    names = ["id", "status", "amount"]
    here = advise(orders, columns=names, engine=LOCAL)
    there = advise(orders, columns=names, engine=spark_engine(spark))
    assert there.predicates == here.predicates
    assert (there.options, there.command, there.sample) == (here.options, here.command, here.sample)
    assert verdicts(there) == verdicts(here)


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """Advice on all of Java's tables, with keys and evolved ones too: it can be followed."""
    path = golden_table(name, tmp_path)
    schema = Table.at(path).schema.columns
    given = [case.predicate for case in expected(name).cases if case.predicate is not None]
    asked = [text for text in given if columns.tested_names(bind(text, schema))]
    advice = advise(path, predicates=asked or None, engine=LOCAL)
    assert {column.verdict for column in advice.columns} <= {"keep", "none", "drop"}, "it is tiny"
    for one in advice.predicates:
        matching = round(one.rows * advice.sample_rows)
        assert matching >= count(Table.at(path), one.sql).count or advice.notes, one.sql
        for skipped in (one.advised, one.now, *one.indexes.values()):
            assert skipped.rows <= 1 - one.rows + 1e-6, "no row is lost"
    if advice.command is not None:
        follow(advice)


@pytest.mark.parametrize("form", ["orc", "avro"])
def test_other_formats(form: str, tmp_path: Path) -> None:
    names = ["id", "status", "note", *(["m"] if form == "orc" else [])]
    parts = [part(at).select(names) for at in range(FILES)]
    path = make_table(tmp_path, "t", parts, {"file.format": form})
    given = ["status = 'PENDING'", *(["m['k'] = 'v1'"] if form == "orc" else [])]
    advice = advise(path, predicates=given, engine=LOCAL)
    assert verdicts(advice)["status"].startswith("add ")
    first = advice.predicates[0]
    assert (first.advised.files, first.advised.bytes) == pytest.approx((2 / 3, 2 / 3), abs=0.01)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are measured; without others, the error is that of a file."""
    path = make_table(tmp_path, "t", map(part, range(FILES)), {"file.format": "orc"})
    table = Table.at(path)
    names = sorted(file.name for file in table.data_files.of(table.snapshot()))
    unread = set(names[:1])

    def read(request: ReadRequest) -> pa.Table:
        if request.file.name in unread:
            raise UnsupportedError("timestamps of this file are unsupported")
        return read_table(request)

    monkeypatch.setattr("paimon_ksy.table.advise.sample.read_table", read)
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert verdicts(advice)["status"].startswith("add ")
    assert {Path(file).name for file in advice.sample} == {*names} - unread
    note = advice.notes[0]
    assert note.startswith("1 file of the sample cannot be read, such as ")
    assert note.endswith(f"{names[0]}: timestamps of this file are unsupported")
    unread.update(names)
    with pytest.raises(UnsupportedError, match="timestamps of this file"):
        advise(path, engine=LOCAL)


def test_types_and_names(tmp_path: Path) -> None:
    """Each type, and names that options cannot contain."""
    rows = 9_000
    numbers = np.arange(rows)
    data = pa.table(
        {
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
            "padding": texts(texts("", numbers * 7**20), numbers * 11**17),
        }
    )
    parts = [data, data.slice(2000), data.slice(4000)]
    path = make_table(tmp_path, "t", parts, {"metadata.stats-mode": "full"})
    advice = advise(path, engine=LOCAL)
    assert column(advice, "x,y").why == "table options cannot contain its name"
    assert not [i for i in column(advice, "c.d").indexes if i.index_type == "bloom-filter"]
    assert "an index of a DECIMAL stores unscaled values of" in column(advice, "big").why
    # Java loses rows where microseconds are stored for nanoseconds.
    assert [index.index_type for index in column(advice, "at").indexes] == ["bloom-filter"]
    assert {"bsi", "bitmap"} <= {index.index_type for index in column(advice, "day").indexes}
    assert column(advice, "none").distinct_in_file == 0
    for asked in advice.predicates:  # users can run what they see
        matching = query(Table.at(path), asked.sql, ["x,y"]).num_rows
        assert matching == round(asked.rows * advice.sample_rows), asked.sql


def test_wrong_arguments(orders: str) -> None:
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
