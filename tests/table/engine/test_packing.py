"""Tasks are packed in order, into groups of about one size."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from paimon_ksy.table.engine.packing import packed


@dataclass(frozen=True)
class Sized:
    size: int


@pytest.mark.parametrize(
    ("sizes", "target", "cost", "lengths"),
    [
        ([], 10, 1, []),
        ([3, 3, 3], 5, 1, [2, 1]),
        ([500, 1, 1], 100, 1, [1, 2]),  # a large task fills several groups
        ([0] * 6, 8, 4, [2, 2, 2]),  # small ones cost something, too
        ([7] * 3, 0, 1, [1, 1, 1]),
        ([10] * 7, 35, 1, [4, 3]),
    ],
)
def test_groups(sizes: list[int], target: int, cost: int, lengths: list[int]) -> None:
    tasks = [Sized(size) for size in sizes]
    groups = list(packed(iter(tasks), target, cost))
    assert [len(group) for group in groups] == lengths
    assert [task for group in groups for task in group] == tasks


def test_tasks_without_a_size() -> None:
    assert list(packed(["a", "b", "c"], 2, 1)) == [["a", "b"], ["c"]]
