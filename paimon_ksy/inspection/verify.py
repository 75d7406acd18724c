"""Check that one file is sound: a file index, a vector file, or a bucket index.

It runs the checks of an audit for such a file. `verify_index` checks file indexes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError
from paimon_ksy.file_index.check import NO_OPTIONS
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.inspection.subject import Data, Subject
from paimon_ksy.inspection.verify_index import index_findings
from paimon_ksy.io.file_kind import (
    EMPTY,
    data_format,
    is_named_bucket_index,
    starts_as_index,
    starts_with_vector,
)
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.commands import table_of
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, Findings, corrupt
from paimon_ksy.table_index.bucket_index import HARMLESS, key_hashes, problems, read_bucket_index
from paimon_ksy.table_index.deletion_vector import MAX_POSITION
from paimon_ksy.table_index.deletion_vector_file import (
    DAMAGED,
    FIRST_VECTOR,
    check_rows_of,
    has_vector,
    read_stored,
    read_version,
    vector_end,
)
from paimon_ksy.types.schema import Schema

Kind = Literal["index", "vectors", "bucket-index"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_REMEDY_DATA = "pass the data file that the index was built from, or restore it from a backup"
_REMEDY_BUCKET = (
    "restore the file from a backup, or rescale the table, which reassigns all buckets; "
    "first make sure that it is a bucket index: the format has no magic number"
)


def verify(
    source: Any,
    schema: Schema | None = None,
    *,
    data: Any = None,
    kind: Kind | None = None,
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
        kind: `index`, `vectors` or `bucket-index`. By default, it follows from the file's first
            bytes, or from its name.
        num_rows: The number of rows in the data file, if `data` is not given.
        offset: The byte where the vector starts, from the index manifest. By default, all vectors
            in the file are checked.
        length: The vector's length, from the index manifest.
        cardinality: The number of rows in the vector, or of hash codes in the bucket index, from
            the index manifest.
        options: The table's options for indexes. They make the byte of some findings more precise.

    Returns:
        The findings. A file without findings of severity `error` passed all checks.

    Raises:
        PaimonKsyError: A file cannot be opened, or is of an unsupported kind.
    """
    with open_source(source) as opened:
        kind = kind or kind_of(opened)
        subject = Subject(opened, schema, num_rows, offset, length, cardinality, options)
        table = table_of(opened.name)
        found = _findings(kind, subject, data)
        return Findings(each.on(table, opened.name) for each in found)


def kind_of(source: Source) -> Kind:
    """Return the kind of a file.

    Raises:
        UnsupportedError: The kind is unsupported, or cannot be determined.
        CorruptFileError: The file is empty, and does not have the name of an index.
    """
    name = source.name.rpartition("/")[2]
    if starts_as_index(source):
        return "index"
    if starts_with_vector(source):
        return "vectors"
    other = data_format(source.read(0, min(16, source.size)))
    if other is not None:
        raise UnsupportedError(
            f"is {other}: pass an index file, and a data file with --data", path=source.name
        )
    if name.endswith(".index"):
        return "index"
    if has_vector(source):
        return "vectors"
    if is_named_bucket_index(source):
        return "bucket-index"
    if source.size == 0:
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    raise UnsupportedError(
        "does not start as an index or a vector file: if you know "
        "what it is, pass --kind index, vectors or bucket-index",
        path=source.name,
    )


def _findings(kind: Kind, subject: Subject, data: Any) -> Iterator[Finding]:
    check = {"index": index_findings, "vectors": _vectors, "bucket-index": _bucket_index}[kind]
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
                message = f"it has {num_rows} rows, but {subject.num_rows} were given"
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
        yield corrupt("deletion-vector", path, error, remedy=DAMAGED)
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
    path, found = subject.path, partial(corrupt, "deletion-vector", subject.path)
    try:
        stored = read_stored(subject.source, offset, subject.length, subject.cardinality)
    except CorruptFileError as error:
        yield found(error, remedy=error.remedy or DAMAGED)
        return
    vector = stored.vector
    if subject.num_rows is not None:
        name = "the data file" if data is None else data.path
        try:
            check_rows_of(vector, name, subject.num_rows, offset)
        except CorruptFileError as error:
            yield found(error, remedy="pass the data file that the vector belongs to")
    elif vector.max is not None and vector.max > MAX_POSITION[vector.bits]:
        message = f"it deletes row {vector.max}, which no data file has"
        yield Finding(WARNING, "deletion-vector", path, None, offset, message, HARMLESS)


# Bucket index -----------------------------------------------------------------------------------


def _bucket_index(subject: Subject, data: Data | None = None) -> Iterator[Finding]:
    index = read_bucket_index(subject.source)
    found = partial(Finding, check="bucket-index", file=subject.path, column=None)
    message = "treated as a bucket index: the format has no magic number"
    remedy = "if it is a vector file, pass --kind vectors"
    yield found(NOTE, byte=None, message=message, remedy=remedy)
    for severity, byte, message in problems(index, subject.cardinality):
        remedy = _REMEDY_BUCKET if severity == ERROR else HARMLESS
        yield found(severity, byte=byte, message=message, remedy=remedy)
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
            f"it lacks the hash codes of {len(lost)} keys of {data.path}; the first is "
            f"{hashes[row]} in row {row}"
        )
        yield found(ERROR, byte=None, message=message, remedy=_REMEDY_BUCKET)
