"""The parsed objects of a file: its head first, then what the schema allows to be read."""

import pytest
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.parsed_file import file_parts, read_head, text
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests.golden.vectors import golden_vectors
from tests.support.file_indexes import FILES

DATA, SCHEMA = FILES["INT V2"]


def test_the_head_comes_first_and_indexes_need_the_type_of_their_column() -> None:
    with open_source(DATA) as source:
        head, index = file_parts(source, SCHEMA)
        assert (head.start, head.column, index.column) == (0, None, "c")
        assert head.size <= index.start
        assert index.start + index.size <= len(DATA)
        for schema in (None, Schema.parse("other INT"), Schema.parse("c BYTES")):
            assert [part.column for part in file_parts(source, schema)] == [None]


def test_a_head_that_is_cut() -> None:
    with open_source(DATA[:20]) as source, pytest.raises(CorruptFileError):
        file_parts(source, SCHEMA)


def test_other_kinds_of_files() -> None:
    vectors = golden_vectors()[0].data
    with open_source(vectors) as source:
        assert [(part.start, part.size) for part in file_parts(source, None)] == [(0, len(vectors))]
    bitmap = BitMap([1, 2, 3]).serialize()
    for data, count in ((bitmap, 1), (bitmap + b"x", 0), (b"nothing of ours at all", 0)):
        with open_source(data) as source:
            assert len(file_parts(source, None)) == count
            with pytest.raises(CorruptFileError, match="not a Paimon file index"):
                read_head(source)


def test_names_that_are_not_modified_utf_8_are_escaped() -> None:
    assert text("spalte ä".encode()) == "spalte ä"
    assert "ff" in text(b"a\xff")
