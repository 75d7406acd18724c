"""The formats of files. All other modules ask their records, and know no format by its name."""

from __future__ import annotations

from typing import Any, get_type_hints

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import (
    BLOB,
    BLOB_REFERENCES,
    BUCKET_INDEX,
    FILE_INDEX,
    NAMED,
    ORC,
    PARQUET,
    ROARING,
    ROW,
    SIDECAR,
    UNKNOWN,
    VECTORS,
    FileKind,
    kind_of,
)
from paimon_ksy.io.registry import Registry
from paimon_ksy.io.source import Source

_OF_VECTORS = ("ivf-flat", "ivf-pq", "ivf-sq", "ivf-rq", "diskann")
_GLOBAL = ("bitmap", "old-bitmap", "btree", "fm", *_OF_VECTORS, "full-text")

_KINDS: dict[str, tuple[FileKind, ...]] = {
    "file_index": (FILE_INDEX,),
    "table_index": (VECTORS, BUCKET_INDEX),
    "roaring": (ROARING,),
    "data_files": (PARQUET, ORC, NAMED["mosaic"]),
    "global_index": tuple(NAMED[name] for name in _GLOBAL),
    "table_files": (BLOB, BLOB_REFERENCES, ROW, SIDECAR),
}
"""The kinds of files that each package has a record for."""

_WITHOUT_MAGIC = (ROARING, BLOB)
"""The kinds whose records can recognise files without a magic number."""


def _record(module: Any, kind: FileKind) -> FileFormat:
    records: tuple[FileFormat, ...] = module.FORMATS
    return next(record for record in records if record.kind is kind)


FORMATS: Registry[FileKind, FileFormat] = Registry(
    {kind: f"{package}.file_format" for package, kinds in _KINDS.items() for kind in kinds}, _record
)
"""The record of each format, by the kind of its files."""


def kind_in(source: Source) -> FileKind:
    """Return the kind of a file by its bytes; `UNKNOWN` if they do not determine it."""
    kind = kind_of(source)
    if kind is not UNKNOWN or source.size == 0:
        return kind
    for other in _WITHOUT_MAGIC:
        matches = FORMATS[other].matches
        if matches is not None and matches(source):
            return other
    return UNKNOWN


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
    functions = (getattr(record, function) for record in FORMATS.values())
    return [get_type_hints(f)["return"] for f in functions if f is not None]
