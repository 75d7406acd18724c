"""Numbers of rows bit by bit: intervals and first rows against the numbers themselves."""

from collections.abc import Iterator, Sequence

from hypothesis import example, given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.roaring.bit_slices import extreme_number, rows_within, top_rows

WIDTH = 6
NUMBERS = st.lists(st.none() | st.integers(0, 2**WIDTH - 1), min_size=1, max_size=80)


class Slices:
    """The slices of numbers, and which of them were read."""

    def __init__(self, numbers: Sequence[int | None]) -> None:
        self.rows = BitMap([row for row, number in enumerate(numbers) if number is not None])
        self.slices = [
            BitMap([row for row, number in enumerate(numbers) if number and number >> bit & 1])
            for bit in range(WIDTH)
        ]
        self.before = [self.rows.copy(), *(ones.copy() for ones in self.slices)]
        self.read: list[int] = []

    def load(self, bits: range) -> Iterator[BitMap]:
        for bit in bits:
            self.read.append(bit)
            yield self.slices[bit]

    def is_unchanged(self) -> bool:
        return [self.rows, *self.slices] == self.before


@given(NUMBERS, st.lists(st.integers(-3, 2**WIDTH + 3), max_size=8, unique=True))
@example([None, 0, 1, 40, 2**WIDTH - 1], [0, 2**WIDTH])
@example([None, 0, 1, 40, 2**WIDTH - 1], [-1, 1])
@example([None, 0, 1, 40, 2**WIDTH - 1], [2**WIDTH - 1, 2**WIDTH + 1])
def test_rows_within_intervals(numbers: list[int | None], bounds: list[int]) -> None:
    slices = Slices(numbers)
    bounds.sort()
    intervals = list(zip(bounds[::2], bounds[1::2], strict=False))
    found = rows_within(slices.rows, WIDTH, intervals, slices.load)
    expected = [
        row
        for row, number in enumerate(numbers)
        if number is not None and any(low <= number < stop for low, stop in intervals)
    ]
    assert list(found) == expected
    found.add(1000)  # what is returned belongs to the caller
    assert slices.is_unchanged()
    assert len(slices.read) == len(set(slices.read))


def test_slices_that_do_not_matter_are_not_read() -> None:
    slices = Slices(range(2**WIDTH))
    assert list(rows_within(slices.rows, WIDTH, [(48, 64)], slices.load)) == list(range(48, 64))
    assert sorted(slices.read) == [4, 5]
    slices = Slices([1, 2, 3])
    assert not rows_within(slices.rows, WIDTH, [(40, 41)], slices.load)
    assert slices.read == [5]  # no number has it, so there is no 40


@given(NUMBERS, st.integers(0, 90), st.booleans())
def test_first_rows(numbers: list[int | None], k: int, descending: bool) -> None:
    slices = Slices(numbers)
    found = top_rows(slices.rows, WIDTH, k, slices.load, descending=descending)
    ordered = sorted((n for n in numbers if n is not None), reverse=descending)[:k]
    last = ordered[-1] if ordered else None
    assert list(found) == [
        row
        for row, number in enumerate(numbers)
        if number is not None
        and last is not None
        and (number >= last if descending else number <= last)
    ]
    assert slices.is_unchanged()


@given(NUMBERS.filter(lambda numbers: any(n is not None for n in numbers)), st.booleans())
def test_extreme_number(numbers: list[int | None], greatest: bool) -> None:
    slices = Slices(numbers)
    there = [number for number in numbers if number is not None]
    found = extreme_number(slices.rows, WIDTH, slices.load, greatest=greatest)
    assert found == (max(there) if greatest else min(there))
