"""What the workers of an audit do: each task checks some files, and returns what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.buckets import PartitionBuckets, check_buckets
from paimon_ksy.table.audit.data_files import check_file
from paimon_ksy.table.audit.job import AuditJob
from paimon_ksy.table.audit.references import (
    BrokenReference,
    FileReference,
    check_reference,
    size_of,
)
from paimon_ksy.table.engine import LOST
from paimon_ksy.table.model.files import DataFile

REMEDY_LOST = (
    "restore the file from a backup; if memory was short, run: "
    "paimon-ksy table audit TABLE --master 'local[1]'"
)

AuditTask = tuple[FileReference, ...] | DataFile | PartitionBuckets
"""Files that are named, a live data file, or the dynamic buckets of a partition."""

_ROWS_A_SECOND = 12_000_000
_NEAR_SECONDS, _AFAR_SECONDS = 0.001, 0.1  # to open a file on this machine, or another one


@dataclass(frozen=True)
class CheckTask:
    """The function that an engine calls with each task."""

    job: AuditJob

    def __call__(self, task: AuditTask) -> list[Finding | BrokenReference]:
        """Return what is wrong with the files of a task."""
        if isinstance(task, tuple):
            # Several snapshots name the same file.
            size = cache(partial(size_of, self.job.storage))
            return [broken for named in task for broken in check_reference(named, size)]
        if isinstance(task, PartitionBuckets):
            return list(check_buckets(self.job, task))
        return list(check_file(self.job, task))

    def lost(self, task: AuditTask) -> list[Finding | BrokenReference]:
        """Return the finding on a task whose process ended."""
        if isinstance(task, DataFile):
            kind, path = "data-file", task.path
        elif isinstance(task, PartitionBuckets):
            kind, path = "bucket-index", task.manifest
        else:
            kind, path = "data-file", task[0].path
        return [Finding(ERROR, kind, path, None, None, LOST, REMEDY_LOST)]


def seconds_of(job: AuditJob, task: AuditTask) -> float:
    """Return about how many seconds a task takes."""
    files = [task] if isinstance(task, DataFile) else getattr(task, "files", ())
    rows = sum(file.num_rows for file in files)
    return (_NEAR_SECONDS if job.storage.is_local else _AFAR_SECONDS) + rows / _ROWS_A_SECOND
