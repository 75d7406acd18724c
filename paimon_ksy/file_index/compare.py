"""Compare two file indexes: the values and rows that each index gained and lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paimon_ksy.columns.stored_values import floats_of
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.inspect import FileIndexReport, IndexReport
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.report import shown
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, Value, to_json
from paimon_ksy.messages.changes import Fact, Presence, Rows, fact_changes, presence, rows_of
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

MAX_ROWS = 1 << 24
"""Rows up to which indexes are compared row by row, which takes about a second, and memory for
each. A small file can claim two billion rows."""

_BIGINT = parse_type("BIGINT")
_FLOAT_KEYS = {"FLOAT": np.int32, "DOUBLE": np.int64}


@dataclass(frozen=True)
class ValueChange(Value):
    """A value whose rows differ between the files; the value None is null.

    `gained` and `lost` are the rows that have it only in the new file, or only in the old one.
    """

    KEYS = ("value=plain", "old_rows", "new_rows", "gained", "lost")
    old_rows: int
    new_rows: int
    gained: int
    lost: int


@dataclass(frozen=True)
class IndexChange(Answer):
    """An index that differs between the files.

    Attributes:
        column: The column's name.
        data_type: Its type in the schema, if that is known.
        index_type: The type of the index.
        change: Whether the index is in both files.
        old_size: Bytes of its body; None if the old file does not have it, 0 if it is EMPTY.
        new_size: The size in the new file.
        facts: Properties of the index, such as the number of rows.
        values: The values whose rows changed, those with the most rows first.
        num_values: The number of values whose rows changed.
        rows: The rows whose value differs, or that exist in one file only; None if unknown.
        note: The reason why the values are unknown.
    """

    KEYS = (
        *("column", "type=data_type", "index_type", "change", "old_bytes=old_size"),
        *("new_bytes=new_size", "facts", "rows", "values", "num_values", "note"),
    )
    TITLE = ("column", "type", "index_type")
    column: str
    data_type: DataType | None
    index_type: str
    change: Presence
    old_size: int | None
    new_size: int | None
    facts: tuple[Fact, ...] = ()
    values: tuple[ValueChange, ...] = ()
    num_values: int = 0
    rows: Rows | None = None
    note: str | None = None


@dataclass(frozen=True)
class IndexChanges(Answer):
    """The indexes that differ between two files.

    Attributes:
        indexes: These indexes.
        same_indexes: The number of equal indexes.
        errors: The errors in the indexes.
    """

    KEYS = ("indexes", "same_indexes")
    indexes: tuple[IndexChange, ...]
    same_indexes: int
    errors: tuple[CorruptFileError, ...] = ()


def compare(
    sources: Sequence[Source], reports: Sequence[FileIndexReport], most: int
) -> IndexChanges:
    """Return the indexes that differ between two files; lists have at most so many items."""
    sides = [
        {
            (column.name, index.type): (column.type, index)
            for column in report.columns
            for index in column.indexes
        }
        for report in reports
    ]
    changes: list[IndexChange] = []
    errors: list[CorruptFileError] = []
    keys = {**sides[0], **sides[1]}
    for (column, kind), (data_type, _) in keys.items():
        both = [side.get((column, kind), (None, None))[1] for side in sides]
        if _body(sources[0], both[0]) == _body(sources[1], both[1]):
            continue
        old, new = (None if index is None else index.size for index in both)
        change = IndexChange(column, data_type, kind, presence(*both), old, new)
        broken = [index.error for index in both if index is not None and index.error is not None]
        if not broken:
            change, broken = _with_changes(change, data_type, sources, both, most)
        errors += broken
        changes.append(change)
    return IndexChanges(tuple(changes), len(keys) - len(changes), tuple(errors))


def _with_changes(
    change: IndexChange,
    data_type: DataType | None,
    sources: Sequence[Source],
    both: Sequence[IndexReport | None],
    most: int,
) -> tuple[IndexChange, list[CorruptFileError]]:
    """Return a change with the facts and values that differ, and the errors of the indexes."""
    old, new = (index and to_json(index.body) for index in both)
    facts = fact_changes(old, new)
    # How many values the report lists is no property of an index.
    change = replace(change, facts=tuple(fact for fact in facts if fact.name != "values_seen"))
    contents: list[Content] = []
    broken: list[CorruptFileError] = []
    try:
        for source, index in zip(sources, both, strict=True):
            try:
                contents.append(_content(source, change.column, data_type, index))
            except CorruptFileError as error:
                broken.append(error)
    except PaimonKsyError as error:
        change = replace(change, note=str(error))
    if len(contents) == 2:
        change = _with_values(change, *contents, most=most)
    return change, broken


def _body(source: Source, index: IndexReport | None) -> bytes | None:
    """Return the bytes of an index; None if the file does not have it."""
    if index is None:
        return None
    start = min(max(index.offset or 0, 0), source.size)
    return source.read(start, 0 if index.empty else max(0, min(index.size, source.size - start)))


def _content(
    source: Source, column: str, data_type: DataType | None, index: IndexReport | None
) -> Content:
    """Return the value of each row in an index; no rows if the file does not have it.

    Raises:
        UnsupportedError: The values are unknown.
        CorruptFileError: The index is malformed.
    """
    if index is None or index.offset is None:
        return Content([], np.empty(0, np.int32), np.empty(0, np.bool_))
    kind = INDEX_TYPES.get(index.type)
    if kind is None:
        raise UnsupportedError("the index type is unknown")
    data_type = data_type if data_type is not None or kind.is_typed else _BIGINT
    if data_type is None:
        raise UnsupportedError("to compare values, pass the column's type with --schema")
    if not kind.takes(data_type):
        raise UnsupportedError(f"such an index does not support {data_type}")
    rows = getattr(index.body, "rows", 0)
    if rows > MAX_ROWS:
        raise UnsupportedError(f"it counts {rows:,} rows, too many")
    with CorruptErrors(source, column):
        reader = kind.reader(source, index.offset, column, data_type, index.size)
        content = kind.check(reader, index.offset, index.offset + index.size)
    if content is None:
        raise UnsupportedError("such an index stores no values")
    return content


def _with_values(index: IndexChange, old: Content, new: Content, *, most: int) -> IndexChange:
    """Return the change with the values whose rows differ."""
    keys, *codes = _coded(old, new)
    null, absent = len(keys), len(keys) + 1
    num_rows = max(map(len, codes))
    before, after = (
        np.pad(each, (0, num_rows - len(each)), constant_values=absent) for each in codes
    )
    changed = np.flatnonzero(before != after)
    old_rows, new_rows, lost, gained = (
        np.bincount(each, minlength=absent)[:absent]
        for each in (before, after, before[changed], after[changed])
    )
    moved = gained + lost
    num_values = int(np.count_nonzero(moved))
    data_type = index.data_type or _BIGINT
    values = []
    for at in np.argsort(-moved, kind="stable")[: min(num_values, most)].tolist():
        value = Value(None, "NULL")
        if at != null:
            value = shown(_stored(keys[at], data_type), data_type)
        counts = (int(each[at]) for each in (old_rows, new_rows, gained, lost))
        values.append(ValueChange(value.plain, value.text, *counts))
    rows = rows_of(changed, most)
    return replace(index, values=tuple(values), num_values=num_values, rows=rows)


def _coded(*contents: Content) -> tuple[Any, ...]:
    """Return all keys, and the number of the key of each row of each content; null comes last."""
    keys: dict[Any, int] = {}
    sides = []
    for content in contents:
        distinct, places = content.keys, content.places
        if distinct is None:  # the places are the values of a BSI
            distinct, places = np.unique(places, return_inverse=True)
        listed = distinct if isinstance(distinct, list) else distinct.tolist()
        numbers = np.array([keys.setdefault(key, len(keys)) for key in listed], np.int64)
        sides.append((numbers, places, content.nulls))
    coded = []
    for numbers, places, nulls in sides:
        codes = np.full(len(places), len(keys), np.int64)
        codes[~nulls] = numbers[places[~nulls]]
        coded.append(codes)
    return list(keys), *coded


def _stored(key: Any, data_type: DataType) -> Any:
    """Return the value that an index stores for a key: floats are keys in their order."""
    if data_type.root in _FLOAT_KEYS:
        return floats_of(np.array([key], _FLOAT_KEYS[data_type.root]))[0]
    return key
