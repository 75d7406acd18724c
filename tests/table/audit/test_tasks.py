"""What the workers of an audit do."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.audit.audit import _Audit, audit
from paimon_ksy.table.audit.tasks import DataFilesTask
from paimon_ksy.table.engine import LOST, local_engine
from paimon_ksy.table.store import Table
from tests.support.memory import peak_of
from tests.support.tables import files, make, rows
from tools.made_manifests import table_of_manifests


@dataclass(frozen=True)
class Crashing:
    """An engine whose worker crashes if a task has this data file (see `Engine.map`)."""

    name: str
    time_zone: None = None

    def map(self, function: Any, tasks: Iterable[Any], **_: Any) -> Iterator[Any]:
        for task in tasks:
            names = []
            if isinstance(task, DataFilesTask):
                names = task.entries.column("_FILE_NAME").to_pylist()
            yield task, function.lost(task) if self.name in names else function(task)


@pytest.mark.parametrize("most", [1, 4, 1000])
def test_a_data_file_that_ends_its_reader_is_found(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, or among others of its task, each of which is then checked alone."""
    monkeypatch.setattr(_Audit, "_files_in_task", lambda *_: most)
    path = make(tmp_path, [rows(number, 2) for number in range(7)])
    bad, missing = files(path)[2], files(path)[3]
    Path(missing.path).unlink()
    checked: Counter[str] = Counter()
    engine: Any = Crashing(bad.name)
    findings = list(audit(path, engine=engine, progress=lambda what, n: checked.update({what: n})))
    assert {(one.file, one.check, one.message) for one in findings} == {
        (bad.path, "data-file", LOST),
        (missing.path, "data-file", "it does not exist; snapshot 7 names it"),
    }
    assert checked["data files"] == 7


def one_by_one(work: Any, groups: Iterable[Any]) -> Iterator[Any]:
    """Yield the result for each group, in this thread."""
    return ((group, work(group)) for group in groups)


def test_driver_holds_digests_of_data_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not their entries, nor their paths."""
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    # In threads, one to three manifests are in memory at once, by chance.
    for module in ("manifests.scan", "audit.manifests"):
        monkeypatch.setattr(f"paimon_ksy.table.{module}.in_order", one_by_one)

    def made(number: int) -> str:
        parts = number // 250
        path = table_of_manifests(
            tmp_path, f"t{number}", partitions=1, files=number, manifests=parts
        )
        table = Table.at(path)
        for file in table.data_files.of(table.snapshot()):
            Path(file.path).parent.mkdir(parents=True, exist_ok=True)
            with Path(file.path).open("wb") as stream:
                stream.truncate(file.size)
        return path

    def run(path: str) -> None:
        checked: list[int] = []

        def progress(_: str, number: int) -> None:
            checked.append(number)
            gc.collect()

        assert list(audit(path, engine=local_engine(1), progress=progress)) == []
        assert sum(checked) >= 500

    few, path = peak_of(partial(run, made(500))), made(2500)
    many = peak_of(partial(run, path), runs=2)  # Python's table of names grows by MBs at a time
    assert (many - few) / 2000 < 100  # a name alone takes as much
