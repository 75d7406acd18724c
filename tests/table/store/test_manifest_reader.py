"""Reading manifests in another process than the one that knows the table."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.dataset.table import Table
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import run_by
from tests.support.golden_tables import golden_table, golden_table_names
from tools.made_manifests import table_of_manifests


def names(entries: pa.RecordBatch, numbers: Any, partitions: Partitions) -> list[Any]:
    days = [partitions.values[number][0] for number in numbers.tolist()]
    return list(zip(days, entries.column("_FILE_NAME").to_pylist(), strict=True))


@pytest.mark.parametrize("group_bytes, groups", [(1, 5), (1 << 20, 1)])
def test_processes_read_what_threads_do(
    group_bytes: int, groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", group_bytes)
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=5, mixed=True)
    table = Table.at(path)
    manifests = table.manifests.of(table.snapshot())
    here = list(table.data_files.scan(manifests, names))
    processes = run_by(local_engine(2, processes=True).map)
    elsewhere = table.data_files.scan(manifests, names, run=processes)
    for found, wanted in zip(elsewhere, here, strict=True):
        assert (found.group, found.looked) == (wanted.group, wanted.looked)
        assert found.of.tolist() == wanted.of.tolist()
    assert len(here) == groups and sum(len(each.looked) for each in here) == 12


def test_a_reader_is_pickled_without_what_it_knows(tmp_path: Path) -> None:
    table = Table.at(golden_table(golden_table_names()[0], tmp_path))
    before = len(pickle.dumps(table.reader))
    files = list(table.files(table.snapshot()))
    assert len(pickle.dumps(table.reader)) == before < 20_000
    copied = pickle.loads(pickle.dumps(table.reader))
    assert copied.table.reader is copied
    assert type(copied.table) is Table
    assert copied.table.words == table.words
    assert list(copied.table.files(copied.table.snapshot())) == files
