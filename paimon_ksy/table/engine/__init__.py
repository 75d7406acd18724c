"""Engines run the tasks of a job: a pool on this machine, or Spark.

Both engines run the same function for each task, and limit the number of tasks in flight, so tasks
may come from an iterator of any length. If a task raises an error, the error is returned as data
and raised here, in one line, so that Spark neither retries nor wraps it. Spark retries tasks that
are killed, so a function may run twice for one task.
"""

from typing import Any

from paimon_ksy.errors import OptionError, none_of
from paimon_ksy.table.engine.local import in_threads, is_local, local_engine
from paimon_ksy.table.engine.manifests import are_many, run_over
from paimon_ksy.table.engine.outcome import LOST
from paimon_ksy.table.engine.protocol import Engine
from paimon_ksy.table.engine.spark import spark_engine

__all__ = [
    "LOST",
    "Engine",
    "are_many",
    "engine_named",
    "in_threads",
    "is_local",
    "job_engine",
    "local_engine",
    "run_over",
    "spark_engine",
]


def job_engine(engine: Engine | None, spark: Any) -> Engine:
    """Return a job's engine: `engine`, or else one of the SparkSession, or else this machine."""
    if engine is None:
        return local_engine() if spark is None else spark_engine(spark)
    return engine


def engine_named(name: str, master: str | None = None, *, processes: bool = False) -> Engine:
    """Return the engine with this name, `local` or `spark`.

    Raises:
        OptionError: The name is unknown.
        PaimonKsyError: Spark cannot be reached.
    """
    if name == "spark":
        return spark_engine(master=master)
    if name != "local":
        listed = none_of(name, "the engines are", ("local", "spark"))
        raise OptionError(f"no engine {name!r}{listed}")
    if master is not None:
        raise OptionError(f"master {master!r} needs Spark: add engine 'spark'")
    return local_engine(processes=processes)
