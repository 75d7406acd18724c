"""Parts of a work that threads share: each is done once, and no thread waits for one to begin."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event

import pytest

from paimon_ksy.file_index.share import alone, shared


@pytest.mark.parametrize("count", [0, 1, 7])
def test_parts_are_done_once_each(count: int) -> None:
    done: list[int] = []

    def part(number: int) -> int:
        done.append(number)
        return number * number

    parts = [partial(part, number) for number in range(count)]
    with ThreadPoolExecutor(2) as pool:
        assert shared(pool)(parts) == [number * number for number in range(count)]
    assert sorted(done) == list(range(count))
    assert alone(parts) == [number * number for number in range(count)]


def test_a_free_thread_takes_parts_over() -> None:
    both = Barrier(2, timeout=30)
    with ThreadPoolExecutor(1) as pool:
        shared(pool)([both.wait, both.wait])


def test_threads_that_all_share_do_not_wait_for_each_other() -> None:
    both = Barrier(2, timeout=30)
    with ThreadPoolExecutor(2) as pool:
        share = shared(pool)

        def work() -> list[int]:
            both.wait()
            return share([partial(int, number) for number in range(50)])

        running = [pool.submit(work) for _ in range(2)]
        assert [future.result(timeout=30) for future in running] == [list(range(50))] * 2


def test_what_a_part_raises_comes_when_no_other_is_under_way() -> None:
    begun, go_on, ended = Event(), Event(), Event()

    def long() -> None:
        begun.set()
        assert go_on.wait(30)
        ended.set()

    def broken() -> None:
        assert begun.wait(30)
        go_on.set()
        raise ValueError("broken")

    with ThreadPoolExecutor(1) as pool:
        for parts in ([long, broken], [broken, long]):
            for event in (begun, go_on, ended):
                event.clear()
            with pytest.raises(ValueError, match="broken"):
                shared(pool)(parts)
            assert ended.is_set()
