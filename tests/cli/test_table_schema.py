"""`table schema`, `table set` and `table list`."""

import json
from pathlib import Path

from tests.support.commands import Cli
from tests.support.tables import append, catalog_at, make, rows


def test_schema_of_now_and_before(cli: Cli, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)], partitions=["day"])
    assert cli("table", "set", path, "file-index.bitmap.columns=status")[0] == 0
    append(path, rows(10, 10))
    code, out, _ = cli("table", "schema", path)
    assert code == 0 and out.startswith(f"{path}: schema 1: ")
    assert "partition keys day" in out and "file-index.bitmap.columns = status" in out
    assert [line.split() for line in out.splitlines()][1:4] == [
        ["id", "column", "type"],
        ["0", "id", "BIGINT"],
        ["1", "status", "STRING"],
    ]
    code, out, _ = cli("table", "schema", path, "--snapshot", "1", "-f", "json")
    before = json.loads(out)
    assert (code, before["id"]) == (0, 0)
    assert "file-index.bitmap.columns" not in before["options"]
    assert before["partition_keys"] == ["day"]


def test_set_shows_what_changed(cli: Cli, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)], {"note": "a"})
    code, out, err = cli("table", "set", path, "note=b", "deletion-vectors.enabled=true")
    assert code == 0 and "schema id 1" in out
    assert err == (
        "paimon-ksy: no version of Paimon has the option 'note'; it is stored for other readers\n"
    )
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["option", "old", "new"],
        ["note", "a", "b"],
        ["deletion-vectors.enabled", "true"],
    ]
    code, out, _ = cli("table", "set", path, "note=", "-f", "json")
    assert json.loads(out)["changes"] == [{"option": "note", "old": "b", "new": None}]
    code, out, _ = cli("table", "set", path, "note=")
    assert code == 0 and "schema id 2" in out and "option" not in out
    code, _, err = cli("table", "set", path, "note")
    assert code == 2 and "write it like deletion-vectors.enabled=true" in err
    assert cli("table", "set", path)[0] == 2


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
