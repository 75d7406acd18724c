"""The wheel, the sdist and an editable install, each in an empty environment."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import ROOT
from tests.golden import golden_index

pytestmark = [pytest.mark.network, pytest.mark.slow]

SPECS = sorted(path.stem for path in (ROOT / "specs").glob("*.ksy"))
NOT_SOURCE = (".git", ".venv", ".cache", "*.egg-info", "build", "dist", "node_modules", ".*_cache")

# Run where the project is installed, in a folder where nothing can be imported from.
CHECK = """
import importlib, importlib.util, pathlib, sys
import paimon_ksy as pk

assert "numpy" not in sys.modules and "pyarrow" not in sys.modules, "import paimon_ksy is not lazy"
schema = pk.Schema.parse("c INT")
with pk.FileIndex.open(sys.argv[1], schema) as index:
    assert index.evaluate("c IS NULL").exact
for spec in sys.argv[2:]:
    importlib.import_module("paimon_ksy.generated.parsers." + spec)
assert importlib.util.find_spec("generated") is None, "a top-level package `generated`"
assert importlib.util.find_spec("tools") is None, "a top-level package `tools`"
assert (pathlib.Path(pk.__file__).parent / "py.typed").is_file()
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without what was built in it."""
    folder = tmp_path_factory.mktemp("source") / "project"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*NOT_SOURCE))
    return folder


@pytest.fixture(scope="module")
def dist(source: Path) -> Path:
    """A folder with the sdist and the wheel that is built from it."""
    run(sys.executable, "-m", "build", "--outdir", source / "dist", source)
    return source / "dist"


def test_wheel_has_the_package_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        parser = archive.read("paimon_ksy/generated/parsers/file_index.py")
    tops = {name.split("/")[0] for name in names}
    own = {top for top in tops if not top.endswith(".dist-info")}
    assert own == {"paimon_ksy", "pyspark_paimon_ksy.py"}
    assert b"class FileIndex" in parser, "the link to generated/ was not followed"
    for spec in SPECS:
        assert f"paimon_ksy/generated/parsers/{spec}.py" in names
    assert {"paimon_ksy/py.typed", "paimon_ksy/inspection/web_ide.js"} <= set(names)
    templates = (ROOT / "paimon_ksy/pages/templates").iterdir()
    assert {f"paimon_ksy/pages/templates/{path.name}" for path in templates} <= set(names)


def test_sdist_has_the_specs(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"specs/{spec}.ksy" for spec in SPECS} <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= names


@pytest.mark.parametrize("kind", ["wheel", "sdist", "editable"])
def test_install_in_an_empty_environment(
    kind: str, source: Path, dist: Path, tmp_path: Path
) -> None:
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    what: Sequence[str | Path] = {"wheel": [wheel], "sdist": [sdist]}.get(kind) or ["-e", source]
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    scripts = tmp_path / "venv" / "bin"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", scripts / "python"]
    run(*pip, "install", "--quiet", "--no-compile", *what)

    index = tmp_path / "empty" / "golden.index"
    index.parent.mkdir()
    index.write_bytes(golden_index("t_bitmap_v2_int").data)
    run(scripts / "python", "-c", CHECK, index, *SPECS, cwd=index.parent)
    assert "inspect" in run(scripts / "paimon-ksy", "--help", cwd=index.parent)
    assert "bitmap" in run(scripts / "paimon-ksy", "inspect", index, cwd=index.parent)
    assert "✓ a scan" in run(scripts / "paimon-ksy", "demo", cwd=index.parent)
    assert list(index.parent.iterdir()) == [index], "the demo left something behind"


def test_what_is_run_imports_nothing_of_its_parents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    code = "import sys; print(sys.path)"
    assert str(ROOT / "tests") not in run(sys.executable, "-c", code, cwd=tmp_path)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command and return what it prints; fail with its errors if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
