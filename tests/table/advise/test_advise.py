"""Advice on indexes: the right ones, with figures that hold once the indexes are built."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import sqlglot

from paimon_ksy.errors import (
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    SchemaError,
)
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.bind import bind
from paimon_ksy.table.advise import choose as verdict
from paimon_ksy.table.advise import files as sample_module
from paimon_ksy.table.advise import questions as questions_module
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.files import choose_files
from paimon_ksy.table.advise.questions import parse_predicates
from paimon_ksy.table.advise.report import Advice, ColumnAdvice, amount, percent, rewrite_command
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.model import columns
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import Size
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.commands import run_command
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tools.tables import make_table

LOCAL = local_engine(workers=2)
FILES, ROWS = 8, 20_000

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("status", pa.string()),
        ("amount", pa.decimal128(10, 2)),
        ("user_id", pa.int32()),
        ("region", pa.string()),
        ("note", pa.string()),
        ("closed", pa.timestamp("us")),
        ("m", pa.map_(pa.string(), pa.string())),
        ("tags", pa.list_(pa.string())),
    ]
)


def texts(prefix: str | pa.Array, numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")


def part(at: int) -> pa.Table:
    """A file of orders. PENDING are few, and next to each other; amounts are of one range in each
    file but for a few; only the last orders are not closed."""
    rng = np.random.default_rng(at)
    status = rng.integers(0, 3, ROWS)
    if at == 3:
        status[7000:7100] = 3
    cents = at * 100_000 + rng.integers(0, 200, ROWS) * 500
    cents[[0, ROWS // 2, ROWS - 1]] = 0, FILES * 100_000, 0
    ids = np.arange(at * ROWS, (at + 1) * ROWS)
    closed = np.where(ids < (FILES - 1) * ROWS, ids, 0) * 1_000_000
    keys = np.arange(ROWS) % 5 == 0
    offsets = np.concatenate([[0], np.cumsum(keys)]).astype(np.int32)
    maps = pa.MapArray.from_arrays(
        offsets, pa.array(["k"] * int(keys.sum())), texts("v", np.full(int(keys.sum()), at))
    )
    amounts = pa.array(cents).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2))
    hundred = pa.scalar(Decimal(100))
    numbers = rng.integers(0, 2**62, (2, ROWS))
    return pa.table(
        [
            ids,
            pa.array(["COMPLETED", "SHIPPED", "CANCELLED", "PENDING"]).take(pa.array(status)),
            pc.divide(amounts, hundred).cast(pa.decimal128(10, 2)),
            pa.array(rng.integers(0, 5_000, ROWS), pa.int32()),
            texts("region-", rng.integers(0, 4, ROWS)),
            texts(texts("a note of some length ", numbers[0]), numbers[1]),
            pa.array(closed, pa.timestamp("us"), mask=ids >= (FILES - 1) * ROWS),
            maps,
            pa.array([["x"]] * ROWS),
        ],
        schema=SCHEMA,
    )


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders in 8 files, without indexes or statistics; not to be changed."""
    folder = tmp_path_factory.mktemp("advise")
    return make_table(folder, "orders", map(part, range(FILES)))


@pytest.fixture(scope="module")
def typical(orders: str) -> Advice:
    """The advice on it, nothing being known of what is asked."""
    return advise(orders, sample=FILES, engine=LOCAL)


def verdicts(advice: Advice) -> dict[str, str]:
    return {
        column.name: f"{column.verdict} {','.join(column.advised)}".strip()
        for column in advice.columns
    }


def column(advice: Advice, name: str) -> ColumnAdvice:
    [found] = [column for column in advice.columns if column.name == name]
    return found


def follow(advice: Advice, *, saves: bool = True) -> RewriteSummary:
    """Do what the advised command does; without `saves`, leave the table's options as they are."""
    assert advice.command is not None
    words = shlex.split(advice.command)
    assert words[:4] == ["paimon-ksy", "table", "rewrite-index", advice.table]
    if "--save-options" in words:
        words.remove("--save-options")
    else:
        saves = False
    given = list(zip(words[4::2], words[5::2], strict=True))
    options = dict(text.split("=", 1) for option, text in given if option == "--set")
    where = dict(given).get("--where")
    return rewrite_index(advice.table, where, set=options, save_options=saves, engine=LOCAL)


def copy(path: str, folder: Path) -> str:
    """A table of one's own with the same files."""
    import shutil

    target = folder / "default.db" / Path(path).name
    shutil.copytree(path, target)
    return str(target)


# What is right ------------------------------------------------------------------------------------


def test_right_answers(typical: Advice) -> None:
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
    why = {column.name: column.why for column in typical.columns}
    assert why["id"].startswith("minimum and maximum exclude")
    assert "matching rows are in most files and pages" in why["region"]
    assert "predicates seldom compare long, distinct texts" in why["note"]
    assert why["m"] == "a MAP: indexes are built on its keys, if a predicate names them"
    assert why["tags"] == "no index supports ARRAY"
    assert "saves" in why["status"] and "% of the data" in why["status"]


def test_what_columns_are_like(typical: Advice) -> None:
    figures = column(typical, "status")
    assert (figures.distinct, figures.distinct_in_file, figures.nulls) == (4, 4, 0)
    assert figures.in_files == (3 + 1 / 8) / 4
    assert figures.in_bounds == 1
    ids = column(typical, "id")
    assert ids.is_estimate and ids.distinct is not None
    assert 0.85 < ids.distinct / (FILES * ROWS) <= 1
    assert ids.in_files == ids.in_bounds == 1 / 8
    assert column(typical, "closed").nulls == 1 / 8
    assert column(typical, "tags").distinct is None


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


def test_what_is_asked_often_counts_more(orders: str) -> None:
    """One lookup that an index would answer, among many questions that it cannot."""
    rare, often = "status = 'PENDING'", "status <> 'PENDING'"
    few = advise(orders, predicates=[rare, often], columns=["status"], engine=LOCAL, sample=FILES)
    many = [rare, *[often] * 12]
    advice = advise(orders, predicates=many, columns=["status"], engine=LOCAL, sample=FILES)
    assert verdicts(few) == {"status": "add bitmap"}
    assert verdicts(advice) == {"status": "none"}
    assert [asked.weight for asked in advice.predicates] == [1, 12]


def test_very_many_predicates(orders: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are tried, those among them that are asked often."""
    monkeypatch.setattr(questions_module, "_PREDICATES", 5)
    given = [f"user_id = {at}" for at in range(50)] + ["status = 'PENDING'"] * 50
    advice = advise(orders, predicates=given, sample=4, engine=LOCAL)
    asked = {found.sql: found.weight for found in advice.predicates}
    assert asked == {"user_id = 10": 1, "user_id = 30": 1, "status = 'PENDING'": 3}
    assert advice.notes[0].startswith("measured 3 of 51 different predicates")


def test_columns_that_are_asked_together(orders: str) -> None:
    """One index decides already, the other would add nothing."""
    given = ["status = 'PENDING' AND amount BETWEEN 3000 AND 4000"]
    advice = advise(orders, sample=FILES, predicates=given, engine=LOCAL)
    assert sum(column.verdict == "add" for column in advice.columns) == 1
    [asked] = advice.predicates
    assert asked.columns == ("status", "amount")
    assert asked.indexes.keys() == {
        "bitmap:status",
        "range-bitmap:status",
        "bloom-filter:status",
        "range-bitmap:amount",
        "bsi:amount",
    }
    assert asked.advised.files == 7 / 8


# What is said holds -------------------------------------------------------------------------------

GIVEN = [
    "status = 'PENDING'",
    "amount BETWEEN 2500 AND 2510",
    "status = 'PENDING' AND user_id = 17",
    "note = 'none'",
    "m['k'] IN ('v1', 'v2')",
    "closed IS NULL",
    "id = 5 OR status = 'PENDING'",
    "user_id = 17 AND amount < 100 AND region = 'region-2'",
]


@pytest.mark.parametrize("given", [None, GIVEN], ids=["typical", "given"])
def test_figures_are_those_of_the_built_indexes(
    given: list[str] | None, orders: str, tmp_path: Path
) -> None:
    """The command as it is printed builds indexes of the sizes told; `explain` skips as much."""
    path = copy(orders, tmp_path)
    (tmp_path / "asked.sql").write_text("\n".join(["# asked", *(given or [])]))
    more = ["--predicates", str(tmp_path / "asked.sql")] if given else []
    done = run_command(
        "table", "advise", path, "--sample", "8", "--engine", "local", "--json", *more
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    words = shlex.split(told["command"])
    assert words[:4] == ["paimon-ksy", "table", "rewrite-index", path]
    assert words[-2:] == ["--engine", "local"]
    built = run_command("table", *words[2:])
    assert built.exit_code == 0, built.output

    sizes = index_sizes(path)
    advised = {(c["name"], kind) for c in told["columns"] for kind in c["advised"]}
    assert advised and advised == sizes.keys()
    for column_ in told["columns"]:
        for index in column_["indexes"]:
            if (key := (column_["name"], index["type"])) in advised:
                assert index["bytes"] == index["table_bytes"] == sizes[key]
    assert told["index_bytes"] == sum(sizes.values())

    table = Table.at(path)
    for asked in told["predicates"]:
        partitions, _, index, rows = explain(table, asked["sql"])
        files = partitions.files_kept + partitions.files_skipped
        skipped = {
            "files": 1 - rows.files_kept / files,
            "row_groups": 1 - (rows.row_groups_kept or 0) / files,
            "rows": 1 - rows.rows_kept / (rows.rows_kept + rows.rows_skipped + index.rows_skipped),
        }
        for what, share in skipped.items():
            assert asked["advised"][what] == pytest.approx(share, abs=1e-6), (asked["sql"], what)
        whole = sum(file.size for file in table.files(table.snapshot()))
        assert 1 - rows.bytes_kept / whole >= asked["advised"]["bytes"] - 1e-6
        matching = query(table, asked["sql"], ["id"]).num_rows
        assert asked["rows"] == pytest.approx(matching / (FILES * ROWS))


def index_sizes(path: str) -> dict[tuple[str, str], int]:
    """Bytes of each index in all files of a table."""
    table = Table.at(path)
    sizes: dict[tuple[str, str], int] = {}
    for file in table.files(table.snapshot()):
        assert file.index is not None
        place = table.storage.read(file.index) if isinstance(file.index, str) else file.index
        with FileIndex.open(place) as opened:
            for name, entries in opened.indexes.items():
                for kind, entry in entries.items():
                    sizes[name, kind] = sizes.get((name, kind), 0) + entry.len_body
    return sizes


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


def test_statistics_that_are_missing(typical: Advice) -> None:
    assert typical.options["metadata.stats-mode"] == "full"
    assert any(note.startswith("id") and "manifests lack them" in note for note in typical.notes)
    # It is no option of the command, which cannot make any.
    assert "stats-mode" not in str(typical.command)


# Indexes that are there ---------------------------------------------------------------------------

EXISTING = {
    "file-index.bitmap.columns": "region,status,user_id",
    "file-index.bitmap.region.version": "1",
    "file-index.bsi.columns": "id",
}


@pytest.fixture(scope="module")
def indexed(orders: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same table with indexes, which are not all of use."""
    folder = tmp_path_factory.mktemp("indexed")
    path = make_table(folder, "orders", map(part, range(4)), EXISTING)
    rewrite_index(path, engine=LOCAL)
    return path


def test_indexes_that_are_there_stay_if_nothing_is_known(indexed: str) -> None:
    advice = advise(indexed, engine=LOCAL, columns=["id", "status", "region", "user_id"])
    assert verdicts(advice) == {
        "id": "keep bsi",
        "status": "keep bitmap",
        "region": "keep bitmap",
        "user_id": "drop",  # it takes much
    }
    assert column(advice, "region").why.endswith("give --predicates to find out")
    assert column(advice, "status").why.startswith("saves")
    there = {index.type for index in column(advice, "id").indexes if index.exists}
    assert there == {"bsi"}
    assert advice.options == {"file-index.bitmap.columns": "region,status"}


def test_indexes_of_no_use_are_dropped(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    given = ["status = 'PENDING'", "region = 'region-1'"]
    advice = advise(path, predicates=given, engine=LOCAL, sample=4)
    found = verdicts(advice)
    assert (found["id"], found["region"], found["status"]) == ("drop", "drop", "keep bitmap")
    assert advice.options == {
        "file-index.bitmap.columns": "status",
        "file-index.bitmap.region.version": None,
        "file-index.bsi.columns": None,
    }
    assert advice.sql is not None and advice.command is not None
    unset, changed = sqlglot.parse(advice.sql, dialect="spark")
    assert "UNSET TBLPROPERTIES ('file-index.bitmap.region.version', 'file-index.bsi.columns')" in (
        advice.sql
    )
    assert unset is not None and changed is not None
    before = index_sizes(path)
    assert follow(advice).rewritten == 0
    assert index_sizes(path) == before
    drop = f"once the options are saved, `paimon-ksy table rewrite-index {path} --drop-unlisted`"
    assert drop in advice.notes[-1]
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert index_sizes(path).keys() == {("status", "bitmap")}
    again = advise(path, predicates=given, engine=LOCAL, sample=4)
    assert verdicts(again)["status"] == "keep bitmap"
    assert again.options == {}  # the command saved them
    assert again.command is None


def test_columns_that_are_not_looked_at_keep_their_indexes(indexed: str) -> None:
    given = ["status = 'PENDING'", "note = 'a note of some length 5'"]
    advice = advise(indexed, predicates=given, columns=["note"], engine=LOCAL)
    assert verdicts(advice) == {"note": "add bloom-filter"}
    assert set(advice.options) == {
        f"file-index.bloom-filter.{option}" for option in ("columns", "note.items", "note.fpp")
    }


def test_indexes_that_no_option_asks_for(tmp_path: Path) -> None:
    """Built with options for that time: those of columns that are not looked at stay."""
    path = make_table(tmp_path, "t", map(part, range(2)))
    there = {
        "file-index.bitmap.columns": "region,m[k]",
        "file-index.bsi.columns": "amount",
        "file-index.bloom-filter.columns": "note",
        "file-index.bloom-filter.note.items": "22000",
        "file-index.bloom-filter.note.fpp": "0.01",
    }
    rewrite_index(path, set=there, engine=LOCAL)
    before = index_sizes(path)
    advice = advise(path, columns=["tags"], engine=LOCAL)
    assert advice.options.keys() == there.keys()
    follow(advice, saves=False)
    assert index_sizes(path) == before
    rewrite_index(
        path, set={k: v or "" for k, v in advice.options.items()}, force=True, engine=LOCAL
    )
    assert index_sizes(path) == pytest.approx(before, rel=0.01)
    of_a_column = advise(path, predicates=["region = 'x'"], engine=LOCAL)
    assert of_a_column.options == {"file-index.bitmap.columns": "m[k]"}


def test_options_are_there_and_indexes_are_not(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", map(part, range(4)), {"file-index.bitmap.columns": "status"})
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (advice.options, advice.sql) == ({}, None)
    assert advice.command == f"paimon-ksy table rewrite-index {path}"
    rewrite_index(path, engine=LOCAL)
    done = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (done.sql, done.command) == (None, None)


def test_small_indexes_are_embedded(tmp_path: Path) -> None:
    """Where all files' indexes are small they are put into the manifests."""

    def few(at: int) -> pa.Table:
        kinds = np.where(np.arange(ROWS) < ROWS // 2, 10 + at, 0)
        kinds[-1] = 50
        return part(at).select(["note"]).append_column("kind", pa.array(kinds, pa.int32()))

    path = make_table(tmp_path, "t", map(few, range(4)))
    given = [f"kind = {at}" for at in (11, 12)]
    advice = advise(path, predicates=given, engine=LOCAL)
    wide = replace_kind(few)
    assert verdicts(advice)["kind"] == "add bitmap"
    assert "file-index.in-manifest-threshold" not in advice.options  # it is below as it is

    path = make_table(tmp_path, "u", map(wide, range(4)))
    advice = advise(path, predicates=["kind = 1000", "kind = 2000"], engine=LOCAL)
    assert verdicts(advice)["kind"].startswith("add")
    threshold = advice.options["file-index.in-manifest-threshold"]
    assert threshold is not None and threshold.endswith("kb")
    assert follow(advice).embedded == 4


def replace_kind(make: Any) -> Any:
    """The same with 200 kinds a file, in runs."""

    def made(at: int) -> pa.Table:
        kinds = at * 1000 + np.arange(ROWS) // 100
        kinds[-1] = 0
        kinds[-2] = 9999
        data = make(at)
        return data.set_column(1, "kind", pa.array(kinds, pa.int32()))

    return made


# The sample ---------------------------------------------------------------------------------------


def data_files(path: str) -> list[DataFile]:
    table = Table.at(path)
    return list(table.files(table.snapshot()))


def test_the_same_sample_again(orders: str, typical: Advice) -> None:
    def without_time(advice: Advice) -> dict[str, Any]:
        document = advice.to_json()
        del document["seconds"]
        for found in document["columns"]:
            for index in found["indexes"]:
                del index["seconds"], index["table_seconds"]
        return document

    some = [advise(orders, sample=3, engine=LOCAL, columns=["status", "id"]) for _ in range(2)]
    assert without_time(some[0]) == without_time(some[1])
    assert len(some[0].sample) == 3
    assert some[0].sample_rows == 3 * ROWS
    assert some[0].files == FILES
    whole = column(typical, "status").indexes[0].table_bytes
    assert column(some[0], "status").indexes[0].table_bytes == pytest.approx(whole, rel=0.05)


def test_samples_are_spread(orders: str) -> None:
    [one, *_] = data_files(orders)

    def named(days: Sequence[tuple[str, int]]) -> list[DataFile]:
        return [
            replace(one, name=f"{at}", partition=(day,), num_rows=rows, creation_millis=at)
            for at, (day, rows) in enumerate(days)
        ]

    files = named([("a", 10)] * 6 + [("b", 10)] * 3 + [("c", 10)] * 3)
    chosen, size = choose_files(iter(files), lambda _: 4)
    assert [file.partition for file in chosen] == [("a",), ("a",), ("b",), ("c",)]
    assert size == Size(12, 120, 12 * one.size)
    # Large files stand for more rows, and no file is taken twice.
    chosen, _ = choose_files(named([("a", 1), ("b", 1000), ("c", 1), ("d", 0)]), lambda _: 2)
    assert [file.num_rows for file in chosen] in ([1, 1000], [1000, 1])
    assert len(choose_files(files, lambda _: 99)[0]) == 12
    assert choose_files([], lambda _: 3) == ([], Size())
    # Of very many files no more than some are held, always the same.
    many = [replace(one, name=f"x{at}", creation_millis=at) for at in range(5000)]
    chosen, size = choose_files(iter(many), lambda _: 5)
    assert chosen == choose_files(iter(many), lambda _: 5)[0]
    assert size.files == 5000
    at = [file.creation_millis or 0 for file in chosen]
    assert at == sorted(at) and at[0] < 1500 and at[-1] > 3500


def test_large_files_are_looked_at_in_part(
    orders: str, typical: Advice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_module, "_VALUES", 1)
    monkeypatch.setattr(sample_module, "_ROWS", (10_000, 10_000))
    advice = advise(orders, engine=LOCAL, columns=["status", "region"])
    assert advice.in_part
    assert (len(advice.sample), advice.sample_rows) == (2, 20_000)
    whole = column(typical, "region").indexes[0].table_bytes
    assert column(advice, "region").indexes[0].table_bytes == pytest.approx(whole, rel=0.3)


def test_partitions(tmp_path: Path) -> None:
    def of_day(at: int) -> pa.Table:
        day = pa.array([dt.date(2026, 1, 1 + at // 2)] * ROWS)
        return part(at).append_column("day", day)

    path = make_table(tmp_path, "t", map(of_day, range(6)), partition_keys=["day"])
    advice = advise(path, where="day > DATE '2026-01-01'", engine=LOCAL)
    assert (advice.files, len(advice.sample), advice.rows) == (4, 4, 4 * ROWS)
    assert (
        column(advice, "day").why == "a partition column: partition pruning already skips its files"
    )
    assert advice.command is not None
    assert "the options apply to the whole table" in advice.notes[-1]
    words = shlex.split(advice.command)
    assert words[4:6] == ["--where", "day > DATE '2026-01-01'"]
    assert follow(advice).rewritten == 4
    # What partitions leave out is told as it is now.
    given = ["day = DATE '2026-01-02' AND status = 'PENDING'", "day = DATE '2026-01-03'"]
    advice = advise(path, predicates=given, engine=LOCAL, sample=6)
    first, second = advice.predicates
    assert first.now.files == pytest.approx(5 / 6)  # file 3 has PENDING, and an index by now
    assert second.now.files == pytest.approx(4 / 6)
    assert verdicts(advice)["status"] == "keep bitmap"
    with pytest.raises(PaimonKsyError, match="no Parquet, ORC or Avro file with rows in these"):
        advise(path, where="day = DATE '2030-01-01'", engine=LOCAL)
    with pytest.raises(PredicateError, match="only partition columns"):
        advise(path, where="id = 1", engine=LOCAL)


@pytest.mark.java
def test_on_spark(orders: str, spark: Any) -> None:
    columns = ["id", "status", "amount"]
    here = advise(orders, sample=4, columns=columns, engine=LOCAL)
    there = advise(orders, sample=4, columns=columns, engine=spark_engine(spark))
    assert there.predicates == here.predicates
    assert (there.sql, there.command, there.sample) == (here.sql, here.command, here.sample)
    assert verdicts(there) == verdicts(here)


# All kinds of tables ------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, r"pypaimon reads 2 of 2 files whole \(merge pending: .*\); .* a compaction"),
        (
            {"deletion-vectors.enabled": "true"},
            r"2 files wait for a compaction, and readers ignore them",
        ),
    ],
)
def test_tables_of_which_all_files_wait(options: dict[str, str], says: str, tmp_path: Path) -> None:
    """They failed: what their files are like is known before they are compacted."""
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("status", pa.string())])
    data = pa.table([range(100), ["PENDING", *["DONE"] * 99]], schema=keyed)
    path = make_table(
        tmp_path, "waiting", [data, data], {"bucket": "1", **options}, primary_keys=["id"]
    )
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert advice.rows == 200 and len(advice.sample) == 2
    assert re.search(says, advice.notes[0])
    assert advice.predicates[0].rows == 0.01
    assert any(column.indexes for column in advice.columns)


def test_other_columns_than_those_of_indexes(orders: str) -> None:
    """What is asked of columns that take none."""
    given = ["tags IS NULL", "m IS NOT NULL AND status = 'PENDING'", "m IS NULL OR id < 5"]
    advice = advise(orders, predicates=given, sample=4, engine=LOCAL)
    assert [asked.rows for asked in advice.predicates] == [0, pytest.approx(100 / 80_000), 0]
    assert verdicts(advice)["status"] == "add bitmap"


def test_another_type_is_better(orders: str, tmp_path: Path) -> None:
    options = {"file-index.bloom-filter.columns": "amount2"}
    options["file-index.bloom-filter.amount2.items"] = "500"
    parts = (part(at) for at in range(4))
    made = (p.append_column("amount2", p["amount"].cast(pa.int32())) for p in parts)
    path = make_table(tmp_path, "t", made, options)
    rewrite_index(path, engine=LOCAL)
    advice = advise(path, predicates=["amount2 BETWEEN 2500 AND 2510"], engine=LOCAL)
    assert verdicts(advice)["amount2"] in ("replace range-bitmap", "replace bitmap")
    assert advice.options["file-index.bloom-filter.amount2.items"] is None
    assert advice.options["file-index.bloom-filter.columns"] is None
    follow(advice)
    kind = column(advice, "amount2").advised[0]
    assert {key for key in index_sizes(path) if key[0] == "amount2"} == {
        ("amount2", "bloom-filter"),
        ("amount2", kind),
    }
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert {key for key in index_sizes(path) if key[0] == "amount2"} == {("amount2", kind)}


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
    assert not [i for i in column(advice, "c.d").indexes if i.type == "bloom-filter"]
    assert column(advice, "big").why.startswith("an index of a DECIMAL holds unscaled values of")
    # Java loses rows where microseconds are stored for nanoseconds.
    assert [index.type for index in column(advice, "at").indexes] == ["bloom-filter"]
    assert {"bsi", "bitmap"} <= {index.type for index in column(advice, "day").indexes}
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


def test_one_file(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.concat_tables(part(at) for at in range(4))])
    advice = advise(path, engine=LOCAL)
    assert (len(advice.sample), advice.files) == (1, 1)
    assert not column(advice, "id").is_estimate
    assert column(advice, "id").distinct == 4 * ROWS
    # In the only row group pages are left out still.
    [rare] = [asked for asked in advice.predicates if asked.sql == "status = 'PENDING'"]
    assert rare.indexes["bitmap:status"].files == 0
    assert rare.indexes["bitmap:status"].page_bytes > 0.3
    assert rare.indexes["bitmap:status"].rows == pytest.approx(1 - 100 / (4 * ROWS))


def test_many_columns_share_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without predicates the indexes that save most come first, until there are enough."""

    def made(at: int) -> pa.Table:
        rng = np.random.default_rng(at)
        return pa.table({f"c{n}": rng.integers(0, 6_000, 4_000) for n in range(40)})

    monkeypatch.setattr(verdict, "MOST", 0.1)
    path = make_table(tmp_path, "t", map(made, range(6)))
    advice = advise(path, engine=LOCAL)
    added = [found for found in advice.columns if found.verdict == "add"]
    assert 1 < len(added) < 40
    assert advice.index_bytes <= 0.1 * advice.sample_bytes
    left = [found.why for found in advice.columns if "indexes on all such columns" in found.why]
    assert len(added) + len(left) > 35
    # Given predicates are known to be needed.
    given = [f"c{n} = 17" for n in range(40)]
    advice = advise(path, predicates=given, engine=LOCAL)
    assert sum(found.verdict == "add" for found in advice.columns) > len(added)


def test_tiny_tables_need_no_index(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [part(3).slice(6000, 2000).select(["status", "id"])])
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert verdicts(advice) == {"status": "none", "id": "none"}
    assert "an index saves nothing" in column(advice, "status").why
    assert advice.sql is None


# What is wrong ------------------------------------------------------------------------------------


def test_predicates_of_a_file(orders: str, tmp_path: Path) -> None:
    schema = Table.at(orders).schema
    text = "# one\n\n-- two\nstatus = 'x';\n  user_id IN (1, 2)  \nstatus = 'x'\n"
    found = [repr(predicate) for predicate in parse_predicates(text, schema, "f")]
    assert found == ["status = 'x'", "user_id IN (1, 2)", "status = 'x'"]
    for bad, told in {
        "status = 'x'\nstate = 'x'": r"^f, line 2: no column 'state'",
        "id = 'x'": r"^f, line 1: ",
        "\n\nid =": r"^f, line 3: ",
        "# nothing": r"^f: contains no predicate",
    }.items():
        with pytest.raises(PredicateError, match=told):
            parse_predicates(bad, schema, "f")
    file = tmp_path / "asked.sql"
    file.write_text("status = 'x'\nstate = 1\n")
    done = run_command("table", "advise", orders, "--predicates", str(file))
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file}, line 2: no column 'state'" in done.stderr
    done = run_command("table", "advise", orders, "--predicates", "-", stdin="id =")
    assert (done.exit_code, "standard input, line 1: " in done.stderr) == (2, True)
    done = run_command("table", "advise", orders, "--predicates", str(tmp_path / "no"))
    assert done.exit_code == 2 and "no such file" in done.stderr
    with pytest.raises(PredicateError, match="tests no column"):
        advise(orders, predicates=["1 = 1"], engine=LOCAL)
    with pytest.raises(PredicateError, match="no predicate"):
        advise(orders, predicates=[], engine=LOCAL)


def test_wrong_arguments(orders: str) -> None:
    assert run_command("table", "advise", orders, "--sample", "0").exit_code == 2
    assert (
        run_command("table", "advise", orders, "--columns", "nope", "--engine", "local").exit_code
        == 2
    )
    assert run_command("table", "advise", orders, "--engine", "flink").exit_code == 2
    assert (
        run_command("table", "advise", orders, "--where", "id = 1", "--engine", "local").exit_code
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
    with pytest.raises(PaimonKsyError, match="has no snapshot yet"):
        advise(str(tmp_path / "default.db" / "t"), engine=LOCAL)


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut"])
def test_broken_data_files_are_named(damage: str, orders: str, tmp_path: Path) -> None:
    path = copy(orders, tmp_path)
    broken = Path(data_files(path)[2].path)
    data = broken.read_bytes()
    broken.unlink()
    if damage != "missing":
        broken.write_bytes(b"garbage" * 9 if damage == "garbage" else data[: len(data) // 2])
    with pytest.raises(PaimonKsyError, match=broken.name):
        advise(path, engine=LOCAL, sample=FILES, columns=["status"])


def test_broken_indexes_are_named(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    index = next(Path(path).rglob("*.index"))
    index.write_bytes(b"garbage")
    with pytest.raises(CorruptFileError, match=index.name):
        advise(path, engine=LOCAL, columns=["status"])


# The command --------------------------------------------------------------------------------------


def test_what_is_printed(orders: str, tmp_path: Path) -> None:
    done = run_command("table", "advise", orders, "--engine", "local", "--columns", "status, id")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0].startswith(f"{orders}: 8 files, 160,000 rows, ")
    assert lines[1].startswith("sample: 8 files, 160,000 rows, ")
    assert "  status: bitmap: saves" in done.output
    assert "  id: no index: minimum and maximum exclude" in done.output
    assert lines[-1].startswith(f"paimon-ksy table rewrite-index {orders} --set file-index.bitmap")
    assert "ALTER TABLE `default`.`orders` SET TBLPROPERTIES (" in lines
    # A secret is not printed, though it was given.
    given = ["-c", "s3.secret-key=abc", "-c", "s3.endpoint=http://me:word@store"]
    done = run_command(
        "table", "advise", orders, "--engine", "local", "--columns", "status", *given
    )
    assert "abc" not in done.output
    assert "word" not in done.output
    assert "--catalog s3.endpoint=http://store" in done.output
    assert "s3.secret-key" not in done.output


def test_json(orders: str) -> None:
    done = run_command(
        "table", "advise", orders, "--engine", "local", "--columns", "status", "--json"
    )
    told = json.loads(done.output)
    assert set(told) == {
        *("table", "snapshot", "files", "rows", "bytes", "sample", "sample_rows", "sample_bytes"),
        *("in_part", "is_typical", "columns", "predicates", "options", "index_bytes", "sql"),
        *("command", "notes", "seconds"),
    }
    [found] = told["columns"]
    assert set(found) == set(ColumnAdvice.__dataclass_fields__)
    assert set(found["indexes"][0]) == {
        *("type", "options", "files", "bytes", "table_bytes", "seconds", "table_seconds", "size"),
        *("saved", "exists", "refused"),
    }
    skipped = {"files", "row_groups", "bytes", "page_bytes", "rows"}
    for asked in told["predicates"]:
        for shares in (asked["now"], asked["bounds"], asked["advised"], *asked["indexes"].values()):
            assert set(shares) == skipped
            assert all(0 <= share <= 1 for share in shares.values())


def test_progress_is_told(orders: str) -> None:
    told: list[tuple[str, int, int]] = []
    advise(orders, sample=2, engine=LOCAL, progress=lambda *step: told.append(step))
    assert [step for step in told if step[1] == step[2]] == [
        ("looking", 2, 2),
        ("measuring", 2, 2),
    ]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.00001, "<0.1 %"), (0.004, "0.4 %"), (0.5, "50 %"), (1, "100 %")],
)
def test_shares_are_written(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (950, "950 bytes"),
        (12_300, "12 kB"),
        (3_400_000, "3.4 MB"),
        (2e12, "2,000 GB"),
    ],
)
def test_sizes_are_written(size: float, text: str) -> None:
    assert amount(size) == text
