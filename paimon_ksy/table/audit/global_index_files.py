"""Check the files of global indexes: their footers and metadata, and in a deep audit all bytes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    PaimonKsyError,
    Remedy,
    UnsupportedError,
    counted,
)
from paimon_ksy.global_index.index_type import GlobalIndexFile
from paimon_ksy.global_index.metadata import read_metadata
from paimon_ksy.global_index.registry import open_global_index
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import index_kind, missing_magic
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import ERROR, WARNING, Finding
from paimon_ksy.runtime.errors import FormatError
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.postings import differences
from paimon_ksy.table.audit.references import FileReference, Referrer
from paimon_ksy.table.index.global_indexes import is_compared, kind_of_index, version_of
from paimon_ksy.table.model.files import ROW_ID, IndexFile
from paimon_ksy.table.query.read import query
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.schema import Schema

COVERAGE, STALE, CORRUPT = "global-index-coverage", "global-index-stale", "global-index-corrupt"
DEAD, VERSION = "global-index-dead", "global-index-version"


@dataclass(frozen=True)
class RangeFiles:
    """The files of a global index that cover the same rows.

    Attributes:
        fields: The columns; empty if the table lacks one.
        files: The files.
        is_updated: Whether rows got new values of the columns later.
        is_sparse: Whether rows may be missing, because they were deleted before it was built.
        remedy: What to do about a corrupt or stale file.
    """

    fields: tuple[Field, ...]
    files: tuple[IndexFile, ...]
    is_updated: bool
    is_sparse: bool
    remedy: str

    @property
    def index_type(self) -> str:
        """The type of the index."""
        return self.files[0].index_type

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last row that they cover."""
        index = self.files[0].global_index
        assert index is not None
        return index.row_range_start, index.row_range_end

    @property
    def remedy_version(self) -> Remedy:
        """What to do about a file that other readers misread."""
        names = ",".join(field.name for field in self.fields)
        chosen = f"--column {shlex.quote(names)}" if names else f"--file {self.files[0].file_name}"
        return Remedy(
            "if such readers use the table, build another index; to drop this one, run ",
            Call("table drop-index", f"{chosen} --index-type {self.index_type}"),
        )

    @property
    def columns(self) -> str | None:
        """The names of the columns; None if the table lacks one."""
        return ", ".join(field.name for field in self.fields) or None


@dataclass(frozen=True)
class GlobalIndexTask:
    """Files of global indexes to check.

    Attributes:
        ranges: The files, by the rows that they cover.
        manifest: The path of the index manifest.
        named_by: The snapshot that names it.
    """

    ranges: tuple[RangeFiles, ...]
    manifest: str
    named_by: Referrer

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files."""
        result = TaskResult()
        for some in self.ranges:
            exist = [self._exists(job, some, file, result) for file in some.files]
            for finding, file in self._findings(job, some) if all(exist) else ():
                result.findings.append(finding)
                if file is not None:
                    result.drops[finding] = file.file_name
        return result

    def _exists(self, job: AuditJob, some: RangeFiles, file: IndexFile, result: TaskResult) -> bool:
        try:
            path = job.table.paths.index_file(file)
        except PaimonKsyError as error:
            result.problems.append((file.file_name, error))
            return False
        remedy = index_kind(file.index_type).remedy or some.remedy
        reference = FileReference(path, file.file_size, "index-file", self.named_by, remedy)
        result.num_others += 1
        if not (exists := result.check(job, reference)):
            result.drops[result.broken[-1][0]] = file.file_name
        return exists

    def _findings(
        self, job: AuditJob, some: RangeFiles
    ) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings about files that exist, each with the file to drop, if any."""
        found = list[str]()
        for file in some.files:
            for finding in _of_file(job, some, file, self.manifest):
                found.append(finding.check)
                yield finding, None if finding.check == VERSION else file
        is_known = some.fields and all(map(is_compared, some.files))
        if {*found} - {VERSION} or not is_known:
            return
        findings = [*_of_counts(job, some), *(_of_data(job, some) if job.deep else ())]
        yield from ((finding, some.files[0]) for finding in findings)


def _of_file(job: AuditJob, some: RangeFiles, file: IndexFile, manifest: str) -> Iterator[Finding]:
    """Yield findings about one file: its metadata, its footer, and in a deep audit all of it."""
    path, index = job.table.paths.index_file(file), file.global_index
    assert index is not None
    corrupt = partial(Finding, ERROR, CORRUPT, path, some.columns)
    kind = kind_of_index(file)
    try:
        with job.storage.open(path) as source:
            if (error := missing_magic(source, kind)) is not None:
                yield corrupt(None, error.message, some.remedy)
                return
            version, misread = version_of(file, source, some.fields)
            if misread is not None:
                at = manifest, some.columns, None
                message = f"a {file.index_type} index of version {version}: {misread}"
                yield Finding(WARNING, VERSION, *at, message, some.remedy_version)
            if is_compared(file):
                yield from _of_metadata(some, index.index_meta, corrupt)
            form = FORMATS.get(kind)
            if job.deep and form is not None and form.check is not None:
                for finding in form.check(_subject(some, file, source), None):
                    yield corrupt(finding.byte, finding.message, some.remedy)
    except CorruptFileError as error:
        yield corrupt(error.offset, error.message, some.remedy)
    except UnsupportedError as error:
        at = manifest, some.columns, None
        message = f"{error.message}: nothing checks it"
        yield Finding(WARNING, VERSION, *at, message, some.remedy_version)


def _of_metadata(
    some: RangeFiles, metadata: bytes | None, corrupt: Callable[..., Finding]
) -> Iterator[Finding]:
    """Yield findings about the first and the last key in the index manifest."""
    try:
        keys = None if metadata is None else read_metadata(metadata)
    except FormatError as error:
        yield corrupt(None, f"its metadata is malformed: {error.message}", some.remedy)
        return
    form = KeyForm.of(some.fields) if some.fields else None
    if keys is None or form is None or keys.first_key is None or keys.last_key is None:
        return
    try:
        if form.key(keys.first_key) > form.key(keys.last_key):
            yield corrupt(None, "its first key is greater than its last key", some.remedy)
    except KeyTypeError as error:
        types = ", ".join(str(field.type) for field in some.fields)
        message = f"its keys are not of the type {types}, which may have changed since: {error}"
        yield replace(corrupt(None, message, some.remedy), check=STALE)


def _of_counts(job: AuditJob, some: RangeFiles) -> Iterator[Finding]:
    """Yield a finding if the files have more or fewer rows than they cover."""
    first, last = some.bounds
    rows = sum(file.row_count for file in some.files)
    covered = last - first + 1
    is_list = any(field.type.root == "ARRAY" for field in some.fields)
    if rows == covered or is_list or (rows < covered and some.is_sparse):
        return
    path = job.table.paths.index_file(some.files[0])
    message = f"the files of row ids {first} to {last} have {counted(rows, 'row')}, not {covered:,}"
    yield Finding(ERROR, CORRUPT, path, some.columns, None, message, some.remedy)


def _of_data(job: AuditJob, some: RangeFiles) -> Iterator[Finding]:
    """Yield a finding if the index differs from the data."""
    first, last = some.bounds
    path = job.table.paths.index_file(some.files[0])
    finding = partial(Finding, ERROR, file=path, column=some.columns, remedy=some.remedy)
    try:
        files = [_listed(job, some, file) for file in some.files]
        reader = open_global_index(files, deleted=last - first + 1)
        if reader is None or not job.has_row_ids:
            return
        names = [field.name for field in some.fields]
        where = f"{ROW_ID} BETWEEN {first} AND {last}"
        data = query(job.table, where, [*names, ROW_ID], snapshot_id=job.snapshot)
        wrong = differences(reader, data, first)
    except CorruptFileError as error:
        yield finding(CORRUPT, byte=error.offset, message=error.message)
    except (UnsupportedError, KeyTypeError):
        return  # other findings report it
    except pa.ArrowInvalid as error:
        yield finding(CORRUPT, byte=None, message=f"a key is not a value of the column: {error}")
    else:
        if wrong is not None:
            check = STALE if some.is_updated else CORRUPT
            yield finding(check, byte=None, message=wrong.message)


def _listed(job: AuditJob, some: RangeFiles, file: IndexFile) -> GlobalIndexFile:
    """Return a file with the facts of its entry."""
    path = job.table.paths.index_file(file)
    index = file.global_index
    assert index is not None
    return GlobalIndexFile(
        open=partial(job.storage.open, path),
        path=path,
        index_type=file.index_type,
        fields=some.fields,
        row_start=index.row_range_start,
        row_end=index.row_range_end,
        num_rows=file.row_count,
        metadata=index.index_meta,
        source_metadata=index.source_meta,
    )


def _subject(some: RangeFiles, file: IndexFile, source: Source) -> Subject:
    index = file.global_index
    assert index is not None
    return Subject(
        source,
        Schema(some.fields) if some.fields else None,
        num_rows=file.row_count,
        index_type=file.index_type,
        row_range=some.bounds,
        metadata=index.index_meta,
        source_metadata=index.source_meta,
    )
