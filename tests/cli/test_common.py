"""What several commands do: open a table, take options of a catalog."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.common import catalog_options, open_table
from paimon_ksy.cli.failures import UsageError
from tools.tables import make_table


@pytest.mark.parametrize(
    ("name", "catalog", "master", "location"),
    [
        ("default.db/made", None, None, "default.db/made"),
        ("default.db/made", None, "local[2]", "default.db/made"),
        ("default.db/made", None, "sc://host", "{}/default.db/made"),
        ("default.made", ["warehouse=."], "spark://host:7077", "{}/default.db/made"),
    ],
)
def test_paths_are_whole_for_workers_in_other_folders(
    name: str,
    catalog: list[str] | None,
    master: str | None,
    location: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_table(tmp_path, "made", [pa.table({"id": [1]})])
    monkeypatch.chdir(tmp_path)
    assert open_table(name, catalog, master).location == location.format(tmp_path)


def test_where_options_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml, lines = tmp_path / "paimon.yaml", tmp_path / "options"
    yaml.write_text("metastore: filesystem\nwarehouse: /a\ns3.port: 9\ns3.path-style: true\n")
    lines.write_text("# a comment\n\nwarehouse = /b\ntoken=x=y\n")
    name = "d.t"
    read = {"metastore": "filesystem", "warehouse": "/a", "s3.port": "9", "s3.path-style": "true"}
    assert catalog_options([f"@{yaml}"], name) == read
    assert catalog_options([f"@{lines}"], name) == {"warehouse": "/b", "token": "x=y"}
    both = catalog_options([f"@{yaml}", f"@{lines}", "warehouse=/c"], name)
    assert both == {**read, "warehouse": "/c", "token": "x=y"}
    monkeypatch.setenv("PAIMON_KSY_CATALOG_WAREHOUSE", "/e")
    monkeypatch.setenv("PAIMON_KSY_CATALOG_S3__SECRET_KEY", "s")
    assert catalog_options([], name) == {"warehouse": "/e", "s3.secret-key": "s"}
    assert catalog_options([f"@{lines}"], name)["warehouse"] == "/b"
    assert catalog_options([], "/a/path") == {"s3.secret-key": "s"}


def test_files_of_options_that_cannot_be_read(tmp_path: Path) -> None:
    for name, text, message in (
        ("a.yaml", "a: [1", "not YAML"),
        ("b.yaml", "- hunter2", "KEY: VALUE"),
        ("c.yaml", "a: {b: hunter2}", "KEY: VALUE"),
        ("d", "hunter2", "line 1"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=message) as raised:
            catalog_options([f"@{tmp_path / name}"], "d.t")
        assert "hunter2" not in str(raised.value)
    with pytest.raises(UsageError, match="no such file"):
        catalog_options(["@none"], "d.t")
