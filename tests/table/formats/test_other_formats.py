"""Tables with data files of formats that are not read here, as the Java library wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy import audit, count, query, rewrite_index
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from tests.support.golden_tables import odd_table


def test_compressed_csv_is_told_by_its_format_and_asked_by_its_index(tmp_path: Path) -> None:
    path = odd_table("csv_gz", tmp_path)
    table = Table.at(path)
    assert [file.format for file in table.data_files.of(table.snapshot())] == ["csv", "csv"]
    assert count(path, "s = 'a'", engine=local_engine(1)).count == 1
    assert query(path, "s = 'x'", engine=local_engine(1)).num_rows == 0
    with pytest.raises(UnsupportedError, match=r"\.csv\.gz: the file format 'csv' is unsupported"):
        query(path, "s = 'a'", engine=local_engine(1))
    assert rewrite_index(path, rebuild=True, engine=local_engine(1)).unsupported == 2


def test_an_audit_tells_what_indexes_it_does_not_look_at(tmp_path: Path) -> None:
    path = odd_table("csv_gz", tmp_path)
    found = list(audit(path, deep=True, engine=local_engine(1)))
    assert [(one.severity, one.check) for one in found] == 2 * [("note", "index")]
    assert "its index is not checked: the file format 'csv'" in found[0].message
    assert list(audit(odd_table("json_keys", tmp_path), engine=local_engine(1))) == []


def test_json_that_has_to_be_merged_is_told_by_its_format(tmp_path: Path) -> None:
    path = odd_table("json_keys", tmp_path)
    with pytest.raises(UnsupportedError, match=r"\.json: the file format 'json' is unsupported"):
        query(path, engine=local_engine(1))
