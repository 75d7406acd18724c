"""Where a table is: options of the command line, a file and the environment."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.table_source import CatalogSource, catalog_options, open_table
from tests.support.commands import Cli
from tools.tables import make_table


@pytest.mark.parametrize(
    ("name", "catalog"),
    [("default.db/made", None), ("default.made", ["warehouse=."]), ("./default.db/made/", None)],
)
def test_paths_are_absolute_for_workers_in_other_folders(
    name: str, catalog: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_table(tmp_path, "made", [pa.table({"id": [1]})])
    monkeypatch.chdir(tmp_path)
    found = open_table(name, CatalogSource(catalog))
    assert found.location == f"{tmp_path}/default.db/made"


def options(name: str, *given: str, config: object = None) -> dict[str, str]:
    return catalog_options(CatalogSource([*given], None if config is None else str(config)), name)


def test_where_options_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml, lines = tmp_path / "paimon.yaml", tmp_path / "options"
    yaml.write_text("metastore: filesystem\nwarehouse: /a\ns3.port: 9\ns3.path-style: true\n")
    lines.write_text("# a comment\n\nwarehouse = /b\ntoken=x=y\n")
    name = "d.t"
    read = {"metastore": "filesystem", "warehouse": "/a", "s3.port": "9", "s3.path-style": "true"}
    assert options(name, config=yaml) == read
    assert options(name, config=lines) == {"warehouse": "/b", "token": "x=y"}
    assert options(name, "warehouse=/c", config=yaml) == {**read, "warehouse": "/c"}
    monkeypatch.setenv("PAIMON_KSY_CATALOG_WAREHOUSE", "/e")
    monkeypatch.setenv("PAIMON_KSY_CATALOG_S3__SECRET_KEY", "s")
    assert options(name) == {"warehouse": "/e", "s3.secret-key": "s"}
    assert options(name, config=lines)["warehouse"] == "/b"
    assert options("/a/path") == {"s3.secret-key": "s"}


def test_the_file_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read as pypaimon reads it, but for no path, and not beside another catalog."""
    monkeypatch.chdir(tmp_path)
    assert options("d.t") == {}
    Path("paimon.yaml").write_text("warehouse: /a\ns3.endpoint: http://elsewhere\n")
    Path("t").mkdir()
    assert options("d.t") == {"warehouse": "/a", "s3.endpoint": "http://elsewhere"}
    assert options("d.t", "s3.endpoint=http://x")["warehouse"] == "/a"
    for name in ("t", "./t", "s3://bucket/t"):
        assert options(name) == {}
    assert options("d.t", "warehouse=/b") == {"warehouse": "/b"}
    Path("other").write_text("token=x")
    assert options("d.t", config="other") == {"token": "x"}
    # A path is a table of its own: other options of a file still hold for its file system.
    assert options("./t", config="paimon.yaml") == {"s3.endpoint": "http://elsewhere"}
    monkeypatch.setenv("PAIMON_KSY_CATALOG_URI", "http://host")
    assert options("d.t") == {"uri": "http://host"}


def test_the_environment_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    make_table(tmp_path, "made", [pa.table({"id": [1, 2]})])
    (tmp_path / "c.yaml").write_text(f"warehouse: {tmp_path}\n")
    monkeypatch.setenv("PAIMON_KSY_CONFIG", str(tmp_path / "c.yaml"))
    assert cli("table", "count", "default.made", "-f", "json")[0] == 0
    assert cli("table", "count", tmp_path / "default.db" / "made")[0] == 0
    file = tmp_path / "a.dv"
    assert cli("dv", "create", "-p", "1", "-o", file)[0] == 0
    assert cli("diff", file, file)[0] == 0  # which takes a catalog for tables alone
    monkeypatch.setenv("PAIMON_KSY_CONFIG", "none.yaml")
    code, _, err = cli("table", "count", "default.made")
    assert code == 2 and "none.yaml: no such file" in err


def test_files_of_options_that_cannot_be_read(tmp_path: Path) -> None:
    for name, text, message in (
        ("a.yaml", "a: [1", "not YAML"),
        ("b.yaml", "- hunter2", "KEY: VALUE"),
        ("c.yaml", "a: {b: hunter2}", "KEY: VALUE"),
        ("deep.yaml", "[" * 5000 + "hunter2", "not YAML"),
        ("long.json", '{"hunter2": ' + "9" * 5000 + "}", "not YAML"),
        ("date.yaml", "hunter2: 2026-99-99", "not YAML"),
        ("d", "hunter2", "line 1"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=message) as raised:
            options("d.t", config=tmp_path / name)
        assert "hunter2" not in str(raised.value)
    with pytest.raises(UsageError, match="no such file"):
        options("d.t", config="none")
