"""Interpret the differences between two files: the values and rows gained and lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import zip_longest
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.columns.stored_values import floats_of
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
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
        if self.old_number is None:
            return "added"
        return "removed" if self.new_number is None else "changed"


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


def rows_of(positions: _Array, most: int) -> Rows:
    """Return ascending rows as `Rows` with at most `most` ranges."""
    if not len(positions):
        return Rows(0, (), 0)
    breaks = np.flatnonzero(np.diff(positions) != 1)
    first = positions[np.concatenate([[0], breaks + 1])]
    last = positions[np.concatenate([breaks, [len(positions) - 1]])]
    runs = tuple(zip(first[:most].tolist(), last[:most].tolist(), strict=True))
    return Rows(len(positions), runs, len(first))


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
        _Side(
            source,
            {
                (column.name, index.type): (column.type, index)
                for column in (report.file_index.columns if report.file_index is not None else ())
                for index in column.indexes
            },
        )
        for source, report in zip(sources, reports, strict=True)
    ]
    changes: list[IndexChange] = []
    errors: list[CorruptFileError] = []
    keys = {**sides[0].indexes, **sides[1].indexes}
    for key, (data_type, _) in keys.items():
        if sides[0].body(key) != sides[1].body(key):
            old, new = (side.read(key) for side in sides)
            errors += [each.error for each in (old, new) if each.error is not None]
            changes.append(_index_change(*key, data_type, old, new, most))
    return {
        "indexes": tuple(changes),
        "same_indexes": len(keys) - len(changes),
        "errors": errors,
    }


def _index_change(
    column: str, index_type: str, data_type: DataType | None, old: _Read, new: _Read, most: int
) -> IndexChange:
    change: Presence = "changed"
    if old.size is None or new.size is None:
        change = "added" if old.size is None else "removed"
    changed = IndexChange(column, data_type, index_type, change, old.size, new.size)
    if old.error or new.error:
        return changed
    facts = tuple(fact_changes(old.facts, new.facts))
    changed = replace(changed, facts=facts, note=old.note or new.note)
    return changed if changed.note else _with_values(changed, old.content, new.content, most)


_NOTHING = Content([], np.empty(0, np.int32), np.empty(0, np.bool_))


@dataclass(frozen=True)
class _Read:
    """An index as far as it can be read: row by row if there is no note and no error.

    Its size is None if the file does not have it.
    """

    size: int | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    content: Content = _NOTHING
    note: str | None = None
    error: CorruptFileError | None = None


@dataclass(frozen=True)
class _Side:
    """A file and its indexes, by column and type of the index, with the column's type."""

    source: Source
    indexes: Mapping[tuple[str, str], tuple[DataType | None, IndexReport]]

    def body(self, key: tuple[str, str]) -> bytes | None:
        """Return the bytes of an index; None if the file does not have it."""
        if key not in self.indexes:
            return None
        _, index = self.indexes[key]
        start = min(max(index.offset or 0, 0), self.source.size)
        size = max(0, min(index.size, self.source.size - start))
        return self.source.read(start, 0 if index.empty else size)

    def read(self, key: tuple[str, str]) -> _Read:
        """Return the facts and the content of an index."""
        if key not in self.indexes:
            return _Read(None)
        data_type, index = self.indexes[key]
        kind = INDEX_TYPES.get(index.type)
        if index.offset is None:
            return _Read(0)
        if kind is None:
            return _Read(index.size, note="the index type is unknown")
        if index.error is not None:
            return _Read(index.size, error=index.error)
        facts = to_json(index.body)
        facts.pop("values_seen", None)  # a property of the report, not of the index
        read = _Read(index.size, facts)
        data_type = data_type if data_type is not None or kind.is_typed else _BIGINT
        if data_type is None:
            return replace(read, note="to compare values, pass the column's type with --schema")
        if not kind.takes(data_type):
            return replace(read, note=f"such an index does not support {data_type}")
        if facts.get("rows", 0) > MAX_ROWS:
            return replace(read, note=f"it counts {facts['rows']:,} rows, too many")
        column, end = key[0], index.offset + index.size
        try:
            with CorruptErrors(self.source, column):
                reader = kind.reader(self.source, index.offset, column, data_type, index.size)
                content = kind.check(reader, index.offset, end)
        except CorruptFileError as error:
            return replace(read, error=error)
        except PaimonKsyError as error:
            return replace(read, note=str(error))
        if content is None:
            return replace(read, note="such an index stores no values")
        return replace(read, content=content)


def fact_changes(old: Any, new: Any, name: str = "") -> Iterator[Fact]:
    """Yield the plain values that differ between two JSON trees; lists are not compared."""
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        old, new = (each if isinstance(each, Mapping) else {} for each in (old, new))
        for key in {**old, **new}:
            yield from fact_changes(old.get(key), new.get(key), f"{name}.{key}" if name else key)
    elif old != new and all(isinstance(each, _PLAIN) for each in (old, new)):
        yield Fact(name, old, new)


_PLAIN = (int, float, str, type(None))


def _with_values(index: IndexChange, old: Content, new: Content, most: int) -> IndexChange:
    """Return the change with the values whose rows differ."""
    keys, mine, other = _joined(old, new)
    null = len(keys)
    shared = min(len(mine), len(other))
    apart = mine[:shared] != other[:shared]
    lost = np.bincount(mine[:shared][apart], minlength=null + 1)
    gained = np.bincount(other[:shared][apart], minlength=null + 1)
    lost += np.bincount(mine[shared:], minlength=null + 1)
    gained += np.bincount(other[shared:], minlength=null + 1)
    moved = gained + lost
    changed = np.flatnonzero(moved)
    order = changed[np.argsort(-moved[changed], kind="stable")]
    old_rows, new_rows = (np.bincount(each, minlength=null + 1) for each in (mine, other))
    data_type = index.data_type or _BIGINT
    values = tuple(
        ValueChange(
            **vars(
                Value(None, "NULL")
                if at == null
                else shown(_stored(keys[at], data_type), data_type)
            ),
            old_rows=int(old_rows[at]),
            new_rows=int(new_rows[at]),
            gained=int(gained[at]),
            lost=int(lost[at]),
        )
        for at in order[:most].tolist()
    )
    extra = np.arange(shared, max(len(mine), len(other)))
    rows = rows_of(np.concatenate([np.flatnonzero(apart), extra]), most)
    return replace(index, values=values, num_values=len(changed), rows=rows)


def _joined(old: Content, new: Content) -> tuple[Sequence[Any], _Array, _Array]:
    """Return all keys, and for each row of both files the number of its key; null comes last."""
    sides = [_keyed(old), _keyed(new)]
    keys: dict[Any, int] = {}
    numbers = []
    for of_side, _, _ in sides:
        listed = of_side if isinstance(of_side, list) else of_side.tolist()
        numbers.append(np.array([keys.setdefault(key, len(keys)) for key in listed], np.int64))
    coded = []
    for number, (_, places, nulls) in zip(numbers, sides, strict=True):
        codes = np.full(len(places), len(keys), np.int64)
        codes[~nulls] = number[places[~nulls]]
        coded.append(codes)
    return list(keys), coded[0], coded[1]


def _keyed(content: Content) -> tuple[Any, _Array, _Array]:
    """Return keys, the place of each row's key, and which rows are null, even for a BSI."""
    if content.keys is not None:
        return content.keys, content.places, content.nulls
    keys, places = np.unique(content.places, return_inverse=True)
    return keys, places, content.nulls


def _stored(key: Any, data_type: DataType) -> Any:
    """Return the value that an index stores for a key: floats are keys in their order."""
    if data_type.root in _FLOAT_KEYS:
        return floats_of(np.array([key], _FLOAT_KEYS[data_type.root]))[0]
    return key


# Deletion vectors and bucket indexes ------------------------------------------------------------


def vector_changes(
    sources: Sequence[Source], reports: Sequence[FileReport], most: int
) -> dict[str, Any]:
    """Return the deletion vectors that differ between two files, as attributes of `FileDiff`."""
    old, new = (report.vectors or () for report in reports)
    digests = [
        [
            blake2b(source.read(each.offset, each.end - each.offset), digest_size=16).digest()
            for each in vectors
        ]
        for source, vectors in zip(sources, (old, new), strict=True)
    ]
    pairs = _matched(*digests)
    apart = [(a, b) for a, b in pairs if a is None or b is None or digests[0][a] != digests[1][b]]
    changes = []
    for a, b in apart[:most]:
        sides = None if a is None else old[a], None if b is None else new[b]
        facts = tuple(fact_changes(*map(to_json, sides)))
        changes.append(VectorChange(a, b, facts, *rows_apart(*sides, most=most)))
    return {
        "vectors": tuple(changes),
        "num_vectors": len(apart),
        "same_vectors": len(pairs) - len(apart),
    }


def _matched(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int | None, int | None]]:
    """Return the numbers of vectors in pairs: by number, or if one file has more, by their digests.

    A vector file does not store to which data file a vector belongs.
    """
    if len(old) == len(new):
        return [(number, number) for number in range(len(old))]
    there = {digest: number for number, digest in enumerate(new)}
    same = [(number, there.pop(digest)) for number, digest in enumerate(old) if digest in there]
    matched = [set(numbers) for numbers in zip(*same, strict=True)] or [set(), set()]
    others = [
        [number for number in range(len(side)) if number not in numbers]
        for side, numbers in zip((old, new), matched, strict=True)
    ]
    return [*same, *zip_longest(others[0], others[1])]


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
