"""What the workers of an audit do: each task checks some files, and returns what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.buckets import PartitionBuckets, check_buckets
from paimon_ksy.table.audit.manifests import Found, IndexManifest, Reading, Slice
from paimon_ksy.table.audit.references import FileReference, check_reference, size_of
from paimon_ksy.table.engine import LOST, Engine
from paimon_ksy.table.manifests.live import Hashes
from paimon_ksy.table.manifests.scan import Deletes, Entries
from paimon_ksy.table.model.files import ManifestFile

REMEDY_LOST = (
    "restore the file from a backup; if memory was short, run: "
    "paimon-ksy table audit TABLE --master 'local[1]'"
)

AuditTask = tuple[FileReference, ...] | Slice | IndexManifest | PartitionBuckets
"""Files that are named, some entries of a manifest, an index manifest, or the dynamic buckets of a
partition."""

_ROWS_A_SECOND = 12_000_000
_NEAR_SECONDS, _AFAR_SECONDS = 0.001, 0.1  # to open a file on this machine, or another one


@dataclass(frozen=True)
class ReadDeletes:
    """Returns the identities of the DELETE entries of a manifest; None if it cannot be read."""

    reading: Reading

    def __call__(self, manifest: ManifestFile) -> Hashes | None:
        """Return 128 bits for each entry: shape (n, 2)."""
        try:
            return Deletes(Entries(self.reading.reader))(manifest).identities
        except PaimonKsyError:
            return None  # its slice has the error


@dataclass(frozen=True)
class CheckTask:
    """The function that an engine calls with each task."""

    reading: Reading

    def __call__(self, task: AuditTask) -> Found:
        """Return what is found in a task."""
        if isinstance(task, Slice):
            return self.reading.reader.check(task)
        if isinstance(task, IndexManifest):
            return self.reading.reader.check_index_files(task)
        if isinstance(task, PartitionBuckets):
            findings = list(check_buckets(self.reading.job, task))
            return Found(findings=findings, checked=len(task.indexes))
        # Several snapshots name the same file.
        size = cache(partial(size_of, self.reading.job.storage))
        broken = [broken for named in task for broken in check_reference(named, size)]
        return Found(broken=broken, checked=len(task))

    def lost(self, task: AuditTask) -> Found:
        """Return what stands for a task whose process ended."""
        if isinstance(task, Slice):
            return Found(is_lost=True)
        if isinstance(task, PartitionBuckets):
            kind, path = "bucket-index", task.manifest
        elif isinstance(task, IndexManifest):
            kind, path = "manifest", task.snapshot.index_manifest or ""
        else:
            kind, path = "data-file", task[0].path
        return Found(findings=[_lost(kind, path)])


def results(
    engine: Engine, reading: Reading, tasks: Iterable[AuditTask], rows_per_file: float
) -> Iterator[tuple[AuditTask, Found]]:
    """Yield tasks with what is found in them.

    Where a data file ends the process that checks it, its slice is checked again entry by entry.

    Args:
        engine: Where to run.
        reading: What workers know.
        tasks: The tasks.
        rows_per_file: How many rows a data file has about.
    """
    check = CheckTask(reading)
    seconds = partial(seconds_of, reading, rows_per_file)
    lost: list[Slice] = []
    for task, found in engine.map(check, tasks, seconds=seconds):
        if found.is_lost and isinstance(task, Slice):
            lost += reading.reader.singles(task)
        else:
            yield task, found
    # An engine may run a single task here: that one was alone already.
    for single, found in (
        engine.map(check, lost, seconds=seconds)
        if len(lost) > 1
        else ((single, Found(is_lost=True)) for single in lost)
    ):
        if found.is_lost:
            found = reading.reader.check(replace(single, is_checked=False))
            found.latest.files = [
                (file, [_lost("data-file", file.path)]) for file, _ in found.latest.files
            ]
        yield single, found


def _lost(kind: str, path: str) -> Finding:
    return Finding(ERROR, kind, path, None, None, LOST, REMEDY_LOST)


def seconds_of(reading: Reading, rows_per_file: float, task: AuditTask) -> float:
    """Return about how many seconds a task takes."""
    rows = 0.0
    files = 1
    if isinstance(task, Slice):
        files = max(1, task.num_entries)
        rows = files * rows_per_file
    elif isinstance(task, PartitionBuckets):
        rows = sum(file.num_rows for file in task.files)
    near = _NEAR_SECONDS if reading.job.storage.is_local else _AFAR_SECONDS
    return files * near + rows / _ROWS_A_SECOND
