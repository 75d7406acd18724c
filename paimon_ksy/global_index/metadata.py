"""The metadata of a file of a sorted index: its least and greatest key."""

from __future__ import annotations

from typing import NamedTuple

from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.sorted_index_meta import make_null_keys, make_sorted_index_meta
from paimon_ksy.generated.views.sorted_index_meta import SortedIndexMeta


class SortedMetadata(NamedTuple):
    """The least and greatest key of a file, as stored, and whether it has nulls.

    Both keys are None if all rows are null. `is_old` is true before Paimon 2.0.
    """

    first_key: bytes | None
    last_key: bytes | None
    has_nulls: bool
    is_old: bool = False


def read_metadata(data: bytes) -> SortedMetadata:
    """Read `_INDEX_META` of a BTree, bitmap or multivalue index. Raises FormatError."""
    meta = SortedIndexMeta(data, 0, 0)
    if meta.end != len(data):
        raise FormatError("bytes follow the metadata", meta.end)
    has_nulls, flags = bool(meta.has_nulls), meta.null_keys
    if flags is None:
        is_empty = has_nulls and not meta.len_first_key and not meta.len_last_key
        nulls = is_empty, is_empty
    else:
        nulls = flags.is_first_null, flags.is_last_null
    keys = (meta.first_key, meta.last_key)
    first, last = (None if no else bytes(key) for key, no in zip(keys, nulls, strict=True))
    return SortedMetadata(first, last, has_nulls, is_old=flags is None)


def write_metadata(metadata: SortedMetadata) -> bytes:
    """Return `_INDEX_META`."""
    first, last = metadata.first_key, metadata.last_key
    flags = None
    if not metadata.is_old:
        flags = make_null_keys(is_first_null=first is None, is_last_null=last is None)
    return to_bytes(
        make_sorted_index_meta(
            first_key=first or b"",
            last_key=last or b"",
            has_nulls=int(metadata.has_nulls),
            null_keys=flags,
        )
    )
