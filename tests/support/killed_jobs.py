"""Jobs on a table that are killed: in a process of their own, without any chance to clean up.

`python -m tests.support.killed_jobs WHERE JOB PATH`: WHERE is one of `WHERE`, JOB a function
below.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import index_new_files, rewrite_index
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store import index_commit, vector_commit
from paimon_ksy.table.store.commits import commit
from tools.jvm import ROOT

WHERE = ["file", "before", "in", "after"]
"""Half a file is written; before the commit, at its last step, after it."""


def delete_two(path: str) -> None:
    """The rows 1 and 11."""
    delete(path, "id IN (1, 11)", engine=local_engine(1))


def rewrite(path: str) -> None:
    """The indexes that the table's options ask for."""
    rewrite_index(path, engine=local_engine(1))


def index_new(path: str) -> None:
    """The indexes of files that commits added since the last run."""
    index_new_files(path, engine=local_engine(1))


def run_killed(where: str, job: str, path: str) -> None:
    """Runs a job in a process that is killed there."""
    command = [sys.executable, "-m", "tests.support.killed_jobs", where, job, path]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 9


def _kill(*_: Any, **__: Any) -> None:
    os._exit(9)


def _half_a_file(storage: Storage, path: str, *parts: bytes) -> None:
    data = b"".join(parts)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(data[: len(data) // 2])
    _kill()


def _kill_at(where: str) -> None:
    """Have this process killed there."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    def then_killed(*given: Any, **more: Any) -> None:
        commit(*given, **more)
        _kill()

    makers = index_commit, vector_commit
    changed: dict[str, tuple[tuple[Any, ...], str, Any]] = {
        "file": ((Storage,), "write", _half_a_file),
        "before": (makers, "commit", _kill),
        "in": ((RenamingSnapshotCommit,), "commit", _kill),
        "after": (makers, "commit", then_killed),
    }
    owners, name, broken = changed[where]
    for owner in owners:
        setattr(owner, name, broken)


def wait_at(where: str) -> None:
    """Have this process print `there`, and wait: before it commits or publishes a snapshot, or
    after it read or wrote a file."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    def waiting(plain: Callable[..., Any]) -> Callable[..., Any]:
        def wait(*given: Any, **named: Any) -> Any:
            found = None if where in ("commit", "publish") else plain(*given, **named)
            print("there", flush=True)
            time.sleep(60)
            return found

        return wait

    if where in ("write", "read"):
        setattr(Storage, where, waiting(getattr(Storage, where)))
    elif where == "publish":
        RenamingSnapshotCommit.commit = waiting(RenamingSnapshotCommit.commit)
    else:
        for owner in (index_commit, vector_commit):
            vars(owner)["commit"] = waiting(vars(owner)["commit"])


if __name__ == "__main__":
    place, job_name, table_path = sys.argv[1:]
    _kill_at(place)
    {"delete_two": delete_two, "rewrite": rewrite, "index_new": index_new}[job_name](table_path)
