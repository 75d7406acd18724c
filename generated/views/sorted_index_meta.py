# Generated from sorted_index_meta.ksy by `ksykit generate`. Do not edit.
"""Views of sorted_index_meta: Metadata of a sorted global index."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, cut, wrong

_SORTED_INDEX_META_LEN_FIRST_KEY = Numbers(
    "<i", Field("len_first_key", "sorted_index_meta/seq/0", "<i", least=0)
)
_SORTED_INDEX_META_LEN_LAST_KEY = Numbers(
    "<i", Field("len_last_key", "sorted_index_meta/seq/2", "<i", least=0)
)
_SORTED_INDEX_META_HAS_NULLS = Numbers(
    ">B", Field("has_nulls", "sorted_index_meta/seq/4", "<B", any_of=[0, 1])
)
_NULL_KEYS_FORMAT_VERSION = Numbers(
    ">B", Field("format_version", "sorted_index_meta/types/null_keys/seq/0", "<B", equal=1)
)


class NullKeys:
    """A `null_keys`."""

    __slots__ = ("end", "format_version", "is_first_null", "is_last_null", "reserved")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _NULL_KEYS_FORMAT_VERSION.broken(d, start, p, self)
        (self.format_version,) = _NULL_KEYS_FORMAT_VERSION.unpack_from(d, p)
        if self.format_version != 1:
            raise _NULL_KEYS_FORMAT_VERSION.broken(d, start, p, self)
        p += 1
        q = p + 1
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        bits = int.from_bytes(d[p:q], "big")
        self.reserved = bits >> 2 & 63
        self.is_last_null = bits >> 1 & 1 == 1
        self.is_first_null = bits & 1 == 1
        if self.reserved != 0:
            raise wrong(
                "the field reserved is not valid",
                start + p,
                "sorted_index_meta/types/null_keys/seq/1",
                self.reserved,
            )
        p = q
        self.end = start + p


class SortedIndexMeta:
    """The field `_INDEX_META` of a BTree, bitmap or multivalue index in the index manifest:
    the least and greatest key of one index file."""

    __slots__ = (
        "end", "first_key", "has_nulls", "last_key", "len_first_key", "len_last_key",
        "null_keys",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _SORTED_INDEX_META_LEN_FIRST_KEY.broken(d, start, p, self)
        (self.len_first_key,) = _SORTED_INDEX_META_LEN_FIRST_KEY.unpack_from(d, p)
        if self.len_first_key < 0:
            raise _SORTED_INDEX_META_LEN_FIRST_KEY.broken(d, start, p, self)
        p += 4
        q = p + self.len_first_key
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.first_key = d[p:q]
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _SORTED_INDEX_META_LEN_LAST_KEY.broken(d, start, p, self)
        (self.len_last_key,) = _SORTED_INDEX_META_LEN_LAST_KEY.unpack_from(d, p)
        if self.len_last_key < 0:
            raise _SORTED_INDEX_META_LEN_LAST_KEY.broken(d, start, p, self)
        p += 4
        q = p + self.len_last_key
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.last_key = d[p:q]
        p = q
        if not 0 <= p <= len(d) - 1:
            raise _SORTED_INDEX_META_HAS_NULLS.broken(d, start, p, self)
        (self.has_nulls,) = _SORTED_INDEX_META_HAS_NULLS.unpack_from(d, p)
        if self.has_nulls not in (0, 1):
            raise _SORTED_INDEX_META_HAS_NULLS.broken(d, start, p, self)
        p += 1
        self.null_keys: Any = None
        if p < len(d):
            self.null_keys = NullKeys(d, start, p)
            p = self.null_keys.end - start
        self.end = start + p
