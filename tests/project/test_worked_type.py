"""The index type that docs/project/adding-an-index-type.md adds, in a copy of the project."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ksykit.generator.npm import CACHE

from kit_support.compiled import need_compiler
from tests import ROOT
from tools.tables import make_table

pytestmark = pytest.mark.slow

DOCUMENT = ROOT / "docs" / "project" / "adding-an-index-type.md"
REGISTRY = "paimon_ksy/file_index/registry.py"
FILE = re.compile(r"^### `([^`]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIFFERENCE = re.compile(r"^```diff\n (.*\n)\+(.*\n)```$", re.MULTILINE)

COUNT = 1000
DATA = pa.table(
    {
        "id": pa.array(range(COUNT), pa.int64()),
        "few": pa.array([None, 3, 7, -2] * (COUNT // 4), pa.int32()),
    }
)
TYPES = "id BIGINT, few INT"


class Project:
    """A copy of the project with the type."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str | Path, code: int = 0) -> str:
        """Run a module in the copy; return what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", *map(str, arguments)],
            cwd=self.folder,
            env={"PYTHONPATH": str(self.folder), "PATH": "/usr/bin:/bin", "HOME": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def cli(self, *arguments: str | Path, code: int = 0) -> str:
        """Run the command paimon-ksy of the copy."""
        return self.run("paimon_ksy", *arguments, code=code)

    def json(self, *arguments: str | Path) -> Any:
        """Run a command with --json."""
        return json.loads(self.cli(*arguments, "--format", "json"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    need_compiler()
    folder = tmp_path_factory.mktemp("worked") / "project"
    unneeded = shutil.ignore_patterns("__pycache__")
    for name in ("specs", "tools", "generated", "paimon_ksy"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=unneeded)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / ".cache").symlink_to(CACHE)
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, code in FILE.findall(text):
        assert not (folder / name).exists()
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code, encoding="utf-8")
    [(before, added)] = DIFFERENCE.findall(text)
    registry = (folder / REGISTRY).read_text(encoding="utf-8")
    assert registry.count(before) == 1
    (folder / REGISTRY).write_text(registry.replace(before, before + added), encoding="utf-8")
    made = Project(folder)
    made.run("tools.ksy", "generate")
    return made


@pytest.fixture(scope="module")
def files(project: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A data file, and its index."""
    folder = tmp_path_factory.mktemp("files")
    data, index = folder / "data.parquet", folder / "data.parquet.index"
    pq.write_table(DATA, data)
    project.cli("build", data, "--index", "min-max:id", "--index", "min-max:few", "-o", index)
    return data, index


def test_the_files_are_in_the_style_of_the_project(project: Project) -> None:
    package = project.folder / "paimon_ksy" / "file_index" / "min_max"
    project.run("ruff", "check", package)
    project.run("ruff", "format", "--check", package)


KINDS = {
    "id < 0": "skip",
    "id = 999": "all",
    "id = 1000": "skip",
    "id BETWEEN 1000 AND 2000": "skip",
    "id IS NULL": "skip",
    "few IS NULL": "all",
    "few IN (-3, 8)": "skip",
    "few > 6 AND id > 5": "all",
    "few > 7 OR id > 999": "skip",
}
"""What the indexes answer, by predicate."""

EVALUATE = """
import json, sys, paimon_ksy as pk
_, index, types, predicates = sys.argv
with pk.FileIndex.open(index, pk.Schema.parse(types)) as opened:
    print(json.dumps({text: opened.evaluate(text).kind for text in json.loads(predicates)}))
"""


def test_evaluate(project: Project, files: tuple[Path, Path]) -> None:
    (project.folder / "evaluate_all.py").write_text(EVALUATE)
    out = project.run("evaluate_all", files[1], TYPES, json.dumps([*KINDS]))
    assert json.loads(out) == KINDS
    assert project.json("eval", files[1], "-s", TYPES, "-w", "id = 1000")["answer"] == "skip"


def test_inspect_and_dump(project: Project, files: tuple[Path, Path]) -> None:
    _, index = files
    assert "rows 1,000, nulls 250, min -2, max 7" in project.cli("inspect", index, "-s", TYPES)
    columns = project.json("inspect", index, "-s", TYPES)["columns"]
    body = next(column for column in columns if column["column"] == "few")["indexes"][0]
    assert (body["index_type"], body["rows"], body["nulls"]) == ("min-max", 1000, 250)
    assert "few: num_nulls" in project.cli("inspect", index, "-s", TYPES, "--hex")
    assert "min_max_index" in project.cli("dump", index, "-s", TYPES)


def test_verify(project: Project, files: tuple[Path, Path], tmp_path: Path) -> None:
    data, index = files
    project.cli("verify", index, "--data", data)
    project.cli("verify", index)
    damaged = tmp_path / "damaged.index"
    content = bytearray(index.read_bytes())
    content[-1] ^= 1  # the greatest value of a column
    damaged.write_bytes(content)
    project.cli("verify", damaged)
    assert "nulls and bounds are (0, 0, 998), but those of the data (0, 0, 999)" in project.cli(
        "verify", damaged, "--data", data, code=3
    )
    content[-9] ^= 0x80  # the least value is above it
    content[-16] ^= 0x7F
    damaged.write_bytes(content)
    assert "the field max cannot be" in project.cli("verify", damaged, code=3)


def test_unsupported_column(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data.parquet"
    pq.write_table(pa.table({"s": ["x"]}), data)
    out = project.cli("build", data, "--index", "min-max:s", "-o", tmp_path / "x", code=2)
    assert "a min-max index cannot be built on type" in out


def test_tables(project: Project, tmp_path: Path) -> None:
    commits = [DATA.slice(0, COUNT // 2), DATA.slice(COUNT // 2)]
    path = make_table(tmp_path, "numbers", commits, {})
    local = ("--engine", "local")
    columns = project.json("table", "advise", path, *local)["columns"]
    assert all(
        "min-max" in {index["index_type"] for index in found["indexes"]} for found in columns
    )
    wanted = ("--set", "file-index.min-max.columns=id,few", "--set", "file-index.bsi.columns=few")
    project.cli("table", "rewrite-index", path, *wanted, "--save-options", *local)
    project.cli("table", "audit", path, "--deep", *local)
    counted = project.json("table", "rewrite-index", path, "--rebuild", *local)
    assert counted["indexes"]["min-max"]["files"] == 2
    assert project.json("table", "count", path, "-w", "few = 7", *local)["rows"] == 250
