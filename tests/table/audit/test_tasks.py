"""What the workers of an audit do."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from paimon_ksy.table.audit import audit as audits
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from tests.support.audits import flip, places
from tests.support.golden_tables import golden_table
from tests.support.tables import files
from tools.made_manifests import table_of_manifests


def test_a_data_file_that_ends_its_reader_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's reader of ORC crashes on some damage, and takes its process along.

    The file is first in a task with others, and then in one of its own.
    """
    monkeypatch.setattr(audits, "_LEAST_TASKS", 1)
    path = golden_table("pk_dv64", tmp_path)
    [file] = Path(path).rglob("data-3103a68a-*.orc")
    flip(file, 322, 0)  # lengths of texts
    checked: list[int] = []

    def progress(what: str, count: int) -> None:
        if what == "data files":
            checked.append(count)

    engine = local_engine(2, processes=True)
    findings = list(audit(path, deep=True, engine=engine, progress=progress))
    assert ("error", "data-file", file.name) in places(findings)
    assert {Path(one.file).name for one in findings} == {file.name}
    assert sum(checked) == len(files(path))


def test_driver_holds_digests_of_data_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not their entries, nor their paths."""
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)

    def made(number: int) -> str:
        parts = number // 250
        path = table_of_manifests(
            tmp_path, f"t{number}", partitions=1, files=number, manifests=parts
        )
        table = Table.at(path)
        for file in table.files(table.snapshot()):
            Path(file.path).parent.mkdir(parents=True, exist_ok=True)
            with Path(file.path).open("wb") as stream:
                stream.truncate(file.size)
        return path

    def peak(path: str) -> int:
        checked: list[int] = []
        tracemalloc.start()
        assert (
            list(audit(path, engine=local_engine(1), progress=lambda _, n: checked.append(n))) == []
        )
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sum(checked) >= 500
        return found

    few, path = peak(made(500)), made(2500)
    many = min(peak(path), peak(path))  # Python's own table of names grows by MBs at a time
    assert (many - few) / 2000 < 100  # a name alone takes as much
