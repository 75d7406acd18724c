"""Turn the errors about malformed bytes into CorruptFileError."""

from __future__ import annotations

from ksykit.runtime.errors import EndError, FormatError

from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    PaimonKsyError,
    Remedy,
    UnsupportedError,
)
from paimon_ksy.generated.checked import CHECKED
from paimon_ksy.io.file_kind import FILE_INDEX, UNKNOWN, kind_of, other_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.commands import REBUILD

MALFORMED = (EOFError, ValueError, IndexError, OverflowError)
"""Errors for malformed bytes: of parsers, numpy and views (FormatError, a ValueError)."""

_INDEXES = {
    "file_index.version": "file",
    "bitmap_index.version": "bitmap",
    "bsi_head.version": "bsi",
}
_GLOBAL = {
    "btree_footer.version": "BTree",
    "global_bitmap_footer.version": "bitmap",
    "fm_footer.version": "FM",
}
"""Indexes that may have a later version, because the magic number is beside the version."""
_LATER = frozenset(CHECKED[field].path for field in _GLOBAL)
_VERSIONS = {
    CHECKED[field].path: f"of the {index} index; supported: {' and '.join(map(str, values))}"
    for field, index in {**_INDEXES, **_GLOBAL}.items()
    if (values := CHECKED[field].values)
}
"""The text after an unsupported version number, by its field."""
_MAGIC = CHECKED["file_index.magic"].path
_NO_MAGIC = "not a Paimon file index: it does not start with the magic number"

INDEX_REMEDY = Remedy("the file is corrupt, or was written with another schema; ", REBUILD)
_OTHER_KIND = Remedy("pass the index of a data file; ", Call("inspect"), " shows what this file is")


class CorruptErrors:
    """Turn errors about malformed bytes into CorruptFileError with path, column and byte.

    An unknown version of a global index becomes UnsupportedError. Use it as a context manager
    around reads from `source`, for `column` if that is known. `remedy` is that of such errors; by
    default, that of the kind of the file.
    """

    __slots__ = ("column", "remedy", "source")

    def __init__(
        self, source: Source, column: str | None = None, remedy: str | None = None
    ) -> None:
        self.source = source
        self.column = column
        self.remedy = remedy

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
            error.offset = self._within(error.offset)
            error.remedy = error.remedy or self._remedy
        elif isinstance(error, MALFORMED) and not isinstance(error, PaimonKsyError):
            is_other = self.column is None and getattr(error, "field", None) == _MAGIC
            if is_other and (of_kind := other_kind(self.source, FILE_INDEX.title)):
                raise of_kind from error
            is_other = is_other and kind_of(self.source) is UNKNOWN
            is_later = getattr(error, "field", None) in _LATER
            raise (UnsupportedError if is_later else CorruptFileError)(
                _describe(error),
                path=self.source.name,
                column=self.column,
                offset=self._within(getattr(error, "offset", None)),
                remedy=None if is_later else _OTHER_KIND if is_other else self._remedy,
            ) from error

    def _within(self, offset: int | None) -> int | None:
        """Return a byte of the file, or its end for bytes beyond it, which it lacks."""
        return None if offset is None else min(offset, self.source.size)

    @property
    def _remedy(self) -> str | None:
        kind = kind_of(self.source)
        default = INDEX_REMEDY if kind in (FILE_INDEX, UNKNOWN) else None
        return self.remedy or kind.remedy or default


def _describe(error: BaseException) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"a name is not modified UTF-8 ({error.reason})"
    message = error.message if isinstance(error, FormatError) else " ".join(str(error).split())
    if isinstance(error, EOFError | EndError):
        return f"the file ends too early: {message}"
    field = getattr(error, "field", None)
    if field == _MAGIC:
        return _NO_MAGIC
    if field in _VERSIONS:
        return f"unsupported version {getattr(error, 'value', None)} {_VERSIONS[field]}"
    return message
