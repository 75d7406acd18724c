"""The record of the BSI."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.bsi.index_type import INDEX_TYPE
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type


@pytest.mark.parametrize(
    ("text", "taken", "loses"),
    [
        ("TINYINT", True, False),
        ("DECIMAL(10, 2)", True, False),
        ("TIMESTAMP(6)", True, False),
        ("TIMESTAMP(9)", True, True),
        ("DOUBLE", False, False),
        ("STRING", False, False),
    ],
)
def test_columns_that_it_takes(text: str, taken: bool, loses: bool) -> None:
    kind = parse_type(text)
    assert INDEX_TYPE.takes(kind) == taken
    assert INDEX_TYPE.loses_rows(kind) == loses
    if not taken:
        with pytest.raises(UnsupportedError, match="bsi index cannot be built on type"):
            INDEX_TYPE.new_builder(kind, {})


def test_it_knows_its_rows_and_no_option() -> None:
    kind = parse_type("INT")
    body = b"".join(map(bytes, INDEX_TYPE.new_builder(kind, {}).build(pa.array([3, None, 1]))))
    with open_source(b"xyz" + body) as source:
        assert INDEX_TYPE.num_rows is not None
        assert INDEX_TYPE.num_rows(source, 3) == 3
        assert INDEX_TYPE.stored_options(source, 3, len(body), "c") == {}
        reader = INDEX_TYPE.reader(source, 3, "c", kind, len(body))
        assert INDEX_TYPE.check(reader, 3, 3 + len(body)) is not None
    with pytest.raises(OptionError, match="no option"):
        INDEX_TYPE.new_builder(kind, {"version": "1"})
