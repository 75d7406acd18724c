"""The record of the bitmap index."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.bitmap.index_type import INDEX_TYPE
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type

INT = parse_type("INT")


@pytest.mark.parametrize(
    ("text", "taken", "loses"),
    [
        ("STRING", True, False),
        ("BOOLEAN", True, False),
        ("TIMESTAMP(6)", True, False),
        ("TIMESTAMP(9)", True, True),  # Java compares microseconds
        ("ARRAY<INT>", False, False),
        ("BYTES", False, False),
    ],
)
def test_columns_that_it_takes(text: str, taken: bool, loses: bool) -> None:
    kind = parse_type(text)
    assert INDEX_TYPE.takes(kind) == taken
    assert INDEX_TYPE.loses_rows(kind) == loses
    if taken:
        assert INDEX_TYPE.new_builder(kind, {}) is not None
    else:
        assert INDEX_TYPE.arguments(kind, 0) is None
        with pytest.raises(UnsupportedError, match="bitmap index cannot be built on type"):
            INDEX_TYPE.new_builder(kind, {})


@pytest.mark.parametrize("version", INDEX_TYPE.versions)
def test_its_bytes_show_its_options(version: str) -> None:
    builder = INDEX_TYPE.new_builder(INT, {"version": version})
    body = b"".join(map(bytes, builder.build(pa.array([1, None, 1], pa.int32()))))
    with open_source(b"xyz" + body) as source:
        assert INDEX_TYPE.stored_options(source, 3, len(body), "c") == {"version": version}
        assert INDEX_TYPE.num_rows is not None
        assert INDEX_TYPE.num_rows(source, 3) == 3
        assert INDEX_TYPE.reader(source, 3, "c", INT, len(body)).num_rows == 3


def test_an_option_of_another_type() -> None:
    with pytest.raises(OptionError, match="chunk-size"):
        INDEX_TYPE.new_builder(INT, {"chunk-size": "1kb"})
