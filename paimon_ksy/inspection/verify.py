"""Check that one file is sound, alone or against its data file.

It runs the checks of an audit for such a file, which are those of its format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from paimon_ksy.data_files.open import Data, open_data_file
from paimon_ksy.errors import Call, CorruptFileError, Remedy, UnsupportedError, counted
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.registry import FORMATS, checked_kind, kind_in
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import (
    DATA_FILES,
    UNKNOWN,
    FileKind,
    known_kind,
    missing_magic,
    role_of,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.commands import table_of
from paimon_ksy.messages.findings import ERROR, NOTE, Finding, Findings, corrupt
from paimon_ksy.types.schema import Schema

_TO_CHECK = Remedy("to check it, run ", Call("table audit"))
_REMEDY_DATA = "pass the data file that the index was built from, or restore it from a backup"


class FileFacts(TypedDict, total=False):
    """Keyword arguments with what is known about a file.

    Attributes:
        num_rows: The number of rows in the data file, unless `data` is that file.
        offset: The byte where the vector starts, from the index manifest. By default, all vectors
            in the file are checked.
        length: The vector's length, from the index manifest.
        cardinality: The number of rows in the vector, or of hash codes in the bucket index, from
            the index manifest.
        options: The table's options for indexes. They make the byte of some findings more precise.
    """

    num_rows: int | None
    offset: int | None
    length: int | None
    cardinality: int | None
    options: FileIndexOptions


def verify(
    source: Any,
    schema: Schema | None = None,
    *,
    data: Any = None,
    kind: str | None = None,
    **facts: Unpack[FileFacts],
) -> Findings:
    """Check one file, and return the findings. `audit` checks a whole table.

    Args:
        source: An argument of `FileIndex.open`: a path, URL, bytes or binary file.
        schema: The columns' types at the time when the file was written; for a bucket index, those
            of the key. The default is the types of `data`. Without both, an index counts as sound
            if it is sound for any type.
        data: The Parquet, ORC or Avro file of the index or vector, with which an index is compared
            row by row.
        kind: `index`, `vectors`, `bucket-index` or another kind that is checked. By default, it
            follows from magic numbers in the file, which bucket indexes lack.
        facts: What is known about the file (see `FileFacts`).

    Returns:
        The findings. A file without findings of severity `error` passed all checks. Kinds that are
        only recognised have a note instead.

    Raises:
        PaimonKsyError: A file cannot be opened, or is of an unsupported kind.
    """
    with open_source(source) as opened:
        file_kind = UNKNOWN if kind is None else checked_kind(kind)
        subject = Subject(opened, schema, **facts)
        return verify_as(file_kind, subject, data)


def verify_as(kind: FileKind, subject: Subject, data: Any = None) -> Findings:
    """Check a file of this kind, and compare it with its data file if that is given.

    Raises:
        UnsupportedError: The kind is unknown, or is not checked.
    """
    kind = known_kind(subject.source, kind_in(subject.source) if kind is UNKNOWN else kind)
    table = table_of(subject.path)
    return Findings(each.on(table, subject.path) for each in _findings(kind, subject, data))


def _findings(kind: FileKind, subject: Subject, data: Any) -> Iterator[Finding]:
    file_format = FORMATS.get(kind)
    check = None if file_format is None else file_format.check
    if kind.index_types and (error := missing_magic(subject.source, kind)) is not None:
        yield corrupt(kind.id, subject.path, error, remedy=kind.remedy or "")
        return
    if check is None:
        yield _recognised(kind, subject)
        return
    if data is None:
        yield from check(subject, None)
        return
    path = str(data)
    try:
        with open_source(data) as source, open_data_file(source, dictionaries=True) as file:
            path = source.name
            num_rows = file.num_rows
            if num_rows is None:
                num_rows = sum(batch.num_rows for batch in file.batches(file.schema.names[:1]))
            if subject.num_rows not in (None, num_rows):
                message = f"it has {counted(num_rows, 'row')}, but {subject.num_rows} were given"
                yield Finding(ERROR, "data-file", path, None, None, message, _REMEDY_DATA)
            yield from check(replace(subject, num_rows=num_rows), Data(path, file, num_rows))
    except CorruptFileError as error:
        if error.path != path:
            raise
        yield corrupt("data-file", path, error, remedy=_REMEDY_DATA)
        yield from check(subject, None)


def _recognised(kind: FileKind, subject: Subject) -> Finding:
    """Return the finding about a file that is only recognised.

    Raises:
        UnsupportedError: It is a data file that can be the argument `data`.
    """
    path = subject.path
    if (role := role_of(subject.source, kind)) is not None:
        message = f"it is {role}, which is checked with the whole table"
        return Finding(NOTE, kind.id, path, None, None, message, _TO_CHECK)
    if kind in DATA_FILES:
        raise UnsupportedError(
            "is a data file: pass its index, and this file with --data", path=path
        )
    if kind in FORMATS and FORMATS[kind].is_read:
        try:
            inspect_file(subject, kind=kind)
        except CorruptFileError as broken:
            return corrupt(kind.id, path, broken, remedy=kind.remedy or "")
    message = f"recognised, not checked: {kind.use}"
    return Finding(NOTE, kind.id, path, None, None, message, kind.advice)
