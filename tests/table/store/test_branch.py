"""Branches of a table."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy import count, query
from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from tools.tables import append, make_table


def test_a_branch_has_its_own_schema(tmp_path: Path) -> None:
    data = pa.table({"id": [1, 2]})
    path = make_table(tmp_path, "t", [data], {"metadata.stats-mode": "full"})
    table = Table.at(path)
    table.pypaimon.create_tag("first")
    table.pypaimon.branch_manager().create_branch("b", "first")
    first = Path(path, "schema", "schema-0")
    for folder, name in ((Path(path), "x"), (Path(path, "branch", "branch-b"), "y")):
        document = json.loads(first.read_text())
        document["id"] = 1
        document["fields"].append({"id": 1, "name": name, "type": "STRING"})
        (folder / "schema" / "schema-1").write_text(json.dumps(document))
    branch = Table.at(path).branch("b")
    append(branch.pypaimon, pa.table({"id": [3], "y": ["z"]}))
    branch = Table.at(path).branch("b")
    assert Table.at(path).schema.columns.names == ("id", "x")
    assert branch.schema.columns.names == ("id", "y")
    found = query(branch, "id > 1", engine=local_engine(1))
    assert found.to_pylist() == [{"id": 2, "y": None}, {"id": 3, "y": "z"}]
    assert query(branch.branch("main"), engine=local_engine(1)).column_names == ["id", "x"]
    assert orphans(path) == []
    catalog = {"warehouse": str(tmp_path)}
    for named in (
        Table.at(f"{path}/branch/branch-b"),
        Table.of_catalog(catalog, "default.t$branch_b"),
    ):
        assert named.location == path
        assert named.schema.columns.names == ("id", "y")
        assert count(named, engine=local_engine(1)).count == 3


def test_a_branch_that_is_not_there(tmp_path: Path) -> None:
    table = Table.at(make_table(tmp_path, "t", [pa.table({"id": [1]})]))
    with pytest.raises(PaimonKsyError, match="no branch 'b': it has none"):
        table.branch("b")
    table.pypaimon.create_tag("first")
    table.pypaimon.branch_manager().create_branch("main2", "first")
    with pytest.raises(PaimonKsyError, match=r"no branch 'mein2' \(did you mean 'main2'\?\)"):
        Table.at(f"{table.location}/branch/branch-mein2")


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("t$files", "default.t"),
        ("t$audit_log", "default.t"),
        ("t$branch_b$ro", "default.t$branch_b"),
    ],
)
def test_system_tables_are_told_as_that(name: str, base: str, tmp_path: Path) -> None:
    make_table(tmp_path, "t", [pa.table({"id": [1]})])
    with pytest.raises(UnsupportedError, match="system tables are unsupported") as told:
        Table.of_catalog({"warehouse": str(tmp_path)}, f"default.{name}")
    assert f"inspect the table {base} instead" in str(told.value)
