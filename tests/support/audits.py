"""Tables to audit, damage to them, and what audits find."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pypaimon.filesystem.local_file_io import LocalFileIO

from paimon_ksy.io import source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from tests.support.tables import STATUS, TO_FILES, files, make, rows
from tools.tables import live_entries

ALL_KINDS = {
    "file-index.bitmap.columns": "status,m[k]",
    "file-index.bsi.columns": "amount",
    "file-index.range-bitmap.columns": "id",
    "file-index.bloom-filter.columns": "id",
    "file-index.bloom-filter.id.items": "100",
}


def found(path: str, where: str | None = None, *, deep: bool = False) -> list[Finding]:
    """Return what an audit finds wrong, without what other readers cannot read."""
    every = audit(path, where, deep=deep, engine=local_engine(1))
    return [one for one in every if one.check != "readers"]


def places(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Severity, check and the file's name of each."""
    return [(one.severity, one.check, one.file.rpartition("/")[2]) for one in findings]


def indexed(folder: Path, options: dict[str, str] = STATUS, parts: int = 2) -> str:
    """A table with indexes in files, of data files with the same number of rows."""
    path = make(folder, [rows(i * 7, 12) for i in range(parts)], {**options, **TO_FILES})
    rewrite_index(path, engine=local_engine(1))
    return path


def index_path(file: DataFile) -> Path:
    """Return the path of a data file's index."""
    assert isinstance(file.index, str)
    return Path(file.index.removeprefix("file:"))


def flip(path: str | Path, byte: int, bit: int = 0) -> None:
    """Change a bit of a file."""
    data = bytearray(Path(path).read_bytes())
    data[byte] ^= 1 << bit
    Path(path).write_bytes(data)


def change_entry(path: str, change: Callable[[Any], Any]) -> None:
    """Commit the entry of the first data file in another state."""
    table = Table.at(path)
    entry = live_entries(table)[0]
    commit(table, [replace(entry, kind=1), change(entry)])


def commit(table: Table, entries: Sequence[Any], index_adds: Sequence[Any] = ()) -> None:
    """Commit anything at all: nobody looks for conflicts."""
    made = table.pypaimon.new_batch_write_builder().new_commit().file_store_commit
    made._try_commit(
        commit_kind="COMPACT",
        commit_identifier=1,
        commit_entries_plan=lambda _: list(entries),
        detect_conflicts=False,
        index_adds=list(index_adds),
        index_deletes=[],
    )
    made.close()


def deny(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file whose path has this end may be read, here or by pypaimon."""

    def denied(read: Callable[..., Any], *arguments: Any) -> Any:
        if str(arguments[-1]).endswith(end):
            raise PermissionError(13, "Permission denied")
        return read(*arguments)

    monkeypatch.setattr(source, "_local_file", partial(denied, source._local_file))
    stream = LocalFileIO.new_input_stream
    monkeypatch.setattr(
        LocalFileIO, "new_input_stream", lambda self, path: denied(stream, self, path)
    )


def old(path: Path) -> Path:
    """Give a file the age at which an orphan may be deleted; return its path."""
    os.utime(path, (time.time() - 90_000,) * 2)
    return path


def vector_of(path: str) -> DataFile:
    return next(file for file in files(path) if file.deletion_vector is not None)
