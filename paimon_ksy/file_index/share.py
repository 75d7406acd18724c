"""Work in parts, of which threads that have nothing else to do take some over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait
from typing import Any, TypeAlias

Share: TypeAlias = Callable[[Sequence[Callable[[], Any]]], list[Any]]
"""Does the parts of a work, which may be in any order and at once: what each of them gives."""


def alone(parts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Does all parts, one after the other."""
    return [part() for part in parts]


def shared(pool: Executor) -> Share:
    """What has the threads of a pool take over parts, called in one of them or not.

    No thread waits for a part that has not begun. Raises what a part does, when none is under way.
    """

    def share(parts: Sequence[Callable[[], Any]]) -> list[Any]:
        futures = [pool.submit(part) for part in parts]
        own = {}
        try:
            for at in reversed(range(len(parts))):  # others take them from the first on
                if futures[at].cancel():
                    own[at] = parts[at]()
        finally:
            wait([future for future in futures if not future.cancel()])
        return [own[at] if at in own else futures[at].result() for at in range(len(parts))]

    return share
