"""The tasks of a delete: in groups of bounded size, each data file once."""

import pytest

from paimon_ksy.table.delete import delete
from paimon_ksy.table.delete.delete import Group, grouped
from paimon_ksy.table.delete.vector_files import bucket_of
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from tools.made_manifests import table_of_manifests


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[FileTask]:
    path = table_of_manifests(
        tmp_path_factory.mktemp("groups"), "t", partitions=20, files=80, mixed=True
    )
    return [task for task in plan_query(path, Query("c00 = 3")) if isinstance(task, FileTask)]


@pytest.mark.parametrize("held", [10, 1 << 20])
def test_each_file_is_in_one_group(
    held: int, tasks: list[FileTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delete, "_MOST_HELD", held)
    taken = 0

    def counted() -> object:
        nonlocal taken
        for task in tasks:
            taken += 1
            yield task

    given = 0
    found = []
    for group in grouped(counted(), lambda _: None):  # type: ignore[arg-type]
        assert taken - given <= max(held, 0)
        given += len(group.tasks)
        assert {(task.file.partition, task.file.bucket) for task in group.tasks} == {group.bucket}
        assert not any(task.file.statistics.columns for task in group.tasks)
        found.append(group)
    names = [task.file.name for group in found for task in group.tasks]
    assert sorted(names) == sorted(task.file.name for task in tasks)
    assert max(len(group.tasks) for group in found) <= 64


def test_groups_of_small_tables_are_small_and_grow(tasks: list[FileTask]) -> None:
    """So that a small table has work for several workers, and a large one few files to join."""
    of_one = sorted(tasks, key=lambda task: task.file.partition)
    sizes = [len(group.tasks) for group in grouped(of_one[:80], lambda _: None)]
    assert len(sizes) >= 5
    assert max(sizes[:5]) <= 12


@pytest.mark.parametrize(("count", "others"), [(1, ""), (3, " or 2 others")])
def test_an_error_names_the_first_file_of_a_group(
    count: int, others: str, tasks: list[FileTask]
) -> None:
    some = tuple(tasks[:count])
    group = Group(bucket_of(some[0].file), some, None)
    assert group.path == f"{some[0].file.path}{others}"
