"""What the system refuses: a full disk, protected folders, open files; and signals."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.io import storage
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.commits import LocalLinks
from tests import ROOT
from tests.support.commands import Cli, unmeasured
from tests.support.tables import STATUS, TO_FILES, ids, make, rows

OPTIONS = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
JOBS = {"delete": ("delete", "-w", "id < 5", "--yes"), "rewrite": ("rewrite-index",)}


@pytest.fixture
def path(tmp_path: Path) -> str:
    return make(tmp_path, [rows(0, 12)], OPTIONS)


def contents(path: str) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in Path(path).rglob("*") if file.is_file()}


def refusing(monkeypatch: pytest.MonkeyPatch, number: int, part: str) -> None:
    """Let no file be written whose path has this part."""
    output, text = storage._new_local, Path.write_text

    def refused(path: object) -> None:
        if part in str(path):
            raise OSError(number, os.strerror(number), str(path))

    def new_local(path: str) -> Any:
        refused(path)
        return output(path)

    def write_text(self: Path, *given: Any, **named: Any) -> int:
        refused(self)
        return text(self, *given, **named)

    monkeypatch.setattr(storage, "_new_local", new_local)
    monkeypatch.setattr(Path, "write_text", write_text)


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left on device; free some space"),
        (errno.EROFS, "read-only file system; see what the system reports"),
        (errno.EMFILE, "too many open files; raise the limit"),
        (errno.EACCES, "no permission to write it; run it as a user who may write there"),
    ],
    ids=lambda value: errno.errorcode[value] if isinstance(value, int) else "",
)
@pytest.mark.parametrize("part", ["ndex", "/manifest/manifest-", "/manifest/index-", "snapshot-2"])
def test_nothing_is_left_of_what_cannot_be_written(
    part: str,
    number: int,
    words: str,
    job: str,
    path: str,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One line with file and cause; exit code 1, and at once: it is no conflict."""
    if job == "rewrite" and part == "/manifest/index-":
        return  # it changes no index manifest
    before = contents(path)
    name, *more = JOBS[job]
    with monkeypatch.context() as patch:
        refusing(patch, number, part)
        code, _, errors = cli("table", name, path, *more, "--engine", "local")
    assert (code, len(errors.splitlines())) == (1, 1), errors
    assert words in errors
    assert path in errors
    assert contents(path) == before
    assert ids(path) == list(range(12))
    assert cli("table", name, path, *more, "--engine", "local")[0] == 0
    assert ids(path) == list(range(5 if job == "delete" else 0, 12))


def test_options_that_cannot_be_saved(path: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are saved after the last commit, so the indexes stay, and the same command goes on."""
    words = ["rewrite-index", path, "--set", "file-index.bsi.columns=id", "--save-options"]
    with monkeypatch.context() as patch:
        refusing(patch, errno.ENOSPC, "/schema/")
        code, _, errors = cli("table", *words, "--engine", "local")
    assert (code, len(errors.splitlines())) == (1, 1), errors
    assert "cannot save the options: " in errors
    assert "the indexes are complete; run the command again to save the options" in errors
    table = Table.at(path)
    assert (table.schema.id, len(table.snapshots.ids())) == (0, 2)
    assert cli("table", *words, "--engine", "local")[0] == 0
    assert Table.at(path).options["file-index.bsi.columns"] == "id"
    assert len(Table.at(path).snapshots.ids()) == 2


FULL = """
import resource, sys
from paimon_ksy.cli import main
from paimon_ksy.cli.app import run
run([word for word in {words!r} if word != "--yes"])  # now all modules are there
resource.setrlimit(resource.RLIMIT_{limit}, ({most}, {most}))
sys.argv = ["paimon-ksy", *{words!r}]
main()
"""


@pytest.mark.posix
@pytest.mark.parametrize(("limit", "most"), [("FSIZE", 600), ("NOFILE", 3)])
def test_limits_of_a_process(limit: str, most: int, path: str) -> None:
    before = contents(path)
    words = ["table", "delete", path, "-w", "id < 5", "--yes"]
    text = FULL.format(limit=limit, most=most, words=words)
    command = [sys.executable, "-c", text]
    done = subprocess.run(
        command, cwd=ROOT, env=unmeasured(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    words_of = {"FSIZE": "file too large; free some space", "NOFILE": "open files"}
    assert words_of[limit] in done.stderr
    assert path in done.stderr
    assert contents(path) == before
    assert ids(path) == list(range(12))


def test_a_snapshot_that_cannot_be_linked_is_no_reason_to_replace_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only file systems without links get the other way, which may replace a file."""
    from pypaimon.filesystem.local_file_io import LocalFileIO

    def link(self: Path, target: Path) -> None:
        raise OSError(failure, os.strerror(failure))

    monkeypatch.setattr(Path, "hardlink_to", link)
    links, target = LocalLinks(LocalFileIO()), tmp_path / "snapshot-1"
    failure = errno.EIO
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        links.try_to_write_atomic(str(target), "x")
    assert list(tmp_path.iterdir()) == []
    failure = errno.ENOTSUP
    assert links.try_to_write_atomic(str(target), "x")
    assert [file.name for file in tmp_path.iterdir()] == ["snapshot-1"]


# Signals ----------------------------------------------------------------------------------------

WAITING = """
import sys
from tests.support.killed_jobs import wait_at
from paimon_ksy.cli import main
wait_at({where!r})
sys.argv = ["paimon-ksy", *{words!r}]
main()
"""


@pytest.mark.posix
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
@pytest.mark.parametrize(
    ("job", "where"),
    [
        ("delete", "write"),
        ("delete", "commit"),
        ("delete", "publish"),
        ("rewrite", "write"),
        ("rewrite", "commit"),
        ("rewrite", "publish"),
        ("audit", "read"),
    ],
)
def test_signals(sent: signal.Signals, where: str, job: str, path: str) -> None:
    """What was written is deleted, unless a commit may have begun; the table is as it was."""
    before = contents(path)
    name, *more = JOBS.get(job, ("audit", "--deep"))
    words = ["table", name, path, *more, "--engine", "local"]
    command = [sys.executable, "-c", WAITING.format(where=where, words=words)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None and program.stderr is not None
        assert program.stdout.readline() == "there\n"
        program.send_signal(sent)
        out, errors = program.communicate(timeout=600)
    if where == "publish":
        assert program.returncode == 5
        assert "the commit may or may not have been made" in errors
    else:
        word = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[sent]
        assert (program.returncode, errors) == (128 + sent, f"paimon-ksy: {word}\n")
    assert out == ""
    after = contents(path)
    assert {file: data for file, data in after.items() if file in before} == before
    assert (len(after) > len(before)) == (where == "publish")
    assert ids(path) == list(range(12))
