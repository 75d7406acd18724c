"""A cache stays within its bound, and makes each value once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from paimon_ksy.table.io.cache import BoundedCache


def test_values_that_were_used_last_are_kept() -> None:
    recent = BoundedCache(10)
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    def get(key: str, size: int) -> str:
        return recent.get(key, lambda: make(key), lambda _: size)

    assert [get(key, 5) for key in "abaaca"] == list("abaaca")
    assert made == ["a", "b", "c"]
    get("b", 1)
    assert made == ["a", "b", "c", "b"]
    assert recent.size <= 10
    get("large", 11)
    assert recent.size <= 10
    get("a", 5)
    assert made == ["a", "b", "c", "b", "large"]
    with pytest.raises(ZeroDivisionError):
        recent.get("broken", lambda: 1 // 0, lambda _: 1)
    assert get("broken", 1) == "broken"


def test_threads_share_what_is_remembered() -> None:
    recent = BoundedCache(1000)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(
            lambda n: recent.get(n % 300, lambda: n % 300, lambda _: 7), range(20_000), chunksize=50
        )
        assert list(found) == [n % 300 for n in range(20_000)]
    assert recent.size <= 1000
    assert recent.size % 7 == 0
