"""What the workers of an audit do."""

from __future__ import annotations

from pathlib import Path

from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from tests.support.audits import flip, places
from tests.support.golden_tables import golden_table


def test_a_data_file_that_ends_its_reader_is_found(tmp_path: Path) -> None:
    """Arrow's reader of ORC crashes on some damage, and takes its process along."""
    path = golden_table("pk_dv64", tmp_path)
    [file] = Path(path).rglob("data-3103a68a-*.orc")
    flip(file, 322, 0)  # lengths of texts
    findings = list(audit(path, deep=True, engine=local_engine(2, processes=True)))
    assert ("error", "data-file", file.name) in places(findings)
    assert {Path(one.file).name for one in findings} == {file.name}
