import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.pages.section import PARTS, strip_of


@pytest.mark.parametrize("num_rows", [0, 1, 7, PARTS, PARTS + 1, 100_003, 1 << 32])
def test_parts_cover_all_rows_once(num_rows: int) -> None:
    rows = BitMap(row for row in (0, 3, 160, 50_000, num_rows - 1) if 0 <= row < num_rows)
    strip = strip_of(rows.range_cardinality, num_rows)
    assert sum(strip.counts) == len(rows)
    assert (strip.starts[0], strip.starts[-1]) == (0, num_rows)
    assert len(strip.counts) == min(PARTS, num_rows) == len(strip.shares)
    for start, stop, count in zip(strip.starts, strip.starts[1:], strip.counts, strict=False):
        assert count == sum(start <= row < stop for row in rows)


def test_shares() -> None:
    strip = strip_of(BitMap([0, 1, 2, 4]).range_cardinality, 6, 3)
    assert strip.counts == (2, 1, 1)
    assert strip.shares == (1.0, 0.5, 0.5)
    assert strip.relative == (1.0, 0.5, 0.5)
    assert strip_of(BitMap().range_cardinality, 4).relative == (0, 0, 0, 0)


@given(data=st.data(), num_rows=st.integers(1, 300), parts=st.integers(1, 400))
def test_parts_have_all_rows_once(data: st.DataObject, num_rows: int, parts: int) -> None:
    rows = data.draw(st.sets(st.integers(0, num_rows - 1)))
    strip = strip_of(BitMap(rows).range_cardinality, num_rows, parts)
    starts = strip.starts
    assert (starts[0], starts[-1], len(strip.counts)) == (0, num_rows, min(parts, num_rows))
    assert max(strip.sizes) - min(strip.sizes) <= 1
    assert sum(strip.sizes) == num_rows
    for at, count in enumerate(strip.counts):
        assert count == len(rows & set(range(starts[at], starts[at + 1])))
