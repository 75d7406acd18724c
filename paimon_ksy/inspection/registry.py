"""The formats of files. All other modules ask their records, and know no format by its name."""

from __future__ import annotations

from importlib import import_module
from typing import get_type_hints

from ksykit.runtime.late import LateFunction

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import NAMED, UNKNOWN, FileKind, kind_of
from paimon_ksy.io.source import Source

_PACKAGES = (
    "file_index",
    "table_index",
    "roaring",
    "data_files",
    "global_index",
    "table_files",
)


FORMATS: dict[FileKind, FileFormat] = {
    each.kind: each
    for package in _PACKAGES
    for each in import_module(f"paimon_ksy.{package}.file_format").FORMATS
}
"""The record of each format, by the kind of its files."""


def kind_in(source: Source) -> FileKind:
    """Return the kind of a file by its bytes; `UNKNOWN` if they do not determine it."""
    kind = kind_of(source)
    if kind is not UNKNOWN or source.size == 0:
        return kind
    others = (each for each in FORMATS.values() if each.matches is not None)
    return next((each.kind for each in others if each.matches and each.matches(source)), UNKNOWN)


def checked_kind(name: str) -> FileKind:
    """Return the kind with this name that `verify` checks. Raises UnsupportedError."""
    kind = NAMED.get(name)
    checked = [each.kind for each in FORMATS.values() if each.check is not None]
    if kind is not None and kind in checked:
        return kind
    names = ", ".join(each.id for each in checked)
    raise UnsupportedError(f"kind {name!r}: must be one of {names}")


def answers_of(function: str) -> list[type]:
    """Return the types of the answers of a function of all records."""
    functions = (getattr(each, function) for each in FORMATS.values())
    plain = (
        each.function if isinstance(each, LateFunction) else each for each in functions if each
    )
    return [get_type_hints(each)["return"] for each in plain]
