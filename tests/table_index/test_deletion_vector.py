"""Deletion vectors: Java's bytes, Python's sets, and nothing broken is read."""

import json
import time
import zlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ksykit.runtime import objects as runtime
from pyroaring import BitMap, BitMap64

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.deletion_vectors import (
    DeletionVector as VectorStruct,
)
from paimon_ksy.generated.structs.deletion_vectors import (
    DeletionVectors as VectorsStruct,
)
from paimon_ksy.generated.structs.deletion_vectors import (
    make_deletion_vector,
)
from paimon_ksy.table_index.deletion_vector import MAX_POSITION, DeletionVector
from paimon_ksy.table_index.deletion_vector_file import (
    read_vectors,
)
from paimon_ksy.table_index.vector_bytes import Bits
from tests.golden.vectors import GoldenVectors
from tests.reference.deletion_vectors import DeletionVectors
from tests.support.file_indexes import values_of
from tests.support.memory import peak_of
from tests.support.vectors import GOLDEN

BITS = pytest.mark.parametrize("bits", [32, 64])
BITS_32, BITS_64 = 0x5E43F2D0, 0xD1D33964


# Java's files -------------------------------------------------------------------------------------


@GOLDEN
def test_golden_files_are_serialized(golden: GoldenVectors) -> None:
    parsed = VectorsStruct.from_bytes(golden.data)
    assert runtime.to_bytes(parsed) == golden.data
    document = json.loads(json.dumps(runtime.to_json(parsed)))
    assert (
        runtime.to_bytes(runtime.from_json(type_named("deletion_vectors"), document)) == golden.data
    )
    assert runtime.gaps(parsed, golden.data) == []


def test_java_s_position_minus_1_is_read() -> None:
    bitmap = BitMap([2**32 - 1]).serialize()
    vector = DeletionVector.from_bytes(frame(BITS_32, bitmap))
    assert vector.max == 2**32 - 1
    with pytest.raises(PaimonKsyError, match="another file"):
        vector.check_rows(10)


# Broken bytes -------------------------------------------------------------------------------------


def frame(kind: int, bitmap: bytes) -> bytes:
    data = kind.to_bytes(4, "big") + bitmap
    return bytes(runtime.to_bytes(make_deletion_vector(data=data, crc32=zlib.crc32(data))))


def in_64(count: int, bitmaps: list[tuple[int, bytes]], rest: bytes = b"") -> bytes:
    parts = [k.to_bytes(4, "little", signed=True) + b for k, b in bitmaps]
    return frame(BITS_64, count.to_bytes(8, "little", signed=True) + b"".join(parts) + rest)


ONE, NONE = BitMap([1]).serialize(), BitMap().serialize()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (in_64(2**31 - 1, []), "room for only 0"),
        (in_64(2**62, []), "not a 64-bit"),
        (in_64(-1, []), "not a 64-bit"),
        (in_64(2, [(0, ONE)]), "room for only 1"),
        (in_64(1, [(0, ONE)], b"x"), "1 byte follows"),
        (in_64(2, [(1, ONE), (1, ONE)]), "not ascending"),
        (in_64(2, [(1, NONE), (0, ONE)]), "not ascending"),
        (in_64(3, [(0, NONE), (0, NONE), (1, ONE)]), "not ascending"),
        (in_64(1, [(2**31 - 1, ONE)]), "not ascending"),
        (in_64(1, [(-1, ONE)]), "not ascending"),
        (in_64(1, [(0, b"\x00" * 16)]), "not a Roaring bitmap"),
        (frame(BITS_64, b"\x00" * 7 + b"\x00"), None),
        (frame(BITS_32, ONE + b"x"), "1 byte follows"),
        (frame(BITS_32, b"\x00" * 8), "not a Roaring bitmap"),
        (frame(BITS_32, bytes.fromhex("3b300000010000000001000000ffff")), "the cardinality of a"),
        (frame(0, ONE), "not the magic number"),
        (frame(BITS_32, ONE)[:-5], "ends within"),
        (b"\x7f\xff\xff\xff" + frame(BITS_32, ONE)[4:], "ends within"),
        (b"\xff\xff\xff\xff" + frame(BITS_32, ONE)[4:], "size of -1"),
        (b"", "ends within"),
    ],
)
def test_misleading_bytes(data: bytes, message: str | None) -> None:
    def read() -> None:
        if message is None:
            assert not DeletionVector.from_bytes(data)
        else:
            with pytest.raises(CorruptFileError, match=message):
                DeletionVector.from_bytes(data)

    assert peak_of(read) < 10e6


@pytest.mark.parametrize("golden", [(32, {1, 3, 70_000}), (64, {2, 3, 4, 5, 2**32 + 1})], ids=str)
def test_each_bit_flipped_and_each_byte_cut(golden: tuple[Bits, set[int]]) -> None:
    """The CRC tells each flip; without it the rows are those that the bytes say."""
    bits, rows = golden
    data = b"\x01" + DeletionVector.of(rows, bits).to_bytes()
    for length in range(2, len(data)):
        with pytest.raises(CorruptFileError):
            list(read_vectors(data[:length], verify=False))
    answers = 0
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CorruptFileError):
            list(read_vectors(bytes(flipped)))
        try:
            [stored] = read_vectors(bytes(flipped), verify=False)
        except CorruptFileError:
            continue
        answers += 1
        if stored.vector.cardinality < 1000:
            assert list(stored.vector) == plainly(bytes(flipped))
    assert answers > 32  # those of the CRC, at least


def plainly(data: bytes) -> list[int]:
    """The rows of the only vector, as Kaitai's parser has them, one after another."""
    [vector] = DeletionVectors.from_bytes(data).vectors
    found: list[int] = []
    if vector.data.kind.value == BITS_32:
        keyed = [(0, vector.data.bitmap_32)]
    else:
        keyed = [(each.key, each.bitmap) for each in vector.data.bitmap_64.bitmaps]
    for key, bitmap in keyed:
        found += [key * 2**32 + value for value in values_of(bitmap)]
    return found


def test_many_empty_bitmaps_are_stepped_over() -> None:
    vector = DeletionVector.of([5, 2**52 + 7, 2**52 + 2**33], 64)
    data = vector.to_bytes()
    started = time.process_time()
    assert DeletionVector.from_bytes(data) == vector
    assert time.process_time() - started < 1


# Sets ---------------------------------------------------------------------------------------------


def sets(bits: int) -> st.SearchStrategy[set[int]]:
    low = st.integers(0, 300) | st.integers(65_000, 66_000) | st.integers(0, MAX_POSITION[32])
    if bits == 32:
        return st.sets(low, max_size=40)
    high = st.sampled_from([0, 2**31, 2**32 - 5, 2**32, 2**33, 2**40]).flatmap(
        lambda base: st.integers(base, base + 400)
    )
    return st.sets(low | high, max_size=40)


CASES = st.sampled_from([32, 64]).flatmap(
    lambda bits: st.tuples(st.just(bits), sets(bits), sets(bits))
)


@pytest.mark.parametrize("base", [0, 65_536, 2**32 - 65_536, 2**32, 3 * 2**32 + 9])
@pytest.mark.parametrize("rows", [[10], [3, 10], [3, 9, 10], [10, 11], [9, 10, 2**31]])
def test_masks_that_end_at_a_deleted_row(base: int, rows: list[int]) -> None:
    """The row after a batch is the first of the next one."""
    deleted = {base + row for row in rows}
    vector = DeletionVector.of(sorted(deleted), 64)
    for start in (base, base + 3, base + 9, base + 10):
        for stop in (base + 10, base + 11, base + 12):
            expected = [row in deleted for row in range(start, stop)]
            assert vector.mask(start, stop).tolist() == expected
            assert vector.is_deleted(range(start, stop)).tolist() == expected
    batches = [pa.record_batch({"row": np.arange(at, at + 5)}) for at in range(0, 40, 5)]
    live = vector.apply_to_batches(batches, start=base) if max(deleted) < base + 40 else ()
    kept = [base + row for batch in live for row in batch["row"].to_pylist()]
    assert not live or kept == [base + row for row in range(40) if base + row not in deleted]


@given(CASES)
@example((64, set(), {2**40}))
def test_sets(case: tuple[Bits, set[int], set[int]]) -> None:
    bits, one, two = case
    a, b = DeletionVector.of(one, bits), DeletionVector.of(sorted(two, reverse=True), bits)
    assert list(a) == sorted(one) == a.positions().tolist()
    assert (a.cardinality, len(a), bool(a)) == (len(one), len(one), bool(one))
    assert a.max == max(one, default=None)
    assert list(a | b) == list(a.union(b)) == list(b.add(one)) == sorted(one | two)
    assert list(a - b) == list(a.difference(b)) == sorted(one - two)
    assert (a == b) == (one == two)
    assert (a - b) | b == a | b
    assert hash(a) == hash(DeletionVector.of(list(one), bits))
    assert DeletionVector.from_bytes(a.to_bytes()) == a
    asked = [*one, *two, *(p + 1 for p in one), 0, 2**31, -1]
    assert a.is_deleted(asked).tolist() == [p in one for p in asked]
    assert [p in a for p in asked] == [p in one for p in asked]
    for start, stop in ((0, 400), (100, 101), (65_500, 66_000), (2**32 - 3, 2**32 + 300)):
        expected = [p in one for p in range(start, stop)]
        assert a.mask(start, stop).tolist() == expected
        assert a.count(start, stop) == sum(expected)
    assert set(a.rows()) == {p for p in one if p < 2**32}
    assert set(a.rows(70)) == {p for p in one if p < 70}


@given(CASES)
def test_converting(case: tuple[Bits, set[int], set[int]]) -> None:
    bits, one, two = case
    vector = DeletionVector.of(one, bits)
    wide = vector.to_bits(64)
    assert (wide.bits, set(wide)) == (64, one)
    if max(one, default=0) > MAX_POSITION[32]:
        with pytest.raises(PaimonKsyError, match="does not fit"):
            vector.to_bits(32)
    else:
        narrow = wide.to_bits(32)
        assert (narrow.bits, set(narrow)) == (32, one)
    other = DeletionVector.of(two, 64)
    assert (vector | other) == DeletionVector.of(one | two, 64)
    assert (vector - other) == DeletionVector.of(one - two, bits)


@BITS
def test_a_vector_never_changes(bits: Bits) -> None:
    vector = DeletionVector.of(range(0, 1000, 7), bits)
    before = set(vector)
    assert vector.add([1]) != vector
    _ = vector | DeletionVector.of([2], bits), vector - DeletionVector.of([7], bits)
    vector.rows().clear()
    vector.to_bytes()
    assert set(vector) == before
    with pytest.raises(AttributeError):
        vector.bits = 64  # type: ignore[misc]


@BITS
@pytest.mark.parametrize("span", [(0, 0), (3, 70_000), (65_536, 65_537), (2**31 - 9, 2**31 - 1)])
def test_ranges(bits: Bits, span: tuple[int, int]) -> None:
    assert list(DeletionVector.of(range(*span), bits)) == list(range(*span))


def test_ranges_across_keys() -> None:
    vector = DeletionVector.of(range(2**32 - 3, 2**33 + 2), 64)
    assert vector.cardinality == 2**32 + 5
    assert (2**32 - 4 in vector, 2**32 in vector, 2**33 + 1 in vector, 2**33 + 2 in vector) == (
        False,
        True,
        True,
        False,
    )
    assert DeletionVector.from_bytes(vector.to_bytes()) == vector
    assert vector.is_deleted([0, 2**33]).tolist() == [False, True]


def test_limits() -> None:
    assert DeletionVector.of(2**31 - 1).max == 2**31 - 1
    assert DeletionVector.of(9223372030412324864, 64).max == 9223372030412324864
    for bits, wrong in ((32, 2**31), (32, -1), (64, -1), (64, 9223372030412324865), (64, 2**70)):
        for given_as in ([wrong], wrong, range(wrong, wrong + 1)):
            with pytest.raises(PaimonKsyError, match=f"position {wrong} is not within"):
                DeletionVector.of(given_as, bits)  # type: ignore[arg-type]
    with pytest.raises(PaimonKsyError, match="use 64 bits"):
        DeletionVector.of([2**31])
    wrong_types: list[Any] = [[1.5], ["a"], [True], [None]]
    for wrong_type in wrong_types:
        with pytest.raises(PaimonKsyError, match="positions are integers"):
            DeletionVector.of(wrong_type)
    with pytest.raises(UnsupportedError, match="2 GB"):
        DeletionVector.of([9223372030412324864], 64).to_bytes()


def test_numpy_and_arrow_positions() -> None:
    several: list[Any] = [
        np.array([3, 1, 3], np.uint16),
        pa.array([1, 3]),
        BitMap([1, 3]),
        frozenset([1, 3]),
        np.array([[1], [3]]),
    ]
    for positions in several:
        assert list(DeletionVector.of(positions)) == [1, 3]
    assert DeletionVector.of([1]).is_deleted(np.array([[0, 1], [1, 2]])).tolist() == [
        [False, True],
        [True, False],
    ]
    assert DeletionVector.of([1]).is_deleted(np.array([1, 2**63], np.uint64)).tolist() == [
        True,
        False,
    ]
    assert DeletionVector().is_deleted([]).tolist() == []


# Applying -----------------------------------------------------------------------------------------


@BITS
@examples(50)
@given(st.data())
def test_applying(bits: Bits, data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 300))
    deleted = data.draw(st.sets(st.integers(0, max(rows - 1, 0)), max_size=rows))
    sizes = data.draw(st.lists(st.integers(0, 100), max_size=6))
    table = pa.table({"row": pa.array(range(rows)), "s": pa.array([str(i) for i in range(rows)])})
    vector = DeletionVector.of(deleted, bits)
    batches, at = [], 0
    for size in [*sizes, rows]:
        batches += table.slice(at, size).to_batches()
        at = min(at + size, rows)
    live = [i for i in range(rows) if i not in deleted]
    parts = list(vector.apply_to_batches(batches))
    assert [i for part in parts for i in part.column("row").to_pylist()] == live
    assert all(part.num_rows for part in parts)
    result = vector.apply(table)
    assert result.schema == table.schema
    assert result.column("s").to_pylist() == [str(i) for i in live]


def test_applying_from_the_middle_and_to_the_wrong_file() -> None:
    vector = DeletionVector.of([0, 10, 12])
    batch = pa.record_batch({"row": range(10, 15)})
    (live,) = vector.apply_to_batches([batch], start=10)
    assert live.column("row").to_pylist() == [11, 13, 14]
    with pytest.raises(PaimonKsyError, match="deletes row 12, but the file has 5"):
        vector.apply(pa.table({"row": range(5)}))


# Iceberg ------------------------------------------------------------------------------------------


def puffin(blob: bytes) -> bytes:
    """A Puffin file with one deletion vector, as Iceberg stores it."""
    footer = {
        "blobs": [
            {
                "type": "deletion-vector-v1",
                "fields": [],
                "snapshot-id": -1,
                "sequence-number": -1,
                "offset": 4,
                "length": len(blob),
                "properties": {"referenced-data-file": "data.parquet"},
            }
        ]
    }
    payload = json.dumps(footer).encode()
    size = len(payload).to_bytes(4, "little")
    return b"PFA1" + blob + b"PFA1" + payload + size + b"\x00" * 4 + b"PFA1"


@pytest.mark.parametrize(
    "positions",
    [
        {3},
        {0, 2**31, 2**32 - 1, 2**32, 2**33 + 5},
        set(range(100_000)),
        set(range(0, 200_000, 3)),
    ],
)
def test_iceberg_reads_64_bit_vectors(positions: set[int]) -> None:
    from pyiceberg.table import deletion_vector as vectors
    from pyiceberg.table import puffin as puffin_module

    blob = DeletionVector.of(positions, 64).to_bytes()
    (found,) = vectors.deletion_vectors_from_puffin_file(puffin_module.PuffinFile(puffin(blob)))
    assert found.referenced_data_file == "data.parquet"
    assert found.to_vector().to_pylist() == sorted(positions)
    assert DeletionVector.from_bytes(blob) == DeletionVector.of(positions, 64)


def test_keys_that_are_left_out_are_read_here_and_by_iceberg() -> None:
    """Java writes all keys up to the last; other writers, as CRoaring, those of the positions."""
    from pyiceberg.table import deletion_vector as vectors
    from pyiceberg.table import puffin as puffin_module

    positions = [1, 2, 70_000, 2**33, 2**33 + 1, 2**40 + 5]
    blob = frame(BITS_64, BitMap64(positions).serialize())
    assert len(blob) < 200
    assert DeletionVector.from_bytes(blob) == DeletionVector.of(positions, 64)
    (found,) = vectors.deletion_vectors_from_puffin_file(puffin_module.PuffinFile(puffin(blob)))
    assert found.to_vector().to_pylist() == positions


def test_fields_of_a_vector_are_packed_alone() -> None:
    pack = VectorStruct.pack_field
    assert pack("len_data", 12).hex() == "0000000c"
    for wrong in 2**31, None, "12":
        with pytest.raises(runtime.FormatError, match="deletion_vector"):
            pack("len_data", wrong)
