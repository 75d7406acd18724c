"""Interpret the differences between two files: the values and rows gained and lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.columns.stored_values import floats_of
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.report import shown
from paimon_ksy.inspection.inspect import FileReport, IndexReport
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, Value, to_json
from paimon_ksy.table_index.deletion_vector_file import StoredVector
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

MAX_ROWS = 1 << 24
"""Rows up to which indexes are compared row by row, which takes about a second, and memory for
each. A small file can claim two billion rows."""

_BIGINT = parse_type("BIGINT")
_FLOAT_KEYS = {"FLOAT": np.int32, "DOUBLE": np.int64}
_Array = NDArray[Any]

Presence = Literal["added", "removed", "changed"]


def presence(old: Any, new: Any) -> Presence:
    """Return whether a part is in both files."""
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


@dataclass(frozen=True)
class Fact(Answer):
    """A property that differs between the files; a missing value is None."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Rows(Answer):
    """A set of rows, with its first ranges.

    Attributes:
        count: The number of rows.
        ranges: The first and the last row of each of the first ranges.
        num_ranges: The number of ranges.
    """

    KEYS = ("rows=count", "ranges", "num_ranges")
    count: int
    ranges: tuple[tuple[int, int], ...]
    num_ranges: int


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
class VectorChange(Answer):
    """A deletion vector that differs between the files.

    Attributes:
        old_number: Its number in the old file; None if it is missing.
        new_number: Its number in the new file; None if it is missing.
        facts: What differs in the reports on both vectors.
        deleted: The rows that only the new vector deletes.
        restored: The rows that only the old vector deletes.
    """

    KEYS = ("change", "old_number", "new_number", "facts", "deleted", "restored")
    TITLE = ("change",)
    old_number: int | None
    new_number: int | None
    facts: tuple[Fact, ...]
    deleted: Rows
    restored: Rows

    @property
    def change(self) -> Presence:
        """Whether the vector is in both files."""
        return presence(self.old_number, self.new_number)


@dataclass(frozen=True)
class HashChange(Answer):
    """The hash codes that a bucket index gained and lost, the first of each.

    Repeated codes count repeatedly. If both counts are 0, the order or the trailing bytes changed.
    """

    facts: tuple[Fact, ...]
    gained: tuple[int, ...]
    num_gained: int
    lost: tuple[int, ...]
    num_lost: int


# File indexes -----------------------------------------------------------------------------------


def index_changes(
    sources: Sequence[Source], reports: Sequence[FileReport], most: int
) -> dict[str, Any]:
    """Return the indexes that differ between two files, as attributes of `FileDiff`.

    Args:
        sources: The old and the new file.
        reports: The reports on them.
        most: The most values, and ranges of rows, to list of each index.
    """
    sides = [
        {
            (column.name, index.type): (column.type, index)
            for column in (report.file_index.columns if report.file_index is not None else ())
            for index in column.indexes
        }
        for report in reports
    ]
    changes: list[IndexChange] = []
    errors: list[CorruptFileError] = []
    keys = {**sides[0], **sides[1]}
    for (column, kind), (data_type, _) in keys.items():
        old, new = (side.get((column, kind), (None, None))[1] for side in sides)
        if _body(sources[0], old) == _body(sources[1], new):
            continue
        old_size, new_size = (None if each is None else each.size for each in (old, new))
        change = IndexChange(column, data_type, kind, presence(old, new), old_size, new_size)
        broken = [each.error for each in (old, new) if each is not None and each.error is not None]
        if not broken:
            facts = fact_changes(old and to_json(old.body), new and to_json(new.body))
            # How many values the report lists is no property of an index.
            listed = tuple(fact for fact in facts if fact.name != "values_seen")
            change = replace(change, facts=listed)
            contents = []
            try:
                for source, index in zip(sources, (old, new), strict=True):
                    try:
                        contents.append(_content(source, column, data_type, index))
                    except CorruptFileError as error:
                        broken.append(error)
            except PaimonKsyError as error:
                change = replace(change, note=str(error))
            if len(contents) == 2:
                change = _with_values(change, *contents, most=most)
        errors += broken
        changes.append(change)
    return {
        "indexes": tuple(changes),
        "same_indexes": len(keys) - len(changes),
        "errors": errors,
    }


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


def fact_changes(old: Any, new: Any, name: str = "") -> Iterator[Fact]:
    """Yield the plain values that differ between two JSON trees; lists are not compared."""
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        old, new = (each if isinstance(each, Mapping) else {} for each in (old, new))
        for key in {**old, **new}:
            yield from fact_changes(old.get(key), new.get(key), f"{name}.{key}" if name else key)
    elif old != new and all(isinstance(each, _PLAIN) for each in (old, new)):
        yield Fact(name, old, new)


_PLAIN = (int, float, str, type(None))


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


# Deletion vectors and bucket indexes ------------------------------------------------------------


def vector_changes(
    sources: Sequence[Source], reports: Sequence[FileReport], most: int
) -> dict[str, Any]:
    """Return the deletion vectors that differ between two files, as attributes of `FileDiff`.

    A vector file does not store to which data file a vector belongs, so vectors with the same
    bytes are the same, and the others are matched by their order.
    """
    sides = [report.vectors or () for report in reports]
    digests = [
        [
            blake2b(source.read(each.offset, each.end - each.offset), digest_size=16).digest()
            for each in vectors
        ]
        for source, vectors in zip(sources, sides, strict=True)
    ]
    apart = [
        [number for number, digest in enumerate(mine) if digest not in its]
        for mine, its in zip(digests, map(set, reversed(digests)), strict=True)
    ]
    pairs = list(zip_longest(*apart))
    changes = []
    for of_old, of_new in pairs[:most]:
        old = None if of_old is None else sides[0][of_old]
        new = None if of_new is None else sides[1][of_new]
        facts = tuple(fact_changes(to_json(old), to_json(new)))
        rows = rows_apart(old, new, most=most)
        changes.append(VectorChange(of_old, of_new, facts, *rows))
    return {
        "vectors": tuple(changes),
        "num_vectors": len(pairs),
        "same_vectors": len(digests[1]) - len(apart[1]),
    }


def rows_of(positions: _Array, most: int) -> Rows:
    """Return ascending rows as `Rows` with at most `most` ranges."""
    if not len(positions):
        return Rows(0, (), 0)
    breaks = np.flatnonzero(np.diff(positions) != 1)
    first = positions[np.concatenate([[0], breaks + 1])]
    last = positions[np.concatenate([breaks, [len(positions) - 1]])]
    runs = tuple(zip(first[:most].tolist(), last[:most].tolist(), strict=True))
    return Rows(len(positions), runs, len(first))


def rows_apart(
    old: StoredVector | None, new: StoredVector | None, *, most: int
) -> tuple[Rows, Rows]:
    """Return the rows that only the new vector deletes, and those that only the old one does."""
    before, after = (
        np.empty(0, np.int64) if each is None else each.vector.positions() for each in (old, new)
    )
    return (
        rows_of(np.setdiff1d(after, before, assume_unique=True), most),
        rows_of(np.setdiff1d(before, after, assume_unique=True), most),
    )


def hash_changes(
    sources: Sequence[Source], reports: Sequence[FileReport], most: int
) -> dict[str, Any]:
    """Return the hash codes that a bucket index gained and lost, as attributes of `FileDiff`."""
    sides = [report.bucket_index for report in reports if report.bucket_index is not None]
    old, new = (side.hashes for side in sides)
    codes, which = np.unique(np.concatenate([old, new]), return_inverse=True)
    before, after = (
        np.bincount(part, minlength=len(codes)) for part in np.split(which, [len(old)])
    )
    gained = np.repeat(codes, (after - before).clip(min=0))
    lost = np.repeat(codes, (before - after).clip(min=0))
    listed = gained[:most].tolist(), lost[:most].tolist()
    change = HashChange(
        tuple(fact_changes(*map(to_json, sides))),
        tuple(listed[0]),
        len(gained),
        tuple(listed[1]),
        len(lost),
    )
    return {"hashes": change}
