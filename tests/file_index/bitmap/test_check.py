"""Checks of bitmap indexes: row by row, they are the column."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.file_index.bitmap.check import check
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.bitmap.writer import BitmapBuilder
from paimon_ksy.file_index.content import Content
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column, examples

INT, STRING = parse_type("INT"), parse_type("STRING")


def body_of(column: list[Any], version: str, kind: Any = INT) -> bytes:
    options = {"version": version, "index-block-size": "40b"}
    built = BitmapBuilder.of(kind, options).build(arrow_column(kind, column))
    return b"".join(map(bytes, built))


def content(body: bytes, kind: Any = INT) -> Content:
    with open_source(body) as source:
        return check(BitmapReader(source, 0, "c", kind), 0, len(body))


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("kind", [INT, STRING], ids=str)
@examples(40)
@given(data=st.data())
def test_it_has_the_values_of_the_column(version: str, kind: Any, data: st.DataObject) -> None:
    values = st.integers(0, 9) if kind is INT else st.sampled_from("abcdefgh")
    column = data.draw(st.lists(st.none() | values, max_size=60))
    found = content(body_of(column, version, kind), kind)
    assert found.keys is not None
    keys = [key.decode() if kind is STRING else key for key in list(found.keys)]
    assert len(keys) == len(set(keys)) and set(keys) == set(column) - {None}
    assert found.nulls.tolist() == [value is None for value in column]
    assert [
        None if null else keys[place]
        for place, null in zip(found.places.tolist(), found.nulls, strict=True)
    ] == column
