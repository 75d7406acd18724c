"""The tasks of an audit's workers: each one checks some files, and returns problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import pyarrow as pa

from paimon_ksy.errors import Call, PaimonKsyError, Remedy
from paimon_ksy.io.file_kind import index_kind
from paimon_ksy.messages.findings import ERROR, WARNING, Finding
from paimon_ksy.table.audit.data_files import check_file
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.references import REMEDY_DATA, FileReference, Referrer, remedy_of
from paimon_ksy.table.engine import LOST, Engine
from paimon_ksy.table.model.files import DataFile, Snapshot, VectorPlace
from paimon_ksy.table.store import REMEDY

REMEDY_LOST = Remedy(
    "restore the file from a backup; if memory was short, run ",
    Call("table audit", "--master 'local[1]'"),
)
OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"


class AuditTask(Protocol):
    """Some files to check."""

    def check(self, job: AuditJob) -> TaskResult:
        """Return the result."""
        ...


@dataclass(frozen=True)
class DataFilesTask:
    """Data files.

    `entries` have no statistics. `vectors` are those of the latest snapshot, by the number of the
    entry.
    """

    entries: pa.RecordBatch
    named_by: tuple[Referrer, ...]
    vectors: Mapping[int, VectorPlace]

    @property
    def files(self) -> pa.RecordBatch:
        """An entry for each file."""
        return self.entries

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files, their indexes and vectors in the latest snapshot."""
        result = TaskResult()
        for number, file in enumerate(self._files(job)):
            if isinstance(file, PaimonKsyError):
                name = self.entries.column("_FILE_NAME")[number].as_py()
                result.problems.append((name, file))
                continue
            named_by = self.named_by[number]
            if named_by.is_latest:
                result.num_data_files += 1
                if job.compares_keys:
                    result.keyed.append(replace(file, embedded_index=None))
                check_file(job, file, named_by, result)
                continue
            for reference in _references(file, named_by):
                result.num_others += 1
                result.check(job, reference)
        return result

    def _files(self, job: AuditJob) -> Iterator[DataFile | PaimonKsyError]:
        """Yield the data file of each entry with its deletion vector, or the error in it."""
        for number, file in enumerate(job.table.data_files.each(self.entries)):
            if isinstance(file, DataFile) and number in self.vectors:
                file = replace(file, deletion_vector=self.vectors[number])
            yield file

    def singles(self) -> Iterator[DataFilesTask]:
        """Yield a task for each file."""
        for number, named_by in enumerate(self.named_by):
            vectors = {0: self.vectors[number]} if number in self.vectors else {}
            yield DataFilesTask(self.entries.take([number]), (named_by,), vectors)

    def crashed(self, job: AuditJob) -> TaskResult:
        """Return the result of a task whose single file ends the process that reads it."""
        [file] = self._files(job)
        assert isinstance(file, DataFile)
        return TaskResult(1, files=[(file, [_crash(file.path)], False)])


def _references(file: DataFile, named_by: Referrer) -> Iterator[FileReference]:
    """Yield the files that an entry of older snapshots, or of tags, names."""
    yield FileReference(file.path, file.size, "data-file", named_by, REMEDY_DATA)
    for path in file.index_files:
        yield FileReference(path, None, "index", named_by, OLD_INDEX, WARNING)
    for path in file.other_files:
        yield FileReference(path, None, "data-file", named_by, remedy_of(path))


@dataclass(frozen=True)
class ReferencesTask:
    """Files that metadata names."""

    references: tuple[FileReference, ...]

    @property
    def files(self) -> tuple[FileReference, ...]:
        """The files."""
        return self.references

    def check(self, job: AuditJob) -> TaskResult:
        """Check that the files exist."""
        result = TaskResult(num_others=len(self.references))
        for reference in self.references:
            result.check(job, reference)
        return result


@dataclass(frozen=True)
class IndexManifestTask:
    """An index manifest, whose files are checked.

    `named_by` is what needs them.
    """

    snapshot: Snapshot
    named_by: Referrer

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files of the index manifest; other tasks check global indexes of the latest."""
        result = TaskResult()
        try:
            for file in job.table.index_manifests.of(self.snapshot):
                is_global = file.global_index is not None
                if is_global and self.snapshot.id == job.snapshot:
                    continue
                remedy, severity = index_kind(file.index_type).remedy or REMEDY, ERROR
                if is_global:
                    remedy, severity = OLD_INDEX, WARNING
                result.check_index(job, file, self.named_by, remedy, severity)
        except PaimonKsyError as error:
            name = self.snapshot.index_manifest or ""
            return TaskResult(error=(name, error, {self.named_by.snapshot}))
        return result


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
        return TaskResult(findings=[_crash(self.job.table.location)])


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


def _crash(path: str) -> Finding:
    return Finding(ERROR, "data-file", path, None, None, LOST, REMEDY_LOST)
