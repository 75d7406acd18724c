"""The report on a bloom filter."""

from __future__ import annotations

from dataclasses import dataclass

from paimon_ksy.messages.answers import Answer


@dataclass(frozen=True)
class BloomFilterBits(Answer):
    """The bits of a bloom filter: its hash functions, its bits, and how many of these are set."""

    KEYS = ("hashes", "bits", "bits_set", "false_positives")
    hashes: int
    bits: int
    bits_set: int

    @property
    def false_positives(self) -> float:
        """The share of absent values that the filter does not exclude, from 0 to 1."""
        return float((self.bits_set / self.bits) ** self.hashes)


@dataclass(frozen=True)
class BloomFilterReport(Answer):
    """A bloom filter."""

    bloom_filter: BloomFilterBits
