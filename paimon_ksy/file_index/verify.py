"""Check that a file index is sound, alone or against its data file.

A file index has no checksum, so only a comparison with the data file finds changed bytes that still
parse. Without it, the check finds contradictions: each bitmap must be well formed, each row must
have one value or null, and all indexes must count the same rows.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.open import Data, columns_of
from paimon_ksy.data_files.orc.shifted import ShiftedError
from paimon_ksy.errors import (
    CorruptFileError,
    Remedy,
    SchemaError,
    UnsupportedError,
    counted,
    none_of,
)
from paimon_ksy.file_index.check import NO_OPTIONS, check_extent, entries_of, index_error
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.index_type import listed_indexes, text
from paimon_ksy.file_index.options import IndexSpec, spec_named
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import REBUILD, REBUILD_DEEP
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, corrupt
from paimon_ksy.types.data_type import DataType, column_type, quote
from paimon_ksy.types.parse import STORED_FORMS, parse_type
from paimon_ksy.types.schema import Field, Schema

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 1 << 26
"""Rows up to which an index is checked row by row on its own word: the work takes memory for each.

A small file can claim two billion rows. With the data file, or with `num_rows`, that is settled.
"""

_BIGINT = parse_type("BIGINT")


_QUICK_ROWS = 1 << 24
"""Rows up to which all types are tried for an index, which takes about a tenth of a second."""


@dataclass(frozen=True)
class _Index:
    """An index of a column in a file; `num_rows` is its own count, if it stores one."""

    spec: IndexSpec
    entry: Any
    num_rows: int | None

    @property
    def name(self) -> str:
        """The column's name in the file; for a key of a map, `m[key]`."""
        return self.spec.name

    @property
    def is_typed(self) -> bool:
        """Whether reading it needs the column's type, or its own type is unknown."""
        kind = INDEX_TYPES.get(self.spec.index_type)
        return kind is None or kind.is_typed


def check(subject: Subject, data: Data | None = None) -> Iterator[Finding]:
    """Yield the findings in a file index, which is compared with its data file if there is one."""
    try:
        opened = FileIndex(subject.source, subject.schema)
        yield from _head(opened, subject.path)
        indexes = [_opened(opened, subject, *entry) for entry in entries_of(opened)]
    except CorruptFileError as error:
        yield corrupt("index", subject.path, error, remedy=REBUILD)
        return
    yield from _different_counts(indexes, subject)
    # An index without a body has no count; readers treat it like one of a file without rows.
    counted = max((index.num_rows or 0 for index in indexes), default=0)
    indexes = [
        replace(index, num_rows=counted) if index.entry.is_empty else index for index in indexes
    ]
    for column, its in _by_column(indexes, subject.schema).items():
        yield from _column(opened, column, its, subject, data)


def _opened(opened: FileIndex, subject: Subject, name: str, kind: str, entry: Any) -> _Index:
    options = subject.options or NO_OPTIONS
    specs = {(spec.name, spec.index_type): spec for spec in options.indexes}
    spec = specs.get((name, kind)) or spec_named(kind, name)
    count = None
    num_rows = INDEX_TYPES[kind].num_rows if kind in INDEX_TYPES else None
    if num_rows is not None and not entry.is_empty:
        with suppress(CorruptFileError), CorruptErrors(opened.source, name):
            check_extent(opened, entry)
            count = num_rows(opened.source, entry.ofs_body)
    return _Index(spec, entry, count)


def _head(opened: FileIndex, path: str) -> Iterator[Finding]:
    """Yield findings about the places of indexes."""
    head = opened.head.head
    twice = partial(Finding, WARNING, "index", path)
    names = Counter(text(column.name) for column in head.columns)
    for name in (name for name, times in names.items() if times > 1):
        message = "the head lists the column twice; readers use the indexes of both"
        yield twice(name, None, message, REBUILD)
    for column in head.columns:
        kinds = Counter(map(text, column.indexes_index_type))
        for kind in (kind for kind, times in kinds.items() if times > 1):
            message = f"the head lists two indexes of type {kind}; readers use the last one"
            yield twice(text(column.name), None, message, REBUILD)
    redundant, there = head.len_redundant or 0, len(head.redundant or b"")
    if redundant != there:
        counts = f"the head counts {counted(redundant, 'byte')} for later versions"
        yield twice(None, None, f"{counts}, but has {there}", REBUILD)
    yield from _places(opened, path)


def _places(opened: FileIndex, path: str) -> Iterator[Finding]:
    """Yield findings about indexes that overlap, and bytes that none has."""
    places = sorted(
        (place.ofs_body, place.end, text(column.name))
        for column in opened.head.head.columns
        for _, place in listed_indexes(column)
        if not place.is_empty
    )
    ahead = [(0, opened.head.len_head, ""), *places]
    for (_, end, _), (start, _, name) in pairwise(ahead):
        if start < end:
            message = f"the index starts before byte {end}, where the previous part ends"
            yield Finding(ERROR, "index", path, name, start, message, REBUILD)
        elif start > end:
            message = f"{counted(start - end, 'byte')} before the index: no index has them"
            yield Finding(WARNING, "index", path, name, end, message, REBUILD)
    size, last = opened.source.size, max(end for _, end, _ in ahead)
    if last < size:
        message = f"{counted(size - last, 'byte', 'follow')} the last index"
        yield Finding(ERROR, "index", path, None, last, message, REBUILD)


def _different_counts(indexes: Sequence[_Index], subject: Subject) -> Iterator[Finding]:
    """Yield the indexes that count other rows than most do.

    If the number of rows is known, yield none, because each index is compared with it instead.
    """
    counts = Counter(index.num_rows for index in indexes if index.num_rows is not None)
    if subject.num_rows is not None or len(counts) < 2:
        return
    [(usual, _)] = counts.most_common(1)
    other = next(index for index in indexes if index.num_rows == usual)
    for index in indexes:
        if index.num_rows not in (None, usual):
            message = (
                f"its {index.spec.index_type} index counts {counted(index.num_rows, 'row')}, "
                f"and the {other.spec.index_type} index of {other.name} counts {usual}"
            )
            place = int(index.entry.ofs_body)
            yield Finding(ERROR, "index", subject.path, index.name, place, message, REBUILD)


def _by_column(indexes: Sequence[_Index], schema: Schema | None) -> dict[str, list[_Index]]:
    """Group indexes by the column to read for them, which may be a map."""
    by_column: dict[str, list[_Index]] = {}
    for index in indexes:
        column = index.spec.column
        if schema is not None and index.name in schema:
            column = schema.split(index.name)[0].name
        by_column.setdefault(column, []).append(index)
    return by_column


def _column(
    opened: FileIndex, column: str, indexes: Sequence[_Index], subject: Subject, data: Data | None
) -> Iterator[Finding]:
    schema, rows = subject.schema, None
    finding = partial(Finding, file=subject.path, column=column, byte=None)
    if schema is not None and not any(index.name in schema for index in indexes):
        message = "the schema has no such column, so its index is not checked for its type"
        yield finding(NOTE, "schema", message=message, remedy=_WRITTEN_WITH)
        schema = None
    if data is not None:
        try:
            stored = Schema.from_arrow(columns_of(data.file, data.path, [column], schema))
            if schema is None:
                schema = stored
            elif not _are_stored_alike(schema.column(column).type, stored.column(column).type):
                message = (
                    f"it is {schema.column(column).type} in the schema, but "
                    f"{stored.column(column).type} in {data.path}"
                )
                remedy = f"{_WRITTEN_WITH}, such as --schema {shlex.quote(str(stored))}"
                yield finding(ERROR, "schema", message=message, remedy=remedy)
                return
            rows = data.read([column], schema)
        except (SchemaError, UnsupportedError) as error:
            message = f"it cannot be compared with the data: {error}"
            remedy = "pass the data file that the index was built from"
            yield finding(ERROR, "data-file", message=message, remedy=remedy)
    file_format = "" if data is None else data.file.format.lower()
    shifted = False
    for index in indexes:
        for each in _of_index(opened, index, subject, schema, rows, file_format):
            if each.check != "timestamps" or not shifted:
                yield each
            shifted = shifted or each.check == "timestamps"


def _of_index(
    opened: FileIndex,
    index: _Index,
    subject: Subject,
    schema: Schema | None,
    rows: pa.Table | None,
    file_format: str,
) -> Iterator[Finding]:
    kind, name = index.spec.index_type, index.name
    finding = partial(Finding, file=subject.path, column=name, byte=None)
    if kind not in INDEX_TYPES:
        message = f"index type {kind!r} is unknown{none_of(kind, 'types are', INDEX_TYPES)}"
        java = Remedy("paimon-ksy ignores it, but queries of Java fail; ", REBUILD)
        yield finding(WARNING, "index", message=message, remedy=java)
        return
    num_rows = index.num_rows or 0 if subject.num_rows is None else subject.num_rows
    if subject.num_rows is None and num_rows > MAX_ROWS:
        message = f"it counts {counted(num_rows, 'row')}, but is not checked row by row"
        remedy = f"pass --data FILE, or --rows {num_rows} if the data file has this many"
        yield finding(NOTE, "index", message=message, remedy=remedy)
        return
    data_type = schema[name] if schema is not None and name in schema else None
    if data_type is None and not index.is_typed:
        data_type = _BIGINT
    if data_type is None:
        if not _sound_types(opened, index, num_rows):
            message = f"its {kind} index is corrupt: no column type fits it"
            remedy = Remedy("to see what is wrong, pass --schema; or ", REBUILD)
            yield finding(ERROR, "index", message=message, remedy=remedy)
        return
    of_index = schema if rows is not None else None
    of_index = of_index or Schema((Field(name, data_type),))
    error = index_error(
        opened, index.spec, index.entry, num_rows, of_index, rows, file_format=file_format
    )
    if isinstance(error, ShiftedError):
        yield error.finding(subject.path)
    elif isinstance(error, UnsupportedError):
        yield finding(ERROR, "schema", message=str(error), remedy=_WRITTEN_WITH)
    elif error is not None:
        sound = [] if rows is not None else _sound_types(opened, index, num_rows)
        if sound:
            message, correct = _another_type(index, data_type, sound)
            remedy = Remedy(f"{correct}; if {data_type} is right, the index is corrupt: ", REBUILD)
            yield finding(ERROR, "schema", message=message, remedy=remedy)
        else:
            remedy = REBUILD if rows is None else REBUILD_DEEP
            yield corrupt("index", subject.path, error, remedy=remedy)


def _another_type(index: _Index, data_type: DataType, sound: Sequence[DataType]) -> tuple[str, str]:
    """Return what is wrong with the schema, and the remedy, if an index fits other types."""
    name = index.name if index.name.isidentifier() else quote(index.name)
    listed = " or ".join(map(str, sound))
    schemas = " or ".join(f"--schema {shlex.quote(f'{name} {each}')}" for each in sound)
    return (
        f"its type in the schema is {data_type}, but its {index.spec.index_type} index is sound "
        f"for {listed}",
        f"correct the type: {schemas}",
    )


_WRITTEN_WITH = "pass the schema that the file was written with"


def _are_stored_alike(one: DataType, other: DataType) -> bool:
    """Return whether values of the types are known to be stored in the same form."""
    if one.root == other.root == "MAP":
        return all(
            _are_stored_alike(mine.type, its.type)
            for mine, its in zip(one.fields, other.fields, strict=True)
        )
    if one.is_timestamp and other.is_timestamp:  # files may be finer or coarser than the column
        return True
    return one.root == other.root or column_type(one) == column_type(other)


def _sound_types(opened: FileIndex, index: _Index, num_rows: int) -> list[DataType]:
    """Return the types for which the index has no contradictions, one for each stored form."""
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


def schema_mismatch(
    source: Source, schema: Schema | None, error: CorruptFileError
) -> SchemaError | None:
    """Return an error about a wrong type in the schema; None if the index is corrupt instead."""
    if schema is None or error.column is None or error.column not in schema:
        return None
    data_type = schema[error.column]
    with suppress(CorruptFileError):
        opened = FileIndex(source)
        for entry in entries_of(opened):
            index = _opened(opened, Subject(source), *entry)
            # An index without rows fits any type; what takes long is not tried.
            if index.name == error.column and 0 < (index.num_rows or 1) <= _QUICK_ROWS:
                sound = _sound_types(opened, index, index.num_rows or 0)
                if sound and column_type(data_type) not in map(column_type, sound):
                    message, remedy = _another_type(index, data_type, sound)
                    return SchemaError(message, path=error.path, column=error.column, remedy=remedy)
    return None
