"""Sets of names by digest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.model import digests as module
from paimon_ksy.table.model.digests import DigestSet, digests, of_bytes
from tests.support.memory import peak_of

NAMES = st.lists(st.text(max_size=4), max_size=30)


@given(st.lists(NAMES, max_size=5), NAMES)
def test_a_set_contains_what_was_added(parts: list[list[str]], asked: list[str]) -> None:
    added: set[str] = set()
    found = DigestSet()
    for part in parts:
        found.add(digests(part))
        added.update(part)
        assert found.contains(digests(asked)).tolist() == [name in added for name in asked]
    assert len(found) == len(added)
    assert found.contains(digests(sorted(added))).all()


def test_digests_that_end_with_zeros_are_distinct() -> None:
    """numpy takes trailing zeros of a text for padding."""
    raw = [bytes([1] * (16 - n) + [0] * n) for n in range(16)]
    found = np.frombuffer(b"".join(raw), "S16")
    for at in range(16):
        one = DigestSet(found[at : at + 1])
        assert one.contains(found).tolist() == [other == at for other in range(16)]


def test_a_set_takes_few_bytes_for_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PENDING", 1 << 12)

    number = 20_000
    assert number > 2 * module._PENDING

    def add() -> None:
        found = DigestSet()
        for start in range(0, number, 1000):
            found.add(digests(f"data-{at}.parquet.index" for at in range(start, start + 1000)))
        assert len(found) == number

    assert peak_of(add) < 16 * number * 7


def test_one_digest_of_a_set() -> None:
    raw = [bytes(16), b"a" + bytes(15), bytes(15) + b"a"]
    found = DigestSet(of_bytes(b"".join(raw[:2])))
    assert [each in found for each in raw] == [True, True, False]
