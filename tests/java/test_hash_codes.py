"""Java's hash codes, against the rules written out plainly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.java import hash_codes

MASK = 0xFFFFFFFF


def signed(value: int) -> int:
    return (value & MASK) - (2**32 if value & 0x80000000 else 0)


# -- hash codes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("a", 97), ("bitmap", -1388777169), ("bloom-filter", 862074498)],
)
def test_string(text: str, code: int) -> None:
    assert signed(hash_codes.hash_string(text)) == code


def test_string_counts_utf16_units() -> None:
    assert hash_codes.hash_string("😀") == 0xD83D * 31 + 0xDE00


def test_numbers() -> None:
    assert hash_codes.hash_numbers(np.array([True, False])).tolist() == [1231, 1237]
    assert hash_codes.hash_numbers(np.array([-1, 5], np.int8)).tolist() == [MASK, 5]
    assert hash_codes.hash_numbers(np.array([-1, 2**32, 7, -(2**63)])).tolist() == [
        0,
        1,
        7,
        0x80000000,
    ]
    assert hash_codes.hash_numbers(np.array([1.0, np.nan], np.float32)).tolist() == [
        0x3F800000,
        0x7FC00000,
    ]
    assert hash_codes.hash_numbers(np.array([1.0, -0.0])).tolist() == [0x3FF00000, 0x80000000]


def murmur(data: bytes) -> int:
    """MurmurHashUtils.hashBytes, written out."""

    def mix(h: int, k: int) -> int:
        k = k * 0xCC9E2D51 & MASK
        k = (k << 15 | k >> 17) & MASK
        h ^= k * 0x1B873593 & MASK
        h = (h << 13 | h >> 19) & MASK
        return (h * 5 + 0xE6546B64) & MASK

    h = 42
    aligned = len(data) - len(data) % 4
    for i in range(0, aligned, 4):
        h = mix(h, int.from_bytes(data[i : i + 4], "little"))
    for byte in data[aligned:]:
        h = mix(h, (byte - 256 if byte > 127 else byte) & MASK)
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    return h ^ h >> 16


@given(st.lists(st.binary(max_size=40), max_size=60), st.integers(0, 3))
def test_binary_strings(strings: list[bytes], before: int) -> None:
    data = np.frombuffer(b"x" * before + b"".join(strings), np.uint8)
    offsets = before + np.cumsum([0, *map(len, strings)], dtype=np.int64)
    assert hash_codes.hash_binary_strings(data, offsets).tolist() == [murmur(s) for s in strings]


# -- order of a HashMap ----------------------------------------------------------------------------
