"""Report on the content of a bloom filter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paimon_ksy.file_index.bloom_filter.reader import read_head
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, in_answer
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True)
class BloomFilterBits(Answer):
    """The bits of a bloom filter: its hash functions, its bits, and how many of these are set."""

    hashes: int
    bits: int
    bits_set: int

    @property
    @in_answer()
    def false_positives(self) -> float:
        """The share of absent values that the filter does not exclude, from 0 to 1."""
        return float((self.bits_set / self.bits) ** self.hashes)


@dataclass(frozen=True)
class BloomFilterReport(Answer):
    """A bloom filter."""

    bloom_filter: BloomFilterBits


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> BloomFilterReport:
    """Report on the bloom filter of `length` bytes from byte `pos` on. Raises CorruptFileError."""
    index = read_head(source, pos, length, column)
    start, size = index.place_bits()
    bits_set = 0
    for at in range(start, start + size, 1 << 20):
        part = np.frombuffer(source.read(at, min(1 << 20, start + size - at)), np.uint8)
        bits_set += int(np.bitwise_count(part).sum(dtype=np.int64))
    return BloomFilterReport(BloomFilterBits(index.num_hashes, index.num_bits, bits_set))
