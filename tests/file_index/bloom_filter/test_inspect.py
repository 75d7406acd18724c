"""What `inspect` and `dump` make of bloom filters."""

import pytest

from paimon_ksy.file_index.bloom_filter.report import BloomFilterBits, BloomFilterReport
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.source import open_source
from tests.golden import golden_index, golden_indexes
from tests.support.file_indexes import bodies_of
from tests.support.golden_json import schema_from_spec

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
GOLDEN = [case.name for case in golden_indexes("bloom-filter")]


def test_inspect() -> None:
    with open_source(golden_index("bloom_items100_fpp001").data) as source:
        report = inspect_file(source).file_index
    assert report is not None
    [_, column] = report.columns
    assert column.indexes[0].body == BloomFilterReport(
        BloomFilterBits(hashes=7, bits=960, bits_set=504)
    )
    assert 0.010 < BloomFilterBits(7, 960, 504).false_positives < 0.012


@pytest.mark.parametrize("name", GOLDEN)
def test_dump_and_assemble(name: str) -> None:
    case = golden_index(name)
    with open_source(case.data) as source:
        document = dump_file(source, schema_from_spec(case.spec))
    filled = any("num_hashes" in part for part in document["parts"])
    assert filled == any(
        kind == "bloom-filter" and body is not None
        for column, indexes in bodies_of(case.data)
        if column in schema_from_spec(case.spec)
        for kind, body in indexes
    )
    assert assemble(document) == case.data
