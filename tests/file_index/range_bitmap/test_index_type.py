"""The record of the range bitmap."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.range_bitmap.index_type import INDEX_TYPE
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        *(("BOOLEAN", True), ("DOUBLE", True), ("DECIMAL(10, 2)", True), ("STRING", True)),
        *(
            ("TIMESTAMP(6)", True),
            ("TIMESTAMP(9)", False),
            ("BYTES", False),
            ("MAP<INT, INT>", False),
        ),
    ],
)
def test_columns_that_it_takes(text: str, taken: bool) -> None:
    kind = parse_type(text)
    assert INDEX_TYPE.takes(kind) == taken
    assert not INDEX_TYPE.loses_rows(kind)
    if not taken:
        assert INDEX_TYPE.arguments(kind, 0) is None
        with pytest.raises(UnsupportedError, match="range-bitmap index cannot be built on type"):
            INDEX_TYPE.new_builder(kind, {})


@pytest.mark.parametrize("size", ["0b", "64b"])
def test_the_size_of_chunks_changes_no_content(size: str) -> None:
    kind = parse_type("STRING")
    column = pa.array([f"text {n % 50:03}" for n in range(100)] + [None])
    body = b"".join(map(bytes, INDEX_TYPE.new_builder(kind, {"chunk-size": size}).build(column)))
    with open_source(b"xyz" + body) as source:
        assert INDEX_TYPE.num_rows is not None
        assert INDEX_TYPE.num_rows(source, 3) == 101
        reader = INDEX_TYPE.reader(source, 3, "c", kind, len(body))
        content = INDEX_TYPE.check(reader, 3, 3 + len(body))
        assert content is not None
        due = Content.of_column(pa.chunked_array([column]), kind)
        assert not len(content.differs(due))


def test_an_option_of_another_type() -> None:
    with pytest.raises(OptionError, match="no option"):
        INDEX_TYPE.new_builder(parse_type("INT"), {"version": "1"})
