"""Files of deletion vectors, as the Java library writes and reads them."""

import contextlib
import random
from pathlib import Path

import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import (
    VectorMeta,
    read_vector,
    read_vectors,
    write_rolling,
    write_vectors,
)
from tests.golden.vectors import BadVectors, GoldenVectors, bad_vectors
from tests.support.vectors import GOLDEN, written


@GOLDEN
def test_golden_files_are_read(golden: GoldenVectors) -> None:
    found = list(read_vectors(golden.data))
    assert [f.vector for f in found] == [written(dict(v)) for v in golden.vectors]
    metas = [VectorMeta(r["offset"], r["length"], r["cardinality"]) for r in golden.ranges]
    assert [f.meta for f in found] == metas
    for expected, meta in zip(found, metas, strict=True):
        one = read_vector(golden.data, meta.offset, meta.length, meta.cardinality)
        assert one == expected.vector
        assert one.bits == expected.vector.bits


@GOLDEN
def test_golden_files_are_written(golden: GoldenVectors, tmp_path: Path) -> None:
    vectors = {v["name"]: written(dict(v)) for v in golden.vectors}
    result = write_vectors(tmp_path / "file.dv", vectors)
    assert (tmp_path / "file.dv").read_bytes() == golden.data
    assert (result.name, result.size) == ("file.dv", len(golden.data))
    assert [(m.data_file, m.offset, m.length, m.cardinality) for m in result.vectors] == [
        (r["name"], r["offset"], r["length"], r["cardinality"]) for r in golden.ranges
    ]


@pytest.mark.parametrize("bad", bad_vectors(), ids=lambda b: b.name)
def test_bad_files(bad: BadVectors) -> None:
    """What Java refuses is refused; what it accepts is read, unless it is damaged."""
    refused_here = {"crc_flipped", "wrong_cardinality", "version2"}
    for given_range, file in zip(bad.ranges, bad.result["files"], strict=False):
        place = (given_range["offset"], given_range["length"], given_range.get("cardinality"))
        if "error" in file:
            for verify in (True, False):
                with pytest.raises(CorruptFileError):
                    read_vector(bad.data, *place, verify=verify)
            continue
        found = read_vector(bad.data, *place, verify=False)
        assert found.cardinality == file["cardinality"]
        if bad.name in refused_here:
            with pytest.raises(CorruptFileError):
                read_vector(bad.data, *place)
        else:
            assert read_vector(bad.data, *place) == found


def test_a_wrong_crc_is_seen_and_can_be_ignored() -> None:
    data = bytearray(DeletionVector.of([1, 2]).to_bytes())
    data[-1] ^= 1
    with pytest.raises(CorruptFileError, match="CRC"):
        DeletionVector.from_bytes(bytes(data))
    assert set(DeletionVector.from_bytes(bytes(data), verify=False)) == {1, 2}
    (stored,) = read_vectors(b"\x01" + bytes(data), verify=False)
    assert not stored.crc_ok


@GOLDEN
def test_truncated_and_damaged_files(golden: GoldenVectors) -> None:
    choose = random.Random(golden.name)
    whole = list(read_vectors(golden.data))
    ends = {1, *(stored.end for stored in whole)}
    for cut in {*range(min(len(golden.data), 60)), *choose.choices(range(len(golden.data)), k=20)}:
        if cut in ends:
            assert len(list(read_vectors(golden.data[:cut]))) < max(len(whole), 1) or cut == 1
            continue
        with pytest.raises(CorruptFileError):
            list(read_vectors(golden.data[:cut]))
    for _ in range(60):
        data = bytearray(golden.data)
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
        with pytest.raises(CorruptFileError):
            list(read_vectors(bytes(data)))
        with contextlib.suppress(CorruptFileError):
            for stored in read_vectors(bytes(data), verify=False):
                stored.vector.to_bytes()


def test_offsets_outside_of_the_file() -> None:
    for offset in (-1, 100, 2**40):
        with pytest.raises(CorruptFileError, match="outside"):
            read_vector(b"\x01" + DeletionVector.of([1]).to_bytes(), offset)
    with pytest.raises(CorruptFileError, match="empty"):
        list(read_vectors(b""))
    with pytest.raises(CorruptFileError, match="version 2"):
        list(read_vectors(b"\x02"))


def test_rolling_like_java(tmp_path: Path) -> None:
    """A file ends after the vector with which it is over the target."""
    vectors = {f"f-{i}": DeletionVector.of([i]) for i in range(7)}
    size = len(DeletionVector.of([1]).to_bytes())
    names = iter(f"dv-{i}" for i in range(9))
    files = write_rolling(tmp_path, vectors, target_size=2 * size, new_name=lambda: next(names))
    assert [len(f.vectors) for f in files] == [2, 2, 2, 1]
    assert [f.name for f in files] == ["dv-0", "dv-1", "dv-2", "dv-3"]
    for file in files:
        assert (tmp_path / file.name).stat().st_size == file.size
        for meta in file.vectors:
            assert meta.data_file is not None
            found = read_vector(tmp_path / file.name, meta.offset, meta.length, meta.cardinality)
            assert found == vectors[meta.data_file]
    assert [len(f.vectors) for f in write_rolling(tmp_path, vectors, target_size=0)] == [1] * 7
    assert write_rolling(tmp_path, {}) == []
    (one,) = write_rolling(tmp_path, vectors)
    assert one.name.startswith("index-")
    assert one.name.endswith("-0")
    assert not list(tmp_path.glob("*.tmp"))
