"""CRCs, by the processor or by zlib."""

import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table_index import vector_bytes


@given(st.binary(max_size=300), st.integers(0, 2**32 - 1), st.integers(1, 5000))
def test_the_crc_is_that_of_zlib(data: bytes, before: int, repeats: int) -> None:
    for text in (data, data * repeats):
        assert vector_bytes.crc32(text, before) == zlib.crc32(text, before)
        assert vector_bytes.crc32(memoryview(text)[1:], 0) == zlib.crc32(text[1:])


def test_the_crc_is_by_isal_where_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vector_bytes.crc32 is not zlib.crc32
    monkeypatch.setitem(sys.modules, "isal", None)
    assert vector_bytes._fastest() is zlib.crc32
