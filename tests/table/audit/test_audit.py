"""Audits: no false alarms; each kind of damage is found at its place, and mended if it can be."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.tables import to_table
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tests.support.audits import ALL_KINDS, found, index_path, indexed, places
from tests.support.golden_tables import golden_table, golden_table_names
from tests.support.tables import EMBEDDED, TO_FILES, append, files, make, rows


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables_are_sound(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    assert found(path) == []
    assert found(path, deep=True) == []
    assert orphans(path, timedelta(seconds=-60)) == []


@pytest.mark.parametrize("file_format", ["parquet", "orc"])
def test_tables_of_pypaimon_are_sound(file_format: str, tmp_path: Path) -> None:
    options = {**ALL_KINDS, "file.format": file_format}
    days = [rows(0, 9, "a"), rows(9, 8, "b")]
    path = make(tmp_path, days, {**options, **EMBEDDED}, ["day"])
    rewrite_index(path, engine=local_engine(1))
    append(path, rows(17, 3, "b"))
    [finding] = found(path, deep=True)
    assert places([finding]) == [("warning", "index-options", Path(finding.file).name)]
    assert "no index" in finding.message
    assert found(path, "day = 'a'", deep=True) == []
    rewrite_index(path, engine=local_engine(1), set=TO_FILES)
    assert {one.severity for one in found(path, deep=True)} == {"note"}  # not in the manifest
    with pytest.raises(PredicateError, match="only partition columns"):
        found(path, "id = 1")


def test_a_table_without_snapshot_and_one_without_indexes(tmp_path: Path) -> None:
    assert found(make(tmp_path / "none", []), deep=True) == []
    assert found(make(tmp_path / "plain", [rows(0, 3)]), deep=True) == []


def test_expired_snapshots_tags_and_dropped_indexes_give_no_alarm(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    Table.at(path).pypaimon.create_tag("kept", snapshot_id=1)
    rewrite_index(path, engine=local_engine(1), set={"file-index.bitmap.columns": "amount"})
    rewrite_index(path, engine=local_engine(1), drop_unlisted=True)
    (Path(path) / "snapshot" / "snapshot-1").unlink()
    assert found(path, deep=True) == []


@pytest.mark.java
def test_on_spark(tmp_path: Path, spark: Any) -> None:
    path = indexed(tmp_path)
    place = index_path(files(path)[0])
    place.write_bytes(b"garbage")
    findings = list(audit(path, deep=True, engine=spark_engine(spark)))
    assert findings == found(path, deep=True)
    [row] = spark.createDataFrame(to_table(Finding, findings)).collect()
    assert (row["severity"], row["check"], row["file"]) == ("error", "index", str(place))
