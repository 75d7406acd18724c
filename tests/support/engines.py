"""Engines that stand for a cluster."""

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import pyarrow as pa

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.engine.protocol import attempt, result_of


class Elsewhere:
    """Runs tasks one by one, as processes would that know nothing of this one, and counts them."""

    time_zone = None

    def __init__(self) -> None:
        self.ran = 0

    def map(
        self,
        function: Callable[[Any], Any],
        tasks: Iterable[Any],
        *,
        progress: Callable[[Any], None] | None = None,
    ) -> Generator[tuple[Any, Any]]:
        for task in tasks:
            sent, given = pickle.loads(pickle.dumps((function, task)))
            self.ran += 1
            result = result_of(pickle.loads(pickle.dumps(attempt(sent, given))))
            if progress is not None:
                progress(task)
            yield task, result

    def batches(
        self,
        function: Callable[[Any], Iterable[pa.RecordBatch]],
        tasks: Iterable[Any],
        schema: pa.Schema,
        **more: Any,
    ) -> Iterator[pa.RecordBatch]:
        return local_engine(1).batches(function, tasks, schema, **more)
