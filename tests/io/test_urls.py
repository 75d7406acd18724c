"""Names of files and tables on this machine: as paths and as URLs, whatever a folder is called."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kit_support.examples import examples
from paimon_ksy.cli.app import app
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.source import open_source
from paimon_ksy.io.urls import is_local, local_path
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tools.tables import make_table

ENGINE = local_engine(1)
ODD = " %?#+&=:;'~é日\"()[]{}$@!,*\\^`|<>-_.aA2520"
NAMES = st.text(ODD, min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..") and name.strip()
)
HAZARDS = ("a%20b", "a#b?c", "100%", "file:é 日")


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def spellings(folder: Path, rest: str) -> dict[str, str]:
    """All that this file or table may be called."""
    path = f"{folder}/{rest}"
    return {
        "path": path,
        "URL": f"file://{quote(path)}",
        "URL of this host": f"file://localhost{quote(path)}",
        "all quoted": "file://"
        + "".join(f"%{byte:02x}" if byte != 47 else "/" for byte in path.encode()),
        "as Java writes it": f"file:{path}",
        "relative": f"./{folder.name}/{rest}",
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/a/b", "/a/b"),
        ("a%20b", "a%20b"),
        ("a b#c?d", "a b#c?d"),
        ("C:\\x", "C:\\x"),
        ("file:///a%20b", "/a b"),
        ("FILE:///a", "/a"),
        ("file://localhost/a+b", "/a+b"),
        ("file:///a#b?c", "/a#b?c"),
        ("file:///100%/%zz", "/100%/%zz"),
        ("file:///%C3%A9", "/é"),
        ("file:///%ff", os.fsdecode(b"/\xff")),
        ("file:/a%20b", "/a%20b"),
        ("s3://b/k", None),
        ("https://h/a%20b", None),
    ],
)
def test_local_path(name: str, path: str | None) -> None:
    assert local_path(name) == path
    assert is_local(name) == (path is not None)


def test_a_file_of_another_host() -> None:
    for ask in (local_path, open_source, Table.at):
        with pytest.raises(PaimonKsyError, match=r"host 'nas'.*file:///nas/a"):
            ask("file://nas/a")


@given(NAMES)
def test_a_quoted_path_is_that_path(name: str) -> None:
    assert local_path(f"file://{quote('/' + name)}") == f"/{name}"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Partitions have odd names, too."""
    options = {
        "file-index.bitmap.columns": "status",
        "file-index.in-manifest-threshold": "1 B",
        "deletion-vectors.enabled": "true",
    }
    data = pa.table({"p": ["a b", "c%#", "d?"], "id": [1, 2, 3], "status": ["x", "y", "z"]})
    return Path(
        make_table(tmp_path_factory.mktemp("odd"), "t", [data], options, partition_keys=["p"])
    )


@examples(15)
@given(NAMES, st.sampled_from(sorted(spellings(Path("/a"), ""))))
@example("a#b", "URL")
@example("a b", "URL")
@example("a%20b", "as Java writes it")
@example("a:b", "relative")
@example("100%", "path")
def test_a_table_by_any_name(
    table: Path, tmp_path_factory: pytest.TempPathFactory, name: str, spelling: str
) -> None:
    folder = tmp_path_factory.mktemp("warehouse") / name
    shutil.copytree(table, folder / "t")
    with inside(folder.parent):
        named = spellings(folder, "t")[spelling]
        assert query(named, "status = 'y'", ["id"], engine=ENGINE).to_pylist() == [{"id": 2}]
        assert rewrite_index(named, engine=ENGINE).files == 3
        assert len(list(folder.rglob("*.index"))) == 3
        found = query(named, "status = 'y'", engine=ENGINE)
        assert found["p"].to_pylist() == ["c%#"]
        assert delete(named, "id = 3", engine=ENGINE).rows == 1
        assert count(named, engine=ENGINE).count == 2
        assert count(named, "status = 'z'", engine=ENGINE).count == 0
        assert list(audit(named, deep=True, engine=ENGINE)) == []
    assert sorted(path.name for path in folder.parent.iterdir()) == [name]  # and nothing beside it


@pytest.mark.parametrize("name", HAZARDS)
def test_commands_by_any_name(table: Path, name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(table, folder / "t")
    data = next(folder.rglob("*.parquet"))
    rest = str(data.relative_to(folder))
    runner = CliRunner()

    def run(*arguments: str) -> str:
        done = runner.invoke(app, list(arguments))
        assert done.exit_code == 0, (arguments, done.output)
        return done.output

    with inside(tmp_path):
        for spelling, named in spellings(folder, rest).items():
            made = spellings(folder, f"{spelling}.index")[spelling]
            option, typed = "file-index.bitmap.columns=status", ("--schema", "status STRING")
            run("build", named, "-o", made, "--set", option)
            assert "bitmap" in run("inspect", made)
            kept = run("eval", made, "--where", "status = 'none'", *typed, "--format", "json")
            assert '"skip"' in kept
            run("dump", made)
        for named in spellings(folder, "t").values():
            assert run("table", "count", named, "--engine", "local", "--format", "json")
            run("table", "inspect", named)
    assert len(list(folder.glob("*.index"))) == len(spellings(folder, ""))


def test_a_relative_table_with_a_colon(table: Path, tmp_path: Path) -> None:
    shutil.copytree(table, tmp_path / "ab:c" / "t")
    with inside(tmp_path):
        assert count("ab:c/t", engine=ENGINE).count == 3


@pytest.mark.parametrize("name", HAZARDS)
def test_a_warehouse_by_any_name(table: Path, name: str, tmp_path: Path) -> None:
    shutil.copytree(table, tmp_path / name / "default.db" / "t")
    for named in spellings(tmp_path / name, "").values():
        with inside(tmp_path):
            found = Table.named("default.t", {"warehouse": named})
            assert query(found, "id = 2", engine=ENGINE).num_rows == 1
