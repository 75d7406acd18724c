"""`paimon-ksy demo`: it runs as installed, checks its answers, and README shows it."""

import html
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from paimon_ksy.cli import demo
from paimon_ksy.messages.install import how_to_install
from tools import pictures

SVG = pictures.PICTURE.read_text("utf-8")


def words(text: str) -> str:
    """The text without blanks and lines, and each number as #."""
    return re.sub(r"[\d.,]*\d", "#", re.sub(r"[\s─│├└]", "", text))


PICTURE = words("".join(re.findall(r"<text [^>]*>(.*?)</text>", html.unescape(SVG))))
"""What the picture in README.md shows: it has to be what the commands print today."""


def paimon_ksy(
    *arguments: str, cwd: Path, temporary: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder where nothing of the project can be imported."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), "LC_ALL": "C.UTF-8"}
    if temporary is not None:
        environment["TMPDIR"] = str(temporary)
    return subprocess.run(
        [sys.executable, "-m", "paimon_ksy", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


class Shown(NamedTuple):
    """What the demo printed, where it kept its files, and its folder of temporary files."""

    text: str
    folder: Path
    temporary: Path


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo, run once."""
    folder, temporary = tmp_path_factory.mktemp("demo"), tmp_path_factory.mktemp("temporary")
    done = paimon_ksy("demo", "--folder", "my demo", cwd=folder, temporary=temporary)
    assert (done.returncode, done.stderr.replace("3 rows\n", "")) == (0, "")
    return Shown(done.stdout, folder, temporary)


@pytest.mark.slow
def test_shows_inspect_eval_a_table_and_a_repair_and_leaves_nothing(shown: Shown) -> None:
    commands = re.findall(r"^\$ paimon-ksy (.*)$", shown.text, re.MULTILINE)
    words = [
        " ".join(shlex.split(command)[: 1 + command.startswith("table")]) for command in commands
    ]
    assert words == [
        *("build", "inspect", "eval"),
        *("table rewrite-index", "table explain", "table query", "table audit", "table audit"),
    ]
    assert shown.text.count("✓ a scan") == 3
    assert "rows: 14 rows of 20,000 match" in shown.text
    assert "1 error" in shown.text and "0 findings left" in shown.text
    assert list(shown.temporary.iterdir()) == []
    assert [path.name for path in shown.folder.iterdir()] == ["my demo"]
    again = paimon_ksy("demo", "--folder", "my demo", cwd=shown.folder)
    assert again.returncode == 1
    assert "my demo exists and is not empty" in again.stderr


@pytest.mark.posix
@pytest.mark.slow
def test_the_picture_can_be_made_again(
    shown: Shown,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The commands are those of the picture, and run on the demo's files."""
    monkeypatch.setattr(demo, "run", partial(shutil.copytree, shown.folder / "my demo"))
    monkeypatch.setattr(pictures, "ROOT", tmp_path)
    monkeypatch.setattr(pictures, "PICTURE", tmp_path / "screenshot.svg")
    pictures.screenshot()
    assert capsys.readouterr().out == "screenshot.svg\n"
    svg = (tmp_path / "screenshot.svg").read_text("utf-8")
    texts = re.findall(r"<text [^>]*>(.*?)</text>", html.unescape(svg))
    assert words("".join(texts)) == PICTURE
    with pytest.raises(SystemExit, match=r"paimon-ksy inspect nowhere failed:\n.*nowhere"):
        pictures.printed(["inspect", "nowhere"], tmp_path)


def test_without_pypaimon_it_shows_one_file_and_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without `--keep`, so nothing of it is left."""
    empty, temporary = tmp_path / "empty", tmp_path / "temporary"
    empty.mkdir()
    temporary.mkdir()
    find_spec = importlib.util.find_spec
    without = {"pypaimon"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in without else find_spec(name)
    )
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)  # it is looked up again
    monkeypatch.chdir(empty)
    demo.run(None)
    out = capfd.readouterr().out
    assert how_to_install("table") in out
    assert "$ paimon-ksy eval" in out and "✓ a scan" in out
    assert "table" not in out.replace(how_to_install("table"), "").replace("Whole tables", "")
    assert list(empty.iterdir()) == [] and list(temporary.iterdir()) == []


def test_an_answer_that_differs_from_the_scan_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "matching", lambda rows: rows.slice(0, 14))
    with pytest.raises(demo.DemoError, match="the answer and a scan of the data differ"):
        demo.run(str(tmp_path / "demo"))


def test_a_command_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(demo.DemoError, match=r"nothing\.index` exited with 1"):
        demo.command(tmp_path, "inspect", "nothing.index")
