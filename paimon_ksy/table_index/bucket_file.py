"""What a bucket index contains: inspect, check, compare and map it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from paimon_ksy.data_files.open import Data
from paimon_ksy.errors import SchemaError, counted
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views.bucket_index import BUCKET_INDEX_HASHES
from paimon_ksy.io.file_format import FieldBytes, FilePart, Range, Subject
from paimon_ksy.io.file_kind import RESCALE
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table_index.bucket_index import (
    HARMLESS,
    BucketIndex,
    key_hashes,
    problems,
    read_bucket_index,
)
from paimon_ksy.types.schema import Schema


def inspect(subject: Subject, _: int | None) -> BucketIndex:
    """Return the hash codes of a bucket index."""
    return read_bucket_index(subject.source)


def check(subject: Subject, data: Data | None) -> Iterator[Finding]:
    """Yield the findings in a bucket index, which is compared with its data file if given."""
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


def parts(source: Source, schema: Schema | None, start: int, end: int) -> list[FilePart]:
    """Return the whole file, of which only hash codes in the range are read."""
    return [FilePart(0, source.size, type_named("bucket_index"), {}, "", _fields)]


def _fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of a bucket index that overlap these bytes."""
    start, end = within
    size = BUCKET_INDEX_HASHES.size
    whole = source.size // size * size
    first, last = start // size, -(-min(end, whole) // size)
    data = source.read(first * size, max(0, last - first) * size)
    _, hashes = BUCKET_INDEX_HASHES.read(data, first * size, 0, max(0, last - first))
    for number, value in enumerate(hashes, first):
        yield FieldBytes(number * size, (number + 1) * size, f"hashes[{number}]", int(value))
    if end > whole:
        yield FieldBytes(whole, source.size, "trailing")
