"""Checks of BSIs: row by row they are the column, and what contradicts itself is found."""

from typing import Any

import numpy as np
import pytest
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bsi.check import check
from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.bsi.writer import BsiBuilder
from paimon_ksy.file_index.content import Content
from paimon_ksy.generated.structs.bsi_index import (
    make_bsi_head,
    make_bsi_index,
    make_bsi_part,
    make_bsi_part_head,
    make_bsi_slices,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.roaring.bits import serialized_rows, serialized_slices
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column

BIGINT = parse_type("BIGINT")


def body_of(column: list[Any]) -> bytes:
    return b"".join(BsiBuilder(BIGINT).build(arrow_column(BIGINT, column)))


def content(body: bytes, end: int = 0) -> Content:
    reader = BsiReader(open_source(body), 0, "c", BIGINT)
    return check(reader, 0, len(body) + end)


def test_an_end_elsewhere() -> None:
    body = body_of([1, -2])
    for end in (-1, 1):
        with pytest.raises(CorruptFileError, match="it ends at byte"):
            content(body, end)


def test_a_row_of_both_signs() -> None:
    one = np.array([True])
    slices: Any = serialized_slices(np.array([1], np.uint32), 1)
    part = make_bsi_part(
        head=make_bsi_part_head(has_rows=1, min=0, max=1),
        rows=serialized_rows(one),
        slices=make_bsi_slices(bitmaps=slices),
    )
    head = make_bsi_head(num_rows=1)
    body = to_bytes(make_bsi_index(head=head, positive=part, negative=part))
    with pytest.raises(CorruptFileError, match="row 0 is both below zero and not"):
        content(body)


def test_a_number_above_the_greatest() -> None:
    body = body_of([7, 5, None])
    at = body.index((7).to_bytes(8, "big"))
    with pytest.raises(CorruptFileError, match="a number above the greatest"):
        content(body[:at] + (6).to_bytes(8, "big") + body[at + 8 :])


def test_numbers_count_from_the_least() -> None:
    numbers = np.array([2, 0, 3], np.uint32)
    part = make_bsi_part(
        head=make_bsi_part_head(has_rows=1, min=5, max=8),
        rows=serialized_rows(np.ones(3, np.bool_)),
        slices=make_bsi_slices(bitmaps=serialized_slices(numbers, 2)),
    )
    none = make_bsi_part(head=make_bsi_part_head(has_rows=0))
    index = make_bsi_index(head=make_bsi_head(num_rows=4), positive=none, negative=part)
    found = content(to_bytes(index))
    assert found.places.tolist() == [-7, -5, -8, 0]
    assert found.nulls.tolist() == [False, False, False, True]
