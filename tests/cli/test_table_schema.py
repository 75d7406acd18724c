"""`table schema`, `table set` and `table list`."""

import json
from pathlib import Path

from tests.support.commands import Cli
from tests.support.tables import catalog_at, make, rows


def test_delete_names_the_command_that_enables_it(cli: Cli, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)])
    code, _, err = cli("table", "delete", path, "-w", "id = 1", "--yes")
    assert code == 2
    command = err.split("`paimon-ksy ")[1].split("`")[0]
    assert cli(*command.split())[0] == 0
    assert cli("table", "delete", path, "-w", "id = 1", "--yes")[0] == 0


def test_list_of_a_warehouse_a_database_and_a_catalog(cli: Cli, tmp_path: Path) -> None:
    make(tmp_path, [])
    catalog_at(tmp_path).create_database("other", True)
    make(tmp_path / "deep", [])
    path = str(tmp_path / "default.db" / "t")
    for folder in (tmp_path, tmp_path / "default.db"):
        assert cli("table", "list", folder) == (0, f"{path}\n", "")
    assert cli("table", "list", path) == (0, f"{path}\n", "")
    code, out, _ = cli("table", "list", tmp_path, "-f", "json")
    assert json.loads(out)["tables"] == [path]
    assert cli("table", "list", "--catalog", f"warehouse={tmp_path}") == (0, "default.t\n", "")
    code, out, _ = cli("table", "list", tmp_path / "other.db")
    assert code == 0 and "no tables" in out
    code, _, err = cli("table", "list", tmp_path / "nowhere")
    assert code == 1 and "nowhere: no such folder" in err
    code, _, err = cli("table", "list")
    assert code == 2 and "pass the folder of a warehouse" in err
