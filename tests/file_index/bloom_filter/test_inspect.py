"""What `inspect` and `dump` make of bloom filters."""

import pytest

from paimon_ksy.file_index.bloom_filter.inspect import BloomFilterBits, BloomFilterReport
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from tests.golden import golden_index

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def test_inspect() -> None:
    with open_source(golden_index("bloom_items100_fpp001").data) as source:
        report = inspect_file(Subject(source)).content
    assert report is not None
    [_, column] = report.columns
    assert column.indexes[0].body == BloomFilterReport(
        BloomFilterBits(hashes=7, bits=960, bits_set=504)
    )
    assert 0.010 < BloomFilterBits(7, 960, 504).false_positives < 0.012
    for hashes, bits_set, share in ((1, 0, 0), (3, 64, 1), (1, 16, 1 / 4), (2, 16, 1 / 16)):
        assert BloomFilterBits(hashes, 64, bits_set).false_positives == share
