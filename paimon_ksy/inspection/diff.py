"""Compare two files of one kind: the reports of `inspect` on both, and their fields.

The fields are those of the map of bytes, matched by their paths. Files of more than `LARGE` bytes
are not compared field by field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.registry import FORMATS, kind_in
from paimon_ksy.io.file_format import FieldBytes, Subject
from paimon_ksy.io.file_kind import UNKNOWN, FileKind, known_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.changes import Change, changes
from paimon_ksy.messages.sections import Report

LARGE = 1 << 20
"""The most bytes of a file to compare field by field."""
ROW = 16
"""Bytes of a line of a hex dump: of a long field, these lines are compared."""
MAX_BYTES = 4 * ROW
"""Bytes of a field that a change has."""


@dataclass(frozen=True)
class FieldChange(Answer):
    """A field that differs between the files; `old` or `new` is None if it is missing there."""

    old: FieldBytes | None
    new: FieldBytes | None


@dataclass(frozen=True)
class FileDiff(Report):
    """The differences between two files of one kind.

    Attributes:
        old: The name of the old file.
        new: The name of the new file.
        kind: The kind of both files.
        old_bytes: The size of the old file.
        new_bytes: The size of the new file.
        equal: Whether the files have the same bytes.
        changes: The first differences between what `inspect` reports.
        num_changes: The number of these differences.
        fields: The first fields that differ.
        num_fields: The number of fields that differ; null for large files, which are not compared
            field by field.
        errors: The errors in the files.
    """

    old: str = field(metadata=keyed(text=False, title=True))
    new: str = field(metadata=keyed(text=False))
    kind: str
    old_bytes: int
    new_bytes: int
    equal: bool = field(metadata=keyed(text=False))
    changes: tuple[Change, ...] = field(default=(), metadata=keyed(text=False))
    num_changes: int = field(default=0, metadata=keyed(text=False))
    fields: tuple[FieldChange, ...] = field(default=(), metadata=keyed(text=False))
    num_fields: int | None = field(default=0, metadata=keyed(text=False))
    errors: tuple[PaimonKsyError, ...] = field(default=(), metadata=keyed(text=False))


def diff_files(
    before: Subject,
    after: Subject,
    *,
    kinds: Sequence[FileKind] = (UNKNOWN, UNKNOWN),
    most: int = 1000,
) -> FileDiff:
    """Compare two files.

    Args:
        before: A file index, a vector file, or a bucket index. With the types of the columns, the
            values of indexes are compared.
        after: Another file of this kind.
        kinds: The kinds of the files. By default, they follow from the bytes.
        most: The most differences of each kind to list.

    Returns:
        The differences. Errors in parts of the files are in `errors`.

    Raises:
        UnsupportedError: The files are of different kinds, or of an unsupported one.
        CorruptFileError: Nothing of the files can be compared.
    """
    old, new = before.source, after.source
    kind = _kind_of(old, new, kinds)
    diff = FileDiff(old.name, new.name, kind.id, old.size, new.size, equal=False)
    if _same_bytes(old, new):
        return replace(diff, equal=True)
    contents: list[Any] = []
    errors: list[PaimonKsyError] = []
    for subject in (before, after):
        try:
            contents.append(inspect_file(subject, top=None, kind=kind).content)
        except CorruptFileError as error:
            errors.append(error)
    if not contents:
        raise errors[0]
    errors += [error for content in contents if content is not None for error in content.errors]
    found = list(changes(*contents)) if len(contents) == 2 else []
    is_large = max(old.size, new.size) > LARGE
    fields = () if is_large else tuple(_field_changes(before, after, kind))
    return replace(
        diff,
        changes=tuple(found[:most]),
        num_changes=len(found),
        fields=fields[:most],
        num_fields=None if is_large else len(fields),
        errors=tuple(errors),
    )


def _kind_of(old: Source, new: Source, kinds: Sequence[FileKind]) -> FileKind:
    """Return the kind of both files. Raises UnsupportedError."""
    sides = zip(kinds, (old, new), strict=True)
    kind, other = (kind_in(source) if each is UNKNOWN else each for each, source in sides)
    if UNKNOWN in (kind, other):  # a file with a corrupt magic number
        kind = other = known_kind(old, other if kind is UNKNOWN else kind)
    if kind is not other:
        raise UnsupportedError(
            f"is {other.title}, but {old.name} is {kind.title}: pass two files of one kind, or "
            "--kind",
            path=new.name,
        )
    file_format = FORMATS.get(kind)
    if file_format is None or not file_format.is_read:
        names = ", ".join(each.kind.name for each in FORMATS.values() if each.is_read)
        message = f"is {kind.title}, but only these kinds are compared: {names}"
        raise UnsupportedError(message, path=old.name)
    return kind


def _same_bytes(old: Source, new: Source) -> bool:
    parts = range(0, old.size, LARGE)
    return old.size == new.size and all(
        len({source.read(at, min(LARGE, old.size - at)) for source in (old, new)}) == 1
        for at in parts
    )


# Fields -----------------------------------------------------------------------------------------


def _key(field: FieldBytes) -> str | int:
    """Return by what a field is matched: its path, or the place of bytes of no field."""
    return field.start if field.path is None else field.path


def _field_changes(before: Subject, after: Subject, kind: FileKind) -> Iterator[FieldChange]:
    """Yield the fields that differ, in the order of their places.

    A malformed byte hides the fields after it. In files of one size, a field that the other file
    lacks is compared with the bytes in its place, so these are left out as far as they are equal.
    """
    olds, news = (
        {_key(f): f for f in hex_fields(each.source, each.schema, 0, each.source.size, kind)}
        for each in (before, after)
    )
    sources = before.source, after.source
    in_place = sources[0].size == sources[1].size
    for key in sorted({**olds, **news}, key=lambda key: (news.get(key) or olds[key]).start):
        old, new = olds.get(key), news.get(key)
        place = new or olds[key]
        stored = [field.data if field else b"" for field in (old, new)]
        if in_place and not (old and new):
            stored = [source.read(place.start, place.size) for source in sources]
        if stored[0] != stored[1]:
            pairs = enumerate(zip(*stored, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(map(len, stored)))
            yield FieldChange(_side(old, at), _side(new, at))


def _side(field: FieldBytes | None, at: int) -> FieldBytes | None:
    """Return a field, with its bytes from the line on that contains byte `at` of it."""
    if field is None:
        return None
    at = min(at, max(field.size - 1, 0))
    at -= at % ROW
    return replace(field, data=field.data[at : at + MAX_BYTES], skipped=at)
