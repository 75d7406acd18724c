"""Tasks in groups, which are done together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from paimon_ksy.table.query.tasks import FileTask, Task

Progress = Callable[[Task], None]
T = TypeVar("T")

_AT_ONCE = 4


def together(tasks: Sequence[Task], others: int) -> Iterator[tuple[Task, ...]]:
    """The tasks in their order: small files several at once, and open. The fewer others there are
    that follow, the fewer are taken together: no thread has much left to do when others are done.
    """
    opened = [task.opened_ahead() if isinstance(task, FileTask) else task for task in tasks]
    while opened:
        left = len(opened) + others
        most = max(1, min(-(-len(opened) // 2), left // _AT_ONCE, _AT_ONCE))
        small = [isinstance(task, FileTask) and task.is_small for task in opened[:most]]
        count = most if all(small) else max(1, small.index(False))
        yield tuple(opened[:count])
        del opened[:count]


def of_groups(progress: Progress | None) -> Callable[[Sequence[Task]], None] | None:
    """The progress of groups of tasks."""
    if progress is None:
        return None

    def told(tasks: Sequence[Task]) -> None:
        for task in tasks:
            progress(task)

    return told


def growing(tasks: Sequence[T], most: int = 64) -> Iterator[Sequence[T]]:
    """The tasks in groups of 1, 2, 4 and so on: what comes later is often not needed."""
    at, size = 0, 1
    while at < len(tasks):
        yield tasks[at : at + size]
        at, size = at + size, min(2 * size, most)
