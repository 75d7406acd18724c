"""Compare two index files of one kind: their fields, values and rows.

The fields are those of the map of bytes, matched by their paths. Files of more than `LARGE` bytes
are compared field by field only where bytes of files of one size differ, so the work is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.inspection.registry import FORMATS, answers_of, kind_in
from paimon_ksy.io.file_format import FieldBytes, Subject
from paimon_ksy.io.file_kind import UNKNOWN, FileKind, known_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, to_json
from paimon_ksy.messages.changes import FactChanges, Presence, fact_changes, presence

LARGE = 1 << 18
"""The bytes of both files to compare field by field at once."""
_WINDOWS = 16  # so many of them, if files of one size are larger
ROW = 16
"""Bytes of a line of a hex dump: of a long field, these lines are compared."""
MAX_BYTES = 4 * ROW
"""Bytes of a field that a change has."""


@dataclass(frozen=True)
class FieldChange(Answer):
    """A field that differs between the files; `old` or `new` is None if it is missing there."""

    KEYS = ("change", "old", "new")
    old: FieldBytes | None
    new: FieldBytes | None

    @property
    def change(self) -> Presence:
        """Whether the field is in both files."""
        return presence(self.old, self.new)


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
        content: What differs in what the files contain.
        fields: The first fields that differ.
        num_fields: The number of fields that are known to differ.
        left_out: The bytes of large files that may differ beyond these fields.
        errors: The errors in the files.
    """

    KEYS = (
        *("old", "new", "kind=kind.id", "old_bytes", "new_bytes", "equal", "**content", "fields"),
        *("num_fields", "bytes_left_out=left_out", "errors"),
    )
    DETAILS = ("old", "new", "equal", "fields", "num_fields", "bytes_left_out", "errors")
    kind: FileKind
    old: str
    new: str
    old_bytes: int
    new_bytes: int
    equal: bool
    content: Any = None  # an Answer
    fields: tuple[FieldChange, ...] = ()
    num_fields: int = 0
    left_out: int = 0
    errors: tuple[PaimonKsyError, ...] = ()

    @staticmethod
    def parts(name: str) -> list[type]:
        """Return the types of differences between contents of all formats."""
        return [*answers_of("compare"), FactChanges]


def diff_files(
    before: Subject,
    after: Subject,
    *,
    kinds: Sequence[FileKind] = (UNKNOWN, UNKNOWN),
    most: int = 1000,
) -> FileDiff:
    """Compare two files.

    Args:
        before: A file index, a vector file, or a bucket index. With the types of the columns,
            indexes are compared value by value.
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
    if old.size == new.size and all(one == other for _, one, other in _windows(old, new)):
        return FileDiff(kind, old.name, new.name, old.size, new.size, equal=True)
    reports: list[FileReport] = []
    errors: list[PaimonKsyError] = []
    for subject in (before, after):
        try:
            reports.append(inspect_file(subject, top=0, kind=kind))
        except CorruptFileError as error:
            errors.append(error)
    if not reports:
        raise errors[0]
    contents = [report.content for report in reports if report.content is not None]
    errors += [each.error for each in contents if each.error is not None]
    apart = _fields(before, after, kind, most)
    if len(contents) == 2:
        if file_format.compare is not None:
            content = file_format.compare((old, new), contents, most)
        else:
            content = FactChanges(tuple(fact_changes(*map(to_json, contents))))
        errors += getattr(content, "errors", ())
        apart["content"] = content
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


# Fields -----------------------------------------------------------------------------------------


def _fields(before: Subject, after: Subject, kind: FileKind, most: int) -> dict[str, Any]:
    """Return the fields that differ, as attributes of `FileDiff`."""
    old, new = before.source, after.source
    if old.size != new.size and max(old.size, new.size) > LARGE:
        return {"left_out": max(old.size, new.size)}
    changes: list[FieldChange] = []
    windows = left_out = 0
    for at, one, other in _windows(old, new):
        if one == other:
            continue
        if windows == _WINDOWS or len(changes) >= most:
            old_bytes, new_bytes = (np.frombuffer(data, np.uint8) for data in (one, other))
            left_out += int(np.count_nonzero(old_bytes != new_bytes))
            continue
        windows += 1
        fields, others = (
            {_key(f): f for f in hex_fields(each.source, each.schema, at, len(data), kind)}
            for each, data in ((before, one), (after, other))
        )
        changes += _field_changes(fields, others, one, other, at)
    return {"fields": tuple(changes[:most]), "num_fields": len(changes), "left_out": left_out}


def _key(field: FieldBytes) -> str | int:
    """Return by what a field is matched: its path, or the place of bytes of no field."""
    return field.start if field.path is None else field.path


def _field_changes(
    before: Mapping[Any, FieldBytes],
    after: Mapping[Any, FieldBytes],
    one: bytes,
    other: bytes,
    start: int,
) -> Iterator[FieldChange]:
    """Yield the fields that differ, in the order of their places.

    A malformed byte hides the fields after it. In files of one size, a field that the other file
    lacks is compared with the bytes in its place, so these are left out as far as they are equal.
    The bytes of both files, `one` and `other`, begin at `start`.
    """
    in_place = len(one) == len(other)
    for key in sorted({**before, **after}, key=lambda key: (after.get(key) or before[key]).start):
        old, new = before.get(key), after.get(key)
        field = new or before[key]
        place = slice(field.start - start, field.end - start) if in_place else slice(0)
        old_bytes = one[place] if old is None else old.data
        new_bytes = other[place] if new is None else new.data
        if old_bytes == new_bytes:
            continue
        pairs = enumerate(zip(old_bytes, new_bytes, strict=False))
        shorter = min(len(old_bytes), len(new_bytes))
        at = next((at for at, (a, b) in pairs if a != b), shorter)
        yield FieldChange(_side(old, at), _side(new, at))


def _side(field: FieldBytes | None, at: int) -> FieldBytes | None:
    """Return a field, with its bytes from the line on that contains byte `at` of it."""
    if field is None:
        return None
    at = min(at, max(field.size - 1, 0))
    at -= at % ROW
    return replace(field, data=field.data[at : at + MAX_BYTES], skipped=at)
