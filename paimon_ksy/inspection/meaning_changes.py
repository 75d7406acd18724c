"""Interpret the differences between two files: the values and rows gained and lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.columns.stored_values import floats_of
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.check import check_extent
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.file_index.report import shown
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.messages.answers import Answer, Value, to_json
from paimon_ksy.table_index.bucket_index import BucketIndex
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
        errors: The errors in the index, in the old and in the new file.
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
    errors: tuple[CorruptFileError, ...] = ()


@dataclass(frozen=True)
class VectorChange(Answer):
    """A deletion vector that differs between the files.

    Attributes:
        old_number: Its number in the old file; None if it is missing.
        new_number: Its number in the new file; None if it is missing.
        facts: Bits, deleted rows, and whether the CRC is right.
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


@dataclass(frozen=True)
class OneIndex:
    """An index in an open file; `entry` is its place, None if the file does not have it."""

    opened: FileIndex
    entry: Any

    @property
    def size(self) -> int | None:
        """The size of its body in bytes."""
        if self.entry is None:
            return None
        return 0 if self.entry.is_empty else int(self.entry.len_body)


def index_change(
    sides: Sequence[OneIndex], column: str, index_type: str, data_type: DataType | None, most: int
) -> IndexChange:
    """Return the change of an index.

    Args:
        sides: The index in the old and in the new file.
        column: The name of its column.
        index_type: The index type.
        data_type: The type of the column, if it is known.
        most: The most values, and ranges of rows, to list.
    """
    old, new = sides
    change: Presence = "changed"
    if old.entry is None or new.entry is None:
        change = "added" if old.entry is None else "removed"
    changed = IndexChange(column, data_type, index_type, change, old.size, new.size)
    if index_type not in INDEX_TYPES:
        return replace(changed, note="the index type is unknown")
    mine, other = (_read(each, column, index_type, data_type) for each in sides)
    errors = tuple(side.error for side in (mine, other) if side.error is not None)
    if errors:
        return replace(changed, errors=errors)
    changed = replace(changed, facts=tuple(fact_changes(mine.facts, other.facts)))
    if mine.note or other.note:
        return replace(changed, note=mine.note or other.note)
    return _with_values(changed, mine.content, other.content, most)


@dataclass(frozen=True)
class _Side:
    """The index in one file, row by row if there is no note and no error."""

    facts: Mapping[str, Any]
    content: Content
    note: str | None = None
    error: CorruptFileError | None = None


_NOTHING = Content([], np.empty(0, np.int32), np.empty(0, np.bool_))


def _read(index: OneIndex, column: str, index_type: str, data_type: DataType | None) -> _Side:
    """Read an index as far as it can be read."""
    entry, kind = index.entry, INDEX_TYPES[index_type]
    if entry is None or entry.is_empty:
        return _Side({}, _NOTHING)
    source, place = index.opened.source, (int(entry.ofs_body), int(entry.len_body))
    facts: dict[str, Any] = {}
    try:
        with CorruptErrors(source, column):
            check_extent(index.opened, entry)
            facts = to_json(kind.inspect(source, *place, column, data_type, 0))
            facts.pop("values_seen", None)  # a property of the report, not of the index
            known = data_type if data_type is not None or kind.is_typed else _BIGINT
            if known is None:
                note = "to compare values, pass the column's type with --schema"
                return _Side(facts, _NOTHING, note)
            if not kind.takes(known):
                return _Side(facts, _NOTHING, f"such an index does not support {known}")
            if facts.get("rows", 0) > MAX_ROWS:
                return _Side(facts, _NOTHING, f"it counts {facts['rows']:,} rows, too many")
            reader = kind.reader(source, place[0], column, known, place[1])
            content = kind.check(reader, place[0], sum(place))
    except CorruptFileError as error:
        return _Side(facts, _NOTHING, error=error)
    except PaimonKsyError as error:
        return _Side(facts, _NOTHING, str(error))
    if content is None:
        return _Side(facts, _NOTHING, "such an index stores no values")
    return _Side(facts, content)


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
    for own, _, _ in sides:
        listed = own if isinstance(own, list) else own.tolist()
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


def vector_change(
    old: StoredVector | None,
    new: StoredVector | None,
    numbers: tuple[int | None, int | None],
    most: int,
) -> VectorChange:
    """Return the change of a deletion vector.

    Args:
        old: The vector in the old file.
        new: The vector in the new file.
        numbers: Their numbers in these files.
        most: The most ranges of rows to list.
    """
    sides = [
        {}
        if stored is None
        else {
            "bits": stored.vector.bits,
            "deleted rows": stored.vector.cardinality,
            "CRC is right": stored.crc_ok,
        }
        for stored in (old, new)
    ]
    mine = np.empty(0, np.int64) if old is None else old.vector.positions()
    other = np.empty(0, np.int64) if new is None else new.vector.positions()
    deleted = rows_of(np.setdiff1d(other, mine, assume_unique=True), most)
    restored = rows_of(np.setdiff1d(mine, other, assume_unique=True), most)
    return VectorChange(*numbers, tuple(fact_changes(sides[0], sides[1])), deleted, restored)


def hash_change(old: BucketIndex, new: BucketIndex, most: int) -> HashChange:
    """Return the hash codes that a bucket index gained and lost, at most `most` of each."""
    codes, which = np.unique(np.concatenate([old.hashes, new.hashes]), return_inverse=True)
    counts = [
        np.bincount(part, minlength=len(codes)) for part in np.split(which, [len(old.hashes)])
    ]
    gained = np.repeat(codes, (counts[1] - counts[0]).clip(min=0))
    lost = np.repeat(codes, (counts[0] - counts[1]).clip(min=0))
    sides = [{"hash codes": len(each), "trailing bytes": len(each.trailing)} for each in (old, new)]
    return HashChange(
        tuple(fact_changes(sides[0], sides[1])),
        tuple(gained[:most].tolist()),
        len(gained),
        tuple(lost[:most].tolist()),
        len(lost),
    )
