# Generated from bloom_filter_index.ksy by `ksykit generate`. Do not edit.
"""Views of bloom_filter_index: Bloom filter of a Paimon file index."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers

_BLOOM_FILTER_INDEX_NUM_HASHES = Numbers(
    ">i", Field("num_hashes", "bloom_filter_index/seq/0", ">i", least=1, most=1079)
)


class BloomFilterIndex:
    """The body of an index of type `bloom-filter`."""

    __slots__ = ("bits_start", "end", "len_body", "num_hashes")

    def __init__(self, d: Buffer, start: int, p: int, len_body: int) -> None:
        self.len_body = len_body
        if not 0 <= p <= len(d) - 4:
            raise _BLOOM_FILTER_INDEX_NUM_HASHES.broken(d, start, p, self)
        (self.num_hashes,) = _BLOOM_FILTER_INDEX_NUM_HASHES.unpack_from(d, p)
        if self.num_hashes < 1 or self.num_hashes > 1079:
            raise _BLOOM_FILTER_INDEX_NUM_HASHES.broken(d, start, p, self)
        p += 4
        self.bits_start = start + p
        self.end = start + p

    @property
    def len_bits(self) -> Any:
        return self.len_body - 4

    @property
    def num_bits(self) -> Any:
        return self.len_bits * 8

    def place_bits(self) -> Any:
        """Return where the `bits` is: (position, size or None)."""
        return self.bits_start, self.len_bits
