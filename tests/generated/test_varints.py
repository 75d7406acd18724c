"""Arrays of varints are what the view of `varint.ksy` reads one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError
from ksykit.runtime.varints import from_zigzag, pack_integers, read_varints, to_zigzag

from kit_support.examples import examples
from paimon_ksy.generated.views.varint import Varint

WIDE = st.integers(0, 64).flatmap(lambda bits: st.integers(0, max(0, (1 << bits) - 1)))


@examples(100)
@given(st.lists(WIDE, max_size=30), st.integers(0, 9))
def test_integers_come_back(values: list[int], rest: int) -> None:
    packed = pack_integers(values)
    data = packed.join()
    read, used = read_varints(data + b"\xff" * rest)
    assert (read.tolist(), used) == (values, len(data))
    signed = from_zigzag(np.array(values, np.uint64))
    assert to_zigzag(signed).tolist() == values
    assert signed.tolist() == [Varint(one, 0, 0).zigzag for one in packed]


@examples(200)
@given(st.lists(st.sampled_from([0, 1, 2, 127, 128, 129, 255]), max_size=40).map(bytes))
def test_any_bytes_are_read_alike(data: bytes) -> None:
    values, at = [], 0
    try:
        while at < len(data):
            view = Varint(data, 0, at)
            values.append(view.value)
            at = view.end
    except FormatError as error:
        if "cannot be" in str(error):
            with pytest.raises(FormatError, match=f"byte {100 + at}: .* 64 bits"):
                read_varints(data, 100)
            return
    read, used = read_varints(data)
    assert (read.tolist(), used) == (values, at)
