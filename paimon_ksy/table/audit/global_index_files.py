"""Check the files of global indexes: their footers and metadata, and in a deep audit all bytes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import pyarrow as pa
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    MissingFileError,
    Remedy,
    UnsupportedError,
    counted,
)
from paimon_ksy.global_index.builders import cutting, may_be_cut, some_uncut
from paimon_ksy.global_index.metadata import read_metadata
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import index_kind, missing_magic
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import ERROR, WARNING, Finding
from paimon_ksy.messages.findings import corrupt as corrupt_file
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.postings import Comparison, IndexedData
from paimon_ksy.table.audit.references import REMEDY_DATA, Referrer
from paimon_ksy.table.index.global_indexes import kind_of_index, type_of_index, version_of
from paimon_ksy.table.model.files import ROW_ID, IndexFile
from paimon_ksy.table.query.read import query
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.schema import Schema

COVERAGE, STALE, CORRUPT = "global-index-coverage", "global-index-stale", "global-index-corrupt"
DEAD, VERSION, OVERLAP = "global-index-dead", "global-index-version", "global-index-overlap"
CUT = "global-index-cut"
NEEDS_NO_DROP = VERSION, CUT
"""Findings about files that may be right: a repair keeps them."""


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
    def bounds(self) -> tuple[int, int]:
        """The first and the last row that they cover."""
        index = self.files[0].global_index
        assert index is not None
        return index.row_range_start, index.row_range_end

    def may_follow(self, others: Sequence[RangeFiles], most: int) -> bool:
        """Return whether it continues the rows of others of its index, which are not so many."""
        (first, _), (_, last) = others[0].bounds, others[-1].bounds
        of_index = others[-1].files[0].index_type, others[-1].fields, last + 1
        is_next = of_index == (self.files[0].index_type, self.fields, self.bounds[0])
        return is_next and last - first + 1 < most

    @property
    def remedy_version(self) -> Remedy:
        """What to do about a file that other readers misread."""
        names = [field.name for field in self.fields]
        return Remedy(
            "if such readers use the table, build another index; to drop this one, run ",
            drop_call(names, self.files[0]),
        )

    @property
    def columns(self) -> str | None:
        """The names of the columns; None if the table lacks one."""
        return ", ".join(field.name for field in self.fields) or None


def drop_call(columns: Sequence[str], file: IndexFile) -> Call:
    """Return the command that drops the index of a file; without columns, the file's range."""
    names = shlex.quote(",".join(columns))
    chosen = f"--column {names}" if columns else f"--file {file.file_name}"
    return Call("table drop-index", f"{chosen} --index-type {file.index_type}")


@dataclass(frozen=True)
class GlobalIndexTask:
    """Files of global indexes to check.

    `manifest` is the path of the index manifest, and `named_by` the snapshot that names it.
    """

    ranges: tuple[RangeFiles, ...]
    manifest: str
    named_by: Referrer

    def check(self, job: AuditJob) -> TaskResult:
        """Check the files."""
        result, data = TaskResult(), cache(partial(self._data, job))
        for some in self.ranges:
            exist = True
            for file in some.files:
                remedy = index_kind(file.index_type).remedy or some.remedy
                before = len(result.broken)
                exist &= result.check_index(job, file, self.named_by, remedy)
                result.drops |= {f: file.file_name for f, _ in result.broken[before:]}
            for finding, dropped in self._findings(job, some, data) if exist else ():
                result.findings.append(finding)
                if dropped is not None:
                    result.drops[finding] = dropped.file_name
        return result

    def _findings(
        self, job: AuditJob, some: RangeFiles, read: Callable[[], IndexedData | Finding | None]
    ) -> Iterator[tuple[Finding, IndexFile | None]]:
        """Yield findings about files that exist, each with the file to drop, if any."""
        found = list[str]()
        is_known = bool(some.fields) and None not in map(type_of_index, some.files)
        data = read() if is_known and job.deep and job.has_row_ids else None
        if isinstance(data, Finding):
            yield data, None
        compared = Comparison(data, *some.bounds) if isinstance(data, IndexedData) else None
        for file in some.files:
            for finding in _of_file(job, some, file, self.manifest, compared):
                found.append(finding.check)
                yield finding, None if finding.check in NEEDS_NO_DROP else file
        if {*found} - {*NEEDS_NO_DROP} or not is_known:
            return
        yield from ((finding, some.files[0]) for finding in _of_counts(job, some))
        if compared is not None:
            yield from ((finding, some.files[0]) for finding in _of_data(job, some, compared))

    def _data(self, job: AuditJob) -> IndexedData | Finding | None:
        """Return the columns of all ranges; a finding, or None, if they cannot be read."""
        starts, ends = zip(*(some.bounds for some in self.ranges), strict=True)
        names = [field.name for field in self.ranges[0].fields]
        where = f"{ROW_ID} BETWEEN {min(starts)} AND {max(ends)}"
        try:
            data = query(job.table, where, [*names, ROW_ID], snapshot_id=job.snapshot)
        except CorruptFileError as error:
            return corrupt_file("data-file", error.path or "", error, "", REMEDY_DATA)
        except (MissingFileError, UnsupportedError):
            return None  # other findings report it
        return IndexedData(data)


def _of_file(
    job: AuditJob, some: RangeFiles, file: IndexFile, manifest: str, compared: Comparison | None
) -> Iterator[Finding]:
    """Yield findings about one file: its metadata, its footer, and in a deep audit all of it.

    Its rows are added to a comparison.
    """
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
            if type_of_index(file) is not None:
                may_be_wrong = compared is None and may_be_cut(some.fields)
                yield from _of_metadata(some, index.index_meta, corrupt, may_be_wrong)
            if job.deep:
                error_of = partial(corrupt, remedy=some.remedy)
                yield from _of_content(_subject(some, file, source), file, compared, error_of)
    except pa.ArrowInvalid as error:
        yield corrupt(None, f"a key is not a value of the column: {error}", some.remedy)
    except CorruptFileError as error:
        yield corrupt(error.offset, error.message, some.remedy)
    except UnsupportedError as error:
        at = manifest, some.columns, None
        message = f"{error.message}: nothing checks it"
        yield Finding(WARNING, VERSION, *at, message, some.remedy_version)


def _of_content(
    subject: Subject, file: IndexFile, compared: Comparison | None, corrupt: Callable[..., Finding]
) -> Iterator[Finding]:
    """Yield findings about all bytes of a file, whose rows are added to a comparison."""
    if (type_of_keys := type_of_index(file)) is not None:
        for postings in type_of_keys.postings(subject):
            if compared is not None:
                compared.add(postings)
        return
    form = FORMATS.get(kind_of_index(file))
    for finding in form.check(subject, None) if form is not None and form.check else ():
        yield corrupt(finding.byte, finding.message)


def _of_metadata(
    some: RangeFiles, metadata: bytes | None, corrupt: Callable[..., Finding], may_be_wrong: bool
) -> Iterator[Finding]:
    """Yield findings about the first and the last key in the index manifest.

    If a builder may have cut the keys, only the data can show that it has not.
    """
    try:
        ends = () if metadata is None else read_metadata(metadata)[:2]
        form = KeyForm.of(some.fields) if some.fields else None
        keys = [form.key(end) for end in ends if form is not None and end is not None]
    except FormatError as error:
        yield corrupt(None, f"its metadata is malformed: {error.message}", some.remedy)
        return
    except KeyTypeError as error:
        types = ", ".join(str(field.type) for field in some.fields)
        message = f"its keys are not of the type {types}, which may have changed since: {error}"
        yield replace(corrupt(None, message, some.remedy), check=STALE)
        return
    if keys and keys[0] > keys[-1]:
        yield corrupt(None, "its first key is greater than its last key", some.remedy)
    if may_be_wrong and bool(keys) == bool(ends) and not some_uncut(some.fields, keys):
        message = (
            f"its first and last key are whole microseconds, to which {cutting()} cut keys: if the "
            "column has nanoseconds, readers that trust the index return wrong rows"
        )
        compare = "to compare the index with the data, run ", Call("table audit", "--deep")
        remedy = Remedy(*compare, "; if it differs: ", some.remedy)
        yield replace(corrupt(None, message, remedy), severity=WARNING, check=CUT)


def _of_counts(job: AuditJob, some: RangeFiles) -> Iterator[Finding]:
    """Yield a finding if the files have more or fewer rows than they cover."""
    first, last = some.bounds
    rows = sum(file.row_count for file in some.files)
    covered = last - first + 1
    is_list = any(field.type.root == "ARRAY" for field in some.fields)
    if rows == covered or is_list or (rows < covered and some.is_sparse):
        return
    message = f"the files of row ids {first} to {last} have {counted(rows, 'row')}, not {covered:,}"
    path = job.table.paths.index_file(some.files[0])
    yield Finding(ERROR, CORRUPT, path, some.columns, None, message, some.remedy)


def _of_data(job: AuditJob, some: RangeFiles, compared: Comparison) -> Iterator[Finding]:
    """Yield a finding if the index differs from the data."""
    if (message := compared.difference) is not None:
        check = STALE if some.is_updated else CORRUPT
        path = job.table.paths.index_file(some.files[0])
        yield Finding(ERROR, check, path, some.columns, None, message, some.remedy)


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
