"""Sets of 64-bit integers: each comes back, gaps are filled as Java does, damage is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.generated.views.roaring_bitmap_64 import KeyedBitmapStarts
from paimon_ksy.roaring.bitmap_32 import BadBitmapError
from paimon_ksy.roaring.bitmap_64 import MAX_KEY, read_bitmaps, size_of, write_bitmaps
from tests.reference.roaring_bitmap_64 import RoaringBitmap64

SETS = st.dictionaries(
    st.integers(0, 40), st.sets(st.integers(0, 2**32 - 1), min_size=1), max_size=5
)


def written(values: dict[int, set[int]]) -> bytes:
    return b"".join(write_bitmaps({key: BitMap(v).serialize() for key, v in values.items()}))


@examples(100)
@given(values=SETS)
def test_sets_come_back(values: dict[int, set[int]]) -> None:
    data = written(values)
    assert size_of({key: BitMap(v).serialize() for key, v in values.items()}) == len(data)
    assert read_bitmaps(data) == {key: BitMap(v) for key, v in values.items()}
    # Java has all keys up to the largest.
    assert int.from_bytes(data[:8], "little") == max(values, default=-1) + 1


@examples(100)
@given(values=SETS.filter(bool), data=st.data())
def test_a_cut_or_longer_set_is_an_error(values: dict[int, set[int]], data: st.DataObject) -> None:
    whole = written(values)
    cut = data.draw(st.integers(0, len(whole) - 1))
    for broken in (whole[:cut], whole + b"x"):
        with pytest.raises(BadBitmapError) as raised:
            read_bitmaps(broken)
        assert 0 <= raised.value.offset <= len(broken)


def test_starts_of_keyed_bitmaps() -> None:
    data = written({7: {1, 1 << 16, 5 << 16}})
    starts = KeyedBitmapStarts(data, 0, 8, 8)
    assert list(starts.starts_key) == list(range(8))
    of_seven, empty = starts.starts_bitmap_start[7], BitMap().serialize()
    assert list(starts.starts_bitmap_start) == [empty] * 7 + [of_seven]
    assert BitMap({1, 1 << 16, 5 << 16}).serialize().startswith(of_seven)


def test_the_largest_counts_and_keys_are_read() -> None:
    data = written({0: {1}})
    most = (2**31 - 1).to_bytes(8, "little")
    with pytest.raises(EOFError):  # it goes on to read the bitmaps
        RoaringBitmap64.from_bytes(most + data[8:])
    greatest = data[:8] + MAX_KEY.to_bytes(4, "little") + data[12:]
    assert RoaringBitmap64.from_bytes(greatest).bitmaps[0].key == MAX_KEY
    assert read_bitmaps(greatest) == {MAX_KEY: BitMap([1])}


def test_keys_ascend() -> None:
    one = BitMap([1]).serialize()

    def stored(*keys: int) -> bytes:
        parts = (key.to_bytes(4, "little") + one for key in keys)
        return len(keys).to_bytes(8, "little") + b"".join(parts)

    assert read_bitmaps(stored(0, MAX_KEY)).keys() == {0, MAX_KEY}
    for keys in ((1, 0), (1, 1), (0, MAX_KEY + 1), (2**32 - 1,)):
        with pytest.raises(BadBitmapError, match="keys are not ascending"):
            read_bitmaps(stored(*keys))


def test_a_count_beyond_the_bytes_takes_no_time() -> None:
    with pytest.raises(BadBitmapError, match="there is room for only"):
        read_bitmaps((2**31 - 1).to_bytes(8, "little") + written({0: {1}})[8:])
