"""How reports show stored values, and what they read of slices."""

from typing import Any

import numpy as np
import pytest
from pyroaring import BitMap

from paimon_ksy.file_index.report import MAX_BITMAP_BYTES, shown, slice_reports
from paimon_ksy.types.parse import parse_type


@pytest.mark.parametrize(
    ("text", "stored", "value", "says"),
    [
        ("INT", np.int32(-7), -7, "-7"),
        ("BOOLEAN", np.int8(1), True, "TRUE"),
        ("STRING", b"it's", "it's", "'it\\'s'"),
        ("STRING", b"\xff", "\udcff", None),
        ("FLOAT", np.float32(0.1), 0.1, "0.1"),
        ("DOUBLE", 1e300, 1e300, "1e+300"),
        ("DECIMAL(10, 2)", np.int64(-5), "-0.05", "-0.05"),
        ("DATE", np.int32(19_782), "2024-02-29", "2024-02-29"),
        ("TIMESTAMP(3)", np.int64(1), "1970-01-01 00:00:00.001", None),
        ("TIMESTAMP(9)", np.int64(1), "1970-01-01 00:00:00.000001", None),
    ],
)
def test_a_stored_key_is_shown_as_people_write_it(
    text: str, stored: Any, value: Any, says: str | None
) -> None:
    found = shown(stored, parse_type(text))
    assert (found.plain, type(found.plain)) == (value, type(value))
    if says is not None:
        assert found.text == says


def test_slices_are_read_if_they_are_small_or_all_are_asked_for() -> None:
    read: list[str] = []

    def rows() -> list[BitMap]:
        read.append("all")
        return [BitMap([1, 2]), BitMap()]

    small, large = [(10, 15), (15, 20)], [(10, MAX_BITMAP_BYTES + 10), (99, 100)]
    assert [found.rows for found in slice_reports(small, rows, 3)] == [2, 0]
    assert [found.rows for found in slice_reports(large, rows, 3)] == [None, None]
    assert len(read) == 1
    assert [found.rows for found in slice_reports(large, rows, None)] == [2, 0]
    places = [(found.offset, found.size) for found in slice_reports(large, rows, 3)]
    assert places == [(10, MAX_BITMAP_BYTES), (99, 1)]
