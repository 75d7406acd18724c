"""The tasks of a delete: some data files of one bucket each, made while they are planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from paimon_ksy.table.delete.vector_files import Bucket, VectorFolder, bucket_of
from paimon_ksy.table.query.tasks import FileTask

_MOST_FILES = 64
"""Data files of a group: the driver holds those of the groups that are under way."""

_FIRST_BYTES, _MOST_BYTES = 1 << 20, 128 << 20
"""Of the data files of a group. The first ones are small, so that a small table has several."""

_GROWTH = 16
"""After so many groups the next ones may have `_FIRST_BYTES` more."""

_MOST_HELD = 8192
"""Data files that wait for others of their buckets."""


@dataclass(frozen=True)
class Group:
    """Data files of one bucket to search.

    Attributes:
        bucket: The bucket.
        tasks: What to search for.
        folder: Where their new vectors go; None in a dry run.
    """

    bucket: Bucket
    tasks: tuple[FileTask, ...]
    folder: VectorFolder | None

    @property
    def path(self) -> str:
        """What an error names of which the data file is not known."""
        first = self.tasks[0].file.path
        others = len(self.tasks) - 1
        return first if not others else f"{first} or {others} others"


def grouped(
    tasks: Iterable[FileTask], folder_of: Callable[[Bucket], VectorFolder | None]
) -> Iterator[Group]:
    """Yield the tasks in groups, each in one.

    Args:
        tasks: The tasks.
        folder_of: Returns where new vectors of a bucket go.
    """
    pending: dict[Bucket, _Pending] = {}
    held = made = 0

    def group(bucket: Bucket) -> Group:
        return Group(bucket, tuple(pending.pop(bucket).tasks), folder_of(bucket))

    for task in tasks:
        bucket = bucket_of(task.file)
        some = pending.setdefault(bucket, _Pending())
        # Statistics are most of what a file takes in memory, and on the way to workers.
        some.tasks.append(replace(task, file=task.file.without_statistics()))
        some.size += task.file.size
        held += 1
        most = min(_MOST_BYTES, _FIRST_BYTES * (1 + made // _GROWTH))
        full = len(some.tasks) >= _MOST_FILES or some.size >= most
        for one in [bucket] if full else list(pending) if held >= _MOST_HELD else ():
            held -= len(pending[one].tasks)
            made += 1
            yield group(one)
    yield from map(group, list(pending))


@dataclass
class _Pending:
    tasks: list[FileTask] = field(default_factory=list)
    size: int = 0
