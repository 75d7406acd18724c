"""Fields of many objects at once: as views read them one by one, and packed again."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.errors import EndError, FormatError
from ksykit.runtime.varints import IntegerLists, integer_lists, integers, pack_integers

from kit_support.examples import examples
from paimon_ksy.generated.views.btree_index import (
    BtreeRecordColumns,
    BtreeRecordHead,
    PostingV1Columns,
    PostingV2Columns,
    RowDeltasColumns,
)
from paimon_ksy.generated.views.varint import Varint

NUMBERS = st.integers(0, 63).flatmap(lambda bits: st.integers(0, (1 << bits) - 1))


def as_bytes(data: bytes) -> Any:
    return np.frombuffer(data, np.uint8)


@examples(100)
@given(st.lists(NUMBERS, max_size=20), st.binary(max_size=9))
def test_integers_come_back(numbers: list[int], after: bytes) -> None:
    packed = pack_integers(numbers)
    read = integers(as_bytes(packed.data + after), 0, packed.offsets[:-1])
    assert read.value.tolist() == numbers and read.end.tolist() == packed.offsets[1:].tolist()
    assert [Varint(bytes(one), 0, 0).value for one in packed] == numbers


@examples(100)
@given(st.lists(st.lists(NUMBERS, max_size=4), max_size=8), st.binary(max_size=9))
def test_lists_come_back(lists: list[list[int]], after: bytes) -> None:
    counts = np.array([len(one) for one in lists], np.int64)
    offsets = np.append(0, np.cumsum(counts))
    flat = np.array([number for one in lists for number in one], np.int64)
    packed = IntegerLists(flat, offsets).pack()
    read = integer_lists(as_bytes(packed.data + after), 0, packed.offsets[:-1], counts)
    assert read.value.tolist() == flat.tolist() and read.offsets.tolist() == offsets.tolist()
    assert read.end is not None and read.end.tolist() == packed.offsets[1:].tolist()


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 8, b"\xff" * 8 + b"\x80\1", b"\xff" * 12])
@pytest.mark.parametrize("count", [1, 2])
def test_integers_that_are_cut_or_too_large(data: bytes, count: int) -> None:
    d, zero = as_bytes(data), np.zeros(1, np.int64)
    with pytest.raises(FormatError) as raised:
        integer_lists(d, 100, zero, zero + count)
    assert raised.value.offset in (100, 100 + len(data))


def test_lists_that_overlap_take_no_memory() -> None:
    d = as_bytes(bytes(1 << 16))
    with pytest.raises(FormatError, match="overlap"):
        integer_lists(d, 0, np.zeros(1 << 16, np.int64), np.full(1 << 16, 1 << 15))
    for count in (1 << 60, -1):
        with pytest.raises(FormatError):
            integer_lists(d, 0, np.zeros(2, np.int64), np.array([1, count]))


@examples(60)
@given(st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=200)), max_size=5))
def test_records_come_back(records: list[tuple[bytes, bytes]]) -> None:
    keys, postings = ([one[i] for one in records] for i in (0, 1))
    packed = BtreeRecordColumns.pack(keys, postings)
    d = as_bytes(packed.data)
    read = BtreeRecordColumns(d, 0, packed.offsets[:-1], 1)
    assert read.key.of(d).tolist() == keys and read.posting.of(d).tolist() == postings
    assert read.end.tolist() == packed.offsets[1:].tolist()
    for one, key in zip(packed, keys, strict=True):
        assert BtreeRecordHead(bytes(one), 0, 0, 1).key == key
        with pytest.raises(FormatError):
            BtreeRecordColumns(as_bytes(one[:-1]), 0, np.array([0]), 1)


def test_counts_are_computed_when_they_are_packed() -> None:
    lists = IntegerLists(np.array([5, 1, 300]), np.array([0, 1, 3]))
    assert PostingV1Columns.pack(lists).tolist() == [b"\1\5", b"\2\1\xac\2"]
    assert RowDeltasColumns.pack([7, 8], lists).tolist() == [b"\2\7\5", b"\3\x08\1\xac\2"]


def test_numbers_are_checked() -> None:
    d = as_bytes(b"\0\2\3")
    assert PostingV2Columns(d, 0, np.array([1, 0])).form.tolist() == [2, 0]
    with pytest.raises(FormatError, match="byte 12: the field form cannot be 3"):
        PostingV2Columns(d, 10, np.array([0, 2]))
    with pytest.raises(EndError):
        PostingV2Columns(d, 0, np.array([3]))
    assert PostingV2Columns.pack([2, 0]).tolist() == [b"\2", b"\0"]
