"""Small bitmaps: written at once as by pyroaring, and read at once if they are sound."""

import random

import numpy as np
import pytest
from pyroaring import BitMap

from paimon_ksy.roaring import small_bitmaps
from paimon_ksy.roaring.small_bitmaps import plain_header, read_small_bitmaps


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
    monkeypatch.setattr(small_bitmaps, "_ROWS_AT_ONCE", at_once)
    rows, starts, ends = made(np.random.default_rng(num_rows), num_rows, num_values, span)
    found: dict[int, bytes] = {}
    for places, bitmaps in small_bitmaps.small_bitmaps(rows, starts, ends):
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
    assert list(small_bitmaps.small_bitmaps(none.astype(np.uint32), none, none)) == []


def test_a_header_without_runs() -> None:
    head, kind = plain_header(3)
    data = BitMap([row << 16 for row in (0, 1, 7)]).serialize()
    assert data.startswith(head)
    [found] = np.frombuffer(data, kind, 1)
    assert found["descriptors"]["key"].tolist() == [0, 1, 7]
    assert found["descriptors"]["cardinality_minus_1"].tolist() == [0] * 3
    assert found["ofs_containers"].tolist() == [kind.itemsize + 2 * at for at in range(3)]
    assert plain_header(0)[1].itemsize == len(BitMap().serialize())
    every = BitMap(list(range(0, 1 << 32, 1 << 16))).serialize()
    assert every.startswith(plain_header(1 << 16)[0])


# Reading ------------------------------------------------------------------------------------------


def serialized(sets: list[list[int]]) -> list[bytes]:
    bitmaps = [BitMap(rows) for rows in sets]
    for bitmap in bitmaps:
        bitmap.run_optimize()
    return [bitmap.serialize() for bitmap in bitmaps]


def read(pieces: list[bytes], shift: int = 0) -> dict[int, list[int]]:
    sizes = np.array([len(piece) for piece in pieces], np.int64)
    data = np.frombuffer(bytes(shift) + b"".join(pieces), np.uint8)
    starts = shift + np.cumsum(sizes) - sizes
    found: dict[int, list[int]] = {}
    for places, counts, rows in read_small_bitmaps(data, starts, sizes):
        parts = np.split(rows, np.cumsum(counts)[:-1])[: len(places)]
        found |= zip(places.tolist(), (part.tolist() for part in parts), strict=True)
    return found


def test_rows_are_those_of_each_bitmap() -> None:
    numbers = random.Random(5)
    sets = [
        sorted(numbers.sample(range(300_000), numbers.choice([1, 2, 3, 5, 60]))) for _ in range(500)
    ]
    sets.append(list(range(0, 9000, 3)))
    for shift in range(3):
        assert read(serialized(sets), shift) == dict(enumerate(sets))
    assert read([]) == {}


def test_bitmaps_with_runs_bitsets_or_many_containers_are_left_out() -> None:
    assert read(serialized([list(range(i, i + 50)) for i in range(50)])) == {}
    assert read(serialized([list(range(0, 65_000, 3)), [7]])) == {1: [7]}
    most = [[row << 16 for row in range(count)] for count in (64, 65)]
    assert read(serialized(most)) == {0: most[0]}


def test_no_broken_bitmap_is_read() -> None:
    """Each bit of one among others that are sound: it has other rows, or is left out."""
    pieces = serialized([[i, i + 7, i + 70_000] for i in range(40)])
    assert len(read(pieces)) == 40
    for bit in range(len(pieces[3]) * 8):
        broken = bytearray(pieces[3])
        broken[bit // 8] ^= 1 << bit % 8
        found = read([*pieces[:3], bytes(broken), *pieces[4:]])
        if 3 in found:
            assert BitMap(found[3]).serialize() == bytes(broken)
            assert found[3] == sorted(set(found[3]))


@pytest.mark.parametrize(("starts", "left"), [([0, 10], [0]), ([-1, 18], [1]), ([0, 19], [0])])
def test_places_without_a_bitmap_are_left_out(starts: list[int], left: list[int]) -> None:
    data = np.frombuffer(b"".join(serialized([[7], [9]])), np.uint8)
    sizes = np.full(2, len(data) // 2)
    [(places, _, _)] = read_small_bitmaps(data, np.array(starts), sizes)
    assert places.tolist() == left
