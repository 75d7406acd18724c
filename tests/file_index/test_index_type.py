"""What the records of index types say of columns and options."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from tests.support.ordered_indexes import INT

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def test_refusals() -> None:
    least = pa.array([-(2**63)], pa.int64())
    with pytest.raises(UnsupportedError, match="range-bitmap"):
        INDEX_TYPES["bsi"].new_builder(parse_type("BIGINT"), {}).build(least)
    with pytest.raises(OptionError, match="no option"):
        INDEX_TYPES["bsi"].new_builder(INT, {"chunk-size": "1kb"})
    with pytest.raises(OptionError, match="no option"):
        INDEX_TYPES["range-bitmap"].new_builder(INT, {"version": "1"})
    with pytest.raises(OptionError, match="chunk-size"):
        INDEX_TYPES["range-bitmap"].new_builder(INT, {"chunk-size": "3gb"})
    wide = pa.array([10**19], to_arrow(parse_type("DECIMAL(20, 0)")))
    with pytest.raises(UnsupportedError, match="64 bits"):
        INDEX_TYPES["bsi"].new_builder(parse_type("DECIMAL(20, 0)"), {}).build(wide)
