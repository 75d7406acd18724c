"""Compare two index files of one kind: their fields, values and rows.

The fields are those of the map of bytes, matched by their paths. Files of more than `LARGE` bytes
are compared field by field only where bytes of files of one size differ, so the work is bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.inspection.byte_map import HexField, hex_fields, without_gaps
from paimon_ksy.inspection.inspect import FieldBytes, FileReport, inspect_file
from paimon_ksy.inspection.meaning_changes import (
    HashChange,
    IndexChange,
    VectorChange,
    hash_changes,
    index_changes,
    vector_changes,
)
from paimon_ksy.io.file_kind import (
    BUCKET_INDEX,
    FILE_INDEX,
    UNKNOWN,
    VECTORS,
    FileKind,
    kind_of,
    known_kind,
)
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer
from paimon_ksy.types.schema import Schema

LARGE = 1 << 18
"""The bytes of both files to compare field by field at once."""
_WINDOWS = 16  # so many of them, if files of one size are larger
ROW = 16
"""Bytes of a line of a hex dump: of a long field, these lines are compared."""
MAX_BYTES = 4 * ROW
"""Bytes of a field that a change has."""

_NAMES = ("key", "name", "index_type", "crc32")
"""Fields that name the element of a list that they are in."""
_ELEMENT = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class FieldChange(Answer):
    """A field that differs between the files; `old` or `new` is None if it is missing there."""

    KEYS = ("change", "old", "new")
    old: FieldBytes | None
    new: FieldBytes | None

    @property
    def change(self) -> Literal["changed", "added", "removed"]:
        """Whether the field was added, dropped or changed."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "changed"


@dataclass(frozen=True)
class FileDiff(Answer):
    """The differences between two files of one kind.

    Attributes:
        kind: The kind of both files.
        old: The name of the old file.
        new: The name of the new file.
        old_bytes: The size of the old file.
        new_bytes: The size of the new file.
        equal: Whether the files have the same bytes.
        indexes: The indexes that differ, for file indexes.
        same_indexes: The number of equal indexes; None for other kinds of files.
        vectors: The first deletion vectors that differ.
        num_vectors: The number of deletion vectors that differ.
        same_vectors: The number of equal deletion vectors; None for other kinds of files.
        hashes: The hash codes that differ, for bucket indexes.
        fields: The first fields that differ.
        num_fields: The number of fields that are known to differ.
        left_out: The bytes of large files that may differ beyond these fields.
        errors: The errors in the files.
    """

    KEYS = (
        *("old", "new", "kind=kind.id", "old_bytes", "new_bytes", "equal", "indexes"),
        *("same_indexes", "vectors", "num_vectors", "same_vectors", "hash_codes=hashes"),
        *("fields", "num_fields", "bytes_left_out=left_out", "errors"),
    )
    DETAILS = ("old", "new", "equal", "fields", "num_fields", "bytes_left_out", "errors")
    kind: FileKind
    old: str
    new: str
    old_bytes: int
    new_bytes: int
    equal: bool
    indexes: tuple[IndexChange, ...] = ()
    same_indexes: int | None = None
    vectors: tuple[VectorChange, ...] = ()
    num_vectors: int = 0
    same_vectors: int | None = None
    hashes: HashChange | None = None
    fields: tuple[FieldChange, ...] = ()
    num_fields: int = 0
    left_out: int = 0
    errors: tuple[PaimonKsyError, ...] = ()


def diff_files(
    old: Source,
    new: Source,
    schema: Schema | None = None,
    *,
    kinds: tuple[FileKind, FileKind] = (UNKNOWN, UNKNOWN),
    most: int = 1000,
) -> FileDiff:
    """Compare two files.

    Args:
        old: A file index, a vector file, or a bucket index.
        new: Another file of this kind.
        schema: The types of the columns. With it, indexes are compared value by value.
        kinds: The kinds of the files. By default, they follow from the bytes.
        most: The most differences of each kind to list.

    Returns:
        The differences. Errors in parts of the files are in `errors`.

    Raises:
        UnsupportedError: The files are of different kinds, or of an unsupported one.
        CorruptFileError: Nothing of the files can be compared.
    """
    sides = zip(kinds, (old, new), strict=True)
    kind, other = (kind_of(source) if each is UNKNOWN else each for each, source in sides)
    if UNKNOWN in (kind, other):  # a file with a corrupt magic number
        kind = other = known_kind(old, other if kind is UNKNOWN else kind)
    if kind is not other:
        raise UnsupportedError(
            f"is {other.title}, but {old.name} is {kind.title}: pass two files of one kind, or "
            "--kind",
            path=new.name,
        )
    if kind not in _CHANGES:
        names = ", ".join(each.name for each in _CHANGES)
        message = f"is {kind.title}, but only these kinds are compared: {names}"
        raise UnsupportedError(message, path=old.name)
    if old.size == new.size and all(one == other for _, one, other in _windows(old, new)):
        return FileDiff(kind, old.name, new.name, old.size, new.size, equal=True)
    reports: list[FileReport] = []
    errors: list[PaimonKsyError] = []
    for source in (old, new):
        try:
            reports.append(inspect_file(source, schema, top=0, kind=kind))
        except CorruptFileError as error:
            errors.append(error)
    if not reports:
        raise errors[0]
    errors += [report.error for report in reports if report.error is not None]
    apart = _fields(old, new, kind, schema, most)
    if len(reports) == 2:
        changes = _CHANGES[kind]([old, new], reports, most)
        errors += changes.pop("errors", ())
        apart |= changes
    sizes = old.size, new.size
    return FileDiff(kind, old.name, new.name, *sizes, equal=False, errors=tuple(errors), **apart)


def _windows(old: Source, new: Source) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield where in the files, and the bytes of both from there, `LARGE` at once."""
    for at in range(0, max(old.size, new.size), LARGE):
        one, other = (
            source.read(min(at, source.size), max(0, min(LARGE, source.size - at)))
            for source in (old, new)
        )
        yield at, one, other


_CHANGES: dict[FileKind, Callable[..., dict[str, Any]]] = {
    FILE_INDEX: index_changes,
    VECTORS: vector_changes,
    BUCKET_INDEX: hash_changes,
}


# Fields -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stretch:
    """The bytes of a file from `start` on, and their fields, without gaps between them."""

    data: bytes
    start: int
    fields: Sequence[HexField]

    def of(self, field: HexField) -> bytes:
        """Return the bytes of a field."""
        return self.data[field.start - self.start : field.end - self.start]

    def side(self, field: HexField | None, at: int) -> FieldBytes | None:
        """Return a field, with its bytes from the line on that contains byte `at` of it."""
        if field is None:
            return None
        at = min(at, max(field.end - field.start - 1, 0))
        at -= at % ROW
        data = self.of(field)[at : at + MAX_BYTES]
        return FieldBytes(field.start, field.end, field.path, field.value, field.start + at, data)


def _fields(
    old: Source, new: Source, kind: FileKind, schema: Schema | None, most: int
) -> dict[str, Any]:
    """Return the fields that differ, as attributes of `FileDiff`."""
    if old.size != new.size and max(old.size, new.size) > LARGE:
        return {"left_out": max(old.size, new.size)}
    changes: list[FieldChange] = []
    windows = left_out = 0
    for at, one, other in _windows(old, new):
        if one == other:
            continue
        if windows == _WINDOWS or len(changes) >= most:
            mine, theirs = (np.frombuffer(data, np.uint8) for data in (one, other))
            left_out += int(np.count_nonzero(mine != theirs))
            continue
        windows += 1
        stretches = [
            _Stretch(data, at, hex_fields(source, schema, at, len(data), kind) if data else [])
            for source, data in ((old, one), (new, other))
        ]
        changes += _field_changes(*stretches)
    return {"fields": tuple(changes[:most]), "num_fields": len(changes), "left_out": left_out}


def _field_changes(old: _Stretch, new: _Stretch) -> Iterator[FieldChange]:
    """Yield the fields that differ between two stretches, in the order of their places."""
    sides = [list(_with_fields_of(old, new)), list(_with_fields_of(new, old))]
    before, after = _by_key(*sides)
    keys = sorted({**before, **after}, key=lambda key: (after.get(key) or before[key]).start)
    for key in keys:
        one, other, at = before.get(key), after.get(key), 0
        if one is not None and other is not None:
            mine, theirs = old.of(one), new.of(other)
            if mine == theirs:
                continue
            pairs = enumerate(zip(mine, theirs, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
        yield FieldChange(old.side(one, at), new.side(other, at))


def _with_fields_of(mine: _Stretch, other: _Stretch) -> Iterator[HexField]:
    """Yield the fields of a stretch, with those of the other where bytes belong to no field.

    A malformed byte hides the fields after it, and so does the end of a truncated file. Up to
    there, both stretches are alike, so the other one has the hidden fields at the same places.
    """
    end = mine.start + len(mine.data)
    starts = [each.start for each in other.fields]
    for each in mine.fields:
        if each.path is not None:
            yield each
            continue
        hidden: Sequence[HexField] = ()
        if len(mine.data) == len(other.data) or each.end == end:
            first, stop = (bisect_left(starts, at) for at in (each.start, each.end))
            hidden = [field for field in other.fields[first:stop] if field.end <= each.end]
        for field in without_gaps(hidden, each.start, each.end):
            if field.path is not None:
                yield replace(field, value=None)
            else:
                yield from _lines(field.start, field.end)


def _lines(start: int, end: int) -> Iterator[HexField]:
    """Yield bytes outside all fields, as lines of a hex dump."""
    for at in range(start, end, ROW):
        yield HexField(at, min(at + ROW, end), None)


def _by_key(*sides: Sequence[HexField]) -> list[dict[Any, HexField]]:
    """Return the fields of both files by keys that match them: their paths.

    In a path, elements of lists of different lengths are named by their keys instead of numbered,
    so that one more entry is one addition, and does not change all entries after it.
    """
    names = [_names(fields) for fields in sides]
    labels: list[dict[tuple[str, int], str]] = [{}, {}]
    for prefix in names[0].keys() & names[1].keys():
        lists = [of[prefix] for of in names]
        if len(lists[0]) == len(lists[1]):
            continue
        for of, elements in zip(labels, lists, strict=True):
            times: Counter[tuple[str, ...]] = Counter()
            for number, name in elements.items():
                times[tuple(name)] += 1
                of[prefix, number] = f"[{name}, {times[tuple(name)]}]"
    keyed: list[dict[Any, HexField]] = [{}, {}]
    for of, fields, known in zip(labels, sides, keyed, strict=True):
        for each in fields:
            known[each.start if each.path is None else _key(each.path, of)] = each
    return keyed


def _key(path: str, labels: dict[tuple[str, int], str]) -> str:
    """Return a path with the names of elements instead of their numbers."""
    if not labels:
        return path
    start = path.rfind(": ") + 1  # before may be the name of a column
    return path[:start] + _ELEMENT.sub(
        lambda match: labels.get((path[: match.start() + start], int(match[1])), match[0]),
        path[start:],
    )


def _names(fields: Sequence[HexField]) -> dict[str, dict[int, list[str]]]:
    """Return what names the elements of each list: their values, or those of fields in them."""
    names: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in fields:
        path = each.path or ""
        for match in _ELEMENT.finditer(path, path.rfind(": ") + 1):
            name = names[path[: match.start()]][int(match[1])]
            rest = path[match.end() :].lstrip(".")
            if not rest or _ELEMENT.split(rest.partition(".")[0])[0] in _NAMES:
                name.append(repr(each.value))
    return names
