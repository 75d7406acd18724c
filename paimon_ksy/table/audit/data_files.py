"""Check a data file: whether it exists, its file index, and its deletion vector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

import pyarrow as pa

from paimon_ksy.data_files.orc.shifted import ShiftedError
from paimon_ksy.errors import AccessError, Call, OutsideError, PaimonKsyError, Remedy, counted
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BLOB, ROW
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, corrupt
from paimon_ksy.table.audit.buckets import check_fixed_bucket
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.references import REMEDY_DATA, FileReference, Referrer, remedy_of
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.index.existing import open_index, rebuildable_indexes, rewrite_reason
from paimon_ksy.table.index.options import INDEXABLE_FORMATS
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.model.readers import VECTORS, unread
from paimon_ksy.table_index.deletion_vector_file import check_rows_of, read_vector
from paimon_ksy.types.schema import outer_column

# The remedy for a broken index.
REMEDY_INDEX = Remedy("to rebuild it, run ", Call("table audit", "--repair"))
REMEDY_DEEP = Remedy("to rebuild it, run ", Call("table audit", "--deep --repair"))
REMEDY_UNKNOWN = Remedy(
    "its indexes are unknown, and the table's options list none; to have queries ignore it, run ",
    Call("table audit", "--repair"),
)
REMEDY_LEAVE = (
    "nothing needs repair: queries use them, and rewrites keep them; to make later writers build "
    "them too, add their columns to the table's options, such as file-index.bitmap.columns"
)

READERS = "readers"

# Messages and severities for indexes that differ from the options, by reason.
_MISMATCHES = {
    "new": ("it has no index, but the table's options list one", WARNING),
    "several": ("it has several indexes, but only one is allowed", ERROR),
    "beside": ("it has both an embedded index and an index file, which readers ignore", WARNING),
    "stale": ("it has indexes that the table's options do not list, so new files lack them", NOTE),
    "incomplete": ("it lacks indexes that the table's options list", WARNING),
    "threshold": ("its index is not stored where file-index.in-manifest-threshold requires", NOTE),
    "version": ("its bitmap indexes have another version than in the options", NOTE),
}

LACKS = {_MISMATCHES["new"][0], _MISMATCHES["incomplete"][0]}
"""Messages about files that lack an index that the options list."""


def check_file(job: AuditJob, file: DataFile, latest: Referrer, result: TaskResult) -> None:
    """Check a data file of the latest snapshot, and add its problems to the result of a task."""
    reference = FileReference(file.path, file.size, "data-file", latest, REMEDY_DATA)
    exists = is_complete = result.check(job, reference)
    things = set[str]()
    findings = list(_content_findings(job, file, things, deep=job.deep and exists))
    for each in unread(things, [file.format]):
        path = f"{job.table.metadata_path}/snapshot/snapshot-{job.snapshot}"
        finding = Finding(each.severity, READERS, path, None, None, each.message, each.remedy)
        if finding not in result.findings:
            result.findings.append(finding)
    for path in file.other_files:
        other = replace(reference, path=path, size=None, remedy=remedy_of(path))
        if result.check(job, other):
            findings += _value_findings(job, path, file) if job.deep else ()
        else:
            is_complete = False
    if findings:
        is_readable = is_complete and all(one.check != "data-file" for one in findings)
        result.files.append((file, findings, is_readable))


def _content_findings(
    job: AuditJob, file: DataFile, things: set[str], *, deep: bool
) -> Iterator[Finding]:
    """Check the index of a data file, its deletion vector and, in a deep audit, its bucket.

    What other readers may not read is added to `things` (see `readers`).
    """
    if file.deletion_vector is not None:
        yield from _check_vector(job, file, file.deletion_vector, things)
    if deep:
        yield from _value_findings(job, file.path, file)
    if file.format in INDEXABLE_FORMATS:
        yield from _check_index(job, file, things, deep=deep)
        if deep and job.has_fixed_buckets:
            yield from check_fixed_bucket(job, file)
    elif file.has_index:
        message = (
            f"its index is not checked: the file format {file.format!r} is unsupported; "
            f"supported are {', '.join(sorted(INDEXABLE_FORMATS))}"
        )
        yield Finding(NOTE, "index", file.path, None, None, message, "query it with Java")


def _value_findings(job: AuditJob, path: str, file: DataFile) -> Iterator[Finding]:
    """Check all values or blocks of a file that has the rows of a data file."""
    form = next((FORMATS[kind] for kind in (BLOB, ROW) if path.endswith(f".{kind.id}")), None)
    if form is not None and form.check is not None:
        with job.storage.open(path) as source:
            yield from form.check(Subject(source, num_rows=file.num_rows), None)


def _check_index(
    job: AuditJob, file: DataFile, things: set[str], *, deep: bool
) -> Iterator[Finding]:
    try:
        place = file.index
    except PaimonKsyError:
        yield _mismatch(job, file, "several")
        return
    if place is not None:
        if any(unread(INDEX_TYPES, [file.format])):
            with suppress(PaimonKsyError), open_index(job.storage, place) as opened:
                things.update(*opened.places.values())
        findings = list(_check_content(job, file, place, deep=deep))
        yield from findings
        if any(one.severity == ERROR for one in findings):
            return
    reason = rewrite_reason(job.storage, file, job.options_of(file), drop_unlisted=True)
    if reason is not None:
        # One of several is embedded here, which readers prefer. Java's rewrite leaves both.
        yield _mismatch(job, file, "beside" if reason == "several" else reason)


def _check_content(
    job: AuditJob, file: DataFile, place: bytes | str, *, deep: bool
) -> Iterator[Finding]:
    """Check the content of a file index: the embedded bytes, or the file at a path."""
    path = place if isinstance(place, str) else file.path
    which = "" if isinstance(place, str) else "embedded index: "
    try:
        missing = isinstance(place, str) and not job.storage.exists(place)
    except (AccessError, OutsideError) as refused:
        yield corrupt("index", path, refused)
        return
    if missing:
        message = f"it does not exist, but it is the index of {file.name}"
        yield Finding(ERROR, "index", path, None, None, message, _remedy(job, file))
        return
    shifted = set[str | None]()
    for error in _index_errors(job, file, place, deep=deep):
        if isinstance(error, ShiftedError):
            if error.column not in shifted:
                shifted.add(error.column)
                yield error.finding(path, which)
        elif isinstance(error, _DataError):
            yield corrupt("data-file", file.path, error.cause, "", REMEDY_DATA)
        else:
            yield corrupt("index", path, error, which, _remedy(job, file))


def _remedy(job: AuditJob, file: DataFile) -> str:
    """Return the remedy for a file's index: building what the options list, and what it had.

    Only a deep repair finds everything that a deep audit finds.
    """
    columns = job.schemas[file.schema_id].schema.columns
    if job.options_of(file).indexes or rebuildable_indexes(job.storage, file, columns):
        return REMEDY_DEEP if job.deep else REMEDY_INDEX
    return REMEDY_UNKNOWN


class _DataError(PaimonKsyError):
    """The data file itself cannot be read."""

    def __init__(self, cause: PaimonKsyError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _index_errors(
    job: AuditJob, file: DataFile, place: bytes | str, *, deep: bool
) -> Iterator[PaimonKsyError]:
    """Yield the errors in a file index; a deep audit compares sound ones with the data, too."""
    schema, options = job.schemas[file.schema_id], job.options_of(file)
    columns = schema.schema.columns
    own = {column.name for column in columns}
    try:
        with open_index(job.storage, place) as opened:

            @cache
            def data() -> pa.Table:
                outer = (name if name in own else outer_column(name) for name in opened.columns)
                stored = [name for name in dict.fromkeys(outer) if name in own]
                asked = ReadRequest.of_indexes(job.storage, file, schema.schema, stored)
                try:
                    return read_table(asked)
                except PaimonKsyError as error:
                    raise _DataError(error) from error

            check = partial(
                check_index, opened, file.num_rows, columns, options, file_format=file.format
            )
            try:
                yield from check(data, deep=deep)
            except _DataError as error:
                if deep:
                    yield error
                yield from check()
    except PaimonKsyError as error:
        yield error


def _mismatch(job: AuditJob, file: DataFile, reason: str) -> Finding:
    """Return a finding about an index that differs from the options (see `rewrite_reason`)."""
    message, severity = _MISMATCHES.get(reason, ("it cannot be read", ERROR))
    finding = partial(Finding, severity, file=file.path, column=None, byte=None, message=message)
    if reason == "stale":
        return finding(check="index-unlisted", remedy=REMEDY_LEAVE)
    listed = reason in ("new", "threshold", "version")
    return finding(check="index-options", remedy=REMEDY_INDEX if listed else _remedy(job, file))


def _check_vector(
    job: AuditJob, file: DataFile, place: VectorPlace, things: set[str]
) -> Iterator[Finding]:
    try:
        with job.storage.open(place.path) as source:
            vector = read_vector(source, place.offset, place.length, place.cardinality)
            things.add(VECTORS[vector.bits])
            check_rows_of(vector, file.name, file.num_rows, place.offset)
    except PaimonKsyError as error:
        counts = ""
        if place.cardinality is not None:
            counts = (
                f"; according to the manifest, {place.cardinality} of "
                f"{counted(file.num_rows, 'row')} are deleted"
            )
        remedy = (
            f"the deleted rows of {file.name} are unknown{counts}; restore the file from a backup, "
            "or roll back to an earlier snapshot"
        )
        yield corrupt("deletion-vector", place.path, error, "", remedy)
