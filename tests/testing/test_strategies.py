"""What can be given to strategies, and what cannot."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.generated.structs.typed_value import TypedValue
from paimon_ksy.testing import encoded, objects


@given(encoded("typed_value", column_type=4))
def test_parameters_can_be_given(data: bytes) -> None:
    assert len(data) == 4


@given(encoded(TypedValue, column_type=5))
def test_types_can_be_given(data: bytes) -> None:
    assert len(data) == 8


@given(encoded("file_index_head", using={"java_utf8": st.just(b"\0\1c")}))
def test_nested_types_can_be_given(data: bytes) -> None:
    count = int.from_bytes(data[:4], "big")
    assert data.count(b"\0\1c") >= count


def test_objects_seldom_lack_all_elements() -> None:
    counts = []

    @settings(max_examples=500, database=None, derandomize=True)
    @given(objects("bitmap_index_v2"))
    def draw(index: Any) -> None:
        counts.append(len(index.directory.blocks))

    draw()
    # Hypothesis also draws constants of the modules that are loaded: a tenth, more or less.
    assert 0 < counts.count(0) < len(counts) / 5
    assert {0, 1, 2, 3} <= set(counts)


def test_unknown_types_are_refused() -> None:
    with pytest.raises((FormatError, PaimonKsyError), match="no type 'roaring'"):
        objects("roaring")
