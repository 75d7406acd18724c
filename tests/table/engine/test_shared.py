"""What tasks share is pickled once."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Any

from paimon_ksy.predicates.tree import col
from paimon_ksy.table.engine.shared import (
    _MOST_SHARED,
    TaskPickler,
    TaskUnpickler,
    unpickled_shared,
)
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class One:
    """A task."""

    number: int
    parts: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)


@dataclass
class Changing:
    """What a task may change: each needs its own."""

    values: list[int]


def sent(tasks: list[Any]) -> tuple[list[bytes], bytes, list[Any]]:
    """Each task pickled, what they share, and the tasks that a worker makes of it."""
    pickler = TaskPickler()
    payloads = [pickler.dumps(task) for task in tasks]
    header = pickler.shared()
    shared = unpickled_shared(header)
    return payloads, header, [TaskUnpickler(memoryview(one), shared).load() for one in payloads]


SCHEMA = Schema.parse(", ".join(f"column_{at} STRING" for at in range(30)))


def test_what_tasks_share_is_sent_once() -> None:
    predicate = (col("column_1") == "a" * 200) & col("column_2").is_null()
    tasks = [One(at, (SCHEMA, predicate), {"deep": [SCHEMA]}) for at in range(10)]
    payloads, header, found = sent(tasks)
    assert list(map(str, found)) == list(map(str, tasks))
    assert [one.parts[0] for one in found] == [SCHEMA] * 10
    whole = len(pickle.dumps(tasks[0]))
    assert len(payloads[0]) <= whole + 10
    assert max(map(len, payloads[1:])) < 150 < len(header) < whole < 2 * len(header)
    assert len({id(one.parts[0]) for one in found[2:]}) == 1
    assert found[5].parts[0] is found[5].named["deep"][0]


def test_what_changes_is_not_shared() -> None:
    one = Changing([1])
    _, _, found = sent([One(at, (one,)) for at in range(3)])
    found[1].parts[0].values.append(2)
    assert found[2].parts[0].values == [1]


def test_equal_objects_are_not_the_same() -> None:
    tasks = [One(1, (Schema.parse(str(SCHEMA)),)) for _ in range(2)]
    _, header, found = sent(tasks)
    assert found == tasks
    assert not any(isinstance(one, Schema) for one in unpickled_shared(header))


def test_tasks_of_two_kinds() -> None:
    """Each kind is shared as soon as two in a row have it."""
    other = Schema.parse("id INT, " + str(SCHEMA))
    kinds = [SCHEMA, other, other, SCHEMA, SCHEMA, other, SCHEMA]
    payloads, header, found = sent([One(at, (kind,)) for at, kind in enumerate(kinds)])
    assert [one.parts[0] for one in found] == kinds
    assert [len(one) < 150 for one in payloads] == [False, False, True, False, True, True, True]
    assert sum(isinstance(one, Schema) for one in unpickled_shared(header)) == 2


def test_objects_that_are_gone_are_not_taken_for_others() -> None:
    """Tasks are made as they are needed, and Python gives their ids to new objects."""
    pickler = TaskPickler()
    payloads = [pickler.dumps(One(at, (One(-at, ()),))) for at in range(100)]
    shared = unpickled_shared(pickler.shared())
    found = [TaskUnpickler(one, shared).load() for one in payloads]
    assert found == [One(at, (One(-at, ()),)) for at in range(100)]


def test_shared_objects_are_few() -> None:
    """All workers receive them, whatever they run."""
    parts = [One(at, ()) for at in range(3 * _MOST_SHARED)]
    tasks = [One(at, tuple(parts)) for at in range(3)]
    _, header, found = sent(tasks)
    assert len(unpickled_shared(header)) == _MOST_SHARED
    assert found == tasks


def test_one_task_shares_nothing() -> None:
    payloads, header, found = sent([One(1, (SCHEMA,))])
    assert (found, pickle.loads(header)) == ([One(1, (SCHEMA,))], [])
    assert len(payloads) == 1


def test_a_worker_unpickles_shared_objects_once() -> None:
    header = pickle.dumps([SCHEMA])
    assert unpickled_shared(header) is unpickled_shared(bytes(bytearray(header)))
