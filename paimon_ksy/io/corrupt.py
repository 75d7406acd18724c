"""Turn the errors of parsers and views about malformed bytes into CorruptFileError."""

from __future__ import annotations

from traceback import walk_tb
from typing import Any

from kaitaistruct import (
    EndOfStreamError,
    KaitaiStructError,
    ValidationFailedError,
    ValidationNotEqualError,
)

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.generated.checked import CHECKED
from paimon_ksy.io.file_kind import FILE_INDEX, UNKNOWN, field_path, kind_of, other_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import REBUILD
from paimon_ksy.runtime.errors import EndError, FormatError

MALFORMED = (KaitaiStructError, EOFError, ValueError, IndexError, OverflowError)
"""Errors for malformed bytes: of Kaitai's runtime, numpy and views (FormatError, a ValueError)."""

_VERSIONS = {
    CHECKED[
        field
    ].path: f"of the {what} index; supported: {' and '.join(map(str, CHECKED[field].values))}"
    for field, what in (
        ("file_index.version", "file"),
        ("bitmap_index.version", "bitmap"),
        ("bsi_head.version", "bsi"),
    )
}
"""The text after an unsupported version number, by its field."""
_MAGIC = CHECKED["file_index.magic"].path
_NO_MAGIC = "not a Paimon file index: it does not start with the magic number"

INDEX_REMEDY = f"the file is corrupt, or was written with another schema; {REBUILD}"
_OTHER_KIND = "pass the index of a data file; `paimon-ksy inspect FILE` shows what this file is"


class CorruptErrors:
    """Turn errors about malformed bytes into CorruptFileError with path, column and byte.

    Use it as a context manager around reads from `source`, for `column` if that is known.
    """

    __slots__ = ("column", "source")

    def __init__(self, source: Source, column: str | None = None) -> None:
        self.source = source
        self.column = column

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.raise_for(error)

    def raise_for(self, error: BaseException) -> None:
        """Raise CorruptFileError for malformed bytes; complete an existing CorruptFileError."""
        if isinstance(error, CorruptFileError):
            error.path = error.path or self.source.name
            error.column = error.column or self.column
            error.remedy = error.remedy or INDEX_REMEDY
        elif isinstance(error, MALFORMED) and not isinstance(error, PaimonKsyError):
            message, offset = self._describe(error)
            is_other = self.column is None and field_path(error) == _MAGIC
            if is_other and (found := other_kind(self.source, FILE_INDEX.title)):
                raise found from error
            is_other = is_other and kind_of(self.source) is UNKNOWN
            raise CorruptFileError(
                message,
                path=self.source.name,
                column=self.column,
                offset=offset,
                remedy=_OTHER_KIND if is_other else INDEX_REMEDY,
            ) from error

    def _describe(self, error: BaseException) -> tuple[str, int | None]:
        if isinstance(error, UnicodeDecodeError):
            return f"a name is not modified UTF-8 ({error.reason})", None
        offset = getattr(error, "offset", None)
        if offset is None:
            stream = getattr(error, "io", None)
            offset = self._position(stream)
            if isinstance(error, ValidationFailedError):  # report the field's start
                offset -= getattr(stream, "last_length", 0)
        if isinstance(error, EndError):
            return f"the file ends too early: {error.message}", offset
        if found := _describe_known(error):
            return found, offset
        if isinstance(error, FormatError):
            return error.message, offset
        if isinstance(error, EndOfStreamError | EOFError):
            return f"the file ends too early: {_line(error)}", offset
        if isinstance(error, ValidationFailedError):
            return _describe_invalid(error), offset
        return _line(error), offset

    def _position(self, stream: Any) -> int:
        """Return the byte of the file where reading stopped, even in the head's own stream."""
        position = int(self.source.stream.pos())
        if stream is None or stream is self.source.stream:
            return position
        return position - int(stream.size()) + int(stream.pos())


def _describe_known(error: BaseException) -> str | None:
    """Return the message about a wrong magic number or version; None for other errors."""
    field = field_path(error)
    if field == _MAGIC:
        return _NO_MAGIC
    value = getattr(error, "actual", getattr(error, "value", None))
    return f"unsupported version {value} {_VERSIONS[field]}" if field in _VERSIONS else None


def _describe_invalid(error: Any) -> str:
    field = _field_of(error)
    if isinstance(error, ValidationNotEqualError):
        return f"the field {field} is {error.actual!r} instead of {error.expected!r}"
    if hasattr(error, "actual"):
        return f"the field {field} cannot be {error.actual!r}"
    return f"the field {field}: {_line(error).rpartition('validation failed: ')[2]}"


def _field_of(error: BaseException) -> str:
    """Return the name of the field that a parser had just read when it raised an error."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    read = getattr(frame.f_locals.get("self"), "__dict__", {})
    return next((name for name in reversed(read) if not name.startswith("_")), "?")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
