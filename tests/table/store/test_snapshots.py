"""Snapshots of a table: a damaged one is named."""

from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError, with_remedy
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import count
from tests.support.golden_tables import golden_table


def test_a_damaged_latest_snapshot_is_named_and_can_be_given_up(tmp_path: Path) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    latest = int((path / "snapshot" / "LATEST").read_text())
    damaged = path / "snapshot" / f"snapshot-{latest}"
    before = count(path, engine=local_engine(1), snapshot_id=latest - 1).count
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(PaimonKsyError, match=rf"/snapshot/snapshot-{latest}: ") as error:
        count(path, engine=local_engine(1))
    assert "`paimon-ksy table inspect TABLE` shows the snapshots before it" in with_remedy(
        error.value
    )
    damaged.rename(tmp_path / "away")
    (path / "snapshot" / "LATEST").write_text(str(latest - 1))
    assert count(path, engine=local_engine(1)).count == before
