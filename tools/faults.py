"""Fail each file system call of each job that changes a table, one after another.

    python -m tools.faults [--seed N] [--share N]

A job runs once without faults, and its calls are counted. Then it runs again for each call and each
kind of fault, which docs/explanations/trust.md explains with what must hold afterwards.

The table is in a folder, behind a file system that is not a local one for the code that is tested:
so all of its calls can be counted.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import PaimonKsyError, UncertainError
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.commits import LocalLinks
from paimon_ksy.table.store.opening import Opened, open_folder
from tools.tables import append, by_pypaimon, make_table

_JUMPS = {"ahead": 3_600.0, "back": -3_600.0}
FAULTS = ("before", "after", "torn", "full", "interrupted", "killed", "lie", "delayed", *_JUMPS)
_WRITES = ("new_output_stream", "try_to_write_atomic", "mkdirs")
_CALLS = (
    *_WRITES,
    *("new_input_stream", "read_file_utf8", "exists", "list_status", "get_file_status"),
    *("get_file_size", "delete", "delete_quietly"),
)


class Killed(BaseException):
    """The process is gone: none of its later calls has an effect."""


class Faults:
    """A FileIO of local files that fails at one call, or at none."""

    def __init__(
        self,
        at: int | None = None,
        kind: str = "",
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        from pypaimon.filesystem.local_file_io import LocalFileIO

        self.calls = 0
        self.hit = False
        self._at, self._kind, self._meanwhile = at, kind, meanwhile
        self._new: set[str] = set()
        self._files = LocalFileIO()
        self._links = LocalLinks(self._files)

    def __getattr__(self, name: str) -> Any:
        if name not in _CALLS:
            if name == "filesystem":  # else Arrow would read past this
                raise AttributeError(name)
            return getattr(self._files, name)
        owner = self._links if name == "try_to_write_atomic" else self._files
        plain = getattr(owner, name)

        def call(path: str, *given: Any, **named: Any) -> Any:
            return self._call(name, lambda: plain(path, *given, **named), path)

        return call

    def _call(self, name: str, plain: Callable[[], Any], path: str) -> Any:
        is_now, is_write = self.calls == self._at, name in _WRITES
        self.calls += 1
        self.hit = self.hit or is_now
        if self.hit and self._kind == "killed":
            raise Killed
        if self.hit and self._kind == "full" and is_write:
            raise _error(errno.ENOSPC, path)
        if is_write:
            self._new.add(path)
        if not is_now or self._kind == "full":
            return plain()
        if self._kind == "lie":
            return self._lie(name, plain, path)
        if self._kind == "delayed":
            self._meanwhile()
            return plain()
        if seconds := _JUMPS.get(self._kind):
            time.time = lambda: _now() + seconds
            return plain()
        if self._kind == "interrupted":
            raise KeyboardInterrupt
        if self._kind == "torn" and name == "new_output_stream":
            return _Torn(plain())
        if self._kind == "after":
            result = plain()
            if hasattr(result, "close"):
                result.close()
        if name == "delete_quietly":
            return None  # it never raises
        raise _error(errno.EIO, path)

    def _lie(self, name: str, plain: Callable[[], Any], path: str) -> Any:
        """Return what a store may answer that shows new files late."""
        if name == "exists":
            return path not in self._new and plain()
        if name != "list_status":
            return plain()
        hidden = {Path(each).name for each in self._new if Path(each).parent == Path(path)}
        return [each for each in plain() if each.base_name not in hidden]


_now = time.time


class _Torn:
    """A file of which half of the first part is written."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: Any) -> None:
        self._file.write(bytes(data)[: len(data) // 2])
        self._file.flush()
        raise _error(errno.EIO, self._file.name)

    def __enter__(self) -> _Torn:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


# Jobs --------------------------------------------------------------------------------------------

ENGINE = local_engine(1)
_BESIDE = {"file-index.in-manifest-threshold": "1 b"}
_OF_ANOTHER = pa.table({"part": [1], "id": [12], "status": ["s0"]})
_STRAY = "index/index-00000000-0000-0000-0000-000000000000-0"


def _delete(where: str) -> Callable[[Table], object]:
    return lambda table: delete(table, where, engine=ENGINE)


def _rewrite(**options: Any) -> Callable[[Table], object]:
    return lambda table: rewrite_index(table, engine=ENGINE, **options)


JOBS: dict[str, tuple[Callable[[Table], object], frozenset[int]]] = {
    "rewrite-index, files": (_rewrite(rebuild=True, set=_BESIDE), frozenset()),
    "rewrite-index, embedded": (_rewrite(rebuild=True), frozenset()),
    "rewrite-index, batches": (_rewrite(rebuild=True, set=_BESIDE, batch_files=2), frozenset()),
    "rewrite-index, dropped": (
        _rewrite(set={"file-index.bitmap.columns": ""}, drop_unlisted=True),
        frozenset(),
    ),
    "delete, vectors": (_delete("id IN (1, 9)"), frozenset({1, 9})),
    "delete, partition": (_delete("part = 0"), frozenset({0, 2, 4, 6, 8, 10})),
    "clean-orphans": (
        lambda table: clean_orphans(table, timedelta(days=1), dry_run=False, engine=ENGINE),
        frozenset(),
    ),
}
"""What runs, and the ids that it deletes."""


def made(folder: Path) -> Path:
    """Return a table of three snapshots and more, with indexes, vectors, and an old stray file."""
    options = {
        "deletion-vectors.enabled": "true",
        "file-index.bitmap.columns": "status",
        "commit.max-retries": "2",
    }
    commits = [
        pa.table({"part": [n % 2 for n in ids], "id": [*ids], "status": [f"s{n % 3}" for n in ids]})
        for ids in (range(6), range(6, 12))
    ]
    path = Path(make_table(folder, "t", commits, options, partition_keys=["part"]))
    rewrite_index(path, set=_BESIDE, engine=ENGINE)
    delete(path, "id = 3", engine=ENGINE)
    (path / _STRAY).write_bytes(b"")
    os.utime(path / _STRAY, (0, 0))
    (path / "index" / "notes.txt").write_text("of somebody else")
    return path


def behind(path: Path, files: Faults) -> Table:
    """Return the table whose files are reached by these calls."""
    opened = open_folder(str(path), {})
    return Table(Opened(files, str(path), opened.document))


# The run -----------------------------------------------------------------------------------------


@dataclass
class Report:
    """Figures of each job: calls without a fault, faults, and how the jobs with a fault ended."""

    calls: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    ended: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows_lost: int = 0
    problems: list[str] = field(default_factory=list)

    def table(self) -> str:
        """Return the figures as a table in Markdown."""
        words = ("done", "failed", "uncertain", "killed")
        lines = [f"| job | calls | faults | {' | '.join(words)} |", "| --- " * 7 + "|"]
        for job in self.calls:
            ended = " | ".join(f"{self.ended[job, word]:,}" for word in words)
            lines.append(f"| {job} | {self.calls[job]:,} | {self.faults[job]:,} | {ended} |")
        total = f"{self.faults.total():,} faults, {len(self.problems)} problems"
        return "\n".join([*lines, "", f"{total}, rows lost: {self.rows_lost}"])


def run(folder: Path, share: int = 1, seed: int = 0) -> Report:
    """Run each job with each fault, or with one of `share` faults chosen by a seed."""
    report, rng = Report(), random.Random(seed)
    path = made(folder / "made")
    for job, (work, gone) in JOBS.items():
        files = Faults()
        work(behind(_copy(path, folder), files))
        report.calls[job] = files.calls
        for at in range(files.calls):
            for kind in FAULTS:
                if rng.randrange(share) == 0:
                    _one(report, path, folder, job, work, gone, at, kind)
    return report


def _copy(path: Path, folder: Path) -> Path:
    shutil.rmtree(folder / "copy", ignore_errors=True)
    return Path(shutil.copytree(path, folder / "copy"))


def _one(
    report: Report,
    path: Path,
    folder: Path,
    job: str,
    work: Callable[[Table], object],
    gone: frozenset[int],
    at: int,
    kind: str,
) -> None:
    table = _copy(path, folder)
    files = Faults(at, kind, lambda: append(Table.at(table).pypaimon, _OF_ANOTHER))
    what = f"{job}, call {at}, {kind}"
    before = frozenset(range(12)) - {3}
    if kind == "delayed":
        before |= {12}
    after = before - gone
    due = {before, after}
    try:
        work(behind(table, files))
        ended, due = "done", {after}
    except Killed:
        ended = "killed"
    except KeyboardInterrupt:
        ended, due = "failed", {before}
    except UncertainError:
        ended = "uncertain"
    except PaimonKsyError as error:
        ended, due = "failed", {before}
        if error.code == "bug" or "\n" in str(error):
            report.problems.append(f"{what}: {error}")
    except Exception as error:
        ended = "failed"
        report.problems.append(f"{what}: {type(error).__name__}: {error}")
    finally:
        time.time = _now
    report.faults[job] += 1
    report.ended[job, ended] += 1
    if kind == "killed":
        clean_orphans(str(table), timedelta(0), dry_run=False)
    if ended != "uncertain" and kind in ("killed", "full", "interrupted", "torn"):
        _check_left(report, what, table, path)
    _check(report, what, table, path, due)
    try:
        work(Table.at(table))
    except Exception as error:
        report.problems.append(f"{what}, again: {type(error).__name__}: {error}")
    _check(report, f"{what}, again", table, path, {after})


def _check(report: Report, what: str, table: Path, path: Path, due: set[frozenset[int]]) -> None:
    try:
        rows = frozenset(by_pypaimon(str(table))["id"].to_pylist())
        errors = [one for one in audit(str(table), engine=ENGINE) if one.severity == ERROR]
    except Exception as error:
        report.problems.append(f"{what}: {type(error).__name__}: {error}")
        return
    if rows not in due:
        report.rows_lost += min(len(wanted - rows) for wanted in due)
        report.problems.append(f"{what}: rows {sorted(rows)}")
    report.problems += [f"{what}: {error}" for error in errors[:1]]
    for file in path.rglob("*"):
        now = table / file.relative_to(path)
        if not file.is_file() or file.name in ("LATEST", "EARLIEST") or file == path / _STRAY:
            continue
        if not now.exists() or now.read_bytes() != file.read_bytes():
            report.problems.append(f"{what}: {now} is not as it was")


def _check_left(report: Report, what: str, table: Path, path: Path) -> None:
    """Report files that are new, unless there is a new snapshot, or a writer's hidden file."""
    new = {file.relative_to(table) for file in table.rglob("[!.]*") if file.is_file()}
    new -= {file.relative_to(path) for file in path.rglob("*")}
    if not any(file.parts[0] in ("snapshot", "schema") for file in new):
        report.problems += [f"{what}: {file} is left" for file in sorted(new)]


def main() -> int:
    """Run all, print the figures, and return 1 if there is a problem."""
    parser = argparse.ArgumentParser(prog="python -m tools.faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=int, default=1, help="run one of this many faults; 1")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), arguments.share, arguments.seed)
    print(report.table())
    for problem in report.problems[:20]:
        print(f"PROBLEM {problem}")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
