"""Conditions on computed values in tables: exact rows, while other conditions skip files."""

from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import count, query
from tests.support.query_tables import LOCAL
from tests.support.tables import make
from tools.tables import make_table

DAYS = [date(2023, 12, 31), date(2024, 1, 1), date(2024, 6, 1)]


def commits() -> list[pa.Table]:
    return [
        pa.table({"id": range(first, first + 10), "name": ["a", "B"] * 5, "day": [day] * 10})
        for first, day in zip((0, 10, 20), DAYS, strict=True)
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    options = {"deletion-vectors.enabled": "true", "bucket": "-1"}
    path = make(tmp_path_factory.mktemp("days"), commits(), options, ["day"])
    rewrite_index(path, set={"file-index.bitmap.columns": "id"}, engine=LOCAL)
    return path


WHERE = "upper(name) = 'A' AND id % 4 = 0 AND year(day) = 2024 AND id < 25"


def test_queries_and_counts(path: str) -> None:
    assert sorted(query(path, WHERE)["id"].to_pylist()) == [12, 16, 20, 24]
    assert count(path, WHERE).count == 4
    assert count(path, "id = 12 OR lower(name) = 'b' AND id + 1 > 29").count == 2
    files = plan(path, WHERE).files
    assert sorted(file.partition["day"] or "" for file in files) == ["2024-01-01", "2024-06-01"]


def test_explain_says_what_is_evaluated_on_the_rows(path: str) -> None:
    notes = [note for step in explain(path, WHERE) for note in step.notes]
    for part in ("UPPER(name) = 'A'", "id % 4 = 0"):
        assert f"{part}: evaluated on the rows" in notes
    assert not any("YEAR" in note for note in notes)


def test_delete(tmp_path: Path) -> None:
    path = make(tmp_path, commits(), {"deletion-vectors.enabled": "true", "bucket": "-1"}, ["day"])
    with pytest.raises(PredicateError, match="divide by zero"):
        delete(path, "100 / (id - 15) > 0", engine=LOCAL)
    assert delete(path, "id % 2 = 0 AND name ILIKE 'A'", engine=LOCAL).rows == 15
    assert count(path).count == 15
    assert delete(path, "year(day) = 2023", engine=LOCAL).files_dropped == 1
    assert sorted(query(path)["id"].to_pylist()) == list(range(11, 30, 2))


def test_rows_are_merged_before_values_are_computed(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("k", pa.int32(), False), ("v", pa.int32())])
    versions: list[dict[str, Any]] = [{"k": [1, 2, 3], "v": [1, 5, 9]}, {"k": [2, 3], "v": [6, 7]}]
    tables = [pa.table(rows, schema=schema) for rows in versions]
    path = make_table(tmp_path, "keyed", tables, {"bucket": "1"}, primary_keys=["k"])
    assert sorted(query(path, "k + v > 5")["v"].to_pylist()) == [6, 7]
    assert count(path, "v - k = 4").count == 2
    assert count(path, "v = k * 3 AND k = 3").count == 0
