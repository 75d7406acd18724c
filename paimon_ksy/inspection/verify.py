"""Whether one file is sound: a file index, a file of deletion vectors, or a bucket index.

It runs what an audit of a table runs for such a file. A file index has no checksum, so a changed
byte that still parses is found only with the data file. Without it, the file is checked for what
contradicts itself: each bitmap is well formed, each row has one value or null, and all indexes
count the same rows.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from paimon_ksy.data_files.data_file import DataFile
from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns
from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError, none_of
from paimon_ksy.file_index.check import (
    NO_OPTIONS,
    check_extent,
    entries_of,
    index_error,
)
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, spec_named
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.shifted import ShiftedError
from paimon_ksy.inspection.parsed_file import text
from paimon_ksy.inspection.wrong_schema import STORED_FORMS
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import data_format, starts_as_index, starts_with_vector
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.commands import REBUILD, table_of
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, corrupt
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
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["index", "vectors", "bucket-index"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_ROWS = 1 << 26
"""Rows up to which an index is checked row by row on its own word: the work takes memory for each.

A small file can claim two billion rows. With the data file, or with `num_rows`, that is settled.
"""

_REMEDY_DATA = "give the data file that the index was built from, or restore it from a backup"
_REMEDY_BUCKET = (
    "restore the file from a backup, or rescale the table, which reassigns all buckets; "
    "first make sure that it is a bucket index: the format has no magic number"
)
_BIGINT = parse_type("BIGINT")


@dataclass(frozen=True)
class Limits:
    """What bounds the work: bytes of all indexes together, and rows of each, added up."""

    bytes: int
    rows: int


_LIMITS = Limits(4 << 20, 1 << 24)
"""Of a quick look: about a tenth of a second."""


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
) -> list[Finding]:
    """Check one file, and return what is wrong with it. `audit` checks a whole table.

    Args:
        source: The file, given as `FileIndex.open` takes it.
        schema: The columns' types at the time when the file was written; of a bucket index those
            of the key. Without it they are those of `data`. Without both, an index counts as sound
            if there is a type for which it is.
        data: The Parquet, ORC or Avro file that the index or vector belongs to. An index is then
            compared with it row by row.
        kind: `index`, `vectors` or `bucket-index`. Without it, the file's first bytes decide, and
            where they do not, its name.
        num_rows: The rows of the data file, where `data` is not given.
        offset: The byte where the vector to check starts, from the index manifest. Without it all
            vectors of the file are checked.
        length: The vector's length, from the index manifest.
        cardinality: How many rows the vector deletes, or how many hash codes the bucket index has,
            from the index manifest.
        options: The table's options for indexes. They make the byte of some findings more precise.

    Returns:
        The findings. A file without any of the severity `error` passed all checks.

    Raises:
        PaimonKsyError: A file cannot be opened, or it is of no kind that can be checked.
    """
    with open_source(source) as opened:
        kind = kind or kind_of(opened)
        subject = _Subject(opened, schema, num_rows, offset, length, cardinality, options)
        table = table_of(opened.name)
        return [found.on(table, opened.name) for found in _findings(kind, subject, data)]


def kind_of(source: Source) -> Kind:
    """Return the kind of a file.

    Raises:
        UnsupportedError: It is another kind, or cannot be determined.
    """
    name = source.name.rpartition("/")[2]
    if starts_as_index(source):
        return "index"
    if starts_with_vector(source):
        return "vectors"
    other = data_format(source.read(0, min(16, source.size)))
    if other is not None:
        raise UnsupportedError(
            f"is {other}: give an index file, and a data file with --data", path=source.name
        )
    if name.endswith(".index"):
        return "index"
    if has_vector(source):
        return "vectors"
    if source.size and name.startswith("index-"):
        return "bucket-index"
    raise UnsupportedError(
        "does not start as an index or a vector file: if you know "
        "what it is, give --kind index, vectors or bucket-index",
        path=source.name,
    )


def contradictions(source: Source, schema: Schema | None) -> list[Finding]:
    """Return what contradicts itself in a file index, found with bounded work.

    Indexes beyond the limits are not looked into, nor those of columns whose type is unknown.
    """
    subject = _Subject(source, schema, limits=_LIMITS)
    return [
        found for found in _index(subject) if found.severity == ERROR and found.check != "schema"
    ]


@dataclass(frozen=True)
class _Subject:
    """The file, and what is known of it beforehand."""

    source: Source
    schema: Schema | None = None
    num_rows: int | None = None
    offset: int | None = None
    length: int | None = None
    cardinality: int | None = None
    options: FileIndexOptions = NO_OPTIONS
    limits: Limits | None = None

    @property
    def path(self) -> str:
        """The file's path, for messages."""
        return self.source.name


@dataclass(frozen=True)
class _Data:
    """An open data file."""

    path: str
    file: DataFile
    num_rows: int

    def read(self, names: Sequence[str], types: Schema | None) -> pa.Table:
        """Return these columns. Raises SchemaError if there is none of that name."""
        part = columns_of(self.file, self.path, names, types)
        return read_columns(self.file, self.path, part, types=types)


def _findings(kind: Kind, subject: _Subject, data: Any) -> Iterator[Finding]:
    check = {"index": _index, "vectors": _vectors, "bucket-index": _bucket_index}[kind]
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
            yield from check(replace(subject, num_rows=num_rows), _Data(path, file, num_rows))
    except CorruptFileError as error:
        if error.path != path:
            raise
        yield corrupt("data-file", path, error, remedy=_REMEDY_DATA)
        yield from check(subject)


# File index -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Index:
    """An index of a column in a file; `num_rows` is what it counts itself, if it does."""

    spec: IndexSpec
    entry: Any
    num_rows: int | None

    @property
    def name(self) -> str:
        """The column's name in the file; of a map's key `m[key]`."""
        return self.spec.name

    @property
    def is_typed(self) -> bool:
        """Whether its bytes can be read only with the column's type, or its own type is unknown."""
        kind = INDEX_TYPES.get(self.spec.index_type)
        return kind is None or kind.is_typed


def _index(subject: _Subject, data: _Data | None = None) -> Iterator[Finding]:
    try:
        opened = FileIndex(subject.source, subject.schema)
        yield from _head(opened, subject.path)
        indexes = [_opened(opened, subject, *found) for found in entries_of(opened)]
    except CorruptFileError as error:
        yield corrupt("index", subject.path, error, remedy=REBUILD)
        return
    yield from _different_counts(indexes, subject)
    # An index without a body counts nothing; readers take it as one of a file without rows.
    counted = max((index.num_rows or 0 for index in indexes), default=0)
    indexes = [
        replace(index, num_rows=counted) if index.entry.is_empty else index for index in indexes
    ]
    if subject.limits is not None:
        indexes = list(_within(indexes, subject.schema, subject.limits))
    for column, its in _by_column(indexes, subject.schema).items():
        yield from _column(opened, column, its, subject, data)


def _opened(opened: FileIndex, subject: _Subject, name: str, kind: str, entry: Any) -> _Index:
    known = {(spec.name, spec.index_type): spec for spec in subject.options.indexes}
    spec = known.get((name, kind)) or spec_named(kind, name)
    count = None
    num_rows = INDEX_TYPES[kind].num_rows if kind in INDEX_TYPES else None
    if num_rows is not None and not entry.is_empty:
        with suppress(CorruptFileError), CorruptErrors(opened.source, name):
            check_extent(opened, entry)
            count = num_rows(opened.source, entry.ofs_body)
    return _Index(spec, entry, count)


def _head(opened: FileIndex, path: str) -> Iterator[Finding]:
    """Yield what is wrong with the places of indexes."""
    columns = opened.head.head.columns
    names = Counter(text(column.name.value) for column in columns)
    for name in (name for name, times in names.items() if times > 1):
        message = "the head lists the column twice; readers use the indexes of both"
        yield Finding(WARNING, "index", path, name, None, message, REBUILD)
    places = []
    for column in columns:
        name = text(column.name.value)
        kinds = Counter(text(entry.index_type.value) for entry in column.indexes)
        for kind in (kind for kind, times in kinds.items() if times > 1):
            message = f"the head lists two indexes of type {kind}; readers use the last one"
            yield Finding(WARNING, "index", path, name, None, message, REBUILD)
        places += [
            (int(entry.ofs_body), int(entry.ofs_body + entry.len_body), name)
            for entry in column.indexes
            if not entry.is_empty
        ]
    head = opened.head.head
    redundant, there = getattr(head, "len_redundant", 0), len(getattr(head, "redundant", b""))
    if redundant != there:
        message = f"the head counts {redundant} bytes for later versions, but has {there}"
        yield Finding(WARNING, "index", path, None, None, message, REBUILD)
    places.sort()
    ahead = [(0, int(opened.head.len_head), ""), *places]
    for (_, end, _), (start, _, name) in pairwise(ahead):
        if start < end:
            message = f"the index starts before byte {end}, where the previous part ends"
            yield Finding(ERROR, "index", path, name, start, message, REBUILD)
        elif start > end:
            message = f"{start - end} bytes before the index belong to no index"
            yield Finding(WARNING, "index", path, name, end, message, REBUILD)
    size, last = opened.source.size, max(end for _, end, _ in ahead)
    if last < size:
        message = f"{size - last} bytes follow the last index"
        yield Finding(ERROR, "index", path, None, last, message, REBUILD)


def _different_counts(indexes: Sequence[_Index], subject: _Subject) -> Iterator[Finding]:
    """Yield the indexes that count other rows than most do; with a row count given, none.

    Each is compared with that then.
    """
    counts = Counter(index.num_rows for index in indexes if index.num_rows is not None)
    if subject.num_rows is not None or len(counts) < 2:
        return
    [(usual, _)] = counts.most_common(1)
    other = next(index for index in indexes if index.num_rows == usual)
    for index in indexes:
        if index.num_rows not in (None, usual):
            message = (
                f"its {index.spec.index_type} index counts {index.num_rows} rows, and the "
                f"{other.spec.index_type} index of {other.name} counts {usual}"
            )
            place = int(index.entry.ofs_body)
            yield Finding(ERROR, "index", subject.path, index.name, place, message, REBUILD)


def _by_column(indexes: Sequence[_Index], schema: Schema | None) -> dict[str, list[_Index]]:
    """Return indexes by the column that has to be read for them, which may be a map."""
    found: dict[str, list[_Index]] = {}
    for index in indexes:
        column = index.spec.column
        if schema is not None and index.name in schema:
            column = schema.split(index.name)[0].name
        found.setdefault(column, []).append(index)
    return found


def _within(indexes: Sequence[_Index], schema: Schema | None, limits: Limits) -> Iterator[_Index]:
    """Yield indexes as far as that keeps within the limits, of columns whose type is known."""
    size = rows = 0
    for index in indexes:
        if index.is_typed and (schema is None or index.name not in schema):
            continue
        length = 0 if index.entry.is_empty else int(index.entry.len_body)
        size, rows = size + length, rows + (index.num_rows or 0)
        if size <= limits.bytes and rows <= limits.rows:
            yield index
        else:
            size, rows = size - length, rows - (index.num_rows or 0)


def _column(
    opened: FileIndex, column: str, indexes: Sequence[_Index], subject: _Subject, data: _Data | None
) -> Iterator[Finding]:
    schema, rows = subject.schema, None
    finding = partial(Finding, file=subject.path, column=column, byte=None)
    if schema is not None and not any(index.name in schema for index in indexes):
        message = "the schema has no such column, so its index is not checked for its type"
        yield finding(NOTE, "schema", message=message, remedy=_WRITTEN_WITH)
        schema = None
    if data is not None:
        try:
            own = Schema.from_arrow(columns_of(data.file, data.path, [column], schema))
            if schema is None:
                schema = own
            elif not _are_stored_alike(schema.column(column).type, own.column(column).type):
                message = (
                    f"it is {schema.column(column).type} in the schema, but "
                    f"{own.column(column).type} in {data.path}"
                )
                yield finding(ERROR, "schema", message=message, remedy=_schema_remedy(own))
                return
            rows = data.read([column], schema)
        except (SchemaError, UnsupportedError) as error:
            message = f"it cannot be compared with the data: {error}"
            remedy = "give the data file that the index was built from"
            yield finding(ERROR, "data-file", message=message, remedy=remedy)
    file_format = "" if data is None else data.file.format.lower()
    shifted = False
    for index in indexes:
        for found in _one(opened, index, subject, schema, rows, file_format):
            if found.check != "timestamps" or not shifted:
                yield found
            shifted = shifted or found.check == "timestamps"


def _one(
    opened: FileIndex,
    index: _Index,
    subject: _Subject,
    schema: Schema | None,
    rows: pa.Table | None,
    file_format: str,
) -> Iterator[Finding]:
    kind, name = index.spec.index_type, index.name
    finding = partial(Finding, file=subject.path, column=name, byte=None)
    if kind not in INDEX_TYPES:
        message = f"index type {kind!r} is unknown{none_of(kind, 'types are', INDEX_TYPES)}"
        remedy = f"paimon-ksy ignores it, but queries of Java fail; {REBUILD}"
        yield finding(WARNING, "index", message=message, remedy=remedy)
        return
    num_rows = index.num_rows or 0 if subject.num_rows is None else subject.num_rows
    if subject.num_rows is None and num_rows > MAX_ROWS:
        message = f"it counts {num_rows} rows, but is not checked row by row"
        remedy = f"give --data FILE, or --rows {num_rows} if that is how many the data file has"
        yield finding(NOTE, "index", message=message, remedy=remedy)
        return
    known = schema[name] if schema is not None and name in schema else None
    if known is None and not index.is_typed:
        known = _BIGINT
    if known is None:
        if not _sound_types(opened, index, num_rows):
            message = f"its {kind} index is not sound for any column type"
            remedy = f"to see what is wrong, give --schema; or {REBUILD}"
            yield finding(ERROR, "index", message=message, remedy=remedy)
        return
    own = schema if rows is not None and schema is not None else Schema((Field(name, known),))
    error = index_error(
        opened, index.spec, index.entry, num_rows, own, rows, file_format=file_format
    )
    if isinstance(error, ShiftedError):
        yield error.finding(subject.path)
    elif isinstance(error, UnsupportedError):
        yield finding(ERROR, "schema", message=str(error), remedy=_WRITTEN_WITH)
    elif error is not None:
        sound = [] if rows is not None else _sound_types(opened, index, num_rows)
        if not sound:
            yield corrupt("index", subject.path, error, remedy=REBUILD)
            return
        listed = " or ".join(map(str, sound))
        message = (
            f"its {kind} index is sound for {listed}, but not for {known}, the type in the schema"
        )
        remedy = f"{_WRITTEN_WITH}; if {known} is right, the index is damaged: {REBUILD}"
        yield finding(ERROR, "schema", message=message, remedy=remedy)


_WRITTEN_WITH = "give the schema that the file was written with"


def _schema_remedy(own: Schema) -> str:
    return f"{_WRITTEN_WITH}, such as --schema {shlex.quote(str(own))}"


def _are_stored_alike(one: DataType, other: DataType) -> bool:
    """Return whether values of the types are stored in the same form, where that can be told."""
    if one.root == other.root == "MAP":
        return all(
            _are_stored_alike(mine.type, its.type)
            for mine, its in zip(one.fields, other.fields, strict=True)
        )
    if one.is_timestamp and other.is_timestamp:  # files may be finer or coarser than the column
        return True
    return one.root == other.root or column_type(one) == column_type(other)


def _sound_types(opened: FileIndex, index: _Index, num_rows: int) -> list[DataType]:
    """Return the types for which the index is sound in itself, one of each form that is stored."""
    if not index.is_typed:
        return []
    return [
        kind
        for kind in STORED_FORMS
        if index_error(
            opened, index.spec, index.entry, num_rows, Schema((Field(index.name, kind),))
        )
        is None
    ]


# Deletion vectors -------------------------------------------------------------------------------


def _vectors(subject: _Subject, data: _Data | None = None) -> Iterator[Finding]:
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
            f"has {len(places)} vectors of different data files: give {path}:OFFSET, "
            f"with one of the offsets {listed:.80}",
            path=path,
        )
    for place in places:
        yield from _vector(subject, data, place)


def _vector(subject: _Subject, data: _Data | None, offset: int) -> Iterator[Finding]:
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
            yield found(error, remedy="give the data file that the vector belongs to")
    elif vector.max is not None and vector.max > MAX_POSITION[vector.bits]:
        message = f"it deletes row {vector.max}, which no data file has"
        yield Finding(WARNING, "deletion-vector", path, None, offset, message, HARMLESS)


# Bucket index -----------------------------------------------------------------------------------


def _bucket_index(subject: _Subject, data: _Data | None = None) -> Iterator[Finding]:
    index = read_bucket_index(subject.source)
    found = partial(Finding, check="bucket-index", file=subject.path, column=None)
    message = "taken for a bucket index: the format has no magic number"
    remedy = "if it is a vector file, give --kind vectors"
    yield found(NOTE, byte=None, message=message, remedy=remedy)
    for severity, byte, message in problems(index, subject.cardinality):
        remedy = _REMEDY_BUCKET if severity == ERROR else HARMLESS
        yield found(severity, byte=byte, message=message, remedy=remedy)
    if data is None:
        return
    if subject.schema is None:
        raise SchemaError("to compare a bucket index with data, give the columns of its key")
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
