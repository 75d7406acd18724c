"""The tasks of an audit's workers: each one checks some files, and returns problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol

import pyarrow as pa

from paimon_ksy.errors import Call, PaimonKsyError, Remedy
from paimon_ksy.io.file_kind import index_kind
from paimon_ksy.messages.findings import ERROR, WARNING, Finding
from paimon_ksy.table.audit.data_files import check_file
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.manifests import Referrer
from paimon_ksy.table.audit.references import (
    REMEDY_DATA,
    BrokenReference,
    FileReference,
    check_reference,
    size_of,
)
from paimon_ksy.table.engine import LOST, Engine
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, Snapshot, VectorPlace
from paimon_ksy.table.store import REMEDY

REMEDY_LOST = Remedy(
    "restore the file from a backup; if memory was short, run ",
    Call("table audit", "--master 'local[1]'"),
)
OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"

_ROWS_A_SECOND = 12_000_000
_NEAR_SECONDS, _AFAR_SECONDS = 0.001, 0.1  # to open a file on this machine, or a remote one


class AuditTask(Protocol):
    """Some files to check."""

    def check(self, job: AuditJob) -> TaskResult:
        """Return the result."""
        ...

    @property
    def named(self) -> tuple[str, str]:
        """The check, and the path, of the finding that the worker process crashed."""
        ...


@dataclass(frozen=True)
class DataFilesTask:
    """Data files.

    Attributes:
        entries: Their entries in manifests, without statistics.
        referrers: What needs each file.
        vectors: Deletion vectors in the latest snapshot, by the number of the entry.
    """

    entries: pa.RecordBatch
    referrers: tuple[tuple[Referrer, ...], ...]
    vectors: Mapping[int, VectorPlace]

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files, their indexes and vectors in the latest snapshot."""
        result = TaskResult()
        size = cache(partial(size_of, job.storage))
        for number, file in enumerate(self._files(job)):
            if isinstance(file, PaimonKsyError):
                name = self.entries.column("_FILE_NAME")[number].as_py()
                result.problems.append((name, file))
                continue
            for referrer in self.referrers[number]:
                if referrer.is_latest:
                    self._check(job, file, result)
                    continue
                for reference in _references(file, referrer):
                    result.num_others += 1
                    result.broken += check_reference(reference, size)
        return result

    def _check(self, job: AuditJob, file: DataFile, result: TaskResult) -> None:
        result.num_data_files += 1
        if job.compares_keys:
            result.keyed.append(replace(file, embedded_index=None))
        problems = list(check_file(job, file))
        findings = [one for one in problems if isinstance(one, Finding)]
        broken = [one for one in problems if isinstance(one, BrokenReference)]
        result.broken += broken
        if findings:
            checks = {*(one.check for one in findings), *(one.reference.check for one in broken)}
            result.files.append((file, findings, "data-file" not in checks))

    def _files(self, job: AuditJob) -> Iterator[DataFile | PaimonKsyError]:
        """Yield the data file of each entry with its deletion vector, or the error in it."""
        made = job.table.data_files
        partitions = made.partitions.numbers(self.entries.column("_PARTITION"))
        for number, file in enumerate(made.each(self.entries, partitions)):
            if isinstance(file, DataFile) and number in self.vectors:
                file = replace(file, deletion_vector=self.vectors[number])
            yield file

    @property
    def named(self) -> tuple[str, str]:
        """See `AuditTask`."""
        return "data-file", self.entries.column("_FILE_NAME")[0].as_py()

    def singles(self) -> Iterator[DataFilesTask]:
        """Yield a task for each file."""
        for number, referrers in enumerate(self.referrers):
            vectors = {0: self.vectors[number]} if number in self.vectors else {}
            yield DataFilesTask(self.entries.take([number]), (referrers,), vectors)

    def crashed(self, job: AuditJob) -> TaskResult:
        """Return the result of a task whose single file ends the process that reads it."""
        [file] = self._files(job)
        assert isinstance(file, DataFile)
        return TaskResult(1, files=[(file, [_crash("data-file", file.path)], False)])


def _references(file: DataFile, referrer: Referrer) -> Iterator[FileReference]:
    """Yield the files that an entry of an older snapshot, or of a tag, names."""
    yield FileReference(
        file.path, file.size, "data-file", referrer.of, REMEDY_DATA, referrer.snapshot
    )
    for name in file.extra_files:
        path = f"{file.path.rpartition('/')[0]}/{name}"
        if name.endswith(".index"):
            yield FileReference(
                path, None, "index", referrer.of, OLD_INDEX, referrer.snapshot, WARNING
            )
        else:
            yield FileReference(
                path, None, "data-file", referrer.of, REMEDY_DATA, referrer.snapshot
            )


@dataclass(frozen=True)
class ReferencesTask:
    """Files that metadata names."""

    references: tuple[FileReference, ...]

    def check(self, job: AuditJob) -> TaskResult:
        """Check that the files exist."""
        size = cache(partial(size_of, job.storage))  # several snapshots name the same file
        broken = [one for named in self.references for one in check_reference(named, size)]
        return TaskResult(num_others=len(self.references), broken=broken)

    @property
    def named(self) -> tuple[str, str]:
        """See `AuditTask`."""
        return "data-file", self.references[0].path


@dataclass(frozen=True)
class IndexManifestTask:
    """An index manifest, whose files are checked.

    Attributes:
        snapshot: A snapshot that has the manifest.
        referrers: What needs its files.
    """

    snapshot: Snapshot
    referrers: tuple[Referrer, ...]

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files of the index manifest."""
        result = TaskResult()
        try:
            for file in job.table.index_manifests.of(self.snapshot):
                try:
                    path = job.table.paths.index_file(file)
                except PaimonKsyError as error:
                    result.problems.append((file.file_name, error))
                    continue
                size = cache(partial(size_of, job.storage))
                remedy = index_kind(file.index_type).remedy or REMEDY
                for referrer in self.referrers:
                    named = FileReference(
                        path, file.file_size, "index-file", referrer.of, remedy, referrer.snapshot
                    )
                    result.num_others += 1
                    result.broken += check_reference(named, size)
        except PaimonKsyError as error:
            needed_by = {referrer.snapshot for referrer in self.referrers}
            return TaskResult(error=(self.snapshot.index_manifest or "", error, needed_by))
        return result

    @property
    def named(self) -> tuple[str, str]:
        """See `AuditTask`."""
        return "manifest", self.snapshot.index_manifest or ""


@dataclass(frozen=True)
class _Check:
    """The function that an engine calls with each task."""

    job: AuditJob

    def __call__(self, task: AuditTask) -> TaskResult | None:
        return task.check(self.job)

    def lost(self, task: AuditTask) -> TaskResult | None:
        """Return the result of a task whose process crashed; None if its files are to run alone."""
        if isinstance(task, DataFilesTask):
            return None
        return TaskResult(findings=[_crash(*task.named)])


def results(engine: Engine, job: AuditJob, tasks: Iterable[AuditTask]) -> Iterator[TaskResult]:
    """Yield the results of tasks, in the order of completion.

    If a data file crashes the process that checks it, each file of its task is checked again alone.
    """
    check = _Check(job)
    crashed: list[DataFilesTask] = []
    for task, result in engine.map(check, tasks):
        if result is not None:
            yield result
        elif isinstance(task, DataFilesTask):
            crashed += task.singles()
    # An engine may run a single task in this process. A single file ran alone already.
    again = engine.map(check, crashed) if len(crashed) > 1 else ((one, None) for one in crashed)
    for single, result in again:
        yield single.crashed(job) if result is None else result


def _crash(check: str, path: str) -> Finding:
    return Finding(ERROR, check, path, None, None, LOST, REMEDY_LOST)


def seconds_per_file(storage: Storage, rows: float) -> float:
    """Return the approximate seconds to open a file, and to read a number of rows."""
    return (_NEAR_SECONDS if storage.is_local else _AFAR_SECONDS) + rows / _ROWS_A_SECOND
