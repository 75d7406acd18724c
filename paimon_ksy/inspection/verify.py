"""Check that one file is sound: a file index, a vector file, or a bucket index.

It runs the checks of an audit for such a file. `verify_index` checks file indexes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError, counted
from paimon_ksy.file_index.check import NO_OPTIONS
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.inspection.verify_index import Data, Subject, index_findings
from paimon_ksy.io.file_kind import (
    BUCKET_INDEX,
    DATA_FILES,
    FILE_INDEX,
    RESCALE,
    VECTORS,
    FileKind,
    checked_kind,
    known_kind,
    missing_magic,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.commands import table_of
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, Findings, corrupt
from paimon_ksy.table_index.bucket_index import HARMLESS, key_hashes, problems, read_bucket_index
from paimon_ksy.table_index.deletion_vector import MAX_POSITION
from paimon_ksy.table_index.deletion_vector_file import (
    FIRST_VECTOR,
    check_rows_of,
    read_stored,
    read_version,
)
from paimon_ksy.table_index.vector_bytes import DAMAGED, vector_end
from paimon_ksy.types.schema import Schema

_REMEDY_DATA = "pass the data file that the index was built from, or restore it from a backup"


def verify(
    source: Any,
    schema: Schema | None = None,
    *,
    data: Any = None,
    kind: str | None = None,
    num_rows: int | None = None,
    offset: int | None = None,
    length: int | None = None,
    cardinality: int | None = None,
    options: FileIndexOptions = NO_OPTIONS,
) -> Findings:
    """Check one file, and return the findings. `audit` checks a whole table.

    Args:
        source: An argument of `FileIndex.open`: a path, URL, bytes or binary file.
        schema: The columns' types at the time when the file was written; for a bucket index, those
            of the key. The default is the types of `data`. Without both, an index counts as sound
            if it is sound for any type.
        data: The Parquet, ORC or Avro file of the index or vector, with which an index is compared
            row by row.
        kind: `index`, `vectors` or `bucket-index`. By default, it follows from magic numbers in
            the file, which bucket indexes lack.
        num_rows: The number of rows in the data file, if `data` is not given.
        offset: The byte where the vector starts, from the index manifest. By default, all vectors
            in the file are checked.
        length: The vector's length, from the index manifest.
        cardinality: The number of rows in the vector, or of hash codes in the bucket index, from
            the index manifest.
        options: The table's options for indexes. They make the byte of some findings more precise.

    Returns:
        The findings. A file without findings of severity `error` passed all checks. Kinds that are
        only recognised have a note instead.

    Raises:
        PaimonKsyError: A file cannot be opened, or is of an unsupported kind.
    """
    with open_source(source) as opened:
        file_kind = known_kind(opened) if kind is None else checked_kind(kind)
        subject = Subject(opened, schema, num_rows, offset, length, cardinality, options)
        return verify_as(file_kind, subject, data)


def verify_as(kind: FileKind, subject: Subject, data: Any = None) -> Findings:
    """Check a file of this kind, and compare it with its data file if that is given.

    Raises:
        UnsupportedError: The kind is unknown, or is not checked.
    """
    kind = known_kind(subject.source, kind)
    table = table_of(subject.path)
    return Findings(each.on(table, subject.path) for each in _findings(kind, subject, data))


def _findings(kind: FileKind, subject: Subject, data: Any) -> Iterator[Finding]:
    check = _CHECKS.get(kind)
    if check is None:
        yield _recognised(kind, subject)
        return
    if data is None:
        yield from check(subject)
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
        yield from check(subject)


# Deletion vectors -------------------------------------------------------------------------------


def _vectors(subject: Subject, data: Data | None = None) -> Iterator[Finding]:
    source, path = subject.source, subject.path
    try:
        read_version(source)
    except CorruptFileError as error:
        yield corrupt("deletion-vector", path, error, remedy=error.remedy or DAMAGED)
        if error.remedy:  # a file of another kind
            return
    if subject.offset is not None:
        yield from _vector(subject, data, subject.offset)
        return
    at: int | None = FIRST_VECTOR
    places = []
    while at is not None and at < source.size:
        places.append(at)
        at = vector_end(source, at)
    belongs = data is not None or subject.num_rows is not None
    if len(places) != 1 and (
        belongs or subject.length is not None or subject.cardinality is not None
    ):
        listed = ", ".join(map(str, places))
        raise UnsupportedError(
            f"has {len(places)} vectors of different data files: pass {path}:OFFSET, "
            f"with one of the offsets {listed:.80}",
            path=path,
        )
    for place in places:
        yield from _vector(subject, data, place)


def _vector(subject: Subject, data: Data | None, offset: int) -> Iterator[Finding]:
    path, finding = subject.path, partial(corrupt, "deletion-vector", subject.path)
    try:
        stored = read_stored(subject.source, offset, subject.length, subject.cardinality)
    except CorruptFileError as error:
        yield finding(error, remedy=error.remedy or DAMAGED)
        return
    vector = stored.vector
    if subject.num_rows is not None:
        name = "the data file" if data is None else data.path
        try:
            check_rows_of(vector, name, subject.num_rows, offset)
        except CorruptFileError as error:
            yield finding(error, remedy="pass the data file that the vector belongs to")
    elif vector.max is not None and vector.max > MAX_POSITION[vector.bits]:
        message = f"it deletes row {vector.max}, which no data file has"
        yield Finding(WARNING, "deletion-vector", path, None, offset, message, HARMLESS)


# Bucket index -----------------------------------------------------------------------------------


def _bucket_index(subject: Subject, data: Data | None = None) -> Iterator[Finding]:
    index = read_bucket_index(subject.source)
    finding = partial(Finding, check="bucket-index", file=subject.path, column=None)
    for severity, byte, message in problems(index, subject.cardinality):
        remedy = RESCALE if severity == ERROR else HARMLESS
        yield finding(severity, byte=byte, message=message, remedy=remedy)
    if data is None:
        return
    if subject.schema is None:
        raise SchemaError("to compare a bucket index with data, pass the columns of its key")
    hashes = key_hashes(
        data.read(subject.schema.names, subject.schema).combine_chunks(), subject.schema
    )
    lost = np.flatnonzero(~index.contains(hashes))
    if len(lost):
        row = int(lost[0])
        message = (
            f"it lacks the hash codes of {counted(len(lost), 'key')} of {data.path}; the first is "
            f"{hashes[row]} in row {row}"
        )
        yield finding(ERROR, byte=None, message=message, remedy=RESCALE)


_CHECKS: Mapping[FileKind, Callable[..., Iterator[Finding]]] = {
    FILE_INDEX: index_findings,
    VECTORS: _vectors,
    BUCKET_INDEX: _bucket_index,
}


# Other kinds ------------------------------------------------------------------------------------


def _recognised(kind: FileKind, subject: Subject) -> Finding:
    """Return the finding about a file that is only recognised.

    Raises:
        UnsupportedError: It is a data file that can be the argument `data`.
    """
    path = subject.path
    if (error := missing_magic(subject.source, kind)) is not None:
        return corrupt(kind.id, path, error, remedy=kind.remedy or "")
    if kind in DATA_FILES:
        raise UnsupportedError(
            f"is {kind.title}: pass an index file, and a data file with --data", path=path
        )
    message = f"recognised, not checked: {kind.use}"
    return Finding(NOTE, kind.id, path, None, None, message, kind.advice)
