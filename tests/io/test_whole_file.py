"""A new file is whole, or it does not exist."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.whole_file import whole_file
from tests.support.commands import Cli
from tests.support.examples import WORKED_DATA

DISK_FULL = OSError(28, "No space left on device")

WRITE_AND_WAIT = """
import os, sys, time
from pathlib import Path
from paimon_ksy.io.whole_file import whole_file
os.getpid = lambda: 1  # a container gives each program this id
with whole_file(Path(sys.argv[1])) as file:
    file.write(b"new")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read(1)
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder, hidden ones included, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(params=[b"old", None], ids=["over an old file", "new"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A path where an old file exists, or none."""
    path = tmp_path / "x"
    if request.param is not None:
        path.write_bytes(request.param)
    return path


@given(st.lists(st.binary(max_size=20_000)), st.none() | st.binary())
def test_all_that_is_written_comes_back(parts: list[bytes], old: bytes | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x")
        if old is not None:
            path.write_bytes(old)
        with whole_file(path) as file:
            for part in parts:
                file.write(part)
            assert (path.read_bytes() if path.exists() else None) == old
        assert contents(Path(folder)) == {"x": b"".join(parts)}


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, MemoryError])
def test_an_error_leaves_all_as_it_was(error: type[BaseException], target: Path) -> None:
    before = contents(target.parent)
    with pytest.raises(error, match="no more"), whole_file(target) as file:
        file.write(b"new")
        raise error("no more")
    assert contents(target.parent) == before


@pytest.mark.parametrize("at", ["write", "rename"])
def test_a_full_disk_leaves_all_as_it_was(
    at: str, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(target.parent)

    def fail(*_: object) -> None:
        raise DISK_FULL

    with pytest.raises(PaimonKsyError) as raised, whole_file(target, name="its name") as file:
        file.write(b"new")
        if at == "write":
            fail()
        monkeypatch.setattr(Path, "replace", fail)
    assert str(raised.value) == "its name: cannot be written: no space left on device"
    assert raised.value.__cause__ is DISK_FULL
    assert contents(target.parent) == before


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    message = r"x: cannot be written: is a directory$"
    with pytest.raises(PaimonKsyError, match=message), whole_file(tmp_path / "x") as file:
        file.write(b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(("sent", "left"), [(signal.SIGINT, 0), (signal.SIGKILL, 1)], ids=str)
def test_a_kill_leaves_the_old_file_and_no_obstacle(
    sent: signal.Signals, left: int, tmp_path: Path
) -> None:
    """A program that cannot clean up leaves a hidden file, which the next one does not mind."""
    target = tmp_path / "x"
    target.write_bytes(b"old")
    before = contents(target.parent)
    command = [sys.executable, "-c", WRITE_AND_WAIT, str(target)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"writing\n"
        program.send_signal(sent)
    assert program.returncode == -sent
    after = contents(target.parent)
    hidden = {name for name in after if name.startswith(".x.") and name.endswith(".tmp")}
    assert len(hidden) == left
    assert {name: after[name] for name in after.keys() - hidden} == before
    subprocess.run(command, input=b"-", stdout=subprocess.DEVNULL, check=True)
    assert target.read_bytes() == b"new"


def test_two_writers_of_one_file_do_not_meet(target: Path) -> None:
    with whole_file(target) as first:
        first.write(b"first")
        with whole_file(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
        with pytest.raises(RuntimeError), whole_file(target):
            raise RuntimeError
        assert target.read_bytes() == b"second"
    assert contents(target.parent) == {"x": b"first"}


# Those that write by it --------------------------------------------------------------------------


def test_build_leaves_no_half_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.index"
    arguments = ("build", WORKED_DATA, "-i", "bitmap:status", "-o", output)

    def fail(*_: object) -> None:
        raise DISK_FULL

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        code, _, err = cli(*arguments)
    assert code == 1
    assert err == f"paimon-ksy: {output}: cannot be written: no space left on device\n"
    assert list(tmp_path.iterdir()) == []
    code, _, err = cli(*arguments[:-1], tmp_path / "no" / "folder.index")
    assert code == 1
    assert "cannot be written: no such file or directory" in err
