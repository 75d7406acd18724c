"""The tasks of a delete, made during planning: each has some data files of one bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from paimon_ksy.table.delete.vector_files import Bucket, VectorFolder, bucket_of
from paimon_ksy.table.query.file_task import FileTask

_MOST_FILES = 64
"""Maximum data files in a group; the driver holds those of the running groups."""

_FIRST_BYTES, _MOST_BYTES = 1 << 20, 128 << 20
"""Bytes of the data files in a group. The first groups are small, so small tables have several."""

_GROWTH = 16
"""Number of groups after which the maximum bytes of a group grow by `_FIRST_BYTES`."""

_MOST_HELD = 8192
"""Maximum data files that wait for others of their buckets."""


@dataclass(frozen=True)
class Group:
    """Data files of one bucket to search.

    `folder` is that of their new vectors; None in a dry run.
    """

    bucket: Bucket
    tasks: tuple[FileTask, ...]
    folder: VectorFolder | None

    @property
    def path(self) -> str:
        """The path that an error names if its data file is unknown."""
        first = self.tasks[0].file.path
        others = len(self.tasks) - 1
        return first if not others else f"{first} or {others} others"


def grouped(
    tasks: Iterable[FileTask], folder_of: Callable[[Bucket], VectorFolder | None]
) -> Iterator[Group]:
    """Yield the tasks in groups, each task in one group.

    `folder_of` returns the folder of a bucket's new vectors.
    """
    pending: dict[Bucket, _Pending] = {}
    held = made = 0

    def group(bucket: Bucket) -> Group:
        return Group(bucket, tuple(pending.pop(bucket).tasks), folder_of(bucket))

    for task in tasks:
        bucket = bucket_of(task.file)
        some = pending.setdefault(bucket, _Pending())
        # Statistics take most of a file's memory, and of its bytes on the way to workers.
        some.tasks.append(replace(task, data=task.data.without_statistics()))
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
