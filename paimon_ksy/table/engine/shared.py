"""Pickle the tasks of a job so that objects they share are sent once.

Tasks of one query share its schema and predicate, which take more bytes than the rest of a task.
Shared objects are found by identity, so tasks stay plain values, and this module depends on none of
their types. No task may change a shared object: other tasks of a worker use it, too, as in threads.
"""

from __future__ import annotations

import pickle
from functools import lru_cache
from io import BytesIO
from typing import Any

_MOST_SHARED = 256
"""The most objects sent once: enough for schemas, predicates and names of attributes. Each worker
receives all of them."""

_LEAST_LENGTH = 3  # of strings and tuples that take more bytes than their number


class TaskPickler(pickle.Pickler):
    """A pickler of single tasks, which replaces objects that they share by numbers.

    An object is shared if it is a string, a tuple or an instance of a frozen dataclass, and part of
    two consecutive tasks. The first of these two still contains it.
    """

    def __init__(self) -> None:
        self._sink = BytesIO()
        super().__init__(self._sink)
        self._shared: list[Any] = []
        self._numbers: dict[int, int] = {}  # of shared objects, by id
        # Keeps the objects alive, so that no others get their ids.
        self._before: dict[int, Any] = {}
        self._seen: dict[int, Any] = {}

    def dumps(self, task: Any) -> bytes:
        """Return the pickled task."""
        self._before, self._seen = self._seen, {}
        self._sink.seek(0)
        self._sink.truncate()
        self.clear_memo()
        self.dump(task)
        return self._sink.getvalue()

    def shared(self) -> bytes:
        """Return the pickled objects that all tasks so far share."""
        return pickle.dumps(self._shared)

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a shared object, None for any other."""
        kind = type(value)
        if kind is str or kind is tuple:
            if len(value) < _LEAST_LENGTH:
                return None
        else:
            parameters = getattr(kind, "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                return None
        key = id(value)
        if key in self._numbers:
            return self._numbers[key]
        if key in self._before and len(self._shared) < _MOST_SHARED:
            self._numbers[key] = len(self._shared)
            self._shared.append(value)
            return self._numbers[key]
        self._seen[key] = value
        return None


class TaskUnpickler(pickle.Unpickler):
    """An unpickler of a TaskPickler's task. `shared` is the result of `unpickled_shared`."""

    def __init__(self, task: Any, shared: list[Any]) -> None:
        super().__init__(BytesIO(task))
        self._shared = shared

    def persistent_load(self, number: int) -> Any:
        """Return the shared object with this number."""
        return self._shared[number]


@lru_cache(maxsize=4)
def unpickled_shared(shared: bytes) -> list[Any]:
    """Return the shared objects; a worker caches those of its last jobs."""
    found: list[Any] = pickle.loads(shared)
    return found
