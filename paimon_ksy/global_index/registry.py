"""The types of global indexes. Other modules ask their records, and know no type by its name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader, GlobalIndexType

_PACKAGES: tuple[str, ...] = ()


def _record(package: str) -> GlobalIndexType:
    record = import_module(f"paimon_ksy.global_index.{package}.index_type").INDEX_TYPE
    assert isinstance(record, GlobalIndexType)
    return record


GLOBAL_INDEX_TYPES: dict[str, GlobalIndexType] = {
    name: kind for kind in map(_record, _PACKAGES) for name in kind.names
}
"""The record of each type, by its name in index manifests."""


def open_global_index(files: Sequence[GlobalIndexFile]) -> GlobalIndexReader | None:
    """Open all files of one index that have the same row range.

    An index does not store the types of its columns. So the types in `files` have to be those that
    the columns had when it was built: after a change of type, most wrong keys are detected by their
    width, but an index of an INT looks like that of a FLOAT.

    Args:
        files: The files, which have the same type, columns and row range.

    Returns:
        None if paimon-ksy cannot answer with them: it does not know the type or version, or the
        keys do not fit the types of the columns.

    Raises:
        CorruptFileError: A file is corrupt.
    """
    kind = GLOBAL_INDEX_TYPES.get(files[0].index_type) if files else None
    return None if kind is None else kind.reader(files)
