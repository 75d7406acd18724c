"""Calls in threads that stay."""

import os
import threading

import pytest

from paimon_ksy.table.io.threads import at_once


def test_results_come_from_whoever_is_first() -> None:
    with at_once() as calls:
        started = [calls.start(pow, 2, n) for n in range(20)]
        assert [call.result() for call in reversed(started)] == [2**n for n in range(19, -1, -1)]


def test_errors_are_raised_where_the_result_is_wanted() -> None:
    with at_once() as calls:
        call = calls.start(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            call.result()


def test_nothing_begins_after_an_error_and_what_runs_is_waited_for() -> None:
    done: list[int] = []
    running, go = threading.Event(), threading.Event()

    def first() -> None:
        running.set()
        assert go.wait(10)
        done.append(0)

    with pytest.raises(KeyError), at_once() as calls:
        calls.start(first)
        assert running.wait(10)
        for _ in range((os.cpu_count() or 1) - 2):
            calls.start(go.wait, 10)
        calls.start(done.append, 1)
        threading.Timer(0.05, go.set).start()
        raise KeyError
    assert done == [0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    with at_once() as calls:
        calls.start(int).result()
    child = os.fork()
    if not child:
        with at_once() as calls:
            started = [calls.start(pow, 2, n) for n in range(4)]
            good = [call.future.result(10) for call in started] == [1, 2, 4, 8]
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
