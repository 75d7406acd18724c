"""Where manifests are read: on an engine only if there are many, and it is not this machine."""

from pathlib import Path

import pytest

from paimon_ksy.table.engine import local_engine, manifests, run_over
from paimon_ksy.table.manifests.scan import Group
from paimon_ksy.table.store import Table
from tests.support.engines import Elsewhere
from tools.made_manifests import table_of_manifests


def test_many_entries_are_read_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=3, deleted=2)
    table = Table.at(path)
    found = table.manifests.of(table.snapshot())
    engine = Elsewhere()
    assert run_over(engine, found) is None
    monkeypatch.setattr(manifests, "ENTRIES_HERE", 14)
    assert run_over(engine, found) is None
    monkeypatch.setattr(manifests, "ENTRIES_HERE", 13)
    assert run_over(local_engine(1), found) is run_over(None, found) is None
    run = run_over(engine, found)
    assert run is not None
    groups = [(one,) for one in found]
    assert list(run(len_of_name, groups)) == [((one,), len(one.file_name)) for one in found]
    assert engine.ran == 4


def len_of_name(group: Group) -> int:
    return len(group[0].file_name)
