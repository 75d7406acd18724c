"""The types of global indexes. Other modules ask their records, and know no type by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader, GlobalIndexType

_PACKAGES = ("btree", "bitmap")


def _records() -> Iterator[GlobalIndexType]:
    for package in _PACKAGES:
        yield from import_module(f"paimon_ksy.global_index.{package}.index_type").INDEX_TYPES


GLOBAL_INDEX_TYPES: dict[str, GlobalIndexType] = {
    name: kind for kind in _records() for name in kind.names
}
"""The record of each type, by its name in index manifests."""


def open_global_index(
    files: Sequence[GlobalIndexFile], *, deleted: int = 0
) -> GlobalIndexReader | None:
    """Open all files of one index that have the same row range.

    An index does not store the types of its columns. So the types in `files` have to be those that
    the columns had when it was built: after a change of type, most wrong keys are detected by their
    width, but an index of an INT looks like that of a FLOAT.

    Args:
        files: The files, which have the same type, columns and row range.
        deleted: The number of rows of the range that are deleted. An index that was built after
            that lacks them.

    Returns:
        None if paimon-ksy cannot answer with them: it does not know the type, the keys do not fit
        the types of the columns, or the files lack rows of the range. A file of an unknown version
        is opened, but answers nothing.

    Raises:
        CorruptFileError: A file is corrupt.
    """
    kind = GLOBAL_INDEX_TYPES.get(files[0].index_type) if files else None
    if kind is None or sum(file.num_rows for file in files) + deleted < files[0].range_length:
        return None
    return kind.reader(files)
