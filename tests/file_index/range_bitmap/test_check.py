"""Checks of range bitmaps: row by row they are the column, and contradictions are found."""

from typing import Any

import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content
from paimon_ksy.file_index.range_bitmap.check import check
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column

INT = parse_type("INT")


def body_of(column: list[Any]) -> bytes:
    builder = RangeBitmapBuilder.of(INT, {"chunk-size": "8b"})
    return b"".join(builder.build(arrow_column(INT, column)))


def content(body: bytes) -> Content:
    with open_source(body) as source:
        return check(RangeBitmapReader(source, 0, "c", INT), 0, len(body))


def test_bounds_that_the_dictionary_does_not_have() -> None:
    body = body_of([7, 5, 6])
    at = body.index((7).to_bytes(4, "big"))
    with pytest.raises(CorruptFileError, match="its bounds are not those of the dictionary"):
        content(body[:at] + (8).to_bytes(4, "big") + body[at + 4 :])
