"""Which files of a table with a primary key stand for themselves, and which have to be merged."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.predicates.tree import col
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.model.files import DataFile, Statistics, TableSchema
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.query.splits import Reading, overlapping
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import golden_table, ordered, rows_of
from tests.support.query_tables import KEYED, LOCAL, brute, found_rows, versions
from tools.tables import append, by_pypaimon, make_table

VECTORS = {"deletion-vectors.enabled": "true"}
ON_READ = VECTORS | {"deletion-vectors.merge-on-read": "true"}
FIRST_ROW = {"merge-engine": "first-row"}


def file(
    name: str,
    level: int,
    keys: tuple[Any, Any],
    deletions: int | None = 0,
    bucket: int = 0,
) -> DataFile:
    """A data file with keys of one column, from and to."""
    return DataFile(
        path=f"/t/bucket-{bucket}/{name}",
        name=name,
        format="parquet",
        partition=(),
        bucket=bucket,
        total_buckets=1,
        level=level,
        size=100,
        num_rows=10,
        schema_id=0,
        min_sequence_number=0,
        max_sequence_number=9,
        delete_row_count=deletions,
        first_row_id=None,
        source=0,
        creation_millis=None,
        extra_files=(),
        embedded_index=None,
        index_files=(),
        statistics=Statistics(),
        key_range=tuple((key,) for key in keys),  # type: ignore[arg-type]
        write_columns=None,
        external_path=None,
    )


def sections(options: dict[str, str], *files: DataFile) -> list[tuple[str, str | None]]:
    """The names of the files of each section, and why they are merged."""
    columns = Schema.parse("id INT NOT NULL")
    schema = TableSchema(0, columns, {"id": 0}, (), ("id",), options)
    return [
        ("".join(found.name for found in section.files), section.merge)
        for section in Reading.of(schema).sections(files)
    ]


SAME_KEYS = "merge pending: 2 files contain versions of the same keys"


@pytest.mark.parametrize(
    ("options", "files", "expected"),
    [
        ({}, [file("a", 5, (1, 3)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        ({}, [file("a", 0, (1, 3)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        ({}, [file("a", 4, (1, 4)), file("b", 5, (4, 6))], [("ab", SAME_KEYS)]),
        ({}, [file("a", 0, (1, 4)), file("b", 0, (2, 3))], [("ab", SAME_KEYS)]),
        (
            {},
            [
                file("a", 0, (1, 9)),
                file("b", 5, (2, 3)),
                file("c", 5, (8, 8)),
                file("d", 5, (10, 11)),
            ],
            [("abc", "merge pending: 3 files contain versions of the same keys"), ("d", None)],
        ),
        (
            {},
            [file("a", 5, (1, 3), 1), file("b", 5, (4, 6))],
            [("a", "merge pending: it contains 1 deletions of keys"), ("b", None)],
        ),
        (
            {},
            [file("a", 5, (1, 3), None)],
            [("a", "merge pending: it may contain deletions of keys")],
        ),
        ({}, [file("a", 5, (1, 3)), file("b", 5, (1, 3), bucket=1)], [("a", None), ("b", None)]),
        ({}, [file("a", 5, (1, None)), file("b", 0, (4, 6))], [("ab", SAME_KEYS)]),
        ({}, [file("a", 5, (1.0, math.nan)), file("b", 0, (-4.0, -2.0))], [("ab", SAME_KEYS)]),
        (VECTORS, [file("a", 4, (1, 4)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        (VECTORS, [file("a", 0, (1, 4)), file("b", 5, (4, 6))], [("b", None)]),
        (VECTORS, [file("a", 4, (1, 4), 2), file("b", 5, (4, 6))], [("ab", SAME_KEYS)]),
        (ON_READ, [file("a", 0, (1, 4)), file("b", 5, (4, 6))], [("ab", SAME_KEYS)]),
        (ON_READ, [file("a", 0, (1, 3)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        (ON_READ, [file("a", 4, (1, 4)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        (ON_READ | FIRST_ROW, [file("a", 0, (1, 4))], [("a", None)]),
        (FIRST_ROW, [file("a", 4, (1, 4)), file("b", 5, (4, 6))], [("a", None), ("b", None)]),
        (FIRST_ROW, [file("a", 0, (1, 4)), file("b", 5, (4, 6))], [("b", None)]),
        ({"bucket": "-2"}, [file("a", 0, (1, 4), bucket=-2), file("b", 5, (4, 6))], [("b", None)]),
    ],
)
def test_what_is_merged(
    options: dict[str, str], files: list[DataFile], expected: list[tuple[str, str | None]]
) -> None:
    """As Java's `MergeTreeSplitGenerator` has it."""
    assert sections(options, *files) == expected


def test_zeros_in_a_key_are_in_no_order() -> None:
    """Both files have (-0.0, 6). The ends of a range do not show which zero they are."""

    def ranging(smallest: tuple[float, int], largest: tuple[float, int]) -> DataFile:
        return replace(file("a", 0, (0, 0)), key_range=(smallest, largest))

    one, other = ranging((0.0, 5), (0.0, 1)), ranging((0.0, 6), (0.0, 0))
    assert len(overlapping([one, other])) == 1
    assert len(overlapping([one, ranging((-1.0, 9), (-0.5, 0)), ranging((0.5, 0), (0.5, 1))])) == 3
    assert len(overlapping([ranging((0.5, 0), (0.5, 1)), ranging((0.5, 2), (0.5, 3))])) == 2


@pytest.mark.parametrize(
    ("engine", "keeps"),
    [("deduplicate", True), ("first-row", True), ("partial-update", False), ("aggregation", False)],
)
def test_merged_rows_are_rows_of_files(engine: str, keeps: bool) -> None:
    """Only then no file has to be read of which none has a row that matches."""
    schema = TableSchema(
        0, Schema.parse("id INT"), {"id": 0}, (), ("id",), {"merge-engine": engine}
    )
    [found] = Reading.of(schema).sections([file("a", 4, (1, 4), 1), file("b", 5, (4, 6))])
    assert found.keeps_rows == keeps


def test_postponed_buckets_are_not_seen(tmp_path: Path) -> None:
    data = versions(1, 30, 20).cast(pa.schema([KEYED.field(0), *list(KEYED)[1:]]))
    path = make_table(tmp_path, "later", [data], {"bucket": "-2"}, primary_keys=["k"])
    table = Table.at(path)
    assert len(list(table.data_files.of(table.snapshot()))) > 0
    assert query(table, engine=LOCAL).num_rows == by_pypaimon(path).num_rows == 0
    assert count(table, engine=LOCAL).count == 0


@pytest.mark.parametrize("engine", ["deduplicate", "first-row"])
def test_files_that_wait_for_a_compaction(engine: str, tmp_path: Path) -> None:
    """With deletion vectors, and of first-row tables, level 0 is not read: by nobody."""
    options = {"bucket": "1", "merge-engine": engine}
    if engine == "deduplicate":
        options["deletion-vectors.enabled"] = "true"
    data = versions(1, 30, 20)
    path = make_table(tmp_path, "new", [data], options, primary_keys=["k"])
    assert query(Table.at(path), engine=LOCAL).num_rows == by_pypaimon(path).num_rows


@pytest.mark.parametrize("name", ["pk_dv32", "pk_dynamic_partitioned_dv"])
def test_merge_on_read_sees_updates_of_compacted_rows(name: str, tmp_path: Path) -> None:
    """Level 0 is merged with compacted files, whose vectors apply as well."""
    path = golden_table(name, tmp_path)
    set_options(Table.at(path), {"deletion-vectors.merge-on-read": "true"})
    table = Table.at(path)
    before = query(table, engine=LOCAL)
    rows = {
        tuple(row[name] for name in table.schema.primary_keys): row for row in before.to_pylist()
    }
    for seed in range(3):
        first, *some = random.Random(seed).sample([*rows.values()], 12)
        new = [{**row, "v": 1000 + seed} for row in some] + [{**first, "id": 5000 + seed}]
        rows |= {tuple(row[name] for name in table.schema.primary_keys): row for row in new}
        append(table.pypaimon, pa.Table.from_pylist(new, before.schema))
    wanted = rows_of(pa.Table.from_pylist([*rows.values()], before.schema))
    assert ordered(rows_of(by_pypaimon(path))) == found_rows(table) == ordered(wanted)
    assert MergeTask in {type(task) for task in plan_query(table, Query())}
    v, key = col("v"), col("id")
    for where in (v >= 1000, v == 1002, v < 1000, key >= 5000, (key < 20) & (v != 1001)):
        matching = brute(table.schema.columns, wanted, where)
        assert found_rows(table, where) == ordered(matching)
        assert count(table, where, engine=LOCAL).count == len(matching)
    findings = audit(path, deep=True, engine=LOCAL)
    assert [found for found in findings if found.severity == "error"] == []
