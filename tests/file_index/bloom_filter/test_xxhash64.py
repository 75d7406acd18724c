"""xxHash64 of many texts."""

import random

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.file_index.bloom_filter import xxhash64

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


@given(st.lists(st.binary(max_size=300), max_size=30), st.sampled_from([1, 30]))
def test_hash_of_texts(texts: list[bytes], times: int) -> None:
    texts *= times
    assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]


@pytest.mark.parametrize("length", [*range(0, 70), 127, 128, 255, 256, 257, 1000])
def test_hash_of_many_texts_of_a_length(length: int) -> None:
    rng = random.Random(length)
    texts = [rng.randbytes(length) for _ in range(16 * length + 1)]  # as many as arrays take
    assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]


def test_hash_of_long_texts_among_short_ones() -> None:
    texts = [b"x" * length for length in (0, 65_535, 65_536, 70_000, 3, 131_072)] * 70
    assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]


def _hashed(texts: list[bytes]) -> list[int]:
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    hashed: list[int] = xxhash64.hash_texts(
        np.frombuffer(b"".join(texts), np.uint8), offsets
    ).tolist()
    return hashed
