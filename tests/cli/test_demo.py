"""`paimon-ksy demo`: it runs as installed, checks its answers, and what it proposes next works."""

import html
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from paimon_ksy.cli import demo
from tests.support.commands import Cli
from tools import screenshot

SVG = screenshot.PICTURE.read_text("utf-8")


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


@pytest.mark.slow
def test_shows_inspect_eval_a_table_and_a_repair_and_leaves_nothing(tmp_path: Path) -> None:
    empty, temporary = tmp_path / "empty", tmp_path / "temporary"
    empty.mkdir()
    temporary.mkdir()
    done = paimon_ksy("demo", cwd=empty, temporary=temporary)
    assert (done.returncode, done.stderr.replace("3 rows\n", "")) == (0, "")
    commands = re.findall(r"^\$ paimon-ksy (.*)$", done.stdout, re.MULTILINE)
    words = [
        " ".join(shlex.split(command)[: 1 + command.startswith("table")]) for command in commands
    ]
    assert words == [
        *("build", "inspect", "eval"),
        *("table rewrite-index", "table explain", "table query", "table audit", "table audit"),
    ]
    assert done.stdout.count("✓ a scan") == 3
    assert "rows: 14 rows of 20,000 match" in done.stdout
    assert "1 error" in done.stdout and "0 findings left" in done.stdout
    assert list(empty.iterdir()) == [] and list(temporary.iterdir()) == []


@pytest.mark.slow
def test_proposed_commands_run_with_the_files_that_it_keeps(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = paimon_ksy("demo", "--keep", "my demo", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    _, _, following = kept.stdout.partition("What to try next")
    commands = re.findall(r"^paimon-ksy (.*)$", following, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        done = paimon_ksy(*shlex.split(command), cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stderr}"
    monkeypatch.chdir(tmp_path / "my demo")
    for arguments in screenshot.COMMANDS:
        _, printed, _ = cli(*arguments)
        assert [line for line in printed.splitlines() if words(line) not in PICTURE] == [], (
            arguments
        )
    again = paimon_ksy("demo", "--keep", "my demo", cwd=tmp_path)
    assert again.returncode == 1
    assert "my demo exists and is not empty" in again.stderr


def test_without_pypaimon_it_shows_one_file_and_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    find_spec = importlib.util.find_spec
    without = {"pypaimon"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in without else find_spec(name)
    )
    demo.run(str(tmp_path / "demo"))
    out = capfd.readouterr().out
    assert "pip install 'paimon-ksy[table]'" in out
    assert "$ paimon-ksy eval" in out and "✓ a scan" in out
    assert "table" not in re.sub(r"paimon-ksy\[table\]|Whole tables", "", out)


def test_an_answer_that_differs_from_the_scan_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "matching", lambda rows: rows.slice(0, 14))
    with pytest.raises(demo.DemoError, match="the index and a scan of the data find different"):
        demo.run(str(tmp_path / "demo"))


def test_a_command_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(demo.DemoError, match=r"nothing\.index` exited with 1"):
        demo.command(tmp_path, "inspect", "nothing.index")
