"""Pack tasks into groups of about the same size, for a process or a partition of Spark each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Task = TypeVar("Task")

OPEN_COST = 4 << 20
"""The least size of a task: opening a file takes about as long as reading so many bytes."""


def size_of(task: object) -> int:
    """Return the bytes of the task's data files; 0 if it has none."""
    size = getattr(task, "size", 0)
    return size if isinstance(size, int) else 0


def packed(tasks: Iterable[Task], target: int, cost: int = OPEN_COST) -> Iterator[list[Task]]:
    """Yield the tasks in order, in groups of about `target` bytes.

    A group begins where the sum of all sizes so far passes a multiple of the target, so the tasks
    of a total size have at most as many groups as the target is contained in it.

    Args:
        tasks: The tasks; the attribute `size` is in bytes.
        target: The bytes in a group.
        cost: The least size of a task in bytes.
    """
    group: list[Task] = []
    before = number = 0
    target = max(1, target)
    for task in tasks:
        if group and before // target != number:
            yield group
            group = []
        number = before // target
        group.append(task)
        before += max(size_of(task), cost)
    if group:
        yield group
