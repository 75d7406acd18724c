"""Small bitmaps made at once have the bytes that pyroaring gives each of them."""

import random

import numpy as np
import pytest
from pyroaring import BitMap

from paimon_ksy.roaring import batch


def made(
    rng: np.random.Generator, num_rows: int, num_values: int, span: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows below `span` of bitmaps in any order."""
    rows = np.unique(rng.integers(0, span, num_rows))
    values = rng.integers(0, num_values, len(rows))
    order = np.lexsort((rows, values))
    changes = np.diff(values[order], prepend=-1, append=-1) != 0
    edges = np.flatnonzero(changes).astype(np.int32)
    at = rng.permutation(len(edges) - 1)
    return rows[order].astype(np.uint32), edges[:-1][at], edges[1:][at]


@pytest.mark.parametrize(
    ("num_rows", "num_values", "span", "share"),
    [
        (40_000, 4000, 1_000_000, 0.75),
        (40_000, 30_000, 100_000, 0.95),
        (20_000, 2000, 2**31 - 1, 0.6),  # a container for each row
        (20_000, 2000, 70_000, 0.6),
        (5000, 500, 6000, 0.0),  # many rows follow one another
        (20_000, 100, 1_000_000, 0.0),  # too many rows in each
        (10, 5, 1000, 0.0),  # too few of a shape
    ],
)
@pytest.mark.parametrize("at_once", [1000, 1 << 18])
def test_bytes_are_those_of_pyroaring(
    num_rows: int,
    num_values: int,
    span: int,
    share: float,
    at_once: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch, "_ROWS_AT_ONCE", at_once)
    rows, starts, ends = made(np.random.default_rng(num_rows), num_rows, num_values, span)
    found: dict[int, bytes] = {}
    for places, bitmaps in batch.small_bitmaps(rows, starts, ends):
        assert (places[1:] > places[:-1]).all()
        assert not found.keys() & set(places.tolist())
        found |= zip(places.tolist(), (bitmap.tobytes() for bitmap in bitmaps), strict=True)
    for place, written in found.items():
        bitmap = BitMap(rows[starts[place] : ends[place]].tolist())
        bitmap.run_optimize()
        assert written == bitmap.serialize()
    assert len(found) >= share * len(starts)


def test_none() -> None:
    none = np.empty(0, np.int32)
    assert list(batch.small_bitmaps(none.astype(np.uint32), none, none)) == []


# Reading ------------------------------------------------------------------------------------------


def serialized(sets: list[list[int]]) -> list[bytes]:
    bitmaps = [BitMap(rows) for rows in sets]
    for bitmap in bitmaps:
        bitmap.run_optimize()
    return [bitmap.serialize() for bitmap in bitmaps]


def read(pieces: list[bytes], most: int = 16, shift: int = 0) -> dict[int, list[int]]:
    sizes = np.array([len(piece) for piece in pieces])
    data = np.frombuffer(bytes(shift) + b"".join(pieces), np.uint8)
    starts = shift + np.cumsum(sizes) - sizes
    places, counts, rows = batch.read_small_bitmaps(data, starts, sizes, most << 16)
    parts = np.split(rows, np.cumsum(counts)[:-1])[: len(places)]
    return dict(zip(places.tolist(), (part.tolist() for part in parts), strict=True))


def test_rows_are_those_of_each_bitmap() -> None:
    numbers = random.Random(5)
    sets = [
        sorted(numbers.sample(range(300_000), numbers.choice([1, 2, 3, 5, 60]))) for _ in range(500)
    ]
    sets.append(list(range(0, 9000, 3)))
    for shift in range(3):
        assert read(serialized(sets), shift=shift) == dict(enumerate(sets))
    assert read([]) == {}
    # Of one container each, of which the key is not always 0.
    sets = [[row % 65_536 + 65_536 * (len(rows) % 3) for row in rows[:7]] for rows in sets]
    sets = [sorted(set(rows)) for rows in sets]
    for shift in range(3):
        assert read(serialized(sets), 1, shift=shift) == dict(enumerate(sets))


def test_bitmaps_with_runs_or_more_containers_are_left_out() -> None:
    assert read(serialized([list(range(i, i + 50)) for i in range(50)])) == {}
    assert read(serialized([list(range(0, 65_000, 3)), [7]])) == {1: [7]}
    spread = [[i, i + 70_000, i + 140_000] for i in range(50)]
    assert read(serialized(spread), 2) == {}
    assert len(read(serialized(spread), 3)) == 50


@pytest.mark.parametrize("most", [1, 16])
def test_no_broken_bitmap_is_read(most: int) -> None:
    """Each bit of one among others that are sound: it has other rows, or is left out."""
    pieces = serialized([[i, i + 7, i + (70_000 if most > 1 else 90)] for i in range(40)])
    assert len(read(pieces, most)) == 40
    for bit in range(len(pieces[3]) * 8):
        broken = bytearray(pieces[3])
        broken[bit // 8] ^= 1 << bit % 8
        found = read([*pieces[:3], bytes(broken), *pieces[4:]], most)
        assert found.keys() | {3} == set(range(40))
        if 3 in found:
            assert BitMap(found[3]).serialize() == bytes(broken)
            assert found[3] == sorted(set(found[3]))


@pytest.mark.parametrize("starts", [[0, 10], [18, 0], [-1, 18], [0, 19]])
def test_bitmaps_that_do_not_follow_each_other_are_left_out(starts: list[int]) -> None:
    data = np.frombuffer(b"".join(serialized([[7], [9]])), np.uint8)
    sizes = np.full(2, len(data) // 2)
    found = batch.read_small_bitmaps(data, np.array(starts), sizes, 16 << 16)
    assert [part.tolist() for part in found] == [[], [], []]
    found = batch.read_small_bitmaps(data, np.array([0, 18]), sizes, 16 << 16)
    assert [part.tolist() for part in found] == [[0, 1], [1, 1], [7, 9]]
