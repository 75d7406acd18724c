"""What is reported of data files is what their rows are; broken files are marked."""

from pathlib import Path

import pytest

from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table
from tests.support.table_reports import broken, files_of


def test_statistics_are_those_of_the_rows(tmp_path: Path) -> None:
    table = expected("append_dv32_partitioned")
    report = inspect_table(Table.at(golden_table("append_dv32_partitioned", tmp_path)))
    first = next(f for f in files_of(report) if f.partition["p"].plain == "p0")
    bounds = {found.column: found for found in first.statistics}
    assert (bounds["id"].min.plain, bounds["id"].max.plain, bounds["id"].nulls) == (0, 58, 0)
    assert bounds["t"].min.text == "TIMESTAMP_NTZ '2024-01-01 00:00:00'"
    assert bounds["d"].max.text == "12.50"
    assert bounds["p"].max.text == "'p0'"
    assert set(bounds) == set(table.schema.names)


def test_statistics_of_keys(tmp_path: Path) -> None:
    report = inspect_table(Table.at(golden_table("pk_dynamic_partitioned_dv", tmp_path)))
    assert report.bucket_mode == "HASH_DYNAMIC"
    assert {file.min_key[0].plain for file in files_of(report)} <= set(range(70))


def test_files_that_are_missing_or_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("append_dv32", tmp_path)
    first, second, third = sorted(Path(path, "bucket-0").glob("*.parquet"))
    first.unlink()
    second.write_bytes(b"short")
    third.with_name(third.name + ".index").write_bytes(b"no index")
    vectors = sorted(Path(path, "index").iterdir())[-1]
    vectors.unlink()
    text, complaints = broken(path, capsys)
    assert text.count("broken") >= 3
    for name in (first.name, second.name, third.name + ".index"):
        assert any(name in complaint for complaint in complaints), name
    assert "has 5 bytes, but should have" in "\n".join(complaints)
