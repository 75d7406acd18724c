"""The report on a bloom filter."""

import pytest

from paimon_ksy.file_index.bloom_filter.report import BloomFilterBits


@pytest.mark.parametrize(
    ("hashes", "bits_set", "share"), [(1, 0, 0), (3, 64, 1), (1, 16, 1 / 4), (2, 16, 1 / 16)]
)
def test_false_positives_have_all_their_bits_set(hashes: int, bits_set: int, share: float) -> None:
    assert BloomFilterBits(hashes, 64, bits_set).false_positives == share
