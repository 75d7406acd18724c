"""The wheel, the sdist and a folder without links, as others get them."""

import ast
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from kit_support.pages import PAGES, run_page
from tests import ROOT
from tests.golden import golden_index
from tools.dist import DistError, build_and_check, check, copy_tracked, normalize, tracked

SPECS = sorted(path.stem for path in (ROOT / "specs").glob("*.ksy"))

# Run where the project is installed, in a folder where nothing can be imported from.
CHECK = """
import importlib, importlib.util, pathlib, sys
import paimon_ksy as pk

assert "numpy" not in sys.modules and "pyarrow" not in sys.modules, "import paimon_ksy is not lazy"
schema = pk.Schema.parse("c INT")
with pk.FileIndex.open(sys.argv[1], schema) as index:
    assert index.evaluate("c IS NULL").exact
for spec in sys.argv[2:]:
    importlib.import_module("paimon_ksy.generated.structs." + spec)
assert importlib.util.find_spec("generated") is None, "a top-level package `generated`"
assert importlib.util.find_spec("tools") is None, "a top-level package `tools`"
assert (pathlib.Path(pk.__file__).parent / "py.typed").is_file()
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without what was built in it, as a download has it."""
    folder = tmp_path_factory.mktemp("source") / "project"
    copy_tracked(folder)
    return folder


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Sdist and wheel of ksykit, and of paimon-ksy, which are built twice, and checked."""
    *files, archive = build_and_check(tmp_path_factory.mktemp("dist"))
    with zipfile.ZipFile(archive) as joined:
        expected = {name for wheel in files[1::2] for name in zipfile.ZipFile(wheel).namelist()}
        assert archive.name == "paimon_ksy.zip" and {*joined.namelist()} == expected
    return files


@pytest.mark.network
@pytest.mark.slow
def test_wheel_has_the_package_and_nothing_else(dist: list[Path]) -> None:
    with zipfile.ZipFile(dist[3]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        generated = archive.read("paimon_ksy/generated/__init__.py")
    expected = {
        name for name in tracked() if name.startswith(("paimon_ksy/", "pyspark_paimon_ksy.py"))
    }
    expected |= {f"paimon_ksy/{name}" for name in tracked() if name.startswith("generated/")}
    assert names == expected
    assert {f"paimon_ksy/generated/structs/{spec}.py" for spec in SPECS} <= names
    assert generated == (ROOT / "generated" / "__init__.py").read_bytes()


@pytest.mark.network
@pytest.mark.slow
def test_sdist_has_the_specs(dist: list[Path]) -> None:
    with tarfile.open(dist[2]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"specs/{spec}.ksy" for spec in SPECS} <= names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= names


def test_sdists_are_the_same_bytes_on_each_machine(tmp_path: Path) -> None:
    """Order, times, owners and modes differ between machines."""
    packed = []
    for number, names in enumerate((["p", "p/a", "p/b"], ["p", "p/b", "p/a"])):
        path = tmp_path / f"{number}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                member.type = tarfile.DIRTYPE if name == "p" else tarfile.REGTYPE
                member.size = 0 if name == "p" else 1
                member.mtime, member.uid, member.uname = number, number, f"user {number}"
                member.mode = (0o700, 0o755)[number]
                archive.addfile(member, io.BytesIO(name[-1:].encode()))
        normalize(path, time=1_700_000_000)
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "0.tar.gz") as archive:
        contents = [archive.extractfile(name) for name in ("p/a", "p/b")]
        assert [file and file.read() for file in contents] == [b"a", b"b"]


@pytest.mark.network
@pytest.mark.slow
def test_checks_refuse_a_wheel_with_another_package(dist: list[Path], tmp_path: Path) -> None:
    sdist, wheel = dist[2:]
    broken = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            more = b"tools/a.py,,\n" if name.endswith("/RECORD") else b""
            new.writestr(name, old.read(name) + more)
        new.writestr("tools/a.py", "")
    with pytest.raises(DistError, match="tools"):
        check(ROOT, (sdist, broken))


def test_git_tracks_no_links() -> None:
    """Windows and archives of the repository turn a link into a text file."""
    assert [name for name in tracked() if (ROOT / name).is_symlink()] == []


def test_a_copy_runs_without_being_installed_and_uses_its_own_code(source: Path) -> None:
    code = "from paimon_ksy.generated import views; print(views.__file__)"
    printed = run(sys.executable, "-c", code, cwd=source).strip()
    assert Path(printed) == source / "generated" / "views" / "__init__.py"
    assert "inspect" in run(sys.executable, "-m", "paimon_ksy", "--help", cwd=source)


@pytest.mark.network
@pytest.mark.slow
def test_wheel_of_ksykit_has_the_package_and_nothing_else(dist: list[Path]) -> None:
    with zipfile.ZipFile(dist[1]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    start = "ksykit/src/"
    assert names == {name.removeprefix(start) for name in tracked() if name.startswith(start)}


@pytest.mark.network
@pytest.mark.slow
def test_install_in_an_empty_environment(dist: list[Path], tmp_path: Path) -> None:
    """The wheels, which `build_and_check` makes of the sdists."""
    scripts = installed(tmp_path / "venv", *dist[1::2])
    index = tmp_path / "empty" / "golden.index"
    index.parent.mkdir()
    index.write_bytes(golden_index("t_bitmap_v2_int").data)
    run(scripts / "python", "-c", CHECK, index, *SPECS, cwd=index.parent)
    assert "inspect" in run(scripts / "paimon-ksy", "--help", cwd=index.parent)
    assert "bitmap" in run(scripts / "paimon-ksy", "inspect", index, cwd=index.parent)
    assert list(index.parent.iterdir()) == [index], "a command left something behind"


@pytest.mark.network
@pytest.mark.slow
def test_pages_of_ksykit_run_with_nothing_but_its_wheel(
    dist: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its pages generate imports, beside itself, only the runtime."""
    scripts = installed(tmp_path / "venv", f"{dist[1]}[generator,testing,arrow]")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for page in PAGES:
        folder = tmp_path / page.stem
        folder.mkdir()
        run_page(page, scripts, folder)
        for path in folder.rglob("*/*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ksykit."):
                    assert str(node.module).split(".")[1] == "runtime"


def installed(folder: Path, *what: str | Path) -> Path:
    """Make an environment with these packages; return the folder of its commands."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    scripts = folder / "bin"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", scripts / "python"]
    run(*pip, "install", "--quiet", "--no-compile", *what)
    return scripts


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
