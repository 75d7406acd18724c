"""What a rewrite did, counted."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.index import rewrite
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.data_files import DataFiles
from paimon_ksy.table.store.index_commit import commit_indexes
from tests.support.memory import peak_of
from tests.support.tables import EMBEDDED, STATUS, files, make, rows, run_rewrite, sum_of


def test_memory_of_the_driver_does_not_grow_with_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 8)], {**STATUS, **EMBEDDED})
    (file,) = files(path)
    monkeypatch.setattr(rewrite, "index_file", lambda job, file: IndexResult(None))

    def rewrite_of(count: int) -> None:
        made = (replace(file, name=f"data-{at}.parquet") for at in range(count))
        monkeypatch.setattr(DataFiles, "of", lambda *_, **__: made)
        assert run_rewrite(path).left == count

    few, many = (peak_of(partial(rewrite_of, count), runs=3) for count in (100, 5000))
    assert many < 2 * few, (few, many)


def test_what_is_built_by_type_counts_a_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes are of all work, also of that which was replaced before it was committed."""
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    planned = run_rewrite(path, set={"file-index.bsi.columns": "amount"}, dry_run=True).indexes
    assert {kind: asdict(built) for kind, built in planned.items()} == {
        kind: {"files": 2, "bytes": None} for kind in ("bitmap", "bsi")
    }

    def other_first(table: Table, *job: Any) -> Any:
        monkeypatch.setattr(rewrite, "commit_indexes", commit_indexes)
        run_rewrite(path, set={"file-index.bitmap.columns": "status,amount"})
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", other_first)
    summary = run_rewrite(path, drop_unlisted=True)
    assert summary.attempts == 2
    built = summary.indexes["bitmap"]
    assert (built.files, built.bytes) == (2, 2 * sum_of(path, "bitmap"))
