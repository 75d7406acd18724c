"""What a commit leaves in the folder of snapshots."""

from pathlib import Path

import pyarrow as pa

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from tools.tables import make_table


def test_a_commit_leaves_no_other_file_beside_its_snapshot(tmp_path: Path) -> None:
    data = pa.table({"id": [1, 2]})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    assert delete(path, "id = 1", engine=local_engine(1)).snapshot == 2
    there = {file.name for file in Path(path, "snapshot").iterdir()}
    assert there - {"EARLIEST", "LATEST"} == {"snapshot-1", "snapshot-2"}
