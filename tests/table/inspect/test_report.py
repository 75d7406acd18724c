"""The report on a table as JSON, and what is broken in it."""

from pathlib import Path
from typing import Any

from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table


def test_a_report_is_json_all_through(tmp_path: Path) -> None:
    report = inspect_table(Table.at(golden_table("append_dv32", tmp_path)))
    assert report.errors == []

    def check(node: Any) -> None:
        if isinstance(node, dict):
            assert all(isinstance(key, str) for key in node)
            node = [*node.values()]
        if isinstance(node, list):
            for part in node:
                check(part)
        else:
            assert node is None or isinstance(node, bool | int | float | str)

    check(report.to_json())


def test_errors_are_listed_once_wherever_they_are(tmp_path: Path) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    (path / "snapshot/EARLIEST").write_text("nonsense")
    for data in path.rglob("data-*"):
        data.unlink()
    errors = inspect_table(Table.at(path)).errors
    assert len(errors) > 1
    assert len(set(errors)) == len(errors)
    assert any("EARLIEST" in error for error in errors)
