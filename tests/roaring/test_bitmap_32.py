"""Roaring bitmaps: read as pyroaring wrote them, and refused where native code would misread."""

import gc
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStructError
from ksykit.runtime.objects import FormatError, to_bytes
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.generated.structs.roaring_bitmap_32 import (
    make_roaring_bitmap_32,
    make_roaring_container,
    make_roaring_descriptor,
    make_roaring_header,
    make_roaring_run,
)
from paimon_ksy.generated.views.roaring_bitmap_32 import (
    ROARING_DESCRIPTOR,
    RoaringHeader,
)
from paimon_ksy.roaring.bitmap_32 import (
    BadBitmapError,
    all_but,
    read_bitmap,
    read_start,
)
from tests.reference.roaring_bitmap_32 import RoaringBitmap32
from tests.support.memory import kept_by, peak_of

Container = tuple[int, int, str, Sequence[int]]  # key, cardinality, kind, values | words | runs


def bitmap(containers: Sequence[Container], **header: object) -> bytes:
    """The bytes of these containers, true or not; runs are first and length, one after another."""
    made, flags, offsets = [], 0, []
    has_runs = any(kind == "runs" for _, _, kind, _ in containers)
    has_offsets = not has_runs or len(containers) >= 4
    flags_size = (len(containers) + 7) // 8
    start = (4 + flags_size if has_runs else 8) + len(containers) * (8 if has_offsets else 4)
    for i, (_, cardinality, kind, content) in enumerate(containers):
        offsets.append(start)
        if kind == "runs":
            flags |= 1 << i
            pairs = list(zip(content[::2], content[1::2], strict=True))
            runs = [make_roaring_run(first=f, len_minus_1=n - 1) for f, n in pairs]
            container = make_roaring_container(
                is_run=True, cardinality=cardinality, num_runs=len(runs), runs=runs
            )
            start += 2 + 4 * len(runs)
        elif kind == "values":
            values = np.array(content, np.uint16)
            container = make_roaring_container(is_run=False, cardinality=cardinality, values=values)
            start += 2 * len(values)
        else:
            words = np.array(content, np.uint64)
            container = make_roaring_container(is_run=False, cardinality=cardinality, words=words)
            start += 8192
        made.append(container)
    fields: dict[str, Any] = {
        "cookie": 12347 if has_runs else 12346,
        "num_containers_minus_1": len(containers) - 1 if has_runs else 0,
        "descriptors": [
            make_roaring_descriptor(key=key, cardinality_minus_1=cardinality - 1)
            for key, cardinality, _, _ in containers
        ],
    }
    if has_runs:
        fields["run_flags"] = flags.to_bytes(flags_size, "little")
    else:
        fields["num_containers_without_runs"] = len(containers)
    if has_offsets:
        fields["ofs_containers"] = offsets
    return to_bytes(
        make_roaring_bitmap_32(header=make_roaring_header(**(fields | header)), containers=made)
    )


FULL_WORDS = [2**64 - 1] * 79 + [0] * 945  # 5,056 integers
GOOD: dict[str, tuple[list[Container], int]] = {
    "empty": ([], 0),
    "array": ([(0, 3, "values", [1, 5, 9])], 3),
    "largest array": ([(1, 4096, "values", range(4096))], 4096),
    "bitset": ([(0, 5056, "words", FULL_WORDS)], 5056),
    "run": ([(0, 65536, "runs", [0, 65536])], 65536),
    "runs": ([(0, 7, "runs", [3, 5, 100, 2]), (2, 1, "values", [0])], 8),
    "an array where a run were shorter": ([(0, 100, "values", range(100))], 100),
    "five of all kinds": (
        [
            (0, 2, "values", [65534, 65535]),
            (1, 1, "values", [0]),
            (2, 5056, "words", FULL_WORDS),
            (3, 10, "runs", [0, 5, 10, 5]),
            (9, 1, "runs", [65535, 1]),
        ],
        5070,
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str) -> None:
    containers, cardinality = GOOD[name]
    data = bitmap(containers)
    rows = read_bitmap(data, 2**31 - 1)
    assert len(rows) == cardinality
    assert rows == BitMap.deserialize(data)
    assert list(rows) == sorted(set(rows))


@given(
    st.lists(
        st.tuples(st.integers(0, 2**31 - 80_000), st.integers(1, 70_000), st.integers(1, 9)),
        max_size=6,
    ),
    st.booleans(),
)
def test_what_pyroaring_writes(ranges: list[tuple[int, int, int]], optimize: bool) -> None:
    rows = BitMap()
    for start, length, step in ranges:
        rows |= BitMap(range(start, start + length, step))
    if optimize:
        rows.run_optimize()
    data = rows.serialize()
    assert read_bitmap(data, 2**31 - 1) == rows
    assert read_bitmap(data + b"more", 2**31 - 1, prefix=True) == rows
    with pytest.raises(BadBitmapError, match="4 bytes follow"):
        read_bitmap(data + b"more", 2**31 - 1)
    if rows:
        assert read_bitmap(data, rows.max() + 1) == rows
        with pytest.raises(BadBitmapError, match="in a file of"):
            read_bitmap(data, rows.max())


def test_a_header_has_the_type_that_the_writer_writes() -> None:
    data = bitmap([(i, 4096, "values", range(4096)) for i in (0, 1, 7)])
    header = RoaringHeader(b"--" + data, 0, 2)
    assert header.descriptors_key == (0, 1, 7)
    assert header.descriptors_cardinality_minus_1 == (4095,) * 3
    end = header.end - 2
    assert header.ofs_containers == (end, end + 8192, end + 2 * 8192)
    assert RoaringHeader(data, 100, 0).end == 100 + end
    written = make_roaring_header(
        descriptors=ROARING_DESCRIPTOR.pack(key=[0, 1, 7], cardinality_minus_1=4095),
        ofs_containers=np.array(header.ofs_containers),
    )
    assert to_bytes(written) == data[:end]
    every = BitMap(list(range(0, 1 << 32, 1 << 16))).serialize()
    parsed = RoaringBitmap32.RoaringHeader.from_bytes(every)
    assert [one.key for one in parsed.descriptors] == list(range(1 << 16))
    assert list(RoaringHeader(every, 0, 0).descriptors_key) == list(range(1 << 16))
    assert RoaringHeader(every, 0, 0).end == 8 + (1 << 16) * 8
    one_more = every[:4] + (65537).to_bytes(4, "little") + every[8:]
    with pytest.raises(KaitaiStructError, match="max 65536, but got 65537"):
        RoaringBitmap32.RoaringHeader.from_bytes(one_more)
    for length in range(end):
        with pytest.raises(FormatError):
            RoaringHeader(data[:length], 0, 0)
    for broken in (b"\x3c" + data[1:], data[:4] + b"\1\0\1\0" + data[8:]):
        with pytest.raises(FormatError):
            RoaringHeader(broken, 0, 0)
    with pytest.raises(FormatError, match="ofs_containers"):
        to_bytes(make_roaring_header(descriptors=[], ofs_containers=np.array([-1])))


BAD: dict[str, tuple[bytes, str]] = {
    "values not ascending": (bitmap([(0, 3, "values", [1, 9, 5])]), "ascending"),
    "a value twice": (bitmap([(0, 3, "values", [1, 5, 5])]), "ascending"),
    "keys not ascending": (
        bitmap([(1, 1, "values", [1]), (0, 1, "values", [1])]),
        "keys of containers",
    ),
    "a key twice": (bitmap([(1, 1, "values", [1]), (1, 1, "values", [2])]), "keys of containers"),
    "bitset with fewer": (bitmap([(0, 5057, "words", FULL_WORDS)]), "the cardinality of a"),
    "bitset with more": (bitmap([(0, 5055, "words", FULL_WORDS)]), "the cardinality of a"),
    "runs overlap": (bitmap([(0, 8, "runs", [3, 5, 7, 3])]), "overlap"),
    "runs that touch": (bitmap([(0, 7, "runs", [3, 5, 8, 2])]), "touch"),
    "runs not ascending": (bitmap([(0, 7, "runs", [100, 2, 3, 5])]), "overlap"),
    "a run past 65,535": (bitmap([(0, 10, "runs", [65530, 10])]), "65,535"),
    "no run": (bitmap([(0, 1, "runs", [])]), "contains no run"),
    "runs with fewer": (bitmap([(0, 8, "runs", [3, 5, 100, 2])]), "the cardinality of a"),
    "runs with more": (bitmap([(0, 6, "runs", [3, 5, 100, 2])]), "the cardinality of a"),
    "an offset that lies": (
        bitmap([(0, 1, "values", [1]), (1, 1, "values", [2])], ofs_containers=[24, 28]),
        "offset",
    ),
    "another cookie": (b"\x39\x30" + bitmap(GOOD["array"][0])[2:], "not a Roaring bitmap"),
    "a cookie with an upper half": (
        b"\x3a\x30\1\0" + bitmap(GOOD["array"][0])[4:],
        "the field num_containers_minus_1 cannot be 1",
    ),
    "too many containers": (b"\x3a\x30\x00\x00\x01\x00\x01\x00", "not a Roaring bitmap"),
    "2**32 - 1 containers": (b"\x3a\x30\x00\x00\xff\xff\xff\xff", "not a Roaring bitmap"),
    "containers past the end": (b"\x3b\x30\xff\xff" + b"\xff" * 100, "not a Roaring bitmap"),
    "nothing": (b"", "not a Roaring bitmap"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(name: str) -> None:
    data, message = BAD[name]
    with pytest.raises(BadBitmapError, match=message):
        read_bitmap(data, 2**31 - 1)
    with pytest.raises(BadBitmapError, match=message):
        read_bitmap(data, 2**31 - 1, prefix=True)


@pytest.mark.parametrize("name", GOOD)
def test_cut_short(name: str) -> None:
    data = bitmap(GOOD[name][0])
    for length in {*range(min(len(data), 300)), len(data) - 1}:
        with pytest.raises(BadBitmapError):
            read_bitmap(data[:length], 2**31 - 1)


@pytest.mark.parametrize("name", ["array", "runs", "five of all kinds", "bitset"])
def test_each_bit_flipped(name: str) -> None:
    """Either refused, or the set that the bytes say: which the containers' own parser tells."""
    data = bitmap(GOOD[name][0])
    step = 1 if len(data) < 1000 else 37
    for bit in range(0, 8 * len(data), step):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            rows = read_bitmap(bytes(flipped), 2**31 - 1)
        except BadBitmapError:
            continue
        assert list(rows) == _plainly(bytes(flipped))


def _plainly(data: bytes) -> list[int]:
    """What Kaitai's parser makes of it."""
    from tests.reference.roaring_bitmap_32 import RoaringBitmap32

    parsed = RoaringBitmap32.from_bytes(data)
    rows: list[int] = []
    for descriptor, container in zip(parsed.header.descriptors, parsed.containers, strict=True):
        base = descriptor.key * 65536
        if container.is_run:
            for run in container.runs:
                rows += range(base + run.first, base + run.last + 1)
        elif container.cardinality <= 4096:
            rows += [base + value for value in container.values]
        else:
            words = container.words
            rows += [base + i for i in range(65536) if words[i // 64] >> i % 64 & 1]
    return rows


def test_the_bytes_of_a_bitmap_are_not_kept_until_garbage_is_collected() -> None:
    data = bitmap([(i, 5056, "words", FULL_WORDS) for i in range(8)])

    def read() -> None:
        for _ in range(40):
            read_bitmap(bytes(bytearray(data)), 2**31 - 1)

    gc.disable()
    try:
        assert kept_by(read) < 10 * len(data)
    finally:
        gc.enable()


def test_the_largest_bitmaps_take_bounded_memory() -> None:
    """Containers of alternating kinds are the costliest; more than 32,768 hold no rows."""
    containers: list[Container] = [
        (i, 1, "runs" if i % 2 else "values", [i, 1] if i % 2 else [i]) for i in range(32768)
    ]
    data = bitmap(containers)
    # The header of an empty container has no flag, so this one is checked container by container.
    broken = data[:-6] + b"\0\0" + data[-4:]
    assert len(read_bitmap(data, 2**31 - 1)) == 32768
    with pytest.raises(BadBitmapError, match="a run container contains no run"):
        read_bitmap(broken, 2**31 - 1)
    assert peak_of(lambda: read_bitmap(data, 2**31 - 1)) < 100 * 2**20


def test_all_but_some_rows() -> None:
    for rows in (BitMap(), BitMap([0, 5]), BitMap([2**27 - 1, 2**27, 2**27 + 9])):
        for num_rows in (6, 2**27, 2**27 + 10):
            some = rows & BitMap(range(num_rows))
            expected = BitMap(range(num_rows)) - some
            assert all_but(some, num_rows) == expected


@given(st.lists(st.integers(0, 300_000), max_size=50), st.booleans(), st.data())
@examples(200)
def test_a_bitmap_that_does_not_tell_its_length(
    numbers: list[int], full: bool, draw: st.DataObject
) -> None:
    """Bytes may follow. Damage is told as by `read_bitmap`, but for that of offsets, which changes
    no row."""
    rows = BitMap(numbers)
    if full:
        rows.update(range(70_000, 140_000, 2))
    if draw.draw(st.booleans()):
        rows.run_optimize()
    data = rows.serialize()
    assert read_start(data + b"more", 300_001) == rows
    with pytest.raises(BadBitmapError):
        read_start(data[: draw.draw(st.integers(0, len(data) - 1))], 300_001)
    at = draw.draw(st.integers(0, len(data) - 1))
    damaged = bytearray(data)
    damaged[at] ^= 1 << draw.draw(st.integers(0, 7))
    header = RoaringHeader(data, 0, 0)
    end = header.end
    if not header.has_runs and end - 4 * header.num_containers <= at < end:
        assert read_start(bytes(damaged), 300_001) == rows
        with pytest.raises(BadBitmapError):
            read_bitmap(bytes(damaged), 300_001, prefix=True)
        return
    try:
        wanted = read_bitmap(bytes(damaged), 300_001, prefix=True)
    except BadBitmapError:
        with suppress(BadBitmapError):  # where only offsets do not fit to other sizes
            assert read_start(bytes(damaged), 300_001).max() <= 300_000
    else:
        assert read_start(bytes(damaged), 300_001) == wanted
