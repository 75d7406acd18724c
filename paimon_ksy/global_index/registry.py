"""The types of global indexes. Other modules ask their records, and know no type by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader, GlobalIndexType


def _btree() -> GlobalIndexType:
    from paimon_ksy.global_index.btree import check, reader

    return GlobalIndexType(reader.open_index, check.postings, reader.version)


def _bitmap() -> GlobalIndexType:
    from paimon_ksy.global_index.bitmap import check, index, reader

    return GlobalIndexType(index.open_bitmap_index, check.postings, reader.version)


def _multivalue() -> GlobalIndexType:
    from paimon_ksy.global_index.bitmap import check, index, reader

    return GlobalIndexType(index.open_multivalue_index, check.postings, reader.multivalue_version)


def _old_bitmap() -> GlobalIndexType:
    from paimon_ksy.global_index import old_bitmap

    return GlobalIndexType(old_bitmap.open_index, old_bitmap.postings, old_bitmap.version)


GLOBAL_INDEX_TYPES: dict[str, Callable[[], GlobalIndexType]] = {
    "btree": _btree,
    "bitmap": _bitmap,
    "multivalue": _multivalue,
}
"""For each type, by its name in index manifests, a function that imports and returns its record."""

_WITHOUT_METADATA = {"bitmap": _old_bitmap}
"""The types of which Paimon 1.4 wrote other files, without `_INDEX_META`."""


def global_index_type(name: str, metadata: bytes | None) -> GlobalIndexType | None:
    """Return the record of a type in index manifests, by `_INDEX_META`; None if it is unknown."""
    old = _WITHOUT_METADATA.get(name) if metadata is None else None
    record = old or GLOBAL_INDEX_TYPES.get(name)
    return None if record is None else record()


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
    kind = global_index_type(files[0].index_type, files[0].metadata) if files else None
    if kind is None or sum(file.num_rows for file in files) + deleted < files[0].range_length:
        return None
    return kind.reader(files)
