"""Compare two index files of one kind: their fields, bytes, values and rows.

The work is bounded. Equal parts are compared only as bytes. Of different parts, up to `LARGE` bytes
are compared field by field. The rest of larger parts is compared only if both have the same size,
where bytes differ, and until enough differences are found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import zip_longest
from typing import Any

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.views.bucket_index import BUCKET_INDEX_HASHES
from paimon_ksy.inspection.byte_map import HexField, hex_fields, part_fields, vector_fields
from paimon_ksy.inspection.field_changes import FieldChange, Stretch, field_changes
from paimon_ksy.inspection.meaning_changes import (
    HashChange,
    IndexChange,
    OneIndex,
    VectorChange,
    hash_change,
    index_change,
    vector_change,
)
from paimon_ksy.inspection.parsed_file import FilePart, file_parts
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
from paimon_ksy.table_index.bucket_index import read_bucket_index
from paimon_ksy.table_index.deletion_vector_file import (
    FIRST_VECTOR,
    StoredVector,
    read_stored,
    read_vectors,
)
from paimon_ksy.types.schema import Schema

LARGE = 1 << 18
"""The bytes of a part to compare field by field at once."""
_AT_ONCE = 1 << 20  # bytes to compare at once


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
        same_indexes: The number of equal indexes.
        vectors: The first deletion vectors that differ.
        num_vectors: The number of deletion vectors that differ.
        same_vectors: The number of equal deletion vectors.
        hashes: The hash codes that differ, for bucket indexes.
        fields: The first fields that differ.
        num_fields: The number of fields that are known to differ.
        left_out: The bytes of large parts that may differ beyond these fields.
        errors: The errors in the files.
    """

    KEYS = (
        *("old", "new", "kind=kind.id", "old_bytes", "new_bytes", "equal", "indexes"),
        *("same_indexes", "vectors", "num_vectors", "same_vectors", "hash_codes=hashes"),
        *("fields", "num_fields", "bytes_left_out=left_out", "errors"),
    )
    kind: FileKind
    old: str
    new: str
    old_bytes: int
    new_bytes: int
    equal: bool
    indexes: tuple[IndexChange, ...] = ()
    same_indexes: int = 0
    vectors: tuple[VectorChange, ...] = ()
    num_vectors: int = 0
    same_vectors: int = 0
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
        CorruptFileError: The head of a file is malformed, so that nothing can be compared.
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
    if kind not in _COMPARED:
        names = ", ".join(each.name for each in _COMPARED)
        message = f"is {kind.title}, but only these kinds are compared: {names}"
        raise UnsupportedError(message, path=old.name)
    return _COMPARED[kind](old, new, schema, most).diff()


@dataclass(frozen=True)
class _Part:
    """A part of a file: bytes `start` to `end`, and what its fields are found by.

    Of a body that cannot be read, that is its path; None of bytes that belong to no part.
    """

    start: int
    end: int
    found: Any = None

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.end - self.start


_NO_PART = _Part(0, 0)


class _Files(ABC):
    """Two files that are compared; a subclass for each kind knows their parts."""

    kind: FileKind

    def __init__(self, old: Source, new: Source, schema: Schema | None, most: int) -> None:
        self.old, self.new = old, new
        self.schema, self.most = schema, most
        self.errors: list[CorruptFileError] = []
        self.left_out = 0
        self.num_fields = 0

    def diff(self) -> FileDiff:
        """Return the difference."""
        whole = _Part(0, self.old.size), _Part(0, self.new.size)
        equal = self.is_same(*whole)
        return self.made(equal=equal, **({} if equal else self.found()))

    def made(self, *, equal: bool, **found: Any) -> FileDiff:
        """Return a difference of these files."""
        names, sizes = (self.old.name, self.new.name), (self.old.size, self.new.size)
        found |= {"left_out": self.left_out, "errors": tuple(self.errors)}
        return FileDiff(self.kind, *names, *sizes, equal, **found)

    @abstractmethod
    def found(self) -> dict[str, Any]:
        """Return what differs, as attributes of `FileDiff`."""

    @abstractmethod
    def fields_of(self, source: Source, part: _Part, start: int, end: int) -> list[HexField]:
        """Return the fields of some bytes of a part."""

    def is_same(self, old: _Part, new: _Part) -> bool:
        """Return whether the bytes of two parts are the same."""
        return old.size == new.size and next(self._apart(old, new), None) is None

    def _apart(self, old: _Part, new: _Part, step: int = _AT_ONCE) -> Iterator[int]:
        """Yield the stretches, `step` bytes each, that differ in two parts of one size."""
        for at in range(0, old.size, step):
            size = min(step, old.size - at)
            if self.old.read(old.start + at, size) != self.new.read(new.start + at, size):
                yield at

    def listed(self, pairs: Iterable[tuple[_Part | None, _Part | None]]) -> dict[str, Any]:
        """Return the fields that differ in these parts of both files."""
        shown: list[FieldChange] = []
        self.num_fields = 0
        for old, new in pairs:
            for change in self._changes(old or _NO_PART, new or _NO_PART):
                self.num_fields += 1
                if len(shown) < self.most:
                    shown.append(change)
        return {"fields": tuple(shown), "num_fields": self.num_fields}

    def _changes(self, old: _Part, new: _Part) -> Iterator[FieldChange]:
        """Yield the fields that differ in two parts."""
        if max(old.size, new.size) <= LARGE:
            yield from field_changes(
                self._stretch(self.old, old, old.start, old.end),
                self._stretch(self.new, new, new.start, new.end),
            )
            return
        if old.size != new.size:
            sides = []
            for source, part in ((self.old, old), (self.new, new)):
                end = min(part.start + LARGE, part.end)
                sides.append(self._stretch(source, part, part.start, end))
            for change in field_changes(*sides):
                if change.change == "changed" or min(old.size, new.size) == 0:
                    yield change
            self.left_out += max(old.size, new.size) - LARGE
            return
        for at in self._apart(old, new, LARGE):
            end = min(at + LARGE, old.size)
            if self.num_fields < self.most:
                yield from field_changes(
                    self._stretch(self.old, old, old.start + at, old.start + end),
                    self._stretch(self.new, new, new.start + at, new.start + end),
                )
            else:
                data = [
                    np.frombuffer(source.read(part.start + at, end - at), np.uint8)
                    for source, part in ((self.old, old), (self.new, new))
                ]
                self.left_out += int(np.count_nonzero(data[0] != data[1]))

    def _stretch(self, source: Source, part: _Part, start: int, end: int) -> Stretch:
        fields = self.fields_of(source, part, start, end) if start < end else []
        return Stretch(source.read(start, end - start), start, fields)


class _IndexFiles(_Files):
    """Two file indexes."""

    kind = FILE_INDEX

    def found(self) -> dict[str, Any]:
        opened: list[FileIndex | None] = []
        for source in (self.old, self.new):
            try:
                opened.append(FileIndex(source, self.schema))
            except CorruptFileError as error:
                self.errors.append(error)
                opened.append(None)
        self._parts = {id(source): self._parsed(source) for source in (self.old, self.new)}
        if opened[0] is None or opened[1] is None:
            return self._of_broken_heads(opened)
        old, new = opened[0], opened[1]
        places = {
            (column, kind): None
            for each in (old, new)
            for column, entries in each.places.items()
            for kind in entries
        }
        changes: list[IndexChange] = []
        heads = self._head(self.old, old), self._head(self.new, new)
        pairs: list[tuple[_Part | None, _Part | None]] = [heads]
        ends = [{(part.start, part.end)} for part in heads]
        for column, kind in places:
            sides = [OneIndex(each, each.places.get(column, {}).get(kind)) for each in (old, new)]
            parts = [self._body(side, column) for side in sides]
            for covered, part in zip(ends, parts, strict=True):
                if part is not None:
                    covered.add((part.start, part.end))
            if self._is_same_index(sides, parts):
                continue
            data_type = None
            if self.schema is not None and column in self.schema:
                data_type = self.schema[column]
            changes.append(index_change(sides, column, kind, data_type, self.most))
            self.errors += changes[-1].errors
            pairs.append((parts[0], parts[1]))
        rest = [
            list(_uncovered(covered, source.size))
            for covered, source in zip(ends, (self.old, self.new), strict=True)
        ]
        for at in range(max(map(len, rest))):
            gap = [each[at] if at < len(each) else None for each in rest]
            pairs.append((gap[0], gap[1]))
        return {
            "indexes": tuple(changes),
            "same_indexes": len(places) - len(changes),
            **self.listed(pairs),
        }

    def _is_same_index(self, sides: Sequence[OneIndex], parts: Sequence[_Part | None]) -> bool:
        if sides[0].entry is None or sides[1].entry is None:
            return False
        if parts[0] is None or parts[1] is None:
            return parts[0] is parts[1] and sides[0].size == sides[1].size
        return self.is_same(parts[0], parts[1])

    def _parsed(self, source: Source) -> list[FilePart]:
        with suppress(CorruptFileError):
            return file_parts(source, self.schema)
        return []

    def _head(self, source: Source, opened: FileIndex) -> _Part:
        parts = self._parts[id(source)]
        return _Part(0, min(opened.head.len_head, source.size), parts[0] if parts else None)

    def _body(self, index: OneIndex, column: str) -> _Part | None:
        """Return the body of an index as far as it lies in the file; None without one."""
        if index.entry is None or index.entry.is_empty:
            return None
        source = index.opened.source
        start = min(max(int(index.entry.ofs_body), 0), source.size)
        end = min(max(start + int(index.entry.len_body), start), source.size)
        known = {part.start: part for part in self._parts[id(source)][1:]}
        return _Part(start, end, known.get(int(index.entry.ofs_body), f"{column}: body"))

    def _of_broken_heads(self, opened: Sequence[FileIndex | None]) -> dict[str, Any]:
        """Return the fields that differ if the head of a file cannot be read.

        Raises CorruptFileError if neither can.
        """
        if opened[0] is opened[1]:
            raise self.errors[0]
        sound = self.old if opened[0] is not None else self.new
        ends = sorted(part.start for part in self._parts[id(sound)])
        bounds = [*ends, max(self.old.size, self.new.size)]
        pairs = []
        for number, start in enumerate(bounds[:-1]):
            sides = [
                _Part(min(start, source.size), min(bounds[number + 1], source.size), _ANY)
                for source in (self.old, self.new)
            ]
            pairs.append((sides[0], sides[1]))
        return self.listed((old, new) for old, new in pairs if not self.is_same(old, new))

    def fields_of(self, source: Source, part: _Part, start: int, end: int) -> list[HexField]:
        if part.found is _ANY:
            return hex_fields(source, self.schema, start, end - start)
        if part.found is None or isinstance(part.found, str):
            return [HexField(start, end, part.found)]
        return part_fields(source, part.found, self._parts[id(source)], start, end)


_ANY = object()
"""Stands for what is parsed of any bytes of a file."""


def _uncovered(covered: Iterable[tuple[int, int]], size: int) -> Iterator[_Part]:
    """Yield the bytes of a file that belong to no part."""
    at = 0
    for start, end in sorted(covered):
        if start > at:
            yield _Part(at, start)
        at = max(at, end)
    if at < size:
        yield _Part(at, size)


@dataclass(frozen=True)
class _Vector:
    """A vector in a file: its number, and a digest of its bytes."""

    number: int
    digest: bytes


class _VectorFiles(_Files):
    """Two files of deletion vectors."""

    kind = VECTORS

    def found(self) -> dict[str, Any]:
        sides = [self._parts_of(source) for source in (self.old, self.new)]
        if not any(vectors for _, vectors, _ in sides) and self.errors:
            raise self.errors[0]
        vectors = list(_matched(sides[0][1], sides[1][1]))
        apart = [pair for pair in vectors if _digest(pair[0]) != _digest(pair[1])]
        heads, tails = (sides[0][0], sides[1][0]), (sides[0][2], sides[1][2])
        return {
            "vectors": tuple(self._change(*pair) for pair in apart[: self.most]),
            "num_vectors": len(apart),
            "same_vectors": len(vectors) - len(apart),
            **self.listed([heads, *apart, tails]),
        }

    def _parts_of(self, source: Source) -> tuple[_Part, list[_Part], _Part]:
        """Return the head of a file, its vectors up to one that is broken, and what is left."""
        vectors: list[_Part] = []
        try:
            for stored in read_vectors(source, verify=False):
                data = source.read(stored.offset, stored.end - stored.offset)
                found = _Vector(len(vectors), blake2b(data, digest_size=16).digest())
                vectors.append(_Part(stored.offset, stored.end, found))
        except CorruptFileError as error:
            self.errors.append(error)
        start = vectors[0].start if vectors else min(FIRST_VECTOR, source.size)
        return _Part(0, start), vectors, _Part(vectors[-1].end if vectors else start, source.size)

    def _change(self, old: _Part | None, new: _Part | None) -> VectorChange:
        numbers = (
            None if old is None else old.found.number,
            None if new is None else new.found.number,
        )
        return vector_change(_stored(self.old, old), _stored(self.new, new), numbers, self.most)

    def fields_of(self, source: Source, part: _Part, start: int, end: int) -> list[HexField]:
        if part.found is None:
            return hex_fields(source, None, start, end - start)
        stored = _stored(source, part)
        assert stored is not None
        return [
            replace(each, start=max(each.start, start), end=min(each.end, end))
            for each in vector_fields(source, stored, part.found.number)
            if each.end > start and each.start < end
        ]


def _digest(part: _Part | None) -> bytes | None:
    return None if part is None else part.found.digest


def _stored(source: Source, part: _Part | None) -> StoredVector | None:
    return None if part is None else read_stored(source, part.start, verify=False)


def _matched(
    old: Sequence[_Part], new: Sequence[_Part]
) -> Iterator[tuple[_Part | None, _Part | None]]:
    """Yield pairs of vectors: matched by number, or if one file has more of them, by bytes.

    A vector file does not store to which data file a vector belongs.
    """
    if len(old) == len(new):
        yield from zip(old, new, strict=True)
        return
    there: dict[bytes, deque[_Part]] = defaultdict(deque)
    for part in new:
        there[part.found.digest].append(part)
    left = []
    for part in old:
        if there[part.found.digest]:
            yield part, there[part.found.digest].popleft()
        else:
            left.append(part)
    others = sorted(
        (part for parts in there.values() for part in parts), key=lambda each: each.start
    )
    yield from zip_longest(left, others)


class _BucketFiles(_Files):
    """Two bucket indexes."""

    kind = BUCKET_INDEX

    def found(self) -> dict[str, Any]:
        indexes = [read_bucket_index(source) for source in (self.old, self.new)]
        sides = (_Part(0, self.old.size, indexes[0]), _Part(0, self.new.size, indexes[1]))
        return {"hashes": hash_change(indexes[0], indexes[1], self.most), **self.listed([sides])}

    def fields_of(self, source: Source, part: _Part, start: int, end: int) -> list[HexField]:
        size = BUCKET_INDEX_HASHES.size
        hashes = part.found.hashes[start // size : -(-end // size)].tolist()
        fields = [
            HexField(at * size, (at + 1) * size, f"hashes[{at}]", code)
            for at, code in enumerate(hashes, start // size)
        ]
        after = len(part.found) * size
        if after < end:
            fields.append(HexField(max(after, start), end, "trailing", part.found.trailing))
        return fields


_COMPARED = {each.kind: each for each in (_IndexFiles, _VectorFiles, _BucketFiles)}
