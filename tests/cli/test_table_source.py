"""The table that a command names: its catalog, its engine, and why it cannot be opened."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.table_source import CatalogSource, ChangedTable, catalog_options, open_table
from paimon_ksy.errors import OptionError, PaimonKsyError
from paimon_ksy.table.engine import is_local
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.support.commands import Cli
from tests.support.deletions import make, rows
from tools.tables import make_table


@pytest.mark.parametrize(
    ("engine", "master", "on_spark"),
    [
        (None, None, False),
        ("local", None, False),
        ("spark", None, True),
        (None, "local[2]", True),
        ("spark", "local[2]", True),
    ],
)
def test_where_a_command_runs(engine: str | None, master: str | None, on_spark: bool) -> None:
    """Here, unless --engine or --master asks for Spark."""
    source = ChangedTable("t", CatalogSource(), engine, master)
    assert source.on_spark == on_spark
    if not on_spark:
        assert is_local(source.made_engine())
        assert source.query_engine() is None


@pytest.mark.parametrize("engine", ["flink", "local"])
def test_engines_that_cannot_run(engine: str) -> None:
    source = ChangedTable("t", CatalogSource(), engine, "local[2]")
    with pytest.raises(OptionError, match=r"no engine 'flink'|needs Spark"):
        source.made_engine()


WITHOUT_SPARK = """
import json, sys
sys.modules["pyspark"] = None
from paimon_ksy.cli.app import run
sys.exit(max(map(run, json.loads(sys.argv[1]))))
"""


def test_no_command_needs_spark(tmp_path: Path) -> None:
    """As after `pip install 'paimon-ksy[table]'`, which has no pyspark."""
    path = make(tmp_path, [rows(0, 10)])
    jobs = (["audit", "--deep"], ["advise"], ["rewrite-index", "--dry-run"])
    deletion = ["table", "delete", path, "-w", "id < 3"]
    commands = [deletion, *(["table", name, path, *more] for name, *more in jobs)]
    command = [sys.executable, "-c", WITHOUT_SPARK, json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_commands_that_commit_silence_the_log(path: str) -> None:
    pypaimon_log = logging.getLogger("pypaimon")
    source = ChangedTable(path, CatalogSource(), None, None)
    source.open()
    assert pypaimon_log.isEnabledFor(logging.WARNING)
    source.open_to_change()
    assert not pypaimon_log.isEnabledFor(logging.ERROR)


def test_a_table_to_change_must_exist(tmp_path: Path) -> None:
    source = ChangedTable(str(tmp_path / "none"), CatalogSource(), None, None)
    for open_it in (source.open, source.open_to_change):
        with pytest.raises(PaimonKsyError, match="no such folder") as error:
            open_it()
        assert "\n" not in str(error.value)


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
    yaml, json_file = tmp_path / "paimon.yaml", tmp_path / "options"
    yaml.write_text("metastore: filesystem\nwarehouse: /a\ns3.port: 9\ns3.path-style: true\n")
    json_file.write_text('{"warehouse": "/b", "token": "x=y"}')
    name = "d.t"
    read = {"metastore": "filesystem", "warehouse": "/a", "s3.port": "9", "s3.path-style": "true"}
    assert options(name, config=yaml) == read
    assert options(name, config=json_file) == {"warehouse": "/b", "token": "x=y"}
    assert options(name, "warehouse=/c", config=yaml) == {**read, "warehouse": "/c"}
    monkeypatch.setenv("PAIMON_KSY_CATALOG_WAREHOUSE", "/e")
    monkeypatch.setenv("PAIMON_KSY_CATALOG_S3__SECRET_KEY", "s")
    assert options(name) == {"warehouse": "/e", "s3.secret-key": "s"}
    assert options(name, config=json_file)["warehouse"] == "/b"
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
    Path("other").write_text("token: x")
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
    write_vectors(file, {"": DeletionVector.of([1])})
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
        ("d", "warehouse=hunter2", "KEY: VALUE"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=message) as raised:
            options("d.t", config=tmp_path / name)
        assert "hunter2" not in str(raised.value)
    with pytest.raises(UsageError, match="no such file"):
        options("d.t", config="none")
